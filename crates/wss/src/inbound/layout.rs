//! The order of the Security header (WS-SecurityPolicy 1.3 §6.7).
//!
//! Strict: a token stands before what uses it, a signed element of the header before the signature, an EncryptedKey before the data under it,
//! and what must be undone first stands first.

use bartizan_xml::NodeId;
use bartizan_xmlsec::{KeyInfo, RefUri, Reference};

use super::derived::Base;
use super::shape::{ChildKind, Header};
use super::{Order, Work, order_of, reference};
use crate::context::Warning;
use crate::error::{Hint, Reject};
use crate::plan::{Breach, Layout};
use crate::reason::Reason;

/// Checks the layout that the plan demands; a breach refuses, or warns, as the plan says.
pub(super) fn check(work: &mut Work<'_>, header: &Header) -> Result<(), Reject> {
    let offender = match work.plan.header.layout {
        Layout::Lax => None,
        Layout::LaxTimestampFirst => stamp_not_at(header, header.children.first().map(|c| c.node)),
        Layout::LaxTimestampLast => stamp_not_at(header, header.children.last().map(|c| c.node)),
        Layout::Strict => strict(work, header),
    };
    let Some(node) = offender else { return Ok(()) };
    match work.plan.header.breach {
        Breach::Refuse => {
            let at = Reject::at_node(Reason::HeaderLayout, work.envelope.document(), Some(node));
            Err(at.hinting(Hint::Layout(work.plan.header.layout)))
        }
        Breach::Warn => {
            work.context.warn(Warning::Layout);
            Ok(())
        }
    }
}

fn stamp_not_at(header: &Header, place: Option<NodeId>) -> Option<NodeId> {
    header.timestamp.map(|t| t.node).filter(|node| Some(*node) != place)
}

/// The first element that stands where Strict does not allow it.
fn strict(work: &Work<'_>, header: &Header) -> Option<NodeId> {
    let place = |node: NodeId| header.children.iter().position(|c| c.node == node);
    let document = work.envelope.document();
    for (here, child) in header.children.iter().enumerate() {
        let late = |node: NodeId| place(node).is_some_and(|p| p > here);
        // Whether a KeyInfo points at a token that stands further down.
        let early = |info: Option<&KeyInfo>| {
            let named = info.and_then(|i| reference::read(i, document, &header.tokens).ok());
            match named {
                Some(reference::Named::Token(index)) => {
                    header.tokens.get(index).is_some_and(|t| late(t.node))
                }
                Some(reference::Named::EncryptedKey(id)) => {
                    header.keys.iter().any(|k| k.id.as_deref() == Some(&*id) && late(k.element))
                }
                Some(reference::Named::Derived(node)) => late(node),
                Some(reference::Named::User(node)) => {
                    header.username.as_ref().is_some_and(|t| t.node == node && late(t.place))
                }
                _ => false,
            }
        };
        let breach = match child.kind {
            ChildKind::Signature => {
                let signature = header.signatures.iter().find(|s| s.element == child.node)?;
                let signs_later = |r: &Reference| match &r.uri {
                    RefUri::Id(id) => document.by_id(id).ok().flatten().is_some_and(|e| late(e.id())),
                    RefUri::Document | RefUri::Attachment(_) => false,
                };
                early(signature.key_info.as_ref()) || signature.references.iter().any(signs_later)
            }
            ChildKind::EncryptedKey => {
                let key = header.keys.iter().find(|k| k.element == child.node)?;
                early(key.key_info.as_ref())
            }
            ChildKind::DerivedKey => {
                let token = header.derived.iter().find(|d| d.node == child.node)?;
                matches!(token.base, Base::Key(n) if header.keys.get(n).is_some_and(|k| late(k.element)))
            }
            _ => false,
        };
        if breach {
            return Some(child.node);
        }
    }
    undone_first(work, header)
}

/// What was applied last stands first: the lists before the signature where it is over plaintext, behind it where it is over ciphertext.
fn undone_first(work: &Work<'_>, header: &Header) -> Option<NodeId> {
    let signature = header.children.iter().position(|c| c.kind == ChildKind::Signature)?;
    let order = order_of(work.plan.order, false);
    if work.plan.order == crate::plan::ProtectionOrder::AsFound {
        return None;
    }
    let mut lists = header.children.iter().enumerate().filter(|(_, c)| header.carries_list(**c));
    let wrong = lists.find(|(place, _)| match order {
        Order::DecryptThenDigest => *place > signature,
        Order::DigestThenDecrypt => *place < signature,
    });
    wrong.map(|(_, child)| child.node)
}
