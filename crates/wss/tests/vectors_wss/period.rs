//! The period: Rampart/C samples of 2007 and spring-ws messages, under the open legacy profile and refused without it.

use std::path::{Path, PathBuf};

use bartizan_crypto::alg::{AlgSet, CipherAlg, DigestAlg, MgfAlg, SignatureAlg, TransportAlg};
use bartizan_testkit::csv::{self, Record};
use bartizan_testkit::vectors::{self, Expectations, Report};
use bartizan_wss::context::Warning;
use bartizan_wss::part::EncryptHow;
use bartizan_wss::plan::{
    Breach, HeaderRule, InPlan, Layout, OutPlan, PasswordForm, Presence, SecretFrom, SecretRule, Side,
    SignedBy, Targets, TimestampRule, UsernameRule,
};
use bartizan_wss::{Need, Part, Plan, ProvedBy, Reason, Require};

use crate::receiver;

/// The algorithms of the period, and what is demanded.
fn legacy(required: Vec<Require>, timestamp: bool) -> InPlan {
    let mut algorithms = AlgSet::empty();
    algorithms.insert(TransportAlg::Rsa15);
    algorithms.insert(CipherAlg::Aes256Cbc);
    algorithms.insert(CipherAlg::Aes128Cbc);
    algorithms.insert(SignatureAlg::RsaSha1);
    algorithms.insert(DigestAlg::Sha1);
    let mut plan = InPlan::open();
    plan.algorithms = algorithms;
    plan.required = required;
    plan.timestamp = timestamp
        .then(|| TimestampRule { ttl: std::time::Duration::from_secs(3600), ..TimestampRule::default() });
    plan.header = HeaderRule { layout: Layout::Strict, breach: Breach::Warn, targets: Targets::Any };
    plan.token.min_rsa = 1024;
    plan
}

fn body(signed: Need, encrypted: Need) -> Vec<Require> {
    vec![Require { part: Part::Body, signed, encrypted, how: EncryptHow::Content }]
}

fn plan(inbound: InPlan, request: bool) -> Plan {
    let side = if request { Side::Recipient } else { Side::Initiator };
    Plan::new(side, inbound, OutPlan::plain()).unwrap()
}

#[test]
fn rampart_c_samples() {
    let Some(root) = vectors::root() else { return };
    let folder = root.join("wss/rampart-c");
    let mut report = Report::new("wss/rampart-c", Expectations::parse(include_str!("lists/rampart-c.txt")));
    for case in csv::read(folder.join("cases.csv")) {
        report.enter(&case["case_id"], rampart_c(&root, &folder, &case));
    }
    report.finish(23);
}

fn rampart_c(root: &Path, folder: &Path, case: &Record) -> Result<(), String> {
    let id = &case["case_id"];
    if id.starts_with("scenario05-request") {
        return rampart_c_digest_token(root, folder, case);
    }
    if id == "scenario05-response" {
        return rampart_c_encrypted_signature(root, folder, case);
    }
    let inbound = match id.get(..10) {
        Some("scenario01") => legacy(Vec::new(), true),
        Some("scenario03") => legacy(body(Need::No, Need::Must), false),
        _ => return rampart_c_symmetric(root, folder, case),
    };
    let keys = root.join("keys/rampart-c/ahome");
    let who = if id.contains("request") { "bob" } else { "alice" };
    let (key, cert): (PathBuf, PathBuf) =
        (keys.join(format!("{who}_key.pem")), keys.join(format!("{who}_cert.cert")));
    let keystore = receiver::keystore(Some((&key, &cert)), None, &[]);
    let message = folder.join(&case["file"]);
    let open = plan(inbound.clone(), id.contains("request"));
    let verdict = receiver::verify(&open, &keystore, &case["clock"], &message, None);
    // Without the word `open` there is no such plan.
    let mut closed = inbound;
    closed.open = false;
    assert!(Plan::new(Side::Recipient, closed, OutPlan::plain()).is_err(), "{id} needs the word open");
    match (verdict, &case["expected"]) {
        (Ok(verified), "accept") if case["plaintext_body"].is_empty() => {
            verified.body().map(|_| ()).ok_or("no body".into())
        }
        (Ok(verified), "accept") => {
            // These files hold the Body itself.
            let expected = std::fs::read(folder.join(&case["plaintext_body"])).unwrap();
            let shown = verified.body().ok_or("no body")?.octets();
            if shown == expected {
                Ok(())
            } else {
                Err(format!("body is {}", String::from_utf8_lossy(&shown)))
            }
        }
        (Ok(_), _) => Err("accepted".into()),
        (Err(reject), "accept") => Err(format!("refused: {reject}")),
        (Err(reject), _) => {
            let fitting = match &case["why"] {
                why if why.contains("expired") => Reason::TimestampExpired,
                why if why.contains("future") => Reason::TimestampFuture,
                _ => Reason::EncryptionFailed,
            };
            if reject.reason() == fitting { Ok(()) } else { Err(format!("refused for {reject}")) }
        }
    }
}

