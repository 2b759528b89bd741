#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use super::MemoryUsers;
use crate::time::Time;
use crate::users::{Denied, UserSource};

const NOW: Time = Time::from_unix(1_800_000_000);

#[test]
fn the_right_password_gives_the_facts_about_the_user() {
    let users = MemoryUsers::new()
        .with("alice", b"secret")
        .with_groups(["staff", "web"])
        .with_dn("CN=Alice")
        .with_attribute("mail", ["a@example.org"])
        .with("bob", b"hidden");
    let alice = users.check_password("alice", b"secret", NOW).unwrap();
    assert_eq!(alice.name(), "alice");
    assert_eq!(alice.groups(), ["staff", "web"]);
    assert_eq!(alice.dn(), Some("CN=Alice"));
    assert_eq!(alice.attributes()["mail"], ["a@example.org"]);
    let (bob, secret) = users.secret("bob", NOW).unwrap();
    assert_eq!((bob.name(), secret.expose(Clone::clone)), ("bob", b"hidden".to_vec()));
    assert!(bob.groups().is_empty() && bob.dn().is_none());
    assert!(!users.is_costly());
}

#[test]
fn everybody_else_is_denied_with_the_reason() {
    let users = MemoryUsers::new()
        .with("alice", b"secret")
        .with("off", b"secret")
        .disabled()
        .with("late", b"secret")
        .expiring(NOW);
    let check = |name: &str, password: &[u8]| users.check_password(name, password, NOW).map(|_| ());
    assert_eq!(check("alice", b"secret"), Ok(()));
    assert_eq!(check("alice", b"Secret"), Err(Denied::WrongPassword));
    assert_eq!(check("alice", b""), Err(Denied::WrongPassword));
    assert_eq!(check("Alice", b"secret"), Err(Denied::Unknown));
    // The stand-in that nobody's password is compared with is the empty one; it must not open anything.
    assert_eq!(check("nobody", b""), Err(Denied::Unknown));
    assert_eq!(check("off", b"secret"), Err(Denied::Disabled));
    assert_eq!(check("off", b"wrong"), Err(Denied::Disabled));
    assert_eq!(check("late", b"secret"), Err(Denied::Expired));
    assert!(users.check_password("late", b"secret", Time::from_millis(NOW.millis() - 1)).is_ok());
    let secret = |name: &str| users.secret(name, NOW).map(|_| ()).unwrap_err();
    assert_eq!(secret("nobody"), Denied::Unknown);
    assert_eq!(secret("off"), Denied::Disabled);
    assert_eq!(secret("late"), Denied::Expired);
}

#[test]
fn passwords_are_never_printed() {
    let users = MemoryUsers::new().with("alice", b"xyzzy");
    let shown = format!("{users:?}");
    assert!(shown.contains("alice") && !shown.contains("xyzzy"), "{shown}");
    assert!(!shown.contains(&format!("{:?}", b"xyzzy")), "{shown}");
}
