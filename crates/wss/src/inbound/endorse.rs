//! Endorsing signatures: which signature is the message's own and which endorse it, that each covers that very one, and who made them
//! (WS-SecurityPolicy 1.2 §8.3 to §8.8).
//!
//! What an endorsing signature covers protects no part of the message: its digests are kept apart (`Facts::endorsed`), so that no demand for
//! a signed Body is met by it. That it covers the primary signature, by node identity and with a digest that fits, is known before anything is
//! claimed: an endorsement that was taken out of another message is refused before it could use up that message's claim. It is not claimed
//! itself where it endorses a signature, since it fits that one alone and that one is claimed; over TLS it is. Not here: finding and trusting keys
//! (`signature`), the demands on a UsernameToken (`conform`, by its part).

use bartizan_xml::NodeId;
use bartizan_xmlsec::Signature;

use super::Work;
use super::derived::{Base, DerivedToken};
use super::facts::{CoveredFact, Facts, SignerFact, SignerKey};
use super::positions::{nodes_of, not_signed};
use super::reference::Named;
use super::shape::Header;
use super::signature::{names, names_node};
use crate::caller::{Caller, ProvedBy};
use crate::error::{Hint, Reject};
use crate::plan::{EndorseRule, InPlan, Inclusion, Presence, Protect, SignedBy};
use crate::reason::Reason;

impl Header {
    /// Has the primary signature stand first, where the plan speaks of endorsing ones: it is the one that names no other. Only an order: what
    /// each has to cover is demanded of it afterwards.
    pub(super) fn primary_first(&mut self, work: &Work<'_>) {
        let plan = work.plan;
        if plan.endorse.is_empty() {
            return;
        }
        self.endorsers_from = Some(usize::from(plan.wants_signature()));
        let document = work.envelope.document();
        let ours: Vec<NodeId> = self.signatures.iter().map(|signature| signature.element).collect();
        let names_one =
            |signature: &Signature| ours.iter().any(|node| names_node(signature, document, *node));
        self.signatures.sort_by_cached_key(names_one);
    }

    /// Whether the n-th signature endorses.
    pub(super) fn endorses(&self, number: usize) -> bool {
        self.endorsers_from.is_some_and(|from| number >= from)
    }

    /// The signatures that endorse nothing.
    pub(super) fn primaries(&self) -> &[Signature] {
        let end = self.endorsers_from.unwrap_or(self.signatures.len());
        self.signatures.get(..end).unwrap_or(&self.signatures)
    }

    /// What the n-th signature has to cover, if it endorses: the primary signature, or the Timestamp where TLS protects the message.
    fn endorsed(&self, number: usize) -> Option<NodeId> {
        match self.endorsers_from {
            Some(from) if number < from => None,
            Some(0) => self.timestamp.as_ref().map(|stamp| stamp.node),
            Some(_) => self.signatures.first().map(|signature| signature.element),
            None => None,
        }
    }
}

/// The rule for an endorsing signature whose key is named so, and the DerivedKeyToken that it is made with, if it is.
pub(super) fn rule_for<'p>(
    plan: &'p InPlan,
    header: &Header,
    named: &Named,
) -> Option<(&'p EndorseRule, Option<usize>)> {
    if let Named::Derived(node) = named {
        let of_user = |token: &DerivedToken| token.node == *node && token.base == Base::User;
        let index = header.derived.iter().position(of_user)?;
        let rule = rule(plan, SignedBy::UsernameToken)?;
        return (rule.derived == Presence::Must).then_some((rule, Some(index)));
    }
    let rule = rule(plan, named.signed_by())?;
    (rule.by != SignedBy::UsernameToken || rule.derived != Presence::Must).then_some((rule, None))
}

/// The rule for a signature that is made with a key of that kind.
fn rule(plan: &InPlan, by: SignedBy) -> Option<&EndorseRule> {
    plan.endorse.iter().find(|rule| rule.by == by)
}

