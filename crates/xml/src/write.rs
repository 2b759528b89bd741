//! Writes XML that is in exclusive canonical form by construction: no canonicalizer runs over what we send. Gaps are
//! places of fixed length that are filled later (digests, signature values).

mod prefix;
mod scope;

#[cfg(test)]
mod tests;

use crate::c14n::escape;
use crate::c14n::{C14n, C14nMethod};
use crate::doc::view::Element;
use crate::error::{Error, ErrorKind};
use crate::names;
use crate::scan::{is_character, is_ncname, text_end};
pub use prefix::free_prefix;
use scope::{Scope, Text};

/// The writer. Output grows in one buffer. Calls do not fail: the first error (a bad name, a forbidden character, a call out
/// of order) stops all output and is what [`Writer::finish`] returns.
#[derive(Debug, Default)]
pub struct Writer {
    out: Vec<u8>,
    scope: Scope,
    open: Vec<Open>,
    start: Option<Start>,
    attributes: Vec<Attribute>,
    gaps: Vec<Gap>,
    failed: Option<Error>,
}

/// An element whose end tag is still to be written.
#[derive(Clone, Copy, Debug)]
struct Open {
    qname: Text,
    declarations: usize,
    texts: usize,
}

/// A start tag that still takes attributes.
#[derive(Clone, Copy, Debug)]
struct Start {
    qname: Text,
    /// Declarations of this tag begin here in the scope.
    declarations: usize,
}

#[derive(Clone, Copy, Debug)]
struct Attribute {
    namespace: Text,
    qname: Text,
    local: Text,
    value: Text,
}

/// A place that is filled later by [`Writer::patch`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Gap {
    start: usize,
    len: usize,
}

impl Gap {
    /// First octet in the output.
    #[must_use]
    pub fn start(self) -> usize {
        self.start
    }
    /// Octets.
    #[must_use]
    pub fn len(self) -> usize {
        self.len
    }
    /// Whether it holds nothing.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len == 0
    }
}

impl Writer {
    /// An empty output.
    #[must_use]
    pub fn new() -> Self {
        Self::with_capacity(512)
    }

    /// An empty output with room for `octets`.
    #[must_use]
    pub fn with_capacity(octets: usize) -> Self {
        Self {
            out: Vec::with_capacity(octets),
            scope: Scope::with_room(),
            open: Vec::with_capacity(8),
            attributes: Vec::with_capacity(4),
            ..Self::default()
        }
    }

    /// Opens an element. Its namespace is declared here if the nearest open element that used the prefix meant another.
    pub fn open(&mut self, prefix: &str, ns: &str, local: &str) -> &mut Self {
        self.end_start();
        let texts = self.scope.texts();
        let declarations = self.scope.len();
        if !is_ncname(local) || !(prefix.is_empty() || is_ncname(prefix)) {
            self.fail();
        }
        let qname = self.qname(prefix, local);
        self.start = Some(Start { qname, declarations });
        self.open.push(Open { qname, declarations, texts });
        self.use_prefix(prefix, ns);
        self
    }

    /// Forces a declaration on the element just opened, used or not. Such an output is canonical only under a prefix
    /// list that names the prefix.
    pub fn declare(&mut self, prefix: &str, ns: &str) -> &mut Self {
        let Some(start) = self.start else { return self.fail() };
        match self.scope.declared_since(start.declarations, prefix) {
            Some(uri) if uri == ns => {}
            Some(_) => self.fail_quietly(),
            None if may_declare(prefix, ns) => self.scope.declare(prefix, ns),
            None => self.fail_quietly(),
        }
        self
    }

    /// Adds an attribute without namespace to the element just opened, in any order.
    pub fn attr(&mut self, local: &str, value: &str) -> &mut Self {
        self.attribute("", "", local, value)
    }

    /// Adds an attribute with a namespace.
    pub fn attr_ns(&mut self, prefix: &str, ns: &str, local: &str, value: &str) -> &mut Self {
        if !is_ncname(prefix) || ns.is_empty() {
            return self.fail();
        }
        self.use_prefix(prefix, ns);
        self.attribute(prefix, ns, local, value)
    }

