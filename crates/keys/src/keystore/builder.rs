//! Collects what a snapshot is made of and builds the indexes, once.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use bartizan_crypto::{PrivateKey, PublicKey, SymmetricKey};

use super::cache::PathCache;
use super::index::Index;
use super::{Answering, Identity, Inner, Keystore};
use crate::cert::Certificate;
use crate::error::Error;
use crate::trust::TrustStore;

/// Smallest RSA key that is accepted unless something else is configured.
pub const DEFAULT_MIN_RSA: u32 = 2048;

/// Collects identities, certificates, secrets and trust for a [`Keystore`].
pub struct KeystoreBuilder {
    identities: Vec<(Option<Box<str>>, Identity)>,
    certificates: Vec<(Option<Box<str>>, Certificate)>,
    peer: Option<Certificate>,
    private_keys: Vec<(Option<Box<str>>, PrivateKey)>,
    public_keys: Vec<(Option<Box<str>>, PublicKey)>,
    secrets: Vec<(Box<str>, SymmetricKey)>,
    trust: TrustStore,
    min_rsa: u32,
}

impl Default for KeystoreBuilder {
    fn default() -> KeystoreBuilder {
        KeystoreBuilder {
            identities: Vec::new(),
            certificates: Vec::new(),
            peer: None,
            private_keys: Vec::new(),
            public_keys: Vec::new(),
            secrets: Vec::new(),
            trust: TrustStore::empty(),
            min_rsa: DEFAULT_MIN_RSA,
        }
    }
}

impl KeystoreBuilder {
    /// Adds an identity of ours; the first one is the default.
    #[must_use]
    pub fn identity(mut self, identity: Identity) -> KeystoreBuilder {
        self.identities.push((None, identity));
        self
    }

    /// Adds an identity of ours that a `ds:KeyName` can name.
    #[must_use]
    pub fn named_identity(mut self, name: &str, identity: Identity) -> KeystoreBuilder {
        self.identities.push((Some(name.into()), identity));
        self
    }

    /// Sets the other side's certificate: what is encrypted to by default, whose signature a reply must have, and looked up like all
    /// others. Where it is a certificate of our own key, both sides have that key: only then is a message that it signed one of
    /// the other side's.
    #[must_use]
    pub fn peer(mut self, certificate: Certificate) -> KeystoreBuilder {
        self.certificates.push((None, certificate.clone()));
        self.peer = Some(certificate);
        self
    }

    /// Adds a certificate that references in messages may mean. That does not make it trusted.
    #[must_use]
    pub fn certificate(mut self, certificate: Certificate) -> KeystoreBuilder {
        self.certificates.push((None, certificate));
        self
    }

    /// Adds a certificate that a `ds:KeyName` can name.
    #[must_use]
    pub fn named_certificate(mut self, name: &str, certificate: Certificate) -> KeystoreBuilder {
        self.certificates.push((Some(name.into()), certificate));
        self
    }

    /// Adds a private key without a certificate.
    #[must_use]
    pub fn private_key(mut self, name: Option<&str>, key: PrivateKey) -> KeystoreBuilder {
        self.private_keys.push((name.map(Into::into), key));
        self
    }

    /// Adds a public key without a certificate, to be used as it is.
    #[must_use]
    pub fn public_key(mut self, name: Option<&str>, key: PublicKey) -> KeystoreBuilder {
        self.public_keys.push((name.map(Into::into), key));
        self
    }

    /// Adds a shared secret under a name.
    #[must_use]
    pub fn secret(mut self, name: &str, key: SymmetricKey) -> KeystoreBuilder {
        self.secrets.push((name.into(), key));
        self
    }

    /// Sets whom to trust; without it nobody is trusted.
    #[must_use]
    pub fn trust(mut self, trust: TrustStore) -> KeystoreBuilder {
        self.trust = trust;
        self
    }

    /// Sets the smallest acceptable RSA key in bits (default 2048).
    #[must_use]
    pub fn min_rsa(mut self, bits: u32) -> KeystoreBuilder {
        self.min_rsa = bits;
        self
    }

    /// Makes the snapshot.
    ///
    /// # Errors
    /// [`Error::Ambiguous`] if two different secrets, or two private or public keys, have the same name.
    pub fn build(self) -> Result<Keystore, Error> {
        let mut by_identity = Index::default();
        let mut list = CertificateList::default();
        for (at, (name, identity)) in self.identities.iter().enumerate() {
            by_identity.certificate(at, identity.leaf());
            if let Some(name) = name {
                by_identity.name(at, name);
            }
            list.add(name.as_deref(), identity.leaf());
            for certificate in identity.chain() {
                list.add(None, certificate);
            }
        }
        for (name, certificate) in &self.certificates {
            list.add(name.as_deref(), certificate);
        }
        for certificate in self.trust.anchors().chain(self.trust.intermediates()) {
            list.add(None, certificate);
        }
        let mut secrets = HashMap::new();
        for (name, secret) in self.secrets {
            if secrets.insert(name, secret).is_some() {
                return Err(Error::Ambiguous);
            }
        }
        let (private_keys, public_keys) = (named(self.private_keys)?, named(self.public_keys)?);
        Ok(Keystore(
            Arc::new(Inner {
                identities: self.identities.into_iter().map(|(_, identity)| identity).collect(),
                by_identity,
                peer: self.peer,
                certificates: list.certificates,
                by_certificate: list.index,
                private_keys,
                public_keys,
                secrets,
                trust: self.trust,
                min_rsa: self.min_rsa,
                cache: PathCache::new(),
            }),
            Answering::default(),
        ))
    }
}

/// Keys with and without a name; a name is there once.
fn named<K>(keys: Vec<(Option<Box<str>>, K)>) -> Result<super::Named<K>, Error> {
    let mut by_name = HashMap::new();
    let mut list = Vec::new();
    for (name, key) in keys {
        if let Some(name) = name
            && by_name.insert(name, list.len()).is_some()
        {
            return Err(Error::Ambiguous);
        }
        list.push(key);
    }
    Ok(super::Named { list, by_name })
}

/// Every certificate once, however often it was given.
#[derive(Default)]
struct CertificateList {
    certificates: Vec<Certificate>,
    places: HashMap<[u8; 32], usize>,
    index: Index,
}

impl CertificateList {
    fn add(&mut self, name: Option<&str>, certificate: &Certificate) {
        let at = match self.places.entry(certificate.thumbprint_sha256()) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                let at = *new.insert(self.certificates.len());
                self.certificates.push(certificate.clone());
                self.index.certificate(at, certificate);
                at
            }
        };
        if let Some(name) = name {
            self.index.name(at, name);
        }
    }
}
