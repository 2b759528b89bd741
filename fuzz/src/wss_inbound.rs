//! WS-Security, with keys known: valid messages of many plans, edited. Refused, or what is shown is what was signed.
//!
//! The attacker here may do what anybody on the way can: change, move, copy and relabel, use one message under another
//! plan, answer with another reply, and encrypt whatever it likes to the recipient's certificate.

mod bases;
mod seal;

use std::collections::HashSet;

use bartizan_keys::Keystore;
use bartizan_wss::context::TimestampEvidence;
use bartizan_wss::{
    Covered, CoveredNode, Env, Keep, MemoryReplay, Plan, Reject, SentSignatures, Untrusted, Verified,
};
use bartizan_xml::{Budget, Document, Limits, Profile};

pub(crate) use self::bases::base;
use self::bases::{Base, sealed};
use crate::edit::{Recipe, edited};
use crate::world::{Steady, now};

/// What a reader may be shown of a message: exclusive-canonical octets of every element of every covered part.
#[derive(Default)]
pub(crate) struct Shown {
    elements: HashSet<Vec<u8>>,
    timestamps: Vec<Option<TimestampEvidence>>,
}

impl Shown {
    /// What a genuine message shows.
    pub(crate) fn of(verified: &Verified) -> Shown {
        let mut shown = Shown::default();
        let mut stack: Vec<Covered<'_>> = verified
            .body()
            .into_iter()
            .chain(verified.covered_headers())
            .chain(verified.covered_elements())
            .collect();
        while let Some(covered) = stack.pop() {
            shown.elements.insert(covered.octets());
            stack.extend(covered.children().filter_map(|child| match child {
                CoveredNode::Element(element) => Some(element),
                CoveredNode::Text(_) => None,
            }));
        }
        shown.timestamps.push(verified.context().timestamp());
        shown
    }

    /// Whether this message shows nothing else.
    fn check(&self, verified: &Verified, message: &[u8]) {
        let text = || String::from_utf8_lossy(message).into_owned();
        let parts =
            verified.body().into_iter().chain(verified.covered_headers()).chain(verified.covered_elements());
        for covered in parts {
            let octets = covered.octets();
            assert!(
                self.elements.contains(&octets),
                "shown and never signed: {}\n{}",
                String::from_utf8_lossy(&octets),
                text()
            );
        }
        let stamp = verified.context().timestamp();
        assert!(stamp.is_none() || self.timestamps.contains(&stamp), "another time: {stamp:?}\n{}", text());
        let view = verified.view(Keep::Covered);
        let view = Document::parse(view.bytes, Profile::Message, &mut Budget::new(&Limits::generous()));
        let view = view.expect("a view is a message");
        assert_eq!(view.root().local_name(), "Envelope");
        for hidden in ["Security", "EncryptedKey", "Signature"] {
            let security = |ns: Option<&str>| ns.is_some_and(|ns| ns.contains("wss") || ns.contains("xml"));
            let mut found = view.root().descendants();
            assert!(!found.any(|e| e.local_name() == hidden && security(e.namespace())), "{}", text());
        }
    }
}

/// Verifies a message; `sent` for a reply.
pub(crate) fn verify(
    plan: &Plan,
    keys: &Keystore,
    octets: &[u8],
    sent: Option<&SentSignatures>,
) -> Result<Verified, Reject> {
    let (replay, random) = (MemoryReplay::new(64, std::time::Duration::from_secs(600)), Steady::default());
    let untrusted = Untrusted::read(octets.to_vec(), None, &Limits::default())?;
    let env = Env::new(keys, now(), &random);
    match sent {
        Some(sent) => plan.verify(untrusted, &env.answering(sent)),
        None => plan.verify(untrusted, &env.with_replay(&replay)),
    }
}

/// What became of an edited message.
fn judge(result: Result<Verified, Reject>, base: &Base, reply: bool, octets: &[u8]) {
    match result {
        Ok(verified) => {
            let (shown, by) =
                if reply { (&base.reply_shown, base.server) } else { (&base.shown, base.client) };
            shown.check(&verified, octets);
            let caller = verified.caller().expect("every plan demands a signature");
            let certificate = caller.certificate().map(|certificate| certificate.thumbprint_sha1());
            assert_eq!(certificate, Some(crate::world::certificate(by).thumbprint_sha1()), "another caller");
        }
        Err(reject) => {
            drop(format!("{reject} {reject:?} {}", reject.detail()));
            let fault = bartizan_soap::ToFault::to_fault(&reject);
            // The fault is one of few texts, whatever the reason.
            assert!(fault.reason().len() < 200 && !fault.reason().contains("digest"));
        }
    }
}

/// One input: a message, and what to do to it.
pub fn run(data: &[u8]) {
    let mut recipe = Recipe::new(data);
    let (mode, n) = (recipe.octet() % 5, usize::from(recipe.octet()));
    match mode {
        0 => {
            let base = base(n);
            let octets = edited(&base.request, &mut recipe);
            judge(verify(&base.plans.recipient, base.server_keys, &octets, None), base, false, &octets);
        }
        1 => {
            let base = base(n);
            let octets = edited(&base.reply, &mut recipe);
            let result = verify(&base.plans.initiator, base.client_keys, &octets, Some(&base.sent));
            judge(result, base, true, &octets);
        }
        2 => {
            // A genuine message where another is expected.
            let (base, other) = (base(n), self::base(usize::from(recipe.octet())));
            let octets = edited(&base.request, &mut recipe);
            judge(verify(&other.plans.recipient, base.server_keys, &octets, None), base, false, &octets);
        }
        3 => {
            let base = sealed(n);
            let octets = seal::sealed(base, &edited(&base.plain, &mut recipe));
            judge(
                verify(&base.base.plans.recipient, base.base.server_keys, &octets, None),
                &base.base,
                false,
                &octets,
            );
        }
        _ => {
            let base = base(n);
            let octets = recipe.all();
            judge(verify(&base.plans.recipient, base.server_keys, octets, None), base, false, octets);
        }
    }
}
