//! Documents from a tape of decisions: well-formed, namespaced, written in every way that XML allows.

use std::fmt::Write;

/// Decisions; a tape that has run out decides for the first choice.
pub(super) struct Tape<'t> {
    octets: std::slice::Iter<'t, u8>,
}

impl<'t> Tape<'t> {
    pub(super) fn new(octets: &'t [u8]) -> Self {
        Self { octets: octets.iter() }
    }

    pub(super) fn below(&mut self, choices: usize) -> usize {
        usize::from(self.octets.next().copied().unwrap_or(0)) % choices
    }

    pub(super) fn pick<'x>(&mut self, choices: &[&'x str]) -> &'x str {
        choices[self.below(choices.len())]
    }

    fn often(&mut self) -> bool {
        self.below(3) > 0
    }

    fn seldom(&mut self) -> bool {
        self.below(4) == 3
    }
}

type Scope = Vec<(&'static str, &'static str)>;

const PREFIXES: [&str; 4] = ["", "p", "q", "r"];
const URIS: [&str; 3] = ["urn:a", "urn:b", "urn:c"];
const SPACES: [&str; 4] = ["", "", " ", "\n "];
const TEXTS: [&str; 12] = [
    "x",
    "two words",
    "&amp;",
    "&lt;b&gt;",
    "\r\n",
    "\r",
    "&#xD;",
    "&#13;",
    "&#65;é",
    "\u{1F600}",
    "\"'>",
    "&quot;&apos;\t",
];
const VALUES: [&str; 12] = [
    "",
    "v",
    "a b",
    "&amp;&lt;",
    "&#xA;",
    "&#9;",
    "\t",
    "\r\n",
    "&gt;>",
    "&quot;",
    "&#x1F600;é",
    "&#xD;&apos;",
];
const BASES: [&str; 5] = ["http://h/a/b", "../c", "d/", "?q", "/e/./f"];

