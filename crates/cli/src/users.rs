//! The users' options → users, and how what was found in a file of users is shown.

use std::path::Path;

use bartizan_crypto::random::SystemRandom;
use bartizan_gateway::config::{self, Placed, Severity};
use bartizan_gateway::users::{Around, Finding, Loaded, UsersReport, load};
use bartizan_keys::{Time, Users};
use clap::ArgMatches;
use serde_json::{Value, json};

use crate::args::Values as _;
use crate::keyset::failure;
use crate::output::{Failure, Where, note};

/// `--users` and `--users-key` as a configuration has them.
pub(crate) fn options(matches: &ArgMatches) -> Result<Option<config::Users>, Failure> {
    let key_file = matches.path("users-key").map(Placed::nowhere);
    match matches.path("users") {
        Some(file) => Ok(Some(config::Users { file: Placed::nowhere(file), key_file })),
        None if key_file.is_some() => {
            Err(Failure::could_not("--users-key opens sealed passwords of --users, and there is none"))
        }
        None => Ok(None),
    }
}

/// What loading needs, here.
pub(crate) fn around(now: Time, waiting: usize) -> Around<'static> {
    Around { now, random: &SystemRandom, waiting }
}

/// The users of the options; warnings are shown unless told not to.
pub(crate) fn given(matches: &ArgMatches, now: Time) -> Result<Option<Users>, Failure> {
    let Some(named) = options(matches)? else { return Ok(None) };
    // One message at a time: nothing waits.
    let Loaded { users, warnings, .. } = load(&named, &around(now, 1)).map_err(failure)?;
    if !matches.on("quiet") && !matches.on("json") {
        show(&warnings, false);
    }
    Ok(Some(users))
}

/// Prints the findings, or the errors among them. The lines themselves are not shown: passwords stand in them.
pub(crate) fn show(report: &UsersReport, errors_only: bool) {
    for finding in report.found.iter().filter(|f| !errors_only || f.severity == Severity::Error) {
        let place = Where::line(&report.file, finding.place);
        let help = finding.problem.help();
        note(&finding.severity.to_string(), &finding.problem.to_string(), Some(&place), help.as_deref());
    }
}

/// The findings as JSON.
pub(crate) fn to_json(report: &UsersReport) -> Vec<Value> {
    report.found.iter().map(|finding| entry(&report.file, finding)).collect()
}

fn entry(file: &Path, finding: &Finding) -> Value {
    json!({
        "severity": finding.severity.to_string(),
        "message": finding.problem.to_string(),
        "help": finding.problem.help(),
        "file": file,
        "line": finding.place.map(|(line, _)| line),
        "column": finding.place.map(|(_, column)| column),
    })
}
