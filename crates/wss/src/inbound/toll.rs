//! `Toll`: what a refused message has cost, so that the time of the refusal does not tell how far ciphertext of the sender's choice came.
//!
//! A text password may be checked by a slow hash, and a key be derived only when it is its turn. Both come after a decryption. A message that is
//! refused between the two (bad padding, a plaintext that is no XML, no token in it, one that is too old) would be refused sooner than one whose
//! token was looked at: an oracle for CBC that no quantum of milliseconds hides, because the hash takes longer. So whatever is refused after a
//! decryption was tried pays what the message would have paid: exactly one slow hash, and one wait for its turn. A right password that was
//! remembered, and so cost nothing, pays too if the message is refused for something else.
//!
//! Not here: who is checked and how (`user`). Made by the entry for each message.

use std::cell::Cell;

use crate::env::Env;
use crate::error::Reject;
use crate::plan::{PasswordForm, Plan, UsernameRule};
use crate::reason::Reason;

/// What one message has cost so far.
#[derive(Default)]
pub(super) struct Toll {
    /// A key of ours, or one that the message leads to, was tried on something of it.
    opened: Cell<bool>,
    /// A password was checked at the full cost.
    hashed: Cell<bool>,
    /// A key was derived, or its turn waited for.
    queued: Cell<bool>,
}

impl Toll {
    /// Something is about to be decrypted.
    pub(super) fn open(&self) {
        self.opened.set(true);
    }

    /// A password is about to be checked.
    pub(super) fn hash(&self) {
        self.hashed.set(true);
    }

    /// A key is about to be derived, or nothing in its place.
    pub(super) fn queue(&self) {
        self.queued.set(true);
    }

    /// Makes a refused message pay what it has not paid yet. A place that it would not have got is not to be had for it, either.
    pub(super) fn settle(&self, plan: &Plan, env: &Env<'_>, reject: Reject) -> Reject {
        let Some(users) = env.users.filter(|_| self.opened.get()) else { return reject };
        let asks = |what: fn(&UsernameRule) -> bool| {
            plan.alternatives().any(|(inbound, _)| inbound.username.as_ref().is_some_and(what))
        };
        let derives = asks(|rule| rule.keys.is_some_and(|keys| keys.profile.is_some()));
        if derives && !self.queued.get() && !env.aside(&mut || ()) {
            return busy(reject);
        }
        let hashes = users.is_costly() && asks(|rule| rule.passwords.contains(&PasswordForm::Text));
        if hashes && !self.hashed.get() && users.spend().is_err() {
            return busy(reject);
        }
        reject
    }
}

/// The answer that a message gets whose password could not be checked.
fn busy(reject: Reject) -> Reject {
    Reject::new(Reason::UserBusy).having_seen(reject.context().clone())
}
