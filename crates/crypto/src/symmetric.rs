//! Shared keys: message authentication, content encryption, key wrap.

use core::fmt;

use aws_lc_rs::hmac;

use crate::alg::{CipherAlg, DigestAlg, SignatureAlg, WrapAlg};
use crate::random::Random;
use crate::{Error, Secret, cipher, wrap};

/// A shared secret key. Erased when dropped; no `Debug` of its octets; cloned only by
/// [`duplicate`](Self::duplicate).
pub struct SymmetricKey(Secret);

impl SymmetricKey {
    /// Takes octets as a key; the caller's copy is moved, not copied.
    #[must_use]
    pub fn new(octets: Vec<u8>) -> Self {
        Self(Secret::new(octets))
    }

    /// A fresh random key.
    #[must_use]
    pub fn generate(len: usize, random: &dyn Random) -> Self {
        let mut octets = vec![0; len];
        random.fill(&mut octets);
        Self::new(octets)
    }

    /// Octets of the key.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether the key has no octets.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Shows the octets to a closure, which should not copy them.
    pub fn expose<R>(&self, reader: impl FnOnce(&[u8]) -> R) -> R {
        self.0.expose(|octets| reader(octets))
    }

    /// A second copy of the key.
    #[must_use]
    pub fn duplicate(&self) -> Self {
        Self(self.0.duplicate())
    }

    /// The message authentication code, full length.
    ///
    /// # Errors
    /// [`Error::Unsupported`] unless the method is an HMAC, [`Error::KeyTooSmall`] for an empty key.
    pub fn mac(&self, alg: SignatureAlg, message: &[u8]) -> Result<Vec<u8>, Error> {
        Ok(hmac::sign(&self.hmac_key(alg)?, message).as_ref().to_vec())
    }

    /// Checks a full-length message authentication code in constant time.
    ///
    /// # Errors
    /// [`Error::Failed`] if it is another or shortened; otherwise as [`mac`](Self::mac).
    pub fn verify_mac(&self, alg: SignatureAlg, message: &[u8], mac: &[u8]) -> Result<(), Error> {
        Ok(hmac::verify(&self.hmac_key(alg)?, message, mac)?)
    }

    /// Encrypts: initialization vector, ciphertext and, for GCM, the 16-octet tag.
    ///
    /// # Errors
    /// [`Error::WrongKey`] if the key's length is not the algorithm's.
    pub fn seal(&self, alg: CipherAlg, plaintext: &[u8], random: &dyn Random) -> Result<Vec<u8>, Error> {
        cipher::seal(alg, self.0.as_slice(), plaintext, random)
    }

    /// Decrypts what [`seal`](Self::seal) or a peer made.
    ///
    /// # Errors
    /// [`Error::WrongKey`] if the key's length is not the algorithm's; [`Error::Failed`] for anything
    /// wrong with the octets.
    pub fn open(&self, alg: CipherAlg, sealed: &[u8]) -> Result<Vec<u8>, Error> {
        cipher::open(alg, self.0.as_slice(), sealed)
    }

    /// Wraps another key under this one.
    ///
    /// # Errors
    /// [`Error::WrongKey`] if either key's length does not suit the algorithm.
    pub fn wrap(&self, alg: WrapAlg, key: &SymmetricKey, random: &dyn Random) -> Result<Vec<u8>, Error> {
        wrap::wrap(alg, self.0.as_slice(), key.0.as_slice(), random)
    }

    /// Unwraps a key.
    ///
    /// # Errors
    /// [`Error::WrongKey`] if this key's length is not the algorithm's; [`Error::Failed`] for anything
    /// wrong with the octets.
    pub fn unwrap(&self, alg: WrapAlg, wrapped: &[u8]) -> Result<SymmetricKey, Error> {
        wrap::unwrap(alg, self.0.as_slice(), wrapped).map(Self::new)
    }

    fn hmac_key(&self, alg: SignatureAlg) -> Result<hmac::Key, Error> {
        let unsupported = Error::Unsupported(alg.into());
        let digest = alg.digest().filter(|_| alg.is_mac()).ok_or(unsupported)?;
        let algorithm = hmac_of(digest).ok_or(unsupported)?;
        // An empty key is no secret: it can only come from a mistake further up.
        if self.is_empty() {
            return Err(Error::KeyTooSmall);
        }
        Ok(hmac::Key::new(algorithm, self.0.as_slice()))
    }
}

impl From<Secret> for SymmetricKey {
    fn from(secret: Secret) -> Self {
        Self(secret)
    }
}

/// The library's HMAC over a digest; it has none over SHA-3.
pub(crate) fn hmac_of(digest: DigestAlg) -> Option<hmac::Algorithm> {
    match digest {
        DigestAlg::Sha1 => Some(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY),
        DigestAlg::Sha224 => Some(hmac::HMAC_SHA224),
        DigestAlg::Sha256 => Some(hmac::HMAC_SHA256),
        DigestAlg::Sha384 => Some(hmac::HMAC_SHA384),
        DigestAlg::Sha512 => Some(hmac::HMAC_SHA512),
        DigestAlg::Sha3_224 | DigestAlg::Sha3_256 | DigestAlg::Sha3_384 | DigestAlg::Sha3_512 => None,
    }
}

impl fmt::Debug for SymmetricKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SymmetricKey({} bits)", self.len() * 8)
    }
}

/// A message authentication code under way, for messages that come in pieces.
pub struct Mac(hmac::Context);

impl Mac {
    /// Starts a code under a key.
    ///
    /// # Errors
    /// As [`SymmetricKey::mac`].
    pub fn new(alg: SignatureAlg, key: &SymmetricKey) -> Result<Self, Error> {
        Ok(Self(hmac::Context::with_key(&key.hmac_key(alg)?)))
    }

    /// Adds octets.
    pub fn update(&mut self, octets: &[u8]) {
        self.0.update(octets);
    }

    /// Ends the code.
    #[must_use]
    pub fn finish(self) -> Vec<u8> {
        self.0.sign().as_ref().to_vec()
    }

    /// Ends the code and compares it in constant time; a shortened one is not equal.
    ///
    /// # Errors
    /// [`Error::Failed`] if it is another.
    pub fn verify(self, mac: &[u8]) -> Result<(), Error> {
        if crate::equal::constant_time(self.0.sign().as_ref(), mac) { Ok(()) } else { Err(Error::Failed) }
    }
}

impl fmt::Debug for Mac {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Mac")
    }
}

#[cfg(test)]
mod tests;
