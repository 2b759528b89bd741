//! `users hash|seal|check`, and a server whose users change.

use std::os::unix::fs::PermissionsExt as _;

use bartizan_net::{Clock as _, SystemClock};

use super::program::{Answer, Desk, SOAP12, Server, keys, post};

/// A file of users that only its owner reads.
fn write(desk: &Desk, name: &str, text: &str) {
    desk.write(name, text);
    let private = std::fs::Permissions::from_mode(0o600);
    std::fs::set_permissions(desk.path(name), private).expect("set");
}

fn line(desk: &Desk, args: &[&str], input: &[u8]) -> String {
    let out = desk.bartizan_with(args, input).ends(0).out;
    out.strip_suffix('\n').expect("a line").to_owned()
}

#[test]
fn what_hash_and_seal_print_is_what_a_file_of_users_takes() {
    let desk = Desk::new();
    write(&desk, "users.key", "0123456789abcdef0123456789abcdef");
    let hash = line(&desk, &["users", "hash"], b"correct horse \n");
    assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{hash}");
    assert_ne!(hash, line(&desk, &["users", "hash"], b"correct horse \n"), "the salt is a new one each time");
    let sealed = line(&desk, &["users", "seal", "--key-file", "users.key"], b"correct horse \n");
    write(
        &desk,
        "users.toml",
        &format!("[alice]\ngroups = [\"staff\"]\nargon2id = \"{hash}\"\n[bob]\nsealed = \"{sealed}\"\n"),
    );
    let run = desk.bartizan(&["users", "check", "users.toml", "--key-file", "users.key", "--strict"]).ends(0);
    assert_eq!(run.err, "");
    assert_eq!(run.out, "users.toml: usable (2 users, 0 errors, 0 warnings)\n");
    let json = desk.bartizan_with(&["users", "hash", "--json"], b"a").ends(0).json();
    assert_eq!((&json["memory_kib"], &json["passes"]), (&19456.into(), &2.into()));
    assert!(json["argon2id"].as_str().is_some_and(|text| text.starts_with("$argon2id$")));
    let json =
        desk.bartizan_with(&["users", "seal", "--key-file", "users.key", "--json"], b"a").ends(0).json();
    assert!(json["sealed"].is_string());
}

#[test]
fn a_password_is_one_line_that_is_not_empty() {
    let desk = Desk::new();
    for (input, why) in [
        (&b""[..], "there is no password"),
        (b"\n", "there is no password"),
        (b"a\nb\n", "several lines"),
        (b"a\xe9\n", "not UTF-8"),
    ] {
        let run = desk.bartizan_with(&["users", "hash"], input).ends(2);
        assert!(run.err.contains(why) && run.out.is_empty(), "{}", run.err);
    }
    write(&desk, "short.key", "too short");
    let run = desk.bartizan(&["users", "seal", "--key-file", "short.key"]).ends(2);
    assert!(run.err.contains("32 bytes, or their base64"), "{}", run.err);
    assert!(run.err.contains("help: `openssl rand -base64 32` makes one"), "{}", run.err);
}

#[test]
fn findings_in_a_file_of_users_have_places_and_show_no_password() {
    let desk = Desk::new();
    write(&desk, "users.toml", "[alice]\ngruops = []\npassword = \"xyzzy\"\n[bob]\nargon2id = \"xyzzy\"\n");
    let run = desk.bartizan(&["users", "check", "users.toml"]).ends(1);
    assert!(
        run.err.contains("error: unknown key `gruops` in `[NAME of users.toml]`\n  --> users.toml:2:1\n"),
        "{}",
        run.err
    );
    assert!(run.err.contains("help: did you mean `groups`?"), "{}", run.err);
    assert!(!run.err.contains("xyzzy"), "{}", run.err);
    assert_eq!(run.out, "users.toml: not usable (1 error, 0 warnings)\n");

    write(&desk, "users.toml", "[alice]\npassword = \"xyzzy\"\n[bob]\nargon2id = \"xyzzy\"\n");
    let json = desk.bartizan(&["users", "check", "users.toml", "--json"]).ends(1).json();
    let errors = json["diagnostics"].as_array().expect("a list");
    assert_eq!((&json["usable"], errors.len()), (&false.into(), 2));
    assert_eq!((&errors[0]["line"], &errors[0]["column"]), (&4.into(), &12.into()));
    assert!(!json.to_string().contains("xyzzy"), "{json}");

    write(&desk, "users.toml", "[alice]\npassword = \"xyzzy\"\n");
    let run = desk.bartizan(&["users", "check", "users.toml"]).ends(0);
    assert!(run.err.contains("warning: passwords that are stored in clear: `alice`"), "{}", run.err);
    assert!(run.err.contains("help: needed where password digests or keys derived"), "{}", run.err);
    assert_eq!(run.out, "users.toml: usable (1 user, 0 errors, 1 warning)\n");
    desk.bartizan(&["users", "check", "users.toml", "--strict", "-q"]).ends(1);
    desk.bartizan(&["users", "check", "nowhere.toml"]).ends(1);
}

