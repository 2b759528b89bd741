//! Octets to text: UTF-8, UTF-16 with a byte order mark, and outside messages ISO-8859-1 if the declaration names it.
//! Nothing is guessed. Called once a document.

use crate::doc::Profile;
use crate::error::{Error, ErrorKind};

/// What the octets were.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Encoding {
    Utf8,
    Utf16,
    /// Old documents of test suites and policies.
    Latin1,
}

/// Decodes a document. UTF-8 is taken over without a copy; a UTF-8 byte order mark stays in the text.
pub(crate) fn decode(bytes: Vec<u8>, profile: Profile) -> Result<(String, Encoding), Error> {
    match bytes.get(..2) {
        Some([0xFE, 0xFF]) => Ok((utf16(&bytes, u16::from_be_bytes)?, Encoding::Utf16)),
        Some([0xFF, 0xFE]) => Ok((utf16(&bytes, u16::from_le_bytes)?, Encoding::Utf16)),
        _ if profile == Profile::Bare && names_latin1(&bytes) => {
            Ok((bytes.into_iter().map(char::from).collect(), Encoding::Latin1))
        }
        _ => match String::from_utf8(bytes) {
            Ok(text) => Ok((text, Encoding::Utf8)),
            Err(error) => Err(Error::new(ErrorKind::Encoding, error.utf8_error().valid_up_to())),
        },
    }
}

/// Whether the XML declaration, if there is one, names ISO-8859-1. The builder judges the declaration itself later.
fn names_latin1(bytes: &[u8]) -> bool {
    let head = bytes.get(..128).unwrap_or(bytes);
    // Without the white space it is an instruction of another name, which says nothing about the octets.
    let declared = matches!(head, [b'<', b'?', b'x', b'm', b'l', b' ' | b'\t' | b'\r' | b'\n', ..]);
    let Some(end) = memchr::memmem::find(head, b"?>").filter(|_| declared) else {
        return false;
    };
    let declaration = head.get(..end).unwrap_or_default();
    declaration.windows(10).any(|name| name.eq_ignore_ascii_case(b"ISO-8859-1"))
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<String, Error> {
    let body = bytes.get(2..).unwrap_or_default();
    if body.len() % 2 != 0 {
        return Err(Error::new(ErrorKind::Encoding, bytes.len()));
    }
    let units = body.chunks_exact(2).map(|pair| match pair {
        [a, b] => unit([*a, *b]),
        _ => 0,
    });
    let mut text = String::with_capacity(body.len() / 2);
    for decoded in char::decode_utf16(units) {
        match decoded {
            Ok(c) => text.push(c),
            Err(_) => return Err(Error::new(ErrorKind::Encoding, text.len())),
        }
    }
    Ok(text)
}
