//! UsernameTokens from the command line.

use super::program::{Desk, PLAIN, Server, keys};

const SCENARIOS: [&str; 6] = ["unt1", "unt2a", "unt2b", "unt3", "unt4a", "unt4b"];

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("plain.xml", PLAIN);
    desk.write("password", "verySecret\nand what else stands in the file\n");
    desk.write("users.toml", "[alice]\npassword = { file = \"secret\" }\n");
    desk.write("secret", "verySecret\n");
    std::os::unix::fs::symlink(keys(), desk.path("keys")).expect("linked");
    desk
}

fn secure(desk: &Desk, scenario: &str, out: &str) {
    let policy = format!("scenario:{scenario}");
    let args = ["secure", "plain.xml", "-o", out, "--policy", &policy, "--as", "initiator", "--keys", "keys"];
    let user = ["--user", "alice", "--password-file", "password"];
    let all: Vec<&str> = args.iter().chain(&user).copied().collect();
    desk.bartizan(&all).ends(0);
}

#[test]
fn every_scenario_is_secured_as_the_named_user() {
    let desk = desk();
    for scenario in SCENARIOS {
        secure(&desk, scenario, "out.xml");
        let text = desk.read("out.xml");
        let hidden = matches!(scenario, "unt3" | "unt4a" | "unt4b");
        assert_eq!(text.contains("<wsse:Username>alice</wsse:Username>"), !hidden, "{scenario}");
        assert_eq!(text.contains("EncryptedData"), hidden, "{scenario}");
        assert_eq!(text.contains("hmac-sha1"), !matches!(scenario, "unt1" | "unt3"), "{scenario}");
        assert!(!text.contains("what else"), "only the first line is the password");
        std::fs::remove_file(desk.path("out.xml")).expect("removed");
    }
}

#[test]
fn a_token_without_a_user_and_a_user_without_a_password_are_usage_errors() {
    let desk = desk();
    let secure = ["secure", "plain.xml", "--policy", "scenario:unt1", "--as", "initiator"];
    let with = |more: &[&'static str]| {
        let all: Vec<&str> = secure.iter().chain(more).copied().collect();
        desk.bartizan(&all).ends(2)
    };
    assert!(with(&[]).err.contains("--user NAME --password-file FILE"));
    assert!(with(&["--user", "alice"]).err.contains("--password-file"));
    assert!(with(&["--password-file", "password"]).err.contains("--user"));
}

#[test]
fn a_password_file_of_a_policy_without_token_is_said_to_be_unused() {
    let desk = desk();
    let run = desk.bartizan(&[
        "secure",
        "plain.xml",
        "-o",
        "out.xml",
        "--policy",
        "scenario:rampart-c",
        "--as",
        "initiator",
        "--keys",
        "keys",
        "--user",
        "alice",
        "--password-file",
        "password",
    ]);
    assert!(run.ends(0).err.contains("--user is not used"));
}

#[test]
fn the_names_of_actions_are_a_topic_of_help() {
    let desk = Desk::new();
    let page = desk.bartizan(&["help", "actions"]).ends(0).out;
    assert_eq!(page, std::fs::read_to_string("../../docs/actions.md").expect("the page"));
}

fn verify(desk: &Desk, file: &str, policy: &str, more: &[&str]) -> super::program::Run {
    let args =
        ["verify", file, "--policy", policy, "--as", "recipient", "--keys", "keys", "--users", "users.toml"];
    let all: Vec<&str> = args.iter().chain(more).copied().collect();
    desk.bartizan(&all)
}

