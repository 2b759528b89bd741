//! What can be measured, as data: the scenarios by name, and the key kinds of the benchmark policy.
//!
//! Not here: how a scenario is run (`measure`). Called by the command line and by every module that names a cell.

use std::borrow::Cow;
use std::fmt;

/// A scenario of the lab.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scenario {
    /// What is typed.
    pub name: &'static str,
    /// One line.
    pub about: &'static str,
    /// What is missing for it; `None` where it can be run.
    pub needs: Option<&'static str>,
}

/// Every scenario, in the order in which they are listed.
pub const SCENARIOS: &[Scenario] = &[
    Scenario {
        name: "rampart",
        about: "the Rampart/C policy over HTTP: body signed and encrypted, confirmation in the reply; ours beside WSS4J, CXF and Rampart",
        needs: None,
    },
    Scenario {
        name: "unt",
        about: "four set-ups with UsernameTokens over HTTP, as Axis2 and Rampart measured them; ours beside WSS4J 1.5 and CXF",
        needs: None,
    },
    Scenario {
        name: "wsrf",
        about: "operations on a counter resource in four security modes",
        needs: Some("WS-Resources and TLS"),
    },
    Scenario {
        name: "junction",
        about: "a page through a TLS junction, with and without identity headers",
        needs: Some("web junctions and TLS"),
    },
    Scenario { name: "tls", about: "an echo over HTTPS/1.1 and h2", needs: Some("TLS") },
    Scenario { name: "all", about: "everything above that can be run, one after the other", needs: None },
];

/// The scenario of a name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Scenario> {
    SCENARIOS.iter().find(|scenario| scenario.name == name)
}

/// The names of those that can be run.
pub fn available() -> impl Iterator<Item = &'static str> {
    SCENARIOS.iter().filter(|scenario| scenario.needs.is_none()).map(|scenario| scenario.name)
}

/// The keys that both sides have, and the suite that goes with them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Keys {
    /// RSA-2048 under the policy as published: `Basic256` with rsa-sha1, OAEP, AES-256-CBC.
    Rsa2048,
    /// RSA-1024 under the same policy: the period's keys.
    Rsa1024,
    /// P-256: ecdsa-sha256, ECDH-ES with ConcatKDF, AES-256-GCM.
    P256,
}

impl Keys {
    /// All of them.
    pub const ALL: [Keys; 3] = [Keys::Rsa2048, Keys::Rsa1024, Keys::P256];

    /// The name in options and records.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Keys::Rsa2048 => "rsa2048",
            Keys::Rsa1024 => "rsa1024",
            Keys::P256 => "p256",
        }
    }

    /// What people say.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Keys::Rsa2048 => "RSA-2048, Basic256 (rsa-sha1, RSA-OAEP, AES-256-CBC)",
            Keys::Rsa1024 => "RSA-1024, Basic256 (rsa-sha1, RSA-OAEP, AES-256-CBC)",
            Keys::P256 => "P-256 (ecdsa-sha256, ECDH-ES, AES-256-GCM)",
        }
    }

    /// Reads a name; the number of bits will do for RSA.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Keys> {
        match name {
            "2048" | "rsa2048" | "rsa-2048" => Some(Keys::Rsa2048),
            "1024" | "rsa1024" | "rsa-1024" => Some(Keys::Rsa1024),
            "p256" | "p-256" | "P-256" | "ec" => Some(Keys::P256),
            _ => None,
        }
    }

    /// The policy of our own side: a built-in name, or the text of a short form.
    #[must_use]
    pub fn policy(self) -> Policy {
        match self {
            Keys::Rsa2048 | Keys::Rsa1024 => Policy::BuiltIn("scenario:rampart-c"),
            Keys::P256 => Policy::Short(Cow::Borrowed(EC)),
        }
    }
}

impl fmt::Display for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A policy that both our server and our client are given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Policy {
    /// By its built-in name.
    BuiltIn(&'static str),
    /// A short form in TOML with one policy.
    Short(Cow<'static, str>),
}

/// The shape of the benchmark policy with elliptic curves: what WSS4J is told with `--suite ec`.
const EC: &str = "\
[policy.ec]
binding = \"asymmetric\"
sign = [\"body\"]
encrypt = [\"body\"]
suite = \"modern-ec\"
signature_confirmation = true
";

#[cfg(test)]
mod tests;
