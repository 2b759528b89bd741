//! One connection: hyper's HTTP/1.1 under our limits, until it ends or we drain.

use std::any::Any;
use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::net::SocketAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::StatusCode;
use http::header::{CONNECTION, EXPECT, HOST, HeaderValue, TRANSFER_ENCODING};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};

use crate::Drained;
use crate::http::stall::Stalling;
use crate::http::{Body, Connection, Handler, HttpLimits};

/// The least buffer that hyper takes.
const LEAST_HEAD: usize = 8 * 1024;
/// Bytes that are read and dropped at the end of a connection, at most.
const LINGER_BYTES: usize = 256 * 1024;
/// For how long that is done at most.
const LINGER_TIME: Duration = Duration::from_millis(500);

/// Serves `stream` until the peer leaves, a limit is hit, or `drained` is told and the
/// running exchange is answered. [`Listener`](crate::Listener) calls it with its sockets; any other
/// stream of octets will do. Must run inside a tokio runtime with a timer.
pub async fn serve_connection<S, H>(
    stream: S,
    peer: SocketAddr,
    local: SocketAddr,
    handler: Arc<H>,
    mut drained: Drained,
) where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    H: Handler,
{
    let limits = handler.limits();
    let service = service_fn(|request: http::Request<Incoming>| {
        let handler = Arc::clone(&handler);
        // Boxed, so that the connection can be taken apart in the end.
        Box::pin(async move {
            let connection = Connection { peer, local, arrived: Instant::now() };
            Ok::<_, Infallible>(answer(&*handler, request, connection, limits).await)
        })
    });
    let mut connection = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head_timeout)
        .max_headers(limits.headers)
        .max_buf_size(limits.head_bytes.max(LEAST_HEAD))
        // A client may end its side of the connection after its request and still read the answer (RFC 9112 §9.6).
        .half_close(true)
        .serve_connection(TokioIo::new(Stalling::new(stream, limits.write_timeout)), service);
    // An error here is the peer's: a broken head was answered by hyper already.
    tokio::select! {
        _ = poll_fn(|context| connection.poll_without_shutdown(context)) => {}
        () = drained.told() => {
            Pin::new(&mut connection).graceful_shutdown();
            let _ = poll_fn(|context| connection.poll_without_shutdown(context)).await;
        }
    }
    linger(connection.into_parts().io.into_inner().into_inner()).await;
}

/// Says that we are done, and reads what the peer was still sending, within bounds: closing
/// over unread bytes would reset the connection and might take our answer with it.
async fn linger(mut stream: impl AsyncRead + AsyncWrite + Unpin) {
    let _ = stream.shutdown().await;
    let mut dropped = [0u8; 4096];
    let _ = tokio::time::timeout(LINGER_TIME, async {
        let mut left = LINGER_BYTES;
        while let Ok(read @ 1..) = stream.read(&mut dropped).await {
            left = left.saturating_sub(read);
            if left == 0 {
                break;
            }
        }
    })
    .await;
}

/// Runs the handler for one request and turns a panic into its internal answer.
async fn answer<H: Handler>(
    handler: &H,
    request: http::Request<Incoming>,
    connection: Connection,
    limits: HttpLimits,
) -> http::Response<Full<Bytes>> {
    if let Some(status) = refused_head(&request, limits) {
        let mut response = http::Response::new(Full::new(Bytes::new()));
        *response.status_mut() = status;
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        return response;
    }
    let request = request.map_body(limits);
    let exchange = Caught(Box::pin(handler.handle(request, connection)));
    let response = match exchange.await {
        Ok(response) => response,
        Err(_panic) => {
            let mut response = handler.panicked(connection);
            // What the exchange left behind is unknown: take no second request on it.
            response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
            response
        }
    };
    response.map(Full::new)
}

/// What RFC 9112 forbids and hyper lets through, and the bound of the head: hyper's own is that of a
/// buffer, and looser than what was asked for. `None` if there is nothing to object to.
fn refused_head(request: &http::Request<Incoming>, limits: HttpLimits) -> Option<StatusCode> {
    let headers = request.headers();
    if head_bytes(request) > limits.head_bytes {
        return Some(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE);
    }
    // §3.2: exactly one Host, which may be missing before HTTP/1.1 only.
    let mut hosts = headers.get_all(HOST).iter();
    let host = match (hosts.next(), hosts.next()) {
        (Some(host), None) => host.to_str().is_ok_and(is_host),
        (None, _) => request.version() < http::Version::HTTP_11,
        (Some(_), Some(_)) => false,
    };
    if !host {
        return Some(StatusCode::BAD_REQUEST);
    }
    // §6.1: a coding that is not taken off would be handed on as if it were the message. (Beside a
    // Content-Length hyper ignores that one and closes after the answer, so nothing behind is believed.)
    let mut codings = headers.get_all(TRANSFER_ENCODING).iter();
    if let Some(coding) = codings.next()
        && (codings.next().is_some() || !coding.as_bytes().eq_ignore_ascii_case(b"chunked"))
    {
        return Some(StatusCode::NOT_IMPLEMENTED);
    }
    // RFC 9110 §10.1.1: no other expectation is known.
    let expects = |value: &HeaderValue| value.as_bytes().eq_ignore_ascii_case(b"100-continue");
    (!headers.get_all(EXPECT).iter().all(expects)).then_some(StatusCode::EXPECTATION_FAILED)
}

/// Whether a Host names a host, with a port or not: no user, no path, no list. It may be empty.
fn is_host(host: &str) -> bool {
    host.is_empty() || (!host.contains('@') && host.parse::<http::uri::Authority>().is_ok())
}

/// Bytes of request line and header block, as they are written without superfluous blanks.
fn head_bytes(request: &http::Request<Incoming>) -> usize {
    let target = request.uri().path_and_query().map_or(1, |target| target.as_str().len());
    let line = request.method().as_str().len() + target + " HTTP/1.1\r\n ".len();
    let fields = request.headers().iter();
    line + fields.map(|(name, value)| name.as_str().len() + value.len() + ": \r\n".len()).sum::<usize>()
}

/// Wraps the incoming body with the limits of this connection.
trait MapBody {
    fn map_body(self, limits: HttpLimits) -> http::Request<Body>;
}

impl MapBody for http::Request<Incoming> {
    fn map_body(self, limits: HttpLimits) -> http::Request<Body> {
        let waits = self.headers().contains_key(EXPECT);
        self.map(|incoming| Body::new(incoming, limits.body_bytes, limits.body_timeout, waits))
    }
}

/// A future whose panics are caught at each poll.
struct Caught<F>(Pin<Box<F>>);

impl<F: Future> Future for Caught<F> {
    type Output = Result<F::Output, Box<dyn Any + Send>>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let inner = self.0.as_mut();
        match catch_unwind(AssertUnwindSafe(|| inner.poll(context))) {
            Ok(poll) => poll.map(Ok),
            Err(panic) => Poll::Ready(Err(panic)),
        }
    }
}
