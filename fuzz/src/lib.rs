//! What the fuzz targets do with their input.
//!
//! Each module is one target: `run` takes the octets and panics where a property does not hold. The binaries in
//! `fuzz_targets/` and the replay in `tests/replay.rs` call the same functions, so that what a fuzzer once found is
//! tried again by every ordinary test run. See `docs/fuzzing.md`.

pub mod c14n_diff;
pub mod jks;
mod oracle;
pub mod p12;
pub mod policy_read;
mod stores;
pub mod xml_tokens;

/// A target: its name and what it does.
pub type Target = (&'static str, fn(&[u8]));

/// Every target.
pub const TARGETS: &[Target] = &[
    ("c14n_diff", c14n_diff::run),
    ("jks", jks::run),
    ("p12", p12::run),
    ("policy_read", policy_read::run),
    ("xml_tokens", xml_tokens::run),
];
