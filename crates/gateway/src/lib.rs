//! Listeners, hosted services and the life of a request.
//!
//! What it is: the configuration, the table of services made of it, the exchange that leads
//! one HTTP request through verification, the service and back, the access log, and the
//! state folder.
//!
//! What it is not: it knows no service; the command line mounts one as a boxed tower
//! service ([`Hosted`]).
//!
//! ```
//! use bartizan_gateway::config::read::read;
//! use std::path::Path;
//!
//! let text = "[keys.demo]\nfolder = \"keys\"\n\
//!     [[service]]\npath = \"/sec_echo\"\nkind = \"echo\"\npolicy = \"scenario:rampart-c\"\nkeys = \"demo\"\n";
//! let config = read(text, Path::new("")).expect("usable");
//! assert_eq!(config.services[0].path.value, "/sec_echo");
//! let findings = read(&text.replace("folder", "foldre"), Path::new("")).expect_err("a key that is none");
//! assert_eq!(findings[0].problem.help().as_deref(), Some("did you mean `folder`?"));
//! ```

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
pub mod replay;
pub mod server;
pub mod state;
pub mod users;

pub use error::Problem;
pub use exchange::Gateway;
pub use junction::{Hosted, Junction, Mounted, Reply, Table};
pub use server::Server;
