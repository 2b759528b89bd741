//! The options of a scenario of `bench` as an order to the lab.

use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use bartizan_lab::kind::Kind;
use bartizan_lab::measure::{CONCURRENCY, Order};
use bartizan_lab::peer::Engine;
use bartizan_lab::scenario::Keys;
use bartizan_net::{Clock as _, SystemClock};
use clap::ArgMatches;

use crate::args::Values as _;
use crate::keyset;
use crate::output::Failure;
use crate::plan;

/// Where the Java peers are in a checkout.
const PEERS: &str = "interop/java";

/// Threads and calls of each that the published report on UsernameTokens has.
const THREADS: usize = 10;
const CALLS: usize = 5_000;

/// What is asked for of a scenario.
pub(super) fn order(scenario: &str, matches: &ArgMatches, work: &Path) -> Result<Order, Failure> {
    let binary = std::env::current_exe()
        .map_err(|error| Failure::could_not(format_args!("cannot find this program's own file: {error}")))?;
    let tokens = scenario == "unt";
    let known: &[Keys] = if tokens { &[Keys::Rsa2048, Keys::Rsa1024] } else { &Keys::ALL };
    let keys = names(matches, "keys-sizes", "kind of keys", |name| {
        Keys::by_name(name).filter(|keys| known.contains(keys))
    })?;
    let keys = keys.unwrap_or(known.to_vec());
    let kinds: Vec<Kind> =
        if tokens { Kind::tokens(&keys) } else { keys.into_iter().map(Kind::Rampart).collect() };
    let takes_part = |engine: &Engine| Engine::ALL.contains(engine) && kinds.iter().any(|k| engine.can(*k));
    let engines = names(matches, "only", "engine", |name| Engine::by_name(name).filter(takes_part))?;
    let quick = matches.on("quick");
    let or = |given: Option<Duration>, long: u64, short: u64| {
        given.unwrap_or(Duration::from_millis(if quick { short } else { long }))
    };
    let rounds = count(matches, "rounds")?.unwrap_or(if quick { 1 } else { 9 });
    let (concurrency, calls, turn) = if tokens {
        let threads = count(matches, "threads")?.unwrap_or(THREADS);
        let all = count(matches, "calls")?.unwrap_or(if quick { 20 } else { CALLS });
        (vec![threads], all.div_ceil(rounds) as u64, 1_000)
    } else {
        (CONCURRENCY.to_vec(), 0, 2_000)
    };
    Ok(Order {
        named: engines.is_some(),
        engines: engines.unwrap_or(Engine::ALL.into_iter().filter(takes_part).collect()),
        kinds,
        together: tokens,
        concurrency,
        calls,
        rounds,
        duration: or(seconds(matches, "duration")?, turn, 300),
        warm: or(seconds(matches, "warm")?, 60_000, 1_000),
        peers: matches.path("peers").unwrap_or_else(|| peers(&binary)),
        binary,
        work: work.to_owned(),
        now: SystemClock.now(),
    })
}

/// A number from 1.
fn count(matches: &ArgMatches, id: &str) -> Result<Option<usize>, Failure> {
    match keyset::number::<usize>(matches, id)? {
        Some(0) => Err(Failure::could_not(format_args!("--{id} takes a number from 1"))),
        number => Ok(number),
    }
}

/// Whether to say what is being done: on a terminal only.
pub(super) fn progress(matches: &ArgMatches) -> bool {
    io::stderr().is_terminal() && !matches.on("quiet")
}

/// The folder of the checkout that we are in, or that this binary was built in.
fn peers(binary: &Path) -> PathBuf {
    let mut above = binary.ancestors().skip(1).map(|folder| folder.join(PEERS));
    let here = PathBuf::from(PEERS);
    if here.is_dir() { here } else { above.find(|folder| folder.is_dir()).unwrap_or(here) }
}

/// A duration; a number alone is seconds.
fn seconds(matches: &ArgMatches, id: &str) -> Result<Option<Duration>, Failure> {
    let number = matches.text(id).and_then(|text| text.parse::<f64>().ok());
    match number.map(Duration::try_from_secs_f64) {
        Some(Ok(duration)) => Ok(Some(duration)),
        _ => plan::duration(matches, id),
    }
}

/// The names of a list with commas.
fn names<T: PartialEq>(
    matches: &ArgMatches,
    id: &str,
    what: &str,
    by_name: impl Fn(&str) -> Option<T>,
) -> Result<Option<Vec<T>>, Failure> {
    let Some(text) = matches.text(id) else { return Ok(None) };
    let mut all = Vec::new();
    for name in text.split(',').map(str::trim) {
        let found = by_name(name)
            .ok_or_else(|| Failure::could_not(format_args!("--{id}: there is no {what} `{name}`")))?;
        if !all.contains(&found) {
            all.push(found);
        }
    }
    Ok(Some(all))
}
