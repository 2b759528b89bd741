//! What is encrypted, where it may stand, with which key, and the decryption itself.
//!
//! Everything that can be refused by looking is refused before a private key is used: lists that name nothing or something twice, ciphertext at a
//! place that the plan has none for, keys that nothing uses. After that there is one failure: a piece that cannot be opened, or whose plaintext
//! does not parse, leaves its ciphertext in place and the message fails when all digests were computed.

use bartizan_crypto::alg::CipherAlg;
use bartizan_keys::Identity;
use bartizan_soap::header;
use bartizan_xml::names::{wsse, wsse11, xenc};
use bartizan_xml::{Document, Element, Graft, NodeId, NodeKind, Quantity};
use bartizan_xmlsec::encryption::{DataKind, KeyMethod};
use bartizan_xmlsec::{ContentKey, DecryptKey, EncryptedData, EncryptedKey, KeyInfo, RefUri};

use super::Work;
use super::facts::{DecryptedFact, is_in};
use super::map::{self, Area};
use super::reference::{self, Named};
use super::shape::{self, Header, Shaped};
use super::signature::{self, Digested, SignatureChecked};
use crate::context::Warning;
use crate::error::Reject;
use crate::part::{Need, Part};
use crate::plan::{Breach, InPlan, Surplus};
use crate::reason::Reason;

/// A piece of ciphertext that a list names.
pub(super) struct Target {
    pub(super) data: EncryptedData,
    /// Its parent.
    pub(super) parent: NodeId,
    place: Place,
    key: KeySource,
    opened: bool,
}

/// Where ciphertext stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    /// Child of the Body.
    Body,
    /// Child of our Security header.
    Security,
    /// A header block, or the content of an EncryptedHeader.
    Header,
    /// Anywhere else.
    Deep,
}

/// Which EncryptedKey opens it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum KeySource {
    /// The n-th EncryptedKey of the header.
    Header(usize),
    /// The one inside its own KeyInfo.
    Embedded,
}

/// Plaintexts are in place; whether every one opened is told by the digests' verdict.
pub(super) struct Opened<'e> {
    work: Work<'e>,
    header: Header,
    failed: bool,
    brought: Result<(), Reject>,
}

/// The digests over the ciphertext fit; nothing was decrypted yet.
pub(super) struct CiphertextDigested<'e> {
    pub(super) work: Work<'e>,
    pub(super) header: Header,
}

impl Header {
    /// Resolves every DataReference, and judges each place and key, before any private-key operation.
    pub(super) fn find_targets(&mut self, work: &mut Work<'_>) -> Result<(), Reject> {
        let permit = work.plan.permit();
        let Work { envelope, budget, plan, .. } = work;
        let document = envelope.document();
        let of_keys = self
            .keys
            .iter()
            .enumerate()
            .filter_map(|(i, k)| Some((Some(i), k.element, k.references.as_ref()?)));
        let alone = self.lists.iter().map(|(node, list)| (None, *node, list));
        let mut used = vec![false; self.keys.len()];
        let mut targets: Vec<Target> = Vec::new();
        for (owner, node, list) in of_keys.chain(alone) {
            let at = |reason| Reject::at_node(reason, document, Some(node));
            if !list.keys.is_empty() {
                return Err(at(Reason::EncryptionReference));
            }
            for id in &list.data {
                let found = document.by_id(id).map_err(|e| map::xml(e, Reason::EncryptionReference))?;
                let element = found
                    .filter(|e| e.is(xenc::ENCRYPTED_DATA))
                    .ok_or_else(|| at(Reason::EncryptionReference))?;
                if targets.iter().any(|t| t.data.element == element.id() || nested(document, t, element)) {
                    return Err(at(Reason::EncryptionReference));
                }
                let place = self.place(element, envelope.body_id(), envelope.header_id());
                judge(plan, place, element)?;
                let data = EncryptedData::read(element, &permit, budget);
                let data = data.map_err(|e| map::xmlsec(e, Area::Encryption, document).placed(element))?;
                check_kind(&data, place, element)?;
                let key = self.key_source(&data, owner, document)?;
                if let KeySource::Header(index) = key {
                    used.iter_mut().skip(index).take(1).for_each(|u| *u = true);
                }
                let Some(parent) = element.parent() else { return Err(at(Reason::EncryptionReference)) };
                targets.push(Target { data, parent: parent.id(), place, key, opened: false });
            }
        }
        if let Some((key, _)) = self.keys.iter().zip(&used).find(|(_, used)| !**used) {
            return Err(Reject::at_node(Reason::EncryptionUnusedKey, document, Some(key.element)));
        }
        self.check_listed(&targets, document)?;
        self.targets = targets;
        Ok(())
    }

