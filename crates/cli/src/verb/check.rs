//! `check`: is this configuration usable?

use std::path::{Path, PathBuf};

use bartizan_gateway::config::{self, Config, Diagnostic, Severity};
use clap::ArgMatches;
use serde_json::{Value, json};

use crate::args::Values as _;
use crate::output::{self, Exit, Failure, Outcome, Where};

pub(crate) fn run(matches: &ArgMatches) -> Outcome {
    let path = matches.path("FILE").unwrap_or_default();
    let text = output::read_text(&path)?;
    let (config, mut found) = read(&text, &path);
    if let Some(config) = &config {
        found.extend(config::check::check(config));
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
            let word = if usable { "usable" } else { "not usable" };
            output::line(format_args!(
                "{}: {word} ({} errors, {warnings} warnings)",
                path.display(),
                found.len() - warnings
            ));
        }
    }
    Ok(if usable { Exit::Yes } else { Exit::No })
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
        Some(parent) if parent.as_os_str().is_empty() => PathBuf::from("."),
        Some(parent) => parent.to_owned(),
        None => PathBuf::from("."),
    }
}

/// Prints one finding on standard error.
pub(crate) fn show(finding: &Diagnostic, path: &Path, text: &str) {
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
    })
}

/// Finds a configuration unusable: its findings are printed, this is what is left to say.
pub(crate) fn unusable(path: &Path) -> Failure {
    Failure::no(format_args!("the configuration {} is not usable", path.display()))
}
