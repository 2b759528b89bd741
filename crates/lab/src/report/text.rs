//! The report as text, for a terminal.

use std::fmt::Write as _;

use super::{Group, Words, groups, name, scenarios, steps};
use crate::figures::TOKENS;
use crate::record::{Figures, Row};

/// The report of a record, one scenario after the other.
#[must_use]
pub fn to_text(rows: &[Row]) -> String {
    let all: Vec<String> = scenarios(rows).iter().map(|(words, rows)| scenario(words, rows)).collect();
    all.join("\n")
}

fn scenario(words: &Words, rows: &[&Row]) -> String {
    let mut out = format!("bartizan bench {}\n", words.scenario);
    if let Some(first) = rows.first() {
        let _ = writeln!(out, "{}\n{}\n{}", first.date, first.machine, first.setting);
    }
    for group in groups(rows) {
        one(&group, &mut out);
    }
    for row in rows.iter().filter(|row| !row.note.is_empty()) {
        let _ = writeln!(
            out,
            "\n{} with {} keys at {}: {}",
            name(row),
            row.cell.keys,
            row.cell.concurrency,
            row.note
        );
    }
    table_of_steps(rows, &mut out);
    let _ = writeln!(out, "\nPublished figures, from {}.", words.source);
    if words.scenario == "unt" {
        published_tokens(&mut out);
    } else {
        for (who, rate) in words.published() {
            let _ = writeln!(out, "  {who:<14}{rate:>5} messages a second");
        }
    }
    out.push('\n');
    for sentence in words.bias.iter().copied().flatten() {
        let _ = writeln!(out, "- {sentence}");
    }
    out
}

/// The set-ups beside each other, in the columns of the published table and with what they cost beside UNT1.
fn table_of_steps(rows: &[&Row], out: &mut String) {
    let steps = steps::steps(rows);
    if steps.is_empty() {
        return;
    }
    let word = |yes: bool| if yes { "yes" } else { "no" };
    let _ = writeln!(
        out,
        "\nThe set-ups beside each other\n\n  {:<24} {:<7} {:>5} {:>9} {:>6} {:>11} {:>9} {:>8} {:>7}",
        "", "set-up", "keys", "encrypted", "signed", "response ms", "msg/s", "CPU µs", "x UNT1"
    );
    for step in steps {
        let bits = if step.token.encrypts() { step.keys.name().trim_start_matches("rsa") } else { "" };
        let _ = writeln!(
            out,
            "  {:<24} {:<7} {bits:>5} {:>9} {:>6} {:>11.3} {:>9.0} {:>8.1} {:>7}",
            name(step.row),
            step.token.name(),
            word(step.token.encrypts()),
            word(step.token.signs()),
            step.response,
            step.rate,
            step.cpu,
            step.to_first.map_or("-".to_owned(), |times| format!("{times:.2}"))
        );
    }
}

fn published_tokens(out: &mut String) {
    let word = |yes: bool| if yes { "yes" } else { "no" };
    let first = TOKENS.first().map_or(f64::NAN, |first| first.rate);
    let _ = writeln!(
        out,
        "  {:<7} {:>9} {:>6} {:>11} {:>9} {:>12} {:>17}",
        "set-up", "encrypted", "signed", "response ms", "msg/s", "client CPU %", "UNT1 msg/s : this"
    );
    for token in TOKENS {
        let _ = writeln!(
            out,
            "  {:<7} {:>9} {:>6} {:>11.0} {:>9.1} {:>12} {:>17.2}",
            token.scenario,
            word(token.protection.0),
            word(token.protection.1),
            token.response,
            token.rate,
            token.client_cpu,
            first / token.rate
        );
    }
}

/// One kind of keys.
fn one(group: &Group<'_>, out: &mut String) {
    let _ = writeln!(out, "\n{}", group.title);
    for (concurrency, rows) in &group.series {
        let _ = writeln!(
            out,
            "\n  {:<20} {:>8} {:>9} {:>8} {:>7} {:>9} {:>9} {:>7} {:>7}",
            format!("{concurrency} in flight"),
            "msg/s",
            "CPU µs",
            "x floor",
            "x ours",
            "p50 µs",
            "p99 µs",
            "RSS MB",
            "errors"
        );
        if let Some(figures) = group.floor.and_then(|row| row.figures.as_ref()) {
            let _ = writeln!(
                out,
                "  {:<20} {:>8} {:>9} {:>8.2}",
                "bare cryptography",
                "",
                cpu_micros(figures.cpu.median),
                1.0
            );
        }
        for row in rows {
            line(row, out);
        }
    }
}

/// With a decimal where it says something.
fn cpu_micros(micros: f64) -> String {
    if micros < 100.0 { format!("{micros:.1}") } else { format!("{micros:.0}") }
}

fn line(row: &Row, out: &mut String) {
    let Some(figures) = &row.figures else {
        let _ = writeln!(out, "  {:<20} no figures: see below", name(row));
        return;
    };
    let Figures { rate, cpu, p50, p99, resident, to_floor, to_own, .. } = figures;
    let times = |value: &Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.2}"));
    let micros = |value: &Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.0}"));
    let memory = resident.map_or("-".to_owned(), |bytes| (bytes / 1_000_000).to_string());
    let _ = writeln!(
        out,
        "  {:<20} {:>8.0} {:>9} {:>8} {:>7} {:>9} {:>9} {memory:>7} {:>7}",
        name(row),
        rate.median,
        cpu_micros(cpu.median),
        times(to_floor),
        times(to_own),
        micros(p50),
        micros(p99),
        row.errors
    );
}
