//! Key derivation: ConcatKDF, HKDF and P_SHA-1.

use crate::alg::DigestAlg;
use crate::{Error, Secret};

/// Longest output any derivation here gives, in octets.
pub const MAX_OUTPUT: usize = 1024;

/// The concatenation key derivation function (NIST SP 800-56A, XML Encryption 1.1 §5.4.1).
///
/// `z` is the shared secret; `other_info` is AlgorithmID ‖ PartyUInfo ‖ PartyVInfo ‖ SuppPubInfo ‖
/// SuppPrivInfo as octets, put together by the caller.
///
/// # Errors
/// [`Error::TooLong`] beyond [`MAX_OUTPUT`].
pub fn concat_kdf(digest: DigestAlg, z: &[u8], other_info: &[u8], len: usize) -> Result<Secret, Error> {
    let _ = (digest, z, other_info, len);
    todo!()
}

/// HKDF, extract then expand (RFC 5869). `digest` is SHA-1 or of the SHA-2 family.
///
/// # Errors
/// [`Error::Unsupported`] for SHA-3, [`Error::TooLong`] beyond [`MAX_OUTPUT`] or 255 digests.
pub fn hkdf(digest: DigestAlg, ikm: &[u8], salt: &[u8], info: &[u8], len: usize) -> Result<Secret, Error> {
    let _ = (digest, ikm, salt, info, len);
    todo!()
}

/// `len` octets of P_SHA-1(secret, seed) from `offset` on (RFC 2246 §5, WS-SecureConversation §7).
///
/// # Errors
/// [`Error::TooLong`] if `offset + len` is beyond [`MAX_OUTPUT`].
pub fn p_sha1(secret: &[u8], seed: &[u8], offset: usize, len: usize) -> Result<Secret, Error> {
    let _ = (secret, seed, offset, len);
    todo!()
}
