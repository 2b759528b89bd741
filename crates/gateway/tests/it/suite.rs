//! What every memory of seen messages must do, whoever keeps it.

use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bartizan_keys::Time;
use bartizan_wss::replay::{Claim, Remember, ReplayCache, ReplayKey};

use super::key;

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3600);
const DAY: Duration = Duration::from_secs(24 * 3600);

/// A memory as two servers see it (or one server twice), with a window of ten minutes.
pub(crate) struct Stage<'a> {
    pub(crate) one: &'a dyn ReplayCache,
    pub(crate) other: &'a dyn ReplayCache,
    /// The time at which the test begins.
    pub(crate) start: Time,
    /// Lets that much time pass for whatever has a clock of its own.
    pub(crate) pass: &'a (dyn Fn(Duration) + Sync),
    /// What such a clock runs on while the test does.
    pub(crate) slack: Duration,
}

impl Stage<'_> {
    /// Everything below.
    pub(crate) fn run(&self) {
        assert_eq!(self.one.window(), 10 * MINUTE, "the suite counts on it");
        self.key_is_claimed_once();
        self.two_threads_race(10_000);
        self.sixty_four_threads_race(50);
        self.life_ends_when_it_ends();
        self.window_ends_when_it_ends();
        self.clock_that_goes_back_and_forth_opens_nothing();
    }

    fn key_is_claimed_once(&self) {
        let claim = |cache: &dyn ReplayCache, n| cache.claim(&key("once", n), Remember::Window, self.start);
        assert_eq!(claim(self.one, 1), Claim::Fresh);
        assert_eq!(claim(self.one, 1), Claim::Repeat, "where it was claimed");
        assert_eq!(claim(self.other, 1), Claim::Repeat, "and elsewhere");
        assert_eq!(claim(self.other, 2), Claim::Fresh, "another one");
        assert_eq!(claim(self.one, 2), Claim::Repeat);
        self.whole_key_counts();
    }

    /// Keys that differ in one octet, wherever it stands, are different messages.
    pub(crate) fn whole_key_counts(&self) {
        let octets = *key("whole", 1).octets();
        assert_eq!(self.one.claim(&key("whole", 1), Remember::Window, self.start), Claim::Fresh);
        for at in 0..32 {
            let mut octets = octets;
            octets[at] ^= 1;
            let near = ReplayKey::from_digest(&octets);
            assert_eq!(self.other.claim(&near, Remember::Window, self.start), Claim::Fresh, "octet {at}");
            assert_eq!(self.one.claim(&near, Remember::Window, self.start), Claim::Repeat, "octet {at}");
        }
    }

    /// Two threads, one key: exactly one is accepted, in every round.
    fn two_threads_race(&self, rounds: u64) {
        let barrier = Barrier::new(2);
        let run = |cache: &dyn ReplayCache| -> Vec<Claim> {
            (0..rounds)
                .map(|n| {
                    barrier.wait();
                    cache.claim(&key("race", n), Remember::Until(self.start + HOUR), self.start)
                })
                .collect()
        };
        let (one, other) = std::thread::scope(|scope| {
            let one = scope.spawn(|| run(self.one));
            let other = run(self.other);
            (one.join().unwrap(), other)
        });
        for (round, pair) in one.into_iter().zip(other).enumerate() {
            assert!(
                matches!(pair, (Claim::Fresh, Claim::Repeat) | (Claim::Repeat, Claim::Fresh)),
                "round {round}: {pair:?}"
            );
        }
    }

    fn sixty_four_threads_race(&self, rounds: u64) {
        for round in 0..rounds {
            let (barrier, won) = (Barrier::new(64), AtomicUsize::new(0));
            std::thread::scope(|scope| {
                for n in 0..64 {
                    let cache = if n < 32 { self.one } else { self.other };
                    let (barrier, won) = (&barrier, &won);
                    scope.spawn(move || {
                        barrier.wait();
                        match cache.claim(&key("crowd", round), Remember::Window, self.start) {
                            Claim::Fresh => drop(won.fetch_add(1, Ordering::Relaxed)),
                            claim => assert_eq!(claim, Claim::Repeat),
                        }
                    });
                }
            });
            assert_eq!(won.into_inner(), 1, "round {round}");
        }
    }

    pub(crate) fn life_ends_when_it_ends(&self) {
        let life = 10 * MINUTE;
        let until = Remember::Until(self.start + life);
        let at = |cache: &dyn ReplayCache, passed| cache.claim(&key("life", 1), until, self.start + passed);
        assert_eq!(at(self.one, Duration::ZERO), Claim::Fresh);
        let before = life - self.slack;
        (self.pass)(before);
        assert_eq!(at(self.other, before), Claim::Repeat, "just before");
        (self.pass)(self.slack);
        assert_eq!(at(self.other, life), Claim::Stale, "at its end");
        assert_eq!(at(self.one, life), Claim::Stale);
    }

    fn window_ends_when_it_ends(&self) {
        let start = self.start + HOUR;
        let at = |cache: &dyn ReplayCache, n, passed| {
            cache.claim(&key("window", n), Remember::Window, start + passed)
        };
        // Two, for a server that refuses what another one accepted remembers that from then on.
        assert_eq!(at(self.one, 1, Duration::ZERO), Claim::Fresh);
        assert_eq!(at(self.one, 2, Duration::ZERO), Claim::Fresh);
        let before = 10 * MINUTE - self.slack;
        (self.pass)(before);
        assert_eq!(at(self.other, 1, before), Claim::Repeat, "just before");
        (self.pass)(self.slack);
        assert_eq!(at(self.other, 2, 10 * MINUTE), Claim::Fresh, "at its end");
        assert_eq!(at(self.one, 2, 10 * MINUTE), Claim::Repeat, "claimed anew");
    }

    /// The clock goes forward, others are claimed, it goes back, forth and back: what was accepted is never accepted again.
    fn clock_that_goes_back_and_forth_opens_nothing(&self) {
        for (n, start, step) in [(1, self.start + 2 * HOUR, HOUR), (2, self.start + 4 * HOUR, DAY)] {
            let until = Remember::Until(start + 5 * MINUTE);
            assert_eq!(self.one.claim(&key("clock", n), until, start), Claim::Fresh);
            (self.pass)(step);
            for cache in [self.one, self.other] {
                for (turn, time) in
                    [start + step, start, start + MINUTE, start + step, start].into_iter().enumerate()
                {
                    // Something else comes at that time.
                    cache.claim(&key("tick", n * 1000 + turn as u64), Remember::Window, time);
                    let again = cache.claim(&key("clock", n), until, time);
                    assert!(
                        matches!(again, Claim::Repeat | Claim::Stale),
                        "step {step:?}, turn {turn}: {again:?}"
                    );
                }
            }
        }
    }
}

