//! Integration tests of the parser, the canonical forms and the writer.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests")]

mod attacks;
mod c14n_vectors;
mod hostile;
mod w3c;
