//! The configuration that is there without a file: the benchmark's echo with demo keys, and
//! what the options change of it.

use std::collections::BTreeMap;
use std::net::{SocketAddr, ToSocketAddrs as _};
use std::path::Path;

use bartizan_crypto::random::SystemRandom;
use bartizan_gateway::config::read::{DEFAULT_LISTENER, policy_name};
use bartizan_gateway::config::{Config, KeySet, Kind, Listener, Placed, PolicyName, Replay, Service};
use bartizan_gateway::policy::{Pick, Source};
use bartizan_gateway::state::StateFolder;
use bartizan_net::{Clock as _, SystemClock};
use bartizan_policy::Options;
use bartizan_policy::compile::{Open, Profile};
use clap::ArgMatches;

use crate::args::Values as _;
use crate::args::flags::KEY_OPTIONS;
use crate::keyset::{self, failure};
use crate::output::{self, Failure};
use crate::users;

/// Where the echo is: its own path, and the one where the benchmark had it.
const PATHS: [&str; 2] = ["/sec_echo", "/axis2/services/sec_echo"];
/// The benchmark policy.
const POLICY: &str = "scenario:rampart-c";

/// The options that a configuration file excludes.
pub(super) fn changes() -> impl Iterator<Item = &'static str> {
    let own = ["policy", "listen", "replay", "open", "profile", "ignore", "users", "users-key"];
    own.into_iter().chain(KEY_OPTIONS.iter().copied()).chain(["legacy"])
}

/// The configuration of the quick form.
pub(super) fn config(matches: &ArgMatches, state: &StateFolder) -> Result<Config, Failure> {
    let text = matches.text("policy").unwrap_or(POLICY);
    let policy = match policy_name(text, Path::new("")) {
        PolicyName::Section(name) => PolicyName::File(name.into(), None),
        name => name,
    };
    // Before keys are made and a state folder is filled: a policy that is not there is said once, and nothing is left.
    if policy != PolicyName::Open {
        let options = Options {
            open: if matches.on("open") { Open::Said } else { Open::Refused },
            profile: matches.text("profile").and_then(Profile::by_name).unwrap_or_default(),
            ignore: matches.texts("ignore").into_iter().map(Into::into).collect(),
            ..Options::default()
        };
        Source::find(&policy, Pick::Only, None)
            .and_then(|source| source.compile(&options))
            .map_err(failure)?;
    }
    let (name, address) = DEFAULT_LISTENER;
    let address = listen(matches.text("listen").unwrap_or(address))?;
    let keys = keys(matches, state)?;
    let service = |path: &str| Service {
        path: Placed::nowhere(path.to_owned()),
        kind: Placed::nowhere(Kind::Echo),
        policy: Placed::nowhere(policy.clone()),
        keys: Some(Placed::nowhere("own".to_owned())),
        replay: if matches.text("replay") == Some("off") { Replay::Off } else { Replay::DEFAULT },
        reuse: None,
        reuse_at: 0..0,
        open: matches.on("open"),
        profile: matches.text("profile").and_then(Profile::by_name),
        ignore: matches.texts("ignore").into_iter().map(str::to_owned).collect(),
    };
    Ok(Config {
        keys: BTreeMap::from([("own".to_owned(), keys)]),
        listeners: vec![Listener { name: name.to_owned(), address: Placed::nowhere(address) }],
        services: PATHS.into_iter().map(service).collect(),
        users: users::options(matches)?,
        ..Config::default()
    })
}

/// The keys of the options, or demo keys, which are made on the first run.
fn keys(matches: &ArgMatches, state: &StateFolder) -> Result<KeySet, Failure> {
    let set = keyset::options(matches)?;
    if keyset::given(&set) {
        return Ok(set);
    }
    let (folder, made) = state.demo_keys(SystemClock.now(), &SystemRandom).map_err(failure)?;
    if !matches.on("quiet") {
        let word = if made { "made demo keys in" } else { "demo keys are in" };
        output::say(format_args!("{word} {}", folder.display()));
    }
    Ok(KeySet { folder: Some(folder), ..set })
}

/// An address with a port; a name is looked up, `:8080` is loopback.
fn listen(text: &str) -> Result<SocketAddr, Failure> {
    let whole = if text.starts_with(':') { format!("127.0.0.1{text}") } else { text.to_owned() };
    let found = whole.to_socket_addrs().ok().and_then(|mut found| found.next());
    found.ok_or_else(|| {
        Failure::could_not(format_args!("--listen takes an address with a port, and `{text}` is none"))
            .help("write it like 127.0.0.1:8080")
    })
}
