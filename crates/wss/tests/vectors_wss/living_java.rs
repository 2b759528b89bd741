//! WSS4J, CXF and Rampart as they are today: the benchmark policy and its modern variants.

use std::path::Path;

use bartizan_crypto::alg::{AlgSet, TransportAlg};
use bartizan_crypto::suite::{self, SignatureReading};
use bartizan_testkit::csv::{self, Record};
use bartizan_testkit::vectors::{self, Expectations, Report};
use bartizan_wss::plan::PlanPair;
use bartizan_wss::{AsymmetricBuilder, Part, Plan, Reason};

use crate::receiver;

/// Every case of an asymmetric policy.
const FLOOR: usize = 170;

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

fn check(folder: &Path, case: &Record) -> Result<(), String> {
    let pair = plans(&case["policy"]).ok_or("the policy needs a UsernameToken or a symmetric binding")?;
    let keys = folder.join(&case["keys"]);
    let request = &case["role"] == "request";
    let (own, peer) = if request { ("server", "client") } else { ("client", "server") };
    let plan: &Plan = if request { &pair.recipient } else { &pair.initiator };
    let file = |name: &str, ext: &str| keys.join(format!("{name}.{ext}"));
    let (key, cert, other, ca) = (file(own, "key"), file(own, "pem"), file(peer, "pem"), keys.join("ca.pem"));
    let keystore = receiver::keystore(Some((&key, &cert)), Some(&other), &[&ca]);
    let message = folder.join(&case["message"]);
    let sent = Some(&case["in_reply_to"]).filter(|r| !r.is_empty()).map(|r| folder.join(r));
    let verdict = receiver::verify(plan, &keystore, &case["clock"], &message, sent.as_deref());
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
        "cipher1-flip" => &[R::EncryptionFailed],
        "cipher2-flip" => &[R::EncryptionFailed, R::SignatureDigest],
        "body-wrapped" => &[R::CoverageBodyNotSigned, R::SignatureTarget, R::EncryptionUnexpected],
        "sigconf-removed" => &[R::SignatureReference],
        "sigconf-other" => &[R::ConfirmationWrong],
        "cert-other" => &[R::SignatureValue],
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
