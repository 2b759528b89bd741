//! Password-based encryption of private keys and stores: PKCS#5, PKCS#12, and Sun's own for JCEKS.
//!
//! Reading covers what the tools of twenty-five years wrote; writing knows PBES2 with
//! PBKDF2-HMAC-SHA-256 and AES-256-CBC only. Key material that is derived here is erased when dropped.

mod cbc;
pub(super) mod kdf;

use std::num::NonZeroU32;

use aws_lc_rs::pbkdf2;
use zeroize::Zeroizing;

use self::cbc::Cipher;
use self::kdf::Md;
use super::Password;
use crate::der::{INTEGER, NULL, Reader, SEQUENCE, oid, write};
use crate::error::Error;

/// Iterations of a key derivation; files that ask for more are refused, as Java does.
pub(super) const MAX_ITERATIONS: u32 = 5_000_000;
/// Iterations of PBKDF2 in what is written here.
const WRITE_ITERATIONS: u32 = 10_000;

/// Octets that are erased when dropped.
pub(super) type Clear = Zeroizing<Vec<u8>>;

/// Decrypts under an AlgorithmIdentifier, given by its contents.
///
/// # Errors
/// [`Error::WrongPassword`] if the padding does not come out, [`Error::Unsupported`] for another scheme.
pub(super) fn decrypt(algorithm: &mut Reader<'_>, password: &Password, data: &[u8]) -> Result<Clear, Error> {
    let id = algorithm.oid("encryption scheme")?;
    if id == oid::PBES2 {
        return pbes2(algorithm, password, data);
    }
    if let Some((cipher, key_len)) = pkcs12_cipher(id) {
        let (salt, iterations) = salt_and_count(algorithm)?;
        return pkcs12(cipher, key_len, password, &salt, iterations, data);
    }
    if let Some((cipher, md)) = pkcs5_v1_cipher(id) {
        let (salt, iterations) = salt_and_count(algorithm)?;
        let derived = kdf::pbkdf1(md, password.octets(), &salt, iterations);
        return cipher.decrypt(derived.get(..8), derived.get(8..16), data);
    }
    if id == oid::JCEKS_KEY_PROTECTOR {
        let (salt, iterations) = salt_and_count(algorithm)?;
        return jceks(password, &salt, iterations, data);
    }
    Err(Error::unsupported("this password-based encryption scheme"))
}

/// Sun's PBEWithMD5AndTripleDES: two halves of the salt, each hashed again and again with the password.
pub(super) fn jceks(password: &Password, salt: &[u8], iterations: u32, data: &[u8]) -> Result<Clear, Error> {
    let salt: [u8; 8] = salt.try_into().map_err(|_| Error::damaged("salt of a JCEKS entry"))?;
    let derived = kdf::jceks(&password.ascii()?, salt, iterations);
    Cipher::TripleDes.decrypt(derived.get(..24), derived.get(24..32), data)
}

/// Whether an AlgorithmIdentifier, given by its contents, names a scheme that [`decrypt`] knows.
fn pkcs12_cipher(id: &[u8]) -> Option<(Cipher, usize)> {
    match id {
        _ if id == oid::PBE_SHA1_3DES => Some((Cipher::TripleDes, 24)),
        _ if id == oid::PBE_SHA1_2DES => Some((Cipher::TwoKeyDes, 16)),
        _ if id == oid::PBE_SHA1_RC2_128 => Some((Cipher::Rc2 { bits: 128 }, 16)),
        _ if id == oid::PBE_SHA1_RC2_40 => Some((Cipher::Rc2 { bits: 40 }, 5)),
        _ => None,
    }
}

fn pkcs5_v1_cipher(id: &[u8]) -> Option<(Cipher, Md)> {
    match id {
        _ if id == oid::PBE_MD5_DES => Some((Cipher::Des, Md::Md5)),
        _ if id == oid::PBE_SHA1_DES => Some((Cipher::Des, Md::Sha1)),
        _ if id == oid::PBE_MD5_RC2 => Some((Cipher::Rc2 { bits: 64 }, Md::Md5)),
        _ if id == oid::PBE_SHA1_RC2 => Some((Cipher::Rc2 { bits: 64 }, Md::Sha1)),
        _ => None,
    }
}

fn salt_and_count(algorithm: &mut Reader<'_>) -> Result<(Vec<u8>, u32), Error> {
    const WHAT: &str = "parameters of the encryption scheme";
    let mut parameters = algorithm.inside(SEQUENCE, WHAT)?;
    let salt = parameters.expect(crate::der::OCTET_STRING, WHAT)?.value.to_vec();
    Ok((salt, iterations(&mut parameters)?))
}

/// An iteration count within the limit.
pub(super) fn iterations(reader: &mut Reader<'_>) -> Result<u32, Error> {
    let count = reader.small("iteration count")?;
    if count > MAX_ITERATIONS {
        return Err(Error::TooMuch {
            what: "iterations of a key derivation",
            limit: MAX_ITERATIONS as usize,
        });
    }
    if count == 0 { Err(Error::encoding("iteration count")) } else { Ok(count) }
}

/// The PKCS#12 derivation (RFC 7292 appendix B) gives key and initialization vector apart.
fn pkcs12(
    cipher: Cipher,
    key_len: usize,
    password: &Password,
    salt: &[u8],
    iterations: u32,
    data: &[u8],
) -> Result<Clear, Error> {
    let mut refusal = Error::WrongPassword;
    for secret in password.bmp_candidates() {
        let key = kdf::pkcs12(Md::Sha1, kdf::Pkcs12Use::Key, &secret, salt, iterations, key_len);
        let iv = kdf::pkcs12(Md::Sha1, kdf::Pkcs12Use::Iv, &secret, salt, iterations, 8);
        match cipher.decrypt(Some(&key), Some(&iv), data) {
            Ok(clear) => return Ok(clear),
            Err(error) => refusal = error,
        }
    }
    Err(refusal)
}

