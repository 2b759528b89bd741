//! Secrets that both sides share, and the keys derived from them: DerivedKeyTokens as read (WS-SecureConversation 1.3 §8), which secret a
//! reference means, and the secret itself.
//!
//! A DerivedKeyToken names an EncryptedKey of our own header, its UsernameToken or, by EncryptedKeySHA1 or the Id of the token, the secret of the
//! request that is answered, or of a request before (`kept`); never another DerivedKeyToken, so that there are no chains and no loops. Whatever can
//! be refused by looking is refused before a private key is used. An
//! EncryptedKey that cannot be unwrapped gives a stand-in: the signature fails as it would under another key. Not here: the signature and the
//! ciphertext (`signature`, `decrypt`).

use std::sync::Arc;

use bartizan_crypto::alg::CipherAlg;
use bartizan_crypto::{base64, derive, equal};
use bartizan_keys::Time;
use bartizan_xml::names::{attr, uri, wsc05, wsc13, wsse, wsu};
use bartizan_xml::{Document, Element, Name, NodeId, NodeKind};
use bartizan_xmlsec::{ContentKey, EncryptedKey, SharedSecret, Signature};

use super::facts::{SignerFact, SignerKey};
use super::kept::KeptName;
use super::reference::{self, Named};
use super::shape::Header;
use super::token::{Token, near};
use super::username::{KeyUse, UserToken};
use super::{Work, decrypt, user};
use crate::context::Use;
use crate::env::Env;
use crate::error::{Hint, NotPartner, Reject};
use crate::kept::KeptSecrets;
use crate::plan::{InPlan, KeyRef, Presence, SecretFrom, Side};
use crate::reason::Reason;
use crate::request::SentSignatures;
use crate::secret::ExchangeSecret;

/// Most DerivedKeyTokens of one header.
const MAX_DERIVED: usize = 16;
/// Octets of a derived key. A shorter one could be found by trying, and the token is not signed as a rule.
const LENGTH: std::ops::RangeInclusive<usize> = 16..=128;
/// What Length means where it is absent (§8.1).
const DEFAULT_LENGTH: usize = 32;
/// Octets of the secrets that one known client sends whatever its suite says.
const SHORT_SECRET: usize = 16;
/// Octets of a Nonce.
const NONCE: std::ops::RangeInclusive<usize> = 8..=64;
/// Longest Label, in octets.
const MAX_LABEL: usize = 256;
/// Longest text of a Nonce, white space included.
const MAX_NONCE_TEXT: usize = 256;
/// What Label means where it is absent (§8.1): the two parties' default one after the other.
const DEFAULT_LABEL: &str = "WS-SecureConversationWS-SecureConversation";

/// A DerivedKeyToken of the header.
pub(super) struct DerivedToken {
    pub(super) node: NodeId,
    pub(super) base: Base,
    /// Label ‖ Nonce.
    seed: Vec<u8>,
    offset: usize,
    length: usize,
}

/// The secret that keys are derived from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Base {
    /// That of the n-th EncryptedKey of the header.
    Key(usize),
    /// That which the UsernameToken of the header derives from a password.
    User,
    /// That of the request.
    Request,
    /// That of a request before.
    Kept,
}

/// A shared secret as it is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SecretRef {
    /// As it is.
    Whole(Base),
    /// A key derived from it by the n-th DerivedKeyToken.
    Derived(usize),
}

/// A shared secret, or a key derived from one.
pub(super) struct SecretKey {
    pub(super) base: Arc<ExchangeSecret>,
    derived: Option<SharedSecret>,
}

impl SecretKey {
    /// What signs or encrypts.
    pub(super) fn used(&self) -> &SharedSecret {
        self.derived.as_ref().unwrap_or_else(|| self.base.secret())
    }
}

/// What of the header secrets are found in.
#[derive(Clone, Copy)]
pub(super) struct Sources<'h> {
    pub(super) keys: &'h [EncryptedKey],
    pub(super) tokens: &'h [Token],
    pub(super) derived: &'h [DerivedToken],
    pub(super) user: Option<&'h UserToken>,
    pub(super) kept: &'h KeptName,
}

/// What decides which secret a reference may mean.
#[derive(Clone, Copy)]
pub(super) struct Scope<'e> {
    pub(super) plan: &'e InPlan,
    sent: Option<&'e SentSignatures>,
    pub(super) side: Side,
    pub(super) kept: Option<&'e KeptSecrets>,
    pub(super) now: Time,
}

