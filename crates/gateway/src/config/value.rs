//! Sizes and durations as people write them, and the nearest known name.

use std::time::Duration;

/// Units of a size, longest first so that `KiB` is not read as `B`.
const SIZE_UNITS: [(&str, u64); 9] = [
    ("kib", 1 << 10),
    ("mib", 1 << 20),
    ("gib", 1 << 30),
    ("kb", 1_000),
    ("mb", 1_000_000),
    ("gb", 1_000_000_000),
    ("bytes", 1),
    ("b", 1),
    ("", 1),
];

/// Units of a duration in microseconds, longest first.
const TIME_UNITS: [(&str, u64); 7] = [
    ("us", 1),
    ("ms", 1_000),
    ("s", 1_000_000),
    ("m", 60_000_000),
    ("min", 60_000_000),
    ("h", 3_600_000_000),
    ("d", 86_400_000_000),
];

/// Reads `8 MiB`, `64KiB`, `10 MB`, `4096`, in bytes. Names of units are case-insensitive.
pub fn size(text: &str) -> Option<u64> {
    let (number, unit) = split_number(text.trim())?;
    let unit = unit.trim_start().to_ascii_lowercase();
    let (_, factor) = SIZE_UNITS.iter().find(|(name, _)| *name == unit)?;
    number.checked_mul(*factor)
}

/// Reads `5m`, `60s`, `10ms`, `1h30m`, `24 h`. A bare number has no unit and is refused,
/// except `0`.
pub fn duration(text: &str) -> Option<Duration> {
    let mut rest = text.trim();
    if rest == "0" {
        return Some(Duration::ZERO);
    }
    let mut total = 0u64;
    loop {
        let (number, after) = split_number(rest)?;
        let after = after.trim_start();
        let end = after.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(after.len());
        let (unit, after) = after.split_at(end);
        let (_, micros) = TIME_UNITS.iter().find(|(name, _)| *name == unit)?;
        total = total.checked_add(number.checked_mul(*micros)?)?;
        rest = after.trim_start();
        if rest.is_empty() {
            return Some(Duration::from_micros(total));
        }
    }
}

/// Writes a duration the way [`duration`] reads it, in the largest unit that is exact.
pub fn show_duration(duration: Duration) -> String {
    let micros = u64::try_from(duration.as_micros()).unwrap_or(u64::MAX);
    let exact = ["d", "h", "m", "s", "ms", "us"].into_iter().find_map(|unit| {
        let (_, factor) = TIME_UNITS.iter().find(|(name, _)| *name == unit)?;
        (micros % factor == 0 && micros > 0).then(|| format!("{}{unit}", micros / factor))
    });
    exact.unwrap_or_else(|| "0".to_owned())
}

/// Digits (with `_` between them) and what follows.
fn split_number(text: &str) -> Option<(u64, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '_').unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    Some((digits.replace('_', "").parse().ok()?, rest))
}

/// The name among `known` that is nearest to `word`, if one is near enough to be meant.
pub fn nearest<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let word = word.to_ascii_lowercase();
    let (distance, best) = known
        .into_iter()
        .map(|name| (strsim::osa_distance(&word, &name.to_ascii_lowercase()), name))
        .min()?;
    let tolerated = (word.chars().count().max(best.chars().count()) / 3).max(1);
    (distance <= tolerated).then_some(best)
}

#[cfg(test)]
mod tests;
