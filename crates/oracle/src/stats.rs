//! The two tests of a difference in time: Welch's t on cropped samples, and the sign test on pairs.
//!
//! Samples are integers (nanoseconds), so that nothing is lost before the test. What is not here: a verdict on one number;
//! [`LIMIT`] is applied by the report.

/// From this |t| or |z| on, a difference is held to be real. For one comparison without a difference the chance is 7 in a
/// million; for a hundred comparisons, less than one in a thousand.
pub(crate) const LIMIT: f64 = 4.5;

/// A comparison of a class with the reference.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Difference {
    /// Mean of the class minus mean of the reference, after cropping.
    pub(crate) mean: f64,
    /// Standard error of that difference.
    pub(crate) error: f64,
    /// Welch's t.
    pub(crate) t: f64,
    /// The sign test's z: how much more often the class was the slower of its pair.
    pub(crate) sign: f64,
}

impl Difference {
    /// Whether either test sees a difference.
    pub(crate) fn is_seen(&self) -> bool {
        self.t.abs() >= LIMIT || self.sign.abs() >= LIMIT
    }
}

/// Compares `class` with `reference`; the n-th of both are a pair, measured in one round.
pub(crate) fn compare(class: &[u32], reference: &[u32]) -> Difference {
    let (a, b) = (Cropped::of(class), Cropped::of(reference));
    let error = (a.squared_error + b.squared_error).sqrt();
    let mean = a.mean - b.mean;
    let t = if error > 0.0 { mean / error } else { 0.0 };
    Difference { mean, error, t, sign: sign_test(class, reference) }
}

/// z of the number of pairs in which the first is larger; pairs of equals say nothing.
fn sign_test(class: &[u32], reference: &[u32]) -> f64 {
    let (mut slower, mut pairs) = (0.0_f64, 0.0_f64);
    for (a, b) in class.iter().zip(reference) {
        if a != b {
            pairs += 1.0;
            slower += f64::from(u8::from(a > b));
        }
    }
    if pairs > 0.0 { (2.0 * slower - pairs) / pairs.sqrt() } else { 0.0 }
}

/// The value below which `share` of the sorted samples lie; 0 of none.
pub(crate) fn quantile(sorted: &[u32], share: f64) -> u32 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a place between 0 and the length"
    )]
    let place = (share * sorted.len().saturating_sub(1) as f64).round() as usize;
    sorted.get(place).copied().unwrap_or_default()
}

/// The median of samples in any order.
pub(crate) fn median(samples: &[u32]) -> u32 {
    let mut sorted = samples.to_vec();
    sorted.sort_unstable();
    quantile(&sorted, 0.5)
}

/// The mean of the samples between the 10th and the 90th percentile, and its squared standard error.
///
/// The error is that of Yuen (1974), from the spread with the cropped samples pulled in to the edges: the spread of what is
/// left alone would be too small, and t too large by a third. Cropping both classes at common values instead would hide a
/// shift where times are spread evenly, as a timer's ticks make them.
struct Cropped {
    mean: f64,
    squared_error: f64,
}

impl Cropped {
    fn of(samples: &[u32]) -> Cropped {
        let mut sorted = samples.to_vec();
        sorted.sort_unstable();
        let cut = sorted.len() / 10;
        let kept = sorted.get(cut..sorted.len() - cut).unwrap_or_default();
        let (Some(low), Some(high), true) = (kept.first(), kept.last(), kept.len() > 1) else {
            return Cropped { mean: 0.0, squared_error: 0.0 };
        };
        let left = kept.len() as f64;
        let mean = kept.iter().map(|sample| f64::from(*sample)).sum::<f64>() / left;
        let pulled = |sample: &u32| f64::from(*sample.clamp(low, high));
        let count = sorted.len() as f64;
        let center = sorted.iter().map(pulled).sum::<f64>() / count;
        let squares: f64 = sorted.iter().map(|sample| (pulled(sample) - center).powi(2)).sum();
        Cropped { mean, squared_error: squares / (left * (left - 1.0)) }
    }
}

#[cfg(test)]
mod tests;
