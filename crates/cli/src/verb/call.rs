//! `call`: one exchange as a client.

use bartizan_keys::Keystore;
use bartizan_net::http::client::ClientLimits;
use bartizan_net::{Clock as _, SystemClock};
use bartizan_policy::Compiled;
use bartizan_soap::addressing::Edition;
use bartizan_soap::{Draft, Version};
use bartizan_wss::verified::Keep;
use bartizan_wss::{Reject, Side, Verified};
use clap::ArgMatches;
use serde_json::{Value, json};

use crate::args::Values as _;
use crate::client::{self, Client, GREETING, Reply, Request};
use crate::output::{self, Exit, Failure, Outcome, Target, show_time};
use crate::verb::secure;
use crate::verb::serve::default_state;
use crate::{evidence, keyset, login, plan, secret};

pub(crate) fn run(matches: &ArgMatches) -> Outcome {
    let url = url(matches.text("URL").unwrap_or_default())?;
    let compiled = plan::compile(matches)?;
    let login = login::given(matches)?;
    login::check(&compiled.plans, Side::Initiator, login.as_ref())?;
    let keys = keys(matches)?;
    if compiled.plans.side(Side::Initiator).outbound().sign.is_some() {
        keyset::doubt_own(&keys, SystemClock.now());
    }
    let draft = draft(matches, &url, &compiled)?;
    let mut limits = ClientLimits::default();
    if let Some(timeout) = plan::duration(matches, "timeout")? {
        limits.connect_timeout = timeout;
        limits.response_timeout = timeout;
    }
    let client =
        Client { plan: compiled.plans.side(Side::Initiator), keys: &keys, login: login.as_ref(), limits };
    exchange(matches, &client, &url, draft)
}

/// The keys of the options; with none, the demo keys that a first `serve` made, so that the
/// two find each other.
fn keys(matches: &ArgMatches) -> Result<Keystore, Failure> {
    let mut set = keyset::options(matches)?;
    let demo = default_state().map(|state| state.join("keys")).filter(|keys| keys.is_dir());
    if let Some(demo) = demo.filter(|_| !keyset::given(&set)) {
        if !matches.on("quiet") {
            output::say(format_args!("no keys are given: using the demo keys in {}", demo.display()));
        }
        set.folder = Some(demo);
    }
    keyset::load_verifying(matches, &set, plan::role(Side::Initiator))
}

fn exchange(matches: &ArgMatches, client: &Client<'_>, url: &http::Uri, draft: Draft) -> Outcome {
    let request = client.secure(draft).map_err(|error| secure::failure(&error))?;
    secret::keep(matches, &request.sent)?;
    if matches!(matches.text("show"), Some("request" | "both")) {
        show(matches, "request", &request.content_type, &request.bytes);
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::could_not(format_args!("cannot start: {error}")))?;
    let reply = runtime.block_on(client.send(url, &request))?;
    if matches!(matches.text("show"), Some("reply" | "both")) {
        show(matches, "reply", reply.content_type.as_deref().unwrap_or("no media type"), &reply.bytes);
    }
    let (verdict, time) = client.verify(&reply, &request.sent);
    if matches.on("json") {
        output::json(&to_json(&request, &reply, &verdict, time));
    }
    match verdict {
        Ok(verified) => answered(matches, &request, &reply, &verified, time),
        Err(reject) => {
            if !matches.on("json") {
                refused(&reply, &reject);
            }
            Ok(Exit::No)
        }
    }
}

/// The reply is verified: print what it says.
fn answered(
    matches: &ArgMatches,
    request: &Request,
    reply: &Reply,
    verified: &Verified,
    time: std::time::Duration,
) -> Outcome {
    let fault = verified.payload().filter(|payload| {
        payload.local_name() == "Fault" && payload.namespace() == Some(verified.version().namespace())
    });
    if let Some(path) = matches.path("output") {
        Target::new(Some(path)).write_private(&verified.view(Keep::Covered).bytes)?;
    } else if !matches.on("json") {
        for payload in verified.body().into_iter().flat_map(|body| body.elements()) {
            output::put(&payload.octets());
            output::put(b"\n");
        }
    }
    if !matches.on("quiet") {
        let confirmed = verified.context().confirmed();
        let caller = verified.caller().map_or("nobody in particular", |caller| caller.name());
        let caller = bartizan_wss::Shown(caller);
        let word =
            if evidence::nothing_proved(verified.context()) { "accepted without proof" } else { "verified" };
        output::say(format_args!(
            "{word}: reply of {caller}; {} B out in {}, {} B back after {}, checked in {}; {confirmed} confirmed",
            request.bytes.len(),
            show_time(request.time),
            reply.bytes.len(),
            show_time(reply.time),
            show_time(time),
        ));
        for warning in verified.context().warnings() {
            if warning.code() != "no_replay_guard" {
                output::warn(evidence::sentence(warning));
            }
        }
    }
    if fault.is_some() {
        if evidence::nothing_proved(verified.context()) {
            output::say(
                "unverified: the reply is a fault, and nothing proves who sent it; the service's own log has the reason",
            );
        } else {
            output::say("the verified reply is a fault");
        }
        return Ok(Exit::No);
    }
    Ok(Exit::Yes)
}

