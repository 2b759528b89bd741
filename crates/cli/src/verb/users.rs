//! `users hash|seal|check`: what a file of users is made of.

use std::io::{self, IsTerminal as _, Read as _};

use bartizan_crypto::random::SystemRandom;
use bartizan_gateway::config::{self, Placed, Severity};
use bartizan_gateway::error::Problem;
use bartizan_gateway::users::{Loaded, UsersReport, load};
use bartizan_keys::users::{HashCost, PasswordHash, SealKey};
use bartizan_net::{Clock as _, SystemClock};
use clap::ArgMatches;
use serde_json::json;

use crate::args::Values as _;
use crate::keyset::{failure, typed};
use crate::output::{self, Exit, Failure, Outcome};
use crate::users;

/// Longest password that is read from standard input, in octets.
const LONGEST: u64 = 1 << 20;

pub(crate) fn run(matches: &ArgMatches) -> Outcome {
    match matches.subcommand() {
        Some(("hash", matches)) => hash(matches),
        Some(("seal", matches)) => seal(matches),
        Some(("check", matches)) => check(matches),
        _ => Err(Failure::could_not("users does hash, seal or check")),
    }
}

fn hash(matches: &ArgMatches) -> Outcome {
    let cost = HashCost::default();
    let hash = PasswordHash::make(password()?.as_bytes(), cost, &SystemRandom).map_err(Failure::could_not)?;
    if matches.on("json") {
        output::json(
            &json!({ "argon2id": hash.to_string(), "memory_kib": cost.memory(), "passes": cost.passes() }),
        );
    } else {
        output::line(hash);
    }
    Ok(Exit::Yes)
}

fn seal(matches: &ArgMatches) -> Outcome {
    let path = matches.path("key-file").unwrap_or_default();
    let key = SealKey::read(&output::read_file(&path)?).map_err(|source| {
        failure(Problem::Keys { path, source }).help("`openssl rand -base64 32` makes one")
    })?;
    let sealed = key.seal(password()?.as_bytes(), &SystemRandom).map_err(Failure::could_not)?;
    if matches.on("json") {
        output::json(&json!({ "sealed": sealed }));
    } else {
        output::line(sealed);
    }
    Ok(Exit::Yes)
}

/// The one line of standard input, without its end; typed in at a terminal, which does not show it.
fn password() -> Result<zeroize::Zeroizing<String>, Failure> {
    let unreadable = |_| Failure::could_not("the password on standard input cannot be read, or is not UTF-8");
    let mut text = zeroize::Zeroizing::new(String::new());
    if io::stdin().is_terminal() {
        output::say("the password, and Enter:");
        *text = typed().unwrap_or_default();
    } else {
        io::stdin().lock().take(LONGEST + 1).read_to_string(&mut text).map_err(unreadable)?;
    }
    if text.len() as u64 > LONGEST {
        return Err(Failure::could_not("the password is longer than 1 MiB"));
    }
    let line = text.strip_suffix('\n').map(|line| line.strip_suffix('\r').unwrap_or(line));
    let line = line.unwrap_or(&text);
    if line.is_empty() {
        return Err(Failure::could_not("there is no password on standard input"));
    }
    if line.contains(['\n', '\r']) {
        return Err(Failure::could_not("the password on standard input has several lines")
            .help("give it alone; one with a line break in it can only be written out"));
    }
    Ok(zeroize::Zeroizing::new(line.to_owned()))
}

fn check(matches: &ArgMatches) -> Outcome {
    let file = matches.path("FILE").unwrap_or_default();
    let key_file = matches.path("key-file").map(Placed::nowhere);
    let named = config::Users { file: Placed::nowhere(file), key_file };
    let (report, number) = match load(&named, &users::around(SystemClock.now(), 1)) {
        Ok(Loaded { users, warnings, .. }) => (warnings, Some(users.len())),
        Err(Problem::Users(report)) => (*report, None),
        Err(problem) => return Err(failure(problem)),
    };
    let usable = number.is_some() && (report.found.is_empty() || !matches.on("strict"));
    if matches.on("json") {
        output::json(&json!({ "usable": usable, "users": number, "diagnostics": users::to_json(&report) }));
    } else {
        users::show(&report, matches.on("quiet"));
        if !matches.on("quiet") {
            output::line(summary(&report, usable, number));
        }
    }
    Ok(if usable { Exit::Yes } else { Exit::No })
}

fn summary(report: &UsersReport, usable: bool, number: Option<usize>) -> String {
    let errors = report.found.iter().filter(|finding| finding.severity == Severity::Error).count();
    let (errors, warnings) =
        (output::count(errors, "error"), output::count(report.found.len() - errors, "warning"));
    let word = if usable { "usable" } else { "not usable" };
    let users = number.map_or(String::new(), |number| format!("{}, ", output::count(number, "user")));
    format!("{}: {word} ({users}{errors}, {warnings})", report.file.display())
}