/// A memory of `capacity` entries: full refuses, and forgets nothing.
pub(crate) fn full_refuses_and_forgets_nothing(cache: &dyn ReplayCache, capacity: u64, now: Time) {
    let claim = |n, now| cache.claim(&key("full", n), Remember::Window, now);
    for n in 0..capacity {
        assert_eq!(claim(n, now), Claim::Fresh);
    }
    for n in capacity..capacity + 100 {
        assert_eq!(claim(n, now), Claim::Full, "{n}");
    }
    for n in 0..capacity {
        assert_eq!(claim(n, now), Claim::Repeat, "{n} was evicted");
    }
    let after = now + 11 * MINUTE;
    assert_eq!(claim(capacity, after), Claim::Fresh, "what is over makes room");
}

/// A million fresh nonces, then the first again.
pub(crate) fn first_of_a_million_is_remembered(cache: &dyn ReplayCache, now: Time) {
    for n in 0..1_000_000 {
        let claim = cache.claim(&key("million", n), Remember::Until(now + 5 * MINUTE), now);
        assert_eq!(claim, Claim::Fresh, "{n}");
    }
    for n in [0, 1, 499_999, 999_999] {
        assert_eq!(
            cache.claim(&key("million", n), Remember::Until(now + 5 * MINUTE), now),
            Claim::Repeat,
            "{n}"
        );
    }
}