    /// Ciphertext in the header that no list names is a decoy.
    fn check_listed(&self, targets: &[Target], document: &Document) -> Result<(), Reject> {
        let mut loose = self.children.iter().filter(|c| c.kind == shape::ChildKind::EncryptedData);
        match loose.find(|c| targets.iter().all(|t| t.data.element != c.node)) {
            Some(child) => Err(Reject::at_node(Reason::EncryptionReference, document, Some(child.node))),
            None => Ok(()),
        }
    }

    fn place(&self, element: Element<'_>, body: NodeId, header: Option<NodeId>) -> Place {
        let Some(parent) = element.parent() else { return Place::Deep };
        let above = parent.parent().map(|p| p.id());
        match parent.id() {
            id if id == body => Place::Body,
            id if Some(id) == self.security => Place::Security,
            id if Some(id) == header => Place::Header,
            _ if parent.is(wsse11::ENCRYPTED_HEADER) && above == header => Place::Header,
            _ => Place::Deep,
        }
    }

    /// Which key opens `data`: the one whose list names it, unless its own KeyInfo says otherwise, which is refused.
    fn key_source(
        &self,
        data: &EncryptedData,
        owner: Option<usize>,
        document: &Document,
    ) -> Result<KeySource, Reject> {
        let refuse = || Reject::at_node(Reason::EncryptionReference, document, Some(data.element));
        let stated = match &data.key_info {
            None => None,
            // The key alone: of two in one place, one would be there for nothing, and nobody could say which.
            Some(info) if info.encrypted_key().is_some() && info.items.len() == 1 => {
                Some(KeySource::Embedded)
            }
            Some(info) => match reference::read(info, document, &self.tokens)? {
                Named::EncryptedKey(id) => {
                    let index =
                        self.keys.iter().position(|k| k.id.as_deref() == Some(&*id)).ok_or_else(refuse)?;
                    Some(KeySource::Header(index))
                }
                _ => return Err(Reject::at_node(Reason::EncryptionNoKey, document, Some(data.element))),
            },
        };
        match (owner.map(KeySource::Header), stated) {
            (Some(a), Some(b)) if a != b => Err(refuse()),
            (Some(a), _) => Ok(a),
            (None, Some(b)) => Ok(b),
            (None, None) => Err(refuse()),
        }
    }
}

fn nested(document: &Document, target: &Target, element: Element<'_>) -> bool {
    is_in(document, element, target.data.element)
        || document.element(target.data.element).is_some_and(|e| element.is_ancestor_of(e))
}

/// Whether the plan has encrypted data at this place.
fn judge(plan: &InPlan, place: Place, element: Element<'_>) -> Result<(), Reject> {
    if plan.surplus == Surplus::Allow {
        return Ok(());
    }
    let wants = |wanted: &dyn Fn(&Part) -> bool| {
        plan.required.iter().any(|r| r.encrypted != Need::No && wanted(&r.part))
    };
    let deep = wants(&|p| matches!(p, Part::Element { .. }));
    let fits = match place {
        Place::Body => wants(&|p| *p == Part::Body) || deep,
        Place::Security => wants(&|p| matches!(p, Part::Signature | Part::SignatureConfirmation)),
        Place::Header => wants(&|p| matches!(p, Part::Header { .. })),
        Place::Deep => deep,
    };
    if fits { Ok(()) } else { Err(Reject::at(Reason::EncryptionUnexpected, element)) }
}

/// Content stands for content and an element for an element; nothing else is an XML plaintext.
fn check_kind(data: &EncryptedData, place: Place, element: Element<'_>) -> Result<(), Reject> {
    let plain = data.mime_type.is_none() && data.encoding.is_none();
    let fits = match (&data.kind, place) {
        (DataKind::Element, _) => true,
        (DataKind::Content, Place::Body | Place::Deep) => true,
        (DataKind::Content, Place::Header | Place::Security) | (DataKind::Octets | DataKind::Other(_), _) => {
            false
        }
    };
    if fits && plain { Ok(()) } else { Err(Reject::at(Reason::EncryptionMalformed, element)) }
}

