//! Policies in words.

use bartizan_policy::{Options, load};

use crate::compile::policy;

#[test]
fn the_benchmark_policy_in_words() {
    let loaded = bartizan_policy::builtin::builtin("scenario:rampart-c").expect("built in");
    let explained = loaded.only().expect("one").explain(&Options::default()).expect("compiles");
    insta::assert_snapshot!(explained.text());
}

#[test]
fn a_modern_policy_with_everything_in_words() {
    let toml = r#"
[policy.partner]
sign = ["body", "timestamp", "addressing", "token", "element:/{http://www.w3.org/2003/05/soap-envelope}Envelope/{http://www.w3.org/2003/05/soap-envelope}Body/{urn:app}order"]
encrypt = ["body", "signature", "header:{urn:app}secret"]
suite = "modern-ec"
timestamp = { ttl = "2m", skew = "30s" }
signature_confirmation = true
encrypt_first = true
"#;
    let loaded = load(toml.as_bytes().to_vec(), "partner.toml");
    let explained = loaded.only().expect("one").explain(&Options::default()).expect("compiles");
    insta::assert_snapshot!(explained.text());
}

#[test]
fn the_machine_form_has_every_field() {
    let xml =
        policy("Basic128Sha256", "<sp:IncludeTimestamp/>", "<sp:SignedParts><sp:Body/></sp:SignedParts>");
    let loaded = load(xml.into_bytes(), "a.xml");
    let explained = loaded.only().expect("one").explain(&Options::default()).expect("compiles");
    insta::assert_snapshot!(serde_json::to_string_pretty(&explained).expect("JSON"));
}

#[test]
fn scenarios_of_usernametokens_in_words() {
    for name in ["unt2a", "unt3", "unt4b"] {
        let loaded = bartizan_policy::builtin::builtin(&format!("scenario:{name}")).expect("built in");
        let explained = loaded.only().expect("one").explain(&Options::default()).expect("compiles");
        insta::assert_snapshot!(format!("scenario_{name}"), explained.text());
    }
}