#[test]
fn every_scenario_is_verified_with_its_user_as_evidence() {
    let desk = desk();
    for scenario in SCENARIOS {
        let file = format!("{scenario}.xml");
        secure(&desk, scenario, &file);
        let policy = format!("scenario:{scenario}");
        let json = verify(&desk, &file, &policy, &["--json"]).ends(0).json();
        let tokens = json["tokens"].as_array().expect("tokens");
        let token = tokens.iter().find(|token| token["kind"] == "username").expect("a UsernameToken");
        assert_eq!(token["username"], "alice", "{scenario}");
        // Only what is bound to the message names its sender; the token alone could have been cut out of another.
        let proved = json["caller"]["proved_by"].as_str();
        let bound = matches!(scenario, "unt2a" | "unt2b" | "unt4a" | "unt4b");
        assert_eq!(proved == Some("username-signature"), bound, "{scenario}: {proved:?}");
        // Somebody else's password, and another scenario.
        desk.write("secret", "otherSecret\n");
        verify(&desk, &file, &policy, &[]).ends(1);
        desk.write("secret", "verySecret\n");
        let other = if scenario == "unt1" { "scenario:unt2a" } else { "scenario:unt1" };
        verify(&desk, &file, other, &[]).ends(1);
    }
}

#[test]
fn one_server_hosts_all_scenarios_and_call_invokes_them() {
    let desk = desk();
    let config = std::fs::read_to_string("../../policies/serve-scenarios.toml").expect("the example");
    desk.write("serve.toml", &config.replace("127.0.0.1:8080", "127.0.0.1:0"));
    desk.bartizan(&["check", "serve.toml"]).ends(0);
    let server = Server::start(&desk, &["--config", "serve.toml"]);
    for scenario in SCENARIOS {
        let (url, policy) = (server.url(&format!("/{scenario}")), format!("scenario:{scenario}"));
        let call = |password: &str, user: &str| {
            desk.write("password", password);
            desk.bartizan(&[
                "call",
                &url,
                "--policy",
                &policy,
                "--keys",
                "keys",
                "--user",
                user,
                "--password-file",
                "password",
            ])
        };
        assert!(call("verySecret\n", "alice").ends(0).out.contains("test me"), "{scenario}");
        call("wrong\n", "alice").ends(1);
        call("verySecret\n", "mallory").ends(1);
    }
}

#[test]
fn a_key_beside_a_password_in_clear_is_not_served_to_the_outside() {
    let desk = desk();
    let config = |scenario: &str, address: &str| {
        format!(
            "[[listener]]\naddress = \"{address}:0\"\n[keys.server]\nfolder = \"keys\"\n[authentication.users]\nfile = \"users.toml\"\n\
             [[service]]\npath = \"/x\"\nkind = \"echo\"\npolicy = \"scenario:{scenario}\"\nkeys = \"server\"\nopen = true\n"
        )
    };
    for (scenario, address, exit) in
        [("unt2a", "127.0.0.1", 0), ("unt2a", "0.0.0.0", 1), ("unt2b", "0.0.0.0", 0), ("unt4a", "0.0.0.0", 0)]
    {
        desk.write("x.toml", &config(scenario, address));
        let run = desk.bartizan(&["check", "x.toml"]).ends(exit);
        assert_eq!(run.err.contains("style of WSE"), exit == 1, "{scenario} {address}: {}", run.err);
    }
}

