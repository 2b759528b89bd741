//! The benchmark lab: what a message costs, beside what its cryptography alone would cost.
//!
//! What it is: measured messages ([`message`]), the bare cryptography of each of them ([`floor`]), statistics over rounds
//! ([`sample`]) and what must be said of the machine ([`machine`]). The benches of this crate measure the engine in process
//! (`benches/ratios.rs`); the command line measures servers, ours and others, as processes.
//!
//! What it is not: linked with the gateway or a service. Our own server is driven like any peer, over a socket.
//!
//! Who calls: `bartizan bench`, and the benches.

#![allow(
    clippy::disallowed_methods,
    reason = "a laboratory reads clocks, starts processes and has threads; nothing of it serves a message"
)]

pub mod error;
pub mod floor;
pub mod machine;
pub mod message;
pub mod sample;

pub use error::Error;