/// Signed Body and Timestamp, Body and signature encrypted: no word `open` is needed. The signer's certificate is known and pinned.
fn rampart_c_encrypted_signature(root: &Path, folder: &Path, case: &Record) -> Result<(), String> {
    let mut required = body(Need::Must, Need::Must);
    required.push(Require {
        part: Part::Timestamp,
        signed: Need::Must,
        encrypted: Need::No,
        how: EncryptHow::Content,
    });
    required.push(Require {
        part: Part::Signature,
        signed: Need::No,
        encrypted: Need::Must,
        how: EncryptHow::Content,
    });
    let mut inbound = legacy(required, true);
    inbound.open = false;
    inbound.open_parts.clear();
    inbound.header.targets = Targets::Whole;
    inbound.header.breach = Breach::Refuse;
    let keys = root.join("keys/rampart-c/ahome");
    let bob = keys.join("bob_cert.cert");
    let keystore = receiver::keystore(
        Some((&keys.join("alice_key.pem"), &keys.join("alice_cert.cert"))),
        Some(&bob),
        &[&bob],
    );
    let verified =
        receiver::verify(&plan(inbound, false), &keystore, &case["clock"], &folder.join(&case["file"]), None);
    let verified = verified.map_err(|reject| format!("refused: {reject}"))?;
    let expected = std::fs::read(folder.join(&case["plaintext_body"])).unwrap();
    let shown = verified.body().ok_or("no body")?.octets();
    if shown == expected { Ok(()) } else { Err(format!("body is {}", String::from_utf8_lossy(&shown))) }
}

/// A digest token and a Timestamp in the clear under the signature, Body and signature encrypted. The Nonce has no EncodingType.
fn rampart_c_digest_token(root: &Path, folder: &Path, case: &Record) -> Result<(), String> {
    let mut required = body(Need::Must, Need::Must);
    let signed = |part| Require { part, signed: Need::Must, encrypted: Need::No, how: EncryptHow::Content };
    required.extend([signed(Part::Timestamp), signed(Part::UsernameToken)]);
    required.push(Require {
        part: Part::Signature,
        signed: Need::No,
        encrypted: Need::Must,
        how: EncryptHow::Content,
    });
    let mut inbound = legacy(required, true);
    inbound.open = false;
    inbound.open_parts.clear();
    inbound.username = Some(token(PasswordForm::Digest));
    let keys = root.join("keys/rampart-c/ahome");
    let alice = keys.join("alice_cert.cert");
    let own = (keys.join("bob_key.pem"), keys.join("bob_cert.cert"));
    let keystore = receiver::keystore(Some((&own.0, &own.1)), Some(&alice), &[&alice]);
    let user = (&case["username"], &case["password"]);
    let file = folder.join(&case["file"]);
    match (
        receiver::verify_user(&plan(inbound, true), &keystore, &case["clock"], &file, user),
        &case["expected"],
    ) {
        (Ok(verified), "accept") => {
            let caller = verified.caller().ok_or("no caller")?;
            if (caller.name(), caller.proved_by()) != ("Alice", ProvedBy::UsernameDigest) {
                return Err(format!("the caller is {caller:?}"));
            }
            let expected = std::fs::read(folder.join(&case["plaintext_body"])).unwrap();
            let shown = verified.body().ok_or("no body")?.octets();
            if shown == expected {
                Ok(())
            } else {
                Err(format!("body is {}", String::from_utf8_lossy(&shown)))
            }
        }
        (Ok(_), _) => Err("accepted".into()),
        (Err(reject), "accept") => Err(format!("refused: {reject}")),
        (Err(reject), _) => {
            let fitting = if case["why"].contains("expired") {
                Reason::TimestampExpired
            } else {
                Reason::TimestampFuture
            };
            if reject.reason() == fitting { Ok(()) } else { Err(format!("refused for {reject}")) }
        }
    }
}

