//! `AlgSet`: the allow-list of algorithms, a bit set that is copied like a number.

use core::fmt;

use super::{
    AgreementAlg, Alg, CipherAlg, DigestAlg, KdfAlg, MgfAlg, SignatureAlg, Status, TransportAlg, WrapAlg,
};

/// A set of permitted algorithms. Refused algorithms can never be members.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct AlgSet(u128);

const DIGEST: usize = 0;
const SIGNATURE: usize = DIGEST + DigestAlg::ALL.len();
const CIPHER: usize = SIGNATURE + SignatureAlg::ALL.len();
const WRAP: usize = CIPHER + CipherAlg::ALL.len();
const TRANSPORT: usize = WRAP + WrapAlg::ALL.len();
const MGF: usize = TRANSPORT + TransportAlg::ALL.len();
const AGREEMENT: usize = MGF + MgfAlg::ALL.len();
const KDF: usize = AGREEMENT + AgreementAlg::ALL.len();
const END: usize = KDF + KdfAlg::ALL.len();
const _: () = assert!(END <= 128, "AlgSet has no bit left");

const fn bit(alg: Alg) -> u128 {
    let index = match alg {
        Alg::Digest(alg) => DIGEST + alg as usize,
        Alg::Signature(alg) => SIGNATURE + alg as usize,
        Alg::Cipher(alg) => CIPHER + alg as usize,
        Alg::Wrap(alg) => WRAP + alg as usize,
        Alg::Transport(alg) => TRANSPORT + alg as usize,
        Alg::Mgf(alg) => MGF + alg as usize,
        Alg::Agreement(alg) => AGREEMENT + alg as usize,
        Alg::Kdf(alg) => KDF + alg as usize,
        Alg::Refused(_) => return 0,
    };
    1 << index
}

impl AlgSet {
    /// The set that permits nothing.
    #[must_use]
    pub const fn empty() -> Self {
        Self(0)
    }

    /// Every algorithm whose status is [`Status::Ok`].
    #[must_use]
    pub fn all_ok() -> Self {
        Alg::all().filter(|alg| alg.status() == Status::Ok).collect()
    }

    /// Every algorithm whose status is `Ok` or `Legacy`.
    #[must_use]
    pub fn with_legacy() -> Self {
        Alg::all().collect()
    }

    /// Adds an algorithm; a refused one is not added.
    pub fn insert(&mut self, alg: impl Into<Alg>) {
        self.0 |= bit(alg.into());
    }

    /// Takes an algorithm out.
    pub fn remove(&mut self, alg: impl Into<Alg>) {
        self.0 &= !bit(alg.into());
    }

    /// Whether the algorithm is in the set; never for a refused one.
    #[must_use]
    pub fn permits(self, alg: impl Into<Alg>) -> bool {
        self.0 & bit(alg.into()) != 0
    }

    /// Everything in either set.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// What is in both sets.
    #[must_use]
    pub const fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Whether nothing is permitted.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The members, in the order of the tables.
    pub fn iter(self) -> impl Iterator<Item = Alg> {
        Alg::all().filter(move |alg| self.permits(*alg))
    }
}

impl FromIterator<Alg> for AlgSet {
    fn from_iter<I: IntoIterator<Item = Alg>>(iter: I) -> Self {
        let mut set = Self::empty();
        set.extend(iter);
        set
    }
}

impl Extend<Alg> for AlgSet {
    fn extend<I: IntoIterator<Item = Alg>>(&mut self, iter: I) {
        for alg in iter {
            self.insert(alg);
        }
    }
}

impl fmt::Debug for AlgSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter().map(Alg::short_name)).finish()
    }
}
