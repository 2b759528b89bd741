//! The demo PKI: an authority and the identities that examples, tests and the first run use.

use bartizan_crypto::Secret;
use bartizan_crypto::random::Random;

use crate::error::Error;
use crate::time::Time;

/// What to make.
#[derive(Clone, Copy, Debug)]
pub struct DemoOptions {
    /// Bits of the RSA keys: 2048, or 1024 for the period.
    pub rsa_bits: u32,
    /// The present.
    pub now: Time,
    /// Whether to make `server.jks` and `client.jks` too.
    pub jks: bool,
}

/// Who may read a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// Everybody: certificates and revocation lists (0644).
    Public,
    /// The owner: keys, stores and the password (0600).
    Private,
}

/// One file of the folder.
#[derive(Debug)]
pub struct DemoFile {
    /// Name within the folder.
    pub name: String,
    /// Contents, erased when dropped.
    pub contents: Secret,
    /// Who may read it.
    pub mode: Mode,
}

/// A demo PKI in memory; writing the files is the caller's.
#[derive(Debug)]
pub struct DemoPki {
    /// All files of the folder, in the order in which they should be written.
    pub files: Vec<DemoFile>,
}

impl DemoPki {
    /// Makes keys and certificates. Twelve RSA or EC keys are generated: seconds for RSA-2048.
    ///
    /// # Errors
    /// [`Error::Key`] if a key cannot be made with this size.
    pub fn generate(options: &DemoOptions, random: &dyn Random) -> Result<DemoPki, Error> {
        let _ = (options, random);
        todo!()
    }
}
