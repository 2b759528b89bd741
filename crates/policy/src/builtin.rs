//! The policies with a name of their own: `scenario:NAME`.
//!
//! `rampart-c` is the benchmark policy as given. Called where `--policy` or `policy = "…"` names one.

use crate::error::{Diagnostic, Problem, nearest};
use crate::load::{Loaded, load};

#[cfg(test)]
mod tests;

/// What every built-in name begins with.
pub const PREFIX: &str = "scenario:";

/// The Rampart/C benchmark policy, octet for octet as published.
pub const RAMPART_C: &[u8] = include_bytes!("../../../policies/rampart-c-benchmark.xml");

const UNBUILT: &[&str] = &[
    "scenario:unt1",
    "scenario:unt2a",
    "scenario:unt2b",
    "scenario:unt3",
    "scenario:unt4a",
    "scenario:unt4b",
];

/// Every name that works.
pub const NAMES: &[&str] = &["scenario:rampart-c"];

/// Whether a text is a built-in name rather than a file's.
#[must_use]
pub fn is_builtin(name: &str) -> bool {
    name.starts_with(PREFIX)
}

/// The policy of a built-in name.
///
/// # Errors
/// [`Problem::UnknownBuiltin`] with the nearest name; [`Problem::BuiltinNotBuilt`] for the UsernameToken scenarios.
pub fn builtin(name: &str) -> Result<Loaded, Diagnostic> {
    if name == "scenario:rampart-c" {
        return Ok(load(RAMPART_C.to_vec(), name));
    }
    if let Some(unbuilt) = UNBUILT.iter().find(|known| **known == name) {
        let problem = Problem::BuiltinNotBuilt { name: unbuilt, needs: "UsernameToken" };
        return Err(Diagnostic::new(problem, None));
    }
    let nearest = nearest::nearest(name, NAMES.iter().chain(UNBUILT).copied());
    Err(Diagnostic::new(Problem::UnknownBuiltin { name: name.into(), nearest }, None))
}
