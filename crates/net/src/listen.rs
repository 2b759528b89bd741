//! Accept loop and connection limits.
//!
//! One task a connection. The number of connections is a number of permits that all
//! listeners of a server share; at the limit we stop accepting, so the kernel's queue, not
//! our memory, holds the rest.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use crate::http::server;
use crate::{Drained, Error, Handler};

/// How long the accept loop rests after the operating system refused a connection
/// (typically: out of file descriptors), so that it does not spin.
const ACCEPT_REST: Duration = Duration::from_millis(50);

/// A bound socket that accepts.
#[derive(Debug)]
pub struct Listener {
    name: String,
    socket: TcpListener,
    address: SocketAddr,
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
        Ok(Listener { name: name.to_owned(), socket, address })
    }

    /// The listener's name in the configuration.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The address that it really has.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Accepts and serves until `drained` is told, then closes the socket. Connections go
    /// on in their own tasks until their running exchange is answered.
    pub async fn serve<H: Handler>(self, handler: Arc<H>, slots: Arc<Semaphore>, mut drained: Drained) {
        loop {
            let permit = tokio::select! {
                permit = Arc::clone(&slots).acquire_owned() => permit,
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
                    let handler = Arc::clone(&handler);
                    let (local, drained) = (self.address, drained.clone());
                    tokio::spawn(async move {
                        server::serve_connection(stream, peer, local, handler, drained).await;
                        drop(permit);
                    });
                }
                Err(_) => tokio::time::sleep(ACCEPT_REST).await,
            }
        }
    }
}
