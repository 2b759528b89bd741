//! `verify`: checks a message and says what is proved, or which check failed.

mod compare;

use std::path::{Path, PathBuf};

use bartizan_crypto::alg::AlgSet;
use bartizan_crypto::random::SystemRandom;
use bartizan_keys::Keystore;
use bartizan_wss::verified::Keep;
use bartizan_wss::{
    Env, Hint, InPlan, NotPartner, OutPlan, Plan, Reason, Reject, SentSignatures, Shown, Side, Untrusted,
    Verified, Warning,
};
use bartizan_xml::Limits;
use clap::ArgMatches;
use serde_json::json;

use crate::args::Values as _;
use crate::output::{self, Exit, Failure, Outcome, Target};
use crate::{evidence, keyset, plan, secret, users};

pub(crate) fn run(matches: &ArgMatches) -> Outcome {
    let none = matches.text("policy") == Some("none");
    let side = match plan::side(matches) {
        Some(side) => side,
        None if none => Side::Recipient,
        None => {
            return Err(Failure::could_not("--as is missing: whose side are we on?")
                .help("`--as recipient` verifies a request, `--as initiator` a reply"));
        }
    };
    let checker = if none {
        whatever(side, matches.on("legacy"))?
    } else {
        plan::compile(matches)?.plans.side(side).clone()
    };
    let keys = keyset::load_verifying(matches, &keyset::options(matches)?, plan::role(side))?;
    let now = plan::time(matches)?;
    let input = matches.path("IN");
    let bytes = output::read_input(input.as_deref())?;
    let request = matches.path("request").map(|path| sent(matches, side, &path)).transpose()?;
    if request.is_none()
        && ["request-secret", "user", "password-file"].iter().any(|id| matches.text(id).is_some())
    {
        return Err(Failure::could_not("--secret and --user belong to the request of a reply: give it, too")
            .help("--as initiator --request FILE; who may show a UsernameToken to us is --users FILE"));
    }
    // A file is looked at here, and goes nowhere.
    let env = Env::new(&keys, now, &SystemRandom).over(plan::transport(matches));
    let env = match &request {
        Some(sent) => env.answering(sent),
        None => env,
    };
    let users = users::given(matches, now)?;
    let env = match &users {
        Some(users) => env.with_users(users),
        None => env,
    };
    let verdict = check(&checker, bytes, &env, matches.on("explain") || matches.path("compare").is_some());
    let verdict = if none { verdict.and_then(something) } else { verdict };
    let shared = checker.alternatives().any(|(inbound, _)| inbound.secret.is_some());
    let way_out = verdict.as_ref().err().and_then(|reject| match reject.reason() {
        Reason::TokenReferenceUnresolved if shared && side == Side::Initiator => {
            Some(secret_missing(matches))
        }
        _ => help(matches, reject, &keys, request.as_ref()),
    });
    report(matches, verdict, input.as_deref(), way_out)
}

/// A plan that demands nothing and checks whatever protection there is.
fn whatever(side: Side, legacy: bool) -> Result<Plan, Failure> {
    let algorithms = if legacy { AlgSet::with_legacy() } else { AlgSet::all_ok() };
    Plan::new(side, InPlan::whatever(algorithms), OutPlan::plain()).map_err(Failure::could_not)
}

/// Without a policy something must be protected, or there is nothing to say yes to.
fn something(verified: Verified) -> Result<Verified, Reject> {
    let context = verified.context();
    let protected =
        context.signatures().iter().any(|signature| signature.verified) || context.decryptions() > 0;
    if protected { Ok(verified) } else { Err(Reject::new(Reason::CoverageNothing)) }
}

/// What a reply under a shared secret lacks.
fn secret_missing(matches: &ArgMatches) -> String {
    let known = ["request-secret", "user"].iter().any(|id| matches.text(id).is_some());
    match known {
        true => "is this the reply to that request? Its key is named by something else".to_owned(),
        false => "the reply is made with the secret of its request: give --request FILE, and --secret FILE (kept by --save-secret) or, where a password is the secret, --user NAME --password-file FILE".to_owned(),
    }
}

/// What is known of the request that we sent.
fn sent(matches: &ArgMatches, side: Side, path: &Path) -> Result<SentSignatures, Failure> {
    if side == Side::Recipient {
        return Err(Failure::could_not("--request belongs to a reply: use it with --as initiator"));
    }
    let message = Untrusted::read(output::read_file(path)?, None, &Limits::default()).map_err(|reject| {
        Failure::no(format_args!("the request {} cannot be read: {}", path.display(), reject.detail()))
    })?;
    secret::given(matches, SentSignatures::of_message(&message), (path, &message))
}

fn check(plan: &Plan, bytes: Vec<u8>, env: &Env<'_>, explain: bool) -> Result<Verified, Reject> {
    let message = Untrusted::read(bytes, None, &Limits::default())?;
    if explain { plan.verify_explaining(message, env) } else { plan.verify(message, env) }
}

