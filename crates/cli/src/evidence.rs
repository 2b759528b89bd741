//! What was proved, or which check failed: as text for people and as the JSON object of
//! `verify --json`.

use std::fmt::Write as _;

use bartizan_crypto::alg::Alg;
use bartizan_crypto::base64;
use bartizan_soap::ToFault as _;
use bartizan_wss::context::{PartEvidence, Protection, SeenToken, TokenEvidence};
use bartizan_wss::{Caller, Reject, SecurityContext, Shown, Verified, Warning};
use serde_json::{Value, json};

use crate::verb::help;

/// The verdict as JSON. On refusal `parts`, `caller`, `endorsers` and `body` are null: nothing was proved.
pub(crate) fn to_json(verdict: Result<&Verified, &Reject>, warnings: &[Warning]) -> Value {
    let context = match verdict {
        Ok(verified) => verified.context(),
        Err(reject) => reject.context(),
    };
    let mut all: Vec<String> = context.warnings().iter().map(Warning::to_string).collect();
    all.extend(warnings.iter().map(Warning::to_string));
    let refused = verdict.err();
    let verified = verdict.ok();
    let place = refused.and_then(|reject| reject.place());
    json!({
        "verdict": if refused.is_some() { "refused" } else { "verified" },
        "reason": refused.map(|reject| reject.reason().code()),
        "detail": refused.map(Reject::detail),
        "fault": refused.map(fault),
        "where": place.map(|place| json!({
            "path": (!place.path.is_empty()).then_some(&place.path),
            "offset": place.offset,
        })),
        "parts": verified.map(|_| context.parts().iter().map(part).collect::<Vec<_>>()),
        "tokens": context.tokens().iter().map(token).collect::<Vec<_>>(),
        "algorithms": context.algorithms().iter().map(|alg| alg.uri()).collect::<Vec<_>>(),
        "legacy": context.legacy().map(Alg::uri).collect::<Vec<_>>(),
        "warnings": all,
        "caller": verified.and_then(Verified::caller).map(principal),
        "endorsers": verified.map(|verified| verified.endorsers().iter().map(principal).collect::<Vec<_>>()),
        "body": verified.and_then(Verified::payload).map(|payload| json!({
            "namespace": payload.namespace(),
            "name": payload.local_name(),
        })),
        "signatures_confirmed": context.confirmed(),
        "skew_ms": context.timestamp().map(|timestamp| timestamp.skew_millis),
    })
}

/// Who was proved, and how.
fn principal(who: &Caller) -> Value {
    json!({ "name": who.name(), "proved_by": who.proved_by().name() })
}

/// The fault that goes on the wire, as `prefix:local`.
fn fault(reject: &Reject) -> String {
    match reject.to_fault().subcode() {
        Some(subcode) => format!("{}:{}", subcode.prefix, subcode.local),
        None => help::fault(reject.wire()).to_owned(),
    }
}

fn part(part: &PartEvidence) -> Value {
    json!({
        "part": part.path,
        "id": part.id,
        "signed": part.signed,
        "encrypted": part.encrypted,
        "protection": part.protection.to_string(),
    })
}

fn token(token: &TokenEvidence) -> Value {
    let mut value = match &token.token {
        SeenToken::X509(certificate) => json!({
            "kind": "x509",
            "subject": certificate.subject(),
            "issuer": certificate.issuer(),
            "thumbprint_sha1": base64::encode(&certificate.thumbprint_sha1()),
        }),
        SeenToken::Username { name, password } => json!({
            "kind": "username",
            "username": name,
            "password": password.name(),
        }),
        _ => json!({ "kind": "other" }),
    };
    let more = json!({
        "named_by": token.named.map(|named| named.name()),
        "in_message": token.in_message,
        "used_for": token.used_for.iter().map(|used| used.name()).collect::<Vec<_>>(),
    });
    if let (Some(all), Value::Object(more)) = (value.as_object_mut(), more) {
        all.extend(more);
    }
    value
}

/// The first line of a report: what was verified, or why not.
pub(crate) fn headline(verdict: Result<&Verified, &Reject>) -> String {
    match verdict {
        Ok(verified) => match verified.caller() {
            Some(caller) => {
                format!("verified: sent by {} ({})", Shown(caller.name()), caller.proved_by().name())
            }
            None if nothing_proved(verified.context()) => {
                "accepted: the policy leaves all of it open, and nothing was proved".to_owned()
            }
            None => "verified: nobody is named as the sender".to_owned(),
        },
        Err(reject) => format!("refused: {}", reject.reason().code()),
    }
}

/// Whether a message was let through without a proof of anything.
pub(crate) fn nothing_proved(context: &SecurityContext) -> bool {
    context.signatures().is_empty()
        && context.decryptions() == 0
        && context.parts().iter().all(|part| part.protection == Protection::Open)
}

