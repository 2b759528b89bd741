use std::fs;
use std::path::Path;

use super::FilesWatch;

/// Replaces a file as a careful writer does.
fn replace(path: &Path, text: &str) {
    let part = path.with_extension("part");
    fs::write(&part, text).expect("written");
    fs::rename(part, path).expect("renamed");
}

#[test]
fn each_change_of_a_file_is_told_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let (one, other) = (folder.path().join("users.toml"), folder.path().join("key"));
    fs::write(&one, "1").expect("written");
    let mut watch = FilesWatch::new([one.clone(), other.clone()]);
    assert!(!watch.changed());
    // Another file under the same name with the same length.
    replace(&one, "2");
    assert!(watch.changed() && !watch.changed());
    // The same file, longer.
    fs::write(&one, "33").expect("written");
    assert!(watch.changed() && !watch.changed());
    // One that was not there comes, and goes.
    fs::write(&other, "k").expect("written");
    assert!(watch.changed() && !watch.changed());
    fs::remove_file(&other).expect("removed");
    assert!(watch.changed() && !watch.changed());
}

#[test]
fn what_is_known_of_a_file_stays_when_others_are_watched_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let (one, other) = (folder.path().join("users.toml"), folder.path().join("secret"));
    fs::write(&one, "1").expect("written");
    let mut watch = FilesWatch::new([one.clone()]);
    // Changed between the first look and the reading of the files.
    replace(&one, "2");
    watch.watch(&[one, other.clone()]);
    assert!(watch.changed() && !watch.changed());
    fs::write(&other, "s").expect("written");
    assert!(watch.changed());
    watch.watch(&[]);
    fs::write(&other, "longer").expect("written");
    assert!(!watch.changed());
}
