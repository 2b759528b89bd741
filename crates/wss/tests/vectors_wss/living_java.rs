//! WSS4J, CXF and Rampart as they are today: the benchmark policy and its modern variants, the scenarios of a user, the symmetric binding with
//! derived keys.

use std::path::Path;
use std::time::Duration;

use bartizan_crypto::alg::{AlgSet, TransportAlg};
use bartizan_crypto::suite::{self, SignatureReading};
use bartizan_keys::Keystore;
use bartizan_testkit::csv::{self, Record};
use bartizan_testkit::vectors::{self, Expectations, Report};
use bartizan_wss::plan::{Derive, Dialect, KeyRef, PlanPair, TimestampRule};
use bartizan_wss::{
    AsymmetricBuilder, Part, Plan, Reason, Reject, SentSignatures, Side, SymmetricBuilder, UsernameBuilder,
    Verified,
};

use crate::receiver;

/// Every case of an asymmetric policy and of a UsernameToken.
const FLOOR: usize = 265;

#[test]
fn living_java_recordings() {
    let Some(root) = vectors::root() else { return };
    let folder = root.join("wss/living-java");
    let mut report =
        Report::new("wss/living-java", Expectations::parse(include_str!("lists/living-java.txt")));
    for case in csv::read(folder.join("cases.csv")) {
        report.enter(&case["case_id"], check(&folder, &case));
    }
    report.finish(FLOOR);
}

fn plans(policy: &str) -> Option<PlanPair> {
    if policy == "policies/symdk.xml" {
        let suite = suite::by_name("Basic256").unwrap();
        let builder = SymmetricBuilder::new(suite).sign(Part::Body).encrypt(Part::Body);
        return Some(builder.derived(Dialect::V13).min_rsa(1024).anonymous().build().unwrap());
    }
    let (suite, reading) = match policy {
        "policies/bench-wss11.xml" | "policies/bench.xml" => ("Basic256", SignatureReading::Specification),
        "wss4j4 gcm" => ("modern-rsa", SignatureReading::Specification),
        "wss4j4 ec" => ("modern-ec", SignatureReading::Specification),
        _ => return None,
    };
    let mut mgf1p = AlgSet::empty();
    mgf1p.insert(TransportAlg::RsaOaepMgf1p);
    let builder = AsymmetricBuilder::new(suite::by_name(suite).unwrap())
        .reading(reading)
        .min_rsa(1024)
        .also_accept(mgf1p);
    Some(builder.sign(Part::Body).encrypt(Part::Body).confirmation().build().unwrap())
}

/// What the receiver of a scenario demands: the period's manner, or the token of a policy.
fn scenario(case: &Record) -> Option<Plan> {
    // WSS4J 1.5 allows for no skew.
    let exact = TimestampRule { skew: Duration::ZERO, ..TimestampRule::default() };
    let builder = UsernameBuilder::new().timestamp(Some(exact));
    let (wse, profile) = (Derive::Wse { length: 16 }, Derive::Profile { iterations: 1000 });
    let named = |builder: UsernameBuilder| builder.period().encrypt(KeyRef::IssuerSerial);
    let builder = match &case["policy"] {
        "unt1" => builder.period(),
        "unt2a" => builder.period().sign(wse),
        "unt2b" => builder.period().sign(profile),
        "unt3" => named(builder),
        "unt4a" => named(builder).sign(wse),
        "unt4b" => named(builder).sign(profile),
        "policies/ut.xml" if &case["role"] == "request" => builder.timestamp(None).elements(false, false),
        "policies/ut.xml" => return Some(Plan::open(Side::Initiator)),
        _ => return None,
    };
    Some(builder.build().unwrap().recipient)
}

fn check_scenario(folder: &Path, case: &Record, plan: &Plan) -> Result<(), String> {
    let keys = folder.join(if case["keys"].is_empty() { "keys/rsa2048" } else { &case["keys"] });
    let file = |name: &str| keys.join(name);
    let (key, cert, ca) = (file("server.key"), file("server.pem"), file("ca.pem"));
    let keystore = receiver::keystore(Some((&key, &cert)), None, &[&ca]);
    let user = case["users"].split_once(':').ok_or("no user")?;
    let verdict =
        receiver::verify_user(plan, &keystore, &case["clock"], &folder.join(&case["message"]), user);
    let verdict = match std::fs::read_to_string(folder.join(&case["message"])) {
        Ok(text) if receiver::without_instructions(&text) != text => {
            without_instructions(folder, case, plan, &keystore, verdict.err())
        }
        _ => verdict,
    };
    match (verdict, &case["expected"]) {
        (Ok(verified), "accept") => {
            let caller = verified.caller().map(|caller| caller.name().to_owned());
            if &case["role"] == "request" && caller.as_deref() != Some(user.0) {
                return Err(format!("the caller is {caller:?}"));
            }
            if case["plaintext_body"].is_empty() {
                Ok(())
            } else {
                receiver::body_is(&verified, &folder.join(&case["plaintext_body"]))
            }
        }
        (Ok(_), _) => Err("accepted".into()),
        (Err(reject), "accept") => Err(format!("refused: {reject}")),
        (Err(reject), _) => scenario_reason(&case["case_id"], &case["policy"], reject.reason()),
    }
}

