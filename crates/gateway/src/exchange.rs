//! The life of a request: HTTP in, verified, served, secured, HTTP out.
//!
//! Everything that ends an exchange early goes through one function for its kind: `turned
//! away` on the HTTP level, `refused` by the security of the message, `broke` for what is
//! ours. Called by `net` for each request.

mod addressing;
mod fault;
mod peers;
mod soap;
mod waiting;

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Instant;

use bartizan_crypto::random::Random;
use bartizan_keys::UserSource;
use bartizan_net::{Body, Budget, Clock, Connection, Error as NetError, Handler, Held, HttpLimits};
use bartizan_wss::DerivedKeys;
use bytes::Bytes;
use http::header::{ALLOW, CONNECTION, CONTENT_ENCODING, CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use http::{HeaderMap, Method, Request, Response, StatusCode};
use tokio::sync::Semaphore;

pub use self::addressing::message_id;
use self::peers::{Peers, Place};
use self::waiting::{Derivations, Waiting};
use crate::access::{AccessLog, Outcome, Record};
use crate::junction::{Junction, Table};

/// The handler of all listeners of a server.
pub struct Gateway {
    table: RwLock<Arc<Table>>,
    log: AccessLog,
    clock: Box<dyn Clock>,
    random: Box<dyn Random>,
    in_flight: AtomicUsize,
    /// Who has how much of that.
    peers: Peers,
    /// Memory for messages that are on their way, beyond a first piece of each.
    large: Budget,
    /// Large messages that are worked on at the same time.
    large_work: Semaphore,
    /// Verifications that may wait for something outside.
    waiting: Waiting,
    /// Where keys are derived from passwords.
    derivations: Derivations,
    /// Keys that were derived from passwords; they are found under the password, so a reload of users needs nothing here.
    derived: DerivedKeys,
}

/// One exchange while it runs.
pub(crate) struct Exchange<'g> {
    gateway: &'g Gateway,
    record: Record,
    arrived: Instant,
    /// When the whole message was there. Refusals count from here: counted from the head, whoever sends
    /// the body late would choose how far the work is from the next multiple, and so measure it.
    complete: Instant,
    /// When the answer is sent, if not at once.
    due: Option<Instant>,
    /// The share of the memory for large messages, until the answer is there.
    held: Held,
    /// The share of its peer, once it is admitted.
    place: Option<Place<'g>>,
    /// It came over the loopback interface.
    local: bool,
}

impl Gateway {
    /// A gateway over `table`.
    pub fn new(table: Table, log: AccessLog, clock: Box<dyn Clock>, random: Box<dyn Random>) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        // One less than the places for large messages, so that a peer that fills its own leaves one to the others.
        let work = table.load.work_per_peer.unwrap_or(cores * 2 - 1);
        Gateway {
            large: Budget::new(table.load.large_bytes),
            large_work: Semaphore::new(cores * 2),
            peers: Peers::new(work),
            waiting: Waiting::new(table.load.waiting),
            derivations: Derivations::new(cores, table.load.waiting),
            derived: DerivedKeys::default(),
            table: RwLock::new(Arc::new(table)),
            log,
            clock,
            random,
            in_flight: AtomicUsize::new(0),
        }
    }

    /// Puts a new table in force. A message that is not complete yet is judged by it; what is at work keeps the one it began with.
    pub fn swap(&self, table: Table) {
        *self.table.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(table);
    }

    /// Puts new users in force, and nothing else. Exchanges that run keep the ones they began with.
    pub fn swap_users(&self, users: &Arc<dyn UserSource>) {
        let mut table = self.table.write().unwrap_or_else(PoisonError::into_inner);
        *table = Arc::new(table.with_users(users));
    }

    /// Opens the file of the access log again, by its name.
    pub fn reopen_log(&self) {
        self.log.reopen();
    }

    fn table(&self) -> Arc<Table> {
        Arc::clone(&self.table.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// 32 hexadecimal digits, so that answers with one have equal length. By chance: a number would tell
    /// each caller how many others there are.
    fn request_id(&self) -> String {
        let mut octets = [0u8; 16];
        self.random.fill(&mut octets);
        format!("{:032x}", u128::from_be_bytes(octets))
    }

    fn begin(&self, connection: Connection) -> Exchange<'_> {
        let record = Record {
            time: self.clock.now().to_rfc3339(),
            id: self.request_id(),
            peer: connection.peer.to_string(),
            ..Record::default()
        };
        let (arrived, held) = (connection.arrived, self.large.hold());
        let local = connection.peer.ip().to_canonical().is_loopback();
        Exchange { gateway: self, record, arrived, complete: arrived, due: None, held, place: None, local }
    }
}

