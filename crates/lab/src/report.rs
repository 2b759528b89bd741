//! A record as people read it: a table of text, or one page of HTML with a picture. Nothing is measured here.
//!
//! Called by the command line, for a fresh run as for a recorded one.

mod html;
mod steps;
mod text;
mod words;

use words::Words;

pub use html::to_html;
pub use text::to_text;

use crate::kind::Kind;
use crate::record::{FLOOR, Row};

/// The rows of one kind of keys.
struct Group<'a> {
    /// What people call the kind; a name that is not known stands for itself.
    title: String,
    /// The floor, if it was measured.
    floor: Option<&'a Row>,
    /// One list a concurrency.
    series: Vec<(usize, Vec<&'a Row>)>,
}

/// The rows by kinds of keys and concurrency, in the order of the record.
fn groups<'a>(rows: &[&'a Row]) -> Vec<Group<'a>> {
    let mut kinds: Vec<&str> = Vec::new();
    for row in rows {
        if !kinds.contains(&row.cell.keys.as_str()) {
            kinds.push(&row.cell.keys);
        }
    }
    kinds.into_iter().map(|kind| group(kind, rows)).collect()
}

fn group<'a>(kind: &str, rows: &[&'a Row]) -> Group<'a> {
    let mut series: Vec<(usize, Vec<&Row>)> = Vec::new();
    let here = || rows.iter().copied().filter(|row| row.cell.keys == kind);
    for row in here().filter(|row| row.cell.peer != FLOOR) {
        match series.iter_mut().find(|(concurrency, _)| *concurrency == row.cell.concurrency) {
            Some((_, list)) => list.push(row),
            None => series.push((row.cell.concurrency, vec![row])),
        }
    }
    let order = |row: &&Row| crate::peer::Engine::by_name(&row.cell.peer);
    series.iter_mut().for_each(|(_, list)| list.sort_by_key(order));
    series.sort_by_key(|(concurrency, _)| *concurrency);
    let title = Kind::by_name(kind).map_or_else(|| kind.to_owned(), Kind::title);
    Group { title, floor: here().find(|row| row.cell.peer == FLOOR), series }
}

/// What a peer is called.
fn title(peer: &str) -> &str {
    match peer {
        "bartizan-replay" => "+ replay guard",
        "wss4j" | "wss4j15" => "WSS4J",
        "cxf" => "CXF",
        "rampart" => "Rampart/Java",
        FLOOR => "bare cryptography",
        other => other,
    }
}

/// Name and version.
fn name(row: &Row) -> String {
    format!("{} {}", title(&row.cell.peer), row.cell.version).trim().to_owned()
}

/// The rows of each scenario, in the order of the record.
fn scenarios(rows: &[Row]) -> Vec<(Words, Vec<&Row>)> {
    let mut all: Vec<(Words, Vec<&Row>)> = Vec::new();
    for row in rows {
        match all.iter_mut().find(|(words, _)| words.scenario == row.cell.scenario) {
            Some((_, list)) => list.push(row),
            None => all.push((Words::of(&row.cell.scenario), vec![row])),
        }
    }
    all
}

#[cfg(test)]
mod tests;