/// A symmetric binding with derived keys of the 2005 draft: a signature in the clear (09), or all of it encrypted (12). Nothing in the reply is of the
/// request: its secret is fresh, under the client's certificate, so that anybody could have made it, and taking it needs the word `open`.
fn rampart_c_symmetric(root: &Path, folder: &Path, case: &Record) -> Result<(), String> {
    let (request, encrypted) =
        (case["case_id"].contains("request"), case["case_id"].starts_with("scenario12"));
    let plan = |open: bool, breach: Breach| {
        let mut inbound = InPlan { open, ..symmetric(request, encrypted) };
        inbound.header.breach = breach;
        Plan::new(if request { Side::Recipient } else { Side::Initiator }, inbound, OutPlan::plain())
    };
    let (lenient, strict) = (plan(!request, Breach::Warn).unwrap(), plan(!request, Breach::Refuse).unwrap());
    assert_eq!(plan(false, Breach::Warn).is_ok(), request, "the reply alone needs the word open");
    let keys = root.join("keys/rampart-c/ahome");
    let who = if request { "bob" } else { "alice" };
    let own = (keys.join(format!("{who}_key.pem")), keys.join(format!("{who}_cert.cert")));
    let keystore = receiver::keystore(Some((&own.0, &own.1)), None, &[]);
    let file = folder.join(&case["file"]);
    let user = (&case["username"], &case["password"]);
    let verdict = receiver::verify_user(&lenient, &keystore, &case["clock"], &file, user);
    match (verdict, &case["expected"]) {
        (Ok(verified), "accept") => {
            let caller = verified.caller().map(|caller| (caller.name(), caller.proved_by()));
            if caller != request.then_some(("Alice", ProvedBy::UsernameDigest)) {
                return Err(format!("the caller is {caller:?}"));
            }
            let noted = verified.context().warnings().contains(&Warning::ListEmpty);
            if noted == encrypted {
                return Err("the empty list of scenario 9 is in the evidence, and no other".into());
            }
            let strict = receiver::verify_user(&strict, &keystore, &case["clock"], &file, user);
            let reason = strict.err().map(|reject| reject.reason());
            if reason != (!encrypted).then_some(Reason::EncryptionUnexpected) {
                return Err(format!("a strict header gives {reason:?}"));
            }
            let shown = verified.body().ok_or("no body")?.octets();
            let held = &case["plaintext_body"];
            if held.is_empty() || shown == std::fs::read(folder.join(held)).unwrap() {
                return Ok(());
            }
            Err(format!("body is {}", String::from_utf8_lossy(&shown)))
        }
        (Ok(_), _) => Err("accepted".into()),
        (Err(reject), "accept") => Err(format!("refused: {reject}")),
        (Err(reject), _) => {
            let why = &case["why"];
            let fitting = [
                ("expired", Reason::TimestampExpired),
                ("future", Reason::TimestampFuture),
                ("PasswordDigest", Reason::UserPassword),
                ("Body changed", Reason::SignatureDigest),
                ("Timestamp prolonged", Reason::SignatureDigest),
                ("Timestamp removed", Reason::TimestampMissing),
                ("SignatureValue", Reason::SignatureValue),
                // Under another secret, or another key of it, the signature verifies no more.
                ("EncryptedKey changed", Reason::SignatureValue),
                ("nonce of the derived key", Reason::SignatureValue),
            ];
            let fitting = fitting.iter().find(|(word, _)| why.contains(word)).map(|(_, reason)| *reason);
            if fitting == Some(Reason::UserPassword)
                && !reject.detail().contains("as far as its first zero octet")
            {
                return Err(format!("not told how the digest was made: {reject}"));
            }
            if fitting == Some(reject.reason()) { Ok(()) } else { Err(format!("refused for {reject}")) }
        }
    }
}

