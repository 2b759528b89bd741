//! Keys that are computed: `xenc:AgreementMethod` (ECDH-ES, X25519) and `xenc11:DerivedKey`,
//! with ConcatKDF or HKDF (XMLEnc 1.1 §5.4, §5.6; RFC 9231 §2.8).

use bartizan_crypto::alg::{AgreementAlg, Alg, DigestAlg, KdfAlg, SignatureAlg};
use bartizan_crypto::{PrivateKey, PublicKey, Secret, SymmetricKey, derive};
use bartizan_xml::names::{attr, ds, dsig_more, xenc, xenc11};
use bartizan_xml::{Budget, Element, NodeId};

use crate::encryption::ReferenceList;
use crate::error::{Error, ErrorKind, Shape};
use crate::key_info::{KeyInfo, KeyItem};
use crate::permit::Permit;
use crate::read::{
    Children, algorithm, no_children, number, octets, only_attributes, owned, parameter_digest, permitted,
    text, unknown_algorithm,
};

/// Longest bit string or salt of a derivation, in octets.
const MAX_PARAMETER: usize = 256;
/// Longest key name, in octets.
const MAX_NAME: usize = 1024;

/// How a key is derived, with the parameters that both sides must share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Derivation {
    /// Concatenation KDF (XMLEnc 1.1 §5.4.1).
    ConcatKdf {
        /// The digest.
        digest: DigestAlg,
        /// AlgorithmID, PartyUInfo, PartyVInfo, SuppPubInfo and SuppPrivInfo, joined.
        other_info: Vec<u8>,
    },
    /// HKDF (RFC 5869).
    Hkdf {
        /// The digest of the HMAC.
        digest: DigestAlg,
        /// The salt, empty if absent.
        salt: Vec<u8>,
        /// The info, empty if absent.
        info: Vec<u8>,
        /// The key length stated, in octets.
        length: Option<u32>,
    },
}

/// An `xenc:AgreementMethod` as read.
#[derive(Debug)]
pub struct AgreementMethod {
    /// The element.
    pub element: NodeId,
    /// ECDH-ES or X25519.
    pub algorithm: AgreementAlg,
    /// How the shared secret becomes a key.
    pub derivation: Derivation,
    /// Who made the ephemeral key: a KeyValue, usually.
    pub originator: Option<KeyInfo>,
    /// Whose static key it was agreed with.
    pub recipient: Option<KeyInfo>,
}

/// An `xenc11:DerivedKey` as read.
#[derive(Debug)]
pub struct DerivedKey {
    /// The element.
    pub element: NodeId,
    /// Its `Id`.
    pub id: Option<Box<str>>,
    /// How the master key becomes this one.
    pub derivation: Derivation,
    /// What it was used on.
    pub references: Option<ReferenceList>,
    /// The name given to the result.
    pub name: Option<Box<str>>,
    /// The name of the master key.
    pub master: Option<Box<str>>,
}

impl Derivation {
    /// Reads `xenc11:KeyDerivationMethod`.
    fn read(element: Element<'_>, permit: &Permit) -> Result<Self, Error> {
        only_attributes(element, &[attr::ALGORITHM])?;
        let kdf = permitted(element, permit, |alg| match alg {
            Alg::Kdf(kdf @ (KdfAlg::ConcatKdf | KdfAlg::Hkdf)) => Some(kdf),
            _ => None,
        })?;
        let mut children = Children::of(element)?;
        let derivation = if kdf == KdfAlg::Hkdf {
            read_hkdf(children.require(dsig_more::HKDF_PARAMS, "HKDFParams")?)?
        } else {
            read_concat(children.require(xenc11::CONCAT_KDF_PARAMS, "ConcatKDFParams")?)?
        };
        children.finish()?;
        Ok(derivation)
    }

    /// The algorithm.
    pub fn algorithm(&self) -> KdfAlg {
        match self {
            Derivation::ConcatKdf { .. } => KdfAlg::ConcatKdf,
            Derivation::Hkdf { .. } => KdfAlg::Hkdf,
        }
    }

    /// Derives a key of `len` octets from a secret.
    ///
    /// # Errors
    /// [`ErrorKind::DerivationParameters`] if the message states another length.
    pub fn derive(&self, secret: &[u8], len: usize) -> Result<SymmetricKey, Error> {
        let derived = match self {
            Derivation::ConcatKdf { digest, other_info } => {
                derive::concat_kdf(*digest, secret, other_info, len)
            }
            Derivation::Hkdf { digest, salt, info, length } => {
                if length.is_some_and(|stated| stated as usize != len) {
                    return Err(Error::new(ErrorKind::DerivationParameters));
                }
                derive::hkdf(*digest, secret, salt, info, len)
            }
        };
        let derived: Secret = derived.map_err(|_| Error::new(ErrorKind::DerivationParameters))?;
        Ok(derived.expose(|octets| SymmetricKey::new(octets.clone())))
    }
}

fn read_concat(element: Element<'_>) -> Result<Derivation, Error> {
    let parts = [
        attr::ALGORITHM_ID,
        attr::PARTY_U_INFO,
        attr::PARTY_V_INFO,
        attr::SUPP_PUB_INFO,
        attr::SUPP_PRIV_INFO,
    ];
    only_attributes(element, &parts)?;
    let mut other_info = Vec::new();
    for part in parts {
        if let Some(hex) = element.attr(part) {
            bit_string(element, hex, &mut other_info)?;
        }
    }
    let mut children = Children::of(element)?;
    let method = children.require(ds::DIGEST_METHOD, "DigestMethod")?;
    children.finish()?;
    let digest = parameter_digest(method)?;
    Ok(Derivation::ConcatKdf { digest, other_info })
}

