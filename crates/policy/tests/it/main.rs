//! Everything about policies that is checked from outside: vectors, plans, words, limits.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic, reason = "tests")]

mod actions;
mod axis2;
mod compile;
mod diagnostics;
mod endorse;
mod explain;
mod limits;
mod property;
mod protection;
mod rampart_c;
mod random;
mod roundtrip;
mod short;
mod transport;
mod username;
mod vectors;
mod xml;
