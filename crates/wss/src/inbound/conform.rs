//! The verdict: what was observed against what the plan demands. Only what leaves here becomes a `Verified`.
//!
//! Parts are found by position; coverage is by node identity; the two must meet. An Id plays no role here.

use bartizan_soap::Envelope;
use bartizan_soap::header::addressee;
use bartizan_xml::names::{wsse11, wsu};
use bartizan_xml::{Element, NodeId};
use bartizan_xmlsec::Signature;

use super::Work;
use super::confirmation;
use super::facts::{CoveredFact, SignerFact};
use super::shape::Header;
use super::signature::Digested;
use crate::caller::{Caller, ProvedBy};
use crate::context::{PartEvidence, Protection, SecurityContext, SeenToken, TokenEvidence, Use, Warning};
use crate::env::Transport;
use crate::error::{Hint, Reject};
use crate::part::{Need, Part, Require};
use crate::plan::{Breach, Inclusion, Protect, Surplus, Targets};
use crate::reason::Reason;
use crate::request::RequestFacts;
use crate::verified::{CoveredPart, PartKind};

/// Most nodes that one part may mean (a path such as `//x`, a namespace of headers). Each is reported with its path.
const MAX_NODES: usize = 1024;

/// The plan is satisfied.
pub(super) struct Conformed<'e> {
    work: Work<'e>,
    header: Header,
    parts: Vec<CoveredPart>,
    alternative: usize,
}

