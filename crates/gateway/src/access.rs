//! The access log: one JSON line for each exchange, with the evidence in short and the
//! precise reason of a refusal. This is the only place where that reason is said.
//!
//! A slow reader of the log must not hold up traffic: lines go through a bounded queue to a
//! thread of their own; a line that finds the queue full is dropped, and the next line that
//! passes tells how many were.

mod line;

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use self::line::Line;
use crate::config::Access;
use crate::error::Problem;

/// Lines that may wait for the writer.
const QUEUE: usize = 8192;
/// Bytes that are written at once, about.
const BATCH_BYTES: usize = 64 * 1024;
/// How long the writer rests when it has written all that was there.
const REST: Duration = Duration::from_millis(5);
/// How long the end waits for them to be written.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// Whether the log's file can be written, as far as that shows without making it.
pub fn trouble(access: &Access) -> Option<Problem> {
    let Access::File(path) = access else { return None };
    let tried = match fs::metadata(path) {
        // What is no file, a pipe say, may wait for its reader.
        Ok(there) if there.is_file() => OpenOptions::new().append(true).open(path).map(drop),
        Ok(there) if there.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            match fs::metadata(folder.unwrap_or(Path::new("."))) {
                Ok(folder) if folder.is_dir() => Ok(()),
                Ok(_) => Err(io::ErrorKind::NotADirectory.into()),
                Err(error) => Err(error),
            }
        }
        Err(error) => Err(error),
    };
    tried.err().map(|source| Problem::Write { path: path.clone(), source })
}

/// What is known about one exchange in the end.
// tidy: bag one line of the log, field by field
#[derive(Clone, Debug, Default)]
pub struct Record {
    /// When it arrived, RFC 3339.
    pub time: String,
    /// The request id, which the fault carries too.
    pub id: String,
    /// The other side's address.
    pub peer: String,
    /// HTTP method.
    pub method: String,
    /// Path, without query.
    pub path: String,
    /// HTTP status of the answer.
    pub status: u16,
    /// Bytes of the request's body.
    pub request_bytes: usize,
    /// Bytes of the answer's body.
    pub response_bytes: usize,
    /// How it ended.
    pub outcome: Outcome,
    /// Machine code of a refusal, from the closed list.
    pub reason: Option<&'static str>,
    /// One sentence for people.
    pub detail: Option<String>,
    /// The fault code that went out.
    pub fault: Option<String>,
    /// Path of the element that is to blame.
    pub at: Option<String>,
    /// Who called, and how that was proved.
    pub caller: Option<(String, &'static str)>,
    /// Who endorsed the message, and how that was proved.
    pub endorsers: Vec<(String, &'static str)>,
    /// Parts with their protection.
    pub parts: Vec<String>,
    /// Algorithms of status legacy that were used.
    pub legacy: Vec<&'static str>,
    /// Operations with a private key that the message had us do.
    pub private_operations: u32,
    /// Time of the steps: reading, verifying, serving, securing.
    pub steps: Steps,
    /// From arrival to the answer.
    pub total: Duration,
}

/// Time of the steps of an exchange.
#[derive(Clone, Copy, Debug, Default)]
pub struct Steps {
    /// Until the body was there.
    pub read: Duration,
    /// Parsing and verifying.
    pub verify: Duration,
    /// The operation.
    pub serve: Duration,
    /// Securing the answer.
    pub secure: Duration,
}

/// How an exchange ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Outcome {
    /// Verified and answered.
    Answered,
    /// Refused by the security of the message.
    Refused,
    /// Answered with a fault after it was verified.
    Faulted,
    /// Turned away on the HTTP level.
    #[default]
    TurnedAway,
    /// Something of ours broke.
    Broke,
}

impl Outcome {
    fn name(self) -> &'static str {
        match self {
            Outcome::Answered => "answered",
            Outcome::Refused => "refused",
            Outcome::Faulted => "faulted",
            Outcome::TurnedAway => "turned_away",
            Outcome::Broke => "broke",
        }
    }
}

