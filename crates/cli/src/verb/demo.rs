//! `demo`: keys, a server, one call, the evidence of its four steps, attacks refused.
//!
//! Server and client run in this process and meet on loopback; what is said of the server's
//! side comes out of its own access log.

#![allow(clippy::indexing_slicing, reason = "a JSON value that has no such member reads as null")]

mod attack;
mod show;

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use bartizan_crypto::random::SystemRandom;
use bartizan_gateway::access::AccessLog;
use bartizan_gateway::build::{self, Surroundings, Watch};
use bartizan_gateway::config::{Config, KeySet, Kind, Listener, Placed, PolicyName, Replay, Service};
use bartizan_gateway::keyset::{self, Role};
use bartizan_gateway::policy::{Pick, Source};
use bartizan_gateway::state::StateFolder;
use bartizan_gateway::{Gateway, Server};
use bartizan_keys::Keystore;
use bartizan_net::http::client::ClientLimits;
use bartizan_net::{Clock as _, SystemClock};
use bartizan_policy::Options;
use bartizan_soap::Version;
use bartizan_wss::{Plan, Side, Verified};
use clap::ArgMatches;
use serde_json::Value;

use crate::args::Values as _;
use crate::client::{self, Client, GREETING, Reply, Request};
use crate::keyset::{ask, failure};
use crate::output::{self, Exit, Failure, Outcome};
use crate::verb::serve::{mount, replay_teller};

/// The benchmark policy.
const POLICY: &str = "scenario:rampart-c";
/// Where the echo is.
const PATH: &str = "/sec_echo";
/// How long the server's own record of an exchange may take to appear.
const RECORD_TIME: Duration = Duration::from_secs(5);

/// What happened.
pub(super) struct Story {
    keys: Duration,
    url: String,
    request: Request,
    server: Value,
    reply: Reply,
    verified: Verified,
    checked: Duration,
    attacks: Vec<attack::Attempt>,
}

pub(crate) fn run(matches: &ArgMatches) -> Outcome {
    let folder = Temporary::make("demo")?;
    let began = Instant::now();
    let state = StateFolder::open(&folder.0).map_err(failure)?;
    let (keys, _) = state.demo_keys(SystemClock.now(), &SystemRandom).map_err(failure)?;
    let keys_time = began.elapsed();
    let config = config(&keys)?;
    let client_keys = KeySet { folder: Some(keys), ..KeySet::default() };
    let client_keys = keyset::load(&client_keys, Role::Initiator, &ask).map_err(failure)?;
    let source = Source::find(&PolicyName::BuiltIn(POLICY.to_owned()), Pick::Only, None).map_err(failure)?;
    let plans = source.compile(&Options::default()).map_err(failure)?.plans;
    let plan = plans.side(Side::Initiator);
    let runtime = tokio::runtime::Runtime::new()
        .map_err(|error| Failure::could_not(format_args!("cannot start: {error}")))?;
    let story = runtime.block_on(play(&config, plan, &client_keys, keys_time))?;
    if matches.on("json") {
        output::json(&show::json(&story));
    } else {
        output::put(show::text(&story, matches.on("verbose")).as_bytes());
    }
    let refused = story.attacks.iter().all(|attempt| attempt.refused);
    Ok(if refused { Exit::Yes } else { Exit::No })
}