/// A document that is mostly written as canonical forms write it, with few declarations below its root, so that long
/// stretches of the source serve; what does not is strewn in.
fn tidy_document(tape: &mut Tape<'_>) -> String {
    let scope: Scope = vec![("", "urn:a"), ("p", "urn:b"), ("q", "urn:c")];
    let mut out = String::from(r#"<a xmlns="urn:a" xmlns:p="urn:b" xmlns:q="urn:c">"#);
    for _ in 0..=tape.below(4) {
        tidy_element(tape, &mut out, &scope, 1);
    }
    out + "</a>"
}

fn tidy_element(tape: &mut Tape<'_>, out: &mut String, scope: &Scope, depth: usize) {
    if tape.below(12) == 11 {
        return element(tape, out, scope, depth);
    }
    let name = tape.pick(&["b", "p:a", "p:b", "q:a"]);
    out.push('<');
    out.push_str(name);
    out.push_str(tape.pick(&["", "", "", r#" k="1""#, r#" k="&quot;" p:l="2""#, r#" q:m="""#]));
    out.push('>');
    for _ in 0..tape.below(5) {
        match tape.below(8) {
            0..=2 if depth < 5 => tidy_element(tape, out, scope, depth + 1),
            6 => content(tape, out, scope, depth),
            _ => out.push_str(tape.pick(&["x", "two words", "&amp;&lt;", "\n  ", "é&gt;"])),
        }
    }
    out.push_str("</");
    out.push_str(name);
    out.push('>');
}

/// A document; comments and processing instructions stand around its root.
pub(super) fn document(tape: &mut Tape<'_>) -> String {
    if tape.below(3) == 2 {
        return tidy_document(tape);
    }
    let mut out = String::new();
    for _ in 0..tape.below(3) {
        misc(tape, &mut out);
    }
    element(tape, &mut out, &Vec::new(), 0);
    for _ in 0..tape.below(3) {
        misc(tape, &mut out);
    }
    out
}

/// An element that can stand anywhere: it uses no prefix that it does not declare.
pub(super) fn fragment(tape: &mut Tape<'_>) -> String {
    let mut out = String::new();
    element(tape, &mut out, &Vec::new(), 3);
    out
}

fn misc(tape: &mut Tape<'_>, out: &mut String) {
    out.push_str(tape.pick(&["\n", "<!--c-->", "<?t?>", "<?t  d \r\n?>", "<!-- \r -->"]));
}

fn element(tape: &mut Tape<'_>, out: &mut String, around: &Scope, depth: usize) {
    let mut scope = around.clone();
    let mut tag = String::new();
    let mut declared: Vec<&str> = Vec::new();
    for _ in 0..tape.below(4) {
        let prefix = PREFIXES[tape.below(4)];
        if declared.contains(&prefix) {
            continue;
        }
        declared.push(prefix);
        let uri = if prefix.is_empty() && tape.seldom() { "" } else { URIS[tape.below(3)] };
        let colon = if prefix.is_empty() { "" } else { ":" };
        let quote = tape.pick(&["\"", "'"]);
        write!(tag, " xmlns{colon}{prefix}={quote}{uri}{quote}").unwrap();
        scope.retain(|(known, _)| *known != prefix);
        scope.push((prefix, uri));
    }
    let mut names: Vec<(&str, &str)> = Vec::new();
    let mut attributes = String::new();
    for _ in 0..tape.below(4) {
        attribute(tape, &mut attributes, &scope, &mut names);
    }
    // Declarations may stand behind attributes, too.
    let tag = if tape.seldom() { attributes + &tag } else { tag + &attributes };
    let usable: Vec<&str> = scope.iter().map(|(prefix, _)| *prefix).chain([""]).collect();
    let prefix = usable[tape.below(usable.len())];
    let colon = if prefix.is_empty() { "" } else { ":" };
    let name = format!("{prefix}{colon}{}", tape.pick(&["a", "b", "long-name"]));
    let space = tape.pick(&SPACES);
    if depth < 5 && tape.often() {
        write!(out, "<{name}{tag}{space}>").unwrap();
        for _ in 0..tape.below(5) {
            content(tape, out, &scope, depth);
        }
        write!(out, "</{name}{}>", tape.pick(&SPACES)).unwrap();
    } else {
        write!(out, "<{name}{tag}{space}/>").unwrap();
    }
}

fn attribute(
    tape: &mut Tape<'_>,
    tag: &mut String,
    scope: &Scope,
    names: &mut Vec<(&'static str, &'static str)>,
) {
    let mut usable: Vec<(&str, &str)> = scope.iter().filter(|(p, _)| !p.is_empty()).copied().collect();
    usable.extend([("", ""), ("", ""), ("xml", "xml")]);
    let (prefix, uri) = usable[tape.below(usable.len())];
    let local = if prefix == "xml" {
        ["lang", "space", "base", "id"][tape.below(4)]
    } else {
        ["k", "l", "m", "Id"][tape.below(4)]
    };
    if names.contains(&(uri, local)) {
        return;
    }
    names.push((uri, local));
    let value = if local == "base" { tape.pick(&BASES) } else { tape.pick(&VALUES) };
    let colon = if prefix.is_empty() { "" } else { ":" };
    let quote = tape.pick(&["\"", "\"", "'"]);
    let equals = tape.pick(&["=", "=", " = "]);
    write!(tag, "{}{prefix}{colon}{local}{equals}{quote}{value}{quote}", tape.pick(&[" ", " ", "\n\t"]))
        .unwrap();
}

fn content(tape: &mut Tape<'_>, out: &mut String, scope: &Scope, depth: usize) {
    match tape.below(6) {
        0..=2 => element(tape, out, scope, depth + 1),
        3 => {
            for _ in 0..=tape.below(2) {
                out.push_str(tape.pick(&TEXTS));
            }
        }
        4 => out.push_str(tape.pick(&["<![CDATA[]]>", "<![CDATA[x]]>", "<![CDATA[<&>\r\n]]>"])),
        _ => misc(tape, out),
    }
}
