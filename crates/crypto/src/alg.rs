//! Algorithms as types, and the one place where their identifiers are spelt.
//!
//! `table` holds the closed enums, `facts` their parameters, `refused` the identifiers known only to
//! be refused, `set` the allow-list type, `near` the guess at what a wrong identifier meant. The crate
//! `xmlsec` reads an `Algorithm` attribute with [`lookup`] or an enum's `from_uri`, and asks an
//! [`AlgSet`] at that very place. Canonicalization and transform identifiers are not here: they belong
//! to the XML crate.

mod facts;
mod near;
mod refused;
mod set;
mod table;

use core::fmt;

pub use facts::SignatureFamily;
pub use near::near_miss;
pub use refused::{RefusedAlg, RefusedReason};
pub use set::AlgSet;
pub use table::{AgreementAlg, CipherAlg, DigestAlg, KdfAlg, MgfAlg, SignatureAlg, TransportAlg, WrapAlg};

/// How an algorithm is judged outside a policy that names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Status {
    /// Usable everywhere.
    Ok,
    /// Only where a policy names it or legacy is asked for in so many words.
    Legacy,
    /// Never.
    Refused,
}

impl Status {
    /// The word used in listings: `ok`, `legacy` or `refused`.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Legacy => "legacy",
            Self::Refused => "refused",
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// Any algorithm of any kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Alg {
    /// A message digest.
    Digest(DigestAlg),
    /// A signature or message authentication method.
    Signature(SignatureAlg),
    /// A content cipher.
    Cipher(CipherAlg),
    /// A symmetric key wrap.
    Wrap(WrapAlg),
    /// A key transport.
    Transport(TransportAlg),
    /// A mask generation function.
    Mgf(MgfAlg),
    /// A key agreement.
    Agreement(AgreementAlg),
    /// A key derivation.
    Kdf(KdfAlg),
    /// Known, and refused by design.
    Refused(RefusedAlg),
}

macro_rules! each {
    ($self:expr, $alg:ident => $body:expr, $refused:ident => $other:expr) => {
        match $self {
            Alg::Digest($alg) => $body,
            Alg::Signature($alg) => $body,
            Alg::Cipher($alg) => $body,
            Alg::Wrap($alg) => $body,
            Alg::Transport($alg) => $body,
            Alg::Mgf($alg) => $body,
            Alg::Agreement($alg) => $body,
            Alg::Kdf($alg) => $body,
            Alg::Refused($refused) => $other,
        }
    };
}

impl Alg {
    /// Every usable algorithm, kind by kind, in the order of the tables; refused ones come last.
    pub fn all() -> impl Iterator<Item = Self> {
        (DigestAlg::ALL.iter().copied().map(Self::Digest))
            .chain(SignatureAlg::ALL.iter().copied().map(Self::Signature))
            .chain(CipherAlg::ALL.iter().copied().map(Self::Cipher))
            .chain(WrapAlg::ALL.iter().copied().map(Self::Wrap))
            .chain(TransportAlg::ALL.iter().copied().map(Self::Transport))
            .chain(MgfAlg::ALL.iter().copied().map(Self::Mgf))
            .chain(AgreementAlg::ALL.iter().copied().map(Self::Agreement))
            .chain(KdfAlg::ALL.iter().copied().map(Self::Kdf))
            .chain(RefusedAlg::ALL.iter().copied().map(Self::Refused))
    }

    /// The identifier; the first one of a refused algorithm that has several.
    #[must_use]
    pub fn uri(self) -> &'static str {
        each!(self, alg => alg.uri(), refused => refused.uris().first().copied().unwrap_or(""))
    }

    /// The short name.
    #[must_use]
    pub const fn short_name(self) -> &'static str {
        each!(self, alg => alg.short_name(), refused => refused.short_name())
    }

    /// How it is judged outside a policy that names it.
    #[must_use]
    pub const fn status(self) -> Status {
        each!(self, alg => alg.status(), _refused => Status::Refused)
    }

    /// Strength in bits of the algorithm's own part; 0 for refused ones.
    #[must_use]
    pub const fn strength_bits(self) -> u16 {
        each!(self, alg => alg.strength_bits(), _refused => 0)
    }

    /// The kind as a word: `digest`, `signature`, `cipher`, `wrap`, `transport`, `mgf`, `agreement`,
    /// `derivation`, `refused`.
    #[must_use]
    pub const fn kind(self) -> &'static str {
        match self {
            Self::Digest(_) => "digest",
            Self::Signature(_) => "signature",
            Self::Cipher(_) => "cipher",
            Self::Wrap(_) => "wrap",
            Self::Transport(_) => "transport",
            Self::Mgf(_) => "mgf",
            Self::Agreement(_) => "agreement",
            Self::Kdf(_) => "derivation",
            Self::Refused(_) => "refused",
        }
    }
}

macro_rules! into_alg {
    ($($name:ident => $variant:ident),+ $(,)?) => {
        $(
            impl From<$name> for Alg {
                fn from(alg: $name) -> Self {
                    Self::$variant(alg)
                }
            }

            impl fmt::Display for $name {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.write_str(self.short_name())
                }
            }
        )+
    };
}

into_alg! {
    DigestAlg => Digest, SignatureAlg => Signature, CipherAlg => Cipher, WrapAlg => Wrap,
    TransportAlg => Transport, MgfAlg => Mgf, AgreementAlg => Agreement, KdfAlg => Kdf, RefusedAlg => Refused,
}

impl fmt::Display for Alg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.short_name())
    }
}

/// The algorithm with exactly this identifier, refused ones included; `None` if nobody knows it.
#[must_use]
pub fn lookup(uri: &str) -> Option<Alg> {
    (DigestAlg::from_uri(uri).map(Alg::Digest))
        .or_else(|| SignatureAlg::from_uri(uri).map(Alg::Signature))
        .or_else(|| CipherAlg::from_uri(uri).map(Alg::Cipher))
        .or_else(|| WrapAlg::from_uri(uri).map(Alg::Wrap))
        .or_else(|| TransportAlg::from_uri(uri).map(Alg::Transport))
        .or_else(|| MgfAlg::from_uri(uri).map(Alg::Mgf))
        .or_else(|| AgreementAlg::from_uri(uri).map(Alg::Agreement))
        .or_else(|| KdfAlg::from_uri(uri).map(Alg::Kdf))
        .or_else(|| RefusedAlg::from_uri(uri).map(Alg::Refused))
}

#[cfg(test)]
mod tests;
