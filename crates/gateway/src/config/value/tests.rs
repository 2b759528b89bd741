use std::time::Duration;

use super::{duration, nearest, show_duration, size};

#[test]
fn sizes_are_read_in_binary_and_decimal_units() {
    for (text, bytes) in [
        ("8 MiB", 8 << 20),
        ("64KiB", 64 << 10),
        ("1 gib", 1 << 30),
        ("10 MB", 10_000_000),
        ("4096", 4096),
        ("1_000 B", 1000),
    ] {
        assert_eq!(size(text), Some(bytes), "{text}");
    }
    for text in ["", "MiB", "8 MiBs", "-1", "1.5 MiB", "99999999999 GiB"] {
        assert_eq!(size(text), None, "{text}");
    }
}

#[test]
fn durations_need_a_unit() {
    for (text, micros) in
        [("5m", 300_000_000), ("60s", 60_000_000), ("10 ms", 10_000), ("1h30m", 5_400_000_000), ("0", 0)]
    {
        assert_eq!(duration(text), Some(Duration::from_micros(micros)), "{text}");
    }
    for text in ["", "5", "m", "5 minutes", "-5s", "5m3", "1e3s"] {
        assert_eq!(duration(text), None, "{text}");
    }
}

#[test]
fn durations_are_shown_as_they_are_read() {
    for text in ["5m", "90s", "10ms", "1d", "1500us", "0"] {
        assert_eq!(duration(text).map(show_duration).as_deref(), Some(text));
    }
}

#[test]
fn nearest_name_is_offered_only_when_near() {
    let known = ["address", "name", "private_key"];
    assert_eq!(nearest("adress", known), Some("address"));
    assert_eq!(nearest("private-key", known), Some("private_key"));
    assert_eq!(nearest("nmae", known), Some("name"));
    assert_eq!(nearest("colour", known), None);
}
