//! The name that a misspelt one most likely means.

/// The candidate with the smallest edit distance, if that is small enough to be a slip.
/// Letter case counts for nothing. O(candidates × length²), for diagnostics only.
pub(crate) fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    const LONGEST: usize = 80;
    let name: Vec<char> = name.chars().take(LONGEST).flat_map(char::to_lowercase).collect();
    let allowed = (name.len() / 3).clamp(1, 6);
    candidates
        .into_iter()
        .map(|candidate| (distance(&name, candidate), candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

fn distance(a: &[char], b: &str) -> usize {
    let b: Vec<char> = b.chars().flat_map(char::to_lowercase).collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.iter().enumerate() {
        let mut next = Vec::with_capacity(row.len());
        next.push(i + 1);
        for (to, pair) in b.iter().zip(row.windows(2)) {
            let (Some(&diagonal), Some(&above)) = (pair.first(), pair.last()) else { continue };
            let left = next.last().copied().unwrap_or(usize::MAX - 1);
            next.push((diagonal + usize::from(from != to)).min(above + 1).min(left + 1));
        }
        row = next;
    }
    row.last().copied().unwrap_or(usize::MAX)
}
