//! The walk over a subtree that writes its canonical form. It keeps its own stack, so depth costs heap and not stack,
//! and it allocates a handful of vectors for a whole subtree, not for each element.

use super::attributes::{self, Inherit};
use super::namespaces::{self, Declaration, Mark, Place, PrefixList};
use crate::c14n::C14n;
use crate::c14n::escape::{self, Stage};
use crate::doc::Document;
use crate::doc::view::{Children, Element, Node, NodeKind};
use crate::error::Error;
use crate::sink::Sink;

/// An element whose end tag is still to be written.
struct Open<'d> {
    element: Element<'d>,
    children: Children<'d>,
    mark: Mark,
    /// Whether it was put in for another element; nothing is replaced below it.
    replaced: bool,
}

pub(super) struct Walk<'d, 'a, 's> {
    form: &'a C14n<'a>,
    prefixes: PrefixList<'a>,
    out: Stage<'s>,
    open: Vec<Open<'d>>,
    written: namespaces::Written<'d>,
    declarations: Vec<Declaration<'d>>,
    attributes: Vec<attributes::Written<'d>>,
}

impl<'d, 'a, 's> Walk<'d, 'a, 's> {
    pub(super) fn new(form: &'a C14n<'a>, sink: &'s mut dyn Sink) -> Self {
        let prefixes =
            if form.method.is_exclusive() { PrefixList::of(form.prefixes) } else { PrefixList::default() };
        Self {
            form,
            prefixes,
            out: Stage::new(sink),
            open: Vec::new(),
            written: namespaces::Written::default(),
            declarations: Vec::new(),
            attributes: Vec::new(),
        }
    }

    pub(super) fn finish(self) -> u64 {
        self.out.finish()
    }

    /// Writes the document: a line feed parts what stands around the root from it (Canonical XML 1.0 §2.3).
    pub(super) fn document(&mut self, document: &'d Document) -> Result<(), Error> {
        let mut before_root = true;
        for node in document.children() {
            if let Some(root) = node.as_element() {
                before_root = false;
                self.subtree(root)?;
                continue;
            }
            let shown = match node.kind() {
                NodeKind::Pi => true,
                NodeKind::Comment => self.form.method.with_comments(),
                NodeKind::Element | NodeKind::Text | NodeKind::CData => false,
            };
            if shown && !before_root {
                self.out.put(b"\n");
            }
            self.leaf(node);
            if shown && before_root {
                self.out.put(b"\n");
            }
        }
        Ok(())
    }

    /// Writes an element with all below it, as an apex.
    pub(super) fn subtree(&mut self, apex: Element<'d>) -> Result<(), Error> {
        self.enter(apex, Place::Apex)?;
        self.run()
    }

    fn run(&mut self) -> Result<(), Error> {
        while let Some(top) = self.open.last_mut() {
            match top.children.next() {
                Some(node) => match node.as_element() {
                    Some(element) => self.enter(element, Place::Below)?,
                    None => self.leaf(node),
                },
                None => self.leave(),
            }
        }
        Ok(())
    }

    fn enter(&mut self, element: Element<'d>, place: Place) -> Result<(), Error> {
        if self.form.without == Some(element.id()) {
            return Ok(());
        }
        let replaced = self.open.last().is_some_and(|above| above.replaced);
        if !replaced && let Some(other) = self.replacement(element) {
            return self.start(other, Place::Apex, true);
        }
        self.start(element, place, replaced)
    }

    fn replacement(&self, element: Element<'d>) -> Option<Element<'d>> {
        let (_, other) = self.form.replacing.iter().find(|(from, _)| *from == element.id())?;
        element.document().element(*other)
    }

    fn start(&mut self, element: Element<'d>, place: Place, replaced: bool) -> Result<(), Error> {
        let mark = self.written.mark();
        if place == Place::Apex {
            self.written.begin_apex();
        }
        self.declare(element, place)?;
        // SMS 1.1 §8.3: what replaces a reference always declares a default namespace.
        let token = replaced && place == Place::Apex;
        if token && self.declarations.first().is_none_or(|(prefix, _)| !prefix.is_empty()) {
            self.declarations.insert(0, ("", ""));
        }
        self.out.put(b"<");
        self.out.put(element.qname().as_bytes());
        for (prefix, uri) in &self.declarations {
            if prefix.is_empty() {
                self.out.put(b" xmlns=\"");
            } else {
                self.out.put(b" xmlns:");
                self.out.put(prefix.as_bytes());
                self.out.put(b"=\"");
            }
            escape::value(&mut self.out, uri);
            self.out.put(b"\"");
        }
        attributes::collect(element, self.inherit(place), &mut self.attributes);
        for attribute in &self.attributes {
            self.out.put(b" ");
            self.out.put(attribute.qname.as_bytes());
            self.out.put(b"=\"");
            escape::value(&mut self.out, &attribute.value);
            self.out.put(b"\"");
        }
        self.out.put(b">");
        let children = element.children_following(self.form.grafts);
        self.open.push(Open { element, children, mark, replaced });
        Ok(())
    }

    fn declare(&mut self, element: Element<'d>, place: Place) -> Result<(), Error> {
        let (written, list) = (&mut self.written, &mut self.declarations);
        if self.form.method.is_exclusive() {
            namespaces::exclusive(element, place, &self.prefixes, written, list)
        } else {
            namespaces::inclusive(element, place, written, list)
        }
    }

    fn inherit(&self, place: Place) -> Inherit {
        use crate::c14n::C14nMethod as M;
        match (place, self.form.method) {
            (Place::Below, _) | (Place::Apex, M::Exclusive | M::ExclusiveWithComments) => Inherit::Nothing,
            (Place::Apex, M::Inclusive10 | M::Inclusive10WithComments) => Inherit::Xml10,
            (Place::Apex, M::Inclusive11 | M::Inclusive11WithComments) => Inherit::Xml11,
        }
    }

    fn leave(&mut self) {
        if let Some(closed) = self.open.pop() {
            self.out.put(b"</");
            self.out.put(closed.element.qname().as_bytes());
            self.out.put(b">");
            self.written.restore(closed.mark);
        }
    }

    fn leaf(&mut self, node: Node<'d>) {
        let text = node.text().unwrap_or_default();
        match node.kind() {
            NodeKind::Element => {}
            // White space around the root is no node, so text reaches this place only inside of elements.
            NodeKind::Text | NodeKind::CData => escape::text(&mut self.out, text),
            NodeKind::Comment if !self.form.method.with_comments() => {}
            NodeKind::Comment => {
                self.out.put(b"<!--");
                self.out.put(text.as_bytes());
                self.out.put(b"-->");
            }
            NodeKind::Pi => {
                self.out.put(b"<?");
                self.out.put(node.target().unwrap_or_default().as_bytes());
                if !text.is_empty() {
                    self.out.put(b" ");
                    self.out.put(text.as_bytes());
                }
                self.out.put(b"?>");
            }
        }
    }
}
