//! A bounded, sharded replay memory in the process.
//!
//! Capacity counts over all shards and is grown into, not taken at start (about 50 bytes an entry). Expired entries are swept as a shard grows.
//! The latest time ever seen is a high-water mark, so a clock that goes back never opens the window again.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::atomic::{AtomicI64, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bartizan_keys::Time;

use super::{Claim, Remember, ReplayCache, ReplayKey};

const SHARDS: usize = 64;
/// A shard is swept when it has doubled since the last sweep, but not below this many entries.
const SWEEP_FLOOR: usize = 256;

/// Entries that the default memory holds.
pub const DEFAULT_CAPACITY: usize = 4_000_000;
/// How long the default memory remembers a message without a time.
pub const DEFAULT_WINDOW: Duration = Duration::from_secs(600);

/// The in-process memory.
pub struct MemoryReplay {
    shards: Vec<Mutex<Shard>>,
    entries: AtomicUsize,
    high_water: AtomicI64,
    swept: AtomicI64,
    capacity: AtomicUsize,
    /// In milliseconds.
    window: AtomicU64,
    started: Time,
    counters: Counters,
}

/// What became of the claims so far, and how full the memory is.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Counts {
    /// Messages that were claimed for the first time.
    pub fresh: u64,
    /// Messages that were there before.
    pub repeats: u64,
    /// Messages that found no room.
    pub full: u64,
    /// Messages that had ended before the latest time that was seen.
    pub stale: u64,
    /// Entries that are held, expired ones that were not swept yet included.
    pub entries: usize,
    /// Entries that may be held.
    pub capacity: usize,
}

#[derive(Default)]
struct Counters {
    fresh: AtomicU64,
    repeats: AtomicU64,
    full: AtomicU64,
    stale: AtomicU64,
}

#[derive(Default)]
struct Shard {
    seen: HashMap<[u8; 32], i64>,
    sweep_at: usize,
}

impl MemoryReplay {
    /// A memory of `capacity` entries that remembers messages without a time for `window`. As long as [`MemoryReplay::since`]
    /// says nothing else it counts as one that was always there.
    #[must_use]
    pub fn new(capacity: usize, window: Duration) -> MemoryReplay {
        MemoryReplay {
            shards: (0..SHARDS).map(|_| Mutex::default()).collect(),
            entries: AtomicUsize::new(0),
            high_water: AtomicI64::new(i64::MIN),
            swept: AtomicI64::new(i64::MIN),
            capacity: AtomicUsize::new(capacity),
            window: AtomicU64::new(millis(window)),
            started: Time::from_millis(i64::MIN),
            counters: Counters::default(),
        }
    }

    /// The same memory, which knows nothing of what was before `started`: see [`ReplayCache::started`].
    #[must_use]
    pub fn since(mut self, started: Time) -> MemoryReplay {
        self.started = started;
        self
    }

    /// What became of the claims so far.
    #[must_use]
    pub fn counts(&self) -> Counts {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Counts {
            fresh: read(&self.counters.fresh),
            repeats: read(&self.counters.repeats),
            full: read(&self.counters.full),
            stale: read(&self.counters.stale),
            entries: self.len(),
            capacity: self.capacity(),
        }
    }

