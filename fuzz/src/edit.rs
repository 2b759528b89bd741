//! Edits of a message, spelt by a fuzzer's octets: small damage, and the moves of an attacker who knows XML.
//!
//! Every operation works on the text. Those that move elements parse it first and do nothing where it no longer parses,
//! so that any octets are some attack.

use bartizan_xml::{Budget, Document, Limits, Profile};

/// Octets that are taken one after the other; zero when they run out.
pub struct Recipe<'r> {
    rest: &'r [u8],
}

impl<'r> Recipe<'r> {
    /// Starts at the beginning.
    pub fn new(octets: &'r [u8]) -> Self {
        Recipe { rest: octets }
    }

    /// Whether nothing is left.
    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// One octet.
    pub fn octet(&mut self) -> u8 {
        let (first, rest) = self.rest.split_first().unwrap_or((&0, &[]));
        self.rest = rest;
        *first
    }

    /// One of `count`; 0 if there is none.
    pub fn below(&mut self, count: usize) -> usize {
        let wide = count > 256;
        let n = usize::from(self.octet()) | if wide { usize::from(self.octet()) << 8 } else { 0 };
        if count == 0 { 0 } else { n % count }
    }

    /// So many octets, or as many as are left.
    pub fn take(&mut self, count: usize) -> &'r [u8] {
        let (taken, rest) = self.rest.split_at(count.min(self.rest.len()));
        self.rest = rest;
        taken
    }

    /// All that is left.
    pub fn all(&mut self) -> &'r [u8] {
        self.take(usize::MAX)
    }
}

/// Edits of one message, at most.
const MOST: usize = 12;
/// Octets of an edited message, at most.
const LONGEST: usize = 64 * 1024;

const WRAPPERS: [(&str, &str); 8] = [
    ("<w:wrap xmlns:w=\"urn:w\">", "</w:wrap>"),
    ("<ds:Object xmlns:ds=\"http://www.w3.org/2000/09/xmldsig#\">", "</ds:Object>"),
    ("<soap:Body xmlns:soap=\"http://www.w3.org/2003/05/soap-envelope\">", "</soap:Body>"),
    ("<soap:Header xmlns:soap=\"http://www.w3.org/2003/05/soap-envelope\">", "</soap:Header>"),
    ("<soap:Body xmlns:soap=\"http://schemas.xmlsoap.org/soap/envelope/\">", "</soap:Body>"),
    ("<x xmlns=\"\">", "</x>"),
    (
        "<wsse:Security xmlns:wsse=\"http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd\">",
        "</wsse:Security>",
    ),
    ("<h:h xmlns:h=\"urn:h\">", "</h:h>"),
];

const PIECES: [&str; 16] = [
    "<!-- c -->",
    "<?p i?>",
    "<![CDATA[x]]>",
    "&#x41;",
    "&e;",
    "]]>",
    "<x/>",
    " xmlns=\"\"",
    " xmlns:soap=\"urn:other\"",
    " xmlns:wsu=\"urn:other\"",
    " Id=\"a\"",
    " xml:id=\"a\"",
    " xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:nil=\"true\"",
    " soap:mustUnderstand=\"1\"",
    "<evil xmlns=\"urn:evil\">1</evil>",
    "\u{feff}",
];

const ATTRIBUTES: [&str; 10] =
    ["Id", "ID", "id", "wsu:Id", "xml:id", "foo:Id", "URI", "Algorithm", "AssertionID", "ValueType"];

const URIS: [&str; 14] = [
    "",
    "#",
    "#xpointer(/)",
    "http://www.w3.org/2001/10/xml-exc-c14n#",
    "http://www.w3.org/2001/10/xml-exc-c14n#WithComments",
    "http://www.w3.org/TR/2001/REC-xml-c14n-20010315",
    "http://www.w3.org/2000/09/xmldsig#enveloped-signature",
    "http://www.w3.org/2000/09/xmldsig#base64",
    "http://www.w3.org/2000/09/xmldsig#sha1",
    "http://www.w3.org/2000/09/xmldsig#hmac-sha1",
    "http://www.w3.org/2001/04/xmlenc#aes128-cbc",
    "http://www.w3.org/2009/xmlenc11#aes256-gcm",
    "http://www.w3.org/2001/04/xmlenc#Content",
    "http://www.w3.org/TR/1999/REC-xslt-19991116",
];

/// Start and end of every element, and of its content if its end tag is its own.
fn elements(text: &[u8]) -> Vec<(usize, usize, Option<(usize, usize)>)> {
    let mut budget = Budget::new(&Limits::default());
    let Ok(document) = Document::parse(text.to_vec(), Profile::Bare, &mut budget) else { return Vec::new() };
    if document.segment_text(0).as_bytes() != text {
        return Vec::new();
    }
    let root = document.root();
    std::iter::once(root)
        .chain(root.descendants())
        .map(|element| {
            let (span, source) = (element.span(), element.source());
            let open = content_start(source);
            let close = source.rfind("</").filter(|_| !source[..open].ends_with("/>"));
            (span.start, span.end, close.map(|close| (span.start + open, span.start + close)))
        })
        .collect()
}

/// Where the start tag at the beginning of a text ends.
fn content_start(source: &str) -> usize {
    let mut quote = None;
    for (at, octet) in source.bytes().enumerate() {
        match (octet, quote) {
            (b'"' | b'\'', None) => quote = Some(octet),
            (_, Some(open)) if open == octet => quote = None,
            (b'>', None) => return at + 1,
            _ => {}
        }
    }
    source.len()
}

