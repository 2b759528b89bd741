//! The replay window on disk: a journal of claims beside the memory, so that a message that
//! was served before a restart is not served after it.
//!
//! Each fresh claim is appended before its message has any effect, with one write and no
//! sync: a killed process loses nothing, a machine that loses power may lose the last
//! seconds. The file is written anew when it has grown to twice of what is remembered. If it
//! cannot be written the memory goes on guarding, and [`KeptReplay::is_broken`] says so.
//!
//! Why a file of our own and no embedded database: ARCHITECTURE.md, "The replay window".

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bartizan_keys::Time;
use bartizan_wss::replay::{Claim, Counts, MemoryReplay, Remember, ReplayCache, ReplayKey};

use crate::error::plain;

/// How the file begins. One without it is of the first version, which had only the latest time before the entries.
const MAGIC: &[u8; 8] = b"BZREPLAY";
/// Bytes before the latest time: the magic, since when every claim is known, and the start of the machine.
const FRONT: u64 = 32;
/// Where the start of the machine stands.
const BOOT_AT: u64 = 16;
/// Bytes before the entries: the latest time that was seen is the last of them.
const HEAD: u64 = FRONT + 8;
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
    crowded: AtomicBool,
    tell: Tell,
}

/// Says something to whoever runs the server, once for each time that it happens.
pub type Tell = Arc<dyn Fn(&str) + Send + Sync>;

struct Journal {
    path: PathBuf,
    /// The start of the machine that writes: if another one goes on, claims of the last seconds may be lost.
    boot: [u8; 16],
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
    pub fn open(path: &Path, memory: MemoryReplay, now: Time, tell: Tell) -> io::Result<Self> {
        Self::open_on(boot(), path, memory, now, tell)
    }

    fn open_on(
        boot: Option<[u8; 16]>,
        path: &Path,
        memory: MemoryReplay,
        now: Time,
        tell: Tell,
    ) -> io::Result<Self> {
        let octets = match fs::read(path) {
            Ok(octets) => octets,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(error),
        };
        let memory = match octets.strip_prefix(MAGIC).and_then(|rest| rest.split_at_checked(24)) {
            Some((front, entries)) => {
                memory.import(entries);
                memory.since(since(front, boot).unwrap_or(now))
            }
            // Broken off within its front.
            None if octets.starts_with(MAGIC) => memory.since(now),
            None => {
                memory.import(&octets);
                memory.since(now)
            }
        };
        memory.sweep(now);
        let journal = Journal::write(path, boot.unwrap_or_default(), &memory)?;
        Ok(Self::with(memory, Some(Arc::new(Mutex::new(journal))), false, tell))
    }

    /// A memory that is forgotten at the end of the process.
    pub fn in_memory(memory: MemoryReplay, tell: Tell) -> Self {
        Self::with(memory, None, false, tell)
    }

    fn with(memory: MemoryReplay, journal: Option<Arc<Mutex<Journal>>>, broken: bool, tell: Tell) -> Self {
        let (broken, crowded) = (AtomicBool::new(broken), AtomicBool::new(false));
        KeptReplay { memory, journal, broken, crowded, tell }
    }

    /// Holds and remembers so much from now on. In place: a claim that is made meanwhile is in the one memory that there is.
    pub fn resize(&self, window: Duration, capacity: usize) {
        self.memory.resize(capacity, window);
    }

    /// What became of the claims so far.
    pub fn counts(&self) -> Counts {
        self.memory.counts()
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
            if let Ok(fresh) = Journal::write(&journal.path, journal.boot, &self.memory) {
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
        let written = journal.file.write_all_at(&entry, journal.end).and_then(|()| {
            journal.end += ENTRY;
            // The latest time too, so that a clock set back over a restart opens nothing.
            journal.file.write_all_at(&self.memory.latest().millis().to_be_bytes(), FRONT)
        });
        if written.is_err() {
            // A file with a claim missing must not vouch for it. This place is there even on a full disk.
            let _ = journal.file.write_all_at(&[0; 16], BOOT_AT);
        }
        written
    }
}

impl Journal {
    /// Writes all of `memory` to a new file in place of the one at `path`.
    fn write(path: &Path, boot: [u8; 16], memory: &MemoryReplay) -> io::Result<Journal> {
        let since = memory.started().millis().to_be_bytes();
        let octets = [&MAGIC[..], &since, &boot, &memory.export()].concat();
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
        Ok(Journal { path: path.to_owned(), boot, file, end, compact_at })
    }
}

/// From when on a journal knows every claim, by what stands between its magic and its latest time; `None` if it was written
/// under another start of the machine, which may have lost the last claims with its power.
fn since(front: &[u8], now_on: Option<[u8; 16]>) -> Option<Time> {
    let (since, boot) = front.split_first_chunk::<8>()?;
    (now_on? == *boot).then(|| Time::from_millis(i64::from_be_bytes(*since)))
}

/// What tells one start of this machine from another; `None` where the system does not say.
fn boot() -> Option<[u8; 16]> {
    let text = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let digits = text.trim().replace('-', "");
    Some(u128::from_str_radix(&digits, 16).ok()?.to_be_bytes())
}

impl ReplayCache for KeptReplay {
    fn claim(&self, key: &ReplayKey, remember: Remember, now: Time) -> Claim {
        let claim = self.memory.claim(key, remember, now);
        if claim == Claim::Fresh {
            // By the memory's time, not the clock's: a clock that was set back must not take the mark in the file back with it.
            let now = self.memory.latest();
            let until = remember.kept_until(self.memory.window(), now);
            if let Err(error) = self.append(key, until, now)
                && !self.broken.swap(true, Ordering::Relaxed)
            {
                let why = plain(&error);
                (self.tell)(&format!(
                    "the replay window cannot be written ({why}): it is forgotten at the end"
                ));
            }
            if self.memory.is_crowded() && !self.crowded.swap(true, Ordering::Relaxed) {
                let Counts { entries, capacity, .. } = self.counts();
                (self.tell)(&format!(
                    "the replay window holds {entries} of {capacity} messages: when it is full, new ones are refused"
                ));
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
