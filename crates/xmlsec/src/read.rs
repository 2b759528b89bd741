//! Reading of security elements: children in schema order, attributes from a closed list, leaves
//! that hold text only (SIG-12). Used by every reader of this crate.

use bartizan_crypto::alg::{Alg, DigestAlg, lookup, near_miss};
use bartizan_crypto::base64;
use bartizan_xml::names::{Name, attr, wsu};
use bartizan_xml::{Element, Elements, NodeKind};

use crate::error::{Error, ErrorKind, Shape};
use crate::permit::Permit;

/// Longest URI, in octets, that an error repeats.
const URI_SHOWN: usize = 256;

/// The element children of one security element, taken in order.
pub(crate) struct Children<'d> {
    owner: Element<'d>,
    next: Option<Element<'d>>,
    rest: Elements<'d>,
}

impl<'d> Children<'d> {
    /// Starts on `owner`, whose children may be elements, comments and white space.
    pub(crate) fn of(owner: Element<'d>) -> Result<Self, Error> {
        for node in owner.children() {
            match node.kind() {
                NodeKind::Element | NodeKind::Comment => {}
                NodeKind::Text | NodeKind::CData => {
                    if !node.text().is_none_or(is_white) {
                        return Err(Error::shape(owner, Shape::UnexpectedText));
                    }
                }
                NodeKind::Pi => return Err(Error::shape(owner, Shape::UnexpectedText)),
            }
        }
        let mut rest = owner.elements();
        Ok(Children { owner, next: rest.next(), rest })
    }

    /// The next child, whatever it is, left where it is.
    pub(crate) fn peek(&self) -> Option<Element<'d>> {
        self.next
    }

    /// The next child, whatever it is.
    pub(crate) fn next(&mut self) -> Option<Element<'d>> {
        std::mem::replace(&mut self.next, self.rest.next())
    }

    /// The next child if it has this name.
    pub(crate) fn take(&mut self, name: Name) -> Option<Element<'d>> {
        if self.peek()?.is(name) { self.next() } else { None }
    }

    /// The next child, which must have this name.
    pub(crate) fn require(&mut self, name: Name, local: &'static str) -> Result<Element<'d>, Error> {
        self.take(name).ok_or_else(|| match self.peek() {
            Some(other) => Error::shape(other, Shape::UnexpectedChild),
            None => Error::shape(self.owner, Shape::MissingChild(local)),
        })
    }

    /// The end: nothing may be left.
    pub(crate) fn finish(self) -> Result<(), Error> {
        match self.peek() {
            Some(extra) => Err(Error::shape(extra, Shape::UnexpectedChild)),
            None => Ok(()),
        }
    }
}

fn is_white(text: &str) -> bool {
    text.bytes().all(|b| matches!(b, b' ' | b'\t' | b'\n' | b'\r'))
}

/// Refuses attributes outside `allowed`; `wsu:Id` may stand on any element.
pub(crate) fn only_attributes(element: Element<'_>, allowed: &[Name]) -> Result<(), Error> {
    for attribute in element.attrs() {
        let name = attribute.name();
        if name != wsu::ID && !allowed.contains(&name) {
            return Err(Error::shape(element, Shape::UnexpectedAttribute));
        }
    }
    Ok(())
}

/// Refuses children of any kind but comments and white space.
pub(crate) fn no_children(element: Element<'_>) -> Result<(), Error> {
    Children::of(element)?.finish()
}

/// A required attribute.
pub(crate) fn require_attr<'d>(
    element: Element<'d>,
    name: Name,
    local: &'static str,
) -> Result<&'d str, Error> {
    element.attr(name).ok_or_else(|| Error::shape(element, Shape::MissingAttribute(local)))
}

/// The `Algorithm` attribute.
pub(crate) fn algorithm(element: Element<'_>) -> Result<&str, Error> {
    require_attr(element, attr::ALGORITHM, "Algorithm")
}

