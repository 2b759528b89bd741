//! Help texts are part of the face: a change of one is looked at.

use super::program::bartizan;

#[test]
fn short_help_of_the_whole() {
    insta::assert_snapshot!(bartizan(&["--help"]).ends(0).out);
}

#[test]
fn long_help_of_the_whole() {
    insta::assert_snapshot!(bartizan(&["help"]).ends(0).out);
}

#[test]
fn short_help_of_every_verb() {
    for verb in [
        "demo",
        "serve",
        "call",
        "secure",
        "verify",
        "check",
        "policy",
        "policy check",
        "policy normalise",
        "policy explain",
        "keys",
        "keys demo",
        "keys inspect",
        "users",
        "users hash",
        "users seal",
        "users check",
        "xml",
        "xml c14n",
        "xml sign",
        "xml verify",
        "xml encrypt",
        "xml decrypt",
        "bench",
        "bench rampart",
        "bench unt",
        "bench all",
        "bench list",
        "bench report",
        "bench compare",
        "crypto",
        "help",
    ] {
        let mut args: Vec<&str> = verb.split(' ').collect();
        args.push("--help");
        let run = bartizan(&args).ends(0);
        assert!(run.out.contains("Examples:"), "{verb}: {}", run.out);
        insta::assert_snapshot!(verb.replace(' ', "_"), run.out);
    }
}

#[test]
fn long_help_of_a_verb_says_more() {
    let long = bartizan(&["help", "verify"]).ends(0).out;
    let short = bartizan(&["verify", "--help"]).ends(0).out;
    assert!(long.len() > short.len() + 1000, "{} and {}", long.len(), short.len());
    assert!(long.lines().all(|line| line.chars().count() <= 110), "too wide:\n{long}");
    insta::assert_snapshot!(long);
}

#[test]
fn reasons_are_listed_with_their_fault() {
    let run = bartizan(&["help", "reasons"]).ends(0);
    assert!(run.out.contains("signature.digest_mismatch  [wsse:FailedCheck]"), "{}", run.out);
    assert!(run.out.contains("timestamp.expired  [wsu:MessageExpired]"), "{}", run.out);
    let json = bartizan(&["help", "reasons", "--json"]).ends(0).json();
    assert!(json["reasons"].as_array().is_some_and(|reasons| reasons.len() > 50));
}

#[test]
fn one_reason_or_a_family_of_them_is_told_alone() {
    let one = bartizan(&["help", "reasons", "token.revoked"]).ends(0).out;
    assert!(one.contains("token.revoked  ["), "{one}");
    assert!(!one.contains("token.expired"), "{one}");
    let family = bartizan(&["help", "reasons", "confirmation", "--json"]).ends(0).json();
    let reasons = family["reasons"].as_array().expect("reasons");
    assert!(
        reasons.iter().all(|r| r["reason"].as_str().is_some_and(|code| code.starts_with("confirmation.")))
    );
    assert_eq!(reasons.len(), 4, "{family}");
    let run = bartizan(&["help", "reasons", "token.revokd"]).ends(2);
    assert!(run.err.contains("did you mean `token.revoked`?"), "{}", run.err);
    let run = bartizan(&["help", "config", "server"]).ends(2);
    assert!(run.err.contains("`bartizan help config` prints all of it"), "{}", run.err);
}

#[test]
fn built_in_policies_are_listed_in_the_help_and_none_is_for_verify_alone() {
    let page = bartizan(&["help", "policy"]).ends(0).out;
    for name in bartizan_policy::builtin::NAMES {
        assert!(page.contains(name), "no {name} in:\n{page}");
    }
    for (verb, there) in [("verify", true), ("call", false), ("secure", false), ("serve", false)] {
        let long = bartizan(&["help", verb]).ends(0).out;
        assert_eq!(long.contains("`none` checks the cryptography"), there, "{verb}");
    }
    let run = bartizan(&["policy", "check", "scenario:x"]).ends(1);
    assert!(run.err.contains("scenario:rampart-c, scenario:unt1"), "{}", run.err);
}

#[test]
fn unknown_topic_offers_the_nearest() {
    let run = bartizan(&["help", "verfy"]).ends(2);
    assert!(run.err.contains("did you mean `verify`?"), "{}", run.err);
}

#[test]
fn unknown_option_and_verb_end_with_2() {
    let run = bartizan(&["verify", "--polcy", "x"]).ends(2);
    assert!(run.err.contains("--policy"), "{}", run.err);
    let run = bartizan(&["verfy"]).ends(2);
    assert!(run.err.contains("verify"), "{}", run.err);
    bartizan(&[]).ends(2);
}

#[test]
fn version_is_printed() {
    assert_eq!(bartizan(&["--version"]).ends(0).out, format!("bartizan {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn algorithms_have_uri_strength_and_status() {
    let json = bartizan(&["crypto", "--json"]).ends(0).json();
    let all = json["algorithms"].as_array().expect("algorithms");
    let find = |name: &str| all.iter().find(|alg| alg["name"] == name).unwrap_or_else(|| panic!("no {name}"));
    assert_eq!(find("rsa-sha1")["status"], "legacy");
    assert_eq!(find("rsa-sha256")["status"], "ok");
    assert_eq!(find("md5")["status"], "refused");
    assert!(find("md5")["reason"].is_string());
    assert!(json["provider"]["reason"].is_string());
    let text = bartizan(&["crypto"]).ends(0).out;
    assert!(all.iter().all(|alg| text.contains(alg["uri"].as_str().expect("a URI"))));
}
