//! A request under the secret of a request before: which secret its EncryptedKeySHA1 means, who may use it, and what is kept for later.
//!
//! Only the holder of the secret can sign with it, and only he to whom it was bound when it came is accepted with it: the caller is known at the
//! end, and compared there (`Conformed::name_caller`). A message has one secret: beside an EncryptedKey, or under two names, what stands under one
//! would be somebody else's. Not here: the memory itself (`crate::kept`), the keys derived from a secret (`derived`).

use std::cell::OnceCell;
use std::sync::Arc;

use bartizan_crypto::equal;
use bartizan_xmlsec::Signature;

use super::Work;
use super::conform::Conformed;
use super::derived::{Base, Scope};
use super::endorse;
use super::facts::SignerKey;
use super::reference::Named;
use super::shape::Header;
use super::speaker;
use crate::error::Reject;
use crate::kept::{Kept, Owner};
use crate::plan::{SecretFrom, Side};
use crate::reason::Reason;

/// The one secret that a header names by EncryptedKeySHA1, once it was looked for.
#[derive(Default)]
pub(super) struct KeptName(OnceCell<Looked>);

/// The name that was looked for, and what was found.
type Looked = (Box<[u8]>, Option<Arc<Kept>>);

impl KeptName {
    /// The secret, if one was found.
    pub(super) fn found(&self) -> Option<&Arc<Kept>> {
        self.0.get().and_then(|(_, kept)| kept.as_ref())
    }
}

/// Whether requests may name secrets of requests before.
fn is_on(scope: Scope<'_>) -> bool {
    let from_message = scope.plan.secret.is_some_and(|rule| rule.from == SecretFrom::Message);
    scope.kept.is_some() && scope.side == Side::Recipient && from_message
}

impl Header {
    /// The secret of a request before, of the length that the plan has; looked for once.
    pub(super) fn kept_base(&self, scope: Scope<'_>, name: &[u8]) -> Option<Base> {
        if !is_on(scope) || !self.keys.is_empty() {
            return None;
        }
        let look = || (name.into(), scope.kept.and_then(|kept| kept.find(name, scope.now)));
        let (first, kept) = self.kept.0.get_or_init(look);
        let length = scope.plan.secret.map(|rule| rule.length);
        let fits = |kept: &&Arc<Kept>| Some(kept.secret.secret().key().len()) == length;
        kept.as_ref().filter(fits).filter(|_| equal::constant_time(first, name)).map(|_| Base::Kept)
    }

    /// Why a reference to a secret means none.
    pub(super) fn unresolved(&self, scope: Scope<'_>, named: &Named) -> Reject {
        let by_name = matches!(named, Named::EncryptedKeySha1(_)) && is_on(scope) && self.keys.is_empty();
        Reject::new(if by_name { Reason::TokenKeyNotKept } else { Reason::TokenReferenceUnresolved })
    }

    /// A Timestamp in the clear that has passed is told before a secret is looked for: else an old message would show whether its key is still
    /// known here.
    pub(super) fn check_before_look(&self, work: &mut Work<'_>) -> Result<(), Reject> {
        if is_on(work.scope()) && self.keys.is_empty() { work.check_fresh(self.timestamp) } else { Ok(()) }
    }

    /// A secret serves the alternative that its request satisfied: that one's demands on how it came were met, no other's.
    pub(super) fn check_kept(&self, work: &Work<'_>, alternative: usize) -> Result<(), Reject> {
        match self.kept.found() {
            Some(kept) if kept.alternative != alternative => Err(of_another(work, self.signatures.first())),
            _ => Ok(()),
        }
    }
}

fn of_another(work: &Work<'_>, signature: Option<&Signature>) -> Reject {
    if let Some(memory) = work.env.kept {
        memory.refused();
    }
    let place = signature.map(|signature| signature.element);
    Reject::at_node(Reason::TokenKeyOfAnother, work.envelope.document(), place)
}

impl<'e> Conformed<'e> {
    /// Says who sent the message, and refuses it if its secret was bound to somebody else.
    pub(super) fn name_caller(mut self) -> Result<Conformed<'e>, Reject> {
        let Conformed { work, header, parts, .. } = &mut self;
        work.context.endorsers = endorse::endorsers(work, header);
        work.context.caller = speaker::caller(work, header, parts);
        let other = |kept: &&Arc<Kept>| kept.owner != Owner::of(work.context.caller.as_ref());
        if header.kept.found().filter(other).is_some() {
            let reject = of_another(work, header.signatures.first());
            return Err(work.refuse(reject));
        }
        Ok(self)
    }
}

/// The message is accepted: its secret is kept, or was used once more. To be called when nothing can refuse the message any more.
///
/// Kept is only what signed: ciphertext, and the EncryptedKey that goes with it, can be copied by somebody who has not what is in them.
pub(super) fn remember(work: &Work<'_>, header: &Header, signer: Option<&SignerKey>, alternative: usize) {
    let Some(memory) = work.env.kept.filter(|_| is_on(work.scope())) else { return };
    let Some(SignerKey::Secret(key)) = signer else { return };
    match header.kept.found() {
        Some(kept) => memory.used(kept),
        None if key.base.secret().is_sound() => {
            let owner = Owner::of(work.context.caller.as_ref());
            memory.keep(Kept { secret: Arc::clone(&key.base), owner, alternative }, work.env.now);
        }
        None => {}
    }
}
