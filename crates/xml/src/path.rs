//! The small part of XPath that policies and the file tools use to point at elements: absolute child steps with
//! prefixes and positions, `//x`, `*`. No predicates but positions, no axes, no functions.

use crate::doc::Document;
use crate::doc::view::Element;
use crate::error::Error;

/// A parsed path, with namespace URIs instead of prefixes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Path {}

impl Path {
    /// Parses a path. `resolve` gives the URI of a prefix; names without prefix have no namespace.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Path`] with the offset in the text; [`crate::ErrorKind::UnboundPrefix`].
    pub fn parse(text: &str, resolve: &dyn Fn(&str) -> Option<String>) -> Result<Self, Error> {
        let _ = (text, resolve);
        todo!()
    }
    /// Parses a path whose names match by local part in any namespace, as `Element::path` prints them.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Path`].
    pub fn parse_local(text: &str) -> Result<Self, Error> {
        let _ = text;
        todo!()
    }
    /// The elements that it names, in document order.
    #[must_use]
    pub fn select<'d>(&self, document: &'d Document) -> Vec<Element<'d>> {
        let _ = document;
        todo!()
    }
    /// Whether it names this element.
    #[must_use]
    pub fn matches(&self, element: Element<'_>) -> bool {
        let _ = element;
        todo!()
    }
}
