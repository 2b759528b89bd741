//! Whether a certificate may be believed: anchors, paths, time, revocation.
//!
//! Path building and the checks of RFC 5280 §6 (signatures, validity, basic constraints, path length,
//! name constraints, critical extensions, a budget of work) are `webpki`'s. Around them stand the rules
//! that message security needs and a web client does not: certificates that are trusted themselves,
//! anchors that can expire, any extended key usage, revocation that fails closed, old algorithms on
//! request. `wss` asks through [`Keystore`](crate::Keystore); nobody else decides trust.
//!
//! **Pinned certificates.** A certificate that is listed as an anchor is trusted as a leaf too, whatever
//! it is: self-signed, version 1, an authority. It is found by its octets, before any path is built, and
//! only its time and key are checked. A listed certificate that is no authority (version 3 without
//! `CA:TRUE`) is trusted for itself only and issues nothing.
//!
//! **Revocation.** Where at least one revocation list of an issuer is configured, every certificate of
//! that issuer in a path must be shown not to be revoked, by a list of that issuer that is signed by the
//! issuer's key, in scope and in date; anything else refuses it. An issuer without any configured list
//! is not affected: configuring one authority's list must not lock out the others.
//!
//! **Own paths.** `webpki` is made for servers: it refuses as a leaf what is an authority itself or of
//! version 1, and knows neither DSA nor MD5. Paths from such leaves, and (on request) with such
//! signatures, are climbed here by the same rules, stricter where they are simpler: see `climb`.
//!
//! **Name constraints** on DNS names and IP addresses are applied by `webpki`; a path with constraints on
//! a kind of name that it cannot compare (directory names, URIs, e-mail) is refused when a certificate
//! below carries such a name: never ignored.

mod algorithms;
mod chain;
mod climb;
mod reason;
mod revoke;

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use rustls_pki_types::TrustAnchor;

pub use self::reason::TrustReason;
pub use self::revoke::CrlFacts;
use self::revoke::Crls;
use crate::cert::{Certificate, KeyUsage};
use crate::error::Error;
use crate::time::Time;

/// Certificates a message may bring along as intermediates.
pub const MAX_EXTRA: usize = 10;

/// Which algorithms may sign the certificates of a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ChainAlgorithms {
    /// RSA from 2048 bits with SHA-256 and up, ECDSA, Ed25519.
    #[default]
    Modern,
    /// Also RSA from 1024 bits, RSA and DSA with SHA-1, and version 1 below an authority, for
    /// authorities of the period.
    Legacy,
    /// Also RSA with MD5. An authority that ever signed with it may have signed, without knowing, what
    /// somebody else wrote: for reading old files, never for accepting messages.
    Archive,
}

/// What the key of a verified certificate was used for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// It signed a message.
    Signature,
    /// A message key is going to be encrypted to it.
    Encryption,
}

/// A path that was found good.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TrustPath {
    /// From the certificate itself to the anchor; only the certificate if it is trusted itself.
    pub chain: Vec<Certificate>,
    /// The verdict holds from here: the latest start of validity in the path.
    pub valid_from: Time,
    /// The verdict holds until here: the earliest end of validity in the path or `nextUpdate` of a
    /// revocation list that was used.
    pub valid_until: Time,
    /// How many certificates of the path were checked against a revocation list.
    pub revocation_checked: usize,
    /// Whether it is trusted by being listed itself.
    pub pinned: bool,
}

/// Anchors, intermediates and revocation lists. Immutable, cheap to clone.
#[derive(Clone)]
pub struct TrustStore(Arc<Inner>);

struct Inner {
    anchors: Vec<Anchor>,
    pinned: HashMap<[u8; 32], usize>,
    intermediates: Vec<Certificate>,
    crls: Crls,
    algorithms: ChainAlgorithms,
}

struct Anchor {
    certificate: Certificate,
    /// Set if it may issue certificates.
    issuer: Option<TrustAnchor<'static>>,
}

/// Collects what a [`TrustStore`] is made of.
#[derive(Default)]
pub struct TrustStoreBuilder {
    anchors: Vec<Certificate>,
    intermediates: Vec<Certificate>,
    crls: Crls,
    algorithms: ChainAlgorithms,
}

impl TrustStoreBuilder {
    /// Adds a certificate that is trusted: as an authority, if it is one, and in itself.
    #[must_use]
    pub fn anchor(mut self, certificate: Certificate) -> TrustStoreBuilder {
        self.anchors.push(certificate);
        self
    }

    /// Adds an intermediate authority that is not trusted by itself but may be part of a path.
    #[must_use]
    pub fn intermediate(mut self, certificate: Certificate) -> TrustStoreBuilder {
        self.intermediates.push(certificate);
        self
    }

