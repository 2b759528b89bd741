//! One user as the sources hold it: the facts, the switches, and a password that is compared in constant time.

use std::sync::Arc;

use bartizan_crypto::alg::DigestAlg;
use bartizan_crypto::{Digest, Secret, digest, equal};

use super::{Denied, User};
use crate::time::Time;

/// Facts and switches of one user.
#[derive(Clone, Debug)]
pub(super) struct Account {
    pub(super) user: Arc<User>,
    pub(super) disabled: bool,
    /// The first instant at which the user is no longer let in.
    pub(super) expires: Option<Time>,
}

impl Account {
    /// Whether the switches let the user in.
    pub(super) fn standing(&self, now: Time) -> Result<(), Denied> {
        match self.expires {
            _ if self.disabled => Err(Denied::Disabled),
            Some(end) if now >= end => Err(Denied::Expired),
            _ => Ok(()),
        }
    }
}

/// A stored password. It is compared by SHA-256, so that the time depends on the length of what was received and on nothing
/// that is stored.
#[derive(Clone, Debug)]
pub(super) struct Clear {
    pub(super) secret: Arc<Secret>,
    digest: Arc<Secret>,
}

impl Clear {
    pub(super) fn new(secret: Secret) -> Clear {
        let digest = secret.expose(|octets| fingerprint(octets).as_ref().to_vec());
        Clear { secret: Arc::new(secret), digest: Arc::new(Secret::new(digest)) }
    }

    /// Whether the password is this one; `received` is the [`fingerprint`] of what came.
    pub(super) fn matches(&self, received: &Digest) -> bool {
        self.digest.expose(|digest| equal::constant_time(digest, received.as_ref()))
    }
}

/// What passwords are compared by.
pub(super) fn fingerprint(password: &[u8]) -> Digest {
    digest::digest(DigestAlg::Sha256, password)
}
