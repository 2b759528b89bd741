//! The sentences. Short, in the words of the specification where it has one.

use bartizan_wss::part::{EncryptHow, EncryptPart, Need, Part};
use bartizan_wss::plan::{
    Breach, ConfirmationRule, EncryptPlan, EncryptTo, InPlan, Inclusion, KeyRef, KeyTransfer, Layout,
    OutPlan, Precision, Presence, Protect, ProtectionOrder, SecretFrom, SecretOut, SecretRule, SecretSource,
    SignPlan, SignedBy, Style, Targets, TokenSent,
};

use super::{Explanation, Message};

mod endorse;
mod username;

/// A part as people say it.
fn part(part: &Part) -> String {
    match part {
        Part::Body => "the Body".to_owned(),
        Part::Header { ns, local: Some(local) } => format!("the header {{{ns}}}{local}"),
        Part::Header { ns, local: None } => format!("every header of {ns}"),
        Part::Headers => "every header addressed to the receiver".to_owned(),
        Part::Timestamp => "the Timestamp".to_owned(),
        Part::Token => "the signing token".to_owned(),
        Part::UsernameToken => "the UsernameToken".to_owned(),
        Part::Signature => "the signature".to_owned(),
        Part::SignatureConfirmation => "the SignatureConfirmation".to_owned(),
        Part::Element { text, .. } => format!("the elements {text}"),
    }
}

pub(super) fn demanded(plan: &InPlan) -> Vec<String> {
    let mut out = Vec::new();
    for require in &plan.required {
        let name = part(&require.part);
        out.push(match (require.signed, require.encrypted) {
            (Need::Must, Need::Must) => format!("{name} is signed and encrypted"),
            (Need::Must, Need::No) => format!("{name} is signed"),
            (Need::No, Need::Must) => format!("{name} is encrypted"),
            (Need::No, Need::No) => format!("{name} is there"),
            (Need::IfPresent, Need::No) => format!("{name}, if there, is signed"),
            (Need::No, Need::IfPresent) => format!("{name}, if there, is encrypted"),
            (Need::IfPresent, Need::IfPresent) => format!("{name}, if there, is signed and encrypted"),
            (Need::Must, Need::IfPresent) => format!("{name} is signed, and encrypted if there"),
            (Need::IfPresent, Need::Must) => format!("{name} is encrypted, and signed if there"),
        });
    }
    if plan.wants_signature() && plan.wants_encryption() {
        out.push(match plan.order {
            ProtectionOrder::SignBeforeEncrypt => "the signature is over the plaintext".to_owned(),
            ProtectionOrder::EncryptBeforeSign => "the signature is over the ciphertext".to_owned(),
            ProtectionOrder::AsFound => "signature and encryption may come in either order".to_owned(),
        });
    }
    if let Some(rule) = plan.timestamp {
        let (ttl, skew) = (rule.ttl.as_secs(), rule.skew.as_secs());
        out.push(format!("a Timestamp at most {ttl} s old, with clocks that differ by at most {skew} s"));
        if let Some(future) = rule.future {
            out.push(format!("its Created at most {} s in the future", future.as_secs()));
        }
        if rule.require_expires {
            out.push("its Expires is there".to_owned());
        }
        if !rule.strict {
            out.push("its Expires is not looked at, only its age".to_owned());
        }
    }
    if let Some(rule) = &plan.username {
        username::demanded(rule, &mut out);
    }
    if let Some(rule) = plan.secret {
        out.push(secret(rule).to_owned());
    }
    match plan.confirmation {
        ConfirmationRule::Demand => {
            out.push("each signature of the request is confirmed once, under the signature".to_owned());
        }
        ConfirmationRule::Warn => out.push("a missing SignatureConfirmation is a warning".to_owned()),
        ConfirmationRule::Ignore => {}
    }
    if plan.wants_signature() {
        match plan.signed_by {
            SignedBy::X509 => token(plan, &mut out),
            SignedBy::Secret => {
                out.push("the signature is made with a shared secret".to_owned());
                if plan.token.protect == Protect::Token {
                    out.push(
                        "what the secret stands in is signed too, where it is in the message".to_owned(),
                    );
                }
            }
            SignedBy::UsernameToken => {
                out.push("the signature is made with a key derived from the user's password".to_owned());
            }
        }
        header(plan, &mut out);
    }
    endorse::demanded(plan, &mut out);
    if plan.lone_cipher == Breach::Warn && plan.wants_encryption() {
        out.push("ciphertext that can be changed unnoticed is a warning".to_owned());
    }
    for open in &plan.open_parts {
        out.push(format!("{} is left open and proves nothing", part(open)));
    }
    if plan.open {
        out.push("no authentication at all (open)".to_owned());
    }
    out
}

