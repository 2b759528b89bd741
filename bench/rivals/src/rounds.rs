//! Turns in rounds: in each of them every engine does the same case with the same documents, in an order that rotates.
//!
//! Not here: what a case is. Called by `main`.

use bartizan_lab::message::Size;
use bartizan_lab::sample;

use crate::documents::Document;
use crate::engine::{Case, Engine};

/// One line of the table.
#[derive(Clone, Debug)]
pub struct Row {
    pub engine: String,
    pub case: Case,
    pub size: Size,
    /// CPU µs of one operation: median of the rounds.
    pub micros: f64,
    /// The same over ours of the same round: median of the rounds.
    pub ratio: f64,
    /// How far the middle half of the rounds spreads, as a share.
    pub spread: f64,
    pub note: String,
}

impl Row {
    /// MB (10⁶ octets) of envelope in a second.
    pub fn megabytes(&self) -> f64 {
        self.size.octets() as f64 / self.micros
    }
}

/// How long a measurement is.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Rounds that count; one more is done before them.
    pub rounds: usize,
    /// CPU µs of one turn, at least.
    pub least: f64,
}

/// Measures one case at one size. The first engine is ours.
pub fn measure(
    engines: &[&'static dyn Engine],
    case: Case,
    size: Size,
    documents: &'static [Document],
    plan: Plan,
) -> Vec<Row> {
    let engines: Vec<&'static dyn Engine> =
        engines.iter().copied().filter(|engine| engine.offers(case)).collect();
    let mut turns: Vec<_> = engines.iter().map(|engine| engine.turns(case, size, documents)).collect();
    let mut times = vec![Vec::new(); engines.len()];
    for round in 0..=plan.rounds {
        for place in 0..engines.len() {
            let at = (place + round) % engines.len();
            let micros = turns[at](plan.least);
            // In the first round memory is fetched and branches are learnt.
            if round > 0 {
                times[at].push(micros);
            }
        }
    }
    let row = |(engine, found): (&&'static dyn Engine, &Vec<f64>)| Row {
        engine: engine.name().to_owned(),
        case,
        size,
        micros: sample::median(found).unwrap_or(f64::NAN),
        ratio: sample::paired_ratio(found, &times[0]).unwrap_or(f64::NAN),
        spread: sample::spread(found).unwrap_or(f64::NAN),
        note: engine.note(case),
    };
    engines.iter().zip(&times).map(row).collect()
}