/// A message with a processing instruction is refused for that, and without it is judged as any other: the refusal stands for those that should be
/// accepted, and the other verdict for those that have more against them.
fn without_instructions(
    folder: &Path,
    case: &Record,
    plan: &Plan,
    keystore: &Keystore,
    refused: Option<Reject>,
) -> Result<Verified, Reject> {
    let refused = refused.expect("refused");
    assert_eq!(refused.reason(), Reason::MessageMalformed);
    let text = |name: &str| {
        receiver::without_instructions(&std::fs::read_to_string(folder.join(&case[name])).unwrap())
    };
    let user = case["users"].split_once(':').unwrap();
    let verdict = receiver::verify_octets(plan, keystore, &case["clock"], text("message").into_bytes(), user);
    if &case["expected"] != "accept" {
        return verdict;
    }
    receiver::body_reads(&verdict.unwrap(), &text("plaintext_body")).unwrap();
    Err(refused)
}

/// A refusal of a user must be for the edit that was made.
fn scenario_reason(case: &str, policy: &str, reason: Reason) -> Result<(), String> {
    use Reason as R;
    let by_key = policy.ends_with('b');
    let fitting: &[Reason] = match case.split_once("--").map(|(_, edit)| edit) {
        None if case.ends_with("otherpw") && by_key => &[R::SignatureValue],
        None if case.ends_with("otherpw") => &[R::UserPassword],
        None => &[R::TimestampExpired],
        Some("truncated") => &[R::MessageMalformed],
        Some("password-changed") => &[R::UserPassword],
        Some("username-changed") => &[R::UserUnknown],
        Some("sigvalue-flip" | "digest1-flip") => &[R::SignatureValue],
        Some("cipher1-flip") => &[R::EncryptionFailed],
        // A character of CBC spoils two blocks of the token, wherever that is.
        Some("cipher2-flip") => &[R::EncryptionFailed, R::UserPassword, R::UserUnknown, R::SignatureDigest],
        Some(other) => return Err(format!("an edit without expectation: {other}")),
    };
    if fitting.contains(&reason) {
        Ok(())
    } else {
        Err(format!("refused for {reason}, expected one of {fitting:?}"))
    }
}

fn check(folder: &Path, case: &Record) -> Result<(), String> {
    if let Some(plan) = scenario(case) {
        return check_scenario(folder, case, &plan);
    }
    let pair = plans(&case["policy"]).ok_or("the policy needs a symmetric binding")?;
    let keys = folder.join(&case["keys"]);
    let request = &case["role"] == "request";
    let (own, peer) = if request { ("server", "client") } else { ("client", "server") };
    let plan: &Plan = if request { &pair.recipient } else { &pair.initiator };
    let file = |name: &str, ext: &str| keys.join(format!("{name}.{ext}"));
    let (key, cert, other, ca) = (file(own, "key"), file(own, "pem"), file(peer, "pem"), keys.join("ca.pem"));
    let keystore = receiver::keystore(Some((&key, &cert)), Some(&other), &[&ca]);
    let message = folder.join(&case["message"]);
    let sent = Some(&case["in_reply_to"]).filter(|r| !r.is_empty()).map(|r| folder.join(r));
    let verdict = match sent {
        // Only who made the secret, or can open the request, knows what the reply is made with.
        Some(sent) if &case["policy"] == "policies/symdk.xml" => {
            let (key, cert) = (file(peer, "key"), file(peer, "pem"));
            let server = receiver::keystore(Some((&key, &cert)), None, &[&ca]);
            let request = receiver::verify(&pair.recipient, &server, &case["clock"], &sent, None);
            let facts = SentSignatures::of_request(request.map_err(|r| r.to_string())?.request_facts());
            receiver::verify_with(plan, &keystore, &case["clock"], &message, Some(&facts))
        }
        sent => receiver::verify(plan, &keystore, &case["clock"], &message, sent.as_deref()),
    };
    match (verdict, &case["expected"]) {
        (Ok(verified), "accept") => receiver::body_is(&verified, &folder.join(&case["plaintext_body"])),
        (Ok(_), _) => Err("accepted".into()),
        (Err(reject), "accept") => Err(format!("refused: {reject}")),
        (Err(reject), _) => reason_fits(&case["case_id"], reject.reason()),
    }
}

/// A refusal must be for the edit that was made, not for something else.
fn reason_fits(case: &str, reason: Reason) -> Result<(), String> {
    use Reason as R;
    let edit = case.split("--").nth(1).unwrap_or("noconf");
    let fitting: &[Reason] = match edit {
        "truncated" => &[R::MessageMalformed],
        "sigvalue-flip" | "digest1-flip" | "digest2-flip" => &[R::SignatureValue],
        // The secret signs, too: another one verifies nothing.
        "cipher1-flip" if case.starts_with("cxf-sym") && case.contains("request") => &[R::SignatureValue],
        "cipher1-flip" => &[R::EncryptionFailed],
        "cipher2-flip" => &[R::EncryptionFailed, R::SignatureDigest],
        "body-wrapped" => &[R::CoverageBodyNotSigned, R::SignatureTarget, R::EncryptionUnexpected],
        "sigconf-removed" => &[R::SignatureReference],
        "sigconf-other" => &[R::ConfirmationWrong],
        "cert-other" => &[R::SignatureValue, R::TokenNotPartner],
        "cert-stranger" => &[R::TokenUntrusted, R::SignatureValue],
        "noconf" => &[R::ConfirmationMissing],
        other => return Err(format!("an edit without expectation: {other}")),
    };
    if fitting.contains(&reason) {
        Ok(())
    } else {
        Err(format!("refused for {reason}, expected one of {fitting:?}"))
    }
}
