//! Signature and encryption through the public interface. Vectors of other makers run in the crate of the
//! command line, which has certificate paths.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic, reason = "tests")]

mod attacks_enc;
mod attacks_sig;
mod encryption;
mod fixture;
mod properties;
mod signature;
