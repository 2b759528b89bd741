//! The secret of an exchange under the symmetric binding: what the request's EncryptedKey carried or its UsernameToken was the recipe for, and the
//! reply is made with.
//!
//! It stays with the two sides: in what the initiator keeps of its request, and in what the recipient knows of it. Nobody else's message is
//! verified with it, so that a reference by EncryptedKeySHA1 (SMS 1.1 §7.7) in a reply means the key of the very request or nothing. Where that is
//! configured, further requests are made with it (`kept` at the recipient, `reuse` at the initiator). Not here: keys that are derived from it, where
//! it comes from (`inbound::derived`, `outbound::secret`).

use bartizan_crypto::alg::{CipherAlg, DigestAlg};
use bartizan_crypto::digest::digest;
use bartizan_crypto::{SymmetricKey, equal};
use bartizan_xmlsec::{ContentKey, SharedSecret};

/// The secret and the name by which messages refer to it.
pub(crate) struct ExchangeSecret {
    secret: SharedSecret,
    name: SecretName,
}

/// How the other message of the exchange calls it.
enum SecretName {
    /// SHA-1 of the encrypted octets.
    Sha1(Vec<u8>),
    /// The Id of the UsernameToken that it was derived by.
    UserToken(Box<str>),
}

impl ExchangeSecret {
    /// The secret that stands encrypted as `cipher`.
    pub(crate) fn new(secret: SharedSecret, cipher: &[u8]) -> ExchangeSecret {
        ExchangeSecret::named(secret, ExchangeSecret::sha1_of(cipher))
    }

    /// The secret of that EncryptedKeySHA1.
    pub(crate) fn named(secret: SharedSecret, sha1: Vec<u8>) -> ExchangeSecret {
        ExchangeSecret { secret, name: SecretName::Sha1(sha1) }
    }

    /// What a secret is named that stands encrypted as `cipher`.
    pub(crate) fn sha1_of(cipher: &[u8]) -> Vec<u8> {
        digest(DigestAlg::Sha1, cipher).as_ref().to_vec()
    }

    /// The key that was derived from a password by the UsernameToken of that Id.
    pub(crate) fn of_user(key: SymmetricKey, token: &str) -> ExchangeSecret {
        ExchangeSecret { secret: SharedSecret::new(key), name: SecretName::UserToken(token.into()) }
    }

    pub(crate) fn secret(&self) -> &SharedSecret {
        &self.secret
    }

    /// EncryptedKeySHA1, if an EncryptedKey carried it.
    pub(crate) fn sha1(&self) -> Option<&[u8]> {
        match &self.name {
            SecretName::Sha1(octets) => Some(octets),
            SecretName::UserToken(_) => None,
        }
    }

    /// The Id of the UsernameToken, if it was derived from a password.
    pub(crate) fn user_token(&self) -> Option<&str> {
        match &self.name {
            SecretName::Sha1(_) => None,
            SecretName::UserToken(id) => Some(id),
        }
    }

    /// The secret as the key of a cipher: as it is or, where it was derived from a password and is longer, its first octets (UsernameToken
    /// Profile 1.1 §4).
    pub(crate) fn content_key(&self, cipher: CipherAlg) -> Result<ContentKey, bartizan_xmlsec::Error> {
        match self.name {
            SecretName::Sha1(_) => self.secret.content_key(cipher),
            SecretName::UserToken(_) => {
                let cut = self.secret.key().expose(|o| o.get(..cipher.key_len()).map(<[u8]>::to_vec));
                ContentKey::new(SymmetricKey::new(cut.unwrap_or_default()), cipher)
            }
        }
    }

    /// What the secret is told apart by in our own memory: SHA-256. It is shown to nobody, since that of a key from a password could be guessed.
    pub(crate) fn fingerprint(&self) -> [u8; 32] {
        let mut out = [0; 32];
        let hash = self.secret.key().expose(|octets| digest(DigestAlg::Sha256, octets));
        out.iter_mut().zip(hash.as_ref()).for_each(|(to, from)| *to = *from);
        out
    }
}

impl PartialEq for ExchangeSecret {
    fn eq(&self, other: &ExchangeSecret) -> bool {
        equal::constant_time(&self.fingerprint(), &other.fingerprint())
    }
}

impl Eq for ExchangeSecret {}

impl std::fmt::Debug for ExchangeSecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ExchangeSecret")
    }
}
