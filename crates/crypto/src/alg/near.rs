//! The guess at what a wrong identifier was meant to be. Only for reports, never for decisions.

use super::Alg;

/// Longest identifier that is compared; anything longer is no slip of the pen.
const MAX_LEN: usize = 128;
/// How many single-character slips still count as near.
const MAX_EDITS: usize = 2;

/// The known identifier that a wrong one most likely meant, for a hint in a report.
///
/// Recognised are: another case, white space around it, `https`, a fragment under the wrong
/// namespace (`xmldsig#sha256`), and up to two wrong, missing or extra characters. `None` if the text
/// is itself an identifier of a usable algorithm, or resembles none.
#[must_use]
pub fn near_miss(uri: &str) -> Option<&'static str> {
    if uri.len() > MAX_LEN {
        return None;
    }
    let wanted = normal(uri);
    let candidates = || Alg::all().filter(|alg| !matches!(alg, Alg::Refused(_))).map(Alg::uri);
    if candidates().any(|known| known == uri) {
        return None;
    }
    if let Some(same) = candidates().find(|known| normal(known) == wanted) {
        return Some(same);
    }
    if let Some(fragment) = fragment(&wanted)
        && let Some(same) = candidates().find(|known| self::fragment(&normal(known)) == Some(fragment))
    {
        return Some(same);
    }
    candidates()
        .map(|known| (edits(normal(known).as_bytes(), wanted.as_bytes()), known))
        .filter(|(edits, _)| *edits <= MAX_EDITS)
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, known)| known)
}

fn normal(uri: &str) -> String {
    let lower = uri.trim().to_ascii_lowercase();
    lower.strip_prefix("https://").map_or_else(|| lower.clone(), |rest| format!("http://{rest}"))
}

fn fragment(uri: &str) -> Option<&str> {
    uri.split_once('#').map(|(_, fragment)| fragment).filter(|fragment| !fragment.is_empty())
}

/// Edit distance in which swapping two neighbours counts once (optimal string alignment).
fn edits(a: &[u8], b: &[u8]) -> usize {
    if a.len().abs_diff(b.len()) > MAX_EDITS {
        return usize::MAX;
    }
    let cell = |row: &[usize], at: usize| row.get(at).copied().unwrap_or(usize::MAX);
    let (mut before, mut above): (Vec<usize>, Vec<usize>) = (Vec::new(), (0..=b.len()).collect());
    let mut previous_x = None;
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        let mut previous_y = None;
        for (j, y) in b.iter().enumerate() {
            let replaced = cell(&above, j) + usize::from(x != y);
            let mut least = replaced.min(cell(&above, j + 1) + 1).min(cell(&row, j) + 1);
            if previous_x == Some(y) && previous_y == Some(x) {
                least = least.min(cell(&before, j.wrapping_sub(1)).saturating_add(1));
            }
            row.push(least);
            previous_y = Some(y);
        }
        before = core::mem::replace(&mut above, row);
        previous_x = Some(x);
    }
    cell(&above, b.len())
}
