//! Assertions that are not ours: what nobody said may be ignored keeps a policy from being used.
//!
//! RampartConfig is no demand on messages: it says where keys and passwords are, which is said elsewhere here, and keeps nothing from being used.

use super::{Findings, Options};
use crate::assertion::{Assertion, Parameters};
use crate::error::{Problem, is_rampart_config};

/// Reports foreign assertions, also those deep inside of ours.
pub(super) fn foreign(assertion: &Assertion, options: &Options, findings: &mut Findings) {
    if let Parameters::Foreign(raw) = &assertion.parameters
        && !assertion.ignorable
        && !options.ignores(&raw.namespace)
        && !is_rampart_config(&raw.namespace)
    {
        let problem = Problem::ForeignUsed { name: raw.local.clone(), namespace: raw.namespace.clone() };
        findings.say(problem, assertion.position);
    }
    for child in assertion.chosen() {
        foreign(child, options, findings);
    }
}
