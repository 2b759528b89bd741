//! A folder as `keys demo` makes it: `ca.pem`, `ca.crl`, `NAME.pem`, `NAME.key`, `NAME.p12`, `password`.
//!
//! The one place of this crate that touches files.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use zeroize::Zeroizing;

use super::{Entry, MAX_STORE, Password, certificates, crls, identities, pair, read_any};
use crate::cert::Certificate;
use crate::error::Error;
use crate::keystore::{DEFAULT_MIN_RSA, Identity, Keystore};
use crate::pki::{DemoPki, Mode};
use crate::trust::TrustStore;

/// Certificates of a folder that are known besides the ones that were asked for.
const MAX_KNOWN: usize = 1000;

/// A folder of keys.
#[derive(Clone, Debug)]
pub struct KeyFolder {
    path: PathBuf,
}

impl KeyFolder {
    /// The folder at `path`; nothing is read yet.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> KeyFolder {
        KeyFolder { path: path.into() }
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a demo PKI, making the folder if need be. Private files are readable by their owner only.
    ///
    /// # Errors
    /// [`Error::Exists`] if any of the files is there already: then nothing was written. [`Error::Io`].
    pub fn create(path: impl Into<PathBuf>, pki: &DemoPki) -> Result<KeyFolder, Error> {
        let folder = KeyFolder::new(path);
        let taken = pki.files.iter().map(|file| folder.path.join(&file.name)).find(|file| file.exists());
        if let Some(file) = taken {
            return Err(Error::Exists { file });
        }
        fs::create_dir_all(&folder.path).map_err(|error| io(&error, &folder.path))?;
        for file in &pki.files {
            let path = folder.path.join(&file.name);
            let result = file.contents.expose(|contents| create_file(&path, file.mode, contents));
            result.map_err(|error| io(&error, &path))?;
        }
        Ok(folder)
    }

    /// Reads the keys to act as `as_name` towards `peer_name`, trusting `ca.pem`, with `ca.crl` if it is
    /// there. The other certificates of the folder are known, for references in messages, and only as
    /// good as their path. RSA keys have at least `min_rsa` bits.
    ///
    /// # Errors
    /// [`Error::Io`] for a file that cannot be read, [`Error::InFile`] for one that cannot be used.
    pub fn load(&self, as_name: &str, peer_name: Option<&str>, min_rsa: u32) -> Result<Keystore, Error> {
        load(self, as_name, peer_name, min_rsa)
    }

    /// The password of the folder's stores, from its file `password`.
    ///
    /// # Errors
    /// [`Error::Io`] for another reason than that the file is missing; [`Error::InFile`] if it is no text.
    pub fn password(&self) -> Result<Option<Password>, Error> {
        password(self)
    }
}

impl Keystore {
    /// [`KeyFolder::load`] with the default of 2048 bits.
    ///
    /// # Errors
    /// As there.
    pub fn from_folder(dir: &Path, as_name: &str, peer_name: Option<&str>) -> Result<Keystore, Error> {
        KeyFolder::new(dir).load(as_name, peer_name, DEFAULT_MIN_RSA)
    }
}

impl DemoPki {
    /// What [`KeyFolder::load`] would read if the files were written: for tests and `demo`.
    ///
    /// # Errors
    /// As there.
    pub fn keystore(&self, as_name: &str, peer_name: Option<&str>, min_rsa: u32) -> Result<Keystore, Error> {
        load(self, as_name, peer_name, min_rsa)
    }
}

/// Where the files come from.
trait Source {
    /// The file of this name; `None` if there is none.
    fn read(&self, name: &str) -> Result<Option<Zeroizing<Vec<u8>>>, Error>;
    /// All names, sorted.
    fn names(&self) -> Result<Vec<String>, Error>;
    /// What to call the file in an error.
    fn path(&self, name: &str) -> PathBuf;
}

impl Source for KeyFolder {
    fn read(&self, name: &str) -> Result<Option<Zeroizing<Vec<u8>>>, Error> {
        let path = self.path.join(name);
        let size = match fs::metadata(&path) {
            Ok(facts) => facts.len(),
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(io(&error, &path)),
        };
        if usize::try_from(size).map_or(true, |size| size > MAX_STORE) {
            let error = Box::new(Error::TooMuch { what: "octets of a key file", limit: MAX_STORE });
            return Err(Error::InFile { file: path, error });
        }
        fs::read(&path).map(|octets| Some(Zeroizing::new(octets))).map_err(|error| io(&error, &path))
    }

    fn names(&self) -> Result<Vec<String>, Error> {
        let entries = fs::read_dir(&self.path).map_err(|error| io(&error, &self.path))?;
        let mut names: Vec<String> =
            entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
        names.sort();
        Ok(names)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }
}

