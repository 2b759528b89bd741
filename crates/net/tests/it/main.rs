//! The server and the client against raw sockets on loopback.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic, reason = "tests")]
#![allow(clippy::disallowed_methods, reason = "the other side of the sockets")]

use std::future::Future;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use bartizan_net::http::client::{self, ClientLimits};
use bartizan_net::{Body, Budget, Connection, Drain, Error, Handler, HttpLimits, Listener, Slots};
use bytes::Bytes;
use http::{Request, Response, StatusCode};
use tokio::runtime::Runtime;

/// Answers with the body; panics at `/panic`, waits at `/slow`.
struct Echo(HttpLimits, Budget);

impl Handler for Echo {
    fn limits(&self) -> HttpLimits {
        self.0
    }

    async fn handle(&self, request: Request<Body>, _: Connection) -> Response<Bytes> {
        let path = request.uri().path().to_owned();
        let mut response = Response::new(Bytes::new());
        *response.status_mut() = match request.into_body().read_within(&mut self.1.hold()).await {
            Ok(body) => {
                *response.body_mut() = body.into();
                StatusCode::OK
            }
            Err(Error::BodyTooLarge { .. }) => StatusCode::PAYLOAD_TOO_LARGE,
            Err(Error::BodyMemory) => StatusCode::SERVICE_UNAVAILABLE,
            Err(Error::BodyTimeout(_)) => StatusCode::REQUEST_TIMEOUT,
            Err(_) => StatusCode::BAD_REQUEST,
        };
        match path.as_str() {
            "/panic" => panic!("as asked"),
            "/slow" => tokio::time::sleep(Duration::from_millis(300)).await,
            _ => {}
        }
        response
    }

    fn panicked(&self, _: Connection) -> Response<Bytes> {
        let mut response = Response::new(Bytes::from_static(b"broke"));
        *response.status_mut() = StatusCode::INTERNAL_SERVER_ERROR;
        response
    }
}

struct Server {
    runtime: Runtime,
    drain: Drain,
    address: SocketAddr,
}

fn serve(limits: HttpLimits, connections: usize) -> Server {
    start(Echo(limits, Budget::new(1 << 30)), connections)
}

fn start(echo: Echo, connections: usize) -> Server {
    let runtime = Runtime::new().expect("a runtime");
    let (drain, drained) = Drain::new();
    let listener = runtime.block_on(Listener::bind("test", "127.0.0.1:0".parse().expect("an address")));
    let listener = listener.expect("bound");
    let address = listener.address();
    runtime.spawn(listener.serve(Arc::new(echo), Slots::new(connections, connections), drained));
    Server { runtime, drain, address }
}

fn limits() -> HttpLimits {
    HttpLimits {
        body_bytes: 1000,
        head_timeout: Duration::from_millis(200),
        body_timeout: Duration::from_millis(2000),
        ..HttpLimits::default()
    }
}

/// Sends bytes and reads until the other side closes.
fn raw(address: SocketAddr, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).expect("connected");
    stream.set_read_timeout(Some(Duration::from_secs(10))).expect("set");
    stream.write_all(bytes).expect("sent");
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

fn post(path: &str, extra: &str, body: &[u8]) -> Vec<u8> {
    let mut bytes = format!(
        "POST {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: {}\r\n{extra}\r\n",
        body.len()
    )
    .into_bytes();
    bytes.extend_from_slice(body);
    bytes
}

#[test]
fn limit_body_is_allowed_and_one_more_is_413() {
    let server = serve(limits(), 10);
    assert!(raw(server.address, &post("/", "", &[b'x'; 1000])).starts_with("HTTP/1.1 200"));
    assert!(raw(server.address, &post("/", "", &[b'x'; 1001])).starts_with("HTTP/1.1 413"));
}

