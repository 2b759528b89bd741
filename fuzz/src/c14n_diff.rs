//! Canonical forms: all six, against libxml2 where it is at hand, and against themselves always.
//!
//! The rival runs as a child process (see `oracle.rs`) if `BARTIZAN_FUZZ_PYTHON` names an interpreter that has `lxml`.

use std::cell::RefCell;

use bartizan_xml::c14n::{C14n, C14nMethod};
use bartizan_xml::{Document, ErrorKind, Profile};

use crate::oracle::{Oracle, Verdict};
use crate::xml_tokens::parse;

thread_local! {
    static ORACLE: RefCell<Option<Oracle>> = RefCell::new(Oracle::start());
}

/// The PrefixList of the exclusive form that is asked for with one. (`#default` does not get through `lxml`.)
const PREFIXES: &str = "a b";

/// What libxml2 demands beyond well-formedness: a namespace that is a URI, an `xml:id` that is a name and stands once.
const BEYOND: [&str; 3] = ["is not a valid URI", "is not an NCName", "already defined"];

/// Whether a namespace is more than a scheme and plain characters. libxml2 writes characters that must be escaped as
/// they are, which is not even XML, and makes no form where its reader of URIs stumbles.
fn beyond_libxml2(document: &Document) -> bool {
    let plain = |uri: &str| {
        let rest = uri.split_once(':').map_or(uri, |(_, rest)| rest);
        rest.bytes().all(|b| b.is_ascii_alphanumeric() || b"./-".contains(&b))
    };
    let root = document.root();
    let mut all = std::iter::once(root).chain(root.descendants()).flat_map(|element| element.namespaces());
    !all.all(|namespace| plain(namespace.uri))
}

fn form(document: &Document, method: C14nMethod, prefixes: &str) -> Option<Vec<u8>> {
    let mut octets = Vec::new();
    match C14n::new(method).with_prefixes(prefixes).write_document(document, &mut octets) {
        Ok(_) => Some(octets),
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::RelativeNamespace, "the one reason there is");
            None
        }
    }
}

/// One input: a document.
pub fn run(data: &[u8]) {
    let Ok(document) = parse(data, Profile::Bare) else { return };
    let forms: Vec<Option<Vec<u8>>> =
        C14nMethod::ALL.iter().map(|method| form(&document, *method, "")).collect();
    for (octets, method) in forms.iter().zip(C14nMethod::ALL) {
        let Some(octets) = octets else {
            // Whether a form exists does not depend on which.
            return assert!(forms.iter().all(Option::is_none), "{method:?}");
        };
        match parse(octets, Profile::Bare) {
            Ok(again) => {
                assert_eq!(form(&again, method, "").as_ref(), Some(octets), "twice is once: {method:?}")
            }
            Err(error) => assert!(matches!(error.kind(), ErrorKind::Limit(_)), "{method:?}: {error}"),
        }
    }
    // Of a whole document the two inclusive versions say the same.
    assert_eq!(forms[0], forms[2]);
    assert_eq!(forms[1], forms[3]);
    subtrees(&document);
    if beyond_libxml2(&document) {
        return;
    }
    let with_list = form(&document, C14nMethod::Exclusive, PREFIXES);
    let ours = [&forms[0], &forms[1], &forms[4], &forms[5], &with_list];
    ORACLE.with_borrow_mut(|oracle| {
        let Some(oracle) = oracle else { return };
        match oracle.ask(PREFIXES, data) {
            Verdict::Refused(why) if BEYOND.iter().any(|beyond| why.contains(beyond)) => {}
            Verdict::Refused(why) => panic!("we accept what libxml2 refuses: {why}"),
            Verdict::Forms(theirs) => {
                assert_eq!(theirs.len(), ours.len());
                for (n, (ours, theirs)) in ours.iter().zip(&theirs).enumerate() {
                    let ours = ours.as_deref().map(String::from_utf8_lossy);
                    assert_eq!(ours, theirs.as_deref().map(String::from_utf8_lossy), "form {n}");
                }
            }
        }
    });
}

/// Of every element: its exclusive form parses and is its own exclusive form; left out, it is not there.
fn subtrees(document: &Document) {
    for element in document.root().descendants().take(8) {
        let mut octets = Vec::new();
        let exclusive = C14n::new(C14nMethod::ExclusiveWithComments);
        if exclusive.write(element, &mut octets).is_err() {
            continue;
        }
        let Ok(again) = parse(&octets, Profile::Bare) else { continue };
        assert_eq!(form(&again, C14nMethod::ExclusiveWithComments, "").as_ref(), Some(&octets));
        // An inclusive form of a part is a document of its own, too, and stays what it is.
        let mut inclusive = Vec::new();
        if C14n::new(C14nMethod::Inclusive10WithComments).write(element, &mut inclusive).is_ok()
            && let Ok(again) = parse(&inclusive, Profile::Bare)
        {
            assert_eq!(form(&again, C14nMethod::Inclusive10WithComments, "").as_ref(), Some(&inclusive));
        }
        let (mut without, mut whole) = (Vec::new(), Vec::new());
        let plain = exclusive.without(element.id()).write_document(document, &mut without);
        if plain.is_ok() && exclusive.write_document(document, &mut whole).is_ok() {
            assert!(without.len() + element.local_name().len() < whole.len());
        }
    }
}