/// Starts the server, calls it, attacks it, stops it.
async fn play(config: &Config, plan: &Plan, keys: &Keystore, keys_time: Duration) -> Result<Story, Failure> {
    let (lines, records) = channel();
    let log = AccessLog::to(Lines(lines)).map_err(Failure::could_not)?;
    let now = SystemClock.now();
    let watch = Watch { journal: None, before: None, now, random: &SystemRandom, tell: replay_teller() };
    let replay = build::guards(config, &watch).map_err(failure)?;
    let around = Surroundings {
        text: ("", Path::new("")),
        now,
        random: &SystemRandom,
        ask: &ask,
        mount: &mount,
        replay,
    };
    let (table, _) = build::build(config, &around).map_err(|found| {
        let first = found.first().map_or(String::new(), |finding| finding.problem.to_string());
        Failure::no(format_args!("the demo server cannot be built: {first}"))
    })?;
    let gateway = Arc::new(Gateway::new(table, log, Box::new(SystemClock), Box::new(SystemRandom)));
    let server = Server::start(config, gateway, None).await.map_err(Failure::could_not)?;
    let address = server.addresses().first().map(|(_, address)| *address);
    let address = address.ok_or_else(|| Failure::could_not("the demo server does not listen"))?;
    let url = format!("http://{address}{PATH}");
    let uri: http::Uri = url.parse().map_err(|_| Failure::could_not("no URL"))?;
    let client = Client { plan, keys, login: None, limits: ClientLimits::default() };

    let draft = client::draft(GREETING.as_bytes().to_vec(), Version::Soap12).map_err(Failure::no)?;
    let request = client.secure(draft.clone()).map_err(Failure::no)?;
    let reply = client.send(&uri, &request).await?;
    let record = record(&records)?;
    let (verdict, checked) = client.verify(&reply, &request.sent);
    let verified = verdict.map_err(|reject| {
        let server = record["detail"].as_str().unwrap_or("nothing");
        Failure::no(format_args!("the reply is refused: {reject}; the server says: {server}"))
    })?;
    let mut attacks = Vec::new();
    for attack in attack::ALL {
        attacks.push(attack.attempt(&client, &uri, &draft, &request, &records).await?);
    }
    server.stop(Duration::from_secs(5)).await;
    Ok(Story { keys: keys_time, url, request, server: record, reply, verified, checked, attacks })
}

/// The server's next record.
fn record(records: &Receiver<String>) -> Result<Value, Failure> {
    let line =
        records.recv_timeout(RECORD_TIME).map_err(|_| Failure::could_not("the server keeps no record"))?;
    serde_json::from_str(&line).map_err(|_| Failure::could_not("the server's record is no JSON"))
}

/// One echo under the benchmark policy on a free loopback port.
fn config(keys: &Path) -> Result<Config, Failure> {
    let address = "127.0.0.1:0".parse().map_err(|_| Failure::could_not("no loopback address"))?;
    let service = Service {
        path: Placed::nowhere(PATH.to_owned()),
        kind: Placed::nowhere(Kind::Echo),
        policy: Placed::nowhere(PolicyName::BuiltIn(POLICY.to_owned())),
        keys: Some(Placed::nowhere("demo".to_owned())),
        replay: Replay::DEFAULT,
        reuse: None,
        reuse_at: 0..0,
        open: false,
        profile: None,
        ignore: Vec::new(),
    };
    let set = KeySet { folder: Some(keys.to_owned()), ..KeySet::default() };
    Ok(Config {
        keys: BTreeMap::from([("demo".to_owned(), set)]),
        listeners: vec![Listener { name: "demo".to_owned(), address: Placed::nowhere(address) }],
        services: vec![service],
        ..Config::default()
    })
}

/// Sends the lines of the log to whoever waits for them.
struct Lines(Sender<String>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for line in String::from_utf8_lossy(bytes).lines() {
            // Nobody waits any more when the demo is over.
            let _ = self.0.send(line.to_owned());
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A folder that is gone when this is.
pub(super) struct Temporary(pub(super) std::path::PathBuf);

impl Temporary {
    /// Makes one with `what` in its name.
    pub(super) fn make(what: &str) -> Result<Self, Failure> {
        let mut octets = [0u8; 8];
        bartizan_crypto::random::Random::fill(&SystemRandom, &mut octets);
        let name = format!("bartizan-{what}-{:016x}", u64::from_be_bytes(octets));
        let path = std::env::temp_dir().join(name);
        // Fails if it is there: nobody else's folder is used, and none is removed.
        std::fs::create_dir(&path).map_err(|error| Failure::file("make", &path, &error))?;
        Ok(Temporary(path))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
