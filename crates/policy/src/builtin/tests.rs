use super::{NAMES, UNBUILT, builtin, is_builtin};

#[test]
fn every_listed_name_works() {
    for name in NAMES {
        let loaded = builtin(name).expect("built in");
        assert!(loaded.only().is_ok() && is_builtin(name), "{name}");
    }
}

#[test]
fn scenarios_of_later_steps_say_what_they_need() {
    for name in UNBUILT {
        let error = builtin(name).expect_err("not built");
        assert_eq!(error.code(), "builtin_not_built");
        assert!(error.message().contains("UsernameToken") && error.message().contains(name), "{error}");
    }
}

#[test]
fn a_slip_finds_the_nearest_name() {
    let error = builtin("scenario:rampartc").expect_err("unknown");
    assert_eq!(
        (error.code(), error.help()),
        ("unknown_builtin", Some("did you mean `scenario:rampart-c`?".to_owned()))
    );
    assert!(!is_builtin("rampart-c.xml"));
}
