//! Strict DER: a reader over borrowed octets and a writer.
//!
//! Only what X.509, PKCS#8 and PKCS#12 need: tags of one octet, definite minimal lengths. Values are
//! borrowed, nothing is copied and nothing recurses, so the work is linear in the input.

pub(crate) mod ber;
pub(crate) mod oid;
pub(crate) mod write;

use crate::error::Error;
use crate::time::Time;

pub(crate) const BOOLEAN: u8 = 0x01;
pub(crate) const INTEGER: u8 = 0x02;
pub(crate) const BIT_STRING: u8 = 0x03;
pub(crate) const OCTET_STRING: u8 = 0x04;
pub(crate) const NULL: u8 = 0x05;
pub(crate) const OID: u8 = 0x06;
pub(crate) const UTF8_STRING: u8 = 0x0c;
pub(crate) const SEQUENCE: u8 = 0x30;
pub(crate) const SET: u8 = 0x31;
pub(crate) const UTC_TIME: u8 = 0x17;
pub(crate) const GENERALIZED_TIME: u8 = 0x18;

/// `[n]` constructed.
pub(crate) const fn context(n: u8) -> u8 {
    0xa0 | n
}

/// `[n]` primitive (an implicit tag on a primitive type).
pub(crate) const fn context_primitive(n: u8) -> u8 {
    0x80 | n
}

/// One tag, its contents, and the whole encoding of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tlv<'a> {
    pub tag: u8,
    pub value: &'a [u8],
    pub raw: &'a [u8],
}

impl<'a> Tlv<'a> {
    pub(crate) fn reader(&self) -> Reader<'a> {
        Reader { rest: self.value }
    }
}

/// A cursor over the contents of one structure.
#[derive(Clone, Debug)]
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(crate) fn new(octets: &'a [u8]) -> Reader<'a> {
        Reader { rest: octets }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    pub(crate) fn peek(&self) -> Option<u8> {
        self.rest.first().copied()
    }

    pub(crate) fn any(&mut self, what: &'static str) -> Result<Tlv<'a>, Error> {
        let (tlv, rest) = split(self.rest).ok_or(Error::Encoding { what })?;
        self.rest = rest;
        Ok(tlv)
    }

    pub(crate) fn expect(&mut self, tag: u8, what: &'static str) -> Result<Tlv<'a>, Error> {
        if self.peek() == Some(tag) { self.any(what) } else { Err(Error::Encoding { what }) }
    }

    pub(crate) fn optional(&mut self, tag: u8, what: &'static str) -> Result<Option<Tlv<'a>>, Error> {
        if self.peek() == Some(tag) { self.any(what).map(Some) } else { Ok(None) }
    }

    /// The contents of a structure with this tag.
    pub(crate) fn inside(&mut self, tag: u8, what: &'static str) -> Result<Reader<'a>, Error> {
        Ok(self.expect(tag, what)?.reader())
    }

    /// An INTEGER's contents, checked to be minimal.
    pub(crate) fn integer(&mut self, what: &'static str) -> Result<&'a [u8], Error> {
        let value = self.expect(INTEGER, what)?.value;
        match value {
            [] => Err(Error::Encoding { what }),
            [0, next, ..] if next & 0x80 == 0 => Err(Error::Encoding { what }),
            [0xff, next, ..] if next & 0x80 != 0 => Err(Error::Encoding { what }),
            _ => Ok(value),
        }
    }

    /// A non-negative INTEGER that fits 32 bits.
    pub(crate) fn small(&mut self, what: &'static str) -> Result<u32, Error> {
        let value = self.integer(what)?;
        let negative = value.first().is_some_and(|first| first & 0x80 != 0);
        if negative || value.len() > 5 {
            return Err(Error::Encoding { what });
        }
        let number = value.iter().fold(0_u64, |sum, octet| sum << 8 | u64::from(*octet));
        u32::try_from(number).map_err(|_| Error::Encoding { what })
    }

    pub(crate) fn oid(&mut self, what: &'static str) -> Result<&'a [u8], Error> {
        Ok(self.expect(OID, what)?.value)
    }

    /// A BIT STRING of whole octets.
    pub(crate) fn bit_octets(&mut self, what: &'static str) -> Result<&'a [u8], Error> {
        match self.expect(BIT_STRING, what)?.value {
            [0, octets @ ..] => Ok(octets),
            _ => Err(Error::Encoding { what }),
        }
    }

    pub(crate) fn boolean(&mut self, what: &'static str) -> Result<bool, Error> {
        match self.expect(BOOLEAN, what)?.value {
            [0] => Ok(false),
            [0xff] => Ok(true),
            _ => Err(Error::Encoding { what }),
        }
    }

    /// UTCTime or GeneralizedTime in the form that RFC 5280 §4.1.2.5 prescribes (seconds, `Z`).
    pub(crate) fn time(&mut self, what: &'static str) -> Result<Time, Error> {
        let tlv = self.any(what)?;
        parse_time(&tlv).ok_or(Error::Encoding { what })
    }

    /// Nothing may follow.
    pub(crate) fn finish(&self, what: &'static str) -> Result<(), Error> {
        if self.rest.is_empty() { Ok(()) } else { Err(Error::Encoding { what }) }
    }
}

/// The one structure that fills `octets` from end to end.
pub(crate) fn whole<'a>(octets: &'a [u8], tag: u8, what: &'static str) -> Result<Reader<'a>, Error> {
    let mut reader = Reader::new(octets);
    let inside = reader.inside(tag, what)?;
    reader.finish(what)?;
    Ok(inside)
}

fn split(octets: &[u8]) -> Option<(Tlv<'_>, &[u8])> {
    let (tag, first, after) = match octets {
        [tag, first, after @ ..] if tag & 0x1f != 0x1f => (*tag, *first, after),
        _ => return None,
    };
    let (length, after) = if first < 0x80 {
        (usize::from(first), after)
    } else {
        let (digits, after) = after.split_at_checked(usize::from(first & 0x7f))?;
        if digits.is_empty() || digits.len() > 4 || digits.first() == Some(&0) {
            return None;
        }
        let length = digits.iter().fold(0_usize, |sum, octet| sum << 8 | usize::from(*octet));
        if length < 0x80 {
            return None;
        }
        (length, after)
    };
    let (value, rest) = after.split_at_checked(length)?;
    let raw = octets.get(..octets.len() - rest.len())?;
    Some((Tlv { tag, value, raw }, rest))
}

fn parse_time(tlv: &Tlv<'_>) -> Option<Time> {
    let digits = tlv.value.strip_suffix(b"Z")?;
    if !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let pair = |at: usize| {
        let (tens, ones) = (digits.get(at)?, digits.get(at + 1)?);
        Some(u32::from(tens - b'0') * 10 + u32::from(ones - b'0'))
    };
    let (year, at) = match (tlv.tag, digits.len()) {
        // RFC 5280: two-digit years below 50 belong to this century.
        (UTC_TIME, 12) => (pair(0)? + if pair(0)? < 50 { 2000 } else { 1900 }, 2),
        (GENERALIZED_TIME, 14) => (pair(0)? * 100 + pair(2)?, 4),
        _ => return None,
    };
    let date = (i64::from(year), pair(at)?, pair(at + 2)?);
    Time::from_civil(date, (pair(at + 4)?, pair(at + 6)?, pair(at + 8)?)).ok()
}

#[cfg(test)]
mod tests;
