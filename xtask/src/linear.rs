//! `cargo xtask linear`: the work for hostile documents grows no faster than the documents. Instructions are counted by
//! callgrind, so the answer does not depend on the machine's clock or load.
//!
//! The examples `hostile` of `bartizan-xml` (documents) and `hostile_messages` of `bartizan-wss` (envelopes and what stands in a Security
//! header) call one function for each row at n, 2n and 4n; callgrind dumps its counts after each call. The slope of log(instructions) over log(octets in and out) is the exponent of the growth.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::program;

/// The most that an exponent may be: 1 is linear, and sorting adds a logarithm.
const MOST: f64 = 1.15;
/// Instructions for an octet at most, where that of the input or of the largest canonical form counts.
const PER_OCTET: f64 = 1_000.0;

/// Package and example that make the rows.
const PROGRAMS: [(&str, &str); 2] = [("bartizan-xml", "hostile"), ("bartizan-wss", "hostile_messages")];

/// One counted call.
struct Call {
    octets: f64,
    instructions: f64,
    verdict: String,
}

/// Runs it all. Gives whether every row is linear.
#[expect(clippy::print_stdout, reason = "a command-line tool")]
pub(crate) fn run(root: &Path) -> Result<bool> {
    let folder = root.join("target").join("linear");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).with_context(|| format!("making {}", folder.display()))?;
    let mut rows = Vec::new();
    for (package, example) in PROGRAMS {
        let program = program::build(root, &["build", "--release", "-p", package, "--example", example])?;
        rows.extend(count(&program, example, &folder)?);
    }
    println!(
        "{:<52} {:>9} {:>12} {:>12} {:>12} {:>6} {:>6}  verdict",
        "row", "octets", "Ir n", "Ir 2n", "Ir 4n", "slope", "Ir/oct"
    );
    let mut good = true;
    for (name, calls) in &rows {
        let slope = slope(calls);
        let last = calls.last().context("a row without calls")?;
        let each = last.instructions / last.octets;
        let verdict = if slope > MOST || each > PER_OCTET { "TOO MUCH" } else { last.verdict.as_str() };
        good &= verdict != "TOO MUCH";
        let counts: Vec<String> = calls.iter().map(|call| format!("{:>12}", call.instructions)).collect();
        println!("{name:<52} {:>9} {} {slope:>6.3} {each:>6.1}  {verdict}", last.octets, counts.join(" "));
    }
    println!("linear: {} rows, slope at most {MOST}", rows.len());
    Ok(good)
}

/// Runs the example under callgrind and joins its lines with the dumps.
#[expect(clippy::disallowed_methods, reason = "a chore runs programs")]
fn count(program: &Path, example: &str, folder: &Path) -> Result<Vec<(String, Vec<Call>)>> {
    let out = Command::new("valgrind")
        .arg("--tool=callgrind")
        .args(["toggle-collect", "dump-after"].map(|option| format!("--{option}={example}::measured")))
        .arg(format!("--callgrind-out-file={}", folder.join(example).display()))
        .arg(program)
        .output()
        .context("running valgrind (Debian package `valgrind`)")?;
    ensure!(out.status.success(), "valgrind: {}", String::from_utf8_lossy(&out.stderr));
    let mut rows: Vec<(String, Vec<Call>)> = Vec::new();
    for (at, line) in String::from_utf8_lossy(&out.stdout).lines().enumerate() {
        let fields: Vec<&str> = line.split('\t').collect();
        let [name, _, octets, form, verdict] = fields[..] else { anyhow::bail!("unexpected line {line:?}") };
        let (octets, form): (f64, f64) = (octets.parse()?, form.parse()?);
        let instructions = dumped(&folder.join(format!("{example}.{}", at + 1)))?;
        ensure!(instructions > 0.0, "nothing was counted for {line:?}");
        // What is written is output of the same work: of few octets in scope many come out at each use.
        let call = Call { octets: octets.max(form), instructions, verdict: verdict.to_owned() };
        match rows.last_mut() {
            Some((last, calls)) if last == name => calls.push(call),
            _ => rows.push((name.to_owned(), vec![call])),
        }
    }
    Ok(rows)
}

/// The total of one dump.
fn dumped(path: &Path) -> Result<f64> {
    let text = fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
    let fields: BTreeMap<&str, &str> = text.lines().filter_map(|line| line.split_once(": ")).collect();
    let total = fields.get("totals").or_else(|| fields.get("summary")).context("a dump without a total")?;
    Ok(total.trim().parse()?)
}

/// The exponent of the growth: the slope of the line of least squares through the logarithms.
fn slope(calls: &[Call]) -> f64 {
    let points: Vec<(f64, f64)> =
        calls.iter().map(|call| (call.octets.ln(), call.instructions.ln())).collect();
    let n = points.len() as f64;
    let mean = |pick: fn(&(f64, f64)) -> f64| points.iter().map(pick).sum::<f64>() / n;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let covariance: f64 = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
    let variance: f64 = points.iter().map(|point| (point.0 - x).powi(2)).sum();
    covariance / variance
}

#[cfg(test)]
mod tests;
