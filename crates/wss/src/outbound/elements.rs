//! Parts inside the Body that a plan names by path: found in the draft, given Ids, cut out. The slow way, only for plans that have such parts.

use std::collections::BTreeMap;

use bartizan_soap::Draft;
use bartizan_xml::c14n::{C14n, C14nMethod};
use bartizan_xml::names::{Ns, ns, wsu};
use bartizan_xml::path::Path;
use bartizan_xml::write::{Writer, free_prefix};
use bartizan_xml::{Budget, Document, Element, Limits, NodeId, Profile};

use crate::error::Error;
use crate::part::{EncryptHow, Part, other_version};

/// The content of the Body, parsed where it will stand.
pub(super) struct Content {
    document: Document,
    start: usize,
    end: usize,
}

impl Content {
    /// Parses the content inside an envelope like the one it will stand in: with the draft's header blocks, and a Security header
    /// that holds `security` in short, so that a path with positions means here what it means in the message.
    pub(super) fn parse(content: &[u8], draft: &Draft, security: &[(Ns, &str)]) -> Result<Content, Error> {
        let (prefix, space) = (draft.prefix(), draft.version().namespace());
        let mut w = Writer::with_capacity(content.len() + 256);
        w.open(prefix, space, "Envelope");
        for (prefix, uri) in draft.namespaces() {
            w.declare(prefix, uri);
        }
        w.open(prefix, space, "Header");
        w.open("wsse", ns::WSSE.uri(), "Security");
        for name in security {
            w.open("h", name.0.uri(), name.1);
            // What is inside of it is named by `//x` as well.
            for (space, local) in INSIDE {
                w.open("i", space.uri(), local).close();
            }
            w.close();
        }
        w.close();
        for block in draft.blocks() {
            w.raw(block.octets());
        }
        w.close();
        w.open(prefix, space, "Body");
        let start = w.position();
        w.raw(content);
        let end = w.position();
        w.close().close();
        let document = Document::parse(w.finish()?, Profile::Message, &mut Budget::new(&Limits::generous()))?;
        Ok(Content { document, start, end })
    }

    /// The elements that `path` names, without those that stand inside another of them.
    pub(super) fn select(&self, path: &Path) -> Vec<Element<'_>> {
        // In document order: what lies inside of another one comes right behind it.
        let mut end = 0;
        let outer = |e: &Element<'_>| {
            let outer = e.span().start >= end;
            end = end.max(e.span().end);
            outer
        };
        path.select(&self.document).into_iter().filter(|e| self.holds(*e)).filter(outer).collect()
    }

    /// Whether an element is inside of the Body.
    fn holds(&self, element: Element<'_>) -> bool {
        element.span().start >= self.start && element.span().end <= self.end
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
            let span = element.span();
            let own = self.document.segment_text(0).as_bytes().get(span.start..span.end).unwrap_or_default();
            let prefix = free_prefix("wsu", [own]);
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
        let mut all: BTreeMap<(usize, NodeId), (usize, EncryptHow)> = BTreeMap::new();
        for (path, how) in paths {
            for element in self.select(path) {
                let span = element.span();
                let known = all.entry((span.start, element.id())).or_insert((span.end, *how));
                if *how == EncryptHow::Element {
                    known.1 = EncryptHow::Element;
                }
            }
        }
        let mut covered = 0;
        let mut outer = Vec::new();
        for ((start, node), (end, how)) in all {
            if start >= covered {
                outer.push((node, how));
                covered = end;
            }
        }
        outer
    }

    /// The whole content in canonical form, child by child.
    pub(super) fn canonical(&self) -> Result<Vec<u8>, Error> {
        let mut out = Vec::new();
        if let Some(body) = self.document.root().elements().last() {
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

/// Elements of the children of a Security header that a policy may name by path.
const INSIDE: [(Ns, &str); 8] = [
    (ns::WSSE, "Username"),
    (ns::WSSE, "Password"),
    (ns::WSSE, "Nonce"),
    (ns::WSU, "Created"),
    (ns::WSU, "Expires"),
    (ns::DS, "SignedInfo"),
    (ns::DS, "SignatureValue"),
    (ns::DS, "KeyInfo"),
];

/// Refuses paths that would not protect what they name: those that name something outside of the Body, where nothing is protected by path,
/// and those for the envelope of the other SOAP version, which name nothing at all. What the policy says is to be encrypted would be sent in
/// clear. A policy that has the same path for both versions is well served.
pub(super) fn check(parts: &[&Part], draft: &Draft, security: &[(Ns, &str)]) -> Result<(), Error> {
    let content = Content::parse(draft.content(), draft, security)?;
    for part in parts {
        let Part::Element { path, .. } = part else { continue };
        if let Some(meant) = other_version(path, draft.version())
            && !parts.iter().any(|p| matches!(p, Part::Element { path, .. } if *path == meant))
        {
            return Err(Error::OtherVersion((*part).clone()));
        }
        if path.select(&content.document).iter().any(|e| !content.holds(*e)) {
            return Err(Error::OutsideBody((*part).clone()));
        }
    }
    Ok(())
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