impl Handler for Gateway {
    fn limits(&self) -> HttpLimits {
        self.table().http
    }

    async fn handle(&self, request: Request<Body>, connection: Connection) -> Response<Bytes> {
        let table = self.table();
        let mut exchange = self.begin(connection);
        exchange.record.method = request.method().as_str().to_owned();
        exchange.record.path = request.uri().path().to_owned();
        let _slot = Slot::take(&self.in_flight);
        exchange.place = self.peers.admit(connection.peer.ip(), table.load.in_flight_per_peer);
        let response = if self.in_flight.load(Ordering::Relaxed) > table.load.in_flight {
            exchange.busy("too many requests at a time")
        } else if exchange.place.is_none() {
            exchange.busy("too many requests of one address at a time")
        } else {
            exchange.run(&table, request).await
        };
        // A refusal that waits keeps its place: it is still an exchange of its peer.
        let (due, _place) = (exchange.due, exchange.place.take());
        let response = exchange.finish(response);
        // Whatever depends on the reason, its line in the log included, is done by now.
        if let Some(due) = due {
            bartizan_net::wait::until(due).await;
        }
        response
    }

    fn closed(&self, peer: SocketAddr, closed: u64) {
        let record = Record {
            time: self.clock.now().to_rfc3339(),
            id: self.request_id(),
            peer: peer.to_string(),
            detail: Some(format!("too many connections of one address: {closed} closed since the start")),
            ..Record::default()
        };
        self.log.write(&record);
    }

    fn panicked(&self, connection: Connection) -> Response<Bytes> {
        let mut exchange = self.begin(connection);
        exchange.record.outcome = Outcome::Broke;
        exchange.record.detail = Some("an exchange panicked; this is a bug".to_owned());
        let response = exchange.text(StatusCode::INTERNAL_SERVER_ERROR, "internal error");
        exchange.finish(response)
    }
}

