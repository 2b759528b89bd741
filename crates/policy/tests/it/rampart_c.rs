//! Requests of Rampart/C's samples, verified under the `services.xml` that each came with, unmodified.
//!
//! Their replies are not: their own policies would refuse them (headers that are not signed, secrets of their own).

use std::fs;
use std::path::Path;

use bartizan_crypto::random::SystemRandom;
use bartizan_keys::{Certificate, ChainAlgorithms, Keystore, MemoryUsers, Time, TrustStore, store};
use bartizan_policy::compile::{Open, Profile};
use bartizan_policy::{Options, PlanPair, load};
use bartizan_testkit::csv::{self, Record};
use bartizan_testkit::vectors::{Expectations, Report, root};
use bartizan_wss::{Env, Reason, Transport, Untrusted};
use bartizan_xml::Limits;

fn entries(path: &Path) -> Vec<store::Entry> {
    store::read_any(&fs::read(path).expect("there"), None).expect("readable")
}

/// Bob's keys, who knows Alice.
fn keystore(folder: &Path) -> Keystore {
    let certificate = |who: &str| entries(&folder.join(format!("{who}_cert.cert")));
    let alice: Certificate = store::certificates(&certificate("alice")).remove(0);
    let own = store::pair(&entries(&folder.join("bob_key.pem")), &certificate("bob")).expect("a pair");
    let trust = TrustStore::builder().algorithms(ChainAlgorithms::Legacy).anchor(alice.clone()).build();
    Keystore::builder().min_rsa(1024).identity(own).peer(alice).trust(trust).build().expect("keys")
}

/// The plans of a scenario. Those that prove nobody need the word for it, and are refused without.
fn plans(folder: &Path, scenario: &str) -> PlanPair {
    let file = folder.join("policies").join(scenario).join("services.xml");
    let loaded = load(fs::read(file).expect("there"), "services.xml");
    let item = loaded.only().expect("one policy");
    let options = |open| Options { open, profile: Profile::RampartCLegacy, ..Options::default() };
    let proves_nobody = matches!(scenario, "scenario01" | "scenario03");
    assert_eq!(item.plans(&options(Open::Refused)).is_err(), proves_nobody, "{scenario}");
    item.plans(&options(if proves_nobody { Open::Said } else { Open::Refused })).expect(scenario)
}

fn check(folder: &Path, keys: &Keystore, case: &Record) -> Result<(), String> {
    let plans = plans(folder, &case["case_id"][..10]);
    let users = MemoryUsers::new().with("Alice", b"abcd!1234");
    let now = Time::parse_rfc3339(&case["clock"]).expect("a time");
    let env = Env::new(keys, now, &SystemRandom).with_users(&users).over(Transport::Local);
    let octets = fs::read(folder.join(&case["file"])).expect("there");
    let verdict =
        Untrusted::read(octets, None, &Limits::default()).and_then(|m| plans.recipient.verify(m, &env));
    match (verdict, &case["expected"]) {
        (Ok(verified), "accept") => {
            let caller = verified.caller().map(|caller| caller.name().to_owned());
            let expected = (!case["username"].is_empty()).then(|| case["username"].to_owned());
            if caller == expected { Ok(()) } else { Err(format!("the caller is {caller:?}")) }
        }
        (Ok(_), _) => Err("accepted".into()),
        (Err(reject), "accept") => Err(format!("refused: {reject}")),
        (Err(reject), _) => {
            let fitting = match &case["why"] {
                why if why.contains("expired") => Reason::TimestampExpired,
                why if why.contains("future") => Reason::TimestampFuture,
                why if why.contains("PasswordDigest") => Reason::UserPassword,
                _ => Reason::EncryptionFailed,
            };
            if reject.reason() == fitting { Ok(()) } else { Err(format!("refused for {reject}")) }
        }
    }
}

#[test]
fn requests_of_rampart_c_meet_the_policies_that_they_came_with() {
    let Some(root) = root() else { return };
    let folder = root.join("wss/rampart-c");
    let keys = keystore(&root.join("keys/rampart-c/ahome"));
    let mut report = Report::new("policy rampart-c, requests", Expectations::default());
    for case in csv::read(folder.join("cases.csv")) {
        if case["case_id"].contains("request") {
            report.enter(&case["case_id"], check(&folder, &keys, &case));
        }
    }
    report.finish(12);
}
