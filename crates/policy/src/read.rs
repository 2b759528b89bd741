//! XML in, policies out: from a policy file or from any document that holds some (WSDL, services.xml, Spring, …).
//!
//! Not the meaning of what is read (`compile`). Called by `lib` for files and built-ins, and by `attach` for WSDL.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use bartizan_xml::{Budget, Document, Element, Limits, NodeId, Profile};

use crate::assertion::{Place, Version};
use crate::error::lines::Lines;
use crate::error::{Diagnostic, Position, Problem, nearest};
use crate::model::{Group, MAX_DEPTH, Node, Operator, Policy, Wsp};

mod assertion;
mod attribute;
mod parameters;

pub(crate) use self::parameters::prefixes;

/// At most so many diagnostics are kept for one policy.
const MAX_DIAGNOSTICS: usize = 100;

/// At most so many of them pass to a policy that refers to it.
const MAX_INHERITED: usize = 10;

/// The policies of one file.
#[derive(Clone, Debug)]
pub struct Policies {
    file: Box<str>,
    source: Box<str>,
    policies: Vec<Policy>,
    diagnostics: Vec<Diagnostic>,
}

impl Policies {
    pub(crate) fn new(file: &str, source: &str, policies: Vec<Policy>, diagnostics: Vec<Diagnostic>) -> Self {
        Self { file: file.into(), source: source.into(), policies, diagnostics }
    }

    /// The name that was given.
    #[must_use]
    pub fn file(&self) -> &str {
        &self.file
    }

    /// The text that positions belong to; empty if the file was not readable.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The policies in document order. A policy inside of another is part of that one.
    #[must_use]
    pub fn policies(&self) -> &[Policy] {
        &self.policies
    }

    /// What concerns the whole file.
    #[must_use]
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// Everything, the file's first.
    pub fn all_diagnostics(&self) -> impl Iterator<Item = &Diagnostic> {
        self.diagnostics.iter().chain(self.policies.iter().flat_map(|policy| &policy.diagnostics))
    }

    /// Whether nothing stops the use of any of them.
    #[must_use]
    pub fn is_usable(&self) -> bool {
        !self.all_diagnostics().any(Diagnostic::is_error)
    }

    /// The policy at a position, from 0.
    ///
    /// # Errors
    /// [`Problem::NoSuchPolicy`].
    pub fn nth(&self, n: usize) -> Result<&Policy, Diagnostic> {
        self.policies.get(n).ok_or_else(|| {
            let wanted = n.to_string().into();
            Diagnostic::new(
                Problem::NoSuchPolicy { wanted, present: self.policies.len(), nearest: None },
                None,
            )
        })
    }

    /// The policy of that Id or Name.
    ///
    /// # Errors
    /// [`Problem::NoSuchPolicy`], with the nearest name.
    pub fn named(&self, name: &str) -> Result<&Policy, Diagnostic> {
        let is = |known: &Option<Box<str>>| known.as_deref() == Some(name);
        let found = self.policies.iter().find(|policy| is(&policy.identity.id) || is(&policy.identity.name));
        found.ok_or_else(|| {
            let labels = self.policies.iter().filter_map(|policy| policy.identity.label());
            let nearest = nearest::nearest(name, labels).map(Into::into);
            let present = self.policies.len();
            Diagnostic::new(Problem::NoSuchPolicy { wanted: name.into(), present, nearest }, None)
        })
    }

    /// Every diagnostic, rendered for a terminal.
    #[must_use]
    pub fn render(&self) -> String {
        self.all_diagnostics().map(|diagnostic| diagnostic.render(&self.file, &self.source)).collect()
    }
}

/// Reads every policy of an XML document.
///
/// Never fails as a whole: what is wrong is in the diagnostics, of the file or of the policy concerned.
/// Limits are those of a message ([`Limits::default`]).
#[must_use]
pub fn read(bytes: Vec<u8>, file: &str) -> Policies {
    match parse(bytes, file) {
        Ok(document) => read_document(&document, file),
        Err(unreadable) => *unreadable,
    }
}

/// Parses a host of policies; what cannot be read comes back as a file without policies.
pub(crate) fn parse(bytes: Vec<u8>, file: &str) -> Result<Document, Box<Policies>> {
    let mut budget = Budget::new(&Limits::default());
    let text = String::from_utf8_lossy(&bytes).into_owned();
    Document::parse(bytes, Profile::Bare, &mut budget).map_err(|error| {
        let position = Position::of(&text, error.offset());
        let problem = Problem::Xml { expected: error.to_string().into() };
        Box::new(Policies::new(file, &text, Vec::new(), vec![Diagnostic::new(problem, Some(position))]))
    })
}

