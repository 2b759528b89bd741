//! Policies attached to the elements of a WSDL 1.1 document, and what is in force for a message.
//!
//! Not the reading of the policies themselves (`read`). Called by the verbs and by the gateway's build for WSDL files.

use std::sync::Arc;

use bartizan_xml::names::ns;
use bartizan_xml::{Document, Element};

use crate::error::{Diagnostic, Position, Problem};
use crate::model::{Group, Identity, Node, Operator, Policy, Wsp};
use crate::read::{self, Reader};

#[cfg(test)]
mod tests;

/// What a policy is about (WS-PolicyAttachment §4.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Subject {
    /// The service.
    Service,
    /// The endpoint: port, binding, port type.
    Endpoint,
    /// An operation of binding or port type.
    Operation,
    /// An input, output or fault, or the message itself.
    Message,
}

impl Subject {
    /// The word of the specification.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Service => "service",
            Self::Endpoint => "endpoint",
            Self::Operation => "operation",
            Self::Message => "message",
        }
    }
}

/// One policy on one element.
#[derive(Clone, Debug)]
pub struct Attachment {
    /// The element, as `definitions[]/binding[NAME]/operation[NAME]/input[]`.
    pub point: String,
    /// What it is about.
    pub subject: Subject,
    /// The URI of the reference; `None` if the policy stands there itself.
    pub reference: Option<Box<str>>,
    /// The policy; an unresolved reference is an error in it.
    pub policy: Policy,
    /// Where.
    pub position: Position,
}

/// An operation of a binding with what is in force for its messages.
#[derive(Clone, Debug)]
pub struct BoundOperation {
    /// Name of the binding.
    pub binding: Box<str>,
    /// Name of the operation.
    pub operation: Box<str>,
    /// SOAPAction, if it says one.
    pub action: Option<Box<str>>,
    /// Endpoint, operation and input policies together; `None` if there is none.
    pub request: Option<Policy>,
    /// Endpoint, operation and output policies together; `None` if there is none.
    pub reply: Option<Policy>,
}

/// Every attachment of a WSDL document, in document order.
#[must_use]
pub fn attachments(document: &Document) -> Vec<Attachment> {
    let mut reader = Reader::new(document);
    let mut found = Vec::new();
    let mut waiting = vec![(document.root(), String::new())];
    while let Some((element, above)) = waiting.pop() {
        if element.namespace() != Some(ns::WSDL11.uri()) {
            continue;
        }
        let point = step(&above, element);
        if let Some(subject) = subject(element) {
            for (reference, policy, position) in attached(element, &mut reader) {
                found.push(Attachment { point: point.clone(), subject, reference, policy, position });
            }
        }
        let at = waiting.len();
        waiting.extend(element.elements().map(|child| (child, point.clone())));
        if let Some(new) = waiting.get_mut(at..) {
            new.reverse();
        }
    }
    found
}

/// The operations of every binding, with what is in force for request and reply.
#[must_use]
pub fn operations(document: &Document) -> Vec<BoundOperation> {
    let mut reader = Reader::new(document);
    let mut out = Vec::new();
    for binding in wsdl_children(document.root(), "binding") {
        let endpoint = policies(binding, &mut reader);
        for operation in wsdl_children(binding, "operation") {
            let own = policies(operation, &mut reader);
            let mut message = |local| -> Option<Policy> {
                let direct = wsdl_children(operation, local).flat_map(|child| policies(child, &mut reader));
                merge(endpoint.iter().chain(&own).cloned().chain(direct.collect::<Vec<_>>()))
            };
            out.push(BoundOperation {
                binding: name(binding).into(),
                operation: name(operation).into(),
                action: action(operation),
                request: message("input"),
                reply: message("output"),
            });
        }
    }
    out
}

