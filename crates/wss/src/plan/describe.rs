//! A plan in words: what is demanded of a message and what is put on one.
//!
//! Not here: the policy the plan came from. Called by `policy explain`, by logs at start-up and by tests.

use super::{
    ConfirmationRule, Derive, EncryptTo, EndorsePlan, EndorseRule, InPlan, KeyTransfer, Layout, OutPlan,
    PasswordForm, Plan, Presence, Protect, ProtectionOrder, SecretFrom, SecretOut, SecretRule, SecretSource,
    Side, SignedBy, Surplus, Targets, TokenSent, UsernameOut, UsernameRule,
};
use crate::part::Need;

impl Plan {
    /// One sentence a line: first what is demanded of what comes in, then what is put on what goes out.
    #[must_use]
    pub fn describe(&self) -> Vec<String> {
        let (coming, going) = match self.side() {
            Side::Initiator => ("reply", "request"),
            Side::Recipient => ("request", "reply"),
        };
        let mut out = demands(self.inbound(), coming);
        out.extend(additions(self.outbound(), going));
        out
    }
}

fn demands(plan: &InPlan, message: &str) -> Vec<String> {
    let mut out = Vec::new();
    for need in &plan.required {
        for (what, level) in [("signed", need.signed), ("encrypted", need.encrypted)] {
            match level {
                Need::No => {}
                Need::Must => out.push(format!("{message}: {} must be {what}", need.part)),
                Need::IfPresent => {
                    out.push(format!("{message}: {} must be {what} where it is present", need.part))
                }
            }
        }
    }
    for part in &plan.open_parts {
        out.push(format!("{message}: {part} is left open"));
    }
    if let Some(rule) = plan.transport {
        out.push(format!("{message}: comes over TLS, which protects Body and headers"));
        if rule.client_certificate {
            out.push(format!("{message}: the client shows a certificate to TLS"));
        }
    }
    if let Some(rule) = &plan.username {
        out.push(format!("{message}: {}", username(rule)));
    }
    if plan.signed_by == SignedBy::UsernameToken {
        out.push(format!("{message}: the signature is made with a key derived from the UsernameToken"));
    }
    out.extend(plan.endorse.iter().map(|rule| format!("{message}: {}", endorsed(plan, rule))));
    if let Some(rule) = plan.timestamp {
        out.push(format!(
            "{message}: a Timestamp, at most {} s old, clocks may differ by {} s",
            rule.ttl.as_secs(),
            rule.skew.as_secs()
        ));
    }
    match plan.confirmation {
        ConfirmationRule::Demand => {
            out.push(format!("{message}: every signature of the request is confirmed exactly once, signed"))
        }
        ConfirmationRule::Warn => {
            out.push(format!("{message}: a missing SignatureConfirmation is only a warning"))
        }
        ConfirmationRule::Ignore => {}
    }
    if plan.wants_signature() && plan.wants_encryption() {
        out.push(match plan.order {
            ProtectionOrder::SignBeforeEncrypt => format!("{message}: signed first, then encrypted"),
            ProtectionOrder::EncryptBeforeSign => format!("{message}: encrypted first, then signed"),
            ProtectionOrder::AsFound => format!("{message}: signed and encrypted in either order"),
        });
    }
    if plan.header.targets == Targets::Whole {
        out.push(format!(
            "{message}: a signature covers only whole header blocks, the Body and security elements"
        ));
    }
    match plan.header.layout {
        Layout::Strict => {
            out.push(format!("{message}: things stand before their use in the Security header"))
        }
        Layout::LaxTimestampFirst => {
            out.push(format!("{message}: the Timestamp stands first in the Security header"))
        }
        Layout::LaxTimestampLast => {
            out.push(format!("{message}: the Timestamp stands last in the Security header"))
        }
        Layout::Lax => {}
    }
    if plan.token.protect == Protect::Token {
        out.push(format!("{message}: the signing token is signed, too"));
    }
    if plan.surplus == Surplus::Refuse && !plan.required.is_empty() {
        out.push(format!("{message}: protection that is not asked for is refused"));
    }
    out.extend(plan.secret.map(|rule| format!("{message}: {}", secret(rule))));
    if plan.open {
        out.push(format!("{message}: no authentication is demanded (open)"));
    }
    out
}

/// What is demanded of an endorsing signature.
fn endorsed(plan: &InPlan, rule: &EndorseRule) -> String {
    let what = if plan.transport.is_some() { "the Timestamp" } else { "the signature" };
    let whose = match rule.by {
        SignedBy::X509 => "a trusted certificate, other than the signer's",
        SignedBy::UsernameToken => "the user of the UsernameToken, with a key derived from the password",
        SignedBy::Secret => "the shared secret",
    };
    let mut text = format!("{what} is endorsed: signed once more by {whose}");
    for (demanded, word) in [(rule.signed, "signed"), (rule.encrypted, "encrypted")] {
        if demanded {
            text.push_str(&format!("; its certificate, where it is sent, is {word}"));
        }
    }
    if rule.token.protect == Protect::Token {
        text.push_str("; that signature covers its own token, too");
    }
    text
}

