//! `xml verify`: every signature of a document.

use bartizan_crypto::alg::Alg;
use bartizan_crypto::base64;
use bartizan_xmlsec::ErrorKind;
use bartizan_xmlsec::engine::{FoundKey, SignatureReport, verify_document};
use clap::ArgMatches;
use serde_json::{Value, json};

use super::keys::{Keys, Why};
use super::{Input, permit, refused};
use crate::args::Values as _;
use crate::output::{self, Exit, Failure, Outcome};

pub(super) fn run(matches: &ArgMatches) -> Outcome {
    let keys = Keys::load(matches)?;
    let mut input = Input::read(matches).inspect_err(|failure| {
        if matches.on("json") && failure.exit() == Exit::No {
            output::json(&json!({ "verdict": "refused", "reason": "xml.refused", "signatures": [] }));
        }
    })?;
    let reports = match verify_document(&input.document, &keys, &permit(matches), &mut input.budget) {
        Ok(reports) => reports,
        Err(error) => {
            if matches.on("json") {
                output::json(&json!({ "verdict": "refused", "reason": error.code(), "signatures": [] }));
            }
            return Err(match error.kind {
                ErrorKind::NothingToDo => {
                    Failure::no(format_args!("{} holds no Signature", input.path.display()))
                }
                _ => refused(&error),
            });
        }
    };
    let verified = reports.iter().all(SignatureReport::verified);
    if matches.on("json") {
        let signatures: Vec<Value> = reports.iter().map(|report| entry(report, &keys)).collect();
        let verdict = if verified { "verified" } else { "refused" };
        let reason =
            reports.iter().find_map(|report| report.outcome.as_ref().err()).map(|error| error.code());
        output::json(&json!({ "verdict": verdict, "reason": reason, "signatures": signatures }));
    } else if !matches.on("quiet") || !verified {
        reports.iter().for_each(|report| show(report, &keys));
    }
    Ok(if verified { Exit::Yes } else { Exit::No })
}

fn show(report: &SignatureReport, keys: &Keys) {
    let method = method(report).map_or("unknown method", Alg::short_name);
    match &report.outcome {
        Ok(()) => output::line(format_args!("verified: {} ({method})", report.path)),
        Err(error) => {
            output::line(format_args!("refused: {} ({method}): {}", report.path, error.code()));
            output::line(format_args!("  {error}"));
            refused(error).print_help();
        }
    }
    if let Some(key) = &report.key {
        output::line(format_args!("  key: {}", key_words(key, keys)));
    }
    for reference in &report.references {
        let uri = if reference.uri.is_empty() { "the document" } else { &reference.uri };
        match &reference.covers {
            Some(path) => output::line(format_args!("  {uri} covers {path}")),
            None => output::line(format_args!("  {uri} is not verified")),
        }
    }
}

/// The method that a signature names, also where it is known and not permitted.
fn method(report: &SignatureReport) -> Option<Alg> {
    match (report.method, &report.outcome) {
        (Some(method), _) => Some(Alg::Signature(method)),
        (None, Err(error)) => match error.kind {
            ErrorKind::AlgorithmNotPermitted(alg @ Alg::Signature(_)) => Some(alg),
            _ => None,
        },
        (None, Ok(())) => None,
    }
}

fn key_words(key: &FoundKey, keys: &Keys) -> String {
    match key {
        FoundKey::Secret(_) => "the given secret".to_owned(),
        FoundKey::Public(key) => match keys.why(key.spki()) {
            Why::Given => "the given key".to_owned(),
            Why::Trusted(subject) => format!("{subject}, trusted"),
            Why::Message => {
                "out of the message, NOT TRUSTED: anybody may have made this signature".to_owned()
            }
        },
    }
}

fn entry(report: &SignatureReport, keys: &Keys) -> Value {
    let error = report.outcome.as_ref().err();
    let references: Vec<Value> = report
        .references
        .iter()
        .map(|reference| json!({ "uri": reference.uri, "covers": reference.covers }))
        .collect();
    json!({
        "path": report.path,
        "verdict": if error.is_none() { "verified" } else { "refused" },
        "reason": error.map(|error| error.code()),
        "detail": error.map(ToString::to_string),
        "method": method(report).map(Alg::uri),
        "key": report.key.as_ref().map(|found| key(found, keys)),
        "references": references,
    })
}

fn key(found: &FoundKey, keys: &Keys) -> Value {
    match found {
        FoundKey::Secret(_) => json!({ "kind": "secret", "trusted": true }),
        FoundKey::Public(key) => {
            let why = keys.why(key.spki());
            let subject = match &why {
                Why::Trusted(subject) => Some(subject),
                Why::Given | Why::Message => None,
            };
            json!({
                "kind": "public",
                "bits": key.bits(),
                "spki": base64::encode(key.spki()),
                "subject": subject,
                "trusted": why != Why::Message,
            })
        }
    }
}