impl Scope<'_> {
    /// The secret of the request that is answered.
    fn sent_secret(&self) -> Option<&Arc<ExchangeSecret>> {
        self.sent.filter(|_| self.side == Side::Initiator)?.secret()
    }
}

impl<'e> Work<'e> {
    pub(super) fn scope(&self) -> Scope<'e> {
        let Env { sent, kept, now, .. } = *self.env;
        Scope { plan: self.plan, sent, side: self.side, kept, now }
    }
}

/// Reads a DerivedKeyToken that stands in the header behind `keys`.
pub(super) fn read(element: Element<'_>, header: &Header, work: &Work<'_>) -> Result<DerivedToken, Reject> {
    if work.plan.secret.is_none() && !work.plan.endorses_by_derived_key() {
        return Err(
            Reject::at(Reason::TokenUnsupported, element).hinting(Hint::Element(element.local_name().into()))
        );
    }
    if header.derived.len() == MAX_DERIVED {
        return Err(Reject::at(Reason::MessageLimit, element));
    }
    let old = element.is(wsc05::DERIVED_KEY_TOKEN);
    attributes(element, old)?;
    if !element.children().all(|n| n.kind() == NodeKind::Element || is_space(n.text())) {
        return Err(malformed(element));
    }
    let names: [Name; 6] = if old {
        use wsc05::{GENERATION, LABEL, LENGTH, NONCE, OFFSET};
        [wsse::SECURITY_TOKEN_REFERENCE, OFFSET, GENERATION, LENGTH, LABEL, NONCE]
    } else {
        use wsc13::{GENERATION, LABEL, LENGTH, NONCE, OFFSET};
        [wsse::SECURITY_TOKEN_REFERENCE, OFFSET, GENERATION, LENGTH, LABEL, NONCE]
    };
    let mut parts: [Option<Element<'_>>; 6] = [None; 6];
    for child in element.elements() {
        let place = names.iter().position(|name| child.is(*name)).and_then(|i| parts.get_mut(i));
        // Properties and what else there may be: nobody sends them.
        let place =
            place.ok_or_else(|| malformed(child).hinting(Hint::Element(child.local_name().into())))?;
        if place.replace(child).is_some() {
            return Err(malformed(child));
        }
    }
    let [reference, offset, generation, length, label, nonce] = parts;
    let named = reference::read_reference(reference.ok_or_else(|| malformed(element))?, &header.tokens)?;
    let base = header
        .base_of(work.scope(), &named)
        .ok_or_else(|| header.unresolved(work.scope(), &named).placed(element))?;
    let refuse = || Reject::at(Reason::TokenDerivedKey, element);
    let length = length.map_or(Ok(DEFAULT_LENGTH), number)?;
    let offset = match (offset, generation) {
        // Two ways to say one thing (§8.1): at most one of them.
        (Some(_), Some(_)) => return Err(malformed(element)),
        (Some(offset), None) => number(offset)?,
        (None, Some(generation)) => number(generation)?.checked_mul(length).ok_or_else(refuse)?,
        (None, None) => 0,
    };
    let end = offset.checked_add(length).filter(|end| *end <= derive::MAX_OUTPUT);
    if !LENGTH.contains(&length) || end.is_none() {
        return Err(refuse());
    }
    let mut seed = label.map_or(Ok(DEFAULT_LABEL.into()), read_label)?.into_bytes();
    seed.extend(read_nonce(nonce.ok_or_else(|| malformed(element))?)?);
    Ok(DerivedToken { node: element.id(), base, seed, offset, length })
}

fn malformed(element: Element<'_>) -> Reject {
    Reject::at(Reason::TokenMalformed, element)
}

fn is_space(text: Option<&str>) -> bool {
    text.is_none_or(|t| t.trim_matches([' ', '\t', '\r', '\n']).is_empty())
}

/// An Id and the one algorithm that there is.
fn attributes(element: Element<'_>, old: bool) -> Result<(), Reject> {
    let algorithm = if old { uri::P_SHA1_05 } else { uri::P_SHA1_13 };
    if element.attrs().any(|a| ![wsu::ID, attr::ALGORITHM].contains(&a.name())) {
        return Err(malformed(element));
    }
    match element.attr(attr::ALGORITHM) {
        Some(other) if other != algorithm => Err(malformed(element).hinting(near(other))),
        _ => Ok(()),
    }
}

/// Digits and nothing else, few enough for what is bounded by a thousand.
fn number(element: Element<'_>) -> Result<usize, Reject> {
    let text = element.leaf_text().map_err(|e| malformed(element).hinting(Hint::Xml(e)))?;
    let digits = (1..=6).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    match text.parse() {
        Ok(number) if digits && element.attrs().next().is_none() => Ok(number),
        _ => Err(malformed(element)),
    }
}

fn read_label(element: Element<'_>) -> Result<String, Reject> {
    let text = element.leaf_text().map_err(|e| malformed(element).hinting(Hint::Xml(e)))?;
    if text.len() > MAX_LABEL || element.attrs().next().is_some() {
        return Err(malformed(element));
    }
    Ok(text.into_owned())
}

fn read_nonce(element: Element<'_>) -> Result<Vec<u8>, Reject> {
    // Some write the coding that is the only one.
    let known =
        |a: bartizan_xml::Attr<'_>| a.name() == attr::ENCODING_TYPE && a.value() == uri::BASE64_BINARY;
    let text = element.leaf_text().map_err(|e| malformed(element).hinting(Hint::Xml(e)))?;
    if text.len() > MAX_NONCE_TEXT || !element.attrs().all(known) {
        return Err(malformed(element));
    }
    let octets = base64::decode(&text).map_err(|_| malformed(element))?;
    if NONCE.contains(&octets.len()) { Ok(octets) } else { Err(malformed(element)) }
}

impl Header {
    pub(super) fn sources(&self) -> Sources<'_> {
        let user = self.username.as_ref();
        Sources { keys: &self.keys, tokens: &self.tokens, derived: &self.derived, user, kept: &self.kept }
    }

    /// The secret that a reference means, if it means one: of an EncryptedKey of this header, or of the request that is answered.
    fn base_of(&self, scope: Scope<'_>, named: &Named) -> Option<Base> {
        match named {
            Named::EncryptedKey(id) => {
                self.keys.iter().position(|k| k.id.as_deref() == Some(&**id)).map(Base::Key)
            }
            Named::EncryptedKeySha1(octets) if scope.side == Side::Recipient => self.kept_base(scope, octets),
            Named::EncryptedKeySha1(octets) => {
                let known = scope.sent_secret()?.sha1()?;
                equal::constant_time(known, octets).then_some(Base::Request)
            }
            Named::User(node) => {
                let from_user = scope.plan.secret.is_some_and(|rule| rule.from == SecretFrom::User)
                    || scope.plan.endorses_by_derived_key();
                let token = self.username.as_ref().filter(|token| from_user && token.node == *node);
                token.map(|_| Base::User)
            }
            Named::SentUser(id) => (scope.sent_secret()?.user_token()? == &**id).then_some(Base::Request),
            _ => None,
        }
    }

    /// Which shared secret a reference means, where the plan has one: judged before any key is used. `None`: it means something else.
    ///
    /// # Errors
    /// It means one that is not there, or not as the plan wants it.
    pub(super) fn secret_ref(&self, scope: Scope<'_>, named: &Named) -> Result<Option<SecretRef>, Reject> {
        let Some(rule) = scope.plan.secret else { return Ok(None) };
        let unresolved = || Reject::new(Reason::TokenReferenceUnresolved);
        let (found, base) = match named {
            Named::Derived(node) => {
                let index = self.derived.iter().position(|d| d.node == *node).ok_or_else(unresolved)?;
                let base = self.derived.get(index).map(|d| d.base).ok_or_else(unresolved)?;
                (SecretRef::Derived(index), base)
            }
            Named::User(_) if rule.from != SecretFrom::User => return Ok(None),
            Named::EncryptedKey(_) | Named::EncryptedKeySha1(_) | Named::User(_) | Named::SentUser(_) => {
                let base = self.base_of(scope, named).ok_or_else(|| self.unresolved(scope, named))?;
                (SecretRef::Whole(base), base)
            }
            _ => return Ok(None),
        };
        let derives = matches!(found, SecretRef::Derived(_));
        match (rule.derived, derives) {
            (Presence::Must, false) | (Presence::MustNot, true) => {
                return Err(Reject::new(Reason::TokenDerivedKey));
            }
            _ => {}
        }
        match (rule.from, base) {
            (SecretFrom::Message, Base::Key(_) | Base::Kept)
            | (SecretFrom::User, Base::User)
            | (SecretFrom::Request, Base::Request) => Ok(Some(found)),
            // Anybody could have made it.
            (SecretFrom::Request, Base::Key(_)) => {
                Err(Reject::new(Reason::SignatureSigner).hinting(Hint::SecretOfItsOwn))
            }
            _ => Err(Reject::new(Reason::SignatureSigner)),
        }
    }

    /// Whether a shared secret gives a key of so many octets.
    pub(super) fn gives_key(&self, scope: Scope<'_>, secret: SecretRef, octets: usize) -> bool {
        match secret {
            SecretRef::Whole(Base::Key(_) | Base::Kept) => {
                scope.plan.secret.is_some_and(|rule| rule.length == octets)
            }
            // Of what a password gives, the first octets are the key of a cipher (UsernameToken Profile 1.1 §4).
            SecretRef::Whole(Base::User) => {
                self.username.as_ref().is_some_and(|token| token.key_len(scope.plan) >= octets)
            }
            SecretRef::Whole(Base::Request) => scope.sent_secret().is_some_and(|sent| {
                let length = sent.secret().key().len();
                length == octets || (sent.user_token().is_some() && length > octets)
            }),
            SecretRef::Derived(index) => self.derived.get(index).is_some_and(|d| d.length == octets),
        }
    }

    /// Whether anything but ciphertext uses the n-th EncryptedKey: a DerivedKeyToken, or a signature in the clear.
    pub(super) fn is_secret_used(&self, scope: Scope<'_>, document: &Document, index: usize) -> bool {
        let key = SecretRef::Whole(Base::Key(index));
        let signs = |s: &Signature| {
            let named = s.key_info.as_ref().map(|info| reference::read(info, document, &self.tokens));
            named.is_some_and(|n| {
                n.is_ok_and(|n| matches!(self.secret_ref(scope, &n), Ok(Some(k)) if k == key))
            })
        };
        self.derived.iter().any(|d| d.base == Base::Key(index)) || self.signatures.iter().any(signs)
    }

    /// A DerivedKeyToken that nothing used is there for nothing, as an EncryptedKey would be.
    pub(super) fn check_derived_used(&self, work: &Work<'_>) -> Result<(), Reject> {
        match self.derived.iter().enumerate().find(|(i, _)| !work.facts.derived_used.contains(i)) {
            Some((_, token)) => {
                Err(Reject::at_node(Reason::EncryptionUnusedKey, work.envelope.document(), Some(token.node)))
            }
            None => Ok(()),
        }
    }
}

