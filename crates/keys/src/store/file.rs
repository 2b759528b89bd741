//! Which kind of file it is, and DER files that hold one thing.

use bartizan_crypto::{PrivateKey, PublicKey};

use super::pbe::Clear;
use super::{Entry, Password, pbe};
use crate::cert::Certificate;
use crate::der::{BIT_STRING, INTEGER, OCTET_STRING, OID, Reader, SEQUENCE, context, whole};
use crate::error::Error;
use crate::trust::check_crl;

/// The kinds of file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Format {
    /// Text with `-----BEGIN …-----`.
    Pem,
    /// PKCS#12, in DER or BER.
    Pkcs12,
    /// Java's old store.
    Jks,
    /// The same with encrypted secrets.
    Jceks,
    /// One certificate, key or revocation list in DER.
    Der,
}

/// Tells the kind of a file from its contents; its name does not matter.
#[must_use]
pub fn detect(octets: &[u8]) -> Option<Format> {
    match octets {
        [0xfe, 0xed, 0xfe, 0xed, ..] => Some(Format::Jks),
        [0xce, 0xce, 0xce, 0xce, ..] => Some(Format::Jceks),
        // Indefinite length: only streaming writers of PKCS#12 do that.
        [SEQUENCE, 0x80, ..] => Some(Format::Pkcs12),
        [SEQUENCE, ..] => Some(if is_pkcs12(octets) { Format::Pkcs12 } else { Format::Der }),
        _ => contains(octets, b"-----BEGIN ").then_some(Format::Pem),
    }
}

fn contains(octets: &[u8], wanted: &[u8]) -> bool {
    octets.windows(wanted.len()).any(|window| window == wanted)
}

/// `SEQUENCE { INTEGER 3, …`: no other structure that is read here begins so. The length is not checked,
/// for a store that was cut short is still a damaged store.
fn is_pkcs12(octets: &[u8]) -> bool {
    let skip = match octets.get(1) {
        Some(short) if *short < 0x80 => 2,
        Some(long) => 2 + usize::from(long & 0x7f),
        None => return false,
    };
    octets.get(skip..).is_some_and(|inside| inside.starts_with(&[INTEGER, 1, 3]))
}

/// Reads a DER file that holds one certificate, revocation list or key.
pub(super) fn read_der(octets: &[u8], password: Option<&Password>) -> Result<Entry, Error> {
    let inside = whole(octets, SEQUENCE, "file").map_err(|_| Error::UnknownFormat)?;
    let shape = shape(inside);
    match shape.as_slice() {
        // SEQUENCE, SEQUENCE, BIT STRING: something signed.
        [SEQUENCE, SEQUENCE, BIT_STRING] => signed(octets),
        [SEQUENCE, OCTET_STRING] => {
            let clear = decrypt_pkcs8(octets, password.ok_or(Error::PasswordNeeded)?)?;
            key_entry(private_key(&clear))
        }
        [SEQUENCE, BIT_STRING] => {
            Ok(Entry { public: Some(PublicKey::from_spki(octets)?), ..Entry::default() })
        }
        [INTEGER, INTEGER] => Ok(Entry { public: Some(rsa_public(octets)?), ..Entry::default() }),
        [INTEGER, ..] => key_entry(private_key(octets)),
        _ => Err(Error::UnknownFormat),
    }
}

/// The tags of the first elements.
fn shape(mut inside: Reader<'_>) -> Vec<u8> {
    let mut tags = Vec::new();
    while let Ok(tlv) = inside.any("file") {
        tags.push(tlv.tag);
        if tags.len() == 16 {
            break;
        }
    }
    tags
}

fn signed(octets: &[u8]) -> Result<Entry, Error> {
    let refusal = match Certificate::from_der(octets) {
        Ok(certificate) => return Ok(Entry { chain: vec![certificate], ..Entry::default() }),
        Err(error) => error,
    };
    if check_crl(octets).is_ok() {
        return Ok(Entry { crl: Some(octets.to_vec()), ..Entry::default() });
    }
    if is_request(octets) {
        return Err(Error::unsupported("a certificate request"));
    }
    Err(refusal)
}

/// `CertificationRequestInfo ::= SEQUENCE { INTEGER, Name, SubjectPublicKeyInfo, [0] … }`
fn is_request(octets: &[u8]) -> bool {
    let info = whole(octets, SEQUENCE, "request").and_then(|mut outer| outer.inside(SEQUENCE, "request"));
    info.is_ok_and(|info| shape(info) == [INTEGER, SEQUENCE, SEQUENCE, context(0)])
}

/// A key that cannot be used is an entry; one that is broken is an error.
fn key_entry(key: Result<PrivateKey, Error>) -> Result<Entry, Error> {
    match key {
        Ok(key) => Ok(Entry { key: Some(key), ..Entry::default() }),
        Err(error @ Error::Unsupported { .. }) => Ok(Entry { unusable: Some(error), ..Entry::default() }),
        Err(error) => Err(error),
    }
}

/// Reads PKCS#8, PKCS#1 or SEC1.
///
/// # Errors
/// [`Error::Unsupported`] for kinds of key that are known and not supported.
pub(super) fn private_key(der: &[u8]) -> Result<PrivateKey, Error> {
    match PrivateKey::from_der(der) {
        Ok(key) => Ok(key),
        Err(error) => Err(unsupported_kind(der).unwrap_or(Error::Key(error))),
    }
}

/// Names the kind of a private key in PKCS#8 form, if it is one that is not supported.
fn unsupported_kind(der: &[u8]) -> Option<Error> {
    const DSA: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x38, 4, 1];
    const X448: &[u8] = &[0x2b, 0x65, 0x6f];
    const ED448: &[u8] = &[0x2b, 0x65, 0x71];
    let mut info = whole(der, SEQUENCE, "private key").ok()?;
    info.small("version").ok()?;
    if info.peek() == Some(INTEGER) && shape(info.clone()).len() == 5 {
        // SEQUENCE { 0, p, q, g, y, x }: the old form of DSA.
        return Some(Error::unsupported("private keys of DSA"));
    }
    match info.inside(SEQUENCE, "key algorithm").ok()?.expect(OID, "key algorithm").ok()?.value {
        DSA => Some(Error::unsupported("private keys of DSA")),
        X448 => Some(Error::unsupported("keys of X448")),
        ED448 => Some(Error::unsupported("keys of Ed448")),
        _ => None,
    }
}

/// EncryptedPrivateKeyInfo ::= SEQUENCE { AlgorithmIdentifier, OCTET STRING }
pub(super) fn decrypt_pkcs8(der: &[u8], password: &Password) -> Result<Clear, Error> {
    let mut info = whole(der, SEQUENCE, "encrypted private key")?;
    let mut algorithm = info.inside(SEQUENCE, "encryption scheme")?;
    let data = info.expect(OCTET_STRING, "encrypted private key")?.value;
    info.finish("encrypted private key")?;
    let clear = pbe::decrypt(&mut algorithm, password, data)?;
    // One wrong password in 256 leaves a padding that looks right.
    match whole(&clear, SEQUENCE, "private key") {
        Ok(_) => Ok(clear),
        Err(_) => Err(Error::WrongPassword),
    }
}

/// RSAPublicKey ::= SEQUENCE { modulus, exponent }
pub(super) fn rsa_public(der: &[u8]) -> Result<PublicKey, Error> {
    let mut key = whole(der, SEQUENCE, "RSA public key")?;
    let (modulus, exponent) = (key.integer("modulus")?, key.integer("exponent")?);
    key.finish("RSA public key")?;
    Ok(PublicKey::from_rsa_components(modulus, exponent)?)
}
