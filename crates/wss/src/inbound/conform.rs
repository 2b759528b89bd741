//! The verdict: what was observed against what the plan demands. Only what leaves here becomes a `Verified`.
//!
//! Parts are found by position; coverage is by node identity; the two must meet. An Id plays no role here.

use bartizan_soap::Envelope;
use bartizan_xml::names::wsse11;
use bartizan_xml::{Element, NodeId};
use bartizan_xmlsec::Signature;

use super::Work;
use super::confirmation;
use super::derived;
use super::endorse;
use super::facts::CoveredFact;
use super::kept;
use super::positions::{
    blocks, evidence, kind_of, nodes_of, not_encrypted, not_signed, note_encrypted_only, note_open_body,
};
use super::shape::Header;
use super::speaker;
use super::user::Proved;
use crate::context::{Protection, SecurityContext, SeenToken, TokenEvidence, Use, Warning};
use crate::error::{Hint, Reject};
use crate::part::{EncryptHow, Need, Part, Require};
use crate::plan::{Breach, Inclusion, Protect, Surplus, Targets};
use crate::reason::Reason;
use crate::request::RequestFacts;
use crate::verified::{CoveredPart, PartKind};

/// Most nodes that one part may mean (a path such as `//x`, a namespace of headers). Each is reported with its path.
const MAX_NODES: usize = 1024;

/// The plan is satisfied.
pub(super) struct Conformed<'e> {
    pub(super) work: Work<'e>,
    pub(super) header: Header,
    pub(super) parts: Vec<CoveredPart>,
    alternative: usize,
}

impl<'e> Proved<'e> {
    /// Holds what was observed against the plan.
    pub(super) fn conform(self) -> Result<Conformed<'e>, Reject> {
        let Proved { mut work, header } = self;
        let candidates = std::mem::take(&mut work.candidates);
        let mut objection = None;
        for (number, plan) in candidates {
            work.plan = plan;
            let before = work.context.mark();
            let verdict = check_revealed(&work, &header)
                .and_then(|()| header.check_kept(&work, number))
                .and_then(|()| judge(&mut work, &header))
                .and_then(|parts| unused_tokens(&mut work, &header).map(|()| parts));
            match verdict {
                Ok(parts) => {
                    work.context.alternative = Some(number);
                    return Ok(Conformed { work, header, parts, alternative: number });
                }
                Err(reject) => {
                    objection.get_or_insert(reject);
                    work.context.back_to(before);
                }
            }
        }
        Err(work.refuse(objection.unwrap_or_else(|| Reject::new(Reason::CoverageNothing))))
    }
}

impl Conformed<'_> {
    /// Keeps what is to be kept, freezes the evidence and hands the parts over of which a `Verified` is made.
    pub(super) fn into_parts(self) -> (Envelope, Vec<CoveredPart>, SecurityContext, RequestFacts) {
        let Conformed { work, header, parts, alternative } = self;
        let signer = speaker::signer(&work, &header, &parts);
        let requester = signer.and_then(|s| s.certificate().cloned());
        kept::remember(&work, &header, signer.map(|s| &s.key), alternative);
        let request = RequestFacts {
            version: work.envelope.version(),
            signature_values: header.signatures.into_iter().map(|s| s.value).collect(),
            requester,
            secret: derived::of_exchange(&work),
            signature_was_encrypted: header.revealed,
            alternative,
        };
        (work.envelope, parts, work.context, request)
    }
}

/// A signature that came out of ciphertext was read for every alternative; it must be what this one asks for.
fn check_revealed(work: &Work<'_>, header: &Header) -> Result<(), Reject> {
    header.check_surplus(work)?;
    let permits = |s: &Signature| {
        work.plan.algorithms.permits(s.method)
            && s.references.iter().all(|r| work.plan.algorithms.permits(r.digest))
    };
    match header.signatures.iter().find(|s| !permits(s)) {
        Some(other) => {
            Err(Reject::at_node(Reason::SignatureAlgorithm, work.envelope.document(), Some(other.element)))
        }
        None => Ok(()),
    }
}

