//! `DigestTap`: octets from the canonicalizer go straight into the hasher.

use bartizan_crypto::Digest;
use bartizan_crypto::alg::DigestAlg;
use bartizan_crypto::digest::Hasher;
use bartizan_xml::sink::Sink;

/// A [`Sink`] that hashes what it is given and counts the octets.
///
/// It stops hashing (and says so) when the octets allowed are used up, so a canonical
/// form that is much larger than its source costs no more than the budget.
pub struct DigestTap {
    hasher: Hasher,
    octets: u64,
    allowed: u64,
}

impl DigestTap {
    /// A tap for `alg` that takes at most `allowed` octets.
    pub fn new(alg: DigestAlg, allowed: u64) -> Self {
        DigestTap { hasher: Hasher::new(alg), octets: 0, allowed }
    }

    /// Octets that have arrived, also beyond those allowed.
    pub fn octets(&self) -> u64 {
        self.octets
    }

    /// Whether more octets came than were allowed: the digest is then worthless.
    pub fn overrun(&self) -> bool {
        self.octets > self.allowed
    }

    /// The digest of all octets, unless there were too many.
    pub fn finish(self) -> Option<Digest> {
        if self.overrun() { None } else { Some(self.hasher.finish()) }
    }
}

impl Sink for DigestTap {
    fn put(&mut self, bytes: &[u8]) {
        self.octets = self.octets.saturating_add(bytes.len() as u64);
        if !self.overrun() {
            self.hasher.update(bytes);
        }
    }

    fn full(&self) -> bool {
        self.overrun()
    }
}
