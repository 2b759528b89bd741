//! Attributes of operators and assertions.

use bartizan_xml::Element;
use bartizan_xml::names::ns;

use super::Reader;
use crate::assertion::{Assertion, Extra, Include, Parameters, Version};
use crate::error::{Problem, nearest};
use crate::model::{Identity, Wsp};

/// How a policy element is found: `wsu:Id`, `xml:id`, `Name`.
pub(super) fn identity(element: Element<'_>) -> Identity {
    let mut identity = Identity::default();
    for attr in element.attrs() {
        let namespace = attr.namespace().unwrap_or_default();
        let is_id = (namespace == ns::WSU.uri() && attr.local_name() == "Id")
            || (namespace == ns::XML.uri() && attr.local_name() == "id");
        if is_id {
            identity.id = Some(attr.value().trim().into());
        } else if namespace.is_empty() && attr.local_name() == "Name" {
            identity.name = Some(attr.value().trim().into());
        }
    }
    identity
}

/// Everything that an operator carries; none of it changes the meaning.
pub(super) fn operator_attributes(element: Element<'_>) -> Vec<Extra> {
    element
        .attrs()
        .map(|attr| Extra {
            namespace: attr.namespace().unwrap_or_default().into(),
            prefix: attr.prefix().into(),
            local: attr.local_name().into(),
            value: attr.value().into(),
        })
        .collect()
}

impl<'d> Reader<'d> {
    /// Reads the attributes of `assertion`, whose parameters are of their kind already.
    pub(super) fn attributes(&mut self, element: Element<'d>, assertion: &mut Assertion) {
        let at = self.at(element);
        for extra in operator_attributes(element) {
            let of_policy = Wsp::from_uri(&extra.namespace).is_some();
            let of_security = Version::from_uri(&extra.namespace).filter(|version| version.is_security());
            let plain = extra.namespace.is_empty();
            match (&mut assertion.parameters, extra.local.as_ref()) {
                (_, "Optional") if of_policy => {
                    assertion.optional = self.boolean("wsp:Optional", &extra.value, element);
                }
                (_, "Ignorable") if of_policy => {
                    assertion.ignorable = self.boolean("wsp:Ignorable", &extra.value, element);
                }
                (Parameters::Token(token), "IncludeToken") if of_security.is_some() => {
                    token.include = self.include(&extra.value, assertion.version, element);
                }
                (Parameters::Token(token), "RequireClientCertificate") if plain => {
                    token.client_certificate =
                        Some(self.boolean("RequireClientCertificate", &extra.value, element));
                }
                (Parameters::Paths { version, .. }, "XPathVersion") if plain => *version = extra.value,
                (Parameters::Foreign(_), _) => assertion.extra.push(extra),
                _ => {
                    if plain || of_security.is_some() {
                        let attribute = extra.local.clone();
                        self.report(Problem::UnknownAttribute { attribute }, at);
                    }
                    assertion.extra.push(extra);
                }
            }
        }
    }

    fn boolean(&mut self, attribute: &'static str, value: &str, element: Element<'d>) -> bool {
        match value.trim() {
            "true" | "1" => true,
            "false" | "0" => false,
            other => {
                let nearest = nearest::nearest(other, ["true", "false"]);
                let problem = Problem::BadAttribute { attribute, value: other.into(), nearest };
                self.report(problem, self.at(element));
                false
            }
        }
    }

    fn include(&mut self, value: &str, written: Version, element: Element<'d>) -> Include {
        let value = value.trim();
        let found = Version::ALL
            .into_iter()
            .filter(|version| matches!(version, Version::Sp11 | Version::Sp12))
            .find_map(|version| {
                let name = value.strip_prefix(version.uri())?.strip_prefix("/IncludeToken/")?;
                Include::ALL
                    .into_iter()
                    .find(|include| include.name() == name)
                    .map(|include| (version, include))
            });
        let at = self.at(element);
        match found {
            // 1.1 has no AlwaysToInitiator (§5.1.1), in its own namespace that is no value at all.
            Some((version, include))
                if !(version == Version::Sp11 && include == Include::AlwaysToInitiator) =>
            {
                if version != written && written.is_security() {
                    self.report(Problem::MixedVersions { value: value.into() }, at);
                }
                include
            }
            _ => {
                let last = value.rsplit('/').next().unwrap_or_default();
                let nearest = nearest::nearest(last, Include::ALL.map(Include::name));
                let problem =
                    Problem::BadAttribute { attribute: "sp:IncludeToken", value: value.into(), nearest };
                self.report(problem, at);
                Include::Always
            }
        }
    }
}
