//! Certificates that verified, so that the next message with the same one costs a hash and a look-up, or, if it was among
//! the last ones, a comparison of its octets.
//!
//! Only good verdicts are kept, each with the span of time in which it holds: from the latest start of
//! validity in the path to the earliest end or `nextUpdate`. The cache belongs to one snapshot of keys
//! and trust and dies with it. It is bounded: a shard that is full is emptied, which costs its entries
//! one verification each and needs no bookkeeping on the way of every message.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use super::VerifiedKey;
use crate::time::Time;

const SHARDS: usize = 16;
/// Verdicts in the whole cache.
pub(super) const CAPACITY: usize = 8192;

/// Places for certificates that came last.
const RECENT: usize = 256;

impl VerifiedKey {
    /// Whether the verdict holds at `at`.
    fn holds(&self, at: Time) -> bool {
        self.path.valid_from <= at && at <= self.path.valid_until
    }
}

type Shard = RwLock<HashMap<[u8; 32], Arc<VerifiedKey>>>;

pub(super) struct PathCache {
    shards: [Shard; SHARDS],
    /// By the last octet, which is one of the issuer's signature. What stands in a place is compared whole.
    recent: [RwLock<Option<Arc<VerifiedKey>>>; RECENT],
}

impl PathCache {
    pub(super) fn new() -> PathCache {
        PathCache {
            shards: std::array::from_fn(|_| RwLock::default()),
            recent: std::array::from_fn(|_| RwLock::default()),
        }
    }

    fn shard(&self, digest: &[u8; 32]) -> Option<&Shard> {
        let [first, ..] = digest;
        self.shards.get(usize::from(*first) % SHARDS)
    }

    fn place(&self, der: &[u8]) -> Option<&RwLock<Option<Arc<VerifiedKey>>>> {
        self.recent.get(usize::from(*der.last()?))
    }

    /// The verdict on this very certificate if it is among the last ones and its verdict holds at `at`.
    pub(super) fn recent(&self, der: &[u8], at: Time) -> Option<Arc<VerifiedKey>> {
        let place = self.place(der)?.read().unwrap_or_else(PoisonError::into_inner);
        place.as_ref().filter(|known| known.certificate.der() == der && known.holds(at)).map(Arc::clone)
    }

    /// Remembers a verdict that [`PathCache::get`] or [`PathCache::put`] knows as one of the last.
    pub(super) fn note(&self, entry: &Arc<VerifiedKey>) {
        if let Some(place) = self.place(entry.certificate.der()) {
            *place.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(entry));
        }
    }

    /// The verdict on the certificate with this SHA-256, if there is one and it holds at `at`.
    pub(super) fn get(&self, digest: &[u8; 32], at: Time) -> Option<Arc<VerifiedKey>> {
        // A panic while the lock was held cannot leave the map half-changed in a way that matters: an
        // entry is there or not.
        let shard = self.shard(digest)?.read().unwrap_or_else(PoisonError::into_inner);
        let entry = shard.get(digest)?;
        entry.holds(at).then(|| Arc::clone(entry))
    }

    pub(super) fn put(&self, digest: [u8; 32], entry: Arc<VerifiedKey>) {
        if let Some(shard) = self.shard(&digest) {
            let mut shard = shard.write().unwrap_or_else(PoisonError::into_inner);
            if shard.len() >= CAPACITY / SHARDS && !shard.contains_key(&digest) {
                shard.clear();
            }
            shard.insert(digest, entry);
        }
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.shards.iter().map(|shard| shard.read().unwrap_or_else(PoisonError::into_inner).len()).sum()
    }
}
