//! SOAP 1.1 and 1.2 envelopes, faults, header rules and WS-Addressing.
//!
//! What it is: the neighbours of security in an envelope, read strictly and written canonically.
//! What it is not: security (that is `bartizan-wss`), transport (HTTP status codes are named here, sent elsewhere).
//! Who calls: `bartizan-wss` for every message, services and the gateway for faults and addressing.
//!
//! ```
//! use bartizan_soap::{Draft, Version};
//! let draft = Draft::new(Version::Soap12).with_body(b"<p:ping xmlns:p=\"urn:p\"></p:ping>".to_vec());
//! assert_eq!(draft.version(), Version::Soap12);
//! // There is no way to turn it into bytes here: only a plan of `bartizan-wss` makes a message of it.
//! ```

pub mod addressing;
pub mod draft;
pub mod envelope;
pub mod error;
pub mod fault;
pub mod header;
pub mod media;
pub mod version;

pub use draft::{Block, Draft};
pub use envelope::Envelope;
pub use error::Error;
pub use fault::{Fault, FaultCode, ToFault};
pub use media::MediaType;
pub use version::Version;
