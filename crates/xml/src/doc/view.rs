//! Reading a document: nodes, elements, attributes. All of them are small copies that borrow the document.

use std::borrow::Cow;

use super::{Document, NodeId};
use crate::error::Error;
use crate::names::{Name, Ns};

/// What a node is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NodeKind {
    /// An element.
    Element,
    /// Character data.
    Text,
    /// A CDATA section.
    CData,
    /// A comment.
    Comment,
    /// A processing instruction.
    Pi,
}

/// Octets of a segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Span {
    /// The segment: 0 is the document.
    pub segment: u32,
    /// First octet.
    pub start: usize,
    /// One past the last octet.
    pub end: usize,
}

/// A node.
#[derive(Clone, Copy, Debug)]
pub struct Node<'d> {
    doc: &'d Document,
    id: NodeId,
}

impl<'d> Node<'d> {
    /// Its id.
    #[must_use]
    pub fn id(self) -> NodeId {
        self.id
    }
    /// What it is.
    #[must_use]
    pub fn kind(self) -> NodeKind {
        todo!()
    }
    /// The element, if it is one.
    #[must_use]
    pub fn as_element(self) -> Option<Element<'d>> {
        todo!()
    }
    /// Text of a text node, CDATA section or comment; data of a processing instruction.
    #[must_use]
    pub fn text(self) -> Option<&'d str> {
        let _ = self.doc;
        todo!()
    }
    /// Target of a processing instruction.
    #[must_use]
    pub fn target(self) -> Option<&'d str> {
        todo!()
    }
}

/// An element.
#[derive(Clone, Copy, Debug)]
pub struct Element<'d> {
    doc: &'d Document,
    id: NodeId,
}

/// An attribute that is not a namespace declaration.
#[derive(Clone, Copy, Debug)]
pub struct Attr<'d> {
    doc: &'d Document,
}

impl<'d> Attr<'d> {
    /// Its expanded name.
    #[must_use]
    pub fn name(self) -> Name {
        todo!()
    }
    /// Local part of the name.
    #[must_use]
    pub fn local_name(self) -> &'d str {
        let _ = self.doc;
        todo!()
    }
    /// Namespace URI, if any.
    #[must_use]
    pub fn namespace(self) -> Option<&'d str> {
        todo!()
    }
    /// Prefix as written; empty if none.
    #[must_use]
    pub fn prefix(self) -> &'d str {
        todo!()
    }
    /// Name as written.
    #[must_use]
    pub fn qname(self) -> &'d str {
        todo!()
    }
    /// Normalized value (XML 1.0 §3.3.3).
    #[must_use]
    pub fn value(self) -> &'d str {
        todo!()
    }
}

/// A namespace declaration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Namespace<'d> {
    /// The prefix; empty for the default namespace.
    pub prefix: &'d str,
    /// The URI; empty for `xmlns=""`.
    pub uri: &'d str,
    /// The URI as a number.
    pub ns: Ns,
}

