//! Integration tests of the processor.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic, reason = "tests")]

mod attacks_xsw;
mod fixture;
mod forge;
mod roundtrip;
