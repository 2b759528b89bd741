//! Java's JKS and JCEKS stores, read.
//!
//! Both are the same sequence of entries behind a magic number, closed by a SHA-1 over the password and
//! everything before. JKS hides keys under a key stream made of SHA-1; JCEKS encrypts them under
//! PBEWithMD5AndTripleDES and can hold secret keys too, as serialised Java objects.

use bartizan_crypto::{Secret, equal};
use zeroize::Zeroizing;

use super::file::private_key;
use super::pbe::kdf::Md;
use super::pbe::{self, Clear};
use super::{Entry, MAX_ENTRIES, Password, java, too_many_entries};
use crate::cert::Certificate;
use crate::der::{OCTET_STRING, SEQUENCE, oid, whole};
use crate::error::Error;

/// What Sun mixed into the digest.
pub(super) const WHITENER: &[u8] = b"Mighty Aphrodite";
/// Certificates of one chain.
const MAX_CHAIN: u32 = 100;

pub(super) fn read(
    octets: &[u8],
    password: Option<&Password>,
    key_password: Option<&Password>,
) -> Result<Vec<Entry>, Error> {
    const SHORT: Error = Error::Damaged { what: "the store ends too early" };
    let (content, digest) = octets.split_last_chunk::<20>().ok_or(SHORT)?;
    let password = password.ok_or(Error::PasswordNeeded)?;
    let computed = Md::Sha1.digest(&[&password.utf16(), WHITENER, content]);
    if !equal::constant_time(&computed, digest) {
        return Err(Error::WrongPassword);
    }
    let mut input = Input { rest: content };
    input.u32()?; // magic, looked at before
    let version = input.u32()?;
    if !matches!(version, 1 | 2) {
        return Err(Error::unsupported("this version of JKS"));
    }
    let count = input.u32()?;
    if usize::try_from(count).map_or(true, |count| count > MAX_ENTRIES) {
        return Err(too_many_entries());
    }
    let key_password = key_password.unwrap_or(password);
    let mut entries = Vec::new();
    for _ in 0..count {
        entries.push(entry(&mut input, version, key_password)?);
    }
    if input.rest.is_empty() { Ok(entries) } else { Err(Error::damaged("octets after the last entry")) }
}

fn entry(input: &mut Input<'_>, version: u32, password: &Password) -> Result<Entry, Error> {
    let kind = input.u32()?;
    let alias = Some(input.text()?);
    input.take(8)?; // date of creation
    match kind {
        1 => {
            let sealed = input.block()?;
            let count = input.u32()?;
            if count > MAX_CHAIN {
                return Err(Error::TooMuch { what: "certificates of one chain", limit: MAX_CHAIN as usize });
            }
            let chain = (0..count).map(|_| certificate(input, version)).collect::<Result<Vec<_>, Error>>()?;
            let (key, unusable) = match decrypt_key(sealed, password) {
                Ok(clear) => match private_key(&clear) {
                    Ok(key) => (Some(key), None),
                    Err(error) => (None, Some(error)),
                },
                // The key may have a password of its own; the rest of the store is still readable.
                Err(error @ (Error::WrongPassword | Error::Unsupported { .. })) => (None, Some(error)),
                Err(error) => return Err(error),
            };
            Ok(Entry { alias, key, unusable, chain, ..Entry::default() })
        }
        2 => {
            Ok(Entry { alias, chain: vec![certificate(input, version)?], trusted: true, ..Entry::default() })
        }
        3 => {
            let (sealed, rest) = java::sealed_object(input.rest)?;
            input.rest = rest;
            let entry = Entry { alias, ..Entry::default() };
            Ok(match open_secret(&sealed, password) {
                Ok(secret) => Entry { secret: Some(secret), ..entry },
                Err(error) => Entry { unusable: Some(error), ..entry },
            })
        }
        _ => Err(Error::damaged("kind of an entry")),
    }
}

