//! The keys of the `xml` verbs, and which of them answers a KeyInfo.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use bartizan_crypto::alg::SignatureAlg;
use bartizan_crypto::{PrivateKey, PublicKey, SymmetricKey};
use bartizan_gateway::config::KeySet;
use bartizan_gateway::keyset::{self, Store, entries};
use bartizan_keys::store::Entry;
use bartizan_keys::{Certificate, ChainAlgorithms, Identity, Keystore, KeystoreBuilder, Time, TokenRef};
use bartizan_xmlsec::engine::{FoundKey, KeyFinder, KeyHint, KeyRing, PrivatePurpose, SecretPurpose};
use bartizan_xmlsec::key_info::X509Data;
use bartizan_xmlsec::{Error, ErrorKind};
use clap::ArgMatches;

use crate::args::Values as _;
use crate::keyset::{ask, failure, number, password};
use crate::output::{self, Failure};
use crate::plan;

/// Why a key was used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Why {
    /// It was given with --key, --secret or a store.
    Given,
    /// Its certificate leads to a trusted one.
    Trusted(String),
    /// The message carries it, and nobody vouches for it.
    Message,
}

/// All keys that were given.
pub(super) struct Keys {
    ring: KeyRing,
    /// Certificates, identities and trust.
    store: Keystore,
    /// The first private key, with its name and certificates: what signs.
    pub(super) own: Option<Own>,
    /// The first secret, with its name.
    pub(super) secret: Option<(Option<String>, SymmetricKey)>,
    from_message: bool,
    at: Time,
    /// SPKI of the keys that verified, and why.
    used: Mutex<Vec<(Vec<u8>, Why)>>,
}

/// What signs.
pub(super) struct Own {
    pub(super) name: Option<String>,
    pub(super) key: PrivateKey,
    pub(super) chain: Vec<Certificate>,
}

impl Keys {
    /// Loads what the options name.
    pub(super) fn load(matches: &ArgMatches) -> Result<Keys, Failure> {
        let set = KeySet {
            trust: matches.paths("trust"),
            untrusted: matches.paths("untrusted"),
            revocation: matches.paths("crl"),
            password: password(matches),
            legacy: matches.on("legacy"),
            min_rsa: number(matches, "min-rsa")?,
            ..KeySet::default()
        };
        // Files are read, not acted upon: what old authorities signed may be looked at when asked for.
        let algorithms = if set.legacy { ChainAlgorithms::Archive } else { ChainAlgorithms::Modern };
        let trust = keyset::trust_under(&set, algorithms, &ask).map_err(failure)?;
        let min_rsa = set.min_rsa.unwrap_or(if set.legacy { LEGACY_RSA } else { keyset::MIN_RSA });
        let builder = Keystore::builder().trust(trust).min_rsa(min_rsa);
        let mut loading = Loading { ring: KeyRing::new(), builder, own: None };
        for id in ["xml-key", "xml-pkcs12", "xml-jks"] {
            for text in matches.texts(id) {
                let (name, path) = split(text);
                let found = match id {
                    "xml-pkcs12" => keyset::store_entries(&path, Store::Pkcs12, &set, &ask),
                    "xml-jks" => keyset::store_entries(&path, Store::Java, &set, &ask),
                    _ => entries(&path, &set, &ask),
                };
                loading.file(name, &path, found.map_err(failure)?)?;
            }
        }
        let mut secret = None;
        for text in matches.texts("secret") {
            let (name, path) = split(text);
            let octets = output::read_file(&path)?;
            secret.get_or_insert_with(|| (name.map(str::to_owned), SymmetricKey::new(octets.clone())));
            loading.ring.add_secret(name, SymmetricKey::new(octets));
        }
        let from_message = matches.on("key-from-message");
        Ok(Keys {
            ring: loading.ring,
            store: loading.builder.build().map_err(Failure::could_not)?,
            own: loading.own,
            secret,
            from_message,
            at: plan::time(matches)?,
            used: Mutex::default(),
        })
    }

