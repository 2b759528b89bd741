//! What is said beside the answer: JSON where the document has standard output, and hints.

use super::program::{Desk, PLAIN, POLICY, keys};

/// A request and the reply to it.
fn exchange() -> Desk {
    let desk = Desk::new();
    desk.request("request.xml");
    let mut args = vec!["secure", "plain.xml", "-o", "reply.xml", "--policy", POLICY, "--as", "recipient"];
    args.extend(["--keys", keys(), "--request", "request.xml"]);
    desk.bartizan(&args).ends(0);
    desk
}

#[test]
fn json_tells_of_a_document_where_standard_output_is_free() {
    let desk = Desk::new();
    desk.write("plain.xml", PLAIN);
    desk.write("mac.bin", "0123456789abcdef0123456789abcdef");
    let secure = ["secure", "plain.xml", "--policy", POLICY, "--as", "initiator", "--keys", keys()];
    for (args, field) in [
        (&["xml", "c14n", "plain.xml", "--method", "exc"][..], "method"),
        (&["xml", "sign", "plain.xml", "--secret", "mac.bin"], "method"),
        (&["xml", "encrypt", "plain.xml", "--secret", "mac.bin"], "cipher"),
        (&secure, "signatures"),
    ] {
        let with = |more: &[&'static str]| {
            let all: Vec<&str> = args.iter().copied().chain(["--json"]).chain(more.iter().copied()).collect();
            desk.bartizan(&all).ends(0)
        };
        let run = with(&[]);
        assert!(run.out.starts_with('<'), "{args:?}: {}", run.out);
        let aside: serde_json::Value = serde_json::from_str(&run.err).expect("an object");
        assert_eq!(aside["output"], "standard output", "{args:?}");
        let there = with(&["-o", "out.xml"]).json();
        assert_eq!(there["output"], "out.xml", "{args:?}");
        assert!(!there[field].is_null(), "{args:?}: {there}");
        assert_eq!(there["bytes"], desk.read("out.xml").len(), "{args:?}");
        if field == "cipher" {
            let run = desk.bartizan(&["xml", "decrypt", "out.xml", "--secret", "mac.bin", "--json"]).ends(0);
            let aside: serde_json::Value = serde_json::from_str(&run.err).expect("an object");
            assert_eq!(aside["verdict"], "decrypted");
        }
    }
}

#[test]
fn what_keeps_a_digest_from_being_explained_leaves_the_verdict() {
    let desk = exchange();
    desk.write(
        "sign.toml",
        "[policy.sign]\nbinding = \"asymmetric\"\nsuite = \"modern-rsa\"\nsign = [\"body\"]\nencrypt = []\n",
    );
    let policy = ["--policy", "sign.toml", "--keys", keys()];
    let mut args = vec!["secure", "plain.xml", "-o", "r.xml", "--as", "initiator"];
    args.extend(policy);
    desk.bartizan(&args).ends(0);
    desk.write("t.xml", &desk.read("r.xml").replace("test me", "test ME"));
    let mut args = vec!["verify", "t.xml", "--as", "recipient", "--explain", "--compare", "nothing"];
    args.extend(policy);
    let run = desk.bartizan(&args).ends(1);
    assert!(run.err.contains("cannot read nothing"), "{}", run.err);
    args.push("--json");
    let json = desk.bartizan(&args).ends(1).json();
    assert_eq!(json["digested"], "t.xml.reference0.c14n", "{json}");
    assert!(desk.read("t.xml.reference0.c14n").contains("test ME"));
}

#[test]
fn a_request_that_is_not_the_one_is_asked_about() {
    let desk = exchange();
    desk.request("other.xml");
    let verify = |request: &str, more: &[&str]| {
        let mut args = vec!["verify", "reply.xml", "--policy", POLICY, "--as", "initiator", "--keys", keys()];
        args.extend(["--request", request]);
        args.extend(more);
        desk.bartizan(&args).ends(1)
    };
    let plain = verify("plain.xml", &[]);
    assert!(plain.err.contains("plain.xml holds no signature"), "{}", plain.err);
    let other = verify("other.xml", &["--json"]).json();
    assert_eq!(other["help"], "is other.xml the request that this reply answers?");
    let mut args = vec!["secure", "plain.xml", "--policy", POLICY, "--as", "recipient", "--keys", keys()];
    args.extend(["--request", "reply.xml"]);
    let run = desk.bartizan(&args).ends(1);
    assert!(run.err.contains("`bartizan verify reply.xml --policy scenario:rampart-c --as"), "{}", run.err);
}

