//! What `cargo xtask linear` counts: every row of hostile documents at n, 2n, 4n, 8n, parsed under limits that none
//! meets, canonicalized in three ways, its Ids looked up, dropped. Each call of [`measured`] is one count; the line
//! printed for it says what it was.

#![allow(clippy::print_stdout, reason = "a program that reports")]

use bartizan_testkit::hostile::ROWS;
use bartizan_xml::c14n::{C14n, C14nMethod};
use bartizan_xml::path::Path;
use bartizan_xml::sink::Counter;
use bartizan_xml::write::free_prefix;
use bartizan_xml::{Budget, Document, Error, Limits, Profile};

fn main() {
    let most = 1 << 24;
    let limits = Limits {
        depth: most,
        children: most,
        attributes: most,
        attribute_bytes: most,
        namespaces: most,
        namespaces_in_scope: most,
        ..Limits::generous()
    };
    for row in ROWS {
        for factor in [1, 2, 4] {
            let octets = (row.make)(row.n * factor);
            let length = octets.len();
            report(row.name, factor, length, &measured(Work::Canonical(octets, &limits)));
        }
    }
    let wide = |n: usize| format!("<r>{}</r>", "<a/>".repeat(n));
    let prefixes = |n: usize| (0..n).map(|n| format!("<wsu{n}:a/>wsu:b")).collect::<String>();
    for factor in [1, 2, 4] {
        let n = 4_000 * factor;
        let octets = wide(n).into_bytes();
        let (length, path) = (octets.len(), format!("//a[{n}]"));
        report("position far out behind //", factor, length, &measured(Work::Select(octets, &path, &limits)));
    }
    for factor in [1, 2, 4] {
        let text = prefixes(4_000 * factor);
        report("prefixes that are used up", factor, text.len(), &measured(Work::Prefix(text.as_bytes())));
    }
}

/// What is counted.
enum Work<'w> {
    /// A document is parsed, canonicalized, its Ids looked up.
    Canonical(Vec<u8>, &'w Limits),
    /// A document is parsed and a path selects in it.
    Select(Vec<u8>, &'w str, &'w Limits),
    /// A prefix is looked for that a text does not use.
    Prefix(&'w [u8]),
}

fn report(name: &str, factor: usize, length: usize, result: &Result<u64, Error>) {
    let (verdict, form) = match result {
        Ok(form) => ("accepted".to_owned(), *form),
        Err(error) => (format!("{:?}", error.kind()), 0),
    };
    println!("{name}\t{factor}\t{length}\t{form}\t{verdict}");
}

/// One count.
#[inline(never)]
fn measured(work: Work<'_>) -> Result<u64, Error> {
    match work {
        Work::Canonical(octets, limits) => canonical(octets, limits),
        Work::Select(octets, path, limits) => {
            let document = Document::parse(octets, Profile::Message, &mut Budget::new(limits))?;
            Ok(Path::parse_local(path)?.select(&document).len() as u64)
        }
        Work::Prefix(text) => Ok(free_prefix("wsu", [text]).len() as u64),
    }
}

/// Parses and canonicalizes one document, and drops it. Gives the octets of its canonical forms.
fn canonical(octets: Vec<u8>, limits: &Limits) -> Result<u64, Error> {
    let document = Document::parse(octets, Profile::Message, &mut Budget::new(limits))?;
    let mut form = Counter::default();
    C14n::new(C14nMethod::Inclusive10WithComments).write_document(&document, &mut form)?;
    C14n::new(C14nMethod::Inclusive11).write_document(&document, &mut form)?;
    let octets =
        C14n::new(C14nMethod::Exclusive).with_prefixes("p #default").write(document.root(), &mut form)?;
    for element in document.root().elements() {
        let ids = element.attrs().filter(|attr| attr.local_name() == "Id");
        for id in ids {
            // Found or claimed twice: both are answers.
            let _ = document.by_id(id.value());
        }
    }
    let _ = document.check_ids(&["i", "i1"]);
    Ok(octets)
}