/// Everything that is demanded is there. More than the plan speaks of was refused with the header.
pub(super) fn check_there(work: &Work<'_>, header: &Header) -> Result<(), Reject> {
    if header.signatures.len() < work.plan.signatures() {
        return Err(Reject::new(Reason::EndorsementMissing));
    }
    Ok(())
}

/// Each endorser once, and not the signer over again: his own word adds nothing to his own.
pub(super) fn check_signers(work: &Work<'_>, header: &Header) -> Result<(), Reject> {
    let Some(from) = header.endorsers_from else { return Ok(()) };
    let (primary, endorsers) = work.facts.signers.split_at_checked(from).unwrap_or((&[], &[]));
    for endorser in endorsers {
        let at = |reason| Err(Reject::at_node(reason, work.envelope.document(), Some(endorser.element)));
        if primary.iter().any(|signer| has_same_key(signer, endorser)) {
            return at(Reason::EndorsementSameKey);
        }
        if endorsers.iter().filter(|other| other.by() == endorser.by()).count() > 1 {
            return at(Reason::SignatureUnexpected);
        }
    }
    Ok(())
}

fn has_same_key(one: &SignerFact, other: &SignerFact) -> bool {
    match (one.certificate(), other.certificate()) {
        (Some(one), Some(other)) => one.spki() == other.spki(),
        _ => one.is_same(other),
    }
}

impl SignerFact {
    /// What kind of key it is.
    pub(super) fn by(&self) -> SignedBy {
        match &self.key {
            SignerKey::Certificate(_) => SignedBy::X509,
            SignerKey::User { .. } => SignedBy::UsernameToken,
            SignerKey::Secret(_) => SignedBy::Secret,
        }
    }
}

/// The References of the n-th signature that name what it has to cover; their digests are checked before the others.
///
/// # Errors
/// It endorses, and none does.
pub(super) fn targets(work: &Work<'_>, header: &Header, number: usize) -> Result<Vec<usize>, Reject> {
    let (Some(signature), true) = (header.signatures.get(number), header.endorses(number)) else {
        return Ok(Vec::new());
    };
    let document = work.envelope.document();
    let node = header.endorsed(number).ok_or_else(|| Reject::new(Reason::TimestampMissing))?;
    let all = signature.references.iter().enumerate();
    let found: Vec<usize> =
        all.filter(|(_, reference)| names(reference, document, node)).map(|(index, _)| index).collect();
    if found.is_empty() {
        return Err(Reject::at_node(Reason::EndorsementTarget, document, Some(signature.element)));
    }
    Ok(found)
}

/// Whether the n-th signature needs a claim of its own. One that covers the primary signature can come with that alone, which is claimed.
pub(super) fn is_claimed(header: &Header, number: usize) -> bool {
    !header.endorses(number) || header.endorsers_from == Some(0)
}

impl Facts {
    /// Notes what a Reference covers: for the parts of the message, or apart from them.
    pub(super) fn cover(&mut self, endorses: bool, fact: CoveredFact) {
        if endorses { self.endorsed.push(fact) } else { self.covered.push(fact) }
    }

    /// Whether the n-th signature, which endorses, covers that very node, whole.
    fn endorses(&self, number: usize, node: NodeId) -> bool {
        let whole = |fact: &CoveredFact| fact.removed.is_none() && fact.replaced.is_empty();
        self.endorsed.iter().any(|fact| {
            fact.signature == number && (fact.tokens.contains(&node) || (fact.target == node && whole(fact)))
        })
    }
}

