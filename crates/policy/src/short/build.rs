//! The keys of one side as a WS-SecurityPolicy 1.2 expression.

use std::sync::Arc;

use super::keys::Table;
use super::parts::{self, Named};
use crate::assertion::{
    Assertion, Include, Kind, Nested, Parameters, PartItem, PathItem, TokenParameters, Version,
};
use crate::error::{Diagnostic, Position, Problem, nearest};
use crate::model::{Group, Node, Operator};

const SP: Version = Version::Sp12;

/// The expression of one side; `at` is where its table stands.
pub(super) fn expression(keys: &Table<'_>, at: Position, diagnostics: &mut Vec<Diagnostic>) -> Group {
    binding_word(keys, diagnostics);
    let list = |key, default: &[&'static str], diagnostics: &mut Vec<Diagnostic>| match keys
        .list(key, diagnostics)
    {
        Some(list) => parts::read(key, &list, diagnostics),
        None => {
            let list: Vec<_> = default.iter().map(|word| (at, *word)).collect();
            parts::read(key, &list, diagnostics)
        }
    };
    let timestamp = timestamp_wanted(keys, diagnostics);
    let default: &[&'static str] = if timestamp == Some(false) { &["body"] } else { &["body", "timestamp"] };
    let signed = list("sign", default, diagnostics);
    let encrypted = list("encrypt", &["body"], diagnostics);
    if let (Some(false), Some(said)) = (timestamp, signed.timestamp) {
        let problem = Problem::Contradiction { name: "timestamp", other: "timestamp = false" };
        diagnostics.push(Diagnostic::new(problem, Some(said)));
    }
    let with_timestamp = signed.timestamp.is_some() || timestamp == Some(true);
    let mut assertions = vec![asymmetric(keys, at, with_timestamp, &signed, &encrypted, diagnostics)];
    if keys.boolean("signature_confirmation", false, diagnostics) {
        let at = keys.get("signature_confirmation").map_or(at, |value| value.at);
        assertions.push(with(Kind::Wss11, at, vec![flag(Kind::RequireSignatureConfirmation, at)]));
    }
    let mut named = |parts: Vec<PartItem>, paths: Vec<PathItem>, of_parts: Kind, of_paths: Kind| {
        if !parts.is_empty() {
            assertions.push(Assertion { parameters: Parameters::Parts(parts), ..flag(of_parts, at) });
        }
        if !paths.is_empty() {
            let parameters = Parameters::Paths { version: "1.0".into(), paths };
            assertions.push(Assertion { parameters, ..flag(of_paths, at) });
        }
    };
    named(signed.parts, signed.paths, Kind::SignedParts, Kind::SignedElements);
    named(encrypted.parts, encrypted.paths, Kind::EncryptedParts, Kind::EncryptedElements);
    group(assertions)
}

fn flag(kind: Kind, at: Position) -> Assertion {
    Assertion::flag(kind, SP, at)
}

fn group(assertions: Vec<Assertion>) -> Group {
    Group::new(Operator::Policy, assertions.into_iter().map(|one| Node::Assertion(Arc::new(one))).collect())
}

fn with(kind: Kind, at: Position, nested: Vec<Assertion>) -> Assertion {
    Assertion { nested: Nested::Written(Arc::new(group(nested))), ..flag(kind, at) }
}

/// Whether a Timestamp is wanted: said yes, said no, or left to `sign`.
fn timestamp_wanted(keys: &Table<'_>, diagnostics: &mut Vec<Diagnostic>) -> Option<bool> {
    let value = keys.get("timestamp")?;
    if value.value.is_table() {
        return Some(true);
    }
    Some(keys.boolean("timestamp", false, diagnostics))
}

fn binding_word(keys: &Table<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let words = [
        ("asymmetric", None),
        ("symmetric", Some(Kind::SymmetricBinding)),
        ("transport", Some(Kind::TransportBinding)),
    ];
    if let Some(Some(kind)) = keys.word("binding", &words, diagnostics) {
        let at = keys.get("binding").map(|value| value.at);
        diagnostics.push(Diagnostic::new(Problem::NotCompiled { name: kind.name() }, at).as_error());
    }
}

fn asymmetric(
    keys: &Table<'_>,
    at: Position,
    timestamp: bool,
    signed: &Named,
    encrypted: &Named,
    diagnostics: &mut Vec<Diagnostic>,
) -> Assertion {
    let includes = [
        ("never", (Include::Never, Include::Never)),
        ("request", (Include::AlwaysToRecipient, Include::Never)),
        ("both", (Include::AlwaysToRecipient, Include::AlwaysToInitiator)),
    ];
    let include = keys.word("include_token", &includes, diagnostics);
    let (initiator, recipient) = include.unwrap_or((Include::AlwaysToRecipient, Include::Never));
    let references = [
        ("thumbprint", Kind::RequireThumbprintReference),
        ("issuer-serial", Kind::RequireIssuerSerialReference),
        ("ski", Kind::RequireKeyIdentifierReference),
        ("embedded", Kind::RequireEmbeddedTokenReference),
    ];
    let reference =
        keys.word("reference", &references, diagnostics).unwrap_or(Kind::RequireThumbprintReference);
    let layouts = [
        ("strict", Kind::Strict),
        ("lax", Kind::Lax),
        ("timestamp-first", Kind::LaxTsFirst),
        ("timestamp-last", Kind::LaxTsLast),
    ];
    let layout = keys.word("layout", &layouts, diagnostics).unwrap_or(Kind::Strict);
    let token = |kind, include| {
        let nested = with(Kind::X509Token, at, vec![flag(reference, at), flag(Kind::WssX509V3Token10, at)]);
        let parameters = Parameters::Token(TokenParameters { include, ..TokenParameters::default() });
        with(kind, at, vec![Assertion { parameters, ..nested }])
    };
    let (suite, version, suite_at) = suite(keys, at, diagnostics);
    let suite = Assertion::flag(suite, version, suite_at);
    let mut nested = vec![
        token(Kind::InitiatorToken, initiator),
        token(Kind::RecipientToken, recipient),
        with(Kind::AlgorithmSuite, suite_at, vec![suite]),
        with(Kind::Layout, at, vec![flag(layout, at)]),
    ];
    let flags = [
        (timestamp, Kind::IncludeTimestamp, signed.timestamp),
        (keys.boolean("encrypt_first", false, diagnostics), Kind::EncryptBeforeSigning, None),
        (encrypted.signature.is_some(), Kind::EncryptSignature, encrypted.signature),
        (signed.token.is_some(), Kind::ProtectTokens, signed.token),
        (keys.boolean("whole_parts", true, diagnostics), Kind::OnlySignEntireHeadersAndBody, None),
    ];
    nested.extend(
        flags.into_iter().filter(|(said, ..)| *said).map(|(_, kind, place)| flag(kind, place.unwrap_or(at))),
    );
    with(Kind::AsymmetricBinding, at, nested)
}

/// The suite's assertion; an unknown name is an error with the nearest known one.
fn suite(keys: &Table<'_>, at: Position, diagnostics: &mut Vec<Diagnostic>) -> (Kind, Version, Position) {
    let default = (Kind::ModernRsa, Version::Own, at);
    let Some(value) = keys.get("suite") else { return default };
    let names = Kind::suites().map(|(name, _)| name);
    let found = value.value.as_str().and_then(|written| Kind::suites().find(|(name, _)| *name == written));
    match found {
        Some((_, kind)) => {
            let version = if kind.since().is_security() { SP } else { kind.since() };
            (kind, version, value.at)
        }
        None => {
            let shown: Box<str> = value.value.as_str().unwrap_or_else(|| value.value.type_str()).into();
            let nearest = nearest::nearest(&shown, names);
            let problem = Problem::BadValue {
                key: "suite",
                value: shown,
                expected: "a suite name, such as \"modern-rsa\", \"modern-ec\" or \"Basic256Sha256\"",
                nearest,
            };
            diagnostics.push(Diagnostic::new(problem, Some(value.at)));
            default
        }
    }
}
