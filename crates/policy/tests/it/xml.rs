//! Comparing XML where white space, comments, prefixes and the order of attributes do not count.

use bartizan_xml::{Budget, Document, Element, Limits, Profile};

/// An element, reduced to what counts.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Tree {
    name: (String, String),
    attributes: Vec<(String, String, String)>,
    text: String,
    children: Vec<Tree>,
}

pub(crate) fn document(bytes: &[u8]) -> Document {
    let mut budget = Budget::new(&Limits::default());
    Document::parse(bytes.to_vec(), Profile::Bare, &mut budget).expect("well-formed")
}

pub(crate) fn tree(bytes: &[u8]) -> Tree {
    of(document(bytes).root())
}

fn of(element: Element<'_>) -> Tree {
    let mut attributes: Vec<_> = element
        .attrs()
        .map(|attr| {
            (attr.namespace().unwrap_or("").to_owned(), attr.local_name().to_owned(), attr.value().to_owned())
        })
        .collect();
    attributes.sort();
    Tree {
        name: (element.namespace().unwrap_or("").to_owned(), element.local_name().to_owned()),
        attributes,
        text: element.text().trim().to_owned(),
        children: element.elements().map(of).collect(),
    }
}

/// The first difference, for people.
pub(crate) fn difference(ours: &Tree, theirs: &Tree) -> Option<String> {
    if ours.name != theirs.name {
        return Some(format!("{:?} instead of {:?}", ours.name, theirs.name));
    }
    if ours.attributes != theirs.attributes || ours.text != theirs.text {
        return Some(format!(
            "in {}: {:?} {:?} instead of {:?} {:?}",
            ours.name.1, ours.attributes, ours.text, theirs.attributes, theirs.text
        ));
    }
    if ours.children.len() != theirs.children.len() {
        let names = |tree: &Tree| tree.children.iter().map(|child| child.name.1.clone()).collect::<Vec<_>>();
        return Some(format!("in {}: {:?} instead of {:?}", ours.name.1, names(ours), names(theirs)));
    }
    ours.children.iter().zip(&theirs.children).find_map(|(ours, theirs)| difference(ours, theirs))
}
