//! Whether the user of a UsernameToken is who he says: by the password, by its digest, by a key derived from it; and the claim of the token.
//!
//! The password is looked at last, when everything else about the message was checked ([`Proved`]); a key derived from it has to be had before, so
//! the same functions are called where a signature or a ciphertext needs the key. Whoever is asked for, the same work is done: for a name that
//! nobody has a digest is computed as well. A derivation of a thousand hashes is not: it runs for known users and within the bounds only, where the
//! surroundings let it ([`Env::slow`](crate::Env)); others only wait for the same turn, and the time of refusals is kept equal where they are
//! answered.

use std::sync::Arc;
use std::time::Duration;

use bartizan_crypto::alg::DigestAlg;
use bartizan_crypto::digest::{Hasher, digest};
use bartizan_crypto::{Digest, Secret, SymmetricKey, base64, derive, equal};
use bartizan_keys::{Denied, User, UserSource};
use bartizan_xml::NodeId;
use bartizan_xmlsec::Signature;

use super::Work;
use super::facts::{SignerFact, SignerKey};
use super::reference;
use super::shape::Header;
use super::signature::Digested;
use super::username::{Created, KeyUse, Salt, UserToken};
use crate::caller::ProvedBy;
use crate::context::{SeenToken, TokenEvidence, Use, Warning};
use crate::derived::{self, DerivedKeys, KeyId};
use crate::error::{Hint, Reject};
use crate::part::Need;
use crate::plan::{KeyRef, PasswordForm, SecretFrom, Side, UsernameRule};
use crate::reason::Reason;
use crate::replay::{Claim, Remember, ReplayKey};

/// The user is proved, or nothing demanded that; the token is claimed.
pub(super) struct Proved<'e> {
    pub(super) work: Work<'e>,
    pub(super) header: Header,
}

/// What is known about the user.
pub(super) struct UserFact {
    pub(super) user: Arc<User>,
    /// How it was proved; `None`: not yet.
    pub(super) proved: Option<ProvedBy>,
}

/// A key derived from the password.
pub(super) struct UserKey {
    pub(super) key: Arc<SymmetricKey>,
    /// What is to be kept when a signature made with it verified, and under what; `None`: nothing, or it is already.
    keep: Option<(KeyId, Arc<SymmetricKey>)>,
}

impl<'e> Digested<'e> {
    /// Proves the user, then claims the token.
    pub(super) fn prove_user(self) -> Result<Proved<'e>, Reject> {
        let Digested { mut work, header } = self;
        let verdict = prove(&mut work, &header);
        verdict.map_err(|r| {
            let r = if work.context.decryptions > 0 { r.masked() } else { r };
            work.refuse(r)
        })?;
        Ok(Proved { work, header })
    }
}

fn prove(work: &mut Work<'_>, header: &Header) -> Result<(), Reject> {
    let Some(token) = &header.username else {
        return match &work.plan.username {
            Some(rule) if rule.need == Need::Must => Err(Reject::new(Reason::UsernameMissing)),
            _ => Ok(()),
        };
    };
    let rule = rule(work, token)?;
    note(work, token, None);
    if token.password.is_some() {
        by_password(work, token)?;
    }
    let proved = work.facts.user.as_ref().is_some_and(|u| u.proved.is_some());
    if !proved {
        // A key that only opened ciphertext proves nobody: the ciphertext may have been sent before, beside another Nonce.
        let named_only = rule.passwords.contains(&PasswordForm::Absent);
        check_age(work, token, rule)?;
        return if named_only { Ok(()) } else { Err(at(work, token, Reason::UsernameNotProved)) };
    }
    claim(work, token, rule)
}

fn at(work: &Work<'_>, token: &UserToken, reason: Reason) -> Reject {
    Reject::at_node(reason, work.envelope.document(), Some(token.node))
}

/// The rule for the token. INVARIANT: a token without a rule was refused where it was read.
fn rule<'e>(work: &Work<'e>, token: &UserToken) -> Result<&'e UsernameRule, Reject> {
    work.plan.username.as_ref().ok_or_else(|| at(work, token, Reason::UsernameUnexpected))
}

fn users<'e>(work: &Work<'e>, token: &UserToken) -> Result<&'e dyn UserSource, Reject> {
    work.env.users.ok_or_else(|| at(work, token, Reason::UserNoSource))
}

