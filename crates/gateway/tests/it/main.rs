//! The gateway from outside. Replay guards: one suite for every memory, a real engine, a process that is killed. Users.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic, reason = "tests")]
#![allow(clippy::disallowed_methods, reason = "the other side of the sockets")]

mod engine;
mod kept;
mod outlast;
mod reuse;
mod suite;
mod users;

use std::sync::{Arc, Mutex};

use bartizan_gateway::state::replay::Tell;
use bartizan_keys::Time;
use bartizan_net::{Clock as _, SystemClock};
use bartizan_wss::replay::ReplayKey;

/// The key of the `n`th token of somebody.
fn key(who: &str, n: u64) -> ReplayKey {
    ReplayKey::of_token(who, &n.to_be_bytes(), "2008-06-24T12:00:00Z")
}

/// The time now: the engine has a clock of its own.
fn now() -> Time {
    SystemClock.now()
}

/// Somebody who writes down what is told.
fn listener() -> (Tell, Arc<Mutex<Vec<String>>>) {
    let told = Arc::new(Mutex::new(Vec::new()));
    let listener = Arc::clone(&told);
    (Arc::new(move |what: &str| listener.lock().unwrap().push(what.to_owned())), told)
}

/// Nobody.
fn nobody() -> Tell {
    Arc::new(|_| {})
}
