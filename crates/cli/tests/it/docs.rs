//! The pages of `docs/` and the README say what is so.

use std::fs;
use std::path::{Path, PathBuf};

use super::program::{Desk, PLAIN, Server, bartizan, keys};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn page(name: &str) -> String {
    fs::read_to_string(root().join(name)).expect("a page")
}

/// The blocks of a page in this language.
fn blocks<'p>(page: &'p str, language: &str) -> Vec<&'p str> {
    let open = format!("```{language}\n");
    page.split(&open).skip(1).filter_map(|rest| rest.split("```").next()).collect()
}

#[test]
fn policy_and_configuration_of_the_guide_work_as_written() {
    let guide = page("docs/guide.md");
    let toml = blocks(&guide, "toml");
    assert_eq!(toml.len(), 3, "a policy, a configuration and users");
    let desk = Desk::new();
    desk.write("partner.toml", toml[0]);
    desk.write("bartizan.toml", &toml[1].replace("127.0.0.1:8080", "127.0.0.1:0"));
    std::os::unix::fs::symlink(keys(), desk.path("keys")).expect("linked");
    desk.bartizan(&["policy", "check", "partner.toml", "--strict"]).ends(0);
    desk.bartizan(&["check", "bartizan.toml", "--strict"]).ends(0);
    desk.write("users.toml", toml[2]);
    std::fs::set_permissions(desk.path("users.toml"), std::os::unix::fs::PermissionsExt::from_mode(0o600))
        .expect("set");
    std::fs::create_dir(desk.path("secrets")).expect("made");
    desk.write("secrets/stock-system", "a secret");
    std::fs::set_permissions(
        desk.path("secrets/stock-system"),
        std::os::unix::fs::PermissionsExt::from_mode(0o600),
    )
    .expect("set");
    let users = desk.bartizan(&["users", "check", "users.toml"]).ends(0);
    assert_eq!(users.err.matches("warning: ").count(), 1, "{}", users.err);
    assert!(users.err.contains("stored in clear: `stock-system`"), "{}", users.err);
    desk.write("plain.xml", PLAIN);
    let common = ["--policy", "partner.toml", "--keys", "keys"];
    let with = |args: &[&'static str]| {
        let all: Vec<&str> = args.iter().chain(&common).copied().collect();
        desk.bartizan(&all).ends(0)
    };
    with(&["secure", "plain.xml", "-o", "request.xml", "--as", "initiator"]);
    with(&["verify", "request.xml", "-o", "seen.xml", "--as", "recipient"]);
    with(&["secure", "seen.xml", "-o", "reply.xml", "--as", "recipient", "--request", "request.xml"]);
    with(&["verify", "reply.xml", "-o", "answer.xml", "--as", "initiator", "--request", "request.xml"]);
    assert!(desk.read("answer.xml").contains("test me"));
    let server = Server::start(&desk, &["--config", "bartizan.toml"]);
    let url = server.url("/partner");
    let call = ["call", &url, "--policy", "partner.toml", "--keys", "keys", "--action", "urn:order"];
    assert!(desk.bartizan(&call).ends(0).out.contains("test me"));
}

#[test]
fn every_reason_belongs_to_a_row_of_the_page_on_refusals() {
    let page = page("docs/reading-a-refusal.md");
    let known = bartizan(&["help", "reasons", "--json"]).ends(0).json();
    let known: Vec<&str> = known["reasons"]
        .as_array()
        .expect("reasons")
        .iter()
        .map(|reason| reason["reason"].as_str().expect("a code"))
        .collect();
    for reason in &known {
        // By its name, or by a row for all of its family.
        let family = reason.split('.').next().expect("a family");
        let rows =
            page.lines().filter(|line| line.starts_with("| `")).filter_map(|row| row.split('|').nth(1));
        let told = rows
            .filter(|cell| cell.contains(&format!("`{reason}`")) || cell.contains(&format!("`{family}.…`")));
        assert_eq!(told.count(), 1 + usize::from(*reason == "user.password"), "rows about {reason}");
    }
    // And none that does not exist.
    for row in page.lines().filter(|line| line.starts_with("| `")) {
        let first = row.split('|').nth(1).expect("a cell");
        for code in first.split('`').filter(|word| word.contains('.') && !word.contains('…')) {
            assert!(known.contains(&code), "`{code}` is no reason");
        }
    }
}

#[test]
fn links_of_the_pages_lead_to_files() {
    let mut pages =
        vec!["README.md", "ARCHITECTURE.md", "THREAT-MODEL.md", "CONTRIBUTING.md", "CHANGELOG.md"];
    pages.extend([
        "docs/guide.md",
        "docs/reading-a-refusal.md",
        "docs/attacks.md",
        "docs/replay.md",
        "interop/README.md",
    ]);
    let mut links = 0;
    for name in pages {
        let text = page(name);
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let target = target.split('#').next().unwrap_or_default();
            if target.is_empty() || target.contains("://") || target.contains(' ') {
                continue;
            }
            links += 1;
            let file = root().join(name).with_file_name("").join(target);
            assert!(file.exists(), "{name} links to {target}");
        }
    }
    assert!(links > 15, "{links} links");
}
