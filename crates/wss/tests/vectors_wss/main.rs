//! The recordings of other stacks: every one that needs no symmetric binding is verified or refused as recorded.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic, reason = "tests")]

mod living_java;
mod period;
mod receiver;
