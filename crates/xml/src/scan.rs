//! Characters, names and references of XML 1.0 (fifth edition), over octets of text that is known to be UTF-8. Nothing
//! here allocates or knows nodes. Called by the builder, the writer and the path parser.

use crate::error::{Error, ErrorKind};

/// Octets that end a run of plain text: markup, references, line ends to normalize, characters to look at.
const TEXT: u8 = 1;
/// As [`TEXT`], in an attribute value.
const VALUE: u8 = 2;
/// Octets that need a look wherever they occur: forbidden controls, CR, first octet of U+FFFE and U+FFFF.
const ANY: u8 = 4;
/// ASCII name characters.
const NAME: u8 = 8;
/// ASCII characters that may begin a name; the colon is not among them.
const NAME_START: u8 = 16;
/// White space (XML 1.0 §2.3).
const SPACE: u8 = 32;

static CLASS: [u8; 256] = classes();

#[allow(clippy::indexing_slicing, reason = "evaluated by the compiler")]
const fn classes() -> [u8; 256] {
    let mut table = [0; 256];
    let mut at = 0;
    while at < 256 {
        let b = at as u8;
        let mut class = 0;
        if matches!(b, 0..=8 | 11..=31 | 0xEF) {
            class |= ANY | TEXT | VALUE;
        }
        if matches!(b, b'<' | b'&' | b'>') {
            class |= TEXT;
        }
        if matches!(b, b'<' | b'&' | b'"' | b'\'' | b'\t' | b'\n') {
            class |= VALUE;
        }
        if b.is_ascii_alphabetic() || b == b'_' {
            class |= NAME | NAME_START;
        }
        if b.is_ascii_digit() || matches!(b, b'-' | b'.') {
            class |= NAME;
        }
        if matches!(b, b' ' | b'\t' | b'\n' | b'\r') {
            class |= SPACE;
        }
        table[at] = class;
        at += 1;
    }
    table
}

#[inline]
fn class(octet: u8) -> u8 {
    CLASS.get(usize::from(octet)).copied().unwrap_or(0)
}

/// The first octet from `at` on that has one of the classes, or the end.
#[inline]
fn find(bytes: &[u8], at: usize, classes: u8) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    rest.iter().position(|&b| class(b) & classes != 0).map_or(bytes.len(), |n| at + n)
}

/// Octets that are looked at together. Arithmetic without a branch on arrays of this size becomes vector instructions.
const BLOCK: usize = 16;

/// The first octet from `at` on for which `distance` is zero, or the end. `distance` must agree with `classes`.
#[inline]
fn find_by_blocks(bytes: &[u8], mut at: usize, distance: impl Fn(u8) -> u8, classes: u8) -> usize {
    while let Some(block) = bytes.get(at..).and_then(|rest| rest.first_chunk::<BLOCK>()) {
        let hits = block.map(|b| if distance(b) == 0 { 0xFF } else { 0 });
        let hits = u128::from_le_bytes(hits);
        if hits != 0 {
            return at + hits.trailing_zeros() as usize / 8;
        }
        at += BLOCK;
    }
    find(bytes, at, classes)
}

/// Zero for what ends a run of text.
#[inline]
fn text_distance(b: u8) -> u8 {
    // `<` and `>` differ in one bit. Of the controls, TAB and LF are no end.
    let angle = (b | 2) ^ b'>';
    let white = 1_u8.saturating_sub(b.wrapping_sub(b'\t') & 0xFE);
    let control = (b & 0xE0) | white;
    angle.min(b ^ b'&').min(b ^ 0xEF).min(control)
}

/// Zero for what ends a run of an attribute value.
#[inline]
fn value_distance(b: u8) -> u8 {
    // `&` and `'` differ in one bit.
    let quote = ((b | 1) ^ b'\'').min(b ^ b'"');
    quote.min(b ^ b'<').min(b ^ 0xEF).min(b & 0xE0)
}

/// End of a run of text that needs no look: `<`, `&`, `>`, CR, a control or U+FFFx stands there, or it is the end.
#[inline]
pub(crate) fn text_end(bytes: &[u8], at: usize) -> usize {
    find_by_blocks(bytes, at, text_distance, TEXT)
}

/// End of a run of an attribute value that needs no look: as [`text_end`], with quotes and white space, without `>`.
#[inline]
pub(crate) fn value_end(bytes: &[u8], at: usize) -> usize {
    find_by_blocks(bytes, at, value_distance, VALUE)
}

