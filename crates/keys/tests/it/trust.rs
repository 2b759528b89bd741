//! `trust_cases.csv`: leaf, anchors, intermediates, revocation list, time and verdict.

use std::path::Path;

use bartizan_keys::{Certificate, ChainAlgorithms, Error, Time, TrustReason, TrustStore, store};
use bartizan_testkit::csv::{self, Record};
use bartizan_testkit::vectors::{self, Expectations, Report};

fn certificates(folder: &Path, names: &str) -> Vec<Certificate> {
    let files = names.split_whitespace().map(|name| folder.join(name));
    files
        .flat_map(|file| store::certificates(&store::read_any(&std::fs::read(file).unwrap(), None).unwrap()))
        .collect()
}

fn run(folder: &Path, case: &Record, algorithms: ChainAlgorithms) -> Result<(), Error> {
    let mut trust = TrustStore::builder().algorithms(algorithms);
    for anchor in certificates(folder, &case["anchors"]) {
        trust = trust.anchor(anchor);
    }
    for list in case["crl"].split_whitespace() {
        let entries = store::read_any(&std::fs::read(folder.join(list)).unwrap(), None)?;
        for crl in store::crls(&entries) {
            trust = trust.crl(crl)?;
        }
    }
    let leaf = certificates(folder, &case["leaf"]).remove(0);
    let extra = certificates(folder, &case["intermediates"]);
    let at = Time::parse_rfc3339(&case["time"])?;
    trust.build().verify(&leaf, &extra, at, 1024).map(|_| ())
}

/// What a refusal must say, by the table's own words.
fn reasons(why: &str) -> &'static [TrustReason] {
    match why {
        "not yet valid" => &[TrustReason::NotYetValid],
        "expired" => &[TrustReason::Expired],
        "revoked" => &[TrustReason::Revoked],
        // At that time the certificate has expired too, which is found first.
        "revocation list out of date" => &[TrustReason::RevocationStale, TrustReason::Expired],
        "CA of the chain is expired or another CA with the same name" => &[TrustReason::IssuerExpired],
        "no path to the anchor" | "intermediate missing" => &[TrustReason::UnknownIssuer],
        _ => &[],
    }
}

#[test]
fn every_trust_case_gets_its_verdict_and_reason() {
    let Some(root) = vectors::root() else { return };
    let folder = root.join("keys");
    let cases = csv::read(folder.join("trust_cases.csv"));
    let mut report = Report::new("trust cases", Expectations::default());
    for case in &cases {
        let verdict = run(&folder, case, ChainAlgorithms::Legacy);
        let outcome = match (&case["expected"], verdict) {
            ("accept", Ok(())) => Ok(()),
            ("reject", Err(Error::Trust(reason))) if reasons(&case["why"]).contains(&reason) => Ok(()),
            (expected, verdict) => Err(format!("expected {expected} ({}), got {verdict:?}", &case["why"])),
        };
        report.enter(&case["case_id"], outcome);
    }
    report.finish(18);
}

#[test]
fn chains_of_the_period_are_refused_unless_asked_for() {
    let Some(root) = vectors::root() else { return };
    let folder = root.join("keys");
    let cases = csv::read(folder.join("trust_cases.csv"));
    let case = cases.iter().find(|case| &case["case_id"] == "oasis-alice-2006").unwrap();
    let refused = run(&folder, case, ChainAlgorithms::Modern);
    assert_eq!(refused, Err(Error::Trust(TrustReason::Algorithm)));
}
