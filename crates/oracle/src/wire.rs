//! One HTTP/1.1 connection as an attacker sees it: octets out, octets in, and the time between.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};

/// No answer takes as long.
const PATIENCE: Duration = Duration::from_secs(30);
/// The longest answer that is read.
const LONGEST: usize = 1 << 20;
/// The length of a request id.
const ID: usize = 32;

/// An open connection.
#[derive(Debug)]
pub(crate) struct Wire {
    stream: TcpStream,
    buffer: Vec<u8>,
}

/// What came back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    /// Head and body, with the date and the request id blotted out.
    pub(crate) masked: Vec<u8>,
    /// The request id.
    pub(crate) id: String,
    /// Nanoseconds from the first octet sent to the whole answer.
    pub(crate) nanos: u32,
}

/// A POST of `body`, ready to be sent.
pub(crate) fn request(path: &str, body: &[u8], close: bool) -> Vec<u8> {
    let connection = if close { "Connection: close\r\n" } else { "" };
    let mut out = format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\n{connection}Content-Type: application/soap+xml;charset=UTF-8\r\nContent-Length: {}\r\n\r\n",
        body.len()
    )
    .into_bytes();
    out.extend_from_slice(body);
    out
}

impl Wire {
    pub(crate) fn open(address: &str) -> Result<Wire> {
        let stream = TcpStream::connect(address).with_context(|| format!("connecting to {address}"))?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        Ok(Wire { stream, buffer: Vec::with_capacity(8 * 1024) })
    }

    /// Sends a request and reads the answer, of which nothing may be left over.
    pub(crate) fn ask(&mut self, request: &[u8]) -> Result<Answer> {
        self.buffer.clear();
        let began = Instant::now();
        self.stream.write_all(request)?;
        let mut end = None;
        while end.is_none_or(|end| self.buffer.len() < end) {
            let mut chunk = [0; 8 * 1024];
            let read = self.stream.read(&mut chunk)?;
            ensure!(read > 0, "the connection was closed before the answer");
            self.buffer.extend_from_slice(chunk.get(..read).unwrap_or_default());
            ensure!(self.buffer.len() < LONGEST, "an endless answer");
            if end.is_none() {
                end = whole(&self.buffer)?;
            }
        }
        let nanos = u32::try_from(began.elapsed().as_nanos()).unwrap_or(u32::MAX);
        ensure!(Some(self.buffer.len()) == end, "octets behind the answer");
        let (masked, id) = mask(&self.buffer);
        Ok(Answer { masked, id, nanos })
    }

    /// Whether the server closes the connection now, without a word.
    pub(crate) fn is_closed(&mut self) -> Result<bool> {
        let mut octet = [0];
        match self.stream.read(&mut octet) {
            Ok(0) => Ok(true),
            Ok(_) => bail!("octets behind the answer"),
            Err(error) => Err(error).context("waiting for the end of the connection"),
        }
    }
}

/// Octets of the whole answer, once its head is there.
fn whole(buffer: &[u8]) -> Result<Option<usize>> {
    let Some(head) = find(buffer, b"\r\n\r\n") else { return Ok(None) };
    let text = std::str::from_utf8(buffer.get(..head).unwrap_or_default())?;
    let field = |line: &str| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>())
    };
    let length = text.lines().find_map(field).context("an answer without a length")??;
    Ok(Some(head + 4 + length))
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).position(|window| window == needle)
}

/// Blots out the value of the field Date and the request id; gives the id too.
fn mask(answer: &[u8]) -> (Vec<u8>, String) {
    let mut out = answer.to_vec();
    if let Some(at) = find(&out, b"\r\ndate: ") {
        for octet in out.iter_mut().skip(at + 8).take_while(|octet| **octet != b'\r') {
            *octet = b'#';
        }
    }
    let mut id = String::new();
    if let Some(at) = find(&out, b"(request ") {
        for octet in out.iter_mut().skip(at + 9).take(ID) {
            id.push(char::from(*octet));
            *octet = b'#';
        }
    }
    (out, id)
}

#[cfg(test)]
mod tests;
