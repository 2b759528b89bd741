//! Key pairs as typed handles: parsed once, cheap to clone, shared between threads.

mod ephemeral;
mod private;
mod public;
mod spki;

use aws_lc_rs::agreement;
use bartizan_crypto_sys as sys;

use crate::asn1;

pub use ephemeral::EphemeralKey;
pub use private::PrivateKey;
pub use public::PublicKey;

/// Shortest RSA modulus, in bits. Whether a short one is acceptable is a matter of policy.
pub const MIN_RSA_BITS: u32 = 1024;
/// Longest RSA modulus, in bits: beyond it one operation costs too much.
pub const MAX_RSA_BITS: u32 = 8192;

/// The named curves of ECDSA and ECDH.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Curve {
    /// NIST P-256, secp256r1.
    P256,
    /// NIST P-384, secp384r1.
    P384,
    /// NIST P-521, secp521r1.
    P521,
}

impl Curve {
    /// Every curve.
    pub const ALL: &'static [Self] = &[Self::P256, Self::P384, Self::P521];

    /// Bits of the field.
    #[must_use]
    pub const fn bits(self) -> u32 {
        match self {
            Self::P256 => 256,
            Self::P384 => 384,
            Self::P521 => 521,
        }
    }

    /// Octets of a field element or scalar.
    #[must_use]
    pub const fn field_len(self) -> usize {
        match self {
            Self::P256 => 32,
            Self::P384 => 48,
            Self::P521 => 66,
        }
    }

    /// The object identifier in dotted form, as `dsig11:NamedCurve` carries it after `urn:oid:`.
    #[must_use]
    pub const fn oid(self) -> &'static str {
        match self {
            Self::P256 => "1.2.840.10045.3.1.7",
            Self::P384 => "1.3.132.0.34",
            Self::P521 => "1.3.132.0.35",
        }
    }

    /// The object identifier as DER content octets.
    pub(crate) const fn oid_der(self) -> &'static [u8] {
        match self {
            Self::P256 => asn1::OID_P256,
            Self::P384 => asn1::OID_P384,
            Self::P521 => asn1::OID_P521,
        }
    }

    pub(crate) fn from_oid_der(oid: &[u8]) -> Option<Self> {
        Self::ALL.iter().copied().find(|curve| curve.oid_der() == oid)
    }

    pub(crate) const fn sys(self) -> sys::Curve {
        match self {
            Self::P256 => sys::Curve::P256,
            Self::P384 => sys::Curve::P384,
            Self::P521 => sys::Curve::P521,
        }
    }

    pub(crate) const fn agreement(self) -> &'static agreement::Algorithm {
        match self {
            Self::P256 => &agreement::ECDH_P256,
            Self::P384 => &agreement::ECDH_P384,
            Self::P521 => &agreement::ECDH_P521,
        }
    }

    /// The curve with this object identifier in dotted form.
    #[must_use]
    pub fn from_oid(oid: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|curve| curve.oid() == oid)
    }
}

/// What kind of key it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KeyKind {
    /// RSA.
    Rsa,
    /// Elliptic curve, for ECDSA and ECDH.
    Ec(Curve),
    /// Ed25519, for signatures.
    Ed25519,
    /// X25519, for agreement.
    X25519,
    /// DSA, verification only.
    Dsa,
}

/// The public parts of an RSA key, unsigned big-endian without leading zeros.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RsaComponents {
    /// The modulus.
    pub modulus: Vec<u8>,
    /// The public exponent.
    pub exponent: Vec<u8>,
}

/// The public parts of a DSA key, unsigned big-endian.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DsaComponents {
    /// The prime modulus.
    pub p: Vec<u8>,
    /// The prime order of the subgroup.
    pub q: Vec<u8>,
    /// The generator.
    pub g: Vec<u8>,
    /// The public value.
    pub y: Vec<u8>,
}

#[cfg(test)]
mod tests;
