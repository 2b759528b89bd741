//! `--save-secret` and `--secret`: the secret of a request under the symmetric binding, kept in a file for who verifies the reply later.
//!
//! The file holds the octets and nothing else, is its owner's alone and is never overwritten. The secret is printed nowhere.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use bartizan_crypto::Secret;
use bartizan_wss::{SentSignatures, Untrusted};
use clap::ArgMatches;

use crate::args::Values as _;
use crate::login;
use crate::output::{self, Failure};

/// Keeps the secret of a request that is about to go, where that is asked for.
pub(crate) fn keep(matches: &ArgMatches, sent: &SentSignatures) -> Result<(), Failure> {
    let Some(path) = matches.path("save-secret") else { return Ok(()) };
    let Some(octets) = sent.secret_octets() else {
        return Err(Failure::could_not(
            "--save-secret: the request holds no secret that a reply is made with",
        )
        .help("only the symmetric binding has one; the reply to any other is verified with our own keys"));
    };
    let file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path);
    let written = file.and_then(|mut file| octets.expose(|octets| file.write_all(octets)));
    written.map_err(|error| Failure::file("write", &path, &error))
}

/// Adds the secret of the request to what is known of it, from the options of `verify`.
pub(crate) fn given(
    matches: &ArgMatches,
    sent: SentSignatures,
    (path, request): (&Path, &Untrusted),
) -> Result<SentSignatures, Failure> {
    let login = login::given(matches)?;
    match (matches.path("request-secret"), login) {
        (None, None) => Ok(sent),
        (Some(_), Some(_)) => {
            Err(Failure::could_not("--secret and --user are two ways to say one thing").help("give one of them"))
        }
        (Some(file), None) => {
            let octets = Secret::new(output::read_file(&file)?);
            sent.with_secret(request, &octets).ok_or_else(|| {
                Failure::no(format_args!("the request {} names no secret, or more than one", path.display()))
                    .help("is it the request as it was sent, under the symmetric binding?")
            })
        }
        (None, Some(login)) => sent.with_login(request, &login).ok_or_else(|| {
            Failure::no(format_args!(
                "no key is derived from the password of {} in the request {}",
                bartizan_wss::Shown(&login.name),
                path.display()
            ))
            .help("that takes a UsernameToken of this user with a Salt; a secret that was kept is given by --secret FILE")
        }),
    }
}
