use std::os::unix::fs::PermissionsExt as _;

use bartizan_crypto::Secret;
use bartizan_keys::pki::{DemoFile, Mode};

use super::{StateFolder, write_new};

fn files() -> Vec<DemoFile> {
    let file = |name: &str, mode| DemoFile {
        name: name.to_owned(),
        contents: Secret::new(name.as_bytes().to_vec()),
        mode,
    };
    vec![file("ca.pem", Mode::Public), file("server.key", Mode::Private)]
}

fn mode(path: &std::path::Path) -> u32 {
    std::fs::metadata(path).expect("there").permissions().mode() & 0o777
}

#[test]
fn private_files_are_for_their_owner_only() {
    let folder = tempfile::tempdir().expect("a folder");
    let keys = folder.path().join("keys");
    write_new(&keys, &files()).expect("written");
    assert_eq!(mode(&keys.join("server.key")), 0o600);
    assert_eq!(mode(&keys), 0o700);
}

#[test]
fn nothing_is_written_if_one_file_is_there() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("server.key"), "mine").expect("written");
    let error = write_new(folder.path(), &files()).expect_err("refused");
    assert_eq!(error.kind(), std::io::ErrorKind::AlreadyExists);
    assert!(!folder.path().join("ca.pem").exists());
    assert_eq!(std::fs::read(folder.path().join("server.key")).expect("there"), b"mine");
}

#[test]
fn second_process_is_told_that_the_folder_is_taken() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("state");
    let first = StateFolder::open(&path).expect("opened");
    assert!(first.is_ours());
    assert!(!StateFolder::open(&path).expect("opened").is_ours());
    drop(first);
    assert!(StateFolder::open(&path).expect("opened").is_ours());
}

#[test]
fn folder_that_everybody_may_write_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let state = folder.path().join("state");
    StateFolder::open(&state).expect("opened");
    let allow = |mode| std::fs::set_permissions(&state, std::fs::Permissions::from_mode(mode)).expect("set");
    for mode in [0o777, 0o1777] {
        allow(mode);
        let problem = StateFolder::open(&state).expect_err("refused");
        assert!(problem.to_string().contains("everybody may write"), "{problem}");
    }
    allow(0o755);
    StateFolder::open(&state).expect("opened");
}
