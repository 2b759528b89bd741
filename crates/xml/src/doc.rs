//! The document: segments of text and one arena of nodes over them. Made by [`Document::parse`], read through
//! [`Element`], changed only by [`Document::graft`].

pub(crate) mod ids;
pub(crate) mod view;

use crate::error::Error;
use crate::limits::Budget;
use crate::names::{Name, Ns};
use view::{Children, Element};

/// Which documents are accepted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Profile {
    /// SOAP messages: no processing instructions, namespace URIs in ASCII.
    Message,
    /// Documents of our own side and test suites: processing instructions are kept.
    Bare,
}

/// What a plaintext replaces.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Graft {
    /// One element, with white space, comments and text allowed around it (XMLEnc `#Element`).
    Element,
    /// Any content (XMLEnc `#Content`).
    Content,
}

/// A node of one document. Ids of different documents must not be mixed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct NodeId(pub(crate) u32);

/// An XML document and the plaintexts grafted into it. Owns its text; `Send` and `Sync`.
#[derive(Debug)]
pub struct Document {}

impl Document {
    /// Parses UTF-8, or UTF-16 with a byte order mark (converted once).
    ///
    /// # Errors
    /// The first violation of XML 1.0, Namespaces in XML 1.0, the profile or a limit.
    pub fn parse(bytes: Vec<u8>, profile: Profile, budget: &mut Budget) -> Result<Self, Error> {
        let _ = (bytes, profile, budget);
        todo!()
    }

    /// The root element.
    #[must_use]
    pub fn root(&self) -> Element<'_> {
        todo!()
    }

    /// An element by its id.
    #[must_use]
    pub fn element(&self, id: NodeId) -> Option<Element<'_>> {
        let _ = id;
        todo!()
    }

    /// The nodes around and including the root element.
    #[must_use]
    pub fn children(&self) -> Children<'_> {
        todo!()
    }

    /// Puts a plaintext in the place of the element `at`, parsed with the namespaces in scope there.
    ///
    /// # Errors
    /// As [`Document::parse`], with offsets into the plaintext; [`crate::ErrorKind::Fragment`],
    /// [`crate::ErrorKind::NodeId`].
    pub fn graft(
        &mut self,
        at: NodeId,
        plaintext: Vec<u8>,
        kind: Graft,
        budget: &mut Budget,
    ) -> Result<(), Error> {
        let _ = (at, plaintext, kind, budget);
        todo!()
    }

    /// The element with an Id.
    ///
    /// # Errors
    /// [`crate::ErrorKind::DuplicateId`] if two elements claim it, look-alikes included.
    pub fn by_id(&self, id: &str) -> Result<Option<Element<'_>>, Error> {
        let _ = id;
        todo!()
    }

    /// Makes an attribute without namespace an Id on every element (the `--id-attr` of the file tools).
    pub fn declare_id_attr(&mut self, local: &str) {
        let _ = local;
        todo!()
    }

    /// Refuses duplicates among recognised Ids, and look-alikes that equal a recognised or referenced Id.
    ///
    /// # Errors
    /// [`crate::ErrorKind::DuplicateId`].
    pub fn check_ids(&self, referenced: &[&str]) -> Result<(), Error> {
        let _ = referenced;
        todo!()
    }

    /// The text of a segment: 0 is the document, the others are plaintexts in the order of their grafts.
    #[must_use]
    pub fn segment_text(&self, segment: u32) -> &str {
        let _ = segment;
        todo!()
    }

    /// Number of segments.
    #[must_use]
    pub fn segments(&self) -> u32 {
        todo!()
    }

    /// The name that a namespace URI and a local part have in this document, if they occur in it or in the tables.
    #[must_use]
    pub fn find_name(&self, uri: &str, local: &str) -> Option<Name> {
        let _ = (uri, local);
        todo!()
    }

    /// The URI of a namespace of this document.
    #[must_use]
    pub fn namespace_uri(&self, ns: Ns) -> &str {
        let _ = ns;
        todo!()
    }
}