/// Reads every policy of a parsed document.
#[must_use]
pub fn read_document(document: &Document, file: &str) -> Policies {
    let source = document.segment_text(0);
    let outermost = outermost(document.root());
    let mut reader = Reader::new(document);
    let policies: Vec<Policy> =
        outermost.into_iter().map(|(element, wsp)| reader.policy(element, wsp)).collect();
    let mut diagnostics = Vec::new();
    if policies.is_empty() {
        diagnostics.push(Diagnostic::new(Problem::NoPolicy, None));
    }
    Policies::new(file, source, policies, diagnostics)
}

/// The outermost policy elements, in document order.
pub(crate) fn outermost(root: Element<'_>) -> Vec<(Element<'_>, Wsp)> {
    let mut found = Vec::new();
    let mut waiting = vec![root];
    while let Some(element) = waiting.pop() {
        match operator(element) {
            Some((wsp, Operator::Policy)) => found.push((element, wsp)),
            _ => {
                let at = waiting.len();
                waiting.extend(element.elements());
                if let Some(new) = waiting.get_mut(at..) {
                    new.reverse();
                }
            }
        }
    }
    found
}

fn operator(element: Element<'_>) -> Option<(Wsp, Operator)> {
    let wsp = Wsp::from_uri(element.namespace()?)?;
    let operator = match element.local_name() {
        "Policy" => Operator::Policy,
        "All" => Operator::All,
        "ExactlyOne" => Operator::ExactlyOne,
        _ => return None,
    };
    Some((wsp, operator))
}

fn is_reference(element: Element<'_>) -> bool {
    element.local_name() == "PolicyReference" && element.namespace().and_then(Wsp::from_uri).is_some()
}

/// A policy that was read, with what is to be said about it.
#[derive(Clone)]
struct Known {
    group: Arc<Group>,
    diagnostics: Arc<[Diagnostic]>,
}

#[derive(Clone, Copy)]
enum Visit {
    Enter,
    Leave,
}

pub(crate) struct Reader<'d> {
    lines: Lines<'d>,
    targets: HashMap<String, Element<'d>>,
    known: HashMap<NodeId, Known>,
    entered: HashSet<NodeId>,
    depth: usize,
    diagnostics: Vec<Diagnostic>,
}

impl<'d> Reader<'d> {
    pub(crate) fn new(document: &'d Document) -> Self {
        let mut targets = HashMap::new();
        let mut waiting = vec![document.root()];
        while let Some(element) = waiting.pop() {
            if matches!(operator(element), Some((_, Operator::Policy))) {
                let identity = attribute::identity(element);
                if let Some(id) = identity.id {
                    targets.entry(format!("#{id}")).or_insert(element);
                }
                if let Some(name) = identity.name {
                    targets.entry(name.into_string()).or_insert(element);
                }
            }
            waiting.extend(element.elements());
        }
        let lines = Lines::new(document.segment_text(0));
        Self {
            lines,
            targets,
            known: HashMap::new(),
            entered: HashSet::new(),
            depth: 0,
            diagnostics: Vec::new(),
        }
    }

    /// Reads an outermost policy.
    pub(crate) fn policy(&mut self, element: Element<'d>, wsp: Wsp) -> Policy {
        self.diagnostics.clear();
        let known = self.target(element);
        let mut diagnostics = known.diagnostics.to_vec();
        if !has_binding(&known.group) {
            diagnostics.push(Diagnostic::new(Problem::Fragment, Some(self.at(element))));
        }
        diagnostics.sort_by_key(|diagnostic| diagnostic.position);
        Policy {
            identity: attribute::identity(element),
            wsp,
            expression: known.group,
            diagnostics,
            position: self.at(element),
        }
    }

    /// The policy that a reference names, if it is in this document: its group.
    pub(crate) fn resolve(&mut self, uri: &str) -> Option<Policy> {
        let element = *self.targets.get(uri)?;
        let (wsp, _) = operator(element)?;
        Some(self.policy(element, wsp))
    }

    /// Where an element begins.
    pub(crate) fn at(&self, element: Element<'_>) -> Position {
        self.lines.position(element.span().start)
    }

    fn report(&mut self, problem: Problem, at: Position) {
        if self.diagnostics.len() < MAX_DIAGNOSTICS {
            self.diagnostics.push(Diagnostic::new(problem, Some(at)));
        }
    }

    /// Reads a policy element once and remembers it, after everything that it refers to: by a list of our own, so that a
    /// chain of references is no recursion. What is not known when it is referred to lies on a cycle.
    fn target(&mut self, element: Element<'d>) -> Known {
        let mut waiting = vec![(element, Visit::Enter)];
        while let Some((element, visit)) = waiting.pop() {
            if self.known.contains_key(&element.id()) {
                continue;
            }
            match visit {
                Visit::Enter if self.entered.insert(element.id()) => {
                    waiting.push((element, Visit::Leave));
                    waiting.extend(self.referred(element).map(|target| (target, Visit::Enter)));
                }
                Visit::Enter => {}
                Visit::Leave => {
                    let known = self.alone(element);
                    self.known.insert(element.id(), known);
                }
            }
        }
        self.known.get(&element.id()).cloned().unwrap_or_else(|| Known {
            group: Arc::new(Group::new(Operator::Policy, Vec::new())),
            diagnostics: Arc::from([]),
        })
    }

