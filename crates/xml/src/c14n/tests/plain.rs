//! A second canonicalizer, written over the public view alone with strings in place of numbers and without any short cut:
//! the oracle of the fast one.

mod attributes;
mod namespaces;
mod walk;

use crate::c14n::C14n;
use crate::{Document, Element, Error};

pub(super) fn write(form: &C14n<'_>, apex: Element<'_>) -> Result<Vec<u8>, Error> {
    let mut out = Vec::new();
    let mut walk = walk::Walk::new(form, &mut out);
    walk.subtree(apex)?;
    walk.finish();
    Ok(out)
}

pub(super) fn write_document(form: &C14n<'_>, document: &Document) -> Result<Vec<u8>, Error> {
    let mut out = Vec::new();
    let mut walk = walk::Walk::new(form, &mut out);
    walk.document(document)?;
    walk.finish();
    Ok(out)
}
