use std::time::Duration;

use super::keys::{KEYS, duration};

#[test]
fn durations_have_a_unit() {
    assert_eq!(duration("500ms"), Some(Duration::from_millis(500)));
    assert_eq!(duration("90s"), Some(Duration::from_secs(90)));
    assert_eq!(duration("5m"), Some(Duration::from_secs(300)));
    assert_eq!(duration("2 h"), Some(Duration::from_secs(7200)));
    assert_eq!(duration("1d"), Some(Duration::from_secs(86_400)));
    for wrong in ["", "5", "m", "-5m", "5.5m", "5min", "99999999999999999999s", "40000d"] {
        assert_eq!(duration(wrong), None, "{wrong}");
    }
}

#[test]
fn the_table_of_keys_is_sorted_and_complete() {
    assert!(KEYS.is_sorted_by_key(|key| key.name));
    assert!(KEYS.iter().all(|key| !key.takes.is_empty() && !key.default.is_empty() && !key.does.is_empty()));
}
