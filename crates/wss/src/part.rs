//! Parts of a message as a policy names them, and what is demanded of each.
//!
//! A part is a *position* (the Body, a header block, an element by absolute path), never an Id. Called by plans, by `inbound::conform`, by `outbound`.

use bartizan_soap::Version;
use bartizan_xml::path::Path;

/// A part of a message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Part {
    /// `Envelope/Body`.
    Body,
    /// Header blocks by namespace and, unless all of that namespace are meant, local name.
    Header {
        /// Namespace URI.
        ns: String,
        /// Local name; `None` means every block of the namespace.
        local: Option<String>,
    },
    /// Every header block addressed to us, but for our Security header (an empty SignedParts). Signed only.
    Headers,
    /// The Timestamp in our Security header.
    Timestamp,
    /// The token that the primary signature was made with.
    Token,
    /// The UsernameToken in our Security header.
    UsernameToken,
    /// The primary signature itself (to be encrypted).
    Signature,
    /// Every SignatureConfirmation in our Security header.
    SignatureConfirmation,
    /// Elements by an absolute path.
    Element {
        /// The path as the policy writes it, for reports.
        text: String,
        /// The path.
        path: Path,
    },
}

impl Part {
    /// The header block `{ns}local`.
    pub fn header(ns: impl Into<String>, local: impl Into<String>) -> Part {
        Part::Header { ns: ns.into(), local: Some(local.into()) }
    }

    /// Elements by an absolute path; `resolve` gives the namespace of a prefix.
    ///
    /// # Errors
    /// [`bartizan_xml::ErrorKind::Path`] outside the supported subset, [`bartizan_xml::ErrorKind::UnboundPrefix`].
    pub fn element(
        text: &str,
        resolve: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Part, bartizan_xml::Error> {
        Ok(Part::Element { text: text.to_owned(), path: Path::parse(text, resolve)? })
    }

    /// Every header block of the namespace `ns`.
    pub fn headers(ns: impl Into<String>) -> Part {
        Part::Header { ns: ns.into(), local: None }
    }
}

impl std::fmt::Display for Part {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Part::Body => f.write_str("body"),
            Part::Header { ns, local: Some(local) } => write!(f, "header:{{{ns}}}{local}"),
            Part::Header { ns, local: None } => write!(f, "header:{{{ns}}}*"),
            Part::Headers => f.write_str("headers"),
            Part::Timestamp => f.write_str("timestamp"),
            Part::Token => f.write_str("token"),
            Part::UsernameToken => f.write_str("username-token"),
            Part::Signature => f.write_str("signature"),
            Part::SignatureConfirmation => f.write_str("signature-confirmation"),
            Part::Element { text, .. } => write!(f, "element:{text}"),
        }
    }
}

/// The path that means in a message of `version` what `path` means in one of the other version: `None` if it is for any, or this one.
pub(crate) fn other_version(path: &Path, version: Version) -> Option<Path> {
    let other = match version {
        Version::Soap11 => Version::Soap12,
        Version::Soap12 => Version::Soap11,
    };
    path.renamed(other.namespace(), version.namespace())
}

/// How strongly something is demanded.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Need {
    /// Not at all.
    #[default]
    No,
    /// If the part is in the message (a SignedParts header, WS-SecurityPolicy 1.3 §4.1.1).
    IfPresent,
    /// The part must be there.
    Must,
}

/// What an inbound plan demands of one part. With [`Need::No`] twice the part must only be in the message
/// (RequiredParts and RequiredElements, WS-SecurityPolicy 1.3 §4.3).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Require {
    /// The part.
    pub part: Part,
    /// To be covered by the primary signature.
    pub signed: Need,
    /// To be encrypted.
    pub encrypted: Need,
    /// Of an element by path: whether the element itself is to be encrypted, or its content is enough. Other parts
    /// have [`EncryptHow::Content`]: either will do.
    pub how: EncryptHow,
}

impl Require {
    /// Whether a message without the part is refused.
    #[must_use]
    pub fn must_be_there(&self) -> bool {
        matches!((self.signed, self.encrypted), (Need::Must, _) | (_, Need::Must) | (Need::No, Need::No))
    }
}

/// A part to be encrypted on the way out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EncryptPart {
    /// The part: Body (always its content), a header block (as wsse11:EncryptedHeader), the signature, an element.
    pub part: Part,
    /// Element or content; Body is always content, a header block and the signature always the element.
    pub how: EncryptHow,
}

/// What of a part is encrypted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EncryptHow {
    /// The element itself.
    Element,
    /// Its content.
    Content,
}
