//! Listeners over a gateway: bound all at once, served, stopped in order.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bartizan_net::{Drain, Error, Listener, Slots, Workers};

use crate::Gateway;
use crate::config::Config;

/// A server that accepts.
#[derive(Debug)]
pub struct Server {
    addresses: Vec<(String, SocketAddr)>,
    drain: Drain,
}

impl Server {
    /// Binds every listener, then begins to accept on all of them. Must run inside a tokio
    /// runtime, which accepts and, where there are no `workers`, serves.
    ///
    /// # Errors
    /// [`Error::Bind`] for the first address that cannot be had; none accepts then.
    pub async fn start(
        config: &Config,
        gateway: Arc<Gateway>,
        workers: Option<&Workers>,
    ) -> Result<Server, Error> {
        let mut listeners = Vec::new();
        for listener in &config.listeners {
            let bound = Listener::bind(&listener.name, listener.address.value).await?;
            listeners.push(match workers {
                Some(workers) => bound.on(workers),
                None => bound,
            });
        }
        let addresses = listeners.iter().map(|l| (l.name().to_owned(), l.address())).collect();
        let (drain, drained) = Drain::new();
        // Half, so that one peer alone cannot lock the others out.
        let per_peer = config.connections_per_peer.unwrap_or(config.connections.div_ceil(2));
        let slots = Slots::new(config.connections, per_peer);
        for listener in listeners {
            let (gateway, slots, drained) = (Arc::clone(&gateway), slots.clone(), drained.clone());
            tokio::spawn(listener.serve(gateway, slots, drained));
        }
        Ok(Server { addresses, drain })
    }

    /// Name and real address of each listener.
    pub fn addresses(&self) -> &[(String, SocketAddr)] {
        &self.addresses
    }

    /// Stops accepting and waits for running exchanges, at most `patience`. Returns whether
    /// all of them ended.
    pub async fn stop(self, patience: Duration) -> bool {
        self.drain.stop(patience).await
    }
}
