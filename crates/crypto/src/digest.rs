//! Message digests, at once or piece by piece.

use core::fmt;

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
pub struct Hasher(aws_lc_rs::digest::Context);

impl Hasher {
    /// Starts a digest.
    #[must_use]
    pub fn new(alg: DigestAlg) -> Self {
        Self(aws_lc_rs::digest::Context::new(algorithm(alg)))
    }

    /// Adds octets.
    pub fn update(&mut self, octets: &[u8]) {
        self.0.update(octets);
    }

    /// Ends the digest.
    #[must_use]
    pub fn finish(self) -> Digest {
        Digest::new(self.0.finish().as_ref())
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
    Digest::new(aws_lc_rs::digest::digest(algorithm(alg), octets).as_ref())
}

fn algorithm(alg: DigestAlg) -> &'static aws_lc_rs::digest::Algorithm {
    match alg {
        DigestAlg::Sha1 => &aws_lc_rs::digest::SHA1_FOR_LEGACY_USE_ONLY,
        DigestAlg::Sha224 => &aws_lc_rs::digest::SHA224,
        DigestAlg::Sha256 => &aws_lc_rs::digest::SHA256,
        DigestAlg::Sha384 => &aws_lc_rs::digest::SHA384,
        DigestAlg::Sha512 => &aws_lc_rs::digest::SHA512,
        DigestAlg::Sha3_224 => todo!(),
        DigestAlg::Sha3_256 => &aws_lc_rs::digest::SHA3_256,
        DigestAlg::Sha3_384 => &aws_lc_rs::digest::SHA3_384,
        DigestAlg::Sha3_512 => &aws_lc_rs::digest::SHA3_512,
    }
}
