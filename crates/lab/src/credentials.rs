//! The keys of both sides, as files that every peer is given: ours made on the spot, or those beside the peers.
//!
//! Not here: what is done with them. Called by `measure`.

use std::fs;
use std::path::{Path, PathBuf};

use bartizan_crypto::random::SystemRandom;
use bartizan_keys::pki::{DemoOptions, DemoPki};
use bartizan_keys::{KeyFolder, Keystore, Time};

use crate::Error;
use crate::error::file;
use crate::scenario::Keys;

/// Smallest RSA key that a run accepts: the period's.
pub const MIN_RSA: u32 = 1024;

/// The password of key sets that `keys.sh` makes.
const CHANGE_IT: &str = "changeit";

/// One kind of keys as files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Credentials {
    /// The folder with certificates and private keys in PEM, PKCS#12 stores, and `ca.pem`.
    pub folder: PathBuf,
    /// The server's name in it.
    pub server: &'static str,
    /// The client's.
    pub client: &'static str,
    /// Password of the PKCS#12 stores. Of throw-away keys: it is no secret.
    pub password: String,
}

impl Credentials {
    /// Makes a demo folder in `work`, or takes the one that a kind of keys before made there.
    ///
    /// # Errors
    /// [`Error::Keys`], [`Error::File`].
    pub fn make(keys: Keys, work: &Path, now: Time) -> Result<Credentials, Error> {
        let (rsa_bits, folder) = match keys {
            Keys::Rsa1024 => (1024, work.join("keys-1024")),
            Keys::Rsa2048 | Keys::P256 => (2048, work.join("keys-2048")),
        };
        if !folder.join("ca.pem").exists() {
            let pki = DemoPki::generate(&DemoOptions { rsa_bits, now, jks: false }, &SystemRandom)?;
            KeyFolder::create(&folder, &pki)?;
        }
        let password = folder.join("password");
        let password = fs::read_to_string(&password).map_err(file(&password))?.trim().to_owned();
        let (server, client) = match keys {
            Keys::Rsa1024 | Keys::Rsa2048 => ("server", "client"),
            Keys::P256 => ("server-ec", "client-ec"),
        };
        Ok(Credentials { folder, server, client, password })
    }

    /// The sets that a peers' folder brings along in `target/keys`, one folder a kind.
    #[must_use]
    pub fn beside(keys: Keys, peers: &Path) -> Option<Credentials> {
        let folder = peers.join("target/keys").join(keys.name());
        folder.join("server.p12").exists().then(|| Credentials {
            folder,
            server: "server",
            client: "client",
            password: CHANGE_IT.to_owned(),
        })
    }

    /// A file of the folder.
    #[must_use]
    pub fn file(&self, name: &str) -> String {
        self.folder.join(name).display().to_string()
    }

    /// The keys of our own client.
    ///
    /// # Errors
    /// [`Error::Keys`].
    pub fn initiator(&self) -> Result<Keystore, Error> {
        Ok(KeyFolder::new(&self.folder).load(self.client, Some(self.server), MIN_RSA)?)
    }

    /// The keys of our own server.
    ///
    /// # Errors
    /// [`Error::Keys`].
    pub fn recipient(&self) -> Result<Keystore, Error> {
        Ok(KeyFolder::new(&self.folder).load(self.server, Some(self.client), MIN_RSA)?)
    }
}
