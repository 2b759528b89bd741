//! Ids of 128 random bits and of one width, so that no two messages share one and equal messages have equal length.

use std::fmt::Write as _;

use bartizan_crypto::random::Random;

use crate::plan::Style;

/// What an Id is on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Bearer {
    Timestamp,
    UsernameToken,
    Signature,
    Body,
    Header,
    /// An element inside the Body.
    Element,
    Confirmation,
    /// Our certificate, or the recipient's.
    OwnToken,
    PeerToken,
    EncryptedKey,
    DerivedKey,
    EncryptedData,
    KeyInfo,
    Reference,
}

impl Bearer {
    /// What stands before the random part, in our manner and in that of WSS4J 1.5, and whether that writes a number there.
    fn forms(self) -> (&'static str, &'static str, bool) {
        match self {
            Bearer::Timestamp => ("t-", "Timestamp-", true),
            Bearer::UsernameToken => ("u-", "UsernameToken-", true),
            Bearer::Signature => ("s-", "Signature-", true),
            Bearer::Body => ("b-", "id-", true),
            Bearer::Header => ("h-", "id-", true),
            Bearer::Element => ("p-", "id-", true),
            Bearer::Confirmation => ("c-", "SigConf-", true),
            Bearer::OwnToken => ("x-", "CertId-", false),
            Bearer::PeerToken => ("r-", "", false),
            Bearer::EncryptedKey => ("k-", "EncKeyId-", false),
            Bearer::DerivedKey => ("d-", "derivedKeyId-", false),
            Bearer::EncryptedData => ("e-", "EncDataId-", true),
            Bearer::KeyInfo => ("i-", "KeyId-", false),
            Bearer::Reference => ("n-", "STRId-", false),
        }
    }
}

/// Where Ids come from, and in whose manner they are written.
#[derive(Clone, Copy)]
pub(super) struct Ids<'e> {
    pub(super) random: &'e dyn Random,
    pub(super) style: Style,
}

impl Ids<'_> {
    /// A fresh Id. WSS4J counts where we draw: a counter would repeat with each start of the process.
    pub(super) fn fresh(&self, bearer: Bearer) -> String {
        let mut octets = [0_u8; 16];
        self.random.fill(&mut octets);
        let (ours, theirs, number) = bearer.forms();
        if self.style == Style::Clean {
            return clean(ours, octets);
        }
        let mut id = String::with_capacity(theirs.len() + 39);
        id.push_str(theirs);
        let value = u128::from_be_bytes(octets);
        // INVARIANT: writing to a string does not fail.
        let _ = if number { write!(id, "{value:039}") } else { write!(id, "{value:032X}") };
        id
    }
}

/// A letter that says what it is on, and 32 hexadecimal digits.
fn clean(kind: &str, octets: [u8; 16]) -> String {
    let mut id = String::with_capacity(34);
    id.push_str(kind);
    let digit = |value: u8| char::from_digit(value.into(), 16).unwrap_or('0');
    for octet in octets {
        id.extend([digit(octet >> 4), digit(octet & 15)]);
    }
    id
}
