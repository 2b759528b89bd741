//! The memory of seen messages: trait and the bounded in-process one.
//!
//! A key is claimed in one atomic step, before anything of the message has an effect; the claim stays burnt whatever comes of the message.
//! Nothing live is ever evicted: when the memory is full, new messages are refused. Called by `inbound` once for each signed message.

mod longer;
mod memory;

use std::time::Duration;

use bartizan_crypto::alg::DigestAlg;
use bartizan_crypto::digest::Hasher;
use bartizan_keys::Time;

pub use longer::AtLeast;
pub use memory::{Counts, DEFAULT_CAPACITY, DEFAULT_WINDOW, MemoryReplay};

/// What a message is remembered by: 32 octets of SHA-256, never shortened.
///
/// A signed message by [`ReplayKey::of_signature`], a user's token by [`ReplayKey::of_token`], the Salt that makes a secret by [`ReplayKey::of_salt`]. A Timestamp has no key of its
/// own: an unsigned one can be made by anybody, and a signed one is named with its digest by SignedInfo, so it is a part of
/// the signature's key already. Two clients that sign in the same millisecond have different keys, since their SPKIs differ.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ReplayKey([u8; 32]);

impl ReplayKey {
    /// The key of a signed message. The signature's own octets do not go in: they can be changed without breaking it.
    #[must_use]
    pub fn of_signature(spki: &[u8], signed_info: &[u8]) -> ReplayKey {
        let mut hasher = Hasher::new(DigestAlg::Sha256);
        // The length keeps the two parts apart.
        hasher.update(&(spki.len() as u64).to_be_bytes());
        hasher.update(spki);
        hasher.update(signed_info);
        ReplayKey::from_digest(hasher.finish().as_ref())
    }

    /// The key of a message signed with a key derived from the password of `user`.
    #[must_use]
    pub fn of_user_signature(user: &str, signed_info: &[u8]) -> ReplayKey {
        let mut hasher = Hasher::new(DigestAlg::Sha256);
        // Apart from every key of a certificate's signature and of a token.
        hasher.update(b"wsse:UserSigned\0");
        hasher.update(&(user.len() as u64).to_be_bytes());
        hasher.update(user.as_bytes());
        hasher.update(signed_info);
        ReplayKey::from_digest(hasher.finish().as_ref())
    }

    /// The key of a message signed with a shared secret, or a key derived from it, of that SHA-256.
    ///
    /// The secret itself counts, neither the octets that it was encrypted to nor the key that was derived from it: however they are written, who
    /// has not the secret can make one SignedInfo with it no more than once.
    #[must_use]
    pub fn of_secret_signature(secret: &[u8; 32], signed_info: &[u8]) -> ReplayKey {
        let mut hasher = Hasher::new(DigestAlg::Sha256);
        // Apart from every other kind of key.
        hasher.update(b"wsse:SecretSigned\0");
        hasher.update(secret);
        hasher.update(signed_info);
        ReplayKey::from_digest(hasher.finish().as_ref())
    }

    /// The key of a UsernameToken: SHA-256(user ‖ nonce ‖ Created), with the lengths of the first two before them.
    ///
    /// `user` is the name that was authenticated, `nonce` the octets that its base64 stands for (another coding of the same
    /// octets is the same nonce) and `created` the text as sent. To be claimed after the password was checked: before, anyone
    /// could fill the memory, or burn a nonce of somebody else. UsernameToken Profile 1.1, section 3.1.
    #[must_use]
    pub fn of_token(user: &str, nonce: &[u8], created: &str) -> ReplayKey {
        let mut hasher = Hasher::new(DigestAlg::Sha256);
        // Apart from every key of a signature, whose first octets are the length of an SPKI.
        hasher.update(b"wsse:UsernameToken\0");
        // The lengths keep the parts apart.
        for part in [user.as_bytes(), nonce] {
            hasher.update(&(part.len() as u64).to_be_bytes());
            hasher.update(part);
        }
        hasher.update(created.as_bytes());
        ReplayKey::from_digest(hasher.finish().as_ref())
    }

