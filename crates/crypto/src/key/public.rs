//! Public keys: verification, key transport, and the components that XML carries.

use core::fmt;
use std::borrow::Cow;
use std::sync::Arc;

use aws_lc_rs::signature as awslc;
use bartizan_crypto_sys as sys;

use super::spki::{self, Parts};
use super::{Curve, DsaComponents, KeyKind, MAX_RSA_BITS, MIN_RSA_BITS, RsaComponents};
use crate::alg::{SignatureAlg, SignatureFamily, TransportAlg};
use crate::asn1::without_leading_zeros;
use crate::digest::{digest, md};
use crate::{Digest, Error, OaepParams, transport};

/// Least and greatest length of a DSA prime, in bits.
const DSA_BITS: core::ops::RangeInclusive<u32> = 1024..=3072;

/// A public key. Cheap to clone; compares and hashes by its SubjectPublicKeyInfo.
#[derive(Clone)]
pub struct PublicKey(Arc<Inner>);

struct Inner {
    spki: Vec<u8>,
    bits: u32,
    parts: Parts,
    handle: Handle,
}

/// The parsed form of keys that the library prepares once.
enum Handle {
    Rsa(sys::RsaPublicKey),
    Ec(sys::EcPublicKey),
    Dsa(sys::DsaPublicKey),
    /// The 32 octets are the key.
    Raw,
}

/// Which public exponents of RSA are taken.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Exponents {
    /// Odd and at least 65,537.
    Strict,
    /// Odd and at least 3.
    Legacy,
}

impl PublicKey {
    /// Reads a DER SubjectPublicKeyInfo: RSA (1,024 to 8,192 bits, exponent from 65,537 on), EC on a
    /// named curve with an uncompressed point, Ed25519, X25519 or DSA (1,024 to 3,072 bits).
    ///
    /// # Errors
    /// [`Error::MalformedKey`], [`Error::KeyTooSmall`], [`Error::KeyTooLarge`].
    pub fn from_spki(der: &[u8]) -> Result<Self, Error> {
        Self::from_parts(spki::read(der)?, Exponents::Strict)
    }

    /// As [`from_spki`](Self::from_spki), but any odd RSA exponent from 3 on is taken: for the
    /// certificates of old peers, where legacy was asked for.
    ///
    /// # Errors
    /// As there.
    pub fn from_spki_legacy(der: &[u8]) -> Result<Self, Error> {
        Self::from_parts(spki::read(der)?, Exponents::Legacy)
    }

    /// An RSA key from modulus and exponent, big-endian; leading zeros are tolerated.
    ///
    /// # Errors
    /// [`Error::MalformedKey`] for an even modulus, or an exponent that is even, below 65,537 or longer
    /// than 33 bits; [`Error::KeyTooSmall`], [`Error::KeyTooLarge`].
    pub fn from_rsa_components(modulus: &[u8], exponent: &[u8]) -> Result<Self, Error> {
        Self::from_rsa(modulus, exponent, Exponents::Strict)
    }

    /// As [`from_rsa_components`](Self::from_rsa_components), but any odd exponent from 3 on is taken:
    /// for keys of old peers, where legacy was asked for.
    ///
    /// # Errors
    /// As there.
    pub fn from_rsa_components_legacy(modulus: &[u8], exponent: &[u8]) -> Result<Self, Error> {
        Self::from_rsa(modulus, exponent, Exponents::Legacy)
    }

    pub(super) fn from_rsa(modulus: &[u8], exponent: &[u8], exponents: Exponents) -> Result<Self, Error> {
        let modulus = without_leading_zeros(modulus).to_vec();
        let exponent = without_leading_zeros(exponent).to_vec();
        Self::from_parts(Parts::Rsa(RsaComponents { modulus, exponent }), exponents)
    }

    /// An EC key from an uncompressed point, which must lie on the curve and not be infinity.
    ///
    /// # Errors
    /// [`Error::MalformedKey`].
    pub fn from_ec_point(curve: Curve, point: &[u8]) -> Result<Self, Error> {
        Self::from_parts(Parts::Ec(curve, point.to_vec()), Exponents::Strict)
    }

