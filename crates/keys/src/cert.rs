//! One X.509 certificate and the facts in it that references, paths and people ask for.
//!
//! This is a reader, not a judge: whether a certificate is trusted, valid now or allowed to sign is
//! decided in [`crate::trust`]. The DER octets are kept as they came, because thumbprints, tokens and
//! signatures speak of exactly those. `wss` reads tokens with it, the stores read files with it.

pub(crate) mod decimal;
pub(crate) mod extension;
pub(crate) mod name;
mod parse;

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};

use bartizan_crypto::{DigestAlg, PublicKey, digest};

pub use self::extension::{AltName, KeyUsage, Usage};
use self::name::Dn;
use crate::error::Error;
use crate::time::Time;

/// Octets of one certificate; longer ones are refused before they are read.
pub const MAX_CERTIFICATE: usize = 64 * 1024;

/// One certificate. Cheap to clone; equal when the DER octets are.
#[derive(Clone)]
pub struct Certificate(Arc<Inner>);

/// The outer parts of a certificate.
pub(crate) struct SignedParts<'a> {
    /// TBSCertificate.
    pub(crate) signed: &'a [u8],
    /// The contents of the AlgorithmIdentifier.
    pub(crate) algorithm: &'a [u8],
    /// The signature.
    pub(crate) signature: &'a [u8],
}

/// What [`parse`] finds.
struct Inner {
    der: Vec<u8>,
    version: u8,
    serial: Vec<u8>,
    issuer: Vec<u8>,
    issuer_dn: Dn,
    subject: Vec<u8>,
    subject_dn: Dn,
    subject_text: OnceLock<Box<str>>,
    not_before: Time,
    not_after: Time,
    spki: Vec<u8>,
    key: Result<PublicKey, bartizan_crypto::Error>,
    extensions: extension::Extensions,
    sha1: [u8; 20],
    sha256: [u8; 32],
}

impl Certificate {
    /// Reads one certificate: strict DER, nothing after it, X.509 version 1 to 3. A public key of a kind
    /// that is not supported does not matter here, only when it is asked for.
    ///
    /// # Errors
    /// [`Error::Encoding`] for what is not such a certificate, [`Error::TooMuch`] beyond
    /// [`MAX_CERTIFICATE`] octets or another limit.
    pub fn from_der(der: impl Into<Vec<u8>>) -> Result<Certificate, Error> {
        let der = der.into();
        let parsed = parse::parse(&der)?;
        let (sha1, sha256) = (sha1(&der)?, sha256(&der)?);
        Ok(Certificate(Arc::new(Inner {
            version: parsed.version,
            serial: parsed.serial.to_vec(),
            issuer: parsed.issuer.to_vec(),
            issuer_dn: Dn::from_der(parsed.issuer)?,
            subject: parsed.subject.to_vec(),
            subject_dn: Dn::from_der(parsed.subject)?,
            subject_text: OnceLock::new(),
            not_before: parsed.not_before,
            not_after: parsed.not_after,
            spki: parsed.spki.to_vec(),
            key: PublicKey::from_spki(parsed.spki),
            extensions: parsed.extensions,
            sha1,
            sha256,
            der,
        })))
    }

    /// The octets as they were read.
    #[must_use]
    pub fn der(&self) -> &[u8] {
        &self.0.der
    }

    /// The public key.
    ///
    /// # Errors
    /// [`Error::Key`] if it is of a kind that is not supported (Ed448, for example) or broken.
    pub fn public_key(&self) -> Result<&PublicKey, Error> {
        self.0.key.as_ref().map_err(|error| Error::Key(*error))
    }

    /// The DER of the SubjectPublicKeyInfo.
    #[must_use]
    pub fn spki(&self) -> &[u8] {
        &self.0.spki
    }

    /// X.509 version: 1, 2 or 3.
    #[must_use]
    pub fn version(&self) -> u8 {
        self.0.version
    }

    /// The subject in RFC 4514 form.
    #[must_use]
    pub fn subject(&self) -> String {
        self.0.subject_dn.to_rfc4514()
    }

    /// The subject in RFC 4514 form, written once for the certificate.
    #[must_use]
    pub fn subject_text(&self) -> &str {
        self.0.subject_text.get_or_init(|| self.subject().into())
    }

    /// The subject for people: attribute types that RFC 4514 would write as numbers by their usual names.
    #[must_use]
    pub fn subject_display(&self) -> String {
        self.0.subject_dn.to_display()
    }

    /// The subject's CommonName, if there is exactly one.
    #[must_use]
    pub fn common_name(&self) -> Option<&str> {
        self.0.subject_dn.common_name()
    }

    /// The issuer in RFC 4514 form, as `ds:X509IssuerName` wants it.
    #[must_use]
    pub fn issuer(&self) -> String {
        self.0.issuer_dn.to_rfc4514()
    }

    /// The issuer for people, like [`Certificate::subject_display`].
    #[must_use]
    pub fn issuer_display(&self) -> String {
        self.0.issuer_dn.to_display()
    }

