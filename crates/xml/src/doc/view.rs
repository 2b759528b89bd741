//! Reading a document: nodes, elements, attributes. All of them are small copies that borrow the document. Iterators
//! show plaintexts in the place of what they replaced.

mod iter;
mod locate;

use core::fmt;
use std::borrow::Cow;

use super::arena::{AttrData, DECLARATION, Kind, NodeData, REPLACED};
use super::{Document, NodeId};
use crate::error::{Error, ErrorKind};
use crate::names::{Name, Ns, xsi};
use crate::scan;
pub use iter::{Children, Descendants, Elements};

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
#[derive(Clone, Copy)]
pub struct Node<'d> {
    doc: &'d Document,
    id: u32,
}

impl<'d> Node<'d> {
    pub(crate) fn new(doc: &'d Document, id: u32) -> Self {
        Self { doc, id }
    }

    fn data(self) -> Option<&'d NodeData> {
        self.doc.arena().node(self.id)
    }

    /// Its id.
    #[must_use]
    pub fn id(self) -> NodeId {
        NodeId(self.id)
    }

    /// What it is.
    #[must_use]
    pub fn kind(self) -> NodeKind {
        match self.data().map_or(Kind::Text, |n| n.kind) {
            Kind::Element => NodeKind::Element,
            Kind::Text => NodeKind::Text,
            Kind::CData => NodeKind::CData,
            Kind::Comment => NodeKind::Comment,
            Kind::Pi => NodeKind::Pi,
        }
    }

    /// The element, if it is one.
    #[must_use]
    pub fn as_element(self) -> Option<Element<'d>> {
        self.data().filter(|n| n.kind == Kind::Element).map(|_| Element::new(self.doc, self.id))
    }

    /// Text of a text node, CDATA section or comment; data of a processing instruction. `None` for elements.
    #[must_use]
    pub fn text(self) -> Option<&'d str> {
        match self.kind() {
            NodeKind::Element => None,
            NodeKind::Pi => Some(split_instruction(self.content()).1),
            _ => Some(self.content()),
        }
    }

    /// Target of a processing instruction.
    #[must_use]
    pub fn target(self) -> Option<&'d str> {
        if self.kind() != NodeKind::Pi {
            return None;
        }
        Some(split_instruction(self.content()).0)
    }

    fn content(self) -> &'d str {
        let text = &self.doc.segment_of(self.id).text;
        self.data().map_or("", |n| self.doc.arena().node_text(n, text))
    }
}

/// Target and data of a processing instruction.
pub(crate) fn split_instruction(whole: &str) -> (&str, &str) {
    const SPACE: [char; 4] = [' ', '\t', '\r', '\n'];
    let (target, data) = whole.split_once(SPACE).unwrap_or((whole, ""));
    (target, data.trim_start_matches(SPACE))
}

impl fmt::Debug for Node<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Node").field("id", &self.id).field("kind", &self.kind()).finish()
    }
}

/// An element.
#[derive(Clone, Copy)]
pub struct Element<'d> {
    doc: &'d Document,
    id: u32,
}

impl PartialEq for Element<'_> {
    /// The same element of the same document.
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id && core::ptr::eq(self.doc, other.doc)
    }
}

impl Eq for Element<'_> {}

impl fmt::Debug for Element<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Element").field("id", &self.id).field("name", &self.qname()).finish()
    }
}

/// An attribute that is not a namespace declaration.
#[derive(Clone, Copy)]
pub struct Attr<'d> {
    doc: &'d Document,
    owner: u32,
    data: AttrData,
}

impl fmt::Debug for Attr<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Attr").field("name", &self.qname()).field("value", &self.value()).finish()
    }
}

impl<'d> Attr<'d> {
    /// Its expanded name.
    #[must_use]
    pub fn name(self) -> Name {
        self.doc.arena().names.get(self.data.qname).name
    }

