//! `Envelope`: a document that has been checked to be one SOAP envelope.
//!
//! What it is: the strict outer shape (exactly one Body as child of Envelope, at most one Header, before it).
//! What it is not: any look into security headers. Called by `bartizan-wss` once for each message and by clients for plain replies.

use bartizan_xml::names::{self, Name};
use bartizan_xml::{Budget, Document, Element, Node, NodeId, NodeKind, Profile, Scratch};

use crate::error::{Error, Shape};
use crate::version::Version;

/// A SOAP envelope over its document. Node ids stay valid: the document only grows.
///
/// INVARIANT: `header` and `body` are children of the root, `body` is the only Body among them.
pub struct Envelope {
    document: Document,
    version: Version,
    header: Option<NodeId>,
    body: NodeId,
}

impl Envelope {
    /// Parses `bytes` in the message profile (no DTD, no PI) and checks the shape.
    ///
    /// # Errors
    /// [`Error::Xml`] for what is no such XML or exceeds `budget`, [`Error::VersionMismatch`], [`Error::Shape`].
    pub fn parse(bytes: Vec<u8>, budget: &mut Budget) -> Result<Envelope, Error> {
        Envelope::new(Document::parse(bytes, Profile::Message, budget)?)
    }

    /// As [`Envelope::parse`], in the memory of a document that is gone.
    ///
    /// # Errors
    /// Those of [`Envelope::parse`].
    pub fn parse_with(bytes: Vec<u8>, budget: &mut Budget, scratch: &mut Scratch) -> Result<Envelope, Error> {
        Envelope::new(Document::parse_with(bytes, Profile::Message, budget, scratch)?)
    }

    /// Checks the shape of an already parsed document (SOAP 1.1 §4, SOAP 1.2 part 1 §5).
    ///
    /// # Errors
    /// [`Error::VersionMismatch`], [`Error::Shape`].
    pub fn new(document: Document) -> Result<Envelope, Error> {
        let (version, header, body) = shape(&document)?;
        Ok(Envelope { document, version, header, body })
    }

    /// The version, by the namespace of the root.
    #[must_use]
    pub fn version(&self) -> Version {
        self.version
    }

    /// The document.
    #[must_use]
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// The document, to graft plaintext in. Whoever grafts calls [`Envelope::check_shape`] afterwards.
    pub fn document_mut(&mut self) -> &mut Document {
        &mut self.document
    }

    /// Gives the document back.
    #[must_use]
    pub fn into_document(self) -> Document {
        self.document
    }

    /// Checks the shape again, after plaintext was grafted in (a grafted second Body, Header or stray text refuses the message).
    ///
    /// # Errors
    /// [`Error::Shape`].
    pub fn check_shape(&self) -> Result<(), Error> {
        let (_, header, body) = shape(&self.document)?;
        if header != self.header || body != self.body {
            return Err(Error::Shape { what: Shape::SecondBody, offset: 0 });
        }
        Ok(())
    }

    /// The root element.
    #[must_use]
    pub fn root(&self) -> Element<'_> {
        self.document.root()
    }

    /// The Header, if the envelope has one.
    #[must_use]
    pub fn header(&self) -> Option<Element<'_>> {
        self.header.and_then(|id| self.document.element(id))
    }

    /// The Body. (Falls back to the root if the arena lost it, which cannot happen.)
    #[must_use]
    pub fn body(&self) -> Element<'_> {
        self.document.element(self.body).unwrap_or_else(|| self.document.root())
    }

    /// Node id of the Body.
    #[must_use]
    pub fn body_id(&self) -> NodeId {
        self.body
    }

    /// Node id of the Header.
    #[must_use]
    pub fn header_id(&self) -> Option<NodeId> {
        self.header
    }

    /// The header blocks in document order.
    pub fn blocks(&self) -> impl Iterator<Item = Element<'_>> {
        self.header().into_iter().flat_map(|h| h.elements())
    }

    /// The header blocks of one name.
    pub fn blocks_named(&self, name: Name) -> impl Iterator<Item = Element<'_>> {
        self.blocks().filter(move |e| e.is(name))
    }

    /// The first element in the Body: what names the operation.
    #[must_use]
    pub fn payload(&self) -> Option<Element<'_>> {
        self.body().elements().next()
    }
}

type Found = (Version, Option<NodeId>, NodeId);

fn shape(document: &Document) -> Result<Found, Error> {
    let root = document.root();
    let version = [Version::Soap11, Version::Soap12].into_iter().find(|v| root.is(v.envelope()));
    let version = version.ok_or(Error::VersionMismatch { offset: root.span().start })?;
    attributes(root, version)?;
    let (mut header, mut body) = (None, None);
    for child in root.children() {
        let Some(element) = structural(child, root)? else { continue };
        if element.is(version.header()) {
            if body.is_some() {
                return Err(wrong(Shape::HeaderAfterBody, element));
            }
            if header.replace(element).is_some() {
                return Err(wrong(Shape::SecondHeader, element));
            }
        } else if element.is(version.body()) {
            if body.replace(element).is_some() {
                return Err(wrong(Shape::SecondBody, element));
            }
        } else {
            return Err(wrong(Shape::UnknownChild, element));
        }
    }
    let body = body.ok_or_else(|| wrong(Shape::NoBody, root))?;
    attributes(body, version)?;
    if let Some(header) = header {
        attributes(header, version)?;
        for child in header.children() {
            if let Some(block) = structural(child, header)?
                && block.namespace().is_none()
            {
                return Err(wrong(Shape::UnqualifiedBlock, block));
            }
        }
    }
    Ok((version, header.map(|h| h.id()), body.id()))
}

/// An element as is, white space and comments as nothing, other text as an error.
fn structural<'d>(node: Node<'d>, parent: Element<'d>) -> Result<Option<Element<'d>>, Error> {
    match node.kind() {
        NodeKind::Element => Ok(node.as_element()),
        NodeKind::Text | NodeKind::CData => {
            let blank =
                node.text().is_none_or(|t| t.bytes().all(|b| matches!(b, b' ' | b'\t' | b'\r' | b'\n')));
            if blank {
                Ok(None)
            } else {
                Err(Error::Shape { what: Shape::StrayText, offset: parent.span().start })
            }
        }
        NodeKind::Comment | NodeKind::Pi => Ok(None),
    }
}

/// Envelope, Header and Body may carry namespace-qualified attributes and Ids, but no unqualified ones,
/// and none of the attributes that belong to header blocks (SOAP 1.2 part 1 §5.1.1, §5.2.1; SOAP 1.1 §4.1.1 allows encodingStyle).
fn attributes(element: Element<'_>, version: Version) -> Result<(), Error> {
    for attr in element.attrs() {
        let Some(ns) = attr.namespace() else {
            return Err(wrong(Shape::Attribute, element));
        };
        let encoding = version == Version::Soap11 && attr.local_name() == "encodingStyle";
        let soap = ns == names::ns::SOAP11.uri() || ns == names::ns::SOAP12.uri();
        if soap && !encoding {
            return Err(wrong(Shape::Attribute, element));
        }
    }
    Ok(())
}

fn wrong(what: Shape, at: Element<'_>) -> Error {
    Error::Shape { what, offset: at.span().start }
}
