//! The one error type of this crate.
//!
//! It says what broke between us and a socket. It is mapped to an HTTP status by the
//! gateway and to an exit code by the command line; nothing of it reaches the wire.

use std::fmt;
use std::net::SocketAddr;
use std::time::Duration;

/// What can go wrong on a socket or in HTTP.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A listener's address could not be bound.
    Bind {
        /// The address that was asked for.
        address: SocketAddr,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// A signal handler could not be installed.
    Signal(std::io::Error),
    /// The body is longer than the limit, in bytes.
    BodyTooLarge {
        /// The limit that was exceeded.
        limit: usize,
    },
    /// The memory for large bodies is taken by others.
    BodyMemory,
    /// The body did not arrive within this time.
    BodyTimeout(Duration),
    /// The peer stopped in the middle of a body, or broke its framing.
    BodyBroken(hyper::Error),
    /// The URL has no host.
    UrlWithoutHost,
    /// The URL's scheme is not `http`.
    UrlScheme,
    /// No connection could be made.
    Connect(std::io::Error),
    /// No connection within this time.
    ConnectTimeout(Duration),
    /// The peer did not answer within this time.
    ResponseTimeout(Duration),
    /// The exchange broke on the HTTP level.
    Http(hyper::Error),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Bind { address, source } => write!(f, "cannot listen on {address}: {}", plain(source)),
            Error::Signal(source) => write!(f, "cannot listen to signals: {source}"),
            Error::BodyTooLarge { limit } => write!(f, "the body is longer than {limit} bytes"),
            Error::BodyMemory => f.write_str("no memory is left for large bodies"),
            Error::BodyTimeout(after) => write!(f, "the body did not arrive within {after:?}"),
            Error::BodyBroken(source) => write!(f, "the body broke off: {source}"),
            Error::UrlWithoutHost => f.write_str("the URL names no host"),
            Error::UrlScheme => f.write_str("the URL's scheme is not `http`"),
            Error::Connect(source) => write!(f, "cannot connect: {}", plain(source)),
            Error::ConnectTimeout(after) => write!(f, "no connection within {after:?}"),
            Error::ResponseTimeout(after) => write!(f, "no answer within {after:?}"),
            Error::Http(source) => write!(f, "the HTTP exchange broke: {source}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Bind { source, .. } | Error::Signal(source) | Error::Connect(source) => Some(source),
            Error::BodyBroken(source) | Error::Http(source) => Some(source),
            Error::BodyTooLarge { .. }
            | Error::BodyMemory
            | Error::BodyTimeout(_)
            | Error::UrlWithoutHost
            | Error::UrlScheme
            | Error::ConnectTimeout(_)
            | Error::ResponseTimeout(_) => None,
        }
    }
}

/// What the operating system said, without its number.
#[must_use]
pub fn plain(error: &std::io::Error) -> String {
    let text = error.to_string();
    match text.split_once(" (os error") {
        Some((words, _)) => words.to_lowercase(),
        None => text,
    }
}
