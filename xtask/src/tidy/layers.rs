//! The layers of ARCHITECTURE.md against `cargo metadata`.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::Finding;

/// Package and layer. A crate may name crates of lower layers only.
const LAYERS: &[(&str, u8)] = &[
    ("bartizan-crypto-sys", 0),
    ("bartizan-xml", 1),
    ("bartizan-crypto", 1),
    ("bartizan-soap", 2),
    ("bartizan-xmlsec", 2),
    ("bartizan-keys", 2),
    ("bartizan-wss", 3),
    ("bartizan-net", 3),
    ("bartizan-policy", 4),
    ("bartizan-service", 4),
    ("bartizan-gateway", 5),
    ("bartizan-store", 5),
    ("bartizan-lab", 6),
    ("bartizan-oracle", 6),
    ("bartizan", 7),
];

/// `xml` and `keys` stand on few others; what a layer number alone would allow is narrowed here.
const FORBIDDEN: &[(&str, &str, &str)] = &[
    ("bartizan-xml", "bartizan-crypto-sys", "the parser knows no cryptography"),
    ("bartizan-soap", "bartizan-crypto", "envelopes know no cryptography"),
    ("bartizan-keys", "bartizan-xml", "keys know no XML"),
    ("bartizan-net", "bartizan-xml", "sockets know no XML"),
    ("bartizan-gateway", "bartizan-service", "the binary wires hosts into junctions"),
    ("bartizan-lab", "bartizan-gateway", "the lab drives our server as a process"),
    ("bartizan-lab", "bartizan-service", "the lab drives our server as a process"),
    ("bartizan-oracle", "bartizan-wss", "the attacker makes its messages without our engine"),
    ("bartizan-oracle", "bartizan-gateway", "the attacker sees the server at a socket"),
    ("bartizan-oracle", "bartizan-service", "the attacker sees the server at a socket"),
];

fn layer(name: &str) -> Option<u8> {
    LAYERS.iter().find(|(known, _)| *known == name).map(|(_, layer)| *layer)
}

#[expect(clippy::disallowed_methods, reason = "a chore that asks cargo")]
pub(super) fn check(root: &Path) -> Result<Vec<Finding>> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let output = Command::new(cargo)
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .current_dir(root)
        .output()
        .context("running cargo metadata")?;
    ensure!(output.status.success(), "cargo metadata: {}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).context("reading cargo metadata")?;
    let mut findings = Vec::new();
    for package in metadata.get("packages").and_then(Value::as_array).into_iter().flatten() {
        check_package(root, package, &mut findings);
    }
    Ok(findings)
}

fn check_package(root: &Path, package: &Value, findings: &mut Vec<Finding>) {
    let name = package["name"].as_str().unwrap_or_default();
    let manifest = Path::new(package["manifest_path"].as_str().unwrap_or_default());
    let path = manifest.strip_prefix(root).unwrap_or(manifest).to_string_lossy().into_owned();
    let mut report =
        |what: String| findings.push(Finding { rule: "layers", path: path.clone(), line: 1, what });
    let outside = matches!(name, "bartizan-testkit" | "xtask");
    if layer(name).is_none() && !outside {
        report(format!("{name} has no layer: add it to xtask/src/tidy/layers.rs and ARCHITECTURE.md"));
    }
    for dependency in package["dependencies"].as_array().into_iter().flatten() {
        let on = dependency["name"].as_str().unwrap_or_default();
        if !on.starts_with("bartizan") {
            continue;
        }
        if on == "bartizan-testkit" {
            if dependency["kind"].as_str() != Some("dev") {
                report(format!("{name} uses testkit outside of tests"));
            }
            continue;
        }
        if outside {
            report(format!("{name} may not name a product crate, yet depends on {on}"));
        } else if layer(on) >= layer(name) {
            report(format!("{name} (layer {:?}) depends on {on} (layer {:?})", layer(name), layer(on)));
        }
        if let Some((_, _, why)) = FORBIDDEN.iter().find(|(from, to, _)| *from == name && *to == on) {
            report(format!("{name} depends on {on}: {why}"));
        }
    }
}
