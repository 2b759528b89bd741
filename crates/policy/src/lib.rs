//! WS-Policy and WS-SecurityPolicy, read and compiled to plans.
//!
//! What it is: the configuration-time half of the message core. A policy comes from XML in any host (`read`), from the
//! short form (`short`) or from a built-in name (`builtin`); it is brought into normal form (`normal`) and an alternative
//! is compiled to the plans of both sides (`compile`). What it is not: anything per message; that is `bartizan-wss`.
//!
//! ```text
//!  XML ── read ──┐                 ┌── normal ──▶ alternatives ── compile ──▶ PlanPair ──▶ select (per operation)
//!                ├──▶ model ───────┤                                  └──────▶ explain
//!  TOML ─ short ─┘                 └── write ──▶ XML
//! ```
//!
//! Threats it answers: a policy that grows without bound (sizes are known before anything is expanded), an assertion
//! that is silently dropped (unknown is an error, not built is named), a plan that demands nothing by accident (`open`
//! must be said).
//!
//! ```no_run
//! use bartizan_policy::{Options, load};
//! let bytes = std::fs::read("policy.xml").unwrap();
//! let loaded = load(bytes, "policy.xml");
//! let compiled = loaded.only().and_then(|item| item.compile(&Options::default()).map_err(|mut all| all.remove(0)));
//! ```

pub mod actions;
pub mod assertion;
pub mod attach;
pub mod builtin;
pub mod compile;
pub mod error;
pub mod explain;
pub mod model;
pub mod normal;
pub mod read;
pub mod select;
pub mod short;
pub mod write;

mod load;

pub use bartizan_wss::plan::PlanPair;
pub use compile::{Compiled, Options, compile};
pub use error::{Diagnostic, Position, Problem, Severity};
pub use load::{Item, Loaded, load, load_short};
pub use model::Policy;
pub use normal::{Normal, NormalLimits};
pub use read::{Policies, read};
pub use select::PlanSet;
