//! The story of a demo, as text and as JSON.

use std::fmt::Write as _;
use std::time::Duration;

use serde_json::{Value, json};

use super::{POLICY, Story};
use crate::evidence;
use crate::output::show_time;

/// Time in microseconds of a step in the server's record.
fn step(record: &Value, name: &str) -> Duration {
    Duration::from_micros(record[name].as_u64().unwrap_or(0))
}

pub(super) fn text(story: &Story, verbose: bool) -> String {
    let mut out = String::new();
    let context = story.verified.context();
    let server = &story.server;
    let _ = writeln!(out, "One call under the benchmark policy ({POLICY}): signed, then encrypted.\n");
    let _ = writeln!(out, "  keys    a CA, server, client and more, made in {}", show_time(story.keys));
    let _ = writeln!(out, "  server  {}\n", story.url);
    let (sent, answered) = (size(story.request.bytes.len()), size(story.reply.bytes.len()));
    let mut row = |n: u8, what: &str, size: &str, time: Duration, note: &str| {
        let _ = writeln!(out, "  {n}  {what:<28} {size:>8}  {:>9}   {note}", show_time(time));
    };
    let caller = server["caller"]["name"].as_str().unwrap_or("?");
    let signer = story.verified.caller().map_or("?", |caller| caller.name());
    row(1, "client secured the request", &sent, story.request.time, "Body signed and encrypted");
    row(2, "server verified the request", &sent, step(server, "verify_us"), &format!("sent by {caller}"));
    row(
        3,
        "server secured the reply",
        &answered,
        step(server, "secure_us"),
        "Body and SignatureConfirmation signed",
    );
    row(4, "client verified the reply", &answered, story.checked, &format!("sent by {signer}"));
    let confirmed = context.confirmed();
    let word = if confirmed == 1 { "matches" } else { "match" };
    let _ = writeln!(out, "\n  SignatureConfirmation: {confirmed} {word} the request that was sent");
    let _ = writeln!(out, "  round trip: {}", show_time(story.reply.time));
    if let Some(payload) = story.verified.payload() {
        let _ = writeln!(out, "  the reply says: {}", String::from_utf8_lossy(&payload.octets()));
    }
    let legacy: Vec<&str> = context.legacy().map(|alg| alg.short_name()).collect();
    if !legacy.is_empty() {
        let _ = writeln!(out, "  legacy algorithms, as this policy names them: {}", legacy.join(", "));
    }
    if verbose {
        let _ = writeln!(out, "\nEvidence of the reply\n{}", evidence::to_text(context).trim_end());
    }
    let _ = writeln!(out, "\nThe same server under attack:\n");
    for attempt in &story.attacks {
        let verdict = if attempt.refused { "refused" } else { "NOT REFUSED" };
        let _ = writeln!(out, "  {verdict}  {}", attempt.what);
        let _ = writeln!(out, "           the log says: {}", attempt.reason);
    }
    let same = story.attacks.windows(2).all(|pair| match pair {
        [one, other] => masked(&one.fault) == masked(&other.fault) && one.status == other.status,
        _ => true,
    });
    if same && let Some(first) = story.attacks.first() {
        let (status, fault) = (first.status, masked(&first.fault));
        let _ = writeln!(out, "\n  All the attacker hears, each time: HTTP {status}, \"{fault}\"");
    }
    let all = story.attacks.iter().all(|attempt| attempt.refused);
    let last = if all { "Everything verified, every attack refused." } else { "AN ATTACK WAS NOT REFUSED." };
    let _ = writeln!(out, "\n{last}");
    out
}

/// A fault's sentence without the request id.
fn masked(fault: &str) -> &str {
    fault.split(" (request").next().unwrap_or(fault)
}

fn size(bytes: usize) -> String {
    format!("{bytes} B")
}

pub(super) fn json(story: &Story) -> Value {
    let micros = |time: Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
    let attacks: Vec<Value> = story
        .attacks
        .iter()
        .map(|attempt| {
            json!({
                "attack": attempt.what,
                "refused": attempt.refused,
                "reason": attempt.reason,
                "status": attempt.status,
                "fault": attempt.fault,
                "time_us": micros(attempt.time),
            })
        })
        .collect();
    let server = &story.server;
    json!({
        "verdict": if story.attacks.iter().all(|attempt| attempt.refused) { "verified" } else { "refused" },
        "policy": POLICY,
        "url": story.url,
        "keys_us": micros(story.keys),
        "steps": [
            { "step": "request_secured", "bytes": story.request.bytes.len(), "time_us": micros(story.request.time) },
            { "step": "request_verified", "bytes": story.request.bytes.len(), "time_us": server["verify_us"],
              "caller": server["caller"], "parts": server["parts"] },
            { "step": "reply_secured", "bytes": story.reply.bytes.len(), "time_us": server["secure_us"] },
            { "step": "reply_verified", "bytes": story.reply.bytes.len(), "time_us": micros(story.checked),
              "signatures_confirmed": story.verified.context().confirmed() },
        ],
        "round_trip_us": micros(story.reply.time),
        "evidence": evidence::to_json(Ok(&story.verified), &[]),
        "attacks": attacks,
    })
}
