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

/// One published figure of the set-ups with UsernameTokens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PublishedToken {
    /// The set-up.
    pub scenario: &'static str,
    /// Whether the token was encrypted, and whether it was signed.
    pub protection: (bool, bool),
    /// Mean response time in ms.
    pub response: f64,
    /// Messages a second.
    pub rate: f64,
    /// CPU of the client, in per cent.
    pub client_cpu: u32,
}

/// The four set-ups of the report on Axis2 and Rampart; every one has a Timestamp and a Nonce.
pub const TOKENS: [PublishedToken; 4] = [
    PublishedToken {
        scenario: "UNT1",
        protection: (false, false),
        response: 116.0,
        rate: 85.2,
        client_cpu: 37,
    },
    PublishedToken {
        scenario: "UNT2",
        protection: (false, true),
        response: 127.0,
        rate: 78.3,
        client_cpu: 42,
    },
    PublishedToken {
        scenario: "UNT3",
        protection: (true, false),
        response: 177.0,
        rate: 56.2,
        client_cpu: 34,
    },
    PublishedToken {
        scenario: "UNT4",
        protection: (true, true),
        response: 181.0,
        rate: 54.8,
        client_cpu: 36,
    },
];

/// Where they come from, and what they are.
pub const TOKENS_SOURCE: &str = "\
a report on Axis2 1.4 with Rampart 1.4 and WSS4J 1.5.4, 2008: 10 threads of 5,000 calls each between two machines; key sizes are \
not stated";
