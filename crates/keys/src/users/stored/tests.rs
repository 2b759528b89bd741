#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::time::Duration;

use bartizan_crypto::Secret;
use bartizan_crypto::random::SystemRandom;

use super::{MAX_COSTS, MAX_USERS, REMEMBERED, Standing, StoredPassword, Users, UsersBuilder};
use crate::error::Error;
use crate::time::Time;
use crate::users::{Denied, HashCost, PasswordHash, User, UserSource};

const NOW: Time = Time::from_unix(1_800_000_000);
const OFF: Standing = Standing { disabled: true, expires: None };
const LATE: Standing = Standing { disabled: false, expires: Some(NOW) };
const GOOD: Standing = Standing { disabled: false, expires: None };

fn clear(password: &[u8]) -> StoredPassword {
    StoredPassword::Clear(Secret::new(password.to_vec()))
}

fn hashed_at(cost: (u32, u32, u32), password: &[u8]) -> StoredPassword {
    let cost = HashCost::new(cost.0, cost.1, cost.2).unwrap();
    StoredPassword::Argon2id(PasswordHash::make(password, cost, &SystemRandom).unwrap())
}

fn hashed(password: &[u8]) -> StoredPassword {
    hashed_at((8, 1, 1), password)
}

fn add(builder: UsersBuilder, name: &str, standing: Standing, password: StoredPassword) -> UsersBuilder {
    builder.add(User::new(name), standing, password).unwrap()
}

/// Everybody that can be told apart, with the password `right`.
fn everybody(password: fn(&[u8]) -> StoredPassword) -> UsersBuilder {
    let builder = add(Users::builder(), "alice", GOOD, password(b"right"));
    let builder = add(builder, "off", OFF, password(b"right"));
    let builder = add(builder, "late", LATE, password(b"right"));
    let builder = add(builder, "clear", GOOD, clear(b"right"));
    let builder = add(builder, "clear-off", OFF, clear(b"right"));
    add(builder, "clear-late", LATE, clear(b"right"))
}

const ALL: [(&str, Result<(), Denied>); 7] = [
    ("alice", Ok(())),
    ("off", Err(Denied::Disabled)),
    ("late", Err(Denied::Expired)),
    ("clear", Ok(())),
    ("clear-off", Err(Denied::Disabled)),
    ("clear-late", Err(Denied::Expired)),
    ("nobody", Err(Denied::Unknown)),
];

fn check(users: &Users, name: &str, password: &[u8]) -> Result<(), Denied> {
    users.check_password(name, password, NOW).map(|user| assert_eq!(user.name(), name))
}

fn mark(users: &Users, name: &str, password: &[u8]) -> Vec<u8> {
    users.mark(name, password).unwrap().expose(Clone::clone)
}

#[test]
fn every_check_costs_one_slow_hash_whoever_is_asked_for_and_whatever_is_wrong() {
    let users = everybody(hashed).build(&SystemRandom).unwrap();
    assert!(users.is_costly());
    for (name, right) in ALL {
        for password in [&b"wrong"[..], b"", b"right "] {
            let before = users.slow_hashes();
            let wrong = right.and(Err(Denied::WrongPassword));
            assert_eq!(check(&users, name, password), wrong, "{name} {password:?}");
            assert_eq!(users.slow_hashes() - before, 1, "{name} {password:?}");
        }
        let before = users.slow_hashes();
        assert_eq!(check(&users, name, b"right"), right, "{name}");
        assert_eq!(users.slow_hashes() - before, 1, "{name}");
    }
}

#[test]
fn without_hashes_nothing_is_slow_and_the_answers_are_the_same() {
    let users = everybody(clear).build(&SystemRandom).unwrap();
    assert!(!users.is_costly());
    for (name, right) in ALL {
        assert_eq!(check(&users, name, b"right"), right, "{name}");
        assert_eq!(check(&users, name, b"wrong"), right.and(Err(Denied::WrongPassword)), "{name}");
    }
    // What the password of nobody is compared with must open nothing.
    assert_eq!(check(&users, "nobody", b""), Err(Denied::Unknown));
    assert_eq!(users.slow_hashes(), 0);
}

