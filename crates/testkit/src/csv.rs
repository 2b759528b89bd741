//! A reader for the small CSV tables beside test vectors (RFC 4180: quoted fields, doubled quotes, line ends inside
//! quotes). The first row names the columns.

use std::collections::HashMap;
use std::ops::Index;
use std::path::Path;
use std::sync::Arc;

/// One row. `record["column"]` is the field, the empty string where a row is short.
#[derive(Clone, Debug)]
pub struct Record {
    columns: Arc<HashMap<String, usize>>,
    fields: Vec<String>,
    /// Line of the file on which the row begins, from 1.
    pub line: usize,
}

impl Record {
    /// The field of a column; `None` if the table has no such column.
    #[must_use]
    pub fn get(&self, column: &str) -> Option<&str> {
        let at = *self.columns.get(column)?;
        Some(self.fields.get(at).map_or("", String::as_str))
    }
}

impl Index<&str> for Record {
    type Output = str;

    /// # Panics
    /// If the table has no such column: a misspelt name must not read as an empty field.
    fn index(&self, column: &str) -> &str {
        match self.get(column) {
            Some(field) => field,
            None => panic!("the table has no column {column:?}"),
        }
    }
}

/// Reads a table.
///
/// # Panics
/// If the file cannot be read or is no CSV: a test without its table must fail.
#[must_use]
pub fn read(path: impl AsRef<Path>) -> Vec<Record> {
    let path = path.as_ref();
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    parse(&text)
}

/// Reads a table from its text.
///
/// # Panics
/// If a quoted field is not closed.
#[must_use]
pub fn parse(text: &str) -> Vec<Record> {
    let mut rows = rows(text.trim_start_matches('\u{FEFF}')).into_iter();
    let Some((_, head)) = rows.next() else { return Vec::new() };
    let columns: HashMap<String, usize> = head.into_iter().enumerate().map(|(at, name)| (name, at)).collect();
    let columns = Arc::new(columns);
    rows.filter(|(_, fields)| fields.len() > 1 || fields.iter().any(|f| !f.is_empty()))
        .map(|(line, fields)| Record { columns: Arc::clone(&columns), fields, line })
        .collect()
}

fn rows(text: &str) -> Vec<(usize, Vec<String>)> {
    let (mut rows, mut row, mut field) = (Vec::new(), Vec::new(), String::new());
    let (mut line, mut first_line, mut quoted) = (1, 1, false);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '\n' {
            line += 1;
        }
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => {
                chars.next();
                field.push('"');
            }
            '"' if quoted => quoted = false,
            '"' if field.is_empty() => quoted = true,
            _ if quoted => field.push(c),
            ',' => row.push(std::mem::take(&mut field)),
            '\r' => {}
            '\n' => {
                row.push(std::mem::take(&mut field));
                rows.push((first_line, std::mem::take(&mut row)));
                first_line = line;
            }
            _ => field.push(c),
        }
    }
    assert!(!quoted, "a quoted field that begins in the row of line {first_line} is not closed");
    if !field.is_empty() || !row.is_empty() {
        row.push(field);
        rows.push((first_line, row));
    }
    rows
}

#[cfg(test)]
mod tests;