    /// How many entries it may hold.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.capacity.load(Ordering::Relaxed)
    }

    /// Holds so many entries from now on, and remembers messages without a time that come from now on for `window`. What is held stays: a
    /// memory that became too small for it is full until enough has ended.
    pub fn resize(&self, capacity: usize, window: Duration) {
        self.capacity.store(capacity, Ordering::Relaxed);
        self.window.store(millis(window), Ordering::Relaxed);
    }

    /// How many entries it holds, expired ones that were not swept yet included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.load(Ordering::Relaxed)
    }

    /// Whether it holds nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether it is filled beyond 80 per cent, which deserves a warning.
    #[must_use]
    pub fn is_crowded(&self) -> bool {
        self.len() >= self.capacity() / 5 * 4
    }

    /// The latest time that was ever seen.
    #[must_use]
    pub fn latest(&self) -> Time {
        Time::from_millis(self.high_water.load(Ordering::Acquire))
    }

    /// Forgets everything that ended before `now`.
    pub fn sweep(&self, now: Time) {
        let now = self.raise(now);
        for shard in &self.shards {
            let mut shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
            self.sweep_shard(&mut shard, now);
        }
    }

    /// Everything that is remembered and the latest time seen, to be kept over a restart: 8 octets of time, then 40 octets an entry.
    #[must_use]
    pub fn export(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(8 + self.len() * 40);
        out.extend_from_slice(&self.high_water.load(Ordering::Acquire).to_be_bytes());
        for shard in &self.shards {
            let shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
            for (key, until) in &shard.seen {
                out.extend_from_slice(key);
                out.extend_from_slice(&until.to_be_bytes());
            }
        }
        out
    }

    /// Takes over what [`MemoryReplay::export`] wrote; a torn last entry is dropped. Returns how many entries were taken.
    pub fn import(&self, octets: &[u8]) -> usize {
        let Some((time, entries)) = octets.split_first_chunk::<8>() else { return 0 };
        self.high_water.fetch_max(i64::from_be_bytes(*time), Ordering::AcqRel);
        let mut taken = 0;
        for entry in entries.chunks_exact(40) {
            let Some((key, until)) = entry.split_first_chunk::<32>() else { continue };
            let Some(until) = until.first_chunk::<8>() else { continue };
            let Some(mut shard) = self.shard(key) else { continue };
            if shard.seen.insert(*key, i64::from_be_bytes(*until)).is_none() {
                self.entries.fetch_add(1, Ordering::Relaxed);
                taken += 1;
            }
        }
        taken
    }

    /// The shard of a key, locked. It is always there; if it were not, callers fail closed.
    fn shard(&self, key: &[u8; 32]) -> Option<MutexGuard<'_, Shard>> {
        let [first, ..] = *key;
        self.shards.get(usize::from(first) % SHARDS).map(|s| s.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Sweeps every shard, at most once a second of message time, when the memory is full.
    fn sweep_when_full(&self, now: i64) {
        let last = self.swept.load(Ordering::Acquire);
        let due = now.saturating_sub(last) >= 1000;
        if due && self.swept.compare_exchange(last, now, Ordering::AcqRel, Ordering::Relaxed).is_ok() {
            self.sweep(Time::from_millis(now));
        }
    }

    /// The later of `now` and every time seen before.
    fn raise(&self, now: Time) -> i64 {
        self.high_water.fetch_max(now.millis(), Ordering::AcqRel).max(now.millis())
    }

    /// The claim itself, uncounted.
    fn decide(&self, key: &ReplayKey, remember: Remember, now: Time) -> Claim {
        let now = self.raise(now);
        let window = self.window();
        let until = remember.kept_until(window, Time::from_millis(now));
        let over = remember.spans(window).0.is_some_and(|end| end.millis() <= now);
        if self.len() >= self.capacity() {
            self.sweep_when_full(now);
        }
        let Some(mut shard) = self.shard(&key.0) else { return Claim::Full };
        if shard.seen.get(&key.0).is_some_and(|seen_until| *seen_until > now) {
            return Claim::Repeat;
        }
        if over || until <= now {
            return Claim::Stale;
        }
        if shard.seen.len() >= shard.sweep_at {
            self.sweep_shard(&mut shard, now);
        }
        match shard.seen.entry(key.0) {
            // Expired and not swept yet: it keeps its place.
            Entry::Occupied(mut expired) => *expired.get_mut() = until,
            Entry::Vacant(place) => {
                if self.entries.fetch_add(1, Ordering::Relaxed) >= self.capacity() {
                    self.entries.fetch_sub(1, Ordering::Relaxed);
                    return Claim::Full;
                }
                place.insert(until);
            }
        }
        Claim::Fresh
    }

    fn sweep_shard(&self, shard: &mut Shard, now: i64) {
        let before = shard.seen.len();
        shard.seen.retain(|_, until| *until > now);
        self.entries.fetch_sub(before - shard.seen.len(), Ordering::Relaxed);
        shard.sweep_at = (shard.seen.len() * 2).max(SWEEP_FLOOR);
    }
}

/// Milliseconds, which is what times are counted in.
fn millis(window: Duration) -> u64 {
    u64::try_from(window.as_millis()).unwrap_or(u64::MAX)
}

impl Default for MemoryReplay {
    fn default() -> Self {
        MemoryReplay::new(DEFAULT_CAPACITY, DEFAULT_WINDOW)
    }
}

impl ReplayCache for MemoryReplay {
    fn claim(&self, key: &ReplayKey, remember: Remember, now: Time) -> Claim {
        let claim = self.decide(key, remember, now);
        let counter = match claim {
            Claim::Fresh => &self.counters.fresh,
            Claim::Repeat => &self.counters.repeats,
            Claim::Full => &self.counters.full,
            Claim::Stale => &self.counters.stale,
            // A memory in the process always answers.
            Claim::Unavailable => return claim,
        };
        counter.fetch_add(1, Ordering::Relaxed);
        claim
    }

    fn window(&self) -> Duration {
        Duration::from_millis(self.window.load(Ordering::Relaxed))
    }

    fn started(&self) -> Time {
        self.started
    }
}

#[cfg(test)]
mod tests;
