//! Checks and chores of the workspace: `cargo xtask tidy`, `linear`, `instructions`, `oracle`.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

mod instructions;
mod linear;
mod program;
mod tidy;

fn workspace_root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

/// Builds the server and the harness of `crates/oracle` as they are released, and runs it. It is a program of its own, so
/// that this one is built without the product.
#[expect(clippy::disallowed_methods, reason = "a chore that runs cargo")]
fn oracle(arguments: &[String]) -> std::io::Result<bool> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let release = |verb: &[&str]| {
        let mut command = Command::new(&cargo);
        command.current_dir(workspace_root()).args(verb).args(["--release", "--locked", "--quiet"]);
        command
    };
    let build = release(&["build", "-p", "bartizan", "-p", "bartizan-oracle"]).status()?;
    let run = || release(&["run", "-p", "bartizan-oracle"]).arg("--").args(arguments).status();
    Ok(build.success() && run()?.success())
}

/// 0 for yes, 1 for no, 2 if it could not be told.
#[expect(clippy::print_stderr, reason = "a command-line tool")]
fn verdict(outcome: Result<bool, impl std::fmt::Display>) -> ExitCode {
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

#[expect(clippy::print_stdout, clippy::print_stderr, reason = "a command-line tool")]
fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.first().map(String::as_str) {
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
        Some("linear") => verdict(linear::run(&workspace_root())),
        Some("instructions") => {
            let bless = arguments.iter().any(|argument| argument == "--bless");
            verdict(instructions::run(&workspace_root(), bless))
        }
        Some("oracle") => verdict(oracle(arguments.get(1..).unwrap_or_default())),
        _ => {
            eprintln!("usage: cargo xtask tidy|linear|instructions|oracle");
            eprintln!("instructions: [--bless]");
            eprintln!(
                "oracle: [--samples N] [--connections N] [--seed N] [--cpu N] [--only PATH] [--csv FILE]"
            );
            eprintln!("\nrules of tidy:");
            for (name, what) in tidy::RULES {
                eprintln!("  {name:<14} {what}");
            }
            ExitCode::from(2)
        }
    }
}
