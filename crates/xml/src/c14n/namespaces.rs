//! Which namespace declarations a canonical start tag carries. This is where canonicalizers go wrong: what counts is what
//! the nearest *written* ancestor has declared, never the source. Prefixes and namespaces are the document's numbers, so
//! the question costs one comparison, however many declarations are in scope.

use crate::doc::Document;
use crate::doc::arena::{Arena, AttrData, DECLARATION, NodeData, PREFIXED};
use crate::doc::intern::{PREFIX_NONE, PREFIX_XML};
use crate::doc::is_absolute;
use crate::error::{Error, ErrorKind};

/// A namespace that the document does not know.
const FOREIGN: u16 = u16::MAX;

/// What the open elements have declared in the output.
#[derive(Debug)]
pub(super) struct Rendered {
    /// By prefix: the namespace declared last; 0 is none.
    now: Vec<u16>,
    undo: Vec<(u16, u16)>,
    /// The prefixes of a PrefixList, by number.
    listed: Vec<u16>,
    /// By prefix: the last scan over the bindings in scope that met it.
    seen: Vec<u32>,
    scans: u32,
    /// The declarations of the tag at hand, in canonical order: prefix and namespace.
    pub(super) tag: Vec<(u16, u16)>,
}

impl Rendered {
    pub(super) fn new(document: &Document, list: &str) -> Self {
        let names = &document.arena().names;
        let mut listed: Vec<u16> = list
            .split_ascii_whitespace()
            .filter_map(|word| {
                names.find_prefix(if word == crate::names::uri::DEFAULT_PREFIX { "" } else { word })
            })
            .collect();
        listed.sort_unstable();
        listed.dedup();
        let now = vec![0; names.prefix_count()];
        Self { now, undo: Vec::with_capacity(16), listed, seen: Vec::new(), scans: 0, tag: Vec::new() }
    }

    pub(super) fn mark(&self) -> usize {
        self.undo.len()
    }

    /// Takes back what was declared since a mark.
    pub(super) fn restore(&mut self, mark: usize) {
        while self.undo.len() > mark {
            if let Some((prefix, before)) = self.undo.pop()
                && let Some(slot) = self.now.get_mut(usize::from(prefix))
            {
                *slot = before;
            }
        }
    }

    /// From here on nothing counts as declared, until the mark before is restored.
    pub(super) fn begin_apex(&mut self) {
        if self.undo.is_empty() {
            return;
        }
        for (prefix, slot) in (0_u16..).zip(&mut self.now) {
            if *slot != 0 {
                self.undo.push((prefix, *slot));
                *slot = 0;
            }
        }
    }

