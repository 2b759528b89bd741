//! The STR dereference transform (WSS 1.1 §8.3): tokens digested in the place of references.

use bartizan_xml::sink::Sink;

use crate::error::{Error, ErrorKind};
use crate::signature::reference::{
    Covered, MAX_REPLACED, Target, token_of, token_references, write_canonical,
};
use crate::signature::{C14nSpec, StrTarget, StrTargets};

/// Writes the target with every SecurityTokenReference replaced by its token.
pub(super) fn write(
    target: Target<'_>,
    spec: &C14nSpec,
    tokens: &dyn StrTargets,
    covered: &mut Covered,
    sink: &mut dyn Sink,
) -> Result<(), Error> {
    let element = target.element();
    let document = element.document();
    let references = token_references(element);
    // A STR-Transform without a reference to replace says something else than it means; one with very many is a work bomb.
    if references.is_empty() || references.len() > MAX_REPLACED {
        return Err(Error::new(ErrorKind::StrTarget));
    }
    for reference in references {
        match token_of(document, reference, tokens)? {
            StrTarget::Node(node) => covered.replaced.push((reference, node)),
            StrTarget::Octets(octets) if reference == element.id() && !octets.is_empty() => {
                sink.put(&octets);
                return Ok(());
            }
            // A token that is not in the message cannot stand inside another element's form.
            StrTarget::Octets(_) => return Err(Error::new(ErrorKind::StrTarget)),
        }
    }
    let c14n = spec.canonicalizer().replacing(&covered.replaced);
    write_canonical(target, c14n, covered.removed, sink)
}
