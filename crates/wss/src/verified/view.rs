//! The verified view: a fresh envelope that holds exactly the covered parts, each as its exclusive-canonical octets.
//!
//! This is what `verify -o` writes, what a mirror answers and what a back-end gets. It never holds Security, Signature, EncryptedKey or a Timestamp.

use bartizan_xml::Element;
use bartizan_xml::c14n::{C14n, C14nMethod};
use bartizan_xml::names::{wsse, wsse11};
use bartizan_xml::sink::Capped;
use bartizan_xml::write::Writer;

use super::{Covered, CoveredNode, PartKind, Verified};
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
        let version = self.version();
        let (ns, prefix) = (version.namespace(), self.envelope().body().prefix());
        let mut warnings = Vec::new();
        let mut w = Writer::with_capacity(self.envelope().document().segment_text(0).len() + 256);
        w.open(prefix, ns, "Envelope");
        let mut blocks: Vec<Vec<u8>> = Vec::new();
        for block in self.envelope().blocks().filter(|b| !b.is(wsse::SECURITY)).map(decrypted) {
            let part = self.parts().iter().find(|p| p.node == block.id() && p.kind == PartKind::Header);
            match (part, keep) {
                (Some(part), _) => blocks.push(show(Covered::at(block, part), prefixes, &mut warnings)),
                (None, Keep::Uncovered) => {
                    warnings.push(Warning::Uncovered(block.path()));
                    blocks.push(plain(block));
                }
                (None, Keep::Covered) => {}
            }
        }
        if !blocks.is_empty() {
            w.open(prefix, ns, "Header");
            for block in &blocks {
                w.raw(block);
            }
            w.close();
        }
        match (self.body(), keep) {
            (Some(body), _) => {
                w.raw(&show(body, prefixes, &mut warnings));
            }
            (None, Keep::Uncovered) => {
                warnings.push(Warning::Uncovered(self.envelope().body().path()));
                w.raw(&plain(self.envelope().body()));
            }
            (None, Keep::Covered) => {
                warnings.push(Warning::BodyNotCovered);
                w.open(prefix, ns, "Body");
                w.close();
            }
        }
        w.close();
        // INVARIANT: what is written are canonical octets of a parsed document; were the writer to refuse, nothing would be shown.
        View { bytes: w.finish().unwrap_or_default(), warnings }
    }
}

fn show(covered: Covered<'_>, prefixes: Prefixes, warnings: &mut Vec<Warning>) -> Vec<u8> {
    let uncovered = uncovered_prefixes(covered);
    for prefix in &uncovered {
        let warning = Warning::QnamePrefixUncovered(prefix.clone());
        if !warnings.contains(&warning) {
            warnings.push(warning);
        }
    }
    covered.signed_octets(if prefixes == Prefixes::Carry { &uncovered } else { &[] })
}

/// The header block that an EncryptedHeader held, once it is in the clear; any other block as it is.
fn decrypted(block: Element<'_>) -> Element<'_> {
    let inner = block.is(wsse11::ENCRYPTED_HEADER).then(|| block.elements().next()).flatten();
    inner.filter(|e| e.grafted()).unwrap_or(block)
}

fn plain(element: Element<'_>) -> Vec<u8> {
    let mut out = Capped::for_document(element.document());
    match C14n::new(C14nMethod::Exclusive).write(element, &mut out) {
        Ok(_) => out.into_octets(),
        Err(_) => Vec::new(),
    }
}

/// Prefixes of `xsi:type` values that the covered octets do not declare. Iterative: depth is the sender's choice.
fn uncovered_prefixes(covered: Covered<'_>) -> Vec<String> {
    let xsi = bartizan_xml::names::ns::XSI.uri();
    let mut found: Vec<String> = Vec::new();
    let mut stack = vec![covered];
    while let Some(element) = stack.pop() {
        if let Some((prefix, _)) = element.attr_ns(xsi, "type").and_then(|t| t.trim().split_once(':'))
            && element.resolve_prefix(prefix).is_none()
            && !found.iter().any(|f| f == prefix)
        {
            found.push(prefix.to_owned());
        }
        stack.extend(element.children().filter_map(|n| match n {
            CoveredNode::Element(e) => Some(e),
            CoveredNode::Text(_) => None,
        }));
    }
    found
}
