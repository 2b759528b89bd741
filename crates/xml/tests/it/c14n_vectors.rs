//! The public canonicalization vectors: octets must come out as they stand in the expected files.

use std::fs;
use std::path::Path;

use bartizan_testkit::csv::{self, Record};
use bartizan_testkit::vectors::{self, Expectations, Report};
use bartizan_xml::c14n::{C14n, C14nMethod};
use bartizan_xml::{Budget, Document, Element, ErrorKind, Limits, Profile};

/// Cases that need neither a DTD nor an arbitrary node-set.
const FLOOR: usize = 34;

#[test]
fn c14n_vectors() {
    let Some(root) = vectors::root() else { return };
    let folder = root.join("c14n");
    let expectations = Expectations::parse(include_str!("lists/c14n.txt"));
    let mut report = Report::new("c14n", expectations);
    for case in csv::read(folder.join("cases.csv")) {
        report.enter(&case["case_id"], check(&folder, &case));
    }
    report.finish(FLOOR);
}

fn check(folder: &Path, case: &Record) -> Result<(), String> {
    let input = fs::read(folder.join(&case["input"])).map_err(|error| error.to_string())?;
    let document = Document::parse(input, Profile::Bare, &mut Budget::new(&Limits::default()));
    if case["features"].contains("dtd") {
        return match document {
            Err(error) if error.kind() == ErrorKind::Dtd => Err("refused, as every DTD".to_owned()),
            other => panic!("{}: a document with a DTD gave {other:?}", &case["case_id"]),
        };
    }
    let document = document.map_err(|error| error.to_string())?;
    let method = C14nMethod::from_uri(&case["algorithm"]).ok_or("unknown method")?;
    assert_eq!(method.with_comments(), &case["with_comments"] == "1");
    let form = C14n::new(method).with_prefixes(&case["inclusive_prefixes"]);
    let mut octets = Vec::new();
    let written = match &case["selection"] {
        "document" => form.write_document(&document, &mut octets),
        "subtree" => form.write(select(&document, case).ok_or("no such element")?, &mut octets),
        _ => return Err("arbitrary node-sets are not canonicalized".to_owned()),
    };
    if &case["expected"] == "ERROR" {
        return match written {
            Err(error) if error.kind() == ErrorKind::RelativeNamespace => Ok(()),
            other => Err(format!("expected an error, got {other:?}")),
        };
    }
    let count = written.map_err(|error| error.to_string())?;
    let expected = fs::read(folder.join(&case["expected"])).map_err(|error| error.to_string())?;
    if octets == expected && count == octets.len() as u64 {
        return Ok(());
    }
    let at =
        octets.iter().zip(&expected).position(|(a, b)| a != b).unwrap_or(octets.len().min(expected.len()));
    let around = |text: &[u8]| {
        String::from_utf8_lossy(&text[at.saturating_sub(40)..(at + 40).min(text.len())]).into_owned()
    };
    Err(format!("differs at octet {at}: got `{}`, expected `{}`", around(&octets), around(&expected)))
}

/// The element that a predicate `[ancestor-or-self::*[@Id="x"]]` or `[ancestor-or-self::p:name]` names.
fn select<'d>(document: &'d Document, case: &Record) -> Option<Element<'d>> {
    let (_, predicate) = case["xpath"].split_once("[ancestor-or-self::")?;
    let root = document.root();
    let mut all = std::iter::once(root).chain(root.descendants());
    if let Some(rest) = predicate.strip_prefix("*[@Id=\"") {
        let id = rest.split('"').next()?;
        return all.find(|element| element.attr_plain("Id") == Some(id));
    }
    let (prefix, local) = predicate.strip_suffix(']')?.split_once(':')?;
    let (bound, uri) = case["xpath_namespaces"].split_once('=')?;
    assert_eq!(prefix, bound);
    all.find(|element| element.namespace() == Some(uri) && element.local_name() == local)
}
