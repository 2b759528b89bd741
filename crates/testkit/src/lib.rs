//! Fixtures and runners for tests. Names no product type.
//!
//! - [`csv`] reads the tables that list the test vectors.
//! - [`hostile`] makes documents that are meant to cost more than they weigh.
//! - [`redis`] starts an engine for tests of a shared replay window.
//! - [`vectors`] finds the folder of vectors and reports what ran.

#![allow(clippy::panic, reason = "a test without its table or its list must fail")]

pub mod csv;
pub mod hostile;
#[allow(clippy::disallowed_methods, reason = "it starts a program and waits for it")]
pub mod redis;
pub mod vectors;
