//! What assertions hold beside their nested policy: parts, paths, issuers, claims.

use std::sync::Arc;

use bartizan_xml::Element;
use bartizan_xml::c14n::{C14n, C14nMethod};
use bartizan_xml::names::ns;

use super::{Reader, operator};
use crate::assertion::{
    HeaderPart, Kind, Parameters, PartItem, PathItem, Place, Raw, Shape, TokenParameters, Version,
};
use crate::error::{Position, Problem, nearest};
use crate::model::Operator;

impl<'d> Reader<'d> {
    pub(super) fn parameters(&mut self, element: Element<'d>, kind: Kind, place: Place) -> Parameters {
        match kind.shape() {
            Shape::Parts => self.parts(element, kind, place),
            Shape::Paths => self.paths(element, kind),
            Shape::Token => self.token(element, kind),
            Shape::Flag | Shape::Policy | Shape::MayPolicy | Shape::Suite | Shape::Bootstrap | Shape::Any => {
                self.no_text(element, kind.name());
                for child in parameter_elements(element) {
                    self.unknown_parameter(child, kind);
                }
                Parameters::None
            }
        }
    }

    fn unknown_parameter(&mut self, child: Element<'d>, kind: Kind) {
        let problem = Problem::UnknownParameter { name: kind.name(), parameter: child.local_name().into() };
        self.report(problem, self.at(child));
    }

    /// Of silence: a supporting token that covers unnamed parts covers the Body, as every stack reads it. At the top,
    /// an empty SignedParts is the Body and all headers (WS-SecurityPolicy 1.2 §4.1.1) and has no other spelling.
    fn parts(&mut self, element: Element<'d>, kind: Kind, place: Place) -> Parameters {
        self.no_text(element, kind.name());
        let mut parts = Vec::new();
        for child in parameter_elements(element) {
            match security_name(child) {
                Some("Body") => {
                    self.leaf(child, "Body");
                    parts.push(PartItem::Body);
                }
                Some("Header") => parts.extend(self.header(child).map(PartItem::Header)),
                Some("Attachments") => parts.push(self.attachments(child)),
                Some(name) => {
                    let nearest = nearest::nearest(name, ["Body", "Header", "Attachments"]);
                    let problem =
                        Problem::UnknownAssertion { name: name.into(), nearest, namespace_of: None };
                    self.report(problem, self.at(child));
                }
                None => self.unknown_parameter(child, kind),
            }
        }
        if parts.is_empty() && place == Place::SUPPORTING {
            parts.push(PartItem::Body);
        }
        Parameters::Parts(parts)
    }

    fn header(&mut self, element: Element<'d>) -> Option<HeaderPart> {
        self.leaf(element, "Header");
        let Some(namespace) = element.attr_plain("Namespace") else {
            let problem = Problem::MissingParameter { name: "Header", parameter: "Namespace" };
            self.report(problem, self.at(element));
            return None;
        };
        let name = element.attr_plain("Name").map(str::trim).filter(|name| !name.is_empty());
        Some(HeaderPart {
            name: name.map(Into::into),
            namespace: namespace.trim().into(),
            position: self.at(element),
        })
    }

    fn attachments(&mut self, element: Element<'d>) -> PartItem {
        let (mut content, mut complete) = (false, false);
        for child in element.elements() {
            match security_name(child) {
                Some("ContentSignatureTransform") => content = true,
                Some("AttachmentCompleteSignatureTransform") => complete = true,
                _ => {
                    let parameter = child.local_name().into();
                    self.report(Problem::UnknownParameter { name: "Attachments", parameter }, self.at(child));
                }
            }
        }
        PartItem::Attachments { content, complete }
    }

    fn paths(&mut self, element: Element<'d>, kind: Kind) -> Parameters {
        self.no_text(element, kind.name());
        let mut paths = Vec::new();
        for child in parameter_elements(element) {
            let name = security_name(child);
            let filter = match name {
                Some("XPath") => None,
                // WSS4J writes `Xpath2`; the specification (1.3 §4.1.2) `XPath2`.
                Some("XPath2" | "Xpath2") => {
                    Some((child.attr_plain("Filter").unwrap_or_default().into(), child.local_name().into()))
                }
                Some(other) => {
                    let nearest = nearest::nearest(other, ["XPath", "XPath2"]);
                    let problem =
                        Problem::UnknownAssertion { name: other.into(), nearest, namespace_of: None };
                    self.report(problem, self.at(child));
                    continue;
                }
                None => {
                    self.unknown_parameter(child, kind);
                    continue;
                }
            };
            let text = child.text();
            let path = text.trim();
            paths.push(PathItem {
                path: path.into(),
                namespaces: prefixes(path)
                    .into_iter()
                    .filter_map(|prefix| Some((prefix.into(), child.lookup_namespace(prefix)?.into())))
                    .collect(),
                filter,
                position: self.at(child),
            });
        }
        Parameters::Paths { version: "1.0".into(), paths }
    }

