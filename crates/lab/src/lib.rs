//! The benchmark lab: what a message costs, beside what its cryptography alone would cost.
//!
//! What it is: measured messages ([`message`]), the bare cryptography of each of them ([`floor`]), statistics over rounds
//! ([`sample`]) and what must be said of the machine ([`machine`]). The benches of this crate measure the engine in process
//! (`benches/ratios.rs`); the command line measures servers, ours and others, as processes:
//!
//! ```text
//! scenario ─▶ measure ─▶ peer, process: start ─▶ initiator: check every answer ─▶ drive: warm, rounds ─▶ record ─▶ report
//!                └─▶ bare: the floor of the same exchange, in every round                                 └─▶ compare
//! ```
//!
//! What it is not: linked with the gateway or a service. Our own server is driven like any peer, over a socket.
//!
//! Who calls: `bartizan bench`, and the benches.

#![allow(
    clippy::disallowed_methods,
    reason = "a laboratory reads clocks, starts processes and has threads; nothing of it serves a message"
)]

pub mod bare;
pub mod clock;
pub mod compare;
pub mod credentials;
pub mod drive;
pub mod error;
pub mod figures;
pub mod floor;
pub mod initiator;
pub mod kind;
pub mod machine;
pub mod measure;
pub mod message;
pub mod peer;
pub mod process;
pub mod record;
pub mod report;
pub mod sample;
pub mod scenario;
pub mod token;

pub use error::Error;
