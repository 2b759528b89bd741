//! `keys demo|inspect`.

mod inspect;

use bartizan_crypto::random::SystemRandom;
use bartizan_gateway::state::write_new;
use bartizan_keys::pki::{DemoOptions, DemoPki};
use bartizan_net::{Clock as _, SystemClock};
use clap::ArgMatches;
use serde_json::json;

use crate::args::Values as _;
use crate::keyset::number;
use crate::output::{self, Exit, Failure, Outcome};

pub(crate) fn run(matches: &ArgMatches) -> Outcome {
    match matches.subcommand() {
        Some(("demo", matches)) => demo(matches),
        Some(("inspect", matches)) => inspect::run(matches),
        _ => Err(Failure::could_not("keys does demo or inspect")),
    }
}

fn demo(matches: &ArgMatches) -> Outcome {
    let folder = matches.path("DIR").unwrap_or_default();
    let rsa_bits = number(matches, "rsa")?.unwrap_or(2048);
    if ![1024, 2048, 3072, 4096].contains(&rsa_bits) {
        return Err(Failure::could_not("--rsa takes 1024, 2048, 3072 or 4096"));
    }
    let options = DemoOptions { rsa_bits, now: SystemClock.now(), jks: matches.on("java-stores") };
    // Looked at before seconds are spent on keys; `write_new` looks again.
    if folder.join("ca.pem").exists() {
        return Err(taken(&folder, "ca.pem is there already"));
    }
    let pki = DemoPki::generate(&options, &SystemRandom)
        .map_err(|error| Failure::could_not(format_args!("no keys could be made: {error}")))?;
    write_new(&folder, &pki.files).map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => taken(&folder, &error.to_string()),
        _ => Failure::file("write", &folder, &error),
    })?;
    let names: Vec<&str> = pki.files.iter().map(|file| file.name.as_str()).collect();
    if matches.on("json") {
        output::json(&json!({ "folder": folder, "files": names }));
    } else if !matches.on("quiet") {
        output::line(format_args!("made {} files in {}:", names.len(), folder.display()));
        for row in names.chunks(6) {
            output::line(format_args!("  {}", row.join("  ")));
        }
        output::line("valid for 10 years; for tests only: the CA's key lies beside them");
    }
    Ok(Exit::Yes)
}

fn taken(folder: &std::path::Path, what: &str) -> Failure {
    Failure::no(format_args!("nothing was written to {}: {what}", folder.display()))
        .help("an existing file is never overwritten: name another folder")
}
