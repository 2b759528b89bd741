//! From a reference's URI to nodes, through its transforms, to octets in a sink.

use bartizan_xml::c14n::C14n;
use bartizan_xml::names::{ds, wsse};
use bartizan_xml::sink::Sink;
use bartizan_xml::{Document, Element, NodeId};

use crate::error::{Error, ErrorKind};
use crate::signature::{C14nSpec, RefUri, Reference, Signature, StrTarget, StrTargets, Transform};

/// What a verified reference covers, by node identity. Whoever demands that a part is signed
/// compares node ids; nothing is looked up by Id again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Covered {
    /// The element that the URI names; the document's root element for `URI=""`.
    pub target: NodeId,
    /// Whether everything around the root element was covered too (`URI=""`).
    pub whole_document: bool,
    /// The signature that the enveloped transform cut out: this node is **not** covered.
    pub removed: Option<NodeId>,
    /// SecurityTokenReferences and the tokens that were digested in their place. The tokens are
    /// covered, the references themselves are not.
    pub replaced: Vec<(NodeId, NodeId)>,
}

/// What a URI resolved to.
#[derive(Clone, Copy, Debug)]
pub enum Target<'d> {
    /// The whole document.
    Document(&'d Document),
    /// One element.
    Element(Element<'d>),
}

impl<'d> Target<'d> {
    /// The element, or the document's root element.
    pub fn element(self) -> Element<'d> {
        match self {
            Target::Document(document) => document.root(),
            Target::Element(element) => element,
        }
    }
}

impl Signature {
    /// The nodes that reference `index` names.
    ///
    /// # Errors
    /// [`ErrorKind::TargetMissing`] if no element has the Id, [`ErrorKind::Xml`] if several
    /// have, [`ErrorKind::UriRefused`] for an attachment, [`ErrorKind::ManifestRefused`] for a
    /// Manifest.
    pub fn resolve<'d>(&self, index: usize, document: &'d Document) -> Result<Target<'d>, Error> {
        let reference = self.reference(index)?;
        resolve(reference, document).map_err(|e| e.in_reference(index))
    }

    /// The Ids that the references name, for [`Document::check_ids`].
    pub fn referenced_ids(&self) -> impl Iterator<Item = &str> {
        self.references.iter().filter_map(|reference| match &reference.uri {
            RefUri::Id(id) => Some(id.as_ref()),
            RefUri::Document | RefUri::Attachment(_) => None,
        })
    }

    /// Reference `index`, or an error that says there is none.
    pub(crate) fn reference(&self, index: usize) -> Result<&Reference, Error> {
        self.references.get(index).ok_or_else(|| Error::new(ErrorKind::NothingToDo).in_reference(index))
    }

    /// Writes the octets that reference `index` digests and says what they cover.
    pub(crate) fn write_reference(
        &self,
        index: usize,
        document: &Document,
        tokens: &dyn StrTargets,
        sink: &mut dyn Sink,
    ) -> Result<Covered, Error> {
        let reference = self.reference(index)?;
        let target = resolve(reference, document).map_err(|e| e.in_reference(index))?;
        self.write_target(reference, target, tokens, sink)
            .map_err(|e| e.or_at(target.element()).in_reference(index))
    }

    fn write_target(
        &self,
        reference: &Reference,
        target: Target<'_>,
        tokens: &dyn StrTargets,
        sink: &mut dyn Sink,
    ) -> Result<Covered, Error> {
        let mut covered = Covered {
            target: target.element().id(),
            whole_document: matches!(target, Target::Document(_)),
            removed: None,
            replaced: Vec::new(),
        };
        let mut last = None;
        for transform in &reference.transforms {
            match transform {
                Transform::Enveloped => covered.removed = Some(self.enveloped_in(target)?),
                other => last = Some(other),
            }
        }
        match last {
            Some(Transform::StrTransform(spec)) => {
                super::str_transform::write(target, &spec.without_comments(), tokens, &mut covered, sink)?;
            }
            Some(Transform::Base64) => write_decoded(target, covered.removed, sink)?,
            Some(Transform::C14n(spec)) => {
                write_canonical(target, spec.without_comments().canonicalizer(), covered.removed, sink)?;
            }
            Some(Transform::Enveloped) | None => {
                write_canonical(target, C14nSpec::DEFAULT.canonicalizer(), covered.removed, sink)?;
            }
        }
        Ok(covered)
    }

    /// The enveloped transform removes exactly the signature that holds the reference, by node
    /// identity, and only if it stands inside the target (XSW-11, XSW-12).
    fn enveloped_in(&self, target: Target<'_>) -> Result<NodeId, Error> {
        let element = target.element();
        let own = element
            .document()
            .element(self.element)
            .ok_or_else(|| Error::at(element, ErrorKind::EnvelopedNotAncestor))?;
        if element.is_ancestor_of(own) {
            return Ok(own.id());
        }
        Err(Error::at(element, ErrorKind::EnvelopedNotAncestor))
    }
}

