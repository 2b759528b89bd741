//! `serve`: the server, from a configuration or the embedded default.

mod embedded;
mod mount;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use bartizan_crypto::random::SystemRandom;
use bartizan_gateway::access::AccessLog;
use bartizan_gateway::build::{self, Surroundings, Watch};
use bartizan_gateway::config::{self, Config, Severity};
use bartizan_gateway::replay::{GuardCounts, Guards};
use bartizan_gateway::state::StateFolder;
use bartizan_gateway::state::replay::Tell;
use bartizan_gateway::users::{FilesWatch, Loaded, load};
use bartizan_gateway::{Gateway, Problem, Server, Table};
use bartizan_keys::{Time, UserSource};
use bartizan_net::signal::{Asked, Signals};
use bartizan_net::{Clock as _, SystemClock, WorkerThreads, Workers, notify};
use clap::ArgMatches;
use tokio::runtime::Runtime;

use crate::args::Values as _;
use crate::keyset::{ask, failure};
use crate::output::{self, Exit, Failure, Outcome};
use crate::users;
use crate::verb::check::{folder_of, show, unusable};

pub(crate) use mount::mount;

/// Everything that a reload reads again.
struct Setup {
    config: Config,
    /// The configuration's text and name.
    text: String,
    path: PathBuf,
    /// The files that the users come from.
    watch: FilesWatch,
}

impl Setup {
    fn new(config: Config, text: String, path: PathBuf) -> Setup {
        // Before they are read, so that no change is missed.
        let named = config.users.iter();
        let files = named.flat_map(|users| [Some(&users.file), users.key_file.as_ref()]).flatten();
        let watch = FilesWatch::new(files.map(|file| file.value.clone()));
        Setup { config, text, path, watch }
    }
}

/// How often the files of the users are looked at.
const LOOK: Duration = Duration::from_secs(2);

pub(crate) fn run(matches: &ArgMatches) -> Outcome {
    let state = StateFolder::open(&state_path(matches)?).map_err(failure)?;
    let mut setup = setup(matches, &state)?;
    let journal = journal(&setup.config, &state);
    let now = SystemClock.now();
    let replay = guards(&setup.config, journal.as_deref(), None, now)?;
    let table = table(&setup, replay.clone(), matches.on("quiet"))?;
    setup.watch.watch(&table.user_files);
    let (runtime, threads) = runtimes(setup.config.server.workers)?;
    let log = AccessLog::open(&setup.config.access)
        .map_err(|error| Failure::could_not(format_args!("cannot open the access log: {error}")))?;
    let gateway = Arc::new(Gateway::new(table, log, Box::new(SystemClock), Box::new(SystemRandom)));
    runtime.block_on(serve(matches, setup, &state, replay, gateway, &threads.workers()))
}

fn guards(
    config: &Config,
    journal: Option<&Path>,
    before: Option<Arc<Guards>>,
    now: Time,
) -> Result<Option<Arc<Guards>>, Failure> {
    let watch = Watch { journal, before, now, random: &SystemRandom, tell: replay_teller() };
    build::guards(config, &watch).map_err(failure)
}

/// What the replay guard has to say while it serves goes where all warnings go.
pub(crate) fn replay_teller() -> Tell {
    Arc::new(|what| output::warn(what))
}

/// Accepts until a signal says stop.
async fn serve(
    matches: &ArgMatches,
    mut setup: Setup,
    state: &StateFolder,
    mut replay: Option<Arc<Guards>>,
    gateway: Arc<Gateway>,
    workers: &Workers,
) -> Outcome {
    // Before the readiness lines: who reads them may send a signal at once.
    let mut signals = Signals::install().map_err(Failure::could_not)?;
    let server = Server::start(&setup.config, Arc::clone(&gateway), Some(workers)).await;
    let server = server.map_err(Failure::could_not)?;
    for (name, address) in server.addresses() {
        output::line(format_args!("listening {name} http://{address}"));
    }
    output::line("ready");
    tell(notify::State::Ready);
    let mut look = tokio::time::interval(LOOK);
    loop {
        let asked = tokio::select! {
            asked = signals.next() => Some(asked),
            _ = look.tick() => None,
        };
        match asked {
            None => {
                if setup.watch.changed() {
                    reload_users(&mut setup, &gateway, matches.on("quiet"));
                }
            }
            Some(Asked::Stop) => break,
            Some(Asked::Reload) => {
                tell(notify::State::Reloading { monotonic_us: monotonic_us() });
                gateway.reopen_log();
                match reload(matches, &setup, state, replay.clone()) {
                    Ok((fresh, table, memory)) => {
                        (setup, replay) = (fresh, memory);
                        gateway.swap(table);
                        if let Some(guards) = &replay {
                            guards.settle();
                        }
                        output::say("reloaded");
                    }
                    Err(problem) => {
                        problem.print();
                        output::say("not reloaded: the old configuration stays in force");
                    }
                }
                tell(notify::State::Ready);
            }
        }
    }
    tell(notify::State::Stopping);
    if !server.stop(setup.config.server.drain).await {
        output::warn("some exchanges did not end in time and were cut off");
    }
    if let Some(guards) = replay.filter(|_| !matches.on("quiet")) {
        say_counts(&guards.counts());
    }
    Ok(Exit::Yes)
}

