//! The document: segments of text and one arena of nodes over them. Made by [`Document::parse`], read through
//! [`Element`], changed only by [`Document::graft`], which puts a plaintext in the place of its ciphertext. Nothing
//! is ever spliced into text and parsed again, so a node is the same node before and after.

pub(crate) mod arena;
mod build;
mod ids;
pub(crate) mod intern;
mod scratch;
pub(crate) mod view;
mod walk;

use crate::encoding;
use crate::error::{Error, ErrorKind};
use crate::limits::{Budget, Quantity};
use crate::names::{Local, Name, Ns};
use arena::{Arena, DECLARATION, Kind, NONE, REPLACED, Segment};
pub(crate) use build::is_absolute;
use build::{Builder, Place};
use ids::Ids;
use intern::PREFIX_XML;
pub use scratch::Scratch;
use view::{Children, Element};

/// Which documents are accepted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Profile {
    /// SOAP messages: no processing instructions (but in plaintexts, as nodes); namespace URIs are absolute and consist of visible ASCII.
    Message,
    /// Documents of our own side and test suites: processing instructions are kept as nodes, ISO-8859-1 is read.
    Bare,
}

/// What a plaintext replaces.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Graft {
    /// One element, with white space, comments and text allowed around it (XMLEnc `#Element`).
    Element,
    /// Any content (XMLEnc `#Content`).
    Content,
}

/// A node of one document. Ids of different documents must not be mixed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct NodeId(pub(crate) u32);

/// An XML document and the plaintexts grafted into it. Owns its text; `Send` and `Sync`; dropped without recursion.
#[derive(Debug)]
pub struct Document {
    arena: Arena,
    segments: Vec<Segment>,
    /// Replaced element and the segment that replaces it, sorted.
    grafts: Vec<(u32, u32)>,
    /// Parents that something was grafted into, and how many children they have now: counting them anew for each of many plaintexts
    /// would be quadratic.
    counted: Vec<(u32, u32)>,
    ids: Ids,
    profile: Profile,
}

impl Document {
    /// Parses UTF-8, or UTF-16 with a byte order mark (converted once; offsets then refer to the UTF-8 form).
    ///
    /// # Errors
    /// The first violation of XML 1.0 (fifth edition), Namespaces in XML 1.0, the profile or a limit.
    pub fn parse(bytes: Vec<u8>, profile: Profile, budget: &mut Budget) -> Result<Self, Error> {
        Self::parse_with(bytes, profile, budget, &mut Scratch::default())
    }

    /// As [`Document::parse`], in the memory of a document before it. On error that memory is gone.
    ///
    /// # Errors
    /// As [`Document::parse`].
    pub fn parse_with(
        bytes: Vec<u8>,
        profile: Profile,
        budget: &mut Budget,
        scratch: &mut Scratch,
    ) -> Result<Self, Error> {
        budget.spend(Quantity::Bytes, bytes.len() as u64)?;
        let (text, encoding) = encoding::decode(bytes, profile)?;
        fits(&text)?;
        let (arena, ids) = scratch.lists(text.len());
        let mut document = Self {
            arena,
            segments: Vec::with_capacity(1),
            grafts: Vec::new(),
            counted: Vec::new(),
            ids,
            profile,
        };
        let limits = *budget.limits();
        let builder = Builder::new(&text, &mut document.arena, &limits, profile);
        let built = builder.document(encoding, budget.nodes_left())?;
        budget.spend(Quantity::Nodes, built.nodes)?;
        let last = document.arena.nodes.len() as u32;
        document.segments.push(Segment { text, first: 0, last, at: NONE, depth: 0 });
        document.index_noted_ids(0, last, &built.ids);
        Ok(document)
    }

