//! All mounts of a server. Swapped as a whole, so an exchange never sees half a reload.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bartizan_keys::UserSource;
use bartizan_net::HttpLimits;

use super::Junction;

/// What may be at work at the same time, in all and of one peer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Load {
    /// Exchanges.
    pub in_flight: usize,
    /// Exchanges of one peer.
    pub in_flight_per_peer: usize,
    /// Messages of one peer that are verified or secured, with the private key if need be; `None` is one less than
    /// twice the number of cores. More wait for their turn.
    pub work_per_peer: Option<usize>,
    /// Messages at a time whose verification may wait for something outside of this process; and those that wait until a key is
    /// derived from a password.
    pub waiting: usize,
    /// Bytes of messages on their way, beyond the first piece of each.
    pub large_bytes: usize,
}

/// The table and what holds for all of it.
#[derive(Clone, Default)]
pub struct Table {
    by_path: HashMap<String, Arc<Junction>>,
    /// Limits of the HTTP side.
    pub http: HttpLimits,
    /// What may be at work at the same time.
    pub load: Load,
    /// Refusals go out at multiples of this after the message arrived.
    pub failure_quantum: Duration,
    /// The files that the users came from; they are looked at for changes.
    pub user_files: Vec<PathBuf>,
}

impl Table {
    /// A table of these mounts. A path that stands twice keeps its first mount; `check`
    /// refuses that before.
    pub fn new(junctions: Vec<Junction>, http: HttpLimits, load: Load, failure_quantum: Duration) -> Self {
        let mut by_path = HashMap::with_capacity(junctions.len());
        for junction in junctions {
            by_path.entry(junction.path.clone()).or_insert_with(|| Arc::new(junction));
        }
        Table { by_path, http, load, failure_quantum, user_files: Vec::new() }
    }

    /// The same table with other users.
    #[must_use]
    pub fn with_users(&self, users: &Arc<dyn UserSource>) -> Self {
        let mut table = self.clone();
        for junction in table.by_path.values_mut() {
            *junction = Arc::new(Junction { users: Some(Arc::clone(users)), ..Junction::clone(junction) });
        }
        table
    }

    /// The mount at exactly `path`, compared as it was written, without query.
    pub fn find(&self, path: &str) -> Option<Arc<Junction>> {
        self.by_path.get(path).cloned()
    }
}
