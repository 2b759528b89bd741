use std::path::Path;

use bartizan_keys::Time;
use proptest::prelude::*;

use super::{MAX_USER_NAME, UserEntry, Written, read_users};
use crate::config::table::{KEYS, USER_TABLE};
use crate::config::{Secret, Source};

fn read(text: &str) -> Vec<UserEntry> {
    read_users(text, Path::new("/etc/bartizan")).expect("usable")
}

/// The one user of a text.
fn one(keys: &str) -> UserEntry {
    let mut users = read(&format!("[alice]\n{keys}\n"));
    assert_eq!(users.len(), 1);
    users.remove(0)
}

/// The findings as text, one a line.
fn findings(text: &str) -> String {
    let found = read_users(text, Path::new("/etc/bartizan")).expect_err("refused");
    let line = |finding: &crate::config::Diagnostic| {
        let place = finding.at.as_ref().map(|at| Source { text }.place(at));
        let place = place.map_or("-".to_owned(), |place| format!("{}:{}", place.line, place.column));
        let help = finding.problem.help().map_or(String::new(), |help| format!(" | {help}"));
        format!("{place} {}{help}\n", finding.problem)
    };
    found.iter().map(line).collect()
}

fn octets(written: &Written) -> Vec<u8> {
    match written {
        Written::Argon2id(text) | Written::Clear(text) | Written::Sealed(text) => text.expose(Clone::clone),
        Written::Elsewhere(_) => panic!("elsewhere"),
    }
}

#[test]
fn every_key_of_a_user_is_read() {
    let alice = one("groups = [\"staff\", \"web users\"]\ndn = \"CN=Alice,O=Example\"\ndisabled = true\n\
         expires = 2027-01-31T00:00:00+01:00\npassword = \"a\"\n\
         [alice.attributes]\nmail = \"a@example.org\"\nphone = [\"1\", \"2\"]");
    assert_eq!(alice.name, "alice");
    assert_eq!(alice.groups, ["staff", "web users"]);
    assert_eq!(alice.dn.as_deref(), Some("CN=Alice,O=Example"));
    assert_eq!(alice.attributes["mail"], ["a@example.org"]);
    assert_eq!(alice.attributes["phone"], ["1", "2"]);
    assert!(alice.standing.disabled);
    assert_eq!(alice.standing.expires, Time::parse_rfc3339("2027-01-30T23:00:00Z").ok());
    assert!(matches!(alice.password.value, Written::Clear(_)));

    let plain = one("password = \"a\"");
    assert!(plain.groups.is_empty() && plain.dn.is_none() && plain.attributes.is_empty());
    assert_eq!(plain.standing, Default::default());
    let text = one("password = \"a\"\nexpires = \"2027-01-31T00:00:00Z\"");
    assert_eq!(text.standing.expires, Time::parse_rfc3339("2027-01-31T00:00:00Z").ok());
}

#[test]
fn each_form_of_a_password_is_told_from_the_others() {
    let hash = one("argon2id = \"$argon2id$x\"").password.value;
    assert!(matches!(hash, Written::Argon2id(_)));
    assert_eq!(octets(&hash), b"$argon2id$x");
    let sealed = one("sealed = \"AAAA\"").password.value;
    assert!(matches!(sealed, Written::Sealed(_)));
    assert_eq!(octets(&sealed), b"AAAA");
    let file = one("password = { file = \"secrets/alice\" }").password.value;
    let Written::Elsewhere(file) = file else { panic!("{file:?}") };
    assert_eq!(file, Secret::File("/etc/bartizan/secrets/alice".into()));
    let env = one("password = { env = \"ALICE\" }").password.value;
    let Written::Elsewhere(env) = env else { panic!("{env:?}") };
    assert_eq!(env, Secret::Env("ALICE".to_owned()));
}

