//! `policy check|normalise|explain|convert`.

use std::path::Path;

use bartizan_gateway::policy::{Pick, Source};
use bartizan_policy::{Diagnostic, Item, NormalLimits};
use clap::ArgMatches;
use serde_json::{Value, json};

use crate::args::Values as _;
use crate::keyset::{failure, show_finding};
use crate::output::{self, Exit, Failure, Outcome, Target};
use crate::plan;

pub(crate) fn run(matches: &ArgMatches) -> Outcome {
    match matches.subcommand() {
        Some(("check", matches)) => check(matches),
        Some(("normalise", matches)) => normalise(matches),
        Some(("explain", matches)) => explain(matches),
        Some(("convert", matches)) => convert(matches),
        _ => Err(Failure::could_not("policy does check, normalise, explain or convert")),
    }
}

/// The policies that were asked for: one, or all of the file.
fn picked<'s>(source: &'s Source, matches: &ArgMatches) -> Result<Vec<&'s Item>, Failure> {
    let all = source.pick == Pick::Only && matches.text("nth").is_none();
    if all { Ok(source.loaded.items().iter().collect()) } else { Ok(vec![source.item().map_err(failure)?]) }
}

fn check(matches: &ArgMatches) -> Outcome {
    let source = plan::find(matches, "FILE")?;
    let options = plan::options(matches)?;
    let file = Path::new(source.loaded.file());
    let items = picked(&source, matches)?;
    let general = source.loaded.diagnostics();
    let findings: Vec<Vec<Diagnostic>> = items.iter().map(|item| item.check(&options)).collect();
    let every = || general.iter().chain(findings.iter().flatten());
    let errors = every().filter(|finding| finding.is_error()).count();
    let warnings = every().count() - errors;
    let accepted = errors == 0 && (warnings == 0 || !matches.on("strict"));
    // What is understood and not built here, or demands nothing, is a warning: the policy is sound, and nothing can be done by it.
    let runs: Vec<bool> = items.iter().map(|item| item.compile(&options).is_ok()).collect();
    let usable = accepted && runs.iter().all(|runs| *runs);
    if matches.on("json") {
        let policies: Vec<Value> = items
            .iter()
            .zip(&findings)
            .zip(&runs)
            .map(|((item, findings), runs)| {
                json!({
                    "name": item.name(),
                    "line": item.position().line,
                    "column": item.position().column,
                    "usable": runs,
                    "alternatives": item.alternatives(options.limits).ok(),
                    "diagnostics": findings,
                })
            })
            .collect();
        output::json(&json!({ "usable": usable, "policies": policies, "diagnostics": general }));
    } else {
        let shown = every().filter(|finding| finding.is_error() || !matches.on("quiet"));
        shown.for_each(|finding| show_finding(finding, file, source.loaded.source()));
        if !matches.on("quiet") {
            let word = match (accepted, usable) {
                (true, true) => "usable",
                (true, false) => "sound, but it cannot be used as it stands",
                (false, _) => "not usable",
            };
            let count = items.len();
            output::line(format_args!(
                "{}: {word} ({count} {}, {}, {})",
                file.display(),
                if count == 1 { "policy" } else { "policies" },
                output::count(errors, "error"),
                output::count(warnings, "warning")
            ));
        }
    }
    Ok(if accepted { Exit::Yes } else { Exit::No })
}

fn normalise(matches: &ArgMatches) -> Outcome {
    let source = plan::find(matches, "FILE")?;
    refuse_broken(&source)?;
    let mut documents = Vec::new();
    let mut alternatives = 0;
    let mut policies = Vec::new();
    for item in picked(&source, matches)? {
        let inner = item.policies().flat_map(|policy| &policy.diagnostics);
        let found = item.diagnostics().iter().chain(inner);
        let errors: Vec<Diagnostic> = found.filter(|finding| finding.is_error()).cloned().collect();
        // What is not understood would be missing in the normal form.
        if !errors.is_empty() {
            return Err(failure(source.bad(errors)));
        }
        let normals = item.normalise(NormalLimits::default());
        for normal in normals.map_err(|problem| failure(source.bad(vec![problem])))? {
            let xml = normal.to_xml().map_err(|problem| failure(source.bad(vec![problem])))?;
            policies.push(json!({
                "name": item.name(),
                "alternatives": normal.alternatives.len(),
                "xml": String::from_utf8_lossy(&xml),
            }));
            alternatives += normal.alternatives.len();
            documents.push(xml);
        }
    }
    let out = one_document(&documents);
    let target = matches.path("output").map(|path| Target::new(Some(path)));
    if matches.on("json") && target != Some(Target::Stdout) {
        output::json(&json!({ "policies": policies }));
    }
    if !matches.on("json") || target.is_some() {
        target.unwrap_or(Target::Stdout).write(&out)?;
    }
    if !matches.on("json") && !matches.on("quiet") && matches.path("output").is_some() {
        let alternatives = output::count(alternatives, "alternative");
        output::say(format_args!("{alternatives}, {} bytes", out.len()));
    }
    Ok(Exit::Yes)
}

