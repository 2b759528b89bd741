//! Parts by position: which elements of the message a part of the plan means, and what is said of each in the evidence.
//!
//! An Id plays no role here. Not here: whether they are protected as demanded (`conform`).

use bartizan_soap::header::addressee;
use bartizan_xml::names::{wsse11, wsu};
use bartizan_xml::{Element, NodeId};

use super::Work;
use super::shape::Header;
use crate::context::{PartEvidence, Protection};
use crate::part::{Need, Part};
use crate::plan::Surplus;
use crate::reason::Reason;
use crate::verified::{CoveredPart, PartKind};

/// The elements at the position of a part.
pub(super) fn nodes_of<'w>(work: &'w Work<'_>, header: &Header, part: &Part) -> Vec<Element<'w>> {
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
        Part::UsernameToken => header.username.as_ref().and_then(|t| element(t.node)).into_iter().collect(),
        // Of one that endorses it no part speaks (WS-SecurityPolicy 1.3 §6.4): CXF encrypts it with the other, Rampart does not.
        Part::Signature => header.primaries().iter().filter_map(|s| element(s.element)).collect(),
        Part::SignatureConfirmation => header.confirmations.iter().filter_map(|c| element(c.node)).collect(),
        Part::Element { path, .. } => path.select(document),
    }
}

/// The header blocks other than our Security; an EncryptedHeader stands for the block that it holds.
pub(super) fn blocks<'w>(work: &'w Work<'_>, header: &Header) -> impl Iterator<Item = Element<'w>> {
    let security = header.security;
    work.envelope.blocks().filter(move |b| Some(b.id()) != security).map(|block| {
        let inner = block.is(wsse11::ENCRYPTED_HEADER).then(|| block.elements().next()).flatten();
        inner.filter(|e| e.grafted()).unwrap_or(block)
    })
}

pub(super) fn kind_of(part: &Part) -> PartKind {
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

pub(super) fn not_signed(part: &Part) -> Reason {
    match part {
        Part::Body => Reason::CoverageBodyNotSigned,
        Part::Header { .. } | Part::Headers => Reason::CoverageHeaderNotSigned,
        Part::Timestamp => Reason::CoverageTimestampNotSigned,
        Part::Token | Part::UsernameToken => Reason::CoverageTokenNotSigned,
        Part::SignatureConfirmation => Reason::CoverageConfirmationNotSigned,
        Part::Element { .. } | Part::Signature => Reason::CoverageElementNotSigned,
    }
}

pub(super) fn not_encrypted(part: &Part) -> Reason {
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

pub(super) fn evidence(work: &Work<'_>, part: &CoveredPart) -> Option<PartEvidence> {
    let document = work.envelope.document();
    let element = document.element(part.node)?;
    Some(PartEvidence {
        path: path_of(work, part).unwrap_or_else(|| element.path()),
        id: element.attr(wsu::ID).map(str::to_owned),
        signed: matches!(part.protection, Protection::Signature(_)),
        encrypted: work.facts.encrypted(element),
        protection: part.protection,
    })
}

/// The path that was noted when the part's digest was checked.
pub(super) fn path_of(work: &Work<'_>, part: &CoveredPart) -> Option<String> {
    let Protection::Signature(number) = part.protection else { return None };
    let mut of_signature = work.facts.covered.iter().filter(|fact| fact.signature == number);
    let reference = of_signature.position(|fact| fact.target == part.node)?;
    work.context.signatures.get(number)?.covers.get(reference).cloned()
}

/// Parts that are encrypted and neither signed nor open stand in the evidence, too: nobody may read them.
pub(super) fn note_encrypted_only(work: &mut Work<'_>, header: &Header) {
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
pub(super) fn note_open_body(work: &mut Work<'_>) {
    if work.plan.surplus == Surplus::Refuse {
        return;
    }
    let body = work.envelope.body();
    let path = body.path();
    if work.context.parts.iter().any(|p| p.path == path) {
        return;
    }
    let encrypted = work.facts.encrypted(body);
    let id = body.attr(wsu::ID).map(str::to_owned);
    work.context.parts.push(PartEvidence {
        path,
        id,
        signed: false,
        encrypted,
        protection: Protection::Open,
    });
}
