//! The wrapping generator (attack rows XSW-01 to XSW-11 as one product): signed parts are moved somewhere else in the message and forged ones
//! are put where they were, or beside them, in every combination of
//!
//! set of moved parts × host × place among its children × wrapper × Id of the forged part × where it stands × what it holds × Signature.
//!
//! Expected for each: refused, or what is shown of every part that the policy names is, octet by octet, what the signer signed. The counts are
//! asserted, so that they cannot silently shrink. The control: readers of a kind that is often built, with sound cryptography and a careless
//! choice of nodes, must be deceived by the same messages (`naive`).
//!
//! The whole product for every set of parts has some millions of messages; `BARTIZAN_WRAPPING=full` makes them all. Without it, a complete
//! smaller product is made (`product::Extent`).

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic, reason = "tests")]

mod compose;
#[allow(dead_code, reason = "shared with the other test binary")]
#[path = "../it/fixture.rs"]
mod fixture;
mod hosts;
mod message;
mod moved;
mod naive;
mod product;
mod run;

use std::io::Write as _;

use message::Base;
use product::Extent;
use run::{Counts, run};

/// The counts are a result: they go where the harness does not keep them back.
fn say(text: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{text}").unwrap();
}

/// Refused or genuine, and at least so many of them.
fn sound(name: &str, base: &Base, extent: Extent, at_least: u64) -> Counts {
    let counts = run(base, extent);
    say(&counts.report(name));
    assert!(counts.distinct >= at_least, "{name}: {} messages, there were {at_least}", counts.distinct);
    counts
}

/// Every careless reader is deceived by at least so many of them.
fn deceives(name: &str, counts: &Counts, floors: [u64; naive::READERS.len()]) {
    for ((reader, deceived), floor) in naive::READERS.iter().zip(counts.deceived).zip(floors) {
        assert!(deceived >= floor, "{name}: the reader {reader} was deceived {deceived} times, not {floor}");
    }
}

#[test]
fn attack_xsw_generator_of_the_signed_message() {
    let base = Base::signed(fixture::world(), "modern-rsa");
    let counts = sound("M0 with RSA-2048", &base, Extent::asked(Extent::Usual), 404_964);
    deceives("M0", &counts, [47_000, 85_000, 19_000]);
}

#[test]
fn attack_xsw_generator_of_the_signed_message_with_an_elliptic_key() {
    let base = Base::signed(fixture::ec_world(), "modern-ec");
    let counts = sound("M0 with P-256", &base, Extent::asked(Extent::Share), 64_494);
    deceives("M0 with P-256", &counts, [8_000, 4_700, 1_000]);
}

#[test]
fn attack_xsw_generator_of_the_message_that_a_user_signed() {
    let base = Base::by_user(fixture::world());
    let counts = sound("U2 with a key of the profile", &base, Extent::asked(Extent::Share), 68_862);
    deceives("U2", &counts, [8_000, 4_700, 1_000]);
}

#[test]
fn attack_xsw_generator_of_the_message_that_an_encrypted_user_signed() {
    let base = Base::by_sealed_user(fixture::world());
    let counts = sound("U4 with a key of the profile", &base, Extent::asked(Extent::Share), 77_574);
    deceives("U4", &counts, [15_000, 9_000, 1_500]);
}

#[test]
fn attack_xsw_generator_of_the_message_under_a_shared_secret() {
    let base = Base::symmetric(fixture::world());
    let counts = sound("S0 with derived keys", &base, Extent::asked(Extent::Share), 88_374);
    deceives("S0", &counts, [19_000, 11_000, 2_000]);
}

#[test]
fn attack_xsw_generator_of_the_encrypted_message() {
    let base = Base::encrypted(fixture::world());
    let counts = sound("E0 with RSA-2048", &base, Extent::asked(Extent::Usual), 487_098);
    deceives("E0", &counts, [57_000, 115_000, 28_000]);
}
