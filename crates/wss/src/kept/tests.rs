#![allow(clippy::unwrap_used, reason = "tests")]

use std::thread;

use bartizan_crypto::SymmetricKey;
use bartizan_xmlsec::SharedSecret;

use super::*;

fn at(seconds: i64) -> Time {
    Time::parse_rfc3339("2026-11-30T12:00:00Z").unwrap() + Duration::from_secs(seconds.unsigned_abs())
}

fn secret(n: u32) -> Arc<ExchangeSecret> {
    let key = SymmetricKey::new(n.to_be_bytes().repeat(8));
    Arc::new(ExchangeSecret::new(SharedSecret::new(key), &n.to_be_bytes()))
}

fn of(owner: &str, n: u32) -> Kept {
    let owner = if owner.is_empty() { Owner::Nobody } else { Owner::User(owner.into()) };
    Kept { secret: secret(n), owner, alternative: 0 }
}

fn is_there(memory: &KeptSecrets, n: u32, now: Time) -> bool {
    memory.find(secret(n).sha1().unwrap(), now).is_some()
}

fn bounds(capacity: usize, per_caller: usize, nameless: usize) -> KeepBounds {
    KeepBounds { capacity, per_caller, nameless, lifetime: Duration::from_secs(300) }
}

#[test]
fn limit_of_kept_secrets_of_one_caller_replaces_the_one_that_he_did_not_use() {
    let memory = KeptSecrets::new(bounds(100, 3, 0));
    memory.keep(of("victim", 5_000), at(0));
    for n in 0..3 {
        memory.keep(of("mallory", n), at(0));
    }
    assert_eq!(memory.counts().entries, 4);
    assert!((0..3).all(|n| is_there(&memory, n, at(0))), "at the limit all are there");
    memory.used(&memory.find(secret(0).sha1().unwrap(), at(0)).unwrap());
    memory.keep(of("mallory", 3), at(1));
    assert!(!is_there(&memory, 1, at(1)), "the one that was not used for longest");
    assert!(is_there(&memory, 0, at(1)) && is_there(&memory, 3, at(1)));
    for n in 4..1_000 {
        memory.keep(of("mallory", n), at(1));
    }
    assert!(is_there(&memory, 5_000, at(1)), "whoever sends many pushes out his own");
    assert_eq!(memory.counts().entries, 4);
    assert_eq!(memory.counts().replaced, 997);
}

#[test]
fn limit_of_kept_secrets_in_all_keeps_what_lives_and_nothing_more() {
    let memory = KeptSecrets::new(bounds(2, 2, 0));
    memory.keep(of("alice", 1), at(0));
    memory.keep(of("bob", 2), at(10));
    memory.keep(of("carol", 3), at(20));
    assert!(is_there(&memory, 1, at(20)) && is_there(&memory, 2, at(20)) && !is_there(&memory, 3, at(20)));
    assert_eq!((memory.counts().full, memory.counts().entries), (1, 2));
    // What ended makes room.
    memory.keep(of("carol", 3), at(300));
    assert!(is_there(&memory, 3, at(300)) && !is_there(&memory, 1, at(300)));
}

#[test]
fn limit_of_kept_secrets_that_are_nobodys_is_one_of_their_own() {
    let none = KeptSecrets::new(bounds(100, 100, 0));
    none.keep(of("", 1), at(0));
    assert!(!is_there(&none, 1, at(0)), "not kept unless it is said");
    let memory = KeptSecrets::new(bounds(1, 1, 2));
    memory.keep(of("alice", 10), at(0));
    for n in 0..50 {
        memory.keep(of("", n + 100), at(0));
    }
    assert_eq!(memory.counts().entries, 3);
    assert!(is_there(&memory, 10, at(0)), "strangers push out strangers only");
    assert!(is_there(&memory, 149, at(0)) && is_there(&memory, 148, at(0)) && !is_there(&memory, 147, at(0)));
}

