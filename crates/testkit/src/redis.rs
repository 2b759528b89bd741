//! A Redis or Valkey of its own for a test: on a free port of the loopback, in a folder that goes with it.
//!
//! Where the program is not installed the test says so aloud and ends; with `BARTIZAN_REQUIRE_REDIS=1` it fails.

use std::io::{self, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// How long it may take to start.
const PATIENCE: Duration = Duration::from_secs(30);
/// What it may be called.
const PROGRAMS: [&str; 2] = ["redis-server", "valkey-server"];

/// A running engine; killed when dropped.
#[derive(Debug)]
pub struct Redis {
    folder: TempDir,
    port: u16,
    arguments: Vec<String>,
    child: Option<Child>,
}

impl Redis {
    /// Starts one that keeps nothing, with more arguments. `None`, after saying so on standard error, if it is not installed.
    ///
    /// # Panics
    /// If it does not start; if it is not installed and `BARTIZAN_REQUIRE_REDIS=1`.
    #[must_use]
    pub fn start(arguments: &[&str]) -> Option<Redis> {
        let there =
            |program: &&str| Command::new(program).arg("--version").stdout(Stdio::null()).status().is_ok();
        if !PROGRAMS.iter().any(there) {
            let required = std::env::var_os("BARTIZAN_REQUIRE_REDIS").is_some_and(|value| value == "1");
            assert!(!required, "BARTIZAN_REQUIRE_REDIS=1, and neither of {PROGRAMS:?} is installed");
            let name = std::thread::current().name().unwrap_or_default().to_owned();
            // Past the capture of what a test that succeeds prints.
            let _ = writeln!(io::stderr(), "SKIPPED: {name}: no redis-server is installed");
            return None;
        }
        let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|listener| listener.local_addr());
        let port = free.map_or_else(|error| panic!("no free port: {error}"), |address| address.port());
        let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("no folder: {error}"));
        let arguments = arguments.iter().map(|argument| (*argument).to_owned()).collect();
        let mut redis = Redis { folder, port, arguments, child: None };
        redis.again();
        Some(redis)
    }

    /// `127.0.0.1:PORT`.
    #[must_use]
    pub fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// Kills it.
    pub fn stop(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    /// Starts it again, empty, on the same port.
    ///
    /// # Panics
    /// If it does not start.
    pub fn again(&mut self) {
        self.stop();
        let port = self.port.to_string();
        let common = [
            "--bind",
            "127.0.0.1",
            "--port",
            &port,
            "--save",
            "",
            "--appendonly",
            "no",
            "--loglevel",
            "warning",
        ];
        let spawn = |program: &&str| {
            Command::new(program)
                .args(common)
                .args(&self.arguments)
                .current_dir(self.folder.path())
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .ok()
        };
        self.child = PROGRAMS.iter().find_map(spawn);
        // Ours, and not that of another test which was given the same port in between.
        let id =
            self.child.as_ref().map(|child| format!("process_id:{}\r\n", child.id())).unwrap_or_default();
        let started = Instant::now();
        while !self
            .ask(&[b"INFO", b"server"])
            .is_ok_and(|about| String::from_utf8_lossy(&about).contains(&id))
        {
            assert!(started.elapsed() < PATIENCE, "the engine does not start");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Says one command and returns the reply as it comes, which must be shorter than 4 KiB.
    ///
    /// # Panics
    /// If it does not answer.
    #[must_use]
    pub fn say(&self, parts: &[&[u8]]) -> Vec<u8> {
        self.ask(parts).unwrap_or_else(|error| panic!("the engine does not answer: {error}"))
    }

    fn ask(&self, parts: &[&[u8]]) -> io::Result<Vec<u8>> {
        let mut command = format!("*{}\r\n", parts.len()).into_bytes();
        for part in parts {
            command.extend_from_slice(format!("${}\r\n", part.len()).as_bytes());
            command.extend_from_slice(part);
            command.extend_from_slice(b"\r\n");
        }
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port))?;
        stream.write_all(&command)?;
        let mut answer = vec![0; 4096];
        let length = stream.read(&mut answer)?;
        answer.truncate(length);
        Ok(answer)
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        self.stop();
    }
}