    /// Takes declarations of elements that are open elsewhere, outermost first.
    pub(super) fn extend<'s>(
        &mut self,
        document: &Document,
        scope: impl Iterator<Item = (&'s str, &'s str)>,
    ) {
        let names = &document.arena().names;
        for (prefix, uri) in scope {
            if let Some(prefix) = names.find_prefix(prefix) {
                let namespace = names.find_namespace(uri).unwrap_or(FOREIGN);
                self.declare(prefix, namespace);
            }
        }
    }

    fn declare(&mut self, prefix: u16, namespace: u16) -> bool {
        let Some(slot) = self.now.get_mut(usize::from(prefix)) else { return false };
        if *slot == namespace {
            return false;
        }
        self.undo.push((prefix, *slot));
        *slot = namespace;
        true
    }

    #[inline]
    fn need(&mut self, prefix: u16, namespace: u16) {
        if prefix != PREFIX_XML && self.declare(prefix, namespace) {
            self.tag.push((prefix, namespace));
        }
    }

    /// Whether an element that declares nothing itself needs no declaration under the exclusive form.
    #[inline]
    pub(super) fn covers(&self, arena: &Arena, id: u32, node: &NodeData) -> bool {
        let is = |prefix: u16, namespace: u16| {
            self.now.get(usize::from(prefix)) == Some(&namespace) || prefix == PREFIX_XML
        };
        let own = arena.names.get(node.qname);
        is(own.prefix, own.name.ns.0)
            && (node.flags & PREFIXED == 0
                || arena.attrs(id).iter().filter(|a| a.flags & DECLARATION == 0).all(|attr| {
                    let name = arena.names.get(attr.qname);
                    name.prefix == PREFIX_NONE || is(name.prefix, name.name.ns.0)
                }))
    }

    /// The declarations of an element under the exclusive form (Exclusive C14N §3): what its name and its attributes
    /// use, and what the list names.
    #[inline]
    pub(super) fn exclusive(&mut self, arena: &Arena, id: u32, node: &NodeData, apex: bool) {
        self.tag.clear();
        let own = arena.names.get(node.qname);
        self.need(own.prefix, own.name.ns.0);
        let entries = arena.attrs(id);
        for attr in entries.iter().filter(|a| a.flags & DECLARATION == 0) {
            let name = arena.names.get(attr.qname);
            if name.prefix != PREFIX_NONE {
                self.need(name.prefix, name.name.ns.0);
            }
        }
        if !self.listed.is_empty() {
            if apex {
                self.in_scope(arena, id, true);
            } else {
                for attr in entries.iter().filter(|a| a.flags & DECLARATION != 0) {
                    if self.listed.binary_search(&attr.qname).is_ok() {
                        self.need(attr.qname, attr.start as u16);
                    }
                }
            }
        }
        self.sort(arena);
    }

    /// The declarations of an element under the inclusive forms (Canonical XML 1.0 §2.3, 1.1 §2.3): its own, and for
    /// an apex all that are in scope.
    #[inline]
    pub(super) fn inclusive(&mut self, arena: &Arena, id: u32, apex: bool) {
        self.tag.clear();
        if apex {
            self.in_scope(arena, id, false);
        } else {
            for attr in arena.attrs(id).iter().filter(|a| a.flags & DECLARATION != 0) {
                self.need(attr.qname, attr.start as u16);
            }
        }
        self.sort(arena);
    }

    /// Whether the declarations of the tag at hand are those of its source, in the same order.
    #[inline]
    pub(super) fn declares(&self, entries: &[AttrData]) -> bool {
        let own = entries.iter().filter(|a| a.flags & DECLARATION != 0).map(|a| (a.qname, a.start as u16));
        own.eq(self.tag.iter().copied())
    }

    /// Takes the bindings in scope of an apex, inner ones first; hidden ones are left out.
    fn in_scope(&mut self, arena: &Arena, apex: u32, listed_only: bool) {
        self.seen.resize(self.now.len(), 0);
        self.scans += 1;
        let mut at = apex;
        while let Some(node) = arena.node(at) {
            for attr in arena.attrs(at).iter().filter(|a| a.flags & DECLARATION != 0) {
                let Some(seen) = self.seen.get_mut(usize::from(attr.qname)) else { continue };
                let wanted = !listed_only || self.listed.binary_search(&attr.qname).is_ok();
                if core::mem::replace(seen, self.scans) != self.scans && wanted {
                    self.need(attr.qname, attr.start as u16);
                }
            }
            at = node.parent;
        }
    }

    /// Canonical order: by prefix, the default namespace first (Canonical XML 1.0 §2.2).
    fn sort(&mut self, arena: &Arena) {
        if self.tag.len() > 1 {
            self.tag.sort_unstable_by(|a, b| arena.names.prefix(a.0).cmp(arena.names.prefix(b.0)));
        }
    }

    /// Makes the tag declare a default namespace in any case (SMS 1.1 §8.3).
    pub(super) fn force_default(&mut self) {
        if self.tag.first().is_none_or(|(prefix, _)| *prefix != PREFIX_NONE) {
            self.tag.insert(0, (PREFIX_NONE, 0));
        }
    }

    /// Canonical forms are undefined with relative namespace URIs (Canonical XML 1.0 §1.3): neither what is declared at
    /// an element nor what its tag takes over may be one. Called only if the document has any.
    pub(super) fn refuse_relative(&self, arena: &Arena, id: u32, node: &NodeData) -> Result<(), Error> {
        let own = arena.attrs(id).iter().filter(|a| a.flags & DECLARATION != 0).map(|a| a.start as u16);
        let relative = |namespace: u16| {
            let uri = arena.names.namespace(namespace);
            !uri.is_empty() && !is_absolute(uri)
        };
        if own.chain(self.tag.iter().map(|(_, namespace)| *namespace)).any(relative) {
            return Err(Error::new(ErrorKind::RelativeNamespace, node.start as usize));
        }
        Ok(())
    }
}