/// Appends a bit string: hexadecimal, the first octet tells how many bits of the last one are
/// padding. Only whole octets are accepted (ENC-23); an empty attribute is an empty string.
fn bit_string(element: Element<'_>, hex: &str, out: &mut Vec<u8>) -> Result<(), Error> {
    let bad = || Error::at(element, ErrorKind::DerivationParameters);
    if hex.len() > 2 * MAX_PARAMETER || !hex.len().is_multiple_of(2) {
        return Err(bad());
    }
    for (index, pair) in hex.as_bytes().chunks(2).enumerate() {
        let digits = std::str::from_utf8(pair).map_err(|_| bad())?;
        if !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Err(bad());
        }
        let octet = u8::from_str_radix(digits, 16).map_err(|_| bad())?;
        match index {
            0 if octet != 0 => return Err(bad()),
            0 => {}
            _ => out.push(octet),
        }
    }
    Ok(())
}

fn read_hkdf(element: Element<'_>) -> Result<Derivation, Error> {
    only_attributes(element, &[])?;
    let mut children = Children::of(element)?;
    let prf = children.require(dsig_more::PRF, "PRF")?;
    only_attributes(prf, &[attr::ALGORITHM])?;
    no_children(prf)?;
    let uri = algorithm(prf)?;
    let mac = SignatureAlg::from_uri(uri).filter(|alg| alg.is_mac());
    let digest = mac.and_then(SignatureAlg::digest).ok_or_else(|| unknown_algorithm(prf, uri))?;
    let optional = |element: Option<Element<'_>>| match element {
        Some(element) if element.leaf_text().is_ok_and(|text| text.trim().is_empty()) => Ok(Vec::new()),
        Some(element) => octets(element, MAX_PARAMETER),
        None => Ok(Vec::new()),
    };
    let salt = optional(children.take(dsig_more::SALT))?;
    let info = optional(children.take(dsig_more::INFO))?;
    let length = children.take(dsig_more::KEY_LENGTH).map(number).transpose()?;
    children.finish()?;
    // ENC-24: no derivation beyond the longest key there is.
    if length.is_some_and(|len| len == 0 || len > 64) {
        return Err(Error::at(element, ErrorKind::DerivationParameters));
    }
    Ok(Derivation::Hkdf { digest, salt, info, length })
}

impl AgreementMethod {
    /// Reads an AgreementMethod that stands by itself.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`], [`ErrorKind::DerivationParameters`], algorithm kinds.
    pub fn read(element: Element<'_>, permit: &Permit, budget: &mut Budget) -> Result<Self, Error> {
        Self::read_at(element, permit, budget, 1)
    }

    pub(super) fn read_at(
        element: Element<'_>,
        permit: &Permit,
        budget: &mut Budget,
        depth: usize,
    ) -> Result<Self, Error> {
        only_attributes(element, &[attr::ALGORITHM])?;
        let agreement = permitted(element, permit, |alg| match alg {
            Alg::Agreement(agreement) => Some(agreement),
            _ => None,
        })?;
        let mut children = Children::of(element)?;
        let method = children.require(xenc11::KEY_DERIVATION_METHOD, "KeyDerivationMethod")?;
        let derivation = Derivation::read(method, permit)?;
        let mut side =
            |name| children.take(name).map(|info| KeyInfo::read_at(info, permit, budget, depth)).transpose();
        let originator = side(xenc::ORIGINATOR_KEY_INFO)?;
        let recipient = side(xenc::RECIPIENT_KEY_INFO)?;
        children.finish()?;
        Ok(AgreementMethod { element: element.id(), algorithm: agreement, derivation, originator, recipient })
    }

    /// The originator's public key, if it is stated by value: ephemeral keys always are.
    ///
    /// # Errors
    /// [`ErrorKind::BadKeyValue`] for a malformed key, [`ErrorKind::KeyNotFound`] if none is stated.
    pub fn originator_key(&self) -> Result<PublicKey, Error> {
        let value = self.originator.iter().flat_map(|info| &info.items).find_map(|item| match item {
            KeyItem::KeyValue(value) => Some(value),
            _ => None,
        });
        match value {
            Some(value) => value.to_public_key(),
            None => Err(Error::new(ErrorKind::KeyNotFound)),
        }
    }

    /// The key of `len` octets that both sides compute.
    ///
    /// # Errors
    /// [`ErrorKind::DecryptionFailed`] if the keys do not agree.
    pub fn agree(&self, own: &PrivateKey, originator: &PublicKey, len: usize) -> Result<SymmetricKey, Error> {
        let secret = own.agree(originator).map_err(|_| Error::decryption())?;
        secret.expose(|octets| self.derivation.derive(octets, len))
    }
}

impl DerivedKey {
    /// Reads `xenc11:DerivedKey`.
    pub(super) fn read(element: Element<'_>, permit: &Permit) -> Result<Self, Error> {
        only_attributes(element, &[attr::ID, attr::TYPE, attr::RECIPIENT])?;
        let mut children = Children::of(element)?;
        let method = children.require(xenc11::KEY_DERIVATION_METHOD, "KeyDerivationMethod")?;
        let derivation = Derivation::read(method, permit)?;
        let references = children.take(xenc::REFERENCE_LIST).map(ReferenceList::read).transpose()?;
        let name = children.take(xenc11::DERIVED_KEY_NAME).map(|e| text(e, MAX_NAME)).transpose()?;
        let master = children.take(xenc11::MASTER_KEY_NAME).map(|e| text(e, MAX_NAME)).transpose()?;
        if let Some(extra) = children.next() {
            return Err(Error::shape(extra, Shape::UnexpectedChild));
        }
        Ok(DerivedKey {
            element: element.id(),
            id: owned(element, attr::ID),
            derivation,
            references,
            name,
            master,
        })
    }
}
