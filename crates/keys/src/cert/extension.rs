//! The certificate extensions that are read here (RFC 5280 §4.2); path rules are `webpki`'s.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::name::Dn;
use crate::der::{
    BOOLEAN, INTEGER, OCTET_STRING, OID, Reader, SEQUENCE, context, context_primitive, oid, whole,
};
use crate::error::Error;

/// Extensions of one certificate.
const MAX_EXTENSIONS: usize = 64;
/// Entries of a SubjectAltName that are kept; a certificate with more is refused.
const MAX_ALT_NAMES: usize = 4096;

#[derive(Default)]
pub(super) struct Extensions {
    pub ski: Option<Vec<u8>>,
    pub usage: Usage,
    pub ca: bool,
    /// pathLenConstraint.
    pub path_len: Option<u32>,
    /// Whether there are name constraints.
    pub constrained: bool,
    /// Whether a critical extension is none of those read here.
    pub unknown_critical: bool,
    pub sans: Vec<AltName>,
    pub crl_uris: Vec<Vec<u8>>,
}

/// What a key may be used for.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Usage {
    /// The KeyUsage extension; `None` if there is none, which allows everything.
    pub key: Option<KeyUsage>,
    /// The OIDs of ExtendedKeyUsage in dotted form; empty if there is none.
    pub extended: Vec<String>,
}

impl Usage {
    /// Whether a signature over a message may be made with the key: no KeyUsage, or digitalSignature or
    /// nonRepudiation in it.
    #[must_use]
    pub fn may_sign(&self) -> bool {
        self.key.is_none_or(|key| key.has(KeyUsage::DIGITAL_SIGNATURE) || key.has(KeyUsage::NON_REPUDIATION))
    }

    /// Whether a message key may be encrypted to it or agreed with it: no KeyUsage, or keyEncipherment,
    /// dataEncipherment or keyAgreement in it.
    #[must_use]
    pub fn may_encrypt(&self) -> bool {
        let wanted = [KeyUsage::KEY_ENCIPHERMENT, KeyUsage::DATA_ENCIPHERMENT, KeyUsage::KEY_AGREEMENT];
        self.key.is_none_or(|key| wanted.into_iter().any(|usage| key.has(usage)))
    }
}

/// The bits of a KeyUsage extension.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KeyUsage(u16);

impl KeyUsage {
    /// Bit 0.
    pub const DIGITAL_SIGNATURE: KeyUsage = KeyUsage(0x8000);
    /// Bit 1, also called contentCommitment.
    pub const NON_REPUDIATION: KeyUsage = KeyUsage(0x4000);
    /// Bit 2.
    pub const KEY_ENCIPHERMENT: KeyUsage = KeyUsage(0x2000);
    /// Bit 3.
    pub const DATA_ENCIPHERMENT: KeyUsage = KeyUsage(0x1000);
    /// Bit 4.
    pub const KEY_AGREEMENT: KeyUsage = KeyUsage(0x0800);
    /// Bit 5.
    pub const KEY_CERT_SIGN: KeyUsage = KeyUsage(0x0400);
    /// Bit 6.
    pub const CRL_SIGN: KeyUsage = KeyUsage(0x0200);

    const NAMES: [&'static str; 9] = [
        "digitalSignature",
        "nonRepudiation",
        "keyEncipherment",
        "dataEncipherment",
        "keyAgreement",
        "keyCertSign",
        "cRLSign",
        "encipherOnly",
        "decipherOnly",
    ];

    /// Whether all bits of `other` are set.
    #[must_use]
    pub fn has(self, other: KeyUsage) -> bool {
        self.0 & other.0 == other.0
    }

    /// The names of the bits that are set.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        Self::NAMES
            .into_iter()
            .enumerate()
            .filter(move |(bit, _)| self.0 & (0x8000 >> bit) != 0)
            .map(|(_, name)| name)
    }
}

/// One entry of a SubjectAltName.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum AltName {
    /// dNSName.
    Dns(String),
    /// rfc822Name.
    Email(String),
    /// uniformResourceIdentifier.
    Uri(String),
    /// iPAddress.
    Ip(IpAddr),
    /// directoryName, in RFC 4514 form.
    Directory(String),
    /// A kind that is not read (otherName, registeredID, …) or contents that do not fit the kind.
    Other,
}

impl Extensions {
    /// Reads the extensions; one that is there twice refuses the certificate.
    pub(super) fn read(mut list: Reader<'_>) -> Result<Extensions, Error> {
        let mut found = Extensions::default();
        let mut seen: Vec<&[u8]> = Vec::new();
        while !list.is_empty() {
            let mut extension = list.inside(SEQUENCE, "extension")?;
            let id = extension.expect(OID, "extension id")?.value;
            let critical = extension.peek() == Some(BOOLEAN) && extension.boolean("extension criticality")?;
            let value = extension.expect(OCTET_STRING, "extension value")?.value;
            extension.finish("extension")?;
            if seen.contains(&id) {
                return Err(Error::encoding("the same extension twice"));
            }
            if seen.len() == MAX_EXTENSIONS {
                return Err(Error::TooMuch { what: "extensions of a certificate", limit: MAX_EXTENSIONS });
            }
            seen.push(id);
            let known = found.read_one(id, value)?;
            found.unknown_critical |= critical && !known;
        }
        Ok(found)
    }