#[test]
fn client_that_ends_its_side_after_a_request_reads_the_answer() {
    let server = serve(limits(), 10);
    let mut stream = TcpStream::connect(server.address).expect("connected");
    stream.write_all(b"POST /slow HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nT: v\r\n\r\n").expect("sent");
    stream.shutdown(std::net::Shutdown::Write).expect("ended");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

#[test]
fn limit_chunked_body_is_counted_as_it_comes() {
    let head = "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n";
    let chunk = format!("1f4\r\n{}\r\n", "x".repeat(500));
    let server = serve(limits(), 10);
    let fits = format!("{head}{chunk}{chunk}0\r\n\r\n");
    assert!(raw(server.address, fits.as_bytes()).starts_with("HTTP/1.1 200"));
    let over = format!("{head}{chunk}{chunk}1\r\nx\r\n0\r\n\r\n");
    assert!(raw(server.address, over.as_bytes()).starts_with("HTTP/1.1 413"));
}

/// One server for every case: what it is given is what was sent, however the body was cut into chunks and the stream into writes.
#[test]
fn body_in_any_pieces_arrives_as_the_whole() {
    use proptest::prelude::*;
    let server = serve(limits(), 10);
    let config = ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() };
    let sizes = || prop::collection::vec(1..200_usize, 0..6);
    let body = prop::collection::vec(any::<u8>(), 0..900);
    let cases = (body, any::<bool>(), sizes(), sizes());
    let outcome =
        proptest::test_runner::TestRunner::new(config).run(&cases, |(body, chunked, chunks, writes)| {
            let message = if chunked {
                let head =
                    "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n";
                let mut message = head.as_bytes().to_vec();
                for piece in pieces(&body, &chunks) {
                    message.extend_from_slice(format!("{:x}\r\n", piece.len()).as_bytes());
                    message.extend_from_slice(piece);
                    message.extend_from_slice(b"\r\n");
                }
                message.extend_from_slice(b"0\r\n\r\n");
                message
            } else {
                post("/", "", &body)
            };
            let mut stream = TcpStream::connect(server.address).expect("connected");
            stream.set_nodelay(true).expect("set");
            stream.set_read_timeout(Some(Duration::from_secs(10))).expect("set");
            for piece in pieces(&message, &writes) {
                stream.write_all(piece).expect("sent");
            }
            let mut answer = Vec::new();
            stream.read_to_end(&mut answer).expect("answered");
            prop_assert!(answer.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&answer));
            let end = answer.windows(4).position(|four| four == b"\r\n\r\n").expect("a head") + 4;
            prop_assert_eq!(&answer[end..], &body[..]);
            Ok(())
        });
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
}

/// Octets in pieces of these sizes, and the rest.
fn pieces<'o>(mut octets: &'o [u8], sizes: &[usize]) -> Vec<&'o [u8]> {
    let mut out = Vec::new();
    for size in sizes {
        let (piece, rest) = octets.split_at((*size).min(octets.len()));
        out.push(piece);
        octets = rest;
    }
    out.push(octets);
    out.retain(|piece| !piece.is_empty());
    out
}

#[test]
fn limit_header_count_and_head_size_are_431() {
    let server = serve(limits(), 10);
    let fields = |n: usize| (0..n).map(|i| format!("X-{i}: y\r\n")).collect::<String>();
    // Host, Connection and Content-Length are three of the hundred.
    assert!(raw(server.address, &post("/", &fields(97), b"")).starts_with("HTTP/1.1 200"));
    assert!(raw(server.address, &post("/", &fields(98), b"")).starts_with("HTTP/1.1 431"));
    let long = format!("X: {}\r\n", "y".repeat(70 * 1024));
    let answer = raw(server.address, &post("/", &long, b""));
    assert!(answer.starts_with("HTTP/1.1 431"), "{answer}");
}

