//! Statistics over rounds: medians, the best round, paired ratios, percentiles.
//!
//! A machine that others share slows a run down and never speeds it up, so of several round medians the lowest says most
//! about the code, and a ratio is taken between two things of the same round. Not here: clocks. Called by the benches and by
//! whoever reports rounds; the unit of a value is the caller's.

#[cfg(test)]
mod tests;

/// The median; of an even number the mean of the middle two; `None` of nothing.
#[must_use]
pub fn median(values: &[f64]) -> Option<f64> {
    let sorted = sorted(values);
    let upper = sorted.get(sorted.len() / 2)?;
    if sorted.len() % 2 == 1 {
        return Some(*upper);
    }
    let lower = sorted.get((sorted.len() / 2).checked_sub(1)?)?;
    Some(lower.midpoint(*upper))
}

/// The value that `share` (0.0 to 1.0) of all values do not exceed (nearest rank); `None` of nothing.
#[must_use]
pub fn percentile(values: &[f64], share: f64) -> Option<f64> {
    let sorted = sorted(values);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to the length")]
    let rank = (share.clamp(0.0, 1.0) * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.saturating_sub(1)).copied()
}

/// The lowest value; `None` of nothing.
#[must_use]
pub fn best(values: &[f64]) -> Option<f64> {
    values.iter().copied().min_by(f64::total_cmp)
}

/// The median of the ratios of values with the same place: both were measured in one round, so what the machine did to one
/// it did to the other. `None` if there is no pair, or a divisor is not above zero.
#[must_use]
pub fn paired_ratio(values: &[f64], divisors: &[f64]) -> Option<f64> {
    if divisors.iter().any(|divisor| *divisor <= 0.0) {
        return None;
    }
    let ratios: Vec<f64> = values.iter().zip(divisors).map(|(value, divisor)| value / divisor).collect();
    median(&ratios)
}

/// How far the middle half of the values spreads, as a share of the median: (upper quartile − lower quartile) / median.
#[must_use]
pub fn spread(values: &[f64]) -> Option<f64> {
    let middle = median(values).filter(|middle| *middle > 0.0)?;
    Some((percentile(values, 0.75)? - percentile(values, 0.25)?) / middle)
}

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}
