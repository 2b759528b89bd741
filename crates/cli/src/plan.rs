//! `--policy` and its companions → plans.

use std::path::Path;
use std::time::Duration;

use bartizan_gateway::config::read::policy_name;
use bartizan_gateway::config::{PolicyName, value};
use bartizan_gateway::keyset::Role;
use bartizan_gateway::policy::{Pick, Source};
use bartizan_keys::Time;
use bartizan_net::{Clock as _, SystemClock};
use bartizan_policy::builtin::is_builtin;
use bartizan_policy::compile::{Open, Profile};
use bartizan_policy::{Compiled, Options};
use bartizan_wss::{Side, Transport};
use clap::ArgMatches;

use crate::args::Values as _;
use crate::keyset::{self, failure};
use crate::output::{self, Failure};

/// The meaning of `--policy` where no configuration is at hand.
pub(crate) fn named(text: &str) -> PolicyName {
    match policy_name(text, Path::new("")) {
        // A bare word that is no file: say that the file is missing, not that a section is.
        PolicyName::Section(name) => PolicyName::File(output::openable(name.into()), None),
        name => name,
    }
}

/// The policy that the options name.
pub(crate) fn find(matches: &ArgMatches, id: &str) -> Result<Source, Failure> {
    let text = matches.text(id).ok_or_else(|| Failure::could_not("the policy's name is not UTF-8"))?;
    let pick = match keyset::number::<usize>(matches, "nth")? {
        Some(nth) => Pick::Nth(nth),
        None => Pick::Only,
    };
    let name = named(text);
    if name == PolicyName::Open {
        return Err(Failure::could_not("`open` is no policy to secure or verify under")
            .help("verify has `--policy none`, which reports whatever protection there is"));
    }
    Source::find(&name, pick, None).map_err(failure)
}

/// What the options decide where a policy is silent.
pub(crate) fn options(matches: &ArgMatches) -> Result<Options, Failure> {
    let mut options = Options::default();
    if matches.on("open") {
        options.open = Open::Said;
    }
    if let Some(ttl) = duration(matches, "ttl")? {
        options.timestamp.ttl = ttl;
    }
    if let Some(name) = matches.text("profile") {
        options.profile = Profile::by_name(name).unwrap_or_default();
    }
    options.period = matches.on("legacy");
    options.ignore = matches.texts("ignore").into_iter().map(Into::into).collect();
    Ok(options)
}

/// The plans of the policy that the options name. That it has warnings is said unless
/// `--quiet`; a built-in one is as it is, and nobody here can mend it.
pub(crate) fn compile(matches: &ArgMatches) -> Result<Compiled, Failure> {
    let source = find(matches, "policy")?;
    let compiled = source.compile(&options(matches)?).map_err(failure)?;
    let file = source.loaded.file();
    let count = compiled.diagnostics.len();
    if count > 0 && !matches.on("quiet") && !is_builtin(file) {
        let it = if count == 1 { "it" } else { "them" };
        output::warn(format_args!(
            "the policy has {}: `bartizan policy check {file}` shows {it}",
            output::count(count, "warning")
        ));
    }
    Ok(compiled)
}

/// A duration that an option holds.
pub(crate) fn duration(matches: &ArgMatches, id: &str) -> Result<Option<Duration>, Failure> {
    let Some(text) = matches.text(id) else { return Ok(None) };
    match value::duration(text) {
        Some(duration) => Ok(Some(duration)),
        None => Err(Failure::could_not(format_args!("--{id} takes a duration, and `{text}` is none"))
            .help("write it like 90s, 5m or 1h30m")),
    }
}

/// The time that `--at` pretends, or the time.
pub(crate) fn time(matches: &ArgMatches) -> Result<Time, Failure> {
    let Some(text) = matches.text("at") else { return Ok(SystemClock.now()) };
    Time::parse_rfc3339(text).map_err(|_| {
        Failure::could_not(format_args!("--at takes a time, and `{text}` is none"))
            .help("write it like 2026-11-30T13:56:32Z")
    })
}

/// What is known of the connection of a message in a file: that it stays here, or what `--over-tls` says.
pub(crate) fn transport(matches: &ArgMatches) -> Transport<'static> {
    if matches.on("over-tls") { Transport::Tls { client: None } } else { Transport::Local }
}

/// The side that `--as` names.
pub(crate) fn side(matches: &ArgMatches) -> Option<Side> {
    match matches.text("as")? {
        "initiator" => Some(Side::Initiator),
        _ => Some(Side::Recipient),
    }
}

/// The role in a folder of keys that goes with a side.
pub(crate) fn role(side: Side) -> Role {
    match side {
        Side::Initiator => Role::Initiator,
        Side::Recipient => Role::Recipient,
    }
}
