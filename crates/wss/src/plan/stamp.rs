//! Age limits of an incoming Timestamp.

use std::time::Duration;

/// Age limits of a Timestamp (decisions: age = min(Expires, Created + ttl), with skew).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimestampRule {
    /// Longest age of a message.
    pub ttl: Duration,
    /// How far the two clocks may differ.
    pub skew: Duration,
    /// How far Created may lie in the future; `None`: as far as clocks may differ.
    pub future: Option<Duration>,
    /// Expires must be there.
    pub require_expires: bool,
    /// An Expires that has passed refuses the message; otherwise only Created and the ttl count (WSS4J's `timestampStrict = false`).
    pub strict: bool,
}

impl Default for TimestampRule {
    fn default() -> Self {
        TimestampRule {
            ttl: Duration::from_secs(300),
            skew: Duration::from_secs(60),
            future: None,
            require_expires: false,
            strict: true,
        }
    }
}
