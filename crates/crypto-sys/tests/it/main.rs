//! What the safe interface promises, and that it agrees with aws-lc-rs where both can do a thing.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic, reason = "tests")]

mod keys;
mod octets;
