//! The configuration, typed. What each key means stands in [`table::KEYS`].
//!
//! Not here: reading TOML ([`mod@read`]), judging it ([`check`]), or making anything run of
//! it (`build`). Called by the command line's `serve` and `check`.

pub mod check;
pub mod diagnostic;
pub mod read;
pub mod replay;
pub mod table;
pub mod value;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::ops::Range;
use std::path::PathBuf;
use std::time::Duration;

use bartizan_net::HttpLimits;
use bartizan_policy::compile::Profile;
use bartizan_wss::KeepBounds;
use bartizan_xml::Limits;

pub use diagnostic::{Diagnostic, Severity, Source};
pub use replay::Replay;

/// A value and the bytes of the file that it came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed<T> {
    /// The value.
    pub value: T,
    /// Byte range in the file's text; empty for a default.
    pub at: Range<usize>,
}

impl<T> Placed<T> {
    /// A value that no file holds: a default, or one from the command line.
    pub fn nowhere(value: T) -> Self {
        Placed { value, at: 0..0 }
    }
}

// tidy: bag a file as it is written: one section or key a field
/// Everything `serve` needs to know.
#[derive(Clone, Debug)]
pub struct Config {
    /// `[server]`.
    pub server: Server,
    /// `[limits]`: what one message may hold.
    pub limits: Limits,
    /// `[limits]`: what one HTTP exchange may take.
    pub http: HttpLimits,
    /// `[limits] connections`, over all listeners.
    pub connections: usize,
    /// `[limits] connections_per_peer`; `None` is half of `connections`.
    pub connections_per_peer: Option<usize>,
    /// `[limits] in_flight`: exchanges at work at the same time, over all listeners.
    pub in_flight: usize,
    /// `[limits] in_flight_per_peer`; `None` is half of `in_flight`.
    pub in_flight_per_peer: Option<usize>,
    /// `[limits] work_per_peer`; `None` is one less than twice the number of cores.
    pub work_per_peer: Option<usize>,
    /// `[limits] waiting`: messages at a time whose verification may wait for something outside, and those that wait for a derived key.
    pub waiting: usize,
    /// `[limits] large`: bytes of messages on their way at the same time, beyond 64 KiB of each.
    pub large_bytes: usize,
    /// `[keys.NAME]`.
    pub keys: BTreeMap<String, KeySet>,
    /// `[[listener]]`.
    pub listeners: Vec<Listener>,
    /// `[[service]]`.
    pub services: Vec<Service>,
    /// Names under `[policy]`; their text is read by the policy crate.
    pub policies: Vec<String>,
    /// `[authentication.users]`.
    pub users: Option<Users>,
    /// `[log] access`.
    pub access: Access,
    /// Where that is said.
    pub access_at: Range<usize>,
}

/// `[authentication.users]`: where the users are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Users {
    /// The file of users.
    pub file: Placed<PathBuf>,
    /// The key that sealed passwords are opened with.
    pub key_file: Option<Placed<PathBuf>>,
}

/// `[server]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    /// Number of worker threads; `None` is one a core.
    pub workers: Option<usize>,
    /// The state folder; `None` leaves the choice to the command line.
    pub state: Option<PathBuf>,
    /// How long a stop waits for running exchanges.
    pub drain: Duration,
    /// Refusals are answered at multiples of this after the whole message arrived (zero: at once).
    pub failure_quantum: Duration,
    /// Where that is said.
    pub failure_quantum_at: Range<usize>,
}

impl Default for Server {
    fn default() -> Self {
        Server {
            workers: None,
            state: None,
            drain: Duration::from_secs(30),
            failure_quantum: Duration::from_millis(10),
            failure_quantum_at: 0..0,
        }
    }
}

/// `[keys.NAME]`: an own key, and whom we know and trust.
// tidy: bag one table of the file, key by key
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeySet {
    /// A folder as `keys demo` makes it.
    pub folder: Option<PathBuf>,
    /// In a folder: who we are. Default `server`.
    pub name: Option<String>,
    /// In a folder: who the other side is. Default `client`.
    pub peer_name: Option<String>,
    /// PEM: own certificate, then its chain.
    pub certificate: Option<PathBuf>,
    /// PEM: own private key.
    pub private_key: Option<PathBuf>,
    /// A PKCS#12 store with certificate and key.
    pub pkcs12: Option<PathBuf>,
    /// A Java key store with certificate and key.
    pub jks: Option<PathBuf>,
    /// Merlin's properties, which say where keys and trust are.
    pub merlin: Option<PathBuf>,
    /// The password of the store.
    pub password: Option<Secret>,
    /// PEM: certificates of the other side, known by thumbprint, SKI, issuer and serial.
    pub peers: Vec<PathBuf>,
    /// PEM: trust anchors.
    pub trust: Vec<PathBuf>,
    /// PEM: intermediate certificates that complete a path, not trusted themselves.
    pub untrusted: Vec<PathBuf>,
    /// Revocation lists.
    pub revocation: Vec<PathBuf>,
    /// Certificates may be signed with algorithms of status legacy.
    pub legacy: bool,
    /// Smallest RSA modulus, in bits.
    pub min_rsa: Option<u32>,
    /// Where its files and folders are named in the file.
    pub places: Vec<Placed<PathBuf>>,
    /// Where the table begins in the file.
    pub at: Range<usize>,
}

/// Where a secret comes from; never the file itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Secret {
    /// The first line of this file.
    File(PathBuf),
    /// This environment variable.
    Env(String),
}

/// `[[listener]]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listener {
    /// Its name, for the readiness line and the log.
    pub name: String,
    /// Where it listens; port 0 takes a free one.
    pub address: Placed<SocketAddr>,
}

/// `[[service]]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Service {
    /// The exact path of requests to it.
    pub path: Placed<String>,
    /// What it is.
    pub kind: Placed<Kind>,
    /// Under which policy it stands.
    pub policy: Placed<PolicyName>,
    /// The key set; may be left out only where the policy needs none.
    pub keys: Option<Placed<String>>,
    /// The replay guard.
    pub replay: Replay,
    /// How many secrets of requests are kept for later ones; `None`: none, each request carries its EncryptedKey.
    pub reuse: Option<KeepBounds>,
    /// Where that is said.
    pub reuse_at: Range<usize>,
    /// A policy that demands no authentication is meant so.
    pub open: bool,
    /// Whose messages are to be expected, if not those of the specification.
    pub profile: Option<Profile>,
    /// Namespaces whose assertions do not matter here.
    pub ignore: Vec<String>,
}

/// What is hosted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Answers the body of the request.
    Echo,
    /// Answers the verified view, unsecured; loopback only.
    Mirror,
}

impl Kind {
    /// All kinds, by name.
    pub const ALL: [(&'static str, Kind); 2] = [("echo", Kind::Echo), ("mirror", Kind::Mirror)];

    /// The name in the configuration.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Echo => "echo",
            Kind::Mirror => "mirror",
        }
    }
}

/// Where a policy is to be found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PolicyName {
    /// `open`: nothing is demanded and nothing is added.
    Open,
    /// A name that is built in, such as `scenario:rampart-c`.
    BuiltIn(String),
    /// `[policy.NAME]` of this configuration.
    Section(String),
    /// A file, and the name behind `#` if there is one.
    File(PathBuf, Option<String>),
}

/// `[log] access`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Access {
    /// None is written.
    Off,
    /// JSON lines on standard output.
    Stdout,
    /// JSON lines on standard error.
    Stderr,
    /// JSON lines appended to this file.
    File(PathBuf),
}
