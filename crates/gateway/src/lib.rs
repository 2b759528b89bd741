//! Listeners, hosted services and the life of a request.
//!
//! What it is: the configuration, the table of services made of it, the exchange that leads
//! one HTTP request through verification, the service and back, the access log, and the
//! state folder.
//!
//! What it is not: it knows no service; the command line mounts one as a boxed tower
//! service ([`Hosted`]).

#![allow(
    clippy::disallowed_methods,
    reason = "the shell: it has a clock, threads and secrets in the environment"
)]

pub mod access;
pub mod build;
pub mod config;
pub mod error;
pub mod exchange;
pub mod junction;
pub mod keyset;
pub mod policy;
pub mod server;
pub mod state;

pub use error::Problem;
pub use exchange::Gateway;
pub use junction::{Hosted, Junction, Mounted, Reply, Table};
pub use server::Server;
