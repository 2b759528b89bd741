//! The clock of the shell. Everything below gets the time as a value.

use std::time::{SystemTime, UNIX_EPOCH};

use bartizan_keys::Time;

/// Something that knows the time, UTC.
pub trait Clock: Send + Sync {
    /// The time now.
    fn now(&self) -> Time;
}

/// The operating system's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Time {
        let millis = match SystemTime::now().duration_since(UNIX_EPOCH) {
            Ok(since) => i64::try_from(since.as_millis()).unwrap_or(i64::MAX),
            // A clock before 1970 is a broken clock; the epoch makes every check fail closed.
            Err(_) => 0,
        };
        Time::from_millis(millis)
    }
}
