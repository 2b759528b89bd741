//! Accept loop and connection limits.
//!
//! One task a connection. The number of connections is a number of places that all
//! listeners of a server share; at the limit we stop accepting, so the kernel's queue, not
//! our memory, holds the rest. No single peer gets all of them.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::http::server;
use crate::{Drained, Error, Handler, Workers};

/// How long the accept loop rests after the operating system refused a connection
/// (typically: out of file descriptors), so that it does not spin.
const ACCEPT_REST: Duration = Duration::from_millis(50);

/// The places for connections of a server, shared by its listeners. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Slots {
    free: Arc<Semaphore>,
    by_peer: Arc<Mutex<HashMap<IpAddr, usize>>>,
    per_peer: usize,
    /// Connections that were closed because their peer had its share.
    closed: Arc<AtomicU64>,
}

/// A place that is taken; given back when it goes.
struct Slot {
    slots: Slots,
    peer: IpAddr,
    _permit: OwnedSemaphorePermit,
}

impl Slots {
    /// `connections` places, of which one peer gets `per_peer` at most.
    pub fn new(connections: usize, per_peer: usize) -> Self {
        let free = Arc::new(Semaphore::new(connections.min(Semaphore::MAX_PERMITS)));
        Slots { free, by_peer: Arc::default(), per_peer, closed: Arc::default() }
    }

    /// How many connections were closed because their peer had its share.
    pub fn closed(&self) -> u64 {
        self.closed.load(Ordering::Relaxed)
    }

    /// The place of `permit` for a connection of `peer`; `None` if that has its share already.
    fn take(&self, permit: OwnedSemaphorePermit, peer: IpAddr) -> Option<Slot> {
        let peer = one_peer(peer);
        let mut by_peer = self.by_peer.lock().unwrap_or_else(PoisonError::into_inner);
        let count = by_peer.get(&peer).copied().unwrap_or_default();
        if count >= self.per_peer {
            return None;
        }
        by_peer.insert(peer, count + 1);
        Some(Slot { slots: self.clone(), peer, _permit: permit })
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut by_peer = self.slots.by_peer.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = by_peer.get_mut(&self.peer) {
            *count -= 1;
            if *count == 0 {
                by_peer.remove(&self.peer);
            }
        }
    }
}

/// The address by which a peer is counted: whoever has one IPv6 address has the 2^64 beside it.
pub fn one_peer(peer: IpAddr) -> IpAddr {
    match peer.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX))),
        address => address,
    }
}

/// A bound socket that accepts.
#[derive(Debug)]
pub struct Listener {
    name: String,
    socket: TcpListener,
    address: SocketAddr,
    workers: Option<Workers>,
}

impl Listener {
    /// Binds `address`; port 0 picks a free one, see [`Listener::address`].
    ///
    /// # Errors
    /// [`Error::Bind`] if the address is taken or not ours.
    pub async fn bind(name: &str, address: SocketAddr) -> Result<Self, Error> {
        let bound = |source| Error::Bind { address, source };
        let socket = TcpListener::bind(address).await.map_err(bound)?;
        let address = socket.local_addr().map_err(bound)?;
        Ok(Listener { name: name.to_owned(), socket, address, workers: None })
    }

    /// The listener's name in the configuration.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The address that it really has.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Gives connections to these threads; without it they run on the runtime that accepts.
    #[must_use]
    pub fn on(mut self, workers: &Workers) -> Self {
        self.workers = Some(workers.clone());
        self
    }

    /// Accepts and serves until `drained` is told, then closes the socket. Connections go
    /// on in their own tasks until their running exchange is answered. One too many of a peer is closed
    /// at once.
    pub async fn serve<H: Handler>(self, handler: Arc<H>, slots: Slots, mut drained: Drained) {
        loop {
            let permit = tokio::select! {
                permit = Arc::clone(&slots.free).acquire_owned() => permit,
                () = drained.told() => return,
            };
            // The semaphore is never closed; if it were, there would be nothing to serve with.
            let Ok(permit) = permit else { return };
            let accepted = tokio::select! {
                accepted = self.socket.accept() => accepted,
                () = drained.told() => return,
            };
            match accepted {
                Ok((stream, peer)) => {
                    let Some(slot) = slots.take(permit, peer.ip()) else {
                        let closed = slots.closed.fetch_add(1, Ordering::Relaxed) + 1;
                        // A flood of connections must not become a flood of lines.
                        if closed.is_power_of_two() {
                            handler.closed(peer, closed);
                        }
                        continue;
                    };
                    // Replies are small and complete: waiting for more to send would only add latency.
                    let _ = stream.set_nodelay(true);
                    let handler = Arc::clone(&handler);
                    let (local, drained) = (self.address, drained.clone());
                    let serve = move |stream| async move {
                        server::serve_connection(stream, peer, local, handler, drained).await;
                        drop(slot);
                    };
                    match &self.workers {
                        Some(workers) => workers.run(stream, serve),
                        None => drop(tokio::spawn(serve(stream))),
                    }
                }
                Err(_) => tokio::time::sleep(ACCEPT_REST).await,
            }
        }
    }
}

#[cfg(test)]
mod tests;
