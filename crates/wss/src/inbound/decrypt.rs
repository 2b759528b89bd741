//! The decryption of what `targets` found.
//!
//! Everything that can be refused by looking was refused there, before a private key is used. After that there is one failure: a piece that cannot be opened, or whose plaintext
//! does not parse, leaves its ciphertext in place and the message fails when all digests were computed.

use bartizan_crypto::SymmetricKey;
use bartizan_crypto::alg::CipherAlg;
use bartizan_keys::Identity;
use bartizan_soap::header;
use bartizan_xml::names::{wsse, wsse11, xenc};
use bartizan_xml::{Document, Element, Graft, NodeId, NodeKind, Quantity};
use bartizan_xmlsec::encryption::{DataKind, KeyMethod};
use bartizan_xmlsec::{ContentKey, DecryptKey, EncryptedKey, KeyInfo, RefUri, SharedSecret};

use super::Work;
use super::derived::{self, Sources};
use super::endorse;
use super::facts::DecryptedFact;
use super::map::{self, Area};
use super::reference::{self, Named};
use super::shape::{self, Header, Shaped};
use super::signature::{self, Digested, SignatureChecked};
use super::targets::{KeySource, Place, Target};
use super::user;
use super::username::KeyUse;
use crate::context::{Use, Warning};
use crate::error::Reject;
use crate::plan::{Breach, SignedBy, Surplus};
use crate::reason::Reason;

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

impl<'e> Shaped<'e> {
    /// Decrypts what stands in the header, which a plan with an encrypted signature has to do before it can check anything, and one whose
    /// signature is made with a key of an encrypted UsernameToken: the Id that the signature names exists only then.
    pub(super) fn reveal(mut self) -> Result<Shaped<'e>, Reject> {
        // Where a signature stands in the clear and the plan hides none, what is encrypted beside it can wait until its value
        // was checked. Where none is wanted, there is nothing that it would have to wait for.
        let plan = self.work.plan;
        let by_user = plan.signed_by == SignedBy::UsernameToken || endorse::by_user(plan);
        let hidden_key = by_user && self.header.username.is_none();
        let key_is_sealed = (hidden_key && plan.takes_encrypted_token()) || plan.hides_endorser();
        let signature_is_sealed = self.header.signatures.is_empty() && plan.wants_signature();
        let unwraps_early = hidden_key || plan.hides_endorser() || plan.secret.is_some();
        let can_wait = plan.surplus == Surplus::Refuse
            && !plan.wants_encrypted_signature()
            && !key_is_sealed
            && !signature_is_sealed;
        if can_wait || !self.header.targets.iter().any(|t| t.place == Place::Security) {
            return Ok(self);
        }
        if unwraps_early {
            // A Timestamp in the clear that has passed can be told before anything is decrypted, and not after.
            let fresh = self.work.check_fresh(self.header.timestamp);
            fresh.map_err(|r| self.work.refuse(r))?;
        }
        let outcome = open(&mut self.work, &mut self.header, |t| t.place == Place::Security);
        let verdict = match outcome {
            Ok(false) => self.header.take_revealed(&mut self.work).map_err(Reject::masked),
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
    header.primaries().iter().flat_map(|s| &s.references).any(|r| match &r.uri {
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
    let Header { keys: encrypted_keys, tokens, targets, username, derived, kept, .. } = header;
    for target in targets.iter_mut().filter(|t| !t.opened && wanted(t)) {
        let known = keys.iter().position(|(k, _)| *k == target.key && target.key != KeySource::Embedded);
        let place = match known {
            Some(place) => place,
            None => {
                let source = match target.key {
                    KeySource::Header(index) => encrypted_keys.get(index),
                    KeySource::Embedded => target.data.key_info.as_ref().and_then(KeyInfo::encrypted_key),
                    KeySource::User | KeySource::Secret(_) => None,
                };
                let key = match (source, &*username) {
                    (None, _) if let KeySource::Secret(named) = target.key => {
                        let user = username.as_ref();
                        let sources = Sources { keys: encrypted_keys, tokens, derived, user, kept };
                        derived::content_key(work, sources, named, target.data.method)?
                    }
                    (Some(source), _) => unwrap(work, source, target.data.method, tokens)?,
                    (None, Some(token)) if target.key == KeySource::User => {
                        user_key(work, token, target.data.method)?
                    }
                    _ => return Err(Reject::new(Reason::EncryptionReference)),
                };
                keys.push((target.key, key));
                keys.len() - 1
            }
        };
        let Some((_, key)) = keys.get(place) else { return Err(Reject::new(Reason::EncryptionNoKey)) };
        work.context.used(target.data.method);
        work.context.decryptions += 1;
        work.toll.open();
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
    let restored = document.topmost(newest).map(|e| e.id()).collect();
    let aead = target.data.method.is_aead();
    let (data, parent) = (target.data.element, target.parent);
    work.facts.decrypt(DecryptedFact { data, parent, restored, whole_content, aead });
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

/// The content key that is derived from the password: the first octets of it.
fn user_key(
    work: &mut Work<'_>,
    token: &super::username::UserToken,
    cipher: CipherAlg,
) -> Result<ContentKey, Reject> {
    let key = user::derived_key(work, token, KeyUse::Encryption)?;
    user::note(work, token, Some(Use::Encryption));
    let octets = key.key.expose(|octets| octets.get(..cipher.key_len()).map(<[u8]>::to_vec));
    let key = SymmetricKey::new(octets.unwrap_or_default());
    ContentKey::new(key, cipher).map_err(|_| Reject::new(Reason::UsernameDerivedKey))
}

/// Unwraps a content key with a key of ours. A failing unwrap gives a stand-in key, so that it fails where bad ciphertext fails.
fn unwrap(
    work: &mut Work<'_>,
    key: &EncryptedKey,
    cipher: CipherAlg,
    tokens: &[super::token::Token],
) -> Result<ContentKey, Reject> {
    unwrap_with(work, key, tokens, |own| key.unwrap(own, cipher))
}

/// Unwraps a secret of `length` octets. A failing unwrap gives a stand-in, as above.
pub(super) fn unwrap_shared(
    work: &mut Work<'_>,
    key: &EncryptedKey,
    length: usize,
    tokens: &[super::token::Token],
) -> Result<SharedSecret, Reject> {
    unwrap_with(work, key, tokens, |own| key.unwrap_shared(own, length))
}

fn unwrap_with<K>(
    work: &mut Work<'_>,
    key: &EncryptedKey,
    tokens: &[super::token::Token],
    unwrap: impl FnOnce(&DecryptKey<'_>) -> Result<K, bartizan_xmlsec::Error>,
) -> Result<K, Reject> {
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
    work.toll.open();
    let unwrapped = unwrap(&DecryptKey::Private(identity.key()));
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
        Named::EncryptedKey(_)
        | Named::EncryptedKeySha1(_)
        | Named::Derived(_)
        | Named::User(_)
        | Named::SentUser(_) => Ok(None),
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
    // A plaintext may bring text beside its element, which the header may hold no more than before.
    if let Some(security) = own.security.and_then(|node| document.element(node)) {
        shape::elements_only(security)?;
    }
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
