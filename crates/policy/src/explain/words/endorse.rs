//! Endorsing signatures in words.

use bartizan_wss::part::Part;
use bartizan_wss::plan::{EndorsePlan, InPlan, Inclusion, OutPlan, Presence, Protect, SignedBy, TokenSent};

use super::{key_name, part};

pub(super) fn demanded(plan: &InPlan, out: &mut Vec<String>) {
    let what = if plan.transport.is_some() { "the Timestamp" } else { "the signature" };
    for rule in &plan.endorse {
        let whose = match rule.by {
            SignedBy::X509 if plan.wants_signature() && plan.signed_by == SignedBy::X509 => {
                "the key of a trusted certificate that is not the signer's"
            }
            SignedBy::X509 => "the key of a trusted certificate",
            SignedBy::UsernameToken => "a key derived from the password of the UsernameToken's user",
            SignedBy::Secret => "a shared secret",
        };
        out.push(format!("{what} is endorsed: signed with {whose}"));
        if rule.derived == Presence::Must {
            out.push("the endorsing key derived from the user's by a DerivedKeyToken".to_owned());
        }
        if rule.token.inclusion == Inclusion::Must {
            out.push("the endorser's certificate is in the message".to_owned());
        }
        if !rule.token.reference.is_empty() {
            let names: Vec<&str> = rule.token.reference.iter().map(|form| key_name(*form)).collect();
            out.push(format!("the endorser's key is named by {}", names.join(" or ")));
        }
        let states = [(rule.signed, "signed with the message"), (rule.encrypted, "encrypted")];
        for (_, state) in states.into_iter().filter(|(wanted, _)| *wanted) {
            out.push(format!("the endorser's certificate is {state}, where it is in the message"));
        }
        if !rule.parts.is_empty() {
            let parts: Vec<String> = rule.parts.iter().map(part).collect();
            out.push(format!("the endorsing signature covers {}, where it is there", parts.join(", ")));
        }
        if rule.token.protect == Protect::Token {
            out.push("the endorsing signature covers its own token, where it is in the message".to_owned());
        }
    }
}

pub(super) fn put_on(plan: &OutPlan, out: &mut Vec<String>) {
    let what = if plan.sign.is_some() { "that signature" } else { "the Timestamp" };
    plan.endorse.iter().for_each(|endorse| one(endorse, what, out));
}

fn one(plan: &EndorsePlan, what: &str, out: &mut Vec<String>) {
    let (method, digest) = (plan.sign.method.short_name(), plan.sign.digest.short_name());
    let more = plan.sign.parts.iter().filter(|one| **one != Part::Timestamp);
    let over: Vec<String> = std::iter::once(what.to_owned()).chain(more.map(part)).collect();
    out.push(format!("an endorsing signature over {} ({method}, digest {digest})", over.join(", ")));
    match plan.sign.by {
        SignedBy::X509 => out.push(format!("the endorsing key named by {}", key_name(plan.sign.reference))),
        SignedBy::UsernameToken => {
            let by = if plan.derived.is_some() { "a DerivedKeyToken" } else { "the UsernameToken" };
            out.push(format!("the endorsing key derived from the password, named by {by}"));
        }
        SignedBy::Secret => {}
    }
    let state = match (plan.signed, plan.encrypted) {
        (true, true) => ", signed and encrypted",
        (true, false) => ", signed",
        (false, true) => ", encrypted",
        (false, false) => "",
    };
    match plan.sign.token {
        TokenSent::No => {}
        TokenSent::X509 => out.push(format!("the endorser's certificate{state}")),
        TokenSent::PkiPath => out.push(format!("the endorser's certificate with its chain{state}")),
    }
}
