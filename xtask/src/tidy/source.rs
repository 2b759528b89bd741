//! Rules about Rust files. They read text, not syntax: a rule that would need a parser is clippy's.

use super::{File, Finding};

const MAX_LINES: usize = 500;
const MAX_FIELDS: usize = 12;
const MAX_METHODS: usize = 10;
const VAGUE: &[&str] = &["util", "utils", "common", "helper", "helpers", "misc", "shared"];

/// Beginnings of the specifications' URIs, put together so that this file holds none itself.
fn reserved_uris() -> [String; 4] {
    let web = |rest: &str| format!("\"http://{rest}");
    [web("www.w3.org"), web("docs.oasis-open.org"), web("schemas."), web("www.ws-i.org")]
}

pub(super) fn check(file: &File, findings: &mut Vec<Finding>) {
    let mut report = |rule, line, what| findings.push(Finding { rule, path: file.path.clone(), line, what });
    let name = file.path.rsplit('/').next().unwrap_or_default();
    let stem = name.trim_end_matches(".rs");
    if name == "mod.rs" {
        report("module-names", 1, "write foo.rs beside foo/ instead of foo/mod.rs".to_owned());
    }
    if VAGUE.contains(&stem) {
        report("module-names", 1, format!("`{stem}` says nothing: name the concept"));
    }
    if let Some((line, what)) = unexplained_ignore(&file.text) {
        report("ignores", line, what);
    }
    if file.krate().is_none() || !file.path.contains("/src/") || file.is_test() {
        return;
    }
    let lines = file.text.lines().count();
    if lines > MAX_LINES {
        report("file-length", lines, format!("{lines} lines, at most {MAX_LINES}"));
    }
    if !file.text.trim_start().starts_with("//!") {
        report("module-docs", 1, "opens without `//!`".to_owned());
    }
    if let Some(line) = line_of(&file.text, |line| line.trim() == "mod tests {") {
        report("test-files", line, format!("move the tests to {stem}/tests.rs"));
    }
    check_uris(file, &mut report);
    if stem == "error" {
        check_errors(file, &mut report);
    }
    check_bags(file, &mut report);
}

fn line_of(text: &str, wanted: impl Fn(&str) -> bool) -> Option<usize> {
    text.lines().position(wanted).map(|at| at + 1)
}

fn unexplained_ignore(text: &str) -> Option<(usize, String)> {
    let bare = format!("#[{}]", "ignore");
    line_of(text, |line| line.trim() == bare).map(|line| (line, "say why: #[ignore = \"…\"]".to_owned()))
}

fn check_uris(file: &File, report: &mut impl FnMut(&'static str, usize, String)) {
    let home =
        file.path.starts_with("crates/xml/src/names") || file.path.starts_with("crates/crypto/src/alg");
    if home {
        return;
    }
    let reserved = reserved_uris();
    for (number, line) in file.text.lines().enumerate() {
        let comment = line.trim_start().starts_with("//");
        if !comment && reserved.iter().any(|uri| line.contains(uri.as_str())) {
            report("uris", number + 1, "this URI belongs to xml/names or crypto/alg".to_owned());
        }
    }
}

fn check_errors(file: &File, report: &mut impl FnMut(&'static str, usize, String)) {
    for (number, line) in file.text.lines().enumerate() {
        let code = line.split("//").next().unwrap_or_default().trim();
        if code.starts_with("_ =>") {
            report("errors", number + 1, "name every variant, so that a new one is looked at".to_owned());
        }
        let variant = code.starts_with(|c: char| c.is_ascii_uppercase());
        if variant && code.contains("(String") {
            report("errors", number + 1, "a variant with a String hides what can go wrong".to_owned());
        }
    }
}

/// Counts public fields of structs and methods of traits by indentation, which rustfmt guarantees.
fn check_bags(file: &File, report: &mut impl FnMut(&'static str, usize, String)) {
    let mut open: Option<(usize, bool, String, usize)> = None;
    let mut excused = false;
    for (number, line) in file.text.lines().enumerate() {
        if line.contains("tidy: bag") {
            excused = true;
        }
        if let Some((start, is_trait, name, count)) = &mut open {
            if line == "}" {
                let limit = if *is_trait { MAX_METHODS } else { MAX_FIELDS };
                if *count > limit && !excused {
                    report(
                        "bags",
                        *start,
                        format!("{name} has {count} members; say why in a `// tidy: bag` line"),
                    );
                }
                open = None;
                excused = false;
            } else if *is_trait {
                *count += usize::from(line.starts_with("    fn ") || line.starts_with("    async fn "));
            } else {
                *count += usize::from(line.starts_with("    pub ") && line.contains(':'));
            }
            continue;
        }
        for (keyword, is_trait) in [("pub struct ", false), ("pub trait ", true)] {
            if let Some(rest) = line.strip_prefix(keyword)
                && line.ends_with('{')
            {
                let name = rest.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
                open = Some((number + 1, is_trait, name.to_owned(), 0));
            }
        }
    }
}

/// `Verified` and `WireMessage` prove something by existing, so there is one place to read.
pub(super) fn check_makers(files: &[File], findings: &mut Vec<Finding>) {
    for (what, pattern, home) in [
        ("Verified", "Verified {", "crates/wss/src/verified.rs"),
        ("Verified", "Verified::assertion(", "crates/wss/src/inbound.rs"),
        ("WireMessage", "WireMessage {", "crates/wss/src/outbound.rs"),
    ] {
        for file in files.iter().filter(|file| file.krate() == Some("wss") && file.path.contains("/src/")) {
            for (number, line) in file.text.lines().enumerate() {
                let code = line.split("//").next().unwrap_or_default();
                let declares = ["struct ", "impl ", "-> ", "for "].iter().any(|word| code.contains(word));
                if code.contains(pattern) && !declares && file.path != home && !file.is_test() {
                    findings.push(Finding {
                        rule: "one-maker",
                        path: file.path.clone(),
                        line: number + 1,
                        what: format!("{what} is made in {home} only"),
                    });
                }
            }
        }
    }
}
