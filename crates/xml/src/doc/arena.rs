//! The arena: nodes in document order over the text of their segment, attributes in one list beside them, and text
//! that differs from what is written (references, line ends) in one string. Plain data; rules are in the builder.

use core::cmp::Ordering;

use super::intern::Names;

/// No node.
pub(crate) const NONE: u32 = u32::MAX;

/// Text differs from what is written: `next` (nodes) or `start..end` (attributes) lead to the side text.
pub(crate) const SIDE: u8 = 1;
/// What is written is what a canonical form writes: the text, or the start tag.
pub(crate) const RAW: u8 = 2;
/// The end tag is written `</name>`.
pub(crate) const RAW_END: u8 = 4;
/// The attributes stand in canonical order.
pub(crate) const SORTED: u8 = 8;
/// An attribute of the element has a prefix.
pub(crate) const PREFIXED: u8 = 16;
/// A plaintext replaced the element.
pub(crate) const REPLACED: u8 = 32;
/// The start tag is as under [`RAW`], but has namespace declarations: they stand first, written as canonical forms write
/// them. Whether it is these that a form declares there is seen when it is written.
pub(crate) const DECLARES: u8 = 64;
/// The attribute value needs no escape in a canonical form.
pub(crate) const PLAIN: u8 = 2;
/// The entry is a namespace declaration: `qname` is the prefix, `start` the namespace.
pub(crate) const DECLARATION: u8 = 4;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Element,
    Text,
    CData,
    Comment,
    Pi,
}

/// 24 octets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NodeData {
    pub(crate) kind: Kind,
    pub(crate) flags: u8,
    /// Qualified name of an element.
    pub(crate) qname: u16,
    /// Elements: from `<` to after the end tag. Others: the content without delimiters.
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// Parent element; of the topmost nodes of a plaintext, the parent of what it replaced.
    pub(crate) parent: u32,
    /// Elements: the first node after everything below. Others: index of the side text, with [`SIDE`].
    pub(crate) next: u32,
    /// Where the attributes begin in the list; they end where those of the next node begin.
    pub(crate) attrs: u32,
}

/// 12 octets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AttrData {
    pub(crate) qname: u16,
    pub(crate) flags: u8,
    pub(crate) start: u32,
    pub(crate) end: u32,
}

/// A text and the nodes over it.
#[derive(Debug)]
pub(crate) struct Segment {
    pub(crate) text: String,
    pub(crate) first: u32,
    pub(crate) last: u32,
    /// The element that a plaintext replaced.
    pub(crate) at: u32,
    /// Plaintexts around it, itself included; 0 for the document.
    pub(crate) depth: usize,
}

#[derive(Debug, Default)]
pub(crate) struct Arena {
    pub(crate) nodes: Vec<NodeData>,
    pub(crate) attrs: Vec<AttrData>,
    pub(crate) side: String,
    pub(crate) sides: Vec<(u32, u32)>,
    pub(crate) names: Names,
    /// Whether any namespace is a relative URI.
    pub(crate) relative: bool,
}

impl Arena {
    /// Empties it for a text of this many octets.
    pub(crate) fn begin(&mut self, octets: usize) {
        self.nodes.clear();
        self.nodes.reserve(octets / 20 + 8);
        self.attrs.clear();
        self.attrs.reserve(octets / 40 + 8);
        self.side.clear();
        self.side.reserve(octets / 16);
        self.sides.clear();
        self.sides.reserve(octets / 256 + 4);
        self.names.begin(octets);
        self.relative = false;
    }

    /// Octets of memory that it holds.
    pub(crate) fn capacity(&self) -> usize {
        self.nodes.capacity() * size_of::<NodeData>()
            + self.attrs.capacity() * size_of::<AttrData>()
            + self.sides.capacity() * 8
            + self.side.capacity()
            + self.names.capacity()
    }

    pub(crate) fn node(&self, id: u32) -> Option<&NodeData> {
        self.nodes.get(id as usize)
    }

    /// The entries of an element: attributes and declarations as written.
    pub(crate) fn attrs(&self, id: u32) -> &[AttrData] {
        let Some(node) = self.nodes.get(id as usize) else { return &[] };
        let end = self.nodes.get(id as usize + 1).map_or(self.attrs.len(), |n| n.attrs as usize);
        self.attrs.get(node.attrs as usize..end).unwrap_or_default()
    }

    /// The node after `id` and everything below it, in the order of the arena.
    pub(crate) fn after(&self, id: u32) -> u32 {
        match self.nodes.get(id as usize) {
            Some(node) if node.kind == Kind::Element => node.next,
            _ => id + 1,
        }
    }

    pub(crate) fn side_text(&self, index: u32) -> &str {
        let (start, end) = self.sides.get(index as usize).copied().unwrap_or_default();
        self.side.get(start as usize..end as usize).unwrap_or_default()
    }

    pub(crate) fn attr_value<'a>(&'a self, attr: &AttrData, text: &'a str) -> &'a str {
        let span = attr.start as usize..attr.end as usize;
        if attr.flags & DECLARATION != 0 {
            return self.names.namespace(attr.start as u16);
        }
        let source = if attr.flags & SIDE != 0 { &self.side } else { text };
        source.get(span).unwrap_or_default()
    }

    pub(crate) fn node_text<'a>(&'a self, node: &NodeData, text: &'a str) -> &'a str {
        if node.flags & SIDE != 0 {
            return self.side_text(node.next);
        }
        text.get(node.start as usize..node.end as usize).unwrap_or_default()
    }

    /// Whether one attribute name stands before another in canonical order. The answer is remembered: the same two
    /// attributes meet on one tag after the other.
    pub(crate) fn in_order(&mut self, a: u16, b: u16) -> bool {
        if self.names.known_before(a, b) {
            return true;
        }
        let before = self.order(a, b).is_lt();
        if before {
            self.names.note_before(a, b);
        }
        before
    }

    /// Canonical order of two attribute names: namespace URI, then local part.
    pub(crate) fn order(&self, a: u16, b: u16) -> Ordering {
        let (x, y) = (self.names.get(a).name, self.names.get(b).name);
        let namespaces = if x.ns == y.ns {
            Ordering::Equal
        } else {
            self.names.namespace(x.ns.0).cmp(self.names.namespace(y.ns.0))
        };
        namespaces.then_with(|| self.names.local(x.local).cmp(self.names.local(y.local)))
    }
}
