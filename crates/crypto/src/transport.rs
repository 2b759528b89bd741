//! RSA key transport: OAEP with any digests, and PKCS#1 v1.5 with implicit rejection.
//!
//! A recipient that shows in any way whether PKCS#1 v1.5 padding was right decrypts for everybody
//! (Bleichenbacher 1998; attacks on XML Encryption 2012). So here nothing can be seen: the private
//! operation runs in every case, the padding is checked without a branch, and when it is wrong the
//! result is a key that looks random, is always the same for one private key and ciphertext, and fails
//! later, where every wrong key fails.

use bartizan_crypto_sys as sys;
use zeroize::Zeroizing;

use crate::alg::{Alg, DigestAlg, MgfAlg, TransportAlg};
use crate::digest::{digest, md};
use crate::equal::mask_if_zero;
use crate::{Error, Secret};

/// Longest OAEP label, in octets.
pub const MAX_LABEL: usize = 1024;
/// Longest transported key, in octets.
pub const MAX_SECRET: usize = 512;

/// The parameters of RSA-OAEP (XML Encryption 1.1 §5.5.2).
///
/// Under `rsa-oaep-mgf1p` the mask generation function is MGF1 with SHA-1 whatever `mgf` says; under
/// `rsa-1_5` nothing here has a meaning. SHA-3 is offered as the digest, not as the hash of the mask.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OaepParams {
    /// The digest of the label, `ds:DigestMethod`.
    pub digest: DigestAlg,
    /// The mask generation function, `xenc11:MGF`.
    pub mgf: MgfAlg,
    /// The label, `xenc:OAEPparams`; at most 1,024 octets are accepted.
    pub label: Vec<u8>,
}

impl OaepParams {
    /// A digest and a mask generation function with an empty label.
    #[must_use]
    pub const fn new(digest: DigestAlg, mgf: MgfAlg) -> Self {
        Self { digest, mgf, label: Vec::new() }
    }
}

impl Default for OaepParams {
    /// SHA-1, MGF1 with SHA-1, no label: what absent elements mean.
    fn default() -> Self {
        Self::new(DigestAlg::Sha1, MgfAlg::Mgf1Sha1)
    }
}

/// The digests of an OAEP operation, after the rules of `rsa-oaep-mgf1p`.
fn oaep(alg: TransportAlg, params: &OaepParams) -> Result<(sys::Md, sys::Md), Error> {
    if params.label.len() > MAX_LABEL {
        return Err(Error::Unsupported(Alg::Transport(alg)));
    }
    let mgf = if alg == TransportAlg::RsaOaepMgf1p { DigestAlg::Sha1 } else { params.mgf.digest() };
    Ok((md(params.digest), md(mgf)))
}

pub(crate) fn encrypt(
    key: &sys::RsaPublicKey,
    alg: TransportAlg,
    params: &OaepParams,
    secret: &[u8],
) -> Result<Vec<u8>, Error> {
    let size = (key.bits() as usize).div_ceil(8);
    match alg {
        TransportAlg::Rsa15 if secret.len() + 11 > size => Err(Error::TooLong),
        TransportAlg::Rsa15 => Ok(key.encrypt_pkcs1(secret)?),
        TransportAlg::RsaOaepMgf1p | TransportAlg::RsaOaep => {
            let (digest, mgf) = oaep(alg, params)?;
            if secret.len() + 2 * digest.output_len() + 2 > size {
                return Err(Error::TooLong);
            }
            Ok(key.encrypt_oaep(digest, mgf, &params.label, secret)?)
        }
    }
}

/// The secret that makes rejected keys unpredictable: derived from the private key, so that it is the
/// same after a restart and on every node.
pub(crate) fn rejection_secret(pkcs1: &[u8]) -> Secret {
    let key =
        aws_lc_rs::hmac::Key::new(aws_lc_rs::hmac::HMAC_SHA256, digest(DigestAlg::Sha256, pkcs1).as_ref());
    Secret::new(aws_lc_rs::hmac::sign(&key, b"rsa-1_5 implicit rejection").as_ref().to_vec())
}

