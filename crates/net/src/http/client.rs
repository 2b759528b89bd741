//! One request to one peer over a fresh connection. No pool, no redirects, no proxy.

use std::time::{Duration, Instant};

use bytes::Bytes;
use http::header::{HOST, HeaderValue};
use http_body_util::Full;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

use crate::Error;
use crate::http::body::{collect, left};

/// What bounds one exchange on the client's side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClientLimits {
    /// Until the connection stands.
    pub connect_timeout: Duration,
    /// From then until the last byte of the answer.
    pub response_timeout: Duration,
    /// Bytes of the answer's head.
    pub head_bytes: usize,
    /// Number of its header fields.
    pub headers: usize,
    /// Bytes of its body.
    pub body_bytes: usize,
}

impl Default for ClientLimits {
    fn default() -> Self {
        ClientLimits {
            connect_timeout: Duration::from_secs(10),
            response_timeout: Duration::from_secs(60),
            head_bytes: 64 * 1024,
            headers: 100,
            body_bytes: 8 * 1024 * 1024,
        }
    }
}

/// Sends `request`, whose URI must be absolute (`http://host[:port]/path`), and reads the
/// whole answer. `Host` is set from the URI.
///
/// # Errors
/// Everything that can go wrong before an answer is there; an answer with a status of 400
/// or more is an answer.
pub async fn send(
    request: http::Request<Bytes>,
    limits: ClientLimits,
) -> Result<http::Response<Vec<u8>>, Error> {
    let (host, port) = endpoint(request.uri())?;
    let connect = TcpStream::connect((host.as_str(), port));
    let stream = match tokio::time::timeout(limits.connect_timeout, connect).await {
        Ok(stream) => stream.map_err(Error::Connect)?,
        Err(_) => return Err(Error::ConnectTimeout(limits.connect_timeout)),
    };
    let _ = stream.set_nodelay(true);
    let deadline = Instant::now() + limits.response_timeout;
    match tokio::time::timeout(left(deadline), exchange(stream, request, limits)).await {
        Ok(response) => response,
        Err(_) => Err(Error::ResponseTimeout(limits.response_timeout)),
    }
}

/// The exchange itself on a standing connection.
async fn exchange(
    stream: TcpStream,
    mut request: http::Request<Bytes>,
    limits: ClientLimits,
) -> Result<http::Response<Vec<u8>>, Error> {
    let (mut sender, connection) = hyper::client::conn::http1::Builder::new()
        .max_buf_size(limits.head_bytes.max(8 * 1024))
        .max_headers(limits.headers)
        .handshake(TokioIo::new(stream))
        .await
        .map_err(Error::Http)?;
    let authority = request.uri().authority().cloned().ok_or(Error::UrlWithoutHost)?;
    let host = HeaderValue::from_str(authority.as_str()).map_err(|_| Error::UrlWithoutHost)?;
    request.headers_mut().insert(HOST, host);
    let path = request.uri().path_and_query().map_or("/", |path| path.as_str());
    *request.uri_mut() = path.parse().map_err(|_| Error::UrlWithoutHost)?;
    // The connection's own errors come out of `send_request` as well.
    let pump = tokio::spawn(connection);
    let response = async {
        let response = sender.send_request(request.map(Full::new)).await.map_err(Error::Http)?;
        let (parts, mut incoming) = response.into_parts();
        let body = collect(&mut incoming, limits.body_bytes).await?;
        Ok(http::Response::from_parts(parts, body))
    }
    .await;
    pump.abort();
    response
}

/// Host and port of an absolute `http` URI; brackets of an IPv6 address are taken off.
fn endpoint(uri: &http::Uri) -> Result<(String, u16), Error> {
    if uri.scheme() != Some(&http::uri::Scheme::HTTP) {
        return Err(Error::UrlScheme);
    }
    let host = uri.host().filter(|host| !host.is_empty()).ok_or(Error::UrlWithoutHost)?;
    let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    Ok((host.to_owned(), uri.port_u16().unwrap_or(80)))
}
