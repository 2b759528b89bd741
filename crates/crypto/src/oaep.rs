//! `OaepSet`: which parameters of RSA-OAEP are taken, tuple by tuple.
//!
//! An allow-list of digests and one of mask functions would let in every mixture of the two; what a suite means is
//! whole tuples. Not here: the parameters of one operation ([`OaepParams`]). Called by suites, plans and the reader of
//! EncryptedKeys.

use crate::OaepParams;
use crate::alg::{DigestAlg, MgfAlg, TransportAlg};

#[cfg(test)]
mod tests;

/// A set of (transport, digest, mask function).
///
/// Under `rsa-oaep-mgf1p` the mask function is MGF1 with SHA-1 whatever is asked for (XML Encryption 1.1 §5.5.2), so a
/// tuple of that transport is its digest. RSA 1.5 has no parameters and is never in the set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct OaepSet(u64);

impl OaepSet {
    /// No tuple.
    pub const EMPTY: Self = Self(0);

    /// Every tuple of one transport: for a plan that names the transport and nothing else.
    #[must_use]
    pub fn of(transport: TransportAlg) -> Self {
        let mut set = Self::EMPTY;
        for digest in DigestAlg::ALL {
            for mgf in MgfAlg::ALL {
                set.insert(transport, *digest, *mgf);
            }
        }
        set
    }

    /// Every tuple that XML Encryption knows.
    #[must_use]
    pub fn standard() -> Self {
        Self::of(TransportAlg::RsaOaepMgf1p).union(Self::of(TransportAlg::RsaOaep))
    }

    /// Adds a tuple.
    pub fn insert(&mut self, transport: TransportAlg, digest: DigestAlg, mgf: MgfAlg) {
        self.0 |= bit(transport, digest, mgf);
    }

    /// Both sets together.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether the parameters are those of a tuple. The label is not looked at.
    #[must_use]
    pub fn permits(self, transport: TransportAlg, params: &OaepParams) -> bool {
        self.0 & bit(transport, params.digest, params.mgf) != 0
    }
}

/// One bit for each digest under `rsa-oaep-mgf1p`, then one for each pair under `rsa-oaep`.
fn bit(transport: TransportAlg, digest: DigestAlg, mgf: MgfAlg) -> u64 {
    let digests = DigestAlg::ALL.len();
    let place = DigestAlg::ALL.iter().position(|known| *known == digest);
    let mask = MgfAlg::ALL.iter().position(|known| *known == mgf);
    let (Some(place), Some(mask)) = (place, mask) else { return 0 };
    match transport {
        TransportAlg::RsaOaepMgf1p => 1 << place,
        TransportAlg::RsaOaep => 1 << (digests * (1 + mask) + place),
        TransportAlg::Rsa15 => 0,
    }
}
