//! `secure` and `verify` over files.

use super::program::{Desk, PLAIN, POLICY, bartizan, keys};

fn verify<'a>(file: &'a str, side: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let mut args = vec!["verify", file, "--policy", POLICY, "--as", side, "--keys", keys()];
    args.extend(more);
    args
}

#[test]
fn round_trip_through_files_in_both_directions() {
    let desk = Desk::new();
    desk.request("request.xml");
    let run = desk.bartizan(&verify("request.xml", "recipient", &["-o", "view.xml"])).ends(0);
    assert!(run.out.starts_with("verified: sent by CN=client"), "{}", run.out);
    assert!(desk.read("view.xml").contains("<name>test me</name>"));
    assert!(!desk.read("view.xml").contains("Security"));
    let reply =
        ["secure", "view.xml", "-o", "reply.xml", "--policy", POLICY, "--as", "recipient", "--keys", keys()];
    let mut args = reply.to_vec();
    args.extend(["--request", "request.xml"]);
    desk.bartizan(&args).ends(0);
    let json = desk
        .bartizan(&verify("reply.xml", "initiator", &["--request", "request.xml", "--json"]))
        .ends(0)
        .json();
    assert_eq!(json["verdict"], "verified");
    assert_eq!(json["signatures_confirmed"], 1);
    assert_eq!(json["caller"]["name"], "CN=server,OU=demo,O=bartizan");
    assert_eq!(json["parts"][0]["protection"], "signature:0");
    assert_eq!(json["body"]["name"], "greetRequest");
}

#[test]
fn reply_is_refused_without_its_request_and_with_another_one() {
    let desk = Desk::new();
    desk.request("request.xml");
    desk.request("other.xml");
    let mut args = vec!["secure", "plain.xml", "-o", "reply.xml", "--policy", POLICY, "--as", "recipient"];
    args.extend(["--keys", keys(), "--request", "request.xml"]);
    desk.bartizan(&args).ends(0);
    let alone = desk.bartizan(&verify("reply.xml", "initiator", &["-o", "view.xml"])).ends(1);
    assert!(alone.out.contains("confirmation."), "{}", alone.out);
    assert!(alone.err.contains("--request FILE"), "{}", alone.err);
    let other =
        desk.bartizan(&verify("reply.xml", "initiator", &["--request", "other.xml", "-o", "view.xml"]));
    assert!(other.ends(1).out.contains("confirmation."));
    assert!(!desk.has("view.xml"));
}

#[test]
fn tampered_message_is_refused_with_a_reason_and_nothing_is_written() {
    let desk = Desk::new();
    desk.request("request.xml");
    let tampered = desk.read("request.xml").replacen("<ds:DigestValue>", "<ds:DigestValue>A", 1);
    desk.write("tampered.xml", &tampered);
    desk.write("view.xml", "what was there before");
    let run = desk.bartizan(&verify("tampered.xml", "recipient", &["-o", "view.xml", "--json"])).ends(1);
    let json = run.json();
    assert_eq!(json["verdict"], "refused");
    assert!(json["reason"].as_str().expect("a reason").starts_with("signature."), "{json}");
    assert_eq!(json["fault"], "wsse:FailedCheck");
    assert!(json["where"]["path"].as_str().expect("a path").starts_with("/Envelope/Header/Security/"));
    assert_eq!(json["parts"], serde_json::Value::Null);
    for field in ["body", "caller"] {
        assert!(json[field].is_null(), "{field} of a refused message");
    }
    assert_eq!(desk.read("view.xml"), "what was there before");
}

