//! Tests over the public interface: published key stores, trust cases, the demo PKI.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic, reason = "tests")]

mod demo;
mod stores;
mod trust;