/// A configuration with users.
fn config(users: &str) -> String {
    format!(
        "[authentication.users]\n{users}\n[keys.server]\nfolder = \"{}\"\n[[listener]]\naddress = \"127.0.0.1:0\"\n\
         [[service]]\npath = \"/sec_echo\"\nkind = \"echo\"\npolicy = \"scenario:rampart-c\"\nkeys = \"server\"\n",
        keys()
    )
}

#[test]
fn check_of_a_configuration_looks_into_its_users() {
    let desk = Desk::new();
    desk.write("b.toml", &config("file = \"users.toml\""));
    let run = desk.bartizan(&["check", "b.toml"]).ends(1);
    assert!(
        run.err.contains("error: cannot read users.toml: no such file or directory\n  --> users.toml\n"),
        "{}",
        run.err
    );
    assert!(
        run.err.contains("error: the file of users users.toml is not usable\n  --> b.toml:2:8\n"),
        "{}",
        run.err
    );
    write(&desk, "users.toml", "[alice]\npasword = \"xyzzy\"\n");
    let json = desk.bartizan(&["check", "b.toml", "--json"]).ends(1).json();
    let outer = json["diagnostics"].as_array().expect("a list").iter().find(|d| d["line"] == 2);
    let inner = &outer.expect("users")["caused_by"][1];
    assert_eq!((&inner["file"], &inner["line"]), (&"users.toml".into(), &2.into()));
    assert_eq!(inner["help"], "did you mean `password`?");
    assert!(!json.to_string().contains("xyzzy"), "{json}");
    write(&desk, "users.toml", "[alice]\npassword = \"xyzzy\"\n");
    let run = desk.bartizan(&["check", "b.toml"]).ends(0);
    assert!(run.err.contains("warning: passwords that are stored in clear: `alice`"), "{}", run.err);
    assert!(!run.err.contains("xyzzy"), "{}", run.err);
    // The key file is named in the configuration.
    write(&desk, "k", "0123456789abcdef0123456789abcdef");
    let sealed = line(&desk, &["users", "seal", "--key-file", "k"], b"a");
    write(&desk, "users.toml", &format!("[alice]\nsealed = \"{sealed}\"\n"));
    let run = desk.bartizan(&["check", "b.toml"]).ends(1);
    assert!(run.err.contains("`sealed` needs a key file"), "{}", run.err);
    desk.write("b.toml", &config("file = \"users.toml\"\nkey_file = \"k\""));
    desk.bartizan(&["check", "b.toml"]).ends(0);
}

#[test]
fn users_are_reloaded_when_their_file_changes_and_a_bad_file_changes_nothing() {
    let desk = Desk::new();
    write(&desk, "users.toml", "[alice]\npassword = { file = \"word\" }\n");
    write(&desk, "word", "a");
    desk.write("b.toml", &config("file = \"users.toml\""));
    let server = Server::start(&desk, &["--config", "b.toml"]);
    write(&desk, "users.part", "[alice]\npassword = \"a\"\n[bob]\npassword = \"xyzzy\"\n");
    std::fs::rename(desk.path("users.part"), desk.path("users.toml")).expect("renamed");
    server.says("users reloaded: 2 users");
    write(&desk, "users.toml", "[alice]\npassword = { file = \"word\" }\n[bob]\npasswrd = \"xyzzy\"\n");
    server.says("users not reloaded: the old ones stay in force");
    server.says("did you mean `password`?");
    write(&desk, "users.toml", "[alice]\npassword = { file = \"word\" }\n");
    server.says("users reloaded: 1 user\n");
    // A file that an entry names is looked at, too.
    write(&desk, "word", "");
    server.says("`password` is empty");
    assert!(!server.errors().contains("xyzzy"), "{}", server.errors());
    server.signal("HUP");
    server.says("not reloaded: the old configuration stays in force");
    write(&desk, "word", "b");
    server.signal("HUP");
    server.says("\nreloaded");
}

