//! Finds the folder of test vectors and keeps the account of a run: what passed, what failed, what is out of scope by
//! a list with reasons. A listed case that passes and an unlisted one that fails both break the test.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The folder of vectors: `BARTIZAN_VECTORS`, or `../shared/vectors` beside the workspace. `None`, said loudly, if
/// there is none.
///
/// # Panics
/// If `BARTIZAN_REQUIRE_VECTORS=1` is set and the folder is missing.
#[must_use]
#[allow(clippy::disallowed_methods, reason = "where test data lies is told by the environment")]
pub fn root() -> Option<PathBuf> {
    let path = std::env::var_os("BARTIZAN_VECTORS")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/vectors"), PathBuf::from);
    if path.is_dir() {
        return Some(path);
    }
    let required = std::env::var_os("BARTIZAN_REQUIRE_VECTORS").is_some_and(|v| v == "1");
    assert!(!required, "no test vectors at {}", path.display());
    say(&format!(
        "\n##########\n# NO TEST VECTORS at {}: nothing was checked. Set BARTIZAN_VECTORS.\n##########",
        path.display()
    ));
    None
}

/// A list of cases that are not expected to pass: `case_id<TAB>reason`, one a line; `#` begins a comment line.
#[derive(Clone, Debug, Default)]
pub struct Expectations {
    reasons: BTreeMap<String, String>,
}

impl Expectations {
    /// Reads a list.
    ///
    /// # Panics
    /// If the file cannot be read, a line has no reason, or a case is listed twice.
    #[must_use]
    pub fn read(path: impl AsRef<Path>) -> Self {
        let path = path.as_ref();
        let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        Self::parse(&text)
    }

    /// Reads a list from its text.
    ///
    /// # Panics
    /// As [`Expectations::read`].
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let mut reasons = BTreeMap::new();
        for line in text.lines().filter(|l| !l.trim().is_empty() && !l.starts_with('#')) {
            let Some((case, reason)) = line.split_once('\t') else { panic!("no reason in {line:?}") };
            assert!(!reason.trim().is_empty(), "no reason in {line:?}");
            let twice = reasons.insert(case.to_owned(), reason.to_owned()).is_some();
            assert!(!twice, "{case} is listed twice");
        }
        Self { reasons }
    }

    /// Why a case is not expected to pass, if it is listed.
    #[must_use]
    pub fn reason(&self, case: &str) -> Option<&str> {
        self.reasons.get(case).map(String::as_str)
    }
}

/// The account of one run.
#[derive(Clone, Debug)]
pub struct Report {
    name: String,
    expected: Expectations,
    seen: BTreeMap<String, Result<(), String>>,
    skipped: usize,
}

impl Report {
    /// An empty account under a name that heads its output.
    #[must_use]
    pub fn new(name: &str, expected: Expectations) -> Self {
        Self { name: name.to_owned(), expected, seen: BTreeMap::new(), skipped: 0 }
    }

    /// Enters the outcome of a case; `Err` says why it failed.
    ///
    /// # Panics
    /// If the case was entered before.
    pub fn enter(&mut self, case: &str, outcome: Result<(), String>) {
        assert!(self.seen.insert(case.to_owned(), outcome).is_none(), "{case} ran twice");
    }

    /// Counts a case that cannot run here (a missing program or file), which neither passes nor fails.
    pub fn skip(&mut self, case: &str, why: &str) {
        self.skipped += 1;
        say(&format!("{}: skipped {case}: {why}", self.name));
    }

    /// Cases that passed.
    #[must_use]
    pub fn passed(&self) -> usize {
        self.seen.values().filter(|o| o.is_ok()).count()
    }

    /// Prints the counts and ends the test.
    ///
    /// # Panics
    /// If an unlisted case failed, a listed one passed, a listed one never ran, or fewer than `floor` passed.
    pub fn finish(self, floor: usize) {
        let (ran, passed) = (self.seen.len(), self.passed());
        let listed =
            self.seen.iter().filter(|(c, o)| o.is_err() && self.expected.reason(c).is_some()).count();
        say(&format!(
            "{}: ran {ran}, passed {passed}, out of scope {listed}, skipped {}",
            self.name, self.skipped
        ));
        let mut wrong = Vec::new();
        for (case, outcome) in &self.seen {
            match (outcome, self.expected.reason(case)) {
                (Err(why), None) => wrong.push(format!("{case} failed: {why}")),
                (Ok(()), Some(reason)) => wrong.push(format!("{case} passes but is listed: {reason}")),
                _ => {}
            }
        }
        for case in self.expected.reasons.keys().filter(|c| self.skipped == 0 && !self.seen.contains_key(*c))
        {
            wrong.push(format!("{case} is listed but did not run"));
        }
        assert!(wrong.is_empty(), "{}: {} unexpected:\n{}", self.name, wrong.len(), wrong.join("\n"));
        assert!(passed >= floor, "{}: {passed} passed, floor is {floor}", self.name);
    }
}

/// Prints past the capture of the test harness, so that counts are seen in every run.
#[allow(clippy::print_stderr, reason = "counts and missing data must be seen")]
pub fn say(text: &str) {
    use std::io::Write;
    // The harness captures the print macros, not the handle itself.
    let _ = writeln!(std::io::stderr(), "{text}");
}

#[cfg(test)]
mod tests;
