use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use bartizan_crypto::base64;
use bartizan_crypto::random::SystemRandom;
use bartizan_keys::users::{HashCost, PasswordHash, SealKey};
use bartizan_keys::{Denied, Time, UserSource as _};
use tempfile::TempDir;

use super::{Around, Loaded, MAX_USERS_FILE, Problem, UsersReport, load};
use crate::config::{self, Placed, Severity};

const NOW: Time = Time::from_unix(1_800_000_000);

/// A file of users in a folder of its own.
struct Place {
    folder: TempDir,
    key_file: Option<PathBuf>,
}

impl Place {
    fn new(users: &str) -> Place {
        let place = Place { folder: tempfile::tempdir().expect("a folder"), key_file: None };
        place.write("users.toml", users.as_bytes(), 0o600);
        place
    }

    fn write(&self, name: &str, octets: &[u8], mode: u32) -> PathBuf {
        let path = self.folder.path().join(name);
        fs::write(&path, octets).expect("written");
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("set");
        path
    }

    fn with_key(mut self, octets: &[u8]) -> Place {
        self.key_file = Some(self.write("users.key", octets, 0o600));
        self
    }

    fn load(&self) -> Result<Loaded, Problem> {
        let file = Placed::nowhere(self.folder.path().join("users.toml"));
        let key_file = self.key_file.clone().map(Placed::nowhere);
        load(&config::Users { file, key_file }, &Around { now: NOW, random: &SystemRandom, waiting: 3 })
    }

    fn loaded(&self) -> Loaded {
        self.load().unwrap_or_else(|problem| panic!("{problem:?}"))
    }

    fn refused(&self) -> String {
        match self.load() {
            Err(Problem::Users(report)) => shown(&report, self.folder.path()),
            other => panic!("{other:?}"),
        }
    }

    fn warnings(&self) -> String {
        shown(&self.loaded().warnings, self.folder.path())
    }
}

/// The findings as text, one a line, without the folder.
fn shown(report: &UsersReport, folder: &Path) -> String {
    let line = |finding: &super::Finding| {
        let place = finding.place.map_or("-".to_owned(), |(line, column)| format!("{line}:{column}"));
        format!("{place} {}: {}\n", finding.severity, finding.problem)
    };
    let text: String = report.found.iter().map(line).collect();
    text.replace(&format!("{}/", folder.display()), "")
}

fn hash(password: &str, cost: HashCost) -> String {
    PasswordHash::make(password.as_bytes(), cost, &SystemRandom).expect("made").to_string()
}

fn cheap(memory: u32) -> HashCost {
    HashCost::new(memory, 1, 1).expect("a cost")
}

const CLEAR: &str = "warning: passwords that are stored in clear";

#[test]
fn every_form_of_a_password_lets_its_user_in_and_the_facts_come_along() {
    let key = SealKey::read(&[7; 32]).expect("a key");
    let sealed = key.seal(b"sealed word", &SystemRandom).expect("sealed");
    let place = Place::new(&format!(
        "[hashed]\nargon2id = \"{}\"\ngroups = [\"staff\"]\n\
         [clear]\npassword = \"clear word\"\ndn = \"CN=Clear\"\n\
         [filed]\npassword = {{ file = \"secret\" }}\n\
         [sealed]\nsealed = \"{sealed}\"\nattributes = {{ mail = \"s@example.org\" }}\n\
         [off]\npassword = \"a\"\ndisabled = true\n\
         [late]\npassword = \"a\"\nexpires = 2027-01-15T08:00:00Z\n",
        hash("hashed word", cheap(8)),
    ))
    .with_key(&[7; 32]);
    place.write("secret", b"filed word \r\nmore\n", 0o600);
    let Loaded { users, hashed, files, .. } = place.loaded();
    assert_eq!(hashed, (1, 6));
    assert_eq!(users.len(), 6);
    let names: Vec<&str> = files.iter().filter_map(|f| f.file_name()?.to_str()).collect();
    assert_eq!(names, ["users.toml", "users.key", "secret"]);
    let check = |name: &str, word: &str| users.check_password(name, word.as_bytes(), NOW);
    assert_eq!(check("hashed", "hashed word").expect("let in").groups(), ["staff"]);
    assert_eq!(check("clear", "clear word").expect("let in").dn(), Some("CN=Clear"));
    // The first line without its end; the blank belongs to it.
    assert!(check("filed", "filed word ").is_ok());
    let sealed = check("sealed", "sealed word").expect("let in");
    assert_eq!(sealed.attributes()["mail"], ["s@example.org"]);
    assert_eq!(check("off", "a").unwrap_err(), Denied::Disabled);
    assert_eq!(check("late", "a").unwrap_err(), Denied::Expired);
    assert_eq!(users.secret("hashed", NOW).unwrap_err(), Denied::NoSecret);
    for (name, word) in [("clear", "clear word"), ("filed", "filed word "), ("sealed", "sealed word")] {
        let (_, secret) = users.secret(name, NOW).expect("a secret");
        assert_eq!(secret.expose(Clone::clone), word.as_bytes());
    }
}

