//! The report as one page of HTML that needs nothing else: a picture of CPU a message beside the floor, then the figures.

use std::fmt::Write as _;

use super::{Group, Words, groups, name, scenarios, steps};
use crate::record::{FLOOR, Row};

/// The picture's concurrency: the published one.
const PICTURED: usize = 10;
/// Width of the picture, of the names to its left and of the figures to its right, in pixels.
const WIDTH: f64 = 920.0;
const LEFT: f64 = 190.0;
const RIGHT: f64 = 190.0;
/// Height of a bar and of the space that it has.
const BAR: f64 = 22.0;
const STEP: f64 = 32.0;

const STYLE: &str = "\
:root{--ink:#1b1f24;--dim:#5c6670;--line:#d5dae0;--own:#1f6f4a;--other:#8aa0b4;--floor:#b3541e;--paper:#fff}
@media (prefers-color-scheme:dark){:root{--ink:#e6e9ec;--dim:#9aa5af;--line:#39414a;--own:#4fb286;--other:#6b8196;--floor:#e08a52;--paper:#14181c}}
body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:960px;margin:2rem auto;padding:0 1rem}
h1{font-size:1.5rem;margin-bottom:.2rem}h2{font-size:1.1rem;margin:2rem 0 .5rem}
p.fact,li,caption{color:var(--dim)}p.fact{margin:.1rem 0}
table{border-collapse:collapse;width:100%;margin:.5rem 0 1.2rem}caption{text-align:left}
th,td{white-space:nowrap;text-align:right;padding:.25rem .5rem;border-bottom:1px solid var(--line);font-variant-numeric:tabular-nums}
th:first-child,td:first-child{text-align:left}
svg{width:100%;height:auto}svg text{font:13px system-ui,sans-serif;fill:var(--ink)}svg .dim{fill:var(--dim)}
.own{fill:var(--own)}.other{fill:var(--other)}.floor{fill:var(--floor)}.mark{stroke:var(--floor);stroke-width:1.5;stroke-dasharray:4 3}
";

/// The report of a record, one scenario after the other.
#[must_use]
pub fn to_html(rows: &[Row]) -> String {
    let all = scenarios(rows);
    let names: Vec<&str> = all.iter().map(|(words, _)| words.scenario.as_str()).collect();
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width\"><title>bartizan bench {}</title>\n\
         <style>\n{STYLE}</style></head>\n<body>\n",
        escaped(&names.join(", "))
    );
    for (words, rows) in &all {
        let _ = writeln!(out, "<h1>{}</h1>\n<p>{}</p>", words.heading, words.about);
        if let Some(first) = rows.first() {
            for fact in [&first.date, &first.machine, &first.setting] {
                let _ = writeln!(out, "<p class=\"fact\">{}</p>", escaped(fact));
            }
        }
        for group in groups(rows) {
            let _ = writeln!(out, "<h2>{}</h2>", escaped(&group.title));
            picture(&group, &mut out);
            for (concurrency, rows) in &group.series {
                table(*concurrency, group.floor, rows, &mut out);
            }
        }
        table_of_steps(rows, &mut out);
        notes(words, rows, &mut out);
    }
    out.push_str("</body></html>\n");
    out
}

/// The set-ups with UsernameTokens beside each other.
fn table_of_steps(rows: &[&Row], out: &mut String) {
    let steps = steps::steps(rows);
    if steps.is_empty() {
        return;
    }
    out.push_str(
        "<h2>The set-ups beside each other</h2>\n<table><tr><th></th><th>response ms</th><th>messages/s</th><th>CPU µs</th>\
         <th>× UNT1</th></tr>\n",
    );
    for step in steps {
        let times = step.to_first.map_or(String::new(), |times| format!("{times:.2}"));
        let _ = writeln!(
            out,
            "<tr><td>{}, {}</td><td>{:.3}</td><td>{:.0}</td><td>{:.1}</td><td>{times}</td></tr>",
            escaped(&name(step.row)),
            escaped(&step.row.cell.keys),
            step.response,
            step.rate,
            step.cpu
        );
    }
    out.push_str("</table>\n");
}

