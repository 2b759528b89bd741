//! Media types of SOAP messages and the SOAPAction header.
//!
//! Reads `Content-Type` (RFC 9110 §8.3), tells the SOAP version it names, its `action` (RFC 3902) and charset; writes ours.
//! Not here: multipart packages. Called by `bartizan-wss` for each message read, by the edge for each message sent.

use crate::error::Error;
use crate::version::Version;

/// Most parameters of one media type: each is compared with all before it. Those of SOAP are four, of a package six.
pub const MAX_PARAMETERS: usize = 16;

/// A parsed `Content-Type`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct MediaType {
    essence: String,
    parameters: Vec<(String, String)>,
}

impl MediaType {
    /// Parses a `Content-Type` value.
    ///
    /// # Errors
    /// [`Error::MediaType`] for a value that is none, that names a parameter twice, or has more than [`MAX_PARAMETERS`].
    pub fn parse(value: &str) -> Result<MediaType, Error> {
        let (essence, mut rest) = value.split_once(';').map_or((value, ""), |(a, b)| (a, b));
        let essence = essence.trim().to_ascii_lowercase();
        let (kind, sub) = essence.split_once('/').ok_or(Error::MediaType)?;
        if !is_token(kind) || !is_token(sub) {
            return Err(Error::MediaType);
        }
        let mut parameters: Vec<(String, String)> = Vec::new();
        while !rest.trim().is_empty() {
            let (name, tail) = rest.split_once('=').ok_or(Error::MediaType)?;
            let name = name.trim().to_ascii_lowercase();
            let (text, tail) = parameter_value(tail.trim_start())?;
            let full = parameters.len() >= MAX_PARAMETERS;
            if full || !is_token(&name) || parameters.iter().any(|(n, _)| *n == name) {
                return Err(Error::MediaType);
            }
            parameters.push((name, text));
            let tail = tail.trim_start();
            rest = match tail.strip_prefix(';') {
                Some(t) => t,
                None if tail.is_empty() => "",
                None => return Err(Error::MediaType),
            };
        }
        Ok(MediaType { essence, parameters })
    }

    /// Type and subtype in lower case, `text/xml`.
    #[must_use]
    pub fn essence(&self) -> &str {
        &self.essence
    }

    /// A parameter by its name in lower case.
    #[must_use]
    pub fn parameter(&self, name: &str) -> Option<&str> {
        self.parameters.iter().find(|(n, _)| n == name).map(|(_, v)| v.as_str())
    }

    /// The version that the media type names; `None` for `application/xml` and the like.
    #[must_use]
    pub fn version(&self) -> Option<Version> {
        match self.essence.as_str() {
            "text/xml" => Some(Version::Soap11),
            "application/soap+xml" => Some(Version::Soap12),
            _ => None,
        }
    }

    /// The `action` parameter of SOAP 1.2.
    #[must_use]
    pub fn action(&self) -> Option<&str> {
        self.parameter("action")
    }

    /// Checks that the media type is the one of `version` and that its charset can be true of `bytes_start`
    /// (UTF-8 unless a byte order mark says UTF-16).
    ///
    /// # Errors
    /// [`Error::MediaType`], [`Error::Charset`].
    pub fn check(&self, version: Version, bytes_start: &[u8]) -> Result<(), Error> {
        if self.version() != Some(version) {
            return Err(Error::MediaType);
        }
        let Some(charset) = self.parameter("charset") else { return Ok(()) };
        let utf16 = bytes_start.starts_with(&[0xFE, 0xFF]) || bytes_start.starts_with(&[0xFF, 0xFE]);
        let little = bytes_start.starts_with(&[0xFF, 0xFE]);
        let fits = match charset.to_ascii_lowercase().as_str() {
            "utf-8" | "utf8" => !utf16,
            "us-ascii" => !utf16,
            "utf-16" => utf16,
            "utf-16le" => utf16 && little,
            "utf-16be" => utf16 && !little,
            _ => false,
        };
        if fits { Ok(()) } else { Err(Error::Charset) }
    }
}

/// The `Content-Type` that we send for a message of `version`, with the action in SOAP 1.2.
#[must_use]
pub fn content_type(version: Version, action: Option<&str>) -> String {
    let mut out = format!("{};charset=UTF-8", version.media_type());
    if let (Version::Soap12, Some(action)) = (version, action) {
        out.push_str(";action=");
        out.push_str(&quoted(action));
    }
    out
}

/// The value of the `SOAPAction` header that SOAP 1.1 wants (SOAP 1.1 §6.1.1): always quoted, empty if there is no action.
#[must_use]
pub fn soap_action(action: Option<&str>) -> String {
    quoted(action.unwrap_or_default())
}

/// Reads a `SOAPAction` header: quotes stripped; an empty one is none.
#[must_use]
pub fn read_soap_action(value: &str) -> Option<&str> {
    let value = value.trim();
    let value = value.strip_prefix('"').and_then(|v| v.strip_suffix('"')).unwrap_or(value);
    (!value.is_empty()).then_some(value)
}

/// A quoted string with `"` and `\` escaped and control characters left out, so that an action can never end the header line. A character
/// beyond ASCII is written as a URI writes it (RFC 3987 §3.1): header values are ASCII.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars().filter(|c| !c.is_control()) {
        if matches!(c, '"' | '\\') {
            out.push('\\');
        }
        if c.is_ascii() {
            out.push(c);
        } else {
            let mut octets = [0; 4];
            out.extend(c.encode_utf8(&mut octets).bytes().map(|octet| format!("%{octet:02X}")));
        }
    }
    out.push('"');
    out
}

fn parameter_value(input: &str) -> Result<(String, &str), Error> {
    let Some(quoted) = input.strip_prefix('"') else {
        let end = input.find([';', ' ', '\t']).unwrap_or(input.len());
        let (token, tail) = input.split_at_checked(end).ok_or(Error::MediaType)?;
        // SOAP 1.2 toolkits send an unquoted action that is no token; it is only a hint, so a URI is let through.
        let loose = !token.is_empty() && token.bytes().all(|b| b.is_ascii_graphic() && b != b'"');
        return if loose { Ok((token.to_owned(), tail)) } else { Err(Error::MediaType) };
    };
    let mut text = String::new();
    let mut chars = quoted.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Ok((text, quoted.get(at + 1..).unwrap_or_default())),
            '\\' => text.push(chars.next().ok_or(Error::MediaType)?.1),
            c if c.is_control() => return Err(Error::MediaType),
            c => text.push(c),
        }
    }
    Err(Error::MediaType)
}

fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b))
}

#[cfg(test)]
mod tests;
