//! HTTP/1.1: the handler's face, the limits, and the parts below.

pub mod body;
pub mod client;
pub(crate) mod server;
mod stall;

use std::future::Future;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use bytes::Bytes;

pub use body::{Body, Budget, Held};
pub use server::serve_connection;

/// What bounds one HTTP exchange on the server's side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HttpLimits {
    /// Bytes of request line and header block; at least 8 KiB are always allowed.
    pub head_bytes: usize,
    /// Number of header fields.
    pub headers: usize,
    /// Bytes of a body.
    pub body_bytes: usize,
    /// From the first waiting for a head to its end; also how long a kept connection may idle.
    pub head_timeout: Duration,
    /// From the end of the head to the end of the body.
    pub body_timeout: Duration,
    /// For how long the peer may take nothing of an answer.
    pub write_timeout: Duration,
}

impl Default for HttpLimits {
    fn default() -> Self {
        HttpLimits {
            head_bytes: 64 * 1024,
            headers: 100,
            body_bytes: 8 * 1024 * 1024,
            head_timeout: Duration::from_secs(15),
            body_timeout: Duration::from_secs(30),
            write_timeout: Duration::from_secs(30),
        }
    }
}

/// Facts of the connection an exchange came by.
#[derive(Clone, Copy, Debug)]
pub struct Connection {
    /// The other side.
    pub peer: SocketAddr,
    /// The listener's address.
    pub local: SocketAddr,
    /// When the head of this exchange was complete.
    pub arrived: Instant,
}

/// Answers exchanges. One value serves all connections of a listener.
pub trait Handler: Send + Sync + 'static {
    /// The limits now in force; asked once a connection.
    fn limits(&self) -> HttpLimits;

    /// Answers one request. The body is read by the handler, once it knows that it wants it.
    fn handle(
        &self,
        request: http::Request<Body>,
        connection: Connection,
    ) -> impl Future<Output = http::Response<Bytes>> + Send;

    /// Told when a connection of `peer` was closed because that has its share already: for the first, second, fourth,
    /// eighth… of a server; `closed` counts all of them.
    fn closed(&self, peer: SocketAddr, closed: u64) {
        let _ = (peer, closed);
    }

    /// The answer when [`Handler::handle`] panicked; the connection is closed after it.
    fn panicked(&self, connection: Connection) -> http::Response<Bytes>;
}