impl Record {
    /// The line, a JSON object without the line's end. What a peer wrote is cut off where it is longer than any use.
    /// `dropped_before` says how many lines did not get through before this one.
    pub fn to_line(&self, dropped_before: u64) -> String {
        let micros = |time: Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        let mut line = Line::new();
        line.text("time", &self.time).text("id", &self.id).text("peer", &self.peer);
        line.text("method", &self.method).text("path", &self.path);
        line.number("status", self.status.into()).text("outcome", self.outcome.name());
        if let Some(reason) = self.reason {
            line.text("reason", reason);
        }
        for (name, value) in [("detail", &self.detail), ("fault", &self.fault), ("where", &self.at)] {
            if let Some(value) = value {
                line.text(name, value);
            }
        }
        if let Some((name, proof)) = &self.caller {
            line.name("caller").open('{').text("name", name).text("proved_by", proof).close('}');
        }
        if !self.endorsers.is_empty() {
            line.name("endorsers").open('[');
            for (name, proof) in &self.endorsers {
                line.item().open('{').text("name", name).text("proved_by", proof).close('}');
            }
            line.close(']');
        }
        if !self.parts.is_empty() {
            line.name("parts").list(self.parts.iter().map(String::as_str));
        }
        if !self.legacy.is_empty() {
            line.name("legacy").list(self.legacy.iter().copied());
        }
        if self.private_operations > 0 {
            line.number("private_operations", u64::from(self.private_operations));
        }
        line.number("request_bytes", self.request_bytes as u64);
        line.number("response_bytes", self.response_bytes as u64);
        line.number("read_us", micros(self.steps.read)).number("verify_us", micros(self.steps.verify));
        line.number("serve_us", micros(self.steps.serve)).number("secure_us", micros(self.steps.secure));
        line.number("total_us", micros(self.total));
        if dropped_before > 0 {
            line.number("lines_dropped_before", dropped_before);
        }
        line.close('}');
        line.0
    }
}

/// The open log.
#[derive(Debug, Default)]
pub struct AccessLog {
    queue: Option<SyncSender<String>>,
    dropped: Arc<AtomicU64>,
    /// Hears when the writer has written everything.
    done: Option<Mutex<Receiver<()>>>,
    /// Asks for a file to be opened again before the next line.
    reopen: Arc<AtomicBool>,
}

/// A file of the log, opened again when it is asked for: what was there may have been moved away.
struct LogFile {
    path: PathBuf,
    file: File,
    reopen: Arc<AtomicBool>,
}

/// Opens a file of the log. It says who called: not for everybody.
fn append(path: &Path) -> io::Result<File> {
    OpenOptions::new().append(true).create(true).mode(0o640).open(path)
}

impl Write for LogFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // If it cannot be opened the old one goes on: a line in the wrong file is better than none.
        if self.reopen.swap(false, Ordering::Relaxed)
            && let Ok(file) = append(&self.path)
        {
            self.file = file;
        }
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl AccessLog {
    /// Opens what the configuration names and starts the writer.
    ///
    /// # Errors
    /// What the operating system says about the file or the thread.
    pub fn open(access: &Access) -> io::Result<Self> {
        match access {
            Access::Off => Ok(AccessLog::default()),
            Access::Stdout => AccessLog::to(io::stdout()),
            Access::Stderr => AccessLog::to(io::stderr()),
            Access::File(path) => {
                let file = LogFile { path: path.clone(), file: append(path)?, reopen: Arc::default() };
                let reopen = Arc::clone(&file.reopen);
                let mut log = AccessLog::to(file)?;
                log.reopen = reopen;
                Ok(log)
            }
        }
    }

    /// A log that writes to `out`.
    ///
    /// # Errors
    /// If the thread cannot be started.
    pub fn to(mut out: impl Write + Send + 'static) -> io::Result<Self> {
        let (queue, lines) = sync_channel::<String>(QUEUE);
        let dropped = Arc::new(AtomicU64::new(0));
        let count = Arc::clone(&dropped);
        let (end, done) = sync_channel(1);
        std::thread::Builder::new().name("access-log".to_owned()).spawn(move || {
            while let Ok(mut text) = lines.recv() {
                text.push('\n');
                // One write for all lines that are there.
                while text.len() < BATCH_BYTES {
                    let Ok(next) = lines.try_recv() else { break };
                    text.push_str(&next);
                    text.push('\n');
                }
                let few = text.len() < BATCH_BYTES;
                if out.write_all(text.as_bytes()).and_then(|()| out.flush()).is_err() {
                    count.fetch_add(1, Ordering::Relaxed);
                }
                // Who waits for a line is woken by each one. Resting makes that once for all lines of this time.
                if few {
                    std::thread::sleep(REST);
                }
            }
            let _ = end.send(());
        })?;
        Ok(AccessLog { queue: Some(queue), dropped, done: Some(Mutex::new(done)), reopen: Arc::default() })
    }

    /// The next line goes into a file of the configured name, made if it is not there: after the old
    /// one was moved away. Nothing happens to what is no file.
    pub fn reopen(&self) {
        self.reopen.store(true, Ordering::Relaxed);
    }

    /// Writes one line; never waits.
    pub fn write(&self, record: &Record) {
        let Some(queue) = &self.queue else { return };
        let missed = self.dropped.swap(0, Ordering::Relaxed);
        if queue.try_send(record.to_line(missed)).is_err() {
            self.dropped.fetch_add(missed + 1, Ordering::Relaxed);
        }
    }
}

/// Writes out what waits; a reader that does not read does not keep us from ending.
impl Drop for AccessLog {
    fn drop(&mut self) {
        self.queue = None;
        if let Some(done) = self.done.take().and_then(|done| done.into_inner().ok()) {
            let _ = done.recv_timeout(LAST_WORDS);
        }
    }
}

#[cfg(test)]
mod tests;