impl Source for DemoPki {
    fn read(&self, name: &str) -> Result<Option<Zeroizing<Vec<u8>>>, Error> {
        let file = self.files.iter().find(|file| file.name == name);
        Ok(file.map(|file| file.contents.expose(|contents| Zeroizing::new(contents.clone()))))
    }

    fn names(&self) -> Result<Vec<String>, Error> {
        let mut names: Vec<String> = self.files.iter().map(|file| file.name.clone()).collect();
        names.sort();
        Ok(names)
    }

    fn path(&self, name: &str) -> PathBuf {
        PathBuf::from(name)
    }
}

fn load(
    source: &dyn Source,
    as_name: &str,
    peer_name: Option<&str>,
    min_rsa: u32,
) -> Result<Keystore, Error> {
    let mut trust = TrustStore::builder();
    for anchor in certificates(&entries(source, "ca.pem", None)?) {
        trust = trust.anchor(anchor);
    }
    if source.read("ca.crl")?.is_some() {
        for crl in crls(&entries(source, "ca.crl", None)?) {
            trust = trust.crl(crl).map_err(|error| in_file(source, "ca.crl", error))?;
        }
    }
    let mut keystore = Keystore::builder()
        .trust(trust.build())
        .min_rsa(min_rsa)
        .named_identity(as_name, identity(source, as_name)?);
    if let Some(peer) = peer_name {
        let certificate = leaf(source, &format!("{peer}.pem"))?;
        keystore = keystore.named_certificate(peer, certificate.clone()).peer(certificate);
    }
    let others = source.names()?.into_iter().filter(|name| name.ends_with(".pem") && name != "ca.pem");
    for file in others.take(MAX_KNOWN) {
        // A file that nobody asked for may be anything.
        if let (Ok(certificate), Some(name)) = (leaf(source, &file), file.strip_suffix(".pem")) {
            keystore = keystore.named_certificate(name, certificate);
        }
    }
    keystore.build()
}

/// From `NAME.pem` and `NAME.key`, or from `NAME.p12`.
fn identity(source: &dyn Source, name: &str) -> Result<Identity, Error> {
    let (key, store) = (format!("{name}.key"), format!("{name}.p12"));
    if source.read(&key)?.is_none() && source.read(&store)?.is_some() {
        let password = password(source)?;
        let entries = entries(source, &store, password.as_ref())?;
        let first = identities(&entries).map_err(|error| in_file(source, &store, error))?.into_iter().next();
        return first
            .map(|(_, identity)| identity)
            .ok_or_else(|| in_file(source, &store, Error::NoCertificate));
    }
    let password = password(source)?;
    let keys = entries(source, &key, password.as_ref())?;
    let mut chain = entries(source, &format!("{name}.pem"), None)?;
    // The authority completes the chain, for tokens that carry all of it.
    chain.append(&mut entries(source, "ca.pem", None)?);
    pair(&keys, &chain).map_err(|error| in_file(source, &key, error))
}

fn leaf(source: &dyn Source, name: &str) -> Result<Certificate, Error> {
    let found = certificates(&entries(source, name, None)?);
    found.into_iter().next().ok_or_else(|| in_file(source, name, Error::NoCertificate))
}

fn entries(source: &dyn Source, name: &str, password: Option<&Password>) -> Result<Vec<Entry>, Error> {
    let missing = || Error::Io { kind: ErrorKind::NotFound, file: source.path(name) };
    let octets = source.read(name)?.ok_or_else(missing)?;
    read_any(&octets, password).map_err(|error| in_file(source, name, error))
}

fn password(source: &dyn Source) -> Result<Option<Password>, Error> {
    let Some(octets) = source.read("password")? else { return Ok(None) };
    let text = std::str::from_utf8(&octets);
    let text = text.map_err(|_| in_file(source, "password", Error::encoding("password")))?;
    Ok(Some(Password::new(text.trim_end_matches(['\r', '\n']))))
}

fn in_file(source: &dyn Source, name: &str, error: Error) -> Error {
    Error::InFile { file: source.path(name), error: Box::new(error) }
}

fn io(error: &std::io::Error, file: &Path) -> Error {
    Error::Io { kind: error.kind(), file: file.to_owned() }
}

fn create_file(path: &Path, mode: Mode, contents: &[u8]) -> std::io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(match mode {
            Mode::Public => 0o644,
            Mode::Private => 0o600,
        });
    }
    #[cfg(not(unix))]
    let _ = mode;
    options.open(path)?.write_all(contents)
}
