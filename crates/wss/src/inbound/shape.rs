//! The first step: our Security header and everything in it, read strictly, before any key is touched.
//!
//! One header for each role, known children only, each of the shape that its profile gives it, every algorithm compared with the plan where it
//! is read, every Id unique. Not here: who signed, what is covered.

use bartizan_soap::header::{self, Addressee};
use bartizan_soap::{Version, addressing};
use bartizan_xml::names::{ds, ns, saml1, saml2, wsc05, wsc13, wsse, wsse11, wsu, xenc};
use bartizan_xml::{Element, Elements, NodeId, NodeKind};
use bartizan_xmlsec::{EncryptedKey, ReferenceList, Signature};

use super::confirmation::{self, Confirmation};
use super::derived::{self, DerivedToken};
use super::kept::KeptName;
use super::map::{self, Area};
use super::targets::Target;
use super::timestamp::{self, Stamp};
use super::token::{self, Token};
use super::username::{self, UserToken};
use super::{Order, Work, layout, order_of};
use crate::context::Warning;
use crate::env::Transport;
use crate::error::{Hint, Reject};
use crate::part::{Need, Part};
use crate::plan::{Breach, InPlan, ProtectionOrder, Surplus};
use crate::reason::Reason;
use crate::untrusted::of_soap;

/// Most tokens in one header.
const MAX_TOKENS: usize = 8;
/// Most Security headers for others: each is compared with all before it.
const MAX_OTHERS: usize = 16;
/// Most SignatureConfirmations, and most ReferenceLists that stand alone.
const MAX_LISTED: usize = 64;

/// A message whose header has been read.
pub(super) struct Shaped<'e> {
    pub(super) work: Work<'e>,
    pub(super) header: Header,
}

/// Our Security header, as read.
#[derive(Default)]
pub(super) struct Header {
    /// The element; `None` where there is none and the plan asks for nothing.
    pub(super) security: Option<NodeId>,
    /// Its children in order.
    pub(super) children: Vec<Child>,
    pub(super) timestamp: Option<Stamp>,
    pub(super) tokens: Vec<Token>,
    pub(super) username: Option<UserToken>,
    pub(super) confirmations: Vec<Confirmation>,
    pub(super) signatures: Vec<Signature>,
    pub(super) keys: Vec<EncryptedKey>,
    pub(super) derived: Vec<DerivedToken>,
    /// The secret of a request before, if one is named.
    pub(super) kept: KeptName,
    pub(super) lists: Vec<(NodeId, ReferenceList)>,
    /// What is encrypted, in the order of the lists.
    pub(super) targets: Vec<Target>,
    /// The signatures came out of ciphertext.
    pub(super) revealed: bool,
    /// From which signature on they endorse; `None` where the plan speaks of no such ones.
    pub(super) endorsers_from: Option<usize>,
}

/// One child of the header.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Child {
    pub(super) node: NodeId,
    pub(super) kind: ChildKind,
}

/// What may stand in the header.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ChildKind {
    Timestamp,
    Token,
    Username,
    Confirmation,
    Signature,
    EncryptedKey,
    DerivedKey,
    ReferenceList,
    EncryptedData,
}

impl Header {
    /// Reads the header under the plan that is being worked with.
    pub(super) fn read(work: &mut Work<'_>) -> Result<Header, Reject> {
        check_transport(work)?;
        let version = work.envelope.version();
        // Whether we understand an encrypted header is known when it is decrypted.
        let understood = |block: Element<'_>| block.is(wsse11::ENCRYPTED_HEADER) || work.understands(block);
        header::check_understood(&work.envelope, understood).map_err(of_soap)?;
        let security = own_security(work, version)?;
        let mut header = Header { security, ..Header::default() };
        if let Some(node) = security {
            header.fill(work, node)?;
            header.check_before_look(work)?;
            header.take_derived(work)?;
            header.primary_first(work);
        } else if work.plan.wants_header() {
            return Err(Reject::new(Reason::HeaderMissing));
        }
        check_ids(work, &header)?;
        header.check_surplus(work)?;
        header.find_targets(work)?;
        header.check_token_there(work)?;
        header.check_encrypted_headers(work)?;
        Ok(header)
    }

