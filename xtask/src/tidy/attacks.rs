//! The attack matrix of `docs/attacks.md` against the tests that carry its row numbers.
//!
//! A row `| XSW-01 | … | tested |` needs a test `attack_xsw_01_…`; any other last column is the reason why
//! the row has none, and then there must be none. A test with a number that no row has is a finding too, and so is a
//! claim of the threat model or a line of the ledger of known flaws that names a row or a test that is not there.

use std::collections::{BTreeMap, BTreeSet};

use super::{File, Finding};

const DOCUMENT: &str = "docs/attacks.md";
const MODEL: &str = "THREAT-MODEL.md";
const LEDGER: &str = "docs/cve-ledger.md";

pub(super) fn check(files: &[File], findings: &mut Vec<Finding>) {
    let Some(document) = files.iter().find(|file| file.path == DOCUMENT) else {
        return;
    };
    let tests = tests_by_row(files);
    let mut rows = BTreeMap::new();
    let mut tested_rows = BTreeSet::new();
    for (number, line) in document.text.lines().enumerate() {
        if let Some((row, verdict)) = row(line) {
            let count = tests.get(&row).copied().unwrap_or(0);
            let tested = verdict == "tested";
            if tested {
                tested_rows.insert(row.clone());
            }
            let what = match (tested, count) {
                (true, 0) => Some(format!("{row} is called tested, but no test is named attack_{row}_…")),
                (false, 1..) => Some(format!("{row} has {count} tests: write `tested`")),
                (false, 0) if verdict.is_empty() => Some(format!("{row} has neither a test nor a reason")),
                _ => None,
            };
            findings.extend(what.map(|what| finding(number + 1, what)));
            rows.insert(row, number + 1);
        }
    }
    for row in tests.keys().filter(|row| !rows.contains_key(*row)) {
        findings.push(finding(1, format!("tests are named attack_{row}_…, but there is no such row")));
    }
    if let Some(model) = files.iter().find(|file| file.path == MODEL) {
        check_model(model, &tested_rows, findings);
        check_names(model, files, findings);
    }
    if let Some(ledger) = files.iter().find(|file| file.path == LEDGER) {
        check_ledger(ledger, &tested_rows, findings);
        check_names(ledger, files, findings);
    }
}

/// The last column of the ledger of known flaws names tested rows, or tests, or says what there is instead.
fn check_ledger(ledger: &File, tested: &BTreeSet<String>, findings: &mut Vec<Finding>) {
    for (number, line) in ledger.text.lines().enumerate() {
        let Some(cells) = line.strip_prefix("| ").and_then(|line| line.strip_suffix(" |")) else { continue };
        let shown = cells.rsplit(" | ").next().unwrap_or_default();
        let rows = shown.split([' ', ',']).filter_map(named).map(|(family, n)| format!("{family}_{n:02}"));
        for row in rows.filter(|row| !tested.contains(row)) {
            let what = format!("{row} is named as what shows this and has no test");
            findings.push(Finding { rule: "attacks", path: LEDGER.to_owned(), line: number + 1, what });
        }
    }
}

/// A name of a test in backticks within a table is that of a function that exists.
fn check_names(document: &File, files: &[File], findings: &mut Vec<Finding>) {
    for (number, line) in document.text.lines().enumerate().filter(|(_, line)| line.starts_with("| ")) {
        for name in line.split('`').skip(1).step_by(2).filter(|name| is_test_name(name)) {
            let definition = format!("fn {name}(");
            if !files.iter().any(|file| file.path.ends_with(".rs") && file.text.contains(&definition)) {
                let what = format!("no test is called {name}");
                findings.push(Finding {
                    rule: "attacks",
                    path: document.path.clone(),
                    line: number + 1,
                    what,
                });
            }
        }
    }
}

/// Several words with underscores between them, in small letters.
fn is_test_name(text: &str) -> bool {
    text.matches('_').count() >= 2
        && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

/// A claim of the threat model names rows, one by one or as `XSW-01 to XSW-04`. Each must be tested, or be said not to be
/// run yet.
fn check_model(model: &File, tested: &BTreeSet<String>, findings: &mut Vec<Finding>) {
    for (number, line) in model.text.lines().enumerate().filter(|(_, line)| line.starts_with("| C")) {
        let words: Vec<&str> = line.split([' ', ',', ';', '|']).filter(|w| !w.is_empty()).collect();
        let parsed = |at: usize| words.get(at).and_then(|word| named(word));
        for at in 0..words.len() {
            let Some((family, last)) = parsed(at) else { continue };
            let range = at >= 2 && words.get(at - 1) == Some(&"to");
            let first = at.checked_sub(2).filter(|_| range).and_then(parsed).map_or(last, |(_, first)| first);
            if words.get(at + 1..at + 5) == Some(&["is", "not", "run", "yet"]) {
                continue;
            }
            for row in (first..=last).map(|n| format!("{family}_{n:02}")).filter(|row| !tested.contains(row))
            {
                let what = format!("{row} is named as a test of this claim and has none");
                findings.push(Finding { rule: "attacks", path: MODEL.to_owned(), line: number + 1, what });
            }
        }
    }
}

/// `XSW-01` as (`xsw`, 1).
fn named(word: &str) -> Option<(String, u32)> {
    let (family, number) = word.split_once('-')?;
    let plain = !family.is_empty() && family.chars().all(|c| c.is_ascii_uppercase());
    (plain && number.len() == 2).then_some(())?;
    Some((family.to_ascii_lowercase(), number.parse().ok()?))
}

fn finding(line: usize, what: String) -> Finding {
    Finding { rule: "attacks", path: DOCUMENT.to_owned(), line, what }
}

/// `| XSW-01 | … | tested |` as (`xsw_01`, `tested`).
fn row(line: &str) -> Option<(String, String)> {
    let mut cells = line.strip_prefix('|')?.trim_end().strip_suffix('|')?.split('|').map(str::trim);
    let (family, number) = cells.next()?.split_once('-')?;
    let plain = family.chars().all(|c| c.is_ascii_uppercase()) && number.chars().all(|c| c.is_ascii_digit());
    (plain && !number.is_empty()).then(|| {
        let key = format!("{}_{number}", family.to_ascii_lowercase());
        (key, cells.next_back().unwrap_or_default().to_owned())
    })
}

fn tests_by_row(files: &[File]) -> BTreeMap<String, usize> {
    let mut tests = BTreeMap::new();
    let prefix = format!("fn {}", "attack_");
    for file in files.iter().filter(|file| file.path.ends_with(".rs") && file.path.starts_with("crates/")) {
        for line in file.text.lines() {
            let Some((_, rest)) = line.split_once(prefix.as_str()) else { continue };
            let mut words = rest.split('_');
            let (Some(family), Some(number)) = (words.next(), words.next()) else { continue };
            if number.len() == 2 && number.chars().all(|c| c.is_ascii_digit()) {
                *tests.entry(format!("{family}_{number}")).or_default() += 1;
            }
        }
    }
    tests
}
