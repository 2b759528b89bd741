//! A configured key set → a [`Keystore`]. Also what the command line's key options become,
//! so that both mean the same.

pub mod merlin;
mod properties;

use std::fs;
use std::ops::Range;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use bartizan_keys::store::{Entry, Format, KeyFolder, Password, detect, read_any};
use bartizan_keys::{Certificate, ChainAlgorithms, Identity, Keystore, KeystoreBuilder, TrustStore};

use crate::config::{KeySet, Secret};
use crate::error::Problem;

/// Which names a folder of keys has for us and for the other side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// `client` towards `server`.
    Initiator,
    /// `server` towards `client`.
    Recipient,
}

impl Role {
    /// Our name and the other side's.
    pub fn names(self) -> (&'static str, &'static str) {
        match self {
            Role::Initiator => ("client", "server"),
            Role::Recipient => ("server", "client"),
        }
    }
}

/// Smallest RSA modulus unless something else is said, in bits.
pub const MIN_RSA: u32 = 2048;

/// Asks for a store's password when the key set names none; `None` if nobody can be asked.
pub type Ask<'a> = &'a dyn Fn(&Path) -> Option<String>;

/// Loads a key set.
///
/// # Errors
/// [`Problem::Read`], [`Problem::Keys`] with the file that is to blame, [`Problem::EnvUnset`].
pub fn load(set: &KeySet, role: Role, ask: Ask<'_>) -> Result<Keystore, Problem> {
    let (us, them) = role.names();
    let us = set.name.as_deref().unwrap_or(us);
    let them = set.peer_name.as_deref().unwrap_or(them);
    let min_rsa = set.min_rsa.unwrap_or(MIN_RSA);
    if let Some(path) = &set.merlin {
        return merlin::Merlin::read(path)?.load(set, min_rsa, set.algorithms());
    }
    let Some(folder) = &set.folder else { return assemble(set, min_rsa, ask) };
    if set.adds_nothing_to_folder() {
        let failed = |source| Problem::Keys { path: folder.clone(), source };
        // The other side may be unknown, as for a server that answers whoever is trusted.
        let known = set.peer_name.is_some() || folder.join(format!("{them}.pem")).exists();
        return KeyFolder::new(folder).load(us, known.then_some(them), min_rsa).map_err(failed);
    }
    assemble(&set.with_folder_spelt_out(folder, us, them), min_rsa, ask)
}

/// The files of a set that are named and cannot be opened, each with the place where it is named, in their order.
pub fn unreadable(set: &KeySet) -> Vec<(Problem, Range<usize>)> {
    let mut missing: Vec<_> = set
        .places
        .iter()
        .filter(|named| set.folder.as_ref() != Some(&named.value))
        .filter_map(|named| {
            let source = fs::File::open(&named.value).err()?;
            Some((Problem::Read { path: named.value.clone(), source }, named.at.clone()))
        })
        .collect();
    missing.sort_by_key(|(_, at)| at.start);
    missing
}

/// Where in the configuration the file is named that a problem is about; the set's own place otherwise.
pub fn place(set: &KeySet, problem: &Problem) -> Range<usize> {
    let path = match problem {
        Problem::Read { path, .. }
        | Problem::Keys { path, .. }
        | Problem::NoStore { path, .. }
        | Problem::NoKey(path)
        | Problem::NoCertificate(path)
        | Problem::NoCrl(path)
        | Problem::KeyExposed(path) => path,
        _ => return set.at.clone(),
    };
    let named = set.places.iter().find(|named| path.starts_with(&named.value));
    named.map_or(set.at.clone(), |named| named.at.clone())
}

/// Files of our private key, or of the password that opens it, that everybody can read, or that others than the owner can write. A group
/// may read: that is how a service gets a key that is not its own.
pub fn exposed(set: &KeySet, role: Role) -> Vec<PathBuf> {
    let us = set.name.as_deref().unwrap_or(role.names().0);
    let stores = || set.pkcs12.iter().chain(&set.jks);
    let alone = set.certificate.is_none() && stores().next().is_none();
    let folder = set.folder.as_ref().filter(|_| alone);
    let in_folder = folder.map(|folder| folder.join(format!("{us}.key")));
    // Without a file of its own the key stands beside the certificate.
    let key = set.private_key.as_ref().or(set.certificate.as_ref());
    let passwords: Vec<PathBuf> = match &set.password {
        Some(Secret::File(path)) => vec![path.clone()],
        Some(Secret::Env(_)) => Vec::new(),
        None => stores().map(|store| store.with_file_name(BESIDE)).collect(),
    };
    let files = key.into_iter().chain(stores()).cloned().chain(in_folder).chain(passwords);
    let open = |path: &PathBuf| fs::metadata(path).is_ok_and(|file| file.permissions().mode() & 0o026 != 0);
    files.filter(open).collect()
}

