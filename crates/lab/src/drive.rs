//! The load: a closed loop of kept HTTP/1.1 connections, each sending its next request when the answer to the last is there.
//!
//! Every answer is looked at (status, length); some are kept and verified when the clock has stopped. A wrong one is an error
//! and counts in no figure. Not here: what is sent (`initiator`), in which order servers are measured (`measure`).

pub mod histogram;
pub(crate) mod http;

use std::net::SocketAddr;
use std::ops::{Range, RangeInclusive};
use std::sync::Barrier;
use std::time::{Duration, Instant};

use self::histogram::Histogram;
use self::http::Connection;
use crate::Error;
use crate::initiator::Request;
use crate::process::{Process, Usage};

/// One answer of so many is kept by each connection, to be verified later.
const KEEP_EVERY: u64 = 256;
/// Answers that one connection keeps at most.
const KEEP_AT_MOST: usize = 4;

/// What load is put on.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    /// The server, whose CPU time is read before and after.
    pub process: &'a Process,
    /// Where it listens.
    pub address: SocketAddr,
    /// The requests as they go on the wire, heads included: see [`wire`].
    pub wire: &'a [Vec<u8>],
    /// Lengths of an answer's body that are plausible.
    pub plausible: &'a RangeInclusive<usize>,
    /// Whether each request is sent once only: the server remembers them.
    pub once: bool,
}

/// How long load is put on a server: until both are over, or the requests are used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// So long at least.
    pub time: Duration,
    /// So many calls of each connection at least.
    pub calls: u64,
}

impl Extent {
    /// Just a time.
    #[must_use]
    pub const fn time(time: Duration) -> Extent {
        Extent { time, calls: 0 }
    }
}

/// An answer that was kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// Which request it answers.
    pub request: usize,
    /// HTTP status.
    pub status: u16,
    /// Its body.
    pub body: Vec<u8>,
}

/// What one stretch of load came to.
#[derive(Clone, Debug)]
pub struct Window {
    /// Right answers.
    pub answered: u64,
    /// From the first request to the last answer.
    pub elapsed: Duration,
    /// How long each right answer took.
    pub latencies: Histogram,
    /// CPU ticks that the server used.
    pub ticks: u64,
    /// The server's resident memory at the end, in bytes.
    pub resident: u64,
    /// Answers that were not right, connections that broke.
    pub errors: u64,
    /// The first of them, in words.
    pub first_error: Option<Box<str>>,
    /// Answers to be verified.
    pub kept: Vec<Kept>,
}

/// What one connection came to.
#[derive(Debug, Default)]
struct Part {
    answered: u64,
    latencies: Histogram,
    errors: u64,
    first_error: Option<Box<str>>,
    kept: Vec<Kept>,
}

/// The requests with their HTTP heads, for one server.
#[must_use]
pub fn wire(requests: &[Request], address: SocketAddr, path: &str) -> Vec<Vec<u8>> {
    let render = |request: &Request| {
        let (media, length) = (&request.content_type, request.bytes.len());
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: {address}\r\nContent-Type: {media}\r\nContent-Length: {length}\r\n\r\n"
        );
        [head.as_bytes(), &request.bytes].concat()
    };
    requests.iter().map(render).collect()
}

/// Sends every request once, one after the other; returns all answers.
///
/// # Errors
/// [`Error::Connect`], also for a connection that breaks.
pub fn once(target: &Target<'_>) -> Result<Vec<Kept>, Error> {
    let broken = |source| Error::Connect { process: target.process.name().into(), source };
    let mut connection = Connection::open(target.address).map_err(broken)?;
    let mut kept = Vec::with_capacity(target.wire.len());
    for (request, octets) in target.wire.iter().enumerate() {
        let status = connection.exchange(octets).map_err(broken)?;
        kept.push(Kept { request, status, body: connection.body().to_vec() });
        if connection.is_closing() {
            connection = Connection::open(target.address).map_err(broken)?;
        }
    }
    Ok(kept)
}

