//! Whose key a signature was made with, whether its value verifies, the replay claim, and the digests.
//!
//! Three states: [`KeyTrusted`] (every signer's certificate leads to a trusted one), [`SignatureChecked`] (every value verified, the message fresh
//! and claimed), [`Digested`] (every Reference's digest fits). Digests run even where decryption failed, so that both fail alike.
//! A signed Timestamp is digested before it is believed: how long a claim is remembered would else be the choice of who sends the message again.

use bartizan_crypto::KeyKind;
use bartizan_keys::Answering;
use bartizan_xml::{Document, NodeId};
use bartizan_xmlsec::{Covered, RefUri, Reference, Signature, StrTarget, StrTargets, Transform, VerifyKey};

use super::derived::{self, SecretRef};
use super::endorse;
use super::facts::{CoveredFact, SignerFact, SignerKey, StampFact};
use super::map::{self, Area};
use super::reference::{self, Named};
use super::shape::{Header, Shaped};
use super::token::Token;
use super::user;
use super::{KeepOctets, Work};
use crate::context::{SeenToken, SignatureEvidence, TokenEvidence, Use, Warning};
use crate::error::{DigestOctets, Hint, NotPartner, Reject};
use crate::part::{Need, Part};
use crate::plan::{InPlan, Side, Surplus};
use crate::reason::Reason;
use crate::replay::{Claim, Remember, ReplayKey};

/// Every signer is trusted.
pub(super) struct KeyTrusted<'e> {
    work: Work<'e>,
    header: Header,
}

/// Every signature value verified over the SignedInfo as received; the message is fresh and claimed. Digests are open.
pub(super) struct SignatureChecked<'e> {
    pub(super) work: Work<'e>,
    pub(super) header: Header,
}

/// Every digest fits.
pub(super) struct Digested<'e> {
    pub(super) work: Work<'e>,
    pub(super) header: Header,
}

impl<'e> Shaped<'e> {
    /// Finds each signer's certificate and has it verified.
    pub(super) fn trust_keys(self) -> Result<KeyTrusted<'e>, Reject> {
        let Shaped { mut work, header } = self;
        if header.signatures.is_empty() && work.plan.wants_signature() {
            return Err(work.refuse(Reject::new(Reason::SignatureMissing)));
        }
        endorse::check_there(&work, &header).map_err(|r| work.refuse(r))?;
        for (number, signature) in header.signatures.iter().enumerate() {
            let signer = trust_signer(&mut work, &header, number, signature);
            let signer = signer.map_err(|r| {
                let placed = match work.envelope.document().element(signature.element) {
                    Some(element) => r.placed(element),
                    None => r,
                };
                work.refuse(placed)
            })?;
            work.facts.signers.push(signer);
        }
        endorse::check_signers(&work, &header).map_err(|r| work.refuse(r))?;
        work.check_layout(&header)?;
        Ok(KeyTrusted { work, header })
    }
}

fn trust_signer(
    work: &mut Work<'_>,
    header: &Header,
    number: usize,
    signature: &Signature,
) -> Result<SignerFact, Reject> {
    let document = work.envelope.document();
    let info = signature.key_info.as_ref().ok_or_else(|| Reject::new(Reason::TokenReferenceMalformed))?;
    let named = reference::read(info, document, &header.tokens)?;
    let form = named.form();
    // Who takes what he finds takes a user's key, too; a key that anybody can send along is nobody's.
    let either = work.plan.surplus == Surplus::Allow && matches!(named, Named::User(_));
    let endorser = endorse::rule_for(work.plan, header, &named).filter(|_| header.endorses(number));
    let expected =
        if header.endorses(number) { endorser.is_some() } else { named.may_sign(work.plan) || either };
    if !expected {
        return Err(Reject::new(Reason::SignatureSigner));
    }
    if let Some((_, Some(index))) = endorser {
        return derived::signer(work, header, signature, SecretRef::Derived(index), form);
    }
    if let Some(secret) = header.secret_ref(work.scope(), &named)? {
        return derived::signer(work, header, signature, secret, form);
    }
    if let Named::User(node) = named {
        return user::signer(work, header, signature, node);
    }
    let rule = endorser.map_or(&work.plan.token, |(rule, _)| &rule.token);
    if !rule.reference.is_empty() && !rule.reference.contains(&form) {
        return Err(Reject::new(Reason::TokenReferenceForm).hinting(Hint::Element(form.name().into())));
    }
    let found = reference::find_signer(named, work.env.keys, &header.tokens)?;
    let verified = found.verified(work.env.keys, &header.tokens, work.env.now).map_err(map::keys)?;
    check_size(&verified.certificate, rule.min_rsa)?;
    check_partner(work, &verified.certificate)?;
    let token = found.token.and_then(|i| header.tokens.get(i)).map(|t| t.node);
    note_token(work, &verified.certificate, Some(form), token.is_some() || form.in_message());
    Ok(SignerFact {
        element: signature.element,
        key: SignerKey::Certificate(verified.certificate.clone()),
        form,
        token,
        reference: reference::reference_node(Some(info)),
        was_encrypted: header.revealed,
    })
}