#[test]
fn digest_mismatch_is_explained_with_our_octets_and_the_first_difference() {
    let desk = Desk::new();
    desk.write("plain.xml", PLAIN);
    desk.write(
        "sign.toml",
        "[policy.sign]\nbinding = \"asymmetric\"\nsuite = \"modern-rsa\"\nsign = [\"body\"]\nencrypt = []\n",
    );
    let policy = "sign.toml#sign";
    let args =
        ["secure", "plain.xml", "-o", "r.xml", "--policy", policy, "--as", "initiator", "--keys", keys()];
    desk.bartizan(&args).ends(0);
    desk.write("tampered.xml", &desk.read("r.xml").replace("test me", "test ME"));
    let args =
        ["verify", "tampered.xml", "--policy", policy, "--as", "recipient", "--keys", keys(), "--explain"];
    let run = desk.bartizan(&args).ends(1);
    assert!(run.out.starts_with("refused: signature.digest_mismatch"), "{}", run.out);
    let ours = desk.read("tampered.xml.reference0.c14n");
    assert!(ours.contains("test ME"), "{ours}");
    desk.write("theirs.c14n", &ours.replace("test ME", "test me"));
    let mut args = args.to_vec();
    args.extend(["--compare", "theirs.c14n"]);
    let run = desk.bartizan(&args).ends(1);
    let at = ours.find("ME").expect("there");
    assert!(run.err.contains(&format!("the bytes differ from byte {at} on")), "{}", run.err);
    assert!(run.err.contains("»ME") && run.err.contains("»me"), "{}", run.err);
}

#[test]
fn whatever_is_protected_is_reported_without_a_policy() {
    let desk = Desk::new();
    desk.request("request.xml");
    let args = ["verify", "request.xml", "--policy", "none", "--keys", keys(), "--json"];
    assert_eq!(desk.bartizan(&args).ends(1).json()["reason"], "signature.algorithm");
    let mut args = args.to_vec();
    args.push("--legacy");
    let json = desk.bartizan(&args).ends(0).json();
    assert_eq!(json["parts"][0]["part"], "/Envelope/Body");
    assert_eq!(json["legacy"].as_array().map(Vec::len), Some(3));
    let nothing = desk.bartizan(&["verify", "plain.xml", "--policy", "none", "--keys", keys()]).ends(1);
    assert!(nothing.out.contains("coverage.nothing"), "{}", nothing.out);
}

#[test]
fn standard_input_and_output_are_a_dash() {
    let desk = Desk::new();
    let args = ["secure", "-", "--policy", POLICY, "--as", "initiator", "--keys", keys(), "-q", "-o", "-"];
    let secured = desk.bartizan_with(&args, PLAIN.as_bytes()).ends(0);
    assert!(secured.out.contains("EncryptedData"));
    let verified =
        desk.bartizan_with(&verify("-", "recipient", &["-o", "-"]), secured.out.as_bytes()).ends(0);
    assert!(verified.out.starts_with('<'), "the view alone is on standard output: {}", verified.out);
    assert!(verified.err.contains("verified: sent by CN=client"), "{}", verified.err);
}

#[test]
fn other_keys_are_refused() {
    let desk = Desk::new();
    desk.request("request.xml");
    let run = desk.bartizan(&verify("request.xml", "recipient", &["--as-name", "client2"])).ends(1);
    assert!(run.out.contains("refused: encryption."), "{}", run.out);
    for (name, reason) in [("revoked", "token.revoked"), ("expired", "token.expired")] {
        let args =
            ["secure", "plain.xml", "-o", "r.xml", "--policy", POLICY, "--as", "initiator", "--keys", keys()];
        let mut args = args.to_vec();
        args.extend(["--as-name", name, "-q"]);
        desk.bartizan(&args).ends(0);
        let run = desk.bartizan(&verify("r.xml", "recipient", &[])).ends(1);
        assert!(run.out.contains(reason), "{name}: {}", run.out);
    }
}

#[test]
fn single_files_do_what_a_folder_does() {
    let desk = Desk::new();
    desk.request("request.xml");
    let file = |name: &str| format!("{}/{name}", keys());
    let (key, cert, peer, ca, crl, p12, password) = (
        file("server.key"),
        file("server.pem"),
        file("client.pem"),
        file("ca.pem"),
        file("ca.crl"),
        file("server.p12"),
        file("password"),
    );
    let base = ["verify", "request.xml", "--policy", POLICY, "--as", "recipient", "-q", "--trust", &ca];
    let mut pem = base.to_vec();
    pem.extend(["--key", &key, "--cert", &cert, "--peer", &peer, "--crl", &crl]);
    desk.bartizan(&pem).ends(0);
    let mut store = base.to_vec();
    store.extend(["--pkcs12", &p12, "--store-password-file", &password]);
    desk.bartizan(&store).ends(0);
    desk.write("wrong", "not the password\n");
    let mut wrong = base.to_vec();
    wrong.extend(["--pkcs12", &p12, "--store-password-file", "wrong"]);
    let run = desk.bartizan(&wrong).ends(2);
    assert!(run.err.contains("--store-password-file"), "{}", run.err);
}

