//! Verifying a message: the entry and the order of the steps, each a type that only the step before can make.
//!
//! `Shaped` → `KeyTrusted` → `SignatureChecked` → `Opened` → `Digested` → `Conformed` → `Verified`.

use crate::env::Env;
use crate::error::Reject;
use crate::plan::Plan;
use crate::untrusted::Untrusted;
use crate::verified::Verified;

impl Plan {
    /// Verifies a message against this plan.
    ///
    /// # Errors
    /// A [`Reject`] that names the first failing check.
    pub fn verify(&self, message: Untrusted, env: &Env<'_>) -> Result<Verified, Reject> {
        todo!("{:?} {}", message.size(), env.now.millis())
    }

    /// Verifies a message and, where a digest differs, keeps the octets that were digested in the [`Reject`]. For local use only: the octets may be plaintext.
    ///
    /// # Errors
    /// As [`Plan::verify`].
    pub fn verify_explaining(&self, message: Untrusted, env: &Env<'_>) -> Result<Verified, Reject> {
        self.verify(message, env)
    }
}
