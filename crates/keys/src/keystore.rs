//! An immutable snapshot of everything that keys and certificates are looked up in.
//!
//! A message sees one snapshot from start to end; a reload builds a new one. All lookups go through
//! hash maps that are built once, private keys are parsed once, and a reference that fits two different
//! certificates is an error and never a choice. The snapshot also keeps the cache of certificates that
//! verified, so that a cache never outlives the trust that filled it.

mod builder;
mod cache;
mod index;

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use bartizan_crypto::{PrivateKey, PublicKey, SymmetricKey};

pub use self::builder::{DEFAULT_MIN_RSA, KeystoreBuilder};
use self::cache::PathCache;
use self::index::Index;
use crate::cert::{self, Certificate};
use crate::error::Error;
use crate::time::Time;
use crate::trust::{Purpose, TrustPath, TrustStore, check_purpose};

/// A private key with the certificates that speak for it.
#[derive(Clone, Debug)]
pub struct Identity {
    key: PrivateKey,
    leaf: Certificate,
    chain: Vec<Certificate>,
}

impl Identity {
    /// A key and its chain, leaf first.
    ///
    /// # Errors
    /// [`Error::NoCertificate`] for an empty chain, [`Error::KeyMismatch`] if the leaf's public key is
    /// not the private key's, [`Error::Key`] if the leaf's key is of an unsupported kind.
    pub fn new(key: PrivateKey, chain: Vec<Certificate>) -> Result<Identity, Error> {
        let leaf = chain.first().ok_or(Error::NoCertificate)?.clone();
        if leaf.public_key()? != key.public() {
            return Err(Error::KeyMismatch);
        }
        Ok(Identity { key, leaf, chain })
    }

    /// The private key.
    #[must_use]
    pub fn key(&self) -> &PrivateKey {
        &self.key
    }

    /// The certificate of the key itself.
    #[must_use]
    pub fn leaf(&self) -> &Certificate {
        &self.leaf
    }

    /// All certificates, leaf first.
    #[must_use]
    pub fn chain(&self) -> &[Certificate] {
        &self.chain
    }
}

