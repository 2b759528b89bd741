//! `xml c14n`: the canonical form of a document or of one element.

use bartizan_xml::c14n::{C14n, C14nMethod};
use clap::ArgMatches;
use serde_json::json;

use super::Input;
use crate::args::Values as _;
use crate::output::{self, Exit, Failure, Outcome, Target};

pub(super) fn run(matches: &ArgMatches) -> Outcome {
    let comments = matches.on("with-comments");
    let method = method(matches.text("method").unwrap_or_default(), comments)?;
    let prefixes = prefixes(matches, method)?.unwrap_or_default();
    let input = Input::read(matches)?;
    let c14n = C14n::new(method).with_prefixes(prefixes);
    let mut out = Vec::new();
    match matches.text("subset") {
        Some(what) => c14n.write(input.find(what)?, &mut out),
        None => c14n.write_document(&input.document, &mut out),
    }
    .map_err(Failure::no)?;
    let target = Target::new(matches.path("output"));
    target.write(&out)?;
    if matches.on("json") {
        let value = json!({ "method": method.uri(), "bytes": out.len(), "output": target.to_string() });
        output::json_beside(&target, &value);
    }
    Ok(Exit::Yes)
}

/// The prefixes that exclusive canonicalization treats inclusively.
pub(super) fn prefixes(matches: &ArgMatches, method: C14nMethod) -> Result<Option<&str>, Failure> {
    let prefixes = matches.text("inclusive-prefixes");
    match (prefixes, method) {
        (None, _) | (Some(_), C14nMethod::Exclusive | C14nMethod::ExclusiveWithComments) => Ok(prefixes),
        (Some(_), _) => Err(Failure::could_not("--inclusive-prefixes belongs to exclusive canonicalization")),
    }
}

/// The method of that name.
pub(super) fn method(name: &str, comments: bool) -> Result<C14nMethod, Failure> {
    Ok(match (name, comments) {
        ("1.0", false) => C14nMethod::Inclusive10,
        ("1.0", true) => C14nMethod::Inclusive10WithComments,
        ("1.1", false) => C14nMethod::Inclusive11,
        ("1.1", true) => C14nMethod::Inclusive11WithComments,
        ("exc", false) => C14nMethod::Exclusive,
        ("exc", true) => C14nMethod::ExclusiveWithComments,
        _ => {
            return Err(Failure::could_not(format_args!("there is no canonicalization `{name}`"))
                .help("it is 1.0, 1.1 or exc"));
        }
    })
}
