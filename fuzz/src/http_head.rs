//! HTTP: octets of a client into the server's own connection function, over a pipe in memory, with the gateway behind it.
//!
//! A strict reader of requests runs beside it: as long as that one finds nothing to object to, the server must see the
//! same requests, or a peer in front of us and we would disagree about where one ends.

use std::cell::RefCell;
use std::future::ready;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use bartizan_gateway::access::AccessLog;
use bartizan_gateway::junction::{Hosted, Load, Reply, Serving};
use bartizan_gateway::{Gateway, Junction, Table};
use bartizan_net::http::serve_connection;
use bartizan_net::{Body, Clock, Connection, Drain, Handler, HttpLimits};
use bartizan_soap::{Draft, MediaType, Version, media};
use bartizan_wss::{Plan, Side, Verified};
use bytes::Bytes;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::world::{Steady, now};
use crate::wss_inbound;

/// Octets of one connection, at most: the pipe must hold them all.
const LONGEST: usize = 48 * 1024;

struct Still;

impl Clock for Still {
    fn now(&self) -> bartizan_keys::Time {
        now()
    }
}

/// Answers the first element of the Body.
struct Echo;

impl Hosted for Echo {
    fn serve(&self, request: Verified) -> Serving<'_> {
        let content = request.payload().map(|payload| payload.octets()).unwrap_or_default();
        Box::pin(ready(Ok(Draft::new(request.version()).with_body(content))))
    }
}

/// The gateway, and what it was asked.
struct Watched {
    gateway: Gateway,
    seen: Mutex<Vec<(String, String)>>,
}

impl Handler for Watched {
    fn limits(&self) -> HttpLimits {
        self.gateway.limits()
    }

    async fn handle(&self, request: http::Request<Body>, connection: Connection) -> http::Response<Bytes> {
        let hosts = request.headers().get_all("host").iter().count();
        assert!(hosts == 1 || (hosts == 0 && request.version() < http::Version::HTTP_11), "one Host");
        let codings: Vec<_> = request.headers().get_all("transfer-encoding").iter().collect();
        assert!(codings.iter().all(|coding| coding.as_bytes().eq_ignore_ascii_case(b"chunked")));
        let seen = (request.method().to_string(), request.uri().to_string());
        self.seen.lock().expect("no panic").push(seen);
        let response = self.gateway.handle(request, connection).await;
        // Under SOAP 1.1 every fault goes with 500; anything else of that status is something that broke.
        let fault = response.body().windows(7).any(|octets| octets == b":Fault>");
        assert!(response.status().as_u16() != 500 || fault, "nothing breaks");
        response
    }

    fn panicked(&self, _: Connection) -> http::Response<Bytes> {
        panic!("an exchange panicked");
    }
}

fn table() -> Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    let make = || {
        let secured = wss_inbound::base(0);
        let junction = |path: &str, plan: Plan| Junction {
            kept: None,
            path: path.into(),
            plan: Arc::new(plan),
            keys: secured.server_keys.clone(),
            replay: None,
            users: None,
            limits: bartizan_xml::Limits::default(),
            reply: Reply::Secured,
            addressing: None,
            target: Arc::new(Echo),
        };
        let mounts = vec![
            junction("/o", Plan::open(Side::Recipient)),
            junction("/s", secured.plans.recipient.clone()),
        ];
        let http = HttpLimits {
            head_bytes: 8 * 1024,
            headers: 24,
            body_bytes: 16 * 1024,
            head_timeout: Duration::from_secs(2),
            body_timeout: Duration::from_secs(2),
            write_timeout: Duration::from_secs(2),
        };
        let load = Load {
            in_flight: 64,
            in_flight_per_peer: 64,
            work_per_peer: None,
            waiting: 64,
            large_bytes: 1 << 20,
        };
        Table::new(mounts, http, load, Duration::ZERO)
    };
    TABLE.get_or_init(make).clone()
}

thread_local! {
    static RUNTIME: RefCell<tokio::runtime::Runtime> = RefCell::new(
        tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime"),
    );
}

/// One input: what a client sends before it closes its side.
pub fn run(data: &[u8]) {
    fields(data);
    let data = &data[..data.len().min(LONGEST)];
    let gateway = Gateway::new(table(), AccessLog::default(), Box::new(Still), Box::new(Steady::default()));
    let handler = Arc::new(Watched { gateway, seen: Mutex::default() });
    let answers = RUNTIME.with_borrow_mut(|runtime| runtime.block_on(exchange(data, Arc::clone(&handler))));
    let seen = std::mem::take(&mut *handler.seen.lock().expect("no panic"));
    for (ours, strict) in seen.iter().zip(requests(data)) {
        assert_eq!(ours, &strict, "another request than a strict reader finds");
    }
    assert!(answers.is_empty() || answers.starts_with(b"HTTP/1."), "an answer is HTTP");
    let count = answers.windows(7).filter(|w| *w == b"HTTP/1.").count();
    assert!(count >= seen.len().min(1), "a request has an answer");
}