#[test]
fn a_password_in_the_environment_is_fetched() {
    // PATH is the one variable that every test has.
    let path = std::env::var("PATH").expect("set");
    let place = Place::new("[alice]\npassword = { env = \"PATH\" }\n");
    assert!(place.loaded().users.check_password("alice", path.as_bytes(), NOW).is_ok());
    let unset = Place::new("[alice]\npassword = { env = \"BARTIZAN_TEST_UNSET\" }\n");
    assert_eq!(unset.refused(), "2:12 error: the environment variable `BARTIZAN_TEST_UNSET` is not set\n");
}

#[test]
fn passwords_in_clear_are_warned_of_with_the_reason() {
    let place = Place::new("[alice]\npassword = \"a\"\n[bob]\npassword = \"b\"\n");
    assert_eq!(place.warnings(), format!("2:12 {CLEAR}: `alice` and 1 more\n"));
    let warnings = place.loaded().warnings;
    let help = warnings.found.first().and_then(|finding| finding.problem.help()).expect("help");
    assert!(help.contains("digests") && help.contains("argon2id") && help.contains("sealed"), "{help}");
    let place = Place::new("[alice]\npassword = { file = \"secret\" }\n");
    place.write("secret", b"a", 0o600);
    assert_eq!(place.warnings(), format!("2:12 {CLEAR}: `alice`\n"));
    // One that is hashed as is recommended needs no words.
    let place = Place::new(&format!("[alice]\nargon2id = \"{}\"\n", hash("a", HashCost::default())));
    assert_eq!(place.warnings(), "");
}

#[test]
fn weak_hashes_and_different_costs_are_warned_of() {
    let (one, other) = (hash("a", cheap(8)), hash("b", cheap(16)));
    let place = Place::new(&format!("[alice]\nargon2id = \"{one}\"\n[bob]\nargon2id = \"{other}\"\n"));
    assert_eq!(
        place.warnings(),
        "2:12 warning: hashes that cost less than what is recommended today: `alice` and 1 more\n\
         - warning: the hashes have 2 different costs: every check of a password runs one of each\n"
    );
}

#[test]
fn who_has_expired_is_warned_of() {
    let text = |time: &str| format!("[alice]\npassword = {{ env = \"PATH\" }}\nexpires = {time}\n");
    let expired = Place::new(&text("2027-01-15T08:00:00Z")).warnings();
    assert!(expired.contains("2:12 warning: `alice` has expired"), "{expired}");
    assert!(!Place::new(&text("2027-01-15T08:00:01Z")).warnings().contains("expired"));
}