    /// An encrypted header that must be understood and is not going to be decrypted is not understood.
    fn check_encrypted_headers(&self, work: &Work<'_>) -> Result<(), Reject> {
        let version = work.envelope.version();
        for block in work.envelope.blocks_named(wsse11::ENCRYPTED_HEADER) {
            let must = header::must_understand(block, version).map_err(of_soap)?
                && header::addressee(block, version).is_us();
            if must && self.targets.iter().all(|t| t.parent != block.id()) {
                return Err(Reject::at(Reason::MessageNotUnderstood, block));
            }
        }
        Ok(())
    }

    /// A demanded UsernameToken is there, or may be in something that is encrypted.
    fn check_token_there(&self, work: &Work<'_>) -> Result<(), Reject> {
        let must = work.plan.username.as_ref().is_some_and(|rule| rule.need == Need::Must);
        let hidden = || {
            self.targets.iter().any(|t| Some(t.parent) == self.security) && work.plan.takes_encrypted_token()
        };
        if must && self.username.is_none() && !hidden() {
            return Err(Reject::new(Reason::UsernameMissing));
        }
        Ok(())
    }

    fn take_token(&mut self, element: Element<'_>) -> Result<(), Reject> {
        if self.tokens.len() == MAX_TOKENS {
            return Err(Reject::at(Reason::MessageLimit, element));
        }
        self.tokens.push(token::read(element)?);
        Ok(())
    }

    /// Takes a UsernameToken that stands in the header, as `place`, or came out of it.
    fn take_username(&mut self, plan: &InPlan, element: Element<'_>, place: NodeId) -> Result<(), Reject> {
        let Some(rule) = plan.username.as_ref().filter(|_| self.username.is_none()) else {
            return Err(Reject::at(Reason::UsernameUnexpected, element));
        };
        let in_clear = place == element.id();
        if in_clear && plan.wants_encrypted_token() {
            let hint = Hint::Part(Part::UsernameToken);
            return Err(Reject::at(Reason::CoverageElementNotEncrypted, element).hinting(hint));
        }
        if !in_clear && !plan.takes_encrypted_token() {
            return Err(Reject::at(Reason::EncryptionUnexpected, element));
        }
        let token = username::read(element, place, rule.lenient)?;
        token.check(rule, element)?;
        self.username = Some(token);
        Ok(())
    }

    /// In which order digests and decryption come under `plan`.
    pub(super) fn order(&self, plan: ProtectionOrder) -> Order {
        let signature = self.children.iter().position(|c| c.kind == ChildKind::Signature);
        let lists = self.children.iter().position(|c| self.carries_list(*c));
        let signature_first = match (signature, lists) {
            (Some(s), Some(l)) => s < l,
            (Some(_), None) => true,
            _ => false,
        };
        order_of(plan, signature_first)
    }

    /// Refuses protection that nobody asked for, before it costs anything.
    pub(super) fn check_surplus(&self, work: &Work<'_>) -> Result<(), Reject> {
        let plan = work.plan;
        if plan.surplus == Surplus::Allow {
            return Ok(());
        }
        if let Some(extra) = self.signatures.get(plan.signatures()) {
            return Err(Reject::at_node(
                Reason::SignatureUnexpected,
                work.envelope.document(),
                Some(extra.element),
            ));
        }
        Ok(())
    }
}

impl Header {
    /// Whether a child names encrypted data.
    pub(super) fn carries_list(&self, child: Child) -> bool {
        match child.kind {
            ChildKind::ReferenceList => true,
            ChildKind::EncryptedKey => {
                self.keys.iter().any(|k| k.element == child.node && k.references.is_some())
            }
            _ => false,
        }
    }

