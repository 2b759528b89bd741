//! Runs the product: every distinct message is verified once, and shown to the careless readers.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use bartizan_crypto::alg::DigestAlg;
use bartizan_crypto::digest::digest;
use bartizan_wss::Verified;

use crate::compose::compose;
use crate::hosts::{self, Host};
use crate::message::{Base, Shown};
use crate::naive::{Naive, READERS};
use crate::product::{Choice, Extent};

/// What came out.
#[derive(Default)]
pub(crate) struct Counts {
    /// Combinations that make sense.
    made: u64,
    /// Different messages among them.
    pub(crate) distinct: u64,
    /// Accepted with every part as it was signed.
    whole: u64,
    /// Accepted with headers missing that the policy demands to be signed if they are there; refused where it demands them.
    fewer: u64,
    /// Refused, by reason.
    refused: BTreeMap<&'static str, u64>,
    /// How many deceive each careless reader.
    pub(crate) deceived: [u64; READERS.len()],
    /// Accepted by the careless verifier.
    careless: u64,
}

impl Counts {
    fn add(&mut self, other: Counts) {
        self.made += other.made;
        self.distinct += other.distinct;
        self.whole += other.whole;
        self.fewer += other.fewer;
        self.careless += other.careless;
        for (reason, count) in other.refused {
            *self.refused.entry(reason).or_default() += count;
        }
        for (all, count) in self.deceived.iter_mut().zip(other.deceived) {
            *all += count;
        }
    }

    /// One paragraph.
    pub(crate) fn report(&self, name: &str) -> String {
        let refused: u64 = self.refused.values().sum();
        let mut out = format!(
            "{name}: {} combinations, {} distinct messages, {refused} refused, {} accepted with every part as signed, \
             {} accepted without a header that may be missing\n",
            self.made, self.distinct, self.whole, self.fewer
        );
        for (reason, count) in &self.refused {
            let _ = writeln!(out, "  {count:>8} {reason}");
        }
        let _ = writeln!(out, "  a careless verifier accepts {}; its readers are deceived:", self.careless);
        for (reader, count) in READERS.iter().zip(self.deceived) {
            let _ = writeln!(out, "  {count:>8} {reader}");
        }
        out
    }
}

/// Messages that were made, by hash, in shards so that threads seldom wait.
struct Seen(Vec<Mutex<HashSet<u128>>>);

impl Seen {
    fn new() -> Seen {
        Seen((0..64).map(|_| Mutex::default()).collect())
    }

    /// Whether it is new.
    fn enter(&self, message: &str) -> bool {
        let hash = digest(DigestAlg::Sha256, message.as_bytes());
        let start: [u8; 16] = hash.as_ref()[..16].try_into().unwrap();
        let hash = u128::from_le_bytes(start);
        self.0[(hash % 64) as usize].lock().unwrap().insert(hash)
    }
}

/// Everything of an extent, on every core.
pub(crate) fn run(base: &Base, extent: Extent) -> Counts {
    let hosts = hosts::all(base);
    let work: Vec<(u8, &Host)> =
        extent.sets().into_iter().flat_map(|set| hosts.iter().map(move |host| (set, host))).collect();
    let choices: Vec<Vec<Choice>> = (0..=6).map(|parts| extent.choices(parts, base.key.is_some())).collect();
    let (next, seen) = (AtomicUsize::new(0), Seen::new());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        let one = || {
            let mut worker = Worker { naive: Naive::new(base), counts: Counts::default() };
            while let Some((set, host)) = work.get(next.fetch_add(1, Ordering::Relaxed)) {
                for choice in &choices[set.count_ones() as usize] {
                    worker.attack(&seen, *set, host, choice);
                }
            }
            worker.counts
        };
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(one)).collect();
        let mut sum = Counts::default();
        threads
            .into_iter()
            .for_each(|thread| sum.add(thread.join().expect("every message is refused or genuine")));
        sum
    })
}

struct Worker<'b> {
    naive: Naive<'b>,
    counts: Counts,
}

impl Worker<'_> {
    fn attack(&mut self, seen: &Seen, set: u8, host: &Host, choice: &Choice) {
        let base = self.naive.base();
        let Some(message) = compose(base, set, host, choice) else { return };
        self.counts.made += 1;
        if message == base.text || !seen.enter(&message) {
            return;
        }
        self.counts.distinct += 1;
        match base.verify(&base.plan, &message) {
            Err(reject) => *self.counts.refused.entry(reject.reason().code()).or_default() += 1,
            Ok(verified) => {
                self.accepted(&verified, &message, &format!("{set:06b} {} {choice:?}", host.name))
            }
        }
        if let Some(deceived) = self.naive.judge(&message) {
            self.counts.careless += 1;
            for (count, deceived) in self.counts.deceived.iter_mut().zip(deceived) {
                *count += u64::from(deceived);
            }
        }
    }

    fn accepted(&mut self, verified: &Verified, message: &str, what: &str) {
        let base = self.naive.base();
        let shown = Shown::of(verified);
        assert!(shown.is_of(&base.shown), "{what}\nshown {shown:#?}\nsigned {:#?}\n{message}", base.shown);
        if shown.headers.len() == base.shown.headers.len() {
            self.counts.whole += 1;
            return;
        }
        let strict = base.verify(&base.strict, message);
        assert!(strict.is_err(), "{what}: a header that must be there is not\n{message}");
        self.counts.fewer += 1;
    }
}