    /// Adds text, escaped.
    pub fn text(&mut self, text: &str) -> &mut Self {
        self.end_start();
        if self.open.is_empty() || !all_characters(text) {
            return self.fail();
        }
        if self.failed.is_none() {
            escape::text(&mut self.out, text);
        }
        self
    }

    /// Adds octets that are canonical already, as they are. They must declare nothing that an open element has declared
    /// alike, or the whole is not canonical; [`Writer::copy`] sees to that by itself.
    pub fn raw(&mut self, octets: &[u8]) -> &mut Self {
        self.end_start();
        if self.failed.is_none() {
            self.out.extend_from_slice(octets);
        }
        self
    }

    /// Adds what `append` puts behind the output, under the terms of [`Writer::raw`]: saves a long text that is made on the
    /// way a copy. It must not touch what stands there already.
    pub fn raw_with(&mut self, append: impl FnOnce(&mut Vec<u8>)) -> &mut Self {
        self.end_start();
        if self.failed.is_none() {
            append(&mut self.out);
        }
        self
    }

    /// Copies an element of a document with all below it, comments left out, in the form that is canonical at this
    /// place: what is declared already is not declared again.
    pub fn copy(&mut self, element: Element<'_>) -> &mut Self {
        self.end_start();
        if self.failed.is_none() {
            let form = C14n::new(C14nMethod::Exclusive);
            if let Err(error) = form.write_below(element, self.scope.declarations(), &mut self.out) {
                self.failed = Some(error);
            }
        }
        self
    }

    /// Closes the innermost open element.
    pub fn close(&mut self) -> &mut Self {
        self.end_start();
        let Some(open) = self.open.pop() else { return self.fail() };
        if self.failed.is_none() {
            self.out.extend_from_slice(b"</");
            self.out.extend_from_slice(self.scope.text(open.qname).as_bytes());
            self.out.push(b'>');
        }
        self.scope.truncate(open.declarations, open.texts);
        self
    }

    /// Octets written so far; finishes the start tag, so attributes must come before.
    pub fn position(&mut self) -> usize {
        self.end_start();
        self.out.len()
    }

    /// What was written so far, from an octet on. Finishes the start tag.
    pub fn written(&mut self, from: usize) -> &[u8] {
        self.end_start();
        self.out.get(from..).unwrap_or_default()
    }

    /// Leaves a place of `len` octets in text, to be filled later.
    pub fn gap(&mut self, len: usize) -> Gap {
        self.end_start();
        let gap = Gap { start: self.out.len(), len };
        if self.failed.is_none() {
            self.out.resize(gap.start + len, b' ');
            if len > 0 {
                self.gaps.push(gap);
            }
        }
        gap
    }

    /// Fills a gap. The octets must be as many as the gap has and need no escaping (base64).
    ///
    /// # Errors
    /// [`crate::ErrorKind::Writer`] if the length differs or an octet would need escaping.
    pub fn patch(&mut self, gap: Gap, octets: &[u8]) -> Result<(), Error> {
        let refused = Error::new(ErrorKind::Writer, gap.start);
        if octets.len() != gap.len || !octets.iter().all(|b| b.is_ascii_graphic() && !b"<>&\"".contains(b)) {
            return Err(refused);
        }
        let place = self.out.get_mut(gap.start..gap.start + gap.len).ok_or(refused)?;
        place.copy_from_slice(octets);
        self.gaps.retain(|open| *open != gap);
        Ok(())
    }

    /// The URI that a prefix is declared with at this point, if any.
    #[must_use]
    pub fn in_scope(&self, prefix: &str) -> Option<&str> {
        self.scope.lookup(prefix)
    }

    /// The output.
    ///
    /// # Errors
    /// The first error of any call; [`crate::ErrorKind::Writer`] if an element is open or a gap was not filled.
    pub fn finish(mut self) -> Result<Vec<u8>, Error> {
        self.end_start();
        if !self.open.is_empty() || !self.gaps.is_empty() {
            self.fail();
        }
        match self.failed {
            Some(error) => Err(error),
            None => Ok(self.out),
        }
    }

