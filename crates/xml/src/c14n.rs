//! Canonical XML 1.0 and 1.1 and Exclusive XML Canonicalization, streamed into a [`Sink`]. Total or fatal: there is no
//! partial success. Called by signatures, the `xml` verbs and everything that compares documents.

mod attributes;
mod base;
pub(crate) mod escape;
mod namespaces;
mod sweep;
mod walk;

#[cfg(test)]
mod tests;

use walk::Walk;

use crate::doc::view::Element;
use crate::doc::{Document, NodeId};
use crate::error::Error;
use crate::names::uri;
use crate::sink::Sink;

/// A canonical form.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum C14nMethod {
    /// Canonical XML 1.0.
    Inclusive10,
    /// Canonical XML 1.0 with comments.
    Inclusive10WithComments,
    /// Canonical XML 1.1.
    Inclusive11,
    /// Canonical XML 1.1 with comments.
    Inclusive11WithComments,
    /// Exclusive XML Canonicalization.
    Exclusive,
    /// Exclusive XML Canonicalization with comments.
    ExclusiveWithComments,
}

impl C14nMethod {
    /// All forms.
    pub const ALL: [Self; 6] = [
        Self::Inclusive10,
        Self::Inclusive10WithComments,
        Self::Inclusive11,
        Self::Inclusive11WithComments,
        Self::Exclusive,
        Self::ExclusiveWithComments,
    ];

    /// The form that an algorithm URI names.
    #[must_use]
    pub fn from_uri(uri: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|m| m.uri() == uri)
    }

    /// Its algorithm URI.
    #[must_use]
    pub const fn uri(self) -> &'static str {
        match self {
            Self::Inclusive10 => uri::C14N10,
            Self::Inclusive10WithComments => uri::C14N10_WITH_COMMENTS,
            Self::Inclusive11 => uri::C14N11,
            Self::Inclusive11WithComments => uri::C14N11_WITH_COMMENTS,
            Self::Exclusive => uri::EXC_C14N,
            Self::ExclusiveWithComments => uri::EXC_C14N_WITH_COMMENTS,
        }
    }

    /// Whether comments are part of the form.
    #[must_use]
    pub const fn with_comments(self) -> bool {
        matches!(
            self,
            Self::Inclusive10WithComments | Self::Inclusive11WithComments | Self::ExclusiveWithComments
        )
    }

    /// Whether it is one of the two exclusive forms.
    #[must_use]
    pub const fn is_exclusive(self) -> bool {
        matches!(self, Self::Exclusive | Self::ExclusiveWithComments)
    }
}

/// A canonicalization to be done: form, prefix list, what to leave out and what to put in.
#[derive(Clone, Copy, Debug)]
pub struct C14n<'a> {
    method: C14nMethod,
    prefixes: &'a str,
    without: Option<NodeId>,
    replacing: &'a [(NodeId, NodeId)],
    grafts: u32,
}

impl<'a> C14n<'a> {
    /// The plain form.
    #[must_use]
    pub const fn new(method: C14nMethod) -> Self {
        Self { method, prefixes: "", without: None, replacing: &[], grafts: u32::MAX }
    }

    /// The PrefixList of ec:InclusiveNamespaces: prefixes and `#default`, separated by white space. Ignored by the
    /// inclusive forms.
    #[must_use]
    pub const fn with_prefixes(mut self, list: &'a str) -> Self {
        self.prefixes = list;
        self
    }

    /// Leaves one element out with everything below it (the enveloped signature transform).
    #[must_use]
    pub const fn without(mut self, node: NodeId) -> Self {
        self.without = Some(node);
        self
    }

    /// Puts, for each pair, the canonical form of the second element in the place of the first (the STR dereference
    /// transform, SMS 1.1 §8.3): the second is treated as an apex and always declares a default namespace, `xmlns=""`
    /// if it has none. Not applied again inside what was put in.
    #[must_use]
    pub const fn replacing(mut self, pairs: &'a [(NodeId, NodeId)]) -> Self {
        self.replacing = pairs;
        self
    }

    /// Follows only the first `count` grafts; later plaintexts count as the ciphertext that they replaced. 0 gives the
    /// document as received.
    #[must_use]
    pub const fn with_grafts(mut self, count: u32) -> Self {
        self.grafts = count;
        self
    }

    /// Writes the form of an element with all below it. Returns the number of octets.
    ///
    /// # Errors
    /// [`crate::ErrorKind::RelativeNamespace`]; [`crate::ErrorKind::Limit`] if the sink is full before the end.
    pub fn write(&self, apex: Element<'_>, sink: &mut dyn Sink) -> Result<u64, Error> {
        let mut walk = Walk::new(self, apex.document(), sink);
        walk.node(apex.id().0)?;
        Ok(walk.finish())
    }

    /// Writes an element as it stands below elements that have declared `scope` (outermost first).
    pub(crate) fn write_below<'d>(
        &self,
        element: Element<'d>,
        scope: impl Iterator<Item = (&'d str, &'d str)>,
        sink: &mut dyn Sink,
    ) -> Result<u64, Error> {
        let mut walk = Walk::new(self, element.document(), sink);
        walk.below(element.id().0, scope)?;
        Ok(walk.finish())
    }

    /// Writes the form of the whole document, nodes around the root included.
    ///
    /// # Errors
    /// As [`C14n::write`].
    pub fn write_document(&self, document: &Document, sink: &mut dyn Sink) -> Result<u64, Error> {
        let mut walk = Walk::new(self, document, sink);
        walk.document()?;
        Ok(walk.finish())
    }

    /// Writes the forms of the children of an element one after the other, each child element as an apex.
    ///
    /// # Errors
    /// As [`C14n::write`].
    pub fn write_children(&self, parent: Element<'_>, sink: &mut dyn Sink) -> Result<u64, Error> {
        let mut walk = Walk::new(self, parent.document(), sink);
        walk.children(parent.id().0)?;
        Ok(walk.finish())
    }
}