#[test]
fn limit_of_the_time_of_a_kept_secret_is_not_prolonged_by_use_or_by_a_clock_that_goes_back() {
    let memory = KeptSecrets::new(bounds(10, 10, 0));
    memory.keep(of("alice", 1), at(0));
    memory.used(&memory.find(secret(1).sha1().unwrap(), at(299)).unwrap());
    assert!(is_there(&memory, 1, at(299)));
    assert!(!is_there(&memory, 1, at(300)), "one beyond");
    assert!(!is_there(&memory, 1, at(0)), "gone is gone");
    assert_eq!((memory.counts().ended, memory.counts().entries), (1, 0));
    memory.keep(of("alice", 2), at(0));
    assert!(is_there(&memory, 2, at(599)), "made when the latest time was 300");
    assert!(!is_there(&memory, 2, at(600)));
}

#[test]
fn secret_that_is_there_stays_whose_it_is() {
    let memory = KeptSecrets::default();
    memory.keep(of("alice", 1), at(0));
    memory.keep(of("mallory", 1), at(1));
    let kept = memory.find(secret(1).sha1().unwrap(), at(1)).unwrap();
    assert!(kept.owner == Owner::User("alice".into()));
    assert!(!is_there(&memory, 1, at(300)), "and its time is the first one");
}

#[test]
fn name_that_is_not_of_twenty_octets_is_nobodys() {
    let memory = KeptSecrets::default();
    memory.keep(of("alice", 1), at(0));
    let name = secret(1).sha1().unwrap().to_vec();
    for wrong in [&name[..19], &[name.clone(), vec![0]].concat(), b"".as_slice()] {
        assert!(memory.find(wrong, at(0)).is_none());
    }
    assert_eq!(memory.counts().unknown, 3);
}

#[test]
fn secret_is_overwritten_and_gone_when_it_is_dropped_here() {
    let memory = KeptSecrets::default();
    let kept = of("alice", 1);
    let watch = Arc::downgrade(&kept.secret);
    memory.keep(kept, at(0));
    assert!(watch.upgrade().is_some());
    assert!(!is_there(&memory, 2, at(300)));
    assert!(watch.upgrade().is_none(), "any message after its end drops it");
    let kept = of("alice", 3);
    let watch = Arc::downgrade(&kept.secret);
    memory.keep(kept, at(300));
    memory.clear();
    assert!(watch.upgrade().is_none() && memory.counts().entries == 0);
}

#[test]
fn threads_that_keep_find_and_use_leave_the_bounds_as_they_are() {
    let memory = KeptSecrets::new(bounds(40, 8, 4));
    thread::scope(|scope| {
        for who in 0..8_u32 {
            let memory = &memory;
            scope.spawn(move || {
                let name = if who == 7 { String::new() } else { format!("user{who}") };
                for n in 0..2_000 {
                    memory.keep(of(&name, who * 10_000 + n), at(0));
                    if let Some(kept) = memory.find(secret(who * 10_000 + n / 2).sha1().unwrap(), at(0)) {
                        assert!(kept.owner == of(&name, 0).owner);
                        memory.used(&kept);
                    }
                    assert!(memory.counts().entries <= 44);
                }
            });
        }
    });
    let held = memory.lock();
    let owned: usize = held.by_owner.values().map(BTreeMap::len).sum();
    assert_eq!((owned, held.line.len()), (held.by_name.len(), held.by_name.len()));
    assert!(held.by_owner.values().all(|names| names.len() <= 8));
    assert_eq!(held.named, held.by_name.values().filter(|e| e.kept.owner != Owner::Nobody).count());
}

#[test]
fn debug_of_kept_secrets_shows_counts_only() {
    let memory = KeptSecrets::default();
    memory.keep(of("alice", 7), at(0));
    let shown = format!("{memory:?}");
    assert!(shown.starts_with("KeptSecrets(KeptCounts { kept: 1,") && !shown.contains("alice"), "{shown}");
}