/// How a message names a certificate or key.
#[derive(Clone, Copy, Debug)]
pub enum TokenRef<'a> {
    /// SHA-1 over the DER of the certificate.
    ThumbprintSha1(&'a [u8]),
    /// SHA-256 over the DER of the certificate.
    ThumbprintSha256(&'a [u8]),
    /// Value of the SubjectKeyIdentifier extension; for a certificate without it, the SHA-1 of its key.
    Ski(&'a [u8]),
    /// Issuer's name and serial number as text. The name may be in any of the usual text forms and in
    /// either order; it is parsed and compared with the names in the certificates.
    IssuerSerial {
        /// Issuer's distinguished name.
        issuer: &'a str,
        /// Serial number in decimal.
        serial: &'a str,
    },
    /// The certificate itself.
    Der(&'a [u8]),
    /// A name given in the configuration or the alias in a store, exactly; else, if it reads as a
    /// distinguished name, the subject.
    KeyName(&'a str),
    /// The subject's distinguished name as text, like the issuer's.
    SubjectName(&'a str),
}

/// A certificate that has been verified, and the proof.
#[derive(Clone, Debug)]
pub struct VerifiedKey {
    /// The certificate.
    pub certificate: Certificate,
    /// The path that made it trusted.
    pub path: TrustPath,
}

/// The snapshot. Cheap to clone.
#[derive(Clone)]
pub struct Keystore(Arc<Inner>, Answering);

/// Whose signed replies are taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Answering {
    /// Those of the configured peer; nobody's if there is none.
    #[default]
    Peer,
    /// Those of everybody who is trusted, ourselves apart: whoever has a certificate of the authority may answer in the place
    /// of the service that was asked.
    Anybody,
}

struct Inner {
    identities: Vec<Identity>,
    by_identity: Index,
    peer: Option<Certificate>,
    certificates: Vec<Certificate>,
    by_certificate: Index,
    private_keys: Named<PrivateKey>,
    public_keys: Named<PublicKey>,
    secrets: HashMap<Box<str>, SymmetricKey>,
    trust: TrustStore,
    min_rsa: u32,
    cache: PathCache,
}

/// Keys of which some have a name.
struct Named<K> {
    list: Vec<K>,
    by_name: HashMap<Box<str>, usize>,
}

impl<K> Named<K> {
    fn get(&self, name: &str) -> Option<&K> {
        self.list.get(*self.by_name.get(name)?)
    }
}

impl Keystore {
    /// Starts a snapshot.
    #[must_use]
    pub fn builder() -> KeystoreBuilder {
        KeystoreBuilder::default()
    }

    /// The identity that we act as by default.
    #[must_use]
    pub fn identity(&self) -> Option<&Identity> {
        self.0.identities.first()
    }

    /// All identities of ours.
    #[must_use]
    pub fn identities(&self) -> &[Identity] {
        &self.0.identities
    }

    /// The identity that a message was encrypted to. Two certificates for the same key are no
    /// ambiguity here: what counts is the private key.
    ///
    /// # Errors
    /// [`Error::Ambiguous`] if identities with different keys fit; [`Error::TooMuch`] for a name that is
    /// too long.
    pub fn own_key(&self, reference: &TokenRef<'_>) -> Result<Option<&Identity>, Error> {
        let places = self.0.by_identity.find(reference)?;
        let mut fitting = places.iter().filter_map(|at| self.0.identities.get(*at));
        let Some(first) = fitting.next() else { return Ok(None) };
        if fitting.any(|other| other.key().public() != first.key().public()) {
            return Err(Error::Ambiguous);
        }
        Ok(Some(first))
    }

    /// The other side's certificate, if one is configured.
    #[must_use]
    pub fn peer(&self) -> Option<&Certificate> {
        self.0.peer.as_ref()
    }

    /// The same keys, with another rule for whose signed replies are taken ([`Answering::Peer`] unless this is called).
    #[must_use]
    pub fn answered_by(self, whom: Answering) -> Keystore {
        Keystore(self.0, whom)
    }

    /// Whose signed replies are taken.
    #[must_use]
    pub fn answering(&self) -> Answering {
        self.1
    }

    /// The certificate that a reference means, among all that are known here: peers, our own, anchors and
    /// intermediates. That it is known does not make it trusted.
    ///
    /// # Errors
    /// [`Error::Ambiguous`] if two different certificates fit; [`Error::TooMuch`] for a name that is too
    /// long.
    pub fn certificate(&self, reference: &TokenRef<'_>) -> Result<Option<Certificate>, Error> {
        match self.0.by_certificate.find(reference)?.as_slice() {
            [] => Ok(None),
            [at] => Ok(self.0.certificates.get(*at).cloned()),
            _ => Err(Error::Ambiguous),
        }
    }

    /// Every certificate that is known here.
    #[must_use]
    pub fn certificates(&self) -> &[Certificate] {
        &self.0.certificates
    }

    /// A private key that was given without a certificate, by its name.
    #[must_use]
    pub fn private_key(&self, name: &str) -> Option<&PrivateKey> {
        self.0.private_keys.get(name)
    }

    /// All private keys that were given without a certificate.
    #[must_use]
    pub fn private_keys(&self) -> &[PrivateKey] {
        &self.0.private_keys.list
    }

    /// A public key that was given without a certificate, by its name.
    #[must_use]
    pub fn public_key(&self, name: &str) -> Option<&PublicKey> {
        self.0.public_keys.get(name)
    }

    /// All public keys that were given without a certificate.
    #[must_use]
    pub fn public_keys(&self) -> &[PublicKey] {
        &self.0.public_keys.list
    }

    /// A shared secret by its name.
    #[must_use]
    pub fn secret(&self, name: &str) -> Option<&SymmetricKey> {
        self.0.secrets.get(name)
    }

    /// All shared secrets with their names, in no order.
    pub fn secrets(&self) -> impl Iterator<Item = (&str, &SymmetricKey)> {
        self.0.secrets.iter().map(|(name, key)| (name.as_ref(), key))
    }

    /// Whom we trust.
    #[must_use]
    pub fn trust(&self) -> &TrustStore {
        &self.0.trust
    }

    /// Smallest acceptable RSA key in bits.
    #[must_use]
    pub fn min_rsa(&self) -> u32 {
        self.0.min_rsa
    }

    /// Reads and verifies the certificate that signed a message, from its octets. A certificate that
    /// verified before is neither parsed nor verified again while the verdict holds.
    ///
    /// `extra` are the other certificates of the message, in any order.
    ///
    /// # Errors
    /// [`Error::Encoding`] and [`Error::TooMuch`] if it cannot be read, [`Error::Trust`] if it is not
    /// trusted at `at`.
    pub fn verify_der(&self, der: &[u8], extra: &[Certificate], at: Time) -> Result<Arc<VerifiedKey>, Error> {
        if let Some(known) = self.0.cache.recent(der, at) {
            return permitted(known);
        }
        let digest = cert::sha256(der)?;
        let known = match self.0.cache.get(&digest, at) {
            Some(known) => permitted(known)?,
            None => self.verify_new(digest, &Certificate::from_der(der)?, extra, at)?,
        };
        self.0.cache.note(&known);
        Ok(known)
    }

    /// Like [`Keystore::verify_der`], for a certificate that has been read already, such as one that a
    /// reference named.
    ///
    /// # Errors
    /// As there.
    pub fn verify(
        &self,
        certificate: &Certificate,
        extra: &[Certificate],
        at: Time,
    ) -> Result<Arc<VerifiedKey>, Error> {
        let digest = certificate.thumbprint_sha256();
        match self.0.cache.get(&digest, at) {
            Some(known) => permitted(known),
            None => self.verify_new(digest, certificate, extra, at),
        }
    }

    fn verify_new(
        &self,
        digest: [u8; 32],
        certificate: &Certificate,
        extra: &[Certificate],
        at: Time,
    ) -> Result<Arc<VerifiedKey>, Error> {
        let path = self.0.trust.path(certificate, extra, at, self.0.min_rsa)?;
        let verified = Arc::new(VerifiedKey { certificate: certificate.clone(), path });
        self.0.cache.put(digest, Arc::clone(&verified));
        permitted(verified)
    }
}

/// The path does not depend on the purpose, so the cache holds it for all of them.
fn permitted(verified: Arc<VerifiedKey>) -> Result<Arc<VerifiedKey>, Error> {
    check_purpose(Purpose::Signature, &verified.certificate)?;
    Ok(verified)
}

impl fmt::Debug for Keystore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keystore")
            .field("identities", &self.0.identities.len())
            .field("certificates", &self.0.certificates.len())
            .field("secrets", &self.0.secrets.len())
            .field("trust", &self.0.trust)
            .field("min_rsa", &self.0.min_rsa)
            .finish()
    }
}

#[cfg(test)]
mod tests;