    /// Adds a revocation list in DER.
    ///
    /// # Errors
    /// [`Error::Encoding`] for what is no revocation list; [`Error::Unsupported`] for delta and indirect
    /// lists, lists for some reasons only, lists without `nextUpdate`, and unknown critical extensions;
    /// [`Error::TooMuch`] beyond 16 MiB.
    pub fn crl(mut self, der: &[u8]) -> Result<TrustStoreBuilder, Error> {
        self.crls.add(der)?;
        Ok(self)
    }

    /// Chooses which algorithms may sign certificates.
    #[must_use]
    pub fn algorithms(mut self, algorithms: ChainAlgorithms) -> TrustStoreBuilder {
        self.algorithms = algorithms;
        self
    }

    /// Makes the store.
    #[must_use]
    pub fn build(self) -> TrustStore {
        let mut pinned = HashMap::new();
        let mut anchors: Vec<Anchor> = Vec::new();
        for certificate in self.anchors {
            pinned.entry(certificate.thumbprint_sha256()).or_insert_with(|| {
                let issuer = may_issue(&certificate).then(|| chain::trust_anchor(&certificate)).flatten();
                anchors.push(Anchor { certificate, issuer });
                anchors.len() - 1
            });
        }
        let intermediates = self.intermediates;
        TrustStore(Arc::new(Inner {
            anchors,
            pinned,
            intermediates,
            crls: self.crls,
            algorithms: self.algorithms,
        }))
    }
}

/// Version 1 has no way to say that it is an authority's, so a self-issued one is taken as such.
fn may_issue(certificate: &Certificate) -> bool {
    let usage_allows = certificate.usage().key.is_none_or(|usage| usage.has(KeyUsage::KEY_CERT_SIGN));
    let authority = certificate.is_ca() || (certificate.version() == 1 && certificate.is_self_issued());
    authority && usage_allows
}

impl TrustStore {
    /// Starts a store.
    #[must_use]
    pub fn builder() -> TrustStoreBuilder {
        TrustStoreBuilder::default()
    }

    /// A store that trusts nothing.
    #[must_use]
    pub fn empty() -> TrustStore {
        TrustStore::builder().build()
    }

    /// Whether there is no anchor.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.anchors.is_empty()
    }

    /// All certificates that are trusted.
    pub fn anchors(&self) -> impl Iterator<Item = &Certificate> {
        self.0.anchors.iter().map(|anchor| &anchor.certificate)
    }

    /// Intermediates that were configured.
    pub fn intermediates(&self) -> impl Iterator<Item = &Certificate> {
        self.0.intermediates.iter()
    }

    /// Number of revocation lists.
    #[must_use]
    pub fn crl_count(&self) -> usize {
        self.0.crls.len()
    }

    /// Decides whether the certificate that signed a message is trusted at a time: a path, and a
    /// KeyUsage that permits signing. `extra` are the certificates that came with the message, in any
    /// order; RSA keys of the path have at least `min_rsa` bits.
    ///
    /// # Errors
    /// [`Error::Trust`] with the reason; [`Error::TooMuch`] for more than [`MAX_EXTRA`] extras.
    pub fn verify(
        &self,
        leaf: &Certificate,
        extra: &[Certificate],
        at: Time,
        min_rsa: u32,
    ) -> Result<TrustPath, Error> {
        self.verify_for(Purpose::Signature, leaf, extra, at, min_rsa)
    }

    /// Like [`TrustStore::verify`], for another use of the key.
    ///
    /// # Errors
    /// As there.
    pub fn verify_for(
        &self,
        purpose: Purpose,
        leaf: &Certificate,
        extra: &[Certificate],
        at: Time,
        min_rsa: u32,
    ) -> Result<TrustPath, Error> {
        check_purpose(purpose, leaf)?;
        self.path(leaf, extra, at, min_rsa)
    }
}

/// Whether a revocation list can be used here.
pub(crate) fn check_crl(der: &[u8]) -> Result<(), Error> {
    Crls::default().add(der)
}

pub(crate) fn check_purpose(purpose: Purpose, leaf: &Certificate) -> Result<(), TrustReason> {
    let permitted = match purpose {
        Purpose::Signature => leaf.usage().may_sign(),
        Purpose::Encryption => leaf.usage().may_encrypt(),
    };
    if permitted { Ok(()) } else { Err(TrustReason::KeyUsage) }
}

impl fmt::Debug for TrustStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TrustStore")
            .field("anchors", &self.0.anchors.len())
            .field("intermediates", &self.0.intermediates.len())
            .field("crls", &self.0.crls.len())
            .field("algorithms", &self.0.algorithms)
            .finish()
    }
}

#[cfg(test)]
mod tests;