/// The algorithm that `element` names, if it is of the kind that `pick` wants and permitted.
pub(crate) fn permitted<T: Copy + Into<Alg>>(
    element: Element<'_>,
    permit: &Permit,
    pick: impl FnOnce(Alg) -> Option<T>,
) -> Result<T, Error> {
    let uri = algorithm(element)?;
    let alg = lookup(uri).ok_or_else(|| unknown_algorithm(element, uri))?;
    if let Alg::Refused(_) = alg {
        return Err(Error::at(element, ErrorKind::AlgorithmNotPermitted(alg)));
    }
    let typed = pick(alg).ok_or_else(|| Error::at(element, ErrorKind::AlgorithmMisplaced(alg)))?;
    if !permit.algorithm(typed) {
        return Err(Error::at(element, ErrorKind::AlgorithmNotPermitted(alg)));
    }
    Ok(typed)
}

/// A digest that is a parameter of another algorithm (OAEP, a derivation): known, not refused by
/// design, and not compared with the permit, whose digests are those of signatures.
pub(crate) fn parameter_digest(element: Element<'_>) -> Result<DigestAlg, Error> {
    only_attributes(element, &[attr::ALGORITHM])?;
    no_children(element)?;
    let uri = algorithm(element)?;
    match lookup(uri) {
        Some(Alg::Digest(digest)) => Ok(digest),
        Some(alg @ Alg::Refused(_)) => Err(Error::at(element, ErrorKind::AlgorithmNotPermitted(alg))),
        Some(other) => Err(Error::at(element, ErrorKind::AlgorithmMisplaced(other))),
        None => Err(unknown_algorithm(element, uri)),
    }
}

/// The error for a URI that no table knows.
pub(crate) fn unknown_algorithm(element: Element<'_>, uri: &str) -> Error {
    Error::at(element, ErrorKind::UnknownAlgorithm { uri: shown(uri), hint: near_miss(uri) })
}

/// A URI for an error, cut to a sane length.
pub(crate) fn shown(uri: &str) -> Box<str> {
    let mut end = uri.len().min(URI_SHOWN);
    while !uri.is_char_boundary(end) {
        end -= 1;
    }
    uri.get(..end).unwrap_or_default().into()
}

/// The octets of a base64 leaf; not empty, at most `max` of them.
pub(crate) fn octets(element: Element<'_>, max: usize) -> Result<Vec<u8>, Error> {
    let text = element.leaf_text().map_err(|_| Error::shape(element, Shape::NotText))?;
    // White space may make up much of a wrapped text, but not more than the base64 itself.
    if text.len() / 4 > max.saturating_mul(2).saturating_add(64) {
        return Err(Error::shape(element, Shape::TooLong));
    }
    let octets = base64::decode(&text).map_err(|_| Error::shape(element, Shape::BadBase64))?;
    if octets.is_empty() {
        return Err(Error::shape(element, Shape::Empty));
    }
    if octets.len() > max {
        return Err(Error::shape(element, Shape::TooLong));
    }
    Ok(octets)
}

/// The text of a leaf without white space at its ends; at most `max` octets.
pub(crate) fn text(element: Element<'_>, max: usize) -> Result<Box<str>, Error> {
    let text = element.leaf_text().map_err(|_| Error::shape(element, Shape::NotText))?;
    let trimmed = text.trim_matches([' ', '\t', '\n', '\r']);
    if trimmed.len() > max {
        return Err(Error::shape(element, Shape::TooLong));
    }
    Ok(trimmed.into())
}

/// A leaf that holds a non-negative decimal number of at most nine digits.
pub(crate) fn number(element: Element<'_>) -> Result<u32, Error> {
    let text = text(element, 16)?;
    let bad = || Error::shape(element, Shape::BadNumber);
    if text.is_empty() || text.len() > 9 || !text.bytes().all(|b| b.is_ascii_digit()) {
        return Err(bad());
    }
    text.parse().map_err(|_| bad())
}

/// An attribute's value as owned text.
pub(crate) fn owned(element: Element<'_>, name: Name) -> Option<Box<str>> {
    element.attr(name).map(Box::from)
}
