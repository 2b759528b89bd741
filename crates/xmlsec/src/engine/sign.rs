//! Signing a document: one Signature, put in as the last child of an element.

use bartizan_crypto::alg::{DigestAlg, SignatureAlg};
use bartizan_crypto::base64;
use bartizan_crypto::random::Random;
use bartizan_xml::names::{attr, ds, ns, wsu};
use bartizan_xml::write::Writer;
use bartizan_xml::{Budget, Document, Element, NodeId, Profile};

use crate::engine::splice;
use crate::error::{Error, ErrorKind};
use crate::signature::{
    C14nSpec, RefToSign, RefUri, SignKey, SignatureSpec, Transform, WriteInto, write_parts,
};
use crate::tap::DigestTap;

/// What to sign, and how.
#[derive(Clone, Copy)]
pub struct SignRequest<'a> {
    /// What is signed. Empty means the whole document, enveloped.
    pub targets: &'a [SignTarget],
    /// Whether the references carry the enveloped transform. Needed where the signature ends up
    /// inside what it signs.
    pub enveloped: bool,
    /// The element that gets the signature as its last child; the root element by default.
    pub parent: Option<NodeId>,
    /// The signature algorithm.
    pub method: SignatureAlg,
    /// The digest algorithm.
    pub digest: DigestAlg,
    /// The canonicalization of SignedInfo and of the references.
    pub canonicalization: &'a C14nSpec,
    /// The `Id` of the signature.
    pub id: Option<&'a str>,
    /// Writes `ds:KeyInfo`, the element included.
    pub key_info: Option<&'a dyn WriteInto>,
}

/// One thing to sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignTarget {
    /// The whole document (`URI=""`).
    Document,
    /// An element. If it has no Id, a `wsu:Id` is added to it.
    Element(NodeId),
}

/// Signs a document and gives its new text.
///
/// # Errors
/// [`ErrorKind::EnvelopedNotAncestor`] if the signature would stand inside a target without
/// the enveloped transform, or the reverse; [`ErrorKind::WrongKey`], [`ErrorKind::Crypto`],
/// [`ErrorKind::Xml`].
pub fn sign_document(
    document: &Document,
    request: &SignRequest<'_>,
    key: &SignKey<'_>,
    profile: Profile,
    budget: &mut Budget,
    random: &dyn Random,
) -> Result<Vec<u8>, Error> {
    let xml = |e| Error::new(ErrorKind::Xml(e));
    let (text, uris) = with_ids(document, request.targets, random);
    let mut identified = Document::parse(text.into_bytes(), profile, budget).map_err(xml)?;
    for name in document.declared_id_attrs() {
        identified.declare_id_attr(name);
    }
    // Adding attributes moved no node, so ids of the old document would be valid too; going by
    // position keeps that out of the argument.
    let parent_of = |doc| corresponding(document, request.parent, doc);
    let parent = parent_of(&identified).unwrap_or_else(|| identified.root());
    let mut references = Vec::new();
    for uri in &uris {
        references.push(digest_target(&identified, uri, parent, request)?);
    }
    let spec = SignatureSpec {
        id: request.id,
        method: request.method,
        canonicalization: request.canonicalization,
        references: &references,
        key_info: request.key_info,
    };
    let mut writer = Writer::new();
    let mut value_at = 0;
    write_parts(&mut writer, &spec, |writer| value_at = writer.position());
    let signature = writer.finish().map_err(xml)?;

    // The text is complete but for the value: parse it, canonicalize SignedInfo where it
    // stands (an inclusive form depends on that), sign, put the value in.
    let source = identified.segment_text(0);
    let (start, end, before, after) = splice::insertion(source, parent);
    let mut inserted = before.as_bytes().to_vec();
    let value_at = start + inserted.len() + value_at;
    inserted.extend_from_slice(&signature);
    inserted.extend_from_slice(after.as_bytes());
    let unsigned = splice::replaced(source, start, end, &inserted);
    let placed = Document::parse(unsigned, profile, budget).map_err(xml)?;
    let own = placed_signature(&placed, value_at)?;
    let mut octets = Vec::new();
    request.canonicalization.canonicalizer().write(own, &mut octets).map_err(xml)?;
    let value = key.sign(request.method, &octets)?;
    let encoded = base64::encode(&value);
    Ok(splice::replaced(placed.segment_text(0), value_at, value_at, encoded.as_bytes()))
}

