//! Distinguished names: from DER, to RFC 4514 text, and from the many text forms that peers write.
//!
//! Two names are compared as lists of (attribute OID, value), values as exact strings: neither letter
//! case nor the ASN.1 string type of the writer matters for the first, and no folding is done for the
//! second. A text form is only a way to look a certificate up; trust never hangs on it.

mod text;

use crate::der::{OID, Reader, SEQUENCE, SET, oid, whole};
use crate::error::Error;

/// Attribute types with a name of their own in RFC 4514 §3, in its order.
const RFC_4514: [(&str, &[u8]); 9] = [
    ("CN", &[0x55, 4, 3]),
    ("L", &[0x55, 4, 7]),
    ("ST", &[0x55, 4, 8]),
    ("O", &[0x55, 4, 10]),
    ("OU", &[0x55, 4, 11]),
    ("C", &[0x55, 4, 6]),
    ("STREET", &[0x55, 4, 9]),
    ("DC", &[0x09, 0x92, 0x26, 0x89, 0x93, 0xf2, 0x2c, 0x64, 1, 25]),
    ("UID", &[0x09, 0x92, 0x26, 0x89, 0x93, 0xf2, 0x2c, 0x64, 1, 1]),
];

/// Further names, for people and for reading what Java, OpenSSL and .NET write.
const OTHERS: [(&str, &[u8]); 22] = [
    ("emailAddress", EMAIL),
    ("E", EMAIL),
    ("EMAIL", EMAIL),
    ("S", &[0x55, 4, 8]),
    ("SN", &[0x55, 4, 4]),
    ("SURNAME", &[0x55, 4, 4]),
    ("serialNumber", &[0x55, 4, 5]),
    ("T", &[0x55, 4, 12]),
    ("TITLE", &[0x55, 4, 12]),
    ("DESCRIPTION", &[0x55, 4, 13]),
    ("businessCategory", &[0x55, 4, 15]),
    ("postalCode", &[0x55, 4, 17]),
    ("PHONE", &[0x55, 4, 20]),
    ("givenName", &[0x55, 4, 42]),
    ("G", &[0x55, 4, 42]),
    ("GN", &[0x55, 4, 42]),
    ("initials", &[0x55, 4, 43]),
    ("I", &[0x55, 4, 43]),
    ("generation", &[0x55, 4, 44]),
    ("dnQualifier", &[0x55, 4, 46]),
    ("DNQ", &[0x55, 4, 46]),
    ("pseudonym", &[0x55, 4, 65]),
];
const EMAIL: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 9, 1];

/// Relative names in one name; more is refused.
const MAX_RDNS: usize = 128;

/// A value that is a string, or the encoding of one that is not.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Value {
    Text(String),
    Encoded(Vec<u8>),
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Attribute {
    kind: Vec<u8>,
    value: Value,
}

/// A name: relative names in the order of the encoding, each a set of attributes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Dn(Vec<Vec<Attribute>>);

impl Dn {
    /// Reads the DER of a Name.
    pub(crate) fn from_der(der: &[u8]) -> Result<Dn, Error> {
        const WHAT: &str = "distinguished name";
        let mut sequence = whole(der, SEQUENCE, WHAT)?;
        let mut rdns = Vec::new();
        while !sequence.is_empty() {
            if rdns.len() == MAX_RDNS {
                return Err(Error::TooMuch { what: "parts of a distinguished name", limit: MAX_RDNS });
            }
            let mut set = sequence.inside(SET, WHAT)?;
            let mut attributes = Vec::new();
            while !set.is_empty() {
                let mut pair = set.inside(SEQUENCE, WHAT)?;
                let kind = pair.expect(OID, WHAT)?.value.to_vec();
                let value = Value::from_tlv(&pair.any(WHAT)?);
                pair.finish(WHAT)?;
                attributes.push(Attribute { kind, value });
            }
            attributes.sort();
            rdns.push(attributes);
        }
        Ok(Dn(rdns))
    }

    /// Reads a name from text: RFC 2253, RFC 4514, Java's and .NET's variants (spaces after separators,
    /// `;`, quoted values, `OID.` prefixes, `E=`, `S=`). The relative names come in the order of the
    /// text, which may be the encoding's or, as the RFCs want, the reverse.
    pub(crate) fn parse(text: &str) -> Result<Dn, Error> {
        text::parse(text)
    }