fn resolve<'d>(reference: &Reference, document: &'d Document) -> Result<Target<'d>, Error> {
    let place = |error: Error| match document.element(reference.element) {
        Some(element) => error.or_at(element),
        None => error,
    };
    match &reference.uri {
        RefUri::Document => Ok(Target::Document(document)),
        RefUri::Id(id) => {
            let found = document.by_id(id).map_err(|e| place(Error::new(ErrorKind::Xml(e))))?;
            let element = found.ok_or_else(|| place(Error::new(ErrorKind::TargetMissing(id.clone()))))?;
            if element.is(ds::MANIFEST) {
                return Err(Error::at(element, ErrorKind::ManifestRefused));
            }
            Ok(Target::Element(element))
        }
        RefUri::Attachment(_) => {
            Err(place(Error::new(ErrorKind::UriRefused(crate::error::RefusedUri::Attachment))))
        }
    }
}

/// Writes the form of a target, without what the enveloped transform removed.
pub(super) fn write_canonical(
    target: Target<'_>,
    mut c14n: C14n<'_>,
    removed: Option<NodeId>,
    sink: &mut dyn Sink,
) -> Result<(), Error> {
    if let Some(node) = removed {
        c14n = c14n.without(node);
    }
    let written = match target {
        Target::Document(document) => c14n.write_document(document, sink),
        Target::Element(element) => c14n.write(element, sink),
    };
    match written {
        // I7: an empty form of an element is a void canonicalization.
        Ok(0) => Err(Error::new(ErrorKind::EmptyTarget)),
        Ok(_) => Ok(()),
        Err(error) => Err(Error::new(ErrorKind::Xml(error))),
    }
}

/// The base64 transform over nodes: the text of the subtree, decoded (XMLDSig §6.6.2).
fn write_decoded(target: Target<'_>, removed: Option<NodeId>, sink: &mut dyn Sink) -> Result<(), Error> {
    let element = target.element();
    let mut text = String::from(element.text().as_ref());
    if element.elements().next().is_some() || removed.is_some() {
        // Text in document order needs the whole subtree; nobody sends that.
        return Err(Error::new(ErrorKind::TransformOrder));
    }
    text.retain(|c| !matches!(c, ' ' | '\t' | '\n' | '\r'));
    let octets = bartizan_crypto::base64::decode(&text)
        .map_err(|_| Error::shape(element, crate::error::Shape::BadBase64))?;
    sink.put(&octets);
    Ok(())
}

/// Most SecurityTokenReferences that one transform replaces. Each costs a look-up of its token and that token's octets, so a Body full of them
/// would cost the product of both (SIG-14).
pub(super) const MAX_REPLACED: usize = 16;

/// The SecurityTokenReferences at or below an element, in document order, one more than [`MAX_REPLACED`] at most.
pub(super) fn token_references(element: Element<'_>) -> Vec<NodeId> {
    if element.is(wsse::SECURITY_TOKEN_REFERENCE) {
        return vec![element.id()];
    }
    let below = element.descendants().filter(|e| e.is(wsse::SECURITY_TOKEN_REFERENCE));
    below.take(MAX_REPLACED + 1).map(|e| e.id()).collect()
}

pub(super) fn token_of(
    document: &Document,
    reference: NodeId,
    tokens: &dyn StrTargets,
) -> Result<StrTarget, Error> {
    let target = tokens.token(document, reference).ok_or_else(|| {
        let error = Error::new(ErrorKind::StrTarget);
        match document.element(reference) {
            Some(element) => error.or_at(element),
            None => error,
        }
    })?;
    Ok(target)
}
