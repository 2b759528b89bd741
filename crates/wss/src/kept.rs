//! `KeptSecrets`: secrets of requests that were verified, kept so that a later request may name one by EncryptedKeySHA1 (SMS 1.1 §7.7) in place
//! of carrying an EncryptedKey, and costs no private-key operation.
//!
//! A secret is put in when its request satisfied the whole plan, and if it signed what is shown: who copied somebody's EncryptedKey has not what
//! is in it. It is bound to the caller who was proved beside it, and to the alternative of the plan, and serves no other. Bounded in all and for
//! each caller; nothing live of one caller gives way to another's; nothing outlives its time. Owned by whoever serves one plan with one key set;
//! who changes either makes a new one. Not here: what a message means by its reference (`inbound::derived`), and who may use it (`inbound::kept`).

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bartizan_keys::Time;

use crate::caller::Caller;
use crate::secret::ExchangeSecret;

/// Secrets that are kept for all callers together, unless it is said otherwise.
pub const DEFAULT_KEPT: usize = 10_000;
/// Of these for one caller.
pub const DEFAULT_KEPT_PER_CALLER: usize = 16;
/// How long one is kept, from the verification of its request on.
pub const DEFAULT_KEPT_LIFETIME: Duration = Duration::from_secs(300);

/// How many secrets are kept, and for how long.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KeepBounds {
    /// For all proved callers together; when it is reached nothing more is kept until something ends.
    pub capacity: usize,
    /// For one caller; a further one takes the place of the one that he did not use for longest.
    pub per_caller: usize,
    /// For all requests together that prove no caller, beside `capacity`; 0: none is kept. Such a secret is bound to nothing but its possession:
    /// whoever made it, or was told it, can sign a request with it, as he could with a fresh one.
    pub nameless: usize,
    /// From the verification of its request on; use does not prolong it.
    pub lifetime: Duration,
}

impl Default for KeepBounds {
    fn default() -> KeepBounds {
        KeepBounds {
            capacity: DEFAULT_KEPT,
            per_caller: DEFAULT_KEPT_PER_CALLER,
            nameless: 0,
            lifetime: DEFAULT_KEPT_LIFETIME,
        }
    }
}

/// A bounded memory of secrets, shared by all threads.
pub struct KeptSecrets {
    bounds: KeepBounds,
    held: Mutex<Held>,
    counters: Counters,
}

/// What the memory did so far.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct KeptCounts {
    /// Secrets that were put in.
    pub kept: u64,
    /// Requests that were accepted under one.
    pub used: u64,
    /// References that named none (once for each alternative of a plan that was tried).
    pub unknown: u64,
    /// Requests that were refused because the secret is another caller's, or another alternative's.
    pub of_another: u64,
    /// Secrets that gave way to a later one of the same caller.
    pub replaced: u64,
    /// Secrets that were not put in because the memory was full of others'.
    pub full: u64,
    /// Secrets whose time was over.
    pub ended: u64,
    /// Secrets held.
    pub entries: usize,
}

#[derive(Default)]
struct Counters {
    kept: AtomicU64,
    used: AtomicU64,
    unknown: AtomicU64,
    of_another: AtomicU64,
    replaced: AtomicU64,
    full: AtomicU64,
    ended: AtomicU64,
}

/// SHA-1 of the encrypted octets.
type Name = [u8; 20];

/// When a secret ends, and a number that no two have.
type Turn = (i64, u64);

#[derive(Default)]
struct Held {
    by_name: HashMap<Name, Entry>,
    /// Which are whose: the least recently used first.
    by_owner: HashMap<Owner, BTreeMap<u64, Name>>,
    /// By their ends.
    line: BTreeMap<Turn, Name>,
    /// Secrets of proved callers.
    named: usize,
    numbers: u64,
    /// The latest time that was seen: a clock that goes back prolongs nothing.
    latest: i64,
}

struct Entry {
    kept: Arc<Kept>,
    turn: Turn,
    /// Its place in the order of use.
    last: u64,
}

/// A secret that is kept.
pub(crate) struct Kept {
    pub(crate) secret: Arc<ExchangeSecret>,
    /// Whose it is.
    pub(crate) owner: Owner,
    /// Under which alternative of the plan its request was accepted.
    pub(crate) alternative: usize,
}

/// To whom a secret is bound.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) enum Owner {
    /// Nothing proved a caller.
    Nobody,
    /// The user of that name.
    User(String),
    /// The holder of the certificate with that SHA-256.
    Certificate([u8; 32]),
}

impl Owner {
    /// The one that was proved.
    pub(crate) fn of(caller: Option<&Caller>) -> Owner {
        let Some(caller) = caller else { return Owner::Nobody };
        match caller.certificate() {
            Some(certificate) => Owner::Certificate(certificate.thumbprint_sha256()),
            None => Owner::User(caller.name().to_owned()),
        }
    }
}

impl Kept {
    /// By what requests call it; `None`: a secret that no EncryptedKey carried.
    fn name(&self) -> Option<Name> {
        self.secret.sha1().and_then(|name| Name::try_from(name).ok())
    }
}

