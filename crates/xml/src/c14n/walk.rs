//! The walk over a subtree that writes its canonical form. It keeps its own stack, so depth costs heap and not stack,
//! and it allocates a handful of vectors for a whole subtree. It knows grafts, what is left out and what is put in; where
//! a subtree has none of them, [`super::sweep`] does the work.

use super::C14n;
use super::attributes::{self, Inherit};
use super::escape::{self, Stage};
use super::namespaces::Rendered;
use super::sweep::Closing;
use crate::doc::Document;
use crate::doc::arena::{Arena, AttrData, DECLARATION, Kind, NodeData, PLAIN, RAW, RAW_END, SORTED};
use crate::doc::intern::PREFIX_NONE;
use crate::error::Error;
use crate::limits::Quantity;
use crate::sink::Sink;

/// An element whose end tag is still to be written.
#[derive(Clone, Copy)]
struct Open {
    /// The element that stands there.
    id: u32,
    /// The element of which the siblings follow: another one if `id` was put in for it.
    place: u32,
    mark: usize,
    /// Whether it was put in for another element; nothing is replaced below it.
    replaced: bool,
}

pub(super) struct Walk<'d, 'a, 's> {
    pub(super) form: &'a C14n<'a>,
    pub(super) document: &'d Document,
    pub(super) arena: &'d Arena,
    pub(super) out: Run<'d, 's>,
    open: Vec<Open>,
    pub(super) closing: Vec<Closing>,
    pub(super) rendered: Rendered,
    sorted: Vec<AttrData>,
    pub(super) exclusive: bool,
    comments: bool,
    /// The segment of the node at hand.
    first: u32,
    last: u32,
}

/// The output, with a piece of the source that waits to grow.
pub(super) struct Run<'d, 's> {
    stage: Stage<'s>,
    pub(super) text: &'d str,
    start: usize,
    end: usize,
}

impl<'d> Run<'d, '_> {
    /// Writes a piece of the current segment as it stands.
    #[inline]
    pub(super) fn source(&mut self, start: usize, end: usize) {
        if start != self.end {
            self.flush();
            self.start = start;
        }
        self.end = end;
    }

    pub(super) fn flush(&mut self) {
        if self.start != self.end {
            self.stage.put(self.text.as_bytes().get(self.start..self.end).unwrap_or_default());
            self.start = self.end;
        }
    }

    fn segment(&mut self, text: &'d str) {
        self.flush();
        (self.text, self.start, self.end) = (text, 0, 0);
    }

    #[inline]
    pub(super) fn put(&mut self, octets: &[u8]) {
        self.stage.put(octets);
    }
}

impl<'d, 'a, 's> Walk<'d, 'a, 's> {
    pub(super) fn new(form: &'a C14n<'a>, document: &'d Document, sink: &'s mut dyn Sink) -> Self {
        let exclusive = form.method.is_exclusive();
        Self {
            form,
            document,
            arena: document.arena(),
            out: Run { stage: Stage::new(sink), text: "", start: 0, end: 0 },
            open: Vec::with_capacity(16),
            closing: Vec::with_capacity(16),
            rendered: Rendered::new(document, if exclusive { form.prefixes } else { "" }),
            sorted: Vec::new(),
            exclusive,
            comments: form.method.with_comments(),
            first: 0,
            last: 0,
        }
    }

    /// Gives what waits to the sink. Returns the number of octets written in all.
    pub(super) fn finish(mut self) -> u64 {
        self.out.flush();
        self.out.stage.finish()
    }

    /// Writes the document: a line feed parts what stands around the root from it (Canonical XML 1.0 §2.3).
    pub(super) fn document(&mut self) -> Result<(), Error> {
        let mut before_root = true;
        let mut next = self.document.settle_from(0, self.form.grafts);
        while let Some(id) = next {
            next = self.document.next_sibling(id, self.form.grafts);
            let Some(node) = self.arena.node(id) else { break };
            let shown = match node.kind {
                Kind::Element => {
                    before_root = false;
                    self.node(id)?;
                    continue;
                }
                Kind::Pi => true,
                Kind::Comment => self.comments,
                // White space around a root that a plaintext brought.
                Kind::Text | Kind::CData => continue,
            };
            if shown && !before_root {
                self.line_feed();
            }
            self.enter_segment(id);
            self.leaf(node);
            if shown && before_root {
                self.line_feed();
            }
        }
        Ok(())
    }

