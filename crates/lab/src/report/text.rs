//! The report as text, for a terminal.

use std::fmt::Write as _;

use super::{BIAS, Group, groups, name};
use crate::figures::{RAMPART, RAMPART_SOURCE};
use crate::record::{Figures, Row};

/// The report of a record.
#[must_use]
pub fn to_text(rows: &[Row]) -> String {
    let mut out = String::from("bartizan bench rampart\n");
    if let Some(first) = rows.first() {
        let _ = writeln!(out, "{}\n{}\n{}", first.date, first.machine, first.setting);
    }
    for group in groups(rows) {
        one(&group, &mut out);
    }
    for row in rows.iter().filter(|row| !row.note.is_empty()) {
        let _ = writeln!(
            out,
            "\n{} with {} keys at {}: {}",
            name(row),
            row.cell.keys,
            row.cell.concurrency,
            row.note
        );
    }
    let _ = writeln!(out, "\nPublished figures, from {RAMPART_SOURCE}.");
    for published in RAMPART {
        let _ = writeln!(out, "  {:<14}{:>5} messages a second", published.engine, published.rate);
    }
    out.push('\n');
    for sentence in BIAS {
        let _ = writeln!(out, "- {sentence}");
    }
    out
}

/// One kind of keys.
fn one(group: &Group<'_>, out: &mut String) {
    let _ = writeln!(out, "\n{}", group.title);
    for (concurrency, rows) in &group.series {
        let _ = writeln!(
            out,
            "\n  {:<20} {:>8} {:>9} {:>8} {:>7} {:>9} {:>9} {:>7} {:>7}",
            format!("{concurrency} in flight"),
            "msg/s",
            "CPU µs",
            "x floor",
            "x ours",
            "p50 µs",
            "p99 µs",
            "RSS MB",
            "errors"
        );
        if let Some(figures) = group.floor.and_then(|row| row.figures.as_ref()) {
            let _ = writeln!(
                out,
                "  {:<20} {:>8} {:>9.0} {:>8.2}",
                "bare cryptography", "", figures.cpu.median, 1.0
            );
        }
        for row in rows {
            line(row, out);
        }
    }
}

fn line(row: &Row, out: &mut String) {
    let Some(figures) = &row.figures else {
        let _ = writeln!(out, "  {:<20} no figures: see below", name(row));
        return;
    };
    let Figures { rate, cpu, p50, p99, resident, to_floor, to_own, .. } = figures;
    let times = |value: &Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.2}"));
    let micros = |value: &Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.0}"));
    let memory = resident.map_or("-".to_owned(), |bytes| (bytes / 1_000_000).to_string());
    let _ = writeln!(
        out,
        "  {:<20} {:>8.0} {:>9.0} {:>8} {:>7} {:>9} {:>9} {memory:>7} {:>7}",
        name(row),
        rate.median,
        cpu.median,
        times(to_floor),
        times(to_own),
        micros(p50),
        micros(p99),
        row.errors
    );
}
