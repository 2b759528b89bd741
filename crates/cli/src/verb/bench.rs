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

/// The record's name in a folder.
const RECORD: &str = "rampart.csv";

pub(crate) fn run(matches: &ArgMatches) -> Outcome {
    match matches.subcommand() {
        Some(("rampart", matches)) => rampart(matches),
        Some(("list", matches)) => list(matches),
        Some(("report", matches)) => shown(matches),
        Some(("compare", matches)) => compared(matches),
        Some((other, _)) => Err(not_there(other)),
        None => Err(Failure::could_not("no scenario")),
    }
}

/// Measures. What is wrong with a peer is in its row; exit 1 says that there is such a row.
fn rampart(matches: &ArgMatches) -> Outcome {
    let folder = Temporary::make("bench")?;
    let order = options::order(matches, &folder.0)?;
    let out = matches.path("out");
    if let Some(out) = &out {
        std::fs::create_dir_all(out).map_err(|error| Failure::file("make", out, &error))?;
    }
    let loud = options::progress(matches);
    let outcome = measure::run(&order, &mut |what| {
        if loud {
            output::say(what);
        }
    });
    let outcome = outcome.map_err(|error| Failure::could_not(&error))?;
    let rows = record::as_recorded(&outcome.rows).map_err(|error| Failure::could_not(&error))?;
    if let Some(out) = &out {
        write(out, RECORD, &record::to_csv(&rows))?;
        pages(out, &rows)?;
    }
    for row in rows.iter().filter(|row| !row.note.is_empty() && !matches.on("quiet")) {
        output::warn(format_args!(
            "{}, {}, {} in flight: {}",
            row.cell.peer, row.cell.keys, row.cell.concurrency, row.note
        ));
    }
    if matches.on("json") {
        output::json(&show::record(&rows, outcome.right));
    } else {
        output::put(report::to_text(&rows).as_bytes());
    }
    Ok(if outcome.right { Exit::Yes } else { Exit::No })
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

/// The rows of a record that an argument names.
fn rows(matches: &ArgMatches, id: &str) -> Result<Vec<record::Row>, Failure> {
    let path = matches.path(id).unwrap_or_default();
    let path: PathBuf = if path.is_dir() { path.join(RECORD) } else { path };
    record::read(&path).map_err(|error| Failure::could_not(&error))
}

/// Text and page of a record.
fn pages(out: &Path, rows: &[record::Row]) -> Result<(), Failure> {
    write(out, "rampart.txt", &report::to_text(rows))?;
    write(out, "rampart.html", &report::to_html(rows))
}

fn write(out: &Path, name: &str, text: &str) -> Result<(), Failure> {
    Target::File(out.join(name)).write(text.as_bytes())
}
