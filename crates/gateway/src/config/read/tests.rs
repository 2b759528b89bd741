use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bartizan_wss::KeepBounds;

use super::read;
use crate::config::replay::{Address, OnLoss, Shared};
use crate::config::table::{KEYS, USER_TABLE, markdown};
use crate::config::{Access, Kind, PolicyName, Replay, Secret, Source};

/// The findings as text, one a line.
fn findings(text: &str) -> String {
    let found = read(text, Path::new("/etc/bartizan")).expect_err("refused");
    let line = |finding: &crate::config::Diagnostic| {
        let place = finding.at.as_ref().map(|at| Source { text }.place(at));
        let place = place.map_or("-".to_owned(), |place| format!("{}:{}", place.line, place.column));
        let help = finding.problem.help().map_or(String::new(), |help| format!(" | {help}"));
        format!("{place} {}{help}\n", finding.problem)
    };
    found.iter().map(line).collect()
}

const WHOLE: &str = r#"
[server]
workers = 3
state = "state"
drain = "5s"
failure_quantum = "0"

[limits]
message = "1 MiB"
depth = 32
head_timeout = "3s"
in_flight = 77

[keys.server]
certificate = "keys/server.pem"
private_key = "/abs/server.key"
password = { env = "STORE_PASSWORD" }
trust = ["keys/ca.pem"]
min_rsa = 1024

[[listener]]
name = "front"
address = "127.0.0.1:0"

[[service]]
path = "/sec_echo"
kind = "echo"
policy = "policies/p.xml"
keys = "server"
replay = "off"

[[service]]
path = "/partner"
kind = "echo"
policy = "partner"
keys = "server"
replay = { window = "1h", capacity = 1_000 }

[[service]]
path = "/built-in"
kind = "mirror"
policy = "scenario:rampart-c"
keys = "server"

[policy.partner]
binding = "asymmetric"

[log]
access = { format = "json", to = "access.log" }
"#;

#[test]
fn every_section_is_read_and_paths_start_at_the_folder() {
    let config = read(WHOLE, Path::new("/etc/bartizan")).expect("read");
    assert_eq!(config.server.workers, Some(3));
    assert_eq!(config.server.state, Some(PathBuf::from("/etc/bartizan/state")));
    assert_eq!(config.server.drain, Duration::from_secs(5));
    assert_eq!(config.server.failure_quantum, Duration::ZERO);
    assert_eq!((config.limits.message_bytes, config.http.body_bytes), (2 << 20, 1 << 20));
    assert_eq!((config.limits.depth, config.in_flight), (32, 77));
    assert_eq!(config.http.head_timeout, Duration::from_secs(3));
    let keys = &config.keys["server"];
    assert_eq!(keys.certificate, Some(PathBuf::from("/etc/bartizan/keys/server.pem")));
    assert_eq!(keys.private_key, Some(PathBuf::from("/abs/server.key")));
    assert_eq!(keys.password, Some(Secret::Env("STORE_PASSWORD".to_owned())));
    assert_eq!(keys.min_rsa, Some(1024));
    assert_eq!(config.listeners[0].address.value, SocketAddr::from(([127, 0, 0, 1], 0)));
    let policies: Vec<&PolicyName> = config.services.iter().map(|s| &s.policy.value).collect();
    assert_eq!(
        policies,
        [
            &PolicyName::File("/etc/bartizan/policies/p.xml".into(), None),
            &PolicyName::Section("partner".to_owned()),
            &PolicyName::BuiltIn("scenario:rampart-c".to_owned()),
        ]
    );
    assert_eq!(config.services[2].kind.value, Kind::Mirror);
    assert_eq!(config.services[0].replay, Replay::Off);
    assert_eq!(
        config.services[1].replay,
        Replay::On { window: Duration::from_secs(3600), capacity: 1000, shared: None }
    );
    assert_eq!(config.services[2].replay, Replay::DEFAULT);
    assert_eq!(config.access, Access::File("/etc/bartizan/access.log".into()));
}

#[test]
fn empty_text_has_the_default_listener() {
    let config = read("", Path::new("/")).expect("read");
    assert_eq!(config.listeners[0].address.value, SocketAddr::from(([127, 0, 0, 1], 8080)));
    assert_eq!(config.http.body_bytes, 8 << 20);
    assert_eq!(config.limits.depth, bartizan_xml::Limits::default().depth);
}

#[test]
fn unknown_key_is_an_error_with_place_and_nearest_name() {
    insta::assert_snapshot!(findings(
        "[server]\nworkres = 2\n[[listener]]\nadress = \"127.0.0.1:1\"\ncolour = 1\n[sevice]\n[limits]\nfoo = 1\n"
    ));
}

#[test]
fn wrong_values_say_what_may_be_written() {
    insta::assert_snapshot!(findings(
        r#"
[server]
workers = "many"
drain = 5
failure_quantum = "10"
[limits]
message = "8 MiBs"
depth = 0
head_timeout = "0"
[keys.server]
password = "secret in the open"
trust = "ca.pem"
[[listener]]
address = "localhost"
[[service]]
path = "/a"
kind = "ecko"
policy = "open"
replay = "maybe"
open = "yes"
[[service]]
kind = "echo"
replay = { windw = "5m", shared = "redis://" }
[log]
access = { fromat = "json" }
"#
    ));
}

#[test]
fn secret_that_is_written_out_is_not_repeated_in_the_error() {
    assert!(!findings("[keys.a]\npassword = \"hunter2\"\n").contains("hunter2"));
}

