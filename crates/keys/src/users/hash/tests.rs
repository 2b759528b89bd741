#![allow(clippy::unwrap_used)]

use bartizan_crypto::random::{Random, SystemRandom};

use super::{HashCost, MAX_HASH_LANES, MAX_HASH_MEMORY, MAX_HASH_WORK, PasswordHash};
use crate::error::Error;

/// Made with the reference implementation's command line: `echo -n password | argon2 somesalt -id -t 2 -m 16 -p 1 -l 32`.
const REFERENCE: &str =
    "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc";

fn least() -> HashCost {
    HashCost::new(8, 1, 1).unwrap()
}

#[test]
fn a_text_of_the_reference_implementation_is_read_checked_and_written_again() {
    let hash = PasswordHash::parse(REFERENCE).unwrap();
    assert!(hash.verify(b"password"));
    assert!(!hash.verify(b"password "));
    assert_eq!(hash.to_string(), REFERENCE);
}

#[test]
fn a_hash_fits_its_password_only_and_octet_for_octet() {
    let hash = PasswordHash::make("caf\u{e9}".as_bytes(), least(), &SystemRandom).unwrap();
    let again = PasswordHash::parse(&hash.to_string()).unwrap();
    assert!(again.verify("caf\u{e9}".as_bytes()));
    for other in ["cafe\u{301}", "cafe", "caf\u{e9} ", "caf\u{e9}\r", ""] {
        assert!(!again.verify(other.as_bytes()), "{other:?}");
    }
    assert!(!again.verify(b"caf\xe9"));
}

#[test]
fn every_hash_has_a_salt_of_its_own() {
    let make = || PasswordHash::make(b"one", least(), &SystemRandom).unwrap().to_string();
    assert_ne!(make(), make());
}

#[test]
fn a_stand_in_fits_nothing_and_costs_what_it_stands_for() {
    let stand_in = PasswordHash::stand_in(least(), &SystemRandom);
    assert_eq!(stand_in.cost(), least());
    assert!(!stand_in.verify(b""));
}

#[test]
fn limit_memory_work_and_lanes_of_a_hash() {
    assert!(HashCost::new(MAX_HASH_MEMORY, MAX_HASH_WORK / MAX_HASH_MEMORY, MAX_HASH_LANES).is_ok());
    let too_much = |memory, passes, lanes| match HashCost::new(memory, passes, lanes) {
        Err(Error::TooMuch { what, limit }) => (what, limit),
        other => panic!("{other:?}"),
    };
    assert_eq!(
        too_much(MAX_HASH_MEMORY + 1, 1, 1),
        ("KiB of memory of an argon2id hash", MAX_HASH_MEMORY as usize)
    );
    let passes = MAX_HASH_WORK / MAX_HASH_MEMORY + 1;
    assert_eq!(
        too_much(MAX_HASH_MEMORY, passes, 1),
        ("passes times KiB of an argon2id hash", MAX_HASH_WORK as usize)
    );
    assert_eq!(too_much(1024, 1, MAX_HASH_LANES + 1), ("lanes of an argon2id hash", MAX_HASH_LANES as usize));
    assert_eq!(too_much(8, u32::MAX, 1), ("passes times KiB of an argon2id hash", MAX_HASH_WORK as usize));
}

#[test]
fn costs_that_are_none_are_refused() {
    for (memory, passes, lanes) in [(8, 0, 1), (8, 1, 0), (7, 1, 1), (15, 1, 2), (0, 0, 0)] {
        assert_eq!(
            HashCost::new(memory, passes, lanes),
            Err(Error::Damaged { what: "cost of an argon2id hash" }),
            "{memory} {passes} {lanes}"
        );
    }
}

#[test]
fn what_is_recommended_is_not_weak_and_less_is() {
    let weak = |memory, passes| HashCost::new(memory, passes, 1).unwrap().is_weak();
    assert!(!HashCost::default().is_weak());
    // The five settings of the cheat sheet that are said to be equal.
    for (memory, passes) in [(47104, 1), (19456, 2), (12288, 3), (9216, 4), (7168, 5)] {
        assert!(!weak(memory, passes), "{memory} {passes}");
    }
    assert!(weak(19456, 1) && weak(4096, 3));
}

#[test]
fn texts_that_are_no_such_hash_are_refused_with_the_reason() {
    let parse = |text: &str| PasswordHash::parse(text).map(|_| ()).unwrap_err();
    let other = Error::Unsupported { what: "password hash of another kind than argon2id" };
    let damaged = Error::Damaged { what: "text of an argon2id hash" };
    assert_eq!(parse("$2y$10$abcdefghijklmnopqrstuv"), other);
    assert_eq!(parse(&REFERENCE.replace("argon2id", "argon2i")), other);
    assert_eq!(parse(&REFERENCE.replace("argon2id", "argon2d")), other);
    assert_eq!(
        parse(&REFERENCE.replace("v=19", "v=16")),
        Error::Unsupported { what: "version of argon2id other than 19" }
    );
    for text in [
        "",
        "password",
        "$argon2id$v=19$m=8,t=1,p=1$c29tZXNhbHQ",
        &REFERENCE.replace("c29tZXNhbHQ", "c29tZXNhbHQ="),
        &REFERENCE.replace("c29tZXNhbHQ", "c29tZXNh"),
        &REFERENCE.replace("m=65536,t=2", "t=2,m=65536"),
        &REFERENCE.replace("t=2", "t=+2"),
        &REFERENCE.replace("p=1", "p=1,x=1"),
        &REFERENCE.replace("CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc", "CTFhFdXPJO1aFaMa"),
        &format!("{REFERENCE}$"),
        &format!("{REFERENCE}\n"),
    ] {
        assert_eq!(parse(text), damaged, "{text:?}");
    }
    let beyond = parse(&REFERENCE.replace("65536", "99999999999"));
    assert!(matches!(beyond, Error::TooMuch { .. }), "{beyond:?}");
}

#[test]
fn a_hash_is_never_printed_by_debug() {
    let shown = format!("{:?}", PasswordHash::parse(REFERENCE).unwrap());
    assert!(!shown.contains("CTFh") && !shown.contains("[9, 49"), "{shown}");
}

/// Chance that is none, so that two makes are equal.
struct Zeros;

impl Random for Zeros {
    fn fill(&self, buffer: &mut [u8]) {
        buffer.fill(0);
    }
}

#[test]
fn the_salt_comes_from_the_chance_that_is_passed_in() {
    let make = || PasswordHash::make(b"one", least(), &Zeros).unwrap().to_string();
    assert_eq!(make(), make());
    assert!(make().contains("$AAAAAAAAAAAAAAAAAAAAAA$"));
}
