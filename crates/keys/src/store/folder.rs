//! A folder as `keys demo` makes it: `ca.pem`, `ca.crl`, `NAME.pem`, `NAME.key`.

use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::keystore::Keystore;

/// A folder of demo keys and how to act in it.
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

    /// Reads the keys to act as `as_name` towards `peer_name`, trusting `ca.pem` with `ca.crl` if it is
    /// there. RSA keys have at least `min_rsa` bits.
    ///
    /// # Errors
    /// [`Error::Io`] for a file that cannot be read, [`Error::InFile`] for one that cannot be used.
    pub fn load(&self, as_name: &str, peer_name: Option<&str>, min_rsa: u32) -> Result<Keystore, Error> {
        let _ = (as_name, peer_name, min_rsa);
        todo!()
    }
}

impl Keystore {
    /// [`KeyFolder::load`] with the default of 2048 bits.
    ///
    /// # Errors
    /// As there.
    pub fn from_folder(dir: &Path, as_name: &str, peer_name: Option<&str>) -> Result<Keystore, Error> {
        KeyFolder::new(dir).load(as_name, peer_name, crate::keystore::DEFAULT_MIN_RSA)
    }
}
