//! Who a header block is addressed to, and whether it must be understood.
//!
//! Rules: SOAP 1.1 §4.2.2 and §4.2.3 (`actor`, `mustUnderstand` is `0` or `1`), SOAP 1.2 part 1 §2.2, §5.2.2 and §5.2.3 (`role`, boolean).
//! Not here: which blocks a product understands; that list is passed in. Called by `bartizan-wss` before anything has an effect.

use bartizan_xml::Element;
use bartizan_xml::names::uri;

use crate::envelope::Envelope;
use crate::error::{Error, Shape};
use crate::fault::NotUnderstood;
use crate::version::Version;

/// Whom a header block addresses, seen from an ultimate receiver.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Addressee<'d> {
    /// No role, or the ultimate receiver's: us.
    Ultimate,
    /// The role `next`: every node on the way, us too.
    Next,
    /// The role `none` of SOAP 1.2: nobody.
    Nobody,
    /// Another role, as written.
    Other(&'d str),
}

impl Addressee<'_> {
    /// Whether we are addressed.
    #[must_use]
    pub fn is_us(self) -> bool {
        matches!(self, Addressee::Ultimate | Addressee::Next)
    }
}

/// Whom `block` addresses. Only the attribute of the envelope's own version counts.
#[must_use]
pub fn addressee(block: Element<'_>, version: Version) -> Addressee<'_> {
    match (version, block.attr(version.role())) {
        (_, None | Some("")) => Addressee::Ultimate,
        (Version::Soap11, Some(uri::SOAP11_NEXT)) | (Version::Soap12, Some(uri::SOAP12_NEXT)) => {
            Addressee::Next
        }
        (Version::Soap12, Some(uri::SOAP12_ULTIMATE_RECEIVER)) => Addressee::Ultimate,
        (Version::Soap12, Some(uri::SOAP12_NONE)) => Addressee::Nobody,
        (_, Some(other)) => Addressee::Other(other),
    }
}

/// Whether `block` carries a true `mustUnderstand`.
///
/// White space around the value is allowed in SOAP 1.2, where it is an `xs:boolean`; Rampart/C sends `1` in both versions.
///
/// # Errors
/// [`Error::Shape`] if the value is no boolean of the version.
pub fn must_understand(block: Element<'_>, version: Version) -> Result<bool, Error> {
    let Some(value) = block.attr(version.must_understand()) else { return Ok(false) };
    let value = value.trim_matches([' ', '\t', '\r', '\n']);
    match (version, value) {
        (_, "1") | (Version::Soap12, "true") => Ok(true),
        (_, "0") | (Version::Soap12, "false") => Ok(false),
        _ => Err(Error::Shape { what: Shape::MustUnderstandValue, offset: block.span().start }),
    }
}

/// Most blocks that a refusal names. Each name is a copy of a namespace that may be long, made before anybody is known: thousands of blocks of
/// one namespace of 60 KB would be gigabytes.
const MAX_NAMED: usize = 8;

/// Refuses an envelope that holds a block for us which must be understood and is not.
///
/// # Errors
/// [`Error::MustUnderstand`] with the first such blocks, [`Error::Shape`] for a value that is no boolean.
pub fn check_understood(envelope: &Envelope, understood: impl Fn(Element<'_>) -> bool) -> Result<(), Error> {
    let version = envelope.version();
    let mut blocks = Vec::new();
    let mut offset = 0;
    for block in envelope.blocks() {
        let must = must_understand(block, version)?;
        let missed = must && addressee(block, version).is_us() && !understood(block);
        if missed && blocks.is_empty() {
            offset = block.span().start;
        }
        if missed && blocks.len() < MAX_NAMED {
            blocks.push(NotUnderstood {
                namespace: block.namespace().unwrap_or_default().into(),
                local: block.local_name().into(),
            });
        }
    }
    if blocks.is_empty() { Ok(()) } else { Err(Error::MustUnderstand { version, offset, blocks }) }
}
