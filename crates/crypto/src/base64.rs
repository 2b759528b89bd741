//! Base64 (RFC 4648 §4) as XML carries it: strict, but for XML white space.

use crate::Error;

/// The text of the octets, with padding and without line breaks.
#[must_use]
pub fn encode(octets: &[u8]) -> String {
    let _ = octets;
    todo!()
}

/// Appends the text of the octets to a buffer.
pub fn encode_to(out: &mut Vec<u8>, octets: &[u8]) {
    let _ = (out, octets);
    todo!()
}

/// The octets of a text. Space, tab, CR and LF are allowed anywhere and nothing else beside the
/// alphabet; padding must be complete and the unused bits zero.
///
/// # Errors
/// [`Error::MalformedBase64`].
pub fn decode(text: &str) -> Result<Vec<u8>, Error> {
    let _ = text;
    todo!()
}