/// Where the secret of a message comes from, and what that proves.
fn secret(rule: SecretRule) -> &'static str {
    match (rule.from, rule.derived) {
        (SecretFrom::Message, Presence::Must) => {
            "keys derived from a secret in an EncryptedKey, which anybody can send"
        }
        (SecretFrom::Message, _) => "a shared secret in an EncryptedKey, which anybody can send",
        (SecretFrom::User, Presence::Must) => {
            "keys derived from the user's password by the UsernameToken; whoever sees a message can try passwords on it"
        }
        (SecretFrom::User, _) => {
            "a key derived from the user's password by the UsernameToken; whoever sees a message can try passwords on it"
        }
        (SecretFrom::Request, Presence::Must) => {
            "keys derived from the secret of the request, which only its recipient has"
        }
        (SecretFrom::Request, _) => "the secret of the request, which only its recipient has",
    }
}

fn token(plan: &InPlan, out: &mut Vec<String>) {
    if plan.token.inclusion == Inclusion::Must {
        out.push("the signer's certificate is in the message".to_owned());
    }
    if !plan.token.reference.is_empty() {
        let names: Vec<&str> = plan.token.reference.iter().map(|form| key_name(*form)).collect();
        out.push(format!("the signer's key is named by {}", names.join(" or ")));
    }
    if plan.token.protect == Protect::Token {
        out.push("the signer's certificate is signed too, where it is in the message".to_owned());
    }
}

fn header(plan: &InPlan, out: &mut Vec<String>) {
    if plan.header.targets == Targets::Whole {
        out.push("signatures cover the Body and whole headers only".to_owned());
    }
    let breach = match plan.header.breach {
        Breach::Refuse => "",
        Breach::Warn => " (a breach is a warning)",
    };
    match plan.header.layout {
        Layout::Strict => out.push(format!("in the Security header things stand before their use{breach}")),
        Layout::LaxTimestampFirst => {
            out.push(format!("the Timestamp stands first in the Security header{breach}"))
        }
        Layout::LaxTimestampLast => {
            out.push(format!("the Timestamp stands last in the Security header{breach}"))
        }
        Layout::Lax => {}
    }
}

fn key_name(form: KeyRef) -> &'static str {
    match form {
        KeyRef::Direct => "a reference to the certificate in the message",
        KeyRef::Embedded => "the certificate inside of the reference",
        KeyRef::ThumbprintSha1 => "the SHA-1 thumbprint of its certificate",
        KeyRef::ThumbprintSha256 => "the SHA-256 thumbprint of its certificate",
        KeyRef::SubjectKeyIdentifier => "its subject key identifier",
        KeyRef::RawCertificate => "a key identifier that holds the certificate",
        KeyRef::IssuerSerial => "issuer and serial number",
        KeyRef::X509Certificate => "X509Data with the certificate",
        KeyRef::SubjectName => "the subject's name",
        KeyRef::KeyName => "a key name",
        KeyRef::KeyValue => "the key itself",
        KeyRef::EncryptedKeySha1 => "the SHA-1 of an encrypted key",
    }
}

pub(super) fn put_on(plan: &OutPlan) -> Vec<String> {
    if plan.is_plain() {
        return vec!["nothing".to_owned()];
    }
    let mut out = Vec::new();
    if let Some(stamp) = plan.timestamp {
        let precision = match stamp.precision {
            Precision::Milliseconds => "",
            Precision::Seconds => ", in whole seconds",
        };
        out.push(format!("a Timestamp that lives {} s{precision}", stamp.ttl.as_secs()));
    }
    if let Some(token) = &plan.username {
        username::put_on(token, &mut out);
    }
    if plan.confirmation {
        out.push("a SignatureConfirmation for each signature of the request".to_owned());
    }
    if let Some(secret) = &plan.secret {
        secret_out(secret, &mut out);
    }
    if let Some(sign) = &plan.sign {
        signature(sign, &mut out);
    }
    endorse::put_on(plan, &mut out);
    if let Some(encrypt) = &plan.encrypt {
        encryption(encrypt, &mut out);
    }
    if plan.style == Style::Wss4j15 {
        out.push("all of it as WSS4J 1.5 writes it".to_owned());
    }
    out
}

