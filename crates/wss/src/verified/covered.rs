//! `Covered`: a view of an element that never leaves what was covered.
//!
//! It reads like an element, with these differences: there is no way up beyond the covered apex, comments do not exist (they are never signed),
//! a subtree that was cut out of the digest does not exist, and a prefix in content resolves only if the canonical form declared it.

use std::borrow::Cow;

use bartizan_xml::c14n::{C14n, C14nMethod};
use bartizan_xml::sink::Capped;
use bartizan_xml::{Element, NodeKind};

use super::CoveredPart;
use crate::context::Protection;

/// A covered element.
#[derive(Clone, Copy)]
pub struct Covered<'v> {
    element: Element<'v>,
    part: &'v CoveredPart,
}

/// A child of a covered element.
#[derive(Clone, Copy)]
pub enum CoveredNode<'v> {
    /// An element.
    Element(Covered<'v>),
    /// Text.
    Text(&'v str),
}

impl<'v> Covered<'v> {
    pub(super) fn at(element: Element<'v>, part: &'v CoveredPart) -> Covered<'v> {
        Covered { element, part }
    }

    /// How it is protected.
    #[must_use]
    pub fn protection(&self) -> Protection {
        self.part.protection
    }

    /// Local name.
    #[must_use]
    pub fn local_name(&self) -> &'v str {
        self.element.local_name()
    }

    /// Namespace URI.
    #[must_use]
    pub fn namespace(&self) -> Option<&'v str> {
        self.element.namespace()
    }

    /// The value of an attribute without namespace.
    #[must_use]
    pub fn attr(&self, local: &str) -> Option<&'v str> {
        self.element.attr_plain(local)
    }

    /// The value of an attribute with namespace.
    #[must_use]
    pub fn attr_ns(&self, ns: &str, local: &str) -> Option<&'v str> {
        self.element.attrs().find(|a| a.namespace() == Some(ns) && a.local_name() == local).map(|a| a.value())
    }

    /// The whole text of this element's own text children; comments do not split it.
    #[must_use]
    pub fn text(&self) -> Cow<'v, str> {
        self.element.text()
    }

    /// The children, without comments.
    pub fn children(&self) -> impl Iterator<Item = CoveredNode<'v>> + use<'v> {
        let part = self.part;
        self.element.children().filter(move |n| Some(n.id()) != part.hole).filter_map(move |n| {
            match n.kind() {
                NodeKind::Element => {
                    n.as_element().map(|element| CoveredNode::Element(Covered { element, part }))
                }
                NodeKind::Text | NodeKind::CData => n.text().map(CoveredNode::Text),
                NodeKind::Comment | NodeKind::Pi => None,
            }
        })
    }

    /// The child elements.
    pub fn elements(&self) -> impl Iterator<Item = Covered<'v>> + use<'v> {
        self.children().filter_map(|n| match n {
            CoveredNode::Element(e) => Some(e),
            CoveredNode::Text(_) => None,
        })
    }

    /// The first child element of a name.
    #[must_use]
    pub fn child(&self, ns: Option<&str>, local: &str) -> Option<Covered<'v>> {
        self.elements().find(|e| e.namespace() == ns && e.local_name() == local)
    }

    /// Resolves a prefix used in content (as in `xsi:type="p:T"`), if what was covered declares it.
    ///
    /// Exclusive canonicalization declares a prefix where an element or attribute name uses it, or where the PrefixList names it. A declaration
    /// that only content uses is in no digest: anybody could change it, so it yields nothing.
    #[must_use]
    pub fn resolve_prefix(&self, prefix: &str) -> Option<&'v str> {
        let bound = self.element.lookup_namespace(prefix)?;
        if self.part.prefixes.iter().any(|p| p == prefix || (p == "#default" && prefix.is_empty())) {
            return Some(bound);
        }
        let mut at = Some(self.element);
        while let Some(e) = at {
            let used =
                e.prefix() == prefix || (!prefix.is_empty() && e.attrs().any(|a| a.prefix() == prefix));
            if used {
                return (e.lookup_namespace(prefix) == Some(bound)).then_some(bound);
            }
            at = if e.id() == self.part.node { None } else { e.parent() };
        }
        None
    }

    /// The exclusive-canonical octets of this element, without comments and without what was cut out.
    #[must_use]
    pub fn octets(&self) -> Vec<u8> {
        self.written("", |c14n, out| c14n.write(self.element, out))
    }

    /// The exclusive-canonical octets of the content, child by child: what a fresh Body takes.
    #[must_use]
    pub fn content_octets(&self) -> Vec<u8> {
        self.written("", |c14n, out| c14n.write_children(self.element, out))
    }

    /// The octets with the PrefixList that the signer used: for the covered apex, the very octets that were signed. `also` names more prefixes;
    /// `None` beyond `most` octets.
    pub(super) fn signed_octets(&self, also: &[String], most: usize) -> Option<Vec<u8>> {
        let list: Vec<&str> = self.part.prefixes.iter().chain(also).map(String::as_str).collect();
        self.written_within(most, &list.join(" "), |c14n, out| c14n.write(self.element, out))
    }

    /// The element itself.
    pub(super) fn element(&self) -> Element<'v> {
        self.element
    }

    /// INVARIANT: the same nodes were canonicalized to be digested, or are open; a failure shows nothing.
    fn written(
        &self,
        prefixes: &str,
        write: impl FnOnce(&C14n<'_>, &mut Capped) -> Result<u64, bartizan_xml::Error>,
    ) -> Vec<u8> {
        // What was digested kept to its budget; an open Body has none, and a form may be much longer than its source.
        let most = Capped::for_document(self.element.document()).most();
        self.written_within(most, prefixes, write).unwrap_or_default()
    }

    fn written_within(
        &self,
        most: usize,
        prefixes: &str,
        write: impl FnOnce(&C14n<'_>, &mut Capped) -> Result<u64, bartizan_xml::Error>,
    ) -> Option<Vec<u8>> {
        let mut c14n = C14n::new(C14nMethod::Exclusive).with_prefixes(prefixes);
        if let Some(hole) = self.part.hole {
            c14n = c14n.without(hole);
        }
        let mut out = Capped::new(most);
        write(&c14n, &mut out).ok().map(|_| out.into_octets())
    }
}

impl std::fmt::Debug for Covered<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Covered({} by {})", self.element.path(), self.protection())
    }
}
