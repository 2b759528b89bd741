//! Public keys: verification, key transport, and the components that XML carries.

use core::fmt;
use std::sync::Arc;

use super::{Curve, DsaComponents, KeyKind, RsaComponents};
use crate::alg::{SignatureAlg, TransportAlg};
use crate::{Digest, Error, OaepParams};

/// A public key. Cheap to clone; compares and hashes by its SubjectPublicKeyInfo.
#[derive(Clone)]
pub struct PublicKey(Arc<()>);

impl PublicKey {
    /// Reads a DER SubjectPublicKeyInfo: RSA (1,024 to 8,192 bits), EC on a named curve, Ed25519,
    /// X25519 or DSA.
    ///
    /// # Errors
    /// [`Error::MalformedKey`], [`Error::KeyTooSmall`], [`Error::KeyTooLarge`].
    pub fn from_spki(der: &[u8]) -> Result<Self, Error> {
        let _ = der;
        todo!()
    }

    /// The DER SubjectPublicKeyInfo in its one canonical form.
    #[must_use]
    pub fn spki(&self) -> &[u8] {
        todo!()
    }

    /// What kind of key it is.
    #[must_use]
    pub fn kind(&self) -> KeyKind {
        todo!()
    }

    /// Bits of the RSA modulus, the DSA prime or the curve's field (256 for Ed25519 and X25519).
    #[must_use]
    pub fn bits(&self) -> u32 {
        todo!()
    }

    /// Checks a signature over a message.
    ///
    /// ECDSA and DSA signatures are r ‖ s (XML Signature 1.1 §6.4).
    ///
    /// # Errors
    /// [`Error::Failed`] if the signature is not good, [`Error::WrongKey`] if the method needs another
    /// kind of key, [`Error::Unsupported`] for an HMAC.
    pub fn verify(&self, alg: SignatureAlg, message: &[u8], signature: &[u8]) -> Result<(), Error> {
        let _ = (alg, message, signature);
        todo!()
    }

    /// Checks a signature over a message of which only the digest is at hand.
    ///
    /// # Errors
    /// As [`verify`](Self::verify); [`Error::Unsupported`] for Ed25519 too.
    pub fn verify_digest(&self, alg: SignatureAlg, digest: &Digest, signature: &[u8]) -> Result<(), Error> {
        let _ = (alg, digest, signature);
        todo!()
    }

    /// Encrypts a short secret under an RSA key.
    ///
    /// # Errors
    /// [`Error::WrongKey`] unless the key is RSA, [`Error::TooLong`] if the secret does not fit.
    pub fn encrypt_key(
        &self,
        alg: TransportAlg,
        params: &OaepParams,
        secret: &[u8],
    ) -> Result<Vec<u8>, Error> {
        let _ = (alg, params, secret);
        todo!()
    }

    /// An RSA key from modulus and exponent, big-endian; leading zeros are tolerated.
    ///
    /// # Errors
    /// [`Error::MalformedKey`] for an even modulus or an exponent that is even or below 65,537;
    /// [`Error::KeyTooSmall`], [`Error::KeyTooLarge`].
    pub fn from_rsa_components(modulus: &[u8], exponent: &[u8]) -> Result<Self, Error> {
        let _ = (modulus, exponent);
        todo!()
    }

    /// As [`from_rsa_components`](Self::from_rsa_components), but any odd exponent from 3 on is taken.
    ///
    /// # Errors
    /// As there.
    pub fn from_rsa_components_legacy(modulus: &[u8], exponent: &[u8]) -> Result<Self, Error> {
        let _ = (modulus, exponent);
        todo!()
    }

    /// An EC key from an uncompressed point, which must lie on the curve.
    ///
    /// # Errors
    /// [`Error::MalformedKey`].
    pub fn from_ec_point(curve: Curve, point: &[u8]) -> Result<Self, Error> {
        let _ = (curve, point);
        todo!()
    }

    /// A DSA key, for verification only.
    ///
    /// # Errors
    /// [`Error::MalformedKey`], [`Error::KeyTooSmall`], [`Error::KeyTooLarge`].
    pub fn from_dsa_components(components: &DsaComponents) -> Result<Self, Error> {
        let _ = components;
        todo!()
    }

    /// An Ed25519 key from its 32 octets.
    ///
    /// # Errors
    /// [`Error::MalformedKey`].
    pub fn from_ed25519(octets: &[u8]) -> Result<Self, Error> {
        let _ = octets;
        todo!()
    }

    /// An X25519 key from its 32 octets.
    ///
    /// # Errors
    /// [`Error::MalformedKey`].
    pub fn from_x25519(octets: &[u8]) -> Result<Self, Error> {
        let _ = octets;
        todo!()
    }

    /// Modulus and exponent of an RSA key.
    #[must_use]
    pub fn rsa_components(&self) -> Option<RsaComponents> {
        todo!()
    }

    /// Curve and uncompressed point of an EC key.
    #[must_use]
    pub fn ec_point(&self) -> Option<(Curve, &[u8])> {
        todo!()
    }

    /// The parts of a DSA key.
    #[must_use]
    pub fn dsa_components(&self) -> Option<DsaComponents> {
        todo!()
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
        f.write_str("PublicKey")
    }
}
