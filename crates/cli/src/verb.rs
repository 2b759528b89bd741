//! From the word to the function. One file a verb.

mod check;
mod crypto;
pub(crate) mod help;
mod keys;
mod policy;
mod secure;
mod verify;

use clap::ArgMatches;

use crate::output::{Failure, Outcome};

/// Runs the verb that was given.
pub(crate) fn run(matches: &ArgMatches) -> Outcome {
    match matches.subcommand() {
        Some(("check", matches)) => check::run(matches),
        Some(("crypto", matches)) => crypto::run(matches),
        Some(("help", matches)) => help::run(matches),
        Some(("keys", matches)) => keys::run(matches),
        Some(("policy", matches)) => policy::run(matches),
        Some(("secure", matches)) => secure::run(matches),
        Some(("verify", matches)) => verify::run(matches),
        Some((other, _)) => Err(Failure::could_not(format_args!("`{other}` does nothing yet"))),
        None => Err(Failure::could_not("no verb")),
    }
}
