//! `bench`: the lab on the command line. Options in, tables out; the measuring is in `bartizan-lab`.

mod options;
mod show;

use std::path::{Path, PathBuf};

use bartizan_lab::scenario::{SCENARIOS, available, find};
use bartizan_lab::{compare, measure, record, report};
use clap::ArgMatches;
use serde_json::json;

use crate::args::Values as _;
use crate::output::{self, Exit, Failure, Outcome, Target};
use crate::verb::demo::Temporary;

/// The scenarios that have records.
const RECORDED: [&str; 2] = ["rampart", "unt"];

pub(crate) fn run(matches: &ArgMatches) -> Outcome {
    match matches.subcommand() {
        Some((name @ ("rampart" | "unt"), matches)) => scenarios(&[name], matches),
        Some(("all", matches)) => scenarios(&RECORDED, matches),
        Some(("list", matches)) => list(matches),
        Some(("report", matches)) => shown(matches),
        Some(("compare", matches)) => compared(matches),
        Some((other, _)) => Err(not_there(other)),
        None => Err(Failure::could_not("no scenario")),
    }
}

/// Measures some scenarios, one after the other. What is wrong with a peer is in its row; exit 1 says that there is such a row.
fn scenarios(names: &[&str], matches: &ArgMatches) -> Outcome {
    let out = matches.path("out");
    if let Some(out) = &out {
        std::fs::create_dir_all(out).map_err(|error| Failure::file("make", out, &error))?;
    }
    let loud = options::progress(matches);
    let (mut all, mut right) = (Vec::new(), true);
    for name in names {
        let folder = Temporary::make("bench")?;
        let order = options::order(name, matches, &folder.0)?;
        let outcome = measure::run(&order, &mut |what| {
            if loud {
                output::say(what);
            }
        });
        let outcome = outcome.map_err(|error| Failure::could_not(&error))?;
        let rows = record::as_recorded(&outcome.rows).map_err(|error| Failure::could_not(&error))?;
        if let Some(out) = &out {
            write(out, &format!("{name}.csv"), &record::to_csv(&rows))?;
            pages(out, &rows)?;
        }
        all.extend(rows);
        right &= outcome.right;
    }
    for row in all.iter().filter(|row| !row.note.is_empty() && !matches.on("quiet")) {
        output::warn(format_args!(
            "{}, {}, {} in flight: {}",
            row.cell.peer, row.cell.keys, row.cell.concurrency, row.note
        ));
    }
    if matches.on("json") {
        output::json(&show::record(&all, right));
    } else {
        output::put(report::to_text(&all).as_bytes());
    }
    Ok(if right { Exit::Yes } else { Exit::No })
}

/// The scenarios.
fn list(matches: &ArgMatches) -> Outcome {
    if matches.on("json") {
        let all: Vec<_> = SCENARIOS
            .iter()
            .map(|s| json!({ "name": s.name, "about": s.about, "available": s.needs.is_none(), "needs": s.needs }))
            .collect();
        output::json(&json!({ "scenarios": all }));
        return Ok(Exit::Yes);
    }
    for scenario in SCENARIOS {
        let state =
            scenario.needs.map_or(String::new(), |needs| format!("\n{:10}not built yet: needs {needs}", ""));
        output::line(format_args!("{:10}{}{state}", scenario.name, scenario.about));
    }
    Ok(Exit::Yes)
}

/// A record again.
fn shown(matches: &ArgMatches) -> Outcome {
    let rows = rows(matches, "RECORD")?;
    if let Some(out) = matches.path("out") {
        std::fs::create_dir_all(&out).map_err(|error| Failure::file("make", &out, &error))?;
        pages(&out, &rows)?;
    }
    if matches.on("json") {
        output::json(&show::record(&rows, rows.iter().all(|row| row.errors == 0)));
    } else {
        output::put(report::to_text(&rows).as_bytes());
    }
    Ok(Exit::Yes)
}

/// Two records.
fn compared(matches: &ArgMatches) -> Outcome {
    let changes = compare::compare(&rows(matches, "BEFORE")?, &rows(matches, "AFTER")?);
    if matches.on("json") {
        output::json(&show::changes(&changes));
    } else {
        output::put(compare::to_text(&changes).as_bytes());
    }
    Ok(Exit::Yes)
}

/// A word that is no sub-verb: a scenario that is not built, or nothing.
fn not_there(name: &str) -> Failure {
    let there: Vec<&str> = available().collect();
    let help = format!("available: {}; `bartizan bench list` tells of all", there.join(", "));
    match find(name).and_then(|scenario| scenario.needs) {
        Some(needs) => {
            Failure::could_not(format_args!("the scenario `{name}` is not built yet: it needs {needs}"))
                .help(help)
        }
        None => {
            let names = SCENARIOS.iter().map(|scenario| scenario.name).chain(["list", "report", "compare"]);
            let nearest = bartizan_gateway::config::value::nearest(name, names);
            let help = nearest.map_or(help, |name| format!("did you mean `{name}`?"));
            Failure::could_not(format_args!("there is no scenario `{name}`")).help(help)
        }
    }
}

/// The rows of a record that an argument names, or of all records of a folder.
fn rows(matches: &ArgMatches, id: &str) -> Result<Vec<record::Row>, Failure> {
    let path = matches.path(id).unwrap_or_default();
    let files: Vec<PathBuf> = if path.is_dir() {
        let there = RECORDED.iter().map(|name| path.join(format!("{name}.csv"))).filter(|file| file.exists());
        there.collect()
    } else {
        vec![path.clone()]
    };
    if files.is_empty() {
        return Err(Failure::could_not(format_args!(
            "{}: there is no record in this folder",
            path.display()
        )));
    }
    let mut all = Vec::new();
    for file in files {
        all.extend(record::read(&file).map_err(|error| Failure::could_not(&error))?);
    }
    Ok(all)
}

/// Text and page of each scenario of some rows.
fn pages(out: &Path, rows: &[record::Row]) -> Result<(), Failure> {
    for name in RECORDED {
        let own: Vec<record::Row> = rows.iter().filter(|row| row.cell.scenario == name).cloned().collect();
        if !own.is_empty() {
            write(out, &format!("{name}.txt"), &report::to_text(&own))?;
            write(out, &format!("{name}.html"), &report::to_html(&own))?;
        }
    }
    Ok(())
}

fn write(out: &Path, name: &str, text: &str) -> Result<(), Failure> {
    Target::File(out.join(name)).write(text.as_bytes())
}
