//! Key stores and key files: PEM, DER, PKCS#8, PKCS#12, JKS and JCEKS, told apart by their contents.
//!
//! Readers take octets and a password and give [`Entry`]s; they decide nothing about trust. [`folder`]
//! is the one place that opens files.

pub mod folder;

use bartizan_crypto::{PrivateKey, PublicKey, Secret};

pub use self::folder::KeyFolder;
use crate::cert::Certificate;
use crate::error::Error;

/// Octets of one store or key file.
pub const MAX_STORE: usize = 16 * 1024 * 1024;

/// A store's password. Erased when dropped, never printed.
pub struct Password(Secret<String>);

impl Password {
    /// Takes the text as it is; a line end from a file must have been cut off before.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Password {
        Password(Secret::new(text.into()))
    }
}

/// One entry of a store: a key with its chain, or certificates alone.
#[derive(Debug, Default)]
pub struct Entry {
    /// Name of the entry in the store; PEM and DER files have none.
    pub alias: Option<String>,
    /// The private key.
    pub key: Option<PrivateKey>,
    /// Set if there is a private key that cannot be used, with the reason (DSA and Ed448, for example).
    pub unusable: Option<Error>,
    /// Certificates, the key's own first; unrelated ones are entries of their own.
    pub chain: Vec<Certificate>,
    /// A public key that stands alone.
    pub public: Option<PublicKey>,
    /// A revocation list in DER.
    pub crl: Option<Vec<u8>>,
    /// A secret key (JCEKS), with its algorithm's name.
    pub secret: Option<(String, Secret)>,
    /// Whether the store says that the certificate is a trusted one.
    pub trusted: bool,
}

/// Reads a file of any supported kind.
///
/// # Errors
/// [`Error::UnknownFormat`] if it is none, [`Error::PasswordNeeded`], [`Error::WrongPassword`],
/// [`Error::Damaged`], [`Error::Unsupported`], [`Error::TooMuch`] beyond [`MAX_STORE`] octets.
pub fn read_any(octets: &[u8], password: Option<&Password>) -> Result<Vec<Entry>, Error> {
    let _ = (octets, password);
    todo!()
}
