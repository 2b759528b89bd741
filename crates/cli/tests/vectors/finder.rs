//! A key finder over key files and certificates: what the file tools do with their options.

use std::sync::Arc;

use bartizan_crypto::alg::{SignatureAlg, SignatureFamily};
use bartizan_crypto::digest::digest;
use bartizan_crypto::{KeyKind, PrivateKey, PublicKey, SymmetricKey};
use bartizan_keys::{Certificate, Time};
use bartizan_xmlsec::engine::{FoundKey, PrivatePurpose, SecretPurpose};
use bartizan_xmlsec::key_info::X509Data;
use bartizan_xmlsec::{Error, ErrorKind, KeyFinder, KeyHint};

use crate::options::trust_store;

/// Smallest RSA key of the suites.
const MIN_RSA: u32 = 512;

/// A key with the name and certificate that it was given with.
#[derive(Debug)]
pub(crate) struct NamedKey {
    name: Option<String>,
    key: Key,
    certificate: Option<Certificate>,
}

#[derive(Debug)]
enum Key {
    Public(PublicKey),
    Private(PrivateKey),
    Secret(SymmetricKey),
}

impl NamedKey {
    pub(crate) fn public(name: Option<&str>, key: PublicKey, certificate: Option<Certificate>) -> Self {
        NamedKey { name: name.map(str::to_owned), key: Key::Public(key), certificate }
    }

    pub(crate) fn private(name: Option<&str>, key: PrivateKey, certificate: Option<Certificate>) -> Self {
        NamedKey { name: name.map(str::to_owned), key: Key::Private(key), certificate }
    }

    pub(crate) fn secret(name: Option<&str>, key: SymmetricKey) -> Self {
        NamedKey { name: name.map(str::to_owned), key: Key::Secret(key), certificate: None }
    }

    fn public_key(&self) -> Option<&PublicKey> {
        match &self.key {
            Key::Public(key) => Some(key),
            Key::Private(key) => Some(key.public()),
            Key::Secret(_) => None,
        }
    }
}

/// Whose certificates are believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trust {
    /// Those with a path to an anchor; keys that were given are trusted.
    Paths,
    /// Those with a path to an anchor; keys that were given need one, too.
    KeysToo,
    /// All.
    Anything,
}

/// The finder.
#[derive(Debug)]
pub(crate) struct Finder {
    pub(crate) keys: Vec<NamedKey>,
    pub(crate) key_values: bool,
    pub(crate) any_key: bool,
    pub(crate) trust: Trust,
    pub(crate) crls_only: bool,
    pub(crate) ignore_time: bool,
    pub(crate) at: Time,
    pub(crate) certificates: Vec<Certificate>,
    pub(crate) anchors: Vec<Certificate>,
    pub(crate) crls: Vec<Vec<u8>>,
}

fn not_found() -> Error {
    Error::new(ErrorKind::KeyNotFound)
}

/// Whether a method can use a key of this kind.
fn suits(method: SignatureAlg, kind: KeyKind) -> bool {
    matches!(
        (method.family(), kind),
        (SignatureFamily::RsaPkcs1 | SignatureFamily::RsaPss, KeyKind::Rsa)
            | (SignatureFamily::Ecdsa, KeyKind::Ec(_))
            | (SignatureFamily::Dsa, KeyKind::Dsa)
            | (SignatureFamily::Ed25519, KeyKind::Ed25519)
    )
}

/// Names as sets of `type=value`, without regard to order of writing, case of types and blanks.
fn same_name(a: &str, b: &str) -> bool {
    let parts = |name: &str| {
        let mut parts: Vec<String> =
            name.split(',').map(|p| p.split('=').map(str::trim).collect::<Vec<_>>().join("=")).collect();
        parts.sort();
        parts.join(",").to_lowercase().replace("emailaddress=", "1.2.840.113549.1.9.1=")
    };
    parts(a) == parts(b)
}

/// Whether the data names this certificate by anything but its octets.
fn names(data: &X509Data, certificate: &Certificate) -> bool {
    let subject = |name: &str| {
        same_name(name, &certificate.subject()) || same_name(name, &certificate.subject_display())
    };
    let issuer =
        |name: &str| same_name(name, &certificate.issuer()) || same_name(name, &certificate.issuer_display());
    data.subjects.iter().any(|name| subject(name))
        || data
            .issuer_serials
            .iter()
            .any(|named| *named.serial == *certificate.serial_decimal() && issuer(&named.issuer))
        || data.skis.iter().any(|ski| certificate.ski() == Some(ski.as_slice()))
        || data.digests.iter().any(|(alg, value)| digest(*alg, certificate.der()).matches(value))
}