fn pbes2(algorithm: &mut Reader<'_>, password: &Password, data: &[u8]) -> Result<Clear, Error> {
    let mut parameters = algorithm.inside(SEQUENCE, "PBES2 parameters")?;
    let derivation = parameters.inside(SEQUENCE, "key derivation")?;
    let mut scheme = parameters.inside(SEQUENCE, "PBES2 cipher")?;
    let (cipher, key_len) = match scheme.oid("PBES2 cipher")? {
        id if id == oid::AES128_CBC => (Cipher::Aes128, 16),
        id if id == oid::AES192_CBC => (Cipher::Aes192, 24),
        id if id == oid::AES256_CBC => (Cipher::Aes256, 32),
        id if id == oid::DES_EDE3_CBC => (Cipher::TripleDes, 24),
        id if id == oid::DES_CBC => (Cipher::Des, 8),
        _ => return Err(Error::unsupported("this cipher in PBES2")),
    };
    let iv = scheme.expect(crate::der::OCTET_STRING, "initialization vector")?.value;
    let key = pbkdf2(derivation, password, key_len)?;
    cipher.decrypt(Some(&key), Some(iv), data)
}

/// Derives `key_len` octets under PBKDF2 parameters (RFC 8018 appendix A.2).
pub(super) fn pbkdf2(
    mut derivation: Reader<'_>,
    password: &Password,
    key_len: usize,
) -> Result<Clear, Error> {
    if derivation.oid("key derivation")? != oid::PBKDF2 {
        return Err(Error::unsupported("a key derivation other than PBKDF2"));
    }
    let mut parameters = derivation.inside(SEQUENCE, "PBKDF2 parameters")?;
    let salt = parameters.expect(crate::der::OCTET_STRING, "PBKDF2 salt")?.value;
    let count = iterations(&mut parameters)?;
    if parameters.peek() == Some(INTEGER) && parameters.small("PBKDF2 key length")? as usize != key_len {
        return Err(Error::encoding("PBKDF2 key length"));
    }
    let prf = match parameters.optional(SEQUENCE, "PBKDF2 function")? {
        None => pbkdf2::PBKDF2_HMAC_SHA1,
        Some(function) => match function.reader().oid("PBKDF2 function")? {
            id if id == oid::HMAC_SHA1 => pbkdf2::PBKDF2_HMAC_SHA1,
            id if id == oid::HMAC_SHA256 => pbkdf2::PBKDF2_HMAC_SHA256,
            id if id == oid::HMAC_SHA384 => pbkdf2::PBKDF2_HMAC_SHA384,
            id if id == oid::HMAC_SHA512 => pbkdf2::PBKDF2_HMAC_SHA512,
            _ => return Err(Error::unsupported("this function in PBKDF2")),
        },
    };
    let count = NonZeroU32::new(count).ok_or(Error::encoding("iteration count"))?;
    let mut key = Zeroizing::new(vec![0; key_len]);
    pbkdf2::derive(prf, count, salt, password.octets(), &mut key);
    Ok(key)
}

/// Encrypts under PBES2. Gives the AlgorithmIdentifier and the ciphertext.
pub(crate) fn encrypt(
    password: &Password,
    clear: &[u8],
    salt: &[u8; 16],
    iv: [u8; 16],
) -> Result<(Vec<u8>, Vec<u8>), Error> {
    let count = NonZeroU32::new(WRITE_ITERATIONS).ok_or(Error::encoding("iteration count"))?;
    let mut key = Zeroizing::new([0; 32]);
    pbkdf2::derive(pbkdf2::PBKDF2_HMAC_SHA256, count, salt, password.octets(), key.as_mut());
    let sealed = Cipher::Aes256.encrypt(key.as_ref(), iv, clear)?;

    let prf = write::sequence(&[&write::oid(oid::HMAC_SHA256), &write::tlv(NULL, &[])]);
    let parameters = write::sequence(&[&write::octets(salt), &write::small(WRITE_ITERATIONS), &prf]);
    let derivation = write::sequence(&[&write::oid(oid::PBKDF2), &parameters]);
    let cipher = write::sequence(&[&write::oid(oid::AES256_CBC), &write::octets(&iv)]);
    let schemes = write::sequence(&[&derivation, &cipher]);
    Ok((write::sequence(&[&write::oid(oid::PBES2), &schemes]), sealed))
}

/// Decrypts the body of a PEM block in OpenSSL's traditional form (`DEK-Info`), given by the cipher's
/// name and the initialization vector.
pub(super) fn decrypt_traditional(
    cipher: &str,
    iv: &[u8],
    password: &Password,
    data: &[u8],
) -> Result<Clear, Error> {
    let (cipher, key_len) = match cipher {
        "DES-EDE3-CBC" => (Cipher::TripleDes, 24),
        "DES-CBC" => (Cipher::Des, 8),
        "AES-128-CBC" => (Cipher::Aes128, 16),
        "AES-192-CBC" => (Cipher::Aes192, 24),
        "AES-256-CBC" => (Cipher::Aes256, 32),
        _ => return Err(Error::unsupported("this cipher in an encrypted PEM block")),
    };
    let key = kdf::traditional(password.octets(), iv.get(..8).ok_or(Error::damaged("DEK-Info"))?, key_len);
    cipher.decrypt(Some(&key), Some(iv), data)
}

#[cfg(test)]
mod tests;
