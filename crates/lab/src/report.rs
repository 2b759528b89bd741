//! A record as people read it: a table of text, or one page of HTML with a picture. Nothing is measured here.
//!
//! Called by the command line, for a fresh run as for a recorded one.

mod html;
mod text;

pub use html::to_html;
pub use text::to_text;

use crate::record::{FLOOR, Row};
use crate::scenario::Keys;

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
fn groups(rows: &[Row]) -> Vec<Group<'_>> {
    let mut kinds: Vec<&str> = Vec::new();
    for row in rows {
        if !kinds.contains(&row.cell.keys.as_str()) {
            kinds.push(&row.cell.keys);
        }
    }
    kinds.into_iter().map(|kind| group(kind, rows)).collect()
}

fn group<'a>(kind: &str, rows: &'a [Row]) -> Group<'a> {
    let mut series: Vec<(usize, Vec<&Row>)> = Vec::new();
    let here = || rows.iter().filter(|row| row.cell.keys == kind);
    for row in here().filter(|row| row.cell.peer != FLOOR) {
        match series.iter_mut().find(|(concurrency, _)| *concurrency == row.cell.concurrency) {
            Some((_, list)) => list.push(row),
            None => series.push((row.cell.concurrency, vec![row])),
        }
    }
    let order = |row: &&Row| crate::peer::Engine::by_name(&row.cell.peer);
    series.iter_mut().for_each(|(_, list)| list.sort_by_key(order));
    series.sort_by_key(|(concurrency, _)| *concurrency);
    let title = Keys::by_name(kind).map_or_else(|| kind.to_owned(), |keys| keys.title().to_owned());
    Group { title, floor: here().find(|row| row.cell.peer == FLOOR), series }
}

/// What a peer is called.
fn title(peer: &str) -> &str {
    match peer {
        "wss4j" => "WSS4J",
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

/// What every reader should know before the figures.
const BIAS: &[&str] = &[
    "Measured by the authors of bartizan with their own tool. The libraries are the published ones; WSS4J is driven by hand \
     and, like Rampart, stands behind the HTTP server of the JDK. Nobody remembers replays, nobody writes an access log.",
    "All servers get the same octets: requests secured beforehand by bartizan's client. All answers are verified before, and \
     samples of them after each turn.",
    "CPU is user and system time of the server process for each right answer, HTTP included. The floor is the bare \
     cryptography of the same exchange in the same round, without HTTP, XML and certificate paths.",
    "One client certificate: bartizan remembers the verdict on its path, others may check it for every message.",
    "A server has one core to itself, so a Java virtual machine chooses its serial collector.",
];

#[cfg(test)]
mod tests;
