//! A key finder over a plain list of named keys, all of them trusted. It looks at no certificate.

use bartizan_crypto::alg::SignatureAlg;
use bartizan_crypto::{KeyKind, PrivateKey, PublicKey, SymmetricKey};

use crate::engine::{FoundKey, KeyFinder, KeyHint, PrivatePurpose, SecretPurpose};
use crate::error::{Error, ErrorKind};

/// Keys by name. A key without a name answers every hint; a key with a name answers the hint
/// that names it, and the hint that names nothing if no other key of its kind is there. A private
/// key that is the only one of its kind answers every hint.
#[derive(Debug, Default)]
pub struct KeyRing {
    public: Vec<(Option<Box<str>>, PublicKey)>,
    private: Vec<(Option<Box<str>>, PrivateKey)>,
    secrets: Vec<(Option<Box<str>>, SymmetricKey)>,
    key_values: bool,
}

impl KeyRing {
    /// An empty ring: it finds nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a public key to verify with.
    pub fn add_public(&mut self, name: Option<&str>, key: PublicKey) {
        self.public.push((name.map(Box::from), key));
    }

    /// Adds a private key to decrypt with; its public half verifies, too.
    pub fn add_private(&mut self, name: Option<&str>, key: PrivateKey) {
        self.public.push((name.map(Box::from), key.public().clone()));
        self.private.push((name.map(Box::from), key));
    }

    /// Adds a shared secret.
    pub fn add_secret(&mut self, name: Option<&str>, key: SymmetricKey) {
        self.secrets.push((name.map(Box::from), key));
    }

    /// Verifies with bare keys of the message. Whoever calls this gives up authentication: it
    /// proves integrity against accidents only.
    pub fn trust_key_values(&mut self) {
        self.key_values = true;
    }
}

/// Those keys of the list that fit, chosen by the hint's names.
fn choose<'r, K>(
    list: &'r [(Option<Box<str>>, K)],
    hint: &KeyHint<'_>,
    fits: impl Fn(&K) -> bool,
) -> Result<&'r K, Error> {
    let named = |name: &Option<Box<str>>| hint.names().any(|wanted| name.as_deref() == Some(wanted));
    let fitting = || list.iter().filter(|(_, key)| fits(key));
    if let Some((_, key)) = fitting().find(|(name, _)| named(name)) {
        return Ok(key);
    }
    let nameless = hint.names().next().is_none();
    let mut candidates = fitting().filter(|(name, _)| nameless || name.is_none());
    match (candidates.next(), candidates.next()) {
        (Some((_, key)), None) => Ok(key),
        (Some(_), Some(_)) => Err(Error::new(ErrorKind::KeyAmbiguous)),
        (None, _) => Err(Error::new(ErrorKind::KeyNotFound)),
    }
}

/// Whether a method can use a public key of this kind.
fn suits(method: SignatureAlg, kind: KeyKind) -> bool {
    use bartizan_crypto::alg::SignatureFamily as F;
    matches!(
        (method.family(), kind),
        (F::RsaPkcs1 | F::RsaPss, KeyKind::Rsa)
            | (F::Ecdsa, KeyKind::Ec(_))
            | (F::Dsa, KeyKind::Dsa)
            | (F::Ed25519, KeyKind::Ed25519)
    )
}

impl KeyFinder for KeyRing {
    fn verify_key(&self, hint: &KeyHint<'_>, method: SignatureAlg) -> Result<FoundKey, Error> {
        if method.is_mac() {
            let key = choose(&self.secrets, hint, |_| true)?;
            return Ok(FoundKey::Secret(key.duplicate()));
        }
        match choose(&self.public, hint, |key| suits(method, key.kind())) {
            Ok(key) => Ok(FoundKey::Public(key.clone())),
            Err(error) if self.key_values => match hint.values().next() {
                Some(value) => value.to_public_key_legacy().map(FoundKey::Public),
                None => Err(error),
            },
            Err(error) => Err(error),
        }
    }

    fn private_key(&self, hint: &KeyHint<'_>, purpose: PrivatePurpose) -> Result<PrivateKey, Error> {
        let fits = |key: &PrivateKey| match purpose {
            PrivatePurpose::Transport => key.kind() == KeyKind::Rsa,
            PrivatePurpose::Agreement => matches!(key.kind(), KeyKind::Ec(_) | KeyKind::X25519),
        };
        match choose(&self.private, hint, fits) {
            // The sender's name for our key need not be ours, and opening gives nothing away: with
            // only one key there is only one to try.
            Err(_) => {
                let mut fitting = self.private.iter().map(|(_, key)| key).filter(|key| fits(key));
                match (fitting.next(), fitting.next()) {
                    (Some(key), None) => Ok(key.clone()),
                    (Some(_), Some(_)) => Err(Error::new(ErrorKind::KeyAmbiguous)),
                    (None, _) => Err(Error::new(ErrorKind::KeyNotFound)),
                }
            }
            Ok(key) => Ok(key.clone()),
        }
    }

    fn public_key(&self, hint: &KeyHint<'_>) -> Result<PublicKey, Error> {
        choose(&self.public, hint, |_| true).cloned()
    }

    fn secret(&self, hint: &KeyHint<'_>, purpose: SecretPurpose) -> Result<SymmetricKey, Error> {
        choose(&self.secrets, hint, |key| match purpose {
            SecretPurpose::Content(cipher) => key.len() == cipher.key_len(),
            SecretPurpose::Wrap(wrap) => key.len() == wrap.key_len(),
            SecretPurpose::Derivation => true,
        })
        .map(SymmetricKey::duplicate)
    }
}
