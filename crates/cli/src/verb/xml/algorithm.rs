//! Algorithms by the short names of `bartizan crypto`.

use bartizan_crypto::alg::{Alg, Status};
use bartizan_gateway::config::value::nearest;
use clap::ArgMatches;

use crate::args::Values as _;
use crate::output::{self, Failure};

/// The algorithm that the option `id` names, one of those that `pick` takes; `default` if
/// the option is not there.
pub(super) fn named<A: Copy + Into<Alg>>(
    matches: &ArgMatches,
    id: &str,
    pick: fn(Alg) -> Option<A>,
    default: A,
) -> Result<A, Failure> {
    let Some(name) = matches.text(id) else { return Ok(default) };
    let plain = |text: &str| -> String {
        text.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
    };
    let wanted = plain(name);
    let found = Alg::all().find(|alg| plain(alg.short_name()) == wanted || alg.uri() == name);
    let Some(alg) = found else {
        let fitting = Alg::all().filter(|alg| pick(*alg).is_some());
        let near = nearest(name, fitting.map(Alg::short_name));
        return Err(Failure::could_not(format_args!("--{id}: there is no algorithm `{name}`")).help_if(
            near.map(|name| format!("did you mean `{name}`? `bartizan crypto` lists all of them")),
        ));
    };
    if let Alg::Refused(refused) = alg {
        let (name, reason) = (refused.short_name(), refused.reason());
        return Err(Failure::could_not(format_args!("--{id}: {name} is refused by design: {reason}")));
    }
    let Some(picked) = pick(alg) else {
        let (name, kind) = (alg.short_name(), alg.kind());
        return Err(Failure::could_not(format_args!(
            "--{id}: {name} is of the kind {kind}, which does not go here"
        )));
    };
    if alg.status() == Status::Legacy {
        if !matches.on("legacy") {
            return Err(Failure::could_not(format_args!("--{id}: {} is of status legacy", alg.short_name()))
                .help("--legacy allows it"));
        }
        output::warn(format_args!("{} is a legacy algorithm", alg.short_name()));
    }
    Ok(picked)
}
