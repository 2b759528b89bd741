//! The CPU time of a thread: what everything in process is measured with. Another process that takes the processor away
//! does not show in it. Called by the floor of an exchange and by the benches.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// CPU time of the calling thread since it began.
#[must_use]
pub fn thread_cpu() -> Duration {
    // The kernel gives no negative times here.
    clock_gettime(ClockId::ThreadCPUTime).try_into().unwrap_or_default()
}
