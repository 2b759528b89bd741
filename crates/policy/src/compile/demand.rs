//! Demands of one part, joined; and which parts a signature over another reaches.

use bartizan_wss::part::{EncryptHow, EncryptPart, Need, Part, Require};

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
        None => required.push(Require { part: part.clone(), signed, encrypted, how: EncryptHow::Content }),
    }
}

/// Adds that an element itself, and not its content alone, is to be encrypted where one of the demands says so.
pub(crate) fn demand_how(required: &mut [Require], part: &EncryptPart) {
    if part.how == EncryptHow::Element && matches!(part.part, Part::Element { .. }) {
        let same = required.iter_mut().filter(|require| require.part == part.part);
        same.for_each(|require| require.how = EncryptHow::Element);
    }
}

fn stronger(a: Need, b: Need) -> Need {
    match (a, b) {
        (Need::Must, _) | (_, Need::Must) => Need::Must,
        (Need::IfPresent, _) | (_, Need::IfPresent) => Need::IfPresent,
        (Need::No, Need::No) => Need::No,
    }
}
