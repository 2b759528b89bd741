//! `replay = …`: whether a service refuses what was there before, for how long, and who else knows of it.
//!
//! Not here: the memory itself ([`crate::replay`]). Read with the rest of the configuration.

use std::fmt;
use std::time::Duration;

use super::Secret;

/// `replay = …`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Replay {
    /// Guarded.
    On {
        /// For how long a message without a signed Timestamp is remembered.
        window: Duration,
        /// Number of messages that are remembered at most; full refuses.
        capacity: usize,
        /// The engine that all servers of this name ask; `None`: this process alone remembers.
        shared: Option<Box<Shared>>,
    },
    /// Not guarded: a captured message may be sent again.
    Off,
}

impl Replay {
    /// Ten minutes, four million messages (256 MiB when full), this process alone.
    pub const DEFAULT: Replay =
        Replay::On { window: Duration::from_secs(600), capacity: 4_000_000, shared: None };
}

/// A Valkey or Redis that several servers share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shared {
    /// Where it is.
    pub address: Address,
    /// Its password.
    pub password: Option<Secret>,
    /// What stands before every key.
    pub prefix: String,
    /// What becomes of messages when it does not answer.
    pub on_loss: OnLoss,
    /// How long one claim may take, connecting included.
    pub timeout: Duration,
    /// Connections to it at the same time.
    pub connections: usize,
}

impl Shared {
    /// An engine at `address`, with the defaults of everything else.
    pub fn at(address: Address) -> Shared {
        Shared {
            address,
            password: None,
            prefix: "bartizan".to_owned(),
            on_loss: OnLoss::Refuse,
            timeout: Duration::from_secs(1),
            connections: 16,
        }
    }
}

/// What becomes of messages when the shared engine does not answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnLoss {
    /// They are refused: nobody knows whether another server accepted them.
    Refuse,
    /// This process guards alone: another server may accept them too.
    Local,
}

impl OnLoss {
    /// Both, by name.
    pub const ALL: [(&'static str, OnLoss); 2] = [("refuse", OnLoss::Refuse), ("local", OnLoss::Local)];
}

/// `redis://[user@]host[:port][/database]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// A name or an address, IPv6 without its brackets.
    pub host: String,
    /// 6379 if it is left out.
    pub port: u16,
    /// The number of the database, 0 if it is left out.
    pub database: u16,
    /// The user, for an engine that has several.
    pub user: Option<String>,
}

impl Address {
    /// Reads the URL of an engine.
    ///
    /// # Errors
    /// What may be written, or why what is written is not taken. Never the text itself: it may hold a password.
    pub fn parse(text: &str) -> Result<Address, &'static str> {
        const WANTED: &str = "redis://[user@]host[:port][/database]";
        let (scheme, rest) = text.split_once("://").ok_or(WANTED)?;
        match scheme {
            "redis" | "valkey" => {}
            "rediss" | "valkeys" => {
                return Err(
                    "an address without TLS, which is not spoken to the engine: redis://…, through a tunnel",
                );
            }
            _ => return Err(WANTED),
        }
        let (authority, database) = rest.split_once('/').unwrap_or((rest, ""));
        let database = if database.is_empty() { 0 } else { database.parse().map_err(|_| WANTED)? };
        let (user, place) = match authority.rsplit_once('@') {
            Some((user, _)) if user.contains(':') => {
                return Err("an address without a password, which stands in `password = { file | env }`");
            }
            Some((user, place)) => (Some(user.to_owned()).filter(|user| !user.is_empty()), place),
            None => (None, authority),
        };
        let (host, port) = match place.strip_prefix('[').and_then(|inner| inner.split_once(']')) {
            Some((host, rest)) => (host, rest.strip_prefix(':').or((rest.is_empty()).then_some(""))),
            None => place.split_once(':').map_or((place, Some("")), |(host, port)| (host, Some(port))),
        };
        let port = match port.ok_or(WANTED)? {
            "" => 6379,
            port => port.parse().ok().filter(|port| *port != 0).ok_or(WANTED)?,
        };
        let plain = |c: char| c.is_ascii_alphanumeric() || ".-_:".contains(c);
        if host.is_empty() || !host.chars().all(plain) {
            return Err(WANTED);
        }
        Ok(Address { host: host.to_owned(), port, database, user })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.host.contains(':') {
            true => write!(f, "[{}]:{}", self.host, self.port),
            false => write!(f, "{}:{}", self.host, self.port),
        }
    }
}

#[cfg(test)]
mod tests;
