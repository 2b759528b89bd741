//! The little DER that keys need: SubjectPublicKeyInfo, PrivateKeyInfo, ECPrivateKey.
//!
//! Strict: definite minimal lengths, minimal non-negative integers, nothing left over. Reads without
//! recursion and without copying. Certificates are not read here; that is the work of `keys`.

pub(crate) const INTEGER: u8 = 0x02;
pub(crate) const BIT_STRING: u8 = 0x03;
pub(crate) const OCTET_STRING: u8 = 0x04;
pub(crate) const NULL: u8 = 0x05;
pub(crate) const OID: u8 = 0x06;
pub(crate) const SEQUENCE: u8 = 0x30;
/// `[0]`, constructed.
pub(crate) const CONTEXT_0: u8 = 0xa0;
/// `[1]`, constructed.
pub(crate) const CONTEXT_1: u8 = 0xa1;

/// rsaEncryption, 1.2.840.113549.1.1.1.
pub(crate) const OID_RSA: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01];
/// id-ecPublicKey, 1.2.840.10045.2.1.
pub(crate) const OID_EC: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01];
/// id-dsa, 1.2.840.10040.4.1.
pub(crate) const OID_DSA: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x38, 0x04, 0x01];
/// id-Ed25519, 1.3.101.112.
pub(crate) const OID_ED25519: &[u8] = &[0x2b, 0x65, 0x70];
/// id-X25519, 1.3.101.110.
pub(crate) const OID_X25519: &[u8] = &[0x2b, 0x65, 0x6e];
/// secp256r1, 1.2.840.10045.3.1.7.
pub(crate) const OID_P256: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07];
/// secp384r1, 1.3.132.0.34.
pub(crate) const OID_P384: &[u8] = &[0x2b, 0x81, 0x04, 0x00, 0x22];
/// secp521r1, 1.3.132.0.35.
pub(crate) const OID_P521: &[u8] = &[0x2b, 0x81, 0x04, 0x00, 0x23];

/// Reads one value after another.
#[derive(Clone, Copy)]
pub(crate) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub(crate) const fn new(der: &'a [u8]) -> Self {
        Self(der)
    }

    /// The tag of the next value.
    pub(crate) fn peek(&self) -> Option<u8> {
        self.0.first().copied()
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The content of the next value, which must have this tag.
    pub(crate) fn take(&mut self, tag: u8) -> Option<&'a [u8]> {
        let (&found, rest) = self.0.split_first()?;
        let (&first, rest) = rest.split_first()?;
        if found != tag {
            return None;
        }
        let (len, rest) = if first < 0x80 {
            (usize::from(first), rest)
        } else {
            let count = usize::from(first & 0x7f);
            // A length of more than three octets is beyond every key.
            if count == 0 || count > 3 {
                return None;
            }
            let (octets, rest) = rest.split_at_checked(count)?;
            let len = octets.iter().fold(0_usize, |len, octet| len << 8 | usize::from(*octet));
            let minimal = if count == 1 { len >= 0x80 } else { octets.first() != Some(&0) };
            if !minimal {
                return None;
            }
            (len, rest)
        };
        let (content, rest) = rest.split_at_checked(len)?;
        self.0 = rest;
        Some(content)
    }

    /// A reader of the content of the next value.
    pub(crate) fn enter(&mut self, tag: u8) -> Option<Self> {
        self.take(tag).map(Self)
    }

    /// A non-negative integer as octets without leading zeros (one zero octet for zero).
    pub(crate) fn unsigned(&mut self) -> Option<&'a [u8]> {
        match self.take(INTEGER)? {
            [] => None,
            [0] => Some(&[0]),
            [0, rest @ ..] => rest.first().is_some_and(|octet| *octet >= 0x80).then_some(rest),
            [octet, ..] if *octet >= 0x80 => None,
            octets => Some(octets),
        }
    }

    /// A bit string of whole octets.
    pub(crate) fn octets_of_bits(&mut self) -> Option<&'a [u8]> {
        self.take(BIT_STRING)?.strip_prefix(&[0])
    }

    /// `Some` if nothing is left.
    pub(crate) fn end(self) -> Option<()> {
        self.is_empty().then_some(())
    }
}

/// Writes a value around the concatenation of parts.
pub(crate) fn write(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
    let len: usize = parts.iter().map(|part| part.len()).sum();
    let mut out = Vec::with_capacity(len + 6);
    out.push(tag);
    let octets = len.to_be_bytes();
    let skip = octets.iter().take_while(|octet| **octet == 0).count();
    if len < 0x80 {
        out.extend(octets.last());
    } else {
        out.push(0x80 | u8::try_from(octets.len() - skip).unwrap_or(8));
        out.extend(octets.iter().skip(skip));
    }
    for part in parts {
        out.extend_from_slice(part);
    }
    out
}

/// Writes a non-negative integer from octets without leading zeros.
pub(crate) fn write_unsigned(octets: &[u8]) -> Vec<u8> {
    match octets.first() {
        None => write(INTEGER, &[&[0]]),
        Some(first) if *first >= 0x80 => write(INTEGER, &[&[0], octets]),
        Some(_) => write(INTEGER, &[octets]),
    }
}

/// Octets without the zeros in front.
pub(crate) fn without_leading_zeros(octets: &[u8]) -> &[u8] {
    let zeros = octets.iter().take_while(|octet| **octet == 0).count();
    octets.get(zeros..).unwrap_or_default()
}

#[cfg(test)]
mod tests;
