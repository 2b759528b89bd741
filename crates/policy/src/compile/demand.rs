//! Demands of one part, joined; and which parts a signature over another reaches.

use bartizan_wss::part::{Need, Part, Require};

/// Whether a signature over `part` covers `inner`.
pub(super) fn covers(part: &Part, inner: &Part) -> bool {
    match (part, inner) {
        (Part::Header { ns, local: None }, Part::Header { ns: other, .. }) => ns == other,
        (Part::Headers, Part::Header { .. }) => true,
        // An element that a path names lies in the Body or in a header; which, only the message says. Signed Body
        // covers the usual case, and the message is refused at run time if the signature does not reach.
        (Part::Body, Part::Element { .. }) => true,
        (part, inner) => part == inner,
    }
}

/// Adds a demand to what is demanded of the part already.
pub(crate) fn demand(required: &mut Vec<Require>, part: &Part, signed: Need, encrypted: Need) {
    match required.iter_mut().find(|require| require.part == *part) {
        Some(require) => {
            require.signed = stronger(require.signed, signed);
            require.encrypted = stronger(require.encrypted, encrypted);
        }
        None => required.push(Require { part: part.clone(), signed, encrypted }),
    }
}

fn stronger(a: Need, b: Need) -> Need {
    match (a, b) {
        (Need::Must, _) | (_, Need::Must) => Need::Must,
        (Need::IfPresent, _) | (_, Need::IfPresent) => Need::IfPresent,
        (Need::No, Need::No) => Need::No,
    }
}