#[test]
fn with_hashes_of_several_costs_every_check_runs_one_of_each() {
    let builder = add(Users::builder(), "cheap", GOOD, hashed_at((8, 1, 1), b"right"));
    let builder = add(builder, "dear", GOOD, hashed_at((16, 2, 1), b"right"));
    let builder = add(builder, "dear too", GOOD, hashed_at((16, 2, 1), b"right"));
    let users = add(builder, "clear", GOOD, clear(b"right")).build(&SystemRandom).unwrap();
    for name in ["cheap", "dear", "dear too", "clear", "nobody"] {
        let before = users.slow_hashes();
        assert!(check(&users, name, b"wrong").is_err());
        assert_eq!(users.slow_hashes() - before, 2, "{name}");
        assert_eq!(check(&users, name, b"right").is_ok(), name != "nobody", "{name}");
        assert_eq!(users.slow_hashes() - before, 4, "{name}");
    }
}

#[test]
fn limit_time_a_success_is_remembered_and_a_failure_never() {
    let users = everybody(hashed).build(&SystemRandom).unwrap();
    let at = |name: &str, password: &[u8], now: Time| {
        let before = users.slow_hashes();
        let result = match users.recall(name, password, now) {
            Some(_) => Ok(()),
            None => users.check_password(name, password, now).map(|_| ()),
        };
        (result, users.slow_hashes() - before)
    };
    for name in ["alice", "clear"] {
        let end = NOW + REMEMBERED;
        assert_eq!(at(name, b"right", NOW), (Ok(()), 1));
        assert_eq!(at(name, b"right", NOW), (Ok(()), 0));
        assert_eq!(at(name, b"right", end - Duration::from_millis(1)), (Ok(()), 0));
        // Another password neither profits from it nor ends it.
        assert_eq!(at(name, b"wrong", NOW), (Err(Denied::WrongPassword), 1));
        assert_eq!(at(name, b"wrong", NOW), (Err(Denied::WrongPassword), 1));
        assert_eq!(at(name, b"right", NOW), (Ok(()), 0));
        // Being used does not prolong it.
        assert_eq!(at(name, b"right", end), (Ok(()), 1));
        // A clock that went back does not either.
        assert_eq!(at(name, b"right", NOW), (Ok(()), 1));
    }
    assert_eq!(REMEMBERED, Duration::from_secs(300));
}

#[test]
fn who_expires_while_remembered_is_denied_at_the_full_cost() {
    let end = NOW + Duration::from_secs(10);
    let standing = Standing { disabled: false, expires: Some(end) };
    let users = add(Users::builder(), "alice", standing, hashed(b"right")).build(&SystemRandom).unwrap();
    let just_before = end - Duration::from_millis(1);
    assert!(users.check_password("alice", b"right", just_before).is_ok());
    assert!(users.recall("alice", b"right", just_before).is_some());
    assert_eq!(users.slow_hashes(), 1);
    assert!(users.recall("alice", b"right", end).is_none());
    assert_eq!(users.check_password("alice", b"right", end).map(|_| ()), Err(Denied::Expired));
    assert_eq!(users.slow_hashes(), 2);
}

#[test]
fn a_new_set_remembers_nothing_of_the_old_one() {
    let build = || add(Users::builder(), "alice", GOOD, hashed(b"right")).build(&SystemRandom).unwrap();
    let (old, new) = (build(), build());
    for users in [&old, &new] {
        assert!(check(users, "alice", b"right").is_ok());
        assert_eq!(users.slow_hashes(), 1);
    }
    assert_ne!(mark(&old, "alice", b"right"), mark(&new, "alice", b"right"));
}

#[test]
fn a_check_costs_the_same_though_the_password_is_remembered_and_so_does_a_stand_in() {
    let users = everybody(hashed).build(&SystemRandom).unwrap();
    assert!(users.recall("alice", b"right", NOW).is_none());
    for round in 1..=3 {
        assert_eq!(check(&users, "alice", b"right"), Ok(()));
        assert_eq!(users.recall("alice", b"right", NOW).unwrap().name(), "alice");
        for (name, password) in [("alice", &b"wrong"[..]), ("clear", b"right"), ("nobody", b"right")] {
            assert!(users.recall(name, password, NOW).is_none(), "{name}");
        }
        assert_eq!(users.slow_hashes(), 2 * round - 1);
        assert_eq!(users.spend(), Ok(()));
        assert_eq!(users.slow_hashes(), 2 * round);
    }
    let several = add(Users::builder(), "cheap", GOOD, hashed_at((8, 1, 1), b"right"));
    let several = add(several, "dear", GOOD, hashed_at((16, 2, 1), b"right")).build(&SystemRandom).unwrap();
    assert_eq!(several.spend(), Ok(()));
    assert_eq!(several.slow_hashes(), 2);
    let quick = everybody(clear).build(&SystemRandom).unwrap();
    assert_eq!((quick.spend(), quick.slow_hashes()), (Ok(()), 0));
}