fn secret_out(plan: &SecretOut, out: &mut Vec<String>) {
    match &plan.source {
        SecretSource::Fresh { method, reference, .. } => out.push(format!(
            "a fresh secret to the configured peer ({}), named by {}",
            method.short_name(),
            key_name(*reference)
        )),
        SecretSource::User => {
            out.push("a secret derived from the password, as the UsernameToken says".to_owned())
        }
        SecretSource::Request => {
            out.push("the secret of the request, named by its SHA-1 or its UsernameToken".to_owned())
        }
    }
    if plan.derived.is_some() {
        out.push("a key derived from it for each use".to_owned());
    }
}

fn signature(sign: &SignPlan, out: &mut Vec<String>) {
    let parts: Vec<String> = sign.parts.iter().map(part).collect();
    let (method, digest) = (sign.method.short_name(), sign.digest.short_name());
    out.push(format!("a signature over {} ({method}, digest {digest})", parts.join(", ")));
    match sign.by {
        SignedBy::X509 => {}
        SignedBy::UsernameToken => {
            out.push("the signing key derived from the password, named by the UsernameToken".to_owned());
            return;
        }
        SignedBy::Secret => return,
    }
    out.push(format!("the signing key named by {}", key_name(sign.reference)));
    match sign.token {
        TokenSent::No => {}
        TokenSent::X509 => out.push("the signer's certificate".to_owned()),
        TokenSent::PkiPath => out.push("the signer's certificate with its chain".to_owned()),
    }
}

fn encryption(encrypt: &EncryptPlan, out: &mut Vec<String>) {
    let what = |one: &EncryptPart| match (&one.part, one.how) {
        (Part::Body, _) => "the content of the Body".to_owned(),
        (other, EncryptHow::Content) => format!("the content of {}", part(other)),
        (other, EncryptHow::Element) => part(other),
    };
    let parts: Vec<String> = encrypt.parts.iter().map(what).collect();
    let key = match &encrypt.key {
        KeyTransfer::Transport { method, .. } => format!("key by {}", method.short_name()),
        KeyTransfer::UsernameToken => "key derived from the UsernameToken".to_owned(),
        KeyTransfer::Secret => "under the shared secret".to_owned(),
        KeyTransfer::Agreement { method, kdf, wrap, .. } => {
            format!("key by {}, {}, {}", method.short_name(), kdf.short_name(), wrap.short_name())
        }
    };
    out.push(format!("encryption of {} ({}, {key})", parts.join(", "), encrypt.cipher.short_name()));
    if matches!(encrypt.key, KeyTransfer::Secret | KeyTransfer::UsernameToken) {
        return;
    }
    let whom = match encrypt.to {
        EncryptTo::Peer => "to the configured peer",
        EncryptTo::Requester => "to the certificate that signed the request",
    };
    out.push(format!("the content key {whom}, named by {}", key_name(encrypt.reference)));
}

pub(super) fn text(explanation: &Explanation) -> String {
    let mut out = String::new();
    let name = explanation.name.as_deref().unwrap_or("policy");
    let which = match (explanation.alternatives, explanation.alternative) {
        (0 | 1, _) | (_, None) => String::new(),
        (all, Some(used)) => format!(" (alternative {} of {all})", used + 1),
    };
    out.push_str(&format!("{name}{which}\n"));
    for (title, message) in [("request", &explanation.request), ("reply", &explanation.reply)] {
        say(&mut out, title, message);
    }
    if let Some(addressing) = explanation.addressing {
        out.push_str(&format!("\naddressing: WS-Addressing {addressing} headers\n"));
    }
    out.push_str("\nalgorithms\n");
    let of_reply =
        explanation.reply.algorithms.iter().filter(|alg| !explanation.request.algorithms.contains(alg));
    for (alg, note) in explanation
        .request
        .algorithms
        .iter()
        .map(|alg| (alg, ""))
        .chain(of_reply.map(|alg| (alg, " (reply)")))
    {
        out.push_str(&format!("  {:<10} {:<16} {:<7} {}{note}\n", alg.kind, alg.name, alg.status, alg.uri));
    }
    if !explanation.legacy.is_empty() {
        out.push_str(&format!("\nlegacy: {}\n", explanation.legacy.join(", ")));
    }
    out
}

fn say(out: &mut String, title: &str, message: &Message) {
    out.push_str(&format!("\n{title}\n  demanded of it\n"));
    for sentence in &message.demanded {
        out.push_str(&format!("    {sentence}\n"));
    }
    if message.demanded.is_empty() {
        out.push_str("    nothing\n");
    }
    out.push_str("  put on it\n");
    for sentence in &message.put_on {
        out.push_str(&format!("    {sentence}\n"));
    }
    match message.why_not {
        None => out.push_str("  streams: nothing keeps it from being verified while it arrives\n"),
        Some(why) => out.push_str(&format!("  does not stream: {why}\n")),
    }
}
