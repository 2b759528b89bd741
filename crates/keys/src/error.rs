//! The one error type of this crate. No variant carries text from the input, a password or a key.

use std::fmt;

use crate::trust::TrustReason;

/// What went wrong with a key, a certificate, a store or a path.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Error {
    /// Not a time in the form that was asked for.
    BadTime,
    /// The octets are not the DER structure that they should be.
    Encoding {
        /// What was being read, e.g. `certificate serial number`.
        what: &'static str,
    },
    /// A text file holds no usable PEM block, or a broken one.
    Pem {
        /// Line of the file, from 1.
        line: usize,
        /// What is wrong there.
        what: &'static str,
    },
    /// Not a key store or certificate of any kind that is read here.
    UnknownFormat,
    /// The password does not fit (or the file is damaged in a way that cannot be told apart).
    WrongPassword,
    /// The content is encrypted and no password was given.
    PasswordNeeded,
    /// A store whose parts contradict each other or end too early.
    Damaged {
        /// Which part.
        what: &'static str,
    },
    /// Something that exists and is not supported.
    Unsupported {
        /// What it is, e.g. `PKCS#12 protected by a public key`.
        what: &'static str,
    },
    /// More of something than the limit allows.
    TooMuch {
        /// What there is too much of.
        what: &'static str,
        /// The limit that was passed.
        limit: usize,
    },
    /// A key that cannot be used, or an operation on it that failed.
    Key(bartizan_crypto::Error),
    /// The private key does not belong to the certificate beside it.
    KeyMismatch,
    /// An identity without any certificate.
    NoCertificate,
    /// Two different certificates or keys fit one reference; choosing would be guessing.
    Ambiguous,
    /// A distinguished name in text form that cannot be read.
    BadName,
    /// The certificate is not trusted.
    Trust(TrustReason),
    /// A file could not be read.
    Io {
        /// Kind of the failure.
        kind: std::io::ErrorKind,
        /// Which file.
        file: std::path::PathBuf,
    },
    /// A file that would be written is there already.
    Exists {
        /// Which file.
        file: std::path::PathBuf,
    },
    /// A file of a key folder is unusable.
    InFile {
        /// Which file.
        file: std::path::PathBuf,
        /// What is wrong with it.
        error: Box<Error>,
    },
}

impl Error {
    pub(crate) fn encoding(what: &'static str) -> Error {
        Error::Encoding { what }
    }

    pub(crate) fn unsupported(what: &'static str) -> Error {
        Error::Unsupported { what }
    }

    pub(crate) fn damaged(what: &'static str) -> Error {
        Error::Damaged { what }
    }

    /// The trust reason, if this is a refusal of trust.
    #[must_use]
    pub fn trust_reason(&self) -> Option<TrustReason> {
        let mut error = self;
        while let Error::InFile { error: inner, .. } = error {
            error = inner;
        }
        if let Error::Trust(reason) = error { Some(*reason) } else { None }
    }
}

impl From<TrustReason> for Error {
    fn from(reason: TrustReason) -> Error {
        Error::Trust(reason)
    }
}

impl From<bartizan_crypto::Error> for Error {
    fn from(error: bartizan_crypto::Error) -> Error {
        Error::Key(error)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::BadTime => f.write_str("not a time in the expected form"),
            Error::Encoding { what } => write!(f, "not valid DER: {what}"),
            Error::Pem { line, what } => write!(f, "line {line}: {what}"),
            Error::UnknownFormat => {
                f.write_str("not a certificate, key or key store (PEM, DER, PKCS#12, JKS and JCEKS are read)")
            }
            Error::WrongPassword => f.write_str("wrong password, or a damaged store"),
            Error::PasswordNeeded => f.write_str("encrypted, and no password was given"),
            Error::Damaged { what } => write!(f, "damaged: {what}"),
            Error::Unsupported { what } => write!(f, "not supported: {what}"),
            Error::TooMuch { what, limit } => write!(f, "too much: {what} (limit {limit})"),
            Error::Key(error) => write!(f, "key: {error}"),
            Error::KeyMismatch => f.write_str("the private key does not belong to the certificate"),
            Error::NoCertificate => f.write_str("a private key without a certificate"),
            Error::Ambiguous => f.write_str("the reference fits more than one key"),
            Error::BadName => f.write_str("not a distinguished name"),
            Error::Trust(reason) => write!(f, "not trusted: {reason}"),
            Error::Io { kind, file } => write!(f, "{}: {kind}", file.display()),
            Error::Exists { file } => write!(f, "{} exists already", file.display()),
            Error::InFile { file, error } => write!(f, "{}: {error}", file.display()),
        }
    }
}

impl std::error::Error for Error {}
