//! What is wrong with a configuration, and where.

use std::fmt;
use std::ops::Range;

use crate::error::Problem;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// It runs, and somebody should know.
    Warning,
    /// It does not run.
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Severity::Warning => "warning",
            Severity::Error => "error",
        })
    }
}

/// One finding.
#[derive(Debug)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// What it is; its `Display` is the sentence, [`Problem::help`] the way out.
    pub problem: Problem,
    /// Bytes of the file, if one place is to blame.
    pub at: Option<Range<usize>>,
}

impl Diagnostic {
    /// An error at `at`.
    pub fn error(problem: Problem, at: Range<usize>) -> Self {
        Diagnostic { severity: Severity::Error, problem, at: (at != (0..0)).then_some(at) }
    }

    /// A warning at `at`.
    pub fn warning(problem: Problem, at: Range<usize>) -> Self {
        Diagnostic { severity: Severity::Warning, problem, at: (at != (0..0)).then_some(at) }
    }
}

/// The text of a file, for turning offsets into lines.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// The whole text.
    pub text: &'a str,
}

/// A place in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place<'a> {
    /// From 1.
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
    /// The line itself, without its end.
    pub text: &'a str,
    /// Number of characters to underline, at least 1.
    pub width: usize,
}

impl<'a> Source<'a> {
    /// The place of the byte range `at`; what lies beyond the first line is cut off.
    pub fn place(&self, at: &Range<usize>) -> Place<'a> {
        let start = floor(self.text, at.start);
        let before = self.text.get(..start).unwrap_or_default();
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let rest = self.text.get(line_start..).unwrap_or_default();
        let text = rest.lines().next().unwrap_or_default();
        let column = before.get(line_start..).unwrap_or_default().chars().count() + 1;
        let end = floor(self.text, at.end).min(line_start + text.len()).max(start);
        let width = self.text.get(start..end).unwrap_or_default().chars().count().max(1);
        Place { line: before.matches('\n').count() + 1, column, text, width }
    }
}

/// The nearest character boundary at or before `offset`.
fn floor(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}