impl<'e> Shaped<'e> {
    /// Decrypts what stands in the header, which a plan with an encrypted signature has to do before it can check anything.
    pub(super) fn reveal_signature(mut self) -> Result<Shaped<'e>, Reject> {
        // Where a signature stands in the clear and the plan hides none, what is encrypted beside it can wait until its value
        // was checked.
        let plan = self.work.plan;
        let can_wait = plan.surplus == Surplus::Refuse
            && !plan.wants_encrypted_signature()
            && !self.header.signatures.is_empty();
        if can_wait || !self.header.targets.iter().any(|t| t.place == Place::Security) {
            return Ok(self);
        }
        let outcome = open(&mut self.work, &mut self.header, |t| t.place == Place::Security);
        let restored: Vec<NodeId> =
            self.work.facts.decrypted.iter().flat_map(|d| d.restored.iter().copied()).collect();
        let verdict = match outcome {
            Ok(false) => self.header.take_revealed(&mut self.work, &restored).map_err(Reject::masked),
            Ok(true) => Err(Reject::new(Reason::EncryptionFailed)),
            Err(reject) => Err(reject),
        };
        verdict.map_err(|r| self.work.refuse(r))?;
        shape::check_ids(&self.work, &self.header)?;
        self.header.check_surplus(&self.work)?;
        Ok(self)
    }
}

impl<'e> SignatureChecked<'e> {
    /// Decrypts under a signature over plaintext.
    pub(super) fn open(self) -> Result<Opened<'e>, Reject> {
        let SignatureChecked { mut work, mut header } = self;
        let named = check_protected(&mut work, &header, names_part);
        named.map_err(|r| work.refuse(r))?;
        let outcome = open(&mut work, &mut header, |_| true);
        let failed = outcome.map_err(|r| work.refuse(r))?;
        // What the plaintext brings is told when the digests were computed, like every failure after a decryption.
        let brought = header.take_late(&work);
        Ok(Opened { work, header, failed, brought })
    }
}

impl<'e> Opened<'e> {
    /// Digests over the restored plaintext.
    pub(super) fn digest(self) -> Result<Digested<'e>, Reject> {
        let Opened { mut work, header, failed, brought } = self;
        let verdict = signature::digest_all(&mut work, &header, failed)
            .and(brought)
            .and_then(|()| after_opening(&work, &header));
        verdict.map_err(|r| {
            let r = if work.context.decryptions > 0 { r.masked() } else { r };
            work.refuse(r)
        })?;
        Ok(Digested { work, header })
    }
}

impl<'e> CiphertextDigested<'e> {
    /// Decrypts what a signature over ciphertext covers.
    pub(super) fn open(self) -> Result<Digested<'e>, Reject> {
        let CiphertextDigested { mut work, mut header } = self;
        let covered: Vec<NodeId> = {
            let document = work.envelope.document();
            let elements = header.targets.iter().filter_map(|t| document.element(t.data.element));
            elements.filter(|e| work.facts.covering(document, *e).is_some()).map(|e| e.id()).collect()
        };
        let named = check_protected(&mut work, &header, |_, _, element| covered.contains(&element.id()));
        named.map_err(|r| work.refuse(r))?;
        let verdict = match open(&mut work, &mut header, |_| true) {
            Ok(true) => Err(Reject::new(Reason::EncryptionFailed)),
            Ok(false) => {
                header.take_late(&work).and_then(|()| after_opening(&work, &header)).map_err(Reject::masked)
            }
            Err(reject) => Err(reject),
        };
        verdict.map_err(|r| work.refuse(r))?;
        Ok(Digested { work, header })
    }
}

