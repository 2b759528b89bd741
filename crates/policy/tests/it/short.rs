//! The short form says what XML says.

use std::time::Duration;

use bartizan_crypto::alg::{DigestAlg, SignatureAlg};
use bartizan_policy::compile::Open;
use bartizan_policy::{Loaded, Options, load};
use bartizan_wss::part::Part;
use bartizan_wss::plan::{KeyTransfer, Layout};

fn toml(text: &str) -> Loaded {
    load(text.as_bytes().to_vec(), "policies.toml")
}

fn plans(loaded: &Loaded) -> bartizan_wss::PlanPair {
    match loaded.only().expect("one").compile(&Options::default()) {
        Ok(compiled) => compiled.plans,
        Err(problems) => panic!("{problems:#?}"),
    }
}

#[test]
fn the_benchmark_in_short_is_the_same_plan_as_in_xml() {
    let short = toml(
        r#"
[policy.bench]
binding = "asymmetric"
sign = ["body"]
encrypt = ["body"]
suite = "Basic256"
signature_confirmation = true
"#,
    );
    let xml = bartizan_policy::builtin::builtin("scenario:rampart-c").expect("built in");
    assert_eq!(format!("{:#?}", plans(&short)), format!("{:#?}", plans(&xml)));
}

#[test]
fn what_is_written_as_xml_compiles_to_the_same_plan() {
    let short = toml(
        r#"
[policy.partner]
sign = ["body", "timestamp", "addressing", "header:{urn:app}id"]
encrypt = ["body", "element:/{urn:soap}Envelope/{urn:soap}Body/{urn:app}card"]
suite = "Basic256Sha256"
layout = "lax"
include_token = "both"
reference = "issuer-serial"
"#,
    );
    let item = short.only().expect("one");
    let policy = item.policies().next().expect("the request");
    let xml = load(policy.to_xml().expect("XML"), "written.xml");
    assert_eq!(format!("{:#?}", plans(&short)), format!("{:#?}", plans(&xml)));
}

#[test]
fn an_empty_table_is_a_safe_policy() {
    let pair = plans(&toml("[policy.x]\n"));
    let request = pair.initiator.outbound();
    let sign = request.sign.as_ref().expect("signed");
    assert_eq!(sign.method, SignatureAlg::RsaSha256);
    assert_eq!(sign.parts, [Part::Body, Part::Timestamp]);
    assert!(request.encrypt.is_some() && !pair.recipient.inbound().open);
}

#[test]
fn the_example_of_the_manual_compiles_with_its_settings() {
    let loaded = toml(
        r#"
[server]
workers = "cores"

[policy.partner]
binding = "asymmetric"
sign = ["body", "timestamp", "addressing"]
encrypt = ["body"]
suite = "modern-rsa"
algorithms = { key_transport = "rsa-oaep-sha384", digest = "sha512" }
timestamp = { ttl = "5m", skew = "90s" }
signature_confirmation = true
"#,
    );
    let pair = plans(&loaded);
    let rule = pair.recipient.inbound().timestamp.expect("demanded");
    assert_eq!((rule.ttl, rule.skew), (Duration::from_secs(300), Duration::from_secs(90)));
    let request = pair.initiator.outbound();
    assert_eq!(request.sign.as_ref().expect("signed").digest, DigestAlg::Sha512);
    let KeyTransfer::Transport { oaep, .. } = &request.encrypt.as_ref().expect("encrypted").key else {
        panic!()
    };
    assert_eq!(oaep.digest, DigestAlg::Sha384);
    assert!(pair.recipient.inbound().algorithms.permits(DigestAlg::Sha512));
}

