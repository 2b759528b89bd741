//! What each step of the set-ups with UsernameTokens adds: their CPU beside that of UNT1, and the table of the published report.

use crate::kind::{Kind, Token};
use crate::record::{FLOOR, Row};
use crate::scenario::Keys;

/// One set-up at one server.
pub(super) struct Step<'a> {
    /// The row.
    pub(super) row: &'a Row,
    /// The set-up and the keys.
    pub(super) token: Token,
    pub(super) keys: Keys,
    /// CPU µs of a message.
    pub(super) cpu: f64,
    /// As a multiple of UNT1 at the same server.
    pub(super) to_first: Option<f64>,
    /// Mean response time in ms: of a closed loop, what is in flight by what is answered.
    pub(super) response: f64,
    /// Answers a second.
    pub(super) rate: f64,
}

/// The steps at the highest concurrency of the rows, server by server.
pub(super) fn steps<'a>(rows: &[&'a Row]) -> Vec<Step<'a>> {
    let highest = rows.iter().map(|row| row.cell.concurrency).max().unwrap_or(0);
    let mut all: Vec<Step<'a>> = rows.iter().filter_map(|row| step(row, highest, rows)).collect();
    let engine = |step: &Step<'_>| crate::peer::Engine::by_name(&step.row.cell.peer);
    all.sort_by_key(engine);
    all
}

fn step<'a>(row: &'a Row, concurrency: usize, rows: &[&'a Row]) -> Option<Step<'a>> {
    let Some(Kind::Unt(token, keys)) = Kind::by_name(&row.cell.keys) else { return None };
    let cpu = |row: &Row| row.figures.as_ref().map(|figures| figures.cpu.median);
    if row.cell.concurrency != concurrency || row.cell.peer == FLOOR {
        return None;
    }
    let first = rows.iter().find(|other| {
        let cell = &other.cell;
        cell.peer == row.cell.peer && cell.concurrency == concurrency && cell.keys == Token::Unt1.name()
    });
    let rate = row.figures.as_ref()?.rate.median;
    Some(Step {
        row,
        token,
        keys,
        cpu: cpu(row)?,
        to_first: first
            .and_then(|first| cpu(first))
            .filter(|first| *first > 0.0)
            .map(|first| cpu(row).unwrap_or(0.0) / first),
        response: concurrency as f64 * 1e3 / rate,
        rate,
    })
}
