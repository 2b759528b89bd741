//! Text forms of distinguished names, both ways.

use super::{Attribute, Dn, MAX_RDNS, Value, kind_by_name};
use crate::der::oid;
use crate::error::Error;

/// Octets of a name in text form; longer ones are refused.
const MAX_TEXT: usize = 8 * 1024;

/// Writes the relative names in reverse order, as RFC 4514 §2.1 says.
pub(super) fn write(dn: &Dn, short_name: impl Fn(&[u8]) -> Option<&'static str>) -> String {
    let mut out = String::new();
    for (at, rdn) in dn.0.iter().rev().enumerate() {
        if at > 0 {
            out.push(',');
        }
        for (at, attribute) in rdn.iter().enumerate() {
            if at > 0 {
                out.push('+');
            }
            match (short_name(&attribute.kind), &attribute.value) {
                (Some(name), Value::Text(text)) => {
                    out.push_str(name);
                    out.push('=');
                    escape(text, &mut out);
                }
                (name, value) => {
                    match name {
                        Some(name) => out.push_str(name),
                        None => out.push_str(&oid::to_dotted(&attribute.kind)),
                    }
                    out.push_str("=#");
                    match value {
                        Value::Encoded(octets) => push_hex(octets, &mut out),
                        // The string type of the certificate is gone; UTF8String reads back as the same value.
                        Value::Text(text) => {
                            let encoding =
                                crate::der::write::tlv(crate::der::UTF8_STRING, &[text.as_bytes()]);
                            push_hex(&encoding, &mut out);
                        }
                    }
                }
            }
        }
    }
    out
}

fn push_hex(octets: &[u8], out: &mut String) {
    for octet in octets {
        out.push_str(&format!("{octet:02x}"));
    }
}

/// RFC 4514 §2.4; control characters too, so that a name cannot break a line of a log.
fn escape(text: &str, out: &mut String) {
    let last = text.chars().count().saturating_sub(1);
    for (at, c) in text.chars().enumerate() {
        match c {
            '"' | '+' | ',' | ';' | '<' | '>' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            ' ' if at == 0 || at == last => out.push_str("\\ "),
            '#' if at == 0 => out.push_str("\\#"),
            c if c.is_control() => {
                let mut buffer = [0; 4];
                for octet in c.encode_utf8(&mut buffer).bytes() {
                    out.push_str(&format!("\\{octet:02X}"));
                }
            }
            c => out.push(c),
        }
    }
}

pub(super) fn parse(text: &str) -> Result<Dn, Error> {
    if text.len() > MAX_TEXT {
        return Err(Error::TooMuch { what: "octets of a distinguished name", limit: MAX_TEXT });
    }
    let mut rdns = Vec::new();
    // Only at the start: a space at the end may be escaped.
    let mut cursor = Cursor { rest: text.trim_start_matches(is_space) };
    if cursor.rest.is_empty() {
        return Ok(Dn(rdns));
    }
    let mut attributes = Vec::new();
    loop {
        attributes.push(cursor.attribute()?);
        let separator = cursor.next();
        if separator == Some('+') {
            continue;
        }
        attributes.sort();
        rdns.push(std::mem::take(&mut attributes));
        match separator {
            None => return Ok(Dn(rdns)),
            Some(',' | ';') if rdns.len() < MAX_RDNS => {}
            Some(_) => return Err(Error::BadName),
        }
    }
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n')
}

struct Cursor<'a> {
    rest: &'a str,
}

impl Cursor<'_> {
    fn next(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let c = chars.next();
        self.rest = chars.as_str();
        c
    }

    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn skip_space(&mut self) {
        self.rest = self.rest.trim_start_matches(is_space);
    }

    fn attribute(&mut self) -> Result<Attribute, Error> {
        let (name, rest) = self.rest.split_once('=').ok_or(Error::BadName)?;
        let kind = kind_by_name(name.trim_matches(is_space)).ok_or(Error::BadName)?;
        self.rest = rest;
        self.skip_space();
        let value = match self.peek() {
            Some('"') => self.quoted()?,
            Some('#') => self.encoded()?,
            _ => self.plain()?,
        };
        Ok(Attribute { kind, value })
    }

    /// After a backslash: a pair of hexadecimal digits is an octet, any other character itself.
    fn escaped(&mut self, value: &mut Vec<u8>) -> Result<(), Error> {
        let c = self.next().ok_or(Error::BadName)?;
        match (c.to_digit(16), self.peek().and_then(|next| next.to_digit(16))) {
            (Some(high), Some(low)) => {
                self.next();
                value.push(u8::try_from(high << 4 | low).map_err(|_| Error::BadName)?);
            }
            _ => push_char(c, value),
        }
        Ok(())
    }

    /// `"…"` with `\"` or, as .NET writes, `""` for a quotation mark.
    fn quoted(&mut self) -> Result<Value, Error> {
        self.next();
        let mut value = Vec::new();
        loop {
            match self.next().ok_or(Error::BadName)? {
                '\\' => self.escaped(&mut value)?,
                '"' if self.peek() == Some('"') => {
                    self.next();
                    value.push(b'"');
                }
                '"' => break,
                c => push_char(c, &mut value),
            }
        }
        self.skip_space();
        text_value(value)
    }

    fn encoded(&mut self) -> Result<Value, Error> {
        self.next();
        let mut octets = Vec::new();
        while let Some(high) = self.peek().and_then(|c| c.to_digit(16)) {
            self.next();
            let low = self.next().and_then(|c| c.to_digit(16)).ok_or(Error::BadName)?;
            octets.push(u8::try_from(high << 4 | low).map_err(|_| Error::BadName)?);
        }
        self.skip_space();
        Value::from_encoding(&octets)
    }

    fn plain(&mut self) -> Result<Value, Error> {
        let mut value = Vec::new();
        // Spaces at the end belong to the separator, unless they are escaped.
        let mut keep = 0;
        while let Some(c) = self.peek() {
            match c {
                ',' | ';' | '+' => break,
                '\\' => {
                    self.next();
                    self.escaped(&mut value)?;
                    keep = value.len();
                }
                c => {
                    self.next();
                    push_char(c, &mut value);
                    if !is_space(c) {
                        keep = value.len();
                    }
                }
            }
        }
        value.truncate(keep);
        text_value(value)
    }
}

fn push_char(c: char, value: &mut Vec<u8>) {
    let mut buffer = [0; 4];
    value.extend_from_slice(c.encode_utf8(&mut buffer).as_bytes());
}

fn text_value(value: Vec<u8>) -> Result<Value, Error> {
    String::from_utf8(value).map(Value::Text).map_err(|_| Error::BadName)
}
