//! The turns of one server at one concurrency, and what they come to.

use crate::drive::Window;
use crate::drive::histogram::Histogram;
use crate::process::TICKS_PER_SECOND;
use crate::record::{Figures, Spread};
use crate::sample;

#[cfg(test)]
mod tests;

/// Parts of the least warm-up, each looked at by itself.
pub(super) const WARM_SLICES: u32 = 6;
/// A server is warm when a part costs no less than this share of the part before.
const STEADY: f64 = 0.97;

/// Whether a server is to be warmed on, by the CPU a message of each part so far: for the least time in any case, then while
/// it still gets faster, for half as long again at most.
pub(super) fn still_warming(slices: &[f64]) -> bool {
    let least = WARM_SLICES as usize;
    match slices {
        _ if slices.len() < least => true,
        _ if slices.len() >= least + least / 2 => false,
        [.., before, last] => *last < before * STEADY,
        [_] | [] => true,
    }
}

/// What went wrong, counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) errors: u64,
    pub(super) first: Option<Box<str>>,
}

impl Tally {
    /// Adds some; the first that has words keeps them.
    pub(super) fn count(&mut self, errors: u64, first: Option<String>) {
        self.errors += errors;
        if self.first.is_none() {
            self.first = first.map(Into::into);
        }
    }
}

/// All turns of one server at one concurrency.
#[derive(Clone, Debug, Default)]
pub(super) struct Series {
    /// Messages a second of each turn.
    rate: Vec<f64>,
    /// CPU µs a message of each turn.
    pub(super) cpu: Vec<f64>,
    latencies: Histogram,
    resident: u64,
    pub(super) tally: Tally,
}

impl Series {
    /// Adds a turn. One without a right answer has no figures.
    pub(super) fn add(&mut self, window: &Window) {
        self.tally.count(window.errors, window.first_error.clone().map(String::from));
        if window.answered == 0 {
            return;
        }
        let answered = window.answered as f64;
        let micros = window.ticks as f64 * 1e6 / TICKS_PER_SECOND as f64;
        self.rate.push(answered / window.elapsed.as_secs_f64());
        self.cpu.push(micros / answered);
        self.latencies.merge(&window.latencies);
        self.resident = self.resident.max(window.resident);
    }

    /// The figures; ratios are taken in pairs, round by round.
    pub(super) fn figures(
        &self,
        request_bytes: usize,
        reply_bytes: usize,
        floors: &[f64],
        own: Option<&[f64]>,
    ) -> Option<Figures> {
        Some(Figures {
            rounds: self.cpu.len(),
            messages: self.latencies.len(),
            rate: spread(&self.rate)?,
            cpu: spread(&self.cpu)?,
            p50: self.latencies.micros(0.5),
            p99: self.latencies.micros(0.99),
            resident: Some(self.resident),
            request_bytes,
            reply_bytes,
            warm_messages: 0,
            to_floor: sample::paired_ratio(&self.cpu, floors),
            to_own: own.and_then(|own| sample::paired_ratio(&self.cpu, own)),
        })
    }
}

/// Median, lowest and highest.
pub(super) fn spread(values: &[f64]) -> Option<Spread> {
    Some(Spread {
        median: sample::median(values)?,
        low: sample::best(values)?,
        high: sample::percentile(values, 1.0)?,
    })
}

/// The row of the floor.
pub(super) fn of_floor(cpu: Spread, rounds: usize, request_bytes: usize, reply_bytes: usize) -> Figures {
    Figures { rounds, cpu, request_bytes, reply_bytes, to_floor: Some(1.0), ..Figures::default() }
}
