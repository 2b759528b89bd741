//! The one error type of this crate.

use std::fmt;
use std::path::PathBuf;

/// Why a measurement could not be made. A slow result is no error.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A cryptographic primitive refused what the lab gave it.
    Crypto(bartizan_crypto::Error),
    /// A file or folder could not be read or written.
    File {
        /// Which one.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Crypto(error) => write!(f, "the bare cryptography: {error}"),
            Error::File { path, source } => write!(f, "{}: {source}", path.display()),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Crypto(error) => Some(error),
            Error::File { source, .. } => Some(source),
        }
    }
}

impl From<bartizan_crypto::Error> for Error {
    fn from(error: bartizan_crypto::Error) -> Error {
        Error::Crypto(error)
    }
}
