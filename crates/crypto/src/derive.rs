//! Key derivation: ConcatKDF, HKDF, P_SHA-1, and the keys of UsernameTokens.
//!
//! Inputs are octets that the caller has put together; outputs are secrets of the asked length.

use aws_lc_rs::hmac;

use crate::alg::{Alg, DigestAlg, KdfAlg};
use crate::{Error, Hasher, Secret};

/// Longest output any derivation here gives (and furthest end of a P_SHA-1 range), in octets.
pub const MAX_OUTPUT: usize = 1024;

/// The concatenation key derivation function (NIST SP 800-56A, XML Encryption 1.1 §5.4.1).
///
/// `z` is the shared secret; `other_info` is AlgorithmID ‖ PartyUInfo ‖ PartyVInfo ‖ SuppPubInfo ‖
/// SuppPrivInfo as octets, put together by the caller.
///
/// # Errors
/// [`Error::TooLong`] beyond [`MAX_OUTPUT`].
pub fn concat_kdf(digest: DigestAlg, z: &[u8], other_info: &[u8], len: usize) -> Result<Secret, Error> {
    expand(0, len, |counter, block| {
        let mut hasher = Hasher::new(digest);
        hasher.update(&counter.to_be_bytes());
        hasher.update(z);
        hasher.update(other_info);
        block.extend_from_slice(hasher.finish().as_ref());
    })
}

/// HKDF, extract then expand (RFC 5869). `digest` is SHA-1 or of the SHA-2 family.
///
/// # Errors
/// [`Error::Unsupported`] for SHA-3, [`Error::TooLong`] beyond [`MAX_OUTPUT`].
pub fn hkdf(digest: DigestAlg, ikm: &[u8], salt: &[u8], info: &[u8], len: usize) -> Result<Secret, Error> {
    let alg = crate::symmetric::hmac_of(digest).ok_or(Error::Unsupported(Alg::Kdf(KdfAlg::Hkdf)))?;
    let prk = hmac::sign(&hmac::Key::new(alg, salt), ikm);
    let key = hmac::Key::new(alg, prk.as_ref());
    let mut previous: Option<hmac::Tag> = None;
    // At most 1,024 octets of 20: the counter never leaves one octet.
    expand(0, len, |counter, block| {
        let mut context = hmac::Context::with_key(&key);
        if let Some(previous) = &previous {
            context.update(previous.as_ref());
        }
        context.update(info);
        context.update(&[u8::try_from(counter).unwrap_or(u8::MAX)]);
        let tag = context.sign();
        block.extend_from_slice(tag.as_ref());
        previous = Some(tag);
    })
}

/// `len` octets of P_SHA-1(secret, seed) from `offset` on (RFC 2246 §5, WS-SecureConversation §7).
///
/// For WS-SecureConversation the seed is label ‖ nonce, put together by the caller.
///
/// # Errors
/// [`Error::TooLong`] if `offset + len` is beyond [`MAX_OUTPUT`].
pub fn p_sha1(secret: &[u8], seed: &[u8], offset: usize, len: usize) -> Result<Secret, Error> {
    let key = hmac::Key::new(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, secret);
    let mut a = hmac::sign(&key, seed);
    expand(offset, len, |_, block| {
        let mut context = hmac::Context::with_key(&key);
        context.update(a.as_ref());
        context.update(seed);
        block.extend_from_slice(context.sign().as_ref());
        a = hmac::sign(&key, a.as_ref());
    })
}

/// A UsernameToken key in the style of WSE and WSS4J 1.5: the first `len` octets of
/// P_SHA-1(password, `WS-Security` ‖ nonce ‖ created).
///
/// `nonce` is the decoded Nonce, `created` the text of Created as it stands in the token.
///
/// # Errors
/// [`Error::TooLong`] beyond [`MAX_OUTPUT`].
pub fn wse_key(password: &[u8], nonce: &[u8], created: &str, len: usize) -> Result<Secret, Error> {
    let seed = [b"WS-Security", nonce, created.as_bytes()].concat();
    p_sha1(password, &seed, 0, len)
}

/// The key of UsernameToken Profile 1.1 §4: K1 = SHA-1(password ‖ salt), Kn = SHA-1(Kn-1), all 20 octets of the last.
///
/// `iterations` is how often the hash is applied in all; 0 is taken for 1. It costs a hash each and stands in a message: bound it before.
#[must_use]
pub fn username_key(password: &[u8], salt: &[u8], iterations: u32) -> Secret {
    let mut hasher = Hasher::new(DigestAlg::Sha1);
    hasher.update(password);
    hasher.update(salt);
    let mut first = [0_u8; 20];
    first.iter_mut().zip(hasher.finish().as_ref()).for_each(|(to, from)| *to = *from);
    Secret::new(bartizan_crypto_sys::sha1_chain(first, iterations.saturating_sub(1)).to_vec())
}

/// Blocks one after another, numbered from 1, until the range is there.
fn expand(offset: usize, len: usize, mut block: impl FnMut(u32, &mut Vec<u8>)) -> Result<Secret, Error> {
    let end = offset.checked_add(len).filter(|end| *end <= MAX_OUTPUT).ok_or(Error::TooLong)?;
    // Reserved at once: a buffer that grew would leave pieces of the secret behind.
    let mut blocks = zeroize::Zeroizing::new(Vec::with_capacity(end + 64));
    let mut counter = 1;
    while blocks.len() < end {
        block(counter, &mut blocks);
        counter += 1;
    }
    blocks.get(offset..end).map(|range| Secret::new(range.to_vec())).ok_or(Error::TooLong)
}

#[cfg(test)]
mod tests;
