//! The transport binding (WS-SecurityPolicy 1.2 §7.3): TLS protects the whole message, and supporting tokens say who sends it.
//!
//! What is to be signed or encrypted is, by the connection. Not here: the connection's facts, which whoever holds it knows.

use bartizan_wss::part::{EncryptHow, Need, Require};
use bartizan_wss::plan::{HeaderRule, InPlan, OutPlan, StampPlan, TransportRule};

use super::endorse::{self, Around};
use super::flow::Way;
use super::parts::Parts;
use super::supporting::Supporting;
use super::token::Supported;
use super::{Findings, Open, Options, binding, suite};
use crate::assertion::{Assertion, Kind, Parameters};
use crate::error::Problem;

/// The plans of one direction; `None` if the binding says of no transport, which was said.
pub(super) fn compile(
    found: &Assertion,
    supporting: &Supporting,
    supported: &Supported,
    parts: &Parts,
    way: Way,
    options: &Options,
    findings: &mut Findings,
) -> Option<(InPlan, OutPlan)> {
    let rule = rule(found, findings)?;
    let stamped = found.child(Kind::IncludeTimestamp).is_some();
    let layout = binding::layout(found, findings);
    let endorsed = way == Way::Request && supporting.endorses();
    let user = supporting.user.clone().filter(|_| way == Way::Request);
    let named = user.as_ref().is_some_and(|user| user.rule.authenticates());
    let proved = rule.client_certificate || named || endorsed;
    // Who answers is known by the certificate that the connection was made to.
    if way == Way::Request && !proved && options.open == Open::Refused {
        findings.say(Problem::NothingDemanded { side: way.name() }, found.position);
    }
    let there = parts.required.iter().map(|part| Require {
        part: part.clone(),
        signed: Need::No,
        encrypted: Need::No,
        how: EncryptHow::Content,
    });
    let asked = match way {
        Way::Request => rule,
        Way::Reply => TransportRule::default(),
    };
    let mut inbound = InPlan {
        transport: Some(asked),
        required: there.collect(),
        username: user.as_ref().map(|user| user.rule.clone()),
        timestamp: stamped.then_some(options.timestamp),
        header: HeaderRule { layout, breach: options.layout, ..HeaderRule::default() },
        open_parts: Vec::new(),
        open: way == Way::Reply || !proved,
        ..InPlan::open()
    };
    let mut outbound = OutPlan {
        username: user.map(|user| user.out),
        timestamp: stamped.then(|| StampPlan::lasting(options.timestamp.ttl)),
        layout,
        over_tls: true,
        ..OutPlan::plain()
    };
    if endorsed {
        if !stamped {
            let (name, missing) = (found.kind.name(), Kind::IncludeTimestamp.name());
            findings.say(Problem::Incomplete { name, missing }, found.position);
            return None;
        }
        let Some(suite) = found.child(Kind::AlgorithmSuite) else {
            let (name, missing) = (found.kind.name(), Kind::AlgorithmSuite.name());
            findings.say(Problem::Incomplete { name, missing }, found.position);
            return None;
        };
        let algorithms = &suite::read(suite, options, findings)?;
        inbound.algorithms = algorithms.accepted;
        let around = Around { algorithms, supported, options, protect: false };
        endorse::put(supporting, &around, &mut inbound, &mut outbound);
    }
    Some((inbound, outbound))
}

/// What HttpsToken demands of the connection.
fn rule(found: &Assertion, findings: &mut Findings) -> Option<TransportRule> {
    let missing = |findings: &mut Findings, name: &'static str, missing, at| {
        findings.say(Problem::Incomplete { name, missing }, at);
    };
    let Some(holder) = found.child(Kind::TransportToken) else {
        missing(findings, found.kind.name(), Kind::TransportToken.name(), found.position);
        return None;
    };
    let Some(token) = holder.chosen().iter().find(|child| child.kind.is_token()) else {
        missing(findings, holder.kind.name(), Kind::HttpsToken.name(), holder.position);
        return None;
    };
    if token.kind != Kind::HttpsToken {
        findings.not_built(token.kind.name(), token.position);
        return None;
    }
    for child in token.chosen() {
        if matches!(child.kind, Kind::HttpBasicAuthentication | Kind::HttpDigestAuthentication) {
            findings.not_built(child.kind.name(), child.position);
        }
    }
    let attribute = match &token.parameters {
        Parameters::Token(parameters) => parameters.client_certificate == Some(true),
        _ => false,
    };
    Some(TransportRule {
        client_certificate: attribute || token.child(Kind::RequireClientCertificate).is_some(),
    })
}
