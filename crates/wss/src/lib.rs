//! The WS-Security processor: a `Plan` verifies what comes in and secures what goes out.
//!
//! What it is: SOAP Message Security 1.0 and 1.1 with X.509 tokens, as two functions over values: `Untrusted` → `Verified` or `Reject`,
//! `Draft` → `WireMessage`. What it is not: a policy reader (`bartizan-policy`), a transport, a clock. Time, chance, keys and the replay memory
//! come in through [`Env`]. Who calls: `bartizan-policy` makes the plans, services and the gateway run them.
//!
//! ```text
//!  bytes ── Untrusted::read ──▶ Untrusted ── Plan::verify ──▶ Verified ──▶ operation
//!                                                   │                          │
//!                                                 Reject                     Draft
//!                                                   ▼                          ▼
//!                                              one opaque fault ◀──── Plan::secure ──▶ WireMessage
//! ```
//!
//! ```no_run
//! use bartizan_crypto::{random::SystemRandom, suite};
//! use bartizan_keys::{KeyFolder, Time};
//! use bartizan_soap::{Draft, Version};
//! use bartizan_wss::{AsymmetricBuilder, Env, Part, Untrusted};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let suite = suite::by_name("modern-rsa").expect("a known name");
//! let plans = AsymmetricBuilder::new(suite).sign(Part::Body).encrypt(Part::Body).build()?;
//! let now = Time::parse_rfc3339("2026-11-30T12:00:00Z")?;
//! let client = KeyFolder::new("keys").load("client", Some("server"), 2048)?;
//! let draft = Draft::new(Version::Soap12).with_body(b"<p:ping xmlns:p=\"urn:p\"></p:ping>".to_vec());
//! let secured = plans.initiator.secure(draft, &Env::new(&client, now, &SystemRandom), None)?;
//!
//! let server = KeyFolder::new("keys").load("server", None, 2048)?;
//! let untrusted = Untrusted::read(secured.message.bytes().to_vec(), None, &Default::default())?;
//! let verified = plans.recipient.verify(untrusted, &Env::new(&server, now, &SystemRandom))?;
//! assert_eq!(verified.payload().expect("a body").local_name(), "ping");
//! # Ok(())
//! # }
//! ```

pub mod caller;
pub mod context;
pub mod derived;
pub mod env;
pub mod error;
pub mod kept;
pub mod message;
pub mod part;
pub mod plan;
pub mod reason;
pub mod replay;
pub mod request;
pub mod reuse;
mod secret;
pub mod untrusted;
pub mod verified;

mod inbound;
mod outbound;

pub use caller::{Caller, ProvedBy};
pub use context::{Protection, SecurityContext, Warning};
pub use derived::DerivedKeys;
pub use env::{Aside, Env, Login, Transport};
pub use error::{Error, Hint, NotPartner, Place, Reject, Shown};
pub use kept::{KeepBounds, KeptSecrets};
pub use message::{Secured, WireMessage};
pub use part::{EncryptHow, EncryptPart, Need, Part, Require};
pub use plan::builder::AsymmetricBuilder;
pub use plan::symmetric::builder::SymmetricBuilder;
pub use plan::username::builder::UsernameBuilder;
pub use plan::{InPlan, OutPlan, Plan, PlanPair, Side};
pub use reason::{Reason, Wire};
pub use replay::{MemoryReplay, ReplayCache};
pub use request::{RequestFacts, SentSignatures};
pub use reuse::ReusedSecret;
pub use untrusted::Untrusted;
pub use verified::{Covered, CoveredNode, Keep, Prefixes, Verified, View};
