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

/// Insertions, deletions, replacements and swaps of neighbours.
fn distance(a: &[char], b: &str) -> usize {
    let b: Vec<char> = b.chars().flat_map(char::to_lowercase).collect();
    let at = |row: &[usize], i: usize| row.get(i).copied().unwrap_or(usize::MAX / 2);
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.iter().enumerate() {
        let mut next = vec![i + 1];
        for (j, to) in b.iter().enumerate() {
            let replaced = at(&row, j) + usize::from(from != to);
            let mut best = replaced.min(at(&row, j + 1) + 1).min(at(&next, j) + 1);
            let crossed = j > 0 && i > 0 && b.get(j - 1) == Some(from) && a.get(i - 1) == Some(to);
            if crossed {
                best = best.min(at(&before, j - 1) + 1);
            }
            next.push(best);
        }
        before = std::mem::replace(&mut row, next);
    }
    at(&row, b.len())
}
