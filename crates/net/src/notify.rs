//! Readiness for a service manager: the datagram protocol of `sd_notify(3)`, by hand.
//!
//! Nothing happens unless `NOTIFY_SOCKET` names a socket. Failure to send is reported to
//! the caller, who may ignore it: the server serves all the same.

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::net::{SocketAddr, UnixDatagram};

/// What there is to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Listening, configuration in force.
    Ready,
    /// Reading the configuration again.
    Reloading {
        /// Monotonic clock, microseconds; the manager wants it for ordering.
        monotonic_us: u64,
    },
    /// Draining.
    Stopping,
}

/// Sends one state to the manager's socket, if there is one.
///
/// # Errors
/// What the operating system says when the socket is named but cannot be written.
pub fn notify(state: State) -> io::Result<()> {
    match std::env::var_os("NOTIFY_SOCKET") {
        Some(name) if !name.is_empty() => send(&name, state),
        _ => Ok(()),
    }
}

/// Sends `state` to the socket called `name`; a leading `@` is the abstract name space.
fn send(name: &OsStr, state: State) -> io::Result<()> {
    let text = match state {
        State::Ready => "READY=1\n".to_owned(),
        State::Reloading { monotonic_us } => format!("RELOADING=1\nMONOTONIC_USEC={monotonic_us}\n"),
        State::Stopping => "STOPPING=1\n".to_owned(),
    };
    let socket = UnixDatagram::unbound()?;
    let address = match name.as_bytes().strip_prefix(b"@") {
        Some(abstract_name) => abstract_address(abstract_name)?,
        None => SocketAddr::from_pathname(name)?,
    };
    socket.send_to_addr(text.as_bytes(), &address).map(drop)
}

#[cfg(target_os = "linux")]
fn abstract_address(name: &[u8]) -> io::Result<SocketAddr> {
    use std::os::linux::net::SocketAddrExt as _;
    SocketAddr::from_abstract_name(name)
}

#[cfg(not(target_os = "linux"))]
fn abstract_address(_name: &[u8]) -> io::Result<SocketAddr> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(test)]
mod tests;
