//! Whether a refusal tells by its bytes, its connection or its time what was wrong: `cargo xtask oracle`.
//!
//! Starts the release binary's `serve` on loopback with demo keys, sends it messages of every failure class
//! ([`classes`]) as a partner with a trusted key could make them, compares the answers octet by octet, and then the times at
//! the socket by Welch's t and a sign test. Ends with 1 if any class can be told from the reference of its service.
//!
//! What it is not: a unit test. Times are judged only from 20,000 samples a class on; with fewer they are shown.
//! docs/oracles.md has the method and the recorded figures.

#![allow(
    clippy::disallowed_methods,
    reason = "a laboratory: clocks, processes, threads, sockets on loopback"
)]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command-line tool")]

mod chance;
mod check;
mod classes;
mod forge;
mod measure;
mod report;
mod rsa;
mod server;
mod stats;
mod token;
mod users;
mod wire;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail, ensure};

use crate::forge::Forge;
use crate::server::Server;

/// From how many samples a class on times are judged.
pub(crate) const JUDGED: usize = 20_000;

/// What was asked for.
#[derive(Debug)]
pub(crate) struct Options {
    program: PathBuf,
    samples: usize,
    connections: usize,
    seed: u64,
    csv: Option<PathBuf>,
    only: Option<String>,
    cpu: Option<usize>,
}

impl Options {
    fn read(mut arguments: impl Iterator<Item = String>) -> Result<Options> {
        let beside = std::env::current_exe()?.with_file_name("bartizan");
        let mut options = Options {
            program: beside,
            samples: JUDGED,
            connections: 4,
            seed: 1,
            csv: None,
            only: None,
            cpu: None,
        };
        while let Some(name) = arguments.next() {
            let value = arguments.next().with_context(|| format!("{name} needs a value"))?;
            match name.as_str() {
                "--bin" => options.program = value.into(),
                "--samples" => options.samples = value.parse()?,
                "--connections" => options.connections = value.parse()?,
                "--seed" => options.seed = value.parse()?,
                "--csv" => options.csv = Some(value.into()),
                "--only" => options.only = Some(value),
                "--cpu" => options.cpu = Some(value.parse()?),
                _ => bail!(
                    "{name} is not known; there are --bin --samples --connections --seed --csv --only --cpu"
                ),
            }
        }
        ensure!(options.samples > 0 && options.connections > 0, "nothing to measure");
        Ok(options)
    }
}

fn main() -> ExitCode {
    match Options::read(std::env::args().skip(1)).and_then(|options| run(&options)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn run(options: &Options) -> Result<bool> {
    let folder = tempfile::tempdir()?;
    let keys = folder.path().join("keys");
    server::demo_keys(&options.program, &keys)?;
    let forge = Forge::open(&keys)?;
    let judged = options.samples >= JUDGED;
    server::users(folder.path(), judged)?;
    let mut services = classes::services();
    let start = |quantum| Server::start(&options.program, folder.path(), &services, quantum);
    let (mut server, mut bare, slow) = (start(None)?, start(Some("0"))?, start(Some(measure::SLOW))?);
    services.retain(|service| options.only.as_ref().is_none_or(|only| service.path == only));
    // The servers were started before: they may run anywhere.
    report::surroundings(options, options.cpu.is_some_and(measure::pin));
    let mut clean = true;
    let mut rows = Vec::new();
    for service in &services {
        let (prepared, checked) = check::answers(&forge, service, &mut server)?;
        clean &= checked.is_clean();
        report::answers(service, &checked);
        let seen = measure::controls(&forge, service, &prepared, &server, &slow, options)?;
        clean &= report::controls(&seen);
        let without = measure::without_quantum(&forge, service, &prepared, &mut bare, options)?;
        let times = measure::times(&forge, service, &prepared, &server.address, options)?;
        let table = report::times(service, &times, &without, &checked);
        clean &= !judged || table.iter().all(|row| !row.difference.is_seen());
        rows.extend(table);
    }
    if let Some(path) = &options.csv {
        std::fs::write(path, report::csv(&rows)).with_context(|| format!("writing {}", path.display()))?;
    }
    report::verdict(&rows, judged, clean);
    Ok(clean)
}
