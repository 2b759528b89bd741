//! The normal form of WS-Policy 1.5 §4.1: a list of alternatives.
//!
//! Nested policies are normalised as well and their alternatives become ours (§4.3.2), each `wsp:Optional` becomes
//! two alternatives (§4.3.1), the one without first. A BootstrapPolicy is a policy of its own and stays
//! as written. The size of the result is known, and refused if it is too large, before anything is made.

use std::collections::HashSet;
use std::sync::Arc;

use crate::assertion::{Assertion, Kind, Nested};
use crate::error::{Diagnostic, Problem};
use crate::model::{Alternative, Group, Identity, MAX_DEPTH, Node, Operator, Policy, Wsp};

mod meaning;

/// How large a normal form may become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NormalLimits {
    /// Alternatives, duplicates counted.
    pub alternatives: u64,
    /// Assertions in all alternatives together, nested ones counted.
    pub assertions: u64,
}

impl Default for NormalLimits {
    /// 1,024 alternatives and 65,536 assertions.
    fn default() -> Self {
        Self { alternatives: 1_024, assertions: 65_536 }
    }
}

/// A policy in normal form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Normal {
    /// How the policy is found.
    pub identity: Identity,
    /// The namespace of its operators.
    pub wsp: Wsp,
    /// The alternatives, without duplicates.
    pub alternatives: Vec<Alternative>,
}

impl Policy {
    /// The normal form.
    ///
    /// # Errors
    /// [`Problem::TooManyAlternatives`], [`Problem::TooManyAssertions`] or [`Problem::TooDeep`], before any work.
    pub fn normalise(&self, limits: NormalLimits) -> Result<Normal, Diagnostic> {
        let alternatives = alternatives(&self.expression, limits)
            .map_err(|problem| Diagnostic::new(problem, Some(self.position)))?;
        Ok(Normal { identity: self.identity.clone(), wsp: self.wsp, alternatives })
    }
}

impl Normal {
    /// The expression that says the same: ExactlyOne of All.
    #[must_use]
    pub fn expression(&self) -> Group {
        canonical(&self.alternatives)
    }
}

/// `Policy/ExactlyOne/All*` of the alternatives.
pub(crate) fn canonical(alternatives: &[Alternative]) -> Group {
    let all = |alternative: &Alternative| {
        let assertions =
            alternative.assertions.iter().map(|assertion| Node::Assertion(Arc::clone(assertion)));
        Node::Group(Arc::new(Group::new(Operator::All, assertions.collect())))
    };
    let one = Group::new(Operator::ExactlyOne, alternatives.iter().map(all).collect());
    Group::new(Operator::Policy, vec![Node::Group(Arc::new(one))])
}

/// The distinct alternatives of a group.
pub(crate) fn alternatives(group: &Group, limits: NormalLimits) -> Result<Vec<Alternative>, Problem> {
    let size = group.size();
    if size.depth > MAX_DEPTH {
        return Err(Problem::TooDeep { limit: MAX_DEPTH });
    }
    if size.alternatives > limits.alternatives {
        return Err(Problem::TooManyAlternatives { count: size.alternatives, limit: limits.alternatives });
    }
    if size.assertions > limits.assertions {
        return Err(Problem::TooManyAssertions { count: size.assertions, limit: limits.assertions });
    }
    Ok(distinct(of_group(group)))
}

fn distinct(alternatives: Vec<Alternative>) -> Vec<Alternative> {
    let mut seen = HashSet::with_capacity(alternatives.len());
    let mut kept = Vec::with_capacity(alternatives.len());
    for alternative in alternatives {
        if seen.insert(meaning::of(&alternative)) {
            kept.push(alternative);
        }
    }
    kept
}

fn of_group(group: &Group) -> Vec<Alternative> {
    let children = group.children().iter().map(of_node);
    match group.operator() {
        Operator::Policy | Operator::All => children.fold(vec![Alternative::default()], product),
        Operator::ExactlyOne => children.flatten().collect(),
    }
}

fn of_node(node: &Node) -> Vec<Alternative> {
    match node {
        Node::Group(group) => of_group(group),
        Node::Assertion(assertion) => of_assertion(assertion),
        Node::Reference { target: Some(group), .. } => of_group(group),
        Node::Reference { target: None, .. } => vec![Alternative::default()],
    }
}

fn product(mut left: Vec<Alternative>, right: Vec<Alternative>) -> Vec<Alternative> {
    // The usual case, in place: a list of n assertions must not cost n² copies.
    if let [only] = right.as_slice() {
        for alternative in &mut left {
            alternative.assertions.extend(only.assertions.iter().map(Arc::clone));
        }
        return left;
    }
    let mut out = Vec::with_capacity(left.len().saturating_mul(right.len()));
    for a in &left {
        for b in &right {
            out.push(Alternative {
                assertions: a.assertions.iter().chain(&b.assertions).map(Arc::clone).collect(),
            });
        }
    }
    out
}

fn of_assertion(assertion: &Arc<Assertion>) -> Vec<Alternative> {
    let nested: Vec<Nested> = match &assertion.nested {
        Nested::None => vec![Nested::None],
        // As written: what it demands is demanded of other messages.
        own @ Nested::Written(_) if assertion.kind == Kind::BootstrapPolicy => vec![own.clone()],
        Nested::Written(group) => of_group(group).into_iter().map(Nested::Chosen).collect(),
        done @ Nested::Chosen(_) => vec![done.clone()],
    };
    let plain = Assertion { optional: false, nested: Nested::None, ..Assertion::clone(assertion) };
    let absent = assertion.optional.then(Alternative::default);
    let present = nested
        .into_iter()
        .map(|nested| Alternative { assertions: vec![Arc::new(Assertion { nested, ..plain.clone() })] });
    absent.into_iter().chain(present).collect()
}
