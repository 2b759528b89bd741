//! The policies with a name of their own: `scenario:NAME`.
//!
//! `rampart-c` is the benchmark policy as given; `unt1` to `unt4b` are the four scenarios with UsernameTokens (a: the key of
//! WSE, b: the key of the profile), with the algorithms of their period. Called where `--policy` or `policy = "…"` names one.

use crate::error::{Diagnostic, Problem, nearest};
use crate::load::{Loaded, load, load_short};

#[cfg(test)]
mod tests;

/// What every built-in name begins with.
pub const PREFIX: &str = "scenario:";

/// The Rampart/C benchmark policy, octet for octet as published.
pub const RAMPART_C: &[u8] = include_bytes!("../../../policies/rampart-c-benchmark.xml");

/// The scenarios of UsernameTokens, as action blocks.
pub const SCENARIOS: &str = include_str!("../../../policies/scenarios.toml");

/// Every name that works.
pub const NAMES: &[&str] = &[
    "scenario:rampart-c",
    "scenario:unt1",
    "scenario:unt2a",
    "scenario:unt2b",
    "scenario:unt3",
    "scenario:unt4a",
    "scenario:unt4b",
];

/// Whether a text is a built-in name rather than a file's.
#[must_use]
pub fn is_builtin(name: &str) -> bool {
    name.starts_with(PREFIX)
}

/// The policy of a built-in name.
///
/// # Errors
/// [`Problem::UnknownBuiltin`] with the nearest name.
pub fn builtin(name: &str) -> Result<Loaded, Diagnostic> {
    if name == "scenario:rampart-c" {
        return Ok(load(RAMPART_C.to_vec(), name));
    }
    if NAMES.contains(&name) {
        return Ok(load_short(SCENARIOS.as_bytes(), name).of(name.strip_prefix(PREFIX).unwrap_or(name)));
    }
    let nearest = nearest::nearest(name, NAMES.iter().copied());
    Err(Diagnostic::new(Problem::UnknownBuiltin { name: name.into(), nearest }, None))
}
