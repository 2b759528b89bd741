//! The grammar of `signatureParts` and `encryptionParts`: `{mode}{namespace}local;…`.
//!
//! No mode is Content, no namespace is the envelope's, the namespace `Null` is none. WSS4J 1.5 takes the first element of
//! that name wherever it stands; here a part is a place: the Body, our own security elements, a WS-Addressing header, or
//! every element of that name.

use bartizan_wss::part::{EncryptHow, EncryptPart, Part};
use bartizan_xml::names::ns;

use super::value::Values;
use crate::compile::MAX_PARTS;
use crate::error::Problem;

/// What a list is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    Sign,
    Encrypt,
}

const EXPECTED: &str = "parts like \"{Element}{namespace}name; {}{namespace}name\", or \"Body\"";

impl Values<'_, '_> {
    /// The parts of a list; `None` if the block has none.
    pub(super) fn parts(&mut self, key: &'static str, used: Use) -> Option<Vec<EncryptPart>> {
        let entry = self.entry(key)?;
        let mut parts: Vec<EncryptPart> = Vec::new();
        let items: Vec<&str> = entry.text.split(';').map(str::trim).filter(|item| !item.is_empty()).collect();
        if items.len() > MAX_PARTS {
            self.findings.say(Problem::TooManyParts { count: items.len(), limit: MAX_PARTS }, entry.at);
            return Some(parts);
        }
        for item in items {
            match one(item, used) {
                Some(Ok(part)) if parts.iter().any(|known| known.part == part.part) => {}
                Some(Ok(part)) => parts.push(part),
                Some(Err(what)) => self.findings.not_built(what, entry.at),
                None => {
                    let problem =
                        Problem::BadValue { key, value: item.into(), expected: EXPECTED, nearest: None };
                    self.findings.say(problem, entry.at);
                }
            }
        }
        Some(parts)
    }
}

/// One part; `None` if it is not in the grammar, an error for what is known and not built.
fn one(item: &str, used: Use) -> Option<Result<EncryptPart, &'static str>> {
    match item {
        "Token" if used == Use::Sign => return Some(Ok(element(Part::Token))),
        "STRTransform" => return Some(Err("STRTransform")),
        _ if item.starts_with("cid:") => return Some(Err("Attachments")),
        _ => {}
    }
    let (mode, namespace, local) = split(item)?;
    let how = match mode {
        "" | "Content" => EncryptHow::Content,
        "Element" | "Header" => EncryptHow::Element,
        _ => return None,
    };
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    if local.is_empty() || !local.chars().all(plain) {
        return None;
    }
    let part = part(mode, namespace, local)?;
    if used == Use::Encrypt && matches!(part, Part::Timestamp | Part::Token) {
        return Some(Err("encryption of the Timestamp or of a BinarySecurityToken"));
    }
    // Of the Body always the content (WS-SecurityPolicy 1.2 §4.2.1); our own elements only whole.
    let how = match part {
        Part::Body => EncryptHow::Content,
        Part::Element { .. } => how,
        _ => EncryptHow::Element,
    };
    Some(Ok(EncryptPart { part, how }))
}

fn element(part: Part) -> EncryptPart {
    EncryptPart { part, how: EncryptHow::Element }
}

/// Mode, namespace and local name; `local` alone, or all three.
fn split(item: &str) -> Option<(&str, &str, &str)> {
    let Some(rest) = item.strip_prefix('{') else {
        return (!item.contains(['{', '}'])).then_some(("", "", item));
    };
    let (mode, rest) = rest.split_once('}')?;
    let (namespace, local) = rest.strip_prefix('{')?.split_once('}')?;
    Some((mode.trim(), namespace.trim(), local.trim()))
}

fn part(mode: &str, namespace: &str, local: &str) -> Option<Part> {
    let is = |known: &[&str]| known.contains(&namespace);
    let soap = namespace.is_empty() || is(&[ns::SOAP11.uri(), ns::SOAP12.uri()]);
    let part = match local {
        "Body" if soap => Part::Body,
        "UsernameToken" if is(&[ns::WSSE.uri()]) => Part::UsernameToken,
        "BinarySecurityToken" if is(&[ns::WSSE.uri()]) => Part::Token,
        "Timestamp" if is(&[ns::WSU.uri()]) => Part::Timestamp,
        "Signature" if is(&[ns::DS.uri()]) => Part::Signature,
        "SignatureConfirmation" if is(&[ns::WSSE11.uri()]) => Part::SignatureConfirmation,
        _ if mode == "Header" || is(&[ns::WSA.uri(), ns::WSA04.uri()]) => Part::header(namespace, local),
        // The whole message, or its header: no part that can be named.
        _ if soap => return None,
        _ if namespace == "Null" => Part::element(&format!("//{local}"), &|_| None).ok()?,
        _ => Part::element(&format!("//p:{local}"), &|_| Some(namespace.to_owned())).ok()?,
    };
    Some(part)
}
