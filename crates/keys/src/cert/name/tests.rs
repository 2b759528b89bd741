//! Text forms of distinguished names against the names in certificates.

use super::Dn;
use crate::der::write;
use crate::error::Error;
use proptest::prelude::*;

/// A name of one attribute per relative name: (contents of the type's OID, string tag, octets).
fn der(parts: &[(&[u8], u8, &[u8])]) -> Vec<u8> {
    let rdns: Vec<Vec<u8>> = parts
        .iter()
        .map(|(kind, tag, octets)| {
            write::set(&[&write::sequence(&[&write::oid(kind), &write::tlv(*tag, &[octets])])])
        })
        .collect();
    let rdns: Vec<&[u8]> = rdns.iter().map(Vec::as_slice).collect();
    write::sequence(&rdns)
}

const C: &[u8] = &[0x55, 4, 6];
const O: &[u8] = &[0x55, 4, 10];
const CN: &[u8] = &[0x55, 4, 3];
const MAIL: &[u8] = super::EMAIL;
const UTF8: u8 = 0x0c;
const PRINTABLE: u8 = 0x13;
const IA5: u8 = 0x16;

fn same(text: &str, name: &Dn) -> bool {
    let parsed = Dn::parse(text).unwrap();
    parsed.reversed_key() == name.key() || parsed.key() == name.key()
}

#[test]
fn one_name_in_the_forms_of_many_writers() {
    let name = Dn::from_der(&der(&[
        (C, PRINTABLE, b"US"),
        (O, UTF8, b"VeriSign, Inc."),
        (MAIL, IA5, b"ca@example.com"),
        (CN, UTF8, "Jos\u{e9} \"A+B\" #1".as_bytes()),
    ]))
    .unwrap();
    let strict = name.to_rfc4514();
    assert_eq!(
        strict,
        "CN=Jos\u{e9} \\\"A\\+B\\\" #1,1.2.840.113549.1.9.1=#0c0e6361406578616d706c652e636f6d,O=VeriSign\\, Inc.,C=US"
    );
    assert_eq!(
        name.to_display(),
        "CN=Jos\u{e9} \\\"A\\+B\\\" #1,emailAddress=ca@example.com,O=VeriSign\\, Inc.,C=US"
    );
    for text in [
        strict.as_str(),
        // Java, RFC 2253: the value's own encoding.
        "CN=Jos\u{e9} \\\"A\\+B\\\" #1,1.2.840.113549.1.9.1=#160e6361406578616d706c652e636f6d,O=VeriSign\\, Inc.,C=US",
        // Java's toString.
        "CN=\"Jos\u{e9} \\\"A+B\\\" #1\", EMAILADDRESS=ca@example.com, O=\"VeriSign, Inc.\", C=US",
        // .NET: quotation marks doubled, E, the encoding's order.
        "C=US, O=\"VeriSign, Inc.\", E=ca@example.com, CN=\"Jos\u{e9} \"\"A+B\"\" #1\"",
        // Octets of UTF-8 escaped one by one, other case, other separators, OID prefix.
        "cn=Jos\\C3\\A9 \\22A\\2bB\\22 #1 ;oid.1.2.840.113549.1.9.1=ca@example.com ; 2.5.4.10=VeriSign\\2C Inc.;c = US ",
    ] {
        assert!(same(text, &name), "{text}");
    }
    for text in ["CN=Jose,O=x", "C=us, O=\"VeriSign, Inc.\", E=ca@example.com, CN=x", ""] {
        assert!(!same(text, &name), "{text}");
    }
}

#[test]
fn several_attributes_in_one_part_have_no_order() {
    let pair = |kind: &[u8], text: &[u8]| write::sequence(&[&write::oid(kind), &write::tlv(UTF8, &[text])]);
    let both = write::set(&[&pair(CN, b"a"), &pair(O, b"b")]);
    let name = Dn::from_der(&write::sequence(&[&both])).unwrap();
    assert!(same("CN=a+O=b", &name) && same("O=b + CN=a", &name));
    assert!(!same("CN=a,O=b", &name));
}

