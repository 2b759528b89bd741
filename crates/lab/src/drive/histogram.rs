//! Latencies in buckets whose width grows with the value: every percentile within 1.6 per cent, in 30 KB.
//!
//! Called by the load; read by whoever reports.

use std::time::Duration;

/// Buckets in each doubling, as a power of two.
const FINE: u32 = 6;
/// Buckets below the first doubling, each one nanosecond wide.
const LINEAR: u64 = 1 << FINE;
/// The widest duration that is told apart, in nanoseconds: about 18 minutes.
const LONGEST: u64 = 1 << 40;

/// Durations, counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Histogram {
    counts: Vec<u64>,
    total: u64,
}

impl Histogram {
    /// Counts one.
    pub fn add(&mut self, duration: Duration) {
        let nanos = u64::try_from(duration.as_nanos()).unwrap_or(LONGEST).min(LONGEST);
        let bucket = bucket(nanos);
        if self.counts.len() <= bucket {
            self.counts.resize(bucket + 1, 0);
        }
        if let Some(count) = self.counts.get_mut(bucket) {
            *count += 1;
            self.total += 1;
        }
    }

    /// Counts everything that the other has counted.
    pub fn merge(&mut self, other: &Histogram) {
        if self.counts.len() < other.counts.len() {
            self.counts.resize(other.counts.len(), 0);
        }
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count += more;
        }
        self.total += other.total;
    }

    /// How many were counted.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.total
    }

    /// Whether none was.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.total == 0
    }

    /// The duration that `share` (0.0 to 1.0) of all do not exceed, in microseconds; the middle of its bucket. `None` of nothing.
    #[must_use]
    pub fn micros(&self, share: f64) -> Option<f64> {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "between 1 and the count"
        )]
        let rank = ((self.total as f64 * share.clamp(0.0, 1.0)).ceil() as u64).max(1);
        let mut seen = 0;
        for (bucket, count) in self.counts.iter().enumerate() {
            seen += count;
            if seen >= rank {
                let (low, width) = bounds(bucket as u64);
                return Some((low as f64 + width as f64 / 2.0) / 1000.0);
            }
        }
        None
    }
}

/// The bucket of a value: the first `LINEAR` values have one each, then `LINEAR` to each doubling.
fn bucket(nanos: u64) -> usize {
    let doubling = nanos.max(1).ilog2().saturating_sub(FINE);
    // INVARIANT: nanos >> doubling is below 2 * LINEAR, and not below LINEAR unless doubling is 0.
    (u64::from(doubling) * LINEAR + (nanos >> doubling)) as usize
}

/// Lowest value and width of a bucket.
fn bounds(bucket: u64) -> (u64, u64) {
    let doubling = (bucket / LINEAR).saturating_sub(1);
    ((bucket - doubling * LINEAR) << doubling, 1 << doubling)
}

#[cfg(test)]
mod tests;