fn certificate(input: &mut Input<'_>, version: u32) -> Result<Certificate, Error> {
    if version == 2 && input.text()? != "X.509" {
        return Err(Error::unsupported("a certificate that is not X.509"));
    }
    Certificate::from_der(input.block()?)
}

/// EncryptedPrivateKeyInfo with one of Sun's two protections.
fn decrypt_key(sealed: &[u8], password: &Password) -> Result<Clear, Error> {
    let mut info = whole(sealed, SEQUENCE, "protected key")?;
    let mut algorithm = info.inside(SEQUENCE, "key protection")?;
    let data = info.expect(OCTET_STRING, "protected key")?.value;
    let clear = match algorithm.clone().oid("key protection")? {
        id if id == oid::JKS_KEY_PROTECTOR => key_stream(data, password)?,
        _ => pbe::decrypt(&mut algorithm, password, data)?,
    };
    match whole(&clear, SEQUENCE, "private key") {
        Ok(_) => Ok(clear),
        Err(_) => Err(Error::WrongPassword),
    }
}

/// Twenty octets of salt, the key under the stream, and a check over password and key.
fn key_stream(data: &[u8], password: &Password) -> Result<Clear, Error> {
    const SHORT: Error = Error::Damaged { what: "protected key" };
    let (salt, rest) = data.split_first_chunk::<20>().ok_or(SHORT)?;
    let (sealed, check) = rest.split_last_chunk::<20>().ok_or(SHORT)?;
    let password = password.utf16();
    let clear = apply_stream(sealed, salt, &password);
    if equal::constant_time(&Md::Sha1.digest(&[&password, &clear]), check) {
        Ok(clear)
    } else {
        Err(Error::WrongPassword)
    }
}

/// Adds the key stream, which also takes it off again.
pub(super) fn apply_stream(data: &[u8], salt: &[u8; 20], password: &[u8]) -> Clear {
    let mut out = Zeroizing::new(Vec::with_capacity(data.len()));
    let mut block = Md::Sha1.digest(&[password, salt]);
    for chunk in data.chunks(20) {
        out.extend(chunk.iter().zip(block.iter()).map(|(octet, stream)| octet ^ stream));
        block = Md::Sha1.digest(&[password, &block]);
    }
    out
}

fn open_secret(sealed: &java::Sealed<'_>, password: &Password) -> Result<(String, Secret), Error> {
    if sealed.algorithm != "PBEWithMD5AndTripleDES" {
        return Err(Error::unsupported("this protection of a secret key"));
    }
    // The parameters are SEQUENCE { salt, iterations }, as in PKCS#5.
    let mut parameters = whole(sealed.parameters, SEQUENCE, "parameters of a sealed key")?;
    let salt = parameters.expect(OCTET_STRING, "salt of a sealed key")?.value;
    let iterations = pbe::iterations(&mut parameters)?;
    let clear = pbe::jceks(password, salt, iterations, sealed.content)?;
    let (algorithm, key) = java::secret_key(&clear)?;
    Ok((algorithm.to_owned(), Secret::new(key.to_vec())))
}

struct Input<'a> {
    rest: &'a [u8],
}

impl<'a> Input<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], Error> {
        let (taken, rest) =
            self.rest.split_at_checked(count).ok_or(Error::damaged("the store ends too early"))?;
        self.rest = rest;
        Ok(taken)
    }

    fn u32(&mut self) -> Result<u32, Error> {
        Ok(self.take(4)?.iter().fold(0, |sum, octet| sum << 8 | u32::from(*octet)))
    }

    fn block(&mut self) -> Result<&'a [u8], Error> {
        let length = self.u32()?;
        self.take(usize::try_from(length).map_err(|_| Error::damaged("the store ends too early"))?)
    }

    /// Java's modified UTF-8, of which only plain UTF-8 occurs in names.
    fn text(&mut self) -> Result<String, Error> {
        let length = self.take(2)?.iter().fold(0, |sum, octet| sum << 8 | usize::from(*octet));
        Ok(String::from_utf8_lossy(self.take(length)?).into_owned())
    }
}
