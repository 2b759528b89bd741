//! Public limits against their tests, by the table of `docs/limits.md`.
//!
//! A limit is a public field of a struct whose name ends in `Limits`, or a public constant called `MAX_…` or
//! `DEFAULT_CAPACITY`. Each needs a row `| Owner::name | … | test |`, the last column naming a function `limit_…` that
//! exists; rows of other limits may stand there too. A row that names nothing that exists is a finding as well.

use std::collections::{BTreeMap, BTreeSet};

use super::{File, Finding};

const DOCUMENT: &str = "docs/limits.md";

pub(super) fn check(files: &[File], findings: &mut Vec<Finding>) {
    let Some(document) = files.iter().find(|file| file.path == DOCUMENT) else { return };
    let tests = tests(files);
    let mut rows = BTreeSet::new();
    for (number, line) in document.text.lines().enumerate() {
        let Some((name, test)) = row(line) else { continue };
        if !test.split(", ").all(|test| test.starts_with("limit_") && tests.contains(test)) {
            findings.push(finding(DOCUMENT, number + 1, format!("{name}: there is no test `{test}`")));
        }
        rows.insert(name.to_owned());
    }
    for file in files.iter().filter(|file| file.krate().is_some() && !file.is_test()) {
        for (name, line) in limits(&file.text) {
            if !rows.contains(&name) {
                let what = format!("{name} has no row in {DOCUMENT}, and so no test at the limit and beyond");
                findings.push(finding(&file.path, line, what));
            }
        }
    }
}

fn finding(path: &str, line: usize, what: String) -> Finding {
    Finding { rule: "limits", path: path.to_owned(), line, what }
}

/// The name and the tests of a row: its first and last cell, both between backticks.
fn row(line: &str) -> Option<(&str, String)> {
    let mut cells = line.strip_prefix("| `")?.trim_end().strip_suffix('|')?.split('|').map(str::trim);
    let name = cells.next()?.strip_suffix('`')?;
    Some((name, cells.next_back()?.replace('`', "")))
}

fn tests(files: &[File]) -> BTreeSet<&str> {
    let tests = files.iter().filter(|file| file.is_test()).flat_map(|file| file.text.lines());
    tests
        .filter_map(|line| line.trim_start().strip_prefix("fn ")?.split_once('(').map(|(name, _)| name))
        .collect()
}

/// The public limits of a file with their lines.
fn limits(text: &str) -> BTreeMap<String, usize> {
    let mut found = BTreeMap::new();
    let mut owner = None;
    for (number, line) in text.lines().enumerate() {
        if let Some(rest) = line.strip_prefix("pub struct ") {
            owner = rest.split([' ', '<', '(', ';']).next().filter(|name| name.ends_with("Limits"));
        } else if line == "}" {
            owner = None;
        }
        let field = line.trim_start().strip_prefix("pub ").and_then(|rest| rest.split_once(": "));
        match (owner, field) {
            (Some(owner), Some((field, _))) => found.insert(format!("{owner}::{field}"), number + 1),
            _ => None,
        };
        if let Some((name, _)) =
            line.trim_start().strip_prefix("pub const ").and_then(|rest| rest.split_once(": "))
            && (name.starts_with("MAX_") || name == "DEFAULT_CAPACITY")
        {
            found.insert(name.to_owned(), number + 1);
        }
    }
    found
}
