//! `DerivedKeys`: keys that were derived from passwords (UsernameToken Profile 1.1 §4), kept so that the next message with the same Salt does not
//! cost a thousand hashes again.
//!
//! A key is put in only after a signature made with it verified, so nobody fills it with salts of his own. It is found under an HMAC with the
//! password as key, so a changed password finds nothing. Bounded; what was not used for long is forgotten. Owned by the caller, who shares it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bartizan_crypto::alg::SignatureAlg;
use bartizan_crypto::{Secret, SymmetricKey};

/// Keys that the default memory holds.
pub const DEFAULT_DERIVED_KEYS: usize = 8_192;

/// A bounded memory of derived keys.
pub struct DerivedKeys {
    /// Most keys of one of the two generations.
    half: usize,
    generations: Mutex<Generations>,
    hits: AtomicU64,
    misses: AtomicU64,
}

/// The keys in use and those of the time before; when the first are many, they become the second and those are forgotten.
#[derive(Default)]
struct Generations {
    young: HashMap<KeyId, Arc<SymmetricKey>>,
    old: HashMap<KeyId, Arc<SymmetricKey>>,
}

/// What a key is found under.
pub(crate) type KeyId = [u8; 32];

/// What the memory was asked so far.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct DerivedCounts {
    /// Keys that were there.
    pub hits: u64,
    /// Keys that had to be derived.
    pub misses: u64,
    /// Keys held.
    pub entries: usize,
}

impl DerivedKeys {
    /// A memory of at most `capacity` keys, at least two.
    #[must_use]
    pub fn new(capacity: usize) -> DerivedKeys {
        DerivedKeys {
            half: (capacity / 2).max(1),
            generations: Mutex::default(),
            hits: AtomicU64::new(0),
            misses: AtomicU64::new(0),
        }
    }

    /// What it was asked so far.
    #[must_use]
    pub fn counts(&self) -> DerivedCounts {
        let held = self.lock();
        DerivedCounts {
            hits: self.hits.load(Ordering::Relaxed),
            misses: self.misses.load(Ordering::Relaxed),
            entries: held.young.len() + held.old.len(),
        }
    }

    /// The key of that name.
    pub(crate) fn find(&self, id: &KeyId) -> Option<Arc<SymmetricKey>> {
        let mut held = self.lock();
        let found = match held.young.get(id) {
            Some(key) => Some(Arc::clone(key)),
            // Used again: it belongs to the young ones.
            None => held.old.remove(id).inspect(|key| self.put(&mut held, *id, Arc::clone(key))),
        };
        let counter = if found.is_some() { &self.hits } else { &self.misses };
        counter.fetch_add(1, Ordering::Relaxed);
        found
    }

    /// Keeps a key with which a signature was verified.
    pub(crate) fn keep(&self, id: KeyId, key: Arc<SymmetricKey>) {
        let mut held = self.lock();
        self.put(&mut held, id, key);
    }

    fn put(&self, held: &mut Generations, id: KeyId, key: Arc<SymmetricKey>) {
        if held.young.len() >= self.half {
            held.old = std::mem::take(&mut held.young);
        }
        held.young.insert(id, key);
    }

    fn lock(&self) -> MutexGuard<'_, Generations> {
        self.generations.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for DerivedKeys {
    fn default() -> Self {
        DerivedKeys::new(DEFAULT_DERIVED_KEYS)
    }
}

impl std::fmt::Debug for DerivedKeys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "DerivedKeys({:?})", self.counts())
    }
}

/// What the key of `user` for that salt and iteration is found under; `None` for an empty password, whose keys are not kept.
pub(crate) fn key_id(user: &str, secret: &Secret, salt: &[u8], iterations: u32) -> Option<KeyId> {
    let mut message = Vec::with_capacity(user.len() + salt.len() + 32);
    // The lengths keep the parts apart.
    for part in [b"wsse11:Salt".as_slice(), user.as_bytes(), salt] {
        message.extend_from_slice(&(part.len() as u64).to_be_bytes());
        message.extend_from_slice(part);
    }
    message.extend_from_slice(&iterations.to_be_bytes());
    let key = secret.expose(|octets| SymmetricKey::new(octets.clone()));
    key.mac(SignatureAlg::HmacSha256, &message).ok()?.try_into().ok()
}

#[cfg(test)]
mod tests;