    /// The DER of the subject's Name.
    #[must_use]
    pub fn subject_der(&self) -> &[u8] {
        &self.0.subject
    }

    /// The DER of the issuer's Name.
    #[must_use]
    pub fn issuer_der(&self) -> &[u8] {
        &self.0.issuer
    }

    /// The serial number in decimal, as `ds:X509SerialNumber` wants it.
    #[must_use]
    pub fn serial_decimal(&self) -> String {
        decimal::from_integer(&self.0.serial)
    }

    /// The contents octets of the serial number's INTEGER (two's complement).
    #[must_use]
    pub fn serial_der(&self) -> &[u8] {
        &self.0.serial
    }

    /// The value of the SubjectKeyIdentifier extension.
    #[must_use]
    pub fn ski(&self) -> Option<&[u8]> {
        self.0.extensions.ski.as_deref()
    }

    /// What a reference by SubjectKeyIdentifier must hold: the extension's value or, where there is
    /// none, the SHA-1 of the public key's bits (RFC 5280 §4.2.1.2 (1), as WSS4J does).
    #[must_use]
    pub fn ski_or_computed(&self) -> Vec<u8> {
        match self.ski() {
            Some(ski) => ski.to_vec(),
            None => key_bits(&self.0.spki).and_then(|bits| sha1(bits).ok()).unwrap_or([0; 20]).to_vec(),
        }
    }

    /// SHA-1 over the DER octets: the `ThumbprintSHA1` of X.509 Token Profile 1.1 §3.2.
    #[must_use]
    pub fn thumbprint_sha1(&self) -> [u8; 20] {
        self.0.sha1
    }

    /// SHA-256 over the DER octets.
    #[must_use]
    pub fn thumbprint_sha256(&self) -> [u8; 32] {
        self.0.sha256
    }

    /// Start of validity.
    #[must_use]
    pub fn not_before(&self) -> Time {
        self.0.not_before
    }

    /// End of validity: the last second in which the certificate is valid.
    #[must_use]
    pub fn not_after(&self) -> Time {
        self.0.not_after
    }

    /// KeyUsage and ExtendedKeyUsage.
    #[must_use]
    pub fn usage(&self) -> &Usage {
        &self.0.extensions.usage
    }

    /// Whether BasicConstraints says that this is a certificate authority.
    #[must_use]
    pub fn is_ca(&self) -> bool {
        self.0.extensions.ca
    }

    /// How many authorities may stand below this one; `None` for any number.
    #[must_use]
    pub(crate) fn path_len(&self) -> Option<u32> {
        self.0.extensions.path_len
    }

    /// Whether it limits the names that may stand below it.
    #[must_use]
    pub(crate) fn constrains_names(&self) -> bool {
        self.0.extensions.constrained
    }

    /// Whether it has a critical extension that nobody here reads.
    #[must_use]
    pub(crate) fn has_unknown_critical(&self) -> bool {
        self.0.extensions.unknown_critical
    }

    /// What was signed, how, and the signature.
    pub(crate) fn signed_parts(&self) -> Result<SignedParts<'_>, Error> {
        let mut certificate = crate::der::whole(self.der(), crate::der::SEQUENCE, "certificate")?;
        let signed = certificate.expect(crate::der::SEQUENCE, "TBSCertificate")?.raw;
        let algorithm = certificate.expect(crate::der::SEQUENCE, "signature algorithm")?.value;
        Ok(SignedParts { signed, algorithm, signature: certificate.bit_octets("signature")? })
    }

    /// Whether subject and issuer are the same name (which proves nothing about the signature).
    #[must_use]
    pub fn is_self_issued(&self) -> bool {
        self.0.subject == self.0.issuer
    }

    /// SubjectAltName entries in their order.
    #[must_use]
    pub fn sans(&self) -> &[AltName] {
        &self.0.extensions.sans
    }

    /// URIs of the certificate's CRL distribution points.
    pub(crate) fn crl_uris(&self) -> &[Vec<u8>] {
        &self.0.extensions.crl_uris
    }

    pub(crate) fn issuer_dn(&self) -> &Dn {
        &self.0.issuer_dn
    }

    pub(crate) fn subject_dn(&self) -> &Dn {
        &self.0.subject_dn
    }
}

pub(crate) use self::parse::key_bits;

pub(crate) fn sha1(octets: &[u8]) -> Result<[u8; 20], Error> {
    digest::digest(DigestAlg::Sha1, octets).as_ref().try_into().map_err(|_| Error::encoding("SHA-1 digest"))
}

pub(crate) fn sha256(octets: &[u8]) -> Result<[u8; 32], Error> {
    digest::digest(DigestAlg::Sha256, octets)
        .as_ref()
        .try_into()
        .map_err(|_| Error::encoding("SHA-256 digest"))
}

impl PartialEq for Certificate {
    fn eq(&self, other: &Certificate) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.der == other.0.der
    }
}

impl Eq for Certificate {}

impl Hash for Certificate {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.sha256.hash(state);
    }
}

impl fmt::Debug for Certificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Certificate({}, serial {})", self.subject(), self.serial_decimal())
    }
}

#[cfg(test)]
mod tests;
