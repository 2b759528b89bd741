//! The one error of this crate: opaque on purpose.

use core::fmt;

use crate::alg::Alg;

/// Why an operation was refused.
///
/// Everything that depends on secret data or on the octets a peer sent is [`Error::Failed`], with no
/// detail: the difference between two failures is an oracle. The other variants speak only of how the
/// operation was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The operation did not succeed: wrong signature, padding, tag, checksum or length.
    Failed,
    /// The algorithm cannot be used for this operation.
    Unsupported(Alg),
    /// The key is of another kind or length than the algorithm needs.
    WrongKey,
    /// The octets are no key of a form this crate reads.
    MalformedKey,
    /// The key is smaller than this crate accepts.
    KeyTooSmall,
    /// The key is larger than this crate accepts.
    KeyTooLarge,
    /// The text is not strict base64 (white space apart).
    MalformedBase64,
    /// A requested output is longer than the algorithm can give.
    TooLong,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed => f.write_str("the cryptographic operation failed"),
            Self::Unsupported(alg) => write!(f, "{} cannot be used for this operation", alg.short_name()),
            Self::WrongKey => f.write_str("the key does not fit the algorithm"),
            Self::MalformedKey => f.write_str("the octets are no key in a supported form"),
            Self::KeyTooSmall => f.write_str("the key is too small"),
            Self::KeyTooLarge => f.write_str("the key is too large"),
            Self::MalformedBase64 => f.write_str("the text is not strict base64"),
            Self::TooLong => f.write_str("the requested output is too long"),
        }
    }
}

impl std::error::Error for Error {}

impl From<bartizan_crypto_sys::Failure> for Error {
    fn from(_: bartizan_crypto_sys::Failure) -> Self {
        Self::Failed
    }
}

impl From<aws_lc_rs::error::Unspecified> for Error {
    fn from(_: aws_lc_rs::error::Unspecified) -> Self {
        Self::Failed
    }
}
