//! Content encryption: CBC with the padding of XML Encryption, and GCM.
//!
//! The sealed form is what stands in `xenc:CipherValue`: initialization vector, ciphertext and, for
//! GCM, the tag of 16 octets.

use aws_lc_rs::aead::{self, Aad, LessSafeKey, Nonce, UnboundKey};
use aws_lc_rs::cipher::{
    self, DecryptingKey, DecryptionContext, EncryptingKey, EncryptionContext, UnboundCipherKey,
};
use aws_lc_rs::iv::FixedLength;

use crate::Error;
use crate::alg::CipherAlg;
use crate::equal::constant_time;
use crate::random::Random;

/// Encrypts under a key of the right length.
pub(crate) fn seal(
    alg: CipherAlg,
    key: &[u8],
    plaintext: &[u8],
    random: &dyn Random,
) -> Result<Vec<u8>, Error> {
    check_key(alg, key)?;
    let pad = if alg.is_aead() { 0 } else { alg.block_len() - plaintext.len() % alg.block_len() };
    let mut out = Vec::with_capacity(alg.iv_len() + plaintext.len() + pad + alg.tag_len());
    out.resize(alg.iv_len(), 0);
    random.fill(&mut out);
    out.extend_from_slice(plaintext);
    if alg.is_aead() {
        let (iv, body) = out.split_at_mut_checked(alg.iv_len()).ok_or(Error::Failed)?;
        let nonce = Nonce::try_assume_unique_for_key(iv)?;
        let tag = gcm_key(alg, key)?.seal_in_place_separate_tag(nonce, Aad::empty(), body)?;
        out.extend_from_slice(tag.as_ref());
    } else {
        pad_block(&mut out, pad, random);
        let (iv, body) = out.split_at_mut_checked(alg.iv_len()).ok_or(Error::Failed)?;
        cbc_encrypt(alg, key, iv, body)?;
    }
    Ok(out)
}

/// Decrypts under a key of the right length.
pub(crate) fn open(alg: CipherAlg, key: &[u8], sealed: &[u8]) -> Result<Vec<u8>, Error> {
    check_key(alg, key)?;
    let (iv, body) = sealed.split_at_checked(alg.iv_len()).ok_or(Error::Failed)?;
    if alg.is_aead() {
        let len = body.len().checked_sub(alg.tag_len()).ok_or(Error::Failed)?;
        let (ciphertext, tag) = body.split_at_checked(len).ok_or(Error::Failed)?;
        let mut plaintext = vec![0; len];
        let nonce = Nonce::try_assume_unique_for_key(iv)?;
        gcm_key(alg, key)?.open_separate_gather(nonce, Aad::empty(), ciphertext, tag, &mut plaintext)?;
        return Ok(plaintext);
    }
    if body.is_empty() || body.len() % alg.block_len() != 0 {
        return Err(Error::Failed);
    }
    let mut plaintext = body.to_vec();
    cbc_decrypt(alg, key, iv, &mut plaintext)?;
    let len = unpadded_len(&plaintext, alg.block_len()).ok_or(Error::Failed)?;
    plaintext.truncate(len);
    Ok(plaintext)
}

fn check_key(alg: CipherAlg, key: &[u8]) -> Result<(), Error> {
    if key.len() == alg.key_len() { Ok(()) } else { Err(Error::WrongKey) }
}

/// XML Encryption 1.1 §5.2: the last octet is the number of padding octets, the others are arbitrary
/// (random here, as ISO 10126 has it).
fn pad_block(out: &mut Vec<u8>, pad: usize, random: &dyn Random) {
    let start = out.len();
    out.resize(start + pad, 0);
    if let Some((last, arbitrary)) = out.get_mut(start..).and_then(<[u8]>::split_last_mut) {
        random.fill(arbitrary);
        *last = u8::try_from(pad).unwrap_or(0);
    }
}

/// The length without padding; every wrong value of the last octet is the same refusal.
fn unpadded_len(plaintext: &[u8], block: usize) -> Option<usize> {
    let pad = usize::from(*plaintext.last()?);
    if (1..=block).contains(&pad) { plaintext.len().checked_sub(pad) } else { None }
}

fn gcm_key(alg: CipherAlg, key: &[u8]) -> Result<LessSafeKey, Error> {
    let algorithm = match alg {
        CipherAlg::Aes128Gcm => &aead::AES_128_GCM,
        CipherAlg::Aes192Gcm => &aead::AES_192_GCM,
        CipherAlg::Aes256Gcm => &aead::AES_256_GCM,
        _ => return Err(Error::Unsupported(alg.into())),
    };
    Ok(LessSafeKey::new(UnboundKey::new(algorithm, key)?))
}

#[allow(deprecated, reason = "triple DES is offered for old peers only, under a set that names it")]
fn cbc_key(alg: CipherAlg, key: &[u8]) -> Result<UnboundCipherKey, Error> {
    let algorithm = match alg {
        CipherAlg::TripleDesCbc => {
            // Rampart makes keys whose third part repeats the first; the library takes those by their two parts only.
            if let (Some(two), Some(first), Some(third)) = (key.get(..16), key.get(..8), key.get(16..))
                && constant_time(first, third)
            {
                return Ok(UnboundCipherKey::new(&cipher::DES_EDE_FOR_LEGACY_USE_ONLY, two)?);
            }
            &cipher::DES_EDE3_FOR_LEGACY_USE_ONLY
        }
        CipherAlg::Aes128Cbc => &cipher::AES_128,
        CipherAlg::Aes192Cbc => &cipher::AES_192,
        CipherAlg::Aes256Cbc => &cipher::AES_256,
        _ => return Err(Error::Unsupported(alg.into())),
    };
    Ok(UnboundCipherKey::new(algorithm, key)?)
}

/// CBC without padding, in place; `body` is a multiple of the block.
pub(crate) fn cbc_encrypt(alg: CipherAlg, key: &[u8], iv: &[u8], body: &mut [u8]) -> Result<(), Error> {
    let context = match alg.iv_len() {
        8 => EncryptionContext::Iv64(fixed(iv)?),
        _ => EncryptionContext::Iv128(fixed(iv)?),
    };
    EncryptingKey::cbc(cbc_key(alg, key)?)?.less_safe_encrypt(body, context)?;
    Ok(())
}

/// CBC without padding, in place; `body` is a multiple of the block.
pub(crate) fn cbc_decrypt(alg: CipherAlg, key: &[u8], iv: &[u8], body: &mut [u8]) -> Result<(), Error> {
    let context = match alg.iv_len() {
        8 => DecryptionContext::Iv64(fixed(iv)?),
        _ => DecryptionContext::Iv128(fixed(iv)?),
    };
    DecryptingKey::cbc(cbc_key(alg, key)?)?.decrypt(body, context)?;
    Ok(())
}

fn fixed<const N: usize>(iv: &[u8]) -> Result<FixedLength<N>, Error> {
    <&[u8; N]>::try_from(iv).map(FixedLength::from).map_err(|_| Error::Failed)
}

#[cfg(test)]
mod tests;