#[test]
fn what_cannot_run_ends_with_2_and_says_how_to_go_on() {
    let desk = Desk::new();
    desk.write("plain.xml", PLAIN);
    let cases: [(&[&str], &str); 6] = [
        (&["verify", "nothing.xml", "--policy", POLICY, "--as", "recipient"], "cannot read nothing.xml"),
        (&["verify", "plain.xml", "--policy", POLICY], "--as recipient"),
        (&["verify", "plain.xml", "--as", "recipient"], "--policy <FILE>"),
        (&["verify", "plain.xml", "--policy", "no.xml", "--as", "recipient"], "cannot read no.xml"),
        (&["verify", "plain.xml", "--policy", POLICY, "--as", "recipient", "--at", "noon"], "2026-11-30T"),
        (&["verify", "plain.xml", "--policy", POLICY, "--as", "recipient", "--key", "x"], "--cert"),
    ];
    for (args, words) in cases {
        let run = desk.bartizan(args).ends(2);
        assert!(run.err.contains(words), "{args:?}: {}", run.err);
        assert_eq!(run.out, "", "{args:?}");
    }
    let run = bartizan(&["verify", "x", "--policy", "scenario:rampart-d", "--as", "recipient"]).ends(1);
    assert!(run.err.contains("did you mean `scenario:rampart-c`?"), "{}", run.err);
}

#[test]
fn broken_envelope_is_shown_with_a_caret() {
    let desk = Desk::new();
    desk.write("broken.xml", "<a>\n  <b></c>\n</a>\n");
    let args = ["secure", "broken.xml", "--policy", POLICY, "--as", "initiator", "--keys", keys()];
    let run = desk.bartizan(&args).ends(1);
    insta::assert_snapshot!(run.err);
}

/// Standard output is for the verified view: on a refusal nothing stands there that could be taken for one.
#[test]
fn a_refusal_leaves_standard_output_to_the_view() {
    let desk = Desk::new();
    desk.request("request.xml");
    let tampered = desk.read("request.xml").replacen("<ds:DigestValue>", "<ds:DigestValue>A", 1);
    desk.write("tampered.xml", &tampered);
    let run = desk.bartizan(&verify("tampered.xml", "recipient", &["-o", "-"])).ends(1);
    assert_eq!(run.out, "");
    assert!(run.err.contains("refused: "), "{}", run.err);
    let run = desk.bartizan(&verify("request.xml", "recipient", &["-o", "-"])).ends(0);
    assert!(run.out.starts_with('<'), "{}", run.out);
}

#[test]
fn reply_without_a_peer_is_refused_unless_anybody_may_answer() {
    let desk = Desk::new();
    desk.request("request.xml");
    let mut args = vec!["secure", "plain.xml", "-o", "reply.xml", "--policy", POLICY, "--as", "recipient"];
    args.extend(["--keys", keys(), "--request", "request.xml"]);
    desk.bartizan(&args).ends(0);
    let file = |name: &str| format!("{}/{name}", keys());
    let (key, cert, trust) = (file("client.key"), file("client.pem"), file("ca.pem"));
    let mut args = vec!["verify", "reply.xml", "--policy", POLICY, "--as", "initiator"];
    args.extend(["--request", "request.xml", "--key", &key, "--cert", &cert, "--trust", &trust]);
    let server = file("server.pem");
    // The reply names its signer by thumbprint: the certificate has to be known, which does not make it the peer's.
    let other = file("client2.pem");
    args.extend(["--peer", &other, "--peer", &server]);
    let run = desk.bartizan(&args).ends(1);
    assert!(
        run.out.contains("token.not_partner") && run.err.contains("--as recipient"),
        "{}{}",
        run.out,
        run.err
    );
    args.push("--any-peer");
    desk.bartizan(&args).ends(0);
    // A request is no reply, and the answer says whose it is.
    let run = desk.bartizan(&verify("request.xml", "initiator", &["--any-peer"])).ends(1);
    assert!(run.out.contains("token.not_partner") && run.out.contains("request of this side"), "{}", run.out);
    assert!(run.err.contains("--as recipient"), "{}", run.err);
}