#[test]
fn limit_octets_of_a_head_hold_at_it_and_one_more_is_431() {
    let server = serve(HttpLimits { head_bytes: 10_000, ..limits() }, 10);
    let head = |octets: usize| {
        let rest = post("/", "X: \r\n", b"").len() - "\r\n".len();
        post("/", &format!("X: {}\r\n", "y".repeat(octets - rest)), b"")
    };
    // The blank line at the end is not counted.
    assert!(raw(server.address, &head(10_000)).starts_with("HTTP/1.1 200"));
    assert!(raw(server.address, &head(10_001)).starts_with("HTTP/1.1 431"));
}

#[test]
fn head_that_two_readers_may_read_differently_is_refused() {
    let server = serve(limits(), 10);
    let length = "Content-Length: 0\r\n";
    let chunked = "Transfer-Encoding: chunked\r\n";
    for (version, fields, status) in [
        ("1.1", length.to_owned(), "400"),
        ("1.1", format!("Host: a\r\nHost: a\r\n{length}"), "400"),
        ("1.1", format!("Host: user@a\r\n{length}"), "400"),
        ("1.1", format!("Host: a/b\r\n{length}"), "400"),
        ("1.1", format!("Host: a, b\r\n{length}"), "400"),
        ("1.1", format!("Host: \r\n{length}"), "200"),
        ("1.1", format!("Host: [::1]:80\r\n{length}"), "200"),
        ("1.0", length.to_owned(), "200"),
        ("1.0", format!("Host: a\r\nHost: a\r\n{length}"), "400"),
        ("1.1", format!("Host: a\r\n{chunked}{chunked}"), "501"),
        ("1.1", "Host: a\r\nTransfer-Encoding: gzip, chunked\r\n".to_owned(), "501"),
        ("1.1", "Host: a\r\nTransfer-Encoding: chunked,chunked\r\n".to_owned(), "501"),
        ("1.1", "Host: a\r\nTransfer-Encoding: Chunked\r\n".to_owned(), "200"),
        ("1.1", format!("Host: a\r\n{length}Expect: 200-ok\r\n"), "417"),
    ] {
        let text = format!("POST / HTTP/{version}\r\nConnection: close\r\n{fields}\r\n0\r\n\r\n");
        let answer = raw(server.address, text.as_bytes());
        assert_eq!(answer.get(9..12), Some(status), "{fields:?}: {answer}");
    }
}

#[test]
fn request_behind_two_lengths_is_not_believed() {
    let server = serve(limits(), 10);
    let smuggled = "0\r\n\r\nPOST /panic HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n";
    for fields in
        ["Content-Length: 5\r\nTransfer-Encoding: chunked", "Transfer-Encoding: chunked\r\nContent-Length: 5"]
    {
        let answer = raw(
            server.address,
            format!("POST / HTTP/1.1\r\nHost: x\r\n{fields}\r\n\r\n{smuggled}").as_bytes(),
        );
        assert_eq!(answer.matches("HTTP/1.1").count(), 1, "{answer}");
        assert!(answer.contains("connection: close"), "{answer}");
    }
}

