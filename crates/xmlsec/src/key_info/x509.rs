//! `ds:X509Data` (XMLDSig 1.1 §4.5.4): certificates and the ways to name one.

use bartizan_crypto::alg::{Alg, DigestAlg, lookup};
use bartizan_xml::Element;
use bartizan_xml::names::{attr, ds, dsig11};

use crate::error::{Error, ErrorKind, Shape};
use crate::read::{Children, algorithm, octets, only_attributes, text, unknown_algorithm};

/// Longest certificate, in octets.
const MAX_CERTIFICATE: usize = 64 * 1024;
/// Longest revocation list, in octets.
const MAX_CRL: usize = 1024 * 1024;
/// Longest distinguished name, in octets.
const MAX_NAME: usize = 4096;
/// Most certificates of one X509Data.
const MAX_CERTIFICATES: usize = 10;
/// Most children of one X509Data.
const MAX_ITEMS: usize = 32;

/// An issuer's name and a serial number, as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IssuerSerial {
    /// The issuer's distinguished name as written (RFC 4514 or older forms).
    pub issuer: Box<str>,
    /// The serial number in decimal, as written.
    pub serial: Box<str>,
}

/// A `ds:X509Data` as read; certificates are octets, nobody has looked into them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct X509Data {
    /// `X509Certificate`, DER, in order.
    pub certificates: Vec<Vec<u8>>,
    /// `X509IssuerSerial`.
    pub issuer_serials: Vec<IssuerSerial>,
    /// `X509SKI`: the value of the SubjectKeyIdentifier extension.
    pub skis: Vec<Vec<u8>>,
    /// `X509SubjectName`.
    pub subjects: Vec<Box<str>>,
    /// `X509CRL`, DER.
    pub crls: Vec<Vec<u8>>,
    /// `dsig11:X509Digest`: the digest of a certificate, and by which algorithm.
    pub digests: Vec<(DigestAlg, Vec<u8>)>,
}

impl X509Data {
    /// Reads the element (of a KeyInfo or of a SecurityTokenReference).
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] for malformed known children or too many of them; algorithm kinds for an unknown digest.
    pub fn read(element: Element<'_>) -> Result<Self, Error> {
        only_attributes(element, &[attr::ID])?;
        let mut data = X509Data::default();
        let mut children = Children::of(element)?;
        let mut count = 0_usize;
        while let Some(child) = children.next() {
            count += 1;
            if count > MAX_ITEMS {
                return Err(Error::shape(child, Shape::UnexpectedChild));
            }
            data.read_child(child)?;
        }
        if count == 0 {
            return Err(Error::shape(element, Shape::MissingChild("X509Certificate")));
        }
        Ok(data)
    }

    fn read_child(&mut self, child: Element<'_>) -> Result<(), Error> {
        let name = child.name();
        if name == ds::X509_CERTIFICATE {
            only_attributes(child, &[])?;
            if self.certificates.len() == MAX_CERTIFICATES {
                return Err(Error::shape(child, Shape::UnexpectedChild));
            }
            self.certificates.push(octets(child, MAX_CERTIFICATE)?);
        } else if name == ds::X509_ISSUER_SERIAL {
            self.issuer_serials.push(IssuerSerial::read(child)?);
        } else if name == ds::X509_SKI {
            only_attributes(child, &[])?;
            self.skis.push(octets(child, MAX_NAME)?);
        } else if name == ds::X509_SUBJECT_NAME {
            only_attributes(child, &[])?;
            self.subjects.push(text(child, MAX_NAME)?);
        } else if name == ds::X509_CRL {
            only_attributes(child, &[])?;
            self.crls.push(octets(child, MAX_CRL)?);
        } else if name == dsig11::X509_DIGEST {
            only_attributes(child, &[attr::ALGORITHM])?;
            let uri = algorithm(child)?;
            // The digest only selects a certificate, so no allow-list is asked.
            let alg = match lookup(uri) {
                Some(Alg::Digest(alg)) => alg,
                Some(other) => return Err(Error::at(child, ErrorKind::AlgorithmMisplaced(other))),
                None => return Err(unknown_algorithm(child, uri)),
            };
            self.digests.push((alg, octets(child, alg.output_len())?));
        }
        // Other elements of foreign namespaces are allowed by the schema and select nothing.
        Ok(())
    }
}

impl IssuerSerial {
    /// Reads `ds:X509IssuerSerial`.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] if it is malformed.
    pub fn read(element: Element<'_>) -> Result<Self, Error> {
        only_attributes(element, &[])?;
        let mut children = Children::of(element)?;
        let name = children.require(ds::X509_ISSUER_NAME, "X509IssuerName")?;
        let number = children.require(ds::X509_SERIAL_NUMBER, "X509SerialNumber")?;
        children.finish()?;
        let serial = text(number, 128)?;
        let digits = serial.strip_prefix('-').unwrap_or(&serial);
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return Err(Error::shape(number, Shape::BadNumber));
        }
        Ok(IssuerSerial { issuer: text(name, MAX_NAME)?, serial })
    }
}