/// The secret itself. Costs a private-key operation where it comes from an EncryptedKey, once for each.
pub(super) fn secret(
    work: &mut Work<'_>,
    sources: Sources<'_>,
    named: SecretRef,
) -> Result<SecretKey, Reject> {
    let refuse = || Reject::new(Reason::TokenDerivedKey);
    match named {
        SecretRef::Whole(base) => Ok(SecretKey { base: whole(work, sources, base)?, derived: None }),
        SecretRef::Derived(index) => {
            let token = sources.derived.get(index).ok_or_else(refuse)?;
            let base = whole(work, sources, token.base)?;
            if !work.facts.derived_used.contains(&index) {
                work.facts.derived_used.push(index);
            }
            let derived = base.secret().derived(&token.seed, token.offset, token.length);
            Ok(SecretKey { base, derived: Some(derived.map_err(|_| refuse())?) })
        }
    }
}

fn whole(work: &mut Work<'_>, sources: Sources<'_>, base: Base) -> Result<Arc<ExchangeSecret>, Reject> {
    if let Some((_, known)) = work.facts.secrets.iter().find(|(b, _)| *b == base) {
        return Ok(Arc::clone(known));
    }
    let unresolved = || Reject::new(Reason::TokenReferenceUnresolved);
    let found = match base {
        Base::User => {
            let token = sources.user.ok_or_else(unresolved)?;
            let id = work.envelope.document().element(token.node).and_then(|e| e.attr(wsu::ID));
            let id = id.ok_or_else(unresolved)?.to_owned();
            // A Salt says what its key is for; a secret signs, whatever else is done with it (CXF).
            let key = user::derived_key(work, token, KeyUse::Signature)?;
            let secret = ExchangeSecret::of_user(key.key.duplicate(), &id);
            work.facts.user_key = Some(key);
            Arc::new(secret)
        }
        Base::Request => work.env.sent.and_then(|sent| sent.secret()).cloned().ok_or_else(unresolved)?,
        Base::Kept => sources.kept.found().map(|kept| Arc::clone(&kept.secret)).ok_or_else(unresolved)?,
        Base::Key(index) => {
            let key = sources.keys.get(index).ok_or_else(unresolved)?;
            let length = work.plan.secret.map(|rule| rule.length).ok_or_else(unresolved)?;
            let secret = decrypt::unwrap_shared(work, key, length, sources.tokens)?;
            Arc::new(ExchangeSecret::new(secret, &key.cipher))
        }
    };
    work.facts.secrets.push((base, Arc::clone(&found)));
    Ok(found)
}