    /// A DSA key, for verification only: p of 1,024 to 3,072 bits, q of 160, 224 or 256.
    ///
    /// # Errors
    /// [`Error::MalformedKey`], [`Error::KeyTooSmall`], [`Error::KeyTooLarge`].
    pub fn from_dsa_components(components: &DsaComponents) -> Result<Self, Error> {
        let strip = |number: &[u8]| without_leading_zeros(number).to_vec();
        let DsaComponents { p, q, g, y } = components;
        let parts = Parts::Dsa(DsaComponents { p: strip(p), q: strip(q), g: strip(g), y: strip(y) });
        Self::from_parts(parts, Exponents::Strict)
    }

    /// An Ed25519 key from its 32 octets.
    ///
    /// # Errors
    /// [`Error::MalformedKey`].
    pub fn from_ed25519(octets: &[u8]) -> Result<Self, Error> {
        Self::from_parts(Parts::Ed25519(octets.to_vec()), Exponents::Strict)
    }

    /// An X25519 key from its 32 octets.
    ///
    /// # Errors
    /// [`Error::MalformedKey`].
    pub fn from_x25519(octets: &[u8]) -> Result<Self, Error> {
        Self::from_parts(Parts::X25519(octets.to_vec()), Exponents::Strict)
    }

    fn from_parts(parts: Parts, exponents: Exponents) -> Result<Self, Error> {
        let malformed = |_| Error::MalformedKey;
        let (bits, handle) = match &parts {
            Parts::Rsa(rsa) => {
                let bits = bit_len(&rsa.modulus);
                check_size(bits, MIN_RSA_BITS..=MAX_RSA_BITS)?;
                check_rsa(rsa, exponents)?;
                let key =
                    sys::RsaPublicKey::from_components(&rsa.modulus, &rsa.exponent).map_err(malformed)?;
                (bits, Handle::Rsa(key))
            }
            Parts::Ec(curve, point) => {
                let key = sys::EcPublicKey::from_point(curve.sys(), point).map_err(malformed)?;
                (curve.bits(), Handle::Ec(key))
            }
            Parts::Dsa(dsa) => {
                let bits = bit_len(&dsa.p);
                check_size(bits, DSA_BITS)?;
                check_dsa(dsa)?;
                let key = sys::DsaPublicKey::new(&dsa.p, &dsa.q, &dsa.g, &dsa.y).map_err(malformed)?;
                (bits, Handle::Dsa(key))
            }
            Parts::Ed25519(octets) | Parts::X25519(octets) => {
                if octets.len() != 32 {
                    return Err(Error::MalformedKey);
                }
                (256, Handle::Raw)
            }
        };
        Ok(Self(Arc::new(Inner { spki: spki::write(&parts), bits, parts, handle })))
    }

    /// The DER SubjectPublicKeyInfo in its one canonical form.
    #[must_use]
    pub fn spki(&self) -> &[u8] {
        &self.0.spki
    }

    /// What kind of key it is.
    #[must_use]
    pub fn kind(&self) -> KeyKind {
        match &self.0.parts {
            Parts::Rsa(_) => KeyKind::Rsa,
            Parts::Ec(curve, _) => KeyKind::Ec(*curve),
            Parts::Dsa(_) => KeyKind::Dsa,
            Parts::Ed25519(_) => KeyKind::Ed25519,
            Parts::X25519(_) => KeyKind::X25519,
        }
    }

    /// Bits of the RSA modulus, the DSA prime or the curve's field (256 for Ed25519 and X25519).
    #[must_use]
    pub fn bits(&self) -> u32 {
        self.0.bits
    }

    /// Whether the key can check signatures made with this method.
    #[must_use]
    pub fn fits(&self, alg: SignatureAlg) -> bool {
        matches!(
            (alg.family(), &self.0.parts),
            (SignatureFamily::RsaPkcs1 | SignatureFamily::RsaPss, Parts::Rsa(_))
                | (SignatureFamily::Ecdsa, Parts::Ec(..))
                | (SignatureFamily::Dsa, Parts::Dsa(_))
                | (SignatureFamily::Ed25519, Parts::Ed25519(_))
        )
    }

