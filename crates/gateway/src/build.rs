//! Configuration → running table: keys loaded, policies compiled, services mounted.

use std::fmt;

/// A policy that cannot be used.
#[derive(Debug)]
pub struct BadPolicy {
    /// The file or name.
    pub name: String,
}

impl fmt::Display for BadPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the policy {} cannot be used", self.name)
    }
}
