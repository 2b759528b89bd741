//! A policy without a binding, whose UsernameToken is all there is to prove who sends a request.

use bartizan_wss::part::Part;
use bartizan_wss::plan::{InPlan, OutPlan, StampPlan};

use super::flow::Way;
use super::supporting::UserToken;
use super::{Findings, Open, Options};
use crate::assertion::Kind;
use crate::error::{Diagnostic, Problem};
use crate::model::Alternative;

/// The plans of one direction. The Body is open, since nothing protects it.
pub(super) fn compile(
    alternative: &Alternative,
    user: &UserToken,
    way: Way,
    options: &Options,
    findings: &mut Findings,
) -> (InPlan, OutPlan) {
    let stamped = alternative.find(Kind::IncludeTimestamp).is_some();
    let carries = way == Way::Request;
    let authenticates = carries && user.rule.authenticates();
    let side = way.name();
    match (options.open, authenticates) {
        (Open::Refused, false) => findings.say(Problem::NothingDemanded { side }, user.at),
        (Open::Refused, true) => {
            findings.add(Diagnostic::new(Problem::BodyOpen { side }, Some(user.at)));
        }
        (Open::Said, _) => {}
    }
    let inbound = InPlan {
        username: carries.then(|| user.rule.clone()),
        timestamp: stamped.then_some(options.timestamp),
        open_parts: vec![Part::Body],
        open: !authenticates,
        ..InPlan::open()
    };
    let outbound = OutPlan {
        username: carries.then(|| user.out.clone()),
        timestamp: stamped.then(|| StampPlan::lasting(options.timestamp.ttl)),
        ..OutPlan::plain()
    };
    (inbound, outbound)
}