/// The token as evidence, used for one more thing.
pub(super) fn note(work: &mut Work<'_>, token: &UserToken, used: Option<Use>) {
    let known = work.context.tokens.iter_mut().find(|t| t.is_username());
    match (known, used) {
        (Some(evidence), Some(used)) => {
            evidence.used_for.retain(|u| *u != Use::Nothing);
            if !evidence.used_for.contains(&used) {
                evidence.used_for.push(used);
            }
        }
        (Some(_), None) => {}
        (None, used) => work.context.tokens.push(TokenEvidence {
            token: SeenToken::Username { name: token.name.clone(), password: token.form() },
            named: None,
            in_message: true,
            used_for: vec![used.unwrap_or(Use::Nothing)],
        }),
    }
}

/// Age limit is Created + ttl; clocks may differ by `future` on both ends.
fn check_age(work: &Work<'_>, token: &UserToken, rule: &UsernameRule) -> Result<(), Reject> {
    let Some(created) = &token.created else { return Ok(()) };
    let (now, made) = (work.env.now.millis(), created.time.millis());
    let end = (created.time + rule.ttl).millis();
    let skew = i64::try_from(rule.future.as_millis()).unwrap_or(i64::MAX);
    let late = |reason, limit: i64| {
        Err(at(work, token, reason).hinting(Hint::Skew { millis: now.saturating_sub(limit) }))
    };
    if made > now.saturating_add(skew) {
        return late(Reason::UsernameFuture, made);
    }
    if now >= end.saturating_add(skew) {
        return late(Reason::UsernameExpired, end);
    }
    Ok(())
}

/// The password of the token, as it is or as a digest. Once for a message.
fn by_password(work: &mut Work<'_>, token: &UserToken) -> Result<(), Reject> {
    let Some(password) = &token.password else { return Ok(()) };
    if work.facts.user.as_ref().is_some_and(|u| u.proved.is_some()) {
        return Ok(());
    }
    let rule = rule(work, token)?;
    check_age(work, token, rule)?;
    note(work, token, None);
    let (source, now) = (users(work, token)?, work.env.now);
    let (user, proved) = match &password.form {
        PasswordForm::Text => {
            let remembered = password.text.expose(|octets| source.recall(&token.name, octets, now));
            let user = match remembered {
                Some(user) => Ok(user),
                None => {
                    work.toll.hash();
                    password.text.expose(|octets| source.check_password(&token.name, octets, now))
                }
            };
            (user.map_err(|d| denied(work, token, d))?, ProvedBy::UsernamePassword)
        }
        PasswordForm::Digest => {
            let Some((nonce, created)) = token.freshness() else {
                return Err(at(work, token, Reason::UsernameNonce));
            };
            let verdict = compare(source.secret(&token.name, now), |secret| {
                digest_of(&password.text, secret, nonce, &created.text)
            });
            (told(work, token, verdict)?, ProvedBy::UsernameDigest)
        }
        PasswordForm::Custom(_) => {
            let verdict =
                compare(source.secret(&token.name, now), |secret| same_secret(&password.text, secret));
            (told(work, token, verdict)?, ProvedBy::UsernamePassword)
        }
        // INVARIANT: there is a Password.
        PasswordForm::Absent => return Err(at(work, token, Reason::UsernamePasswordType)),
    };
    note(work, token, Some(Use::Authentication));
    work.facts.user = Some(UserFact { user, proved: Some(proved) });
    Ok(())
}