/// Ciphertext without integrity is opened only where a verified signature speaks for it, or under a plan that is open in so many words.
fn check_protected(
    work: &mut Work<'_>,
    header: &Header,
    covered: impl Fn(&Document, &Header, Element<'_>) -> bool,
) -> Result<(), Reject> {
    let document = work.envelope.document();
    for target in header.targets.iter().filter(|t| !t.opened && !t.data.method.is_aead()) {
        let Some(element) = document.element(target.data.element) else { continue };
        if covered(document, header, element) {
            continue;
        }
        if work.plan.lone_cipher == Breach::Refuse {
            return Err(Reject::at(Reason::EncryptionUnprotected, element));
        }
        work.context.warn(Warning::UnprotectedCipher);
    }
    Ok(())
}

/// Whether a verified SignedInfo names the part that this ciphertext belongs to, or one that only the plaintext brings.
fn names_part(document: &Document, header: &Header, element: Element<'_>) -> bool {
    header.signatures.iter().flat_map(|s| &s.references).any(|r| match &r.uri {
        RefUri::Id(id) => match document.by_id(id) {
            Ok(Some(target)) => target.id() == element.id() || target.is_ancestor_of(element),
            Ok(None) => true,
            Err(_) => false,
        },
        RefUri::Document => true,
        RefUri::Attachment(_) => false,
    })
}

/// Opens the targets that `wanted` picks. `true`: something failed, and what did not fail is in place.
fn open(work: &mut Work<'_>, header: &mut Header, wanted: impl Fn(&Target) -> bool) -> Result<bool, Reject> {
    let mut failed = false;
    let mut keys: Vec<(KeySource, ContentKey)> = std::mem::take(&mut work.facts.content_keys);
    let Header { keys: encrypted_keys, tokens, targets, .. } = header;
    for target in targets.iter_mut().filter(|t| !t.opened && wanted(t)) {
        let source = match target.key {
            KeySource::Header(index) => encrypted_keys.get(index),
            KeySource::Embedded => target.data.key_info.as_ref().and_then(KeyInfo::encrypted_key),
        };
        let Some(source) = source else { return Err(Reject::new(Reason::EncryptionReference)) };
        let known = keys.iter().position(|(k, _)| *k == target.key && target.key != KeySource::Embedded);
        let place = match known {
            Some(place) => place,
            None => {
                let key = unwrap(work, source, target.data.method, tokens)?;
                keys.push((target.key, key));
                keys.len() - 1
            }
        };
        let Some((_, key)) = keys.get(place) else { return Err(Reject::new(Reason::EncryptionNoKey)) };
        work.context.used(target.data.method);
        work.context.decryptions += 1;
        target.opened = true;
        let document = work.envelope.document();
        match target.data.open(key) {
            Ok(plaintext) => failed |= !put(work, target, plaintext),
            Err(e) if matches!(e.kind, bartizan_xmlsec::ErrorKind::DecryptionFailed) => failed = true,
            Err(e) => return Err(map::xmlsec(e, Area::Encryption, document)),
        }
    }
    work.facts.content_keys = keys;
    Ok(failed)
}

/// Puts a plaintext into the place of its ciphertext; `false` if it does not parse there.
fn put(work: &mut Work<'_>, target: &Target, plaintext: Vec<u8>) -> bool {
    let document = work.envelope.document();
    let whole_content = document.element(target.parent).is_some_and(|p| alone_in(p, target.data.element));
    let kind = if target.data.kind == DataKind::Content { Graft::Content } else { Graft::Element };
    let Work { envelope, budget, .. } = work;
    if envelope.document_mut().graft(target.data.element, plaintext, kind, budget).is_err() {
        return false;
    }
    let document = work.envelope.document();
    let newest = document.segments().saturating_sub(1);
    let restored = document.element(target.parent).into_iter().flat_map(|p| p.elements());
    let restored = restored.filter(|e| e.span().segment == newest).map(|e| e.id()).collect();
    let aead = target.data.method.is_aead();
    work.facts.decrypted.push(DecryptedFact { parent: target.parent, restored, whole_content, aead });
    true
}

/// Whether `node` is the only content of `parent`, white space and comments apart.
fn alone_in(parent: Element<'_>, node: NodeId) -> bool {
    parent.children().all(|c| match c.kind() {
        NodeKind::Element => c.id() == node,
        NodeKind::Text | NodeKind::CData => {
            c.text().is_none_or(|t| t.trim_matches([' ', '\t', '\r', '\n']).is_empty())
        }
        NodeKind::Comment | NodeKind::Pi => true,
    })
}

/// Unwraps a content key with a key of ours. A failing unwrap gives a stand-in key, so that it fails where bad ciphertext fails.
fn unwrap(
    work: &mut Work<'_>,
    key: &EncryptedKey,
    cipher: CipherAlg,
    tokens: &[super::token::Token],
) -> Result<ContentKey, Reject> {
    let document = work.envelope.document();
    let at = |reason| Reject::at_node(reason, document, Some(key.element));
    let info = match &key.key_info {
        Some(info) => info.agreement().map_or(Some(info), |a| a.recipient.as_ref()),
        None => None,
    };
    let (identity, form) = match info {
        Some(info) => {
            let named = reference::read(info, document, tokens)?;
            let identity = own_identity(work, &named, tokens).map_err(map::keys)?;
            (identity.ok_or_else(|| at(Reason::EncryptionNoKey))?, Some(named.form()))
        }
        None => (work.env.keys.identity().ok_or_else(|| at(Reason::EncryptionNoKey))?, None),
    };
    signature::check_size(identity.leaf(), work.plan.token.min_rsa)?;
    work.budget.spend(Quantity::PrivateOperations, 1).map_err(map::too_many)?;
    work.context.private_operations += 1;
    let unwrapped = key.unwrap(&DecryptKey::Private(identity.key()), cipher);
    let unwrapped = unwrapped.map_err(|e| map::xmlsec(e, Area::Encryption, document))?;
    match &key.method {
        KeyMethod::Transport(method, oaep) => {
            work.context.used(*method);
            if *method == bartizan_crypto::alg::TransportAlg::RsaOaep {
                work.context.used(oaep.digest);
                work.context.used(oaep.mgf);
            }
        }
        // Not in the permit of messages; here so that it would be in the evidence if it ever were.
        KeyMethod::Block(method) => work.context.used(*method),
        KeyMethod::Wrap(method) => {
            work.context.used(*method);
            if let Some(agreement) = key.key_info.as_ref().and_then(KeyInfo::agreement) {
                work.context.used(agreement.algorithm);
                work.context.used(agreement.derivation.algorithm());
            }
        }
    }
    let certificate = identity.leaf().clone();
    work.note_own_token(&certificate, form);
    Ok(unwrapped)
}

/// The identity of ours that a reference means.
fn own_identity<'k>(
    work: &Work<'k>,
    named: &Named,
    tokens: &[super::token::Token],
) -> Result<Option<&'k Identity>, bartizan_keys::Error> {
    let keys = work.env.keys;
    let der = |octets: &[u8]| keys.own_key(&bartizan_keys::TokenRef::Der(octets));
    match named {
        Named::Token(index) => tokens.get(*index).map_or(Ok(None), |t| der(&t.der)),
        Named::Embedded(token) => der(&token.der),
        Named::Value(key) => Ok(keys.identities().iter().find(|i| i.leaf().spki() == key.spki())),
        Named::EncryptedKey(_) => Ok(None),
        other => other.token_ref().map_or(Ok(None), |r| keys.own_key(&r)),
    }
}

