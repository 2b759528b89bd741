//! What can be wrong with a policy, where, and how to mend it.
//!
//! Not a fault on the wire: a policy is read when a configuration is loaded, never per message.
//! Made by every module of this crate, shown by the verbs `policy` and `check`.

use std::fmt;

use serde::Serialize;
use serde::ser::{SerializeStruct, Serializer};

pub(crate) mod lines;
pub(crate) mod nearest;
mod render;
mod text;

pub(crate) use self::text::is_rampart_config;

#[cfg(test)]
mod tests;

/// A place in a source text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// Offset in bytes of the UTF-8 form, from 0.
    pub offset: usize,
}

impl Position {
    /// The position of byte `offset` of `text`.
    #[must_use]
    pub fn of(text: &str, offset: usize) -> Self {
        let mut offset = offset.min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        let before = text.get(..offset).unwrap_or_default();
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = before.bytes().filter(|&byte| byte == b'\n').count() + 1;
        let column = before.get(start..).unwrap_or_default().chars().count() + 1;
        Self { line: clamp(line), column: clamp(column), offset }
    }
}

fn clamp(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// How much a diagnostic weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The policy is usable; something deserves a look.
    Warning,
    /// The policy cannot be used.
    Error,
}

impl Severity {
    /// `warning` or `error`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// Everything that can be said about a policy. [`Problem::code`] is stable.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the fields are what the sentence of the variant names")]
pub enum Problem {
    /// The file is not XML that we read.
    Xml { expected: Box<str> },
    /// The file holds no policy element.
    NoPolicy,
    /// `--nth` or `FILE#NAME` names none of the policies.
    NoSuchPolicy { wanted: Box<str>, present: usize, nearest: Option<Box<str>> },
    /// Several policies, and none was picked.
    SeveralPolicies { present: usize },
    /// An element in a security-policy namespace that is no assertion of it.
    UnknownAssertion { name: Box<str>, nearest: Option<&'static str>, namespace_of: Option<&'static str> },
    /// A known assertion where the specification does not allow it: read, but an alternative with it cannot be used.
    Misplaced { name: &'static str, within: Box<str> },
    /// A spelling that stacks write and the specification does not know.
    Misspelt { written: Box<str>, name: &'static str },
    /// An assertion of a later version of WS-SecurityPolicy than its namespace says.
    Version { name: &'static str, since: &'static str, written: &'static str },
    /// An assertion of a namespace that we do not know.
    Foreign { name: Box<str>, namespace: Box<str>, ignorable: bool },
    /// A foreign assertion in an alternative that is to be used.
    ForeignUsed { name: Box<str>, namespace: Box<str> },
    /// `sp:Policy` where `wsp:Policy` belongs, in Wss10 and Wss11: read as meant.
    SecurityPolicyOperator { within: &'static str },
    /// `sp:Policy` anywhere else.
    NoSuchOperator { within: Box<str> },
    /// An element of a policy namespace that is no operator.
    UnknownOperator { name: Box<str> },
    /// Text where only elements may stand.
    StrayText { within: Box<str> },
    /// An assertion that needs a nested policy and has none.
    NoNestedPolicy { name: &'static str },
    /// More than one nested policy in an assertion.
    TwoNestedPolicies { name: Box<str> },
    /// A parameter that must be there.
    MissingParameter { name: &'static str, parameter: &'static str },
    /// A parameter element that the assertion does not have.
    UnknownParameter { name: &'static str, parameter: Box<str> },
    /// An attribute whose value means nothing.
    BadAttribute { attribute: &'static str, value: Box<str>, nearest: Option<&'static str> },
    /// An attribute that we do not know.
    UnknownAttribute { attribute: Box<str> },
    /// A value written with the URI of another version of the specification.
    MixedVersions { value: Box<str> },
    /// An XPath outside of the subset that policies are matched with.
    Path { path: Box<str> },
    /// A prefix in an XPath that is not declared.
    PathPrefix { prefix: Box<str> },
    /// A PolicyReference to something that is not in this file.
    Unresolved { uri: Box<str> },
    /// A PolicyReference that leads back to itself.
    ReferenceCycle { uri: Box<str> },
    /// Policies nested deeper than the limit.
    TooDeep { limit: usize },
    /// More alternatives than the limit.
    TooManyAlternatives { count: u64, limit: u64 },
    /// More assertions in the normal form than the limit.
    TooManyAssertions { count: u64, limit: u64 },
    /// More parts in one alternative than the limit.
    TooManyParts { count: usize, limit: usize },
    /// More usable alternatives than a plan holds; the first so many are accepted.
    AlternativesLeft { limit: usize },
    /// A policy without any alternative can never be met.
    NoAlternative,
    /// The list of a receiver, which as a rule does not say what must be signed and encrypted, and how the password stands: it is demanded as a
    /// sender would do it who says nothing either.
    ReceiverSilent { unsaid: Box<str> },
    /// A part of a policy: no binding says how to protect what it names.
    Fragment,
    /// Two assertions of one alternative that cannot both hold.
    Contradiction { name: &'static str, other: &'static str },
    /// An assertion that is said twice where once is meant.
    Twice { name: &'static str },
    /// What the alternative must say and does not.
    Incomplete { name: &'static str, missing: &'static str },
    /// Read and understood, and not built.
    NotCompiled { name: &'static str },
    /// The alternative asks for nothing that proves who sent the message.
    NothingDemanded { side: &'static str },
    /// Encrypted with CBC and covered by no signature.
    UnsignedCbc { side: &'static str },
    /// The signature is encrypted, so that decryption comes first.
    DecryptsFirst,
    /// One side of the short form is given, the other is open.
    OneSided { given: &'static str, open: &'static str },
    /// A name of an action block that is said elsewhere.
    SaidElsewhere { name: &'static str, place: &'static str },
    /// A name or action that is refused.
    RefusedName { name: &'static str, reason: &'static str },
    /// The sender is proved, and nothing protects the Body.
    BodyOpen { side: &'static str },
    /// A UsernameToken that need not carry Nonce and Created can be sent again by anyone who saw it.
    UnguardedToken { side: &'static str },
    /// An action block has no normal form.
    NoNormalForm,
    /// The file is not TOML.
    Toml { expected: Box<str> },
    /// A key that is not known here.
    UnknownKey { key: Box<str>, nearest: Option<&'static str> },
    /// A value that a key does not take.
    BadValue { key: &'static str, value: Box<str>, expected: &'static str, nearest: Option<&'static str> },
    /// A key that must be there.
    MissingKey { key: &'static str },
    /// A built-in name that is not known.
    UnknownBuiltin { name: Box<str>, nearest: Option<&'static str> },
    /// The plan builder refuses the plan; the compiler should have seen it.
    Plan { what: &'static str },
}

/// One thing to say about a policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// What.
    pub problem: Problem,
    /// How much it weighs here (the same problem can be a warning in `check` and an error in use).
    pub severity: Severity,
    /// Where, unless it concerns the whole file.
    pub position: Option<Position>,
}

impl Diagnostic {
    /// A diagnostic of the usual weight of its problem.
    #[must_use]
    pub fn new(problem: Problem, position: Option<Position>) -> Self {
        let severity = problem.severity();
        Self { problem, severity, position }
    }

    /// The same as an error.
    #[must_use]
    pub fn as_error(mut self) -> Self {
        self.severity = Severity::Error;
        self
    }

    /// The same as a warning.
    #[must_use]
    pub fn as_warning(mut self) -> Self {
        self.severity = Severity::Warning;
        self
    }

    /// Whether it stops the use of the policy.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// The stable code, e.g. `unknown_assertion`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        self.problem.code()
    }

    /// One sentence for people, without position.
    #[must_use]
    pub fn message(&self) -> String {
        self.problem.to_string()
    }

    /// How to mend it, if there is something to say.
    #[must_use]
    pub fn help(&self) -> Option<String> {
        self.problem.help()
    }

    /// Whether the line that it is about may be shown. A configuration of Spring may hold a password (`securementPassword`, misspelt or not), which is
    /// in no message.
    #[must_use]
    pub fn shows_its_line(&self, source: &str) -> bool {
        let line = self.position.and_then(|at| source.lines().nth(at.line.saturating_sub(1) as usize));
        let line = line.unwrap_or_default().to_ascii_lowercase();
        let mut secrets = line.split("securementpass").skip(1);
        secrets.all(|behind| behind.starts_with("wordtype"))
    }

    /// The form of `cli-and-config`: what, `--> FILE:LINE:COLUMN`, the line with a caret, help.
    /// `source` is the text that the positions belong to.
    #[must_use]
    pub fn render(&self, file: &str, source: &str) -> String {
        render::render(self, file, source)
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.severity.as_str(), self.problem)?;
        match self.position {
            Some(at) => write!(f, " (line {}, column {})", at.line, at.column),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Diagnostic {}

/// `{ code, severity, message, help, line, column, offset }`; the last four may be null.
impl Serialize for Diagnostic {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_struct("Diagnostic", 7)?;
        out.serialize_field("code", self.code())?;
        out.serialize_field("severity", self.severity.as_str())?;
        out.serialize_field("message", &self.message())?;
        out.serialize_field("help", &self.help())?;
        out.serialize_field("line", &self.position.map(|at| at.line))?;
        out.serialize_field("column", &self.position.map(|at| at.column))?;
        out.serialize_field("offset", &self.position.map(|at| at.offset))?;
        out.end()
    }
}