/// TOK-06: what the file says is what is stored, octet for octet.
#[test]
fn names_and_passwords_are_the_octets_of_the_file() {
    for (written, meant) in [
        ("\"caf\u{e9}\"", "caf\u{e9}"),
        ("\"cafe\u{301}\"", "cafe\u{301}"),
        ("\"caf\\u00e9\"", "caf\u{e9}"),
        ("'a&amp;b'", "a&amp;b"),
        ("'<![CDATA[x]]>'", "<![CDATA[x]]>"),
        ("\"one\\r\\ntwo\"", "one\r\ntwo"),
        ("' blanks  '", " blanks  "),
        ("\"a\\u0000b\"", "a\0b"),
    ] {
        let user = one(&format!("password = {written}"));
        assert_eq!(octets(&user.password.value), meant.as_bytes(), "{written}");
    }
    let names = "[\"J\u{e9}\"]\npassword = \"a\"\n[\"Je\u{301}\"]\npassword = \"b\"\n[\"two words\"]\npassword = \"c\"\n\
                 [\"j\u{e9}\"]\npassword = \"d\"\n";
    let mut found: Vec<String> = read(names).into_iter().map(|user| user.name).collect();
    found.sort();
    assert_eq!(found, ["Je\u{301}", "J\u{e9}", "j\u{e9}", "two words"]);
}

#[test]
fn exactly_one_form_of_a_password_must_be_there() {
    assert_eq!(
        findings("[alice]\ngroups = []\n"),
        "1:2 the user has no password | add `argon2id` (`bartizan users hash` makes it); only for digests and derived keys, \
         `password` or `sealed`\n"
    );
    assert_eq!(
        findings("[alice]\npassword = \"xyzzy\"\nargon2id = \"plugh\"\n"),
        "2:12 `argon2id` and `password` exclude each other\n"
    );
    assert_eq!(
        findings("[alice]\nsealed = \"xyzzy\"\npassword = { env = \"A\" }\n"),
        "2:10 `password` and `sealed` exclude each other\n"
    );
    assert_eq!(
        findings("[alice]\npassword = \"\"\n"),
        "2:12 `password` is empty | everybody would know it; take the user out or set `disabled = true`\n"
    );
    assert_eq!(findings("[alice]\nargon2id = \"\"\n"), "2:12 `argon2id` is empty\n");
}

#[test]
fn unknown_keys_are_errors_with_place_and_nearest_name() {
    assert_eq!(
        findings(
            "[alice]\ngruops = []\npasword = \"xyzzy\"\n[bob]\npassword = { fiel = \"x\" }\n[carol]\npassword = {}\n"
        ),
        "1:2 the user has no password | add `argon2id` (`bartizan users hash` makes it); only for digests and derived keys, \
         `password` or `sealed`\n\
         2:1 unknown key `gruops` in `[NAME of users.toml]` | did you mean `groups`?\n\
         3:1 unknown key `pasword` in `[NAME of users.toml]` | did you mean `password`?\n\
         5:14 unknown key `fiel` in `[NAME of users.toml]` | did you mean `file`?\n\
         7:12 `password` must be a text, { file = path } or { env = name }, not table\n"
    );
    assert_eq!(
        findings("alice = \"xyzzy\"\n"),
        "1:1 a user must be a table, not string | write `[name]`, and the keys of the user below it\n"
    );
}

#[test]
fn every_key_of_the_table_is_asked_for_and_says_what_it_takes() {
    for key in KEYS.iter().filter(|key| key.table == USER_TABLE) {
        let found = findings(&format!("[alice]\n{} = 7.5\n", key.name));
        assert!(found.contains(&format!("`{}` must be {}, not float", key.name, key.value)), "{found}");
    }
}

