use std::sync::Barrier;
use std::sync::atomic::AtomicUsize;

use super::*;

fn key(n: u64) -> ReplayKey {
    ReplayKey::of_signature(b"spki", &n.to_be_bytes())
}

fn at(millis: i64) -> Time {
    Time::from_millis(millis)
}

#[test]
fn one_of_64_threads_wins_a_claim() {
    for round in 0..50 {
        let memory = MemoryReplay::default();
        let (barrier, won) = (Barrier::new(64), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..64 {
                scope.spawn(|| {
                    barrier.wait();
                    if memory.claim(&key(round), Remember::Window, at(1000)) == Claim::Fresh {
                        won.fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
        });
        assert_eq!(won.into_inner(), 1);
    }
}

#[test]
fn limit_entries_of_the_memory_refuses_one_more_and_never_evicts() {
    let memory = MemoryReplay::new(100, Duration::from_secs(600));
    for n in 0..100 {
        assert_eq!(memory.claim(&key(n), Remember::Window, at(0)), Claim::Fresh);
    }
    assert!(memory.is_crowded());
    assert_eq!(memory.claim(&key(100), Remember::Window, at(1)), Claim::Full);
    for n in 0..100 {
        assert_eq!(memory.claim(&key(n), Remember::Window, at(2)), Claim::Repeat);
    }
    assert_eq!(
        memory.claim(&key(100), Remember::Window, at(600_002)),
        Claim::Fresh,
        "expired ones make room"
    );
}

#[test]
fn claim_is_forgotten_after_its_lifetime_and_not_before() {
    let memory = MemoryReplay::default();
    let until = Remember::Until(at(5000));
    assert_eq!(memory.claim(&key(1), until, at(0)), Claim::Fresh);
    assert_eq!(memory.claim(&key(1), until, at(4999)), Claim::Repeat);
    assert_eq!(memory.claim(&key(1), until, at(5000)), Claim::Stale);
}

#[test]
fn clock_that_goes_back_does_not_open_the_window() {
    let memory = MemoryReplay::default();
    assert_eq!(memory.claim(&key(1), Remember::Until(at(10_000)), at(0)), Claim::Fresh);
    assert_eq!(memory.claim(&key(2), Remember::Until(at(99_000_000)), at(90_000_000)), Claim::Fresh);
    memory.sweep(at(90_000_000));
    assert_eq!(memory.claim(&key(1), Remember::Until(at(10_000)), at(1)), Claim::Stale);
}

#[test]
fn window_survives_a_restart() {
    let memory = MemoryReplay::default();
    for n in 0..10 {
        memory.claim(&key(n), Remember::Window, at(50_000));
    }
    let fresh = MemoryReplay::default();
    assert_eq!(fresh.import(&memory.export()), 10);
    assert_eq!(fresh.claim(&key(3), Remember::Window, at(0)), Claim::Repeat);
    assert_eq!(
        fresh.claim(&key(30), Remember::Until(at(49_999)), at(0)),
        Claim::Stale,
        "the high-water mark came along"
    );
}

#[test]
fn each_answer_is_counted_and_goes_on_in_a_memory_of_another_size() {
    let memory = MemoryReplay::new(2, Duration::from_secs(600));
    for (n, until) in [(1, 9000), (1, 9000), (2, 9000), (3, 9000), (4, 0)] {
        memory.claim(&key(n), Remember::Until(at(until)), at(0));
    }
    let counts = memory.counts();
    let wanted = Counts { fresh: 2, repeats: 1, full: 1, stale: 1, entries: 2, capacity: 2 };
    assert_eq!(counts, wanted);
    memory.resize(9, Duration::from_secs(600));
    assert_eq!(memory.counts(), Counts { capacity: 9, ..wanted });
}

#[test]
fn memory_does_not_keep_expired_entries_as_it_grows() {
    let memory = MemoryReplay::new(1_000_000, Duration::from_secs(1));
    for n in 0..200_000_u64 {
        memory.claim(&key(n), Remember::Window, at(i64::try_from(n).unwrap()));
    }
    assert!(memory.len() < 64 * SWEEP_FLOOR + 4000, "{} entries for 1000 live ones", memory.len());
}
