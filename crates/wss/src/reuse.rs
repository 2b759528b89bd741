//! `ReusedSecret`: the secret that an initiator made for one request and uses for the next ones, named by EncryptedKeySHA1 (SMS 1.1 §7.7).
//!
//! It is kept when a reply under it was verified, which only who could open the request can have made, and forgotten when its time or its number
//! of requests is over, or a reply was not verified: then the next request has a fresh one. Nothing is sent twice here; whether a request that was
//! refused may be sent again is known to who sends it. A secret that several requests share does not say which of them a reply is for: such a
//! reply is accepted only if a SignatureConfirmation or a signed RelatesTo says so (`inbound::confirmation`). One memory for one plan; it notices
//! another peer and another user. Not here: the recipient's side (`kept`).

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bartizan_crypto::alg::DigestAlg;
use bartizan_crypto::digest::digest;
use bartizan_keys::{Certificate, Time};

use crate::request::{Lent, SentSignatures};
use crate::secret::ExchangeSecret;

/// How long a secret is used, from its making on: less than a recipient of ours keeps it.
pub const DEFAULT_REUSE_LIFETIME: Duration = Duration::from_secs(240);
/// How many requests one secret serves, the first one included.
pub const DEFAULT_REUSE_REQUESTS: u32 = 10_000;

/// What an initiator keeps of one request for the next ones.
pub struct ReusedSecret {
    lifetime: Duration,
    requests: u32,
    slot: Mutex<Option<Slot>>,
    fresh: AtomicU64,
    reused: AtomicU64,
    forgotten: AtomicU64,
}

struct Slot {
    secret: Arc<ExchangeSecret>,
    tenure: Arc<Tenure>,
    /// Requests that it may still serve.
    left: u32,
}

/// For whom a secret was made, and until when it is used.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct Tenure {
    whom: Whom,
    until: Time,
}

/// Between whom a secret is: the peer's key, the user who sends, the octets that its algorithms need.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Whom {
    peer: Vec<u8>,
    user: Option<String>,
    length: usize,
}

impl Whom {
    pub(crate) fn new(peer: &Certificate, user: Option<&str>, length: usize) -> Whom {
        let peer = digest(DigestAlg::Sha256, peer.spki()).as_ref().to_vec();
        Whom { peer, user: user.map(str::to_owned), length }
    }
}

/// What was made and used so far.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct ReuseCounts {
    /// Requests that carried a fresh secret.
    pub fresh: u64,
    /// Requests under one that the peer had already.
    pub reused: u64,
    /// Secrets that were given up because a reply was not verified, or somebody said so.
    pub forgotten: u64,
}

impl ReusedSecret {
    /// A memory of one secret, used for at most `lifetime` and `requests`.
    #[must_use]
    pub fn new(lifetime: Duration, requests: u32) -> ReusedSecret {
        ReusedSecret {
            lifetime,
            requests,
            slot: Mutex::default(),
            fresh: AtomicU64::new(0),
            reused: AtomicU64::new(0),
            forgotten: AtomicU64::new(0),
        }
    }

    /// What was made and used so far.
    #[must_use]
    pub fn counts(&self) -> ReuseCounts {
        let of = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        ReuseCounts { fresh: of(&self.fresh), reused: of(&self.reused), forgotten: of(&self.forgotten) }
    }

    /// Forgets the secret, so that the next request has a fresh one: for who got an answer that is no message at all.
    pub fn forget(&self) {
        if self.lock().take().is_some() {
            self.forgotten.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// The secret for one more request, if there is one.
    pub(crate) fn take(&self, whom: &Whom, now: Time) -> Option<(Arc<ExchangeSecret>, Arc<Tenure>)> {
        let mut slot = self.lock();
        let fits = |slot: &Slot| slot.tenure.whom == *whom && now < slot.tenure.until && slot.left > 0;
        let Some(held) = slot.as_mut().filter(|held| fits(held)) else {
            *slot = None;
            return None;
        };
        held.left -= 1;
        self.reused.fetch_add(1, Ordering::Relaxed);
        Some((Arc::clone(&held.secret), Arc::clone(&held.tenure)))
    }

    /// A fresh secret goes out now.
    pub(crate) fn made(&self, whom: Whom, now: Time) -> Arc<Tenure> {
        self.fresh.fetch_add(1, Ordering::Relaxed);
        Arc::new(Tenure { whom, until: now + self.lifetime })
    }

    /// A reply was verified, or was not. One that was proves that the peer has the secret: a fresh one is kept, but of two first requests at a time
    /// one gives it. One that was not gives the secret up.
    pub(crate) fn answered(&self, sent: &SentSignatures, verified: bool) {
        let (Some(secret), Some(Lent { tenure, fresh })) = (sent.secret(), sent.shares()) else { return };
        let mut slot = self.lock();
        let there = slot.as_ref().is_some_and(|held| held.tenure.whom == tenure.whom);
        let left = self.requests.saturating_sub(1);
        if verified && *fresh && !there && left > 0 {
            *slot = Some(Slot { secret: Arc::clone(secret), tenure: Arc::clone(tenure), left });
        } else if !verified && slot.as_ref().is_some_and(|held| *held.secret == **secret) {
            *slot = None;
            self.forgotten.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Slot>> {
        self.slot.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for ReusedSecret {
    fn default() -> ReusedSecret {
        ReusedSecret::new(DEFAULT_REUSE_LIFETIME, DEFAULT_REUSE_REQUESTS)
    }
}

impl std::fmt::Debug for ReusedSecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ReusedSecret({:?})", self.counts())
    }
}