    fn fill(&mut self, work: &mut Work<'_>, node: NodeId) -> Result<(), Reject> {
        let permit = work.plan.permit();
        let Work { envelope, budget, plan, context, .. } = work;
        let document = envelope.document();
        let Some(security) = document.element(node) else { return Err(Reject::new(Reason::HeaderMissing)) };
        for child in elements_only(security)? {
            let kind = classify(child)?;
            // Rampart/C writes one where it encrypts nothing. It is about nothing, and the schema has none.
            if kind == ChildKind::ReferenceList && plan.header.breach == Breach::Warn && is_empty(child) {
                context.warn(Warning::ListEmpty);
                continue;
            }
            unasked(plan, kind, child)?;
            self.children.push(Child { node: child.id(), kind });
            match kind {
                ChildKind::Timestamp => {
                    if self.timestamp.replace(timestamp::read(child)?).is_some() {
                        return Err(Reject::at(Reason::HeaderDuplicateChild, child));
                    }
                }
                ChildKind::Token => self.take_token(child)?,
                ChildKind::Username => self.take_username(plan, child, child.id())?,
                ChildKind::Confirmation => {
                    few(self.confirmations.len(), child)?;
                    self.confirmations.push(confirmation::read(child)?);
                }
                ChildKind::Signature => {
                    let signature = Signature::read(child, &permit, budget);
                    self.signatures.push(
                        signature.map_err(|e| map::xmlsec(e, Area::Signature, document).placed(child))?,
                    );
                }
                ChildKind::EncryptedKey => {
                    let key = EncryptedKey::read(child, &permit, budget);
                    self.keys
                        .push(key.map_err(|e| map::xmlsec(e, Area::Encryption, document).placed(child))?);
                }
                // Read when every EncryptedKey is known, which may stand behind it.
                ChildKind::DerivedKey => {}
                ChildKind::ReferenceList => {
                    few(self.lists.len(), child)?;
                    let list = ReferenceList::read(child)
                        .map_err(|e| map::xmlsec(e, Area::Encryption, document).placed(child))?;
                    self.lists.push((child.id(), list));
                }
                // Read when it is opened: its place is judged first.
                ChildKind::EncryptedData => {}
            }
        }
        Ok(())
    }

    /// Reads the DerivedKeyTokens.
    fn take_derived(&mut self, work: &Work<'_>) -> Result<(), Reject> {
        let document = work.envelope.document();
        let places: Vec<NodeId> =
            self.children.iter().filter(|c| c.kind == ChildKind::DerivedKey).map(|c| c.node).collect();
        // The token that one is about may be encrypted: then it is read when that was decrypted.
        let later = self.username.is_none() && work.plan.endorses_by_derived_key();
        let later = later && work.plan.takes_encrypted_token();
        for element in places.into_iter().filter_map(|node| document.element(node)) {
            if self.derived.iter().any(|known| known.node == element.id()) {
                continue;
            }
            match derived::read(element, self, work) {
                Ok(token) => self.derived.push(token),
                Err(reject) if later && reject.reason() == Reason::TokenReferenceUnresolved => {}
                Err(reject) => return Err(reject),
            }
        }
        Ok(())
    }

    /// Reads what the decrypted pieces of the header brought: signatures, a UsernameToken, an endorser's certificate, and the confirmations that have to be encrypted
    /// where signatures are (SMS 1.1 §8.5), nothing else.
    pub(super) fn take_revealed(&mut self, work: &mut Work<'_>) -> Result<(), Reject> {
        // Which alternative this signature is for is seen now only: `conform` compares its algorithms with that one's.
        let mut permit = work.plan.permit();
        for (_, plan) in &work.candidates {
            permit.algorithms = permit.algorithms.union(plan.algorithms);
        }
        let Work { envelope, budget, facts, plan, .. } = work;
        let document = envelope.document();
        for (piece, node) in facts.decrypted.iter().flat_map(|d| d.restored.iter().map(move |n| (d, *n))) {
            let Some(element) = document.element(node) else { continue };
            if !element.is(ds::SIGNATURE) {
                self.take_other(plan, element, piece.data)?;
                continue;
            }
            let signature = Signature::read(element, &permit, budget);
            self.signatures
                .push(signature.map_err(|e| map::xmlsec(e, Area::Signature, document).placed(element))?);
            self.revealed = true;
        }
        self.take_derived(work)?;
        self.primary_first(work);
        Ok(())
    }

    /// Reads what came out of ciphertext in the header behind a signature in the clear: confirmations and a UsernameToken, nothing else.
    pub(super) fn take_late(&mut self, work: &Work<'_>) -> Result<(), Reject> {
        let document = work.envelope.document();
        let security = self.security;
        let here = work.facts.decrypted.iter().filter(|d| Some(d.parent) == security);
        for (piece, node) in here.flat_map(|d| d.restored.iter().map(move |n| (d, *n))) {
            let Some(element) = document.element(node) else { continue };
            let known = self.confirmations.iter().any(|c| c.node == node)
                || self.signatures.iter().any(|s| s.element == node)
                || self.tokens.iter().any(|t| t.node == node)
                || self.username.as_ref().is_some_and(|t| t.node == node);
            if !known {
                self.take_other(work.plan, element, piece.data)?;
            }
        }
        Ok(())
    }

