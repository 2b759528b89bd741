//! The floor of a message: its cryptography and nothing else.
//!
//! The same octets are digested, signed, verified, encrypted and decrypted with the same library and keys that were parsed
//! before: no XML, no base64, no look-up, no policy. What a message costs beyond its floor is what the engine adds. Keys
//! come as handles of `bartizan-crypto`, whose operations are one call of AWS-LC each (`bartizan-crypto-sys` where that
//! offers none, such as RSA with 1,024 bits); for key agreement AWS-LC is called directly. Not here: clocks. Called by the
//! benches and by whoever reports a ratio to the floor.

use aws_lc_rs::agreement::{EphemeralPrivateKey, UnparsedPublicKey, agree_ephemeral};
use bartizan_crypto::digest::digest;
use bartizan_crypto::random::{Random as _, SystemRandom};
use bartizan_crypto::suite::{Delivery, Suite};
use bartizan_crypto::{
    CipherAlg, Digest, DigestAlg, OaepParams, PrivateKey, PublicKey, SignatureAlg, SymmetricKey, WrapAlg,
    derive,
};

use crate::Error;

#[cfg(test)]
mod tests;

/// What ConcatKDF is given beside the shared secret: what our own messages say.
const OTHER_INFO: &[u8] = &[0];

/// The algorithms of a message.
#[derive(Clone, Copy, Debug)]
pub struct Floor {
    /// Digest of the covered parts.
    pub digest: DigestAlg,
    /// Signature.
    pub signature: SignatureAlg,
    /// Content encryption.
    pub cipher: CipherAlg,
    /// How the content key travels.
    pub delivery: Delivery,
    /// Key wrap under an agreed key.
    pub wrap: WrapAlg,
}

/// What is signed of one message: octets of the lengths that the real message has.
#[derive(Clone, Debug)]
pub struct Covered {
    /// The canonical octets of every covered part.
    pub parts: Vec<Vec<u8>>,
    /// The canonical SignedInfo.
    pub signed_info: Vec<u8>,
}

/// A signature and the digests that it vouches for.
#[derive(Clone, Debug)]
pub struct Signed {
    covered: Covered,
    digests: Vec<Digest>,
    value: Vec<u8>,
}

/// Ciphertext with what is needed to open it.
#[derive(Clone, Debug)]
pub struct Sealed {
    key: Vec<u8>,
    originator: Option<Vec<u8>>,
    content: Vec<u8>,
}

impl Sealed {
    /// Octets of the sealed content: initialization vector, ciphertext, tag or padding.
    #[must_use]
    pub fn content_len(&self) -> usize {
        self.content.len()
    }
}

impl Floor {
    /// The algorithms of a suite, with the signature that the reader of the suite chooses.
    #[must_use]
    pub const fn of_suite(suite: &Suite, signature: SignatureAlg) -> Floor {
        Floor {
            digest: suite.digest,
            signature,
            cipher: suite.cipher,
            delivery: suite.delivery,
            wrap: suite.wrap,
        }
    }

    /// Digests every part and signs SignedInfo.
    ///
    /// # Errors
    /// [`Error::Crypto`] if the key does not suit the algorithms.
    pub fn sign(&self, key: &PrivateKey, covered: &Covered) -> Result<Vec<u8>, Error> {
        for part in &covered.parts {
            std::hint::black_box(digest(self.digest, part));
        }
        Ok(key.sign(self.signature, &covered.signed_info)?)
    }

    /// As [`Floor::sign`], keeping what [`Floor::verify`] needs.
    ///
    /// # Errors
    /// As there.
    pub fn signed(&self, key: &PrivateKey, covered: Covered) -> Result<Signed, Error> {
        let value = self.sign(key, &covered)?;
        let digests = covered.parts.iter().map(|part| digest(self.digest, part)).collect();
        Ok(Signed { covered, digests, value })
    }

