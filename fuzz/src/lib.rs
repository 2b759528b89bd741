//! What the fuzz targets do with their input.
//!
//! Each module is one target: `run` takes the octets and panics where a property does not hold. The binaries in
//! `fuzz_targets/` and the replay in `tests/replay.rs` call the same functions, so that what a fuzzer once found is
//! tried again by every ordinary test run. See `docs/fuzzing.md`.

pub mod c14n_diff;
pub mod config_read;
pub mod dsig_verify;
mod edit;
pub mod enc_open;
pub mod http_head;
pub mod jks;
mod oracle;
pub mod p12;
pub mod policy_read;
mod stores;
mod world;
pub mod wss_inbound;
pub mod wss_users;
pub mod xml_tokens;

/// A target: its name and what it does.
pub type Target = (&'static str, fn(&[u8]));

/// Every target.
pub const TARGETS: &[Target] = &[
    ("c14n_diff", c14n_diff::run),
    ("config_read", config_read::run),
    ("dsig_verify", dsig_verify::run),
    ("enc_open", enc_open::run),
    ("http_head", http_head::run),
    ("jks", jks::run),
    ("p12", p12::run),
    ("policy_read", policy_read::run),
    ("wss_inbound", wss_inbound::run),
    ("wss_users", wss_users::run),
    ("xml_tokens", xml_tokens::run),
];
