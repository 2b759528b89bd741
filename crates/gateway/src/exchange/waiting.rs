//! Verifications that may wait: for a memory of seen messages that is elsewhere, or a check of a password that is slow on
//! purpose. The one place where they leave the thread that serves connections, and where there are only so many of them.
//!
//! Which services that is about says [`Junction::may_wait`](crate::junction::Junction::may_wait). Keys that are derived from passwords
//! have a queue of their own ([`Derivations`]), which a message joins only if its key is not known yet: whoever makes up salts waits
//! behind his own kind, and who signs with a key that was seen before goes by. Not here: large messages, which compute and do not
//! wait; they only step [`aside`]. Called by the exchange.

use bartizan_keys::users::Lanes;
use bartizan_wss::Aside;
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::Semaphore;

/// Places for verifications that may wait.
#[derive(Debug)]
pub(super) struct Waiting(Semaphore);

impl Waiting {
    /// So many at the same time, at least one.
    pub(super) fn new(places: usize) -> Self {
        Waiting(Semaphore::new(places.clamp(1, Semaphore::MAX_PERMITS)))
    }

    /// Runs `work`, which may wait, while the other connections of the thread are served elsewhere; `None`, and nothing ran,
    /// if there is no place. Nobody queues here: behind work that waits the queue would grow for as long as that does not
    /// come back.
    pub(super) fn run<T>(&self, work: impl FnOnce() -> T) -> Option<T> {
        let _place = self.0.try_acquire().ok()?;
        Some(aside(work))
    }
}

/// Where keys are derived from passwords: thousands of hashes each, as many as the sender says within the bounds.
#[derive(Debug)]
pub(super) struct Derivations(Lanes);

impl Derivations {
    /// Half of the cores derive at a time, at least one, and so many wait.
    pub(super) fn new(cores: usize, waiting: usize) -> Self {
        Derivations(Lanes::new(cores / 2, waiting))
    }

    /// The queue, for tests that hold it up.
    #[cfg(test)]
    pub(super) fn lanes(&self) -> &Lanes {
        &self.0
    }
}

impl Aside for Derivations {
    fn run(&self, work: &mut dyn FnMut()) -> bool {
        aside(|| {
            let lane = self.0.take();
            if lane.is_some() {
                work();
            }
            lane.is_some()
        })
    }
}

/// Runs `work` while the runtime goes on with its other tasks on another thread of it. On a runtime that has one thread only
/// (no server is started on such) they wait.
pub(super) fn aside<T>(work: impl FnOnce() -> T) -> T {
    let many = Handle::try_current().is_ok_and(|h| h.runtime_flavor() == RuntimeFlavor::MultiThread);
    if many { tokio::task::block_in_place(work) } else { work() }
}

#[cfg(test)]
mod tests;
