//! Published figures, as facts with their source. They were measured on machines of their time and are no yardstick for
//! milliseconds: they show who cost how much more than whom.
//!
//! Called by the report, which sets them beside our own.

/// One published figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Published {
    /// The engine, as it was called.
    pub engine: &'static str,
    /// Requests of the run.
    pub requests: u32,
    /// Requests in flight.
    pub concurrency: u32,
    /// Messages a second.
    pub rate: u32,
}

/// The comparison of Rampart/C with Rampart/Java.
pub const RAMPART: [Published; 2] = [
    Published { engine: "Rampart/C", requests: 1000, concurrency: 10, rate: 140 },
    Published { engine: "Rampart/Java", requests: 1000, concurrency: 10, rate: 10 },
];

/// Where they come from, and what they are.
pub const RAMPART_SOURCE: &str = "\
the Rampart/C benchmark, about 2008: one signed and encrypted request under this policy, captured and \
replayed 1,000 times at concurrency 10; machine and key size are not stated";
