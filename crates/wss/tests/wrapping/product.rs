//! The dimensions of the product, and how much of it is made.

use crate::message::PARTS;

/// What stands around the moved parts in their host.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Wrapper {
    None,
    Foreign,
    /// An element of the name of the part's parent.
    Parent,
    /// Envelope, Header and Security as they were.
    Chain,
}

/// What becomes of the forged part's Id.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Id {
    Same,
    Rotated,
    Removed,
    /// An attribute of this name with the value in its place.
    Moved(&'static str),
    Padded,
}

/// Where the forged part stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Where {
    /// Where the genuine one was.
    Original,
    /// Before the genuine one, in its host.
    Before,
    After,
    /// Within the genuine one.
    Inside,
    /// The genuine one within the forged.
    Around,
}

/// What the forged part holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Payload {
    Text,
    Name,
    Emptied,
    /// Ciphertext and key of another message of the same sender (E0, for the Body; other parts as with `Text`).
    Ciphertext,
}

/// What becomes of the Signature.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Signature {
    Left,
    Moved,
    Copied,
}

pub(crate) const WRAPPERS: [Wrapper; 4] = [Wrapper::None, Wrapper::Foreign, Wrapper::Parent, Wrapper::Chain];
pub(crate) const IDS: [Id; 9] = [
    Id::Same,
    Id::Rotated,
    Id::Removed,
    Id::Moved("Id"),
    Id::Moved("ID"),
    Id::Moved("id"),
    Id::Moved("xml:id"),
    Id::Moved("foo:Id"),
    Id::Padded,
];
pub(crate) const PLACES: [Where; 5] =
    [Where::Original, Where::Before, Where::After, Where::Inside, Where::Around];
pub(crate) const PAYLOADS: [Payload; 4] =
    [Payload::Text, Payload::Name, Payload::Emptied, Payload::Ciphertext];
pub(crate) const SIGNATURES: [Signature; 3] = [Signature::Left, Signature::Moved, Signature::Copied];

/// One combination, but for the host.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Choice {
    pub(crate) wrapper: Wrapper,
    pub(crate) id: Id,
    pub(crate) place: Where,
    pub(crate) payload: Payload,
    pub(crate) signature: Signature,
}

/// How much is made. Each is the complete product of what it names; all hosts and all places among their children are always in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Extent {
    /// Everything for every set of parts.
    Full,
    /// One part: every wrapper, Id and place with changed text and the Signature where it was; and every wrapper, payload and Signature with
    /// three Ids (same, another, none) in the original place. Several parts: every wrapper with these three Ids; changed text in the original
    /// place, the Signature where it was.
    Usual,
    /// One part: every wrapper and place with these three Ids, changed text, the Signature where it was.
    Share,
}

impl Extent {
    /// `usual`, or everything where the environment asks for it.
    #[allow(clippy::disallowed_methods, reason = "whoever runs the tests says how long they may take")]
    pub(crate) fn asked(usual: Extent) -> Extent {
        match std::env::var("BARTIZAN_WRAPPING").as_deref() {
            Ok("full") => Extent::Full,
            Ok(other) => panic!("BARTIZAN_WRAPPING is {other}, not full"),
            Err(_) => usual,
        }
    }

    /// The sets of parts that are moved, as bits.
    pub(crate) fn sets(self) -> Vec<u8> {
        let all = 1..1_u8 << PARTS;
        all.filter(|set| self != Extent::Share || set.count_ones() == 1).collect()
    }

    /// Whether a combination for `parts` moved parts is in it.
    fn holds(self, parts: u32, c: &Choice) -> bool {
        let plain_id = matches!(c.id, Id::Same | Id::Rotated | Id::Removed);
        let left = c.payload == Payload::Text && c.signature == Signature::Left;
        match self {
            Extent::Full => true,
            Extent::Usual if c.place != Where::Original => parts == 1 && left,
            Extent::Usual if parts == 1 => left || plain_id,
            Extent::Usual => left && plain_id,
            Extent::Share => left && plain_id,
        }
    }

    /// The combinations for a set of so many parts.
    pub(crate) fn choices(self, parts: u32, encrypted: bool) -> Vec<Choice> {
        let mut out = Vec::new();
        for wrapper in WRAPPERS {
            for id in IDS {
                for place in PLACES {
                    for payload in PAYLOADS {
                        for signature in SIGNATURES {
                            out.push(Choice { wrapper, id, place, payload, signature });
                        }
                    }
                }
            }
        }
        out.retain(|c| self.holds(parts, c) && (encrypted || c.payload != Payload::Ciphertext));
        out
    }
}
