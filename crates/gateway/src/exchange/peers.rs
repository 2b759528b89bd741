//! What one peer may have at work: exchanges, and turns at the private key. Connections are shared out by `net` in the
//! same way. Called by the exchange, twice for each: once when it is admitted, once when it ends.
//!
//! A turn is waited for. So of whoever sends much at once a few messages stand in the queue of a thread, and the rest
//! in his own: another peer's message comes next, not last.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bartizan_net::one_peer;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Peers that are remembered though nothing of them is at work, so that the next exchange finds its share made.
const IDLE: usize = 256;

/// The shares of all peers that have something at work.
#[derive(Debug)]
pub(super) struct Peers {
    shares: Mutex<HashMap<IpAddr, Share>>,
    turns: usize,
}

/// What one peer has.
#[derive(Debug)]
struct Share {
    exchanges: usize,
    turns: Arc<Semaphore>,
}

/// A place of one exchange; given back when it goes.
#[derive(Debug)]
pub(super) struct Place<'p> {
    peers: &'p Peers,
    peer: IpAddr,
    turns: Arc<Semaphore>,
}

impl Peers {
    /// Nobody yet; each will have `turns` messages at work at a time.
    pub(super) fn new(turns: usize) -> Self {
        Peers { shares: Mutex::default(), turns: turns.clamp(1, Semaphore::MAX_PERMITS) }
    }

    /// A place for one more exchange of `peer`; `None` if it has `most` already.
    pub(super) fn admit(&self, peer: IpAddr, most: usize) -> Option<Place<'_>> {
        let peer = one_peer(peer);
        let mut shares = self.lock();
        let share = shares
            .entry(peer)
            .or_insert_with(|| Share { exchanges: 0, turns: Arc::new(Semaphore::new(self.turns)) });
        if share.exchanges >= most {
            return None;
        }
        share.exchanges += 1;
        Some(Place { peers: self, peer, turns: Arc::clone(&share.turns) })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<IpAddr, Share>> {
        self.shares.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place<'_> {
    /// Waits until it is this exchange's turn among those of its peer, in the order of asking.
    pub(super) async fn turn(&self) -> Option<OwnedSemaphorePermit> {
        // The semaphore is never closed.
        Arc::clone(&self.turns).acquire_owned().await.ok()
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut shares = self.peers.lock();
        let remembered = shares.len();
        if let Some(share) = shares.get_mut(&self.peer) {
            share.exchanges = share.exchanges.saturating_sub(1);
            if share.exchanges == 0 && remembered > IDLE {
                shares.remove(&self.peer);
            }
        }
    }
}

#[cfg(test)]
mod tests;