    fn line_feed(&mut self) {
        self.out.flush();
        self.out.put(b"\n");
    }

    /// Writes the children of an element, each element among them as an apex.
    pub(super) fn children(&mut self, parent: u32) -> Result<(), Error> {
        let mut next = self.document.first_child(parent, self.form.grafts);
        while let Some(id) = next {
            self.node(id)?;
            next = self.document.next_sibling(id, self.form.grafts);
        }
        Ok(())
    }

    /// Writes an element as one that stands below others, which have declared `scope`.
    pub(super) fn below<'x>(
        &mut self,
        id: u32,
        scope: impl Iterator<Item = (&'x str, &'x str)>,
    ) -> Result<(), Error> {
        self.rendered.extend(self.document, scope);
        self.subtree(id, false)
    }

    /// Writes one node; an element is an apex.
    pub(super) fn node(&mut self, id: u32) -> Result<(), Error> {
        match self.arena.node(id) {
            Some(node) if node.kind != Kind::Element => {
                self.enter_segment(id);
                self.leaf(node);
                Ok(())
            }
            _ => self.subtree(id, true),
        }
    }

    /// Writes an element with all below it.
    fn subtree(&mut self, top: u32, apex: bool) -> Result<(), Error> {
        let floor = self.open.len();
        let (mut at, mut apex) = (top, apex);
        loop {
            let entered = self.enter(at, apex)?;
            apex = false;
            let mut next = match self.open.last() {
                Some(open) if entered => self.document.first_child(open.id, self.form.grafts),
                _ if at == top => return Ok(()),
                _ => self.document.next_sibling(at, self.form.grafts),
            };
            // Up again as far as elements end here.
            at = loop {
                match next {
                    Some(next) => break next,
                    None => {
                        let Some(place) = self.leave() else { return Ok(()) };
                        if self.open.len() == floor {
                            return Ok(());
                        }
                        next = self.document.next_sibling(place, self.form.grafts);
                    }
                }
            };
        }
    }

    /// Writes a leaf or a start tag. Tells whether an element was opened.
    #[inline]
    fn enter(&mut self, id: u32, apex: bool) -> Result<bool, Error> {
        let Some(node) = self.arena.node(id) else { return Ok(false) };
        if id < self.first || id >= self.last {
            self.enter_segment(id);
        }
        if node.kind != Kind::Element {
            self.leaf(node);
            return Ok(false);
        }
        if self.form.without.is_some_and(|n| n.0 == id) {
            return Ok(false);
        }
        let replaced = self.open.last().is_some_and(|above| above.replaced);
        if self.is_simple(id, node.next, replaced) {
            self.sweep(id, node, apex)?;
            return Ok(false);
        }
        if !self.form.replacing.is_empty() && !replaced {
            let other = self.form.replacing.iter().find(|(from, _)| from.0 == id).map(|(_, to)| to.0);
            if let Some((other, node)) = other.and_then(|other| Some((other, self.arena.node(other)?))) {
                self.enter_segment(other);
                self.start(other, node, Open { id: other, place: id, mark: 0, replaced: true }, true)?;
                return Ok(true);
            }
        }
        self.start(id, node, Open { id, place: id, mark: 0, replaced }, apex)?;
        Ok(true)
    }

    fn enter_segment(&mut self, id: u32) {
        if id < self.first || id >= self.last {
            let segment = self.document.segment_of(id);
            (self.first, self.last) = (segment.first, segment.last);
            self.out.segment(&segment.text);
        }
    }

    fn start(&mut self, id: u32, node: &NodeData, mut open: Open, apex: bool) -> Result<(), Error> {
        open.mark = self.rendered.mark();
        self.declare(id, node, apex, open.replaced)?;
        self.open.push(open);
        let start = node.start as usize;
        if self.start_anew(id, node, apex, start)?.is_none() {
            self.out.source(start, self.behind_tag(id, node));
        }
        Ok(())
    }

    /// Finds out which namespaces a start tag declares.
    #[inline]
    pub(super) fn declare(
        &mut self,
        id: u32,
        node: &NodeData,
        apex: bool,
        replaced: bool,
    ) -> Result<(), Error> {
        if apex {
            self.rendered.begin_apex();
        }
        if self.exclusive {
            self.rendered.exclusive(self.arena, id, node, apex);
        } else {
            self.rendered.inclusive(self.arena, id, apex);
        }
        if self.arena.relative {
            self.rendered.refuse_relative(self.arena, id, node)?;
        }
        if apex && replaced {
            self.rendered.force_default();
        }
        Ok(())
    }

    /// Writes a start tag with the declarations that were found.
    pub(super) fn write_tag(&mut self, id: u32, node: &NodeData, inherits: bool) -> Result<(), Error> {
        self.out.put(b"<");
        self.out.put(self.arena.names.text(node.qname).as_bytes());
        self.declarations();
        if inherits {
            self.inherited(id);
        } else {
            self.attributes(id, node);
        }
        self.out.put(b">");
        // Only tags that are written anew can be longer than their source.
        if self.out.stage.full() {
            return Err(Error::limit(Quantity::DigestedBytes, node.start as usize));
        }
        Ok(())
    }

    fn declarations(&mut self) {
        for &(prefix, namespace) in &self.rendered.tag {
            if prefix == PREFIX_NONE {
                self.out.put(b" xmlns=\"");
            } else {
                self.out.put(b" xmlns:");
                self.out.put(self.arena.names.prefix(prefix).as_bytes());
                self.out.put(b"=\"");
            }
            escape::value(&mut self.out.stage, self.arena.names.namespace(namespace));
            self.out.put(b"\"");
        }
    }

    fn attributes(&mut self, id: u32, node: &NodeData) {
        let entries = self.arena.attrs(id);
        if node.flags & SORTED != 0 {
            for attr in entries.iter().filter(|a| a.flags & DECLARATION == 0) {
                self.attribute(attr);
            }
            return;
        }
        let mut sorted = core::mem::take(&mut self.sorted);
        sorted.clear();
        sorted.extend(entries.iter().filter(|a| a.flags & DECLARATION == 0));
        sorted.sort_unstable_by(|a, b| self.arena.order(a.qname, b.qname));
        for attr in &sorted {
            self.attribute(attr);
        }
        self.sorted = sorted;
    }

    fn attribute(&mut self, attr: &AttrData) {
        self.out.put(b" ");
        self.out.put(self.arena.names.text(attr.qname).as_bytes());
        self.out.put(b"=\"");
        let value = self.arena.attr_value(attr, self.out.text);
        if attr.flags & PLAIN != 0 {
            self.out.put(value.as_bytes());
        } else {
            escape::value(&mut self.out.stage, value);
        }
        self.out.put(b"\"");
    }

    /// The attributes of an inclusive apex, with those that it takes over from the ancestors left out.
    fn inherited(&mut self, id: u32) {
        let inherit = match self.form.method {
            super::C14nMethod::Inclusive10 | super::C14nMethod::Inclusive10WithComments => Inherit::Xml10,
            _ => Inherit::Xml11,
        };
        let element = crate::doc::view::Element::new(self.document, id);
        for attribute in attributes::collect(element, inherit) {
            self.out.put(b" ");
            self.out.put(attribute.qname.as_bytes());
            self.out.put(b"=\"");
            escape::value(&mut self.out.stage, &attribute.value);
            self.out.put(b"\"");
        }
    }

    /// Writes an end tag. Gives the place that was filled.
    #[inline]
    fn leave(&mut self) -> Option<u32> {
        let closed = self.open.pop()?;
        self.rendered.restore(closed.mark);
        let node = self.arena.node(closed.id)?;
        if closed.id < self.first || closed.id >= self.last {
            self.enter_segment(closed.id);
        }
        if node.flags & RAW_END != 0 {
            self.out.source(self.end_tag_start(node), node.end as usize);
        } else {
            self.end_anew(node);
        }
        Some(closed.place)
    }

    pub(super) fn leaf(&mut self, node: &NodeData) {
        if node.kind == Kind::Comment && !self.comments {
            return;
        }
        if node.flags & RAW != 0 {
            return self.out.source(node.start as usize, node.end as usize);
        }
        self.out.flush();
        let text = self.arena.node_text(node, self.out.text);
        match node.kind {
            Kind::Element => {}
            Kind::Text | Kind::CData => escape::text(&mut self.out.stage, text),
            Kind::Comment => {
                self.out.put(b"<!--");
                self.out.put(text.as_bytes());
                self.out.put(b"-->");
            }
            Kind::Pi => {
                let (target, data) = crate::doc::view::split_instruction(text);
                self.out.put(b"<?");
                self.out.put(target.as_bytes());
                if !data.is_empty() {
                    self.out.put(b" ");
                    self.out.put(data.as_bytes());
                }
                self.out.put(b"?>");
            }
        }
    }
}