#[test]
fn sides_say_their_own_and_inherit_the_rest() {
    let loaded = toml(
        r#"
[policy.x]
suite = "Basic256"
layout = "lax"
open = true
[policy.x.request]
sign = ["body"]
[policy.x.reply]
sign = ["body", "timestamp"]
encrypt = []
layout = "timestamp-first"
"#,
    );
    let pair = plans(&loaded);
    assert_eq!(pair.initiator.outbound().sign.as_ref().expect("signed").parts, [Part::Body]);
    assert_eq!(pair.recipient.outbound().sign.as_ref().expect("signed").parts, [Part::Body, Part::Timestamp]);
    assert!(pair.initiator.outbound().encrypt.is_some() && pair.recipient.outbound().encrypt.is_none());
    assert_eq!(pair.recipient.outbound().layout, Layout::LaxTimestampFirst);
    assert_eq!(pair.initiator.outbound().layout, Layout::Lax);
}

#[test]
fn one_side_alone_leaves_the_other_open_and_says_so() {
    let alone = toml("[policy.x.reply]\nsign = [\"body\", \"timestamp\"]\n");
    let problems = alone.only().expect("one").compile(&Options::default()).expect_err("an open request");
    assert_eq!(problems.iter().map(|p| p.code()).collect::<Vec<_>>(), ["nothing_demanded"]);
    let loaded = toml("[policy.x.request]\nsign = [\"body\", \"timestamp\"]\n");
    let item = loaded.only().expect("one");
    let found: Vec<_> =
        item.check(&Options::default()).iter().map(|found| (found.code(), found.is_error())).collect();
    assert_eq!(found, [("one_sided", false)]);
    let pair = plans(&loaded);
    assert!(pair.initiator.inbound().open && pair.recipient.outbound().is_plain());
    assert!(!pair.recipient.inbound().open);
}

#[test]
fn open_must_be_said() {
    let none = "[policy.x]\nsign = []\nencrypt = []\ntimestamp = false\n";
    let problems = toml(none).only().expect("one").compile(&Options::default()).expect_err("not open");
    assert_eq!(problems[0].code(), "nothing_demanded");
    let pair = plans(&toml(&format!("{none}open = true\n")));
    assert!(pair.recipient.inbound().open);
    // What the policy says wins over the command line.
    let options = Options { open: Open::Said, ..Options::default() };
    assert!(toml(&format!("{none}open = false\n")).only().expect("one").compile(&options).is_err());
}

#[test]
fn every_mistake_is_named_with_its_place_and_the_nearest_word() {
    let loaded = toml(
        r#"[policy.partner]
sing = ["body"]
sign = ["bodi", "header:{urn:a}", "element:relative", 7]
encrypt = ["timestamp"]
suite = "Basic265"
algorithms = { digest = "sha265", wrap = "x" }
timestamp = { ttl = "5 fortnights", skw = "1s" }
layout = "stict"
signature_confirmation = "yes"
binding = "symmetric"
[policy.partner.request]
suite = "Basic256"
[policy.twice]
timestamp = false
sign = ["timestamp"]
"#,
    );
    let mut shown = String::new();
    for item in loaded.items() {
        for found in item.check(&Options::default()) {
            shown += &loaded.render(&found);
        }
        assert!(item.compile(&Options::default()).is_err());
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn a_file_that_is_no_toml_or_has_no_policy_is_said_so() {
    let render = |text: &str| {
        let loaded = toml(text);
        loaded.diagnostics().iter().map(|found| loaded.render(found)).collect::<String>()
    };
    insta::assert_snapshot!(render("[policy.x\nsign = 1\n"));
    assert_eq!(render("[server]\n"), "error: no policy in this file\n  --> policies.toml\n");
    assert!(render("[polcy.x]\n").contains("did you mean `policy`?"));
}

/// A side of its own says what differs in it; it takes nothing away from the other one.
#[test]
fn parts_that_are_named_for_both_sides_hold_for_the_one_without_a_table() {
    let loaded = toml(
        "[policy.x]\nsign = [\"body\"]\nsignature_confirmation = true\n[policy.x.request]\nsign = [\"body\", \"timestamp\"]\n",
    );
    let plans = loaded.only().expect("one").plans(&Options::default()).expect("usable");
    let reply = plans.initiator.inbound();
    assert!(reply.wants_signature() && !reply.open, "{reply:?}");
    assert!(loaded.only().expect("one").check(&Options::default()).iter().all(|d| d.code() != "one_sided"));
}
