//! What can be wrong with a configuration or at start-up, and the one error of the crate.
//!
//! Nothing of this reaches the wire: refusals of messages are `wss::Reject`, and their
//! faults are made in `exchange::fault`.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use bartizan_keys::Error as KeyError;
pub use bartizan_net::error::plain;

use crate::config::Kind;
use crate::config::value::show_duration;
use crate::users::{UserProblem, UsersReport};

/// One thing that is wrong, or worth knowing, about a configuration.
#[derive(Debug)]
#[non_exhaustive]
pub enum Problem {
    /// The text is no TOML.
    Toml(toml::de::Error),
    /// A key that the table does not have.
    UnknownKey {
        /// The key as written.
        key: String,
        /// The table it stands in.
        table: &'static str,
        /// What was likely meant.
        nearest: Option<&'static str>,
    },
    /// A key whose meaning is fixed but that this version does not have.
    NotBuilt {
        /// The key with its table.
        key: String,
    },
    /// A value of the wrong type.
    Type {
        /// The key.
        key: &'static str,
        /// What may be written.
        wanted: &'static str,
        /// What was found.
        found: &'static str,
    },
    /// A value of the right type that cannot be read.
    Value {
        /// The key.
        key: &'static str,
        /// What may be written.
        wanted: &'static str,
        /// What was found.
        found: String,
        /// What was likely meant.
        nearest: Option<&'static str>,
    },
    /// A key that cannot be left out.
    Missing {
        /// The key.
        key: &'static str,
        /// Its table.
        table: &'static str,
    },
    /// Two keys that exclude each other.
    Both(&'static str, &'static str),
    /// A key that needs another one.
    Needs(&'static str, &'static str),
    /// A name that no section defines.
    NoSuch {
        /// `keys` or `policy`.
        what: &'static str,
        /// The name.
        name: String,
        /// What was likely meant.
        nearest: Option<String>,
    },
    /// Two entries that would answer the same.
    Twice {
        /// `path` or `name`.
        what: &'static str,
        /// The value that stands twice.
        value: String,
    },
    /// A service's path does not start with `/` or holds characters that a path cannot.
    Path {
        /// As written.
        written: String,
    },
    /// No service at all.
    NoService,
    /// A kind that only loopback listeners may have.
    LoopbackOnly(Kind),
    /// A policy takes keys in WSE's style beside passwords in clear, and a listener is open to others.
    KeysInClear,
    /// Merlin's properties say what is not done here.
    Merlin {
        /// The file.
        path: PathBuf,
        /// Line, from 1; 0 where it is about the whole.
        line: usize,
        /// What; never a value of the file.
        what: String,
    },
    /// A plan demands no authentication and the service does not say that it is meant.
    OpenUnsaid,
    /// A policy that needs keys, and none are named.
    KeysMissing,
    /// A file could not be read.
    Read {
        /// Which.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// The policy signs or decrypts, and the key set has no key of our own.
    NoOwnKey,
    /// The policy demands a signature, and the key set trusts nobody.
    NoTrust,
    /// The key set's own key is of another kind than the policy's signature needs.
    KeyKind {
        /// The signature method.
        method: &'static str,
    },
    /// A file or folder could not be written.
    Write {
        /// Which.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// A file holds no private key.
    NoKey(PathBuf),
    /// A file that is named as a key store of a kind is something else.
    NoStore {
        /// Which.
        path: PathBuf,
        /// What it is named as.
        wanted: &'static str,
    },
    /// Warning: refusals are sent at once.
    QuantumOff,
    /// A file holds no certificate.
    NoCertificate(PathBuf),
    /// A file holds no revocation list.
    NoCrl(PathBuf),
    /// A policy cannot be used; its own diagnostics say why.
    Policy(Box<crate::policy::BadPolicy>),
    /// Warning: a policy has warnings of its own.
    PolicyWarnings {
        /// The file.
        file: String,
        /// How many.
        count: usize,
    },
    /// A secret's environment variable is not set.
    EnvUnset {
        /// Its name.
        name: String,
    },
    /// A key store or certificate could not be used.
    Keys {
        /// Which file or set.
        path: PathBuf,
        /// Why.
        source: bartizan_keys::Error,
    },
    /// Warning: the replay guard is off.
    ReplayOff,
    /// Warning: the guard remembers for this long only, since the policy has no Timestamp.
    ReplayWindow(Duration),
    /// Warning: with the guard off, CBC under sign-then-encrypt has one defence less.
    OracleExposed,
    /// Warning: `reuse` is on and the policy has no shared secret that signs.
    ReuseOfNothing,
    /// Warning: `reuse` is on, the policy proves no caller, and nothing is kept of such requests.
    ReuseNameless,
    /// The policy leaves protection to TLS, which no listener speaks yet.
    NoTls,
    /// Warning: algorithms of status legacy are in use.
    LegacyAlgorithms(Vec<&'static str>),
    /// Warning: a certificate ends soon, or has.
    Ends {
        /// Subject of the certificate.
        subject: String,
        /// When, RFC 3339.
        when: String,
        /// Whether that is past.
        over: bool,
    },
    /// Warning: a private key that lies open.
    KeyExposed(PathBuf),
    /// Warning: RSA keys this small are accepted.
    SmallRsa(u32),
    /// Something about one user.
    User(UserProblem),
    /// What was found in a file of users.
    Users(Box<UsersReport>),
    /// The policy demands a UsernameToken that proves something, and there are no users.
    UsersNeeded,
    /// Warning: the policy needs passwords themselves, and of so many users, in all, only a hash is stored.
    SecretsNeeded(usize, usize),
}

const KEYS_IN_CLEAR: &str = "the policy takes keys in the style of WSE beside passwords in clear, which everybody on the way could read";
const REUSE_OF_NOTHING: &str =
    "`reuse` does nothing: no request under this policy is signed with a shared secret";
const REUSE_NAMELESS: &str = "`reuse` does nothing: requests under this policy prove no caller";
const ORACLE_EXPOSED: &str =
    "signed, then encrypted with CBC, and no replay guard: a captured message can be tried again";

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Toml(error) => f.write_str(error.message()),
            Problem::UnknownKey { key, table: "", .. } => write!(f, "unknown section `[{key}]`"),
            Problem::UnknownKey { key, table, .. } => write!(f, "unknown key `{key}` in `[{table}]`"),
            Problem::NotBuilt { key } => write!(f, "`{key}` is not in this version"),
            Problem::Type { key, wanted, found } => write!(f, "`{key}` must be {wanted}, not {found}"),
            Problem::Value { key, wanted, found, .. } => {
                write!(f, "`{key}` must be {wanted}, and `{found}` is not")
            }
            Problem::Missing { key, table } => write!(f, "`{key}` is missing in `[{table}]`"),
            Problem::Both(one, other) => write!(f, "`{one}` and `{other}` exclude each other"),
            Problem::Needs(one, other) => write!(f, "`{one}` needs `{other}`"),
            Problem::NoSuch { what, name, .. } => write!(f, "there is no `[{what}.{name}]`"),
            Problem::Twice { what, value } => write!(f, "the {what} `{value}` stands twice"),
            Problem::Path { written: path } => write!(f, "`{path}` is no path of a URL"),
            Problem::NoService => f.write_str("no `[[service]]`: there is nothing to serve"),
            Problem::LoopbackOnly(kind) => {
                write!(f, "a service of kind `{}` needs loopback listeners only", kind.name())
            }
            Problem::KeysInClear => f.write_str(KEYS_IN_CLEAR),
            Problem::Merlin { path, line, what } => write!(f, "{}:{line}: {what}", path.display()),
            Problem::OpenUnsaid => f.write_str("the policy demands no authentication"),
            Problem::KeysMissing => f.write_str("the policy needs keys, and the service names none"),
            Problem::Read { path, source } => write!(f, "cannot read {}: {}", path.display(), plain(source)),
            Problem::NoOwnKey => f.write_str("the policy needs a key of our own, and the key set has none"),
            Problem::NoTrust => f.write_str("the policy demands a signature, and the key set trusts nobody"),
            Problem::KeyKind { method } => write!(f, "the key set's own key cannot make {method} signatures"),
            Problem::Write { path, source } => {
                write!(f, "cannot write {}: {}", path.display(), plain(source))
            }
            Problem::NoKey(path) => write!(f, "{} holds no private key", path.display()),
            Problem::NoStore { path, wanted } => write!(f, "{} is no {wanted}", path.display()),
            Problem::QuantumOff => f.write_str(
                "`failure_quantum` is zero: the time of a refusal tells how far a forged message came",
            ),
            Problem::NoCertificate(path) => write!(f, "{} holds no certificate", path.display()),
            Problem::NoCrl(path) => write!(f, "{} holds no revocation list", path.display()),
            Problem::Policy(bad) => write!(f, "{bad}"),
            Problem::PolicyWarnings { file, count: 1 } => write!(f, "the policy {file} has a warning"),
            Problem::PolicyWarnings { file, count } => write!(f, "the policy {file} has {count} warnings"),
            Problem::EnvUnset { name } => write!(f, "the environment variable `{name}` is not set"),
            Problem::Keys { source: KeyError::Io { kind, file }, .. } => {
                write!(f, "cannot read {}: {}", file.display(), words(*kind))
            }
            // It names the file itself.
            Problem::Keys { source: source @ KeyError::InFile { .. }, .. } => write!(f, "{source}"),
            Problem::Keys { path, source } => write!(f, "{}: {source}", path.display()),
            Problem::ReplayOff => f.write_str("`replay = \"off\"`: a captured message is served again"),
            Problem::ReplayWindow(window) => write!(
                f,
                "the policy demands no Timestamp: a repeated message is recognised for {} only",
                show_duration(*window)
            ),
            Problem::ReuseOfNothing => f.write_str(REUSE_OF_NOTHING),
            Problem::ReuseNameless => f.write_str(REUSE_NAMELESS),
            Problem::NoTls => {
                f.write_str("the policy leaves protection to TLS, and no listener speaks it yet")
            }
            Problem::OracleExposed => f.write_str(ORACLE_EXPOSED),
            Problem::LegacyAlgorithms(names) => {
                write!(f, "the policy names legacy algorithms: {}", names.join(", "))
            }
            Problem::Ends { subject, when, over } => {
                let ends = if *over { "ended" } else { "ends" };
                write!(f, "the certificate of `{subject}` {ends} at {when}")
            }
            Problem::KeyExposed(path) => {
                write!(f, "others than its owner can read or change {}", path.display())
            }
            Problem::SmallRsa(bits) => write!(f, "RSA keys of {bits} bits are accepted"),
            Problem::User(problem) => write!(f, "{problem}"),
            Problem::Users(report) => write!(f, "{report}"),
            Problem::UsersNeeded => f.write_str("the policy demands a UsernameToken, and no users are named"),
            Problem::SecretsNeeded(hashed, all) => write!(
                f,
                "the policy takes password digests or derived keys, and {hashed} of {all} users have only a hash"
            ),
        }
    }
}

