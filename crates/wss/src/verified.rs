//! `Verified`: a message whose plan is satisfied, and `Covered`: the only views into it.
//!
//! INVARIANT: a `Verified` is made by `Verified::assertion`, which is called in one place, at the end of `inbound`. What it shows are the very
//! nodes whose digests were checked and that stand at the positions that the plan names.
//!
//! It cannot be forged:
//! ```compile_fail,E0624
//! use bartizan_wss::{RequestFacts, SecurityContext, Verified};
//! fn forge(envelope: bartizan_soap::Envelope, context: SecurityContext, request: RequestFacts) -> Verified {
//!     Verified::assertion(envelope, Vec::new(), context, request)
//! }
//! ```

mod covered;
mod view;

use bartizan_soap::addressing::Addressing;
use bartizan_soap::{Envelope, Version};
use bartizan_xml::{NodeId, Scratch};

use crate::caller::Caller;
use crate::context::{Protection, SecurityContext};
use crate::error::Reject;
use crate::request::RequestFacts;
use crate::untrusted::of_soap;

pub use covered::{Covered, CoveredNode};
pub use view::{Keep, Prefixes, View};

/// A verified message.
pub struct Verified {
    envelope: Envelope,
    parts: Vec<CoveredPart>,
    context: SecurityContext,
    request: RequestFacts,
}

/// One node that may be read, and how it is protected.
#[derive(Clone, Debug)]
pub(crate) struct CoveredPart {
    /// The node: an element at a position that the plan names.
    pub(crate) node: NodeId,
    /// What the plan calls it.
    pub(crate) kind: PartKind,
    /// How it is protected.
    pub(crate) protection: Protection,
    /// Prefixes that the canonical form declared whether used or not (the PrefixList).
    pub(crate) prefixes: Vec<String>,
    /// A subtree that was cut out of what was digested.
    pub(crate) hole: Option<NodeId>,
}

/// What a covered part is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PartKind {
    Body,
    Header,
    Element,
    Security,
}

impl Verified {
    /// The only constructor; called at the end of `inbound` and nowhere else.
    pub(crate) fn assertion(
        envelope: Envelope,
        parts: Vec<CoveredPart>,
        context: SecurityContext,
        request: RequestFacts,
    ) -> Verified {
        Verified { envelope, parts, context, request }
    }

    /// Ends the message and keeps its memory for another one: who verifies message after message on one thread saves
    /// most of what a document allocates, and for large ones the system's work for fresh pages.
    pub fn recycle(self, scratch: &mut Scratch) {
        self.envelope.into_document().recycle(scratch);
    }

    /// SOAP version.
    #[must_use]
    pub fn version(&self) -> Version {
        self.envelope.version()
    }

    /// Who sent it, if that was proved.
    #[must_use]
    pub fn caller(&self) -> Option<&Caller> {
        self.context.caller()
    }

    /// Who endorsed it, besides the caller (see [`SecurityContext::endorsers`]).
    #[must_use]
    pub fn endorsers(&self) -> &[Caller] {
        self.context.endorsers()
    }

    /// The evidence.
    #[must_use]
    pub fn context(&self) -> &SecurityContext {
        &self.context
    }

    /// What the reply needs.
    #[must_use]
    pub fn request_facts(&self) -> &RequestFacts {
        &self.request
    }

    /// The Body, if the plan protects it or leaves it open in so many words.
    #[must_use]
    pub fn body(&self) -> Option<Covered<'_>> {
        self.parts.iter().find(|p| p.kind == PartKind::Body).and_then(|p| self.cover(p))
    }

    /// The first element of the Body: what names the operation.
    #[must_use]
    pub fn payload(&self) -> Option<Covered<'_>> {
        self.body().and_then(|b| b.elements().next())
    }

    /// How the Body is protected.
    #[must_use]
    pub fn body_protection(&self) -> Option<Protection> {
        self.parts.iter().find(|p| p.kind == PartKind::Body).map(|p| p.protection)
    }

    /// The header blocks of one name that the plan demanded to be covered.
    pub fn headers<'v>(&'v self, ns: &'v str, local: &'v str) -> impl Iterator<Item = Covered<'v>> {
        self.covered_headers().filter(move |c| c.namespace() == Some(ns) && c.local_name() == local)
    }

    /// Every header block that the plan demanded to be covered.
    pub fn covered_headers(&self) -> impl Iterator<Item = Covered<'_>> {
        self.parts.iter().filter(|p| p.kind == PartKind::Header).filter_map(|p| self.cover(p))
    }

    /// Elements that the plan demanded by path.
    pub fn covered_elements(&self) -> impl Iterator<Item = Covered<'_>> {
        self.parts.iter().filter(|p| p.kind == PartKind::Element).filter_map(|p| self.cover(p))
    }

    /// The addressing properties, out of covered headers only.
    ///
    /// # Errors
    /// A [`Reject`] with `message.addressing` where a covered header is doubled or malformed.
    pub fn addressing(&self) -> Result<Addressing, Reject> {
        let nodes = self.parts.iter().filter(|p| p.kind == PartKind::Header);
        let blocks = nodes.filter_map(|p| self.envelope.document().element(p.node));
        Addressing::read(blocks).map_err(of_soap)
    }

    /// The MessageID as an opaque text for RelatesTo, covered or not (at most 1 KiB; decisions of the project allow this echo and nothing else).
    #[must_use]
    pub fn message_id_to_echo(&self) -> Option<String> {
        let blocks = self
            .envelope
            .blocks()
            .filter(|b| bartizan_soap::addressing::is_addressing(*b) && b.local_name() == "MessageID");
        Addressing::read(blocks).ok().and_then(|a| a.message_id)
    }

    pub(crate) fn envelope(&self) -> &Envelope {
        &self.envelope
    }

    pub(crate) fn parts(&self) -> &[CoveredPart] {
        &self.parts
    }

    fn cover<'v>(&'v self, part: &'v CoveredPart) -> Option<Covered<'v>> {
        self.envelope.document().element(part.node).map(|e| Covered::at(e, part))
    }
}

impl std::fmt::Debug for Verified {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Verified")
            .field("parts", &self.context.parts())
            .field("caller", &self.caller())
            .finish_non_exhaustive()
    }
}
