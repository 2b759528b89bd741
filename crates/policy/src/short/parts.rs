//! The words for parts: `body`, `timestamp`, `addressing`, `token`, `signature`, `header:{ns}name`, `element:/path`.

use bartizan_xml::names::ns;

use crate::assertion::{HeaderPart, PartItem, PathItem};
use crate::error::{Diagnostic, Position, Problem, nearest};

/// What a list of parts says.
#[derive(Default)]
pub(super) struct Named {
    pub(super) parts: Vec<PartItem>,
    pub(super) paths: Vec<PathItem>,
    /// Where `timestamp` was said.
    pub(super) timestamp: Option<Position>,
    /// Where `token` was said.
    pub(super) token: Option<Position>,
    /// Where `signature` was said.
    pub(super) signature: Option<Position>,
}

const SIGN: &[&str] =
    &["body", "timestamp", "addressing", "token", "header:{namespace}name", "element:/path"];
const ENCRYPT: &[&str] = &["body", "signature", "addressing", "header:{namespace}name", "element:/path"];

pub(super) fn read(key: &'static str, list: &[(Position, &str)], diagnostics: &mut Vec<Diagnostic>) -> Named {
    let signs = key == "sign";
    let mut named = Named::default();
    for &(at, text) in list {
        let understood = match text {
            "body" => {
                named.parts.push(PartItem::Body);
                true
            }
            "addressing" => {
                for namespace in [ns::WSA.uri(), ns::WSA04.uri()] {
                    named.parts.push(header(None, namespace, at));
                }
                true
            }
            "timestamp" if signs => {
                named.timestamp = Some(at);
                true
            }
            "token" if signs => {
                named.token = Some(at);
                true
            }
            "signature" if !signs => {
                named.signature = Some(at);
                true
            }
            other => one(other, at, &mut named),
        };
        if !understood {
            let words = if signs { SIGN } else { ENCRYPT };
            let expected = if signs {
                "body, timestamp, addressing, token, header:{namespace}name or element:/path"
            } else {
                "body, signature, header:{namespace}name or element:/path"
            };
            let nearest = nearest::nearest(text, words.iter().copied());
            diagnostics.push(Diagnostic::new(
                Problem::BadValue { key, value: text.into(), expected, nearest },
                Some(at),
            ));
        }
    }
    named
}

/// `header:{ns}name`, `header:{ns}*`, `element:/{ns}a/{ns}b`.
fn one(text: &str, at: Position, named: &mut Named) -> bool {
    if let Some(header_name) = text.strip_prefix("header:{") {
        let Some((namespace, local)) = header_name.split_once('}') else { return false };
        if local.is_empty() || local.contains(['{', '}', '/', ':']) {
            return false;
        }
        named.parts.push(header((local != "*").then_some(local), namespace, at));
        return true;
    }
    let Some(path) = text.strip_prefix("element:").filter(|path| path.starts_with('/')) else { return false };
    match path_item(path, at) {
        Some(item) => {
            named.paths.push(item);
            true
        }
        None => false,
    }
}

fn header(name: Option<&str>, namespace: &str, at: Position) -> PartItem {
    PartItem::Header(HeaderPart { name: name.map(Into::into), namespace: namespace.into(), position: at })
}

/// A path whose namespaces stand in braces, with prefixes instead.
fn path_item(path: &str, at: Position) -> Option<PathItem> {
    let mut out = String::new();
    let mut namespaces: Vec<(Box<str>, Box<str>)> = Vec::new();
    let mut rest = path;
    while let Some(open) = rest.find('{') {
        let (before, after) = rest.split_at_checked(open)?;
        let (namespace, tail) = after.strip_prefix('{')?.split_once('}')?;
        out.push_str(before);
        let known = namespaces.iter().position(|(_, known)| **known == *namespace);
        let index = known.unwrap_or_else(|| {
            let index = namespaces.len();
            namespaces.push((format!("n{index}").into(), namespace.into()));
            index
        });
        out.push_str(&format!("n{index}:"));
        rest = tail;
    }
    if rest.contains('}') {
        return None;
    }
    out.push_str(rest);
    Some(PathItem { path: out.into(), namespaces, filter: None, position: at })
}
