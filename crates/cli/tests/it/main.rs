//! The binary from outside: what a user types, what is printed, how it ends.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic, reason = "tests")]
#![allow(clippy::disallowed_methods, reason = "the other side of the sockets")]

mod attack;
mod bench;
mod call;
mod check;
mod demo;
mod docs;
mod edge;
mod engine;
mod files;
mod help;
mod keys;
mod peers;
mod policy;
mod program;
mod said;
mod saved_reply;
mod serve;

mod tokens;
mod users;
mod walk;
mod xml;
