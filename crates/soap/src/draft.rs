//! `Draft`: a message that has been composed and not yet secured. It cannot be put on the wire.
//!
//! It holds canonical octets, so that securing it digests and writes them as they are: header blocks each exclusive-canonical with
//! itself as apex, the Body's content likewise, child by child. The Body gets a prefix that no child declares again ([`Draft::prefix`]), so that
//! the content is canonical where it stands. Comments are left out: no signature covers them.
//! Not here: bytes of a message (only a plan of `bartizan-wss` makes those). Called by services, faults, the file tool.

use std::collections::{HashMap, HashSet};

use bartizan_xml::c14n::{C14n, C14nMethod};
use bartizan_xml::sink::Capped;
use bartizan_xml::write::free_prefix;
use bartizan_xml::{Budget, Document, Element, Limits, Profile};

use crate::envelope::Envelope;
use crate::error::Error;
use crate::version::Version;

/// One header block to be sent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Block {
    namespace: String,
    local: String,
    octets: Vec<u8>,
}

impl Block {
    /// A block of the given name; `octets` are its exclusive-canonical form with itself as apex.
    pub fn new(namespace: impl Into<String>, local: impl Into<String>, octets: Vec<u8>) -> Block {
        Block { namespace: namespace.into(), local: local.into(), octets }
    }

    /// Copies an element out of a document.
    ///
    /// # Errors
    /// [`Error::Xml`] where canonicalization fails.
    pub fn from_element(element: Element<'_>) -> Result<Block, Error> {
        let mut octets = Vec::new();
        C14n::new(C14nMethod::Exclusive).write(element, &mut octets)?;
        Ok(Block::new(element.namespace().unwrap_or_default(), element.local_name(), octets))
    }

    /// Namespace URI.
    #[must_use]
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// Local name.
    #[must_use]
    pub fn local(&self) -> &str {
        &self.local
    }

    /// The octets.
    #[must_use]
    pub fn octets(&self) -> &[u8] {
        &self.octets
    }
}

/// A message under construction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Draft {
    version: Version,
    prefix: String,
    namespaces: Vec<(String, String)>,
    header_namespaces: Vec<(String, String)>,
    blocks: Vec<Block>,
    content: Vec<u8>,
    fault: bool,
    action: Option<String>,
}

impl Draft {
    /// An empty message.
    #[must_use]
    pub fn new(version: Version) -> Draft {
        Draft {
            version,
            prefix: "soap".into(),
            namespaces: Vec::new(),
            header_namespaces: Vec::new(),
            blocks: Vec::new(),
            content: Vec::new(),
            fault: false,
            action: None,
        }
    }

    /// Takes over the Body's content and the header blocks of an envelope, with the prefixes that are in scope there
    /// (a prefix used only in content, as in `xsi:type="xsd:string"`, stays resolvable, and means in the header and in the Body what it
    /// meant there).
    ///
    /// # Errors
    /// [`Error::Xml`] where canonicalization fails.
    pub fn from_envelope(envelope: &Envelope) -> Result<Draft, Error> {
        let mut draft = Draft::new(envelope.version());
        let body = envelope.body();
        draft.namespaces = scope_of(body);
        if let Some(header) = envelope.header() {
            for block in header.elements() {
                draft.blocks.push(Block::from_element(block)?);
            }
            let known: HashMap<String, String> = draft.namespaces.iter().cloned().collect();
            for (prefix, uri) in scope_of(header) {
                match known.get(&prefix) {
                    None => draft.namespaces.push((prefix, uri)),
                    Some(other) if *other == uri => {}
                    Some(_) => draft.header_namespaces.push((prefix, uri)),
                }
            }
        }
        let mut content = Capped::for_document(body.document());
        C14n::new(C14nMethod::Exclusive).write_children(body, &mut content)?;
        let content = content.into_octets();
        draft.prefix = body.prefix().to_owned();
        draft = draft.with_body(content);
        let own = (draft.prefix.as_str(), envelope.version().namespace());
        draft.namespaces.retain(|(prefix, uri)| (prefix.as_str(), uri.as_str()) != own);
        draft.fault = envelope.payload().is_some_and(|p| p.is(envelope.version().fault()));
        Ok(draft)
    }

    /// Parses an envelope and takes it over.
    ///
    /// # Errors
    /// Those of [`Envelope::parse`].
    pub fn parse(bytes: Vec<u8>, limits: &Limits) -> Result<Draft, Error> {
        Draft::from_envelope(&Envelope::parse(bytes, &mut Budget::new(limits))?)
    }