    /// The root element.
    #[must_use]
    pub fn root(&self) -> Element<'_> {
        let root = self.children().find_map(view::Node::as_element);
        // INVARIANT: parse and graft refuse what would leave no root element.
        root.unwrap_or_else(|| Element::new(self, 0))
    }

    /// An element by its id.
    #[must_use]
    pub fn element(&self, id: NodeId) -> Option<Element<'_>> {
        self.arena.node(id.0).filter(|n| n.kind == Kind::Element).map(|_| Element::new(self, id.0))
    }

    /// The nodes around and including the root element.
    #[must_use]
    pub fn children(&self) -> Children<'_> {
        Children::new(self, self.settle_from(0, u32::MAX))
    }

    /// Puts a plaintext in the place of the element `at`, parsed with the namespaces in scope at its parent. An XML
    /// declaration, a byte order mark and a document type are refused; so is, in the place of a root element, anything
    /// but one element with comments and white space. On error the document is as before.
    ///
    /// # Errors
    /// As [`Document::parse`], with offsets into the plaintext; [`ErrorKind::Fragment`] if the shape does not fit;
    /// [`ErrorKind::NodeId`] if `at` is no element or was replaced already.
    pub fn graft(
        &mut self,
        at: NodeId,
        plaintext: Vec<u8>,
        kind: Graft,
        budget: &mut Budget,
    ) -> Result<(), Error> {
        budget.spend(Quantity::Bytes, plaintext.len() as u64)?;
        let node =
            self.arena.node(at.0).copied().filter(|n| n.kind == Kind::Element && n.flags & REPLACED == 0);
        let node = node.ok_or(Error::new(ErrorKind::NodeId, 0))?;
        let depth = self.segment_of(at.0).depth + 1;
        budget.spend(Quantity::DecryptDepth, depth as u64)?;
        let text = String::from_utf8(plaintext)
            .map_err(|e| Error::new(ErrorKind::Encoding, e.utf8_error().valid_up_to()))?;
        fits(&text)?;
        let place = self.place_of(at.0, node.parent);
        let mark = self.mark();
        let limits = *budget.limits();
        let builder = Builder::new(&text, &mut self.arena, &limits, self.profile);
        let shape = Error::new(ErrorKind::Fragment, 0);
        let outcome = builder.fragment(place, budget.nodes_left()).and_then(|built| {
            let one = built.roots == 1;
            let fits = match kind {
                _ if node.parent == NONE => one && !built.top_text,
                Graft::Element => one,
                Graft::Content => true,
            };
            if fits { Ok(built) } else { Err(shape) }
        });
        let built = match outcome {
            Ok(built) => built,
            Err(error) => {
                self.back_to(mark);
                return Err(error);
            }
        };
        budget.spend(Quantity::Nodes, built.nodes)?;
        let (first, last) = (mark.nodes as u32, self.arena.nodes.len() as u32);
        let segment = self.segments.len() as u32;
        self.segments.push(Segment { text, first, last, at: at.0, depth });
        let slot = self.grafts.partition_point(|&(a, _)| a < at.0);
        self.grafts.insert(slot, (at.0, segment));
        if let Some(node) = self.arena.nodes.get_mut(at.0 as usize) {
            node.flags |= REPLACED;
        }
        self.index_noted_ids(first, last, &built.ids);
        // The ciphertext is no child any longer.
        let children = built.top_children.saturating_sub(1);
        match self.counted.iter_mut().find(|(parent, _)| *parent == node.parent) {
            Some((_, count)) => *count = children,
            None => self.counted.push((node.parent, children)),
        }
        Ok(())
    }

    /// The topmost elements of a plaintext.
    pub fn topmost(&self, segment: u32) -> impl Iterator<Item = Element<'_>> {
        let bounds = self.segments.get(segment as usize).map_or((0, 0), |s| (s.first, s.last));
        let nodes = core::iter::successors(Some(bounds.0), |&id| Some(self.arena.after(id)));
        nodes.take_while(move |&id| id < bounds.1).filter_map(|id| self.element(NodeId(id)))
    }

    /// The context of a plaintext that replaces `at`.
    fn place_of(&self, at: u32, parent: u32) -> Place {
        let mut place = Place::default();
        if parent == NONE {
            return place;
        }
        place.parent = Some(parent);
        let around = Element::new(self, parent);
        let known = self.counted.iter().find(|(counted, _)| *counted == parent).map(|(_, count)| *count);
        place.siblings =
            known.unwrap_or_else(|| u32::try_from(around.children().count()).unwrap_or(u32::MAX));
        let mut up = self.arena.node(at).map_or(NONE, |n| n.parent);
        let mut seen = vec![false; self.arena.names.prefix_count()];
        while let Some(node) = self.arena.node(up) {
            place.depth += 1;
            for attr in self.arena.attrs(up).iter().filter(|a| a.flags & DECLARATION != 0) {
                if let Some(seen) = seen.get_mut(usize::from(attr.qname))
                    && !*seen
                    && attr.qname != PREFIX_XML
                {
                    *seen = true;
                    place.bindings.push((attr.qname, attr.start as u16));
                }
            }
            up = node.parent;
        }
        place
    }

    /// The element with an Id, among those that [`Document::check_ids`] calls recognised. Ids are compared as exact
    /// strings and need not be names.
    ///
    /// # Errors
    /// [`ErrorKind::DuplicateId`] if two elements claim it, look-alikes included.
    pub fn by_id(&self, id: &str) -> Result<Option<Element<'_>>, Error> {
        let Some(claim) = self.find_claim(id) else { return Ok(None) };
        if claim.conflict() {
            return Err(Error::new(ErrorKind::DuplicateId, self.offset_of(claim.last)));
        }
        Ok((claim.recognised > 0).then(|| Element::new(self, claim.first)))
    }

    /// Makes an attribute without namespace a recognised Id on every element (the `--id-attr` of the file tools).
    pub fn declare_id_attr(&mut self, local: &str) {
        self.ids.declare(local);
        self.index_ids(0, self.arena.nodes.len() as u32);
    }

    /// The attributes that [`Document::declare_id_attr`] added.
    #[must_use]
    pub fn declared_id_attrs(&self) -> &[String] {
        self.ids.declared()
    }

    /// Refuses duplicates among recognised Ids, and look-alikes that equal a recognised or referenced Id.
    ///
    /// Recognised are `wsu:Id` on any element; `Id` on elements of XML Signature, XML Encryption and WS-Security 1.1;
    /// `ID` and `AssertionID` on SAML elements; `xml:id` under [`Profile::Bare`]; what [`Document::declare_id_attr`]
    /// added. Look-alikes are other attributes
    /// called Id, ID, id, AssertionID, AssertionId in any namespace. Two look-alikes may be equal.
    ///
    /// # Errors
    /// [`ErrorKind::DuplicateId`].
    pub fn check_ids(&self, referenced: &[&str]) -> Result<(), Error> {
        let refuse = |node| Err(Error::new(ErrorKind::DuplicateId, self.offset_of(node)));
        if let Some(node) = self.ids.conflict() {
            return refuse(node);
        }
        for id in referenced {
            match self.find_claim(id) {
                Some(claim) if claim.alike > 0 => return refuse(claim.last),
                _ => {}
            }
        }
        Ok(())
    }

    fn offset_of(&self, node: u32) -> usize {
        self.arena.node(node).map_or(0, |n| n.start as usize)
    }

    /// The text of a segment: 0 is the document, the others are plaintexts in the order of their grafts.
    #[must_use]
    pub fn segment_text(&self, segment: u32) -> &str {
        self.segments.get(segment as usize).map_or("", |s| &s.text)
    }

    /// Number of segments: one more than plaintexts.
    #[must_use]
    pub fn segments(&self) -> u32 {
        self.segments.len() as u32
    }

    /// Number of nodes, those of ciphertext included.
    #[must_use]
    pub fn node_count(&self) -> usize {
        self.arena.nodes.len()
    }

    /// The name that a namespace URI and a local part have in this document, if they occur in it or in the tables.
    #[must_use]
    pub fn find_name(&self, uri: &str, local: &str) -> Option<Name> {
        self.arena.names.find(uri, local)
    }

    /// The URI of a namespace of this document; empty for none.
    #[must_use]
    pub fn namespace_uri(&self, ns: Ns) -> &str {
        self.arena.names.namespace(ns.0)
    }

    /// The text of a local name of this document.
    #[must_use]
    pub fn local_text(&self, local: Local) -> &str {
        self.arena.names.local(local)
    }

    pub(crate) fn arena(&self) -> &Arena {
        &self.arena
    }
}

/// Offsets are 32 bits.
fn fits(text: &str) -> Result<(), Error> {
    if u32::try_from(text.len()).is_ok_and(|n| n < NONE) {
        return Ok(());
    }
    Err(Error::limit(Quantity::Bytes, 0))
}

/// How long the lists were before a graft.
struct Mark {
    nodes: usize,
    attrs: usize,
    side: usize,
    sides: usize,
}

impl Document {
    fn mark(&self) -> Mark {
        Mark {
            nodes: self.arena.nodes.len(),
            attrs: self.arena.attrs.len(),
            side: self.arena.side.len(),
            sides: self.arena.sides.len(),
        }
    }

    fn back_to(&mut self, mark: Mark) {
        self.arena.nodes.truncate(mark.nodes);
        self.arena.attrs.truncate(mark.attrs);
        self.arena.side.truncate(mark.side);
        self.arena.sides.truncate(mark.sides);
    }
}

#[cfg(test)]
mod tests;