impl<'d> Element<'d> {
    /// Its id.
    #[must_use]
    pub fn id(self) -> NodeId {
        self.id
    }
    /// Its document.
    #[must_use]
    pub fn document(self) -> &'d Document {
        self.doc
    }
    /// As a node.
    #[must_use]
    pub fn node(self) -> Node<'d> {
        Node { doc: self.doc, id: self.id }
    }
    /// Its expanded name.
    #[must_use]
    pub fn name(self) -> Name {
        todo!()
    }
    /// Whether it has this name.
    #[must_use]
    pub fn is(self, name: Name) -> bool {
        self.name() == name
    }
    /// Local part of the name.
    #[must_use]
    pub fn local_name(self) -> &'d str {
        todo!()
    }
    /// Namespace URI, if any.
    #[must_use]
    pub fn namespace(self) -> Option<&'d str> {
        todo!()
    }
    /// Prefix as written; empty if none.
    #[must_use]
    pub fn prefix(self) -> &'d str {
        todo!()
    }
    /// Name as written.
    #[must_use]
    pub fn qname(self) -> &'d str {
        todo!()
    }
    /// Normalized value of an attribute.
    #[must_use]
    pub fn attr(self, name: Name) -> Option<&'d str> {
        let _ = name;
        todo!()
    }
    /// Normalized value of an attribute without namespace, by its text.
    #[must_use]
    pub fn attr_plain(self, local: &str) -> Option<&'d str> {
        let _ = local;
        todo!()
    }
    /// Attributes in document order, without namespace declarations.
    pub fn attrs(self) -> impl Iterator<Item = Attr<'d>> {
        std::iter::empty()
    }
    /// Namespace declarations of this element, in document order.
    pub fn namespaces(self) -> impl Iterator<Item = Namespace<'d>> {
        std::iter::empty()
    }
    /// The URI that a prefix is bound to here; `""` is the default namespace. `None` if unbound or no namespace.
    #[must_use]
    pub fn lookup_namespace(self, prefix: &str) -> Option<&'d str> {
        let _ = prefix;
        todo!()
    }
    /// The parent element. Of an element of a plaintext: the parent of the EncryptedData that it replaced.
    #[must_use]
    pub fn parent(self) -> Option<Element<'d>> {
        todo!()
    }
    /// Child nodes, plaintexts in place of what they replaced.
    #[must_use]
    pub fn children(self) -> Children<'d> {
        todo!()
    }
    /// Child nodes, following only the first `grafts` grafts of the document.
    pub(crate) fn children_following(self, grafts: u32) -> Children<'d> {
        let _ = grafts;
        todo!()
    }
    /// Child elements, as [`Element::children`].
    #[must_use]
    pub fn elements(self) -> Elements<'d> {
        todo!()
    }
    /// The first child element with this name.
    #[must_use]
    pub fn child(self, name: Name) -> Option<Element<'d>> {
        self.elements().find(|e| e.is(name))
    }
    /// Child elements with this name.
    pub fn children_named(self, name: Name) -> impl Iterator<Item = Element<'d>> {
        self.elements().filter(move |e| e.is(name))
    }
    /// All elements below this one in document order, plaintexts in place of what they replaced.
    #[must_use]
    pub fn descendants(self) -> Descendants<'d> {
        todo!()
    }
    /// Whether `other` lies below this element.
    #[must_use]
    pub fn is_ancestor_of(self, other: Element<'_>) -> bool {
        let _ = other;
        todo!()
    }
    /// Concatenated text and CDATA of the direct children; comments are skipped.
    #[must_use]
    pub fn text(self) -> Cow<'d, str> {
        todo!()
    }
    /// Text of an element that may hold nothing but one run of text.
    ///
    /// # Errors
    /// [`crate::ErrorKind::NotText`] on any child element, comment, processing instruction or CDATA section.
    pub fn leaf_text(self) -> Result<Cow<'d, str>, Error> {
        todo!()
    }
    /// Where it stands in its segment, start tag to end tag.
    #[must_use]
    pub fn span(self) -> Span {
        todo!()
    }
    /// Whether it came with a plaintext.
    #[must_use]
    pub fn grafted(self) -> bool {
        todo!()
    }
    /// Whether it is an EncryptedData that a plaintext replaced.
    #[must_use]
    pub fn replaced(self) -> bool {
        todo!()
    }
    /// Path by local names, with positions from 1 where siblings share a name: `/Envelope/Header/Security[2]`.
    #[must_use]
    pub fn path(self) -> String {
        todo!()
    }
    /// Line and column of its start tag, from 1, in its segment.
    #[must_use]
    pub fn position(self) -> (usize, usize) {
        todo!()
    }
    /// `xsi:nil` is true.
    #[must_use]
    pub fn is_nil(self) -> bool {
        todo!()
    }
}

/// Child nodes.
#[derive(Clone, Debug)]
pub struct Children<'d> {
    doc: &'d Document,
}

impl<'d> Iterator for Children<'d> {
    type Item = Node<'d>;
    fn next(&mut self) -> Option<Node<'d>> {
        let _ = self.doc;
        todo!()
    }
}

/// Child elements.
#[derive(Clone, Debug)]
pub struct Elements<'d>(Children<'d>);

impl<'d> Iterator for Elements<'d> {
    type Item = Element<'d>;
    fn next(&mut self) -> Option<Element<'d>> {
        self.0.find_map(Node::as_element)
    }
}

/// Elements below an element.
#[derive(Clone, Debug)]
pub struct Descendants<'d> {
    doc: &'d Document,
}

impl<'d> Iterator for Descendants<'d> {
    type Item = Element<'d>;
    fn next(&mut self) -> Option<Element<'d>> {
        let _ = self.doc;
        todo!()
    }
}