    fn fail(&mut self) -> &mut Self {
        self.fail_quietly();
        self
    }

    fn fail_quietly(&mut self) {
        self.failed.get_or_insert(Error::new(ErrorKind::Writer, self.out.len()));
    }

    fn qname(&mut self, prefix: &str, local: &str) -> Text {
        if prefix.is_empty() { self.scope.keep(&[local]) } else { self.scope.keep(&[prefix, ":", local]) }
    }

    /// Declares what a name needs, on the tag that is being written.
    fn use_prefix(&mut self, prefix: &str, ns: &str) {
        let Some(start) = self.start else { return };
        if prefix == "xml" {
            return;
        }
        if !prefix.is_empty() && ns.is_empty() {
            return self.fail_quietly();
        }
        if self.scope.lookup(prefix).unwrap_or_default() == ns {
            return;
        }
        if self.scope.declared_since(start.declarations, prefix).is_some() || !may_declare(prefix, ns) {
            return self.fail_quietly();
        }
        self.scope.declare(prefix, ns);
    }

    fn attribute(&mut self, prefix: &str, ns: &str, local: &str, value: &str) -> &mut Self {
        if self.start.is_none() || !is_ncname(local) || local == "xmlns" || !all_characters(value) {
            return self.fail();
        }
        let qname = self.qname(prefix, local);
        let (namespace, local, value) =
            (self.scope.keep(&[ns]), self.scope.keep(&[local]), self.scope.keep(&[value]));
        self.attributes.push(Attribute { namespace, qname, local, value });
        self
    }

    /// Writes the start tag that waits for its attributes, if any.
    fn end_start(&mut self) {
        let Some(start) = self.start.take() else { return };
        let mut attributes = std::mem::take(&mut self.attributes);
        if self.failed.is_none() {
            let scope = &mut self.scope;
            scope.sort_since(start.declarations);
            if attributes.len() > 1 {
                attributes
                    .sort_by(|a, b| scope.key(a.namespace, a.local).cmp(&scope.key(b.namespace, b.local)));
            }
            let twice = attributes.windows(2).any(|pair| match pair {
                [a, b] => scope.key(a.namespace, a.local) == scope.key(b.namespace, b.local),
                _ => false,
            });
            self.out.push(b'<');
            self.out.extend_from_slice(scope.text(start.qname).as_bytes());
            for (prefix, uri) in scope.declarations().skip(start.declarations) {
                self.out.extend_from_slice(if prefix.is_empty() { b" xmlns" } else { b" xmlns:" });
                self.out.extend_from_slice(prefix.as_bytes());
                write_value(&mut self.out, uri);
            }
            for attribute in &attributes {
                self.out.push(b' ');
                self.out.extend_from_slice(scope.text(attribute.qname).as_bytes());
                write_value(&mut self.out, scope.text(attribute.value));
            }
            self.out.push(b'>');
            if twice {
                self.fail();
            }
        }
        attributes.clear();
        self.attributes = attributes;
    }
}

fn write_value(out: &mut Vec<u8>, value: &str) {
    out.extend_from_slice(b"=\"");
    escape::value(out, value);
    out.push(b'"');
}

/// Whether a text may occur in a document. In nearly all that is written no octet needs a look of its own.
fn all_characters(text: &str) -> bool {
    text_end(text.as_bytes(), 0) == text.len() || text.chars().all(is_character)
}

/// Namespaces in XML 1.0 §3 and §5: what must not be declared.
fn may_declare(prefix: &str, ns: &str) -> bool {
    let plain =
        prefix != "xml" && prefix != "xmlns" && (prefix.is_empty() || (is_ncname(prefix) && !ns.is_empty()));
    plain && ns != names::ns::XML.uri() && ns != names::ns::XMLNS.uri() && all_characters(ns)
}
