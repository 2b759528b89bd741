//! What a compiled policy means, for people and for programs: per message what its receiver demands and its sender puts
//! on, which algorithms, what of it is legacy, and whether a large body can be processed while it arrives.
//!
//! Judged from the plans, never from the policy, so that the words are those of what runs. Called by `policy explain`.

use bartizan_crypto::alg::{Alg, AlgSet, CipherAlg, Status};
use bartizan_wss::part::Part;
use bartizan_wss::plan::{InPlan, OutPlan};
use serde::Serialize;

use crate::compile::{Addressing, Compiled};
use crate::error::Diagnostic;

mod words;

/// One algorithm that a plan allows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AlgorithmUse {
    /// Kind: `digest`, `signature`, …
    pub kind: &'static str,
    /// Short name.
    pub name: &'static str,
    /// URI.
    pub uri: &'static str,
    /// `ok` or `legacy`.
    pub status: &'static str,
}

/// One message of the exchange.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Message {
    /// What its receiver demands, one sentence each.
    pub demanded: Vec<String>,
    /// What its sender puts on, one sentence each.
    pub put_on: Vec<String>,
    /// Whether it proves nothing about its sender.
    pub open: bool,
    /// Every algorithm that its receiver allows.
    pub algorithms: Vec<AlgorithmUse>,
    /// Whether it can be verified while it arrives.
    pub streams: bool,
    /// Why not.
    pub why_not: Option<&'static str>,
}

/// A policy explained.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Explanation {
    /// Name or Id.
    pub name: Option<String>,
    /// Alternatives in the normal form.
    pub alternatives: usize,
    /// The one that is used, from 0.
    pub alternative: Option<usize>,
    /// WS-Addressing headers sent with a request: `2004`, `2005` or nothing.
    pub addressing: Option<&'static str>,
    /// From initiator to recipient.
    pub request: Message,
    /// From recipient to initiator.
    pub reply: Message,
    /// Short names of legacy algorithms that are allowed.
    pub legacy: Vec<&'static str>,
    /// What else is to be said.
    pub diagnostics: Vec<Diagnostic>,
}

/// Explains what a policy compiled to.
#[must_use]
pub fn explain(name: Option<&str>, compiled: &Compiled, alternatives: usize) -> Explanation {
    let plans = &compiled.plans;
    let request = message(plans.recipient.inbound(), plans.initiator.outbound());
    let reply = message(plans.initiator.inbound(), plans.recipient.outbound());
    let both = plans.recipient.inbound().algorithms.union(plans.initiator.inbound().algorithms);
    Explanation {
        name: name.map(str::to_owned),
        alternatives,
        alternative: compiled.alternative,
        addressing: compiled.addressing.map(|version| match version {
            Addressing::V2004 => "2004",
            Addressing::V2005 => "2005",
        }),
        request,
        reply,
        legacy: both.iter().filter(|alg| alg.status() == Status::Legacy).map(Alg::short_name).collect(),
        diagnostics: compiled.diagnostics.clone(),
    }
}

fn message(inbound: &InPlan, outbound: &OutPlan) -> Message {
    let why_not = not_streaming(inbound);
    Message {
        demanded: words::demanded(inbound),
        put_on: words::put_on(outbound),
        open: inbound.open,
        algorithms: uses(inbound.algorithms),
        streams: why_not.is_none(),
        why_not,
    }
}

fn uses(set: AlgSet) -> Vec<AlgorithmUse> {
    let one = |alg: Alg| AlgorithmUse {
        kind: alg.kind(),
        name: alg.short_name(),
        uri: alg.uri(),
        status: alg.status().word(),
    };
    set.iter().map(one).collect()
}

/// Why a message cannot be verified while it arrives (architecture §8); `None` if it can.
fn not_streaming(plan: &InPlan) -> Option<&'static str> {
    let elements = plan.required.iter().any(|require| matches!(require.part, Part::Element { .. }));
    if elements {
        return Some("a path selects elements, which is decided on the whole message");
    }
    if plan.wants_encrypted_signature() {
        return Some("the signature is encrypted and has to be opened before anything else");
    }
    let cbc = CipherAlg::ALL
        .iter()
        .any(|cipher| cipher.status() == Status::Legacy && plan.algorithms.permits(*cipher));
    if plan.wants_encryption() && cbc && !plan.wants_signature() {
        return Some("CBC without a signature shows nothing to be trusted until its end, and not then");
    }
    None
}

impl Explanation {
    /// The text that `policy explain` prints.
    #[must_use]
    pub fn text(&self) -> String {
        words::text(self)
    }
}