#[test]
fn the_options_of_users_belong_together_and_exclude_a_configuration() {
    let desk = Desk::new();
    write(&desk, "users.toml", "[alice]\npassword = \"a\"\n");
    write(&desk, "k", "k");
    desk.write("b.toml", &config("file = \"users.toml\""));
    let run =
        desk.bartizan(&["serve", "--users-key", "k", "--listen", "127.0.0.1:0", "--state", "s"]).ends(2);
    assert!(run.err.contains("--users-key opens sealed passwords of --users"), "{}", run.err);
    let run = desk.bartizan(&["serve", "--config", "b.toml", "--users", "users.toml"]).ends(2);
    assert!(run.err.contains("--config and --users exclude each other"), "{}", run.err);
    let server = Server::quick(&desk, &["--users", "users.toml"]);
    server.says("passwords that are stored in clear: `alice`");
}

#[test]
fn verify_takes_users_and_says_what_is_wrong_with_them() {
    let desk = Desk::new();
    desk.request("r.xml");
    let verify = |extra: &[&str]| {
        let mut args = vec![
            "verify",
            "r.xml",
            "--policy",
            super::program::POLICY,
            "--as",
            "recipient",
            "--keys",
            keys(),
        ];
        args.extend(extra);
        desk.bartizan(&args)
    };
    write(&desk, "users.toml", "[alice]\npassword = \"xyzzy\"\n");
    let run = verify(&["--users", "users.toml"]).ends(0);
    assert!(run.err.contains("passwords that are stored in clear: `alice`"), "{}", run.err);
    assert!(!verify(&["--users", "users.toml", "-q"]).ends(0).err.contains("alice"));
    write(&desk, "users.toml", "[alice]\npasword = \"xyzzy\"\n");
    let run = verify(&["--users", "users.toml"]).ends(1);
    assert!(run.err.contains("did you mean `password`?") && !run.err.contains("xyzzy"), "{}", run.err);
}

/// A message of the first scenario, with a nonce of its own.
fn message(name: &str, password: &str, nonce: u8) -> String {
    let now = SystemClock.now();
    let (created, end) = (now.to_rfc3339(), (now + std::time::Duration::from_secs(60)).to_rfc3339());
    let nonce = bartizan_crypto::base64::encode(&[nonce; 16]);
    let wss = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss";
    format!(
        "<e:Envelope xmlns:e=\"http://www.w3.org/2003/05/soap-envelope\"><e:Header>\
         <s:Security xmlns:s=\"{wss}-wssecurity-secext-1.0.xsd\" xmlns:u=\"{wss}-wssecurity-utility-1.0.xsd\" e:mustUnderstand=\"true\">\
         <u:Timestamp u:Id=\"t\"><u:Created>{created}</u:Created><u:Expires>{end}</u:Expires></u:Timestamp>\
         <s:UsernameToken u:Id=\"k\"><s:Username>{name}</s:Username>\
         <s:Password Type=\"{wss}-username-token-profile-1.0#PasswordText\">{password}</s:Password>\
         <s:Nonce EncodingType=\"{wss}-soap-message-security-1.0#Base64Binary\">{nonce}</s:Nonce>\
         <u:Created>{created}</u:Created></s:UsernameToken></s:Security></e:Header>\
         <e:Body><greet xmlns=\"urn:greet\">hello</greet></e:Body></e:Envelope>"
    )
}