/// Puts load on a server for a while.
///
/// # Errors
/// [`Error::Connect`] if the connections cannot be opened, [`Error::Gone`] if the server is no more.
pub fn run(target: &Target<'_>, concurrency: usize, extent: Extent) -> Result<Window, Error> {
    let broken = |source| Error::Connect { process: target.process.name().into(), source };
    let connections: Result<Vec<_>, _> = (0..concurrency).map(|_| Connection::open(target.address)).collect();
    let connections = connections.map_err(broken)?;
    let barrier = Barrier::new(concurrency + 1);
    let before = target.process.usage()?;
    let (parts, elapsed) = std::thread::scope(|scope| {
        let threads: Vec<_> = connections
            .into_iter()
            .enumerate()
            .map(|(number, connection)| {
                let share =
                    number * target.wire.len() / concurrency..(number + 1) * target.wire.len() / concurrency;
                let (barrier, order) = (&barrier, Loop::of(target));
                scope.spawn(move || {
                    barrier.wait();
                    order.run(connection, share, extent)
                })
            })
            .collect();
        barrier.wait();
        let began = Instant::now();
        let parts: Vec<Part> = threads.into_iter().filter_map(|thread| thread.join().ok()).collect();
        (parts, began.elapsed())
    });
    let after = target.process.usage()?;
    Ok(sum(parts, elapsed, before, after))
}

/// What one connection is told.
#[derive(Clone, Copy)]
struct Loop<'a> {
    address: SocketAddr,
    wire: &'a [Vec<u8>],
    plausible: &'a RangeInclusive<usize>,
    once: bool,
}

impl<'a> Loop<'a> {
    fn of(target: &Target<'a>) -> Loop<'a> {
        Loop { address: target.address, wire: target.wire, plausible: target.plausible, once: target.once }
    }

    /// From the barrier to the end.
    fn run(self, mut connection: Connection, share: Range<usize>, extent: Extent) -> Part {
        let mut part = Part::default();
        let until = Instant::now() + extent.time;
        let most = if self.once { share.len() } else { usize::MAX };
        let requests = self.wire.iter().enumerate().cycle().skip(share.start).take(most);
        for (calls, (request, octets)) in (0..).zip(requests) {
            // Requests that are sent once are as many as there are to be calls.
            if !self.once && calls >= extent.calls && Instant::now() >= until {
                break;
            }
            let sent = Instant::now();
            match connection.exchange(octets) {
                Ok(status) => {
                    part.answer(request, status, connection.body(), sent.elapsed(), self.plausible);
                    if !connection.is_closing() {
                        continue;
                    }
                }
                Err(error) => part.fails(&error.to_string()),
            }
            match Connection::open(self.address) {
                Ok(fresh) => connection = fresh,
                Err(error) => {
                    part.fails(&error.to_string());
                    break;
                }
            }
        }
        part
    }
}

impl Part {
    fn answer(
        &mut self,
        request: usize,
        status: u16,
        body: &[u8],
        time: Duration,
        plausible: &RangeInclusive<usize>,
    ) {
        if status != 200 || !plausible.contains(&body.len()) {
            return self.fails(&format!("HTTP status {status}, {} bytes", body.len()));
        }
        self.latencies.add(time);
        if self.answered.is_multiple_of(KEEP_EVERY) && self.kept.len() < KEEP_AT_MOST {
            self.kept.push(Kept { request, status, body: body.to_vec() });
        }
        self.answered += 1;
    }

    fn fails(&mut self, why: &str) {
        self.errors += 1;
        self.first_error.get_or_insert_with(|| why.into());
    }
}

fn sum(parts: Vec<Part>, elapsed: Duration, before: Usage, after: Usage) -> Window {
    let mut window = Window {
        answered: 0,
        elapsed,
        latencies: Histogram::default(),
        ticks: after.ticks.saturating_sub(before.ticks),
        resident: after.resident,
        errors: 0,
        first_error: None,
        kept: Vec::new(),
    };
    for part in parts {
        window.answered += part.answered;
        window.latencies.merge(&part.latencies);
        window.errors += part.errors;
        window.first_error = window.first_error.or(part.first_error);
        window.kept.extend(part.kept);
    }
    window
}

#[cfg(test)]
mod tests;