/// Trusted is not enough. What a key of ours signed is a message of ours that somebody sent back: it would make us our own caller, or our
/// request the reply to itself. And a reply is signed by the side that was asked: anybody else with a certificate of the same authority could
/// answer in its place. The other side is known by its key or, where that was renewed or it has one for each use, by its name. Who has one
/// key for both sides says so by naming it as the peer.
fn check_partner(work: &Work<'_>, signer: &bartizan_keys::Certificate) -> Result<(), Reject> {
    let keys = work.env.keys;
    let peer = keys.peer();
    if peer.is_some_and(|peer| peer.spki() == signer.spki()) {
        return Ok(());
    }
    let ours = keys.identities().iter().any(|i| i.leaf().spki() == signer.spki());
    let not = match (work.side, peer) {
        (side, _) if ours => NotPartner::Ourselves(side),
        (Side::Recipient, _) => return Ok(()),
        (Side::Initiator, _) if keys.answering() == Answering::Anybody => return Ok(()),
        (Side::Initiator, Some(peer))
            if !peer.subject_text().is_empty() && peer.subject_der() == signer.subject_der() =>
        {
            return Ok(());
        }
        (Side::Initiator, Some(_)) => NotPartner::Another,
        (Side::Initiator, None) => NotPartner::NobodyExpected,
    };
    Err(Reject::new(Reason::TokenNotPartner).hinting(Hint::Signer(not)))
}

/// RSA keys below the plan's own bound are refused on top of the key set's.
pub(super) fn check_size(certificate: &bartizan_keys::Certificate, min_rsa: u32) -> Result<(), Reject> {
    let key = certificate.public_key().map_err(map::keys)?;
    if key.kind() == KeyKind::Rsa && key.bits() < min_rsa {
        return Err(Reject::new(Reason::TokenKeyTooSmall));
    }
    Ok(())
}

fn note_token(
    work: &mut Work<'_>,
    certificate: &bartizan_keys::Certificate,
    named: Option<crate::plan::KeyRef>,
    in_message: bool,
) {
    let known = work.context.tokens.iter_mut().find(|t| t.is_certificate(certificate.der()));
    match known {
        Some(token) if !token.used_for.contains(&Use::Signature) => token.used_for.push(Use::Signature),
        Some(_) => {}
        None => work.context.tokens.push(TokenEvidence {
            token: SeenToken::X509(certificate.clone()),
            named,
            in_message,
            used_for: vec![Use::Signature],
        }),
    }
}