/// Everything that was seen, for `--explain`.
pub(crate) fn to_text(context: &SecurityContext) -> String {
    let mut out = String::new();
    parts(&mut out, context);
    signatures(&mut out, context);
    if !context.tokens().is_empty() {
        out.push_str("tokens\n");
    }
    for token in context.tokens() {
        let used: Vec<&str> = token.used_for.iter().map(|used| used.name()).collect();
        let named = token.named.map_or("not named", |named| named.name());
        let there = if token.in_message { "in the message" } else { "from the key set" };
        match &token.token {
            SeenToken::X509(certificate) => {
                let _ = writeln!(out, "  {}", Shown(&certificate.subject_display()));
                let _ = writeln!(out, "    issued by {}", Shown(&certificate.issuer_display()));
                let thumbprint = base64::encode(&certificate.thumbprint_sha1());
                let _ = writeln!(out, "    thumbprint (SHA-1) {thumbprint}");
            }
            SeenToken::Username { name, password } => {
                let _ = writeln!(out, "  user {}, password: {}", name.escape_debug(), password.name());
            }
            _ => {}
        }
        let _ = writeln!(out, "    {there}, named by {named}, used for {}", used.join(" and "));
    }
    if !context.algorithms().is_empty() {
        out.push_str("algorithms\n");
    }
    for alg in context.algorithms() {
        let _ = writeln!(out, "  {:<11} {:<18} {}", alg.kind(), alg.short_name(), alg.status().word());
    }
    if let Some(timestamp) = context.timestamp() {
        let created = timestamp.created.map_or("not said".to_owned(), |time| time.to_rfc3339());
        let expires = timestamp.expires.map_or("not said".to_owned(), |time| time.to_rfc3339());
        let skew = timestamp.skew_millis;
        let _ = writeln!(
            out,
            "timestamp\n  created {created}, expires {expires}; our clock less created: {skew} ms"
        );
    }
    // The first is what everybody expects; the number is the policy's, of those that can be used.
    if let Some(further) = context.alternative().filter(|number| *number > 0) {
        let _ = writeln!(out, "policy\n  satisfied by its usable alternative {}", further + 1);
    }
    if !context.endorsers().is_empty() {
        out.push_str("endorsed by\n");
    }
    for who in context.endorsers() {
        let _ = writeln!(out, "  {} ({})", Shown(who.name()), who.proved_by().name());
    }
    if context.confirmed() > 0 {
        let _ = writeln!(
            out,
            "signature confirmation\n  {} of the request's signatures confirmed",
            context.confirmed()
        );
    }
    if context.decryptions() + context.private_operations() > 0 {
        let (opened, private) = (context.decryptions(), context.private_operations());
        let _ = writeln!(out, "work\n  decrypted {opened}, private-key operations {private}");
    }
    out
}

fn parts(out: &mut String, context: &SecurityContext) {
    if !context.parts().is_empty() {
        out.push_str("parts\n");
    }
    for part in context.parts() {
        let id = part.id.as_ref().map_or(String::new(), |id| format!(" (Id {})", Shown(id)));
        let _ = writeln!(out, "  {}{id}\n    {}", part.path, protection(part));
    }
}

/// How a part is protected, in words.
pub(crate) fn protection(part: &PartEvidence) -> String {
    match (part.signed, part.encrypted) {
        (true, true) => format!("signed and encrypted, {}", part.protection),
        (true, false) => format!("signed, {}", part.protection),
        (false, true) => "encrypted".to_owned(),
        (false, false) => format!("not protected, {}", part.protection),
    }
}

fn signatures(out: &mut String, context: &SecurityContext) {
    if !context.signatures().is_empty() {
        out.push_str("signatures\n");
    }
    for (n, signature) in context.signatures().iter().enumerate() {
        let verdict = if signature.verified { "verifies" } else { "does not verify" };
        let _ = writeln!(out, "  {n}: {} {verdict}", signature.path);
        for covered in &signature.covers {
            let _ = writeln!(out, "    covers {covered}");
        }
    }
}

/// A warning in words.
pub(crate) fn sentence(warning: &Warning) -> String {
    match warning {
        Warning::TokenUnused => "a token in the header is used by no signature and was ignored".to_owned(),
        Warning::Layout => "the order of the Security header is not the demanded one".to_owned(),
        Warning::ListEmpty => "a ReferenceList of the Security header names nothing".to_owned(),
        Warning::NotConfirmed => "a signature of the request is not confirmed".to_owned(),
        Warning::ConfirmationInClear => {
            "the request's signature was encrypted, and the peer confirms it in the clear".to_owned()
        }
        Warning::QnamePrefixUncovered(prefix) => {
            format!(
                "the prefix `{}` is used in content, and no covered declaration says what it means",
                Shown(prefix)
            )
        }
        Warning::Uncovered(path) => format!("{path} is shown although nothing covers it"),
        Warning::LeftOut(path) => {
            format!("{path} is left out: its form is many times as long as the message")
        }
        Warning::HeaderNotCovered(path) => format!("{path} is covered by nothing, and not shown"),
        Warning::ReplyNotBound => {
            "nothing binds the reply to this request: it may be the reply to another one".to_owned()
        }
        Warning::NoReplayGuard => {
            "no replay window here: a message that was sent twice is verified twice".to_owned()
        }
        Warning::NoTimestamp => "the message carries no Timestamp: its age is unknown".to_owned(),
        Warning::BodyNotCovered => {
            "nothing that the policy demands covers the Body; it is left out".to_owned()
        }
        Warning::UnprotectedCipher => "ciphertext without integrity is covered by no signature".to_owned(),
        other => other.to_string(),
    }
}