#[test]
fn a_signature_method_that_is_not_permitted_is_named() {
    let desk = Desk::new();
    desk.write("in.xml", "<a/>");
    let (key, cert) = (format!("{}/client.key", keys()), format!("{}/client.pem", keys()));
    let sign = ["xml", "sign", "in.xml", "-o", "s.xml", "--key", &key, "--algorithm", "rsa-sha1", "--legacy"];
    desk.bartizan(&sign).ends(0);
    let run = desk.bartizan(&["xml", "verify", "s.xml", "--key", &cert]).ends(1);
    assert!(run.out.contains("(rsa-sha1): algorithm.not_permitted"), "{}", run.out);
}

#[test]
fn a_certificate_of_ours_that_nobody_will_take_is_warned_of() {
    let desk = Desk::new();
    desk.write("plain.xml", PLAIN);
    for (name, words) in [("expired", "ended at 20"), ("revoked", "is revoked: the other side")] {
        let mut args = vec!["secure", "plain.xml", "-o", "r.xml", "--policy", POLICY, "--as", "initiator"];
        args.extend(["--keys", keys(), "--as-name", name]);
        let run = desk.bartizan(&args).ends(0);
        assert!(run.err.contains("our own certificate") && run.err.contains(words), "{name}: {}", run.err);
    }
}

#[test]
fn a_key_of_the_wrong_kind_is_said_to_be_ours_or_theirs() {
    let desk = Desk::new();
    desk.write("plain.xml", PLAIN);
    desk.write("p.toml", "[policy.p]\nsuite = \"modern-rsa\"\nsign = [\"body\"]\nencrypt = [\"body\"]\n");
    for (option, name, words) in
        [("--peer-name", "server-ec", "the other side's key"), ("--as-name", "client-ec", "our own key")]
    {
        let mut args =
            vec!["secure", "plain.xml", "--policy", "p.toml", "--as", "initiator", "--keys", keys()];
        args.extend([option, name]);
        let run = desk.bartizan(&args).ends(1);
        assert!(run.err.contains(words) && run.err.contains(option), "{}", run.err);
    }
}

#[test]
fn a_file_that_is_no_store_is_not_taken_for_one() {
    let desk = Desk::new();
    desk.write("in.xml", "<a/>");
    let (ca, p12, password) =
        (format!("{}/ca.pem", keys()), format!("{}/server.p12", keys()), format!("{}/password", keys()));
    let verify = |store: [&str; 2]| {
        let mut args = vec!["verify", "in.xml", "--policy", POLICY, "--as", "recipient", "--trust", &ca];
        args.extend(store);
        args.extend(["--store-password-file", &password]);
        desk.bartizan(&args)
    };
    assert!(verify(["--pkcs12", &ca]).ends(2).err.contains("ca.pem is no PKCS#12 store"));
    assert!(verify(["--jks", &ca]).ends(2).err.contains("ca.pem is no Java key store"));
    // As `keytool` makes them today.
    verify(["--jks", &p12]).ends(1);
    let run = desk.bartizan(&["xml", "sign", "in.xml", "--pkcs12", &ca]).ends(2);
    assert!(run.err.contains("ca.pem is no PKCS#12 store"), "{}", run.err);
}

#[test]
fn serving_under_a_policy_that_is_not_there_leaves_nothing() {
    let desk = Desk::new();
    let run = desk.bartizan(&["serve", "--policy", "nofile.xml", "--state", "state"]).ends(2);
    assert_eq!(run.err.matches("error: ").count(), 1, "{}", run.err);
    assert!(!desk.has("state/keys"));
}
