//! `check`: is this configuration usable?

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use bartizan_crypto::random::SystemRandom;
use bartizan_gateway::Problem;
use bartizan_gateway::access;
use bartizan_gateway::build::{self, Surroundings};
use bartizan_gateway::config::{self, Config, Diagnostic, Severity};
use bartizan_net::{Clock as _, SystemClock};
use clap::ArgMatches;
use serde_json::{Value, json};

use crate::args::Values as _;
use crate::keyset::{ask, show_finding};
use crate::output::{self, Exit, Failure, Outcome, Where};
use crate::users;
use crate::verb::serve::mount;

pub(crate) fn run(matches: &ArgMatches) -> Outcome {
    let path = matches.path("FILE").unwrap_or_default();
    let text = output::read_text(&path)?;
    let (config, mut found) = read(&text, &path);
    if let Some(config) = &config {
        found.extend(config::check::check(config));
        if found.iter().all(|finding| finding.severity == Severity::Warning) {
            found.extend(build(config, &text, &path));
            let log = access::trouble(&config.access);
            found.extend(log.map(|problem| Diagnostic::error(problem, config.access_at.clone())));
        }
    }
    let worst = found.iter().map(|finding| finding.severity).max();
    let usable = match worst {
        Some(Severity::Error) => false,
        Some(Severity::Warning) => !matches.on("strict"),
        None => true,
    };
    if matches.on("json") {
        let diagnostics: Vec<Value> = found.iter().map(|finding| entry(finding, &text)).collect();
        output::json(&json!({ "usable": usable, "diagnostics": diagnostics }));
    } else {
        found.iter().for_each(|finding| show(finding, &path, &text));
        if !matches.on("quiet") {
            let warnings = found.iter().filter(|finding| finding.severity == Severity::Warning).count();
            // A policy that cannot be used counts for what is wrong in it.
            let inner: usize = found.iter().map(|finding| causes(finding).len().saturating_sub(1)).sum();
            let word = if usable { "usable" } else { "not usable" };
            output::line(format_args!(
                "{}: {word} ({}, {})",
                path.display(),
                output::count(found.len() - warnings + inner, "error"),
                output::count(warnings, "warning")
            ));
        }
    }
    Ok(if usable { Exit::Yes } else { Exit::No })
}

/// Loads keys and compiles policies as `serve` would, and says what is wrong or weak.
fn build(config: &Config, text: &str, path: &Path) -> Vec<Diagnostic> {
    let around = Surroundings {
        text: (text, path),
        now: SystemClock.now(),
        random: &SystemRandom,
        ask: &ask,
        mount: &mount,
        replay: None,
    };
    match build::build(config, &around) {
        Ok((_, warnings)) => warnings,
        Err(found) => found,
    }
}

/// Reads a configuration; all that is wrong comes beside it.
pub(crate) fn read(text: &str, path: &Path) -> (Option<Config>, Vec<Diagnostic>) {
    match config::read::read(text, &folder_of(path)) {
        Ok(config) => (Some(config), Vec::new()),
        Err(found) => (None, found),
    }
}

/// Where a configuration's relative paths start.
pub(crate) fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) => parent.to_owned(),
        None => PathBuf::new(),
    }
}

/// Prints one finding on standard error.
pub(crate) fn show(finding: &Diagnostic, path: &Path, text: &str) {
    if let Problem::Policy(bad) = &finding.problem {
        let file = PathBuf::from(&bad.file);
        causes(finding).iter().for_each(|inner| show_finding(inner, &file, &bad.source));
    }
    if let Problem::Users(report) = &finding.problem {
        users::show(report, false);
    }
    let place = finding.at.clone().map(|at| Where::offset(path, text, at));
    let severity = finding.severity.to_string();
    output::note(&severity, &finding.problem.to_string(), place.as_ref(), finding.problem.help().as_deref());
}

fn entry(finding: &Diagnostic, text: &str) -> Value {
    let place = finding.at.as_ref().map(|at| config::Source { text }.place(at));
    json!({
        "severity": finding.severity.to_string(),
        "message": finding.problem.to_string(),
        "help": finding.problem.help(),
        "line": place.as_ref().map(|place| place.line),
        "column": place.as_ref().map(|place| place.column),
        "file": cause_file(finding),
        "caused_by": match &finding.problem {
            Problem::Users(report) => json!(users::to_json(report)),
            _ => json!(causes(finding)),
        },
    })
}

/// What is wrong in the policy that a finding is about.
fn causes(finding: &Diagnostic) -> &[bartizan_policy::Diagnostic] {
    match &finding.problem {
        Problem::Policy(bad) => &bad.diagnostics,
        _ => &[],
    }
}

/// The file that the causes have their places in.
fn cause_file(finding: &Diagnostic) -> Option<Cow<'_, str>> {
    match &finding.problem {
        Problem::Policy(bad) => Some(Cow::Borrowed(&bad.file)),
        Problem::Users(report) => Some(report.file.to_string_lossy()),
        _ => None,
    }
}

/// Finds a configuration unusable: its findings are printed, this is what is left to say.
pub(crate) fn unusable(path: &Path) -> Failure {
    Failure::no(format_args!("the configuration {} is not usable", path.display()))
}