    /// The key of a Salt by which the secret of one exchange is derived from the password of `user`: SHA-256(user ‖ Salt ‖ Iteration).
    ///
    /// Request and reply of such an exchange have one key, so that the reply, sent back with the token, would be a request of that user: a Salt makes
    /// one request, and the next has another. To be claimed after the signature was verified.
    #[must_use]
    pub fn of_salt(user: &str, salt: &[u8], iterations: u32) -> ReplayKey {
        let mut hasher = Hasher::new(DigestAlg::Sha256);
        // Apart from every other kind of key.
        hasher.update(b"wsse11:Salt\0");
        for part in [user.as_bytes(), salt] {
            hasher.update(&(part.len() as u64).to_be_bytes());
            hasher.update(part);
        }
        hasher.update(&iterations.to_be_bytes());
        ReplayKey::from_digest(hasher.finish().as_ref())
    }

    /// A key of 32 octets that were digested elsewhere; shorter input is padded with zeros.
    #[must_use]
    pub fn from_digest(octets: &[u8]) -> ReplayKey {
        let mut key = [0; 32];
        key.iter_mut().zip(octets).for_each(|(k, o)| *k = *o);
        ReplayKey(key)
    }

    /// The octets.
    #[must_use]
    pub fn octets(&self) -> &[u8; 32] {
        &self.0
    }
}

/// How long a claim must be remembered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Remember {
    /// Until the message itself is too old.
    Until(Time),
    /// For the window of the memory: the message carries no time.
    Window,
    /// As long as the others say, and at least so long from now on. The message's own end is what it was: when that is over,
    /// the message is stale, however long its claim is kept.
    Longer {
        /// Its own end; `None`: it carries no time.
        end: Option<Time>,
        /// How long its claim is kept at least.
        least: Duration,
    },
}

impl Remember {
    /// When the message is over, and how long after `now` its claim is kept at least. `now` is the latest time that the memory
    /// has seen, and `window` its window.
    #[must_use]
    pub fn spans(self, window: Duration) -> (Option<Time>, Duration) {
        match self {
            Remember::Until(end) => (Some(end), Duration::ZERO),
            Remember::Window => (None, window),
            Remember::Longer { end: Some(end), least } => (Some(end), least),
            Remember::Longer { end: None, least } => (None, least.max(window)),
        }
    }

    /// Until when the claim is kept, in milliseconds since 1970, if it is made at `now` (as in [`Remember::spans`]).
    #[must_use]
    pub fn kept_until(self, window: Duration, now: Time) -> i64 {
        let (end, least) = self.spans(window);
        let least = now.millis().saturating_add(i64::try_from(least.as_millis()).unwrap_or(i64::MAX));
        end.map_or(least, |end| end.millis().max(least))
    }
}

/// The answer to a claim.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Claim {
    /// Nobody claimed it before.
    Fresh,
    /// It was claimed before.
    Repeat,
    /// The memory is full.
    Full,
    /// The message's lifetime ended before the latest time that the memory has seen: the clock went back.
    Stale,
    /// The memory is elsewhere and could not be asked. Whether the message was claimed there is not known.
    Unavailable,
}

/// A memory of seen messages, shared by all threads.
pub trait ReplayCache: Send + Sync {
    /// Claims `key` in one atomic step.
    fn claim(&self, key: &ReplayKey, remember: Remember, now: Time) -> Claim;

    /// How long messages without a time are remembered.
    fn window(&self) -> Duration;

    /// The moment from which on it knows every claim; what was claimed before may be forgotten. To be asked after the claim:
    /// a memory that is elsewhere may have begun anew, and the claim is what finds that out.
    ///
    /// A token that was made earlier may have been accepted by a memory that is gone, and is to be refused (a signed
    /// message has its signed Timestamp, and a window that is kept over a restart). For a memory that forgets at the end of
    /// the process this is when the process started, for one that is kept when it was first made.
    fn started(&self) -> Time;

    /// Whether a claim may wait for something outside of this process. Who runs verification on threads that must not
    /// stand still then runs it elsewhere.
    fn may_wait(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests;
