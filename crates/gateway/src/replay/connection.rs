//! One connection to the shared engine: commands out, replies in, each before a deadline.
//!
//! Blocking, on a thread that may wait (`exchange::waiting`). Not here: which commands, or how many connections (`engine`).

use std::io::{self, Read as _, Write as _};
use std::net::{TcpStream, ToSocketAddrs as _};
use std::time::Instant;

use super::Lost;
use super::resp::{self, Reply};
use crate::config::replay::Address;
use crate::error::plain;

/// A connection. After any error it is of no more use: replies may be on their way.
pub(super) struct Connection {
    stream: TcpStream,
    /// What came and was not read yet.
    input: Vec<u8>,
}

impl Connection {
    /// Connects to the first address of a name that answers.
    pub(super) fn open(address: &Address, deadline: Instant) -> Result<Self, Lost> {
        let places = (address.host.as_str(), address.port).to_socket_addrs().map_err(failed)?;
        let mut last = Lost("its name has no address".to_owned());
        for place in places {
            match TcpStream::connect_timeout(&place, left(deadline)?) {
                Ok(stream) => {
                    stream.set_nodelay(true).map_err(failed)?;
                    return Ok(Connection { stream, input: Vec::new() });
                }
                Err(error) => last = failed(error),
            }
        }
        Err(last)
    }

    /// Sends commands.
    pub(super) fn send(&mut self, commands: &[u8], deadline: Instant) -> Result<(), Lost> {
        self.stream.set_write_timeout(Some(left(deadline)?)).map_err(failed)?;
        self.stream.write_all(commands).map_err(failed)
    }

    /// The next reply.
    pub(super) fn reply(&mut self, deadline: Instant) -> Result<Reply, Lost> {
        loop {
            match resp::decode(&self.input) {
                Ok(Some((reply, length))) => {
                    self.input.drain(..length);
                    return Ok(reply);
                }
                Ok(None) => {}
                Err(resp::Malformed) => return Err(Lost("what it says is not of its protocol".to_owned())),
            }
            self.stream.set_read_timeout(Some(left(deadline)?)).map_err(failed)?;
            let mut piece = [0u8; 4096];
            match self.stream.read(&mut piece).map_err(failed)? {
                0 => return Err(Lost("it closed the connection".to_owned())),
                count => self.input.extend_from_slice(piece.get(..count).unwrap_or_default()),
            }
        }
    }

    /// One command and its reply; an error of the engine is one.
    pub(super) fn call(&mut self, parts: &[&[u8]], deadline: Instant) -> Result<Reply, Lost> {
        let mut out = Vec::new();
        resp::command(&mut out, parts);
        self.send(&out, deadline)?;
        match self.reply(deadline)? {
            Reply::Error(code) => Err(Lost::said(&code)),
            reply => Ok(reply),
        }
    }

    /// The engine's clock, in milliseconds since 1970: the reply to TIME.
    pub(super) fn time(&mut self, deadline: Instant) -> Result<i64, Lost> {
        match self.reply(deadline)? {
            Reply::List(2) => {}
            Reply::Error(code) => return Err(Lost::said(&code)),
            _ => return Err(no_time()),
        }
        let (seconds, micros) = (self.part_of_time(deadline)?, self.part_of_time(deadline)?);
        Ok(seconds.saturating_mul(1000).saturating_add(micros / 1000))
    }

    fn part_of_time(&mut self, deadline: Instant) -> Result<i64, Lost> {
        let Reply::Text(text) = self.reply(deadline)? else { return Err(no_time()) };
        std::str::from_utf8(&text).ok().and_then(|text| text.parse().ok()).ok_or_else(no_time)
    }
}

fn no_time() -> Lost {
    Lost("it does not say what time it is".to_owned())
}

/// What is left until the deadline; nothing left is a failure.
fn left(deadline: Instant) -> Result<std::time::Duration, Lost> {
    let left = deadline.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(failed(io::ErrorKind::TimedOut.into())) } else { Ok(left) }
}

fn failed(error: io::Error) -> Lost {
    match error.kind() {
        // The system says "resource temporarily unavailable" of a read that took too long.
        io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => Lost("it took too long".to_owned()),
        _ => Lost(plain(&error)),
    }
}
