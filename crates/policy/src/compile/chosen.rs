//! Which binding of an alternative says how its messages are protected.
//!
//! Everything else in the alternative is looked at here for what would be dropped: foreign assertions, tokens that stand alone, a second binding.
//! Called by `flow`.

use super::foreign::foreign;
use super::{Findings, Options};
use crate::assertion::{Assertion, Kind};
use crate::error::{Diagnostic, Problem};
use crate::model::Alternative;

/// What says how an alternative's messages are protected. One variant for each binding that is built.
pub(super) enum Chosen<'a> {
    Transport(&'a Assertion),
    /// The asymmetric or the symmetric one.
    Binding(&'a Assertion),
    /// None: a UsernameToken is all there is.
    Bare,
}

/// The binding of an alternative, after everything in it was looked at.
pub(super) fn choose<'a>(
    alternative: &'a Alternative,
    bare: bool,
    options: &Options,
    findings: &mut Findings,
) -> Option<Chosen<'a>> {
    let mut binding: Option<&Assertion> = None;
    for assertion in &alternative.assertions {
        let kind = assertion.kind;
        foreign(assertion, options, findings);
        if kind.is_binding() {
            match binding {
                Some(first) => {
                    let problem = Problem::Contradiction { name: kind.name(), other: first.kind.name() };
                    findings.say(problem, assertion.position);
                }
                None => binding = Some(assertion),
            }
        } else if kind.is_token() {
            findings.not_built(kind.name(), assertion.position);
        }
    }
    match binding {
        Some(found) if found.kind == Kind::TransportBinding => return Some(Chosen::Transport(found)),
        Some(found) if [Kind::AsymmetricBinding, Kind::SymmetricBinding].contains(&found.kind) => {
            return Some(Chosen::Binding(found));
        }
        Some(other) => findings.not_built(other.kind.name(), other.position),
        None if bare => return Some(Chosen::Bare),
        None => {
            let at = alternative.assertions.first().map(|first| first.position);
            findings.add(Diagnostic::new(Problem::Fragment, at).as_error());
        }
    }
    None
}
