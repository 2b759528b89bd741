//! `cargo xtask instructions [--bless]`: the instructions of ten fixed cases against a committed baseline.
//!
//! What slows the core down shows here without a clock, on any machine: callgrind counts what N operations execute, less
//! what start and preparation do. Hash tables are seeded anew by every process, which moves a count by one in a hundred, so
//! the median of three runs is taken, each of as many operations as it takes for the count to stand. A case that takes more
//! than [`PERCENT`] above its baseline fails; one that takes less by as much is pointed out, and `--bless` writes the new
//! baseline. callgrind shows programs a processor without AVX-512, so the counts are those of the AVX2 code of the
//! cryptographic library.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::program;

/// How far above its baseline a case may be: other compilers, other versions of valgrind and of the C library move counts by
/// one or two in a hundred.
pub(crate) const PERCENT: u64 = 5;

/// Cases and how often each is done.
const CASES: [(&str, u64); 10] = [
    ("parse-10k", 400),
    ("parse-awkward-10k", 240),
    ("c14n-exclusive-10k", 1600),
    ("c14n-inclusive-awkward-10k", 800),
    ("verify-rsa-2048-1.7k", 160),
    ("verify-p-256-10k", 64),
    ("sign-p-256-10k", 128),
    ("decrypt-p-256-gcm-10k", 40),
    ("server-p-256-gcm-10k", 32),
    ("policy-compile", 120),
];

const BASELINE: &str = "crates/lab/benches/instructions/baseline.txt";

/// Counts, prints a table, and says whether every case is within the tolerance.
#[expect(clippy::print_stdout, reason = "a command-line tool")]
pub(crate) fn run(root: &Path, bless: bool) -> Result<bool> {
    let program =
        program::build(root, &["bench", "--no-run", "-p", "bartizan-lab", "--bench", "instructions"])?;
    let path = root.join(BASELINE);
    let baseline = read(&std::fs::read_to_string(&path).unwrap_or_default())?;
    let mut counts = BTreeMap::new();
    let mut good = true;
    println!("{:<28} {:>12} {:>12} {:>8}", "case", "baseline", "now", "change");
    for (name, count) in CASES {
        let each = each(&program, name, count)?;
        let (text, within) = judge(baseline.get(name).copied(), each);
        println!("{name:<28} {:>12} {each:>12} {text}", baseline.get(name).copied().unwrap_or_default());
        good &= within;
        counts.insert(name, each);
    }
    if bless {
        std::fs::write(&path, write(&counts)).with_context(|| path.display().to_string())?;
        println!("written: {BASELINE}");
        return Ok(true);
    }
    if !good {
        println!("more than {PERCENT} % above the baseline: make it faster, or say in the commit why it");
        println!("costs more and renew the baseline with `cargo xtask instructions --bless`");
    }
    Ok(good)
}

/// The change in words, and whether it is within the tolerance. A case without a baseline is not.
pub(crate) fn judge(baseline: Option<u64>, now: u64) -> (String, bool) {
    let Some(baseline) = baseline.filter(|count| *count > 0) else {
        return ("  no baseline".to_owned(), false);
    };
    let percent = (now as f64 / baseline as f64 - 1.0) * 100.0;
    let slower = now * 100 > baseline * (100 + PERCENT);
    let word = match now {
        _ if slower => "  SLOWER",
        _ if now * 100 < baseline * (100 - PERCENT) => "  faster: renew the baseline with --bless",
        _ => "",
    };
    (format!("{percent:>+7.2}%{word}"), !slower)
}

/// Lines of a name and a count; `#` begins a comment.
pub(crate) fn read(text: &str) -> Result<BTreeMap<String, u64>> {
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
    lines
        .filter(|line| !line.is_empty())
        .map(|line| {
            let (name, count) = line.split_once(' ').with_context(|| format!("{BASELINE}: {line}"))?;
            Ok((name.to_owned(), count.trim().parse().with_context(|| format!("{BASELINE}: {line}"))?))
        })
        .collect()
}

fn write(counts: &BTreeMap<&str, u64>) -> String {
    let mut text =
        "# Instructions of one operation under callgrind; renewed by `cargo xtask instructions --bless`.\n"
            .to_owned();
    for (name, _) in CASES {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{name} {}", counts.get(name).copied().unwrap_or_default());
    }
    text
}

/// Instructions of one operation: the median of three runs, without what a run of none does.
fn each(program: &Path, name: &str, count: u64) -> Result<u64> {
    let runs = [0, count, count, count];
    let mut counts = Vec::new();
    // Two at a time: the counts do not depend on what else the machine does.
    for pair in runs.chunks(2) {
        let done: Vec<Result<u64>> = std::thread::scope(|scope| {
            let threads: Vec<_> =
                pair.iter().map(|count| scope.spawn(|| counted(program, name, *count))).collect();
            let joined = threads.into_iter().map(|thread| thread.join());
            joined.map(|done| done.unwrap_or_else(|_| bail!("a thread ended early"))).collect()
        });
        counts.extend(done.into_iter().collect::<Result<Vec<u64>>>()?);
    }
    let mut counts = counts.into_iter();
    let start = counts.next().unwrap_or_default();
    let mut full: Vec<u64> = counts.collect();
    full.sort_unstable();
    let median = full.get(full.len() / 2).copied().unwrap_or_default();
    Ok(median.saturating_sub(start) / count)
}

/// Instructions of one run.
#[expect(clippy::disallowed_methods, reason = "a chore that runs valgrind")]
fn counted(program: &Path, name: &str, count: u64) -> Result<u64> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null", "--"])
        .arg(program)
        .args([name, &count.to_string()])
        // The length of the environment and of paths is none of the program's business.
        .env_clear()
        .output()
        .context("running valgrind (Debian: apt-get install valgrind)")?;
    let said = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        bail!("{name} fails under valgrind:\n{said}");
    }
    collected(&said).with_context(|| format!("valgrind counts nothing:\n{said}"))
}

/// The number in callgrind's `Collected : N`.
pub(crate) fn collected(said: &str) -> Option<u64> {
    let line = said.lines().find(|line| line.contains("Collected"))?;
    line.rsplit(':').next()?.trim().parse().ok()
}

#[cfg(test)]
mod tests;