impl Finder {
    fn by_name<'f, T>(
        &'f self,
        hint: &KeyHint<'_>,
        pick: impl Fn(&'f NamedKey) -> Option<T>,
    ) -> Option<(T, &'f NamedKey)> {
        let fitting = || self.keys.iter().filter_map(|named| pick(named).map(|key| (key, named)));
        let by_name = fitting().find(|(_, named)| {
            hint.names().any(|wanted| named.name.as_deref().is_some_and(|name| name == wanted))
        });
        let by_certificate = || {
            fitting().find(|(_, named)| {
                let certificate = named.certificate.as_ref();
                hint.x509().any(|data| certificate.is_some_and(|c| names(data, c)))
            })
        };
        let free = || fitting().find(|(_, named)| self.any_key || named.name.is_none());
        let unasked = || if hint.names().next().is_none() { fitting().next() } else { None };
        by_name.or_else(by_certificate).or_else(free).or_else(unasked)
    }

    /// The key of a certificate in the message, or of one that the message names, its path checked.
    fn by_certificate(&self, hint: &KeyHint<'_>, method: SignatureAlg) -> Result<Option<PublicKey>, Error> {
        let brought: Vec<Certificate> = hint
            .x509()
            .flat_map(|data| &data.certificates)
            .filter_map(|der| Certificate::from_der(der.clone()).ok())
            .collect();
        let issued_none = |c: &&Certificate| {
            !brought.iter().any(|other| other.issuer_der() == c.subject_der() && other.der() != c.der())
        };
        let named = || {
            let known = self.certificates.iter().chain(&self.anchors);
            known.into_iter().find(|c| hint.x509().any(|data| names(data, c)))
        };
        let Some(leaf) = brought.iter().find(issued_none).or_else(named) else { return Ok(None) };
        let key = leaf.public_key().map_err(|_| Error::new(ErrorKind::BadKeyValue))?.clone();
        if !suits(method, key.kind()) {
            return Err(not_found());
        }
        let crls: Vec<Vec<u8>> = hint.x509().flat_map(|data| data.crls.clone()).collect();
        self.check(leaf, &brought, crls)?;
        Ok(Some(key))
    }

    fn check(&self, leaf: &Certificate, extra: &[Certificate], crls: Vec<Vec<u8>>) -> Result<(), Error> {
        if self.trust == Trust::Anything && !self.crls_only {
            return Ok(());
        }
        let crls: Vec<Vec<u8>> = self.crls.iter().cloned().chain(crls).collect();
        let store = trust_store(&self.anchors, &self.certificates, &crls);
        let at = if self.ignore_time { leaf.not_before() } else { self.at };
        store
            .verify(leaf, extra, at, MIN_RSA)
            .map(|_| ())
            .map_err(|e| Error::new(ErrorKind::KeyNotTrusted(Arc::new(e))))
    }
}

impl KeyFinder for Finder {
    fn verify_key(&self, hint: &KeyHint<'_>, method: SignatureAlg) -> Result<FoundKey, Error> {
        if method.is_mac() {
            let secret = self.by_name(hint, |named| match &named.key {
                Key::Secret(key) => Some(key),
                _ => None,
            });
            let (key, _) = secret.ok_or_else(not_found)?;
            return Ok(FoundKey::Secret(key.duplicate()));
        }
        if let Some(key) = self.by_certificate(hint, method)? {
            return Ok(FoundKey::Public(key));
        }
        let given =
            self.by_name(hint, |named| named.public_key().filter(|key| suits(method, key.kind())).cloned());
        if let Some((key, named)) = given {
            if self.trust == Trust::KeysToo {
                let certificate = named.certificate.as_ref().ok_or_else(not_found)?;
                self.check(certificate, &[], Vec::new())?;
            }
            return Ok(FoundKey::Public(key));
        }
        if self.key_values
            && let Some(value) = hint.values().next()
        {
            return value.to_public_key_legacy().map(FoundKey::Public);
        }
        Err(not_found())
    }

    fn private_key(&self, hint: &KeyHint<'_>, purpose: PrivatePurpose) -> Result<PrivateKey, Error> {
        let found = self.by_name(hint, |named| match &named.key {
            Key::Private(key) => Some(key).filter(|key| match purpose {
                PrivatePurpose::Transport => key.kind() == KeyKind::Rsa,
                PrivatePurpose::Agreement => matches!(key.kind(), KeyKind::Ec(_) | KeyKind::X25519),
            }),
            _ => None,
        });
        found.map(|(key, _)| key.clone()).ok_or_else(not_found)
    }

    fn public_key(&self, hint: &KeyHint<'_>) -> Result<PublicKey, Error> {
        let found = self.by_name(hint, |named| match &named.key {
            Key::Public(key) => Some(key),
            _ => None,
        });
        found.map(|(key, _)| key.clone()).ok_or_else(not_found)
    }

    fn secret(&self, hint: &KeyHint<'_>, purpose: SecretPurpose) -> Result<SymmetricKey, Error> {
        let found = self.by_name(hint, |named| match &named.key {
            Key::Secret(key) => Some(key).filter(|key| match purpose {
                SecretPurpose::Content(cipher) => key.len() == cipher.key_len(),
                SecretPurpose::Wrap(wrap) => key.len() == wrap.key_len(),
                SecretPurpose::Derivation => true,
            }),
            _ => None,
        });
        found.map(|(key, _)| key.duplicate()).ok_or_else(not_found)
    }
}
