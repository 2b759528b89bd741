//! Programs of the workspace that a chore runs: cargo builds them and says where they are.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

/// Builds with these arguments of cargo, the last of which is the program's name, and says where it is.
#[expect(clippy::disallowed_methods, reason = "a chore that runs cargo")]
pub(crate) fn build(root: &Path, arguments: &[&str]) -> Result<PathBuf> {
    let name = arguments.last().copied().unwrap_or_default();
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let output = Command::new(cargo)
        .args(arguments)
        .args(["--locked", "--message-format", "json-render-diagnostics"])
        .current_dir(root)
        .stderr(Stdio::inherit())
        .output()
        .context("running cargo")?;
    ensure!(output.status.success(), "{name} does not build");
    let lines = String::from_utf8_lossy(&output.stdout);
    let messages = lines.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let program = messages
        .filter(|message| message.pointer("/target/name").is_some_and(|found| found == name))
        .find_map(|message| message.get("executable")?.as_str().map(PathBuf::from));
    program.with_context(|| format!("cargo names no program {name}"))
}
