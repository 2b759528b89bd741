//! The symmetric binding with an X.509 protection token: the plans of the asymmetric one, made with a secret instead of key pairs.
//!
//! The request carries the secret in an EncryptedKey to the recipient's certificate; the reply is made with the same one. Called by `flow` when
//! everything that the bindings have in common is known.

use bartizan_crypto::suite::Suite;
use bartizan_wss::plan::symmetric::builder::{derive_keys, fresh};
use bartizan_wss::plan::{
    InPlan, Inclusion, KeyRef, KeyTransfer, OutPlan, Presence, SecretFrom, SecretOut, SecretRule,
    SecretSource, SignedBy, TokenSent,
};

use super::binding::Secret;
use super::flow::Way;

/// Has a direction protected by the secret; `None` if the suite cannot send one.
pub(super) fn put(
    secret: &Secret,
    suite: &Suite,
    reference: KeyRef,
    way: Way,
    inbound: &mut InPlan,
    outbound: &mut OutPlan,
) -> Option<()> {
    let (from, source) = match way {
        Way::Request => (SecretFrom::Message, fresh(suite, reference)?),
        Way::Reply => (SecretFrom::Request, SecretSource::Request),
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
