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
//!
//! ```
//! use bartizan_net::{Drain, Listener};
//! use std::time::Duration;
//!
//! # fn main() -> Result<(), bartizan_net::Error> {
//! # let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
//! # runtime.block_on(async {
//! let listener = Listener::bind("front", ([127, 0, 0, 1], 0).into()).await?;
//! assert_ne!(listener.address().port(), 0, "the port that it got");
//! // `listener.serve(handler, slots, drained)` runs until the drain is asked for.
//! let (drain, drained) = Drain::new();
//! assert!(!drained.is_told());
//! drop(drained);
//! assert!(drain.stop(Duration::from_secs(1)).await, "nothing was left to wait for");
//! # Ok(())
//! # })
//! # }
//! ```

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
pub mod wait;
pub mod workers;

pub use clock::{Clock, SystemClock};
pub use drain::{Drain, Drained};
pub use error::Error;
pub use http::{Body, Budget, Connection, Handler, Held, HttpLimits};
pub use listen::{Listener, Slots, one_peer};
pub use workers::{WorkerThreads, Workers};