#[test]
fn texts_that_could_end_a_header_are_refused() {
    for keys in
        ["groups = [\"a\\r\\nb\"]", "dn = \"a\\u0000\"", "attributes = { a = [\"\\n\"] }", "groups = [\"\"]"]
    {
        let found = findings(&format!("[alice]\npassword = \"a\"\n{keys}\n"));
        assert!(found.contains("must be one line that is not empty"), "{found}");
        assert!(found.lines().count() == 1 && !found.contains(['\r', '\0']), "{found}");
    }
    assert!(findings("[\"a\\nb\"]\npassword = \"a\"\n").contains("1:2 `a\\nb` is no name of a user"));
    assert!(findings("[\"\"]\npassword = \"a\"\n").contains("1:2 `` is no name of a user"));
}

#[test]
fn limit_octets_of_a_name() {
    let with = |length: usize| format!("[{}]\npassword = \"a\"\n", "x".repeat(length));
    assert_eq!(read(&with(MAX_USER_NAME)).len(), 1);
    assert!(findings(&with(MAX_USER_NAME + 1)).contains("is no name of a user | a name has 1 to 256 octets"));
}

#[test]
fn times_without_a_zone_are_refused() {
    for time in ["2027-01-31", "2027-01-31T00:00:00", "\"tomorrow\"", "00:00:00"] {
        let found = findings(&format!("[alice]\npassword = \"a\"\nexpires = {time}\n"));
        assert!(found.starts_with("3:11 `expires` must be a time with its zone"), "{found}");
    }
}

#[test]
fn a_name_that_stands_twice_is_refused() {
    let found = findings("[alice]\npassword = \"a\"\n[alice]\npassword = \"b\"\n");
    assert!(found.starts_with("3:2 duplicate key"), "{found}");
}

/// Whatever is wrong with a text, what is said about it holds no password.
#[test]
fn no_finding_repeats_a_password() {
    let whole =
        "[alice]\npassword = \"xyzzy\"\n[bob]\nsealed = 'xyzzy'\n[carol]\nargon2id = \"xyz\\u007ay\"\n";
    let broken = (0..whole.len()).flat_map(|at| {
        let (before, after) = whole.split_at(at);
        [
            before.to_owned(),
            format!("{before}\u{1}{after}"),
            format!("{before}\"{after}"),
            format!("{before}={after}"),
        ]
    });
    let mut refused = 0;
    for text in broken {
        if let Err(found) = read_users(&text, Path::new("")) {
            refused += 1;
            let shown = format!("{} {found:?}", findings(&text));
            // Where the breakage makes a key of it, it is shown as a key.
            let as_key =
                text.contains("\"xyzzy\" =") || shown.contains("unknown key") || shown.contains("is no name");
            assert!(as_key || !shown.contains("xyzzy"), "{text}\n{shown}");
        }
    }
    assert!(refused > 250, "{refused}");
    for user in read(whole) {
        let shown = format!("{user:?}");
        assert!(!shown.contains("xyzzy") && !shown.contains(&format!("{:?}", b"xyzzy")), "{shown}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn any_text_is_read_or_refused_without_a_panic(text in "\\PC{0,200}") {
        let _ = read_users(&text, Path::new(""));
    }

    /// Pieces of the language in any order come nearer to the edges.
    #[test]
    fn any_pieces_are_read_or_refused_without_a_panic(
        pieces in proptest::collection::vec(
            proptest::sample::select(vec![
                "[alice]", "[bob]", "[alice.attributes]", "[[alice]]", "\n", "\n", "\n", "password", "argon2id", "sealed",
                "groups", "expires", "disabled", "dn", "attributes", " = ", " = ", "\"x\"", "'y'", "[", "]", "{", "}", ",",
                "true", "1", "2027-01-31T00:00:00Z", "file", "env", ".", "\"\"\"", "\\u0000", "#", "\u{e9}", "\r",
            ]),
            0..40,
        )
    ) {
        let text = pieces.concat();
        if let Err(found) = read_users(&text, Path::new("")) {
            prop_assert!(!found.is_empty());
            let inside = |finding: &crate::config::Diagnostic| finding.at.as_ref().is_none_or(|at| at.end <= text.len());
            prop_assert!(found.iter().all(inside));
        }
    }
}
