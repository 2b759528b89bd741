//! The closed list of transforms (XMLDSig 1.1 §6.5–6.6, Exclusive C14N, WSS 1.1 §8.3).
//!
//! XPath, XPath Filter 2.0 and XSLT are known here only to be refused by name: no evaluator
//! for them exists in the program.

use bartizan_xml::c14n::{C14n, C14nMethod};
use bartizan_xml::names::{attr, ds, ec, uri, wsse};
use bartizan_xml::{Budget, Element, Quantity};

use crate::error::{Error, ErrorKind, RefusedTransform, Shape};
use crate::permit::{Permit, TransformKind};
use crate::read::{Children, algorithm, no_children, only_attributes, shown};
use crate::signature::{C14nSpec, Transform};

/// Most transforms of one reference.
const MAX_TRANSFORMS: usize = 3;
/// Longest PrefixList, in octets.
const MAX_PREFIX_LIST: usize = 4096;

impl C14nSpec {
    /// The canonicalizer that this describes.
    pub(crate) fn canonicalizer(&self) -> C14n<'_> {
        let c14n = C14n::new(self.method);
        match &self.prefixes {
            Some(list) => c14n.with_prefixes(list),
            None => c14n,
        }
    }

    /// The same without comments: what a same-document reference gives has none to begin with
    /// (XMLDSig §4.4.3.3), so a method with comments finds none.
    pub(crate) fn without_comments(&self) -> C14nSpec {
        let method = match self.method {
            C14nMethod::Inclusive10WithComments => C14nMethod::Inclusive10,
            C14nMethod::Inclusive11WithComments => C14nMethod::Inclusive11,
            C14nMethod::ExclusiveWithComments => C14nMethod::Exclusive,
            other => other,
        };
        C14nSpec { method, prefixes: self.prefixes.clone() }
    }
}

/// Reads `ds:CanonicalizationMethod`.
pub(super) fn canonicalization_method(element: Element<'_>, permit: &Permit) -> Result<C14nSpec, Error> {
    only_attributes(element, &[attr::ALGORITHM])?;
    let uri = algorithm(element)?;
    match C14nMethod::from_uri(uri) {
        Some(method) => c14n_spec(element, method, permit),
        None => Err(unknown(element, uri)),
    }
}

/// Reads `ds:Transforms`: at most three, in an order that has a meaning.
pub(super) fn read_transforms(
    element: Element<'_>,
    permit: &Permit,
    budget: &mut Budget,
) -> Result<Vec<Transform>, Error> {
    only_attributes(element, &[])?;
    let mut children = Children::of(element)?;
    let mut transforms = Vec::new();
    while let Some(child) = children.take(ds::TRANSFORM) {
        budget.spend(Quantity::Transforms, 1).map_err(|e| Error::at(child, ErrorKind::Xml(e)))?;
        let transform = read_transform(child, permit)?;
        // Each of the list turns nodes into octets, except enveloped; nothing here turns octets
        // back into nodes. So whatever follows an octet-maker has no meaning.
        let after_octets = transforms.last().is_some_and(|last| *last != Transform::Enveloped);
        let twice = transform == Transform::Enveloped && !transforms.is_empty();
        if after_octets || twice || transforms.len() >= MAX_TRANSFORMS {
            return Err(Error::at(child, ErrorKind::TransformOrder));
        }
        transforms.push(transform);
    }
    children.finish()?;
    if transforms.is_empty() {
        return Err(Error::shape(element, Shape::MissingChild("Transform")));
    }
    Ok(transforms)
}

