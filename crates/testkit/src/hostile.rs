//! Hostile documents of any size: one maker for each way in which a document can be made to cost more than it weighs.
//!
//! Tests make them as large as an attacker would and ask for the verdict and the memory; `cargo xtask linear` makes them
//! at n, 2n, 4n and counts instructions. `n` is the number of what a row is about, so documents grow linearly in it.

use std::fmt::Write as _;

/// One way to make a document costly.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// What heads its line in reports.
    pub name: &'static str,
    /// Makes the document with `n` of what it is about.
    pub make: fn(usize) -> Vec<u8>,
    /// A size at which the whole is some hundred thousand octets at most.
    pub n: usize,
}

/// A namespace whose attribute `Id` holds Ids anywhere: that of the WS-Security utility schema.
const WSU: &str = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd";

/// All of them.
pub const ROWS: &[Row] = &[
    Row { name: "attributes of one element", make: attributes, n: 4_000 },
    Row { name: "attributes under two prefixes of one namespace", make: prefixed_attributes, n: 4_000 },
    Row { name: "declarations of one element", make: declarations, n: 4_000 },
    Row { name: "nested elements", make: nested, n: 8_000 },
    Row { name: "nested elements, never closed", make: unclosed, n: 8_000 },
    Row { name: "nested elements, one new prefix each", make: nested_prefixes, n: 2_000 },
    Row { name: "nested elements, one prefix bound again", make: nested_rebound, n: 2_000 },
    Row { name: "nested elements, the default namespace bound again", make: nested_default, n: 2_000 },
    Row { name: "siblings", make: siblings, n: 10_000 },
    Row { name: "siblings with different names", make: names, n: 8_000 },
    Row { name: "names that collide under x33", make: colliding, n: 4_000 },
    Row { name: "namespaces that collide under x33", make: colliding_namespaces, n: 4_000 },
    Row { name: "different Ids", make: ids, n: 4_000 },
    Row { name: "one Id many times", make: same_id, n: 4_000 },
    Row { name: "Ids that collide under x33", make: colliding_ids, n: 4_000 },
    Row { name: "character references in text", make: references, n: 20_000 },
    Row { name: "character references in a value", make: value_references, n: 20_000 },
    Row { name: "leading zeros of a character reference", make: zeros, n: 100_000 },
    Row { name: "line ends to normalize", make: line_ends, n: 40_000 },
    Row { name: "one text", make: text, n: 200_000 },
    Row { name: "one attribute value", make: value, n: 200_000 },
    Row { name: "white space in one tag", make: blanks, n: 200_000 },
    Row { name: "brackets that end no CDATA section", make: brackets, n: 100_000 },
    Row { name: "comments", make: comments, n: 8_000 },
    Row { name: "hyphens in comments that end late", make: hyphens, n: 50_000 },
    Row { name: "CDATA sections", make: sections, n: 8_000 },
    Row { name: "elements below many declarations, one used by each", make: in_scope, n: 2_000 },
    Row { name: "elements below 60 declarations, all used by each", make: all_used, n: 100 },
    Row { name: "elements that each declare anew", make: redeclared, n: 3_000 },
    Row { name: "near every limit at once", make: everything, n: 3 },
    Row { name: "base64 text in lines", make: base64, n: 3_000 },
    Row { name: "UTF-16", make: utf16, n: 20_000 },
];

/// The row of that name.
///
/// # Panics
/// If there is none.
#[must_use]
pub fn row(name: &str) -> Row {
    ROWS.iter().find(|row| row.name == name).copied().unwrap_or_else(|| panic!("no row {name:?}"))
}

fn many(n: usize, mut each: impl FnMut(&mut String, usize)) -> String {
    let mut text = String::new();
    for at in 0..n {
        each(&mut text, at);
    }
    text
}

/// Texts that have one value under the hash x33: all are made of `Ez` and `FY`.
fn collides(n: usize) -> String {
    (0..14).map(|bit| if n >> bit & 1 == 1 { "Ez" } else { "FY" }).collect()
}

fn attributes(n: usize) -> Vec<u8> {
    let many = many(n, |out, at| write!(out, " a{at}=''").unwrap_or_default());
    format!("<a{many}/>").into()
}

fn prefixed_attributes(n: usize) -> Vec<u8> {
    let many = many(n, |out, at| {
        write!(out, " {}:a{at}=''", if at % 2 == 0 { "p" } else { "q" }).unwrap_or_default()
    });
    format!("<a xmlns:p='urn:x' xmlns:q='urn:x'{many}/>").into()
}

fn declarations(n: usize) -> Vec<u8> {
    let many = many(n, |out, at| write!(out, " xmlns:p{at}='urn:{at}'").unwrap_or_default());
    format!("<a{many}/>").into()
}

fn nested(n: usize) -> Vec<u8> {
    ("<a>".repeat(n) + &"</a>".repeat(n)).into()
}

fn unclosed(n: usize) -> Vec<u8> {
    "<a>".repeat(n).into()
}

fn nested_prefixes(n: usize) -> Vec<u8> {
    let open = many(n, |out, at| write!(out, "<a xmlns:p{at}='urn:{at}'>").unwrap_or_default());
    (open + &"</a>".repeat(n)).into()
}

fn nested_rebound(n: usize) -> Vec<u8> {
    let open = many(n, |out, at| write!(out, "<p:a xmlns:p='urn:{at}'>").unwrap_or_default());
    (open + &"</p:a>".repeat(n)).into()
}

