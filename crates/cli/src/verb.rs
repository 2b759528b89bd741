//! From the word to the function. One file a verb.

mod bench;
mod call;
pub(crate) mod check;
mod crypto;
mod demo;
pub(crate) mod help;
mod keys;
mod policy;
mod secure;
pub(crate) mod serve;
mod users;
mod verify;
mod xml;

use clap::ArgMatches;

use crate::output::{Failure, Outcome};

/// Runs the verb that was given.
pub(crate) fn run(matches: &ArgMatches) -> Outcome {
    match matches.subcommand() {
        Some(("bench", matches)) => bench::run(matches),
        Some(("call", matches)) => call::run(matches),
        Some(("check", matches)) => check::run(matches),
        Some(("crypto", matches)) => crypto::run(matches),
        Some(("demo", matches)) => demo::run(matches),
        Some(("help", matches)) => help::run(matches),
        Some(("keys", matches)) => keys::run(matches),
        Some(("policy", matches)) => policy::run(matches),
        Some(("secure", matches)) => secure::run(matches),
        Some(("serve", matches)) => serve::run(matches),
        Some(("users", matches)) => users::run(matches),
        Some(("verify", matches)) => verify::run(matches),
        Some(("xml", matches)) => xml::run(matches),
        Some((other, _)) => Err(Failure::could_not(format_args!("`{other}` does nothing yet"))),
        None => Err(Failure::could_not("no verb")),
    }
}