/// The key of a cipher that a reference means. INVARIANT: its length was compared with the cipher's before.
pub(super) fn content_key(
    work: &mut Work<'_>,
    sources: Sources<'_>,
    named: SecretRef,
    cipher: CipherAlg,
) -> Result<ContentKey, Reject> {
    let secret = secret(work, sources, named)?;
    if let Some(token) = sources.user.filter(|_| secret.base.user_token().is_some()) {
        user::note(work, token, Some(Use::Encryption));
    }
    let key = match &secret.derived {
        Some(derived) => derived.content_key(cipher),
        None => secret.base.content_key(cipher),
    };
    key.map_err(|_| Reject::new(Reason::TokenDerivedKey))
}

/// A signer who has a shared secret. Names nobody but the user whose password it comes from: else who that can be is said by where the secret
/// comes from.
pub(super) fn signer(
    work: &mut Work<'_>,
    header: &Header,
    signature: &Signature,
    named: SecretRef,
    form: KeyRef,
) -> Result<SignerFact, Reject> {
    // Request and reply have one key: our own request, sent back with another reference in its KeyInfo, would verify as the reply to itself.
    let ours = work
        .env
        .sent
        .is_some_and(|sent| sent.values().iter().any(|value| equal::constant_time(value, &signature.value)));
    if work.side == Side::Initiator && ours {
        let not = NotPartner::Ourselves(Side::Initiator);
        return Err(Reject::new(Reason::TokenNotPartner).hinting(Hint::Signer(not)));
    }
    if work.context.private_operations == 0 && work.context.decryptions == 0 {
        // A Timestamp in the clear that has passed can be told before anything is unwrapped, and not after.
        work.check_fresh(header.timestamp)?;
    }
    let key = secret(work, header.sources(), named)?;
    let base = match named {
        SecretRef::Whole(base) => Some(base),
        SecretRef::Derived(index) => header.derived.get(index).map(|d| d.base),
    };
    let token = match base {
        Some(Base::Key(index)) => header.keys.get(index).map(|k| k.element),
        Some(Base::User) => header.username.as_ref().map(|t| t.node),
        Some(Base::Request | Base::Kept) | None => None,
    };
    let key = match (base, &header.username) {
        (Some(Base::User), Some(token)) => user::secret_signer(work, token, key.used().key()),
        _ => SignerKey::Secret(key),
    };
    Ok(SignerFact {
        element: signature.element,
        key,
        form,
        token,
        reference: reference::reference_node(signature.key_info.as_ref()),
        was_encrypted: header.revealed,
    })
}

