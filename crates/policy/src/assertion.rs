//! The closed set of assertions: WS-SecurityPolicy 1.1, 1.2 and 1.3, the addressing assertions, and CXF's suites.
//!
//! Not the meaning of an assertion (that is `compile`), only its name, versions, place and parameters.
//! Read by `read`, written by `write`, judged by `normal` and `compile`.

use std::sync::Arc;

use bartizan_xml::names::ns;

use crate::error::Position;
use crate::model::{Alternative, Group};

mod kind;
mod place;

pub use self::kind::Kind;
pub(crate) use self::kind::{ALIASES, Shape};
pub use self::place::Place;

#[cfg(test)]
mod tests;

/// A namespace that our assertions come from, which is also the version of the specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Version {
    /// WS-SecurityPolicy 1.1 (2005/07).
    Sp11,
    /// WS-SecurityPolicy 1.2 (200702), also the basis of 1.3.
    Sp12,
    /// The additions of WS-SecurityPolicy 1.3 (200802).
    Sp13,
    /// CXF's own suites.
    Cxf,
    /// WS-Addressing policy assertions of 2004.
    Wsap,
    /// WS-Addressing WSDL binding of 2006 (`UsingAddressing`).
    Wsaw,
    /// WS-Addressing metadata of 2007 (`Addressing`).
    Wsam,
    /// Our own suites.
    Own,
}

/// The namespace of our own algorithm suites.
const OWN: &str = "urn:bartizan:policy:1";
/// The namespace of CXF's own algorithm suites.
const CXF: &str = "http://cxf.apache.org/custom/security-policy";

impl Version {
    /// Every one.
    pub const ALL: [Self; 8] =
        [Self::Sp11, Self::Sp12, Self::Sp13, Self::Cxf, Self::Wsap, Self::Wsaw, Self::Wsam, Self::Own];

    /// The namespace.
    #[must_use]
    pub fn uri(self) -> &'static str {
        match self {
            Self::Sp11 => ns::SP11.uri(),
            Self::Sp12 => ns::SP12.uri(),
            Self::Sp13 => ns::SP13.uri(),
            Self::Cxf => CXF,
            Self::Wsap => ns::WSAP04.uri(),
            Self::Wsaw => ns::WSAW.uri(),
            Self::Wsam => ns::WSAM.uri(),
            Self::Own => OWN,
        }
    }

    /// The version of a namespace.
    #[must_use]
    pub fn from_uri(uri: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|version| version.uri() == uri)
    }

    /// What people call it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sp11 => "1.1",
            Self::Sp12 => "1.2",
            Self::Sp13 => "1.3",
            Self::Cxf => "CXF",
            Self::Wsap => "addressing policy 2004",
            Self::Wsaw => "addressing binding 2006",
            Self::Wsam => "addressing metadata 2007",
            Self::Own => "bartizan",
        }
    }

    /// The prefix that is written.
    #[must_use]
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::Sp11 | Self::Sp12 => "sp",
            Self::Sp13 => "sp13",
            Self::Cxf => "cxf",
            Self::Wsap => "wsap",
            Self::Wsaw => "wsaw",
            Self::Wsam => "wsam",
            Self::Own => "bz",
        }
    }

    /// Whether this is a namespace of WS-SecurityPolicy.
    #[must_use]
    pub const fn is_security(self) -> bool {
        matches!(self, Self::Sp11 | Self::Sp12 | Self::Sp13)
    }
}

/// When a token is sent along (WS-SecurityPolicy 1.2 §5.1.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Include {
    /// Never: a reference only.
    Never,
    /// Once, in the first message.
    Once,
    /// From initiator to recipient.
    AlwaysToRecipient,
    /// From recipient to initiator (1.2 and later).
    AlwaysToInitiator,
    /// In every message; also what silence means.
    #[default]
    Always,
}

impl Include {
    /// Every one.
    pub const ALL: [Self; 5] =
        [Self::Never, Self::Once, Self::AlwaysToRecipient, Self::AlwaysToInitiator, Self::Always];

    /// The last part of its URI.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Never => "Never",
            Self::Once => "Once",
            Self::AlwaysToRecipient => "AlwaysToRecipient",
            Self::AlwaysToInitiator => "AlwaysToInitiator",
            Self::Always => "Always",
        }
    }

    /// The value of `IncludeToken` in a version of the specification.
    #[must_use]
    pub fn uri(self, version: Version) -> String {
        format!("{}/IncludeToken/{}", version.uri(), self.name())
    }
}

/// A header that a part names.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct HeaderPart {
    /// Local name; `None` is every header of the namespace.
    pub name: Option<Box<str>>,
    /// Namespace.
    pub namespace: Box<str>,
    /// Where.
    pub position: Position,
}

/// A part of a message in SignedParts, EncryptedParts or RequiredParts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum PartItem {
    /// The Body.
    Body,
    /// One header, or all of a namespace.
    Header(HeaderPart),
    /// Attachments, with the 1.3 transforms as written.
    Attachments {
        /// `sp13:ContentSignatureTransform`.
        content: bool,
        /// `sp13:AttachmentCompleteSignatureTransform`.
        complete: bool,
    },
}

