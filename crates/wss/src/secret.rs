//! The secret of an exchange under the symmetric binding: what the request's EncryptedKey carried, and the reply is made with.
//!
//! It stays with the two sides: in what the initiator keeps of its request, and in what the recipient knows of it. Nobody else's message is
//! verified with it, so that a reference by EncryptedKeySHA1 (SMS 1.1 §7.7) means the key of the very request or nothing. Not here: keys that
//! are derived from it, where it comes from (`inbound::derived`, `outbound::secret`).

use bartizan_crypto::alg::DigestAlg;
use bartizan_crypto::digest::digest;
use bartizan_crypto::equal;
use bartizan_xmlsec::SharedSecret;

/// The secret and the name by which messages refer to it.
pub(crate) struct ExchangeSecret {
    secret: SharedSecret,
    /// SHA-1 of the encrypted octets.
    sha1: Vec<u8>,
}

impl ExchangeSecret {
    /// The secret that stands encrypted as `cipher`.
    pub(crate) fn new(secret: SharedSecret, cipher: &[u8]) -> ExchangeSecret {
        ExchangeSecret { secret, sha1: digest(DigestAlg::Sha1, cipher).as_ref().to_vec() }
    }

    pub(crate) fn secret(&self) -> &SharedSecret {
        &self.secret
    }

    /// EncryptedKeySHA1.
    pub(crate) fn sha1(&self) -> &[u8] {
        &self.sha1
    }

    /// What the secret is known by outside: SHA-256, which tells nothing of 128 random bits.
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
