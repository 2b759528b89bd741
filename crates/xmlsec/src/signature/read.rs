//! Reading of `ds:Signature` (XMLDSig 1.1 §4): strict shape, allow-lists first.

use bartizan_crypto::alg::{Alg, SignatureAlg};
use bartizan_xml::names::{attr, ds};
use bartizan_xml::{Budget, Element, Quantity, names};

use crate::error::{Error, ErrorKind, RefusedUri, Shape};
use crate::key_info::KeyInfo;
use crate::permit::Permit;
use crate::read::{Children, no_children, number, octets, only_attributes, owned, permitted};
use crate::signature::transform::{canonicalization_method, read_transforms};
use crate::signature::{C14nSpec, RefUri, Reference, Signature};

/// Longest SignatureValue, in octets: an RSA-16384 signature.
const MAX_SIGNATURE: usize = 2048;
/// Longest Id or content id that a URI may name, in octets.
const MAX_ID: usize = 1024;

impl Signature {
    /// Reads a signature: shape, algorithms, transforms, reference URIs, SignedInfo's octets.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] for anything the schema does not allow; unknown or unpermitted
    /// algorithms, transforms and URIs with their own kinds; [`ErrorKind::Xml`] over a limit.
    pub fn read(element: Element<'_>, permit: &Permit, budget: &mut Budget) -> Result<Self, Error> {
        if !element.is(ds::SIGNATURE) {
            return Err(Error::shape(element, Shape::WrongElement));
        }
        budget.spend(Quantity::Signatures, 1).map_err(|e| Error::at(element, ErrorKind::Xml(e)))?;
        only_attributes(element, &[attr::ID])?;
        let mut children = Children::of(element)?;
        let signed_info = children.require(ds::SIGNED_INFO, "SignedInfo")?;
        let value_element = children.require(ds::SIGNATURE_VALUE, "SignatureValue")?;
        let key_info_element = children.take(ds::KEY_INFO);
        while let Some(object) = children.take(ds::OBJECT) {
            check_object(object)?;
        }
        children.finish()?;

        let (canonicalization, method, references) = read_signed_info(signed_info, permit, budget)?;
        only_attributes(value_element, &[attr::ID])?;
        let value = octets(value_element, MAX_SIGNATURE)?;
        let key_info = key_info_element.map(|e| KeyInfo::read(e, permit, budget)).transpose()?;
        // Its own form is usually the canonical one, with a declaration or two more.
        let mut signed_info_octets = Vec::with_capacity(signed_info.source().len() + 256);
        canonicalization
            .canonicalizer()
            .write(signed_info, &mut signed_info_octets)
            .map_err(|e| Error::at(signed_info, ErrorKind::Xml(e)))?;
        if signed_info_octets.is_empty() {
            return Err(Error::at(signed_info, ErrorKind::EmptyTarget));
        }
        Ok(Signature {
            element: element.id(),
            id: owned(element, attr::ID),
            signed_info: signed_info.id(),
            canonicalization,
            method,
            references,
            value,
            key_info,
            signed_info_octets,
        })
    }
}

type SignedInfo = (C14nSpec, SignatureAlg, Vec<Reference>);

fn read_signed_info(element: Element<'_>, permit: &Permit, budget: &mut Budget) -> Result<SignedInfo, Error> {
    only_attributes(element, &[attr::ID])?;
    let mut children = Children::of(element)?;
    let c14n = children.require(ds::CANONICALIZATION_METHOD, "CanonicalizationMethod")?;
    let canonicalization = canonicalization_method(c14n, permit)?;
    let method = signature_method(children.require(ds::SIGNATURE_METHOD, "SignatureMethod")?, permit)?;
    let first = children.require(ds::REFERENCE, "Reference")?;
    let mut references = Vec::with_capacity(4);
    references.push(read_reference(first, permit, budget).map_err(|e| e.in_reference(0))?);
    while let Some(next) = children.take(ds::REFERENCE) {
        let index = references.len();
        references.push(read_reference(next, permit, budget).map_err(|e| e.in_reference(index))?);
    }
    children.finish()?;
    Ok((canonicalization, method, references))
}