/// The transport binding over files: whoever ended TLS has to say so.
#[test]
fn a_policy_for_tls_is_met_by_a_message_that_came_over_tls() {
    let desk = Desk::new();
    let (wsp, sp) =
        ("http://www.w3.org/ns/ws-policy", "http://docs.oasis-open.org/ws-sx/ws-securitypolicy/200702");
    let policy = format!(
        "<wsp:Policy xmlns:wsp=\"{wsp}\" xmlns:sp=\"{sp}\"><sp:TransportBinding><wsp:Policy><sp:TransportToken><wsp:Policy>\
         <sp:HttpsToken><wsp:Policy/></sp:HttpsToken></wsp:Policy></sp:TransportToken><sp:AlgorithmSuite><wsp:Policy>\
         <sp:Basic256/></wsp:Policy></sp:AlgorithmSuite><sp:IncludeTimestamp/></wsp:Policy></sp:TransportBinding>\
         <sp:SignedSupportingTokens><wsp:Policy><sp:UsernameToken><wsp:Policy/></sp:UsernameToken></wsp:Policy>\
         </sp:SignedSupportingTokens></wsp:Policy>"
    );
    desk.write("tls.xml", &policy);
    desk.write("plain.xml", super::program::PLAIN);
    desk.write("password", "verySecret\n");
    desk.write("users.toml", "[alice]\npassword = \"verySecret\"\n");
    let secure = |more: &[&str]| {
        let args = ["secure", "plain.xml", "-o", "r.xml", "--policy", "tls.xml", "--as", "initiator"];
        desk.bartizan(&[&args[..], &["--user", "alice", "--password-file", "password"], more].concat())
    };
    assert!(secure(&[]).ends(1).err.contains("--over-tls"));
    assert!(!desk.has("r.xml"));
    secure(&["--over-tls"]).ends(0);
    let verify = |more: &[&str]| {
        let args = [
            "verify",
            "r.xml",
            "--policy",
            "tls.xml",
            "--as",
            "recipient",
            "--users",
            "users.toml",
            "--json",
        ];
        desk.bartizan(&[&args[..], more].concat())
    };
    assert_eq!(verify(&[]).ends(1).json()["reason"], "transport.plain");
    let json = verify(&["--over-tls"]).ends(0).json();
    assert_eq!(
        (&json["caller"]["name"], &json["parts"][0]["protection"]),
        (&"alice".into(), &"transport".into())
    );
}

#[test]
fn an_axis2_file_is_converted_to_the_short_form_and_used() {
    let desk = desk();
    desk.write(
        "axis2.xml",
        "<axisconfig><parameter name=\"OutflowSecurity\"><action><items>UsernameToken Timestamp</items><user>alice</user>\
         <passwordType>PasswordText</passwordType><addUTElements>Nonce Created</addUTElements></action></parameter></axisconfig>",
    );
    let run = desk.bartizan(&["policy", "convert", "axis2.xml", "-o", "converted.toml"]).ends(0);
    assert!(run.err.contains("`user` is said elsewhere"), "{}", run.err);
    let secure = ["secure", "plain.xml", "--policy", "converted.toml", "--as", "initiator"];
    let user = ["--user", "alice", "--password-file", "password"];
    let all: Vec<&str> = secure.iter().chain(&user).copied().collect();
    assert!(desk.bartizan(&all).ends(0).out.contains("PasswordText"));
    desk.bartizan(&["policy", "convert", "scenario:rampart-c"]).ends(1);
    let again = desk.bartizan(&["policy", "convert", "converted.toml", "-q"]).ends(0);
    assert_eq!(again.out, desk.read("converted.toml"));
}

#[test]
fn merlins_properties_are_a_key_set() {
    let desk = desk();
    let folder = keys();
    let lines = ["keystore.file=keys/client.p12", "truststore.file=keys/ca.pem"];
    let password =
        std::fs::read_to_string(std::path::Path::new(folder).join("password")).expect("a password");
    let mut text: String =
        lines.iter().map(|line| format!("org.apache.wss4j.crypto.merlin.{line}\n")).collect();
    text.push_str(&format!("org.apache.wss4j.crypto.merlin.keystore.password={}\n", password.trim_end()));
    desk.write("crypto.properties", &text);
    let secure = [
        "secure",
        "plain.xml",
        "-o",
        "out.xml",
        "--policy",
        "scenario:rampart-c",
        "--as",
        "initiator",
        "--peer",
        "keys/server.pem",
        "--merlin",
        "crypto.properties",
    ];
    desk.bartizan(&secure).ends(0);
    let verify =
        ["verify", "out.xml", "--policy", "scenario:rampart-c", "--as", "recipient", "--keys", "keys"];
    desk.bartizan(&verify).ends(0);
    desk.write("crypto.properties", &format!("{text}org.apache.wss4j.crypto.merlin.load.cacerts=true\n"));
    assert!(desk.bartizan(&secure).ends(2).err.contains("load.cacerts"));
}