#[test]
fn files_that_others_can_read_are_warned_of() {
    let place = Place::new("[alice]\npassword = { file = \"secret\" }\n").with_key(&[7; 32]);
    place.write("secret", b"a", 0o600);
    let open = |name: &str, mode: u32| {
        let octets = fs::read(place.folder.path().join(name)).expect("read");
        place.write(name, &octets, mode);
        let warnings = place.warnings();
        place.write(name, &octets, 0o600);
        warnings.contains(&format!("warning: others than its owner can read or change {name}\n"))
    };
    for name in ["users.toml", "users.key", "secret"] {
        assert!(open(name, 0o604) && open(name, 0o620), "{name}");
        assert!(!open(name, 0o600) && !open(name, 0o640), "{name}");
    }
}

#[test]
fn everything_that_is_wrong_is_said_with_its_place_and_without_the_secret() {
    let sealed = SealKey::read(&[8; 32]).expect("a key").seal(b"xyzzy", &SystemRandom).expect("sealed");
    let place = Place::new(&format!(
        "[a]\nargon2id = \"$2y$10$xyzzy\"\n[b]\nargon2id = \"$argon2id$v=19$m=999999999,t=1,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5Q\"\n\
         [c]\nsealed = \"{sealed}\"\n[d]\nsealed = \"xyzzy!\"\n[e]\npassword = {{ file = \"nowhere\" }}\n\
         [f]\npassword = {{ file = \"empty\" }}\n[g]\npassword = \"xyzzy\"\n"
    ))
    .with_key(&[7; 32]);
    place.write("empty", b"\nsecond line", 0o600);
    let said = place.refused();
    assert_eq!(
        said,
        "2:12 error: `argon2id` is unusable: not supported: password hash of another kind than argon2id\n\
         4:12 error: `argon2id` is unusable: too much: KiB of memory of an argon2id hash (limit 262144)\n\
         6:10 error: `sealed` does not open: sealed under another key, or changed\n\
         8:10 error: `sealed` is unusable: damaged: sealed password (not base64)\n\
         10:12 error: cannot read nowhere: no such file or directory\n\
         12:12 error: `password` is empty\n\
         14:12 warning: passwords that are stored in clear: `g`\n"
    );
}

#[test]
fn what_is_wrong_in_the_text_has_its_place() {
    let said = Place::new("[alice]\npassword = \"a\"\ngruops = []\n").refused();
    assert_eq!(said, "3:1 error: unknown key `gruops` in `[NAME of users.toml]`\n");
    assert_eq!(Place::new("[alice\n").refused().split(' ').next(), Some("1:7"));
    let place = Place::new("");
    place.write("users.toml", b"[a]\npassword = \"\xe9\"\n", 0o600);
    assert_eq!(place.refused(), "- error: the file is not UTF-8\n");
    fs::remove_file(place.folder.path().join("users.toml")).expect("removed");
    assert!(place.refused().starts_with("- error: cannot read users.toml: "));
}

#[test]
fn sealed_passwords_need_the_key_file() {
    let place = Place::new(&format!("[alice]\nsealed = \"{}\"\n", base64::encode(&[1; 40])));
    assert_eq!(place.refused(), "2:10 error: `sealed` needs a key file\n");
    let said = place.with_key(b"short").refused();
    assert!(said.starts_with("- error: users.key: damaged: key file for sealed passwords"), "{said}");
}

#[test]
fn limit_octets_of_a_file_of_users() {
    let place = Place::new("");
    let mut text = b"[alice]\npassword = \"a\"\n#".to_vec();
    text.resize(MAX_USERS_FILE, b'x');
    place.write("users.toml", &text, 0o600);
    assert_eq!(place.loaded().users.len(), 1);
    text.push(b'x');
    place.write("users.toml", &text, 0o600);
    assert_eq!(
        place.refused(),
        format!("- error: users.toml: too much: octets of a file of users (limit {MAX_USERS_FILE})\n")
    );
}

#[test]
fn an_empty_file_is_nobody() {
    let loaded = Place::new("# none yet\n").loaded();
    assert!(loaded.users.is_empty() && loaded.warnings.found.is_empty());
    assert_eq!(loaded.users.check_password("alice", b"", NOW).unwrap_err(), Denied::Unknown);
    assert!(!loaded.warnings.is_bad());
    assert_eq!(Severity::Warning.to_string(), "warning");
}
