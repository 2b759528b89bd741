//! The key options of the command line → a key store. They become a [`KeySet`] as a
//! configuration has them, so that both mean the same.

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

use bartizan_gateway::Problem;
use bartizan_gateway::config::{KeySet, Secret};
use bartizan_gateway::keyset::{self, Role};
use bartizan_keys::{Answering, Keystore, Time, TrustReason};
use clap::ArgMatches;

use crate::args::Values as _;
use crate::output::{Failure, Where, note, warn};

/// The environment variable that may hold a store's password.
pub(crate) const PASSWORD_VARIABLE: &str = "BARTIZAN_STORE_PASSWORD";

/// The options as a key set.
pub(crate) fn options(matches: &ArgMatches) -> Result<KeySet, Failure> {
    let set = KeySet {
        folder: matches.path("keys"),
        name: matches.text("as-name").map(str::to_owned),
        peer_name: matches.text("peer-name").map(str::to_owned),
        certificate: matches.path("cert"),
        private_key: matches.path("key"),
        pkcs12: matches.path("pkcs12"),
        jks: matches.path("jks"),
        merlin: matches.path("merlin"),
        password: password(matches),
        peers: matches.paths("peer"),
        trust: matches.paths("trust"),
        untrusted: matches.paths("untrusted"),
        revocation: matches.paths("crl"),
        legacy: matches.on("legacy"),
        min_rsa: number(matches, "min-rsa")?,
        ..KeySet::default()
    };
    if set.folder.is_none() && set.merlin.is_none() && (set.name.is_some() || set.peer_name.is_some()) {
        return Err(Failure::could_not("--as-name and --peer-name choose within a folder")
            .help("give the folder with --keys DIR"));
    }
    if set.private_key.is_some() != set.certificate.is_some() {
        return Err(Failure::could_not("--key and --cert belong together"));
    }
    Ok(set)
}

/// Whether any key option was given.
pub(crate) fn given(set: &KeySet) -> bool {
    *set != KeySet { min_rsa: set.min_rsa, legacy: set.legacy, ..KeySet::default() }
}

/// Loads the keys that the options name.
pub(crate) fn load(matches: &ArgMatches, role: Role) -> Result<Keystore, Failure> {
    keyset::load(&options(matches)?, role, &ask).map_err(failure)
}

/// Loads the keys to verify with: with `--any-peer` whoever is trusted may have made a reply.
pub(crate) fn load_verifying(matches: &ArgMatches, set: &KeySet, role: Role) -> Result<Keystore, Failure> {
    let keys = keyset::load(set, role, &ask).map_err(failure)?;
    Ok(keys.answered_by(if matches.on("any-peer") { Answering::Anybody } else { Answering::Peer }))
}

/// Warns of an own certificate that nobody will take at this time, as far as our own trust shows it.
pub(crate) fn doubt_own(keys: &Keystore, now: Time) {
    let Some(identity) = keys.identity() else { return };
    let leaf = identity.leaf();
    let said = if leaf.not_after() < now {
        format!("ended at {}", leaf.not_after().to_seconds_z())
    } else if now < leaf.not_before() {
        format!("is not valid before {}", leaf.not_before().to_seconds_z())
    } else {
        match keys.trust().verify(leaf, identity.chain(), now, keys.min_rsa()) {
            Err(bartizan_keys::Error::Trust(TrustReason::Revoked)) => "is revoked".to_owned(),
            _ => return,
        }
    };
    warn(format_args!(
        "our own certificate, of `{}`, {said}: the other side will refuse it",
        leaf.subject_display()
    ));
}

/// Where a store's password comes from, if that was said.
pub(crate) fn password(matches: &ArgMatches) -> Option<Secret> {
    let variable = || std::env::var_os(PASSWORD_VARIABLE).map(|_| Secret::Env(PASSWORD_VARIABLE.to_owned()));
    matches.path("store-password-file").map(Secret::File).or_else(variable)
}

/// Asks for a store's password on a terminal; without one nobody can be asked.
pub(crate) fn ask(store: &Path) -> Option<String> {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return None;
    }
    let _ = write!(io::stderr().lock(), "password of {}: ", store.display());
    typed()
}

/// A line from the terminal, which does not show it.
pub(crate) fn typed() -> Option<String> {
    let hidden = echo("-echo");
    let mut line = String::new();
    let read = io::stdin().lock().read_line(&mut line);
    if hidden {
        echo("echo");
        let _ = writeln!(io::stderr().lock());
    }
    read.ok()?;
    Some(line.trim_end_matches(['\r', '\n']).to_owned())
}

/// Switches the terminal's echo; says whether that worked.
fn echo(how: &str) -> bool {
    std::process::Command::new("stty").arg(how).status().is_ok_and(|status| status.success())
}

/// A whole number that an option holds.
pub(crate) fn number<T: std::str::FromStr>(matches: &ArgMatches, id: &str) -> Result<Option<T>, Failure> {
    let Some(text) = matches.text(id) else { return Ok(None) };
    let wrong = || Failure::could_not(format_args!("--{id} takes a whole number, and `{text}` is none"));
    text.parse().map(Some).map_err(|_| wrong())
}

/// A problem of keys or policy as a failure of this run. A bad policy's findings are printed
/// here, each at its place; what is returned is the last word.
pub(crate) fn failure(problem: Problem) -> Failure {
    match problem {
        Problem::Policy(bad) => {
            let file = PathBuf::from(&bad.file);
            let mut errors = 0;
            for finding in &bad.diagnostics {
                show_finding(finding, &file, &bad.source);
                errors += usize::from(finding.is_error());
            }
            Failure::no(format_args!("the policy {} cannot be used", bad.file)).help_if(
                (errors > 1).then(|| format!("`bartizan policy check {}` shows the same findings", bad.file)),
            )
        }
        Problem::Users(report) => {
            crate::users::show(&report, true);
            let help = if report.file.exists() {
                format!("`bartizan users check {}` shows the same", report.file.display())
            } else {
                "it has a table for each user: `[alice]`, and below it `argon2id` (`bartizan users hash`) or `password = { file = \"…\" }`".to_owned()
            };
            Failure::no(&report).help(help)
        }
        Problem::Keys { ref path, ref source } => {
            let help = match source {
                bartizan_keys::Error::Io { kind: io::ErrorKind::NotFound, .. } if !path.exists() => {
                    Some(format!("`bartizan keys demo {}` makes such a folder", path.display()))
                }
                bartizan_keys::Error::Io { kind: io::ErrorKind::NotFound, .. } if path.is_dir() => {
                    Some("--as-name and --peer-name choose among the names in the folder".to_owned())
                }
                bartizan_keys::Error::PasswordNeeded | bartizan_keys::Error::WrongPassword => {
                    Some(format!("give it with --store-password-file FILE or in ${PASSWORD_VARIABLE}"))
                }
                _ => None,
            };
            Failure::could_not(&problem).help_if(help)
        }
        problem => {
            let help = problem.help();
            Failure::could_not(problem).help_if(help)
        }
    }
}

/// Prints one finding about a policy.
pub(crate) fn show_finding(finding: &bartizan_policy::Diagnostic, file: &Path, source: &str) {
    let place = finding.position.map(|at| match finding.shows_its_line(source) {
        true => Where::offset(file, source, at.offset..at.offset + 1),
        false => Where::line(file, Some((at.line as usize, at.column as usize))),
    });
    let place = place.unwrap_or_else(|| Where::file(file));
    note(finding.severity.as_str(), &finding.message(), Some(&place), finding.help().as_deref());
}
