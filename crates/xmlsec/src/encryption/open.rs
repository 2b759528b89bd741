//! Unwrapping keys and opening ciphertext, with one failure.

use bartizan_crypto::alg::{CipherAlg, DigestAlg};
use bartizan_crypto::digest::digest;
use bartizan_crypto::{PublicKey, SymmetricKey};

use crate::encryption::{ContentKey, DecryptKey, EncryptedData, EncryptedKey, KeyMethod, SharedSecret};
use crate::error::{Error, ErrorKind};

impl EncryptedKey {
    /// Unwraps the content key for data under `cipher`. One unwrapped key serves every
    /// DataReference; keep it.
    ///
    /// Costs one private-key operation for transports and agreements; charge it to the
    /// budget before the call. A failed unwrap is no error here: it gives a stand-in whose use
    /// fails like bad ciphertext does, so that neither answer nor time tells which it was.
    ///
    /// # Errors
    /// [`ErrorKind::KeyNotFound`] if the key given is of another kind than the method needs,
    /// which depends on public facts only; [`ErrorKind::BadKeyValue`] and
    /// [`ErrorKind::DerivationParameters`] for agreements.
    pub fn unwrap(&self, key: &DecryptKey<'_>, cipher: CipherAlg) -> Result<ContentKey, Error> {
        let len = cipher.key_len();
        let unwrapped = self.unwrap_octets(key, len)?;
        let (key, sound) = match unwrapped {
            Some(key) if key.len() == len => (key, true),
            _ => (self.stand_in(len), false),
        };
        Ok(ContentKey { key, cipher, sound })
    }

    /// As [`unwrap`](Self::unwrap), but a key that is longer than `cipher` wants is cut to size
    /// (see [`Permit::exact_content_keys`](crate::Permit)).
    ///
    /// # Errors
    /// As there.
    pub fn unwrap_cut(&self, key: &DecryptKey<'_>, cipher: CipherAlg) -> Result<ContentKey, Error> {
        let len = cipher.key_len();
        let cut = self.unwrap_octets(key, len)?.and_then(|key| {
            let octets = key.expose(|octets| octets.get(..len).map(<[u8]>::to_vec));
            octets.map(SymmetricKey::new)
        });
        Ok(match cut {
            Some(key) => ContentKey { key, cipher, sound: true },
            None => ContentKey { key: self.stand_in(len), cipher, sound: false },
        })
    }

    /// Unwraps the key as a shared secret of `len` octets, for uses other than a cipher
    /// (signing with the same EncryptedKey, deriving keys from it).
    ///
    /// # Errors
    /// As [`unwrap`](Self::unwrap), and [`ErrorKind::DecryptionFailed`].
    pub fn unwrap_secret(&self, key: &DecryptKey<'_>, len: usize) -> Result<SymmetricKey, Error> {
        match self.unwrap_octets(key, len)? {
            Some(key) if key.len() == len => Ok(key),
            _ => Err(Error::decryption()),
        }
    }

    /// Unwraps the key as a secret of `len` octets that signs, encrypts, or has keys derived from it. A failed unwrap is no error here, as in
    /// [`unwrap`](Self::unwrap): nothing verifies and nothing opens under what it gives.
    ///
    /// # Errors
    /// As [`unwrap`](Self::unwrap).
    pub fn unwrap_shared(&self, key: &DecryptKey<'_>, len: usize) -> Result<SharedSecret, Error> {
        Ok(match self.unwrap_octets(key, len)? {
            Some(key) if key.len() == len => SharedSecret { key, sound: true },
            _ => SharedSecret { key: self.stand_in(len), sound: false },
        })
    }

    /// `None` is the one failure.
    fn unwrap_octets(&self, key: &DecryptKey<'_>, len: usize) -> Result<Option<SymmetricKey>, Error> {
        let wrong = || Error { node: Some(self.element), ..Error::new(ErrorKind::KeyNotFound) };
        match (&self.method, key) {
            (KeyMethod::Transport(transport, params), DecryptKey::Private(private)) => {
                match private.decrypt_key(*transport, params, &self.cipher, len) {
                    Ok(secret) => Ok(Some(secret.expose(|octets| SymmetricKey::new(octets.clone())))),
                    Err(bartizan_crypto::Error::WrongKey) => Err(wrong()),
                    Err(_) => Ok(None),
                }
            }
            (KeyMethod::Wrap(wrap), DecryptKey::Secret(secret)) => match secret.unwrap(*wrap, &self.cipher) {
                Ok(key) => Ok(Some(key)),
                Err(bartizan_crypto::Error::WrongKey) => Err(wrong()),
                Err(_) => Ok(None),
            },
            (KeyMethod::Block(cipher), DecryptKey::Secret(secret)) => {
                match secret.open(*cipher, &self.cipher) {
                    Ok(octets) => Ok(Some(SymmetricKey::new(octets))),
                    Err(bartizan_crypto::Error::WrongKey) => Err(wrong()),
                    Err(_) => Ok(None),
                }
            }
            (KeyMethod::Wrap(wrap), DecryptKey::Private(_) | DecryptKey::Agreed { .. }) => {
                let kek = self.agreed_key(key, wrap.key_len())?;
                Ok(kek.unwrap(*wrap, &self.cipher).ok())
            }
            _ => Err(wrong()),
        }
    }

    /// The key encryption key that the AgreementMethod of this key's KeyInfo describes.
    fn agreed_key(&self, key: &DecryptKey<'_>, len: usize) -> Result<SymmetricKey, Error> {
        let wrong = || Error { node: Some(self.element), ..Error::new(ErrorKind::KeyNotFound) };
        let method = self.key_info.as_ref().and_then(|info| info.agreement()).ok_or_else(wrong)?;
        let stated: PublicKey;
        let (own, originator) = match key {
            DecryptKey::Agreed { own, originator } => (own, *originator),
            DecryptKey::Private(own) => {
                stated = method.originator_key()?;
                (own, &stated)
            }
            DecryptKey::Secret(_) => return Err(wrong()),
        };
        method.agree(own, originator, len)
    }

    /// A key that depends on the ciphertext only. It need not be secret: what it opens is
    /// thrown away.
    fn stand_in(&self, len: usize) -> SymmetricKey {
        let octets = digest(DigestAlg::Sha512, &self.cipher);
        SymmetricKey::new(octets.as_ref().iter().copied().cycle().take(len).collect())
    }
}

impl EncryptedData {
    /// Opens the ciphertext.
    ///
    /// # Errors
    /// [`ErrorKind::AlgorithmMisplaced`] if the key is bound to another cipher;
    /// [`ErrorKind::DecryptionFailed`] for everything else.
    pub fn open(&self, key: &ContentKey) -> Result<Vec<u8>, Error> {
        if key.cipher != self.method {
            return Err(Error {
                node: Some(self.element),
                ..Error::new(ErrorKind::AlgorithmMisplaced(self.method.into()))
            });
        }
        match (key.key.open(self.method, &self.cipher), key.sound) {
            (Ok(plaintext), true) => Ok(plaintext),
            _ => Err(Error::decryption()),
        }
    }
}
