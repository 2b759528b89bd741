//! `crypto`: the algorithms, their status, and what computes them.

use std::collections::BTreeMap;

use bartizan_crypto::Status;
use bartizan_crypto::alg::Alg;
use clap::ArgMatches;
use serde_json::{Value, json};

use crate::args::Values as _;
use crate::output::{self, Exit, Outcome};

/// What computes, and why.
const PROVIDER: &str = "aws-lc";
const PROVIDER_REASON: &str =
    "the only one in this version; chosen for its constant-time RSA and AES on every CPU";

pub(crate) fn run(matches: &ArgMatches) -> Outcome {
    if matches.on("json") {
        let algorithms: Vec<Value> = Alg::all().map(entry).collect();
        output::json(&json!({
            "provider": { "name": PROVIDER, "reason": PROVIDER_REASON },
            "algorithms": algorithms,
        }));
        return Ok(Exit::Yes);
    }
    output::line(format_args!("provider: {PROVIDER} ({PROVIDER_REASON})"));
    let mut kinds: Vec<&str> = Vec::new();
    let mut by_kind: BTreeMap<&str, Vec<Alg>> = BTreeMap::new();
    for alg in Alg::all() {
        if !kinds.contains(&alg.kind()) {
            kinds.push(alg.kind());
        }
        by_kind.entry(alg.kind()).or_default().push(alg);
    }
    for kind in kinds {
        output::line(format_args!("\n{kind}"));
        for alg in by_kind.remove(kind).unwrap_or_default() {
            let note = note(alg);
            let strength = match alg.strength_bits() {
                0 => "-".to_owned(),
                bits => bits.to_string(),
            };
            let (name, status) = (alg.short_name(), alg.status());
            output::line(
                format!("  {name:<24} {:<8} {strength:>4}  {}{note}", status.word(), alg.uri()).trim_end(),
            );
        }
    }
    output::line("\nColumns: name, status, strength in bits, URI.");
    Ok(Exit::Yes)
}

fn entry(alg: Alg) -> Value {
    let reason = match alg {
        Alg::Refused(refused) => Some(refused.reason().to_string()),
        _ => None,
    };
    json!({
        "name": alg.short_name(),
        "kind": alg.kind(),
        "uri": alg.uri(),
        "status": alg.status().word(),
        "strength_bits": (alg.status() != Status::Refused).then(|| alg.strength_bits()),
        "reason": reason,
    })
}

/// Why a refused one is.
fn note(alg: Alg) -> String {
    match alg {
        Alg::Refused(refused) => format!("  ({})", refused.reason()),
        _ => String::new(),
    }
}
