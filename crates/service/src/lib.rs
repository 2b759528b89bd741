//! Hosting runtime for SOAP operations.
//!
//! What it is: [`Operation`], which takes a verified request and answers a draft; [`Host`],
//! which finds the operation that a request means; two small services, [`Echo`] and
//! [`Mirror`].
//!
//! What it is not: it verifies nothing and secures nothing, and it knows no HTTP. Called by
//! the command line, which mounts a `Host` in the gateway, or by a program of its own.

pub mod echo;
pub mod error;
pub mod host;
pub mod mirror;

pub use echo::Echo;
pub use error::Error;
pub use host::Host;
pub use host::operation::{Answer, Answers, Need, Operation};
pub use mirror::Mirror;
