//! The public canonicalization vectors: octets must come out as they stand in the expected files.

use std::fs;
use std::path::Path;

use bartizan_testkit::csv::{self, Record};
use bartizan_testkit::vectors::{self, Expectations, Report};
use bartizan_xml::c14n::{C14n, C14nMethod};
use bartizan_xml::{Budget, Document, Element, Error, ErrorKind, Limits, Profile};

/// Cases that need neither a DTD nor a node-set other than whole subtrees.
const FLOOR: usize = 45;

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
    let written = match selection(&case["xpath"], &case["xpath_namespaces"]) {
        Some(Selection::Document) => form.write_document(&document, &mut octets),
        Some(Selection::Subtrees(fits)) => subtrees(&document, &fits, &form, &mut octets),
        None => return Err("arbitrary node-sets are not canonicalized".to_owned()),
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

enum Selection {
    Document,
    Subtrees(Box<dyn Fn(Element<'_>) -> bool>),
}

/// Reads an expression that selects whole subtrees: every node, or every node with an ancestor-or-self of a name or Id.
fn selection(xpath: &str, namespaces: &str) -> Option<Selection> {
    if xpath.is_empty() || xpath == "(//. | //@* | //namespace::*)" {
        return Some(Selection::Document);
    }
    let predicate = xpath.strip_prefix("(//. | //@* | //namespace::*)")?.trim();
    let predicate = predicate.strip_prefix('[')?.strip_suffix(']')?.trim();
    let predicate =
        predicate.strip_prefix("boolean(").and_then(|p| p.strip_suffix(')')).unwrap_or(predicate).trim();
    let test = predicate.strip_prefix("ancestor-or-self::")?;
    if let Some(id) = test.strip_prefix("*[@Id=\"").and_then(|rest| rest.strip_suffix("\"]")) {
        let id = id.to_owned();
        return Some(Selection::Subtrees(Box::new(move |e| e.attr_plain("Id") == Some(&id))));
    }
    let (prefix, local) = test.split_once(':').unwrap_or(("", test));
    if !local.bytes().all(|b| b.is_ascii_alphanumeric()) {
        return None;
    }
    let mut bound = namespaces.split_whitespace().filter_map(|pair| pair.split_once('='));
    let uri = bound.find(|(known, _)| *known == prefix).map(|(_, uri)| uri.to_owned());
    assert_eq!(uri.is_some(), !prefix.is_empty(), "{xpath}");
    let local = local.to_owned();
    Some(Selection::Subtrees(Box::new(move |e| e.local_name() == local && e.namespace() == uri.as_deref())))
}

/// The forms of the outermost elements that fit, one after the other.
fn subtrees(
    document: &Document,
    fits: &dyn Fn(Element<'_>) -> bool,
    form: &C14n<'_>,
    octets: &mut Vec<u8>,
) -> Result<u64, Error> {
    let root = document.root();
    let mut count = 0;
    for element in std::iter::once(root).chain(root.descendants()).filter(|e| fits(*e)) {
        if !element.ancestors().any(fits) {
            count += form.write(element, octets)?;
        }
    }
    Ok(count)
}
