//! Certificates that verified, so that the next message with the same one costs a hash and a look-up.
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

type Shard = RwLock<HashMap<[u8; 32], Arc<VerifiedKey>>>;

pub(super) struct PathCache([Shard; SHARDS]);

impl PathCache {
    pub(super) fn new() -> PathCache {
        PathCache(std::array::from_fn(|_| RwLock::default()))
    }

    fn shard(&self, digest: &[u8; 32]) -> Option<&Shard> {
        let [first, ..] = digest;
        self.0.get(usize::from(*first) % SHARDS)
    }

    /// The verdict on the certificate with this SHA-256, if there is one and it holds at `at`.
    pub(super) fn get(&self, digest: &[u8; 32], at: Time) -> Option<Arc<VerifiedKey>> {
        // A panic while the lock was held cannot leave the map half-changed in a way that matters: an
        // entry is there or not.
        let shard = self.shard(digest)?.read().unwrap_or_else(PoisonError::into_inner);
        let entry = shard.get(digest)?;
        (entry.path.valid_from <= at && at <= entry.path.valid_until).then(|| Arc::clone(entry))
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
        self.0.iter().map(|shard| shard.read().unwrap_or_else(PoisonError::into_inner).len()).sum()
    }
}
