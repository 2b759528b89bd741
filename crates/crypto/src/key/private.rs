//! Private keys: signing, key transport, agreement, generation and storage forms.

use core::fmt;
use std::sync::Arc;

use super::{Curve, KeyKind, PublicKey};
use crate::alg::{SignatureAlg, TransportAlg};
use crate::{Digest, Error, OaepParams, Secret};

/// A private key with its public half. Cheap to clone; nothing secret is ever printed.
#[derive(Clone)]
pub struct PrivateKey(Arc<()>);

impl PrivateKey {
    /// Reads an unencrypted DER PKCS#8 PrivateKeyInfo: RSA (1,024 to 8,192 bits), EC on a named curve,
    /// Ed25519 or X25519.
    ///
    /// # Errors
    /// [`Error::MalformedKey`], [`Error::KeyTooSmall`], [`Error::KeyTooLarge`].
    pub fn from_pkcs8(der: &[u8]) -> Result<Self, Error> {
        let _ = der;
        todo!()
    }

    /// Reads a DER PKCS#1 RSAPrivateKey.
    ///
    /// # Errors
    /// As [`from_pkcs8`](Self::from_pkcs8).
    pub fn from_pkcs1(der: &[u8]) -> Result<Self, Error> {
        let _ = der;
        todo!()
    }

    /// Reads a DER SEC1 ECPrivateKey that names its curve.
    ///
    /// # Errors
    /// As [`from_pkcs8`](Self::from_pkcs8).
    pub fn from_sec1(der: &[u8]) -> Result<Self, Error> {
        let _ = der;
        todo!()
    }

    /// Reads any of the three forms.
    ///
    /// # Errors
    /// As [`from_pkcs8`](Self::from_pkcs8).
    pub fn from_der(der: &[u8]) -> Result<Self, Error> {
        let _ = der;
        todo!()
    }

    /// A fresh RSA key; `bits` is a multiple of 8 from 1,024 to 8,192.
    ///
    /// # Errors
    /// [`Error::KeyTooSmall`], [`Error::KeyTooLarge`], [`Error::Failed`].
    pub fn generate_rsa(bits: u32) -> Result<Self, Error> {
        let _ = bits;
        todo!()
    }

    /// A fresh EC key.
    ///
    /// # Errors
    /// [`Error::Failed`].
    pub fn generate_ec(curve: Curve) -> Result<Self, Error> {
        let _ = curve;
        todo!()
    }

    /// A fresh Ed25519 key.
    ///
    /// # Errors
    /// [`Error::Failed`].
    pub fn generate_ed25519() -> Result<Self, Error> {
        todo!()
    }

    /// A fresh X25519 key.
    ///
    /// # Errors
    /// [`Error::Failed`].
    pub fn generate_x25519() -> Result<Self, Error> {
        todo!()
    }

    /// What kind of key it is.
    #[must_use]
    pub fn kind(&self) -> KeyKind {
        self.public().kind()
    }

    /// Bits, as [`PublicKey::bits`].
    #[must_use]
    pub fn bits(&self) -> u32 {
        self.public().bits()
    }

    /// The public half.
    #[must_use]
    pub fn public(&self) -> &PublicKey {
        todo!()
    }

    /// Signs a message. ECDSA gives r ‖ s, each as long as the curve's order: the octets of
    /// `ds:SignatureValue`.
    ///
    /// # Errors
    /// [`Error::WrongKey`] if the method needs another kind of key, [`Error::Unsupported`] for HMAC and
    /// DSA, [`Error::KeyTooSmall`] if the modulus cannot hold the encoded digest.
    pub fn sign(&self, alg: SignatureAlg, message: &[u8]) -> Result<Vec<u8>, Error> {
        let _ = (alg, message);
        todo!()
    }

    /// Signs a message of which only the digest is at hand.
    ///
    /// # Errors
    /// As [`sign`](Self::sign); [`Error::Unsupported`] for Ed25519 too.
    pub fn sign_digest(&self, alg: SignatureAlg, digest: &Digest) -> Result<Vec<u8>, Error> {
        let _ = (alg, digest);
        todo!()
    }

    /// Decrypts a transported key of `expected_len` octets.
    ///
    /// RSA 1.5 never tells bad padding or a wrong length: it then gives a pseudo-random key that
    /// depends on this key and the ciphertext, in the same time (implicit rejection).
    ///
    /// # Errors
    /// [`Error::WrongKey`] unless the key is RSA; [`Error::Failed`] for anything wrong under OAEP.
    pub fn decrypt_key(
        &self,
        alg: TransportAlg,
        params: &OaepParams,
        ciphertext: &[u8],
        expected_len: usize,
    ) -> Result<Secret, Error> {
        let _ = (alg, params, ciphertext, expected_len);
        todo!()
    }

    /// The shared secret with a peer: the x coordinate for EC, the u coordinate for X25519.
    ///
    /// # Errors
    /// [`Error::WrongKey`] unless both keys are of the same curve, [`Error::Failed`] if the result is
    /// the point at infinity or zero.
    pub fn agree(&self, peer: &PublicKey) -> Result<Secret, Error> {
        let _ = peer;
        todo!()
    }

    /// The unencrypted DER PKCS#8 form.
    ///
    /// # Errors
    /// [`Error::Failed`] if the library cannot write it.
    pub fn to_pkcs8(&self) -> Result<Secret, Error> {
        todo!()
    }
}

impl fmt::Debug for PrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PrivateKey")
    }
}