#[test]
fn keys_of_later_versions_are_told_apart_from_mistakes() {
    insta::assert_snapshot!(findings(
        "[crypto]\nprovider = \"ring\"\n[[junction]]\npath = \"/app\"\n[[listener]]\naddress = \"[::1]:1\"\n[listener.tls]\nkeys = []\n"
    ));
}

#[test]
fn broken_toml_has_a_place() {
    insta::assert_snapshot!(findings("[server]\nworkers = \n"));
}

/// The shared engine of a service with this table.
fn shared(table: &str) -> Shared {
    let text =
        format!("[[service]]\npath = \"/a\"\nkind = \"echo\"\npolicy = \"open\"\nreplay = {{ {table} }}\n");
    let config = read(&text, Path::new("/etc")).unwrap_or_else(|found| panic!("{found:?}"));
    match &config.services[0].replay {
        Replay::On { shared: Some(shared), .. } => (**shared).clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn each_setting_of_a_shared_window_is_read() {
    let address =
        Address { host: "engine".to_owned(), port: 6379, database: 2, user: Some("guard".to_owned()) };
    let least = Shared::at(address);
    let url = "shared = \"redis://guard@engine/2\"";
    assert_eq!(shared(url), least);
    for (more, wanted) in [
        (
            "password = { file = \"x\" }",
            Shared { password: Some(Secret::File("/etc/x".into())), ..least.clone() },
        ),
        (
            "password = { env = \"X\" }",
            Shared { password: Some(Secret::Env("X".to_owned())), ..least.clone() },
        ),
        ("prefix = \"prod\"", Shared { prefix: "prod".to_owned(), ..least.clone() }),
        ("on_loss = \"local\"", Shared { on_loss: OnLoss::Local, ..least.clone() }),
        ("on_loss = \"refuse\"", least.clone()),
        ("timeout = \"250ms\"", Shared { timeout: Duration::from_millis(250), ..least.clone() }),
        ("connections = 3", Shared { connections: 3, ..least.clone() }),
    ] {
        assert_eq!(shared(&format!("{url}, {more}")), wanted, "{more}");
    }
}

#[test]
fn what_a_shared_window_cannot_be_is_said_without_its_password() {
    let replay = |table: &str| {
        findings(&format!(
            "[[service]]\npath = \"/a\"\nkind = \"echo\"\npolicy = \"open\"\nreplay = {{ {table} }}\n"
        ))
    };
    let all = [
        replay("shared = \"redis://u:geheim@host\""),
        replay("shared = \"rediss://host\""),
        replay("shared = \"host:6379\""),
        replay("shared = \"redis://host\", password = \"geheim\""),
        replay(
            "shared = \"redis://host\", on_loss = \"locl\", prefix = \"\", timeout = \"0s\", connections = 0",
        ),
        replay("on_loss = \"local\", connections = 2"),
    ];
    assert!(!all.concat().contains("geheim"), "{all:?}");
    insta::assert_snapshot!(all.join("\n"));
}

#[test]
fn reuse_is_off_unless_it_is_said_and_each_bound_is_read() {
    let reuse = |line: &str| {
        let text = format!("[[service]]\npath = \"/a\"\nkind = \"echo\"\npolicy = \"open\"\n{line}\n");
        read(&text, Path::new("/")).expect("read").services.remove(0).reuse
    };
    let default = KeepBounds::default();
    assert_eq!(reuse(""), None);
    assert_eq!(reuse("reuse = \"off\""), None);
    assert_eq!(reuse("reuse = \"on\""), Some(default));
    assert_eq!(reuse("reuse = {}"), Some(default));
    for (line, wanted) in [
        ("lifetime = \"1m\"", KeepBounds { lifetime: Duration::from_secs(60), ..default }),
        ("capacity = 7", KeepBounds { capacity: 7, ..default }),
        ("per_caller = 2", KeepBounds { per_caller: 2, ..default }),
        ("nameless = 3", KeepBounds { nameless: 3, ..default }),
    ] {
        assert_eq!(reuse(&format!("reuse = {{ {line} }}")), Some(wanted), "{line}");
    }
    for wrong in ["\"yes\"", "true", "{ capacity = 0 }", "{ lifetime = \"0s\" }", "{ perCaller = 2 }"] {
        let text =
            format!("[[service]]\npath = \"/a\"\nkind = \"echo\"\npolicy = \"open\"\nreuse = {wrong}\n");
        assert!(read(&text, Path::new("/")).is_err(), "{wrong}");
    }
}

#[test]
fn table_of_keys_is_the_page_in_the_docs() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/configuration-keys.md");
    if std::env::var_os("BARTIZAN_WRITE_DOCS").is_some() {
        std::fs::write(&page, markdown()).expect("written");
    }
    let there = std::fs::read_to_string(&page).unwrap_or_default();
    assert!(there == markdown(), "{} is old: run this test with BARTIZAN_WRITE_DOCS=1", page.display());
}

#[test]
fn every_key_of_the_table_is_read() {
    // Each key alone, with a value of no type that it takes: a key that nobody asks for would
    // be reported as unknown instead.
    // Those of a file of users are read elsewhere, and tested there.
    for key in KEYS.iter().filter(|key| key.table != USER_TABLE) {
        let header = match key.table.strip_suffix(".NAME") {
            Some(table) => format!("[{table}.x]"),
            None if key.table.starts_with("service.") => format!("[[service]]\n[{}]", key.table),
            None => format!("[{}]", key.table),
        };
        let found = findings(&format!("{header}\n{} = 1979-05-27T07:32:00Z\n", key.name));
        assert!(found.contains(&format!("`{}` must be", key.name)), "{}.{}: {found}", key.table, key.name);
    }
}
