#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::collections::HashSet;

use super::ReplayKey;

const CREATED: &str = "2008-06-24T12:00:00.000Z";

#[test]
fn each_part_of_a_token_changes_its_key() {
    let of = ReplayKey::of_token;
    let keys = [
        of("alice", b"0123456789abcdef", CREATED),
        of("bob", b"0123456789abcdef", CREATED),
        of("alice", b"0123456789abcdeg", CREATED),
        of("alice", b"0123456789abcdef", "2008-06-24T12:00:00.001Z"),
    ];
    assert_eq!(keys.iter().collect::<HashSet<_>>().len(), keys.len());
    assert_eq!(of("alice", b"0123456789abcdef", CREATED), keys[0]);
}

#[test]
fn octets_that_move_from_one_part_of_a_token_to_the_next_change_its_key() {
    let of = ReplayKey::of_token;
    let keys = [
        of("alice", b"12008", "-06-24"),
        of("alice1", b"2008", "-06-24"),
        of("alice", b"12", "008-06-24"),
        of("alice12008", b"", "-06-24"),
        of("", b"alice12008", "-06-24"),
        of("", b"", "alice12008-06-24"),
    ];
    assert_eq!(keys.iter().collect::<HashSet<_>>().len(), keys.len());
}

#[test]
fn a_token_and_a_signature_of_the_same_octets_have_different_keys() {
    // What a signature's key is made of, with the parts of a token in the same places.
    let signature =
        ReplayKey::of_signature(b"alice", &[&4u64.to_be_bytes()[..], b"2008", b"-06-24"].concat());
    assert_ne!(ReplayKey::of_token("alice", b"2008", "-06-24"), signature);
}