fn nested_default(n: usize) -> Vec<u8> {
    let open = many(n, |out, at| {
        write!(out, "<a xmlns='{}'>", if at % 2 == 0 { "urn:x" } else { "" }).unwrap_or_default()
    });
    (open + &"</a>".repeat(n)).into()
}

fn siblings(n: usize) -> Vec<u8> {
    format!("<a>{}</a>", "<b/>x".repeat(n)).into()
}

fn names(n: usize) -> Vec<u8> {
    format!("<a>{}</a>", many(n, |out, at| write!(out, "<n{at}/>").unwrap_or_default())).into()
}

fn colliding(n: usize) -> Vec<u8> {
    format!("<a>{}</a>", many(n, |out, at| write!(out, "<{}/>", collides(at)).unwrap_or_default())).into()
}

fn colliding_namespaces(n: usize) -> Vec<u8> {
    let many = many(n, |out, at| write!(out, "<b xmlns='urn:{}'/>", collides(at)).unwrap_or_default());
    format!("<a>{many}</a>").into()
}

fn ids(n: usize) -> Vec<u8> {
    let many = many(n, |out, at| write!(out, "<b u:Id='i{at}'/>").unwrap_or_default());
    format!("<a xmlns:u='{WSU}'>{many}</a>").into()
}

fn same_id(n: usize) -> Vec<u8> {
    format!("<a xmlns:u='{WSU}'>{}</a>", "<b u:Id='i'/>".repeat(n)).into()
}

fn colliding_ids(n: usize) -> Vec<u8> {
    let many = many(n, |out, at| write!(out, "<b u:Id='{}'/>", collides(at)).unwrap_or_default());
    format!("<a xmlns:u='{WSU}'>{many}</a>").into()
}

fn references(n: usize) -> Vec<u8> {
    format!("<a>{}</a>", "&#x41;".repeat(n)).into()
}

fn value_references(n: usize) -> Vec<u8> {
    format!("<a b='{}'/>", "&#x9;".repeat(n)).into()
}

fn zeros(n: usize) -> Vec<u8> {
    format!("<a>&#{}65;</a>", "0".repeat(n)).into()
}

fn line_ends(n: usize) -> Vec<u8> {
    format!("<a b='{0}'>{0}<!--{0}--></a>", "\r\n\r".repeat(n / 3)).into()
}

fn text(n: usize) -> Vec<u8> {
    format!("<a>{}</a>", "x".repeat(n)).into()
}

fn value(n: usize) -> Vec<u8> {
    format!("<a b='{}'/>", "x".repeat(n)).into()
}

fn blanks(n: usize) -> Vec<u8> {
    format!("<a{}b=''/>", " ".repeat(n)).into()
}

fn brackets(n: usize) -> Vec<u8> {
    format!("<a>{}</a>", "]] ".repeat(n / 3)).into()
}

fn comments(n: usize) -> Vec<u8> {
    format!("<a>{}</a>", "<!--c-->".repeat(n)).into()
}

fn hyphens(n: usize) -> Vec<u8> {
    format!("<a><!--{}--></a>", "- ".repeat(n)).into()
}

fn sections(n: usize) -> Vec<u8> {
    format!("<a>{}</a>", "<![CDATA[<>]]>".repeat(n)).into()
}

fn in_scope(n: usize) -> Vec<u8> {
    let declared = many(n, |out, at| write!(out, " xmlns:p{at}='urn:{at}'").unwrap_or_default());
    let used = many(n, |out, at| write!(out, "<p{at}:b/>").unwrap_or_default());
    format!("<a{declared}>{used}</a>").into()
}

fn all_used(n: usize) -> Vec<u8> {
    let declared = many(60, |out, at| write!(out, " xmlns:p{at}='urn:{at}'").unwrap_or_default());
    let attributes = many(60, |out, at| write!(out, " p{at}:c=''").unwrap_or_default());
    format!("<a{declared}>{}</a>", format!("<b{attributes}/>").repeat(n)).into()
}

fn redeclared(n: usize) -> Vec<u8> {
    let many = many(n, |out, at| write!(out, "<b xmlns='urn:{at}' xmlns:p='urn:{at}'/>").unwrap_or_default());
    format!("<a xmlns:p='urn:p'>{many}</a>").into()
}

/// `n` times 60 deep with 127 attributes, one of them of 60 KiB, and 8 declarations on each element.
fn everything(n: usize) -> Vec<u8> {
    let attributes = many(127, |out, at| write!(out, " a{at}='&#65;'").unwrap_or_default());
    let long = "v".repeat(512);
    let level = |out: &mut String, level: usize| {
        let declared =
            many(8, |out, at| write!(out, " xmlns:p{level}x{at}='urn:{level}:{at}'").unwrap_or_default());
        write!(out, "<a{attributes}{declared} l='{long}'>").unwrap_or_default();
    };
    let one = many(60, level) + &"<b/>x".repeat(100) + &"</a>".repeat(60);
    format!("<r>{}</r>", one.repeat(n)).into()
}

fn base64(n: usize) -> Vec<u8> {
    format!("<a>{}</a>", format!("{}\r\n", "QUJD".repeat(19)).repeat(n)).into()
}

fn utf16(n: usize) -> Vec<u8> {
    let text = format!("<a>{}</a>", "\u{4e00}<b/>".repeat(n / 4));
    let mut octets = vec![0xFE, 0xFF];
    octets.extend(text.encode_utf16().flat_map(u16::to_be_bytes));
    octets
}
