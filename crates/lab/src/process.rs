//! A server as a child process: started, waited for until it says that it is ready, measured from outside, stopped.
//!
//! CPU time and memory are read from `/proc`, so this works on Linux only. Not here: what is sent to it (`drive`). Called by
//! `peer` and `measure`.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use crate::Error;
use crate::error::file;

/// `USER_HZ` of Linux: what `/proc` counts CPU time in, in ticks a second.
pub const TICKS_PER_SECOND: u64 = 100;

/// Lines of a server's standard output that are kept while nobody reads them.
const KEPT_LINES: usize = 256;

/// How long a server may take to stop in order.
const STOP_TIME: Duration = Duration::from_secs(5);

/// A running server.
#[derive(Debug)]
pub struct Process {
    name: Box<str>,
    child: Child,
    lines: Receiver<String>,
    errors: PathBuf,
}

/// What a process has used up, and holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    /// CPU time in ticks, user and system, of all its threads.
    pub ticks: u64,
    /// Resident memory in bytes.
    pub resident: u64,
}

/// A command line: the program and its arguments.
pub type CommandLine = Vec<String>;

/// The tools of util-linux that pin a process to a core and end it with us, as far as they are there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tools {
    /// Cores that may be used, if `taskset` is there and there are two of them; else empty, and nothing is pinned.
    cores: Vec<usize>,
    /// Whether `setpriv` is there, which ends a server when this process ends.
    tie: bool,
}

impl Tools {
    /// Looks for them.
    #[must_use]
    pub fn find() -> Tools {
        let there = |tool: &str| {
            let mut command = Command::new(tool);
            command.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            command.status().is_ok_and(|status| status.success())
        };
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let cores = if there("taskset") { allowed_cores(&status) } else { Vec::new() };
        Tools { cores: if cores.len() < 2 { Vec::new() } else { cores }, tie: there("setpriv") }
    }

    /// The core of the server that is measured; `None` if nothing is pinned.
    #[must_use]
    pub fn server(&self) -> Option<usize> {
        self.cores.first().copied()
    }

    /// The core of the load.
    #[must_use]
    pub fn load(&self) -> Option<usize> {
        self.cores.get(1).copied()
    }

    /// Moves this process with all its threads to the load's core, or back to all cores. What is started from now on
    /// inherits it.
    pub fn pin_self(&self, where_to: Span) {
        let cores: Vec<String> = match where_to {
            Span::Load => self.load().iter().map(ToString::to_string).collect(),
            Span::All => self.cores.iter().map(ToString::to_string).collect(),
        };
        if !cores.is_empty() {
            pin(std::process::id(), &cores.join(","));
        }
    }
}

/// Where this process may run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Span {
    /// On the core of the load.
    Load,
    /// Wherever it was allowed to from the start.
    All,
}

