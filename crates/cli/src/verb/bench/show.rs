//! Records and comparisons as JSON.

use bartizan_lab::compare::Change;
use bartizan_lab::figures::{RAMPART, RAMPART_SOURCE, TOKENS, TOKENS_SOURCE};
use bartizan_lab::record::{Row, Spread};
use serde_json::{Value, json};

/// A record. One of several scenarios is a list of records.
pub(super) fn record(rows: &[Row], right: bool) -> Value {
    let mut names: Vec<&str> = rows.iter().map(|row| row.cell.scenario.as_str()).collect();
    names.dedup();
    let own = |name: &str| rows.iter().filter(|row| row.cell.scenario == name).collect::<Vec<_>>();
    match names.as_slice() {
        [_, _, ..] => {
            let records: Vec<Value> = names.iter().map(|name| one(name, &own(name), right)).collect();
            json!({ "verdict": if right { "right" } else { "wrong" }, "records": records })
        }
        [] | [_] => one(names.first().copied().unwrap_or_default(), &rows.iter().collect::<Vec<_>>(), right),
    }
}

fn one(scenario: &str, rows: &[&Row], right: bool) -> Value {
    let first = rows.first();
    json!({
        "scenario": scenario,
        "verdict": if right { "right" } else { "wrong" },
        "date": first.map(|row| &row.date),
        "machine": first.map(|row| &row.machine),
        "setting": first.map(|row| &row.setting),
        "rows": rows.iter().map(|r| row(r)).collect::<Vec<_>>(),
        "published": published(scenario),
    })
}

fn published(scenario: &str) -> Value {
    if scenario == "unt" {
        let figures: Vec<Value> = TOKENS
            .iter()
            .map(|p| {
                json!({
                    "scenario": p.scenario,
                    "encrypted": p.protection.0,
                    "signed": p.protection.1,
                    "avg_response_ms": p.response,
                    "throughput_per_s": p.rate,
                    "client_cpu_percent": p.client_cpu,
                })
            })
            .collect();
        return json!({ "source": TOKENS_SOURCE, "figures": figures });
    }
    let figures: Vec<Value> = RAMPART
        .iter()
        .map(|p| json!({ "engine": p.engine, "requests": p.requests, "concurrency": p.concurrency, "msgs_per_s": p.rate }))
        .collect();
    json!({ "source": RAMPART_SOURCE, "figures": figures })
}

fn row(row: &Row) -> Value {
    let figures = row.figures.as_ref();
    json!({
        "keys": row.cell.keys,
        "concurrency": row.cell.concurrency,
        "peer": row.cell.peer,
        "version": row.cell.version,
        "rounds": figures.map(|f| f.rounds),
        "messages": figures.map(|f| f.messages),
        "warm_messages": figures.map(|f| f.warm_messages),
        "msgs_per_s": figures.map(|f| spread(&f.rate)),
        "cpu_us": figures.map(|f| spread(&f.cpu)),
        "p50_us": figures.and_then(|f| f.p50),
        "p99_us": figures.and_then(|f| f.p99),
        "rss_bytes": figures.and_then(|f| f.resident),
        "request_bytes": figures.map(|f| f.request_bytes),
        "reply_bytes": figures.map(|f| f.reply_bytes),
        "ratio_to_floor": figures.and_then(|f| f.to_floor),
        "ratio_to_own": figures.and_then(|f| f.to_own),
        "errors": row.errors,
        "note": if row.note.is_empty() { None } else { Some(&row.note) },
    })
}

fn spread(spread: &Spread) -> Value {
    json!({ "median": spread.median, "low": spread.low, "high": spread.high })
}

/// A comparison.
pub(super) fn changes(changes: &[Change]) -> Value {
    let one = |change: &Change| {
        json!({
            "keys": change.cell.keys,
            "concurrency": change.cell.concurrency,
            "peer": change.cell.peer,
            "before_cpu_us": change.before,
            "after_cpu_us": change.after,
            "ratio": change.ratio.map(|ratio| ratio.median),
            "ratio_low": change.ratio.map(|ratio| ratio.low),
            "ratio_high": change.ratio.map(|ratio| ratio.high),
            "verdict": change.verdict.name(),
        })
    };
    json!({ "changes": changes.iter().map(one).collect::<Vec<_>>() })
}
