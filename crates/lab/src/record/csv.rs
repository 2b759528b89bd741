//! Comma-separated values with quotes (RFC 4180), as far as a record needs them.

use crate::error::RecordFlaw;

/// A value as it is written: in quotes if it holds a comma, a quote or a line's end.
pub(super) fn quoted(value: &str) -> String {
    if value.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", value.replace('"', "\"\""))
    } else {
        value.to_owned()
    }
}

/// The values of a line, with its number from 1.
pub(super) type Line = (usize, Vec<String>);

/// The records of a text, each with the number of its first line, from 1. Empty lines are passed over.
pub(super) fn records(text: &str) -> Result<Vec<Line>, (usize, RecordFlaw)> {
    let mut all = Vec::new();
    let mut current = Record { line: 1, values: Vec::new(), value: String::new() };
    let (mut line, mut within) = (1, false);
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match (character, within) {
            ('"', true) if characters.peek() == Some(&'"') => {
                characters.next();
                current.value.push('"');
            }
            ('"', _) => within = !within,
            (',', false) => current.end_value(),
            ('\n', false) => {
                line += 1;
                current.end_into(&mut all, line);
            }
            ('\r', false) => {}
            (character, _) => {
                line += usize::from(character == '\n');
                current.value.push(character);
            }
        }
    }
    if within {
        return Err((current.line, RecordFlaw::Quote));
    }
    current.end_into(&mut all, line);
    Ok(all)
}

/// A record that is being read.
struct Record {
    line: usize,
    values: Vec<String>,
    value: String,
}

impl Record {
    fn end_value(&mut self) {
        self.values.push(std::mem::take(&mut self.value));
    }

    /// Ends the record if there is anything of it; the next begins in `line`.
    fn end_into(&mut self, all: &mut Vec<Line>, line: usize) {
        if !self.values.is_empty() || !self.value.is_empty() {
            self.end_value();
            all.push((self.line, std::mem::take(&mut self.values)));
        }
        self.line = line;
    }
}