    /// Checks a signature over a message.
    ///
    /// ECDSA and DSA signatures are r ‖ s, each as long as the curve's field or as q (XML Signature 1.1
    /// §6.4).
    ///
    /// # Errors
    /// [`Error::Failed`] if the signature is not good, [`Error::WrongKey`] if the method needs another
    /// kind of key, [`Error::Unsupported`] for an HMAC.
    pub fn verify(&self, alg: SignatureAlg, message: &[u8], signature: &[u8]) -> Result<(), Error> {
        match (alg.digest(), &self.0.parts) {
            (Some(hash), _) => self.verify_digest(alg, &digest(hash, message), signature),
            (None, Parts::Ed25519(octets)) => {
                Ok(awslc::UnparsedPublicKey::new(&awslc::ED25519, octets).verify(message, signature)?)
            }
            (None, _) => Err(Error::WrongKey),
        }
    }

    /// An ECDSA signature value of an old peer in the form that [`verify`](Self::verify) demands.
    ///
    /// Some signers write both halves with a zero too many, or (old Java on P-521) with the leading zero
    /// of both missing. Two halves of one length are brought to the length of the curve's field;
    /// everything else comes back unchanged, DER in particular. To be used only where such peers are to
    /// be tolerated: the meaning is the same, but one signature then has several texts.
    #[must_use]
    pub fn fixed_signature<'a>(&self, alg: SignatureAlg, signature: &'a [u8]) -> Cow<'a, [u8]> {
        let (SignatureFamily::Ecdsa, Parts::Ec(curve, _)) = (alg.family(), &self.0.parts) else {
            return Cow::Borrowed(signature);
        };
        let len = curve.field_len();
        let halves = signature.split_at_checked(signature.len() / 2);
        let Some((r, s)) = halves.filter(|(r, s)| r.len() == s.len() && r.len().abs_diff(len) == 1) else {
            return Cow::Borrowed(signature);
        };
        let mut fixed = Vec::with_capacity(2 * len);
        for half in [r, s].map(without_leading_zeros) {
            let Some(zeros) = len.checked_sub(half.len()) else { return Cow::Borrowed(signature) };
            fixed.extend(core::iter::repeat_n(0, zeros));
            fixed.extend_from_slice(half);
        }
        Cow::Owned(fixed)
    }

    /// Checks a signature over a message of which only the digest is at hand.
    ///
    /// # Errors
    /// As [`verify`](Self::verify); [`Error::Unsupported`] for Ed25519 too.
    pub fn verify_digest(&self, alg: SignatureAlg, digest: &Digest, signature: &[u8]) -> Result<(), Error> {
        let Some(hash) = alg.digest().filter(|_| !alg.is_mac()) else {
            return Err(Error::Unsupported(alg.into()));
        };
        if digest.len() != hash.output_len() {
            return Err(Error::Failed);
        }
        let digest = digest.as_ref();
        match (alg.family(), &self.0.handle, &self.0.parts) {
            (SignatureFamily::RsaPkcs1, Handle::Rsa(key), _) => {
                Ok(key.verify_pkcs1(md(hash), digest, signature)?)
            }
            (SignatureFamily::RsaPss, Handle::Rsa(key), _) => {
                Ok(key.verify_pss(md(hash), digest, signature)?)
            }
            (SignatureFamily::Ecdsa, Handle::Ec(key), _) => Ok(key.verify(digest, signature)?),
            (SignatureFamily::Dsa, Handle::Dsa(key), Parts::Dsa(dsa)) => {
                if signature.len() != 2 * dsa.q.len() {
                    return Err(Error::Failed);
                }
                let (r, s) = signature.split_at_checked(dsa.q.len()).ok_or(Error::Failed)?;
                Ok(key.verify(digest, r, s)?)
            }
            _ => Err(Error::WrongKey),
        }
    }

    /// Checks an RSA PKCS#1 v1.5 signature over an MD5 digest, as certificates before 2010 carry it.
    ///
    /// MD5 is broken: whoever could choose what was signed can have signed something else. No message is
    /// ever judged by this, and no [`SignatureAlg`] names it.
    ///
    /// # Errors
    /// [`Error::Failed`] if the signature is not good, [`Error::WrongKey`] unless the key is RSA.
    pub fn verify_archived_md5(&self, digest: &[u8; 16], signature: &[u8]) -> Result<(), Error> {
        match &self.0.handle {
            Handle::Rsa(key) => Ok(key.verify_pkcs1(sys::Md::Md5, digest, signature)?),
            _ => Err(Error::WrongKey),
        }
    }

    /// Encrypts a short secret under an RSA key.
    ///
    /// # Errors
    /// [`Error::WrongKey`] unless the key is RSA, [`Error::TooLong`] if the secret does not fit,
    /// [`Error::Unsupported`] for a SHA-3 digest or an oversize label.
    pub fn encrypt_key(
        &self,
        alg: TransportAlg,
        params: &OaepParams,
        secret: &[u8],
    ) -> Result<Vec<u8>, Error> {
        match &self.0.handle {
            Handle::Rsa(key) => transport::encrypt(key, alg, params, secret),
            _ => Err(Error::WrongKey),
        }
    }

    /// Modulus and exponent of an RSA key.
    #[must_use]
    pub fn rsa_components(&self) -> Option<RsaComponents> {
        match &self.0.parts {
            Parts::Rsa(rsa) => Some(rsa.clone()),
            _ => None,
        }
    }

    /// Curve and uncompressed point of an EC key.
    #[must_use]
    pub fn ec_point(&self) -> Option<(Curve, &[u8])> {
        match &self.0.parts {
            Parts::Ec(curve, point) => Some((*curve, point)),
            _ => None,
        }
    }

    /// The parts of a DSA key.
    #[must_use]
    pub fn dsa_components(&self) -> Option<DsaComponents> {
        match &self.0.parts {
            Parts::Dsa(dsa) => Some(dsa.clone()),
            _ => None,
        }
    }

    /// The 32 octets of an Ed25519 or X25519 key.
    #[must_use]
    pub fn raw_octets(&self) -> Option<&[u8]> {
        match &self.0.parts {
            Parts::Ed25519(octets) | Parts::X25519(octets) => Some(octets),
            _ => None,
        }
    }
}