/// Whether two stretches are equal: in place for up to 16 octets, as names mostly are, where a call costs more than
/// the comparison.
#[inline]
pub(crate) fn same(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() || a.len() > 16 {
        return a == b;
    }
    let ends = (a.first_chunk::<8>(), a.last_chunk::<8>(), b.first_chunk::<8>(), b.last_chunk::<8>());
    if let (Some(a1), Some(a2), Some(b1), Some(b2)) = ends {
        let first = u64::from_le_bytes(*a1) ^ u64::from_le_bytes(*b1);
        let last = u64::from_le_bytes(*a2) ^ u64::from_le_bytes(*b2);
        return first | last == 0;
    }
    let ends = (a.first_chunk::<4>(), a.last_chunk::<4>(), b.first_chunk::<4>(), b.last_chunk::<4>());
    if let (Some(a1), Some(a2), Some(b1), Some(b2)) = ends {
        let first = u32::from_le_bytes(*a1) ^ u32::from_le_bytes(*b1);
        let last = u32::from_le_bytes(*a2) ^ u32::from_le_bytes(*b2);
        return first | last == 0;
    }
    a.iter().zip(b).all(|(a, b)| a == b)
}

/// Whether an octet cannot continue a qualified name.
#[inline]
pub(crate) fn ends_name(octet: u8) -> bool {
    class(octet) & NAME == 0 && octet != b':' && octet < 0x80
}

/// Whether an octet is white space.
#[inline]
pub(crate) fn is_space(octet: u8) -> bool {
    class(octet) & SPACE != 0
}

/// Skips white space.
#[inline]
pub(crate) fn space_end(bytes: &[u8], at: usize) -> usize {
    if bytes.get(at).is_some_and(|&b| b > b' ') {
        return at;
    }
    let rest = bytes.get(at..).unwrap_or_default();
    rest.iter().position(|&b| !is_space(b)).map_or(bytes.len(), |n| at + n)
}

/// Judges the octet at which a run ended for being CR, a forbidden control or 0xEF: the octets to step over, or an
/// error. CR is stepped over like any character; the caller has looked at it before if it matters.
pub(crate) fn step_special(bytes: &[u8], at: usize) -> Result<usize, Error> {
    match bytes.get(at..).unwrap_or_default() {
        [0xEF, 0xBF, 0xBE | 0xBF, ..] => Err(Error::new(ErrorKind::Character, at)),
        [0xEF, ..] => Ok(3),
        [b'\r', ..] => Ok(1),
        [0..=8 | 11..=31, ..] => Err(Error::new(ErrorKind::Character, at)),
        _ => Ok(1),
    }
}

/// Checks that every character of a stretch is one of XML 1.0 §2.2. Returns whether it holds a CR.
pub(crate) fn check_characters(bytes: &[u8], start: usize, end: usize) -> Result<bool, Error> {
    let stretch = bytes.get(..end).unwrap_or(bytes);
    let (mut at, mut carriage) = (start, false);
    loop {
        at = find(stretch, at, ANY);
        match stretch.get(at) {
            None => return Ok(carriage),
            Some(b'\r') => carriage = true,
            Some(_) => {}
        }
        at += step_special(stretch, at)?;
    }
}

/// Whether a character may occur in a document (XML 1.0 §2.2).
pub(crate) fn is_character(c: char) -> bool {
    match c {
        '\t' | '\n' | '\r' => true,
        '\u{FFFE}' | '\u{FFFF}' => false,
        _ => c >= ' ',
    }
}

/// NameStartChar of XML 1.0 §2.3 without the colon.
pub(crate) fn is_name_start(c: char) -> bool {
    matches!(c,
        'A'..='Z' | '_' | 'a'..='z' | '\u{C0}'..='\u{D6}' | '\u{D8}'..='\u{F6}' | '\u{F8}'..='\u{2FF}'
        | '\u{370}'..='\u{37D}' | '\u{37F}'..='\u{1FFF}' | '\u{200C}'..='\u{200D}' | '\u{2070}'..='\u{218F}'
        | '\u{2C00}'..='\u{2FEF}' | '\u{3001}'..='\u{D7FF}' | '\u{F900}'..='\u{FDCF}' | '\u{FDF0}'..='\u{FFFD}'
        | '\u{10000}'..='\u{EFFFF}')
}

/// NameChar of XML 1.0 §2.3 without the colon.
pub(crate) fn is_name_char(c: char) -> bool {
    is_name_start(c)
        || matches!(c, '-' | '.' | '0'..='9' | '\u{B7}' | '\u{300}'..='\u{36F}' | '\u{203F}'..='\u{2040}')
}

/// Whether a text is a name without colon (Namespaces in XML 1.0 §3, NCName).
pub(crate) fn is_ncname(text: &str) -> bool {
    let bytes = text.as_bytes();
    let ascii = bytes.first().is_some_and(|&b| class(b) & NAME_START != 0)
        && bytes.iter().fold(NAME, |all, &b| all & class(b)) != 0;
    if ascii {
        return true;
    }
    let mut chars = text.chars();
    chars.next().is_some_and(is_name_start) && chars.all(is_name_char)
}

/// A qualified name in the text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QNameSpan {
    pub(crate) end: usize,
    /// Where the colon stands, if there is one.
    pub(crate) colon: Option<usize>,
}