    /// Verifies the signature value, then digests every part and compares.
    ///
    /// # Errors
    /// [`Error::Crypto`] if the value or a digest is not right.
    pub fn verify(&self, key: &PublicKey, signed: &Signed) -> Result<(), Error> {
        key.verify(self.signature, &signed.covered.signed_info, &signed.value)?;
        for (part, expected) in signed.covered.parts.iter().zip(&signed.digests) {
            if !digest(self.digest, part).matches(expected.as_ref()) {
                return Err(Error::Crypto(bartizan_crypto::Error::Failed));
            }
        }
        Ok(())
    }

    /// Encrypts under a fresh content key, and that under the recipient's key.
    ///
    /// # Errors
    /// [`Error::Crypto`] if the key does not suit the algorithms.
    pub fn encrypt(&self, recipient: &PublicKey, plaintext: &[u8]) -> Result<Sealed, Error> {
        let mut octets = vec![0; self.cipher.key_len()];
        SystemRandom.fill(&mut octets);
        let (key, originator) = match self.delivery {
            Delivery::Transport { transport, digest, mgf } => {
                (recipient.encrypt_key(transport, &OaepParams::new(digest, mgf), &octets)?, None)
            }
            Delivery::Agreement { digest, .. } => {
                let (kek, originator) = self.agree_fresh(recipient, digest)?;
                let content = SymmetricKey::new(octets.clone());
                (kek.wrap(self.wrap, &content, &SystemRandom)?, Some(originator))
            }
        };
        let content = SymmetricKey::new(octets).seal(self.cipher, plaintext, &SystemRandom)?;
        Ok(Sealed { key, originator, content })
    }

    /// Recovers the content key and decrypts.
    ///
    /// # Errors
    /// [`Error::Crypto`] for another key or changed octets.
    pub fn decrypt(&self, recipient: &PrivateKey, sealed: &Sealed) -> Result<Vec<u8>, Error> {
        let key = match (self.delivery, &sealed.originator) {
            (Delivery::Transport { transport, digest, mgf }, _) => {
                let params = OaepParams::new(digest, mgf);
                let key = recipient.decrypt_key(transport, &params, &sealed.key, self.cipher.key_len())?;
                key.expose(|octets| SymmetricKey::new(octets.clone()))
            }
            (Delivery::Agreement { digest, .. }, Some(originator)) => {
                let peer = PublicKey::from_ec_point(bartizan_crypto::Curve::P256, originator)?;
                let kek = self.derive(&recipient.agree(&peer)?.expose(Clone::clone), digest)?;
                kek.unwrap(self.wrap, &sealed.key)?
            }
            (Delivery::Agreement { .. }, None) => return Err(bartizan_crypto::Error::Failed.into()),
        };
        Ok(key.open(self.cipher, &sealed.content)?)
    }

    /// A fresh key of the recipient's curve, and the key that both then share.
    fn agree_fresh(
        &self,
        recipient: &PublicKey,
        digest: DigestAlg,
    ) -> Result<(SymmetricKey, Vec<u8>), Error> {
        let failed = || Error::Crypto(bartizan_crypto::Error::Failed);
        let (_, point) = recipient.ec_point().ok_or_else(failed)?;
        let curve = &aws_lc_rs::agreement::ECDH_P256;
        let own = EphemeralPrivateKey::generate(curve, &aws_lc_rs::rand::SystemRandom::new())
            .map_err(|_| failed())?;
        let originator = own.compute_public_key().map_err(|_| failed())?.as_ref().to_vec();
        let peer = UnparsedPublicKey::new(curve, point);
        let kek = agree_ephemeral(own, peer, failed(), |secret| self.derive(secret, digest))?;
        Ok((kek, originator))
    }

    fn derive(&self, secret: &[u8], digest: DigestAlg) -> Result<SymmetricKey, Error> {
        let octets = derive::concat_kdf(digest, secret, OTHER_INFO, self.wrap.key_len())?;
        Ok(octets.expose(|octets| SymmetricKey::new(octets.clone())))
    }
}
