//! The one error type of this crate: what was wrong, where, and in which reference.
//!
//! Nothing in here goes on the wire. Callers that answer a peer map every kind to one
//! sentence; the text of [`Error`] is for the local record.

use std::fmt;
use std::sync::Arc;

use bartizan_crypto::alg::{Alg, SignatureAlg};
use bartizan_xml::{Element, NodeId};

use crate::permit::TransformKind;

/// What went wrong, with the element and the reference it went wrong at.
#[derive(Clone, Debug)]
pub struct Error {
    /// The reason.
    pub kind: ErrorKind,
    /// The element at fault, where one is known.
    pub node: Option<NodeId>,
    /// Its path by local names with positions from 1, such as `/Envelope/Header/Security[2]`.
    pub path: Option<Box<str>>,
    /// Index (from 0) of the `ds:Reference` at fault in its SignedInfo.
    pub reference: Option<usize>,
}

/// The reasons for which a signature or ciphertext is refused.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The document layer refused: not well-formed, over a limit, canonicalization impossible.
    Xml(bartizan_xml::Error),
    /// A security element has not the shape that its schema gives it.
    Shape(Shape),
    /// An algorithm URI nobody here knows; `hint` is a URI that was probably meant.
    UnknownAlgorithm {
        /// The URI as written, cut to 256 octets.
        uri: Box<str>,
        /// A known URI that differs only slightly.
        hint: Option<&'static str>,
    },
    /// A known algorithm that the [`Permit`](crate::Permit) does not name.
    AlgorithmNotPermitted(Alg),
    /// A known algorithm in a place where its kind cannot stand, such as a digest as SignatureMethod.
    AlgorithmMisplaced(Alg),
    /// A transform or canonicalization URI nobody here knows.
    UnknownTransform {
        /// The URI as written, cut to 256 octets.
        uri: Box<str>,
        /// A known URI that differs only slightly.
        hint: Option<&'static str>,
    },
    /// A known transform that the [`Permit`](crate::Permit) does not name.
    TransformNotPermitted(TransformKind),
    /// A transform that is refused by design and never evaluated.
    TransformRefused(RefusedTransform),
    /// Known transforms in an order or number that has no meaning.
    TransformOrder,
    /// The enveloped transform where the signature does not stand inside the referenced element.
    EnvelopedNotAncestor,
    /// A URI that is refused by design; nothing is ever fetched.
    UriRefused(RefusedUri),
    /// No element of the document carries the Id.
    TargetMissing(Box<str>),
    /// A reference whose canonical form is empty.
    EmptyTarget,
    /// `ds:Manifest`, as an element or by a Reference's Type, is refused by design.
    ManifestRefused,
    /// `HMACOutputLength` other than the full length of the digest (CVE-2009-0217).
    HmacOutputLength,
    /// `xenc:CipherReference` is refused by design.
    CipherReference,
    /// A STR-Transform whose SecurityTokenReference leads to no token.
    StrTarget,
    /// The key given is of another family than the algorithm.
    WrongKey(SignatureAlg),
    /// The key finder knows no key for this KeyInfo.
    KeyNotFound,
    /// The key finder knows a key but does not trust it.
    KeyNotTrusted(Arc<dyn std::error::Error + Send + Sync>),
    /// Two keys answer the same hint.
    KeyAmbiguous,
    /// A key value in the message (KeyValue, DEREncodedKeyValue, X509Certificate) is malformed.
    BadKeyValue,
    /// KeyInfo leads to KeyInfo more than twice, or to itself.
    KeyInfoDepth,
    /// SignatureValue does not verify.
    SignatureInvalid,
    /// DigestValue differs from the digest computed.
    DigestMismatch,
    /// Any failure to unwrap a key or to open ciphertext: deliberately one reason.
    DecryptionFailed,
    /// ReferenceList names something that is not there, twice, or not an EncryptedData.
    ReferenceList,
    /// EncryptedData inside EncryptedData beyond the limit.
    NestedTooDeep,
    /// Parameters of a key derivation outside their bounds.
    DerivationParameters,
    /// The document has no signature (or nothing encrypted) to work on.
    NothingToDo,
    /// The crypto layer could not make a value (only when signing or encrypting).
    Crypto(bartizan_crypto::Error),
}

/// How a security element deviates from its schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Shape {
    /// The element is not the one to be read here.
    WrongElement,
    /// A required child is missing; the name is its local name.
    MissingChild(&'static str),
    /// A child that is unknown, out of order, or stands twice.
    UnexpectedChild,
    /// Character data, a comment or a processing instruction between the children.
    UnexpectedText,
    /// A required attribute is missing; the name is its local name.
    MissingAttribute(&'static str),
    /// An attribute the schema does not name.
    UnexpectedAttribute,
    /// A leaf that holds anything but text.
    NotText,
    /// A leaf that is not base64, or not canonical base64.
    BadBase64,
    /// A leaf or attribute that is not the number expected, or out of bounds.
    BadNumber,
    /// An empty value where octets are required.
    Empty,
    /// A value longer than its limit.
    TooLong,
}

/// Transforms that are known and never evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RefusedTransform {
    /// XPath 1.0 filtering.
    XPath,
    /// XPath Filter 2.0.
    XPathFilter2,
    /// XSLT.
    Xslt,
    /// Decryption transform.
    Decryption,
    /// The `xpath2`-free rest: relationship (OPC) and XML-binary codings.
    Relationship,
}