/// TOK-08: the answers differ in nothing but the request's id; the record knows the reason.
#[test]
fn users_that_are_turned_away_are_told_the_same() {
    let desk = Desk::new();
    let hash = line(&desk, &["users", "hash"], b"right");
    let user = |name: &str, more: &str| format!("[{name}]\nargon2id = \"{hash}\"\n{more}\n");
    let all = user("alice", "groups = [\"staff\"]") + &user("off", "disabled = true");
    write(&desk, "users.toml", &(all.clone() + &user("late", "expires = 2020-01-01T00:00:00Z")));
    // The scenario leaves the Body open, and the echo takes it only if told to.
    let users = ["--policy", "scenario:unt1", "--users", "users.toml", "--open"];
    let mut server = Server::quick(&desk, &users);
    let mut nonces = 0..u8::MAX;
    let mut send = |server: &Server, name: &str, password: &str| -> Answer {
        let message = message(name, password, nonces.next().expect("one more"));
        post(server.address(), "/sec_echo", SOAP12, message.as_bytes())
    };
    for _ in 0..2 {
        let good = send(&server, "alice", "right");
        assert_eq!(good.status, 200, "{} {}", good.body, server.record());
        assert!(good.body.contains("hello"), "{}", good.body);
        assert_eq!(server.record()["outcome"], "answered");
    }
    let mut told = Vec::new();
    for (name, password, reason) in [
        ("alice", "wrong", "user.password"),
        ("alice", "", "user.password"),
        ("Alice", "right", "user.unknown"),
        ("nobody", "right", "user.unknown"),
        ("off", "right", "user.disabled"),
        ("off", "wrong", "user.disabled"),
        ("late", "right", "user.expired"),
    ] {
        let answer = send(&server, name, password);
        let record = server.record();
        assert_eq!(record["reason"], reason, "{name} {password}: {record}");
        let id = record["id"].as_str().expect("an id").to_owned();
        let head: Vec<&str> = answer.head.lines().filter(|line| !line.starts_with("date: ")).collect();
        told.push((answer.status, head.join("\n"), answer.body.replace(&id, "ID")));
    }
    assert_eq!(told[0].0, 400);
    assert!(told.iter().all(|one| *one == told[0]), "{told:#?}");
    // Somebody who is remembered is not let in once the file says so.
    assert_eq!(send(&server, "alice", "right").status, 200);
    assert_eq!(server.record()["outcome"], "answered");
    write(&desk, "users.part", &all.replace("groups = [\"staff\"]", "disabled = true"));
    std::fs::rename(desk.path("users.part"), desk.path("users.toml")).expect("renamed");
    server.says("users reloaded: 2 users");
    assert_eq!(send(&server, "alice", "right").status, 400);
    assert_eq!(server.record()["reason"], "user.disabled");
}

#[test]
fn a_policy_with_usernames_needs_users_that_are_stored_in_the_right_form() {
    let desk = Desk::new();
    let serve = |policy: &str| {
        desk.bartizan(&[
            "serve",
            "--policy",
            policy,
            "--listen",
            "127.0.0.1:0",
            "--state",
            "s",
            "--keys",
            keys(),
        ])
    };
    let run = serve("scenario:unt1").ends(1);
    assert!(
        run.err.contains("error: the policy demands a UsernameToken, and no users are named"),
        "{}",
        run.err
    );
    assert!(run.err.contains("--users FILE"), "{}", run.err);
    let hash = line(&desk, &["users", "hash"], b"right");
    write(&desk, "users.toml", &format!("[alice]\nargon2id = \"{hash}\"\n[bob]\npassword = \"b\"\n"));
    let said = "the policy takes password digests or derived keys, and 1 of 2 users have only a hash";
    let server = Server::quick(&desk, &["--policy", "scenario:unt2a", "--users", "users.toml"]);
    assert!(server.errors().contains(said), "{}", server.errors());
    let server = Server::quick(&desk, &["--policy", "scenario:unt1", "--users", "users.toml"]);
    assert!(!server.errors().contains(said), "{}", server.errors());
}

#[test]
fn keys_beside_passwords_in_clear_are_for_loopback_listeners_only() {
    let desk = Desk::new();
    write(&desk, "users.toml", "[alice]\npassword = \"right\"\n");
    let serve = |policy: &str, listen: &str| {
        let more = ["--users", "users.toml", "--listen", listen, "--state", "s", "--keys", keys()];
        desk.bartizan(&[&["serve", "--policy", policy], &more[..]].concat())
    };
    for address in ["0.0.0.0:0", "[::]:0"] {
        let run = serve("scenario:unt2a", address).ends(1);
        assert!(run.err.contains("keys in the style of WSE beside passwords in clear"), "{}", run.err);
        assert!(run.err.contains("listen on loopback only"), "{}", run.err);
    }
}
