//! Key stores and key files: PEM, DER, PKCS#8, PKCS#12, JKS and JCEKS, told apart by their contents.
//!
//! Readers take octets and a password and give [`Entry`]s; they decide nothing about trust. [`folder`]
//! is the one place that opens files. Sizes, counts, nesting and iterations are bounded, and octets that
//! were decrypted are erased when dropped.

mod assemble;
mod file;
pub mod folder;
mod java;
mod jks;
mod p12;
mod pbe;
mod pem;
pub(crate) mod write;

use bartizan_crypto::{PrivateKey, PublicKey, Secret};
use zeroize::Zeroizing;

pub use self::assemble::{certificates, crls, identities, pair};
pub use self::file::{Format, detect};
pub use self::folder::KeyFolder;
use crate::cert::Certificate;
use crate::error::Error;

/// Octets of one store or key file.
pub const MAX_STORE: usize = 16 * 1024 * 1024;
/// Entries of one store.
pub const MAX_ENTRIES: usize = 10_000;

/// A store's password. Erased when dropped, never printed.
pub struct Password(Zeroizing<String>);

impl Password {
    /// Takes the text as it is; a line end from a file must have been cut off before.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Password {
        Password(Zeroizing::new(text.into()))
    }

    /// UTF-8, as PKCS#5 and OpenSSL want it.
    pub(crate) fn octets(&self) -> &[u8] {
        self.0.as_bytes()
    }

    /// UTF-16 big-endian, as JKS wants it.
    pub(crate) fn utf16(&self) -> Zeroizing<Vec<u8>> {
        // Two octets for every octet of UTF-8 are always enough: no growth leaves a copy behind.
        let mut octets = Zeroizing::new(Vec::with_capacity(2 * self.0.len() + 2));
        for unit in self.0.encode_utf16() {
            octets.extend_from_slice(&unit.to_be_bytes());
        }
        octets
    }

    /// The forms that PKCS#12 derivations may have been given: UTF-16 with a terminator and, for the
    /// empty password, nothing at all.
    pub(crate) fn bmp_candidates(&self) -> Vec<Zeroizing<Vec<u8>>> {
        let mut terminated = self.utf16();
        terminated.extend_from_slice(&[0, 0]);
        let mut candidates = vec![terminated];
        if self.0.is_empty() {
            candidates.push(Zeroizing::new(Vec::new()));
        }
        candidates
    }

    /// ASCII, which is all that Sun's JCEKS derivation takes.
    pub(crate) fn ascii(&self) -> Result<Zeroizing<Vec<u8>>, Error> {
        if self.0.is_ascii() {
            Ok(Zeroizing::new(self.0.as_bytes().to_vec()))
        } else {
            Err(Error::WrongPassword)
        }
    }
}

impl std::fmt::Debug for Password {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Password")
    }
}

/// One entry of a store: a key with its chain, or a certificate, public key, revocation list or secret.
#[derive(Debug, Default)]
pub struct Entry {
    /// Name of the entry in the store; PEM and DER files have none.
    pub alias: Option<String>,
    /// The private key.
    pub key: Option<PrivateKey>,
    /// Set if there is a private key or certificate that cannot be used, with the reason: private keys
    /// of DSA, for example.
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

/// Reads a file of any supported kind. The password opens the store and, in JKS and JCEKS, its keys.
///
/// # Errors
/// [`Error::UnknownFormat`] if it is none, [`Error::PasswordNeeded`], [`Error::WrongPassword`],
/// [`Error::Damaged`], [`Error::Unsupported`], [`Error::TooMuch`] beyond [`MAX_STORE`] octets or
/// [`MAX_ENTRIES`] entries.
pub fn read_any(octets: &[u8], password: Option<&Password>) -> Result<Vec<Entry>, Error> {
    read_with(octets, password, password)
}

/// [`read_any`] for JKS and JCEKS stores whose keys have a password of their own.
///
/// # Errors
/// As there.
pub fn read_with(
    octets: &[u8],
    password: Option<&Password>,
    key_password: Option<&Password>,
) -> Result<Vec<Entry>, Error> {
    if octets.len() > MAX_STORE {
        return Err(Error::TooMuch { what: "octets of a key store", limit: MAX_STORE });
    }
    match detect(octets).ok_or(Error::UnknownFormat)? {
        Format::Pem => pem::read(octets, password),
        Format::Pkcs12 => p12::read(octets, password),
        Format::Jks | Format::Jceks => jks::read(octets, password, key_password),
        Format::Der => file::read_der(octets, password).map(|entry| vec![entry]),
    }
}

pub(crate) fn too_many_entries() -> Error {
    Error::TooMuch { what: "entries of a key store", limit: MAX_ENTRIES }
}

#[cfg(test)]
mod tests;