impl KeptSecrets {
    /// An empty memory. A bound of 0 keeps nothing.
    #[must_use]
    pub fn new(bounds: KeepBounds) -> KeptSecrets {
        KeptSecrets { bounds, held: Mutex::default(), counters: Counters::default() }
    }

    /// Its bounds.
    #[must_use]
    pub fn bounds(&self) -> KeepBounds {
        self.bounds
    }

    /// What it did so far.
    #[must_use]
    pub fn counts(&self) -> KeptCounts {
        let of = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let Counters { kept, used, unknown, of_another, replaced, full, ended } = &self.counters;
        KeptCounts {
            kept: of(kept),
            used: of(used),
            unknown: of(unknown),
            of_another: of(of_another),
            replaced: of(replaced),
            full: of(full),
            ended: of(ended),
            entries: self.lock().by_name.len(),
        }
    }

    /// Forgets everything.
    pub fn clear(&self) {
        let mut held = self.lock();
        let (latest, numbers) = (held.latest, held.numbers);
        *held = Held { latest, numbers, ..Held::default() };
    }

    /// The secret of that name, if its time is not over. Says nothing about who may use it.
    pub(crate) fn find(&self, name: &[u8], now: Time) -> Option<Arc<Kept>> {
        let mut held = self.lock();
        self.end(&mut held, now);
        let found = Name::try_from(name).ok().and_then(|name| held.by_name.get(&name));
        let found = found.map(|entry| Arc::clone(&entry.kept));
        if found.is_none() {
            count(&self.counters.unknown);
        }
        found
    }

    /// A request was accepted under it.
    pub(crate) fn used(&self, kept: &Kept) {
        count(&self.counters.used);
        let Some(name) = kept.name() else { return };
        let mut held = self.lock();
        held.numbers += 1;
        let Held { by_name, by_owner, numbers, .. } = &mut *held;
        if let (Some(entry), Some(names)) = (by_name.get_mut(&name), by_owner.get_mut(&kept.owner))
            && names.remove(&entry.last).is_some()
        {
            entry.last = *numbers;
            names.insert(entry.last, name);
        }
    }

    /// A request was refused because the secret is not its caller's.
    pub(crate) fn refused(&self) {
        count(&self.counters.of_another);
    }

    /// Puts in the secret of a request that was accepted just now. One that is there already stays whose it is.
    pub(crate) fn keep(&self, kept: Kept, now: Time) {
        let Some(name) = kept.name() else { return };
        let (own, all) = match kept.owner {
            Owner::Nobody => (self.bounds.nameless, usize::MAX),
            Owner::User(_) | Owner::Certificate(_) => (self.bounds.per_caller, self.bounds.capacity),
        };
        if own == 0 || all == 0 {
            return;
        }
        let mut held = self.lock();
        self.end(&mut held, now);
        if held.by_name.contains_key(&name) {
            return;
        }
        let mine = held.by_owner.get(&kept.owner);
        let oldest = mine.filter(|names| names.len() >= own).and_then(|names| names.first_key_value());
        if let Some((_, oldest)) = oldest {
            let oldest = *oldest;
            held.drop_one(&oldest);
            count(&self.counters.replaced);
        } else if kept.owner != Owner::Nobody && held.named >= all {
            // What lives of others is not pushed out: whoever has one name cannot take away what another one has.
            count(&self.counters.full);
            return;
        }
        held.numbers += 1;
        let last = held.numbers;
        let lifetime = i64::try_from(self.bounds.lifetime.as_millis()).unwrap_or(i64::MAX);
        let turn = (held.latest.saturating_add(lifetime), last);
        held.named += usize::from(kept.owner != Owner::Nobody);
        held.line.insert(turn, name);
        held.by_owner.entry(kept.owner.clone()).or_default().insert(last, name);
        held.by_name.insert(name, Entry { kept: Arc::new(kept), turn, last });
        count(&self.counters.kept);
    }

    /// Drops those whose time is over.
    fn end(&self, held: &mut Held, now: Time) {
        held.latest = held.latest.max(now.millis());
        while let Some((_, name)) = held.line.first_key_value().filter(|((end, _), _)| *end <= held.latest) {
            let name = *name;
            held.drop_one(&name);
            count(&self.counters.ended);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Held {
    fn drop_one(&mut self, name: &Name) {
        let Some(Entry { kept, turn, last }) = self.by_name.remove(name) else { return };
        self.line.remove(&turn);
        self.named -= usize::from(kept.owner != Owner::Nobody);
        if let Some(names) = self.by_owner.get_mut(&kept.owner) {
            names.remove(&last);
            if names.is_empty() {
                self.by_owner.remove(&kept.owner);
            }
        }
    }
}

fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

impl Default for KeptSecrets {
    fn default() -> KeptSecrets {
        KeptSecrets::new(KeepBounds::default())
    }
}

impl std::fmt::Debug for KeptSecrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "KeptSecrets({:?})", self.counts())
    }
}

#[cfg(test)]
mod tests;