#[test]
fn limit_of_large_bodies_together_is_met_by_the_one_that_is_too_much() {
    // The first 64 KiB of each are free, the rest comes out of 100 KiB.
    let budget = Budget::new(100 << 10);
    let server = start(Echo(HttpLimits { body_bytes: 1 << 20, ..limits() }, budget.clone()), 10);
    let mut first = TcpStream::connect(server.address).expect("connected");
    first.set_read_timeout(Some(Duration::from_secs(10))).expect("set");
    let whole = post("/", "", &[b'x'; 150 << 10]);
    let (sent, last) = whole.split_at(whole.len() - 1);
    first.write_all(sent).expect("sent");
    for _ in 0..1000 {
        if budget.left() == 14 << 10 {
            break;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(budget.left(), 14 << 10, "the first has its share");
    let refused = raw(server.address, &post("/", "", &[b'x'; 150 << 10]));
    assert!(refused.starts_with("HTTP/1.1 503"), "{:?}", refused.get(..20));
    let small = raw(server.address, &post("/", "", &[b'x'; 64 << 10]));
    assert!(small.starts_with("HTTP/1.1 200"), "small ones always find a place");
    first.write_all(last).expect("sent");
    let mut answer = Vec::new();
    first.read_to_end(&mut answer).expect("answered");
    assert!(answer.starts_with(b"HTTP/1.1 200"));
    // What was taken is given back.
    assert!(raw(server.address, &post("/", "", &[b'x'; 150 << 10])).starts_with("HTTP/1.1 200"));
}

#[test]
fn limit_of_the_times_drops_a_slow_head_and_answers_a_slow_body_408() {
    let server = serve(limits(), 10);
    assert_eq!(raw(server.address, b"POST / HTTP/1.1\r\nHost:"), "");
    let half = b"POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 9\r\n\r\nhalf";
    assert!(raw(server.address, half).starts_with("HTTP/1.1 408"));
}

#[test]
fn limit_of_the_time_to_write_drops_who_takes_nothing_of_its_answer() {
    let patience = Duration::from_millis(200);
    let server = serve(
        HttpLimits {
            body_bytes: 64 << 20,
            body_timeout: Duration::from_secs(30),
            write_timeout: patience,
            ..limits()
        },
        10,
    );
    let body = vec![b'x'; 32 << 20];
    let mut stream = TcpStream::connect(server.address).expect("connected");
    stream.write_all(&post("/", "", &body)).expect("sent");
    // Much longer than the patience; nothing is read meanwhile.
    std::thread::sleep(patience * 5);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    assert!(answer.starts_with(b"HTTP/1.1 200"), "it began to answer");
    assert!(answer.len() < body.len(), "and did not go on for ever");
}

#[test]
fn panic_is_answered_and_the_server_goes_on() {
    let server = serve(limits(), 10);
    let answer = raw(server.address, &post("/panic", "", b""));
    assert!(answer.starts_with("HTTP/1.1 500") && answer.ends_with("broke"), "{answer}");
    assert!(raw(server.address, &post("/", "", b"on")).ends_with("on"));
}

#[test]
fn connection_over_the_limit_waits_for_a_free_place() {
    let server = serve(limits(), 1);
    let mut first = TcpStream::connect(server.address).expect("connected");
    first.write_all(b"POST /slow HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n").expect("sent");
    // The first connection holds the only place until it idles out.
    let answer = raw(server.address, &post("/", "", b"second"));
    assert!(answer.ends_with("second"), "{answer}");
}

#[test]
fn stop_finishes_the_running_exchange_and_takes_no_new_one() {
    let Server { runtime, drain, address } = serve(limits(), 10);
    let running = std::thread::spawn(move || raw(address, &post("/slow", "", b"done")));
    std::thread::sleep(Duration::from_millis(100));
    assert!(runtime.block_on(drain.stop(Duration::from_secs(10))), "drained");
    assert!(running.join().expect("joined").ends_with("done"));
    assert!(TcpStream::connect(address).is_err(), "the socket is closed");
}

#[test]
fn client_sends_host_and_path_and_reads_the_answer() {
    let server = serve(HttpLimits::default(), 10);
    let uri = format!("http://{}/a/b?c", server.address);
    let request = Request::post(uri).body(Bytes::from_static(b"hello")).expect("a request");
    let response = server.runtime.block_on(client::send(request, ClientLimits::default())).expect("answered");
    assert_eq!(response.status(), StatusCode::OK);
    assert_eq!(response.body(), b"hello");
}

/// What [`client::send`] returns for `uri` under `limits`.
fn send(runtime: &Runtime, uri: String, limits: ClientLimits) -> Result<Response<Vec<u8>>, Error> {
    let request = Request::post(uri).body(Bytes::from_static(&[b'x'; 100])).expect("a request");
    let sent: std::pin::Pin<Box<dyn Future<Output = _>>> = Box::pin(client::send(request, limits));
    runtime.block_on(sent)
}

#[test]
fn client_names_what_went_wrong() {
    let server = serve(HttpLimits::default(), 10);
    let (runtime, address) = (&server.runtime, server.address);
    let all = ClientLimits::default();
    let closed = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("bound");
        listener.local_addr().expect("an address")
    };
    assert!(matches!(send(runtime, format!("http://{closed}/"), all), Err(Error::Connect(_))));
    assert!(matches!(send(runtime, format!("https://{address}/"), all), Err(Error::UrlScheme)));
    let small = ClientLimits { body_bytes: 99, ..all };
    assert!(matches!(
        send(runtime, format!("http://{address}/"), small),
        Err(Error::BodyTooLarge { limit: 99 })
    ));
    let hasty = ClientLimits { response_timeout: Duration::from_millis(50), ..all };
    assert!(matches!(send(runtime, format!("http://{address}/slow"), hasty), Err(Error::ResponseTimeout(_))));
}

/// A server that answers one request with these octets.
fn answering(octets: Vec<u8>) -> SocketAddr {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("bound");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("accepted");
        let mut seen = [0; 4096];
        let _ = stream.read(&mut seen);
        let _ = stream.write_all(&octets);
    });
    address
}