    /// Why the key with this SPKI was used.
    pub(super) fn why(&self, spki: &[u8]) -> Why {
        let used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        used.iter().find(|(known, _)| known == spki).map_or(Why::Given, |(_, why)| why.clone())
    }

    fn use_for(&self, key: PublicKey, why: Why) -> FoundKey {
        self.used.lock().unwrap_or_else(PoisonError::into_inner).push((key.spki().to_vec(), why));
        FoundKey::Public(key)
    }

    /// The certificate that an X509Data means: its own leaf, or one of ours that it names.
    fn certificate(&self, data: &X509Data) -> Result<Option<(Certificate, Vec<Certificate>)>, Error> {
        let malformed = |_| Error::new(ErrorKind::BadKeyValue);
        let mut carried = Vec::new();
        for der in &data.certificates {
            carried.push(Certificate::from_der(der.clone()).map_err(malformed)?);
        }
        let named = self.named(data)?;
        let leaf = match &named {
            Some(named) => named.clone(),
            None => match leaf(&carried) {
                Some(leaf) => leaf.clone(),
                None => return Ok(None),
            },
        };
        Ok(Some((leaf, carried)))
    }

    /// One of our certificates, by issuer and serial, SKI, subject or digest.
    fn named(&self, data: &X509Data) -> Result<Option<Certificate>, Error> {
        let references = references(data);
        for reference in references {
            match self.store.certificate(&reference) {
                Ok(Some(certificate)) => return Ok(Some(certificate)),
                Ok(None) => {}
                Err(_) => return Err(Error::new(ErrorKind::KeyAmbiguous)),
            }
        }
        Ok(None)
    }

    /// A key whose certificate in the message leads to a trusted one.
    fn trusted(&self, hint: &KeyHint<'_>) -> Result<Option<FoundKey>, Error> {
        let mut refused = None;
        for data in hint.x509() {
            let Some((leaf, extra)) = self.certificate(data)? else { continue };
            match self.store.trust().verify(&leaf, &extra, self.at, self.store.min_rsa()) {
                Ok(_) => {
                    let key = leaf.public_key().map_err(|_| Error::new(ErrorKind::BadKeyValue))?.clone();
                    return Ok(Some(self.use_for(key, Why::Trusted(leaf.subject_display()))));
                }
                Err(reason) => refused = Some(Error::new(ErrorKind::KeyNotTrusted(Arc::new(reason)))),
            }
        }
        refused.map_or(Ok(None), Err)
    }

    /// A key as the message carries it; nobody vouches for it.
    fn carried(&self, hint: &KeyHint<'_>) -> Result<FoundKey, Error> {
        let malformed = || Error::new(ErrorKind::BadKeyValue);
        if let Some(value) = hint.values().next() {
            return Ok(self.use_for(value.to_public_key_legacy()?, Why::Message));
        }
        for data in hint.x509() {
            if let Some((leaf, _)) = self.certificate(data)? {
                let key = leaf.public_key().map_err(|_| malformed())?.clone();
                return Ok(self.use_for(key, Why::Message));
            }
        }
        Err(Error::new(ErrorKind::KeyNotFound))
    }
}

/// The shortest RSA keys that `--legacy` lets pass.
const LEGACY_RSA: u32 = 1024;

/// What is being loaded.
struct Loading {
    ring: KeyRing,
    builder: KeystoreBuilder,
    own: Option<Own>,
}

impl Loading {
    /// Every key and certificate of a file.
    fn file(&mut self, name: Option<&str>, path: &Path, found: Vec<Entry>) -> Result<(), Failure> {
        if found.iter().all(|entry| entry.key.is_none() && entry.public.is_none() && entry.chain.is_empty()) {
            let reason = found.iter().find_map(|entry| entry.unusable.as_ref());
            let reason = reason.map_or("it holds no key".to_owned(), ToString::to_string);
            return Err(Failure::could_not(format_args!("{}: {reason}", path.display())));
        }
        for entry in found {
            let name = name.or(entry.alias.as_deref());
            if let Some(key) = entry.key {
                self.ring.add_private(name, key.clone());
                if let Ok(identity) = Identity::new(key.clone(), entry.chain.clone()) {
                    self.builder = match name {
                        Some(name) => std::mem::take(&mut self.builder).named_identity(name, identity),
                        None => std::mem::take(&mut self.builder).identity(identity),
                    };
                }
                let own = || Own { name: name.map(str::to_owned), key, chain: entry.chain.clone() };
                self.own.get_or_insert_with(own);
            } else {
                // A certificate's key is used as it is; one that leads no further is enough.
                if let Some(key) = entry.chain.first().and_then(|leaf| leaf.public_key().ok()) {
                    self.ring.add_public(name, key.clone());
                }
                for certificate in &entry.chain {
                    self.builder = std::mem::take(&mut self.builder).certificate(certificate.clone());
                }
            }
            if let Some(key) = entry.public {
                self.ring.add_public(name, key);
            }
        }
        Ok(())
    }
}

