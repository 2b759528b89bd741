//! One assertion: which it is, whether it may stand here, and its nested policy.

use std::sync::Arc;

use bartizan_xml::Element;

use super::{Reader, operator};
use crate::assertion::{ALIASES, Assertion, Kind, Nested, Parameters, Place, Shape, Version};
use crate::error::{Problem, nearest};
use crate::model::{MAX_DEPTH, Operator};

impl<'d> Reader<'d> {
    /// Reads an assertion; `None` if it is unusable, which was reported.
    pub(super) fn assertion(&mut self, element: Element<'d>, place: Place, owner: &str) -> Option<Assertion> {
        let at = self.at(element);
        if self.depth >= MAX_DEPTH {
            self.report(Problem::TooDeep { limit: MAX_DEPTH }, at);
            return None;
        }
        self.depth += 1;
        let assertion = match self.kind(element, place) {
            Ok(Some((kind, version))) => {
                let allowed = kind.place().meets(place) || place == Place::TOP || place == Place::FOREIGN;
                if !allowed {
                    self.report(Problem::Misplaced { name: kind.name(), within: owner.into() }, at);
                }
                Some(self.known_assertion(element, kind, version, place))
            }
            Ok(None) => Some(self.foreign(element)),
            Err(problem) => {
                self.report(problem, at);
                None
            }
        };
        self.depth -= 1;
        assertion
    }

    /// Which assertion an element is; `None` if its namespace is foreign.
    fn kind(&mut self, element: Element<'d>, place: Place) -> Result<Option<(Kind, Version)>, Problem> {
        let local = element.local_name();
        let Some(version) = element.namespace().and_then(Version::from_uri) else { return Ok(None) };
        let alias = ALIASES.iter().find(|(written, _)| *written == local && version.is_security());
        if let Some((written, kind)) = alias {
            self.report(
                Problem::Misspelt { written: (*written).into(), name: kind.name() },
                self.at(element),
            );
            return Ok(Some((*kind, version)));
        }
        if let Some(kind) = Kind::by_name(local).find(|kind| belongs(*kind, version)) {
            if version == Version::Sp11 && kind.since() == Version::Sp12 {
                let problem = Problem::Version {
                    name: kind.name(),
                    since: kind.since().name(),
                    written: version.name(),
                };
                self.report(problem, self.at(element));
            }
            return Ok(Some((kind, version)));
        }
        if !version.is_security() {
            return Ok(None);
        }
        let elsewhere = Kind::by_name(local).next().map(|kind| match kind.since() {
            Version::Sp13 => Version::Sp13.name(),
            Version::Sp11 | Version::Sp12 => Version::Sp12.name(),
            other => other.name(),
        });
        let here = Kind::ALL.iter().filter(|kind| belongs(**kind, version));
        let fitting = here.clone().filter(|kind| kind.place().meets(place)).map(|kind| kind.name());
        let nearest =
            nearest::nearest(local, fitting).or_else(|| nearest::nearest(local, here.map(|k| k.name())));
        Err(Problem::UnknownAssertion { name: local.into(), nearest, namespace_of: elsewhere })
    }

    fn known_assertion(
        &mut self,
        element: Element<'d>,
        kind: Kind,
        version: Version,
        place: Place,
    ) -> Assertion {
        let mut assertion = Assertion::flag(kind, version, self.at(element));
        assertion.parameters = self.parameters(element, kind, place);
        self.attributes(element, &mut assertion);
        let mut nested = self.nested(element, kind);
        match (kind.shape(), &nested) {
            (Shape::Policy | Shape::Bootstrap, Nested::None) => {
                self.report(Problem::NoNestedPolicy { name: kind.name() }, self.at(element));
            }
            (Shape::Flag | Shape::Suite | Shape::Parts | Shape::Paths, Nested::Written(group)) => {
                if !group.is_empty() {
                    let problem = Problem::UnknownParameter { name: kind.name(), parameter: "Policy".into() };
                    self.report(problem, self.at(element));
                }
                // An empty one says nothing; in normal form it would say so in several elements.
                nested = Nested::None;
            }
            _ => {}
        }
        assertion.nested = nested;
        assertion
    }

    /// The nested policy, with the one tolerance that the benchmark policy needs: `sp:Policy` in Wss10 and Wss11.
    fn nested(&mut self, element: Element<'d>, kind: Kind) -> Nested {
        let mut found = None;
        for child in element.elements() {
            let is_operator = matches!(operator(child), Some((_, Operator::Policy)));
            let is_misnamed = child.local_name() == "Policy"
                && child.namespace().and_then(Version::from_uri).is_some_and(Version::is_security);
            if is_misnamed && matches!(kind, Kind::Wss10 | Kind::Wss11) {
                self.report(Problem::SecurityPolicyOperator { within: kind.name() }, self.at(child));
            } else if is_misnamed {
                self.report(Problem::NoSuchOperator { within: kind.name().into() }, self.at(child));
                continue;
            } else if !is_operator {
                continue;
            }
            if found.is_some() {
                self.report(Problem::TwoNestedPolicies { name: kind.name().into() }, self.at(child));
            } else {
                found = Some(self.group(child, Operator::Policy, kind.inside(), kind.name()));
            }
        }
        found.map_or(Nested::None, |group| Nested::Written(Arc::new(group)))
    }

    fn foreign(&mut self, element: Element<'d>) -> Assertion {
        let at = self.at(element);
        let mut policies =
            element.elements().filter(|child| matches!(operator(*child), Some((_, Operator::Policy))));
        let nested = match (policies.next(), policies.next()) {
            (Some(only), None) => Some(only),
            _ => None,
        };
        let mut assertion = Assertion::flag(Kind::Foreign, Version::Sp12, at);
        assertion.parameters = Parameters::Foreign(self.raw_content(element, nested));
        self.attributes(element, &mut assertion);
        let name = element.local_name().into();
        let namespace = element.namespace().unwrap_or_default().into();
        self.report(Problem::Foreign { name, namespace, ignorable: assertion.ignorable }, at);
        if let Some(policy) = nested {
            let group = self.group(policy, Operator::Policy, Place::FOREIGN, "a foreign assertion");
            assertion.nested = Nested::Written(Arc::new(group));
        }
        assertion
    }
}

/// Whether an assertion is written in that namespace. Later assertions in the namespace of 1.1 are common
/// (Rampart writes Trust13 there) and unambiguous: a warning.
fn belongs(kind: Kind, version: Version) -> bool {
    match (kind.since(), version) {
        (Version::Sp11 | Version::Sp12, Version::Sp11 | Version::Sp12) => true,
        // 2004 and 2006 share the name `UsingAddressing`.
        (Version::Wsaw, Version::Wsap) => true,
        (since, version) => since == version,
    }
}