/// The reply is not: a plain fault is worth showing, as what it is.
fn refused(reply: &Reply, reject: &Reject) {
    let status = reply.status;
    match client::unverified_fault(reply) {
        Some((fault, version)) => {
            let code = match fault.subcode() {
                Some(subcode) => format!("{}:{}", subcode.prefix, subcode.local),
                None => fault.code().local(version).to_owned(),
            };
            // On one line and without what a terminal obeys: a stranger wrote it, and it must not look
            // like a word of ours.
            let said: String = fault.reason().chars().take(500).collect();
            let (code, said) = (code.escape_debug(), said.escape_debug());
            output::line(format_args!("unverified fault (HTTP {status}): {code}: {said}"));
            output::say("help: nothing proves who sent this; the service's own log has the reason");
        }
        None if reply.content_type.as_deref().is_some_and(|media| media.starts_with("text/plain")) => {
            let text = String::from_utf8_lossy(&reply.bytes);
            let line: String = text.lines().next().unwrap_or_default().chars().take(200).collect();
            output::line(format_args!("refused: the answer is no SOAP message (HTTP {status})"));
            output::line(format_args!("  the server says: {}", line.escape_debug()));
        }
        None => {
            output::line(format_args!("refused: {} (HTTP {status})", reject.reason().code()));
            output::line(format_args!("  {}", reject.detail()));
        }
    }
}

fn to_json(
    request: &Request,
    reply: &Reply,
    verdict: &Result<Verified, Reject>,
    time: std::time::Duration,
) -> Value {
    let fault = verdict.is_err().then(|| client::unverified_fault(reply)).flatten();
    let body = verdict.as_ref().ok().and_then(Verified::payload).map(|payload| payload.octets());
    json!({
        "status": reply.status,
        "request_bytes": request.bytes.len(),
        "reply_bytes": reply.bytes.len(),
        "secure_us": micros(request.time),
        "exchange_us": micros(reply.time),
        "verify_us": micros(time),
        "unverified_fault": fault.map(|(fault, version)| json!({
            "code": fault.code().local(version),
            "subcode": fault.subcode().map(|sub| format!("{}:{}", sub.prefix, sub.local)),
            "reason": fault.reason(),
        })),
        "body": body.map(|octets| String::from_utf8_lossy(&octets).into_owned()),
        "evidence": evidence::to_json(verdict.as_ref(), &[]),
    })
}

fn micros(time: std::time::Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

/// A message as it was on the wire; beside the result if that is JSON.
fn show(matches: &ArgMatches, what: &str, content_type: &str, bytes: &[u8]) {
    if matches.on("json") {
        return output::say(format_args!("{what}: {}", String::from_utf8_lossy(bytes)));
    }
    output::say(format_args!("{what} ({content_type}, {} bytes)", bytes.len()));
    output::put(bytes);
    output::put(b"\n");
}

/// What to send, from the options.
fn draft(matches: &ArgMatches, url: &http::Uri, compiled: &Compiled) -> Result<Draft, Failure> {
    let version = match matches.text("soap") {
        Some("1.1") => Version::Soap11,
        _ => Version::Soap12,
    };
    let path = matches.path("body");
    let bytes = match &path {
        Some(path) => output::read_input(Some(path))?,
        None => GREETING.as_bytes().to_vec(),
    };
    let mut draft = client::draft(bytes.clone(), version)
        .map_err(|error| secure::no_envelope(&error, path.as_deref(), &bytes))?;
    let edition = match matches.text("addressing") {
        Some("none") => None,
        Some("2004") => Some(Edition::W2004),
        Some(_) => Some(Edition::W2005),
        None => compiled.addressing.map(client::edition),
    };
    let action = matches.text("action");
    if let Some(edition) = edition {
        if action.is_none() {
            return Err(
                Failure::could_not("WS-Addressing headers need an action").help("give it with --action URI")
            );
        }
        draft = client::address(draft, edition, &url.to_string(), action);
    }
    Ok(match action {
        Some(action) => draft.with_action(action),
        None => draft,
    })
}

/// An absolute URL of the kind that is spoken here.
fn url(text: &str) -> Result<http::Uri, Failure> {
    const LIKE: &str = "write it like http://127.0.0.1:8080/sec_echo";
    let wrong = |what: &str| Failure::could_not(format_args!("`{text}` {what}"));
    let url: http::Uri = text.parse().map_err(|_| wrong("is no URL").help(LIKE))?;
    match (url.scheme_str(), url.host()) {
        // It would go out in the clear, in Host and in error messages.
        (Some("http"), Some(_)) if url.authority().is_some_and(|at| at.as_str().contains('@')) => {
            Err(Failure::could_not("the URL names a user; HTTP authentication is not in this version"))
        }
        (Some("http"), Some(_)) => Ok(url),
        (Some("https"), _) => Err(wrong("needs TLS, which is not in this version")),
        (Some(_), _) => Err(wrong("is no http URL")),
        (None, _) => Err(wrong("is no absolute URL").help(LIKE)),
    }
}
