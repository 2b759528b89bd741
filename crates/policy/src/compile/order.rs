//! In which order alternatives are tried: what is optional comes with it before without.
//!
//! The normal form lists an optional assertion's absence first (WS-Policy 1.5 §4.3.1), as others do; taken in that order we would
//! send without what a policy offers, and judge a message that has it as if it had not. Otherwise the author's order stands.

use super::Choice;
use crate::assertion::{Assertion, Nested};
use crate::model::Alternative;

/// Beyond so many alternatives the policy's own order is taken: comparing each with each would cost more than it is worth.
const COMPARED: usize = 256;

/// The numbers of the alternatives, each before those of which it holds everything and more.
pub(super) fn stronger_first(alternatives: &[Choice<'_>]) -> Vec<usize> {
    let mut order: Vec<usize> = Vec::with_capacity(alternatives.len());
    for (number, alternative) in alternatives.iter().enumerate() {
        let stronger = |other: &usize| match (alternative, alternatives.get(*other)) {
            (Choice::Policy(one), Some(Choice::Policy(other))) => holds(one, other) && !holds(other, one),
            _ => false,
        };
        let few = alternatives.len() <= COMPARED;
        let place = order.iter().position(|other| few && stronger(other)).unwrap_or(order.len());
        order.insert(place, number);
    }
    order
}

/// Whether everything of `other` is in `one`.
fn holds(one: &Alternative, other: &Alternative) -> bool {
    other.assertions.iter().all(|theirs| one.assertions.iter().any(|ours| says(ours, theirs)))
}

/// Whether `ours` is the same assertion as `theirs`, with everything in it. Depth is that of the policy, which is limited.
fn says(ours: &Assertion, theirs: &Assertion) -> bool {
    let nested = match (&ours.nested, &theirs.nested) {
        (Nested::Chosen(ours), Nested::Chosen(theirs)) => holds(ours, theirs),
        (ours, theirs) => ours == theirs,
    };
    nested && ours.kind == theirs.kind && ours.position == theirs.position
}
