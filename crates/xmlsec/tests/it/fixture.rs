//! Keys made once, documents signed and encrypted with few words.

use std::sync::OnceLock;

use bartizan_crypto::alg::{AlgSet, CipherAlg, DigestAlg, SignatureAlg};
use bartizan_crypto::digest::digest;
use bartizan_crypto::random::SystemRandom;
use bartizan_crypto::{Curve, PrivateKey, SymmetricKey};
use bartizan_xml::names::{ds, xenc};
use bartizan_xml::write::Writer;
use bartizan_xml::{Budget, Document, Limits, Profile, c14n};
use bartizan_xmlsec::encryption::{DataKind, DataSpec, write_encrypted_data};
use bartizan_xmlsec::engine::{KeyRing, SignatureReport, verify_document};
use bartizan_xmlsec::signature::{
    C14nSpec, RefToSign, RefUri, SignKey, SignatureSpec, SignedSignature, Transform, write_signature,
};
use bartizan_xmlsec::{ContentKey, Error, ErrorKind, Permit, Signature};

pub(crate) const WSU: &str =
    "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd";
pub(crate) const DS: &str = "http://www.w3.org/2000/09/xmldsig#";
pub(crate) const XENC: &str = "http://www.w3.org/2001/04/xmlenc#";
pub(crate) const EXC: &str = "http://www.w3.org/2001/10/xml-exc-c14n#";

/// An RSA key of 2048 bits, the same in every test.
pub(crate) fn rsa() -> &'static PrivateKey {
    static KEY: OnceLock<PrivateKey> = OnceLock::new();
    KEY.get_or_init(|| PrivateKey::generate_rsa(2048).expect("a key"))
}

/// A P-256 key, the same in every test.
pub(crate) fn ec() -> &'static PrivateKey {
    static KEY: OnceLock<PrivateKey> = OnceLock::new();
    KEY.get_or_init(|| PrivateKey::generate_ec(Curve::P256).expect("a key"))
}

/// A shared secret of 32 octets.
pub(crate) fn secret() -> SymmetricKey {
    SymmetricKey::new((1..=32).collect())
}

pub(crate) fn budget() -> Budget {
    Budget::new(&Limits::default())
}

pub(crate) fn parse(text: &str) -> Document {
    Document::parse(text.as_bytes().to_vec(), Profile::Bare, &mut budget())
        .unwrap_or_else(|e| panic!("{e}: {text}"))
}

/// Everything permitted, legacy too.
pub(crate) fn permit() -> Permit {
    Permit::document(AlgSet::with_legacy())
}

/// Two parts with an Id each, a header that no one signs, and a place for the signature.
pub(crate) const PARTS: &str = concat!(
    "<m xmlns='urn:m' xmlns:u='http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd'>",
    "<a u:Id='a'>one <b x='1'/></a><c u:Id='c'>two</c><d>free</d><!--S--></m>"
);

/// A reference to the element with this Id, as it now is, under exclusive C14N.
pub(crate) fn reference(document: &Document, id: &str, alg: DigestAlg) -> RefToSign {
    let element = document.by_id(id).expect("unique").expect("there");
    let mut octets = Vec::new();
    c14n::C14n::new(c14n::C14nMethod::Exclusive).write(element, &mut octets).expect("canonical");
    RefToSign {
        uri: RefUri::Id(id.into()),
        kind: None,
        transforms: vec![Transform::C14n(C14nSpec::EXCLUSIVE)],
        algorithm: alg,
        digest: digest(alg, &octets),
    }
}

/// The text of a signature over the parts with these Ids.
pub(crate) fn signature_over(
    document: &Document,
    ids: &[&str],
    method: SignatureAlg,
    key: &SignKey<'_>,
) -> (String, SignedSignature) {
    let references: Vec<RefToSign> =
        ids.iter().map(|id| reference(document, id, DigestAlg::Sha256)).collect();
    let spec = SignatureSpec {
        id: Some("S"),
        method,
        canonicalization: &C14nSpec::EXCLUSIVE,
        references: &references,
        key_info: None,
    };
    let mut writer = Writer::new();
    let signed = write_signature(&mut writer, &spec, key).expect("signed");
    (String::from_utf8(writer.finish().expect("whole")).expect("text"), signed)
}

