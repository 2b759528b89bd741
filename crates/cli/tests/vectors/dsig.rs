//! Signatures.

use std::path::Path;

use bartizan_crypto::alg::AlgSet;
use bartizan_testkit::csv::{self, Record};
use bartizan_testkit::vectors::{self, Expectations, Report};
use bartizan_xmlsec::engine::verify_document;
use bartizan_xmlsec::{ErrorKind, Permit, RefusedTransform, RefusedUri, TransformKind};

use crate::options::{budget, finder, parse, read};

/// What a case came to. Ids that need a declaration (`--id-attr`) get one when nothing else is missing.
fn verify(root: &Path, row: &Record) -> Result<(), String> {
    let outcome = verify_with(root, row, &[]);
    match &outcome {
        Err(refusal) if refusal.contains("no element has the Id") || refusal.contains("claim one Id") => {
            verify_with(root, row, &["Id", "ID", "id"])
        }
        _ => outcome,
    }
}

/// What a case came to: verified, or the kind of refusal.
fn verify_with(root: &Path, row: &Record, id_attributes: &[&str]) -> Result<(), String> {
    let mut budget = budget();
    let mut document = parse(read(root, &row["file"]), &mut budget).map_err(|e| format!("xml: {e}"))?;
    for local in id_attributes {
        document.declare_id_attr(local);
    }
    let mut permit = Permit::document(AlgSet::with_legacy());
    permit.transforms = permit.transforms.with(TransformKind::Base64);
    let keys = finder(root, row);
    let reports = verify_document(&document, &keys, &permit, &mut budget).map_err(|e| e.to_string())?;
    // The origin's tool checks the first signature of a document.
    match reports.into_iter().next().map(|report| report.outcome) {
        Some(Ok(())) => Ok(()),
        Some(Err(error)) => Err(format!("{}: {error}", reason(&error.kind))),
        None => Err("no signature".to_owned()),
    }
}

/// The word that the column `why` uses for a refusal by design.
fn reason(kind: &ErrorKind) -> &'static str {
    match kind {
        ErrorKind::TransformRefused(RefusedTransform::XPath) => "xpath",
        ErrorKind::TransformRefused(RefusedTransform::XPathFilter2) => "xpath2",
        ErrorKind::TransformRefused(RefusedTransform::Xslt) => "xslt",
        ErrorKind::TransformRefused(_) => "transform-other",
        ErrorKind::UriRefused(RefusedUri::External | RefusedUri::Absent) => "external-uri",
        ErrorKind::UriRefused(RefusedUri::XPointer) => "xpointer",
        ErrorKind::ManifestRefused => "manifest",
        other => other.code(),
    }
}

/// Whether the text of a refusal is one of the reasons that the table names. A document that needs
/// several things is refused for the first one that is met; an algorithm refused by design is as good a
/// reason as the transform behind it.
fn named(row: &Record, refusal: &str) -> bool {
    let shortened = row["features"].contains("hmac-output-length");
    refusal.contains("refused by design")
        || (shortened && refusal.starts_with("signature.hmac_output_length:"))
        || row["why"].trim_start_matches("needs ").split(", ").any(|word| match word {
            "dtd" => refusal.contains("document types"),
            word => refusal.starts_with(&format!("{word}:")),
        })
}

#[test]
fn signature_vectors_have_their_verdicts() {
    let Some(root) = vectors::root() else { return };
    let list = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/dsig.expect");
    let mut report = Report::new("dsig", Expectations::read(list));
    let mut decidable = Report::new("dsig, decidable", Expectations::default());
    for row in csv::read(root.join("dsig/cases.csv")) {
        let outcome = verify(&root, &row);
        let judged = match (&row["expected"], outcome) {
            ("valid", outcome) => outcome,
            ("invalid", Err(_)) => Ok(()),
            ("invalid", Ok(())) => Err("accepted".to_owned()),
            (_, Err(refusal)) if named(&row, &refusal) => Ok(()),
            (_, Err(refusal)) => Err(format!("refused, but not because it {}: {refusal}", &row["why"])),
            (_, Ok(())) => Err("accepted".to_owned()),
        };
        if &row["expected"] != "unsupported-by-design" && judged.is_ok() {
            decidable.enter(&row["case_id"], Ok(()));
        }
        report.enter(&row["case_id"], judged);
    }
    report.finish(0);
    // 129 decidable ones, less Ed448 and the HMACs that are shortened.
    decidable.finish(122);
}