fn read_transform(element: Element<'_>, permit: &Permit) -> Result<Transform, Error> {
    only_attributes(element, &[attr::ALGORITHM])?;
    let uri = algorithm(element)?;
    if let Some(method) = C14nMethod::from_uri(uri) {
        return Ok(Transform::C14n(c14n_spec(element, method, permit)?));
    }
    match uri {
        uri::ENVELOPED => {
            allowed(element, TransformKind::Enveloped, permit)?;
            no_children(element)?;
            Ok(Transform::Enveloped)
        }
        uri::STR_TRANSFORM => {
            allowed(element, TransformKind::StrTransform, permit)?;
            str_parameters(element, permit)
        }
        uri::BASE64_TRANSFORM => {
            allowed(element, TransformKind::Base64, permit)?;
            no_children(element)?;
            Ok(Transform::Base64)
        }
        uri::XPATH => refused(element, RefusedTransform::XPath),
        uri::XPATH_FILTER2 => refused(element, RefusedTransform::XPathFilter2),
        uri::XSLT => refused(element, RefusedTransform::Xslt),
        uri::DECRYPT_XML | uri::DECRYPT_BINARY => refused(element, RefusedTransform::Decryption),
        uri::RELATIONSHIP => refused(element, RefusedTransform::Relationship),
        other => Err(unknown(element, other)),
    }
}

/// `wsse:TransformationParameters` with the canonicalization of the token (WSS 1.1 §8.3).
fn str_parameters(element: Element<'_>, permit: &Permit) -> Result<Transform, Error> {
    let mut children = Children::of(element)?;
    let parameters = children.require(wsse::TRANSFORMATION_PARAMETERS, "TransformationParameters")?;
    children.finish()?;
    only_attributes(parameters, &[])?;
    let mut inner = Children::of(parameters)?;
    let method = inner.require(ds::CANONICALIZATION_METHOD, "CanonicalizationMethod")?;
    inner.finish()?;
    Ok(Transform::StrTransform(canonicalization_method(method, permit)?))
}

/// A canonicalization and its `ec:InclusiveNamespaces`. An empty PrefixList is what some peers
/// write for "none".
fn c14n_spec(element: Element<'_>, method: C14nMethod, permit: &Permit) -> Result<C14nSpec, Error> {
    allowed(element, TransformKind::C14n(method), permit)?;
    let mut children = Children::of(element)?;
    let exclusive = method.is_exclusive();
    let mut prefixes = None;
    if exclusive && let Some(list) = children.take(ec::INCLUSIVE_NAMESPACES) {
        only_attributes(list, &[attr::PREFIX_LIST])?;
        no_children(list)?;
        let text = crate::read::require_attr(list, attr::PREFIX_LIST, "PrefixList")?;
        if text.len() > MAX_PREFIX_LIST {
            return Err(Error::shape(list, Shape::TooLong));
        }
        prefixes = Some(Box::from(text));
    }
    children.finish()?;
    Ok(C14nSpec { method, prefixes })
}

fn allowed(element: Element<'_>, kind: TransformKind, permit: &Permit) -> Result<(), Error> {
    if permit.transforms.permits(kind) {
        return Ok(());
    }
    Err(Error::at(element, ErrorKind::TransformNotPermitted(kind)))
}

fn refused<T>(element: Element<'_>, transform: RefusedTransform) -> Result<T, Error> {
    Err(Error::at(element, ErrorKind::TransformRefused(transform)))
}

fn unknown(element: Element<'_>, uri: &str) -> Error {
    let hint = near_miss(uri);
    Error::at(element, ErrorKind::UnknownTransform { uri: shown(uri), hint })
}

/// The transform or canonicalization URI that was probably meant. Only for reports.
fn near_miss(uri: &str) -> Option<&'static str> {
    let plain = |text: &str| {
        let text = text.trim().to_ascii_lowercase().replace("https://", "http://");
        text.trim_end_matches(['#', '/']).to_owned()
    };
    let tail = |text: &str| text.rsplit(['#', '/']).next().unwrap_or_default().to_owned();
    let wanted = plain(uri.get(..uri.len().min(256))?);
    let known = uri::ALL.iter().map(|(_, known)| *known).filter(|known| {
        C14nMethod::from_uri(known).is_some()
            || matches!(*known, uri::ENVELOPED | uri::STR_TRANSFORM | uri::BASE64_TRANSFORM)
    });
    known.clone().find(|known| plain(known) == wanted).or_else(|| {
        let end = tail(&wanted);
        known.clone().find(|known| end.len() > 5 && tail(&plain(known)) == end)
    })
}
