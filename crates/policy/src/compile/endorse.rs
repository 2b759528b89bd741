//! Endorsing supporting tokens (WS-SecurityPolicy 1.2 §8.3 to §8.8) in plans: a signature of their own over the message's signature, or over the
//! Timestamp under the transport binding.
//!
//! Called by `flow` and `transport` when the rest of a request's plans is known. Not here: reading the assertions (`supporting`).

use bartizan_crypto::alg::SignatureAlg;
use bartizan_wss::part::{Need, Part, Require};
use bartizan_wss::plan::symmetric::builder::derive_keys;
use bartizan_wss::plan::{
    EndorsePlan, EndorseRule, InPlan, Inclusion, KeyRef, OutPlan, Presence, Protect, ProtectionOrder,
    SignPlan, SignedBy, TokenRule, TokenSent,
};
use bartizan_xml::c14n::C14nMethod;

use super::binding::Binding;
use super::flow::Way;
use super::suite::Algorithms;
use super::supporting::Supporting;
use super::token::Supported;
use super::{Findings, Options, References};

/// What of a binding an endorsing signature has to know.
pub(super) struct Around<'a> {
    pub(super) algorithms: &'a Algorithms,
    pub(super) supported: &'a Supported,
    pub(super) options: &'a Options,
    /// ProtectTokens.
    pub(super) protect: bool,
}

/// Whether endorsing tokens go with a binding; what of them does not, or is not built for it, is said.
pub(super) fn judge(
    tokens: &Supporting,
    binding: &Binding,
    required: &[Require],
    findings: &mut Findings,
) -> bool {
    let of_user = tokens.user.as_ref().filter(|user| user.endorses).map(|user| user.at);
    let Some(at) = tokens.endorser.as_ref().map(|endorser| endorser.at).or(of_user) else { return true };
    let mut missing = Vec::new();
    if !required.iter().any(|require| require.signed == Need::Must) {
        missing.push("an endorsing token where nothing has to be signed");
    }
    if of_user.is_some() && binding.secret.as_ref().is_some_and(|secret| secret.user.is_some()) {
        missing.push("a second UsernameToken");
    }
    if tokens.is_hidden() && binding.order == ProtectionOrder::EncryptBeforeSign {
        // Its key is needed before the signature over its ciphertext was checked.
        missing.push("an encrypted endorsing token under EncryptBeforeSigning");
    }
    if let Some(endorser) = &tokens.endorser
        && endorser.token.is_embedded(Way::Request)
        && (endorser.signed || endorser.encrypted || binding.protect_tokens)
    {
        // It stands inside of the signature that it makes.
        missing.push("an embedded endorsing token that is signed or encrypted");
    }
    if tokens.sign_parts() {
        missing.push("SignedParts of an endorsing token that TLS does not carry");
    }
    missing.iter().for_each(|what| findings.not_built(what, at));
    missing.is_empty()
}

/// Has the request of both plans endorsed.
pub(super) fn put(tokens: &Supporting, around: &Around<'_>, inbound: &mut InPlan, outbound: &mut OutPlan) {
    let over_tls = inbound.transport.is_some();
    let suite = &around.algorithms.suite;
    let sign = |by, parts: &[Part], method: SignatureAlg, reference, token| SignPlan {
        parts: over_tls.then_some(Part::Timestamp).into_iter().chain(parts.iter().cloned()).collect(),
        method,
        digest: suite.digest,
        c14n: C14nMethod::Exclusive,
        by,
        reference,
        token,
    };
    let protect = if around.protect { Protect::Token } else { Protect::No };
    if let Some(endorser) = &tokens.endorser {
        // Where TLS protects the message it does so for the token.
        let (signed, encrypted) = (endorser.signed && !over_tls, endorser.encrypted && !over_tls);
        let strict = around.options.references == References::Strict;
        let included = strict && endorser.token.included(Way::Request);
        inbound.endorse.push(EndorseRule {
            by: SignedBy::X509,
            token: TokenRule {
                inclusion: if included { Inclusion::Must } else { Inclusion::Any },
                reference: if strict {
                    endorser.token.accepted(Way::Request, around.supported)
                } else {
                    Vec::new()
                },
                min_rsa: 0,
                protect,
            },
            derived: Presence::MustNot,
            parts: endorser.parts.clone(),
            signed,
            encrypted,
        });
        let (reference, sent) = endorser.token.signing(Way::Request, around.supported);
        let method = around.algorithms.signature;
        outbound.endorse.push(EndorsePlan {
            sign: sign(SignedBy::X509, &endorser.parts, method, reference, sent),
            derived: None,
            signed,
            encrypted: encrypted && sent != TokenSent::No,
            protect: around.protect,
        });
    }
    if let Some(user) = tokens.user.as_ref().filter(|user| user.endorses) {
        inbound.endorse.push(EndorseRule {
            token: TokenRule { protect, ..TokenRule::default() },
            parts: user.parts.clone(),
            derived: if user.derives.is_some() { Presence::Must } else { Presence::MustNot },
            ..EndorseRule::by(SignedBy::UsernameToken)
        });
        let method = suite.symmetric_signature;
        outbound.endorse.push(EndorsePlan {
            sign: sign(SignedBy::UsernameToken, &user.parts, method, KeyRef::Direct, TokenSent::No),
            derived: user.derives.map(|dialect| derive_keys(suite, dialect)),
            signed: false,
            encrypted: false,
            protect: around.protect,
        });
    }
}
