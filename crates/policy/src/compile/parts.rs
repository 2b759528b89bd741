//! Which parts of a message an alternative names: SignedParts and its kin.

use bartizan_wss::part::{EncryptHow, EncryptPart, Part};
use bartizan_xml::names::ns;

use super::Findings;
use crate::assertion::{Assertion, Kind, Parameters, PartItem, PathItem};
use crate::error::Problem;
use crate::model::Alternative;
use crate::read::prefixes;

/// At most so many parts are named by one alternative: each is looked for in every message.
pub const MAX_PARTS: usize = 500;

/// The parts of one alternative, each once.
#[derive(Clone, Debug, Default)]
pub(super) struct Parts {
    pub(super) signed: Vec<Part>,
    pub(super) encrypted: Vec<EncryptPart>,
    /// Must be in the message, protected or not.
    pub(super) required: Vec<Part>,
}

impl Parts {
    /// Whether nothing is named.
    pub(super) fn are_none(&self) -> bool {
        self.signed.is_empty() && self.encrypted.is_empty() && self.required.is_empty()
    }
}

pub(super) fn read(alternative: &Alternative, findings: &mut Findings) -> Parts {
    let mut parts = Parts::default();
    let items = |assertion: &Assertion| match &assertion.parameters {
        Parameters::Parts(items) => items.len(),
        Parameters::Paths { paths, .. } => paths.len(),
        Parameters::None | Parameters::Token(_) | Parameters::Foreign(_) => 0,
    };
    let count = alternative.assertions.iter().map(|assertion| items(assertion)).sum();
    if let (true, Some(first)) = (count > MAX_PARTS, alternative.assertions.first()) {
        findings.say(Problem::TooManyParts { count, limit: MAX_PARTS }, first.position);
        return parts;
    }
    for assertion in &alternative.assertions {
        let named = named(assertion, findings);
        match assertion.kind {
            Kind::SignedParts | Kind::SignedElements => add(&mut parts.signed, named),
            Kind::RequiredParts | Kind::RequiredElements => add(&mut parts.required, named),
            Kind::EncryptedParts => encrypt(&mut parts, named, EncryptHow::Element),
            Kind::EncryptedElements => encrypt(&mut parts, named, EncryptHow::Element),
            Kind::ContentEncryptedElements => encrypt(&mut parts, named, EncryptHow::Content),
            _ => {}
        }
    }
    parts
}

fn add(parts: &mut Vec<Part>, named: Vec<Part>) {
    for part in named {
        if !parts.contains(&part) {
            parts.push(part);
        }
    }
}

fn encrypt(parts: &mut Parts, named: Vec<Part>, how: EncryptHow) {
    for part in named {
        if !parts.encrypted.iter().any(|known| known.part == part) {
            // Of the Body always the content (WS-SecurityPolicy 1.2 §4.2.1).
            let how = if part == Part::Body { EncryptHow::Content } else { how };
            parts.encrypted.push(EncryptPart { part, how });
        }
    }
}

/// The parts that one assertion names.
pub(super) fn named(assertion: &Assertion, findings: &mut Findings) -> Vec<Part> {
    match &assertion.parameters {
        Parameters::Parts(items) if items.is_empty() => match assertion.kind {
            Kind::EncryptedParts => vec![Part::Body],
            // The Body and every header addressed to us (§4.1.1).
            Kind::SignedParts => vec![Part::Body, Part::Headers],
            _ => Vec::new(),
        },
        Parameters::Parts(items) => items.iter().filter_map(|item| part(item, assertion, findings)).collect(),
        Parameters::Paths { paths, .. } => paths.iter().filter_map(|path| element(path, findings)).collect(),
        Parameters::None | Parameters::Token(_) | Parameters::Foreign(_) => Vec::new(),
    }
}

fn part(item: &PartItem, assertion: &Assertion, findings: &mut Findings) -> Option<Part> {
    match item {
        PartItem::Body => Some(Part::Body),
        PartItem::Header(header) => Some(Part::Header {
            ns: header.namespace.to_string(),
            local: header.name.as_deref().map(str::to_owned),
        }),
        PartItem::Attachments { .. } => {
            findings.not_built("Attachments", assertion.position);
            None
        }
    }
}

fn element(item: &PathItem, findings: &mut Findings) -> Option<Part> {
    if item.filter.is_some() {
        findings.not_built("XPath2", item.position);
        return None;
    }
    let lookup = |prefix: &str| {
        item.namespaces
            .iter()
            .find(|(known, _)| **known == *prefix)
            .map(|(_, namespace)| namespace.to_string())
    };
    if let Some(prefix) = prefixes(&item.path).into_iter().find(|prefix| lookup(prefix).is_none()) {
        findings.say(Problem::PathPrefix { prefix: prefix.into() }, item.position);
        return None;
    }
    if let Some(part) = whole(&item.path, lookup) {
        return Some(part);
    }
    // The context is the Envelope (WS-SecurityPolicy 1.2 §4.1.2), which every message has as its root.
    let relative = (!item.path.starts_with('/')).then(|| format!("/*/{}", item.path));
    match Part::element(relative.as_deref().unwrap_or(&item.path), &lookup) {
        Ok(part) => Some(part),
        Err(_) => {
            findings.say(Problem::Path { path: item.path.clone() }, item.position);
            None
        }
    }
}

/// The Body or the header block that a path names whole: no element inside of a part, but a part.
fn whole(path: &str, lookup: impl Fn(&str) -> Option<String>) -> Option<Part> {
    let name = |step: &str| -> Option<(String, String)> {
        let (prefix, local) = step.trim().split_once(':')?;
        let plain =
            !local.is_empty() && local.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.'));
        plain.then(|| Some((lookup(prefix)?, local.to_owned())))?
    };
    let is_soap = |step: &str, wanted: &str| {
        let soap = |namespace: &str| [ns::SOAP11, ns::SOAP12].iter().any(|soap| soap.uri() == namespace);
        name(step).is_some_and(|(namespace, local)| local == wanted && soap(&namespace))
    };
    let mut steps = path.strip_prefix('/').unwrap_or(path).split('/');
    if path.starts_with('/')
        && !steps.next().is_some_and(|first| first.trim() == "*" || is_soap(first, "Envelope"))
    {
        return None;
    }
    match (steps.next(), steps.next(), steps.next()) {
        (Some(body), None, None) if is_soap(body, "Body") => Some(Part::Body),
        (Some(header), Some(block), None) if is_soap(header, "Header") => {
            name(block).map(|(namespace, local)| Part::header(namespace, local))
        }
        _ => None,
    }
}
