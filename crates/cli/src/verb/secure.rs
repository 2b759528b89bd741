//! `secure`: an envelope in, a secured envelope out.

use std::path::Path;

use bartizan_crypto::random::SystemRandom;
use bartizan_keys::{Keystore, UserSource};
use bartizan_soap::Draft;
use bartizan_wss::{Env, PlanPair, Reject, RequestFacts, Side, Untrusted};
use bartizan_xml::Limits;
use clap::ArgMatches;
use serde_json::json;

use crate::args::Values as _;
use crate::output::{self, Exit, Failure, Outcome, Target};
use crate::{keyset, login, plan, secret, users};

pub(crate) fn run(matches: &ArgMatches) -> Outcome {
    let side = plan::side(matches).unwrap_or(Side::Initiator);
    let compiled = plan::compile(matches)?;
    let login = login::given(matches)?;
    login::check(&compiled.plans, side, login.as_ref())?;
    let keys = keyset::load(matches, plan::role(side))?;
    let now = plan::time(matches)?;
    let input = matches.path("IN");
    let bytes = output::read_input(input.as_deref())?;
    let limits = Limits::default();
    let draft = Draft::parse(bytes.clone(), &limits)
        .map_err(|error| no_envelope(&error, input.as_deref(), &bytes))?;
    let mut env = Env::new(&keys, now, &SystemRandom).over(plan::transport(matches));
    env.login = login.as_ref();
    let users = users::given(matches, now)?;
    env.users = users.as_ref().map(|users| users as &dyn UserSource);
    if compiled.plans.side(side).outbound().sign.is_some() {
        keyset::doubt_own(&keys, now);
    }
    let facts = match (side, matches.path("request")) {
        (Side::Recipient, Some(path)) => {
            let policy = matches.text("policy").unwrap_or_default();
            Some(verify_request(&compiled.plans, &keys, &env, (policy, &path))?)
        }
        (Side::Initiator, Some(_)) => {
            return Err(Failure::could_not("--request belongs to a reply: use it with --as recipient"));
        }
        (_, None) => None,
    };
    let secured =
        compiled.plans.side(side).secure(draft, &env, facts.as_ref()).map_err(|error| failure(&error))?;
    if side == Side::Recipient && matches.path("save-secret").is_some() {
        return Err(Failure::could_not("--save-secret belongs to a request: use it with --as initiator"));
    }
    secret::keep(matches, &secured.sent)?;
    let target = Target::new(matches.path("output"));
    let (count, signatures) = (secured.message.bytes().len(), secured.sent.values().len());
    target.write(secured.message.bytes())?;
    if matches.on("json") {
        let value = json!({ "bytes": count, "signatures": signatures, "output": target.to_string() });
        output::json_beside(&target, &value);
    } else if !matches.on("quiet") {
        let signatures = output::count(signatures, "signature");
        output::say(format_args!("secured: {count} bytes, {signatures}, to {target}"));
    }
    Ok(Exit::Yes)
}

/// Verifies the request that a reply answers: to whom it goes and what it confirms must not
/// come from a forged one.
fn verify_request(
    plans: &PlanPair,
    keys: &Keystore,
    env: &Env<'_>,
    (policy, path): (&str, &Path),
) -> Result<RequestFacts, Failure> {
    let bytes = output::read_file(path)?;
    let refused = |reject: Reject| {
        Failure::no(format_args!("the request {} is refused: {}", path.display(), reject.reason().code()))
            .help(format_args!(
                "{} `bartizan verify {} --policy {policy} --as recipient --explain` with the same keys shows more",
                reject.detail(),
                path.display()
            ))
    };
    let env = Env { keys, ..*env };
    let message = Untrusted::read(bytes, None, &Limits::default()).map_err(refused)?;
    let verified = plans.side(Side::Recipient).verify(message, &env).map_err(refused)?;
    Ok(verified.request_facts().clone())
}

/// Why a plan could not secure a draft.
pub(crate) fn failure(error: &bartizan_wss::Error) -> Failure {
    use bartizan_wss::Error as E;
    let help = match error {
        E::NoRequest => Some("give the secured request that this answers with --request FILE"),
        E::NoOwnKey => Some("give keys with --keys DIR, or --key FILE --cert FILE"),
        E::NoRecipient => Some(
            "give the other side's certificate with --peer FILE, --keys DIR --peer-name NAME, or --merlin FILE --peer-name ALIAS (of `encryptionUser`)",
        ),
        E::PlainTransport => Some("say so with --over-tls if the message goes over TLS"),
        E::WrongKey => Some("choose another key of ours; in a demo folder --as-name NAME-ec is a P-256 one"),
        E::WrongPeerKey => Some(
            "give another certificate of the other side; in a demo folder --peer-name NAME-ec is a P-256 one",
        ),
        E::AlreadySecured => Some("give the envelope as it was before it was secured"),
        _ => None,
    };
    Failure::no(error).help_if(help)
}

/// The input is no envelope.
pub(crate) fn no_envelope(error: &bartizan_soap::Error, path: Option<&Path>, bytes: &[u8]) -> Failure {
    let path = path.unwrap_or(Path::new("standard input"));
    let failure = Failure::no(format_args!("no SOAP envelope: {error}"));
    match (error.offset(), std::str::from_utf8(bytes)) {
        (Some(offset), Ok(text)) => failure.at(output::Where::offset(path, text, offset..offset + 1)),
        _ => failure.at(output::Where::file(path)),
    }
}