#[test]
fn what_is_remembered_keeps_name_and_password_apart() {
    let users = everybody(hashed).build(&SystemRandom).unwrap();
    assert_ne!(mark(&users, "ab", b"c"), mark(&users, "a", b"bc"));
    assert_eq!(mark(&users, "ab", b"c"), mark(&users, "ab", b"c"));
}

/// TOK-06, as far as the source is concerned: what was not the octets of the stored password is another password.
#[test]
fn passwords_and_names_are_the_octets_that_they_are() {
    let long = vec![b'x'; 1 << 20];
    let stored: [(&str, &[u8]); 7] = [
        ("nfc", "caf\u{e9}".as_bytes()),
        ("amp", b"a&b"),
        ("blank", b"word "),
        ("cr", b"one\r\ntwo"),
        ("cdata", b"<![CDATA[x]]>"),
        ("long", &long),
        ("nul", b"a\0b"),
    ];
    let mut longer = long.clone();
    longer.push(b'x');
    let others: [(&str, &[u8]); 16] = [
        ("nfc", "cafe\u{301}".as_bytes()),
        ("nfc", b"caf\xe9"),
        ("nfc", "CAF\u{c9}".as_bytes()),
        ("amp", b"a&amp;b"),
        ("amp", b"a"),
        ("blank", b"word"),
        ("blank", b" word"),
        ("blank", b"word\t"),
        ("cr", b"one\ntwo"),
        ("cr", b"one"),
        ("cdata", b"x"),
        ("long", &long[1..]),
        ("long", &longer),
        ("nul", b"a"),
        ("nul", b"a\0b\0"),
        ("nfc", b""),
    ];
    for kind in [clear as fn(&[u8]) -> StoredPassword, hashed] {
        let builder = stored
            .iter()
            .fold(Users::builder(), |builder, (name, word)| add(builder, name, GOOD, kind(word)));
        let users = builder.build(&SystemRandom).unwrap();
        for (name, password) in stored {
            assert_eq!(check(&users, name, password), Ok(()), "{name}");
        }
        for (name, password) in others {
            assert_eq!(check(&users, name, password), Err(Denied::WrongPassword), "{name}");
        }
    }
    let users = add(Users::builder(), "J\u{e9}", GOOD, clear(b"right")).build(&SystemRandom).unwrap();
    assert_eq!(check(&users, "J\u{e9}", b"right"), Ok(()));
    for name in ["Je\u{301}", "j\u{e9}", "J\u{e9} ", " J\u{e9}", "J\u{e9}\0", ""] {
        assert_eq!(check(&users, name, b"right"), Err(Denied::Unknown), "{name:?}");
    }
}

#[test]
fn a_secret_is_given_out_for_who_is_let_in_and_stored_in_clear() {
    let users = everybody(hashed).build(&SystemRandom).unwrap();
    let secret = |name: &str| users.secret(name, NOW).map(|(_, secret)| secret.expose(Clone::clone));
    assert_eq!(secret("clear"), Ok(b"right".to_vec()));
    assert_eq!(secret("alice"), Err(Denied::NoSecret));
    // That somebody is switched off is told before what is stored of them.
    assert_eq!(secret("off"), Err(Denied::Disabled));
    assert_eq!(secret("clear-off"), Err(Denied::Disabled));
    assert_eq!(secret("clear-late"), Err(Denied::Expired));
    assert_eq!(secret("nobody"), Err(Denied::Unknown));
}