    /// Local part of the name.
    #[must_use]
    pub fn local_name(self) -> &'d str {
        self.doc.arena().names.local_text(self.data.qname)
    }

    /// Namespace URI, if any.
    #[must_use]
    pub fn namespace(self) -> Option<&'d str> {
        present(self.doc.namespace_uri(self.name().ns))
    }

    /// Prefix as written; empty if none.
    #[must_use]
    pub fn prefix(self) -> &'d str {
        let names = &self.doc.arena().names;
        names.prefix(names.get(self.data.qname).prefix)
    }

    /// Name as written.
    #[must_use]
    pub fn qname(self) -> &'d str {
        self.doc.arena().names.text(self.data.qname)
    }

    /// Normalized value (XML 1.0 §3.3.3).
    #[must_use]
    pub fn value(self) -> &'d str {
        self.doc.arena.attr_value(&self.data, &self.doc.segment_of(self.owner).text)
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

fn present(uri: &str) -> Option<&str> {
    (!uri.is_empty()).then_some(uri)
}

impl<'d> Element<'d> {
    pub(crate) fn new(doc: &'d Document, id: u32) -> Self {
        Self { doc, id }
    }

    fn data(self) -> Option<&'d NodeData> {
        self.doc.arena().node(self.id)
    }

    fn qname_id(self) -> u16 {
        self.data().map_or(u16::MAX, |n| n.qname)
    }

    /// Its id.
    #[must_use]
    pub fn id(self) -> NodeId {
        NodeId(self.id)
    }

    /// Its document.
    #[must_use]
    pub fn document(self) -> &'d Document {
        self.doc
    }

    /// As a node.
    #[must_use]
    pub fn node(self) -> Node<'d> {
        Node::new(self.doc, self.id)
    }

    /// Its expanded name.
    #[must_use]
    pub fn name(self) -> Name {
        self.doc.arena().names.get(self.qname_id()).name
    }

    /// Whether it has this name.
    #[must_use]
    pub fn is(self, name: Name) -> bool {
        self.name() == name
    }

    /// Local part of the name.
    #[must_use]
    pub fn local_name(self) -> &'d str {
        self.doc.arena().names.local_text(self.qname_id())
    }

    /// Namespace URI, if any.
    #[must_use]
    pub fn namespace(self) -> Option<&'d str> {
        present(self.doc.namespace_uri(self.name().ns))
    }

    /// Prefix as written; empty if none.
    #[must_use]
    pub fn prefix(self) -> &'d str {
        let names = &self.doc.arena().names;
        names.prefix(names.get(self.qname_id()).prefix)
    }

    /// Name as written.
    #[must_use]
    pub fn qname(self) -> &'d str {
        self.doc.arena().names.text(self.qname_id())
    }

    /// Normalized value of an attribute.
    #[must_use]
    pub fn attr(self, name: Name) -> Option<&'d str> {
        self.attrs().find(|a| a.name() == name).map(Attr::value)
    }

    /// Normalized value of an attribute without namespace, by its text.
    #[must_use]
    pub fn attr_plain(self, local: &str) -> Option<&'d str> {
        let local = self.doc.arena().names.find_local(local)?;
        self.attr(Name::new(crate::names::ns::NONE, local))
    }

    /// Attributes in document order, without namespace declarations.
    pub fn attrs(self) -> impl Iterator<Item = Attr<'d>> + use<'d> {
        let entries = self.doc.arena().attrs(self.id).iter();
        entries.filter(|a| a.flags & DECLARATION == 0).map(move |&data| Attr {
            doc: self.doc,
            owner: self.id,
            data,
        })
    }

    /// Namespace declarations of this element, in document order.
    pub fn namespaces(self) -> impl Iterator<Item = Namespace<'d>> + use<'d> {
        let names = &self.doc.arena().names;
        let entries = self.doc.arena().attrs(self.id).iter();
        entries.filter(|a| a.flags & DECLARATION != 0).map(move |a| Namespace {
            prefix: names.prefix(a.qname),
            uri: names.namespace(a.start as u16),
            ns: Ns(a.start as u16),
        })
    }

    /// The URI that a prefix is bound to here; `""` is the default namespace. `None` if unbound or no namespace.
    #[must_use]
    pub fn lookup_namespace(self, prefix: &str) -> Option<&'d str> {
        let names = &self.doc.arena().names;
        if prefix == "xml" {
            return Some(crate::names::ns::XML.uri());
        }
        let prefix = names.find_prefix(prefix)?;
        let mut at = Some(self.id);
        while let Some(id) = at {
            let mut entries = self.doc.arena().attrs(id).iter();
            if let Some(found) = entries.find(|a| a.flags & DECLARATION != 0 && a.qname == prefix) {
                return present(names.namespace(found.start as u16));
            }
            at = self.doc.parent(id);
        }
        None
    }

    /// The parent element. Of an element of a plaintext: the parent of the EncryptedData that it replaced.
    #[must_use]
    pub fn parent(self) -> Option<Element<'d>> {
        self.doc.parent(self.id).map(|id| Element::new(self.doc, id))
    }

    /// Child nodes, plaintexts in place of what they replaced.
    #[must_use]
    pub fn children(self) -> Children<'d> {
        Children::new(self.doc, self.doc.first_child(self.id, u32::MAX))
    }

    /// Child nodes with only the first `grafts` plaintexts in place of what they replaced.
    #[cfg(test)]
    pub(crate) fn children_following(self, grafts: u32) -> Children<'d> {
        Children::following(self.doc, self.doc.first_child(self.id, grafts), grafts)
    }

    /// Child elements, as [`Element::children`].
    #[must_use]
    pub fn elements(self) -> Elements<'d> {
        Elements::new(self.children())
    }

    /// The first child element with this name.
    #[must_use]
    pub fn child(self, name: Name) -> Option<Element<'d>> {
        self.elements().find(|e| e.is(name))
    }

    /// Child elements with this name.
    pub fn children_named(self, name: Name) -> impl Iterator<Item = Element<'d>> + use<'d> {
        self.elements().filter(move |e| e.is(name))
    }

    /// All elements below this one in document order, plaintexts in place of what they replaced.
    #[must_use]
    pub fn descendants(self) -> Descendants<'d> {
        Descendants::new(self.doc, self.id)
    }

    /// Concatenated text and CDATA of the direct children; comments and processing instructions are skipped.
    #[must_use]
    pub fn text(self) -> Cow<'d, str> {
        let mut texts = self.children().filter(|n| matches!(n.kind(), NodeKind::Text | NodeKind::CData));
        let first = texts.next().and_then(Node::text).unwrap_or_default();
        let mut all = Cow::Borrowed(first);
        for more in texts.filter_map(Node::text) {
            all.to_mut().push_str(more);
        }
        all
    }

    /// Text of an element that may hold nothing but one run of text; empty if it has no child.
    ///
    /// # Errors
    /// [`ErrorKind::NotText`] on any child element, comment, processing instruction or CDATA section.
    pub fn leaf_text(self) -> Result<Cow<'d, str>, Error> {
        let mut children = self.children();
        let (first, second) = (children.next(), children.next());
        let offset = self.span().start;
        match (first, second) {
            (None, _) => Ok(Cow::Borrowed("")),
            (Some(node), None) if node.kind() == NodeKind::Text => Ok(Cow::Borrowed(node.content())),
            _ => Err(Error::new(ErrorKind::NotText, offset)),
        }
    }

    /// Whether it holds neither elements nor text other than white space.
    #[must_use]
    pub fn is_blank(self) -> bool {
        self.children().all(|n| match n.kind() {
            NodeKind::Element => false,
            NodeKind::Text | NodeKind::CData => n.content().bytes().all(scan::is_space),
            NodeKind::Comment | NodeKind::Pi => true,
        })
    }

    /// Whether it came with a plaintext.
    #[must_use]
    pub fn grafted(self) -> bool {
        self.doc.segment_index(self.id) > 0
    }

    /// Whether it is an EncryptedData that a plaintext replaced.
    #[must_use]
    pub fn replaced(self) -> bool {
        self.data().is_some_and(|n| n.flags & REPLACED != 0)
    }

    /// Whether `xsi:nil` is true.
    #[must_use]
    pub fn is_nil(self) -> bool {
        self.attr(xsi::NIL).is_some_and(|v| matches!(v.trim(), "true" | "1"))
    }
}
