//! The signals a server listens to.

use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::Error;

/// What a signal asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// SIGTERM or SIGINT: drain and end.
    Stop,
    /// SIGHUP: read the configuration again.
    Reload,
}

/// The installed handlers.
#[derive(Debug)]
pub struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hangup: Signal,
}

impl Signals {
    /// Installs the handlers. Must run inside a tokio runtime.
    ///
    /// # Errors
    /// [`Error::Signal`] if the operating system refuses.
    pub fn install() -> Result<Self, Error> {
        Ok(Signals {
            terminate: signal(SignalKind::terminate()).map_err(Error::Signal)?,
            interrupt: signal(SignalKind::interrupt()).map_err(Error::Signal)?,
            hangup: signal(SignalKind::hangup()).map_err(Error::Signal)?,
        })
    }

    /// Waits for the next signal.
    pub async fn next(&mut self) -> Asked {
        tokio::select! {
            _ = self.terminate.recv() => Asked::Stop,
            _ = self.interrupt.recv() => Asked::Stop,
            _ = self.hangup.recv() => Asked::Reload,
        }
    }
}