fn signature_method(element: Element<'_>, permit: &Permit) -> Result<SignatureAlg, Error> {
    only_attributes(element, &[attr::ALGORITHM])?;
    let method = permitted(element, permit, |alg| match alg {
        Alg::Signature(method) => Some(method),
        _ => None,
    })?;
    let mut children = Children::of(element)?;
    if let Some(length) = children.take(ds::HMAC_OUTPUT_LENGTH) {
        let full = method.digest().map(|digest| digest.output_len() * 8);
        let shown = number(length).map(|bits| bits as usize);
        // CVE-2009-0217: a shortened MAC is a weaker algorithm chosen by the sender.
        if !method.is_mac() || shown.ok() != full {
            return Err(Error::at(length, ErrorKind::HmacOutputLength));
        }
        only_attributes(length, &[])?;
    }
    children.finish()?;
    Ok(method)
}

fn read_reference(element: Element<'_>, permit: &Permit, budget: &mut Budget) -> Result<Reference, Error> {
    budget.spend(Quantity::References, 1).map_err(|e| Error::at(element, ErrorKind::Xml(e)))?;
    only_attributes(element, &[attr::ID, attr::URI, attr::TYPE])?;
    let uri = reference_uri(element, permit)?;
    let kind = owned(element, attr::TYPE);
    if kind.as_deref() == Some(names::uri::DS_MANIFEST) {
        return Err(Error::at(element, ErrorKind::ManifestRefused));
    }
    let mut children = Children::of(element)?;
    let transforms = match children.take(ds::TRANSFORMS) {
        Some(list) => read_transforms(list, permit, budget)?,
        None => Vec::new(),
    };
    let method = children.require(ds::DIGEST_METHOD, "DigestMethod")?;
    only_attributes(method, &[attr::ALGORITHM])?;
    no_children(method)?;
    let digest = permitted(method, permit, |alg| match alg {
        Alg::Digest(digest) => Some(digest),
        _ => None,
    })?;
    let value_element = children.require(ds::DIGEST_VALUE, "DigestValue")?;
    only_attributes(value_element, &[])?;
    children.finish()?;
    let value = octets(value_element, digest.output_len())?;
    if value.len() != digest.output_len() {
        return Err(Error::at(value_element, ErrorKind::DigestMismatch));
    }
    Ok(Reference { element: element.id(), uri, kind, transforms, digest, value })
}

/// Sorts a reference's URI into the forms of [`RefUri`], or says why it is refused. Nothing is
/// ever unescaped: `#%42ody` names no Id.
fn reference_uri(element: Element<'_>, permit: &Permit) -> Result<RefUri, Error> {
    let refused = |form| Err(Error::at(element, ErrorKind::UriRefused(form)));
    let Some(uri) = element.attr(attr::URI) else {
        return refused(RefusedUri::Absent);
    };
    if uri.is_empty() {
        if permit.whole_document {
            return Ok(RefUri::Document);
        }
        return refused(RefusedUri::WholeDocument);
    }
    match same_document_id(uri) {
        Ok(id) => Ok(RefUri::Id(id.into())),
        Err(RefusedUri::Attachment) if permit.attachments && uri.len() <= MAX_ID => {
            Ok(RefUri::Attachment(uri.get(4..).unwrap_or_default().into()))
        }
        Err(form) => refused(form),
    }
}

/// The Id in a `#Id` URI, or which refused form it is.
pub(crate) fn same_document_id(uri: &str) -> Result<&str, RefusedUri> {
    let Some(id) = uri.strip_prefix('#') else {
        let attachment = uri.get(..4).is_some_and(|s| s.eq_ignore_ascii_case("cid:"));
        return Err(if attachment { RefusedUri::Attachment } else { RefusedUri::External });
    };
    if id.starts_with("xpointer(") || id.starts_with("xmlns(") || id.starts_with("element(") {
        return Err(RefusedUri::XPointer);
    }
    let odd = |b: u8| matches!(b, b'#' | b'%' | b'(' | b')' | b' ' | b'\t' | b'\n' | b'\r');
    if id.is_empty() || id.len() > MAX_ID || id.bytes().any(odd) {
        return Err(RefusedUri::Malformed);
    }
    Ok(id)
}

/// `ds:Object` may hold anything but a Manifest: a Manifest's own references are checked by
/// nobody, yet look as if they were (XSW-22).
fn check_object(object: Element<'_>) -> Result<(), Error> {
    only_attributes(object, &[attr::ID, attr::MIME_TYPE, attr::ENCODING])?;
    match object.elements().find(|child| child.is(ds::MANIFEST)) {
        Some(manifest) => Err(Error::at(manifest, ErrorKind::ManifestRefused)),
        None => Ok(()),
    }
}