/// Forms of URI that a Reference may not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RefusedUri {
    /// No URI at all: what is signed would be known to the application only.
    Absent,
    /// The empty URI where the permit does not allow whole-document references.
    WholeDocument,
    /// Leads out of the document: a scheme, a path, or a host.
    External,
    /// `#xpointer(…)` in any form.
    XPointer,
    /// An attachment (`cid:`) where there are none.
    Attachment,
    /// A bare `#`, white space, percent-coding, or a second `#`.
    Malformed,
}

impl Error {
    /// An error without a place.
    pub fn new(kind: ErrorKind) -> Self {
        Error { kind, node: None, path: None, reference: None }
    }

    /// An error at `element`.
    pub fn at(element: Element<'_>, kind: ErrorKind) -> Self {
        Error { kind, node: Some(element.id()), path: Some(element.path().into_boxed_str()), reference: None }
    }

    /// A wrong shape at `element`.
    pub(crate) fn shape(element: Element<'_>, shape: Shape) -> Self {
        Error::at(element, ErrorKind::Shape(shape))
    }

    /// The one failure of decryption. It has no place: nothing tells how far it came.
    pub(crate) fn decryption() -> Self {
        Error::new(ErrorKind::DecryptionFailed)
    }

    /// The same error, marked as that of the reference `index`.
    pub(crate) fn in_reference(mut self, index: usize) -> Self {
        self.reference = Some(index);
        self
    }

    /// The same error, placed at `element` unless it already has a place.
    pub(crate) fn or_at(mut self, element: Element<'_>) -> Self {
        if self.node.is_none() {
            self.node = Some(element.id());
            self.path = Some(element.path().into_boxed_str());
        }
        self
    }

    /// A stable machine code such as `signature.digest_mismatch`.
    pub fn code(&self) -> &'static str {
        self.kind.code()
    }
}

impl ErrorKind {
    /// A stable machine code such as `signature.digest_mismatch`.
    pub fn code(&self) -> &'static str {
        match self {
            ErrorKind::Xml(_) => "xml.refused",
            ErrorKind::Shape(_) => "signature.structure",
            ErrorKind::UnknownAlgorithm { .. } => "algorithm.unknown",
            ErrorKind::AlgorithmNotPermitted(_) => "algorithm.not_permitted",
            ErrorKind::AlgorithmMisplaced(_) => "algorithm.misplaced",
            ErrorKind::UnknownTransform { .. } => "transform.unknown",
            ErrorKind::TransformNotPermitted(_) => "transform.not_permitted",
            ErrorKind::TransformRefused(_) => "transform.refused",
            ErrorKind::TransformOrder => "transform.order",
            ErrorKind::EnvelopedNotAncestor => "transform.enveloped_not_ancestor",
            ErrorKind::UriRefused(_) => "reference.uri_refused",
            ErrorKind::TargetMissing(_) => "reference.target_missing",
            ErrorKind::EmptyTarget => "reference.empty",
            ErrorKind::ManifestRefused => "reference.manifest_refused",
            ErrorKind::HmacOutputLength => "signature.hmac_output_length",
            ErrorKind::CipherReference => "encryption.cipher_reference",
            ErrorKind::StrTarget => "reference.str_target",
            ErrorKind::WrongKey(_) => "key.wrong_kind",
            ErrorKind::KeyNotFound => "key.not_found",
            ErrorKind::KeyNotTrusted(_) => "key.not_trusted",
            ErrorKind::KeyAmbiguous => "key.ambiguous",
            ErrorKind::BadKeyValue => "key.malformed",
            ErrorKind::KeyInfoDepth => "key.depth",
            ErrorKind::SignatureInvalid => "signature.value_mismatch",
            ErrorKind::DigestMismatch => "signature.digest_mismatch",
            ErrorKind::DecryptionFailed => "encryption.failed",
            ErrorKind::ReferenceList => "encryption.reference_list",
            ErrorKind::NestedTooDeep => "encryption.nested",
            ErrorKind::DerivationParameters => "key.derivation",
            ErrorKind::NothingToDo => "nothing_to_do",
            ErrorKind::Crypto(_) => "crypto.failed",
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.kind, f)?;
        if let Some(index) = self.reference {
            write!(f, " (Reference {index})")?;
        }
        if let Some(path) = &self.path {
            write!(f, " at {path}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hinted = |f: &mut fmt::Formatter<'_>, what: &str, uri: &str, hint: Option<&str>| {
            write!(f, "unknown {what} \"{}\"", uri.escape_debug())?;
            match hint {
                Some(hint) => write!(f, "; \"{hint}\" was probably meant"),
                None => Ok(()),
            }
        };
        match self {
            ErrorKind::Xml(error) => error.fmt(f),
            ErrorKind::Shape(shape) => shape.fmt(f),
            ErrorKind::UnknownAlgorithm { uri, hint } => hinted(f, "algorithm", uri, *hint),
            ErrorKind::UnknownTransform { uri, hint } => hinted(f, "transform", uri, *hint),
            ErrorKind::AlgorithmNotPermitted(Alg::Refused(alg)) => {
                write!(f, "the algorithm {} is refused by design: {}", alg.short_name(), alg.reason())
            }
            ErrorKind::AlgorithmNotPermitted(alg) => write!(f, "the algorithm {alg} is not permitted"),
            ErrorKind::AlgorithmMisplaced(alg) => write!(f, "the algorithm {alg} cannot stand here"),
            ErrorKind::TransformNotPermitted(kind) => write!(f, "the transform {kind} is not permitted"),
            ErrorKind::TransformRefused(which) => {
                write!(f, "the transform {} is refused by design", which.name())
            }
            ErrorKind::UriRefused(form) => f.write_str(form.message()),
            ErrorKind::TargetMissing(id) => write!(f, "no element has the Id \"{}\"", id.escape_debug()),
            ErrorKind::WrongKey(alg) => write!(f, "the key does not suit {alg}"),
            ErrorKind::KeyNotTrusted(why) => write!(f, "the key is not trusted: {why}"),
            ErrorKind::Crypto(error) => error.fmt(f),
            fixed => f.write_str(fixed.message()),
        }
    }
}

