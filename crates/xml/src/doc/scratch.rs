//! Memory that outlives documents: who reads message after message gives the lists of one that is done with to the
//! next. Nothing else goes over: every list is emptied, names included, so that no document can tell what was read
//! before it.

use super::Document;
use super::arena::Arena;
use super::ids::Ids;

/// What is kept at most: a few messages of the default size need less.
const MOST_KEPT: usize = 16 << 20;

/// The memory of a document that is gone, for the next one; see [`Document::recycle`]. Keeps 16 MiB at most. It saves
/// small documents a dozen allocations; for large ones it saves what the system takes for fresh pages, which can be a
/// third of the time of parsing.
#[derive(Debug, Default)]
pub struct Scratch {
    arena: Option<Arena>,
    ids: Ids,
    buffer: Vec<u8>,
}

impl Scratch {
    /// An empty buffer with the memory that the text of the last document had, to read the next one into.
    #[must_use]
    pub fn buffer(&mut self) -> Vec<u8> {
        core::mem::take(&mut self.buffer)
    }

    /// Empty lists for a text of this many octets.
    pub(super) fn lists(&mut self, octets: usize) -> (Arena, Ids) {
        let mut arena = self.arena.take().unwrap_or_default();
        arena.begin(octets);
        (arena, core::mem::take(&mut self.ids))
    }
}

impl Document {
    /// Ends a document and keeps its memory for another one.
    pub fn recycle(self, scratch: &mut Scratch) {
        let Self { arena, segments, mut ids, .. } = self;
        let mut buffer = segments.into_iter().next().map(|s| s.text.into_bytes()).unwrap_or_default();
        if arena.capacity() + buffer.capacity() > MOST_KEPT {
            return;
        }
        buffer.clear();
        ids.clear();
        *scratch = Scratch { arena: Some(arena), ids, buffer };
    }
}
