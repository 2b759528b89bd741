//! Key derivations from passwords that are older than PBKDF2.

use bartizan_crypto::{DigestAlg, Hasher};
use md5::{Digest as _, Md5};
use zeroize::Zeroizing;

use super::Clear;

/// A digest, MD5 included: the crypto crate rightly has none.
#[derive(Clone, Copy)]
pub(crate) enum Md {
    Md5,
    Sha1,
    Sha224,
    Sha256,
    Sha384,
    Sha512,
}

impl Md {
    pub(crate) fn digest(self, parts: &[&[u8]]) -> Clear {
        let alg = match self {
            Md::Md5 => {
                let mut hasher = Md5::new();
                parts.iter().for_each(|part| hasher.update(part));
                return Zeroizing::new(hasher.finalize().to_vec());
            }
            Md::Sha1 => DigestAlg::Sha1,
            Md::Sha224 => DigestAlg::Sha224,
            Md::Sha256 => DigestAlg::Sha256,
            Md::Sha384 => DigestAlg::Sha384,
            Md::Sha512 => DigestAlg::Sha512,
        };
        let mut hasher = Hasher::new(alg);
        parts.iter().for_each(|part| hasher.update(part));
        Zeroizing::new(hasher.finish().as_ref().to_vec())
    }

    /// The block of the compression function in octets.
    fn block(self) -> usize {
        match self {
            Md::Sha384 | Md::Sha512 => 128,
            _ => 64,
        }
    }
}

/// The purpose octet of RFC 7292 appendix B.3.
#[derive(Clone, Copy)]
pub(crate) enum Pkcs12Use {
    Key = 1,
    Iv = 2,
    Mac = 3,
}

/// RFC 7292 appendix B.2. `password` is UTF-16 big-endian with its terminator.
pub(crate) fn pkcs12(
    md: Md,
    purpose: Pkcs12Use,
    password: &[u8],
    salt: &[u8],
    iterations: u32,
    length: usize,
) -> Clear {
    let block = md.block();
    let diversifier = vec![purpose as u8; block];
    // Salt and password, each repeated to whole blocks.
    let fill = |source: &[u8]| -> Vec<u8> {
        source.iter().copied().cycle().take(source.len().div_ceil(block) * block).collect()
    };
    let mut input = Zeroizing::new(fill(salt));
    input.extend_from_slice(&Zeroizing::new(fill(password)));

    let mut out = Zeroizing::new(Vec::with_capacity(length + 64));
    loop {
        let mut digest = md.digest(&[&diversifier, &input]);
        for _ in 1..iterations {
            digest = md.digest(&[&digest]);
        }
        out.extend_from_slice(&digest);
        if out.len() >= length {
            out.truncate(length);
            return out;
        }
        // Every block of the input becomes (block + digest repeated + 1) modulo 2^(8·block).
        let added: Vec<u8> = digest.iter().copied().cycle().take(block).collect();
        for chunk in input.chunks_mut(block) {
            let mut carry = 1_u16;
            for (octet, add) in chunk.iter_mut().zip(&added).rev() {
                let sum = u16::from(*octet) + u16::from(*add) + carry;
                let [high, low] = sum.to_be_bytes();
                (*octet, carry) = (low, u16::from(high));
            }
        }
    }
}

/// PBKDF1 (RFC 8018 §5.1), whole output.
pub(crate) fn pbkdf1(md: Md, password: &[u8], salt: &[u8], iterations: u32) -> Clear {
    let mut digest = md.digest(&[password, salt]);
    for _ in 1..iterations {
        digest = md.digest(&[&digest]);
    }
    digest
}

/// Sun's derivation for PBEWithMD5AndTripleDES: 32 octets, 24 of key and 8 of initialization vector.
pub(crate) fn jceks(password: &[u8], salt: [u8; 8], iterations: u32) -> Clear {
    let [mut a, mut b, mut c, d, e, f, g, h] = salt;
    if [a, b, c, d] == [e, f, g, h] {
        // Meant to reverse the first half; what Sun's code does is this, and stores depend on it.
        (a, b, c) = (d, a, b);
    }
    let mut out = Zeroizing::new(Vec::with_capacity(32));
    for half in [[a, b, c, d], [e, f, g, h]] {
        let mut digest = Md5::new().chain_update(half).chain_update(password).finalize();
        for _ in 1..iterations {
            digest = Md5::new().chain_update(digest).chain_update(password).finalize();
        }
        out.extend_from_slice(&digest);
    }
    out
}

/// OpenSSL's `EVP_BytesToKey` with MD5 and one iteration.
pub(crate) fn traditional(password: &[u8], salt: &[u8], length: usize) -> Clear {
    let mut out = Zeroizing::new(Vec::with_capacity(length + 16));
    let mut digest = Zeroizing::new(Vec::new());
    while out.len() < length {
        digest = Md::Md5.digest(&[&digest, password, salt]);
        out.extend_from_slice(&digest);
    }
    out.truncate(length);
    out
}