/// Name and value of every attribute, as ranges: ours are always written with `"`.
fn attributes(text: &[u8]) -> Vec<(std::ops::Range<usize>, std::ops::Range<usize>)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(equals) = text[at..].windows(2).position(|pair| pair == b"=\"").map(|n| at + n) {
        let name = text[..equals].iter().rposition(|octet| octet.is_ascii_whitespace()).map_or(0, |n| n + 1);
        let value = equals + 2;
        let Some(length) = text[value..].iter().position(|octet| *octet == b'"') else { break };
        found.push((name..equals, value..value + length));
        at = value + length;
    }
    found
}

/// Follows the recipe to its end.
pub fn edited(text: &[u8], recipe: &mut Recipe<'_>) -> Vec<u8> {
    let mut text = text.to_vec();
    for _ in 0..MOST {
        if recipe.is_empty() || text.is_empty() || text.len() > LONGEST {
            break;
        }
        let operation = recipe.octet() % 20;
        match operation {
            0..6 => damage(&mut text, operation, recipe),
            6..13 => arrange(&mut text, operation, recipe),
            _ => relabel(&mut text, operation, recipe),
        }
    }
    text
}

fn damage(text: &mut Vec<u8>, operation: u8, recipe: &mut Recipe<'_>) {
    let at = recipe.below(text.len());
    let count = |recipe: &mut Recipe<'_>| recipe.below(64).min(text.len() - at);
    match operation {
        0 => text[at] = recipe.octet(),
        1 => text[at] ^= 1 << (recipe.octet() % 8),
        2 => {
            let count = count(recipe);
            text.drain(at..at + count);
        }
        3 => {
            let count = recipe.below(64);
            let piece = recipe.take(count).to_vec();
            text.splice(at..at, piece);
        }
        4 => {
            let piece = text[at..at + count(recipe)].to_vec();
            text.splice(at..at, piece);
        }
        _ => {
            let piece = PIECES[recipe.below(PIECES.len())];
            text.splice(at..at, piece.bytes());
        }
    }
}

/// Moves, copies, removes, wraps, exchanges elements.
fn arrange(text: &mut Vec<u8>, operation: u8, recipe: &mut Recipe<'_>) {
    let all = elements(text);
    if all.is_empty() {
        return;
    }
    let (start, end, content) = all[recipe.below(all.len())];
    let piece = text[start..end].to_vec();
    match operation {
        6 | 7 => {
            let (other_start, other_end, other_content) = all[recipe.below(all.len())];
            let place = match (recipe.octet() % 4, other_content) {
                (0, _) => other_start,
                (1, _) => other_end,
                (2, Some((first, _))) => first,
                (_, Some((_, last))) => last,
                _ => other_end,
            };
            text.splice(place..place, piece);
            // A copy stays; what is moved goes from its old place, wherever that is now.
            if operation == 6 && (place <= start || place >= end) {
                let length = end - start;
                let start = if place <= start { start + length } else { start };
                text.drain(start..start + length);
            }
        }
        8 => {
            text.drain(start..end);
        }
        9 => {
            let (open, close) = WRAPPERS[recipe.below(WRAPPERS.len())];
            text.splice(start..end, [open.as_bytes(), &piece, close.as_bytes()].concat());
        }
        10 => {
            let (other_start, other_end, _) = all[recipe.below(all.len())];
            if end <= other_start {
                let other = text[other_start..other_end].to_vec();
                text.splice(other_start..other_end, piece);
                text.splice(start..end, other);
            }
        }
        11 => {
            if let Some((first, last)) = content {
                let count = recipe.below(32);
                let new = recipe.take(count).to_vec();
                text.splice(first..last, new);
            }
        }
        _ => {
            let piece = PIECES[recipe.below(PIECES.len())];
            // In the start tag, or behind it: the piece decides.
            let open = start + content_start(std::str::from_utf8(&text[start..end]).unwrap_or_default());
            let place = if piece.starts_with(' ') { open.saturating_sub(1).max(start) } else { open };
            text.splice(place..place, piece.bytes());
        }
    }
}

/// Changes names and values of attributes.
fn relabel(text: &mut Vec<u8>, operation: u8, recipe: &mut Recipe<'_>) {
    let all = attributes(text);
    if all.is_empty() {
        return;
    }
    let (name, value) = all[recipe.below(all.len())].clone();
    match operation {
        13 | 14 => {
            let other = text[all[recipe.below(all.len())].1.clone()].to_vec();
            text.splice(value, other);
        }
        15 => {
            let new = ATTRIBUTES[recipe.below(ATTRIBUTES.len())];
            text.splice(name, new.bytes());
        }
        16 => {
            let new = URIS[recipe.below(URIS.len())];
            text.splice(value, new.bytes());
        }
        17 => {
            // A reference to another Id.
            let target = text[all[recipe.below(all.len())].1.clone()].to_vec();
            text.splice(value, [b"#", target.as_slice()].concat());
        }
        18 => {
            let whole = [b" ", &text[name.start..value.end + 1]].concat();
            let place = value.end + 1;
            text.splice(place..place, whole);
        }
        _ => {
            text.drain(name.start..value.end + 1);
        }
    }
}