/// What the replay guard did, in one line.
fn say_counts(counts: &GuardCounts) {
    let GuardCounts { local, shared_repeats, unavailable, alone } = counts;
    output::say(format_args!(
        "replay window: {} fresh, {} repeated ({shared_repeats} of them known to another server only), {} stale, {} without room, \
         {unavailable} not to be asked, {alone} guarded here alone, {} of {} entries",
        local.fresh,
        local.repeats + shared_repeats,
        local.stale,
        local.full,
        local.entries,
        local.capacity,
    ));
}

/// Reads the users again; whoever is remembered as having shown the right password is forgotten with the old ones.
fn reload_users(setup: &mut Setup, gateway: &Gateway, quiet: bool) {
    let Some(named) = &setup.config.users else { return };
    match load(named, &users::around(SystemClock.now(), setup.config.waiting)) {
        Ok(Loaded { users: fresh, warnings, files, .. }) => {
            users::show(&warnings, quiet);
            setup.watch.watch(&files);
            let said = output::count(fresh.len(), "user");
            let fresh: Arc<dyn UserSource> = Arc::new(fresh);
            gateway.swap_users(&fresh);
            output::say(format_args!("users reloaded: {said}"));
        }
        Err(problem) => {
            failure(problem).print();
            output::say("users not reloaded: the old ones stay in force");
        }
    }
}

/// Reads everything again; nothing is in force before all of it is good.
fn reload(
    matches: &ArgMatches,
    old: &Setup,
    state: &StateFolder,
    replay: Option<Arc<Guards>>,
) -> Result<(Setup, Table, Option<Arc<Guards>>), Failure> {
    let mut fresh = setup(matches, state)?;
    if fresh.config.listeners.iter().map(|l| l.address.value).ne(old
        .config
        .listeners
        .iter()
        .map(|l| l.address.value))
    {
        return Err(Failure::no("a reload cannot change listeners").help("stop and start again for that"));
    }
    let (was, is) = (&old.config, &fresh.config);
    let fixed = [
        ("[log] access", was.access != is.access),
        ("[server] workers", was.server.workers != is.server.workers),
        ("[server] state", was.server.state != is.server.state),
        ("[limits] connections", was.connections != is.connections),
        ("[limits] connections_per_peer", was.connections_per_peer != is.connections_per_peer),
        ("[limits] work_per_peer", was.work_per_peer != is.work_per_peer),
        ("[limits] waiting", was.waiting != is.waiting),
        ("[limits] large", was.large_bytes != is.large_bytes),
    ];
    for (key, _) in fixed.iter().filter(|(_, changed)| *changed) {
        output::warn(format_args!("a reload does not change `{key}`: stop and start again for that"));
    }
    let journal = journal(&fresh.config, state);
    let replay = guards(&fresh.config, journal.as_deref(), replay, SystemClock.now())?;
    let table = table(&fresh, replay.clone(), matches.on("quiet"))?;
    fresh.watch.watch(&table.user_files);
    Ok((fresh, table, replay))
}

/// The configuration of the options: a file, or the embedded default with what they change.
fn setup(matches: &ArgMatches, state: &StateFolder) -> Result<Setup, Failure> {
    let Some(path) = matches.path("config") else {
        let config = embedded::config(matches, state)?;
        return Ok(Setup::new(config, String::new(), PathBuf::new()));
    };
    if let Some(other) = embedded::changes().find(|id| given(matches, id)) {
        return Err(Failure::could_not(format_args!("--config and --{other} exclude each other"))
            .help("say it in the configuration"));
    }
    let text = output::read_text(&path)?;
    let config = match config::read::read(&text, &folder_of(&path)) {
        Ok(config) => config,
        Err(found) => {
            found.iter().for_each(|finding| show(finding, &path, &text));
            return Err(unusable(&path));
        }
    };
    Ok(Setup::new(config, text, path))
}

