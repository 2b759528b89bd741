//! The symmetric binding: the plans of the asymmetric one, made with a secret instead of key pairs.
//!
//! The request carries the secret in an EncryptedKey to the recipient's certificate, or a UsernameToken by which both sides derive it from the
//! user's password; the reply is made with the same one. Called by `flow` when everything that the bindings have in common is known.

use bartizan_crypto::suite::Suite;
use bartizan_wss::plan::symmetric::builder::{derive_keys, fresh};
use bartizan_wss::plan::username::PROFILE_KEY_LEN;
use bartizan_wss::plan::{
    InPlan, Inclusion, KeyRef, KeyTransfer, OutPlan, PasswordForm, Presence, SecretFrom, SecretOut,
    SecretRule, SecretSource, SignedBy, TokenSent,
};

use super::Findings;
use super::binding::Secret;
use super::flow::Way;
use super::supporting::UserToken;
use crate::assertion::Kind;
use crate::error::{Position, Problem};

/// Has a direction protected by the secret; `None` if the suite cannot send one.
pub(super) fn put(
    secret: &Secret,
    suite: &Suite,
    reference: KeyRef,
    way: Way,
    inbound: &mut InPlan,
    outbound: &mut OutPlan,
) -> Option<()> {
    let (from, source) = match (way, &secret.user) {
        (Way::Request, Some(user)) => {
            let mut rule = user.rule.clone();
            if !inbound.wants_signature() {
                // A key that only opens proves nobody: such a plan is open, and the token names whose key it is.
                rule.passwords = vec![PasswordForm::Absent];
            }
            inbound.username = Some(rule);
            outbound.username = Some(user.out.clone());
            (SecretFrom::User, SecretSource::User)
        }
        (Way::Request, None) => (SecretFrom::Message, fresh(suite, reference)?),
        (Way::Reply, _) => (SecretFrom::Request, SecretSource::Request),
    };
    inbound.secret = Some(SecretRule {
        from,
        length: suite.cipher.key_len(),
        derived: if secret.derived.is_some() { Presence::Must } else { Presence::MustNot },
    });
    // The certificate is the recipient's own: who signs has none to send or to name.
    inbound.token.inclusion = Inclusion::Any;
    inbound.token.reference.clear();
    if inbound.wants_signature() {
        inbound.signed_by = SignedBy::Secret;
    }
    if let Some(sign) = &mut outbound.sign {
        sign.by = SignedBy::Secret;
        sign.method = suite.symmetric_signature;
        sign.reference = KeyRef::Direct;
        sign.token = TokenSent::No;
    }
    if let Some(encrypt) = &mut outbound.encrypt {
        encrypt.key = KeyTransfer::Secret;
    }
    if outbound.sign.is_some() || outbound.encrypt.is_some() {
        let derived = secret.derived.map(|dialect| derive_keys(suite, dialect));
        outbound.secret = Some(SecretOut { source, derived });
    }
    Some(())
}

/// What can be known of a password's key before any message: whether it is long enough for what it is to do, and the only token of the request;
/// `second` is another one.
pub(super) fn judge(
    secret: &Secret,
    second: Option<&UserToken>,
    suite: &Suite,
    (encrypts, at): (bool, Position),
    findings: &mut Findings,
) {
    if let (Some(second), Some(_)) = (second, &secret.user) {
        findings.not_built("a second UsernameToken", second.at);
    }
    let short = suite.cipher.key_len() > PROFILE_KEY_LEN;
    if secret.user.is_some() && secret.derived.is_none() && encrypts && short {
        let reason = "the key that a password gives has 160 bits, fewer than the suite's cipher: say RequireDerivedKeys, or a suite of 128 bits";
        findings.say(Problem::RefusedName { name: Kind::UsernameToken.name(), reason }, at);
    }
}
