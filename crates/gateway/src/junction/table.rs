//! All mounts of a server. Swapped as a whole, so an exchange never sees half a reload.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use bartizan_net::HttpLimits;

use super::Junction;

/// The table and what holds for all of it.
#[derive(Clone, Default)]
pub struct Table {
    by_path: HashMap<String, Arc<Junction>>,
    /// Limits of the HTTP side.
    pub http: HttpLimits,
    /// Exchanges at work at the same time.
    pub in_flight: usize,
    /// Bytes of messages on their way at the same time, beyond the first piece of each.
    pub large_bytes: usize,
    /// Refusals go out at multiples of this after the message arrived.
    pub failure_quantum: Duration,
}

impl Table {
    /// A table of these mounts. A path that stands twice keeps its first mount; `check`
    /// refuses that before.
    pub fn new(
        junctions: Vec<Junction>,
        http: HttpLimits,
        (in_flight, large_bytes): (usize, usize),
        failure_quantum: Duration,
    ) -> Self {
        let mut by_path = HashMap::with_capacity(junctions.len());
        for junction in junctions {
            by_path.entry(junction.path.clone()).or_insert_with(|| Arc::new(junction));
        }
        Table { by_path, http, in_flight, large_bytes, failure_quantum }
    }

    /// The mount at exactly `path`, compared as it was written, without query.
    pub fn find(&self, path: &str) -> Option<Arc<Junction>> {
        self.by_path.get(path).cloned()
    }
}