fn symmetric(request: bool, encrypted: bool) -> InPlan {
    let mut required = body(Need::Must, if encrypted { Need::Must } else { Need::No });
    let of = |part, signed, encrypted| Require { part, signed, encrypted, how: EncryptHow::Content };
    required.push(of(Part::Timestamp, Need::Must, Need::No));
    if request {
        let addressing = Part::Header { ns: "http://www.w3.org/2005/08/addressing".into(), local: None };
        required.push(of(addressing, Need::IfPresent, Need::No));
        required.push(of(Part::UsernameToken, Need::Must, Need::No));
    }
    if encrypted {
        required.push(of(Part::Signature, Need::No, Need::Must));
    }
    let mut inbound = legacy(required, true);
    inbound.algorithms.insert(TransportAlg::RsaOaepMgf1p);
    inbound.algorithms.insert(MgfAlg::Mgf1Sha1);
    inbound.algorithms.insert(SignatureAlg::HmacSha1);
    inbound.oaep.insert(TransportAlg::RsaOaepMgf1p, DigestAlg::Sha1, MgfAlg::Mgf1Sha1);
    inbound.open_parts.clear();
    inbound.lone_cipher = Breach::Refuse;
    inbound.header.targets = Targets::Whole;
    inbound.signed_by = SignedBy::Secret;
    inbound.secret = Some(SecretRule { from: SecretFrom::Message, length: 32, derived: Presence::Must });
    inbound.username = request.then(|| token(PasswordForm::Digest));
    inbound
}

/// The rule of a lenient receiver for a token of that form.
fn token(form: PasswordForm) -> UsernameRule {
    UsernameRule { passwords: vec![form], lenient: true, ..UsernameRule::default() }
}

#[test]
fn spring_ws_messages() {
    let Some(root) = vectors::root() else { return };
    let folder = root.join("wss/spring-ws");
    let mut report = Report::new("wss/spring-ws", Expectations::parse(include_str!("lists/spring-ws.txt")));
    for case in csv::read(folder.join("cases.csv")) {
        report.enter(&case["case_id"], spring_ws(&root, &folder, &case));
    }
    report.finish(12);
}

fn spring_ws(root: &Path, folder: &Path, case: &Record) -> Result<(), String> {
    let keys = root.join("keys/spring-ws");
    let (key, cert) = (keys.join("rsakey-key.pem"), keys.join("rsakey-cert.pem"));
    let inbound = match &case["case_id"] {
        id if id.starts_with("usernameToken") => return spring_ws_token(folder, case),
        "signed-soap" => legacy(body(Need::Must, Need::No), false),
        "encrypted-soap" => legacy(body(Need::No, Need::Must), false),
        "expiredTimestamp-soap" | "expiredTimestamp-soap-late" => legacy(Vec::new(), true),
        // Nothing in a Security header satisfies a policy that asks for any protection.
        _ => legacy(body(Need::Must, Need::No), false),
    };
    // One key for both sides: its certificate is the peer's.
    let keystore = receiver::keystore(Some((&key, &cert)), Some(&cert), &[&cert]);
    let verdict =
        receiver::verify(&plan(inbound, true), &keystore, &case["clock"], &folder.join(&case["file"]), None);
    match (verdict, &case["expected"]) {
        (Ok(verified), "accept") => verified.body().map(|_| ()).ok_or("no body".into()),
        (Ok(_), _) => Err("accepted".into()),
        (Err(reject), "accept") => Err(format!("refused: {reject}")),
        (Err(reject), _) => {
            use Reason as R;
            let fitting = [R::HeaderMissing, R::SignatureMissing, R::TimestampExpired];
            if fitting.contains(&reject.reason()) { Ok(()) } else { Err(format!("refused for {reject}")) }
        }
    }
}

fn spring_ws_token(folder: &Path, case: &Record) -> Result<(), String> {
    let form = if case["case_id"].contains("Digest") { PasswordForm::Digest } else { PasswordForm::Text };
    let mut inbound = legacy(Vec::new(), false);
    inbound.username = Some(token(form));
    inbound.open = false;
    let user = (&case["username"], &case["password"]);
    let keystore = receiver::keystore(None, None, &[]);
    let verdict = receiver::verify_user(
        &plan(inbound, true),
        &keystore,
        &case["clock"],
        &folder.join(&case["file"]),
        user,
    );
    let verified = verdict.map_err(|reject| format!("refused: {reject}"))?;
    let caller = verified.caller().ok_or("no caller")?;
    if caller.name() == "Bert" { Ok(()) } else { Err(format!("the caller is {caller:?}")) }
}
