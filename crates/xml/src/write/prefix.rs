//! Prefixes that nothing uses, found in one pass whatever a sender has used up.

use memchr::memmem;

/// A prefix that none of `texts` declares or uses, not even in content such as the value of an `xsi:type`: `stem` or, where that
/// is used, `stem` with the smallest number that is not.
///
/// Each text is read once, so a document that uses a million of these prefixes costs no more than another one of its length.
#[must_use]
pub fn free_prefix<'t>(stem: &str, texts: impl IntoIterator<Item = &'t [u8]>) -> String {
    let finder = memmem::Finder::new(stem);
    let mut plain = false;
    let mut numbers: Vec<usize> = Vec::new();
    for text in texts {
        for at in finder.find_iter(text) {
            let after = text.get(at + stem.len()..).unwrap_or_default();
            // More digits than a number of this many texts could have: not one that is tried.
            let digits = after.iter().take(20).take_while(|octet| octet.is_ascii_digit()).count();
            if !matches!(after.get(digits), Some(b':' | b'=')) {
                continue;
            }
            let number = after.get(..digits).and_then(|d| std::str::from_utf8(d).ok());
            match number.map(str::parse) {
                _ if digits == 0 => plain = true,
                Some(Ok(number)) => numbers.push(number),
                _ => {}
            }
        }
    }
    if !plain {
        return stem.to_owned();
    }
    numbers.sort_unstable();
    numbers.dedup();
    let free = numbers.iter().enumerate().find(|(place, number)| place != *number);
    format!("{stem}{}", free.map_or(numbers.len(), |(place, _)| place))
}