    /// What may come out of ciphertext in the header besides signatures.
    fn take_other(&mut self, plan: &InPlan, element: Element<'_>, data: NodeId) -> Result<(), Reject> {
        if element.is(wsse::USERNAME_TOKEN) {
            return self.take_username(plan, element, data);
        }
        if element.is(wsse::BINARY_SECURITY_TOKEN) && plan.hides_endorser() {
            return self.take_token(element);
        }
        if !element.is(wsse11::SIGNATURE_CONFIRMATION) {
            return Err(Reject::at(Reason::EncryptionUnexpected, element));
        }
        few(self.confirmations.len(), element)?;
        self.confirmations.push(confirmation::read(element)?);
        Ok(())
    }
}

/// What the plan demands of the transport, which no message can make up for.
fn check_transport(work: &Work<'_>) -> Result<(), Reject> {
    let Some(rule) = work.plan.transport else { return Ok(()) };
    match work.env.transport {
        Transport::Tls { client } if client.is_some() || !rule.client_certificate => Ok(()),
        Transport::Tls { .. } => Err(Reject::new(Reason::TransportNoCertificate)),
        _ => Err(Reject::new(Reason::TransportPlain)),
    }
}

/// Refuses protection that the plan has no use for before any of it is read.
fn unasked(plan: &InPlan, kind: ChildKind, child: Element<'_>) -> Result<(), Reject> {
    let reason = match kind {
        _ if plan.surplus == Surplus::Allow => return Ok(()),
        ChildKind::Signature if plan.signatures() == 0 => Reason::SignatureUnexpected,
        // What a secret stands in, that signs.
        ChildKind::EncryptedKey if plan.secret.is_some() => return Ok(()),
        ChildKind::EncryptedKey | ChildKind::ReferenceList | ChildKind::EncryptedData
            if !plan.wants_encryption() && !plan.takes_encrypted_token() && !plan.hides_endorser() =>
        {
            Reason::EncryptionUnexpected
        }
        _ => return Ok(()),
    };
    Err(Reject::at(reason, child))
}

/// Whether an element has neither content nor attributes.
fn is_empty(element: Element<'_>) -> bool {
    element.children().next().is_none() && element.attrs().next().is_none()
}

/// Refuses one more than [`MAX_LISTED`].
fn few(known: usize, child: Element<'_>) -> Result<(), Reject> {
    if known < MAX_LISTED { Ok(()) } else { Err(Reject::at(Reason::MessageLimit, child)) }
}

/// The one Security header for us; at most one for every role.
fn own_security(work: &Work<'_>, version: Version) -> Result<Option<NodeId>, Reject> {
    let mut own = None;
    let mut others: Vec<&str> = Vec::new();
    for block in work.envelope.blocks_named(wsse::SECURITY) {
        if others.len() == MAX_OTHERS {
            return Err(Reject::at(Reason::MessageLimit, block));
        }
        attributes(block, version)?;
        let first = match header::addressee(block, version) {
            Addressee::Ultimate | Addressee::Next => own.replace(block.id()).is_none(),
            Addressee::Nobody => {
                others.push("");
                others.iter().filter(|o| o.is_empty()).count() == 1
            }
            Addressee::Other(role) => {
                let first = !others.contains(&role);
                others.push(role);
                first
            }
        };
        if !first {
            return Err(Reject::at(Reason::HeaderDuplicate, block));
        }
    }
    Ok(own)
}

/// A Security header carries the attributes that its version gives a header block, an Id, and no look-alike of them.
fn attributes(block: Element<'_>, version: Version) -> Result<(), Reject> {
    for a in block.attrs() {
        let own = a.name() == version.must_understand() || a.name() == version.role() || a.name() == wsu::ID;
        let relay = version == Version::Soap12
            && a.namespace() == Some(ns::SOAP12.uri())
            && matches!(a.local_name(), "relay" | "encodingStyle");
        if !own && !relay {
            return Err(
                Reject::at(Reason::HeaderAttribute, block).hinting(Hint::Element(a.local_name().into()))
            );
        }
    }
    Ok(())
}

