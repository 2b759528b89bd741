//! Two records beside each other: what changed by more than the rounds of either differ among themselves.
//!
//! A cell of both records is compared by CPU µs a message. The bounds of a change are those of the rounds: from the lowest
//! after / highest before to the highest after / lowest before. If 1 lies within, the difference is noise. Not here: any
//! judgement beyond that. Called by the command line.

use std::fmt::Write as _;

use crate::record::{Cell, FLOOR, Figures, Row};

/// What became of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Takes less CPU, beyond the noise.
    Faster,
    /// Takes more CPU, beyond the noise.
    Slower,
    /// The rounds differ by as much.
    Noise,
    /// Not in the second record, or without figures there.
    Gone,
    /// Not in the first record, or without figures there.
    New,
}

impl Verdict {
    /// In a word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Faster => "faster",
            Verdict::Slower => "slower",
            Verdict::Noise => "noise",
            Verdict::Gone => "gone",
            Verdict::New => "new",
        }
    }
}

/// One cell of either record.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// Which one; the version is that of the second record if it is there.
    pub cell: Cell,
    /// CPU µs a message before.
    pub before: Option<f64>,
    /// And after.
    pub after: Option<f64>,
    /// After / before, with the bounds of the noise; `None` unless both are there.
    pub ratio: Option<Ratio>,
    /// What became of it.
    pub verdict: Verdict,
}

/// A ratio and how far the rounds leave it open.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratio {
    /// Of the medians.
    pub median: f64,
    /// The lowest that the rounds allow.
    pub low: f64,
    /// The highest.
    pub high: f64,
}

/// Compares two records, in the order of the first.
#[must_use]
pub fn compare(before: &[Row], after: &[Row]) -> Vec<Change> {
    let same = |one: &Cell, other: &Cell| {
        Cell { version: String::new(), ..one.clone() } == Cell { version: String::new(), ..other.clone() }
    };
    let mut changes: Vec<Change> = before
        .iter()
        .map(|row| {
            let other = after.iter().find(|other| same(&row.cell, &other.cell));
            change(
                other.map_or(&row.cell, |other| &other.cell),
                row.figures.as_ref(),
                other.and_then(|o| o.figures.as_ref()),
            )
        })
        .collect();
    let added = after.iter().filter(|row| !before.iter().any(|other| same(&row.cell, &other.cell)));
    changes.extend(added.map(|row| change(&row.cell, None, row.figures.as_ref())));
    changes.retain(|change| change.before.is_some() || change.after.is_some());
    changes
}

fn change(cell: &Cell, before: Option<&Figures>, after: Option<&Figures>) -> Change {
    let ratio = before.zip(after).map(|(before, after)| Ratio {
        median: after.cpu.median / before.cpu.median,
        low: after.cpu.low / before.cpu.high,
        high: after.cpu.high / before.cpu.low,
    });
    let verdict = match (before, after, ratio) {
        (_, None, _) => Verdict::Gone,
        (None, _, _) => Verdict::New,
        (_, _, Some(ratio)) if ratio.high < 1.0 => Verdict::Faster,
        (_, _, Some(ratio)) if ratio.low > 1.0 => Verdict::Slower,
        (_, _, _) => Verdict::Noise,
    };
    let cpu = |figures: Option<&Figures>| figures.map(|figures| figures.cpu.median);
    Change { cell: cell.clone(), before: cpu(before), after: cpu(after), ratio, verdict }
}

/// The changes as a table of text.
#[must_use]
pub fn to_text(changes: &[Change]) -> String {
    let mut out =
        String::from("CPU µs a message; after / before with the bounds that the rounds leave open\n\n");
    let _ = writeln!(
        out,
        "{:<13} {:>4}  {:<15} {:>10} {:>10} {:>7}  {:<15}",
        "keys", "in", "peer", "before", "after", "ratio", "bounds"
    );
    for Change { cell, before, after, ratio, verdict } in changes {
        let number = |value: &Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.1}"));
        let flight = if cell.peer == FLOOR { "-".to_owned() } else { cell.concurrency.to_string() };
        let (median, bounds) = ratio.map_or(("-".to_owned(), String::new()), |ratio| {
            (format!("{:.3}", ratio.median), format!("{:.3} … {:.3}", ratio.low, ratio.high))
        });
        let _ = writeln!(
            out,
            "{:<13} {flight:>4}  {:<15} {:>10} {:>10} {median:>7}  {bounds:<15}  {}",
            cell.keys,
            cell.peer,
            number(before),
            number(after),
            verdict.name()
        );
    }
    out
}

#[cfg(test)]
mod tests;
