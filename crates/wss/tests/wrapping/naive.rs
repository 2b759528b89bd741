//! The control: verifiers and readers as they are often built. Their cryptography is sound, and they choose nodes carelessly; the generator must
//! hold messages that deceive them.
//!
//! The verifier takes the first Signature of the document and, for each Reference, the first element with any attribute called Id of that value.
//! It then trusts the document. What the application reads is found by one of three readers.

use std::collections::HashMap;

use bartizan_crypto::PublicKey;
use bartizan_crypto::digest::digest;
use bartizan_xml::c14n::{C14n, C14nMethod};
use bartizan_xml::names::ds;
use bartizan_xml::{Budget, Document, Element, Limits, Profile};
use bartizan_xmlsec::signature::{RefUri, Reference, Transform, VerifyKey};
use bartizan_xmlsec::{Permit, Signature};

use crate::message::{Base, PARTS, Signed};

/// How the application finds a part: the first element of that name in the document; the element at the path; the element at the path if
/// its Id is one that the signature names.
pub(crate) const READERS: [&str; 3] = ["by name", "by path", "by path and Id"];

/// A careless receiver.
pub(crate) struct Naive<'b> {
    /// The client's; where a user signs, only the genuine SignedInfo and value are believed.
    key: Option<PublicKey>,
    permit: Permit,
    /// The canonical form of each part.
    genuine: Vec<Vec<u8>>,
    base: &'b Base,
    /// Values that were checked: messages differ in more than their SignedInfo.
    checked: HashMap<(Vec<u8>, Vec<u8>), bool>,
}

/// For each reader, whether it was shown a forged part.
pub(crate) type Deceived = [bool; READERS.len()];

impl<'b> Naive<'b> {
    pub(crate) fn new(base: &'b Base) -> Naive<'b> {
        let client = base.world.client.identity().unwrap().leaf();
        let by_certificate = base.kinds[PARTS - 1] == Signed::Token;
        let mut naive = Naive {
            key: by_certificate.then(|| client.public_key().unwrap().clone()),
            permit: Permit::message(base.plan.inbound().algorithms),
            genuine: Vec::new(),
            base,
            checked: HashMap::new(),
        };
        let document = parse(&base.text).unwrap();
        if !by_certificate {
            let element = document.root().descendants().find(|e| e.is(ds::SIGNATURE)).expect("there");
            let signature =
                Signature::read(element, &naive.permit, &mut Budget::new(&Limits::default())).unwrap();
            naive.checked.insert((signature.canonical_signed_info().to_vec(), signature.value.clone()), true);
        }
        let genuine = base.kinds.iter().map(|p| canonical(by_name(&document, *p).expect("there")));
        naive.genuine = genuine.collect();
        assert_eq!(naive.judge(&base.text), Some([false; READERS.len()]), "accepts the genuine message");
        naive
    }

    /// `None` where even this one refuses.
    pub(crate) fn judge(&mut self, text: &str) -> Option<Deceived> {
        let document = parse(text)?;
        let element = document.root().descendants().find(|e| e.is(ds::SIGNATURE))?;
        let signature = Signature::read(element, &self.permit, &mut Budget::new(&Limits::default())).ok()?;
        let sealed = self.base.kinds[PARTS - 1] == Signed::Sealed;
        if !signature.references.iter().all(|r| fits(&document, r, sealed)) || !self.value(&signature) {
            return None;
        }
        let ids: Vec<&str> = signature.referenced_ids().collect();
        let mut out = [false; READERS.len()];
        for (part, genuine) in self.base.kinds.iter().zip(&self.genuine) {
            let path = by_path(&document, *part);
            let named = path.filter(|e| id_of(*e).is_some_and(|id| ids.contains(&id)));
            for (deceived, read) in out.iter_mut().zip([by_name(&document, *part), path, named]) {
                *deceived |= read.is_some_and(|e| canonical(e) != *genuine);
            }
        }
        Some(out)
    }

    fn value(&mut self, signature: &Signature) -> bool {
        let known = (signature.canonical_signed_info().to_vec(), signature.value.clone());
        let key = &self.key;
        let check =
            || key.as_ref().is_some_and(|key| signature.verify_value(&VerifyKey::Public(key)).is_ok());
        *self.checked.entry(known).or_insert_with(check)
    }

    /// The message that is imitated.
    pub(crate) fn base(&self) -> &'b Base {
        self.base
    }
}

fn parse(text: &str) -> Option<Document> {
    let mut budget = Budget::new(&Limits::default());
    Document::parse(text.as_bytes().to_vec(), Profile::Bare, &mut budget).ok()
}

fn all(document: &Document) -> impl Iterator<Item = Element<'_>> {
    std::iter::once(document.root()).chain(document.root().descendants())
}

fn canonical(element: Element<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    C14n::new(C14nMethod::Exclusive).write(element, &mut out).unwrap();
    out
}

fn id_of(element: Element<'_>) -> Option<&str> {
    element.attrs().find(|a| a.local_name().eq_ignore_ascii_case("id")).map(|a| a.value())
}

/// Whether the digest of what a Reference names is the one that it holds. What stands in ciphertext, if there is any, is believed.
fn fits(document: &Document, reference: &Reference, sealed: bool) -> bool {
    let (RefUri::Id(id), [Transform::C14n(spec)]) = (&reference.uri, &*reference.transforms) else {
        return false;
    };
    let Some(target) = all(document).find(|e| id_of(*e) == Some(id)) else { return sealed };
    let mut octets = Vec::new();
    let form = C14n::new(spec.method).with_prefixes(spec.prefixes.as_deref().unwrap_or_default());
    form.write(target, &mut octets).is_ok() && digest(reference.digest, &octets).matches(&reference.value)
}

fn is(element: Element<'_>, (ns, local): (&str, &str)) -> bool {
    element.local_name() == local && element.namespace() == Some(ns)
}

fn by_name(document: &Document, part: Signed) -> Option<Element<'_>> {
    all(document).find(|e| is(*e, part.name()))
}

fn by_path(document: &Document, part: Signed) -> Option<Element<'_>> {
    let mut at = document.root();
    for name in part.way() {
        at = at.elements().find(|e| is(*e, *name))?;
    }
    at.elements().find(|e| is(*e, part.name()))
}
