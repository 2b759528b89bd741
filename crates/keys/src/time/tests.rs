//! Calendar arithmetic against known points, and the accepted and refused text forms.

use super::Time;
use proptest::prelude::*;
use std::time::Duration;

#[test]
fn known_instants_map_both_ways() {
    for (text, seconds) in [
        ("1970-01-01T00:00:00.000Z", 0),
        ("1969-12-31T23:59:59.000Z", -1),
        ("2000-02-29T12:00:00.000Z", 951_825_600),
        ("2026-11-30T13:56:32.000Z", 1_796_046_992),
        ("2038-01-19T03:14:07.000Z", 2_147_483_647),
        ("9999-12-31T23:59:59.000Z", 253_402_300_799),
        ("0001-01-01T00:00:00.000Z", -62_135_596_800),
    ] {
        assert_eq!(Time::from_unix(seconds).to_rfc3339(), text);
        assert_eq!(Time::parse_xsd(text).unwrap(), Time::from_unix(seconds), "{text}");
    }
    assert_eq!(Time::from_millis(1_796_046_992_207).to_rfc3339(), "2026-11-30T13:56:32.207Z");
    assert_eq!(Time::from_millis(1_796_046_992_207).to_seconds_z(), "2026-11-30T13:56:32Z");
}

#[test]
fn attack_tok_05_xsd_form_takes_one_to_nine_fraction_digits_and_nothing_else() {
    for good in ["2026-11-30T13:56:32Z", "2026-11-30T13:56:32.2Z", "2026-11-30T13:56:32.123456789Z"] {
        assert!(Time::parse_xsd(good).is_ok(), "{good}");
    }
    for bad in [
        "",
        "2026-11-30",
        "2026-11-30T13:56:32",
        "2026-11-30T13:56:32z",
        "2026-11-30t13:56:32Z",
        "2026-11-30T13:56:32.Z",
        "2026-11-30T13:56:32.1234567890Z",
        "2026-11-30T13:56:32+00:00",
        "2026-11-30T13:56:32+14:01",
        "2026-11-30T24:00:00Z",
        "2026-11-30T23:59:60Z",
        "2026-11-31T00:00:00Z",
        "2025-02-29T00:00:00Z",
        "1900-02-29T00:00:00Z",
        "0000-01-01T00:00:00Z",
        "-001-01-01T00:00:00Z",
        "10000-01-01T00:00:00Z",
        " 2026-11-30T13:56:32Z",
        "2026-11-30T13:56:32Z ",
        "2026-11-30T13:56:32Zx",
        "2026-1a-30T13:56:32Z",
        "２026-11-30T13:56:32Z",
    ] {
        assert!(Time::parse_xsd(bad).is_err(), "{bad:?} was accepted");
    }
}

#[test]
fn lenient_form_takes_utc_written_as_an_offset_and_no_other_offset() {
    let utc = Time::parse_xsd("2026-11-30T13:56:32.207Z").unwrap();
    for text in ["2026-11-30T13:56:32.207Z", "2026-11-30T13:56:32.207+00:00"] {
        assert_eq!(Time::parse_xsd_lenient(text), Ok(utc), "{text}");
    }
    for bad in [
        "",
        "+00:00",
        "2026-11-30T13:56:32",
        "2026-11-30T13:56:32-00:00",
        "2026-11-30T13:56:32+01:00",
        "2026-11-30T13:56:32Z+00:00",
    ] {
        assert!(Time::parse_xsd_lenient(bad).is_err(), "{bad:?} was accepted");
    }
}

#[test]
fn rfc3339_offsets_are_applied() {
    let utc = Time::parse_rfc3339("2026-11-30T13:56:32Z").unwrap();
    assert_eq!(Time::parse_rfc3339("2026-11-30t15:56:32+02:00").unwrap(), utc);
    assert_eq!(Time::parse_rfc3339("2026-11-30T08:26:32-05:30").unwrap(), utc);
    assert!(Time::parse_rfc3339("2026-11-30T08:26:32-24:00").is_err());
    assert!(Time::parse_rfc3339("2026-11-30T08:26:32-0530").is_err());
}

#[test]
fn addition_saturates_and_difference_has_a_direction() {
    let (a, b) = (Time::from_unix(100), Time::from_unix(160));
    assert_eq!(b.since(a), Some(Duration::from_secs(60)));
    assert_eq!(a.since(b), None);
    assert_eq!(a + Duration::from_secs(60), b);
    assert_eq!(b - Duration::from_secs(60), a);
    assert_eq!(Time::from_millis(i64::MAX) + Duration::from_secs(1), Time::from_millis(i64::MAX));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_instant_of_the_calendar_survives_a_round_trip(millis in -62_135_596_800_000_i64..253_402_300_800_000) {
        let time = Time::from_millis(millis);
        prop_assert_eq!(Time::parse_xsd(&time.to_rfc3339()).unwrap(), time);
    }

    #[test]
    fn any_text_is_read_or_refused_without_panic(text in ".{0,40}") {
        let _ = Time::parse_xsd(&text);
        let _ = Time::parse_rfc3339(&text);
    }

    #[test]
    fn any_instant_prints_without_panic(millis in any::<i64>()) {
        prop_assert!(!Time::from_millis(millis).to_rfc3339().is_empty());
    }
}
