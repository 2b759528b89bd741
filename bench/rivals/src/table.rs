//! The results as text and as CSV.

use std::fmt::Write as _;

use crate::rounds::Row;

/// The columns of the text.
pub fn heading() -> String {
    format!(
        "{:<8} {:>4}  {:<14} {:>11} {:>8} {:>8} {:>7}  note",
        "case", "size", "engine", "us", "MB/s", "ratio", "spread"
    )
}

/// One row of the text.
pub fn line(row: &Row) -> String {
    let line = format!(
        "{:<8} {:>4}  {:<14} {:>11.2} {:>8.1} {:>8.2} {:>6.1}%  {}",
        row.case.label(),
        row.size.label(),
        row.engine,
        row.micros,
        row.megabytes(),
        row.ratio,
        row.spread * 100.0,
        row.note
    );
    line.trim_end().to_owned()
}

/// Everything as CSV; lines with a `#` are about the run.
pub fn csv(about: &[String], rows: &[Row]) -> String {
    let mut out: String = about.iter().map(|line| format!("# {line}\n")).collect();
    out.push_str("engine,case,size,octets,us,mb_per_s,ratio_to_own,spread,note\n");
    for row in rows {
        let _ = writeln!(
            out,
            "{},{},{},{},{:.3},{:.2},{:.4},{:.4},\"{}\"",
            row.engine,
            row.case.label(),
            row.size.label(),
            row.size.octets(),
            row.micros,
            row.megabytes(),
            row.ratio,
            row.spread,
            row.note
        );
    }
    out
}