/// Reads a qualified name (Namespaces in XML 1.0 §4) that begins at `start`.
#[inline]
pub(crate) fn qname(text: &str, start: usize) -> Result<QNameSpan, Error> {
    let end = ncname_end(text, start)?;
    if text.as_bytes().get(end) != Some(&b':') {
        return Ok(QNameSpan { end, colon: None });
    }
    let local_end = ncname_end(text, end + 1)?;
    if text.as_bytes().get(local_end) == Some(&b':') {
        return Err(Error::new(ErrorKind::Name, local_end));
    }
    Ok(QNameSpan { end: local_end, colon: Some(end) })
}

/// End of the name without colon that begins at `start`.
#[inline]
pub(crate) fn ncname_end(text: &str, start: usize) -> Result<usize, Error> {
    let bytes = text.as_bytes();
    let Some(&first) = bytes.get(start) else { return Err(Error::new(ErrorKind::UnexpectedEnd, start)) };
    let mut at = start + 1;
    if class(first) & NAME_START == 0 {
        at = match next_char(text, start) {
            Some(c) if !c.is_ascii() && is_name_start(c) => start + c.len_utf8(),
            _ => return Err(Error::new(ErrorKind::Name, start)),
        };
    }
    loop {
        let rest = bytes.get(at..).unwrap_or_default();
        at = rest.iter().position(|&b| class(b) & NAME == 0).map_or(bytes.len(), |n| at + n);
        match bytes.get(at) {
            Some(0x80..) => match next_char(text, at) {
                Some(c) if is_name_char(c) => at += c.len_utf8(),
                _ => return Err(Error::new(ErrorKind::Name, at)),
            },
            _ => return Ok(at),
        }
    }
}

fn next_char(text: &str, at: usize) -> Option<char> {
    text.get(at..)?.chars().next()
}

/// A character or entity reference.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reference {
    pub(crate) character: char,
    pub(crate) end: usize,
    /// Whether it is written as canonical forms write this character in text.
    pub(crate) canonical_text: bool,
    /// Whether it is written as canonical forms write this character in attribute values.
    pub(crate) canonical_value: bool,
}

/// Reads the reference whose `&` stands at `start`.
pub(crate) fn reference(text: &str, start: usize) -> Result<Reference, Error> {
    let rest = text.as_bytes().get(start..).unwrap_or_default();
    let known = |character, len, canonical_text, canonical_value| {
        Ok(Reference { character, end: start + len, canonical_text, canonical_value })
    };
    match rest {
        [b'&', b'a', b'm', b'p', b';', ..] => known('&', 5, true, true),
        [b'&', b'l', b't', b';', ..] => known('<', 4, true, true),
        [b'&', b'g', b't', b';', ..] => known('>', 4, true, false),
        [b'&', b'q', b'u', b'o', b't', b';', ..] => known('"', 6, false, true),
        [b'&', b'a', b'p', b'o', b's', b';', ..] => known('\'', 6, false, false),
        [b'&', b'#', b'x', b'D', b';', ..] => known('\r', 5, true, true),
        [b'&', b'#', b'x', b'A', b';', ..] => known('\n', 5, false, true),
        [b'&', b'#', b'x', b'9', b';', ..] => known('\t', 5, false, true),
        [b'&', b'#', ..] => character_reference(rest, start),
        [b'&', more @ ..] => {
            // A whole reference to another entity, or an `&` that begins nothing.
            let name = more.iter().position(|&b| b == b';' || b == b'<' || b == b'&');
            let kind = if name.is_none() { ErrorKind::UnexpectedEnd } else { ErrorKind::Entity };
            Err(Error::new(kind, start))
        }
        _ => Err(Error::new(ErrorKind::Entity, start)),
    }
}

fn character_reference(rest: &[u8], start: usize) -> Result<Reference, Error> {
    let (digits_at, radix) = if rest.get(2) == Some(&b'x') { (3, 16) } else { (2, 10) };
    let digits = rest.get(digits_at..).unwrap_or_default();
    let mut value = 0_u32;
    for (n, &octet) in digits.iter().enumerate() {
        if octet == b';' && n > 0 {
            let character = char::from_u32(value).filter(|&c| is_character(c));
            let character = character.ok_or(Error::new(ErrorKind::CharacterReference, start))?;
            let end = start + digits_at + n + 1;
            return Ok(Reference { character, end, canonical_text: false, canonical_value: false });
        }
        let Some(digit) = char::from(octet).to_digit(radix) else {
            return Err(Error::new(ErrorKind::CharacterReference, start));
        };
        // Above the last character the value stays too large, however many digits follow.
        value = value.saturating_mul(radix).saturating_add(digit);
    }
    Err(Error::new(ErrorKind::UnexpectedEnd, start))
}

#[cfg(test)]
mod tests;
