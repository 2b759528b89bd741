//! What an alternative says, as a key: positions, order and prefixes do not count.

use std::fmt::Write as _;

use crate::assertion::{Assertion, Nested, Parameters, PartItem};
use crate::model::{Alternative, Group, Node};

/// Equal for alternatives that say the same.
pub(super) fn of(alternative: &Alternative) -> String {
    let mut keys: Vec<String> =
        alternative.assertions.iter().map(|assertion| assertion_key(assertion)).collect();
    keys.sort_unstable();
    // Said twice is said once.
    keys.dedup();
    keys.join(" ")
}

fn assertion_key(assertion: &Assertion) -> String {
    let mut key = format!("{:?}/{:?}", assertion.kind, assertion.version);
    if assertion.ignorable {
        key.push('i');
    }
    if assertion.optional {
        key.push('o');
    }
    parameters(&mut key, &assertion.parameters);
    for extra in &assertion.extra {
        let _ = write!(key, "@{:?}", (&extra.namespace, &extra.local, &extra.value));
    }
    match &assertion.nested {
        Nested::None => {}
        Nested::Written(group) => {
            let _ = write!(key, "[{}]", group_key(group));
        }
        Nested::Chosen(alternative) => {
            let _ = write!(key, "[{}]", of(alternative));
        }
    }
    key
}

fn group_key(group: &Group) -> String {
    let keys = group.children().iter().map(|node| match node {
        Node::Group(group) => group_key(group),
        Node::Assertion(assertion) => assertion_key(assertion),
        Node::Reference { uri, .. } => format!("->{uri:?}"),
    });
    format!("{:?}({})", group.operator(), keys.collect::<Vec<_>>().join(" "))
}

// Writing to a String cannot fail.
fn parameters(key: &mut String, parameters: &Parameters) {
    match parameters {
        Parameters::None => {}
        Parameters::Parts(parts) => {
            for part in parts {
                let _ = match part {
                    PartItem::Body => write!(key, "+body"),
                    PartItem::Header(header) => write!(key, "+{:?}", (&header.name, &header.namespace)),
                    PartItem::Attachments { content, complete } => {
                        write!(key, "+attachments{content}{complete}")
                    }
                };
            }
        }
        Parameters::Paths { version, paths } => {
            let _ = write!(key, "+{version:?}");
            for path in paths {
                let _ = write!(key, "+{:?}", (&path.path, &path.namespaces, &path.filter));
            }
        }
        Parameters::Token(token) => {
            let _ = write!(key, "+{:?}{:?}", token.include, token.client_certificate);
            for raw in &token.raws {
                let _ = write!(key, "+{}", String::from_utf8_lossy(&raw.octets));
            }
        }
        Parameters::Foreign(raw) => {
            let _ = write!(key, "+{}", String::from_utf8_lossy(&raw.octets));
        }
    }
}
