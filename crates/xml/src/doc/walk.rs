//! Moving between nodes across grafts: the place of a replaced element is taken by the topmost nodes of its plaintext.
//! `grafts` bounds which are followed: segments 1 to `grafts`.

use super::Document;
use super::arena::{Kind, REPLACED, Segment};

impl Document {
    pub(crate) fn segment_index(&self, id: u32) -> usize {
        if self.segments.len() == 1 {
            return 0;
        }
        self.segments.partition_point(|s| s.first <= id).saturating_sub(1)
    }

    pub(crate) fn segment_of(&self, id: u32) -> &Segment {
        // INVARIANT: a document has a segment from its first moment on.
        let nothing =
            const { &Segment { text: String::new(), first: 0, last: 0, at: super::NONE, depth: 0 } };
        // An empty plaintext has the same first node as the segment after it, which then is the right one.
        self.segments.get(self.segment_index(id)).unwrap_or(nothing)
    }

    /// Whether no element from `first` to before `last` was replaced.
    #[inline]
    pub(crate) fn has_no_graft(&self, first: u32, last: u32) -> bool {
        let at = self.grafts.partition_point(|&(at, _)| at < first);
        self.grafts.get(at).is_none_or(|&(at, _)| at >= last)
    }

    fn graft_of(&self, at: u32) -> Option<u32> {
        let slot = self.grafts.binary_search_by_key(&at, |&(a, _)| a).ok()?;
        self.grafts.get(slot).map(|&(_, segment)| segment)
    }

    /// The node that stands at the place of `id`; `Err` names the innermost replaced element if nothing stands there.
    fn settle(&self, mut id: u32, grafts: u32) -> Result<u32, u32> {
        while self.arena.node(id).is_some_and(|n| n.flags & REPLACED != 0) {
            let Some(index) = self.graft_of(id).filter(|&index| index <= grafts) else { break };
            match self.segments.get(index as usize) {
                Some(s) if s.first < s.last => id = s.first,
                _ => return Err(id),
            }
        }
        Ok(id)
    }

    /// The first node at or after the place of `id`, among its siblings.
    pub(crate) fn settle_from(&self, id: u32, grafts: u32) -> Option<u32> {
        match self.settle(id, grafts) {
            Ok(id) => Some(id),
            Err(at) => self.next_sibling(at, grafts),
        }
    }

    pub(crate) fn first_child(&self, parent: u32, grafts: u32) -> Option<u32> {
        let node = self.arena.node(parent).filter(|n| n.kind == Kind::Element)?;
        let child = parent + 1;
        if child >= node.next { None } else { self.settle_from(child, grafts) }
    }

    pub(crate) fn next_sibling(&self, mut id: u32, grafts: u32) -> Option<u32> {
        loop {
            let segment = self.segment_of(id);
            let next = self.arena.after(id);
            let parent = self.arena.node(id)?.parent;
            // The parent of the topmost nodes of a plaintext lies in an earlier segment.
            let inside = parent != super::NONE && parent >= segment.first;
            let end = if inside { self.arena.node(parent)?.next } else { segment.last };
            if next < end {
                match self.settle(next, grafts) {
                    Ok(found) => return Some(found),
                    Err(at) => id = at,
                }
            } else if inside || segment.at == super::NONE {
                return None;
            } else {
                id = segment.at;
            }
        }
    }

    /// Parent element.
    pub(crate) fn parent(&self, id: u32) -> Option<u32> {
        self.arena.node(id).map(|n| n.parent).filter(|&p| p != super::NONE)
    }
}