/// Every endorsing signature covers what it has to, and its certificate stands in the message as the plan demands.
pub(super) fn conform(work: &Work<'_>, header: &Header) -> Result<(), Reject> {
    let Some(from) = header.endorsers_from else { return Ok(()) };
    let document = work.envelope.document();
    for rule in &work.plan.endorse {
        if !work.facts.signers.iter().skip(from).any(|signer| signer.by() == rule.by) {
            return Err(Reject::new(Reason::EndorsementMissing));
        }
    }
    for (number, signer) in work.facts.signers.iter().enumerate().skip(from) {
        let at = |reason, node| Err(Reject::at_node(reason, document, Some(node)));
        let target = header.endorsed(number).ok_or_else(|| Reject::new(Reason::TimestampMissing))?;
        if !work.facts.endorses(number, target) {
            return at(Reason::EndorsementTarget, signer.element);
        }
        let Some(rule) = rule(work.plan, signer.by()) else {
            return at(Reason::SignatureSigner, signer.element);
        };
        check_token(work, number, signer, rule)?;
        check_parts(work, header, number, rule)?;
    }
    Ok(())
}

/// The endorser's token in the message, covered by both signatures and encrypted, as the rule says.
fn check_token(
    work: &Work<'_>,
    number: usize,
    signer: &SignerFact,
    rule: &EndorseRule,
) -> Result<(), Reject> {
    let document = work.envelope.document();
    let at = |reason, node| Err(Reject::at_node(reason, document, Some(node)));
    if rule.token.inclusion == Inclusion::Must && signer.token.is_none() && !signer.form.in_message() {
        return at(Reason::TokenNotSent, signer.element);
    }
    let Some(token) = signer.token.and_then(|node| document.element(node)) else {
        // One that stands inside of the reference is neither signed by the message's signature nor encrypted.
        let inside = signer.form.in_message() && (rule.signed || rule.encrypted);
        return if inside { at(Reason::CoverageTokenNotSigned, signer.element) } else { Ok(()) };
    };
    if rule.signed && work.facts.covering(document, token).is_none() {
        return at(Reason::CoverageTokenNotSigned, token.id());
    }
    if rule.encrypted && !work.facts.was_ciphertext(token) {
        return at(Reason::CoverageElementNotEncrypted, token.id());
    }
    if rule.token.protect == Protect::Token && !work.facts.endorses(number, token.id()) {
        return at(Reason::CoverageTokenNotSigned, token.id());
    }
    Ok(())
}

/// What the rule has the endorsing signature cover besides, where it is in the message.
fn check_parts(work: &Work<'_>, header: &Header, number: usize, rule: &EndorseRule) -> Result<(), Reject> {
    for part in &rule.parts {
        let mut nodes = nodes_of(work, header, part).into_iter();
        if let Some(node) = nodes.find(|node| !work.facts.endorses(number, node.id())) {
            return Err(Reject::at(not_signed(part), node).hinting(Hint::Part(part.clone())));
        }
    }
    Ok(())
}

/// Whether this node is a token that no change goes unseen of, so that it needs no cover: a certificate that verified an endorsing signature, or a
/// UsernameToken that is under its own.
pub(super) fn is_endorsing_token(work: &Work<'_>, header: &Header, node: NodeId) -> bool {
    let from = header.endorsers_from.unwrap_or(usize::MAX);
    let mut endorsers = work.facts.signers.iter().enumerate().skip(from);
    endorsers.any(|(number, signer)| {
        signer.token == Some(node) && (signer.certificate().is_some() || work.facts.endorses(number, node))
    })
}

/// Who endorsed the message.
pub(super) fn endorsers(work: &Work<'_>, header: &Header) -> Vec<Caller> {
    let from = header.endorsers_from.unwrap_or(usize::MAX);
    let principal = |signer: &SignerFact| match &signer.key {
        SignerKey::Certificate(certificate) => {
            Some(Caller::of_certificate(certificate.clone(), ProvedBy::X509Endorsement))
        }
        SignerKey::User { .. } => {
            let fact = work.facts.user.as_ref()?;
            Some(Caller::of_user(fact.user.clone(), ProvedBy::UsernameEndorsement))
        }
        SignerKey::Secret(_) => None,
    };
    work.facts.signers.iter().skip(from).filter_map(principal).collect()
}

/// Whether the user of the message's token endorses it: then he is no sender for having a token beside the signature.
pub(super) fn by_user(plan: &InPlan) -> bool {
    rule(plan, SignedBy::UsernameToken).is_some()
}
