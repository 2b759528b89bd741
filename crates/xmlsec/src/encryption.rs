//! `xenc:EncryptedData` and `xenc:EncryptedKey`: the models that reading makes.
//!
//! Opening follows one rule: whatever goes wrong after a key was chosen is
//! [`ErrorKind::DecryptionFailed`](crate::ErrorKind::DecryptionFailed), and a key that could
//! not be unwrapped is replaced by a stand-in so that the ciphertext is processed all the same.

mod open;
mod read;
mod seal;

use bartizan_crypto::alg::{CipherAlg, TransportAlg, WrapAlg};
use bartizan_crypto::random::Random;
use bartizan_crypto::{OaepParams, PrivateKey, PublicKey, SymmetricKey};
use bartizan_xml::NodeId;

use crate::key_info::KeyInfo;

pub use seal::{
    DataSpec, EncryptKey, KeySpec, sealed_len, write_encrypted_data, write_encrypted_key,
    write_encrypted_secret, write_reference_list,
};

/// An `xenc:EncryptedData` as read, its algorithm permitted, nothing decrypted yet.
#[derive(Debug)]
pub struct EncryptedData {
    /// The element.
    pub element: NodeId,
    /// Its `Id`.
    pub id: Option<Box<str>>,
    /// What the plaintext is.
    pub kind: DataKind,
    /// Its `MimeType`.
    pub mime_type: Option<Box<str>>,
    /// Its `Encoding`.
    pub encoding: Option<Box<str>>,
    /// The content cipher.
    pub method: CipherAlg,
    /// `ds:KeyInfo`, read.
    pub key_info: Option<KeyInfo>,
    /// Initialization vector, ciphertext and (GCM) tag.
    pub cipher: Vec<u8>,
}

/// The `Type` of an EncryptedData.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DataKind {
    /// No Type: octets.
    Octets,
    /// `…#Element`: one element stood here.
    Element,
    /// `…#Content`: content of the parent stood here.
    Content,
    /// Another Type, as written.
    Other(Box<str>),
}

/// An `xenc:EncryptedKey` as read, its algorithms permitted, nothing unwrapped yet.
#[derive(Debug)]
pub struct EncryptedKey {
    /// The element.
    pub element: NodeId,
    /// Its `Id`; some peers write none.
    pub id: Option<Box<str>>,
    /// How the key is protected.
    pub method: KeyMethod,
    /// Whose key opens it.
    pub key_info: Option<KeyInfo>,
    /// The protected key's octets. Their SHA-1 is the EncryptedKeySHA1 identifier (WSS 1.1 §7.7).
    pub cipher: Vec<u8>,
    /// What was encrypted under it.
    pub references: Option<ReferenceList>,
    /// `CarriedKeyName`.
    pub carried_name: Option<Box<str>>,
    /// `Recipient`, a hint.
    pub recipient: Option<Box<str>>,
}

/// How an EncryptedKey protects its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyMethod {
    /// Under an RSA key. The parameters mean nothing for RSA 1.5.
    Transport(TransportAlg, OaepParams),
    /// Under a symmetric key, shared or agreed.
    Wrap(WrapAlg),
    /// Encrypted like data under a shared key (XMLEnc 1.1 §5.2 allows it). Never permitted in messages.
    Block(CipherAlg),
}

/// An `xenc:ReferenceList`: Ids of what was encrypted, in order, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReferenceList {
    /// Ids of DataReferences.
    pub data: Vec<Box<str>>,
    /// Ids of KeyReferences.
    pub keys: Vec<Box<str>>,
}

/// The key that opens an EncryptedKey.
#[derive(Clone, Copy, Debug)]
pub enum DecryptKey<'k> {
    /// An RSA key for transport, or an EC or X25519 key for an agreement whose originator key
    /// stands in the message.
    Private(&'k PrivateKey),
    /// The key encryption key of a wrap.
    Secret(&'k SymmetricKey),
    /// Both keys of an agreement whose originator key is known from elsewhere.
    Agreed {
        /// The recipient's static key.
        own: &'k PrivateKey,
        /// The originator's key.
        originator: &'k PublicKey,
    },
}

/// A content key bound to its cipher: it opens nothing that is labelled otherwise (ENC-07).
pub struct ContentKey {
    key: SymmetricKey,
    cipher: CipherAlg,
    /// Not so after a failed unwrap: then the key is a stand-in and opening always fails.
    sound: bool,
}

impl ContentKey {
    /// Binds a key to a cipher.
    ///
    /// # Errors
    /// [`DecryptionFailed`](crate::ErrorKind::DecryptionFailed) if the length is not the cipher's.
    pub fn new(key: SymmetricKey, cipher: CipherAlg) -> Result<Self, crate::Error> {
        if key.len() != cipher.key_len() {
            return Err(crate::Error::decryption());
        }
        Ok(ContentKey { key, cipher, sound: true })
    }

    /// A fresh key for one message.
    pub fn generate(cipher: CipherAlg, random: &dyn Random) -> Self {
        ContentKey { key: SymmetricKey::generate(cipher.key_len(), random), cipher, sound: true }
    }

    /// The cipher it is for.
    pub fn cipher(&self) -> CipherAlg {
        self.cipher
    }

    /// The key itself, for wrapping.
    pub(crate) fn key(&self) -> &SymmetricKey {
        &self.key
    }
}

/// A secret that both sides of an exchange have: it signs, encrypts, or has keys derived from it.
pub struct SharedSecret {
    key: SymmetricKey,
    /// Not so after a failed unwrap: then the key is a stand-in that everybody can compute, and nothing verifies or opens with it.
    sound: bool,
}

impl SharedSecret {
    /// A secret that was made or is known.
    pub fn new(key: SymmetricKey) -> Self {
        SharedSecret { key, sound: true }
    }

    /// The octets, for signing and wrapping.
    ///
    /// Before a signature is verified with them, see [`is_sound`](Self::is_sound).
    pub fn key(&self) -> &SymmetricKey {
        &self.key
    }

    /// Whether a signature that verifies with it says anything. Ask after the verification, so that both cases cost the same.
    pub fn is_sound(&self) -> bool {
        self.sound
    }

    /// `len` octets of P_SHA-1(secret, seed) from `offset` on (WS-SecureConversation 1.3 §8.1).
    ///
    /// # Errors
    /// [`Crypto`](crate::ErrorKind::Crypto) beyond [`MAX_OUTPUT`](bartizan_crypto::derive::MAX_OUTPUT).
    pub fn derived(&self, seed: &[u8], offset: usize, len: usize) -> Result<Self, crate::Error> {
        let derived = self.key.expose(|secret| bartizan_crypto::derive::p_sha1(secret, seed, offset, len));
        let derived = derived.map_err(|e| crate::Error::new(crate::ErrorKind::Crypto(e)))?;
        let key = derived.expose(|octets| SymmetricKey::new(octets.clone()));
        Ok(SharedSecret { key, sound: self.sound })
    }

    /// The key of a cipher.
    ///
    /// # Errors
    /// [`DecryptionFailed`](crate::ErrorKind::DecryptionFailed) if the length is not the cipher's.
    pub fn content_key(&self, cipher: CipherAlg) -> Result<ContentKey, crate::Error> {
        let key = ContentKey::new(self.key.duplicate(), cipher)?;
        Ok(ContentKey { sound: self.sound, ..key })
    }
}

impl std::fmt::Debug for SharedSecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SharedSecret({} octets)", self.key.len())
    }
}

impl std::fmt::Debug for ContentKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ContentKey({})", self.cipher)
    }
}
