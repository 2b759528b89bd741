//! The one error type of this crate.

use std::fmt;
use std::path::PathBuf;

use bartizan_policy::Diagnostic;

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
    /// Keys could not be made or read.
    Keys(bartizan_keys::Error),
    /// A policy of the lab cannot be compiled.
    Policy(Vec<Diagnostic>),
    /// Our own client could not secure a request.
    Secure(bartizan_wss::Error),
    /// Our own exchange, which the floor is taken from, does not verify.
    Exchange(Box<bartizan_wss::Reject>),
    /// A message of the lab is none.
    Soap(bartizan_soap::Error),
    /// A command could not be started.
    Start {
        /// Which one.
        command: Box<str>,
        /// What the system said.
        source: std::io::Error,
    },
    /// A process ended, or did not say in time that it is ready.
    NotReady {
        /// Its name.
        process: Box<str>,
        /// Its last words, or how long it was waited for.
        said: Box<str>,
    },
    /// The facts of a running process cannot be read, most often because it ended.
    Gone {
        /// Its name.
        process: Box<str>,
        /// Its last words.
        said: Box<str>,
    },
    /// A server cannot be reached.
    Connect {
        /// Which one.
        process: Box<str>,
        /// What the system said.
        source: std::io::Error,
    },
    /// A peer that was asked for by name is not there.
    Missing {
        /// Which one.
        peer: &'static str,
        /// How to get it.
        how: Box<str>,
    },
    /// A record does not read as one.
    Record {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// What is wrong with it.
        wrong: RecordFlaw,
    },
}

/// What is wrong with a line of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordFlaw {
    /// The heading lacks a column.
    Column(&'static str),
    /// A value does not read as what its column holds.
    Value(&'static str),
    /// Another number of values than the heading has.
    Width,
    /// A quoted value does not end.
    Quote,
    /// There is no row.
    Empty,
}

impl fmt::Display for RecordFlaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RecordFlaw::Column(name) => write!(f, "there is no column `{name}`"),
            RecordFlaw::Value(name) => write!(f, "the value of `{name}` cannot be read"),
            RecordFlaw::Width => f.write_str("another number of values than the heading has"),
            RecordFlaw::Quote => f.write_str("a quoted value does not end"),
            RecordFlaw::Empty => f.write_str("there is no row"),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Crypto(error) => write!(f, "the bare cryptography: {error}"),
            Error::File { path, source } => write!(f, "{}: {source}", path.display()),
            Error::Keys(error) => write!(f, "keys of the lab: {error}"),
            Error::Policy(problems) => {
                f.write_str("a policy of the lab cannot be compiled")?;
                problems.iter().filter(|p| p.is_error()).try_for_each(|p| write!(f, "; {}", p.problem))
            }
            Error::Secure(error) => write!(f, "a request cannot be secured: {error}"),
            Error::Exchange(reject) => write!(f, "our own exchange is refused: {reject}"),
            Error::Soap(error) => write!(f, "a message of the lab: {error}"),
            Error::Start { command, source } => write!(f, "cannot start {command}: {source}"),
            Error::NotReady { process, said } => write!(f, "{process} is not ready: {said}"),
            Error::Gone { process, said } => write!(f, "{process} is gone: {said}"),
            Error::Connect { process, source } => write!(f, "cannot connect to {process}: {source}"),
            Error::Missing { peer, how } => write!(f, "the peer {peer} is missing: {how}"),
            Error::Record { path, line, wrong } => write!(f, "{}:{line}: {wrong}", path.display()),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Crypto(error) => Some(error),
            Error::File { source, .. } | Error::Start { source, .. } | Error::Connect { source, .. } => {
                Some(source)
            }
            Error::Keys(error) => Some(error),
            Error::Secure(error) => Some(error),
            Error::Exchange(reject) => Some(reject.as_ref()),
            Error::Soap(error) => Some(error),
            Error::Policy(_)
            | Error::NotReady { .. }
            | Error::Gone { .. }
            | Error::Missing { .. }
            | Error::Record { .. } => None,
        }
    }
}

impl From<bartizan_crypto::Error> for Error {
    fn from(error: bartizan_crypto::Error) -> Error {
        Error::Crypto(error)
    }
}

impl From<bartizan_keys::Error> for Error {
    fn from(error: bartizan_keys::Error) -> Error {
        Error::Keys(error)
    }
}

impl From<bartizan_soap::Error> for Error {
    fn from(error: bartizan_soap::Error) -> Error {
        Error::Soap(error)
    }
}

impl From<bartizan_wss::Error> for Error {
    fn from(error: bartizan_wss::Error) -> Error {
        Error::Secure(error)
    }
}

/// For `map_err` on a file.
pub(crate) fn file(path: &std::path::Path) -> impl FnOnce(std::io::Error) -> Error + use<> {
    let path = path.to_owned();
    move |source| Error::File { path, source }
}