impl Exchange<'_> {
    /// From the head to the answer.
    async fn run(&mut self, table: &Table, request: Request<Body>) -> Response<Bytes> {
        if table.find(request.uri().path()).is_none() {
            request.into_body().discard().await;
            return self.turn_away(StatusCode::NOT_FOUND, "no service at this path");
        }
        if request.method() != Method::POST {
            let mut response =
                self.turn_away(StatusCode::METHOD_NOT_ALLOWED, "this service answers POST only");
            response.headers_mut().insert(ALLOW, HeaderValue::from_static("POST"));
            return response;
        }
        let (head, body) = request.into_parts();
        if head.headers.get_all(CONTENT_ENCODING).iter().any(|coding| coding != "identity") {
            body.discard().await;
            let why = "a coded body is not taken: send it without Content-Encoding";
            return self.turn_away(StatusCode::UNSUPPORTED_MEDIA_TYPE, why);
        }
        let content_type = once(&head.headers, CONTENT_TYPE.as_str());
        let Some((version, content_type)) = soap::media_type(content_type) else {
            body.discard().await;
            let why = "the media type must be application/soap+xml (SOAP 1.2) or text/xml (SOAP 1.1)";
            return self.turn_away(StatusCode::UNSUPPORTED_MEDIA_TYPE, why);
        };
        let bytes = match body.read_within(&mut self.held).await {
            Ok(bytes) => bytes,
            Err(error) => return self.body_failed(&error),
        };
        self.complete = Instant::now();
        self.record.steps.read = self.complete.saturating_duration_since(self.arrived);
        self.record.request_bytes = bytes.len();
        let action = once(&head.headers, "soapaction");
        let incoming = soap::Incoming { bytes, content_type, version, action };
        // A message may come slowly. What was revoked or changed in the meantime holds for it.
        let table = self.gateway.table();
        match table.find(&self.record.path) {
            Some(junction) => self.soap(&table, &junction, incoming).await,
            None => self.turn_away(StatusCode::NOT_FOUND, "no service at this path"),
        }
    }

    /// The body did not arrive.
    fn body_failed(&mut self, error: &NetError) -> Response<Bytes> {
        self.record.detail = Some(error.to_string());
        let mut response = match error {
            NetError::BodyTooLarge { .. } => {
                self.turn_away(StatusCode::PAYLOAD_TOO_LARGE, "the message is too large")
            }
            NetError::BodyMemory => self.busy("too many large messages at a time"),
            NetError::BodyTimeout(_) => {
                self.turn_away(StatusCode::REQUEST_TIMEOUT, "the message came too slowly")
            }
            _ => self.turn_away(StatusCode::BAD_REQUEST, "the message broke off"),
        };
        // The rest of the body may still be on its way.
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        response
    }

    /// Too much is at work: later there may be room.
    fn busy(&mut self, why: &'static str) -> Response<Bytes> {
        let mut response = self.turn_away(StatusCode::SERVICE_UNAVAILABLE, why);
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
        response
    }

    /// An answer on the HTTP level.
    fn turn_away(&mut self, status: StatusCode, why: &'static str) -> Response<Bytes> {
        self.record.outcome = Outcome::TurnedAway;
        self.record.detail.get_or_insert_with(|| why.to_owned());
        self.text(status, why)
    }

    /// A line of text with the request id.
    fn text(&self, status: StatusCode, why: &str) -> Response<Bytes> {
        let mut response = Response::new(Bytes::from(format!("{why} (request {})\n", self.record.id)));
        *response.status_mut() = status;
        let plain = HeaderValue::from_static("text/plain;charset=UTF-8");
        response.headers_mut().insert(CONTENT_TYPE, plain);
        response
    }

    /// Writes the line of the log. An answer that is sent later has the time of its sending in it.
    fn finish(mut self, response: Response<Bytes>) -> Response<Bytes> {
        self.record.status = response.status().as_u16();
        self.record.response_bytes = response.body().len();
        let end = self.due.unwrap_or_else(Instant::now);
        self.record.total = end.saturating_duration_since(self.arrived);
        self.gateway.log.write(&self.record);
        response
    }
}

/// The value of a field that stands exactly once: of two it is unknown which one others believe.
fn once<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (Some(value), None) => value.to_str().ok(),
        _ => None,
    }
}

/// A place among the exchanges at work; given back when it goes, by panic too.
struct Slot<'a>(&'a AtomicUsize);

impl<'a> Slot<'a> {
    fn take(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Slot(count)
    }
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Where an exchange gets its surroundings from.
impl Gateway {
    fn env<'a>(&'a self, junction: &'a Junction) -> bartizan_wss::Env<'a> {
        let mut env = bartizan_wss::Env::new(&junction.keys, self.clock.now(), &*self.random);
        env.replay = junction.replay.as_deref();
        env.kept = junction.kept.as_deref();
        env.users = junction.users.as_deref();
        env.derived = env.users.map(|_| &self.derived);
        env.slow = Some(&self.derivations);
        env
    }
}

#[cfg(test)]
mod tests;