/// The policy that demands what each of them demands (WS-PolicyAttachment §2.3); `None` of none.
#[must_use]
pub fn merge(policies: impl IntoIterator<Item = Policy>) -> Option<Policy> {
    let mut policies = policies.into_iter();
    let mut merged = policies.next()?;
    for other in policies {
        let both = [merged.expression, other.expression].map(Node::Group);
        merged.expression = Arc::new(Group::new(Operator::Policy, both.into()));
        for diagnostic in other.diagnostics {
            if !merged.diagnostics.contains(&diagnostic) {
                merged.diagnostics.push(diagnostic);
            }
        }
        merged.identity = Identity::default();
    }
    if read::has_binding(&merged.expression) {
        merged.diagnostics.retain(|diagnostic| diagnostic.problem != Problem::Fragment);
    }
    Some(merged)
}

fn policies<'d>(element: Element<'d>, reader: &mut Reader<'d>) -> Vec<Policy> {
    attached(element, reader).into_iter().map(|(_, policy, _)| policy).collect()
}

type Attached = (Option<Box<str>>, Policy, Position);

/// The policies of one element: references and policies among its children, and its `wsp:PolicyURIs`.
fn attached<'d>(element: Element<'d>, reader: &mut Reader<'d>) -> Vec<Attached> {
    let mut found = Vec::new();
    for attr in element.attrs() {
        if attr.local_name() == "PolicyURIs"
            && let Some(wsp) = attr.namespace().and_then(Wsp::from_uri)
        {
            for uri in attr.value().split_ascii_whitespace() {
                found.push(referred(uri, reader.at(element), wsp, reader));
            }
        }
    }
    for child in element.elements() {
        let Some(wsp) = child.namespace().and_then(Wsp::from_uri) else { continue };
        match child.local_name() {
            "PolicyReference" => {
                let uri = child.attr_plain("URI").unwrap_or_default();
                found.push(referred(uri, reader.at(child), wsp, reader));
            }
            // In `definitions` they only wait to be referred to.
            "Policy" if element.local_name() != "definitions" => {
                found.push((None, reader.policy(child, wsp), reader.at(child)));
            }
            _ => {}
        }
    }
    found
}

fn referred(uri: &str, at: Position, wsp: Wsp, reader: &mut Reader<'_>) -> Attached {
    let policy = reader.resolve(uri).unwrap_or_else(|| Policy {
        identity: Identity::default(),
        wsp,
        expression: Arc::new(Group::new(Operator::Policy, Vec::new())),
        diagnostics: vec![Diagnostic::new(Problem::Unresolved { uri: uri.into() }, Some(at))],
        position: at,
    });
    (Some(uri.into()), policy, at)
}

fn step(above: &str, element: Element<'_>) -> String {
    let separator = if above.is_empty() { "" } else { "/" };
    format!("{above}{separator}{}[{}]", element.local_name(), name(element))
}

fn name(element: Element<'_>) -> &str {
    element.attr_plain("name").unwrap_or_default()
}

fn subject(element: Element<'_>) -> Option<Subject> {
    match element.local_name() {
        "service" => Some(Subject::Service),
        "port" | "binding" | "portType" => Some(Subject::Endpoint),
        "operation" => Some(Subject::Operation),
        "input" | "output" | "fault" | "message" => Some(Subject::Message),
        _ => None,
    }
}

fn wsdl_children<'d>(element: Element<'d>, local: &'static str) -> impl Iterator<Item = Element<'d>> {
    element
        .elements()
        .filter(move |child| child.namespace() == Some(ns::WSDL11.uri()) && child.local_name() == local)
}

/// The soapAction of a binding's operation, in either version's binding namespace.
fn action(operation: Element<'_>) -> Option<Box<str>> {
    let soap = operation.elements().find(|child| {
        let namespace = child.namespace();
        child.local_name() == "operation"
            && [ns::WSDL_SOAP11, ns::WSDL_SOAP12].iter().any(|soap| namespace == Some(soap.uri()))
    })?;
    soap.attr_plain("soapAction").map(str::trim).filter(|action| !action.is_empty()).map(Into::into)
}