fn judge(work: &mut Work<'_>, header: &Header) -> Result<Vec<CoveredPart>, Reject> {
    check_targets(work, header)?;
    check_token(work, header)?;
    endorse::conform(work, header)?;
    confirmation::check(work, header)?;
    check_confirmations_signed(work, header)?;
    let mut parts = Vec::new();
    for require in &work.plan.required {
        demand(work, header, require, &mut parts)?;
    }
    check_unprotected(work, header)?;
    header.check_derived_used(work)?;
    if work.plan.surplus == Surplus::Allow {
        if work.envelope.blocks().count() > MAX_NODES {
            return Err(Reject::new(Reason::MessageLimit));
        }
        if work.facts.covered.is_empty() && work.facts.decrypted.is_empty() {
            return Err(Reject::new(Reason::CoverageNothing));
        }
        let uncovered = show_covered(work, header, &mut parts);
        uncovered.into_iter().for_each(|w| work.context.warn(w));
    }
    if work.plan.transport.is_some() {
        for part in [Part::Body, Part::Headers, Part::Timestamp] {
            for node in nodes_of(work, header, &part) {
                add(&mut parts, node, kind_of(&part), Protection::Transport, None);
            }
        }
    }
    for part in &work.plan.open_parts {
        for node in nodes_of(work, header, part) {
            add(&mut parts, node, kind_of(part), Protection::Open, None);
        }
    }
    speaker::check(work, header, &parts)?;
    work.context.parts = parts.iter().filter_map(|p| evidence(work, p)).collect();
    note_encrypted_only(work, header);
    note_open_body(work);
    Ok(parts)
}

/// One requirement: every node at the part's position must be covered as demanded.
fn demand(
    work: &Work<'_>,
    header: &Header,
    require: &Require,
    parts: &mut Vec<CoveredPart>,
) -> Result<(), Reject> {
    let document = work.envelope.document();
    let nodes = nodes_of(work, header, &require.part);
    if nodes.len() > MAX_NODES {
        return Err(Reject::new(Reason::MessageLimit).hinting(Hint::Part(require.part.clone())));
    }
    if nodes.is_empty() && require.must_be_there() {
        let reason = match require.part {
            Part::Timestamp => Reason::TimestampMissing,
            Part::Signature => Reason::SignatureMissing,
            Part::UsernameToken => Reason::UsernameMissing,
            _ => Reason::CoveragePartMissing,
        };
        return Err(Reject::new(reason).hinting(Hint::Part(require.part.clone())));
    }
    for element in nodes {
        let refuse = |reason| Err(Reject::at(reason, element).hinting(Hint::Part(require.part.clone())));
        let by_path = matches!(require.part, Part::Element { .. });
        let encrypted = match require.how {
            EncryptHow::Element if by_path => work.facts.was_ciphertext(element),
            EncryptHow::Element | EncryptHow::Content => work.facts.encrypted(element),
        };
        if require.encrypted != Need::No && !encrypted {
            return refuse(not_encrypted(&require.part));
        }
        if require.signed == Need::No {
            continue;
        }
        match work.facts.covering(document, element) {
            Some(fact) => {
                add(parts, element, kind_of(&require.part), Protection::Signature(fact.signature), Some(fact))
            }
            None => return refuse(not_signed(&require.part)),
        }
    }
    Ok(())
}

fn add(
    parts: &mut Vec<CoveredPart>,
    element: Element<'_>,
    kind: PartKind,
    protection: Protection,
    fact: Option<&CoveredFact>,
) {
    if parts.iter().any(|p| p.node == element.id()) {
        return;
    }
    let prefixes = fact.map(|f| f.prefixes.clone()).unwrap_or_default();
    let hole = fact.and_then(|f| f.removed);
    parts.push(CoveredPart { node: element.id(), kind, protection, prefixes, hole });
}

/// OnlySignEntireHeadersAndBody: a Reference's target is the Body, a header block or a child of our Security.
fn check_targets(work: &Work<'_>, header: &Header) -> Result<(), Reject> {
    if work.plan.header.targets == Targets::Any {
        return Ok(());
    }
    let document = work.envelope.document();
    for fact in work.facts.covered.iter().chain(&work.facts.endorsed) {
        // A reference to a token that was digested in its own place: the token is what is signed.
        if fact.replaced.contains(&fact.target) {
            continue;
        }
        let Some(target) = document.element(fact.target) else { continue };
        let parent = target.parent();
        let above = parent.and_then(|p| p.parent()).map(|p| p.id());
        let whole = target.id() == work.envelope.body_id()
            || parent.is_some_and(|p| {
                Some(p.id()) == work.envelope.header_id() || Some(p.id()) == header.security
            })
            || parent.is_some_and(|p| p.is(wsse11::ENCRYPTED_HEADER) && above == work.envelope.header_id());
        if !whole {
            return Err(Reject::at(Reason::SignatureTarget, target));
        }
    }
    Ok(())
}

