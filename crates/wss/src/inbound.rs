//! Verifying a message: the entry, and the order of the steps as types that only the step before can make.
//!
//! `Shaped` → `KeyTrusted` → `SignatureChecked` → `Opened` → `Digested` → `Proved` → `Conformed` → `Verified`.
//!
//! For a signature over plaintext the value of the signature is checked, and the message claimed in the replay memory, before anything is
//! decrypted; the digests follow on the restored plaintext. For a signature over ciphertext the digests come before the decryption. Where the
//! signature itself is encrypted, or the UsernameToken that its key is derived from, that piece is decrypted first (a weaker order that only a plan
//! which says so gets). The user of a UsernameToken is asked for last, and the token claimed then; only a key derived from the password is made
//! where it is needed. Whatever is refused after a decryption costs what the look at the user would have cost (`toll`).
//! A plan of several alternatives goes the same way once: what stands in the clear says which of them a message can be for (`choose`), and the
//! verdict at the end, a pure function of what was observed, which one it satisfies.
//! Not here: outbound, plans. Called by services, the gateway and the file tool.

mod choose;
mod confirmation;
mod conform;
mod decrypt;
mod derived;
mod endorse;
mod evidence;
mod facts;
mod kept;
mod layout;
mod map;
mod positions;
mod reference;
mod shape;
mod signature;
mod speaker;
mod targets;
mod timestamp;
mod token;
mod toll;
mod user;
mod username;

use bartizan_soap::Envelope;
use bartizan_xml::Budget;

use crate::context::SecurityContext;
use crate::env::Env;
use crate::error::Reject;
use crate::plan::{InPlan, Plan, ProtectionOrder, Side};
use crate::untrusted::Untrusted;
use crate::verified::Verified;
use facts::Facts;
pub(crate) use token::write_path;
use toll::Toll;
pub(crate) use username::recipe;

/// What every step carries along.
pub(crate) struct Work<'e> {
    plan: &'e InPlan,
    side: Side,
    env: &'e Env<'e>,
    toll: &'e Toll,
    envelope: Envelope,
    budget: Budget,
    context: SecurityContext,
    facts: Facts,
    keep: KeepOctets,
    /// Alternatives that the message may satisfy, with their numbers; `plan` is the first of them.
    candidates: Vec<Candidate<'e>>,
}

/// An alternative with its number.
type Candidate<'e> = (usize, &'e InPlan);

/// Whether the octets of a failing digest are kept.
#[derive(Clone, Copy, PartialEq, Eq)]
enum KeepOctets {
    No,
    Yes,
}

impl Plan {
    /// Verifies a message against this plan.
    ///
    /// # Errors
    /// A [`Reject`] that names the first failing check.
    pub fn verify(&self, message: Untrusted, env: &Env<'_>) -> Result<Verified, Reject> {
        self.run(message, env, KeepOctets::No).map_err(|r| r.permitting(self))
    }

    /// Verifies a message and, where a digest differs, keeps the octets that were digested in the [`Reject`].
    ///
    /// For local use only: the octets may be plaintext.
    ///
    /// # Errors
    /// As [`Plan::verify`].
    pub fn verify_explaining(&self, message: Untrusted, env: &Env<'_>) -> Result<Verified, Reject> {
        self.run(message, env, KeepOctets::Yes).map_err(|r| r.permitting(self))
    }

    fn run(&self, message: Untrusted, env: &Env<'_>, keep: KeepOctets) -> Result<Verified, Reject> {
        let toll = Toll::default();
        let verdict = self.steps(message, env, keep, &toll).map_err(|reject| toll.settle(self, env, reject));
        if let (Side::Initiator, Some(reuse), Some(sent)) = (self.side(), env.reuse, env.sent) {
            reuse.answered(sent, verdict.is_ok());
        }
        verdict
    }

    fn steps<'e>(
        &'e self,
        message: Untrusted,
        env: &'e Env<'e>,
        keep: KeepOctets,
        toll: &'e Toll,
    ) -> Result<Verified, Reject> {
        let (envelope, budget) = message.into_parts();
        let work = Work {
            plan: self.inbound(),
            side: self.side(),
            env,
            toll,
            envelope,
            budget,
            context: SecurityContext::default(),
            facts: Facts::default(),
            keep,
            candidates: Vec::new(),
        };
        let shaped = choose::among(work, self)?.reveal()?;
        let order = shaped.header.order(shaped.work.plan.order);
        let checked = shaped.trust_keys()?.check_values()?;
        let digested = match order {
            Order::DecryptThenDigest => checked.open()?.digest()?,
            Order::DigestThenDecrypt => checked.digest_ciphertext()?.open()?,
        };
        let (envelope, parts, context, request) =
            digested.prove_user()?.conform()?.name_caller()?.into_parts();
        // INVARIANT: the only place that makes a `Verified`.
        Ok(Verified::assertion(envelope, parts, context, request))
    }
}

/// Which of the two comes first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Order {
    DecryptThenDigest,
    DigestThenDecrypt,
}

impl Work<'_> {
    /// Attaches the evidence so far.
    fn refuse(&mut self, reject: Reject) -> Reject {
        reject.having_seen(std::mem::take(&mut self.context))
    }
}

/// The order of the plan, or of the header where the plan leaves it open.
fn order_of(plan: ProtectionOrder, signature_first: bool) -> Order {
    match plan {
        ProtectionOrder::SignBeforeEncrypt => Order::DecryptThenDigest,
        ProtectionOrder::EncryptBeforeSign => Order::DigestThenDecrypt,
        // What was applied last stands first (SMS 1.1 §5), and is undone first.
        ProtectionOrder::AsFound if signature_first => Order::DigestThenDecrypt,
        ProtectionOrder::AsFound => Order::DecryptThenDigest,
    }
}
