//! Serial numbers: INTEGER contents octets to decimal text, and decimal text made comparable.

/// Longest decimal text that is compared: 64 octets have 155 digits.
const MAX_DIGITS: usize = 160;

/// Decimal text of a two's-complement integer of any length.
pub(crate) fn from_integer(octets: &[u8]) -> String {
    let negative = octets.first().is_some_and(|first| first & 0x80 != 0);
    let mut magnitude = octets.to_vec();
    if negative {
        // Two's complement: invert and add one.
        let mut carry = true;
        for octet in magnitude.iter_mut().rev() {
            let (sum, overflow) = (!*octet).overflowing_add(u8::from(carry));
            *octet = sum;
            carry = overflow;
        }
    }
    // Groups of nine digits, lowest first.
    let mut groups: Vec<u64> = vec![0];
    for octet in magnitude {
        let mut carry = u64::from(octet);
        for group in &mut groups {
            let value = *group * 256 + carry;
            *group = value % 1_000_000_000;
            carry = value / 1_000_000_000;
        }
        if carry > 0 {
            groups.push(carry);
        }
    }
    let mut text = String::new();
    if negative {
        text.push('-');
    }
    for (at, group) in groups.iter().rev().enumerate() {
        if at == 0 {
            text.push_str(&group.to_string());
        } else {
            text.push_str(&format!("{group:09}"));
        }
    }
    text
}

/// A decimal number as [`from_integer`] would have written it; `None` if it is not one.
pub(crate) fn normalise(text: &str) -> Option<String> {
    let text = text.trim_matches([' ', '\t', '\r', '\n']);
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if digits.is_empty() || digits.len() > MAX_DIGITS || !digits.bytes().all(|octet| octet.is_ascii_digit()) {
        return None;
    }
    let digits = digits.trim_start_matches('0');
    Some(match (digits.is_empty(), negative) {
        (true, _) => "0".to_owned(),
        (false, true) => format!("-{digits}"),
        (false, false) => digits.to_owned(),
    })
}