impl ErrorKind {
    /// The text of kinds that carry nothing.
    const fn message(&self) -> &'static str {
        match self {
            ErrorKind::TransformOrder => "transforms in an order or number that has no meaning",
            ErrorKind::EnvelopedNotAncestor => {
                "the enveloped transform does not fit where the signature stands"
            }
            ErrorKind::EmptyTarget => "the canonical form is empty",
            ErrorKind::ManifestRefused => "manifests are refused by design",
            ErrorKind::HmacOutputLength => "HMACOutputLength must be absent or the full length",
            ErrorKind::CipherReference => "cipher references are refused by design",
            ErrorKind::StrTarget => "a SecurityTokenReference leads to no token",
            ErrorKind::KeyNotFound => "no key is known for this KeyInfo",
            ErrorKind::KeyAmbiguous => "several keys fit this KeyInfo",
            ErrorKind::BadKeyValue => "a key in the message is malformed",
            ErrorKind::KeyInfoDepth => "KeyInfo leads to KeyInfo too often",
            ErrorKind::SignatureInvalid => "the signature value does not verify",
            ErrorKind::DigestMismatch => "the digest differs",
            ErrorKind::DecryptionFailed => "decryption failed",
            ErrorKind::ReferenceList => "the reference list does not fit the document",
            ErrorKind::NestedTooDeep => "encryption is nested too deep",
            ErrorKind::DerivationParameters => "parameters of a key derivation are out of bounds",
            ErrorKind::NothingToDo => "there is nothing to work on",
            ErrorKind::Xml(_)
            | ErrorKind::Shape(_)
            | ErrorKind::UnknownAlgorithm { .. }
            | ErrorKind::AlgorithmNotPermitted(_)
            | ErrorKind::AlgorithmMisplaced(_)
            | ErrorKind::UnknownTransform { .. }
            | ErrorKind::TransformNotPermitted(_)
            | ErrorKind::TransformRefused(_)
            | ErrorKind::UriRefused(_)
            | ErrorKind::TargetMissing(_)
            | ErrorKind::WrongKey(_)
            | ErrorKind::KeyNotTrusted(_)
            | ErrorKind::Crypto(_) => "refused",
        }
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Shape::WrongElement => "this is another element than expected",
            Shape::MissingChild(name) => return write!(f, "the child element {name} is missing"),
            Shape::UnexpectedChild => "an element that cannot stand here",
            Shape::UnexpectedText => "text or a processing instruction between elements",
            Shape::MissingAttribute(name) => return write!(f, "the attribute {name} is missing"),
            Shape::UnexpectedAttribute => "an attribute that cannot stand here",
            Shape::NotText => "only text may stand here",
            Shape::BadBase64 => "this is not base64",
            Shape::BadNumber => "this is not the number expected",
            Shape::Empty => "the value is empty",
            Shape::TooLong => "the value is too long",
        })
    }
}

impl RefusedTransform {
    /// The usual name.
    pub const fn name(self) -> &'static str {
        match self {
            RefusedTransform::XPath => "XPath",
            RefusedTransform::XPathFilter2 => "XPath Filter 2.0",
            RefusedTransform::Xslt => "XSLT",
            RefusedTransform::Decryption => "decryption",
            RefusedTransform::Relationship => "relationship",
        }
    }
}

impl RefusedUri {
    /// Why, in words.
    pub const fn message(self) -> &'static str {
        match self {
            RefusedUri::Absent => "a reference without URI is refused by design",
            RefusedUri::WholeDocument => "references to the whole document are not permitted here",
            RefusedUri::External => "references out of the document are refused by design",
            RefusedUri::XPointer => "XPointer references are refused by design",
            RefusedUri::Attachment => "there is no such attachment",
            RefusedUri::Malformed => "this is not a reference of the form #Id",
        }
    }
}
