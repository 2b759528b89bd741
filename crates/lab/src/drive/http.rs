//! A kept HTTP/1.1 connection: a request that is rendered already goes out in one write, and one answer comes back.
//!
//! Only what servers under measurement answer with is known: a body with `Content-Length` or in chunks. Called by the load.

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// How long a server may be silent.
const PATIENCE: Duration = Duration::from_secs(30);
/// An answer's head and body are not longer than this.
const LONGEST: usize = 16 << 20;

/// A connection with the last answer's body.
#[derive(Debug)]
pub(crate) struct Connection {
    stream: TcpStream,
    /// What was read and belongs to no answer yet.
    buffer: Vec<u8>,
    body: Vec<u8>,
    closing: bool,
}

/// What an answer's head says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Head {
    /// Octets of the head, the empty line included.
    length: usize,
    status: u16,
    body: Body,
    closing: bool,
}

/// How the body is delimited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Body {
    Length(usize),
    Chunked,
}

impl Connection {
    /// Connects.
    pub(crate) fn open(address: SocketAddr) -> io::Result<Connection> {
        let stream = TcpStream::connect_timeout(&address, PATIENCE)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        Ok(Connection { stream, buffer: Vec::with_capacity(16 << 10), body: Vec::new(), closing: false })
    }

    /// Sends a request and reads its answer; returns the status.
    pub(crate) fn exchange(&mut self, request: &[u8]) -> io::Result<u16> {
        self.stream.write_all(request)?;
        let head = loop {
            if let Some(head) = head(&self.buffer)? {
                break head;
            }
            self.more()?;
        };
        self.buffer.drain(..head.length);
        self.closing = head.closing;
        self.body.clear();
        match head.body {
            Body::Length(length) => self.take(length)?,
            Body::Chunked => self.chunks()?,
        }
        Ok(head.status)
    }

    /// The last answer's body.
    pub(crate) fn body(&self) -> &[u8] {
        &self.body
    }

    /// Whether the server takes no further request on this connection.
    pub(crate) fn is_closing(&self) -> bool {
        self.closing
    }

    /// Reads what has come, at least one octet.
    fn more(&mut self) -> io::Result<()> {
        if self.buffer.len() > LONGEST {
            return Err(wrong("the answer is too long"));
        }
        let mut octets = [0; 16 << 10];
        match self.stream.read(&mut octets)? {
            0 => Err(io::Error::new(ErrorKind::UnexpectedEof, "the server closed the connection")),
            read => {
                self.buffer.extend(octets.iter().take(read));
                Ok(())
            }
        }
    }

    /// Moves so many octets into the body.
    fn take(&mut self, length: usize) -> io::Result<()> {
        while self.buffer.len() < length {
            self.more()?;
        }
        self.body.extend(self.buffer.drain(..length));
        Ok(())
    }

    /// A line without its end.
    fn line(&mut self) -> io::Result<String> {
        loop {
            if let Some(end) = self.buffer.windows(2).position(|two| two == b"\r\n") {
                let line: Vec<u8> = self.buffer.drain(..end + 2).take(end).collect();
                return String::from_utf8(line).map_err(|_| wrong("a line that is no text"));
            }
            self.more()?;
        }
    }

    fn chunks(&mut self) -> io::Result<()> {
        loop {
            let line = self.line()?;
            let size = line.split(';').next().unwrap_or_default().trim();
            let size = usize::from_str_radix(size, 16).map_err(|_| wrong("a chunk without size"))?;
            if size == 0 {
                while !self.line()?.is_empty() {}
                return Ok(());
            }
            if size > LONGEST || self.body.len() > LONGEST {
                return Err(wrong("the answer is too long"));
            }
            self.take(size)?;
            if !self.line()?.is_empty() {
                return Err(wrong("a chunk that is longer than its size"));
            }
        }
    }
}

/// The head of an answer, if all of it is there.
fn head(buffer: &[u8]) -> io::Result<Option<Head>> {
    let Some(end) = buffer.windows(4).position(|four| four == b"\r\n\r\n") else { return Ok(None) };
    let octets = buffer.get(..end).unwrap_or_default();
    let text = std::str::from_utf8(octets).map_err(|_| wrong("a head that is no text"))?;
    let mut lines = text.split("\r\n");
    let status = lines.next().and_then(|line| line.strip_prefix("HTTP/1.1 ")?.get(..3)?.parse().ok());
    let status = status.ok_or_else(|| wrong("no HTTP/1.1 status line"))?;
    let (mut body, mut closing) = (None, false);
    for (name, value) in lines.filter_map(|line| line.split_once(':')) {
        let value = value.trim();
        if name.eq_ignore_ascii_case("content-length") {
            let length = value.parse().ok().filter(|length| *length <= LONGEST);
            body = Some(Body::Length(length.ok_or_else(|| wrong("a length that is none"))?));
        } else if name.eq_ignore_ascii_case("transfer-encoding") && value.eq_ignore_ascii_case("chunked") {
            body = Some(Body::Chunked);
        } else if name.eq_ignore_ascii_case("connection") {
            closing = value.eq_ignore_ascii_case("close");
        }
    }
    let body = body.ok_or_else(|| wrong("an answer of unknown length"))?;
    Ok(Some(Head { length: end + 4, status, body, closing }))
}

fn wrong(what: &'static str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, what)
}

#[cfg(test)]
mod tests;
