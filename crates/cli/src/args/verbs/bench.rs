//! The sub-verbs of `bench`.

use super::{VERB, Verb, one};

pub(super) const BENCH: &[Verb] = &[
    Verb {
        name: "rampart",
        about: "The Rampart/C policy over HTTP: ours, WSS4J, CXF and Rampart",
        more: "Starts our server and the Java peers that are there as processes with the same keys and policy, checks all \
               answers first, warms each server, then measures them in interleaved rounds at 1 and 10 requests in flight, \
               with RSA-2048, RSA-1024 and P-256. Reports messages a second, CPU of the server for each message, \
               latencies, memory, and ratios to the bare cryptography of the same exchange and to our server. A peer that \
               is missing is named with the way to get it. Exit 0 means that all answers were right; 1, that some were \
               not. It takes about 13 minutes; --quick only tries everything once. docs/measuring.md tells how to read it.",
        examples: "Examples:\n  bartizan bench rampart --quick\n  bartizan bench rampart --out record --keys-sizes 2048,1024,p256\n  \
                   bartizan bench rampart --only own,wss4j --peers interop/java --json",
        flags: &[
            "peers",
            "only",
            "keys-sizes",
            "rounds",
            "duration",
            "warm",
            "quick",
            "out",
            "json",
            "quiet",
        ],
        ..VERB
    },
    Verb {
        name: "unt",
        about: "UsernameTokens in four set-ups over HTTP: ours, WSS4J 1.5 and CXF",
        more: "Runs the built-in scenarios unt1 to unt4b as `bench rampart` runs its policy: the same octets to all servers, all \
               answers checked first, each server warmed, interleaved rounds with 10 threads. All servers live at the same \
               time, so what encryption and signature add can be read from one run. RSA-2048 and RSA-1024 where the token is \
               encrypted. No server remembers messages, but for the row bartizan-replay, which gets a new message in every call. It \
               takes about 25 minutes; --quick only tries everything once. docs/measuring.md tells how to read it.",
        examples: "Examples:\n  bartizan bench unt --quick\n  bartizan bench unt --threads 10 --calls 5000 --out record\n  \
                   bartizan bench unt --only own,wss4j15 --keys-sizes 2048 --json",
        flags: &[
            "peers",
            "only",
            "keys-sizes",
            "threads",
            "calls",
            "rounds",
            "duration",
            "warm",
            "quick",
            "out",
            "json",
            "quiet",
        ],
        ..VERB
    },
    Verb {
        name: "all",
        about: "Every scenario that can be run, one after the other",
        more: "As each of them alone with its defaults; the records go into one folder.",
        examples: "Examples:\n  bartizan bench all --quick\n  bartizan bench all --out record",
        flags: &["peers", "rounds", "duration", "warm", "quick", "out", "json", "quiet"],
        ..VERB
    },
    Verb {
        name: "list",
        about: "The scenarios, and which of them can be run",
        examples: "Examples:\n  bartizan bench list\n  bartizan bench list --json",
        flags: &["json"],
        ..VERB
    },
    Verb {
        name: "report",
        about: "Show a record again; measures nothing",
        more: "With --out the text and a page of HTML with a picture are written there, too.",
        examples: "Examples:\n  bartizan bench report record\n  bartizan bench report rampart.csv --out page",
        positionals: &[one("RECORD", true, "A record, or a folder with records")],
        flags: &["out", "json"],
        ..VERB
    },
    Verb {
        name: "compare",
        about: "Two records beside each other: faster, slower, or noise",
        more: "CPU a message is compared, with the bounds that the rounds of both leave open. A difference within them is \
               noise. Exit 0 whatever is found.",
        examples: "Examples:\n  bartizan bench compare before after\n  bartizan bench compare a.csv b.csv --json",
        positionals: &[one("BEFORE", true, "A record, or its folder"), one("AFTER", true, "Another")],
        flags: &["json"],
        ..VERB
    },
];
