//! WS-Policy 1.2 and 1.5 expressions: operators over assertions, with positions.
//!
//! Not yet normalised (`normal`) and not yet judged (`compile`). Made by `read` and `short`.
//! Groups are shared, so that a policy referred to many times is held once; their sizes are known when they are
//! made, so that nobody has to walk an expression to learn that it is too large.

use std::sync::Arc;

use bartizan_xml::names::ns;

use crate::assertion::{Assertion, Extra, Kind, Nested};
use crate::error::{Diagnostic, Position};

/// Policies nested deeper than this are refused (operators, nested policies and references together).
pub const MAX_DEPTH: usize = 48;

/// A namespace of WS-Policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Wsp {
    /// WS-Policy 1.2 (2004/09).
    V12,
    /// The 2006/07 draft of WS-Policy 1.5.
    V15Draft,
    /// WS-Policy 1.5.
    V15,
}

impl Wsp {
    /// Every one.
    pub const ALL: [Self; 3] = [Self::V12, Self::V15Draft, Self::V15];

    /// The namespace.
    #[must_use]
    pub fn uri(self) -> &'static str {
        match self {
            Self::V12 => ns::WSP04.uri(),
            Self::V15Draft => ns::WSP06.uri(),
            Self::V15 => ns::WSP15.uri(),
        }
    }

    /// The version of a namespace.
    #[must_use]
    pub fn from_uri(uri: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|wsp| wsp.uri() == uri)
    }
}

/// How large the normal form of an expression is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Size {
    /// Alternatives, duplicates included.
    pub alternatives: u64,
    /// Assertions in all alternatives together, nested ones included.
    pub assertions: u64,
    /// Depth of nesting.
    pub depth: usize,
}

impl Size {
    /// One empty alternative.
    pub(crate) const ONE: Self = Self { alternatives: 1, assertions: 0, depth: 0 };
    /// No alternative.
    pub(crate) const ZERO: Self = Self { alternatives: 0, assertions: 0, depth: 0 };

    /// Every combination of the two.
    pub(crate) fn times(self, other: Self) -> Self {
        Self {
            alternatives: self.alternatives.saturating_mul(other.alternatives),
            assertions: self
                .assertions
                .saturating_mul(other.alternatives)
                .saturating_add(other.assertions.saturating_mul(self.alternatives)),
            depth: self.depth.max(other.depth),
        }
    }

    /// One or the other.
    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            alternatives: self.alternatives.saturating_add(other.alternatives),
            assertions: self.assertions.saturating_add(other.assertions),
            depth: self.depth.max(other.depth),
        }
    }
}

/// Which operator a group is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operator {
    /// `wsp:Policy`: the same as All.
    Policy,
    /// `wsp:All`.
    All,
    /// `wsp:ExactlyOne`.
    ExactlyOne,
}

impl Operator {
    /// The local name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Policy => "Policy",
            Self::All => "All",
            Self::ExactlyOne => "ExactlyOne",
        }
    }
}

/// An operator and what it holds.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Group {
    operator: Operator,
    children: Vec<Node>,
    extra: Vec<Extra>,
    size: Size,
}

impl Group {
    /// A group; its size is computed from its children's.
    #[must_use]
    pub fn new(operator: Operator, children: Vec<Node>) -> Self {
        let sizes = children.iter().map(Node::size);
        let mut size = match operator {
            Operator::Policy | Operator::All => sizes.fold(Size::ONE, Size::times),
            Operator::ExactlyOne => sizes.fold(Size::ZERO, Size::plus),
        };
        size.depth = size.depth.saturating_add(1);
        Self { operator, children, extra: Vec::new(), size }
    }

    /// With attributes that are kept (`wsu:Id`, `Name`, …).
    #[must_use]
    pub fn with_extra(mut self, extra: Vec<Extra>) -> Self {
        self.extra = extra;
        self
    }

    /// Which operator.
    #[must_use]
    pub fn operator(&self) -> Operator {
        self.operator
    }