/// Says it, and writes the verified view if there is one.
fn report(
    matches: &ArgMatches,
    verdict: Result<Verified, Reject>,
    input: Option<&Path>,
    help: Option<String>,
) -> Outcome {
    let target = matches.path("output").map(|path| Target::new(Some(path)));
    let view = match (&verdict, &target) {
        (Ok(verified), Some(_)) => {
            let keep = if matches.on("keep-uncovered") { Keep::Uncovered } else { Keep::Covered };
            Some(verified.view(keep))
        }
        _ => None,
    };
    let said: &[Warning] = view.as_ref().map_or(&[], |view| &view.warnings);
    if !matches.on("quiet") && !matches.on("json") {
        warnings(verdict.as_ref(), said);
    }
    // The view is what standard output is for; the report goes beside it, whatever the verdict.
    let aside = target == Some(Target::Stdout);
    let print = |text: &str| if aside { output::say(text.trim_end()) } else { output::line(text.trim_end()) };
    let octets = verdict.as_ref().err().and_then(Reject::octets);
    let kept = octets
        .filter(|_| matches.on("explain"))
        .and_then(|octets| compare::keep(octets, octets_file(input, octets.reference)));
    if matches.on("json") {
        let mut value = evidence::to_json(verdict.as_ref(), said);
        if let Some(fields) = value.as_object_mut() {
            fields.insert("help".to_owned(), json!(help));
            fields.insert("digested".to_owned(), json!(kept));
        }
        print(&format!("{value:#}"));
    } else if !matches.on("quiet") || verdict.is_err() {
        print(&text(matches, verdict.as_ref()));
    }
    match &verdict {
        Ok(_) => {
            if let (Some(view), Some(target)) = (view, target) {
                target.write_private(&view.bytes)?;
            }
            Ok(Exit::Yes)
        }
        Err(_) => {
            if let Some(help) = help.filter(|_| !matches.on("json")) {
                output::say(format_args!("help: {help}"));
            }
            if let Some(octets) = octets {
                compare::digest(octets, kept.as_deref(), matches.path("compare").as_deref());
            }
            Ok(Exit::No)
        }
    }
}

/// The warnings of evidence and view, each once.
fn warnings(verdict: Result<&Verified, &Reject>, view: &[Warning]) {
    let context = verdict.map_or_else(Reject::context, Verified::context);
    let mut said: Vec<String> = Vec::new();
    for warning in context.warnings().iter().chain(view) {
        let sentence = evidence::sentence(warning);
        if !said.contains(&sentence) {
            output::warn(&sentence);
            said.push(sentence);
        }
    }
    let legacy: Vec<&str> = context.legacy().map(|alg| alg.short_name()).collect();
    if !legacy.is_empty() {
        output::warn(format_args!("legacy algorithms: {}", legacy.join(", ")));
    }
}

/// The report for people.
fn text(matches: &ArgMatches, verdict: Result<&Verified, &Reject>) -> String {
    let mut out = format!("{}\n", evidence::headline(verdict));
    match verdict {
        Ok(verified) => {
            if let Some(payload) = verified.payload() {
                let namespace = Shown(payload.namespace().unwrap_or_default());
                out.push_str(&format!("  body: {{{namespace}}}{}\n", payload.local_name()));
            }
            if !matches.on("explain") {
                for part in verified.context().parts() {
                    out.push_str(&format!("  {}: {}\n", part.path, evidence::protection(part)));
                }
            }
        }
        Err(reject) => {
            out.push_str(&format!("  {}\n", reject.detail()));
            if let Some(place) = reject.place() {
                let path = if place.path.is_empty() { "the message" } else { &place.path };
                let of = if place.decrypted { " of the decrypted text" } else { "" };
                out.push_str(&format!("  at {path}, byte {}{of}\n", place.offset));
            }
        }
    }
    if matches.on("explain") {
        let seen = evidence::to_text(verdict.map_or_else(Reject::context, Verified::context));
        if verdict.is_err() && !seen.is_empty() {
            out.push_str("seen before that\n");
        }
        out.push_str(&seen);
    }
    out
}

/// A way out for refusals that are often a matter of how we were called.
fn help(
    matches: &ArgMatches,
    reject: &Reject,
    keys: &Keystore,
    request: Option<&SentSignatures>,
) -> Option<String> {
    let text = match reject.reason() {
        Reason::ConfirmationMissing | Reason::ConfirmationWrong if matches.path("request").is_none() => {
            "a reply confirms its request: give the secured request with --request FILE"
        }
        Reason::ConfirmationMissing | Reason::ConfirmationWrong => {
            let file = matches.text("request").unwrap_or_default();
            return Some(match request {
                Some(sent) if sent.values().is_empty() => {
                    format!("{file} holds no signature: is it the request as it was sent, secured?")
                }
                _ => format!("is {file} the request that this reply answers?"),
            });
        }
        Reason::EncryptionNoKey if keys.identity().is_none() => {
            "give our key with --keys DIR, or --key FILE --cert FILE"
        }
        Reason::TokenUntrusted if keys.trust().is_empty() => {
            "nobody is trusted: give anchors with --trust FILE, or a whole folder with --keys DIR"
        }
        Reason::TokenNotPartner => match reject.hint() {
            Hint::Signer(NotPartner::NobodyExpected) => {
                "name the peer with --peer FILE, or take anybody's reply with --any-peer"
            }
            Hint::Signer(NotPartner::Another | NotPartner::Ourselves(Side::Initiator)) => {
                "a request is verified with --as recipient, and with the recipient's keys"
            }
            _ => "a reply is verified with --as initiator; for one key on both sides: --peer OUR.pem",
        },
        Reason::UserNoSource => "--users FILE says who they are",
        Reason::TokenKeyTooSmall => "for old peers: --min-rsa 1024",
        Reason::SignatureAlgorithm | Reason::EncryptionAlgorithm
            if matches.text("policy") == Some("none") && !matches.on("legacy") =>
        {
            "--legacy allows the algorithms of status legacy"
        }
        Reason::TimestampExpired | Reason::TimestampFuture => "--at TIME checks as of another time",
        _ => return None,
    };
    Some(text.to_owned())
}

/// Where the octets of a failed digest go: beside the message.
fn octets_file(input: Option<&Path>, reference: usize) -> PathBuf {
    let name = match input {
        Some(path) if path.as_os_str() != "-" => path.display().to_string(),
        _ => "message".to_owned(),
    };
    PathBuf::from(format!("{name}.reference{reference}.c14n"))
}
