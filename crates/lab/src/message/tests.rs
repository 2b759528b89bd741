use std::collections::HashSet;

use bartizan_xml::c14n::{C14n, C14nMethod};
use bartizan_xml::names::soap11;
use bartizan_xml::{Budget, Document, Limits, Profile};

use super::*;

#[test]
fn messages_have_the_exact_size_and_differ() {
    for size in Size::ALL {
        let count = if size == Size::Large { 3 } else { ROTATION };
        let messages = rotation(size, count, 7);
        assert!(messages.iter().all(|m| m.envelope.len() == size.octets()), "{size:?}");
        let different: HashSet<&str> = messages.iter().map(|m| m.envelope.as_str()).collect();
        assert_eq!(different.len(), count);
    }
}

#[test]
fn the_same_seed_gives_the_same_messages_and_another_seed_others() {
    let first = rotation(Size::Small, 4, 1);
    assert_eq!(first, rotation(Size::Small, 4, 1));
    assert_ne!(first, rotation(Size::Small, 4, 2));
}

#[test]
fn payload_is_the_canonical_content_of_the_body() {
    for message in rotation(Size::Medium, 4, 3) {
        let mut budget = Budget::new(&Limits::default());
        let octets = message.envelope.clone().into_bytes();
        let document = Document::parse(octets, Profile::Message, &mut budget).unwrap();
        let body = document.root().child(soap11::BODY).unwrap();
        let mut canonical = Vec::new();
        C14n::new(C14nMethod::Exclusive).write_children(body, &mut canonical).unwrap();
        assert_eq!(String::from_utf8(canonical).unwrap(), message.payload);
        assert!(message.envelope.contains("&amp;") && message.envelope.contains("&lt;"));
    }
}