#[test]
fn facts_of_a_user_come_with_the_success() {
    let user = User::new("alice").with_groups(["staff"]).with_dn("CN=Alice").with_attribute("mail", ["a@b"]);
    let users = Users::builder().add(user.clone(), GOOD, hashed(b"right")).unwrap();
    let users = users.build(&SystemRandom).unwrap();
    let found = users.check_password("alice", b"right", NOW).unwrap();
    assert_eq!(*found, user);
    assert_eq!(found.attributes()["mail"], ["a@b"]);
    assert_eq!((users.len(), users.is_empty()), (1, false));
    assert!(Users::builder().build(&SystemRandom).unwrap().is_empty());
}

#[test]
fn a_name_stands_once() {
    let builder = add(Users::builder(), "alice", GOOD, clear(b"one"));
    assert_eq!(builder.add(User::new("alice"), GOOD, clear(b"two")).unwrap_err(), Error::Ambiguous);
}

#[test]
fn limit_number_of_users() {
    let all =
        (0..MAX_USERS).fold(Users::builder(), |builder, n| add(builder, &n.to_string(), GOOD, clear(b"x")));
    let error = all.add(User::new("one more"), GOOD, clear(b"x")).unwrap_err();
    assert_eq!(error, Error::TooMuch { what: "users", limit: MAX_USERS });
}

#[test]
fn limit_different_costs_of_hashes() {
    let with = |count: u32| {
        let each = |builder, n: u32| add(builder, &n.to_string(), GOOD, hashed_at((8 + n, 1, 1), b"x"));
        (0..count).fold(Users::builder(), each).build(&SystemRandom)
    };
    assert!(with(MAX_COSTS as u32).is_ok());
    assert_eq!(
        with(MAX_COSTS as u32 + 1).unwrap_err(),
        Error::TooMuch { what: "different costs of argon2id hashes", limit: MAX_COSTS }
    );
}

#[test]
fn limit_memory_of_all_lanes_is_kept_whatever_is_asked_for() {
    // 128 MiB each: four fit.
    let text = "$argon2id$v=19$m=131072,t=1,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc";
    let hash = || StoredPassword::Argon2id(PasswordHash::parse(text).unwrap());
    let lanes = |asked: usize| {
        let builder = add(Users::builder(), "alice", GOOD, hash()).lanes(asked);
        builder.build(&SystemRandom).unwrap().lanes.free()
    };
    assert_eq!(lanes(64), 4);
    assert_eq!(lanes(3), 3);
    assert_eq!(lanes(0), 1);
    let small = add(Users::builder(), "alice", GOOD, hashed(b"x")).lanes(64);
    assert_eq!(small.build(&SystemRandom).unwrap().lanes.free(), 64);
}

#[test]
fn limit_waiting_checks_are_denied_as_busy_before_anything_is_hashed() {
    let builder = add(Users::builder(), "alice", GOOD, hashed(b"right"));
    let users = builder.lanes(1).waiting(1).build(&SystemRandom).unwrap();
    std::thread::scope(|scope| {
        let lane = users.lanes.take().unwrap();
        let waits = scope.spawn(|| check(&users, "alice", b"right"));
        while users.lanes.waiting() == 0 {
            std::thread::yield_now();
        }
        for (name, password) in [("alice", &b"right"[..]), ("alice", b"wrong"), ("nobody", b"x")] {
            assert_eq!(check(&users, name, password), Err(Denied::Busy));
        }
        assert_eq!(users.spend(), Err(Denied::Busy));
        assert_eq!(users.slow_hashes(), 0);
        drop(lane);
        assert_eq!(waits.join().unwrap(), Ok(()));
    });
    assert_eq!((users.lanes.free(), users.lanes.waiting(), users.slow_hashes()), (1, 0, 1));
}

#[test]
fn nothing_secret_is_printed() {
    let builder = add(Users::builder(), "alice", GOOD, clear(b"xyzzy"));
    let users = add(builder, "bob", GOOD, hashed(b"plugh")).build(&SystemRandom).unwrap();
    assert!(check(&users, "alice", b"xyzzy").is_ok());
    let shown = format!("{users:?}");
    assert!(shown.contains("alice") && shown.contains("bob"));
    assert!(!shown.contains("xyzzy") && !shown.contains(&format!("{:?}", b"xyzzy")), "{shown}");
    let mark = users.mark("alice", b"xyzzy").unwrap().expose(Clone::clone);
    assert!(!shown.contains(&format!("{mark:?}")), "{shown}");
}
