//! Sockets and HTTP for bartizan. No SOAP in here.
//!
//! What it is: listeners with connection limits, a thin HTTP/1.1 server and client over
//! hyper, bounded body reading, the signals a server listens to, the drain that ends it in
//! order, and the readiness message for a service manager.
//!
//! What it is not: it knows no envelope, no policy and no configuration file; every limit
//! is a value that the caller passes in.
//!
//! Who calls: the gateway's exchange (as [`Handler`]) and the command line's `call`.

#![allow(
    clippy::disallowed_methods,
    reason = "this is the crate that has sockets, a clock and the environment"
)]

pub mod clock;
pub mod drain;
pub mod error;
pub mod http;
pub mod listen;
pub mod notify;
pub mod signal;

pub use clock::{Clock, SystemClock};
pub use drain::{Drain, Drained};
pub use error::Error;
pub use http::{Body, Budget, Connection, Handler, Held, HttpLimits};
pub use listen::{Listener, Slots};
