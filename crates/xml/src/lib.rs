//! XML 1.0 with namespaces for SOAP: a safe zero-copy parser, canonical forms, a canonical writer.
//!
//! ```
//! use bartizan_xml::{Budget, Document, Limits, Profile, c14n::{C14n, C14nMethod}};
//!
//! let mut budget = Budget::new(&Limits::default());
//! let doc = Document::parse(b"<a:b xmlns:a='urn:a' x = '1'/>".to_vec(), Profile::Message, &mut budget)?;
//! let mut octets = Vec::new();
//! C14n::new(C14nMethod::Exclusive).write(doc.root(), &mut octets)?;
//! assert_eq!(octets, br#"<a:b xmlns:a="urn:a" x="1"></a:b>"#);
//! # Ok::<(), bartizan_xml::Error>(())
//! ```
//!
//! The crate knows the names of the field ([`names`]) but no security. What is absent on purpose: document types and
//! every entity but the five of XML itself, external resources of any kind, XPath, recursion on the depth of a
//! document, and any work that is not paid from a [`Budget`].

pub mod c14n;
mod doc;
mod encoding;
mod error;
mod limits;
pub mod names;
pub mod path;
mod scan;
pub mod sink;
pub mod write;

pub use doc::view::{Attr, Children, Descendants, Element, Elements, Namespace, Node, NodeKind, Span};
pub use doc::{Document, Graft, NodeId, Profile, Scratch};
pub use error::{Error, ErrorKind};
pub use limits::{Budget, Limits, Quantity};
pub use names::{Local, Name, Ns};