pub(crate) fn decrypt(
    key: &sys::RsaPrivateKey,
    rejection: &Secret,
    alg: TransportAlg,
    params: &OaepParams,
    ciphertext: &[u8],
    expected_len: usize,
) -> Result<Secret, Error> {
    if expected_len > MAX_SECRET {
        return Err(Error::TooLong);
    }
    match alg {
        TransportAlg::Rsa15 => decrypt_pkcs1(key, rejection, ciphertext, expected_len),
        TransportAlg::RsaOaepMgf1p | TransportAlg::RsaOaep => {
            let (digest, mgf) = oaep(alg, params)?;
            let secret = Secret::new(key.decrypt_oaep(digest, mgf, &params.label, ciphertext)?);
            // The length of what was decrypted is known to whoever made it, and he knew our public key.
            if secret.len() == expected_len { Ok(secret) } else { Err(Error::Failed) }
        }
    }
}

fn decrypt_pkcs1(
    key: &sys::RsaPrivateKey,
    rejection: &Secret,
    ciphertext: &[u8],
    expected_len: usize,
) -> Result<Secret, Error> {
    let size = key.size();
    let substitute = substitute_key(rejection, ciphertext, expected_len);
    let mut encoded = Zeroizing::new(vec![0; size]);
    // A ciphertext of a wrong length or not below the modulus is no secret to anybody, but it must not
    // be answered sooner than others: then the operation runs on the number two.
    let mut good = 0xff_u8;
    if key.raw_decrypt(ciphertext, &mut encoded).is_err() {
        good = 0;
        let mut two = vec![0; size];
        if let Some(last) = two.last_mut() {
            *last = 2;
        }
        key.raw_decrypt(&two, &mut encoded)?;
    }
    // 00 02, at least eight octets that are not zero, 00, the key: its length is known, and so is
    // the place of everything. A longer key than fits is public and always rejected.
    let head = size.checked_sub(expected_len).filter(|head| *head >= 11).unwrap_or(size);
    if head == size && expected_len != 0 {
        good = 0;
    }
    let (padding, secret) = encoded.split_at_checked(head).ok_or(Error::Failed)?;
    for (place, octet) in padding.iter().enumerate() {
        good &= match place {
            0 => mask_if_zero(*octet),
            1 => mask_if_zero(*octet ^ 2),
            _ if place + 1 == padding.len() => mask_if_zero(*octet),
            _ => !mask_if_zero(*octet),
        };
    }
    let mut out = Vec::with_capacity(expected_len);
    for (place, other) in substitute.iter().enumerate() {
        let octet = secret.get(place).copied().unwrap_or(0);
        out.push(octet & good | other & !good);
    }
    Ok(Secret::new(out))
}

/// HMAC(secret, ciphertext), expanded to the length. The length goes in, so that no key is the beginning
/// of a longer one: otherwise two requests for different ciphers would tell a rejected key from a real one.
fn substitute_key(rejection: &Secret, ciphertext: &[u8], len: usize) -> Zeroizing<Vec<u8>> {
    use aws_lc_rs::hmac::{Context, HMAC_SHA256, Key, sign};
    let seed = sign(&Key::new(HMAC_SHA256, rejection.as_slice()), ciphertext);
    let expander = Key::new(HMAC_SHA256, seed.as_ref());
    let mut out = Zeroizing::new(Vec::with_capacity(len + 32));
    let mut counter = 0_u32;
    while out.len() < len {
        let mut context = Context::with_key(&expander);
        context.update(&counter.to_be_bytes());
        context.update(&len.to_be_bytes());
        out.extend_from_slice(context.sign().as_ref());
        counter += 1;
    }
    out.truncate(len);
    out
}
