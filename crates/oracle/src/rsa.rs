//! What an attacker does with a public RSA key: the bare operation on octets of his choice, and the encoded messages of
//! PKCS#1 with one thing wrong.
//!
//! Only public operations, on numbers that the attacker knows: nothing here needs constant time.

use anyhow::{Context as _, Result};
use bartizan_crypto::digest::digest;
use bartizan_crypto::random::Random as _;
use bartizan_crypto::random::SystemRandom;
use bartizan_crypto::{DigestAlg, PublicKey};
use num_bigint::BigUint;

/// Octets of the modulus.
pub(crate) fn size(key: &PublicKey) -> usize {
    (key.bits() as usize).div_ceil(8)
}

/// `encoded` to the power of the public exponent.
pub(crate) fn raw(key: &PublicKey, encoded: &[u8]) -> Result<Vec<u8>> {
    let parts = key.rsa_components().context("not an RSA key")?;
    let (n, e) = (BigUint::from_bytes_be(&parts.modulus), BigUint::from_bytes_be(&parts.exponent));
    let power = BigUint::from_bytes_be(encoded).modpow(&e, &n).to_bytes_be();
    let mut out = vec![0; size(key).saturating_sub(power.len())];
    out.extend(power);
    Ok(out)
}

/// A number of the modulus' length that is not below it: the modulus itself.
pub(crate) fn modulus(key: &PublicKey) -> Result<Vec<u8>> {
    Ok(key.rsa_components().context("not an RSA key")?.modulus)
}

/// Octets that are not zero, as PKCS#1 v1.5 pads.
pub(crate) fn nonzero(len: usize) -> Vec<u8> {
    let mut out = octets(len);
    for octet in &mut out {
        *octet = (*octet).max(1);
    }
    out
}

/// Octets by chance.
pub(crate) fn octets(len: usize) -> Vec<u8> {
    let mut out = vec![0; len];
    SystemRandom.fill(&mut out);
    out
}

/// 00 02 PS 00 key.
pub(crate) fn pkcs1(size: usize, key: &[u8]) -> Vec<u8> {
    let mut out = vec![0, 2];
    out.extend(nonzero(size.saturating_sub(key.len() + 3)));
    out.push(0);
    out.extend_from_slice(key);
    out
}

/// What is wrong with an OAEP encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Oaep {
    /// The first octet is not 0: Manger's question.
    First,
    /// The digest of another label.
    Label,
    /// No 01 before the key.
    Delimiter,
    /// The padding between digest and 01 is not 0.
    Padding,
}

/// The encoding of PKCS#1 §7.1.1 with the fault, before the bare operation.
pub(crate) fn oaep(size: usize, hash: DigestAlg, mask_hash: DigestAlg, key: &[u8], wrong: Oaep) -> Vec<u8> {
    let h = hash.output_len();
    let mut block = digest(hash, if wrong == Oaep::Label { b"another" } else { b"" }).as_ref().to_vec();
    let mut padding = vec![0; size.saturating_sub(key.len() + 2 * h + 2)];
    if wrong == Oaep::Padding
        && let Some(first) = padding.first_mut()
    {
        *first = 0x80;
    }
    block.extend(padding);
    block.push(if wrong == Oaep::Delimiter { 2 } else { 1 });
    block.extend_from_slice(key);
    let mut seed = octets(h);
    xor(&mut block, &mgf1(mask_hash, &seed, size.saturating_sub(h + 1)));
    xor(&mut seed, &mgf1(mask_hash, &block, h));
    let mut out = vec![if wrong == Oaep::First { 1 } else { 0 }];
    out.extend(seed);
    out.extend(block);
    out
}

fn xor(target: &mut [u8], mask: &[u8]) {
    for (octet, mask) in target.iter_mut().zip(mask) {
        *octet ^= mask;
    }
}

/// PKCS#1 §B.2.1.
fn mgf1(hash: DigestAlg, seed: &[u8], len: usize) -> Vec<u8> {
    let mut out = Vec::new();
    for counter in 0_u32.. {
        if out.len() >= len {
            break;
        }
        out.extend_from_slice(digest(hash, &[seed, &counter.to_be_bytes()].concat()).as_ref());
    }
    out.truncate(len);
    out
}

#[cfg(test)]
mod tests;