impl Process {
    /// Starts a command, pinned to `core` if there is one. Its standard error goes to `errors`.
    ///
    /// # Errors
    /// [`Error::Start`], [`Error::File`].
    pub fn start(
        name: &str,
        line: &[String],
        tools: &Tools,
        core: Option<usize>,
        errors: &Path,
    ) -> Result<Process, Error> {
        let mut all: CommandLine = Vec::new();
        if tools.tie {
            all.extend(["setpriv", "--pdeathsig", "TERM"].map(str::to_owned));
        }
        if let Some(core) = core {
            all.extend(["taskset".to_owned(), "-c".to_owned(), core.to_string()]);
        }
        all.extend(line.iter().cloned());
        let (program, arguments) = all.split_first().map_or(("", [].as_slice()), |(p, a)| (p.as_str(), a));
        let log = fs::File::create(errors).map_err(file(errors))?;
        let mut child = Command::new(program)
            .args(arguments)
            .env("NO_COLOR", "1")
            .env_remove("NOTIFY_SOCKET")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .map_err(|source| Error::Start { command: program.into(), source })?;
        let (sender, lines) = sync_channel(KEPT_LINES);
        if let Some(out) = child.stdout.take() {
            std::thread::spawn(move || {
                // Read to the end whether anybody listens or not: a full pipe would stop the server.
                for line in BufReader::new(out).lines().map_while(Result::ok) {
                    let _ = sender.try_send(line);
                }
            });
        }
        Ok(Process { name: name.into(), child, lines, errors: errors.to_owned() })
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its process id.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Waits for a line that begins with `beginning`; returns the rest of it.
    ///
    /// # Errors
    /// [`Error::NotReady`] if the process ends before, or `patience` does.
    pub fn wait_for(&self, beginning: &str, patience: Duration) -> Result<String, Error> {
        let until = Instant::now() + patience;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left) {
                Ok(line) => {
                    if let Some(rest) = line.strip_prefix(beginning) {
                        return Ok(rest.trim().to_owned());
                    }
                }
                Err(RecvTimeoutError::Timeout) => {
                    let said = format!("no word within {} s", patience.as_secs()).into();
                    return Err(Error::NotReady { process: self.name.clone(), said });
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Error::NotReady { process: self.name.clone(), said: self.last_words() });
                }
            }
        }
    }

    /// What it has used so far.
    ///
    /// # Errors
    /// [`Error::Gone`].
    pub fn usage(&self) -> Result<Usage, Error> {
        let folder = PathBuf::from(format!("/proc/{}", self.id()));
        let text = |name: &str| fs::read_to_string(folder.join(name)).unwrap_or_default();
        match (cpu_ticks(&text("stat")), resident_bytes(&text("status"))) {
            (Some(ticks), Some(resident)) => Ok(Usage { ticks, resident }),
            _ => Err(Error::Gone { process: self.name.clone(), said: self.last_words() }),
        }
    }

    /// Moves it, with all its threads, to another core, if there is one.
    pub fn pin(&self, core: Option<usize>) {
        if let Some(core) = core {
            pin(self.id(), &core.to_string());
        }
    }

    /// Stops it: asked first, ended if it does not listen.
    pub fn stop(self) {
        drop(self);
    }

    /// The last line that it wrote to standard error, or how it ended.
    fn last_words(&self) -> Box<str> {
        let text = fs::read(&self.errors).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let last = text.lines().rev().find(|line| !line.trim().is_empty());
        last.map_or("it said nothing", str::trim).chars().take(300).collect::<String>().into()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Java programs remove their temporary files when they are asked to end, not when they are killed.
        let asked = Command::new("kill").arg(self.id().to_string()).stderr(Stdio::null()).status();
        let until = Instant::now() + STOP_TIME;
        if asked.is_ok_and(|status| status.success()) {
            while Instant::now() < until {
                if !matches!(self.child.try_wait(), Ok(None)) {
                    return;
                }
                std::thread::sleep(Duration::from_millis(10));
            }
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Where pinning fails the measurement goes on unpinned: the process may be gone, which the next reading says.
fn pin(id: u32, cores: &str) {
    let mut command = Command::new("taskset");
    command.args(["-a", "-c", "-p", cores, &id.to_string()]);
    let _ = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
}

/// The cores of a list such as `0-1,4` in the `Cpus_allowed_list` of `/proc/PID/status`.
fn allowed_cores(status: &str) -> Vec<usize> {
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap_or_default();
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some(first.trim().parse::<usize>().ok()?..=last.trim().parse().ok()?)
    };
    list.split(',').filter_map(range).flatten().collect()
}

/// utime + stime out of `/proc/PID/stat`, in ticks. The second field is a name in parentheses that may hold anything.
fn cpu_ticks(stat: &str) -> Option<u64> {
    let (_, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_ascii_whitespace().skip(11);
    let user: u64 = fields.next()?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    user.checked_add(system)
}

/// VmRSS out of `/proc/PID/status`, in bytes.
fn resident_bytes(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.split_ascii_whitespace().next()?.parse().ok()?;
    kilobytes.checked_mul(1024)
}

#[cfg(test)]
mod tests;