impl<'e> KeyTrusted<'e> {
    /// Checks every value and the digest of a signed Timestamp, then freshness, then claims the message. The claim stays burnt whatever follows.
    pub(super) fn check_values(self) -> Result<SignatureChecked<'e>, Reject> {
        let KeyTrusted { mut work, header } = self;
        for (index, signature) in header.signatures.iter().enumerate() {
            let verdict = check_value(&mut work, index, signature);
            verdict.map_err(|r| work.refuse(r))?;
        }
        let stamped = digest_early(&mut work, &header).and_then(|()| check_stamped(&work, &header));
        stamped.map_err(|r| work.refuse(r))?;
        let fresh = work.check_fresh(header.timestamp);
        // A signature, or its key, that came out of ciphertext: that it verified must not show on the wire.
        fresh.map_err(|r| {
            let r =
                if work.context.decryptions + work.context.private_operations > 0 { r.masked() } else { r };
            work.refuse(r)
        })?;
        let claimed = claim(&mut work, &header);
        claimed.map_err(|r| work.refuse(r))?;
        Ok(SignatureChecked { work, header })
    }
}

fn check_value(work: &mut Work<'_>, index: usize, signature: &Signature) -> Result<(), Reject> {
    let document = work.envelope.document();
    let Some(signer) = work.facts.signers.get(index) else { return Err(Reject::new(Reason::SignatureKey)) };
    let key = match &signer.key {
        SignerKey::Certificate(certificate) => {
            VerifyKey::Public(certificate.public_key().map_err(map::keys)?)
        }
        SignerKey::User { key, .. } => VerifyKey::Secret(&key.key),
        SignerKey::Secret(key) => VerifyKey::Secret(key.used().key()),
    };
    let verdict = signature.verify_value(&key).map_err(|e| map::xmlsec(e, Area::Signature, document));
    let sound = match &signer.key {
        // What could not be unwrapped became a key that everybody can compute.
        SignerKey::Secret(key) if !key.used().is_sound() => Err(Reject::new(Reason::SignatureValue)),
        _ => Ok(()),
    };
    verdict.and(sound).map_err(|r| {
        let r = derived::explain(work.plan, &signer.key, r);
        match document.element(signature.element) {
            Some(at) => r.placed(at),
            None => r,
        }
    })?;
    let token = work.context.tokens.iter().position(|t| match &signer.key {
        SignerKey::Certificate(certificate) => t.is_certificate(certificate.der()),
        SignerKey::User { .. } => t.is_username(),
        SignerKey::Secret(_) => false,
    });
    let path = document.element(signature.element).map(|e| e.path()).unwrap_or_default();
    work.context.used(signature.method);
    for reference in &signature.references {
        work.context.used(reference.digest);
    }
    work.context.signatures.push(SignatureEvidence {
        path,
        token,
        covers: Vec::new(),
        value: signature.value.clone(),
        verified: true,
    });
    if let SignerKey::User { key, .. } = &signer.key {
        user::signed(work.env.derived, &mut work.facts.user, key);
    }
    Ok(())
}

/// Digests what the signatures say of the Timestamp, which stands in the clear: one that comes out of ciphertext is refused where it is met.
///
/// SignedInfo does not change when a Timestamp is rewritten. Were its times believed before the digest, a captured message could be given a
/// lifetime of milliseconds, its claim would be forgotten at once, and it could be sent again with other ciphertext as often as one likes.
///
/// So is what an endorsing signature says of what it endorses: beside another message it is refused before that could be claimed.
fn digest_early(work: &mut Work<'_>, header: &Header) -> Result<(), Reject> {
    let stamp = header.timestamp.map(|stamp| stamp.node);
    for (number, signature) in header.signatures.iter().enumerate() {
        let mut early = endorse::targets(work, header, number)?;
        for (index, reference) in signature.references.iter().enumerate() {
            let stamped = stamp.is_some_and(|node| names(reference, work.envelope.document(), node));
            if stamped && !early.contains(&index) {
                early.push(index);
            }
        }
        for index in early {
            let covered = digest(work, header, signature, index)?;
            work.facts.stamped.push(StampFact { signature: number, reference: index, covered });
        }
    }
    Ok(())
}

