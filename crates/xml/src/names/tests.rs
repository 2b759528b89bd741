use super::{Local, Name, Ns, ds, hash, local, ns, wsu};

fn known_local(text: &str) -> Option<Local> {
    super::known_local(text, hash(text.as_bytes()))
}

fn known_namespace(uri: &str) -> Option<Ns> {
    super::known_namespace(uri, hash(uri.as_bytes()))
}

#[test]
fn every_table_entry_is_found_again_under_its_own_id() {
    for (id, text) in local::LOCALS.iter().enumerate() {
        assert_eq!(known_local(text).map(|l| usize::from(l.0)), Some(id), "{text}");
    }
    for (id, text) in ns::NAMESPACES.iter().enumerate() {
        assert_eq!(known_namespace(text).map(|n| usize::from(n.0)), Some(id), "{text}");
    }
    assert_eq!(ns::NAMESPACES.len(), ns::USUAL_PREFIXES.len());
}

#[test]
fn unknown_texts_are_not_found() {
    assert_eq!(known_local("signature"), None);
    assert_eq!(known_namespace("urn:nowhere"), None);
}

#[test]
fn known_name_is_the_constant() {
    assert_eq!(Name::known(ns::DS.uri(), "Signature"), Some(ds::SIGNATURE));
    assert_eq!(wsu::ID.local.text(), "Id");
    assert_eq!(wsu::ID.ns.usual_prefix(), "wsu");
}

#[test]
fn every_known_namespace_is_absolute_visible_ascii() {
    for uri in ns::NAMESPACES.iter().filter(|uri| !uri.is_empty()) {
        assert!(crate::doc::is_absolute(uri) && uri.bytes().all(|b| b.is_ascii_graphic()), "{uri}");
    }
}