    /// What it holds, in order.
    #[must_use]
    pub fn children(&self) -> &[Node] {
        &self.children
    }

    /// Attributes that are kept.
    #[must_use]
    pub fn extra(&self) -> &[Extra] {
        &self.extra
    }

    /// How large its normal form is.
    #[must_use]
    pub fn size(&self) -> Size {
        self.size
    }

    /// Whether nothing is in it, not even an empty operator.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.children.is_empty()
    }
}

/// What stands in an operator.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// Another operator.
    Group(Arc<Group>),
    /// An assertion.
    Assertion(Arc<Assertion>),
    /// A PolicyReference.
    Reference {
        /// As written.
        uri: Box<str>,
        /// The policy that it names; `None` is an error that was reported.
        target: Option<Arc<Group>>,
        /// Where.
        position: Position,
    },
}

impl Node {
    /// How large its normal form is.
    #[must_use]
    pub fn size(&self) -> Size {
        match self {
            Self::Group(group) => group.size,
            Self::Assertion(assertion) => assertion.size(),
            Self::Reference { target, .. } => target
                .as_ref()
                .map_or(Size::ONE, |group| Size { depth: group.size.depth.saturating_add(1), ..group.size }),
        }
    }
}

impl Assertion {
    /// How large its normal form is: the nested policy's alternatives, and one more if it is optional.
    #[must_use]
    pub fn size(&self) -> Size {
        let nested = match &self.nested {
            Nested::Written(group) if self.kind == Kind::BootstrapPolicy => {
                Size { alternatives: 1, assertions: group.size.assertions, depth: group.size.depth }
            }
            Nested::Written(group) => group.size,
            Nested::None => Size::ONE,
            Nested::Chosen(alternative) => alternative.size(),
        };
        let own = Size {
            alternatives: nested.alternatives,
            assertions: nested.assertions.saturating_add(nested.alternatives),
            depth: nested.depth.saturating_add(1),
        };
        if self.optional { own.plus(Size::ONE) } else { own }
    }
}

/// One alternative of a normal form: everything in it must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Alternative {
    /// The assertions, in document order; their nested policies are in normal form too.
    pub assertions: Vec<Arc<Assertion>>,
}

impl Alternative {
    /// The first assertion of that kind.
    #[must_use]
    pub fn find(&self, kind: Kind) -> Option<&Assertion> {
        self.assertions.iter().find(|assertion| assertion.kind == kind).map(Arc::as_ref)
    }

    /// All assertions of that kind.
    pub fn all(&self, kind: Kind) -> impl Iterator<Item = &Assertion> {
        self.assertions.iter().filter(move |assertion| assertion.kind == kind).map(Arc::as_ref)
    }

    /// Its size: one alternative.
    #[must_use]
    pub fn size(&self) -> Size {
        self.assertions.iter().map(|assertion| assertion.size()).fold(Size::ONE, Size::times)
    }
}

/// How a policy is found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identity {
    /// `wsu:Id` or `xml:id`.
    pub id: Option<Box<str>>,
    /// `Name`, an absolute URI by the specification.
    pub name: Option<Box<str>>,
}

impl Identity {
    /// What people call it.
    #[must_use]
    pub fn label(&self) -> Option<&str> {
        self.id.as_deref().or(self.name.as_deref())
    }
}

/// A policy as written.
#[derive(Clone, Debug)]
pub struct Policy {
    /// How it is found.
    pub identity: Identity,
    /// The namespace of its operators.
    pub wsp: Wsp,
    /// The expression; its operator is [`Operator::Policy`].
    pub expression: Arc<Group>,
    /// What is to be said about it, in document order.
    pub diagnostics: Vec<Diagnostic>,
    /// Where.
    pub position: Position,
}

impl Policy {
    /// Whether nothing stops its use.
    #[must_use]
    pub fn is_usable(&self) -> bool {
        !self.diagnostics.iter().any(Diagnostic::is_error)
    }
}
