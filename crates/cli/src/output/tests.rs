use std::path::Path;

use super::{Target, Where, render, window, write_whole};

#[test]
fn an_error_has_place_caret_and_help() {
    let text = "[server]\nworkres = 2\n";
    let place = Where::offset(Path::new("b.toml"), text, 9..16);
    insta::assert_snapshot!(
        render("error", "unknown key `workres`", Some(&place), Some("did you mean `workers`?"), false),
        @r"
    error: unknown key `workres`
      --> b.toml:2:1
      |
    2 | workres = 2
      | ^^^^^^^
    help: did you mean `workers`?
    "
    );
}

#[test]
fn a_long_line_is_cut_around_the_caret() {
    let text = format!("{}X{}", "a".repeat(500), "b".repeat(500));
    let (shown, caret) = window(&text, 501);
    assert_eq!(shown.chars().count(), super::SHOWN_WIDTH);
    assert_eq!(shown.chars().nth(caret), Some('X'));
}

#[test]
fn a_place_inside_a_character_is_moved_to_its_start() {
    let place = Where::offset(Path::new("x"), "aé", 2..3);
    assert_eq!(place.at, Some((1, 2)));
}

#[test]
fn a_file_is_replaced_as_a_whole() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("out.xml");
    write_whole(&path, b"one", 0o600).expect("written");
    write_whole(&path, b"two", 0o600).expect("replaced");
    assert_eq!(std::fs::read(&path).expect("there"), b"two");
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 1, "no neighbour is left");
}

#[test]
fn a_new_private_file_is_its_owners_and_one_that_is_there_keeps_its_mode() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("out.xml");
    let mode = || std::fs::metadata(&path).expect("there").permissions().mode() & 0o777;
    let target = Target::new(Some(path.clone()));
    target.write_private(b"one").expect("written");
    assert_eq!(mode(), 0o600);
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).expect("set");
    target.write(b"two").expect("replaced");
    assert_eq!(mode(), 0o640);
}

#[test]
fn dash_is_standard_output() {
    assert_eq!(Target::new(Some("-".into())), Target::Stdout);
    assert_eq!(Target::new(None), Target::Stdout);
    assert_eq!(Target::new(Some("x".into())), Target::File("x".into()));
}
