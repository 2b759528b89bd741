//! The public interface against published attack vectors, and against arbitrary octets.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic, reason = "tests")]

mod arbitrary;
mod wycheproof;