/// One policy as it is; several under one root, so that what is written can be read again.
fn one_document(policies: &[Vec<u8>]) -> Vec<u8> {
    let mut out = Vec::new();
    let several = policies.len() != 1;
    if several {
        out.extend(b"<policies>\n");
    }
    for policy in policies {
        out.extend(policy);
        out.push(b'\n');
    }
    if several {
        out.extend(b"</policies>\n");
    }
    out
}

fn explain(matches: &ArgMatches) -> Outcome {
    let source = plan::find(matches, "FILE")?;
    refuse_broken(&source)?;
    let options = plan::options(matches)?;
    let (mut all, mut unusable) = (Vec::new(), Vec::new());
    let items = picked(&source, matches)?;
    for item in &items {
        match item.explain(&options) {
            Ok(explanation) => all.push(explanation),
            Err(problems) if items.len() == 1 => return Err(failure(source.bad(problems))),
            Err(problems) => unusable.push((item.name(), problems)),
        }
    }
    let exit = if unusable.is_empty() { Exit::Yes } else { Exit::No };
    if matches.on("json") {
        let unusable: Vec<Value> = unusable
            .iter()
            .map(|(name, problems)| json!({ "name": name, "diagnostics": problems }))
            .collect();
        output::json(&json!({ "policies": all, "unusable": unusable }));
        return Ok(exit);
    }
    for (n, explanation) in all.iter().enumerate() {
        if n > 0 {
            output::line("");
        }
        output::line(explanation.text().trim_end());
        if !matches.on("quiet") {
            let file = Path::new(source.loaded.file());
            explanation.diagnostics.iter().for_each(|d| show_finding(d, file, source.loaded.source()));
        }
    }
    let file = Path::new(source.loaded.file());
    for problem in unusable.iter().flat_map(|(_, problems)| problems) {
        show_finding(problem, file, source.loaded.source());
    }
    if exit == Exit::No {
        let (bad, of) = (unusable.len(), items.len());
        let what = format!("{bad} of {of} policies in {} cannot be used", file.display());
        return Err(Failure::no(what).help("one is picked by its name, `FILE#NAME`, or by `--nth`"));
    }
    Ok(exit)
}

/// Action blocks as `[policy.NAME]` tables.
fn convert(matches: &ArgMatches) -> Outcome {
    let source = plan::find(matches, "FILE")?;
    refuse_broken(&source)?;
    let mut out = String::new();
    for item in picked(&source, matches)? {
        let errors: Vec<Diagnostic> =
            item.diagnostics().iter().filter(|finding| finding.is_error()).cloned().collect();
        if !errors.is_empty() {
            return Err(failure(source.bad(errors)));
        }
        let Some(toml) = item.to_toml() else {
            return Err(Failure::no(format_args!(
                "{} holds WS-SecurityPolicy, which is used as it stands",
                source.loaded.file()
            ))
            .help("convert reads action blocks, and OutflowSecurity and InflowSecurity of Axis2"));
        };
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(&toml);
        if !matches.on("quiet") {
            let file = Path::new(source.loaded.file());
            item.diagnostics().iter().for_each(|d| show_finding(d, file, source.loaded.source()));
        }
    }
    matches.path("output").map_or(Target::Stdout, |path| Target::new(Some(path))).write(out.as_bytes())?;
    Ok(Exit::Yes)
}

/// A file that is broken as a whole.
fn refuse_broken(source: &Source) -> Result<(), Failure> {
    let broken: Vec<Diagnostic> =
        source.loaded.diagnostics().iter().filter(|finding| finding.is_error()).cloned().collect();
    if broken.is_empty() { Ok(()) } else { Err(failure(source.bad(broken))) }
}
