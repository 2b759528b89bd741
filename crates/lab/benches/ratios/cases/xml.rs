//! Parsing and canonical forms.

use std::rc::Rc;

use bartizan_crypto::DigestAlg;
use bartizan_crypto::digest as hash;
use bartizan_lab::message::{self, ROTATION, Size};
use bartizan_xml::c14n::{C14n, C14nMethod};
use bartizan_xml::names::soap11;
use bartizan_xml::{Budget, Document, Limits, Profile};
use bartizan_xmlsec::DigestTap;
use quick_xml::events::Event;
use quick_xml::reader::NsReader;

use crate::case::{Case, Goal};
use crate::work::Rotation;

const SEED: u64 = 11;

fn parsed(octets: Vec<u8>) -> Document {
    Document::parse(octets, Profile::Message, &mut Budget::new(&Limits::default())).expect("well-formed")
}

/// Everything a reader of quick-xml must do to see what ours sees: names resolved, attributes read, ends matched.
fn quick(text: &str) -> (usize, usize) {
    let mut reader = NsReader::from_str(text);
    reader.config_mut().check_end_names = true;
    let (mut elements, mut attributes) = (0, 0);
    loop {
        let (namespace, event) = reader.read_resolved_event().expect("well-formed");
        match event {
            Event::Start(tag) | Event::Empty(tag) => {
                std::hint::black_box(namespace);
                elements += 1;
                for attribute in tag.attributes() {
                    let attribute = attribute.expect("an attribute");
                    std::hint::black_box(reader.resolver().resolve_attribute(attribute.key));
                    attributes += 1;
                }
            }
            Event::Eof => return (elements, attributes),
            other => {
                std::hint::black_box(other);
            }
        }
    }
}

pub fn parse(size: Size) -> Case {
    let messages: Vec<Vec<u8>> =
        message::rotation(size, ROTATION, SEED).into_iter().map(|m| m.envelope.into_bytes()).collect();
    let texts: Vec<Rc<str>> =
        messages.iter().map(|m| Rc::from(std::str::from_utf8(m).expect("text"))).collect();
    for (octets, text) in messages.iter().zip(&texts).take(3) {
        let document = parsed(octets.clone());
        let elements: Vec<_> =
            std::iter::once(document.root()).chain(document.root().descendants()).collect();
        let attributes: usize = elements.iter().map(|e| e.attrs().count() + e.namespaces().count()).sum();
        assert_eq!((elements.len(), attributes), quick(text), "both see the same");
    }
    Case {
        name: "parse".to_owned(),
        size,
        label: size.label(),
        octets: size.octets(),
        ours: Box::new(Rotation::new(messages, parsed)),
        beside: ("quick-xml", Box::new(Rotation::new(texts, |text: Rc<str>| quick(&text)))),
        goal: Goal::Faster(4.0),
        most_allocations: None,
    }
}

/// Documents of a rotation with the canonical octets of their bodies.
fn bodies(size: Size) -> (Rc<Vec<Document>>, Vec<Rc<[u8]>>) {
    let messages = message::rotation(size, ROTATION, SEED);
    let documents: Vec<Document> = messages.into_iter().map(|m| parsed(m.envelope.into_bytes())).collect();
    let canonical = documents.iter().map(|document| Rc::from(canonical(document))).collect();
    (Rc::new(documents), canonical)
}

fn canonical(document: &Document) -> Vec<u8> {
    let mut octets = Vec::new();
    let body = document.root().child(soap11::BODY).expect("a body");
    C14n::new(C14nMethod::Exclusive).write(body, &mut octets).expect("a canonical form");
    octets
}

fn hashed(document: &Document) -> bartizan_crypto::Digest {
    let mut tap = DigestTap::new(DigestAlg::Sha256, u64::MAX);
    let body = document.root().child(soap11::BODY).expect("a body");
    C14n::new(C14nMethod::Exclusive).write(body, &mut tap).expect("a canonical form");
    tap.finish().expect("a digest")
}

fn digest_of(octets: &[u8]) -> bartizan_crypto::Digest {
    hash::digest(DigestAlg::Sha256, octets)
}

pub fn digest(size: Size) -> Case {
    let (documents, canonical) = bodies(size);
    for (document, octets) in documents.iter().zip(&canonical) {
        assert_eq!(hashed(document), digest_of(octets), "the digest of the canonical form");
    }
    let octets = canonical[0].len();
    let places: Vec<usize> = (0..documents.len()).collect();
    Case {
        name: "c14n-sha256".to_owned(),
        size,
        label: size.label(),
        octets,
        ours: Box::new(Rotation::new(places, move |at: usize| hashed(&documents[at]))),
        beside: ("sha-256", Box::new(Rotation::new(canonical, |octets: Rc<[u8]>| digest_of(&octets)))),
        goal: Goal::None,
        most_allocations: None,
    }
}

pub fn collect(size: Size) -> Case {
    let (documents, texts) = bodies(size);
    let octets = texts[0].len();
    let places: Vec<usize> = (0..documents.len()).collect();
    Case {
        name: "c14n-vec".to_owned(),
        size,
        label: size.label(),
        octets,
        ours: Box::new(Rotation::new(places, move |at: usize| canonical(&documents[at]))),
        beside: ("copy", Box::new(Rotation::new(texts, |octets: Rc<[u8]>| octets.to_vec()))),
        goal: Goal::None,
        most_allocations: None,
    }
}
