//! Message digests, at once or piece by piece.

use core::fmt;

use aws_lc_rs::digest as awslc;
use bartizan_crypto_sys as sys;

use crate::alg::DigestAlg;

/// A message digest of at most 64 octets, held without allocation.
#[derive(Clone, Copy)]
pub struct Digest {
    octets: [u8; 64],
    len: u8,
}

impl Digest {
    pub(crate) fn new(value: &[u8]) -> Self {
        let mut octets = [0; 64];
        let len = value.len().min(64);
        for (to, from) in octets.iter_mut().zip(value) {
            *to = *from;
        }
        Self { octets, len: u8::try_from(len).unwrap_or(64) }
    }

    /// Octets of the digest.
    #[must_use]
    pub fn len(&self) -> usize {
        usize::from(self.len)
    }

    /// Always `false`: no digest is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Compares with octets received, in constant time; another length is unequal.
    #[must_use]
    pub fn matches(&self, received: &[u8]) -> bool {
        crate::equal::constant_time(self.as_ref(), received)
    }
}

impl AsRef<[u8]> for Digest {
    fn as_ref(&self) -> &[u8] {
        self.octets.get(..self.len()).unwrap_or(&self.octets)
    }
}

impl PartialEq for Digest {
    fn eq(&self, other: &Self) -> bool {
        self.as_ref() == other.as_ref()
    }
}

impl Eq for Digest {}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_ref().iter().try_for_each(|octet| write!(f, "{octet:02x}"))
    }
}

/// A digest under way.
#[derive(Clone)]
pub struct Hasher(State);

#[derive(Clone)]
enum State {
    Aws(awslc::Context),
    Sha3_224(sys::Sha3_224),
}

impl Hasher {
    /// Starts a digest.
    #[must_use]
    pub fn new(alg: DigestAlg) -> Self {
        Self(match algorithm(alg) {
            Some(algorithm) => State::Aws(awslc::Context::new(algorithm)),
            None => State::Sha3_224(sys::Sha3_224::new()),
        })
    }

    /// Adds octets.
    pub fn update(&mut self, octets: &[u8]) {
        match &mut self.0 {
            State::Aws(context) => context.update(octets),
            State::Sha3_224(context) => context.update(octets),
        }
    }

    /// Ends the digest.
    #[must_use]
    pub fn finish(self) -> Digest {
        match self.0 {
            State::Aws(context) => Digest::new(context.finish().as_ref()),
            State::Sha3_224(context) => Digest::new(&context.finish()),
        }
    }
}

impl fmt::Debug for Hasher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hasher")
    }
}

/// The digest of octets at hand.
#[must_use]
pub fn digest(alg: DigestAlg, octets: &[u8]) -> Digest {
    let mut hasher = Hasher::new(alg);
    hasher.update(octets);
    hasher.finish()
}

/// The library's digest; `None` for SHA3-224, which only `crypto-sys` offers.
fn algorithm(alg: DigestAlg) -> Option<&'static awslc::Algorithm> {
    Some(match alg {
        DigestAlg::Sha1 => &awslc::SHA1_FOR_LEGACY_USE_ONLY,
        DigestAlg::Sha224 => &awslc::SHA224,
        DigestAlg::Sha256 => &awslc::SHA256,
        DigestAlg::Sha384 => &awslc::SHA384,
        DigestAlg::Sha512 => &awslc::SHA512,
        DigestAlg::Sha3_224 => return None,
        DigestAlg::Sha3_256 => &awslc::SHA3_256,
        DigestAlg::Sha3_384 => &awslc::SHA3_384,
        DigestAlg::Sha3_512 => &awslc::SHA3_512,
    })
}

/// The same digest in the terms of `crypto-sys`.
pub(crate) const fn md(alg: DigestAlg) -> sys::Md {
    match alg {
        DigestAlg::Sha1 => sys::Md::Sha1,
        DigestAlg::Sha224 => sys::Md::Sha224,
        DigestAlg::Sha256 => sys::Md::Sha256,
        DigestAlg::Sha384 => sys::Md::Sha384,
        DigestAlg::Sha512 => sys::Md::Sha512,
        DigestAlg::Sha3_224 => sys::Md::Sha3_224,
        DigestAlg::Sha3_256 => sys::Md::Sha3_256,
        DigestAlg::Sha3_384 => sys::Md::Sha3_384,
        DigestAlg::Sha3_512 => sys::Md::Sha3_512,
    }
}

#[cfg(test)]
mod tests;