/// An XPath of SignedElements and its like, with the namespaces it was written under.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PathItem {
    /// The expression.
    pub path: Box<str>,
    /// Prefix and namespace of every prefix that the expression uses.
    pub namespaces: Vec<(Box<str>, Box<str>)>,
    /// `Filter` of a 1.3 XPath2 and the name it was written with.
    pub filter: Option<(Box<str>, Box<str>)>,
    /// Where.
    pub position: Position,
}

/// Opaque XML that a token carries (`Issuer`, `Claims`, the request template): kept, not interpreted.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Raw {
    /// Namespace, or empty.
    pub namespace: Box<str>,
    /// Prefix as written.
    pub prefix: Box<str>,
    /// Local name.
    pub local: Box<str>,
    /// Exclusive canonical form: of the whole element, or of its content if the element is an assertion itself.
    pub octets: Arc<[u8]>,
    /// Text of the element itself, trimmed.
    pub text: Box<str>,
    /// Where.
    pub position: Position,
}

/// What an assertion says beside its nested policy.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Parameters {
    /// Nothing.
    None,
    /// SignedParts, EncryptedParts, RequiredParts.
    Parts(Vec<PartItem>),
    /// SignedElements, EncryptedElements, ContentEncryptedElements, RequiredElements.
    Paths {
        /// `XPathVersion`; `1.0` if absent.
        version: Box<str>,
        /// The expressions.
        paths: Vec<PathItem>,
    },
    /// A token.
    Token(TokenParameters),
    /// A foreign assertion. The octets are its content without its nested policy, if it has one.
    Foreign(Raw),
}

/// Parameters of a token assertion.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct TokenParameters {
    /// `IncludeToken`; `Always` if absent (WS-SecurityPolicy 1.2 §5.1.1).
    pub include: Include,
    /// `Issuer`, `IssuerName`, `Claims`, `RequestSecurityTokenTemplate`, in order.
    pub raws: Vec<Raw>,
    /// HttpsToken of 1.1: the attribute `RequireClientCertificate`.
    pub client_certificate: Option<bool>,
}

/// An attribute that we keep and do not interpret.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Extra {
    /// Namespace, or empty.
    pub namespace: Box<str>,
    /// Prefix as written.
    pub prefix: Box<str>,
    /// Local name.
    pub local: Box<str>,
    /// Value.
    pub value: Box<str>,
}

/// The policy inside of an assertion.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Nested {
    /// None.
    None,
    /// As written; in a normal form only that of BootstrapPolicy, which is a policy of its own.
    Written(Arc<Group>),
    /// In normal form: exactly one alternative is left.
    Chosen(Alternative),
}

/// One assertion.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Assertion {
    /// Which.
    pub kind: Kind,
    /// The namespace it was written in; for [`Kind::Foreign`] see its parameters.
    pub version: Version,
    /// `wsp:Optional`: two alternatives, with and without.
    pub optional: bool,
    /// `wsp:Ignorable`.
    pub ignorable: bool,
    /// Parameters.
    pub parameters: Parameters,
    /// Attributes that are kept as they are.
    pub extra: Vec<Extra>,
    /// Nested policy.
    pub nested: Nested,
    /// Where.
    pub position: Position,
}

impl Assertion {
    /// An assertion without parameters.
    #[must_use]
    pub fn flag(kind: Kind, version: Version, position: Position) -> Self {
        Self {
            kind,
            version,
            optional: false,
            ignorable: false,
            parameters: Parameters::None,
            extra: Vec::new(),
            nested: Nested::None,
            position,
        }
    }

    /// The name, for people.
    #[must_use]
    pub fn name(&self) -> &str {
        match &self.parameters {
            Parameters::Foreign(raw) => &raw.local,
            Parameters::None | Parameters::Parts(_) | Parameters::Paths { .. } | Parameters::Token(_) => {
                self.kind.name()
            }
        }
    }

    /// The assertions of the nested policy, once it is in normal form; else nothing.
    #[must_use]
    pub fn chosen(&self) -> &[Arc<Self>] {
        match &self.nested {
            Nested::Chosen(alternative) => &alternative.assertions,
            Nested::None | Nested::Written(_) => &[],
        }
    }

    /// The first assertion of that kind in the nested policy in normal form.
    #[must_use]
    pub fn child(&self, kind: Kind) -> Option<&Self> {
        self.chosen().iter().find(|child| child.kind == kind).map(Arc::as_ref)
    }

    /// When the token is sent along; `Always` if the policy is silent or this is no token.
    #[must_use]
    pub fn include(&self) -> Include {
        match &self.parameters {
            Parameters::Token(token) => token.include,
            Parameters::None | Parameters::Parts(_) | Parameters::Paths { .. } | Parameters::Foreign(_) => {
                Include::Always
            }
        }
    }
}