fn bit_len(number: &[u8]) -> u32 {
    let zeros = number.first().map_or(0, |first| first.leading_zeros());
    u32::try_from(number.len()).unwrap_or(u32::MAX / 8).saturating_mul(8).saturating_sub(zeros)
}

fn check_size(bits: u32, range: core::ops::RangeInclusive<u32>) -> Result<(), Error> {
    match bits {
        _ if bits < *range.start() => Err(Error::KeyTooSmall),
        _ if bits > *range.end() => Err(Error::KeyTooLarge),
        _ => Ok(()),
    }
}

fn is_odd(number: &[u8]) -> bool {
    number.last().is_some_and(|last| last & 1 == 1)
}

fn check_rsa(rsa: &RsaComponents, exponents: Exponents) -> Result<(), Error> {
    if rsa.exponent.len() > 8 || !is_odd(&rsa.modulus) || !is_odd(&rsa.exponent) {
        return Err(Error::MalformedKey);
    }
    let exponent = rsa.exponent.iter().fold(0_u64, |value, octet| value << 8 | u64::from(*octet));
    let least = if exponents == Exponents::Strict { 65_537 } else { 3 };
    if exponent < least { Err(Error::MalformedKey) } else { Ok(()) }
}

fn check_dsa(dsa: &DsaComponents) -> Result<(), Error> {
    // The lengths of FIPS 186-4; g and y are residues of p other than 0 and 1.
    let residue = |number: &Vec<u8>| bit_len(number) > 1 && (number.len(), number) < (dsa.p.len(), &dsa.p);
    let lengths = matches!(bit_len(&dsa.q), 160 | 224 | 256);
    if lengths && is_odd(&dsa.p) && is_odd(&dsa.q) && residue(&dsa.g) && residue(&dsa.y) {
        Ok(())
    } else {
        Err(Error::MalformedKey)
    }
}

impl PartialEq for PublicKey {
    fn eq(&self, other: &Self) -> bool {
        self.spki() == other.spki()
    }
}

impl Eq for PublicKey {}

impl core::hash::Hash for PublicKey {
    fn hash<H: core::hash::Hasher>(&self, state: &mut H) {
        self.spki().hash(state);
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicKey({:?}, {} bits)", self.kind(), self.bits())
    }
}
