//! Java's `.properties`: comments, continued lines, escapes; ISO-8859-1.

use bartizan_crypto::Secret;

/// A name and its value. Values may be passwords.
#[derive(Debug)]
pub(super) struct Property {
    pub(super) name: String,
    pub(super) value: Secret<String>,
    /// From 1.
    pub(super) line: usize,
}

/// The properties of a file; a later one of the same name comes later.
///
/// # Errors
/// The line of a `\u` without four hexadecimal digits.
pub(super) fn parse(octets: &[u8]) -> Result<Vec<Property>, usize> {
    let mut found = Vec::new();
    for (line, logical) in logical_lines(octets) {
        let (name, value) = split(&logical);
        let name = unescape(name).ok_or(line)?;
        let value = unescape(value).ok_or(line)?;
        found.push(Property { name, value: Secret::new(value), line });
    }
    Ok(found)
}

/// Lines with what continues them, without comments, each with its number.
fn logical_lines(octets: &[u8]) -> Vec<(usize, Vec<char>)> {
    let text: Vec<char> = octets.iter().map(|octet| char::from(*octet)).collect();
    let mut out: Vec<(usize, Vec<char>)> = Vec::new();
    let mut open: Option<(usize, Vec<char>)> = None;
    let mut number = 0;
    let mut rest = text.as_slice();
    while !rest.is_empty() {
        number += 1;
        let end = rest.iter().position(|c| matches!(c, '\n' | '\r')).unwrap_or(rest.len());
        let (line, tail) = rest.split_at(end);
        let both = tail.starts_with(&['\r', '\n']);
        rest = tail.get(if both { 2 } else { 1 }..).unwrap_or_default();
        let start = line.iter().position(|c| !is_blank(*c)).unwrap_or(line.len());
        let line = line.get(start..).unwrap_or_default();
        // A comment ends with its line, and none begins in the middle of one.
        if open.is_none() && (line.is_empty() || matches!(line.first(), Some('#' | '!'))) {
            continue;
        }
        let slashes = line.iter().rev().take_while(|c| **c == '\\').count();
        let goes_on = slashes % 2 == 1;
        let body = if goes_on { line.get(..line.len() - 1).unwrap_or_default() } else { line };
        let (_, whole) = open.get_or_insert_with(|| (number, Vec::new()));
        whole.extend_from_slice(body);
        if !goes_on {
            out.extend(open.take());
        }
    }
    out.extend(open);
    out
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\u{c}')
}

/// Name and value: the first `=`, `:` or blank that no backslash precedes, and the blanks around it.
fn split(line: &[char]) -> (&[char], &[char]) {
    let mut escaped = false;
    let end = line.iter().position(|c| {
        let ends = !escaped && (matches!(c, '=' | ':') || is_blank(*c));
        escaped = !escaped && *c == '\\';
        ends
    });
    let (name, rest) = line.split_at(end.unwrap_or(line.len()));
    let skip = |rest: &[char]| rest.iter().position(|c| !is_blank(*c)).unwrap_or(rest.len());
    let rest = rest.get(skip(rest)..).unwrap_or_default();
    let rest = if matches!(rest.first(), Some('=' | ':')) { rest.get(1..).unwrap_or_default() } else { rest };
    (name, rest.get(skip(rest)..).unwrap_or_default())
}

fn unescape(text: &[char]) -> Option<String> {
    let mut units: Vec<u16> = Vec::with_capacity(text.len());
    let mut chars = text.iter().copied();
    while let Some(c) = chars.next() {
        let unit = if c == '\\' {
            match chars.next() {
                Some('u') => {
                    let digits: String = chars.by_ref().take(4).collect();
                    let hex = digits.len() == 4 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
                    hex.then(|| u16::from_str_radix(&digits, 16).ok()).flatten()?
                }
                Some('t') => u16::from(b'\t'),
                Some('n') => u16::from(b'\n'),
                Some('r') => u16::from(b'\r'),
                Some('f') => 0xC,
                Some(other) => u16::try_from(u32::from(other)).ok()?,
                None => continue,
            }
        } else {
            u16::try_from(u32::from(c)).ok()?
        };
        units.push(unit);
    }
    String::from_utf16(&units).ok()
}