#[test]
fn limit_of_each_of_an_answer_holds_at_it_and_is_said_one_beyond() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let limits = ClientLimits { headers: 5, body_bytes: 10, head_bytes: 16 << 10, ..ClientLimits::default() };
    let ask = |fields: &str, body: usize| {
        let text = format!("HTTP/1.1 200 OK\r\nContent-Length: {body}\r\n{fields}\r\n{}", "x".repeat(body));
        send(&runtime, format!("http://{}/", answering(text.into())), limits)
    };
    let fields = |n: usize| (0..n).map(|at| format!("X-{at}: y\r\n")).collect::<String>();
    assert!(ask(&fields(4), 10).is_ok());
    assert!(matches!(ask(&fields(5), 10), Err(Error::Http(_))), "one field too many");
    assert!(matches!(ask(&fields(4), 11), Err(Error::BodyTooLarge { limit: 10 })), "one octet too many");
    // The head's bound is that of the buffer it is read into.
    let long = |octets: usize| format!("X: {}\r\n", "y".repeat(octets));
    assert!(ask(&long(15 << 10), 0).is_ok());
    assert!(matches!(ask(&long(17 << 10), 0), Err(Error::Http(_))));
}

#[test]
fn limit_of_the_time_for_an_answer_is_said_when_it_is_over() {
    let server = serve(HttpLimits::default(), 10);
    let of = |response_timeout| ClientLimits { response_timeout, ..ClientLimits::default() };
    let slow = || format!("http://{}/slow", server.address);
    assert!(send(&server.runtime, slow(), of(Duration::from_secs(30))).is_ok());
    let hasty = send(&server.runtime, slow(), of(Duration::from_millis(20)));
    assert!(matches!(hasty, Err(Error::ResponseTimeout(_))));
}

#[test]
fn limit_of_the_time_to_connect_is_said_when_it_is_over() {
    // A socket that listens with no room left: what comes now waits for as long as it likes.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let (listener, address) = runtime.block_on(async {
        let socket = tokio::net::TcpSocket::new_v4().expect("a socket");
        socket.bind(([127, 0, 0, 1], 0).into()).expect("bound");
        let listener = socket.listen(1).expect("listens");
        let address = listener.local_addr().expect("an address");
        (listener, address)
    });
    let timeout = Duration::from_millis(200);
    let wait = || TcpStream::connect_timeout(&address, timeout);
    let held: Vec<_> = std::iter::from_fn(|| wait().ok()).take(64).collect();
    assert!(held.len() < 64, "the queue is never full");
    let limits = ClientLimits { connect_timeout: timeout, ..ClientLimits::default() };
    let outcome = send(&runtime, format!("http://{address}/"), limits);
    assert!(matches!(outcome, Err(Error::ConnectTimeout(_))), "{outcome:?}");
    drop(listener);
}