/// Why a file could not be read.
pub(crate) fn words(kind: io::ErrorKind) -> String {
    match kind {
        io::ErrorKind::NotFound => "no such file or directory".to_owned(),
        kind => kind.to_string(),
    }
}

impl Problem {
    /// How to mend it, where there is something to say.
    pub fn help(&self) -> Option<String> {
        let text = match self {
            Problem::Merlin { .. } => {
                "`bartizan help actions` lists Merlin's names and what becomes of them".to_owned()
            }
            Problem::UnknownKey { nearest: Some(name), .. } | Problem::Value { nearest: Some(name), .. } => {
                format!("did you mean `{name}`?")
            }
            Problem::UnknownKey { table, .. } => {
                let known: Vec<&str> = crate::config::table::names(table).collect();
                if known.is_empty() {
                    return None;
                }
                format!("known here: {}", known.join(", "))
            }
            Problem::NotBuilt { .. } => "take it out; `bartizan help config` lists every key".to_owned(),
            Problem::NoSuch { nearest: Some(name), .. } => format!("did you mean `{name}`?"),
            Problem::NoSuch { what, name, .. } => format!("add a section `[{what}.{name}]`"),
            Problem::Path { .. } => "write it like `/sec_echo`, without query".to_owned(),
            Problem::NoService => "add `[[service]]` with `path`, `kind` and `policy`".to_owned(),
            Problem::LoopbackOnly(_) => "listen on 127.0.0.1 or ::1".to_owned(),
            Problem::KeysInClear => {
                "encrypt the token, take keys with Salt and Iteration, or listen on loopback only".to_owned()
            }
            Problem::OpenUnsaid => "write `open = true` if that is meant".to_owned(),
            Problem::KeysMissing => "add `keys = \"NAME\"` and a section `[keys.NAME]`".to_owned(),
            Problem::NoTls => {
                "name a policy whose messages are signed, or a UsernameToken with `open = true`".to_owned()
            }
            Problem::ReplayOff | Problem::OracleExposed => {
                "leave `replay` out unless this is a benchmark".to_owned()
            }
            Problem::PolicyWarnings { file, count: 1 } => {
                format!("`bartizan policy check {file}` shows it")
            }
            Problem::PolicyWarnings { file, .. } => format!("`bartizan policy check {file}` shows them"),
            Problem::ReplayWindow(_) => "demand a Timestamp, or widen `replay = { window = … }`".to_owned(),
            Problem::NoStore { .. } => {
                "PEM files are named as certificate and key; `bartizan keys inspect` shows what a file holds"
                    .to_owned()
            }
            Problem::QuantumOff => "leave it out, or write `\"10ms\"`".to_owned(),
            Problem::NoOwnKey => "add `certificate` and `private_key`, or a store".to_owned(),
            Problem::NoTrust => "add `trust = [\"ca.pem\"]`".to_owned(),
            Problem::KeyExposed(path) => format!("`chmod 600 {}`", path.display()),
            Problem::SmallRsa(_) => "2048 bits is the least that is safe today".to_owned(),
            Problem::User(problem) => return problem.help(),
            Problem::UsersNeeded => {
                "name them: `file` in `[authentication.users]`, or --users FILE".to_owned()
            }
            Problem::ReuseOfNothing => "leave it out".to_owned(),
            Problem::ReuseNameless => {
                "say `nameless` in `reuse = { … }`: such a secret is bound to nothing but its possession"
                    .to_owned()
            }
            Problem::SecretsNeeded(..) => "store their passwords as `sealed` or `password`".to_owned(),
            Problem::Toml(_)
            | Problem::Type { .. }
            | Problem::Value { .. }
            | Problem::Missing { .. }
            | Problem::Both(..)
            | Problem::Needs(..)
            | Problem::Twice { .. }
            | Problem::Read { .. }
            | Problem::KeyKind { .. }
            | Problem::Write { .. }
            | Problem::NoKey(_)
            | Problem::NoCertificate(_)
            | Problem::NoCrl(_)
            | Problem::Policy(_)
            | Problem::EnvUnset { .. }
            | Problem::Keys { .. }
            | Problem::LegacyAlgorithms(_)
            | Problem::Ends { .. }
            | Problem::Users(_) => return None,
        };
        Some(text)
    }
}
