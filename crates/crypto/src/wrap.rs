//! Symmetric key wrap: AES (RFC 3394) and triple DES (RFC 3217 §3), as XML Encryption 1.1 §5.7 has them.

use bartizan_crypto_sys as sys;
use zeroize::Zeroizing;

use crate::Error;
use crate::alg::{CipherAlg, DigestAlg, WrapAlg};
use crate::cipher::{cbc_decrypt, cbc_encrypt};
use crate::digest::digest;
use crate::random::Random;

/// Longest key that is wrapped or unwrapped, in octets.
const MAX_KEY: usize = 512;
/// The fixed initialization vector of the outer encryption of the triple-DES wrap.
const OUTER_IV: [u8; 8] = [0x4a, 0xdd, 0xa2, 0x2c, 0x79, 0xe8, 0x21, 0x05];

pub(crate) fn wrap(alg: WrapAlg, kek: &[u8], key: &[u8], random: &dyn Random) -> Result<Vec<u8>, Error> {
    let shortest = if alg == WrapAlg::TripleDes { 8 } else { 16 };
    if kek.len() != alg.key_len()
        || !(shortest..=MAX_KEY).contains(&key.len())
        || !key.len().is_multiple_of(8)
    {
        return Err(Error::WrongKey);
    }
    match alg {
        WrapAlg::TripleDes => triple_des_wrap(kek, key, random),
        WrapAlg::Aes128 | WrapAlg::Aes192 | WrapAlg::Aes256 => Ok(sys::aes_wrap(kek, key)?),
    }
}

pub(crate) fn unwrap(alg: WrapAlg, kek: &[u8], wrapped: &[u8]) -> Result<Vec<u8>, Error> {
    if kek.len() != alg.key_len() {
        return Err(Error::WrongKey);
    }
    if wrapped.len() > MAX_KEY + 16 || !wrapped.len().is_multiple_of(8) {
        return Err(Error::Failed);
    }
    match alg {
        WrapAlg::TripleDes => triple_des_unwrap(kek, wrapped),
        WrapAlg::Aes128 | WrapAlg::Aes192 | WrapAlg::Aes256 => Ok(sys::aes_unwrap(kek, wrapped)?),
    }
}

/// RFC 3217 §3.1: key ‖ checksum is encrypted twice, reversed in between. Parity bits are left alone.
fn triple_des_wrap(kek: &[u8], key: &[u8], random: &dyn Random) -> Result<Vec<u8>, Error> {
    let mut iv = [0; 8];
    random.fill(&mut iv);
    let mut out = Vec::with_capacity(key.len() + 16);
    out.extend_from_slice(&iv);
    out.extend_from_slice(key);
    out.extend_from_slice(&checksum(key));
    let (_, body) = out.split_at_mut_checked(8).ok_or(Error::Failed)?;
    cbc_encrypt(CipherAlg::TripleDesCbc, kek, &iv, body)?;
    out.reverse();
    cbc_encrypt(CipherAlg::TripleDesCbc, kek, &OUTER_IV, &mut out)?;
    Ok(out)
}

/// RFC 3217 §3.2.
fn triple_des_unwrap(kek: &[u8], wrapped: &[u8]) -> Result<Vec<u8>, Error> {
    if wrapped.len() < 24 {
        return Err(Error::Failed);
    }
    let mut inner = Zeroizing::new(wrapped.to_vec());
    cbc_decrypt(CipherAlg::TripleDesCbc, kek, &OUTER_IV, &mut inner)?;
    inner.reverse();
    let (iv, body) = inner.split_at_mut_checked(8).ok_or(Error::Failed)?;
    cbc_decrypt(CipherAlg::TripleDesCbc, kek, iv, body)?;
    let len = body.len().checked_sub(8).ok_or(Error::Failed)?;
    let (key, sum) = body.split_at_checked(len).ok_or(Error::Failed)?;
    if crate::equal::constant_time(&checksum(key), sum) { Ok(key.to_vec()) } else { Err(Error::Failed) }
}

/// RFC 3217 §2: the first eight octets of SHA-1.
fn checksum(key: &[u8]) -> [u8; 8] {
    let mut out = [0; 8];
    for (to, from) in out.iter_mut().zip(digest(DigestAlg::Sha1, key).as_ref()) {
        *to = *from;
    }
    out
}

#[cfg(test)]
mod tests;
