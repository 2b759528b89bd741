use super::*;

#[test]
fn what_is_listed_is_found_and_what_can_run_is_available() {
    for scenario in SCENARIOS {
        assert_eq!(find(scenario.name), Some(scenario));
    }
    assert_eq!(available().collect::<Vec<_>>(), ["rampart", "unt", "all"]);
    assert_eq!(find("rampart "), None);
}

#[test]
fn key_kinds_are_read_by_the_names_that_records_have() {
    for keys in Keys::ALL {
        assert_eq!(Keys::by_name(keys.name()), Some(keys));
    }
    assert_eq!(Keys::by_name("1024"), Some(Keys::Rsa1024));
    assert_eq!(Keys::by_name("4096"), None);
}