/// A plan that wants the Timestamp signed gets it signed before anything is claimed: one that no signature names has a lifetime of the sender's
/// choice, and the digest of the one that was signed would fail only when everything was decrypted.
fn check_stamped(work: &Work<'_>, header: &Header) -> Result<(), Reject> {
    let by_primary = |s: &StampFact| !header.endorses(s.signature);
    let stamped = work.facts.stamped.iter().any(by_primary);
    let Some(stamp) = header.timestamp.filter(|_| !stamped) else { return Ok(()) };
    let demands =
        |plan: &InPlan| plan.required.iter().any(|r| r.part == Part::Timestamp && r.signed != Need::No);
    let whole = |s: &Signature| s.references.iter().any(|r| r.uri == RefUri::Document);
    if header.primaries().is_empty()
        || header.primaries().iter().any(whole)
        || !work.candidates.iter().all(|(_, plan)| demands(plan))
    {
        return Ok(());
    }
    let at = Reject::at_node(Reason::CoverageTimestampNotSigned, work.envelope.document(), Some(stamp.node));
    Err(at.hinting(Hint::Part(Part::Timestamp)))
}

/// Claims the message in the replay memory: every signature of it, so that none is served again beside a fresh one.
fn claim(work: &mut Work<'_>, header: &Header) -> Result<(), Reject> {
    if header.signatures.is_empty() {
        return Ok(());
    }
    if header.timestamp.is_none() {
        work.context.warn(Warning::NoTimestamp);
    }
    let Some(cache) = work.env.replay else {
        work.context.warn(Warning::NoReplayGuard);
        return Ok(());
    };
    for (number, (signature, signer)) in header.signatures.iter().zip(&work.facts.signers).enumerate() {
        if !endorse::is_claimed(header, number) {
            continue;
        }
        let signed_info = signature.canonical_signed_info();
        let key = match &signer.key {
            SignerKey::Certificate(certificate) => ReplayKey::of_signature(certificate.spki(), signed_info),
            SignerKey::User { name, .. } => ReplayKey::of_user_signature(name, signed_info),
            SignerKey::Secret(key) => ReplayKey::of_secret_signature(&key.base.fingerprint(), signed_info),
        };
        // Only a Timestamp whose digest in this signature fits bounds how long the message can be repeated.
        let signed = header.timestamp.filter(|_| work.facts.stamped.iter().any(|s| s.signature == number));
        let end = signed.and_then(|stamp| stamp.ends(work.plan.timestamp)).map(|end| end + work.skew());
        let remember = end.map_or(Remember::Window, Remember::Until);
        let reason = match cache.claim(&key, remember, work.env.now) {
            Claim::Fresh => continue,
            Claim::Repeat => Reason::Replay,
            Claim::Full => Reason::ReplayFull,
            Claim::Stale => Reason::ReplayClock,
            Claim::Unavailable => Reason::ReplayUnavailable,
        };
        return Err(Reject::at_node(reason, work.envelope.document(), Some(signature.element)));
    }
    Ok(())
}

/// Whether a Reference names this very node.
pub(super) fn names_node(signature: &Signature, document: &Document, node: NodeId) -> bool {
    signature.references.iter().any(|r| names(r, document, node))
}

pub(super) fn names(reference: &Reference, document: &Document, node: NodeId) -> bool {
    match &reference.uri {
        RefUri::Id(id) => document.by_id(id).ok().flatten().is_some_and(|e| e.id() == node),
        RefUri::Document | RefUri::Attachment(_) => false,
    }
}

/// Checks every Reference of every signature on the document as it is now. `failed` says that decryption failed: the work is done all the
/// same, and the verdict is that of decryption.
pub(super) fn digest_all(work: &mut Work<'_>, header: &Header, failed: bool) -> Result<(), Reject> {
    let mut first: Option<Reject> = None;
    for (number, signature) in header.signatures.iter().enumerate() {
        for index in 0..signature.references.len() {
            if let Err(reject) = digest_one(work, header, number, signature, index) {
                first.get_or_insert(reject);
            }
        }
    }
    if failed {
        return Err(Reject::new(Reason::EncryptionFailed));
    }
    first.map_or(Ok(()), Err)
}

