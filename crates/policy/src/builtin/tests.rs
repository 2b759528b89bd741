use super::{NAMES, builtin, is_builtin};

#[test]
fn every_listed_name_works() {
    for name in NAMES {
        let loaded = builtin(name).expect("built in");
        assert!(loaded.only().is_ok() && is_builtin(name), "{name}");
    }
}

#[test]
fn every_scenario_compiles_with_warnings_only() {
    for name in NAMES {
        let loaded = builtin(name).expect("built in");
        let item = loaded.only().expect("one");
        let compiled = item.compile(&crate::Options::default());
        assert!(compiled.is_ok(), "{name}: {compiled:#?}");
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
