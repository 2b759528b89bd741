//! A memory that keeps claims for at least so long, whatever the message's own end is.
//!
//! Several plans may share one memory, and one may let messages live longer than another: a claim made under the short one must
//! outlast what the long one would still take. Not here: how long that is (who shares the memory knows all the plans).

use std::sync::Arc;
use std::time::Duration;

use bartizan_keys::Time;

use super::{Claim, Remember, ReplayCache, ReplayKey};

/// A shared memory in which claims last for a least time.
pub struct AtLeast {
    memory: Arc<dyn ReplayCache>,
    least: Duration,
}

impl AtLeast {
    /// `memory`, with claims that last for `least` and for its window, or longer.
    #[must_use]
    pub fn new(memory: Arc<dyn ReplayCache>, least: Duration) -> AtLeast {
        AtLeast { memory, least }
    }
}

impl ReplayCache for AtLeast {
    fn claim(&self, key: &ReplayKey, remember: Remember, now: Time) -> Claim {
        // The window is asked each time: a reload changes it. It alone may be shorter than what another plan would take.
        let window = self.memory.window();
        let (end, least) = remember.spans(window);
        let least = least.max(self.least).max(window);
        self.memory.claim(key, Remember::Longer { end, least }, now)
    }

    fn window(&self) -> Duration {
        self.memory.window()
    }

    fn started(&self) -> Time {
        self.memory.started()
    }

    fn may_wait(&self) -> bool {
        self.memory.may_wait()
    }
}

#[cfg(test)]
mod tests;
