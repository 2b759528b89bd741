//! Reading a body under a limit and a deadline.

use std::time::{Duration, Instant};

use http_body_util::BodyExt as _;
use hyper::body::{Body as _, Incoming};

use crate::Error;

/// Bytes of a refused body that are read and thrown away, so that a client that is still
/// writing can read our answer instead of a reset connection.
const DISCARD_BYTES: usize = 1024 * 1024;
/// For how long that is done at most.
const DISCARD_TIME: Duration = Duration::from_millis(500);
/// First allocation for a body; a declared length is a claim, not a fact.
const FIRST_ALLOCATION: usize = 64 * 1024;

/// A request's body that has not been read yet.
#[derive(Debug)]
pub struct Body {
    incoming: Incoming,
    limit: usize,
    timeout: Duration,
    /// The client waits for `100 Continue`: reading on would ask it to send.
    waits: bool,
}

impl Body {
    pub(crate) fn new(incoming: Incoming, limit: usize, timeout: Duration, waits: bool) -> Self {
        Body { incoming, limit, timeout, waits }
    }

    /// The length that the head declares, in bytes.
    pub fn declared(&self) -> Option<u64> {
        self.incoming.size_hint().exact()
    }

    /// Reads it all.
    ///
    /// # Errors
    /// [`Error::BodyTooLarge`] as soon as the declared or the actual length passes the
    /// limit, [`Error::BodyTimeout`], [`Error::BodyBroken`].
    pub async fn read(mut self) -> Result<Vec<u8>, Error> {
        let (limit, timeout) = (self.limit, self.timeout);
        match tokio::time::timeout(timeout, collect(&mut self.incoming, limit)).await {
            Ok(Err(refused @ Error::BodyTooLarge { .. })) => {
                self.discard().await;
                Err(refused)
            }
            Ok(result) => result,
            Err(_) => Err(Error::BodyTimeout(timeout)),
        }
    }

    /// Reads and drops what is on its way, within bounds.
    pub async fn discard(mut self) {
        if self.waits {
            return;
        }
        let incoming = &mut self.incoming;
        let _ = tokio::time::timeout(DISCARD_TIME, async {
            let mut seen = 0;
            while let Some(Ok(frame)) = incoming.frame().await {
                seen += frame.data_ref().map_or(0, bytes::Bytes::len);
                if seen > DISCARD_BYTES {
                    break;
                }
            }
        })
        .await;
    }
}

/// Collects the data frames of `incoming`, at most `limit` bytes.
pub(crate) async fn collect(incoming: &mut Incoming, limit: usize) -> Result<Vec<u8>, Error> {
    let too_large = Error::BodyTooLarge { limit };
    let declared = incoming.size_hint().lower();
    let declared = usize::try_from(declared).unwrap_or(usize::MAX);
    if declared > limit {
        return Err(too_large);
    }
    let mut bytes = Vec::with_capacity(declared.min(FIRST_ALLOCATION));
    while let Some(frame) = incoming.frame().await {
        let frame = frame.map_err(Error::BodyBroken)?;
        // Trailers are dropped: nothing of ours is decided by them.
        if let Some(data) = frame.data_ref() {
            if data.len() > limit - bytes.len() {
                return Err(too_large);
            }
            bytes.extend_from_slice(data);
        }
    }
    Ok(bytes)
}

/// The time that is left until `deadline`.
pub(crate) fn left(deadline: Instant) -> Duration {
    deadline.saturating_duration_since(Instant::now())
}