/// Bars of CPU a message, the floor as a bar and as a line through the others.
fn picture(group: &Group<'_>, out: &mut String) {
    let rows = group.series.iter().find(|(concurrency, _)| *concurrency == PICTURED).or(group.series.last());
    let Some((concurrency, rows)) = rows else { return };
    let measured = |row: &&Row| row.figures.is_some();
    let bars: Vec<&Row> = group.floor.into_iter().chain(rows.iter().copied()).filter(measured).collect();
    let cpu = |row: &Row| row.figures.as_ref().map_or(0.0, |figures| figures.cpu.median);
    let longest = bars.iter().map(|row| cpu(row)).fold(0.0, f64::max);
    if longest <= 0.0 {
        return;
    }
    let scale = (WIDTH - LEFT - RIGHT) / longest;
    let height = STEP * bars.len() as f64 + 24.0;
    let _ = writeln!(
        out,
        "<svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"CPU microseconds a message\">\
         <text class=\"dim\" x=\"{LEFT}\" y=\"12\">CPU µs a message, {concurrency} in flight</text>"
    );
    for (at, row) in bars.iter().enumerate() {
        let (y, width) = (20.0 + STEP * at as f64, cpu(row) * scale);
        let class = match row.cell.peer.as_str() {
            FLOOR => "floor",
            "bartizan" => "own",
            _ => "other",
        };
        let text = y + BAR - 6.0;
        let times = row.figures.as_ref().and_then(|figures| figures.to_floor);
        let times =
            times.filter(|_| row.cell.peer != FLOOR).map_or(String::new(), |t| format!(" · {t:.2} × floor"));
        let _ = writeln!(
            out,
            "<text x=\"{:.1}\" y=\"{text:.1}\" text-anchor=\"end\">{}</text>\
             <rect class=\"{class}\" x=\"{LEFT}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{BAR}\" rx=\"2\"/>\
             <text x=\"{:.1}\" y=\"{text:.1}\">{:.0}{times}</text>",
            LEFT - 8.0,
            escaped(&name(row)),
            LEFT + width + 8.0,
            cpu(row)
        );
    }
    if let Some(floor) = group.floor.filter(measured) {
        let x = LEFT + cpu(floor) * scale;
        let _ = writeln!(
            out,
            "<line class=\"mark\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"18\" y2=\"{:.1}\"/>",
            height - 4.0
        );
    }
    out.push_str("</svg>\n");
}

/// The figures of one concurrency.
fn table(concurrency: usize, floor: Option<&Row>, rows: &[&Row], out: &mut String) {
    let _ = writeln!(
        out,
        "<table><caption>{concurrency} in flight</caption><tr><th></th><th>messages/s</th><th>CPU µs</th><th>rounds</th>\
         <th>× floor</th><th>× ours</th><th>p50 µs</th><th>p99 µs</th><th>RSS MB</th><th>errors</th></tr>"
    );
    for row in floor.into_iter().chain(rows.iter().copied()) {
        let Some(figures) = &row.figures else {
            let _ = writeln!(
                out,
                "<tr><td>{}</td><td colspan=\"9\">no figures: see below</td></tr>",
                escaped(&name(row))
            );
            continue;
        };
        let is_floor = row.cell.peer == FLOOR;
        let option =
            |value: Option<f64>, digits: usize| value.map_or(String::new(), |v| format!("{v:.digits$}"));
        let cells = [
            if is_floor { String::new() } else { format!("{:.0}", figures.rate.median) },
            format!("{:.0}", figures.cpu.median),
            format!("{:.0} … {:.0}", figures.cpu.low, figures.cpu.high),
            option(figures.to_floor, 2),
            option(figures.to_own, 2),
            option(figures.p50, 0),
            option(figures.p99, 0),
            figures.resident.map_or(String::new(), |bytes| (bytes / 1_000_000).to_string()),
            if is_floor { String::new() } else { row.errors.to_string() },
        ];
        let _ =
            writeln!(out, "<tr><td>{}</td><td>{}</td></tr>", escaped(&name(row)), cells.join("</td><td>"));
    }
    out.push_str("</table>\n");
}

/// What is published, what went wrong, and what to bear in mind.
fn notes(words: &Words, rows: &[&Row], out: &mut String) {
    let _ = writeln!(
        out,
        "<h2>Published figures</h2>\n<p>From {}.</p>\n<table><tr><th></th><th>messages/s</th></tr>",
        escaped(words.source)
    );
    for (who, rate) in words.published() {
        let _ = writeln!(out, "<tr><td>{who}</td><td>{rate}</td></tr>");
    }
    out.push_str("</table>\n<h2>To bear in mind</h2>\n<ul>\n");
    for row in rows.iter().filter(|row| !row.note.is_empty()) {
        let (peer, note) = (escaped(&name(row)), escaped(&row.note));
        let _ =
            writeln!(out, "<li>{peer}, {}, {} in flight: {note}</li>", row.cell.keys, row.cell.concurrency);
    }
    for sentence in words.bias.iter().copied().flatten() {
        let _ = writeln!(out, "<li>{sentence}</li>");
    }
    out.push_str("</ul>\n");
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