/// What must still be true when plaintexts are in place.
fn after_opening(work: &Work<'_>, own: &Header) -> Result<(), Reject> {
    if work.facts.decrypted.is_empty() {
        return Ok(());
    }
    let document = work.envelope.document();
    work.envelope.check_shape().map_err(crate::untrusted::of_soap)?;
    shape::check_ids(work, own)?;
    for node in work.facts.decrypted.iter().flat_map(|d| &d.restored) {
        let Some(element) = document.element(*node) else { continue };
        if element.is(xenc::ENCRYPTED_DATA) {
            return Err(Reject::at(Reason::EncryptionTooMany, element));
        }
        if element.is(wsse::SECURITY) || element.is(wsse11::ENCRYPTED_HEADER) {
            return Err(Reject::at(Reason::EncryptionUnexpected, element));
        }
        let in_header = element
            .parent()
            .is_some_and(|p| Some(p.id()) == work.envelope.header_id() || p.is(wsse11::ENCRYPTED_HEADER));
        // As for any header block (SOAP 1.2 part 1 §5.2.1); the shape of the envelope was only checked one level up.
        if in_header && element.namespace().is_none() {
            return Err(Reject::at(Reason::EncryptionUnexpected, element));
        }
        let version = work.envelope.version();
        let must =
            in_header && header::must_understand(element, version).map_err(crate::untrusted::of_soap)?;
        if must && header::addressee(element, version).is_us() && !work.understands(element) {
            return Err(Reject::at(Reason::MessageNotUnderstood, element));
        }
    }
    Ok(())
}

impl std::fmt::Debug for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Target({:?}, {:?})", self.place, self.key)
    }
}
