//! XML Signature 1.1 and XML Encryption 1.1 over `bartizan-xml` and `bartizan-crypto`.
//!
//! What it is: strict readers for `ds:Signature`, `xenc:EncryptedData`, `xenc:EncryptedKey`
//! and what hangs below them; checks that run on *nodes* of one parsed document, never on
//! text that is parsed again; writers whose output is canonical from the start.
//!
//! What it is not: it knows no SOAP and no WS-Security header, it validates no certificate
//! path and keeps no keys. Keys come in as values of `bartizan-crypto`; whoever finds them
//! ([`KeyFinder`]) has decided whether they are trusted.
//!
//! Who calls it: the WS-Security processor works with [`Signature`], [`EncryptedKey`] and
//! [`EncryptedData`] one step at a time; whole documents go through [`engine`].
//!
//! Threat notes. A signature proves something about the nodes that its references resolved
//! to, so verification answers with node ids ([`Covered`]) and nothing is looked up by Id a
//! second time. Algorithms and transforms are compared with a [`Permit`] where they are
//! first read, before a key is chosen or an octet is digested. Every failure to decrypt is
//! the same [`ErrorKind::DecryptionFailed`], reached by the same path.
//!
//! ```
//! use bartizan_crypto::{AlgSet, DigestAlg, SignatureAlg, SymmetricKey, random::SystemRandom};
//! use bartizan_xml::{Budget, Document, Limits, Profile};
//! use bartizan_xmlsec::engine::{KeyRing, SignRequest, sign_document, verify_document};
//! use bartizan_xmlsec::{C14nSpec, Permit, signature::SignKey};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let (mut budget, secret) = (Budget::new(&Limits::default()), SymmetricKey::new(vec![7; 32]));
//! let document = Document::parse(b"<doc>text</doc>".to_vec(), Profile::Bare, &mut budget)?;
//! let request = SignRequest {
//!     targets: &[], // the whole document
//!     enveloped: true,
//!     parent: None,
//!     method: SignatureAlg::HmacSha256,
//!     digest: DigestAlg::Sha256,
//!     canonicalization: &C14nSpec::EXCLUSIVE,
//!     id: None,
//!     key_info: None,
//! };
//! let key = SignKey::Secret(&secret);
//! let signed = sign_document(&document, &request, &key, Profile::Bare, &mut budget, &SystemRandom)?;
//!
//! let signed = Document::parse(signed, Profile::Bare, &mut budget)?;
//! let mut keys = KeyRing::new();
//! keys.add_secret(None, secret);
//! // One report for each signature: what it covers, or why it does not verify.
//! let reports = verify_document(&signed, &keys, &Permit::document(AlgSet::all_ok()), &mut budget)?;
//! assert!(reports.iter().all(|report| report.verified()));
//! # Ok(())
//! # }
//! ```

pub mod encryption;
pub mod engine;
mod error;
pub mod key_info;
mod permit;
mod read;
pub mod signature;
mod tap;

pub use encryption::{ContentKey, DecryptKey, EncryptedData, EncryptedKey, ReferenceList, SharedSecret};
pub use engine::{KeyFinder, KeyHint};
pub use error::{Error, ErrorKind, RefusedTransform, RefusedUri, Shape};
pub use key_info::{KeyInfo, KeyItem};
pub use permit::{OaepPermit, Permit, TransformKind, TransformSet};
pub use signature::{
    C14nSpec, Covered, NoStrTargets, RefUri, Reference, Signature, StrTarget, StrTargets, Transform,
    VerifyKey,
};
pub use tap::DigestTap;
