//! Listeners over a gateway: bound all at once, served, stopped in order.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bartizan_net::{Drain, Error, Listener};
use tokio::sync::Semaphore;

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
    /// runtime, whose tasks it uses.
    ///
    /// # Errors
    /// [`Error::Bind`] for the first address that cannot be had; none accepts then.
    pub async fn start(config: &Config, gateway: Arc<Gateway>) -> Result<Server, Error> {
        let mut listeners = Vec::new();
        for listener in &config.listeners {
            listeners.push(Listener::bind(&listener.name, listener.address.value).await?);
        }
        let addresses = listeners.iter().map(|l| (l.name().to_owned(), l.address())).collect();
        let (drain, drained) = Drain::new();
        let slots = Arc::new(Semaphore::new(config.connections.min(Semaphore::MAX_PERMITS)));
        for listener in listeners {
            let (gateway, slots, drained) = (Arc::clone(&gateway), Arc::clone(&slots), drained.clone());
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
