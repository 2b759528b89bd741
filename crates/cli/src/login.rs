//! `--user` and `--password-file` → who we are in a UsernameToken that we send.

use bartizan_crypto::Secret;
use bartizan_wss::{Login, PlanPair, Side};
use clap::ArgMatches;

use crate::args::Values as _;
use crate::output::{self, Failure};

/// The login of the options; `None` if none was given.
///
/// The password is the first line of its file, without the end of the line.
pub(crate) fn given(matches: &ArgMatches) -> Result<Option<Login>, Failure> {
    let (name, file) = (matches.text("user"), matches.path("password-file"));
    let (name, file) = match (name, file) {
        (None, None) => return Ok(None),
        (Some(name), Some(file)) => (name, file),
        (Some(_), None) => {
            return Err(Failure::could_not("--user needs a password")
                .help("give it with --password-file FILE; a key store's is --store-password-file"));
        }
        (None, Some(_)) => {
            return Err(Failure::could_not("--password-file is the password of a user")
                .help("say whose with --user NAME; a key store's password is --store-password-file"));
        }
    };
    let octets = Secret::new(output::read_file(&file)?);
    let password = octets.expose(|octets| {
        let end = octets.iter().position(|octet| *octet == b'\n').unwrap_or(octets.len());
        let line = octets.get(..end).unwrap_or_default();
        line.strip_suffix(b"\r").unwrap_or(line).to_vec()
    });
    if std::str::from_utf8(&password).is_err() {
        return Err(Failure::could_not(format_args!("the password in {} is not UTF-8", file.display())));
    }
    Ok(Some(Login { name: name.to_owned(), password: Secret::new(password) }))
}

/// Says that a login is of no use to a plan, or that a plan needs one.
pub(crate) fn check(plans: &PlanPair, side: Side, login: Option<&Login>) -> Result<(), Failure> {
    let wanted = plans.side(side).outbound().username.is_some();
    match (wanted, login) {
        (true, None) => {
            Err(Failure::could_not("the policy puts a UsernameToken on the message, and nobody is named")
                .help("say who with --user NAME --password-file FILE"))
        }
        (false, Some(_)) => {
            output::warn("the policy puts no UsernameToken on the message: --user is not used");
            Ok(())
        }
        _ => Ok(()),
    }
}