#[test]
fn every_string_type_is_read_and_broken_strings_stay_encoded() {
    for (tag, octets, text) in [
        (0x1e, &b"\x00a\x20\xac"[..], "CN=a\u{20ac}"),
        (0x1c, &b"\x00\x00\x00a\x00\x01\xf6\x00"[..], "CN=a\u{1f600}"),
        (0x14, &b"\xe9"[..], "CN=\u{e9}"),
        (0x12, &b"12"[..], "CN=12"),
        (UTF8, &b"\xff"[..], "CN=#0c01ff"),
        (0x1e, &b"\x00"[..], "CN=#1e0100"),
        (0x1e, &b"\xd8\x00"[..], "CN=#1e02d800"),
        (PRINTABLE, &b"\xe9"[..], "CN=#1301e9"),
        (0x04, &b"x"[..], "CN=#040178"),
    ] {
        let name = Dn::from_der(&der(&[(CN, tag, octets)])).unwrap();
        assert_eq!(name.to_rfc4514(), text);
        assert!(same(text, &name), "{text}");
    }
}

#[test]
fn attack_sig_18_nul_and_line_ends_cannot_hide_or_break_a_line() {
    let name = Dn::from_der(&der(&[(CN, UTF8, b"bank\0.example\r\nrefused: no\x7f")])).unwrap();
    assert_eq!(name.to_rfc4514(), "CN=bank\\00.example\\0D\\0Arefused: no\\7F");
    assert!(same(&name.to_rfc4514(), &name));
    assert!(!same("CN=bank", &name));
    // The whole value counts, and only exactly: no prefix, no pattern, no look-alike.
    let plain = Dn::from_der(&der(&[(CN, UTF8, b"*.example.org")])).unwrap();
    for other in ["CN=a.example.org", "CN=*.example", "CN=*.EXAMPLE.org", "CN=*.ex\u{430}mple.org"] {
        assert!(!same(other, &plain), "{other}");
    }
}

#[test]
fn attack_sig_18_a_common_name_must_be_the_only_one() {
    let two = Dn::from_der(&der(&[(CN, UTF8, b"a"), (CN, UTF8, b"b")])).unwrap();
    assert_eq!(two.common_name(), None);
    let one = Dn::from_der(&der(&[(O, UTF8, b"o"), (CN, UTF8, b"b")])).unwrap();
    assert_eq!(one.common_name(), Some("b"));
}

#[test]
fn texts_that_are_no_names_are_refused() {
    for text in [
        "CN",
        "CN=a,",
        "CN=a,,O=b",
        "=a",
        "XYZ=a",
        "3.1=a",
        "1.2.=a",
        "CN=\"a",
        "CN=\"a\"b",
        "CN=a\\",
        "CN=#0",
        "CN=#0c",
        "CN=#0c0161zz",
        "CN=\\ff",
        "CN=a+",
    ] {
        assert_eq!(Dn::parse(text), Err(Error::BadName), "{text}");
    }
}

#[test]
fn limit_octets_of_a_name_in_text() {
    let text = |length: usize| format!("CN={}", "a".repeat(length - 3));
    assert!(Dn::parse(&text(8192)).is_ok());
    assert!(matches!(Dn::parse(&text(8193)), Err(Error::TooMuch { limit: 8192, .. })));
}

#[test]
fn limit_parts_of_a_name() {
    let parts = |count: usize| vec![(CN, UTF8, &b"a"[..]); count];
    assert!(Dn::from_der(&der(&parts(128))).is_ok());
    assert!(matches!(Dn::from_der(&der(&parts(129))), Err(Error::TooMuch { limit: 128, .. })));
    let text = vec!["CN=a"; 128].join(",");
    assert!(Dn::parse(&text).is_ok());
    assert_eq!(Dn::parse(&format!("{text},CN=a")), Err(Error::BadName));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_values_survive_the_text_form(values in prop::collection::vec(".{0,20}", 1..5)) {
        let parts: Vec<_> = values.iter().map(|value| (O, UTF8, value.as_bytes())).collect();
        let name = Dn::from_der(&der(&parts)).unwrap();
        for text in [name.to_rfc4514(), name.to_display()] {
            prop_assert_eq!(Dn::parse(&text).unwrap().reversed_key(), name.key(), "{}", text);
        }
    }

    #[test]
    fn any_text_and_octets_are_read_or_refused(text in ".{0,60}", octets in prop::collection::vec(any::<u8>(), 0..60)) {
        let _ = Dn::parse(&text);
        let _ = Dn::parse(&format!("CN={text},O={text}"));
        let _ = Dn::from_der(&octets);
    }
}
