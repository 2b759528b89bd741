//! What a report says around its figures, by scenario.

use crate::figures::{RAMPART, RAMPART_SOURCE, TOKENS, TOKENS_SOURCE};

/// The words of a scenario.
pub(super) struct Words {
    /// Its name.
    pub(super) scenario: String,
    /// The heading of a page.
    pub(super) heading: &'static str,
    /// What is done, in a sentence.
    pub(super) about: &'static str,
    /// Where the published figures come from.
    pub(super) source: &'static str,
    /// What every reader should know before the figures.
    pub(super) bias: [&'static [&'static str]; 2],
}

impl Words {
    pub(super) fn of(scenario: &str) -> Words {
        let scenario = scenario.to_owned();
        if scenario == "unt" {
            return Words {
                scenario,
                heading: "CPU of one request with a UsernameToken",
                about: "Four set-ups with UsernameTokens over HTTP: the request is verified, its body comes back plain.",
                source: TOKENS_SOURCE,
                bias: [TOKEN_BIAS, BOTH],
            };
        }
        Words {
            scenario,
            heading: "CPU of one secured exchange",
            about: "The Rampart/C policy over HTTP: a signed and encrypted request is verified, its answer signed and encrypted.",
            source: RAMPART_SOURCE,
            bias: [RAMPART_BIAS, BOTH],
        }
    }

    /// The published figures: who, and how many messages a second.
    pub(super) fn published(&self) -> Vec<(&'static str, String)> {
        if self.scenario == "unt" {
            TOKENS.iter().map(|token| (token.scenario, format!("{:.1}", token.rate))).collect()
        } else {
            RAMPART.iter().map(|one| (one.engine, one.rate.to_string())).collect()
        }
    }
}

const RAMPART_BIAS: &[&str] = &[
    "Measured by the authors of bartizan with their own tool. The libraries are the published ones; WSS4J is driven by hand \
     and, like Rampart, stands behind the HTTP server of the JDK. Nobody remembers replays, nobody writes an access log.",
    "All servers get the same octets: requests secured beforehand by bartizan's client. All answers are verified before, and \
     samples of them after each turn.",
    "CPU is user and system time of the server process for each right answer, HTTP included. The floor is the bare \
     cryptography of the same exchange in the same round, without HTTP, XML and certificate paths.",
    "One client certificate: bartizan remembers the verdict on its path, others may check it for every message.",
];

const TOKEN_BIAS: &[&str] = &[
    "Measured by the authors of bartizan with their own tool. The libraries are the published ones; WSS4J is in action mode behind \
     the HTTP server of the JDK. Nobody writes an access log.",
    "Nobody remembers replays, but for the row that says so: there every message is a new one.",
    "All servers get the same octets: requests secured beforehand by bartizan's client in the layout of WSS4J 1.5. All answers are \
     verified before, and samples of them after each turn.",
    "CPU is user and system time of the server process for each right answer, HTTP included. The floor is the bare cryptography of \
     the same request in the same round, with keys of passwords at hand; UNT1 has none.",
    "Keys that a thousand hashes make of a password are remembered by bartizan, and a rotation comes round: with a new Salt in \
     every message, UNT2b and UNT4b cost these hashes, too.",
    "Timestamps and tokens live a day here, so that a rotation outlasts the run.",
];

const BOTH: &[&str] =
    &["A server has one core to itself, so a Java virtual machine chooses its serial collector."];
