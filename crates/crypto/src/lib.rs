//! Algorithms and keys as types for XML security.
//!
//! The one place for algorithm identifiers ([`alg`]) and for the primitives behind them: digests,
//! signatures, ciphers, key wrap and transport, key agreement and derivation. It knows no XML: `xmlsec`
//! reads and writes the elements, `keys` says where keys come from, and both call this crate.
//!
//! Two rules hold everywhere. Keys are parsed once into typed handles that are cheap to clone and
//! safe to share between threads. A failure of a cryptographic operation has no detail:
//! [`Error::Failed`] is all that a caller, and so a peer, can learn.
//!
//! ```
//! use bartizan_crypto::{Alg, Curve, PrivateKey, SignatureAlg, Status};
//!
//! let key = PrivateKey::generate_ec(Curve::P256)?;
//! let value = key.sign(SignatureAlg::EcdsaSha256, b"what was said")?;
//! key.public().verify(SignatureAlg::EcdsaSha256, b"what was said", &value)?;
//! assert!(key.public().verify(SignatureAlg::EcdsaSha256, b"something else", &value).is_err());
//! assert_eq!(Alg::from(SignatureAlg::RsaSha1).status(), Status::Legacy);
//! # Ok::<(), bartizan_crypto::Error>(())
//! ```

pub mod alg;
mod asn1;
pub mod base64;
mod cipher;
pub mod derive;
pub mod digest;
pub mod equal;
mod error;
mod key;
mod oaep;
pub mod random;
mod secret;
pub mod suite;
mod symmetric;
mod transport;
mod wrap;

pub use alg::{
    AgreementAlg, Alg, AlgSet, CipherAlg, DigestAlg, KdfAlg, MgfAlg, SignatureAlg, Status, TransportAlg,
    WrapAlg,
};
pub use digest::{Digest, Hasher};
pub use error::Error;
pub use key::{
    Curve, DsaComponents, EphemeralKey, KeyKind, MAX_RSA_BITS, MIN_RSA_BITS, PrivateKey, PublicKey,
    RsaComponents,
};
pub use oaep::OaepSet;
pub use secret::Secret;
pub use symmetric::{Mac, SymmetricKey};
pub use transport::{MAX_LABEL, MAX_SECRET, OaepParams};
