//! Strictness of the reader, and the way from BER.

use super::{INTEGER, OCTET_STRING, Reader, SEQUENCE, ber, oid, whole, write};
use crate::time::Time;
use proptest::prelude::*;

fn refused(octets: &[u8]) -> bool {
    Reader::new(octets).any("test").is_err()
}

#[test]
fn lengths_must_be_minimal_definite_and_within_the_input() {
    assert!(Reader::new(&[4, 1, 0]).any("test").is_ok());
    for octets in [
        &[][..],
        &[4],
        &[4, 1],
        &[4, 0x80, 0, 0],
        &[4, 0x81, 1, 0],
        &[4, 0x82, 0, 0x80],
        &[4, 0x85, 0, 0, 0, 0, 1],
        &[4, 0xff],
        &[0x1f, 1, 0],
        &[4, 0x84, 0xff, 0xff, 0xff, 0xff],
    ] {
        assert!(refused(octets), "{octets:02x?}");
    }
}

#[test]
fn integers_and_booleans_have_one_encoding() {
    let integer = |octets: &[u8]| Reader::new(&write::tlv(INTEGER, &[octets])).integer("test").is_ok();
    assert!(
        integer(&[0])
            && integer(&[0x7f])
            && integer(&[0, 0x80])
            && integer(&[0xff, 0x7f])
            && integer(&[0x80])
    );
    assert!(!integer(&[]) && !integer(&[0, 0x7f]) && !integer(&[0xff, 0x80]));
    let boolean = |octet: u8| Reader::new(&[1, 1, octet]).boolean("test").ok();
    assert_eq!((boolean(0), boolean(0xff), boolean(1)), (Some(false), Some(true), None));
    let small = |octets: &[u8]| Reader::new(&write::tlv(INTEGER, &[octets])).small("test").ok();
    assert_eq!(small(&[0, 0xff, 0xff, 0xff, 0xff]), Some(u32::MAX));
    assert_eq!((small(&[1, 0, 0, 0, 0]), small(&[0xff])), (None, None));
}

#[test]
fn what_is_written_is_read_back() {
    for length in [0, 1, 0x7f, 0x80, 0xff, 0x100, 0x1_0000] {
        let octets = vec![7; length];
        let der = write::octets(&octets);
        let mut reader = Reader::new(&der);
        assert_eq!(reader.expect(OCTET_STRING, "test").unwrap().value, octets);
        assert!(reader.is_empty());
    }
    assert_eq!(write::named_bits(&[0, 2]), [3, 2, 5, 0xa0]);
    assert_eq!(write::named_bits(&[8]), [3, 3, 7, 0, 0x80]);
    assert_eq!(write::named_bits(&[]), [3, 1, 0]);
    assert_eq!(write::unsigned(&[0, 0, 0x80]), [2, 2, 0, 0x80]);
    assert_eq!(write::unsigned(&[]), [2, 1, 0]);
}

#[test]
fn times_of_both_types_are_read_in_the_one_form_that_is_allowed() {
    let utc = |text: &str| Reader::new(&write::tlv(0x17, &[text.as_bytes()])).time("test").ok();
    let general = |text: &str| Reader::new(&write::tlv(0x18, &[text.as_bytes()])).time("test").ok();
    let at = |text: &str| Some(Time::parse_rfc3339(text).unwrap());
    assert_eq!(utc("491231235959Z"), at("2049-12-31T23:59:59Z"));
    assert_eq!(utc("500101000000Z"), at("1950-01-01T00:00:00Z"));
    assert_eq!(general("20500101000000Z"), at("2050-01-01T00:00:00Z"));
    for text in ["4912312359Z", "491231235959", "491231235959+0000", "491331235959Z", "49123123595xZ", ""] {
        assert_eq!(utc(text), None, "{text}");
    }
    for text in ["20500101000000.5Z", "205001010000Z", "20500101000000"] {
        assert_eq!(general(text), None, "{text}");
    }
    for text in
        ["1949-06-01T01:02:03Z", "1950-01-01T00:00:00Z", "2049-12-31T23:59:59Z", "2050-01-01T00:00:00Z"]
    {
        let time = Time::parse_rfc3339(text).unwrap();
        assert_eq!(Reader::new(&write::time(time)).time("test").unwrap(), time);
    }
}

#[test]
fn object_identifiers_have_a_dotted_form() {
    for dotted in ["1.2.840.113549.1.9.1", "2.5.4.3", "0.9.2342.19200300.100.1.25", "2.999.4294967295"] {
        assert_eq!(oid::to_dotted(&oid::from_dotted(dotted).unwrap()), dotted);
    }
    assert_eq!(oid::from_dotted("2.5.4.3").unwrap(), oid::COMMON_NAME);
    for wrong in ["", "1", "1.", "3.1", "1.40", "1.2.x", "1.2.+3", "1.2.4294967296"] {
        assert_eq!(oid::from_dotted(wrong), None, "{wrong}");
    }
}

/// Rewrites DER with indefinite lengths and OCTET STRINGs in pieces of seven octets.
fn to_streamed(der: &[u8]) -> Vec<u8> {
    let (mut reader, mut out) = (Reader::new(der), Vec::new());
    while !reader.is_empty() {
        let tlv = reader.any("test").unwrap();
        if tlv.tag & 0x20 != 0 {
            out.extend_from_slice(&[tlv.tag, 0x80]);
            out.extend_from_slice(&to_streamed(tlv.value));
            out.extend_from_slice(&[0, 0]);
        } else if tlv.tag == OCTET_STRING && tlv.value.len() > 7 {
            out.extend_from_slice(&[0x24, 0x80]);
            tlv.value.chunks(7).for_each(|piece| out.extend_from_slice(&write::octets(piece)));
            out.extend_from_slice(&[0, 0]);
        } else {
            out.extend_from_slice(tlv.raw);
        }
    }
    out
}

#[test]
fn streamed_ber_becomes_the_der_it_stands_for() {
    let der = write::sequence(&[
        &write::octets(&[9; 30]),
        &write::set(&[&write::sequence(&[&write::null(), &write::small(300)])]),
        &write::octets(b"short"),
    ]);
    let streamed = to_streamed(&der);
    assert_ne!(streamed, der);
    assert_eq!(ber::to_der(&streamed).unwrap(), der);
    assert_eq!(ber::to_der(&der).unwrap(), der);
    // Lengths longer than needed.
    assert_eq!(ber::to_der(&[0x30, 0x83, 0, 0, 3, 4, 0x81, 0]).unwrap(), [0x30, 2, 4, 0]);
    for broken in
        [&[0x30, 0x80][..], &[0x30, 0x80, 0], &[4, 0x80, 0, 0], &[0x24, 3, 2, 1, 1], &[0x30, 5, 4, 1, 0]]
    {
        assert!(ber::to_der(broken).is_err(), "{broken:02x?}");
    }
}

#[test]
fn limit_nested_ber_elements() {
    let nested =
        |depth: usize| (0..depth).fold(Vec::new(), |inner: Vec<u8>, _| write::tlv(SEQUENCE, &[&inner]));
    assert!(ber::to_der(&nested(32)).is_ok());
    assert!(ber::to_der(&nested(33)).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_octets_are_read_or_refused(octets in prop::collection::vec(any::<u8>(), 0..80)) {
        let _ = ber::to_der(&octets);
        let _ = whole(&octets, SEQUENCE, "test");
        let _ = oid::to_dotted(&octets);
        if let Ok(mut reader) = whole(&octets, SEQUENCE, "test") {
            while reader.any("test").is_ok() {}
        }
    }
}