    fn token(&mut self, element: Element<'d>, kind: Kind) -> Parameters {
        self.no_text(element, kind.name());
        let mut token = TokenParameters::default();
        for child in parameter_elements(element) {
            let namespace = child.namespace().unwrap_or_default();
            let is_claims = child.local_name() == "Claims"
                && [ns::WST05, ns::WST13, ns::WST14].iter().any(|trust| trust.uri() == namespace);
            match security_name(child) {
                Some("Issuer" | "IssuerName" | "Claims") => token.raws.push(self.raw(child)),
                Some("RequestSecurityTokenTemplate") if kind == Kind::IssuedToken => {
                    token.raws.push(self.raw(child));
                }
                _ if is_claims => token.raws.push(self.raw(child)),
                _ => self.unknown_parameter(child, kind),
            }
        }
        Parameters::Token(token)
    }

    /// An element whole, in exclusive canonical form.
    fn raw(&mut self, element: Element<'d>) -> Raw {
        let mut octets = Vec::new();
        if let Err(error) = C14n::new(C14nMethod::Exclusive).write(element, &mut octets) {
            self.report(Problem::Xml { expected: error.to_string().into() }, self.at(element));
        }
        raw(element, octets, self.at(element))
    }

    /// The content of a foreign assertion, without its nested policy.
    pub(super) fn raw_content(&mut self, element: Element<'d>, without: Option<Element<'d>>) -> Raw {
        let mut octets = Vec::new();
        let mut c14n = C14n::new(C14nMethod::Exclusive);
        if let Some(child) = without {
            c14n = c14n.without(child.id());
        }
        if let Err(error) = c14n.write_children(element, &mut octets) {
            self.report(Problem::Xml { expected: error.to_string().into() }, self.at(element));
        }
        // The nested policy is written on lines of its own: the white space around it would grow each time.
        let octets = if without.is_some() { octets.trim_ascii().to_vec() } else { octets };
        raw(element, octets, self.at(element))
    }

    fn leaf(&mut self, element: Element<'d>, name: &'static str) {
        self.no_text(element, name);
        for child in element.elements() {
            let parameter = child.local_name().into();
            self.report(Problem::UnknownParameter { name, parameter }, self.at(child));
        }
    }
}

fn raw(element: Element<'_>, octets: Vec<u8>, position: Position) -> Raw {
    Raw {
        namespace: element.namespace().unwrap_or_default().into(),
        prefix: element.prefix().into(),
        local: element.local_name().into(),
        octets: Arc::from(octets),
        text: element.text().trim().into(),
        position,
    }
}

/// Children that are not the nested policy.
fn parameter_elements(element: Element<'_>) -> impl Iterator<Item = Element<'_>> {
    element.elements().filter(|child| {
        let misnamed = child.local_name() == "Policy" && security_name(*child).is_some();
        !misnamed && !matches!(operator(*child), Some((_, Operator::Policy)))
    })
}

/// The local name, if the namespace is one of WS-SecurityPolicy.
fn security_name(element: Element<'_>) -> Option<&str> {
    let version = element.namespace().and_then(Version::from_uri)?;
    version.is_security().then(|| element.local_name())
}

/// The prefixes that an XPath uses outside of its string literals, each once.
pub(crate) fn prefixes(path: &str) -> Vec<&str> {
    let mut found: Vec<&str> = Vec::new();
    for (index, outside) in path.split(['\'', '"']).enumerate() {
        // Literals are the odd pieces; a path that mixes quotes in quotes is beyond the subset anyway.
        if index % 2 == 1 {
            continue;
        }
        for piece in outside.split(|c: char| !(c.is_alphanumeric() || matches!(c, ':' | '-' | '_' | '.'))) {
            let name = piece.rsplit("::").next().unwrap_or_default();
            if let Some((prefix, local)) = name.split_once(':') {
                let usable = !prefix.is_empty() && !found.contains(&prefix);
                if usable && (!local.is_empty() || outside.contains(&format!("{prefix}:*"))) {
                    found.push(prefix);
                }
            }
        }
    }
    found
}
