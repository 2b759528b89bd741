//! The replay window on disk: a journal of claims beside the memory, so that a message that
//! was served before a restart is not served after it.
//!
//! Each fresh claim is appended before its message has any effect, with one write and no
//! sync: a killed process loses nothing, a machine that loses power may lose the last
//! seconds. The file is written anew when it has grown to twice of what is remembered. If it
//! cannot be written the memory goes on guarding, and [`KeptReplay::is_broken`] says so.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bartizan_keys::Time;
use bartizan_wss::replay::{Claim, MemoryReplay, Remember, ReplayCache, ReplayKey};

/// Bytes before the entries: the latest time that was seen.
const HEAD: u64 = 8;
/// Bytes of one entry: the key and until when it is remembered.
const ENTRY: u64 = 40;
/// The file is not written anew before it holds this many entries.
const COMPACT_FLOOR: u64 = 4096;

/// A memory with a journal.
pub struct KeptReplay {
    memory: MemoryReplay,
    /// Shared with a memory of another size that a reload makes, until one of the two is given up.
    journal: Option<Arc<Mutex<Journal>>>,
    broken: AtomicBool,
}

struct Journal {
    path: PathBuf,
    file: File,
    /// Where the next entry goes.
    end: u64,
    /// At this length the file is written anew.
    compact_at: u64,
}

impl KeptReplay {
    /// Opens the journal at `path`, taking over what it holds.
    ///
    /// # Errors
    /// What the operating system says.
    pub fn open(path: &Path, mut memory: MemoryReplay, now: Time) -> io::Result<Self> {
        match fs::read(path) {
            // What was claimed before this process started is known.
            Ok(octets) => {
                memory = memory.since(Time::from_millis(i64::MIN));
                memory.import(&octets);
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        memory.sweep(now);
        let journal = Journal::write(path, &memory)?;
        Ok(KeptReplay {
            memory,
            journal: Some(Arc::new(Mutex::new(journal))),
            broken: AtomicBool::new(false),
        })
    }

    /// A memory that is forgotten at the end of the process.
    pub fn in_memory(memory: MemoryReplay) -> Self {
        KeptReplay { memory, journal: None, broken: AtomicBool::new(false) }
    }

    /// A memory of another size that goes on with what this one remembers, and in its file: whichever
    /// of the two stays in force, the file holds its claims.
    pub fn resized(&self, memory: MemoryReplay) -> Self {
        let memory = memory.since(self.started());
        memory.import(&self.memory.export());
        KeptReplay { memory, journal: self.journal.clone(), broken: AtomicBool::new(self.is_broken()) }
    }

    /// Whether it remembers for this long and this much.
    pub fn has_size(&self, window: Duration, capacity: usize) -> bool {
        self.memory.window() == window && self.memory.capacity() == capacity
    }

    /// Whether the journal could not be written at some time; the window is then lost at the
    /// next restart.
    pub fn is_broken(&self) -> bool {
        self.broken.load(Ordering::Relaxed)
    }

    fn append(&self, key: &ReplayKey, until: i64, now: Time) -> io::Result<()> {
        let Some(journal) = &self.journal else { return Ok(()) };
        let mut journal = journal.lock().unwrap_or_else(PoisonError::into_inner);
        if journal.end >= journal.compact_at {
            self.memory.sweep(now);
            if let Ok(fresh) = Journal::write(&journal.path, &self.memory) {
                *journal = fresh;
                // The claim is in the memory already, and so in the new file.
                return Ok(());
            }
            // The old file goes on growing; trying again at each claim would cost more than the claims.
            journal.compact_at = journal.compact_at.saturating_mul(2);
        }
        let mut entry = [0u8; ENTRY as usize];
        let (head, tail) = entry.split_at_mut(32);
        head.copy_from_slice(key.octets());
        tail.copy_from_slice(&until.to_be_bytes());
        journal.file.write_all_at(&entry, journal.end)?;
        journal.end += ENTRY;
        // The latest time too, so that a clock set back over a restart opens nothing.
        journal.file.write_all_at(&self.memory.latest().millis().to_be_bytes(), 0)
    }
}

impl Journal {
    /// Writes all of `memory` to a new file in place of the one at `path`.
    fn write(path: &Path, memory: &MemoryReplay) -> io::Result<Journal> {
        let octets = memory.export();
        let part = path.with_extension("part");
        // Always a file of ours and never one that a link of this name leads to.
        match fs::remove_file(&part) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&part)?;
        file.write_all_at(&octets, 0)?;
        // A name that reaches the disk before what it names would lose the whole window with the power.
        file.sync_data()?;
        fs::rename(&part, path)?;
        let end = octets.len() as u64;
        let compact_at = (2 * end).max(HEAD + COMPACT_FLOOR * ENTRY);
        Ok(Journal { path: path.to_owned(), file, end, compact_at })
    }
}

impl ReplayCache for KeptReplay {
    fn claim(&self, key: &ReplayKey, remember: Remember, now: Time) -> Claim {
        let claim = self.memory.claim(key, remember, now);
        if claim == Claim::Fresh {
            // By the memory's time, not the clock's: a clock that was set back must not take the mark in the file back with it.
            let now = self.memory.latest();
            let until = match remember {
                Remember::Until(time) => time.millis(),
                Remember::Window => (now + self.memory.window()).millis(),
            };
            if self.append(key, until, now).is_err() {
                self.broken.store(true, Ordering::Relaxed);
            }
        }
        claim
    }

    fn window(&self) -> Duration {
        self.memory.window()
    }

    fn started(&self) -> Time {
        self.memory.started()
    }
}

#[cfg(test)]
mod tests;
