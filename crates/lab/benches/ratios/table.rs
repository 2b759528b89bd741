//! The results as text, CSV and JSON.

use std::fmt::Write as _;

use crate::case::Row;
use crate::threads::Scaling;

pub fn heading() -> String {
    format!(
        "{:<31} {:>4} {:>10} {:>10} {:<9} {:>6} {:>8} {:>5} {:>7} {:>9} {:>7} {:>6}",
        "case",
        "size",
        "ours us",
        "other us",
        "other",
        "ratio",
        "goal",
        "",
        "allocs",
        "bytes",
        "MB/s",
        "spread"
    )
}

pub fn line(row: &Row) -> String {
    format!(
        "{:<31} {:>4} {:>10.2} {:>10.2} {:<9} {:>6.3} {:>8} {:>5} {:>7.0} {:>9.0} {:>7.0} {:>5.1}%",
        row.name,
        row.label,
        row.ours,
        row.beside,
        row.beside_name,
        row.ratio,
        row.goal_text(),
        row.verdict(),
        row.allocations,
        row.allocated,
        row.octets as f64 / row.ours,
        row.spread * 100.0
    )
}

pub fn scaling(found: &Scaling) -> String {
    let verdict = if found.wall >= 1.9 { "ok" } else { "short" };
    format!(
        "two pinned threads, {}: {:.2} x one by the wall (goal >= 1.90: {verdict}), {:.2} x by CPU time",
        found.name, found.wall, found.cpu
    )
}

const COLUMNS: &str = "case,size,octets,ours_us,ours_best_us,other,other_us,other_best_us,ratio,goal,verdict,\
                       allocations,allocated_bytes,mb_per_s,spread,rounds";

fn fields(row: &Row) -> [String; 16] {
    [
        row.name.clone(),
        row.label.to_owned(),
        row.octets.to_string(),
        format!("{:.3}", row.ours),
        format!("{:.3}", row.ours_best),
        row.beside_name.to_owned(),
        format!("{:.3}", row.beside),
        format!("{:.3}", row.beside_best),
        format!("{:.4}", row.ratio),
        row.goal_text(),
        row.verdict().to_owned(),
        format!("{:.1}", row.allocations),
        format!("{:.0}", row.allocated),
        format!("{:.1}", row.octets as f64 / row.ours),
        format!("{:.4}", row.spread),
        row.rounds.to_string(),
    ]
}

pub fn csv(about: &str, rows: &[Row], scalings: &[Scaling]) -> String {
    let mut out = format!("# {about}\n{COLUMNS}\n");
    for row in rows {
        out.push_str(&fields(row).join(","));
        out.push('\n');
    }
    for found in scalings {
        let _ = writeln!(out, "# two threads,{},wall {:.3},cpu {:.3}", found.name, found.wall, found.cpu);
    }
    out
}

pub fn json(about: &str, rows: &[Row], scalings: &[Scaling]) -> String {
    let names: Vec<&str> = COLUMNS.split(',').map(str::trim).collect();
    let quoted = |text: &str| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
    let value = |text: &String| if text.parse::<f64>().is_ok() { text.clone() } else { quoted(text) };
    let object = |row: &Row| {
        let pairs =
            names.iter().zip(fields(row)).map(|(name, text)| format!("{}: {}", quoted(name), value(&text)));
        format!("    {{{}}}", pairs.collect::<Vec<_>>().join(", "))
    };
    let rows: Vec<String> = rows.iter().map(object).collect();
    let scalings: Vec<String> = scalings
        .iter()
        .map(|s| {
            format!("    {{\"case\": {}, \"wall\": {:.3}, \"cpu\": {:.3}}}", quoted(&s.name), s.wall, s.cpu)
        })
        .collect();
    format!(
        "{{\n  \"about\": {},\n  \"rows\": [\n{}\n  ],\n  \"two_threads\": [\n{}\n  ]\n}}\n",
        quoted(about),
        rows.join(",\n"),
        scalings.join(",\n")
    )
}