/// The child elements, with nothing but white space and comments between them.
pub(super) fn elements_only(security: Element<'_>) -> Result<Elements<'_>, Reject> {
    for node in security.children() {
        match node.kind() {
            NodeKind::Element | NodeKind::Comment => {}
            NodeKind::Pi => return Err(Reject::at(Reason::HeaderMalformedChild, security)),
            NodeKind::Text | NodeKind::CData => {
                if node.text().is_some_and(|t| !t.trim_matches([' ', '\t', '\r', '\n']).is_empty()) {
                    return Err(Reject::at(Reason::HeaderMalformedChild, security));
                }
            }
        }
    }
    Ok(security.elements())
}

fn classify(child: Element<'_>) -> Result<ChildKind, Reject> {
    const KNOWN: [(bartizan_xml::Name, ChildKind); 10] = [
        (wsu::TIMESTAMP, ChildKind::Timestamp),
        (wsse::BINARY_SECURITY_TOKEN, ChildKind::Token),
        (wsse::USERNAME_TOKEN, ChildKind::Username),
        (wsse11::SIGNATURE_CONFIRMATION, ChildKind::Confirmation),
        (ds::SIGNATURE, ChildKind::Signature),
        (xenc::ENCRYPTED_KEY, ChildKind::EncryptedKey),
        (wsc05::DERIVED_KEY_TOKEN, ChildKind::DerivedKey),
        (wsc13::DERIVED_KEY_TOKEN, ChildKind::DerivedKey),
        (xenc::REFERENCE_LIST, ChildKind::ReferenceList),
        (xenc::ENCRYPTED_DATA, ChildKind::EncryptedData),
    ];
    if let Some((_, kind)) = KNOWN.iter().find(|(name, _)| child.is(*name)) {
        return Ok(*kind);
    }
    let tokens = [
        saml1::ASSERTION,
        saml2::ASSERTION,
        saml2::ENCRYPTED_ASSERTION,
        wsc05::SECURITY_CONTEXT_TOKEN,
        wsc13::SECURITY_CONTEXT_TOKEN,
    ];
    let reason = if tokens.iter().any(|t| child.is(*t)) {
        Reason::TokenUnsupported
    } else {
        Reason::HeaderUnknownChild
    };
    Err(Reject::at(reason, child).hinting(Hint::Element(child.local_name().into())))
}

/// Every Id once, and no look-alike of one that anything in the header names.
pub(super) fn check_ids(work: &Work<'_>, header: &Header) -> Result<(), Reject> {
    let mut named: Vec<&str> = Vec::new();
    for reference in header.signatures.iter().flat_map(|s| &s.references) {
        if let bartizan_xmlsec::RefUri::Id(id) = &reference.uri {
            named.push(id);
        }
    }
    let lists =
        header.keys.iter().filter_map(|k| k.references.as_ref()).chain(header.lists.iter().map(|(_, l)| l));
    named.extend(lists.flat_map(|l| l.data.iter().chain(&l.keys)).map(AsRef::as_ref));
    let document = work.envelope.document();
    if let Some(security) = header.security.and_then(|n| document.element(n)) {
        let references = security.descendants().filter(|e| e.is(wsse::REFERENCE));
        named.extend(references.filter_map(|e| e.attr(bartizan_xml::names::attr::URI)?.strip_prefix('#')));
    }
    document.check_ids(&named).map_err(|e| map::xml(e, Reason::MessageDuplicateId))
}

impl Work<'_> {
    /// Whether we understand a header block: ours, addressing, or one that the plan names.
    pub(super) fn understands(&self, block: Element<'_>) -> bool {
        let (space, local) = (block.namespace().unwrap_or_default(), block.local_name());
        let named = self.plan.understood.iter().any(|(n, l)| n == space && l == local);
        named || block.is(wsse::SECURITY) || addressing::is_addressing(block)
    }

    /// The layout, where the plan demands one.
    pub(super) fn check_layout(&mut self, header: &Header) -> Result<(), Reject> {
        layout::check(self, header)
    }
}
