//! A receiver made of files: keys, trust, clock.

use std::fs;
use std::path::Path;

use bartizan_crypto::random::SystemRandom;
use bartizan_keys::store;
use bartizan_keys::{Certificate, ChainAlgorithms, Keystore, MemoryUsers, Time, TrustStore};
use bartizan_wss::env::Transport;
use bartizan_wss::{Env, Plan, Reject, SentSignatures, Untrusted, Verified};
use bartizan_xml::c14n::{C14n, C14nMethod};
use bartizan_xml::{Budget, Document, Limits, Profile};

pub(crate) fn certificates(path: &Path) -> Vec<Certificate> {
    let octets = fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    store::certificates(&store::read_any(&octets, None).unwrap())
}

/// A key set that is `own` towards `peer`, trusting `trust`.
pub(crate) fn keystore(own: Option<(&Path, &Path)>, peer: Option<&Path>, trust: &[&Path]) -> Keystore {
    let mut builder = Keystore::builder().min_rsa(1024);
    if let Some((key, certificate)) = own {
        let keys = store::read_any(&fs::read(key).unwrap(), None).unwrap();
        let certificates = store::read_any(&fs::read(certificate).unwrap(), None).unwrap();
        builder = builder.identity(store::pair(&keys, &certificates).unwrap());
    }
    if let Some(peer) = peer {
        builder = builder.peer(certificates(peer).remove(0));
    }
    let mut anchors = TrustStore::builder().algorithms(ChainAlgorithms::Legacy);
    for anchor in trust.iter().flat_map(|path| certificates(path)) {
        anchors = anchors.anchor(anchor);
    }
    builder.trust(anchors.build()).build().unwrap()
}

pub(crate) fn verify(
    plan: &Plan,
    keys: &Keystore,
    clock: &str,
    message: &Path,
    request: Option<&Path>,
) -> Result<Verified, Reject> {
    let sent = request.map(|path| SentSignatures::of_message(&read(path).unwrap()));
    verify_with(plan, keys, clock, message, sent.as_ref())
}

/// As [`verify`], for the reply to what was sent.
pub(crate) fn verify_with(
    plan: &Plan,
    keys: &Keystore,
    clock: &str,
    message: &Path,
    sent: Option<&SentSignatures>,
) -> Result<Verified, Reject> {
    let mut env = Env::new(keys, Time::parse_rfc3339(clock).unwrap(), &SystemRandom);
    if let Some(sent) = sent {
        env = env.answering(sent);
    }
    plan.verify(read(message)?, &env)
}

/// As [`verify`], on this machine, with a user of that name and password.
pub(crate) fn verify_user(
    plan: &Plan,
    keys: &Keystore,
    clock: &str,
    message: &Path,
    user: (&str, &str),
) -> Result<Verified, Reject> {
    verify_octets(plan, keys, clock, fs::read(message).unwrap(), user)
}

/// As [`verify_user`], of a message that is in no file.
pub(crate) fn verify_octets(
    plan: &Plan,
    keys: &Keystore,
    clock: &str,
    message: Vec<u8>,
    (name, password): (&str, &str),
) -> Result<Verified, Reject> {
    let users = MemoryUsers::new().with(name, password.as_bytes());
    let env = Env::new(keys, Time::parse_rfc3339(clock).unwrap(), &SystemRandom).with_users(&users);
    plan.verify(Untrusted::read(message, None, &Limits::default())?, &env.over(Transport::Local))
}

/// A text without its processing instructions.
pub(crate) fn without_instructions(text: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some(at) =
        rest.find("<?").into_iter().chain(rest.find("<!--")).chain(rest.find("<![CDATA[")).min()
    {
        let (before, after) = rest.split_at(at);
        let end = ["<!--", "<![CDATA[", "<?"].into_iter().zip(["-->", "]]>", "?>"]);
        let (_, close) = end.into_iter().find(|(open, _)| after.starts_with(open)).unwrap();
        let (what, tail) = after.split_at(after.find(close).unwrap() + close.len());
        out.push_str(before);
        let instruction = what.starts_with("<?") && !what.starts_with("<?xml ");
        out.push_str(if instruction { "" } else { what });
        rest = tail;
    }
    out + rest
}

fn read(path: &Path) -> Result<Untrusted, Reject> {
    Untrusted::read(fs::read(path).unwrap(), None, &Limits::default())
}

/// Whether the Body shows exactly what the file holds. Comments in the file do not count: they are never signed and never shown.
pub(crate) fn body_is(verified: &Verified, expected: &Path) -> Result<(), String> {
    body_reads(verified, &fs::read_to_string(expected).unwrap())
}

/// As [`body_is`], of a text.
pub(crate) fn body_reads(verified: &Verified, content: &str) -> Result<(), String> {
    let wrapped = format!("<w>{content}</w>").into_bytes();
    let document = Document::parse(wrapped, Profile::Bare, &mut Budget::new(&Limits::default())).unwrap();
    let mut octets = Vec::new();
    C14n::new(C14nMethod::Exclusive).write_children(document.root(), &mut octets).unwrap();
    let shown = verified.body().ok_or("no body")?.content_octets();
    if shown == octets {
        return Ok(());
    }
    Err(format!(
        "body is {} and should be {}",
        String::from_utf8_lossy(&shown),
        String::from_utf8_lossy(&octets)
    ))
}
