//! The verified view: a fresh envelope that holds exactly the covered parts, each as its exclusive-canonical octets.
//!
//! This is what `verify -o` writes, what a mirror answers and what a back-end gets. It never holds Security, Signature, EncryptedKey or a Timestamp.

use std::collections::{HashMap, HashSet};

use bartizan_xml::c14n::{C14n, C14nMethod};
use bartizan_xml::names::{wsse, wsse11};
use bartizan_xml::sink::Capped;
use bartizan_xml::write::{Writer, free_prefix};
use bartizan_xml::{Document, Element, NodeId};

use super::{Covered, CoveredNode, CoveredPart, PartKind, Verified};
use crate::context::Warning;

/// What the view holds besides what is covered.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Keep {
    /// Nothing.
    #[default]
    Covered,
    /// Also header blocks and a Body that nothing covers, each with a warning: said aloud.
    Uncovered,
}

/// What to do about prefixes that only content uses and that nothing covered declares.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Prefixes {
    /// Leave them undeclared, with a warning.
    #[default]
    Drop,
    /// Declare them again from the source, with a warning, for old encoded services.
    Carry,
}

/// The view and what must be said about it.
#[derive(Debug)]
pub struct View {
    /// The envelope, UTF-8.
    pub bytes: Vec<u8>,
    /// Prefixes that content uses and nothing covered declares, parts that nothing covers.
    pub warnings: Vec<Warning>,
}

impl Verified {
    /// The verified view.
    #[must_use]
    pub fn view(&self, keep: Keep) -> View {
        self.view_with(keep, Prefixes::Drop)
    }

    /// The verified view, with a choice about prefixes that only content uses.
    #[must_use]
    pub fn view_with(&self, keep: Keep, prefixes: Prefixes) -> View {
        let mut view = Parts::new(self.envelope().document(), prefixes);
        let mut blocks: Vec<Vec<u8>> = Vec::new();
        let known: HashMap<NodeId, &CoveredPart> =
            self.parts().iter().filter(|p| p.kind == PartKind::Header).map(|p| (p.node, p)).collect();
        for block in self.envelope().blocks().filter(|b| !b.is(wsse::SECURITY)).map(decrypted) {
            match (known.get(&block.id()), keep) {
                (Some(part), _) => blocks.extend(view.covered(Covered::at(block, part))),
                (None, Keep::Uncovered) => blocks.extend(view.uncovered(block)),
                (None, Keep::Covered) => {}
            }
        }
        let body = match (self.body(), keep) {
            (Some(body), _) => view.covered(body),
            (None, Keep::Uncovered) => view.uncovered(self.envelope().body()),
            (None, Keep::Covered) => {
                view.warnings.push(Warning::BodyNotCovered);
                None
            }
        };
        let ns = self.version().namespace();
        let written = blocks.iter().chain(&body).map(Vec::as_slice);
        // A prefix of our own, which nothing that is shown uses: were it the sender's, a name in the content of a header could
        // come to mean ours, and an empty one would take the names without namespace in.
        let prefix = free_prefix("env", written);
        let mut w = Writer::with_capacity(blocks.iter().chain(&body).map(Vec::len).sum::<usize>() + 256);
        w.open(&prefix, ns, "Envelope");
        if !blocks.is_empty() {
            w.open(&prefix, ns, "Header");
            for block in &blocks {
                w.raw(block);
            }
            w.close();
        }
        match &body {
            Some(body) => {
                w.raw(body);
            }
            None => {
                w.open(&prefix, ns, "Body").close();
            }
        }
        w.close();
        // INVARIANT: what is written are canonical octets of a parsed document; were the writer to refuse, nothing would be shown.
        View { bytes: w.finish().unwrap_or_default(), warnings: view.warnings }
    }
}

/// The parts of a view as they are collected, under one limit for all of them: a namespace that stands in the message once is in the form of
/// each part that uses it.
struct Parts {
    prefixes: Prefixes,
    warnings: Vec<Warning>,
    /// Prefixes that were warned of.
    said: HashSet<String>,
    /// Octets that may still come.
    room: usize,
}

impl Parts {
    fn new(document: &Document, prefixes: Prefixes) -> Parts {
        let room = Capped::for_document(document).most();
        Parts { prefixes, warnings: Vec::new(), said: HashSet::new(), room }
    }

    fn covered(&mut self, part: Covered<'_>) -> Option<Vec<u8>> {
        let uncovered = uncovered_prefixes(part);
        for prefix in &uncovered {
            if self.said.insert(prefix.clone()) {
                self.warnings.push(Warning::QnamePrefixUncovered(prefix.clone()));
            }
        }
        let also: &[String] = if self.prefixes == Prefixes::Carry { &uncovered } else { &[] };
        let octets = part.signed_octets(also, self.room);
        self.take(octets, || part.element().path())
    }

    fn uncovered(&mut self, element: Element<'_>) -> Option<Vec<u8>> {
        let mut out = Capped::new(self.room);
        let written = C14n::new(C14nMethod::Exclusive).write(element, &mut out);
        let taken = self.take(written.ok().map(|_| out.into_octets()), || element.path());
        if taken.is_some() {
            self.warnings.push(Warning::Uncovered(element.path()));
        }
        taken
    }

    /// What does not fit any more is left out, and said to be.
    fn take(&mut self, octets: Option<Vec<u8>>, path: impl FnOnce() -> String) -> Option<Vec<u8>> {
        match octets {
            Some(octets) => {
                self.room = self.room.saturating_sub(octets.len());
                Some(octets)
            }
            None => {
                self.warnings.push(Warning::LeftOut(path()));
                None
            }
        }
    }
}

/// The header block that an EncryptedHeader held, once it is in the clear; any other block as it is.
fn decrypted(block: Element<'_>) -> Element<'_> {
    let inner = block.is(wsse11::ENCRYPTED_HEADER).then(|| block.elements().next()).flatten();
    inner.filter(|e| e.grafted()).unwrap_or(block)
}

/// Prefixes of `xsi:type` values that the covered octets do not declare. Iterative: depth is the sender's choice.
fn uncovered_prefixes(covered: Covered<'_>) -> Vec<String> {
    let xsi = bartizan_xml::names::ns::XSI.uri();
    let mut found: Vec<String> = Vec::new();
    let mut known: HashSet<&str> = HashSet::new();
    let mut stack = vec![covered];
    while let Some(element) = stack.pop() {
        if let Some((prefix, _)) = element.attr_ns(xsi, "type").and_then(|t| t.trim().split_once(':'))
            && !known.contains(prefix)
            && element.resolve_prefix(prefix).is_none()
        {
            known.insert(prefix);
            found.push(prefix.to_owned());
        }
        stack.extend(element.children().filter_map(|n| match n {
            CoveredNode::Element(e) => Some(e),
            CoveredNode::Text(_) => None,
        }));
    }
    found
}