impl KeyFinder for Keys {
    fn verify_key(&self, hint: &KeyHint<'_>, method: SignatureAlg) -> Result<FoundKey, Error> {
        // A key that was given for this very name, or for everything, needs no path.
        let given = self.ring.verify_key(hint, method);
        if method.is_mac() || (given.is_ok() && self.store.trust().is_empty()) {
            return given;
        }
        let by_path = if self.store.trust().is_empty() { Ok(None) } else { self.trusted(hint) };
        match (by_path, given) {
            (Ok(Some(key)), _) | (_, Ok(key)) => Ok(key),
            (Err(refused), Err(_)) if !self.from_message => Err(refused),
            (_, Err(_)) if self.from_message => self.carried(hint),
            (_, Err(none)) => Err(none),
        }
    }

    fn private_key(&self, hint: &KeyHint<'_>, purpose: PrivatePurpose) -> Result<PrivateKey, Error> {
        for data in hint.x509() {
            let der = data.certificates.iter().map(|der| TokenRef::Der(der));
            for reference in der.chain(references(data)) {
                if let Ok(Some(identity)) = self.store.own_key(&reference) {
                    return Ok(identity.key().clone());
                }
            }
        }
        self.ring.private_key(hint, purpose)
    }

    fn public_key(&self, hint: &KeyHint<'_>) -> Result<PublicKey, Error> {
        for data in hint.x509() {
            if let Some((leaf, _)) = self.certificate(data)? {
                return leaf.public_key().cloned().map_err(|_| Error::new(ErrorKind::BadKeyValue));
            }
        }
        self.ring.public_key(hint)
    }

    fn secret(&self, hint: &KeyHint<'_>, purpose: SecretPurpose) -> Result<SymmetricKey, Error> {
        self.ring.secret(hint, purpose)
    }
}

/// The ways in which an X509Data names a certificate, without carrying it.
fn references(data: &X509Data) -> Vec<TokenRef<'_>> {
    let mut all = Vec::new();
    for pair in &data.issuer_serials {
        all.push(TokenRef::IssuerSerial { issuer: &pair.issuer, serial: &pair.serial });
    }
    all.extend(data.skis.iter().map(|ski| TokenRef::Ski(ski)));
    for (alg, digest) in &data.digests {
        match digest.len() {
            20 => all.push(TokenRef::ThumbprintSha1(digest)),
            32 if alg.short_name() == "sha256" => all.push(TokenRef::ThumbprintSha256(digest)),
            _ => {}
        }
    }
    all.extend(data.subjects.iter().map(|subject| TokenRef::SubjectName(subject)));
    all
}

/// The one certificate of a set that issued none of the others; the first if that is no help.
fn leaf(all: &[Certificate]) -> Option<&Certificate> {
    let issues =
        |one: &Certificate| all.iter().any(|other| other != one && other.issuer_der() == one.subject_der());
    all.iter().find(|certificate| !issues(certificate)).or(all.first())
}

/// `[NAME=]FILE`. A file whose name holds `=` is meant if it is there.
pub(super) fn split(text: &str) -> (Option<&str>, PathBuf) {
    match text.split_once('=') {
        Some((name, file)) if !name.is_empty() && !Path::new(text).exists() => (Some(name), file.into()),
        _ => (None, text.into()),
    }
}
