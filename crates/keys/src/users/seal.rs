//! Passwords at rest: encrypted with AES-256-GCM under a key that lies in another file.
//!
//! It protects a copy of the users' file that travels alone (a backup, a repository). Who can read both files reads the
//! passwords; nothing that a server starts with unattended can change that.

use bartizan_crypto::random::Random;
use bartizan_crypto::{CipherAlg, Secret, SymmetricKey, base64};
use zeroize::Zeroizing;

use crate::error::Error;

/// Octets of the key.
const KEY: usize = 32;

/// The key that passwords are sealed with.
pub struct SealKey(SymmetricKey);

impl SealKey {
    /// Reads a key file: 32 octets, or their base64 text with white space around it.
    ///
    /// # Errors
    /// [`Error::Damaged`] if it is neither.
    pub fn read(octets: &[u8]) -> Result<SealKey, Error> {
        if octets.len() == KEY {
            return Ok(SealKey(SymmetricKey::new(octets.to_vec())));
        }
        match base64::decode_bytes(octets.trim_ascii()).map(Zeroizing::new) {
            Ok(key) if key.len() == KEY => Ok(SealKey(SymmetricKey::new(key.to_vec()))),
            _ => Err(Error::damaged("key file for sealed passwords (32 bytes, or their base64)")),
        }
    }

    /// The text that stands in the users' file: base64 of nonce, ciphertext and tag.
    ///
    /// # Errors
    /// [`Error::Key`] if the cipher fails.
    pub fn seal(&self, password: &[u8], random: &dyn Random) -> Result<String, Error> {
        Ok(base64::encode(&self.0.seal(CipherAlg::Aes256Gcm, password, random)?))
    }

    /// The password again.
    ///
    /// # Errors
    /// [`Error::Damaged`] if the text is no such base64; [`Error::WrongPassword`] if the key is another one or the text was
    /// changed.
    pub fn open(&self, text: &str) -> Result<Secret, Error> {
        let sealed = base64::decode(text).map_err(|_| Error::damaged("sealed password (not base64)"))?;
        self.0.open(CipherAlg::Aes256Gcm, &sealed).map(Secret::new).map_err(|_| Error::WrongPassword)
    }
}

/// Shows nothing.
impl std::fmt::Debug for SealKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SealKey")
    }
}

#[cfg(test)]
mod tests;