/// `PARTS` signed: parts `a` and `c`, RSA with SHA-256.
pub(crate) fn signed() -> &'static str {
    static TEXT: OnceLock<String> = OnceLock::new();
    TEXT.get_or_init(|| {
        let (signature, _) =
            signature_over(&parse(PARTS), &["a", "c"], SignatureAlg::RsaSha256, &SignKey::Private(rsa()));
        PARTS.replace("<!--S-->", &signature)
    })
}

/// `PARTS` signed with an HMAC under [`secret`].
pub(crate) fn maced(method: SignatureAlg) -> String {
    let (signature, _) = signature_over(&parse(PARTS), &["a", "c"], method, &SignKey::Secret(&secret()));
    PARTS.replace("<!--S-->", &signature)
}

/// A ring that trusts the RSA key and the secret of this module.
pub(crate) fn ring() -> KeyRing {
    let mut ring = KeyRing::new();
    ring.add_private(None, rsa().clone());
    ring.add_private(None, ec().clone());
    ring.add_secret(None, secret());
    ring
}

/// Verifies every signature of a document under [`permit`] and [`ring`].
pub(crate) fn verify(text: &str) -> Result<Vec<SignatureReport>, Error> {
    verify_under(text, &permit(), &ring())
}

pub(crate) fn verify_under(
    text: &str,
    permit: &Permit,
    ring: &KeyRing,
) -> Result<Vec<SignatureReport>, Error> {
    let mut budget = budget();
    let document = Document::parse(text.as_bytes().to_vec(), Profile::Bare, &mut budget)
        .map_err(|e| Error::new(ErrorKind::Xml(e)))?;
    let reports = verify_document(&document, ring, permit, &mut budget)?;
    if let Some(error) = reports.iter().find_map(|report| report.outcome.as_ref().err()) {
        return Err(error.clone());
    }
    Ok(reports)
}

/// The kind of refusal of a document that must be refused.
pub(crate) fn refusal(text: &str) -> ErrorKind {
    match verify(text) {
        Ok(_) => panic!("accepted: {text}"),
        Err(error) => error.kind,
    }
}

/// Reads the first signature.
pub(crate) fn read(document: &Document) -> Result<Signature, Error> {
    read_under(document, &permit())
}

pub(crate) fn read_under(document: &Document, permit: &Permit) -> Result<Signature, Error> {
    let element = document.root().descendants().find(|e| e.is(ds::SIGNATURE)).expect("a signature");
    Signature::read(element, permit, &mut budget())
}

/// `text` with the first `from` replaced; the test fails if there is none.
pub(crate) fn swap(text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from), "{from:?} is not in {text}");
    text.replacen(from, to, 1)
}

/// An EncryptedData under a key, no KeyInfo.
pub(crate) fn encrypted(cipher: CipherAlg, key: &ContentKey, kind: &DataKind, plaintext: &[u8]) -> String {
    assert_eq!(key.cipher(), cipher);
    let spec = DataSpec { id: Some("D"), kind, mime_type: None, key_info: None };
    let mut writer = Writer::new();
    write_encrypted_data(&mut writer, &spec, key, plaintext, &SystemRandom).expect("sealed");
    String::from_utf8(writer.finish().expect("whole")).expect("text")
}

/// A content key made of the first octets of [`secret`].
pub(crate) fn content_key(cipher: CipherAlg) -> ContentKey {
    let octets = secret().expose(|octets| octets[..cipher.key_len()].to_vec());
    ContentKey::new(SymmetricKey::new(octets), cipher).expect("fits")
}

/// A ring with that content key as a shared secret.
pub(crate) fn content_ring(cipher: CipherAlg) -> KeyRing {
    let mut ring = KeyRing::new();
    ring.add_secret(None, SymmetricKey::new(secret().expose(|octets| octets[..cipher.key_len()].to_vec())));
    ring
}

pub(crate) fn encrypted_data(document: &Document) -> bartizan_xml::Element<'_> {
    let root = document.root();
    std::iter::once(root)
        .chain(root.descendants())
        .find(|e| e.is(xenc::ENCRYPTED_DATA))
        .expect("EncryptedData")
}
