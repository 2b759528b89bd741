//! bartizan beside other engines for XML security, on the same documents, in one run. See README.md.

#![allow(
    clippy::disallowed_methods,
    reason = "a laboratory reads clocks, starts processes and writes files; nothing of it serves a message"
)]

mod agree;
mod documents;
mod engine;
mod engines;
mod rounds;
mod table;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::rc::Rc;

use bartizan_lab::machine::{Machine, signing_micros};
use bartizan_lab::message::{ROTATION, Size};

use crate::documents::{Document, Keys};
use crate::engine::{Case, Engine, Outcome};
use crate::engines::python::{Driver, Python};
use crate::engines::{bergshamra, own, parsers, xml_sec};
use crate::rounds::Plan;

const USAGE: &str = "usage: bartizan-rivals [--rounds N] [--csv FILE] [--python PYTHON] [--quick]
  --rounds N       rounds that count, 9 by default
  --csv FILE       the table once more, as CSV
  --python PYTHON  the interpreter that has xmlsec and lxml; target/python/bin/python beside this program's manifest by
                   default (setup.sh makes it)
  --quick          only checks that all engines agree; no figures";

struct Options {
    rounds: usize,
    csv: Option<PathBuf>,
    python: PathBuf,
    quick: bool,
}

fn options() -> Outcome<Options> {
    let home = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut options =
        Options { rounds: 9, csv: None, python: home.join("target/python/bin/python"), quick: false };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{word} wants a value\n{USAGE}"));
        match word.as_str() {
            "--rounds" => {
                options.rounds = value()?.parse().map_err(|_| "--rounds wants a number".to_owned())?
            }
            "--csv" => options.csv = Some(value()?.into()),
            "--python" => options.python = value()?.into(),
            "--quick" => options.quick = true,
            _ => return Err(USAGE.to_owned()),
        }
    }
    if options.rounds == 0 {
        return Err("--rounds wants one at least".to_owned());
    }
    Ok(options)
}

/// Documents of a size: enough that the processor has not just seen one, as far as memory goes.
fn count(size: Size, quick: bool) -> usize {
    match size {
        Size::Large if quick => 1,
        Size::Large => 4,
        _ if quick => 4,
        _ => ROTATION,
    }
}

/// What lives as long as the process does.
fn forever<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

/// Every engine that is here, ours first. Says loudly which are not.
fn engines(keys: &Keys, python: &Path, folder: &Path) -> Vec<&'static dyn Engine> {
    let mut all: Vec<&'static dyn Engine> = vec![
        forever(own::Own::new(keys)),
        forever(bergshamra::Bergshamra::new(keys)),
        forever(xml_sec::XmlSec::new(keys)),
        forever(parsers::Roxmltree),
        forever(parsers::QuickXml),
    ];
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("driver.py");
    let found = Driver::start(python, &script, folder, keys).map(Rc::new);
    let pythons = found.as_ref().map(Python::all).unwrap_or_default();
    for name in ["lxml", "python-xmlsec"] {
        if !pythons.iter().any(|engine| engine.name() == name) {
            let why = found.as_ref().err().map_or("not installed", String::as_str);
            println!("!!! MISSING: {name} has no rows in this run ({why}). `bash setup.sh` installs it.");
        }
    }
    all.extend(pythons.into_iter().map(|engine| forever(engine) as &'static dyn Engine));
    all
}

/// Documents of a size that every engine agrees on.
fn agreed(engines: &[&'static dyn Engine], size: Size, quick: bool) -> Outcome<Vec<Document>> {
    let own = *engines.first().ok_or("no engine")?;
    let mut documents = documents::unsigned(size, count(size, quick));
    agree::complete(own, &mut documents)?;
    for engine in engines {
        for document in &documents {
            agree::check(own, *engine, size, document)?;
        }
    }
    println!("{}: {} engines agree on {} documents", size.label(), engines.len(), documents.len());
    Ok(documents)
}

fn load() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').take(3).collect::<Vec<_>>().join(" ")
}

fn run(options: &Options, folder: &Path) -> Outcome<()> {
    let keys = Keys::generate();
    let engines = engines(&keys, &options.python, folder);
    let mut about = vec![
        format!(
            "{}; RSA-2048 signs in {:.0} us",
            Machine::read(),
            signing_micros(&keys.private).map_err(|e| e.to_string())?
        ),
        format!("{} rounds, CPU time of a thread, medians; load at the start {}", options.rounds, load()),
    ];
    if !options.quick {
        println!("{}\n", about.join("\n"));
    }
    let mut rows = Vec::new();
    for size in Size::ALL {
        let documents: &'static [Document] = Vec::leak(agreed(&engines, size, options.quick)?);
        if options.quick {
            continue;
        }
        println!("\n{}", table::heading());
        let least = if size == Size::Large { 60_000.0 } else { 30_000.0 };
        for case in Case::ALL {
            let found =
                rounds::measure(&engines, case, size, documents, Plan { rounds: options.rounds, least });
            found.iter().for_each(|row| println!("{}", table::line(row)));
            rows.extend(found);
        }
        println!();
    }
    if options.quick {
        println!("all agree; no figures were taken");
        return Ok(());
    }
    about.push(format!("load at the end {}", load()));
    println!("load at the end {}", load());
    if let Some(file) = &options.csv {
        std::fs::write(file, table::csv(&about, &rows))
            .map_err(|error| format!("{}: {error}", file.display()))?;
    }
    Ok(())
}

fn main() -> ExitCode {
    let folder = std::env::temp_dir().join(format!("bartizan-rivals-{}", std::process::id()));
    let outcome = options().and_then(|options| run(&options, &folder));
    // It may never have been made.
    let _ = std::fs::remove_dir_all(&folder);
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
