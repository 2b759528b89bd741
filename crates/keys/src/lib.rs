//! Where keys and trust come from: stores, certificates, paths, a demo PKI.
//!
//! The crate reads key files ([`store`]), knows the facts in certificates ([`Certificate`]), answers
//! which key a reference in a message means ([`Keystore`]), whether a certificate may be believed
//! ([`TrustStore`]) and who a user with a password is ([`UserSource`]). It knows no XML and no SOAP, reads no clock, and draws no random numbers of its
//! own: both are passed in. `wss` asks it about messages, `net` about connections, the command line
//! and the gateway load its stores.
//!
//! ```
//! use bartizan_crypto::random::SystemRandom;
//! use bartizan_keys::{Time, TrustStore, pki::{DemoOptions, DemoPki}, store::read_any};
//!
//! let now = Time::parse_rfc3339("2026-11-30T12:00:00Z")?;
//! let pki = DemoPki::generate(&DemoOptions { rsa_bits: 2048, now, jks: false }, &SystemRandom)?;
//! let certificate = |name: &str| {
//!     let file = pki.files.iter().find(|file| file.name == name).expect("it is made");
//!     file.contents.expose(|octets| read_any(octets, None)).map(|all| all[0].chain[0].clone())
//! };
//! let trust = TrustStore::builder().anchor(certificate("ca.pem")?).build();
//! assert!(trust.verify(&certificate("client.pem")?, &[], now, 2048).is_ok());
//! assert!(trust.verify(&certificate("expired.pem")?, &[], now, 2048).is_err());
//! # Ok::<(), bartizan_keys::Error>(())
//! ```

mod cert;
mod der;
mod error;
#[cfg(test)]
mod forge;
mod keystore;
pub mod pki;
pub mod store;
mod time;
mod trust;
pub mod users;

pub use cert::{AltName, Certificate, KeyUsage, MAX_CERTIFICATE, Usage};
pub use error::Error;
pub use keystore::{Answering, DEFAULT_MIN_RSA, Identity, Keystore, KeystoreBuilder, TokenRef, VerifiedKey};
pub use store::KeyFolder;
pub use time::Time;
pub use trust::{
    ChainAlgorithms, CrlFacts, MAX_EXTRA, Purpose, TrustPath, TrustReason, TrustStore, TrustStoreBuilder,
};
pub use users::{Denied, MemoryUsers, User, UserSource, Users};
