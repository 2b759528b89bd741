//! The period: Rampart/C samples of 2007 and spring-ws messages, under the open legacy profile and refused without it.

use std::path::{Path, PathBuf};

use bartizan_crypto::alg::{AlgSet, CipherAlg, DigestAlg, SignatureAlg, TransportAlg};
use bartizan_testkit::csv::{self, Record};
use bartizan_testkit::vectors::{self, Expectations, Report};
use bartizan_wss::part::EncryptHow;
use bartizan_wss::plan::{
    Breach, HeaderRule, InPlan, Layout, OutPlan, PasswordForm, Side, Targets, TimestampRule, UsernameRule,
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
    report.finish(11);
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
        _ => return Err("needs a symmetric binding".into()),
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