impl<'e> Digested<'e> {
    /// Holds what was observed against the plan.
    pub(super) fn conform(self) -> Result<Conformed<'e>, Reject> {
        let Digested { mut work, header } = self;
        let candidates = std::mem::take(&mut work.candidates);
        let mut objection = None;
        for (number, plan) in candidates {
            work.plan = plan;
            let before = work.context.mark();
            let verdict = check_revealed(&work, &header)
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
    /// Freezes the evidence and hands the parts over of which a `Verified` is made.
    pub(super) fn into_parts(self) -> (Envelope, Vec<CoveredPart>, SecurityContext, RequestFacts) {
        let Conformed { mut work, header, parts, alternative } = self;
        let requester = speaker(&work, &parts).and_then(|s| s.certificate().cloned());
        work.context.caller = match (&requester, work.env.transport) {
            (Some(certificate), _) => {
                Some(Caller::of_certificate(certificate.clone(), ProvedBy::X509Signature))
            }
            (None, Transport::Tls { client: Some(client) }) => {
                Some(Caller::of_certificate(client.clone(), ProvedBy::ClientCertificate))
            }
            (None, _) => None,
        };
        let request = RequestFacts {
            version: work.envelope.version(),
            signature_values: header.signatures.into_iter().map(|s| s.value).collect(),
            requester,
            signature_was_encrypted: header.revealed,
            alternative,
        };
        (work.envelope, parts, work.context, request)
    }
}

/// The signer who speaks for the message.
///
/// A plan that asks for protection lets one signature in, and its signer it is. A plan that takes what it finds may meet signatures of several
/// signers over different parts: then the sender is who signed the Body, and only if nobody else signed anything that is shown. Who signed
/// something beside an open Body has said nothing about it.
fn speaker<'w>(work: &'w Work<'_>, parts: &[CoveredPart]) -> Option<&'w SignerFact> {
    let first = work.facts.signers.first();
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
    check_token(work)?;
    confirmation::check(work, header)?;
    check_confirmations_signed(work, header)?;
    let mut parts = Vec::new();
    for require in &work.plan.required {
        demand(work, header, require, &mut parts)?;
    }
    check_unprotected(work)?;
    if work.plan.surplus == Surplus::Allow {
        if work.envelope.blocks().count() > MAX_NODES {
            return Err(Reject::new(Reason::MessageLimit));
        }
        if work.facts.covered.is_empty() && work.facts.decrypted.is_empty() {
            return Err(Reject::new(Reason::CoverageNothing));
        }
        show_covered(work, header, &mut parts);
    }
    for part in &work.plan.open_parts {
        for node in nodes_of(work, header, part) {
            add(&mut parts, node, kind_of(part), Protection::Open, None);
        }
    }
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
            _ => Reason::CoveragePartMissing,
        };
        return Err(Reject::new(reason).hinting(Hint::Part(require.part.clone())));
    }
    for element in nodes {
        let refuse = |reason| Err(Reject::at(reason, element).hinting(Hint::Part(require.part.clone())));
        if require.encrypted != Need::No && !work.facts.encrypted(document, element) {
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

/// The elements at the position of a part.
fn nodes_of<'w>(work: &'w Work<'_>, header: &Header, part: &Part) -> Vec<Element<'w>> {
    let document = work.envelope.document();
    let element = |node: NodeId| document.element(node);
    match part {
        Part::Body => vec![work.envelope.body()],
        Part::Header { ns, local } => {
            let named = |e: &Element<'_>| {
                e.namespace() == Some(ns) && local.as_deref().is_none_or(|l| e.local_name() == l)
            };
            blocks(work, header).filter(named).collect()
        }
        Part::Headers => {
            let version = work.envelope.version();
            blocks(work, header).filter(|e| addressee(*e, version).is_us()).collect()
        }
        Part::Timestamp => header.timestamp.and_then(|t| element(t.node)).into_iter().collect(),
        Part::Token => work.facts.signers.iter().filter_map(|s| element(s.token?)).collect(),
        Part::UsernameToken => Vec::new(),
        Part::Signature => header.signatures.iter().filter_map(|s| element(s.element)).collect(),
        Part::SignatureConfirmation => header.confirmations.iter().filter_map(|c| element(c.node)).collect(),
        Part::Element { path, .. } => path.select(document),
    }
}

/// The header blocks other than our Security; an EncryptedHeader stands for the block that it holds.
fn blocks<'w>(work: &'w Work<'_>, header: &Header) -> impl Iterator<Item = Element<'w>> {
    let security = header.security;
    work.envelope.blocks().filter(move |b| Some(b.id()) != security).map(|block| {
        let inner = block.is(wsse11::ENCRYPTED_HEADER).then(|| block.elements().next()).flatten();
        inner.filter(|e| e.grafted()).unwrap_or(block)
    })
}

fn kind_of(part: &Part) -> PartKind {
    match part {
        Part::Body => PartKind::Body,
        Part::Header { .. } | Part::Headers => PartKind::Header,
        Part::Element { .. } => PartKind::Element,
        Part::Timestamp
        | Part::Token
        | Part::UsernameToken
        | Part::Signature
        | Part::SignatureConfirmation => PartKind::Security,
    }
}

fn not_signed(part: &Part) -> Reason {
    match part {
        Part::Body => Reason::CoverageBodyNotSigned,
        Part::Header { .. } | Part::Headers => Reason::CoverageHeaderNotSigned,
        Part::Timestamp => Reason::CoverageTimestampNotSigned,
        Part::Token | Part::UsernameToken => Reason::CoverageTokenNotSigned,
        Part::SignatureConfirmation => Reason::CoverageConfirmationNotSigned,
        Part::Element { .. } | Part::Signature => Reason::CoverageElementNotSigned,
    }
}

fn not_encrypted(part: &Part) -> Reason {
    match part {
        Part::Body => Reason::CoverageBodyNotEncrypted,
        Part::Header { .. } | Part::Headers => Reason::CoverageHeaderNotEncrypted,
        Part::Signature => Reason::CoverageSignatureNotEncrypted,
        Part::Element { .. }
        | Part::Timestamp
        | Part::Token
        | Part::UsernameToken
        | Part::SignatureConfirmation => Reason::CoverageElementNotEncrypted,
    }
}

/// OnlySignEntireHeadersAndBody: a Reference's target is the Body, a header block or a child of our Security.
fn check_targets(work: &Work<'_>, header: &Header) -> Result<(), Reject> {
    if work.plan.header.targets == Targets::Any {
        return Ok(());
    }
    let document = work.envelope.document();
    for fact in &work.facts.covered {
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
fn check_token(work: &Work<'_>) -> Result<(), Reject> {
    let document = work.envelope.document();
    let Some(signer) = work.facts.signers.first() else { return Ok(()) };
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
        .filter(|_| token.is_none() && signer.form.in_message())
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
fn check_unprotected(work: &Work<'_>) -> Result<(), Reject> {
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
        let fine = fact.restored.iter().all(|n| signature(n) || covered(*n))
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

/// Under a plan that takes what it finds: the Body and every header block that a signature covers.
fn show_covered(work: &Work<'_>, header: &Header, parts: &mut Vec<CoveredPart>) {
    let document = work.envelope.document();
    let body = std::iter::once((work.envelope.body(), PartKind::Body));
    let stamp = header.timestamp.and_then(|t| document.element(t.node)).map(|e| (e, PartKind::Security));
    for (element, kind) in body.chain(blocks(work, header).map(|b| (b, PartKind::Header))).chain(stamp) {
        if let Some(fact) = work.facts.covering(document, element) {
            add(parts, element, kind, Protection::Signature(fact.signature), Some(fact));
        }
    }
}

fn evidence(work: &Work<'_>, part: &CoveredPart) -> Option<PartEvidence> {
    let document = work.envelope.document();
    let element = document.element(part.node)?;
    Some(PartEvidence {
        path: path_of(work, part).unwrap_or_else(|| element.path()),
        id: element.attr(wsu::ID).map(str::to_owned),
        signed: matches!(part.protection, Protection::Signature(_)),
        encrypted: work.facts.encrypted(document, element),
        protection: part.protection,
    })
}

/// The path that was noted when the part's digest was checked.
fn path_of(work: &Work<'_>, part: &CoveredPart) -> Option<String> {
    let Protection::Signature(number) = part.protection else { return None };
    let mut of_signature = work.facts.covered.iter().filter(|fact| fact.signature == number);
    let reference = of_signature.position(|fact| fact.target == part.node)?;
    work.context.signatures.get(number)?.covers.get(reference).cloned()
}

/// Parts that are encrypted and neither signed nor open stand in the evidence, too: nobody may read them.
fn note_encrypted_only(work: &mut Work<'_>, header: &Header) {
    let mut more = Vec::new();
    for require in work.plan.required.iter().filter(|r| r.encrypted != Need::No && r.signed == Need::No) {
        for element in nodes_of(work, header, &require.part) {
            let path = element.path();
            if work.context.parts.iter().all(|p| p.path != path) {
                let id = element.attr(wsu::ID).map(str::to_owned);
                more.push(PartEvidence {
                    path,
                    id,
                    signed: false,
                    encrypted: true,
                    protection: Protection::Open,
                });
            }
        }
    }
    work.context.parts.extend(more);
}

/// Under a plan that takes what it finds, a Body that no signature covers is said to be so. It is not shown.
fn note_open_body(work: &mut Work<'_>) {
    if work.plan.surplus == Surplus::Refuse {
        return;
    }
    let body = work.envelope.body();
    let path = body.path();
    if work.context.parts.iter().any(|p| p.path == path) {
        return;
    }
    let encrypted = work.facts.encrypted(work.envelope.document(), body);
    let id = body.attr(wsu::ID).map(str::to_owned);
    work.context.parts.push(PartEvidence {
        path,
        id,
        signed: false,
        encrypted,
        protection: Protection::Open,
    });
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
