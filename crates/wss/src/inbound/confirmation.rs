//! SignatureConfirmation: each signature that we sent confirmed exactly once, as octets, nothing else confirmed (SMS 1.1 §8.5).
//!
//! Not here: that each is covered by the reply's signature (`conform` checks it by node identity).

use bartizan_crypto::{base64, equal};
use bartizan_soap::addressing::is_addressing;
use bartizan_xml::names::{attr, wsse11, wsu};
use bartizan_xml::{Element, NodeId};

use super::Work;
use super::shape::Header;
use crate::context::Warning;
use crate::error::{Hint, Reject};
use crate::plan::{ConfirmationRule, Side};
use crate::reason::Reason;
use crate::request::SentSignatures;

/// Longest confirmed value, in octets of base64.
const MAX_VALUE: usize = 4096;

/// A SignatureConfirmation of the header.
pub(super) struct Confirmation {
    pub(super) node: NodeId,
    /// The decoded value; `None` says that the request had no signature.
    pub(super) value: Option<Vec<u8>>,
}

/// Reads a SignatureConfirmation.
pub(super) fn read(element: Element<'_>) -> Result<Confirmation, Reject> {
    let malformed = || Reject::at(Reason::HeaderMalformedChild, element);
    // SMS 1.1 §8.5 gives the attribute no namespace; some schemas of the time qualify it.
    let known = [attr::VALUE, wsu::ID];
    if element.attrs().any(|a| !known.contains(&a.name())) || element.children().next().is_some() {
        return Err(malformed());
    }
    debug_assert!(element.is(wsse11::SIGNATURE_CONFIRMATION));
    let value = match element.attr(attr::VALUE) {
        None => None,
        Some(text) if text.len() <= MAX_VALUE => Some(base64::decode(text).map_err(|_| malformed())?),
        Some(_) => return Err(malformed()),
    };
    Ok(Confirmation { node: element.id(), value })
}

/// Compares what is confirmed with what was sent.
pub(super) fn check(work: &mut Work<'_>, header: &Header) -> Result<(), Reject> {
    let document = work.envelope.document();
    let at = |reason, node| Reject::at_node(reason, document, Some(node));
    let confirmations = &header.confirmations;
    if work.side == Side::Recipient {
        // A request confirms nothing.
        return match confirmations.first() {
            Some(first) => Err(at(Reason::ConfirmationWrong, first.node)),
            None => Ok(()),
        };
    }
    let Some(sent) = work.env.sent else {
        return match (work.plan.confirmation, confirmations.first()) {
            (ConfirmationRule::Demand, _) => Err(Reject::new(Reason::ConfirmationMissing)),
            (_, Some(first)) => Err(at(Reason::ConfirmationWrong, first.node)),
            _ => Ok(()),
        };
    };
    if sent.hidden() {
        let document = work.envelope.document();
        let mut shown = confirmations.iter().filter_map(|c| document.element(c.node));
        if shown.any(|element| !work.facts.encrypted(element)) {
            work.context.warn(Warning::ConfirmationInClear);
        }
    }
    let mut confirmed = vec![false; sent.values().len()];
    for confirmation in confirmations {
        let Some(value) = &confirmation.value else {
            // Without a value it says "there was no signature", which must be so, and be said once.
            if !sent.values().is_empty() {
                return Err(at(Reason::ConfirmationWrong, confirmation.node));
            }
            if confirmations.len() > 1 {
                return Err(at(Reason::ConfirmationDuplicate, confirmation.node));
            }
            continue;
        };
        let place = sent.values().iter().position(|s| equal::constant_time(s, value));
        match place.and_then(|i| confirmed.get_mut(i)) {
            None => return Err(at(Reason::ConfirmationWrong, confirmation.node)),
            Some(done) if *done => return Err(at(Reason::ConfirmationDuplicate, confirmation.node)),
            Some(done) => *done = true,
        }
    }
    let missing = confirmed.contains(&false) || (sent.values().is_empty() && confirmations.is_empty());
    match work.plan.confirmation {
        ConfirmationRule::Demand if missing => return Err(Reject::new(Reason::ConfirmationMissing)),
        ConfirmationRule::Warn if missing => work.context.warn(Warning::NotConfirmed),
        _ => {}
    }
    work.context.confirmed = confirmations.len();
    let by_value = confirmed.contains(&true);
    if related(work, sent)? || by_value {
        return Ok(());
    }
    match sent.secret() {
        // Under a secret of several requests somebody could exchange their replies, or serve an old one again.
        Some(_) if sent.shares().is_some() => return Err(Reject::new(Reason::ConfirmationUnbound)),
        // A reply under the secret that went out with the request, and with no other, is to that request.
        Some(_) => {}
        None => work.context.warn(Warning::ReplyNotBound),
    }
    Ok(())
}

/// Whether a signed RelatesTo names the message that was sent; one that names another is a reply to that.
fn related(work: &Work<'_>, sent: &SentSignatures) -> Result<bool, Reject> {
    let (Some(id), document) = (sent.message_id(), work.envelope.document()) else { return Ok(false) };
    let relates = |b: &Element<'_>| is_addressing(*b) && b.local_name() == "RelatesTo";
    let mut found = false;
    for block in work.envelope.blocks().filter(relates) {
        if work.facts.covering(document, block).is_none() {
            continue;
        }
        if block.text().trim() != id {
            let at = Reject::at(Reason::ConfirmationWrong, block);
            return Err(at.hinting(Hint::Element("RelatesTo".into())));
        }
        found = true;
    }
    Ok(found)
}
