//! Parts inside the Body that a plan names by path: found in the draft, given Ids, cut out. The slow way, only for plans that have such parts.

use bartizan_xml::c14n::{C14n, C14nMethod};
use bartizan_xml::names::{ns, wsu};
use bartizan_xml::path::Path;
use bartizan_xml::write::Writer;
use bartizan_xml::{Budget, Document, Element, Limits, NodeId, Profile};

use crate::error::Error;
use crate::part::EncryptHow;

/// The content of the Body, parsed where it will stand.
pub(super) struct Content {
    document: Document,
    start: usize,
    end: usize,
}

/// What stands around the Body's content.
pub(super) struct Around<'a> {
    pub(super) prefix: &'a str,
    pub(super) ns: &'a str,
    pub(super) namespaces: &'a [(String, String)],
}

impl Content {
    /// Parses the content inside an envelope like the one it will stand in.
    pub(super) fn parse(content: &[u8], around: &Around<'_>) -> Result<Content, Error> {
        let mut w = Writer::with_capacity(content.len() + 256);
        w.open(around.prefix, around.ns, "Envelope");
        for (prefix, uri) in around.namespaces {
            w.declare(prefix, uri);
        }
        w.open(around.prefix, around.ns, "Body");
        let start = w.position();
        w.raw(content);
        let end = w.position();
        w.close().close();
        let document = Document::parse(w.finish()?, Profile::Message, &mut Budget::new(&Limits::generous()))?;
        Ok(Content { document, start, end })
    }

    /// The elements that `path` names, without those that stand inside another of them.
    pub(super) fn select(&self, path: &Path) -> Vec<Element<'_>> {
        let all = path.select(&self.document);
        let outer = |e: &Element<'_>| !all.iter().any(|other| other.is_ancestor_of(*e));
        let inside = |e: &Element<'_>| e.span().start >= self.start && e.span().end <= self.end;
        all.iter().copied().filter(|e| outer(e) && inside(e)).collect()
    }

    /// The content, with the octets of the given ranges (of the parsed text, not overlapping) replaced.
    fn spliced(&self, mut edits: Vec<(usize, usize, Vec<u8>)>) -> Vec<u8> {
        let text = self.document.segment_text(0).as_bytes();
        edits.sort_by_key(|(start, ..)| *start);
        let mut out = Vec::new();
        let mut at = self.start;
        for (start, end, octets) in edits {
            out.extend_from_slice(text.get(at..start).unwrap_or_default());
            out.extend_from_slice(&octets);
            at = end;
        }
        out.extend_from_slice(text.get(at..self.end).unwrap_or_default());
        out
    }

    /// The content with a `wsu:Id` on each of `nodes`, and the Ids (those that were there are kept).
    pub(super) fn with_ids(
        &self,
        nodes: &[NodeId],
        mut fresh: impl FnMut() -> String,
    ) -> (Vec<u8>, Vec<String>) {
        let mut ids = Vec::new();
        let mut edits = Vec::new();
        for element in nodes.iter().filter_map(|n| self.document.element(*n)) {
            if let Some(own) = element.attr(wsu::ID) {
                ids.push(own.to_owned());
                continue;
            }
            let id = fresh();
            // The order of attributes does not matter here: what is digested is canonicalized from the parsed text.
            let at = element.span().start + 1 + element.qname().len();
            let prefix = free_prefix(element);
            let text = format!(" xmlns:{prefix}=\"{}\" {prefix}:Id=\"{id}\"", ns::WSU.uri());
            edits.push((at, at, text.into_bytes()));
            ids.push(id);
        }
        (self.spliced(edits), ids)
    }

    /// The canonical octets of the element with an Id; `None` where it is not (any more) in the clear.
    pub(super) fn octets(&self, id: &str) -> Result<Option<Vec<u8>>, Error> {
        let Some(element) = self.document.by_id(id)? else { return Ok(None) };
        let mut out = Vec::new();
        C14n::new(C14nMethod::Exclusive).write(element, &mut out)?;
        Ok(Some(out))
    }

    /// What several paths name, in document order: each element once, without those inside of another. An element of which one path means the
    /// whole is meant as a whole.
    pub(super) fn outermost(&self, paths: &[(&Path, EncryptHow)]) -> Vec<(NodeId, EncryptHow)> {
        let mut all: Vec<(Element<'_>, EncryptHow)> = Vec::new();
        for (path, how) in paths {
            for element in self.select(path) {
                match all.iter_mut().find(|(known, _)| *known == element) {
                    Some((_, known)) if *how == EncryptHow::Element => *known = EncryptHow::Element,
                    Some(_) => {}
                    None => all.push((element, *how)),
                }
            }
        }
        all.sort_by_key(|(element, _)| element.span().start);
        let outer = |e: Element<'_>| !all.iter().any(|(other, _)| other.is_ancestor_of(e));
        all.iter().filter(|(e, _)| outer(*e)).map(|(e, how)| (e.id(), *how)).collect()
    }

    /// The whole content in canonical form, child by child.
    pub(super) fn canonical(&self) -> Result<Vec<u8>, Error> {
        let mut out = Vec::new();
        if let Some(body) = self.document.root().elements().next() {
            C14n::new(C14nMethod::Exclusive).write_children(body, &mut out)?;
        }
        Ok(out)
    }

    /// The content with each of `nodes` (or its content) replaced by what `seal` makes of its octets.
    pub(super) fn sealed(
        &self,
        nodes: &[(NodeId, EncryptHow)],
        mut seal: impl FnMut(&[u8], EncryptHow) -> Result<Vec<u8>, Error>,
    ) -> Result<Vec<u8>, Error> {
        let text = self.document.segment_text(0).as_bytes();
        let mut edits = Vec::new();
        for (node, how) in nodes {
            let Some(element) = self.document.element(*node) else { continue };
            let span = element.span();
            let (start, end) = match how {
                EncryptHow::Element => (span.start, span.end),
                EncryptHow::Content => {
                    let whole = text.get(span.start..span.end).unwrap_or_default();
                    let open = start_tag_len(whole);
                    let close = whole.len().saturating_sub(3 + element.qname().len()).max(open);
                    (span.start + open, span.start + close)
                }
            };
            edits.push((start, end, seal(text.get(start..end).unwrap_or_default(), *how)?));
        }
        Ok(self.spliced(edits))
    }
}

/// A prefix that neither the element's own declarations nor anything below it uses.
fn free_prefix(element: Element<'_>) -> String {
    let taken = |p: &str| {
        let own = element.namespaces().any(|n| n.prefix == p);
        own || element.prefix() == p
            || element.descendants().any(|d| d.prefix() == p || d.namespaces().any(|n| n.prefix == p))
    };
    std::iter::once("wsu".to_owned())
        .chain((0..).map(|n| format!("wsu{n}")))
        .find(|p| !taken(p))
        .unwrap_or_default()
}

/// Octets of the start tag, quotes respected.
fn start_tag_len(element: &[u8]) -> usize {
    let mut quote = false;
    for (at, octet) in element.iter().enumerate() {
        match octet {
            b'"' => quote = !quote,
            b'>' if !quote => return at + 1,
            _ => {}
        }
    }
    element.len()
}