/// Says what length a secret must have where a signature under one out of an EncryptedKey fails, alike for every cause.
pub(super) fn explain(plan: &InPlan, key: &SignerKey, reject: Reject) -> Reject {
    let rule = plan.secret.filter(|rule| rule.from == SecretFrom::Message && rule.length > SHORT_SECRET);
    match (key, rule) {
        (SignerKey::Secret(_), Some(rule)) if reject.reason() == Reason::SignatureValue => {
            reject.hinting(Hint::SecretLength(rule.length))
        }
        _ => reject,
    }
}

/// The secret that the reply is made with: that of the signature or, where nothing is signed, the first that opened something.
pub(super) fn of_exchange(work: &Work<'_>) -> Option<Arc<ExchangeSecret>> {
    let signer = work.facts.signers.iter().find_map(|s| match &s.key {
        SignerKey::Secret(key) => Some(&key.base),
        SignerKey::Certificate(_) | SignerKey::User { .. } => None,
    });
    // What a key that endorses is derived from protects nothing of the exchange.
    let by_user = work.plan.secret.is_some_and(|rule| rule.from == SecretFrom::User);
    let mut others = work.facts.secrets.iter().filter(|(base, _)| by_user || *base != Base::User);
    let found = signer.or_else(|| others.next().map(|(_, secret)| secret));
    found.filter(|secret| secret.secret().is_sound()).cloned()
}

impl std::fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SecretKey")
    }
}
