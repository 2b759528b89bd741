//! The `bartizan` binary: arguments in, exit code out. Everything else is in `verb`.

#![allow(clippy::disallowed_methods, reason = "the shell: it has a clock and an environment")]

mod args;
mod client;
mod evidence;
mod keyset;
mod login;
mod output;
mod plan;
mod secret;
mod users;
mod verb;

use std::process::ExitCode;

use output::Exit;

fn main() -> ExitCode {
    let matches = match args::command().try_get_matches() {
        Ok(matches) => matches,
        Err(error) => {
            // Help and version are answers, on standard output; the rest is usage.
            let exit = if error.use_stderr() { Exit::CouldNot } else { Exit::Yes };
            let _ = error.print();
            return ExitCode::from(exit as u8);
        }
    };
    match verb::run(&matches) {
        Ok(exit) => ExitCode::from(exit as u8),
        Err(failure) => {
            failure.print();
            ExitCode::from(failure.exit() as u8)
        }
    }
}
