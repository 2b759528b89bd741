//! The one error type of this crate, and the fault each variant becomes.
//!
//! Not here: wire text of security faults (`bartizan-wss`). The mapping is one match without a wildcard, so a new variant forces a choice.

use crate::fault::{Fault, FaultCode, NotUnderstood, ToFault};
use crate::version::Version;

/// Why an envelope, a header or a media type was refused.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The bytes are not the XML that SOAP allows.
    Xml(bartizan_xml::Error),
    /// The root is no Envelope of a version we know (SOAP 1.2 part 1 §5.4.7).
    VersionMismatch {
        /// Byte offset of the root element.
        offset: usize,
    },
    /// Something stands where the envelope's schema has no place for it: see [`Shape`].
    Shape {
        /// What is wrong.
        what: Shape,
        /// Byte offset of the offending node.
        offset: usize,
    },
    /// Header blocks that must be understood and are not (SOAP 1.2 part 1 §5.4.8).
    MustUnderstand {
        /// The version of the envelope that holds them.
        version: Version,
        /// Where the first of them begins: byte offset in the message.
        offset: usize,
        /// The names of the blocks, in document order.
        blocks: Vec<NotUnderstood>,
    },
    /// The media type is not that of the envelope's version, or unreadable.
    MediaType,
    /// The charset parameter contradicts what the bytes are.
    Charset,
    /// A WS-Addressing header is doubled, empty or no IRI.
    Addressing {
        /// Which header.
        header: &'static str,
        /// Byte offset of the header block.
        offset: usize,
    },
    /// A fault element that is not shaped like one.
    FaultShape {
        /// Byte offset of the fault.
        offset: usize,
    },
}

/// What can be wrong with the outer shape of an envelope.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Shape {
    /// No Body.
    NoBody,
    /// More than one Body as child of Envelope.
    SecondBody,
    /// More than one Header.
    SecondHeader,
    /// A Header behind the Body.
    HeaderAfterBody,
    /// An element in Envelope that is neither Header nor Body.
    UnknownChild,
    /// Text between the children of Envelope or Header.
    StrayText,
    /// A header block without a namespace.
    UnqualifiedBlock,
    /// An attribute on Envelope, Header or Body that their version forbids.
    Attribute,
    /// `mustUnderstand` is no boolean of its version.
    MustUnderstandValue,
}

impl Shape {
    /// One sentence for people.
    #[must_use]
    pub fn sentence(self) -> &'static str {
        match self {
            Shape::NoBody => "the envelope has no Body",
            Shape::SecondBody => "the envelope has more than one Body",
            Shape::SecondHeader => "the envelope has more than one Header",
            Shape::HeaderAfterBody => "the Header stands behind the Body",
            Shape::UnknownChild => "the envelope holds an element that is neither Header nor Body",
            Shape::StrayText => "there is text between the elements of the envelope",
            Shape::UnqualifiedBlock => "a header block has no namespace",
            Shape::Attribute => "an attribute is not allowed on this element of the envelope",
            Shape::MustUnderstandValue => "mustUnderstand is no boolean",
        }
    }
}

impl Error {
    /// Byte offset in the message, where there is one.
    #[must_use]
    pub fn offset(&self) -> Option<usize> {
        match self {
            Error::Xml(e) => Some(e.offset()),
            Error::VersionMismatch { offset }
            | Error::Shape { offset, .. }
            | Error::Addressing { offset, .. }
            | Error::MustUnderstand { offset, .. }
            | Error::FaultShape { offset } => Some(*offset),
            Error::MediaType | Error::Charset => None,
        }
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Error::Xml(e) => write!(f, "{e}"),
            Error::VersionMismatch { .. } => f.write_str("the root is no SOAP 1.1 or 1.2 Envelope"),
            Error::Shape { what, .. } => f.write_str(what.sentence()),
            Error::MustUnderstand { blocks, .. } => {
                f.write_str("header blocks that must be understood and are not:")?;
                blocks.iter().try_for_each(|b| write!(f, " {{{}}}{}", b.namespace, b.local))
            }
            Error::MediaType => f.write_str("the media type is not the one of this SOAP version"),
            Error::Charset => f.write_str("the charset of the media type is not the one of the bytes"),
            Error::Addressing { header, .. } => {
                write!(f, "the addressing header {header} is doubled, empty or too long")
            }
            Error::FaultShape { .. } => f.write_str("the Fault is not shaped like one"),
        }
    }
}

impl std::error::Error for Error {}

impl From<bartizan_xml::Error> for Error {
    fn from(e: bartizan_xml::Error) -> Self {
        Error::Xml(e)
    }
}

impl ToFault for Error {
    fn to_fault(&self) -> Fault {
        match self {
            Error::Xml(_) | Error::Shape { .. } => {
                Fault::new(FaultCode::Sender, "The message is not a well-formed SOAP envelope.")
            }
            Error::VersionMismatch { .. } => {
                Fault::new(FaultCode::VersionMismatch, "The SOAP version of the message is not supported.")
            }
            Error::MustUnderstand { blocks, .. } => Fault::new(
                FaultCode::MustUnderstand,
                "A header block that must be understood was not understood.",
            )
            .with_not_understood(blocks.clone()),
            Error::MediaType | Error::Charset => {
                Fault::new(FaultCode::Sender, "The media type does not fit the message.")
            }
            Error::Addressing { .. } => Fault::new(FaultCode::Sender, "An addressing header is not valid."),
            Error::FaultShape { .. } => Fault::new(FaultCode::Receiver, "The reply holds no readable fault."),
        }
    }
}
