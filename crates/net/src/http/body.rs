//! Reading a body under a limit and a deadline.

use std::sync::Arc;
use std::time::{Duration, Instant};

use http_body_util::BodyExt as _;
use hyper::body::{Body as _, Incoming};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::Error;

/// Bytes of a refused body that are read and thrown away, so that a client that is still
/// writing can read our answer instead of a reset connection.
const DISCARD_BYTES: usize = 1024 * 1024;
/// For how long that is done at most.
const DISCARD_TIME: Duration = Duration::from_millis(500);
/// First allocation for a body; a declared length is a claim, not a fact.
const FIRST_ALLOCATION: usize = 64 * 1024;
/// Bytes of one permit of a [`Budget`].
const BUDGET_UNIT: usize = 1024;

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
    pub async fn read(self) -> Result<Vec<u8>, Error> {
        self.read_within(&mut Held::default()).await
    }

    /// Reads it all, taking what lies beyond the first 64 KiB out of a budget as it comes.
    ///
    /// # Errors
    /// As [`Body::read`], and [`Error::BodyMemory`] when the budget is used up.
    pub async fn read_within(mut self, held: &mut Held) -> Result<Vec<u8>, Error> {
        let (limit, timeout) = (self.limit, self.timeout);
        match tokio::time::timeout(timeout, collect_within(&mut self.incoming, limit, held)).await {
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

/// Bytes for the large bodies of all connections together. A small body always finds a place; large
/// ones, or their senders, cannot make us hold more than this.
#[derive(Clone, Debug)]
pub struct Budget(Arc<Semaphore>);

impl Budget {
    /// A budget of this many bytes, in whole KiB.
    pub fn new(bytes: usize) -> Self {
        Budget(Arc::new(Semaphore::new((bytes / BUDGET_UNIT).min(Semaphore::MAX_PERMITS))))
    }

    /// How many bytes are left.
    pub fn left(&self) -> usize {
        self.0.available_permits().saturating_mul(BUDGET_UNIT)
    }

    /// An empty share of it, to be kept for as long as the body is needed.
    pub fn hold(&self) -> Held {
        Held { budget: Some(self.clone()), permit: None, units: 0 }
    }
}

/// What one exchange has taken of a [`Budget`]; given back when it goes. The default one is of a
/// budget without bounds.
#[derive(Debug, Default)]
pub struct Held {
    budget: Option<Budget>,
    permit: Option<OwnedSemaphorePermit>,
    units: usize,
}

impl Held {
    /// Makes room for a body of `bytes`.
    fn grow_to(&mut self, bytes: usize) -> Result<(), Error> {
        let Some(Budget(budget)) = &self.budget else { return Ok(()) };
        let wanted = bytes.saturating_sub(FIRST_ALLOCATION).div_ceil(BUDGET_UNIT);
        let more = wanted.saturating_sub(self.units);
        if more == 0 {
            return Ok(());
        }
        let count = u32::try_from(more).map_err(|_| Error::BodyMemory)?;
        let permit = Arc::clone(budget).try_acquire_many_owned(count).map_err(|_| Error::BodyMemory)?;
        match &mut self.permit {
            Some(held) => held.merge(permit),
            none => *none = Some(permit),
        }
        self.units = wanted;
        Ok(())
    }
}

/// Collects the data frames of `incoming`, at most `limit` bytes.
pub(crate) async fn collect(incoming: &mut Incoming, limit: usize) -> Result<Vec<u8>, Error> {
    collect_within(incoming, limit, &mut Held::default()).await
}

/// As [`collect`], within a budget.
async fn collect_within(incoming: &mut Incoming, limit: usize, held: &mut Held) -> Result<Vec<u8>, Error> {
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
            held.grow_to(bytes.len() + data.len())?;
            bytes.extend_from_slice(data);
        }
    }
    Ok(bytes)
}

/// The time that is left until `deadline`.
pub(crate) fn left(deadline: Instant) -> Duration {
    deadline.saturating_duration_since(Instant::now())
}