    /// With the given content of the Body: octets of elements (usually one), each exclusive-canonical with itself as apex.
    #[must_use]
    pub fn with_body(mut self, octets: Vec<u8>) -> Draft {
        let ns = self.version.namespace();
        let around = || self.namespaces.iter().chain(&self.header_namespaces);
        let free = |p: &str| {
            !p.is_empty()
                && !contains(&octets, format!(" xmlns:{p}=\"{ns}\"").as_bytes())
                && around().all(|(prefix, uri)| prefix != p || uri == ns)
        };
        let usual = ["soap", "env", "soapenv", "s", "e"];
        let own = std::iter::once(self.prefix.as_str());
        let found = own.chain(usual).find(|p| free(p)).map(str::to_owned);
        // Whoever used all of these up does not choose how long we look for another.
        self.prefix = found.unwrap_or_else(|| {
            let declared: String = around().map(|(prefix, _)| format!("{prefix}=")).collect();
            free_prefix("soap", [octets.as_slice(), declared.as_bytes()])
        });
        self.content = octets;
        self
    }

    /// With the given payload: any well-formed element, which is brought into canonical form.
    ///
    /// # Errors
    /// [`Error::Xml`] for what is no such XML.
    pub fn with_payload(self, xml: Vec<u8>, limits: &Limits) -> Result<Draft, Error> {
        let document = Document::parse(xml, Profile::Message, &mut Budget::new(limits))?;
        let mut octets = Vec::new();
        C14n::new(C14nMethod::Exclusive).write(document.root(), &mut octets)?;
        Ok(self.with_body(octets))
    }

    /// With a further header block.
    #[must_use]
    pub fn with_block(mut self, block: Block) -> Draft {
        self.blocks.push(block);
        self
    }

    /// With a prefix declared on the Envelope, for qualified names in content.
    #[must_use]
    pub fn declaring(mut self, prefix: &str, namespace: &str) -> Draft {
        self.declare(prefix, namespace);
        self
    }

    /// With an action for the media type or the SOAPAction header.
    #[must_use]
    pub fn with_action(mut self, action: impl Into<String>) -> Draft {
        self.action = Some(action.into());
        self
    }

    /// Marked as a fault.
    #[must_use]
    pub fn as_fault(mut self) -> Draft {
        self.fault = true;
        self
    }

    /// Removes the header blocks of one name; returns how many there were.
    pub fn remove_blocks(&mut self, namespace: &str, local: &str) -> usize {
        let before = self.blocks.len();
        self.blocks.retain(|b| b.namespace != namespace || b.local != local);
        before - self.blocks.len()
    }

    /// The SOAP version.
    #[must_use]
    pub fn version(&self) -> Version {
        self.version
    }

    /// The prefix of Envelope, Header and Body; never empty, so that content without namespace needs no `xmlns=""`.
    #[must_use]
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// Prefixes to declare on the Envelope for names in content.
    #[must_use]
    pub fn namespaces(&self) -> &[(String, String)] {
        &self.namespaces
    }

    /// Prefixes to declare on the Header, for names in the content of its blocks: those that mean something else in the Body.
    #[must_use]
    pub fn header_namespaces(&self) -> &[(String, String)] {
        &self.header_namespaces
    }

    /// The header blocks in order.
    #[must_use]
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// The content of the Body.
    #[must_use]
    pub fn content(&self) -> &[u8] {
        &self.content
    }

    /// Whether the Body holds a fault.
    #[must_use]
    pub fn is_fault(&self) -> bool {
        self.fault
    }

    /// The action, if one was given.
    #[must_use]
    pub fn action(&self) -> Option<&str> {
        self.action.as_deref()
    }

    fn declare(&mut self, prefix: &str, namespace: &str) {
        self.namespaces.retain(|(p, _)| p != prefix);
        self.namespaces.push((prefix.to_owned(), namespace.to_owned()));
    }
}

/// Everything in scope at `element` that a name in content could use: innermost declaration first, the default namespace apart.
fn scope_of(element: Element<'_>) -> Vec<(String, String)> {
    let mut seen: HashSet<&str> = HashSet::new();
    let mut scope = Vec::new();
    let mut at = Some(element);
    while let Some(e) = at {
        for bartizan_xml::Namespace { prefix, uri, .. } in e.namespaces() {
            if !prefix.is_empty() && seen.insert(prefix) {
                scope.push((prefix.to_owned(), uri.to_owned()));
            }
        }
        at = e.parent();
    }
    scope
}

fn contains(haystack: &[u8], needle: &[u8]) -> bool {
    memchr::memmem::find(haystack, needle).is_some()
}
