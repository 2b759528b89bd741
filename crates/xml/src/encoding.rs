//! Octets to text: UTF-8, or UTF-16 with a byte order mark. Nothing is guessed. Called once a document.

use crate::error::{Error, ErrorKind};

/// What the octets were.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Encoding {
    Utf8,
    Utf16,
}

/// Decodes a document. UTF-8 is taken over without a copy; a UTF-8 byte order mark stays in the text.
pub(crate) fn decode(bytes: Vec<u8>) -> Result<(String, Encoding), Error> {
    match bytes.get(..2) {
        Some([0xFE, 0xFF]) => Ok((utf16(&bytes, u16::from_be_bytes)?, Encoding::Utf16)),
        Some([0xFF, 0xFE]) => Ok((utf16(&bytes, u16::from_le_bytes)?, Encoding::Utf16)),
        _ => match String::from_utf8(bytes) {
            Ok(text) => Ok((text, Encoding::Utf8)),
            Err(error) => Err(Error::new(ErrorKind::Encoding, error.utf8_error().valid_up_to())),
        },
    }
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
