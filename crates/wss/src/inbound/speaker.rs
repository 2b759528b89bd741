//! Who speaks for a verified message: the signer of what is shown, or the user whose token is bound to it.
//!
//! A user who is authenticated speaks where his own key signed, where nothing is signed, or where the token belongs to what an X.509 key signed:
//! covered by that signature, or both in one confidential connection (not so where it came out of ciphertext: `is_bound`). Else the signer
//! speaks: anybody could have put somebody's token beside a signature of his own, and the other way round. Who endorses is a principal besides, and speaks where nobody else is known. Called by `conform`, when everything
//! else is known.

use super::endorse;
use super::facts::{SignerFact, SignerKey};
use super::shape::Header;
use super::user::UserFact;
use super::{Order, Work};
use crate::caller::{Caller, ProvedBy};
use crate::context::{Protection, Warning};
use crate::env::Transport;
use crate::error::Reject;
use crate::plan::{Side, Surplus, UsernameRule};
use crate::reason::Reason;
use crate::verified::{CoveredPart, PartKind};

/// The caller, if anything proves one.
pub(super) fn caller(work: &mut Work<'_>, header: &Header, parts: &[CoveredPart]) -> Option<Caller> {
    // A user who endorses is named as that, and not for having his token in the message.
    let sends = |_: &&UserFact| !endorse::by_user(work.plan);
    let user = work
        .facts
        .user
        .as_ref()
        .filter(sends)
        .and_then(|fact| fact.proved.map(|proved| Caller::of_user(fact.user.clone(), proved)));
    let signer = signer(work, header, parts);
    let certificate = signer.and_then(SignerFact::certificate).cloned();
    let signed = !header.primaries().is_empty();
    let bound = match signer.map(|s| &s.key) {
        Some(SignerKey::User { .. }) => true,
        Some(SignerKey::Certificate(_) | SignerKey::Secret(_)) => is_bound(work, header, signer),
        // Something is signed, and not what is shown: who signed says nothing.
        None => !signed,
    };
    if user.is_some() && bound && !is_tied(work, header, signer) {
        work.context.warn(Warning::UserInClear);
    }
    match (user, certificate, work.env.transport) {
        (Some(user), _, _) if bound => Some(user),
        (user, Some(certificate), _) => {
            if user.is_some() {
                work.context.warn(Warning::UserNotBound);
            }
            Some(Caller::of_certificate(certificate, ProvedBy::X509Signature))
        }
        (Some(_), None, Transport::Plain | Transport::Local) => {
            work.context.warn(Warning::UserNotBound);
            work.context.endorsers.first().cloned()
        }
        (_, None, Transport::Tls { client: Some(client) }) => {
            Some(Caller::of_certificate(client.clone(), ProvedBy::ClientCertificate))
        }
        // A secret of anybody's, or a connection of nobody's: what is known of the sender is who endorsed the message.
        (_, None, _) => work.context.endorsers.first().cloned(),
    }
}

/// Under a secret that names nobody the user is all that proves the sender: one who does not belong to the message proves nothing.
pub(super) fn check(work: &Work<'_>, header: &Header, parts: &[CoveredPart]) -> Result<(), Reject> {
    let signer = signer(work, header, parts);
    let nameless = signer.is_some_and(|s| matches!(s.key, SignerKey::Secret(_)));
    let asked = work.plan.username.as_ref().is_some_and(UsernameRule::authenticates);
    // Whoever endorses has signed the very signature: no token has to bind him to it.
    if endorse::by_user(work.plan) {
        return Ok(());
    }
    if work.side == Side::Recipient && nameless && asked && !work.plan.open && !is_bound(work, header, signer)
    {
        return Err(Reject::new(Reason::UsernameNotProved));
    }
    Ok(())
}

/// Whether a token under a secret that names nobody was made for this message: somebody else could take one that stands in the clear out of
/// its message and sign it with a secret of his own, and not one that is encrypted.
fn is_tied(work: &Work<'_>, header: &Header, signer: Option<&SignerFact>) -> bool {
    let secret = signer.is_some_and(|s| matches!(s.key, SignerKey::Secret(_)));
    let hidden = header.username.as_ref().is_some_and(|t| t.was_encrypted);
    !secret || hidden || matches!(work.env.transport, Transport::Tls { .. })
}

/// Whether the UsernameToken belongs to what that signer signed.
///
/// One that came out of ciphertext may have been taken out of somebody's message, ciphertext and key, by somebody who cannot read it. He can
/// sign the ciphertext, not the token: beside a certificate only a signature over the plaintext binds it, and no connection does. Under a
/// shared secret the token is under the one key of the message, which the signature proves.
fn is_bound(work: &Work<'_>, header: &Header, signer: Option<&SignerFact>) -> bool {
    let document = work.envelope.document();
    let Some(token) = &header.username else { return false };
    let by_certificate = signer.is_some_and(|s| s.certificate().is_some());
    let hidden = token.was_encrypted && by_certificate;
    if matches!(work.env.transport, Transport::Tls { .. }) && !hidden {
        return true;
    }
    if hidden && header.order(work.plan.order) == Order::DigestThenDecrypt {
        return false;
    }
    let fact = document.element(token.node).and_then(|t| match hidden {
        true => work.facts.covering_plaintext(document, t),
        false => work.facts.covering(document, t),
    });
    let by = fact.and_then(|f| work.facts.signers.get(f.signature));
    by.zip(signer).is_some_and(|(by, signer)| by.is_same(signer))
}

/// The signer who speaks for the message.
///
/// A plan that asks for protection lets one signature in, and its signer it is. A plan that takes what it finds may meet signatures of several
/// signers over different parts: then the sender is who signed the Body, and only if nobody else signed anything that is shown. Who signed
/// something beside an open Body has said nothing about it.
pub(super) fn signer<'w>(
    work: &'w Work<'_>,
    header: &Header,
    parts: &[CoveredPart],
) -> Option<&'w SignerFact> {
    let first = work.facts.signers.first().filter(|_| !header.endorses(0));
    if work.plan.surplus == Surplus::Refuse {
        return first;
    }
    let signer = |part: &CoveredPart| match part.protection {
        Protection::Signature(n) => work.facts.signers.get(n),
        Protection::Transport | Protection::Open => None,
    };
    let of_body = parts.iter().find(|p| p.kind == PartKind::Body).and_then(signer)?;
    let alone = parts.iter().all(|p| signer(p).is_some_and(|s| s.is_same(of_body)));
    alone.then_some(of_body)
}