impl KeySet {
    /// Which algorithms certificate paths may use.
    fn algorithms(&self) -> ChainAlgorithms {
        // Authorities of the time of small keys signed with SHA-1, too.
        let legacy = self.legacy || self.min_rsa.is_some_and(|bits| bits < MIN_RSA);
        if legacy { ChainAlgorithms::Legacy } else { ChainAlgorithms::Modern }
    }

    fn adds_nothing_to_folder(&self) -> bool {
        let only = KeySet {
            folder: self.folder.clone(),
            name: self.name.clone(),
            peer_name: self.peer_name.clone(),
            min_rsa: self.min_rsa,
            places: self.places.clone(),
            at: self.at.clone(),
            ..KeySet::default()
        };
        *self == only
    }

    /// The files of a folder beside those that are named in so many words.
    fn with_folder_spelt_out(&self, folder: &Path, us: &str, them: &str) -> KeySet {
        let mut set = self.clone();
        let file = |name: String| folder.join(name);
        if set.certificate.is_none() && set.pkcs12.is_none() && set.jks.is_none() {
            set.certificate = Some(file(format!("{us}.pem")));
            set.private_key = Some(file(format!("{us}.key")));
        }
        if set.peers.is_empty() {
            set.peers.extend(Some(file(format!("{them}.pem"))).filter(|path| path.exists()));
        }
        if set.trust.is_empty() {
            set.trust.push(file("ca.pem".to_owned()));
            set.revocation.extend(Some(file("ca.crl".to_owned())).filter(|path| path.exists()));
        }
        set.password = set
            .password
            .or_else(|| Some(file("password".to_owned())).filter(|p| p.exists()).map(Secret::File));
        set
    }
}

/// Puts a key store together from single files.
fn assemble(set: &KeySet, min_rsa: u32, ask: Ask<'_>) -> Result<Keystore, Problem> {
    let mut builder = Keystore::builder().min_rsa(min_rsa);
    if let Some(path) = &set.certificate {
        builder = builder.identity(identity(path, set.private_key.as_deref(), set, ask)?);
    }
    let pkcs12 = set.pkcs12.iter().map(|path| (path, Store::Pkcs12));
    for (path, kind) in pkcs12.chain(set.jks.iter().map(|path| (path, Store::Java))) {
        builder = store(builder, path, store_entries(path, kind, set, ask)?)?;
    }
    for (at, path) in set.peers.iter().enumerate() {
        for (nth, certificate) in certificates(path, set, ask)?.into_iter().enumerate() {
            // The first of the first file is whom we encrypt to; all are known by name.
            builder = if (at, nth) == (0, 0) {
                builder.peer(certificate)
            } else {
                builder.certificate(certificate)
            };
        }
    }
    let builder = builder.trust(trust(set, ask)?);
    builder.build().map_err(|source| Problem::Keys { path: set.any_file(), source })
}

impl KeySet {
    /// A file to name where no single one is to blame.
    fn any_file(&self) -> PathBuf {
        let files = self.certificate.iter().chain(&self.pkcs12).chain(&self.jks).chain(&self.trust);
        files.chain(&self.peers).next().cloned().unwrap_or_default()
    }
}

/// Our certificate and its key from two PEM files (or one that holds both).
fn identity(path: &Path, key: Option<&Path>, set: &KeySet, ask: Ask<'_>) -> Result<Identity, Problem> {
    let chain = certificates(path, set, ask)?;
    let key_path = key.unwrap_or(path);
    let key = entries(key_path, set, ask)?.into_iter().find_map(|entry| entry.key);
    let failed = |path: &Path, source| Problem::Keys { path: path.to_owned(), source };
    let key = key.ok_or_else(|| Problem::NoKey(key_path.to_owned()))?;
    Identity::new(key, chain).map_err(|source| failed(key_path, source))
}

/// Everything of a key store: identities, certificates.
fn store(mut builder: KeystoreBuilder, path: &Path, entries: Vec<Entry>) -> Result<KeystoreBuilder, Problem> {
    for entry in entries {
        let failed = |source| Problem::Keys { path: path.to_owned(), source };
        match (entry.key, entry.alias) {
            (Some(key), Some(alias)) => {
                builder = builder.named_identity(&alias, Identity::new(key, entry.chain).map_err(failed)?);
            }
            (Some(key), None) => builder = builder.identity(Identity::new(key, entry.chain).map_err(failed)?),
            (None, alias) => {
                for certificate in entry.chain {
                    builder = match &alias {
                        Some(alias) => builder.named_certificate(alias, certificate),
                        None => builder.certificate(certificate),
                    };
                }
            }
        }
    }
    Ok(builder)
}

