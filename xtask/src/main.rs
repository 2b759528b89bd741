//! Checks and chores of the workspace: `cargo xtask tidy`, `cargo xtask linear`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

mod linear;
mod tidy;

fn workspace_root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

#[expect(clippy::print_stdout, clippy::print_stderr, reason = "a command-line tool")]
fn main() -> ExitCode {
    match std::env::args().nth(1).as_deref() {
        Some("tidy") => match tidy::run(&workspace_root()) {
            Ok(report) if report.findings.is_empty() => {
                println!("tidy: {} files, {} rules, no findings", report.files, tidy::RULES.len());
                ExitCode::SUCCESS
            }
            Ok(report) => {
                for finding in &report.findings {
                    println!("{finding}");
                }
                println!("tidy: {} findings", report.findings.len());
                ExitCode::from(1)
            }
            Err(error) => {
                eprintln!("error: {error:#}");
                ExitCode::from(2)
            }
        },
        Some("linear") => match linear::run(&workspace_root()) {
            Ok(true) => ExitCode::SUCCESS,
            Ok(false) => ExitCode::from(1),
            Err(error) => {
                eprintln!("error: {error:#}");
                ExitCode::from(2)
            }
        },
        _ => {
            eprintln!("usage: cargo xtask tidy|linear\n\nrules of tidy:");
            for (name, what) in tidy::RULES {
                eprintln!("  {name:<14} {what}");
            }
            ExitCode::from(2)
        }
    }
}
