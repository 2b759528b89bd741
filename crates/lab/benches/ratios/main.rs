//! What a message costs as a multiple of its bare cryptography, each in the same run.
//!
//! `cargo bench -p bartizan-lab --bench ratios -- [--only TEXT]… [--rounds N] [--csv FILE] [--json FILE] [--no-threads]`
//!
//! For every case ours and the other side take turns for N rounds (9 unless said otherwise) of about 25 ms each, over a
//! rotation of 64 different messages; a figure is the median of the rounds' CPU times of the thread, a ratio the median of
//! the rounds' ratios. Keys are parsed and certificates validated before. Every answer is checked before it is timed.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::disallowed_methods,
    missing_docs,
    unreachable_pub,
    reason = "a measuring program: it prints, reads the clock and stops at the first wrong answer"
)]

mod case;
mod cases;
mod table;
mod threads;
mod work;
mod world;

use std::time::Duration;

use bartizan_lab::machine::{Machine, signing_micros};
use bartizan_lab::message::Size;
use bartizan_lab::sample;

use case::{Case, Goal, Row};
use world::Keys;

struct Wanted {
    only: Vec<String>,
    rounds: usize,
    csv: Option<String>,
    json: Option<String>,
    threads: bool,
}

fn wanted() -> Wanted {
    let mut wanted = Wanted { only: Vec::new(), rounds: 9, csv: None, json: None, threads: true };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().unwrap_or_else(|| panic!("{argument} needs a value"));
        match argument.as_str() {
            "--only" => wanted.only.push(value()),
            "--rounds" => wanted.rounds = value().parse().expect("a number of rounds"),
            "--csv" => wanted.csv = Some(value()),
            "--json" => wanted.json = Some(value()),
            "--no-threads" => wanted.threads = false,
            // Cargo adds this one.
            "--bench" => {}
            other => panic!("unknown option {other}; see the head of benches/ratios/main.rs"),
        }
    }
    wanted
}

impl Wanted {
    /// Every word of one of the patterns occurs in the name.
    fn takes(&self, name: &str) -> bool {
        self.only.is_empty()
            || self.only.iter().any(|pattern| pattern.split_whitespace().all(|word| name.contains(word)))
    }
}

fn measure(case: &mut Case, rounds: usize) -> Row {
    // Large messages in small batches: what waits is not to fill the memory.
    let batch = if case.size == Size::Large { 8 } else { 64 };
    const LENGTH: f64 = 25_000.0;
    work::sample(case.ours.as_mut(), batch, LENGTH / 2.0);
    work::sample(case.beside.1.as_mut(), batch, LENGTH / 2.0);
    let (allocations, allocated) = work::allocations(case.ours.as_mut(), batch);
    let (mut ours, mut beside) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        ours.push(work::sample(case.ours.as_mut(), batch, LENGTH));
        beside.push(work::sample(case.beside.1.as_mut(), batch, LENGTH));
    }
    let ratio = match case.goal {
        Goal::Faster(_) => sample::paired_ratio(&beside, &ours),
        Goal::AtMost(_) | Goal::Micros(_) | Goal::Extra(_) | Goal::None => {
            sample::paired_ratio(&ours, &beside)
        }
    };
    let figure = |value: Option<f64>| value.unwrap_or(f64::NAN);
    Row {
        name: case.name.clone(),
        label: case.label,
        octets: case.octets,
        ours: figure(sample::median(&ours)),
        ours_best: figure(sample::best(&ours)),
        beside_name: case.beside.0,
        beside: figure(sample::median(&beside)),
        beside_best: figure(sample::best(&beside)),
        ratio: figure(ratio),
        spread: figure(sample::spread(&ours)),
        goal: case.goal,
        allocations,
        allocated,
        most_allocations: case.most_allocations,
        rounds,
    }
}

fn main() {
    let wanted = wanted();
    let modern = Keys::generate(2048);
    let signing = signing_micros(modern.identity("client").key()).expect("an RSA key");
    let about = format!("{}; RSA-2048 signs in {signing:.0} us", Machine::read());
    println!("{about}\n\n{}", table::heading());
    let mut rows = Vec::new();
    for planned in cases::all() {
        if wanted.takes(&format!("{} {}", planned.name, planned.label)) {
            let row = measure(&mut (planned.build)(), wanted.rounds);
            println!("{}", table::line(&row));
            rows.push(row);
        }
    }
    let mut scalings = Vec::new();
    if wanted.threads && wanted.takes("threads") {
        println!();
        let worlds = [world::rampart(&modern, "rampart-c rsa-2048"), world::ec(&modern, "p-256 gcm")];
        for world in worlds {
            let found =
                threads::measure(world, Size::Medium, wanted.rounds.min(5), Duration::from_millis(400));
            println!("{}", table::scaling(&found));
            scalings.push(found);
        }
    }
    for (path, text) in [
        (&wanted.csv, table::csv(&about, &rows, &scalings)),
        (&wanted.json, table::json(&about, &rows, &scalings)),
    ] {
        if let Some(path) = path {
            std::fs::write(path, text).unwrap_or_else(|error| panic!("{path}: {error}"));
        }
    }
}
