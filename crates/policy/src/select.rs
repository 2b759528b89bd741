//! Which plan a message is for.
//!
//! A path may carry several operations under different policies. The plan is chosen before verification, by the action
//! that the message claims; the claim is checked afterwards against what was verified. Called by the exchange.

use bartizan_wss::plan::PlanPair;

#[cfg(test)]
mod tests;

/// The expanded name of a Body's child.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BodyName {
    /// Namespace, or empty.
    pub namespace: Box<str>,
    /// Local name.
    pub local: Box<str>,
}

/// One operation and its plans.
#[derive(Clone, Debug)]
pub struct Operation {
    /// SOAPAction or wsa:Action; `None` serves what no other claims.
    pub action: Option<Box<str>>,
    /// The only Body that it accepts; `None` accepts any.
    pub body: Option<BodyName>,
    /// The plans.
    pub plans: PlanPair,
}

/// The plans of one path.
#[derive(Clone, Debug)]
pub struct PlanSet {
    operations: Vec<Operation>,
}

/// Two operations that the same message could be for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overlap {
    /// Position of the second one.
    pub second: usize,
}

impl PlanSet {
    /// One policy for everything on the path.
    #[must_use]
    pub fn single(plans: PlanPair) -> Self {
        Self { operations: vec![Operation { action: None, body: None, plans }] }
    }

    /// Several operations.
    ///
    /// # Errors
    /// [`Overlap`] if two have the same action, or two have none.
    pub fn new(operations: Vec<Operation>) -> Result<Self, Overlap> {
        for (second, operation) in operations.iter().enumerate() {
            if operations.iter().take(second).any(|first| first.action == operation.action) {
                return Err(Overlap { second });
            }
        }
        Ok(Self { operations })
    }

    /// The operation that a message claims to be for; the one without action if nothing fits.
    #[must_use]
    pub fn select(&self, action: Option<&str>) -> Option<&Operation> {
        let claimed = self
            .operations
            .iter()
            .find(|operation| action.is_some() && operation.action.as_deref() == action);
        claimed.or_else(|| self.operations.iter().find(|operation| operation.action.is_none()))
    }

    /// The operations, in order.
    #[must_use]
    pub fn operations(&self) -> &[Operation] {
        &self.operations
    }
}

impl Operation {
    /// Whether what was verified is this operation after all: the Body's name, and the Action where it was covered.
    #[must_use]
    pub fn confirms(&self, body: Option<(&str, &str)>, covered_action: Option<&str>) -> bool {
        let body_fits = self.body.as_ref().is_none_or(|wanted| {
            body.is_some_and(|(namespace, local)| *wanted.namespace == *namespace && *wanted.local == *local)
        });
        let action_fits = match (self.action.as_deref(), covered_action) {
            (Some(wanted), Some(found)) => wanted == found,
            (Some(_) | None, _) => true,
        };
        body_fits && action_fits
    }
}
