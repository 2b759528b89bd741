//! Which alternatives of a plan a message can be for, by what stands in the clear.
//!
//! The header is read under each alternative as if it were the only one, before any key is used; an alternative that refuses it is out. Of those
//! that are left, one is followed through keys, replay claim and decryption, once, and with it all that differ from it in demands only, which
//! `conform` judges at the end. So no message is decrypted or claimed twice, and what is chosen depends on nothing that is encrypted.
//!
//! Limits: alternatives that disagree about the steps themselves (order, freshness, smallest key) and that a message fits alike by its clear
//! part are not tried one after the other: the first in the plan's order is followed, one whose order of protection is the header's before others.

use super::shape::{Header, Shaped};
use super::signature::names_node;
use super::{Candidate, Work, endorse, layout, reference};
use crate::error::Reject;
use crate::part::{Need, Part};
use crate::plan::{InPlan, Plan, ProtectionOrder, SignedBy};
use crate::reason::Reason;

/// An alternative under which the header could be read.
struct Fitting<'e> {
    candidate: Candidate<'e>,
    header: Header,
    budget: bartizan_xml::Budget,
    /// What else stands in the clear satisfies it.
    likely: bool,
}

/// Reads the header and picks the alternatives that are followed.
pub(super) fn among<'e>(mut work: Work<'e>, plan: &'e Plan) -> Result<Shaped<'e>, Reject> {
    let mut plans = plan.alternatives().map(|(inbound, _)| inbound).enumerate();
    if plan.alternatives().nth(1).is_none() {
        work.candidates = plans.collect();
        let header = Header::read(&mut work)?;
        return Ok(Shaped { work, header });
    }
    let budget = work.budget.fork();
    let mut objection = None;
    let mut fitting: Vec<Fitting<'e>> = Vec::new();
    for (number, plan) in &mut plans {
        work.plan = plan;
        work.budget = budget.fork();
        match Header::read(&mut work) {
            Ok(header) => {
                let likely = is_likely(&mut work, &header);
                let budget = work.budget.fork();
                fitting.push(Fitting { candidate: (number, plan), header, budget, likely });
            }
            Err(reject) => {
                objection.get_or_insert(reject);
            }
        }
    }
    if fitting.iter().any(|f| f.likely) {
        fitting.retain(|f| f.likely);
    }
    let in_order = |f: &Fitting<'_>| {
        let wanted = f.candidate.1.order;
        f.header.order(wanted) == f.header.order(ProtectionOrder::AsFound)
    };
    let first = fitting.iter().position(in_order).unwrap_or(0);
    if first >= fitting.len() {
        return Err(objection.unwrap_or_else(|| Reject::new(Reason::HeaderMissing)));
    }
    let followed = fitting.remove(first);
    let alike = |f: &Fitting<'_>| same_steps(&followed.header, followed.candidate.1, f.candidate.1);
    work.candidates = fitting.iter().filter(|f| alike(f)).map(|f| f.candidate).collect();
    work.candidates.push(followed.candidate);
    work.candidates.sort_by_key(|(number, _)| *number);
    work.plan = followed.candidate.1;
    work.budget = followed.budget;
    Ok(Shaped { work, header: followed.header })
}

/// Whether the clear part satisfies what is demanded of it: looked at here so that an alternative which cannot be meant is not followed. The
/// checks themselves are made again where they belong.
fn is_likely(work: &mut Work<'_>, header: &Header) -> bool {
    let (plan, document) = (work.plan, work.envelope.document());
    let in_clear = !header.targets.iter().any(|t| Some(t.parent) == header.security);
    if in_clear && header.signatures.len() < plan.signatures() {
        return false;
    }
    let named = |form| plan.token.reference.is_empty() || plan.token.reference.contains(&form);
    for (number, signature) in header.signatures.iter().enumerate() {
        let Some(info) = &signature.key_info else { continue };
        // One that names nothing yet may name a token that is encrypted.
        let Ok(key) = reference::read(info, document, &header.tokens) else { continue };
        if header.endorses(number) {
            if endorse::rule_for(plan, header, &key).is_none() {
                return false;
            }
        } else if !key.may_sign(plan) || (plan.signed_by == SignedBy::X509 && !named(key.form())) {
            return false;
        }
    }
    let stamped = plan.required.iter().any(|r| r.part == Part::Timestamp && r.signed == Need::Must);
    let signed = |node| header.signatures.iter().any(|s| names_node(s, document, node));
    if stamped && in_clear && !header.timestamp.is_some_and(|t| signed(t.node)) {
        return false;
    }
    let before = work.context.clone();
    let fine = work.check_fresh(header.timestamp).is_ok() && layout::check(work, header).is_ok();
    work.context = before;
    fine
}

/// Whether two alternatives go through the same steps with this header, so that they differ in the verdict alone.
fn same_steps(header: &Header, one: &InPlan, other: &InPlan) -> bool {
    let in_clear = !header.targets.iter().any(|t| Some(t.parent) == header.security);
    one.open == other.open
        && one.surplus == other.surplus
        && one.timestamp == other.timestamp
        && one.username == other.username
        && one.signed_by == other.signed_by
        && one.secret == other.secret
        && one.endorse == other.endorse
        && one.lone_cipher == other.lone_cipher
        && one.takes_encrypted_token() == other.takes_encrypted_token()
        && one.understood == other.understood
        && one.token.min_rsa == other.token.min_rsa
        && (in_clear || one.token.reference == other.token.reference)
        && (header.targets.is_empty() || one.order == other.order)
}