async fn exchange(data: &[u8], handler: Arc<Watched>) -> Vec<u8> {
    let (mut client, server) = tokio::io::duplex(256 * 1024);
    let (drain, drained) = Drain::new();
    client.write_all(data).await.expect("it fits");
    client.shutdown().await.expect("open until now");
    let address = SocketAddr::from(([127, 0, 0, 1], 80));
    let mut answers = Vec::new();
    let read = async { client.read_to_end(&mut answers).await.expect("a pipe") };
    tokio::join!(serve_connection(server, address, address, handler, drained), read);
    drop(drain);
    answers
}

/// Method and target of each request, up to the first that a strict reader of RFC 9112 refuses.
fn requests(mut rest: &[u8]) -> Vec<(String, String)> {
    let mut found = Vec::new();
    while let Some((request, tail)) = request(rest) {
        found.push(request);
        rest = tail;
    }
    found
}

fn token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b))
}

fn request(octets: &[u8]) -> Option<((String, String), &[u8])> {
    let end = octets.windows(4).position(|window| window == b"\r\n\r\n")?;
    let (head, mut rest) = (std::str::from_utf8(&octets[..end]).ok()?, &octets[end + 4..]);
    let mut lines = head.split("\r\n");
    let line: Vec<&str> = lines.next()?.split(' ').collect();
    let [method, target, "HTTP/1.1"] = line.as_slice() else { return None };
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"/-_.?=&".contains(&b);
    if !token(method) || !target.starts_with('/') || !target.bytes().all(plain) {
        return None;
    }
    let (mut length, mut chunked, mut host) = (None, false, false);
    for line in lines {
        let (name, value) = line.split_once(':')?;
        let value = value.trim_matches([' ', '\t']);
        if !token(name) || !value.bytes().all(|b| (0x20..0x7f).contains(&b) || b == b'\t') {
            return None;
        }
        match name.to_ascii_lowercase().as_str() {
            "content-length" if length.is_none() && !value.is_empty() => {
                length =
                    Some(value.bytes().all(|b| b.is_ascii_digit()).then(|| value.parse().ok()).flatten()?);
            }
            "transfer-encoding" if !chunked && value.eq_ignore_ascii_case("chunked") => chunked = true,
            "host" if !host && value.bytes().all(|b| b.is_ascii_alphanumeric()) => host = true,
            // What may end or change the connection is another matter.
            "content-length" | "transfer-encoding" | "host" | "connection" | "upgrade" | "expect" => {
                return None;
            }
            _ => {}
        }
    }
    match (host, length, chunked) {
        (false, ..) | (true, Some(_), true) => return None,
        (true, Some(length), false) => rest = rest.get(length..)?,
        (true, None, true) => rest = chunks(rest)?,
        (true, None, false) => {}
    }
    Some((((*method).to_owned(), (*target).to_owned()), rest))
}

fn chunks(mut rest: &[u8]) -> Option<&[u8]> {
    loop {
        let end = rest.windows(2).position(|window| window == b"\r\n")?;
        let size = std::str::from_utf8(&rest[..end]).ok().filter(|size| (1..=4).contains(&size.len()))?;
        if !size.bytes().all(|b| b.is_ascii_hexdigit()) {
            return None;
        }
        let size = usize::from_str_radix(size, 16).ok()?;
        rest = rest.get(end + 2..)?;
        if size > 0 {
            rest = rest.get(size..)?;
        }
        rest = rest.strip_prefix(b"\r\n")?;
        if size == 0 {
            return Some(rest);
        }
    }
}

/// Media types and actions: what we write, we read again; what is read is what a token may be.
fn fields(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    if let Ok(media) = MediaType::parse(text) {
        assert!(media.essence().contains('/') && !media.essence().contains(';'));
        let again = MediaType::parse(media.essence()).expect("an essence is a media type");
        assert_eq!(again.essence(), media.essence());
        for version in [Version::Soap11, Version::Soap12] {
            if media.check(version, data).is_ok() {
                assert_eq!(media.version(), Some(version));
            }
        }
    }
    let shown: String = text.chars().filter(|c| !c.is_control()).collect();
    for version in [Version::Soap11, Version::Soap12] {
        let written = media::content_type(version, Some(text));
        assert!(!written.contains(['\r', '\n', '\0']), "no way to end the line");
        let read = MediaType::parse(&written).expect("what we write is a media type");
        assert_eq!(read.version(), Some(version));
        if version == Version::Soap12 {
            assert_eq!(read.action(), Some(as_uri(&shown).as_str()));
        }
    }
    let written = media::soap_action(Some(text));
    assert!(!written.contains(['\r', '\n', '\0']));
    assert_eq!(media::read_soap_action(&written).is_some(), !shown.is_empty());
}

/// What is beyond ASCII as a URI writes it.
fn as_uri(text: &str) -> String {
    let mut out = String::new();
    for octet in text.bytes() {
        if octet.is_ascii() {
            out.push(char::from(octet));
        } else {
            out.push_str(&format!("%{octet:02X}"));
        }
    }
    out
}
