//! From BER to DER, for PKCS#12 files written by tools that stream: indefinite lengths, lengths that are
//! longer than needed, and OCTET STRINGs in pieces. Everything else passes through unchanged.

use super::{OCTET_STRING, write};
use crate::error::Error;

/// Constructed elements inside each other; real stores need about twelve.
const MAX_DEPTH: usize = 32;
/// What a segmented OCTET STRING looks like: the tag with the "constructed" bit.
const OCTETS_IN_PIECES: u8 = OCTET_STRING | 0x20;

/// The first element of `octets` in DER; what follows it is ignored, as streaming writers pad.
///
/// # Errors
/// [`Error::Encoding`] if the lengths do not add up; [`Error::TooMuch`] if it nests too deeply.
pub(crate) fn to_der(octets: &[u8]) -> Result<Vec<u8>, Error> {
    let mut out = Vec::with_capacity(octets.len());
    element(octets, &mut out, 0)?;
    Ok(out)
}

const WHAT: Error = Error::Encoding { what: "BER length" };

/// Appends the first element of `input` to `out` and returns the rest of the input. The recursion is
/// limited by [`MAX_DEPTH`], which small stacks hold.
fn element<'a>(input: &'a [u8], out: &mut Vec<u8>, depth: usize) -> Result<&'a [u8], Error> {
    if depth >= MAX_DEPTH {
        return Err(Error::TooMuch { what: "nested BER elements", limit: MAX_DEPTH });
    }
    let [tag, first, after @ ..] = input else { return Err(WHAT) };
    if tag & 0x1f == 0x1f {
        return Err(Error::Encoding { what: "BER tag" });
    }
    let constructed = tag & 0x20 != 0;
    let (mut body, rest) = match (*first, constructed) {
        (0x80, false) => return Err(WHAT),
        (0x80, true) => (after, None),
        (short, _) if short < 0x80 => {
            let (body, rest) = after.split_at_checked(usize::from(short)).ok_or(WHAT)?;
            (body, Some(rest))
        }
        (long, _) => {
            let (digits, after) = after.split_at_checked(usize::from(long & 0x7f)).ok_or(WHAT)?;
            let skip = digits.iter().take_while(|octet| **octet == 0).count();
            if digits.len() - skip > 4 {
                return Err(WHAT);
            }
            let length = digits.iter().fold(0_usize, |sum, octet| sum << 8 | usize::from(*octet));
            let (body, rest) = after.split_at_checked(length).ok_or(WHAT)?;
            (body, Some(rest))
        }
    };
    if !constructed {
        out.extend_from_slice(&write::tlv(*tag, &[body]));
        return rest.ok_or(WHAT);
    }
    let mut contents = Vec::new();
    let rest = loop {
        match (rest, body) {
            (Some(rest), []) => break rest,
            (None, [0, 0, after @ ..]) => break after,
            _ => body = element(body, &mut contents, depth + 1)?,
        }
    };
    if *tag == OCTETS_IN_PIECES {
        let mut pieces = super::Reader::new(&contents);
        let mut joined = Vec::with_capacity(contents.len());
        while !pieces.is_empty() {
            joined.extend_from_slice(pieces.expect(OCTET_STRING, "piece of an OCTET STRING")?.value);
        }
        out.extend_from_slice(&write::octets(&joined));
    } else {
        out.extend_from_slice(&write::tlv(*tag, &[&contents]));
    }
    Ok(rest)
}