    /// Whether the extension is one that is understood.
    fn read_one(&mut self, id: &[u8], value: &[u8]) -> Result<bool, Error> {
        match id {
            _ if id == oid::SUBJECT_KEY_IDENTIFIER => {
                let mut reader = Reader::new(value);
                self.ski = Some(reader.expect(OCTET_STRING, "subject key identifier")?.value.to_vec());
                reader.finish("subject key identifier")?;
            }
            _ if id == oid::KEY_USAGE => {
                let mut reader = Reader::new(value);
                let bits = reader.expect(crate::der::BIT_STRING, "key usage")?.value;
                reader.finish("key usage")?;
                let octet = |at: usize| u16::from(bits.get(at).copied().unwrap_or(0));
                self.usage.key = Some(KeyUsage(octet(1) << 8 | octet(2)));
            }
            _ if id == oid::EXTENDED_KEY_USAGE => {
                let mut reader = whole(value, SEQUENCE, "extended key usage")?;
                while !reader.is_empty() {
                    self.usage.extended.push(oid::to_dotted(reader.oid("extended key usage")?));
                }
            }
            _ if id == oid::BASIC_CONSTRAINTS => {
                let mut reader = whole(value, SEQUENCE, "basic constraints")?;
                if reader.peek() == Some(BOOLEAN) {
                    self.ca = reader.boolean("basic constraints")?;
                }
                if reader.peek() == Some(INTEGER) {
                    self.path_len = Some(reader.small("path length")?);
                }
                reader.finish("basic constraints")?;
            }
            _ if id == oid::SUBJECT_ALT_NAME => self.sans = alt_names(value)?,
            _ if id == oid::CRL_DISTRIBUTION_POINTS => self.crl_uris = distribution_uris(value)?,
            _ if id == oid::NAME_CONSTRAINTS => self.constrained = true,
            _ if id == oid::AUTHORITY_KEY_IDENTIFIER => {}
            _ => return Ok(false),
        }
        Ok(true)
    }
}

fn alt_names(value: &[u8]) -> Result<Vec<AltName>, Error> {
    let mut reader = whole(value, SEQUENCE, "subject alternative name")?;
    let mut names = Vec::new();
    while !reader.is_empty() {
        if names.len() == MAX_ALT_NAMES {
            return Err(Error::TooMuch { what: "subject alternative names", limit: MAX_ALT_NAMES });
        }
        let tlv = reader.any("subject alternative name")?;
        let ascii = || std::str::from_utf8(tlv.value).ok().filter(|text| text.is_ascii()).map(str::to_owned);
        let name = match tlv.tag & 0x1f {
            1 => ascii().map(AltName::Email),
            2 => ascii().map(AltName::Dns),
            4 => Dn::from_der(tlv.value).ok().map(|dn| AltName::Directory(dn.to_rfc4514())),
            6 => ascii().map(AltName::Uri),
            7 => ip(tlv.value).map(AltName::Ip),
            _ => None,
        };
        names.push(name.unwrap_or(AltName::Other));
    }
    Ok(names)
}

fn ip(octets: &[u8]) -> Option<IpAddr> {
    if let Ok(four) = <[u8; 4]>::try_from(octets) {
        return Some(IpAddr::V4(Ipv4Addr::from(four)));
    }
    <[u8; 16]>::try_from(octets).ok().map(|sixteen| IpAddr::V6(Ipv6Addr::from(sixteen)))
}

/// The URIs in the full names of all distribution points.
fn distribution_uris(value: &[u8]) -> Result<Vec<Vec<u8>>, Error> {
    const WHAT: &str = "CRL distribution points";
    let mut points = whole(value, SEQUENCE, WHAT)?;
    let mut uris = Vec::new();
    while !points.is_empty() {
        let mut point = points.inside(SEQUENCE, WHAT)?;
        if let Some(name) = point.optional(context(0), WHAT)? {
            uris.extend(full_name_uris(name.value)?);
        }
    }
    Ok(uris)
}

/// The URIs of a DistributionPointName, if it is a fullName.
pub(crate) fn full_name_uris(value: &[u8]) -> Result<Vec<Vec<u8>>, Error> {
    const WHAT: &str = "distribution point name";
    let mut choice = Reader::new(value);
    let mut uris = Vec::new();
    if let Some(full) = choice.optional(context(0), WHAT)? {
        let mut names = full.reader();
        while !names.is_empty() {
            let name = names.any(WHAT)?;
            if name.tag == context_primitive(6) {
                uris.push(name.value.to_vec());
            }
        }
    }
    Ok(uris)
}