/// What a comparison found: right, or wrong and perhaps in a way that is known.
enum Match {
    Right,
    Wrong(Option<&'static str>),
}

/// Compares with the secret of the user, or does the same work for nobody.
fn compare(
    secret: Result<(Arc<User>, Arc<Secret>), Denied>,
    check: impl Fn(&Secret) -> Match,
) -> Result<Arc<User>, (Denied, Option<&'static str>)> {
    match secret {
        Ok((user, secret)) => match check(&secret) {
            Match::Right => Ok(user),
            Match::Wrong(hint) => Err((Denied::WrongPassword, hint)),
        },
        Err(denied) => {
            std::hint::black_box(check(&Secret::new(vec![0; 8])));
            Err((denied, None))
        }
    }
}

fn told(
    work: &Work<'_>,
    token: &UserToken,
    verdict: Result<Arc<User>, (Denied, Option<&'static str>)>,
) -> Result<Arc<User>, Reject> {
    verdict.map_err(|(why, hint)| {
        let reject = denied(work, token, why);
        match hint {
            Some(reading) => reject.hinting(Hint::PasswordDigest(reading)),
            None => reject,
        }
    })
}

fn denied(work: &Work<'_>, token: &UserToken, why: Denied) -> Reject {
    let reason = match why {
        Denied::Unknown => Reason::UserUnknown,
        Denied::WrongPassword => Reason::UserPassword,
        Denied::Disabled => Reason::UserDisabled,
        Denied::Expired => Reason::UserExpired,
        Denied::NoSecret => Reason::UserNoSecret,
        Denied::Busy => Reason::UserBusy,
    };
    at(work, token, reason)
}

/// Whether a secret is sent as it is stored; the time tells nothing but the length of what was sent.
fn same_secret(sent: &Secret, stored: &Secret) -> Match {
    let hash = |s: &Secret| s.expose(|octets| digest(DigestAlg::Sha256, octets));
    if equal::constant_time(hash(sent).as_ref(), hash(stored).as_ref()) {
        Match::Right
    } else {
        Match::Wrong(None)
    }
}

/// Base64(SHA-1(nonce ‖ created ‖ password)) (UsernameToken Profile 1.1 §3.1); other readings are told apart for the local record, and looked
/// for whenever the digest is wrong: for the decoy of nobody, too.
fn digest_of(sent: &Secret, password: &Secret, nonce: &[u8], created: &str) -> Match {
    let value = sent.expose(|sent| std::str::from_utf8(sent).ok().and_then(|t| base64::decode(t).ok()));
    let value = value.unwrap_or_default();
    let right = password.expose(|password| sha1([nonce, created.as_bytes(), password]));
    if equal::constant_time(&value, right.as_ref()) {
        return Match::Right;
    }
    let hex: String = right.as_ref().iter().map(|b| format!("{b:02x}")).collect();
    let in_hex = sent.expose(|sent| equal::constant_time(sent, hex.as_bytes()));
    if in_hex || equal::constant_time(&value, hex.as_bytes()) {
        return Match::Wrong(Some("and written in hexadecimal"));
    }
    Match::Wrong(password.expose(|password| other_reading(&value, password, nonce, created.as_bytes())))
}

fn sha1(parts: [&[u8]; 3]) -> Digest {
    let mut hasher = Hasher::new(DigestAlg::Sha1);
    parts.iter().for_each(|part| hasher.update(part));
    hasher.finish()
}

/// How else the profile is read.
fn other_reading(value: &[u8], password: &[u8], nonce: &[u8], created: &[u8]) -> Option<&'static str> {
    let text = base64::encode(nonce);
    let hashed = digest(DigestAlg::Sha1, password);
    let hashed_text = base64::encode(hashed.as_ref());
    let cut = nonce.split(|octet| *octet == 0).next().unwrap_or_default();
    let readings: [(&str, Digest); 6] = [
        ("over the base64 text of the Nonce", sha1([text.as_bytes(), created, password])),
        ("over the SHA-1 of the password", sha1([nonce, created, hashed.as_ref()])),
        ("over the base64 of the password's SHA-1", sha1([nonce, created, hashed_text.as_bytes()])),
        ("without the Nonce", sha1([b"", created, password])),
        ("without Created", sha1([nonce, b"", password])),
        // A text of C ends there: Rampart/C, in about one token of eleven.
        ("over the Nonce as far as its first zero octet", sha1([cut, created, password])),
    ];
    let mut known = None;
    for (reading, digest) in &readings {
        if equal::constant_time(value, digest.as_ref()) {
            known = Some(*reading);
        }
    }
    known
}

/// The key that is derived from the password of the token, for one use.
///
/// # Errors
/// The rule does not accept it, the user is not known, or the password is wrong.
pub(super) fn derived_key(
    work: &mut Work<'_>,
    token: &UserToken,
    what_for: KeyUse,
) -> Result<UserKey, Reject> {
    let rule = rule(work, token)?;
    let Some(keys) = rule.keys else { return Err(at(work, token, Reason::UsernameDerivedKey)) };
    check_age(work, token, rule)?;
    note(work, token, None);
    match (&token.salt, keys.profile, keys.wse) {
        (Some(salt), Some(_), _) => by_profile(work, token, salt, what_for),
        (None, _, Some(length)) => by_wse(work, token, length),
        (Some(_), None, _) | (None, _, None) => Err(at(work, token, Reason::UsernameDerivedKey)),
    }
}

/// UsernameToken Profile 1.1 §4. INVARIANT: the iterations are within the bounds, which were checked where the token was read.
fn by_profile(
    work: &mut Work<'_>,
    token: &UserToken,
    salt: &Salt,
    what_for: KeyUse,
) -> Result<UserKey, Reject> {
    if salt.octets.first() != Some(&what_for.octet()) {
        return Err(at(work, token, Reason::UsernameSalt));
    }
    let source = users(work, token)?;
    let found = source.secret(&token.name, work.env.now);
    let keep = found
        .as_ref()
        .ok()
        .and_then(|(user, secret)| derived::key_id(user.name(), secret, &salt.octets, salt.iterations));
    let known = work.env.derived.zip(keep).and_then(|(keys, id)| keys.find(&id));
    if let (Ok((user, _)), Some(key)) = (&found, known) {
        work.facts.user.get_or_insert(UserFact { user: Arc::clone(user), proved: None });
        return Ok(UserKey { key, keep: None });
    }
    // Whoever is asked for waits for his turn, or is turned away. For nobody nothing is derived then.
    work.toll.queue();
    let mut key = None;
    let ran = work.env.aside(&mut || {
        let secret = found.as_ref().ok().map(|(_, secret)| secret);
        key = secret.map(|secret| {
            secret.expose(|octets| derive::username_key(octets, &salt.octets, salt.iterations))
        });
    });
    if !ran {
        return Err(at(work, token, Reason::UserBusy));
    }
    let (user, _) = found.map_err(|d| denied(work, token, d))?;
    // INVARIANT: it ran, and the user is known.
    let Some(key) = key else { return Err(at(work, token, Reason::UserBusy)) };
    work.facts.user.get_or_insert(UserFact { user, proved: None });
    let key = Arc::new(key.expose(|octets| SymmetricKey::new(octets.clone())));
    let keep = keep.map(|id| (id, Arc::clone(&key)));
    Ok(UserKey { key, keep })
}

/// WSE style: only where nobody else reads the password, which as a rule stands beside it.
fn by_wse(work: &mut Work<'_>, token: &UserToken, length: usize) -> Result<UserKey, Reject> {
    if !token.was_encrypted && !work.env.transport.is_confidential() {
        return Err(at(work, token, Reason::UsernameInClear));
    }
    let Some(nonce) = token.nonce.as_deref() else { return Err(at(work, token, Reason::UsernameNonce)) };
    let Some(created) = &token.created else { return Err(at(work, token, Reason::UsernameCreated)) };
    let wse = |password: &Secret, created: &Created| {
        password.expose(|octets| derive::wse_key(octets, nonce, &created.text, length))
    };
    by_password(work, token)?;
    let key = match &token.password {
        Some(password) if password.form == PasswordForm::Text => wse(&password.text, created),
        _ => {
            let source = users(work, token)?;
            let found = source.secret(&token.name, work.env.now);
            let (user, secret) = found.map_err(|d| denied(work, token, d))?;
            work.facts.user.get_or_insert(UserFact { user, proved: None });
            wse(&secret, created)
        }
    };
    let key = key.map_err(|_| at(work, token, Reason::UsernameDerivedKey))?;
    Ok(UserKey { key: Arc::new(key.expose(|octets| SymmetricKey::new(octets.clone()))), keep: None })
}

/// A signer whose key is derived from the UsernameToken of this header; any other token is nobody's. Requests are signed so: a reply under a key
/// that both sides have could be our own request.
pub(super) fn signer(
    work: &mut Work<'_>,
    header: &Header,
    signature: &Signature,
    node: NodeId,
) -> Result<SignerFact, Reject> {
    if work.side == Side::Initiator {
        return Err(Reject::new(Reason::SignatureSigner));
    }
    let token = header.username.as_ref().filter(|t| t.node == node);
    let token = token.ok_or_else(|| Reject::new(Reason::TokenReferenceUnresolved))?;
    // A Timestamp that has passed is told before a key is derived for it; whether a signed one is what was signed comes with the digests.
    if work.context.decryptions == 0 {
        work.check_fresh(header.timestamp)?;
    }
    let key = derived_key(work, token, KeyUse::Signature)?;
    note(work, token, Some(Use::Signature));
    let name = work.facts.user.as_ref().map(|u| u.user.name().to_owned()).unwrap_or_default();
    Ok(SignerFact {
        element: signature.element,
        key: SignerKey::User { name, key },
        form: KeyRef::Direct,
        token: Some(node),
        reference: reference::reference_node(signature.key_info.as_ref()),
        was_encrypted: header.revealed,
    })
}

/// The signer with the secret that a UsernameToken gave, or with a key derived from that: the user.
pub(super) fn secret_signer(work: &mut Work<'_>, token: &UserToken, used: &SymmetricKey) -> SignerKey {
    note(work, token, Some(Use::Signature));
    let name = work.facts.user.as_ref().map(|u| u.user.name().to_owned()).unwrap_or_default();
    let keep = work.facts.user_key.take().and_then(|key| key.keep);
    SignerKey::User { name, key: UserKey { key: Arc::new(used.duplicate()), keep } }
}

/// A signature made with the key verified: the user has the password, and the key is worth keeping.
pub(super) fn signed(keys: Option<&DerivedKeys>, user: &mut Option<UserFact>, key: &UserKey) {
    if let Some(user) = user {
        user.proved = Some(ProvedBy::UsernameSignature);
    }
    if let Some((keys, (id, kept))) = keys.zip(key.keep.as_ref()) {
        keys.keep(*id, Arc::clone(kept));
    }
}

/// Claims Nonce and Created of a proved user in the replay memory, and the Salt that made the secret of the message. The signature, if there is one,
/// was claimed before.
fn claim(work: &mut Work<'_>, token: &UserToken, rule: &UsernameRule) -> Result<(), Reject> {
    claim_salt(work, token)?;
    let document = work.envelope.document();
    let Some((nonce, created)) = token.freshness() else {
        let covered =
            document.element(token.node).is_some_and(|e| work.facts.covering(document, e).is_some());
        // A key from the token signed the message, which is claimed: the token alone proves nothing.
        let by_key = work.facts.user.as_ref().is_some_and(|u| u.proved == Some(ProvedBy::UsernameSignature));
        if !covered && !by_key {
            work.context.warn(Warning::TokenUnguarded);
        }
        return Ok(());
    };
    let Some(cache) = work.env.replay else {
        work.context.warn(Warning::NoReplayGuard);
        return Ok(());
    };
    let Some(fact) = &work.facts.user else { return Ok(()) };
    let key = ReplayKey::of_token(fact.user.name(), nonce, &created.text);
    let until = created.time + rule.ttl + rule.future;
    let claimed = cache.claim(&key, Remember::Until(until), work.env.now);
    // Asked after the claim: a memory that is elsewhere may have begun anew, and the claim is what finds that out.
    if claimed == Claim::Fresh && created.time < cache.started() {
        return Err(at(work, token, Reason::ReplayForgotten));
    }
    refused(claimed).map_or(Ok(()), |reason| Err(at(work, token, reason)))
}

/// Claims the Salt of a secret for as long as the reply that is made with it may live, and its making take as long again.
fn claim_salt(work: &Work<'_>, token: &UserToken) -> Result<(), Reject> {
    let secret = work.plan.secret.is_some_and(|rule| rule.from == SecretFrom::User);
    let (Some(salt), Some(cache), Some(fact), true) =
        (&token.salt, work.env.replay, &work.facts.user, secret)
    else {
        return Ok(());
    };
    let key = ReplayKey::of_salt(fact.user.name(), &salt.octets, salt.iterations);
    let life = work.plan.timestamp.map_or(Duration::ZERO, |rule| rule.ttl.saturating_add(rule.skew));
    let remember = Remember::Longer { end: None, least: life.saturating_mul(2) };
    let claimed = cache.claim(&key, remember, work.env.now);
    refused(claimed).map_or(Ok(()), |reason| Err(at(work, token, reason)))
}

/// Why a claim refuses the message, if it does.
fn refused(claim: Claim) -> Option<Reason> {
    match claim {
        Claim::Fresh => None,
        Claim::Repeat => Some(Reason::Replay),
        Claim::Full => Some(Reason::ReplayFull),
        Claim::Stale => Some(Reason::ReplayClock),
        Claim::Unavailable => Some(Reason::ReplayUnavailable),
    }
}