fn given(matches: &ArgMatches, id: &str) -> bool {
    matches.text(id).is_some() || matches.on(id)
}

/// Checks and builds; findings are printed.
fn table(setup: &Setup, replay: Option<Arc<Guards>>, quiet: bool) -> Result<Table, Failure> {
    let Setup { config, text, path, .. } = setup;
    let mut found = config::check::check(config);
    let around = Surroundings {
        text: (text, path),
        now: SystemClock.now(),
        random: &SystemRandom,
        ask: &ask,
        mount: &mount,
        replay,
    };
    let table = if found.iter().any(|finding| finding.severity == Severity::Error) {
        None
    } else {
        match build::build(config, &around) {
            Ok((table, warnings)) => {
                found.extend(warnings);
                Some(table)
            }
            Err(findings) => {
                found.extend(findings);
                None
            }
        }
    };
    let embedded = path.as_os_str().is_empty();
    let mut said = Vec::new();
    for finding in &found {
        // Without a file there are two paths of the same kind, and no key to set.
        let known = matches!(finding.problem, Problem::ReplayWindow(_))
            || said.contains(&finding.problem.to_string());
        let skip = quiet || (embedded && known);
        if !skip || finding.severity == Severity::Error {
            show(finding, path, text);
            said.push(finding.problem.to_string());
        }
    }
    table.ok_or_else(|| match embedded {
        true => Failure::no("there is nothing that could be served"),
        false => unusable(path),
    })
}

/// Where the replay window is kept, if this process may write there.
fn journal(config: &Config, state: &StateFolder) -> Option<PathBuf> {
    build::memory_size(config)?;
    if !state.is_ours() {
        output::warn(format_args!(
            "another server uses {}: this one's replay window is forgotten when it stops (--state DIR chooses another folder)",
            state.path().display()
        ));
        return None;
    }
    Some(state.path().join("replay"))
}

/// The state folder of the options, the configuration, or the environment.
fn state_path(matches: &ArgMatches) -> Result<PathBuf, Failure> {
    if let Some(path) = matches.path("state") {
        return Ok(path);
    }
    if let Some(path) = matches.path("config") {
        // A broken configuration is reported where it is read for good.
        let text = output::read_text(&path)?;
        let config = config::read::read(&text, &folder_of(&path)).ok();
        if let Some(state) = config.and_then(|config| config.server.state) {
            return Ok(state);
        }
    }
    default_state().ok_or_else(|| {
        Failure::could_not("neither $XDG_STATE_HOME nor $HOME says where to keep state")
            .help("use --state DIR")
    })
}

/// Where state is kept if nobody says otherwise.
pub(crate) fn default_state() -> Option<PathBuf> {
    let folder = |name: &str| std::env::var_os(name).filter(|value| Path::new(value).is_absolute());
    let base = folder("XDG_STATE_HOME").map(PathBuf::from);
    let base = base.or_else(|| folder("HOME").map(|home| Path::new(&home).join(".local/state")));
    base.map(|base| base.join("bartizan"))
}

/// A runtime that accepts and hears signals, and the threads that serve: one a core, or as many as were asked for.
fn runtimes(workers: Option<usize>) -> Result<(Runtime, WorkerThreads), Failure> {
    let failed = |error| Failure::could_not(format_args!("cannot start: {error}"));
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    let threads = WorkerThreads::start(workers.unwrap_or_else(cores)).map_err(failed)?;
    let main = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
    Ok((main, threads))
}

/// A manager that cannot be told is no reason not to serve.
fn tell(state: notify::State) {
    if let Err(error) = notify::notify(state) {
        output::warn(format_args!("the service manager could not be told: {error}"));
    }
}

/// CLOCK_MONOTONIC in microseconds, as the manager wants it.
fn monotonic_us() -> u64 {
    let uptime = std::fs::read_to_string("/proc/uptime").unwrap_or_default();
    let seconds = uptime.split_whitespace().next().and_then(|text| text.parse::<f64>().ok());
    // INVARIANT: uptime is positive and far below 2^53 microseconds.
    seconds.map_or(0, |seconds| (seconds * 1e6) as u64)
}