fn digest_one(
    work: &mut Work<'_>,
    header: &Header,
    number: usize,
    signature: &Signature,
    index: usize,
) -> Result<(), Reject> {
    let early = work.facts.stamped.iter().position(|s| s.signature == number && s.reference == index);
    let covered = match early {
        Some(at) => work.facts.stamped.swap_remove(at).covered,
        None => digest(work, header, signature, index)?,
    };
    let Work { envelope, facts, context, .. } = work;
    let document = envelope.document();
    let path = document.element(covered.target).map(|e| e.path()).unwrap_or_default();
    if let Some(evidence) = context.signatures.get_mut(number) {
        evidence.covers.push(path);
    }
    let (references, replaced): (Vec<NodeId>, Vec<NodeId>) = covered.replaced.into_iter().unzip();
    let fact = CoveredFact {
        signature: number,
        target: covered.target,
        removed: covered.removed,
        prefixes: prefixes_of(signature, index),
        replaced: references,
        tokens: replaced,
    };
    facts.cover(header.endorses(number), fact);
    Ok(())
}

/// The digest of one Reference, compared.
fn digest(
    work: &mut Work<'_>,
    header: &Header,
    signature: &Signature,
    index: usize,
) -> Result<Covered, Reject> {
    let Work { envelope, budget, keep, env, .. } = work;
    let document = envelope.document();
    let user = header.username.as_ref().map(|t| t.node);
    let tokens = Tokens { tokens: &header.tokens, user, keys: env.keys };
    let error = match signature.verify_reference(index, document, &tokens, budget) {
        Ok(covered) => return Ok(covered),
        Err(error) => error,
    };
    let reject = map::xmlsec(error, Area::Signature, document);
    if reject.reason() != Reason::SignatureDigest {
        return Err(reject);
    }
    let uri = signature.references.get(index).map(|r| r.uri.to_uri()).unwrap_or_default();
    let reject = reject.hinting(Hint::Reference { index, uri: uri.into() });
    let octets =
        (*keep == KeepOctets::Yes).then(|| signature.digest_octets(index, document, &tokens).ok()).flatten();
    Err(match octets {
        Some(octets) => reject.with_octets(DigestOctets { reference: index, octets }),
        None => reject,
    })
}

fn prefixes_of(signature: &Signature, index: usize) -> Vec<String> {
    let transforms = signature.references.get(index).map(|r| r.transforms.as_slice()).unwrap_or_default();
    let lists = transforms.iter().filter_map(|t| match t {
        Transform::C14n(spec) | Transform::StrTransform(spec) => spec.prefixes.as_deref(),
        Transform::Enveloped | Transform::Base64 => None,
    });
    lists.flat_map(|list| list.split_ascii_whitespace()).map(str::to_owned).collect()
}

/// The STR-Transform's view of the header: a token of it, or a certificate that is known here.
struct Tokens<'a> {
    tokens: &'a [Token],
    user: Option<NodeId>,
    keys: &'a bartizan_keys::Keystore,
}

impl StrTargets for Tokens<'_> {
    fn token(&self, document: &Document, reference: NodeId) -> Option<StrTarget> {
        let element = document.element(reference)?;
        let named = reference::read_reference(element, self.tokens).ok()?;
        if let Named::User(node) = named {
            return (self.user == Some(node)).then_some(StrTarget::Node(node));
        }
        let found = reference::find_signer(named, self.keys, self.tokens).ok()?;
        match (found.token.and_then(|i| self.tokens.get(i)), &found.certificate) {
            (Some(token), _) => Some(StrTarget::Node(token.node)),
            (None, reference::Identified::Certificate(certificate)) => {
                Some(StrTarget::Octets(crate::outbound::token::canonical_bst(certificate, element.prefix())))
            }
            // A token inside the reference stands where it stands; nothing is put in its place.
            (None, reference::Identified::Token(_) | reference::Identified::Octets(_)) => None,
        }
    }
}

impl<'e> SignatureChecked<'e> {
    /// Digests over the message as received, for a signature over ciphertext.
    pub(super) fn digest_ciphertext(self) -> Result<super::decrypt::CiphertextDigested<'e>, Reject> {
        let SignatureChecked { mut work, header } = self;
        let verdict = digest_all(&mut work, &header, false);
        verdict.map_err(|r| work.refuse(r))?;
        Ok(super::decrypt::CiphertextDigested { work, header })
    }
}