/// The token in the message, and signed, where the plan demands it.
fn check_token(work: &Work<'_>, header: &Header) -> Result<(), Reject> {
    let document = work.envelope.document();
    let Some(signer) = work.facts.signers.first().filter(|_| !header.endorses(0)) else { return Ok(()) };
    let at = |reason, node| Err(Reject::at_node(reason, document, Some(node)));
    if work.plan.token.inclusion == Inclusion::Must && signer.token.is_none() && !signer.form.in_message() {
        return at(Reason::TokenNotSent, signer.element);
    }
    if work.plan.token.protect == Protect::No {
        return Ok(());
    }
    let token = signer.token.and_then(|node| document.element(node));
    // A token that stands inside the reference is covered only with the reference.
    let embedded = signer
        .reference
        .filter(|_| token.is_none() && signer.form.in_message() && signer.certificate().is_some())
        .and_then(|node| document.element(node));
    match token.or(embedded) {
        Some(element) if work.facts.covering(document, element).is_none() => {
            at(Reason::CoverageTokenNotSigned, element.id())
        }
        _ => Ok(()),
    }
}

/// A confirmation that its own message's signature does not cover proves nothing.
fn check_confirmations_signed(work: &Work<'_>, header: &Header) -> Result<(), Reject> {
    let document = work.envelope.document();
    for confirmation in &header.confirmations {
        let Some(element) = document.element(confirmation.node) else { continue };
        if work.facts.covering(document, element).is_none_or(|f| f.signature != 0) {
            return Err(Reject::at(Reason::CoverageConfirmationNotSigned, element));
        }
    }
    Ok(())
}

/// Plaintext of a cipher without integrity must have ended up under a signature.
fn check_unprotected(work: &Work<'_>, header: &Header) -> Result<(), Reject> {
    let document = work.envelope.document();
    if work.plan.lone_cipher == Breach::Warn {
        return Ok(());
    }
    for fact in work.facts.decrypted.iter().filter(|d| !d.aead) {
        // A decrypted signature needs no cover: it is one.
        let signature =
            |node: &NodeId| work.facts.signers.iter().any(|s| s.element == *node && s.was_encrypted);
        let covered =
            |node: NodeId| document.element(node).is_some_and(|e| work.facts.covering(document, e).is_some());
        let proved = |node: &NodeId| signature(node) || endorse::is_endorsing_token(work, header, *node);
        let fine = fact.restored.iter().all(|n| proved(n) || covered(*n))
            && (!fact.restored.is_empty() || covered(fact.parent));
        if !fine {
            return Err(Reject::at_node(
                Reason::EncryptionUnprotected,
                document,
                fact.restored.first().copied(),
            ));
        }
    }
    Ok(())
}

/// Under a plan that takes what it finds: the Body and every header block that a signature covers. Gives what none covers.
fn show_covered(work: &Work<'_>, header: &Header, parts: &mut Vec<CoveredPart>) -> Vec<Warning> {
    let mut uncovered = Vec::new();
    let document = work.envelope.document();
    let body = std::iter::once((work.envelope.body(), PartKind::Body));
    let stamp = header.timestamp.and_then(|t| document.element(t.node)).map(|e| (e, PartKind::Security));
    let token =
        header.username.as_ref().and_then(|t| document.element(t.node)).map(|e| (e, PartKind::Security));
    for (element, kind) in
        body.chain(blocks(work, header).map(|b| (b, PartKind::Header))).chain(stamp).chain(token)
    {
        if let Some(fact) = work.facts.covering(document, element) {
            add(parts, element, kind, Protection::Signature(fact.signature), Some(fact));
        } else if kind == PartKind::Header {
            uncovered.push(Warning::HeaderNotCovered(element.path()));
        }
    }
    uncovered
}

/// Tokens that nothing points at are ignored for identity, and said.
fn unused_tokens(work: &mut Work<'_>, header: &Header) -> Result<(), Reject> {
    for token in &header.tokens {
        if work.context.tokens.iter().any(|t| t.is_certificate(&token.der)) {
            continue;
        }
        let certificate = token.leaf()?.clone();
        work.context.warn(Warning::TokenUnused);
        work.context.tokens.push(TokenEvidence {
            token: SeenToken::X509(certificate),
            named: None,
            in_message: true,
            used_for: vec![Use::Nothing],
        });
    }
    Ok(())
}