    /// The policies that a policy element refers to, anywhere in it.
    fn referred(&self, element: Element<'d>) -> impl Iterator<Item = Element<'d>> {
        let references = element.descendants().filter(|child| is_reference(*child));
        references.filter_map(|child| self.targets.get(child.attr_plain("URI")?).copied())
    }

    /// Reads a policy element whose references are known.
    fn alone(&mut self, element: Element<'d>) -> Known {
        let outer = std::mem::take(&mut self.diagnostics);
        let group = Arc::new(self.group(element, Operator::Policy, Place::TOP, "Policy"));
        let diagnostics = std::mem::replace(&mut self.diagnostics, outer).into();
        Known { group, diagnostics }
    }

    /// Reads an operator. `owner` is what a misplaced assertion is reported to stand in.
    fn group(&mut self, element: Element<'d>, operator: Operator, place: Place, owner: &str) -> Group {
        let extra = attribute::operator_attributes(element);
        if self.depth >= MAX_DEPTH {
            self.report(Problem::TooDeep { limit: MAX_DEPTH }, self.at(element));
            return Group::new(operator, Vec::new());
        }
        self.depth += 1;
        self.no_text(element, operator.name());
        let mut children = Vec::new();
        for child in element.elements() {
            children.extend(self.node(child, place, owner));
        }
        self.depth -= 1;
        let group = Group::new(operator, children).with_extra(extra);
        if group.size().depth > MAX_DEPTH {
            self.report(Problem::TooDeep { limit: MAX_DEPTH }, self.at(element));
            return Group::new(operator, Vec::new());
        }
        group
    }

    fn node(&mut self, element: Element<'d>, place: Place, owner: &str) -> Option<Node> {
        let namespace = element.namespace().unwrap_or_default();
        if Wsp::from_uri(namespace).is_none() {
            let of_security = Version::from_uri(namespace).is_some_and(Version::is_security);
            if of_security && element.local_name() == "Policy" {
                self.report(Problem::NoSuchOperator { within: owner.into() }, self.at(element));
                return None;
            }
            return self
                .assertion(element, place, owner)
                .map(|assertion| Node::Assertion(Arc::new(assertion)));
        }
        match (operator(element), element.local_name()) {
            (Some((_, operator)), _) => {
                Some(Node::Group(Arc::new(self.group(element, operator, place, owner))))
            }
            (None, "PolicyReference") => Some(self.reference(element)),
            (None, name) => {
                self.report(Problem::UnknownOperator { name: name.into() }, self.at(element));
                None
            }
        }
    }

    fn reference(&mut self, element: Element<'d>) -> Node {
        let at = self.at(element);
        let uri: Box<str> = element.attr_plain("URI").unwrap_or_default().into();
        let target = match self.targets.get(uri.as_ref()).map(|target| self.known.get(&target.id()).cloned())
        {
            None => {
                self.report(Problem::Unresolved { uri: uri.clone() }, at);
                None
            }
            Some(None) => {
                self.report(Problem::ReferenceCycle { uri: uri.clone() }, at);
                None
            }
            Some(Some(known)) => {
                self.inherit(&known.diagnostics);
                Some(known.group)
            }
        };
        Node::Reference { uri, target, position: at }
    }

    /// Takes over what is to be said about a policy that is referred to: what stops its use before the rest.
    fn inherit(&mut self, diagnostics: &[Diagnostic]) {
        let stops =
            |found: &&Diagnostic| found.is_error() || matches!(found.problem, Problem::Misplaced { .. });
        let (stopping, others): (Vec<_>, Vec<_>) = diagnostics.iter().partition(stops);
        for diagnostic in stopping.into_iter().chain(others).take(MAX_INHERITED) {
            if self.diagnostics.len() < MAX_DIAGNOSTICS && !self.diagnostics.contains(diagnostic) {
                self.diagnostics.push(diagnostic.clone());
            }
        }
    }

    /// Reports text where only elements may stand.
    fn no_text(&mut self, element: Element<'d>, within: &str) {
        if !element.text().trim().is_empty() {
            self.report(Problem::StrayText { within: within.into() }, self.at(element));
        }
    }
}

/// Whether a binding stands in the policy itself (not in a nested one). Groups are never deeper than [`MAX_DEPTH`].
pub(crate) fn has_binding(group: &Group) -> bool {
    group.children().iter().any(|node| match node {
        Node::Group(group) => has_binding(group),
        Node::Assertion(assertion) => assertion.kind.is_binding(),
        Node::Reference { target, .. } => target.as_ref().is_some_and(|group| has_binding(group)),
    })
}