/// Where the shared secret comes from.
fn secret(rule: SecretRule) -> String {
    let from = match rule.from {
        SecretFrom::Message => "out of an EncryptedKey of the message, which says nothing about who sent it",
        SecretFrom::User => "derived from the user's password as the UsernameToken says",
        SecretFrom::Request => "that of the request",
    };
    let derived = match rule.derived {
        Presence::Must => ", used through derived keys only",
        Presence::May => "",
        Presence::MustNot => ", used as it is",
    };
    format!("the shared secret is {from}{derived}")
}

/// What is demanded of a UsernameToken.
fn username(rule: &UsernameRule) -> String {
    let mut text = match rule.need {
        Need::Must => "a UsernameToken".to_owned(),
        Need::IfPresent | Need::No => "a UsernameToken, if there is one,".to_owned(),
    };
    let forms: Vec<&str> = rule.passwords.iter().map(PasswordForm::name).collect();
    if !forms.is_empty() {
        text.push_str(&format!(" with password ({})", forms.join(" or ")));
    }
    for (what, presence) in [("Nonce", rule.nonce), ("Created", rule.created)] {
        match presence {
            Presence::Must => text.push_str(&format!(", with {what}")),
            Presence::MustNot => text.push_str(&format!(", without {what}")),
            Presence::May => {}
        }
    }
    text.push_str(&format!(", at most {} s old by its Created", rule.ttl.as_secs()));
    text
}

/// The shared secret that is used.
fn secret_sent(secret: &SecretOut) -> String {
    let source = match secret.source {
        SecretSource::Fresh { .. } => "a fresh secret in an EncryptedKey to the peer",
        SecretSource::User => "a secret derived from the password, as the UsernameToken says",
        SecretSource::Request => "the secret of the request",
    };
    let derived = if secret.derived.is_some() { ", keys are derived from it" } else { "" };
    format!("{source}{derived}")
}

/// The UsernameToken that is sent.
fn username_sent(token: &UsernameOut) -> String {
    let key = match token.derive {
        Some(Derive::Wse { .. }) => ", a WSE-style key is derived from it",
        Some(Derive::Profile { .. }) => ", a key is derived from it, so that it carries no password",
        None => "",
    };
    format!("a UsernameToken (password: {}){key}", token.password.name())
}

/// An endorsing signature that is put on.
fn endorses(plan: &OutPlan, endorse: &EndorsePlan) -> String {
    let what = if plan.sign.is_some() { "the signature" } else { "the Timestamp" };
    let key = match endorse.sign.by {
        SignedBy::X509 => format!("another key of ours, named by {}", endorse.sign.reference.name()),
        SignedBy::UsernameToken => "a key derived from the UsernameToken".to_owned(),
        SignedBy::Secret => "the shared secret".to_owned(),
    };
    format!("endorses {what} with {} by {key}", endorse.sign.method.short_name())
}

fn additions(plan: &OutPlan, message: &str) -> Vec<String> {
    let mut out = Vec::new();
    if let Some(sign) = &plan.sign {
        let parts: Vec<String> = sign.parts.iter().map(ToString::to_string).collect();
        out.push(format!(
            "{message}: signs {} with {} over {}",
            parts.join(", "),
            sign.method.short_name(),
            sign.digest.short_name()
        ));
        let token = match (sign.by, sign.token) {
            (SignedBy::UsernameToken, _) => "the key is derived from the UsernameToken".to_owned(),
            (SignedBy::Secret, _) => "the key is the shared secret, or derived from it".to_owned(),
            (SignedBy::X509, sent) => {
                let sent = match sent {
                    TokenSent::No => "our certificate is not sent",
                    TokenSent::X509 => "our certificate is sent",
                    TokenSent::PkiPath => "our certificate is sent with its chain",
                };
                format!("{sent}, our key is named by {}", sign.reference.name())
            }
        };
        out.push(format!("{message}: {token}"));
    }
    out.extend(plan.endorse.iter().map(|one| format!("{message}: {}", endorses(plan, one))));
    if let Some(encrypt) = &plan.encrypt {
        let parts: Vec<String> = encrypt.parts.iter().map(|p| p.part.to_string()).collect();
        let key = match &encrypt.key {
            KeyTransfer::Transport { method, .. } => method.short_name().to_owned(),
            KeyTransfer::Secret => "the shared secret, or derivation from it,".to_owned(),
            KeyTransfer::UsernameToken => "derivation from the UsernameToken".to_owned(),
            KeyTransfer::Agreement { method, kdf, wrap, .. } => {
                format!("{} with {} and {}", method.short_name(), kdf.short_name(), wrap.short_name())
            }
        };
        let whom = match encrypt.to {
            EncryptTo::Peer => "the peer",
            EncryptTo::Requester => "the signer of the request",
        };
        out.push(format!(
            "{message}: encrypts {} with {}, key by {key} to {whom}, named by {}",
            parts.join(", "),
            encrypt.cipher.short_name(),
            encrypt.reference.name()
        ));
    }
    out.extend(plan.secret.as_ref().map(|secret| format!("{message}: {}", secret_sent(secret))));
    out.extend(plan.username.as_ref().map(|token| format!("{message}: {}", username_sent(token))));
    if let Some(stamp) = plan.timestamp {
        out.push(format!("{message}: a Timestamp that lives {} s", stamp.ttl.as_secs()));
    }
    if plan.over_tls {
        out.push(format!("{message}: goes over TLS only"));
    }
    if plan.confirmation {
        out.push(format!("{message}: confirms the signatures of the request"));
    }
    out
}
