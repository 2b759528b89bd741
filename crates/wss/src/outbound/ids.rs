//! Ids of 128 random bits and of one width, so that no two messages share one and equal messages have equal length.

use bartizan_crypto::random::Random;

/// A fresh Id: a letter that says what it is on, and 32 hexadecimal digits.
pub(super) fn fresh(kind: char, random: &dyn Random) -> String {
    let mut octets = [0_u8; 16];
    random.fill(&mut octets);
    let mut id = String::with_capacity(34);
    id.push(kind);
    id.push('-');
    let digit = |value: u8| char::from_digit(value.into(), 16).unwrap_or('0');
    for octet in octets {
        id.extend([digit(octet >> 4), digit(octet & 15)]);
    }
    id
}
