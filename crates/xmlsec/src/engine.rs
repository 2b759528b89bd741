//! Whole documents: verify, decrypt, sign, encrypt. What the `xml` verbs and the vector tests
//! run on; WS-Security messages do not come through here.
//!
//! Keys come from a [`KeyFinder`], which is also the one who decides about trust: a
//! certificate in the message is only a hint until the finder has validated its path.

mod decrypt;
mod encrypt;
mod hint;
mod ring;
mod sign;
mod splice;

use bartizan_crypto::alg::{CipherAlg, SignatureAlg, WrapAlg};
use bartizan_crypto::{PrivateKey, PublicKey, SymmetricKey};
use bartizan_xml::names::ds;
use bartizan_xml::{Budget, Document, Element, NodeId};

use crate::error::{Error, ErrorKind};
use crate::permit::Permit;
use crate::signature::{Covered, NoStrTargets, Reference, Signature, VerifyKey};

pub use decrypt::{DecryptedPart, Decryption, decrypt_document};
pub use encrypt::{EncryptRequest, Recipient, encrypt_document};
pub use hint::KeyHint;
pub use ring::KeyRing;
pub use sign::{SignRequest, SignTarget, sign_document};

/// Finds keys for hints. Whoever implements it says which keys are trusted for what.
pub trait KeyFinder {
    /// The key that a signature of this method should verify with.
    ///
    /// # Errors
    /// [`ErrorKind::KeyNotFound`], [`ErrorKind::KeyNotTrusted`], [`ErrorKind::KeyAmbiguous`],
    /// [`ErrorKind::BadKeyValue`].
    fn verify_key(&self, hint: &KeyHint<'_>, method: SignatureAlg) -> Result<FoundKey, Error>;

    /// The private key of the recipient that the hint names.
    ///
    /// # Errors
    /// [`ErrorKind::KeyNotFound`], [`ErrorKind::KeyAmbiguous`].
    fn private_key(&self, hint: &KeyHint<'_>, purpose: PrivatePurpose) -> Result<PrivateKey, Error>;

    /// The public key of the originator of an agreement that the hint names.
    ///
    /// # Errors
    /// As [`private_key`](Self::private_key).
    fn public_key(&self, hint: &KeyHint<'_>) -> Result<PublicKey, Error>;

    /// The shared secret that the hint names.
    ///
    /// # Errors
    /// As [`private_key`](Self::private_key).
    fn secret(&self, hint: &KeyHint<'_>, purpose: SecretPurpose) -> Result<SymmetricKey, Error>;
}

/// A key to verify with.
#[derive(Debug)]
pub enum FoundKey {
    /// For RSA, ECDSA, DSA, EdDSA.
    Public(PublicKey),
    /// For HMAC.
    Secret(SymmetricKey),
}

/// What a private key is needed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PrivatePurpose {
    /// RSA key transport.
    Transport,
    /// Key agreement.
    Agreement,
}

/// What a shared secret is needed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecretPurpose {
    /// A content key.
    Content(CipherAlg),
    /// A key encryption key.
    Wrap(WrapAlg),
    /// The input of a key derivation.
    Derivation,
}

impl FoundKey {
    /// The key by reference.
    pub fn as_key(&self) -> VerifyKey<'_> {
        match self {
            FoundKey::Public(key) => VerifyKey::Public(key),
            FoundKey::Secret(key) => VerifyKey::Secret(key),
        }
    }
}

/// What became of one signature of a document.
#[derive(Debug)]
pub struct SignatureReport {
    /// The `ds:Signature` element.
    pub element: NodeId,
    /// Its path.
    pub path: String,
    /// The method, once it was read.
    pub method: Option<SignatureAlg>,
    /// The references, as far as they were read.
    pub references: Vec<ReferenceReport>,
    /// The key that verified the value. It is there even if a digest failed afterwards.
    pub key: Option<FoundKey>,
    /// The first failing check.
    pub outcome: Result<(), Error>,
    /// The signature as read, for [`Signature::digest_octets`].
    pub signature: Option<Signature>,
}

/// What became of one reference.
#[derive(Debug)]
pub struct ReferenceReport {
    /// Its URI as written.
    pub uri: String,
    /// What it covers, if its digest was good.
    pub covered: Option<Covered>,
    /// The path of what it covers.
    pub covers: Option<String>,
}

impl SignatureReport {
    /// Whether everything about this signature was good.
    pub fn verified(&self) -> bool {
        self.outcome.is_ok()
    }
}

/// Checks every `ds:Signature` of a document: value first, then each reference.
///
/// # Errors
/// [`ErrorKind::NothingToDo`] if there is no signature at all. What is wrong with a single
/// signature stands in its report, and so do duplicate Ids.
pub fn verify_document(
    document: &Document,
    keys: &dyn KeyFinder,
    permit: &Permit,
    budget: &mut Budget,
) -> Result<Vec<SignatureReport>, Error> {
    let found: Vec<Element<'_>> = elements(document).filter(|e| e.is(ds::SIGNATURE)).collect();
    if found.is_empty() {
        return Err(Error::new(ErrorKind::NothingToDo));
    }
    Ok(found.into_iter().map(|element| verify_one(document, element, keys, permit, budget)).collect())
}

/// The root element and everything below it.
pub(crate) fn elements(document: &Document) -> impl Iterator<Item = Element<'_>> {
    let root = document.root();
    std::iter::once(root).chain(root.descendants())
}

fn verify_one(
    document: &Document,
    element: Element<'_>,
    keys: &dyn KeyFinder,
    permit: &Permit,
    budget: &mut Budget,
) -> SignatureReport {
    let mut report = SignatureReport {
        element: element.id(),
        path: element.path(),
        method: None,
        references: Vec::new(),
        key: None,
        outcome: Ok(()),
        signature: None,
    };
    match Signature::read(element, permit, budget) {
        Ok(signature) => {
            report.outcome = check(document, &signature, keys, permit, budget, &mut report);
            report.outcome = report.outcome.map_err(|e| e.or_at(element));
            report.signature = Some(signature);
        }
        Err(error) => report.outcome = Err(error.or_at(element)),
    }
    report
}

fn check(
    document: &Document,
    signature: &Signature,
    keys: &dyn KeyFinder,
    permit: &Permit,
    budget: &mut Budget,
    report: &mut SignatureReport,
) -> Result<(), Error> {
    report.method = Some(signature.method);
    report.references = signature.references.iter().map(unverified).collect();
    let ids: Vec<&str> = signature.referenced_ids().collect();
    document.check_ids(&ids).map_err(|e| Error::new(ErrorKind::Xml(e)))?;
    let extra = hint::follow(document, signature.key_info.as_ref(), permit, budget)?;
    let hint = KeyHint::new(document, signature.key_info.as_ref(), &extra);
    let key = keys.verify_key(&hint, signature.method)?;
    signature.verify_value(&key.as_key())?;
    report.key = Some(key);
    for (index, reference) in report.references.iter_mut().enumerate() {
        let covered = signature.verify_reference(index, document, &NoStrTargets, budget)?;
        reference.covers = document.element(covered.target).map(Element::path);
        reference.covered = Some(covered);
    }
    Ok(())
}

fn unverified(reference: &Reference) -> ReferenceReport {
    ReferenceReport { uri: reference.uri.to_uri(), covered: None, covers: None }
}
