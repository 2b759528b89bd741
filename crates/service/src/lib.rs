//! Hosting runtime for SOAP operations.
//!
//! What it is: [`Operation`], which takes a verified request and answers a draft; [`Host`],
//! which finds the operation that a request means; two small services, [`Echo`] and
//! [`Mirror`].
//!
//! What it is not: it verifies nothing and secures nothing, and it knows no HTTP. Called by
//! the command line, which mounts a `Host` in the gateway, or by a program of its own.
//!
//! ```
//! use bartizan_service::{Answer, Answers, Host, Operation};
//! use bartizan_soap::Draft;
//! use bartizan_wss::Verified;
//!
//! struct Ping;
//!
//! impl Operation for Ping {
//!     fn name(&self) -> &str {
//!         "ping"
//!     }
//!     fn answers(&self) -> Answers<'_> {
//!         Answers::Element { namespace: "urn:p", local: "ping" }
//!     }
//!     fn call(&self, request: Verified) -> Answer {
//!         let pong = b"<p:pong xmlns:p=\"urn:p\"></p:pong>".to_vec();
//!         Box::pin(async move { Ok(Draft::new(request.version()).with_body(pong)) })
//!     }
//! }
//!
//! let host = Host::of(Ping);
//! ```

pub mod echo;
pub mod error;
pub mod host;
pub mod mirror;

pub use echo::Echo;
pub use error::Error;
pub use host::Host;
pub use host::operation::{Answer, Answers, Need, Operation};
pub use mirror::Mirror;