    /// RFC 4514, strictly: attribute types outside its table as dotted OID with the hexadecimal encoding.
    /// Every implementation reads this form.
    pub(crate) fn to_rfc4514(&self) -> String {
        text::write(self, |kind| short_name(&RFC_4514, kind))
    }

    /// For people: as RFC 4514, with more attribute names known.
    pub(crate) fn to_display(&self) -> String {
        text::write(self, |kind| short_name(&RFC_4514, kind).or_else(|| short_name(&OTHERS, kind)))
    }

    /// Octets that are equal exactly when the names are.
    pub(crate) fn key(&self) -> Vec<u8> {
        key_of(self.0.iter())
    }

    /// [`Dn::key`] of the name with its relative names in reverse order.
    pub(crate) fn reversed_key(&self) -> Vec<u8> {
        key_of(self.0.iter().rev())
    }

    /// The value of the name's only CommonName, if it has exactly one.
    pub(crate) fn common_name(&self) -> Option<&str> {
        let mut found = self.0.iter().flatten().filter(|attribute| attribute.kind == oid::COMMON_NAME);
        match (found.next().map(|attribute| &attribute.value), found.next()) {
            (Some(Value::Text(text)), None) => Some(text),
            _ => None,
        }
    }
}

impl Value {
    fn from_tlv(tlv: &crate::der::Tlv<'_>) -> Value {
        match decode_string(tlv.tag, tlv.value) {
            Some(text) => Value::Text(text),
            None => Value::Encoded(tlv.raw.to_vec()),
        }
    }

    /// From the `#hex` form: the whole encoding of a value.
    fn from_encoding(octets: &[u8]) -> Result<Value, Error> {
        let mut reader = Reader::new(octets);
        let tlv = reader.any("value").map_err(|_| Error::BadName)?;
        reader.finish("value").map_err(|_| Error::BadName)?;
        Ok(Value::from_tlv(&tlv))
    }
}

fn key_of<'a>(rdns: impl Iterator<Item = &'a Vec<Attribute>>) -> Vec<u8> {
    let mut key = Vec::new();
    let mut field = |mark: u8, octets: &[u8]| {
        key.push(mark);
        key.extend_from_slice(&octets.len().to_be_bytes());
        key.extend_from_slice(octets);
    };
    for rdn in rdns {
        for attribute in rdn {
            field(b'k', &attribute.kind);
            match &attribute.value {
                Value::Text(text) => field(b't', text.as_bytes()),
                Value::Encoded(octets) => field(b'e', octets),
            }
        }
        field(b'/', &[]);
    }
    key
}

fn short_name(table: &[(&'static str, &[u8])], kind: &[u8]) -> Option<&'static str> {
    table.iter().find(|(_, oid)| *oid == kind).map(|(name, _)| *name)
}

/// The attribute type that a text form names.
fn kind_by_name(name: &str) -> Option<Vec<u8>> {
    let known = RFC_4514.iter().chain(OTHERS.iter()).find(|(short, _)| short.eq_ignore_ascii_case(name));
    if let Some((_, oid)) = known {
        return Some(oid.to_vec());
    }
    let dotted = match name.get(..4) {
        Some(prefix) if prefix.eq_ignore_ascii_case("OID.") => name.get(4..)?,
        _ => name,
    };
    oid::from_dotted(dotted)
}

/// The ASN.1 string types that a DirectoryString or an IA5String may have. `None` for anything else and
/// for octets that do not fit the type.
pub(crate) fn decode_string(tag: u8, octets: &[u8]) -> Option<String> {
    match tag {
        // UTF8String
        0x0c => std::str::from_utf8(octets).ok().map(str::to_owned),
        // NumericString, PrintableString, IA5String, VisibleString: in practice any ASCII
        0x12 | 0x13 | 0x16 | 0x1a => {
            let text = std::str::from_utf8(octets).ok()?;
            text.is_ascii().then(|| text.to_owned())
        }
        // TeletexString: everyone who used it meant ISO 8859-1
        0x14 => Some(octets.iter().copied().map(char::from).collect()),
        // BMPString
        0x1e => {
            let (units, []) = octets.as_chunks::<2>() else { return None };
            char::decode_utf16(units.iter().map(|unit| u16::from_be_bytes(*unit)))
                .collect::<Result<_, _>>()
                .ok()
        }
        // UniversalString
        0x1c => {
            let (units, []) = octets.as_chunks::<4>() else { return None };
            units.iter().map(|unit| char::from_u32(u32::from_be_bytes(*unit))).collect()
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
