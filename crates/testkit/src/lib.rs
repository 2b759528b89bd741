//! Fixtures and runners for tests. Names no product type.
//!
//! - [`csv`] reads the tables that list the test vectors.
//! - [`hostile`] makes documents that are meant to cost more than they weigh.
//! - [`vectors`] finds the folder of vectors and reports what ran.

#![allow(clippy::panic, reason = "a test without its table or its list must fail")]

pub mod csv;
pub mod hostile;
pub mod vectors;
