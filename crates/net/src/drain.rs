//! Ending in order: stop accepting, finish what runs, then go.
//!
//! A [`Drain`] is held by whoever decides to stop; every listener and connection holds a
//! [`Drained`]. The drain is over when the last `Drained` is dropped, so a connection
//! cannot be forgotten.

use std::time::Duration;

use tokio::sync::watch;

/// The side that says when to stop.
#[derive(Debug)]
pub struct Drain(watch::Sender<bool>);

/// The side that is told to stop; keep it for as long as there is work.
#[derive(Clone, Debug)]
pub struct Drained(watch::Receiver<bool>);

impl Drain {
    /// A new pair.
    pub fn new() -> (Drain, Drained) {
        let (sender, receiver) = watch::channel(false);
        (Drain(sender), Drained(receiver))
    }

    /// Tells everybody to stop and waits at most `patience` until all have.
    ///
    /// Returns whether everybody had stopped by then.
    pub async fn stop(self, patience: Duration) -> bool {
        // The value is set even when nobody listens any more.
        self.0.send_replace(true);
        tokio::time::timeout(patience, self.0.closed()).await.is_ok()
    }
}

impl Drained {
    /// Returns once it is time to stop; also if the [`Drain`] itself is gone.
    pub async fn told(&mut self) {
        let _ = self.0.wait_for(|stop| *stop).await;
    }

    /// Whether it is time to stop.
    pub fn is_told(&self) -> bool {
        *self.0.borrow()
    }
}

#[cfg(test)]
mod tests;
