//! The one error type of the crate: what was wrong and at which octet. It carries no text of the input, so it can be
//! logged; callers map it to a fault.

use core::fmt;

use crate::limits::Quantity;

/// Why a document was refused, or why a canonical form cannot be made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Error {
    kind: ErrorKind,
    offset: usize,
}

/// The kinds of [`Error`], in the order of the layers that find them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A limit of [`crate::Limits`] was reached.
    Limit(Quantity),
    /// The octets are neither UTF-8 nor UTF-16 with a byte order mark.
    Encoding,
    /// The XML declaration names another encoding than the octets have.
    EncodingMismatch,
    /// The XML declaration is malformed, or names another version than 1.0.
    Declaration,
    /// A document type declaration: never accepted.
    Dtd,
    /// A processing instruction where the profile allows none.
    ProcessingInstruction,
    /// The input ended inside a construct or before the root element was closed.
    UnexpectedEnd,
    /// A character that XML 1.0 §2.2 forbids.
    Character,
    /// A reference to a character that XML 1.0 §2.2 forbids, or a malformed one.
    CharacterReference,
    /// A reference to an entity other than lt, gt, amp, apos, quot.
    Entity,
    /// Not a name, or not a qualified name (XML 1.0 §2.3, Namespaces §4).
    Name,
    /// Malformed start tag, end tag or attribute.
    Tag,
    /// An end tag that does not match its start tag.
    EndTag,
    /// `<` inside an attribute value.
    AttributeValue,
    /// Two attributes of one element with the same (expanded) name.
    DuplicateAttribute,
    /// `]]>` in text.
    CdataEnd,
    /// Malformed comment, or `--` inside.
    Comment,
    /// Text or a second element outside the root element.
    OutsideRoot,
    /// The document has no root element.
    NoRoot,
    /// A prefix that is not declared.
    UnboundPrefix,
    /// A declaration that Namespaces in XML 1.0 §3, §5 forbid (`xml`, `xmlns`, undeclared prefix).
    NamespaceDeclaration,
    /// A namespace URI with non-ASCII characters, refused in messages.
    NamespaceUri,
    /// A relative namespace URI: canonical forms are undefined for it (Canonical XML 1.0 §1.3).
    RelativeNamespace,
    /// Two elements with one Id, or a look-alike of a recognised or referenced Id.
    DuplicateId,
    /// Something other than plain text in an element that may hold text only.
    NotText,
    /// The plaintext does not have the shape that its place demands.
    Fragment,
    /// The node is not an element of this document, or was already replaced.
    NodeId,
    /// A path outside the supported subset (see [`crate::path`]).
    Path,
    /// The writer was given a name, prefix or character that XML forbids, or calls in the wrong order.
    Writer,
}

impl Error {
    pub(crate) const fn new(kind: ErrorKind, offset: usize) -> Self {
        Self { kind, offset }
    }

    pub(crate) const fn limit(quantity: Quantity, offset: usize) -> Self {
        Self { kind: ErrorKind::Limit(quantity), offset }
    }

    pub(crate) const fn at(self, offset: usize) -> Self {
        Self { kind: self.kind, offset }
    }

    /// What was wrong.
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Where, in octets from the start of the text in its UTF-8 form. After a graft the text is the plaintext.
    #[must_use]
    pub const fn offset(&self) -> usize {
        self.offset
    }

    /// Line and column of the offset in the text that was parsed, both from 1; the column counts characters.
    #[must_use]
    pub fn line_column(&self, text: &[u8]) -> (usize, usize) {
        line_column(text, self.offset)
    }
}

/// Line and column of an offset, both from 1.
pub(crate) fn line_column(text: &[u8], offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line_start = memchr::memrchr(b'\n', before).map_or(0, |at| at + 1);
    let line = memchr::memchr_iter(b'\n', before).count() + 1;
    let last = before.get(line_start..).unwrap_or_default();
    // Every octet that does not continue a UTF-8 sequence begins a character.
    (line, last.iter().filter(|&&b| b & 0xC0 != 0x80).count() + 1)
}

impl ErrorKind {
    /// What was expected, in words.
    #[must_use]
    pub const fn message(self) -> &'static str {
        match self {
            Self::Limit(quantity) => quantity.message(),
            Self::Encoding => "not UTF-8, and not UTF-16 with a byte order mark",
            Self::EncodingMismatch => "the XML declaration names another encoding than the octets have",
            Self::Declaration => "malformed XML declaration, or a version other than 1.0",
            Self::Dtd => "document types are never accepted",
            Self::ProcessingInstruction => "processing instructions are not allowed in messages",
            Self::UnexpectedEnd => "the document ends too early",
            Self::Character => "a character that XML forbids",
            Self::CharacterReference => {
                "a malformed character reference, or one to a character that XML forbids"
            }
            Self::Entity => "an entity other than lt, gt, amp, apos, quot",
            Self::Name => "not a valid name",
            Self::Tag => "malformed tag",
            Self::EndTag => "this end tag does not match the open element",
            Self::AttributeValue => "malformed attribute value",
            Self::DuplicateAttribute => "an attribute occurs twice",
            Self::CdataEnd => "\"]]>\" is not allowed in text",
            Self::Comment => "malformed comment",
            Self::OutsideRoot => "only comments and white space may stand outside the root element",
            Self::NoRoot => "no root element",
            Self::UnboundPrefix => "this namespace prefix is not declared",
            Self::NamespaceDeclaration => "a namespace declaration that XML forbids",
            Self::NamespaceUri => "a namespace URI in a message must be ASCII",
            Self::RelativeNamespace => "no canonical form exists with a relative namespace URI",
            Self::DuplicateId => {
                "two elements claim one Id, or it stands in an attribute that is not declared to hold Ids"
            }
            Self::NotText => "only text is allowed here",
            Self::Fragment => "the plaintext does not fit its place",
            Self::NodeId => "no such element, or it was replaced already",
            Self::Path => "not a path of the supported subset",
            Self::Writer => "a name or character that XML forbids, or calls out of order",
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (octet {})", self.kind.message(), self.offset)
    }
}

impl std::error::Error for Error {}
