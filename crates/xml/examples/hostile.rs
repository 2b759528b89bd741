//! What `cargo xtask linear` counts: every row of hostile documents at n, 2n, 4n, 8n, parsed under limits that none
//! meets, canonicalized in three ways, its Ids looked up, dropped. Each call of [`measured`] is one count; the line
//! printed for it says what it was.

#![allow(clippy::print_stdout, reason = "a program that reports")]

use bartizan_testkit::hostile::ROWS;
use bartizan_xml::c14n::{C14n, C14nMethod};
use bartizan_xml::sink::Counter;
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
            let (verdict, form) = match measured(octets, &limits) {
                Ok(form) => ("accepted".to_owned(), form),
                Err(error) => (format!("{:?}", error.kind()), 0),
            };
            println!("{}\t{factor}\t{length}\t{form}\t{verdict}", row.name);
        }
    }
}

/// Parses and canonicalizes one document, and drops it. Gives the octets of its canonical forms.
#[inline(never)]
fn measured(octets: Vec<u8>, limits: &Limits) -> Result<u64, Error> {
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
