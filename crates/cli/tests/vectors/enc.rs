//! Encryption.

use std::path::Path;

use bartizan_crypto::alg::AlgSet;
use bartizan_crypto::base64;
use bartizan_testkit::csv::{self, Record};
use bartizan_testkit::vectors::{self, Expectations, Report};
use bartizan_xml::c14n::{C14n, C14nMethod};
use bartizan_xmlsec::engine::decrypt_document;
use bartizan_xmlsec::{ErrorKind, Permit};

use crate::options::{budget, finder, parse, read};

/// The document with its plaintexts in place, or the kind of refusal.
fn decrypt(root: &Path, row: &Record) -> Result<Vec<u8>, String> {
    let mut budget = budget();
    let mut document = parse(read(root, &row["file"]), &mut budget).map_err(|e| format!("xml: {e}"))?;
    let permit = Permit::document(AlgSet::with_legacy());
    let keys = finder(root, row);
    let done = decrypt_document(&mut document, &keys, &permit, &mut budget)
        .map_err(|e| format!("{}: {e}", reason(&e.kind)))?;
    Ok(done.render(&document))
}

fn reason(kind: &ErrorKind) -> &'static str {
    match kind {
        ErrorKind::CipherReference => "cipher-reference",
        other => other.code(),
    }
}

fn named(why: &str, refusal: &str) -> bool {
    why.trim_start_matches("needs ").split(", ").any(|word| match word {
        "dtd" => refusal.contains("document types"),
        "pqc" => refusal.contains("refused by design: not a finished standard"),
        "cipher-reference" => refusal.starts_with("cipher-reference:"),
        _ => refusal.contains("refused by design"),
    })
}

/// The canonical form, or the octets themselves if they are no document. Results that the origin wrote
/// in ISO-8859-1 are read as such: every octet is the character of that number.
fn canonical(octets: &[u8]) -> Vec<u8> {
    let latin = octets.starts_with(b"<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>");
    let octets = if latin {
        let text: String = octets.iter().map(|octet| char::from(*octet)).collect();
        text.replacen("ISO-8859-1", "UTF-8", 1).into_bytes()
    } else {
        octets.to_vec()
    };
    let Ok(document) = parse(octets.clone(), &mut budget()) else { return octets };
    let mut out = Vec::new();
    match C14n::new(C14nMethod::Inclusive10WithComments).write_document(&document, &mut out) {
        Ok(_) => out,
        Err(_) => octets,
    }
}

/// Whether the result is what the row says: octet for octet, or the same document written otherwise
/// (the origin's tool writes the whole document anew).
fn same(root: &Path, row: &Record, result: &[u8]) -> Result<(), String> {
    let expected = match (&row["plaintext"], &row["plaintext_form"]) {
        ("", _) => return Ok(()),
        (file, "base64 of the octets") => {
            let text = String::from_utf8(read(root, file)).expect("text");
            base64::decode(&text).expect("base64")
        }
        (file, _) => read(root, file),
    };
    if expected == result || canonical(&expected) == canonical(result) {
        return Ok(());
    }
    let show = |octets: &[u8]| String::from_utf8_lossy(&octets[..octets.len().min(300)]).into_owned();
    Err(format!("another plaintext:\n{}\nexpected:\n{}", show(result), show(&expected)))
}

#[test]
fn encryption_vectors_have_their_verdicts() {
    let Some(root) = vectors::root() else { return };
    let list = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/enc.expect");
    let mut report = Report::new("enc", Expectations::read(list));
    let mut decidable = Report::new("enc, decidable", Expectations::default());
    for row in csv::read(root.join("enc/cases.csv")) {
        let outcome = decrypt(&root, &row);
        let judged = match (&row["expected"], outcome) {
            ("decrypts", outcome) => outcome.and_then(|result| same(&root, &row, &result)),
            ("fails", Err(_)) => Ok(()),
            (_, Err(refusal)) if named(&row["why"], &refusal) => Ok(()),
            (_, Err(refusal)) => Err(format!("refused, but not because it {}: {refusal}", &row["why"])),
            (_, Ok(_)) => Err("accepted".to_owned()),
        };
        if &row["expected"] != "unsupported-by-design" && judged.is_ok() {
            decidable.enter(&row["case_id"], Ok(()));
        }
        report.enter(&row["case_id"], judged);
    }
    report.finish(0);
    // 290 decidable ones, less X448.
    decidable.finish(285);
}
