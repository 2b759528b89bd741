//! UsernameTokens from the command line.

use super::program::{Desk, PLAIN, keys};

const SCENARIOS: [&str; 6] = ["unt1", "unt2a", "unt2b", "unt3", "unt4a", "unt4b"];

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("plain.xml", PLAIN);
    desk.write("password", "verySecret\nand what else stands in the file\n");
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
