//! Iterators over nodes. They step over grafts: a plaintext stands in the place of what it replaced.

use core::fmt;

use super::{Element, Node};
use crate::doc::Document;

/// Child nodes.
#[derive(Clone)]
pub struct Children<'d> {
    doc: &'d Document,
    next: Option<u32>,
    grafts: u32,
}

impl<'d> Children<'d> {
    pub(crate) fn new(doc: &'d Document, first: Option<u32>) -> Self {
        Self { doc, next: first, grafts: u32::MAX }
    }

    #[cfg(test)]
    pub(super) fn following(doc: &'d Document, first: Option<u32>, grafts: u32) -> Self {
        Self { doc, next: first, grafts }
    }
}

impl fmt::Debug for Children<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Children").field("next", &self.next).finish()
    }
}

impl<'d> Iterator for Children<'d> {
    type Item = Node<'d>;

    fn next(&mut self) -> Option<Node<'d>> {
        let id = self.next?;
        self.next = self.doc.next_sibling(id, self.grafts);
        Some(Node::new(self.doc, id))
    }
}

/// Child elements.
#[derive(Clone, Debug)]
pub struct Elements<'d>(Children<'d>);

impl<'d> Elements<'d> {
    pub(super) fn new(children: Children<'d>) -> Self {
        Self(children)
    }
}

impl<'d> Iterator for Elements<'d> {
    type Item = Element<'d>;

    fn next(&mut self) -> Option<Element<'d>> {
        self.0.find_map(Node::as_element)
    }
}

/// Elements below an element.
#[derive(Clone)]
pub struct Descendants<'d> {
    doc: &'d Document,
    top: u32,
    at: u32,
}

impl<'d> Descendants<'d> {
    pub(super) fn new(doc: &'d Document, top: u32) -> Self {
        Self { doc, top, at: top }
    }
}

impl fmt::Debug for Descendants<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Descendants").field("top", &self.top).field("at", &self.at).finish()
    }
}

impl<'d> Iterator for Descendants<'d> {
    type Item = Element<'d>;

    fn next(&mut self) -> Option<Element<'d>> {
        loop {
            self.at = match self.doc.first_child(self.at, u32::MAX) {
                Some(child) => child,
                None => loop {
                    if self.at == self.top {
                        return None;
                    }
                    if let Some(next) = self.doc.next_sibling(self.at, u32::MAX) {
                        break next;
                    }
                    self.at = self.doc.parent(self.at)?;
                },
            };
            if let Some(element) = Node::new(self.doc, self.at).as_element() {
                return Some(element);
            }
        }
    }
}
