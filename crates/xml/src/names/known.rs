//! Look-up of texts in the fixed tables, by a hash that is keyed once a process so that nobody can choose names that
//! collide (attack PAR-07). Called by the interner of a document and by [`super::Name::known`].

use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;

use super::{Local, Ns, local, ns};

/// Slots of an open-addressing table; a power of two at least four times the number of entries.
struct Known {
    slots: Vec<u16>,
    texts: &'static [&'static str],
}

const FREE: u16 = u16::MAX;

static KEYS: LazyLock<(u64, u64)> = LazyLock::new(|| {
    // The standard library's per-process key is the only randomness here; it decides no result, only speed.
    let state = RandomState::new();
    (state.hash_one(1_u8) | 1, state.hash_one(2_u8) | 1)
});
static LOCALS: LazyLock<Known> = LazyLock::new(|| Known::build(local::LOCALS));
static NAMESPACES: LazyLock<Known> = LazyLock::new(|| Known::build(ns::NAMESPACES));

impl Known {
    fn build(texts: &'static [&'static str]) -> Self {
        let mut slots = vec![FREE; (texts.len() * 4).next_power_of_two()];
        let mask = slots.len() - 1;
        for (id, text) in (0_u16..).zip(texts) {
            let mut at = slot(hash(text.as_bytes()), mask);
            while slots.get(at).is_some_and(|&s| s != FREE) {
                at = (at + 1) & mask;
            }
            if let Some(free) = slots.get_mut(at) {
                *free = id;
            }
        }
        Self { slots, texts }
    }

    fn find(&self, text: &str, hash: u64) -> Option<u16> {
        let mask = self.slots.len() - 1;
        let mut at = slot(hash, mask);
        loop {
            let id = *self.slots.get(at)?;
            if *self.texts.get(usize::from(id))? == text {
                return Some(id);
            }
            at = (at + 1) & mask;
        }
    }
}

fn slot(hash: u64, mask: usize) -> usize {
    usize::try_from(hash >> 32).unwrap_or(0) & mask
}

/// A keyed hash of short texts: folded multiplications over words that may overlap.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    let (a, b) = *KEYS;
    let state = a ^ (bytes.len() as u64);
    if let (Some(head), Some(tail)) = (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
        return long(bytes, state, u64::from_le_bytes(*head), u64::from_le_bytes(*tail), b);
    }
    let (head, tail) = match (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        (Some(head), Some(tail)) => (u32::from_le_bytes(*head), u32::from_le_bytes(*tail)),
        _ => match *bytes {
            [x] => (u32::from(x), 0),
            [x, y] => (u32::from(x), u32::from(y)),
            [x, y, z] => (u32::from(x), u32::from(y) << 8 | u32::from(z)),
            _ => (0, 0),
        },
    };
    fold(fold(state ^ u64::from(head) ^ u64::from(tail) << 32, b), a)
}

fn long(bytes: &[u8], state: u64, head: u64, tail: u64, b: u64) -> u64 {
    let mut state = fold(state ^ head, b);
    if bytes.len() > 16 {
        let middle = bytes.get(8..bytes.len() - 8).unwrap_or_default();
        for chunk in middle.chunks(8) {
            let mut word = [0; 8];
            for (to, from) in word.iter_mut().zip(chunk) {
                *to = *from;
            }
            state = fold(state ^ u64::from_le_bytes(word), b);
        }
    }
    fold(fold(state ^ tail, b), state | 1)
}

fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    // Both halves, so that every input bit reaches every output bit.
    (product as u64) ^ ((product >> 64) as u64)
}

/// The fixed id of a local name with this [`hash`].
pub(crate) fn known_local(text: &str, hash: u64) -> Option<Local> {
    LOCALS.find(text, hash).map(Local)
}

/// The fixed id of a namespace URI with this [`hash`].
pub(crate) fn known_namespace(uri: &str, hash: u64) -> Option<Ns> {
    NAMESPACES.find(uri, hash).map(Ns)
}
