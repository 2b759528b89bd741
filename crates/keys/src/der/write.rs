//! Writing DER: every function returns the octets of one whole element.

use super::{
    BIT_STRING, BOOLEAN, GENERALIZED_TIME, INTEGER, NULL, OCTET_STRING, OID, SEQUENCE, SET, UTC_TIME,
};
use crate::time::Time;

/// A tag, its length and the concatenated `parts`.
pub(crate) fn tlv(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
    let length: usize = parts.iter().map(|part| part.len()).sum();
    let mut out = Vec::with_capacity(length + 6);
    out.push(tag);
    let digits = length.to_be_bytes();
    let skip = digits.iter().take_while(|octet| **octet == 0).count();
    match u8::try_from(length) {
        Ok(short) if short < 0x80 => out.push(short),
        _ => {
            // At most eight length octets, so the marker never leaves the range of one octet.
            out.push(0x80 | u8::try_from(digits.len() - skip).unwrap_or(8));
            out.extend(digits.iter().skip(skip));
        }
    }
    for part in parts {
        out.extend_from_slice(part);
    }
    out
}

pub(crate) fn sequence(parts: &[&[u8]]) -> Vec<u8> {
    tlv(SEQUENCE, parts)
}

pub(crate) fn set(parts: &[&[u8]]) -> Vec<u8> {
    tlv(SET, parts)
}

pub(crate) fn oid(contents: &[u8]) -> Vec<u8> {
    tlv(OID, &[contents])
}

pub(crate) fn null() -> Vec<u8> {
    tlv(NULL, &[])
}

pub(crate) fn octets(contents: &[u8]) -> Vec<u8> {
    tlv(OCTET_STRING, &[contents])
}

pub(crate) fn bits(contents: &[u8]) -> Vec<u8> {
    tlv(BIT_STRING, &[&[0], contents])
}

pub(crate) fn boolean(value: bool) -> Vec<u8> {
    tlv(BOOLEAN, &[&[if value { 0xff } else { 0 }]])
}

/// A non-negative INTEGER from big-endian octets.
pub(crate) fn unsigned(magnitude: &[u8]) -> Vec<u8> {
    let skip = magnitude.iter().take_while(|octet| **octet == 0).count();
    let trimmed = magnitude.get(skip..).unwrap_or_default();
    match trimmed.first() {
        None => tlv(INTEGER, &[&[0]]),
        Some(first) if first & 0x80 != 0 => tlv(INTEGER, &[&[0], trimmed]),
        Some(_) => tlv(INTEGER, &[trimmed]),
    }
}

pub(crate) fn small(value: u32) -> Vec<u8> {
    unsigned(&value.to_be_bytes())
}

/// A BIT STRING of named bits (DER: trailing zero bits removed); bit 0 is the first.
pub(crate) fn named_bits(numbers: &[u8]) -> Vec<u8> {
    let mut flags = 0_u16;
    for number in numbers.iter().filter(|number| **number < 16) {
        flags |= 0x8000 >> number;
    }
    let octets = flags.to_be_bytes();
    let used = octets.iter().rposition(|octet| *octet != 0).map_or(0, |last| last + 1);
    let contents = octets.get(..used).unwrap_or_default();
    let unused = contents.last().map_or(0, |last| u8::try_from(last.trailing_zeros()).unwrap_or(0));
    tlv(BIT_STRING, &[&[unused], contents])
}

/// UTCTime up to 2049, GeneralizedTime from 2050 (RFC 5280 §4.1.2.5).
pub(crate) fn time(instant: Time) -> Vec<u8> {
    let ((year, month, day), (hour, minute, second)) = instant.civil();
    let tail = format!("{month:02}{day:02}{hour:02}{minute:02}{second:02}Z");
    if (1950..2050).contains(&year) {
        tlv(UTC_TIME, &[format!("{:02}", year % 100).as_bytes(), tail.as_bytes()])
    } else {
        tlv(GENERALIZED_TIME, &[format!("{year:04}").as_bytes(), tail.as_bytes()])
    }
}
