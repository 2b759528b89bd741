//! The short way through a subtree in which nothing is left out, put in or replaced: one pass over its nodes in the
//! order of the arena. What is written canonically already and needs no declaration costs a look at its flags and is
//! part of one long piece of the source, and so does what makes the very declarations that are needed; only what differs is
//! written anew, in between. The walk calls it for every
//! subtree that allows it, and must come to the same octets without it.

use super::walk::Walk;
use crate::doc::arena::{DECLARES, Kind, NodeData, RAW, RAW_END};
use crate::error::Error;

/// An element that needs a look at its end.
#[derive(Clone, Copy)]
pub(super) struct Closing {
    id: u32,
    /// The node behind everything below it.
    next: u32,
    mark: usize,
}

impl Walk<'_, '_, '_> {
    /// Whether a subtree is written as the arena holds it: no graft to follow, nothing to leave out or to put in.
    #[inline]
    pub(super) fn is_simple(&self, id: u32, next: u32, replaced: bool) -> bool {
        let inside = |node: u32| id <= node && node < next;
        self.document.has_no_graft(id, next)
            && !self.form.without.is_some_and(|n| inside(n.0))
            && (replaced || !self.form.replacing.iter().any(|(from, _)| inside(from.0)))
    }

    /// Writes the subtree of an element of the current segment.
    pub(super) fn sweep(&mut self, top: u32, node: &NodeData, apex: bool) -> Result<(), Error> {
        let arena = self.arena;
        let end = node.end as usize;
        let nodes = arena.nodes.get(top as usize..node.next as usize).unwrap_or_default();
        let mut closing = core::mem::take(&mut self.closing);
        closing.clear();
        // What is written up to here; and the node before which an element ends.
        let (mut from, mut until) = (node.start as usize, u32::MAX);
        for (id, node) in (top..).zip(nodes) {
            while id == until {
                until = self.close(&mut closing, &mut from);
            }
            match node.kind {
                Kind::Text if node.flags & RAW != 0 => {}
                Kind::Element if (id != top || !apex) && self.is_clean(id, node) => {}
                Kind::Element => {
                    closing.push(Closing { id, next: node.next, mark: self.rendered.mark() });
                    until = node.next;
                    self.declare(id, node, apex && id == top, false)?;
                    if let Some(behind) = self.start_anew(id, node, apex && id == top, from)? {
                        from = behind;
                    }
                }
                _ => from = self.odd_leaf(node, from),
            }
        }
        while !closing.is_empty() {
            self.close(&mut closing, &mut from);
        }
        self.out.source(from, end);
        self.closing = closing;
        Ok(())
    }

    /// Whether an element that is no apex is written as its source, both tags.
    #[inline]
    fn is_clean(&self, id: u32, node: &NodeData) -> bool {
        node.flags & (RAW | RAW_END) == RAW | RAW_END
            // A raw tag declares nothing, and the inclusive forms take over declarations at an apex only.
            && (!self.exclusive || self.rendered.covers(self.arena, id, node))
    }

    /// Ends the innermost element that needs a look. Gives the node before which the next one ends.
    fn close(&mut self, closing: &mut Vec<Closing>, from: &mut usize) -> u32 {
        if let Some(closed) = closing.pop() {
            self.rendered.restore(closed.mark);
            if let Some(node) = self.arena.node(closed.id).filter(|n| n.flags & RAW_END == 0) {
                let end = node.end as usize;
                self.out.source(*from, self.end_tag_start(node).max(*from));
                self.end_anew(node);
                *from = end;
            }
        }
        closing.last().map_or(u32::MAX, |c| c.next)
    }

    /// Writes what differs from its source among leaves. Gives where the source goes on.
    fn odd_leaf(&mut self, node: &NodeData, from: usize) -> usize {
        let (before, after) = match node.kind {
            Kind::Element | Kind::Text => (0, 0),
            Kind::CData => (9, 3),
            Kind::Comment => (4, 3),
            Kind::Pi => (2, 2),
        };
        self.out.source(from, node.start as usize - before);
        self.leaf(node);
        node.end as usize + after
    }

    /// Where the end tag of an element begins; where it ends if there is none.
    pub(super) fn end_tag_start(&self, node: &NodeData) -> usize {
        let (start, end) = (node.start as usize, node.end as usize);
        let element = self.out.text.as_bytes().get(start..end).unwrap_or_default();
        // Neither a name nor white space is a slash, so this is the end of an empty-element tag.
        if element.ends_with(b"/>") {
            return end;
        }
        memchr::memrchr(b'<', element).map_or(end, |at| start + at)
    }

    /// Writes an end tag anew.
    pub(super) fn end_anew(&mut self, node: &NodeData) {
        self.out.flush();
        self.out.put(b"</");
        self.out.put(self.arena.names.text(node.qname).as_bytes());
        self.out.put(b">");
    }

    /// Writes a start tag anew if the source does not serve, after the source from `from` up to it. Gives where the
    /// source goes on then.
    pub(super) fn start_anew(
        &mut self,
        id: u32,
        node: &NodeData,
        apex: bool,
        from: usize,
    ) -> Result<Option<usize>, Error> {
        let inherits = apex && !self.exclusive;
        let as_written = match node.flags & (RAW | DECLARES) {
            RAW => self.rendered.tag.is_empty(),
            DECLARES => self.rendered.declares(self.arena.attrs(id)),
            _ => false,
        };
        if as_written && !inherits {
            return Ok(None);
        }
        self.out.source(from, node.start as usize);
        self.out.flush();
        self.write_tag(id, node, inherits)?;
        Ok(Some(self.behind_tag(id, node)))
    }

    /// Where a start tag ends: where its first child begins, if it has one.
    pub(super) fn behind_tag(&self, id: u32, node: &NodeData) -> usize {
        match self.arena.node(id + 1).filter(|_| id + 1 < node.next) {
            Some(child) => {
                let before = match child.kind {
                    Kind::Element | Kind::Text => 0,
                    Kind::CData => 9,
                    Kind::Comment => 4,
                    Kind::Pi => 2,
                };
                child.start as usize - before
            }
            None => self.end_tag_start(node),
        }
    }
}