/// The SignedInfo of the signature whose value belongs at `value_at`.
fn placed_signature(document: &Document, value_at: usize) -> Result<Element<'_>, Error> {
    crate::engine::elements(document)
        .filter(|e| e.is(ds::SIGNATURE))
        .filter(|e| e.span().start < value_at && value_at < e.span().end)
        .last()
        .and_then(|signature| signature.child(ds::SIGNED_INFO))
        .ok_or_else(|| Error::new(ErrorKind::NothingToDo))
}

/// The element of `to` at the place that `node` has in `from`.
fn corresponding<'d>(from: &Document, node: Option<NodeId>, to: &'d Document) -> Option<Element<'d>> {
    let wanted = node?;
    let index = crate::engine::elements(from).position(|e| e.id() == wanted)?;
    crate::engine::elements(to).nth(index)
}

/// The text with an Id on every target that has none, and what the references will name.
fn with_ids(document: &Document, targets: &[SignTarget], random: &dyn Random) -> (String, Vec<RefUri>) {
    let mut text = document.segment_text(0).to_owned();
    let mut inserts: Vec<(usize, String)> = Vec::new();
    let mut uris = Vec::new();
    if targets.is_empty() {
        uris.push(RefUri::Document);
    }
    for target in targets {
        let element = match target {
            SignTarget::Document => None,
            SignTarget::Element(node) => document.element(*node),
        };
        let Some(element) = element else {
            uris.push(RefUri::Document);
            continue;
        };
        let id = match existing_id(document, element) {
            Some(id) => id.to_owned(),
            None => {
                let id = fresh_id(random);
                let at = element.span().start + 1 + element.qname().len();
                inserts.push((at, format!(" xmlns:wsu=\"{}\" wsu:Id=\"{id}\"", ns::WSU.uri())));
                id
            }
        };
        uris.push(RefUri::Id(id.into()));
    }
    inserts.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
    for (at, insert) in inserts {
        text.insert_str(at, &insert);
    }
    (splice::as_utf8(&text).into_owned(), uris)
}

/// An Id by which this very element can be found.
fn existing_id<'d>(document: &'d Document, element: Element<'d>) -> Option<&'d str> {
    let own = [element.attr(wsu::ID), element.attr(attr::ID)];
    let others = element.attrs().map(|a| a.value());
    own.into_iter()
        .flatten()
        .chain(others)
        .find(|id| document.by_id(id).ok().flatten().is_some_and(|found| found.id() == element.id()))
}

/// An Id of 128 random bits.
fn fresh_id(random: &dyn Random) -> String {
    let mut octets = [0_u8; 16];
    random.fill(&mut octets);
    octets.iter().fold(String::from("id-"), |id, octet| id + &format!("{octet:02x}"))
}

fn digest_target(
    document: &Document,
    uri: &RefUri,
    parent: Element<'_>,
    request: &SignRequest<'_>,
) -> Result<RefToSign, Error> {
    let xml = |e| Error::new(ErrorKind::Xml(e));
    let element = match uri {
        RefUri::Id(id) => document
            .by_id(id)
            .map_err(xml)?
            .ok_or_else(|| Error::new(ErrorKind::TargetMissing(id.clone())))?,
        _ => document.root(),
    };
    let inside = element.id() == parent.id() || element.is_ancestor_of(parent);
    if inside != request.enveloped && !request.targets.is_empty()
        || (inside && !request.enveloped && !request.targets.is_empty())
    {
        return Err(Error::at(element, ErrorKind::EnvelopedNotAncestor));
    }
    let spec = request.canonicalization.without_comments();
    let mut tap = DigestTap::new(request.digest, u64::MAX);
    match uri {
        RefUri::Id(_) => spec.canonicalizer().write(element, &mut tap),
        _ => spec.canonicalizer().write_document(document, &mut tap),
    }
    .map_err(xml)?;
    let digest = tap.finish().ok_or_else(|| Error::new(ErrorKind::EmptyTarget))?;
    let mut transforms = Vec::new();
    if inside {
        transforms.push(Transform::Enveloped);
    }
    transforms.push(Transform::C14n(spec));
    Ok(RefToSign { uri: uri.clone(), kind: None, transforms, algorithm: request.digest, digest })
}