/// Anchors, intermediates and revocation lists of a set.
///
/// # Errors
/// As [`load`].
pub fn trust(set: &KeySet, ask: Ask<'_>) -> Result<TrustStore, Problem> {
    trust_under(set, set.algorithms(), ask)
}

/// As [`trust`], with the algorithms of certificate paths named.
///
/// # Errors
/// As [`load`].
pub fn trust_under(set: &KeySet, algorithms: ChainAlgorithms, ask: Ask<'_>) -> Result<TrustStore, Problem> {
    let mut trust = TrustStore::builder().algorithms(algorithms);
    for path in &set.trust {
        for certificate in certificates(path, set, ask)? {
            trust = trust.anchor(certificate);
        }
    }
    for path in &set.untrusted {
        for certificate in certificates(path, set, ask)? {
            trust = trust.intermediate(certificate);
        }
    }
    for path in &set.revocation {
        let failed = |source| Problem::Keys { path: path.clone(), source };
        let lists: Vec<Vec<u8>> =
            entries(path, set, ask)?.into_iter().filter_map(|entry| entry.crl).collect();
        if lists.is_empty() {
            return Err(Problem::NoCrl(path.clone()));
        }
        for list in lists {
            trust = trust.crl(&list).map_err(failed)?;
        }
    }
    Ok(trust.build())
}

/// The certificates of a file; at least one.
fn certificates(path: &Path, set: &KeySet, ask: Ask<'_>) -> Result<Vec<Certificate>, Problem> {
    let found: Vec<Certificate> =
        entries(path, set, ask)?.into_iter().flat_map(|entry| entry.chain).collect();
    if found.is_empty() { Err(Problem::NoCertificate(path.to_owned())) } else { Ok(found) }
}

/// What a file may be named as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Store {
    /// PKCS#12.
    Pkcs12,
    /// A store of Java: JKS, JCEKS, or PKCS#12, as Java makes them today.
    Java,
}

impl Store {
    fn takes(self, format: Format) -> bool {
        match format {
            Format::Pkcs12 => true,
            Format::Jks | Format::Jceks => self == Store::Java,
            _ => false,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Store::Pkcs12 => "PKCS#12 store",
            Store::Java => "Java key store",
        }
    }
}

/// What a file holds. Its password is looked for only when the file needs one.
///
/// # Errors
/// [`Problem::Read`], [`Problem::Keys`], [`Problem::EnvUnset`].
pub fn entries(path: &Path, set: &KeySet, ask: Ask<'_>) -> Result<Vec<Entry>, Problem> {
    read_entries(path, None, set, ask)
}

/// As [`entries`], of a file that is named as a store: one that is something else is a mistake.
///
/// # Errors
/// As [`entries`], and [`Problem::NoStore`].
pub fn store_entries(path: &Path, kind: Store, set: &KeySet, ask: Ask<'_>) -> Result<Vec<Entry>, Problem> {
    read_entries(path, Some(kind), set, ask)
}

fn read_entries(path: &Path, kind: Option<Store>, set: &KeySet, ask: Ask<'_>) -> Result<Vec<Entry>, Problem> {
    let octets = fs::read(path).map_err(|source| Problem::Read { path: path.to_owned(), source })?;
    if let Some(kind) = kind
        && detect(&octets).is_some_and(|format| !kind.takes(format))
    {
        return Err(Problem::NoStore { path: path.to_owned(), wanted: kind.name() });
    }
    let failed = |source| Problem::Keys { path: path.to_owned(), source };
    match read_any(&octets, None) {
        Err(bartizan_keys::Error::PasswordNeeded) => {}
        other => return other.map_err(failed),
    }
    let password = match &set.password {
        Some(secret) => Some(reveal(secret)?),
        None => beside(path).or_else(|| ask(path)),
    };
    let password = password.map(Password::new);
    read_any(&octets, password.as_ref()).map_err(failed)
}

/// The name of the file with the password of the stores beside it.
const BESIDE: &str = "password";

/// The `password` file in the folder of a demo store.
fn beside(path: &Path) -> Option<String> {
    let beside = path.with_file_name(BESIDE);
    fs::read_to_string(beside).ok().map(|text| first_line(&text))
}

/// The secret itself.
///
/// # Errors
/// [`Problem::Read`], [`Problem::EnvUnset`].
pub fn reveal(secret: &Secret) -> Result<String, Problem> {
    match secret {
        Secret::File(path) => fs::read_to_string(path)
            .map(|text| first_line(&text))
            .map_err(|source| Problem::Read { path: path.clone(), source }),
        Secret::Env(name) => std::env::var(name).map_err(|_| Problem::EnvUnset { name: name.clone() }),
    }
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}
