//! Facts read from certificates, and what is refused as no certificate.

use super::decimal::{from_integer, normalise};
use super::{AltName, Certificate, KeyUsage, MAX_CERTIFICATE};
use crate::der::{context_primitive, oid, write};
use crate::error::Error;
use crate::forge::{Forge, alt_dns, authority, extension, key_id, key_usage};
use proptest::prelude::*;

fn encoding_refused(result: Result<Certificate, Error>) -> bool {
    matches!(result, Err(Error::Encoding { .. }))
}

#[test]
fn attack_tok_12_exactly_one_certificate_in_strict_der_is_taken() {
    let der = Forge::new("Leaf", "Root", 1).der(0);
    assert!(Certificate::from_der(der.clone()).is_ok());
    let twice = [der.clone(), der.clone()].concat();
    let trailing = [&der[..], &[0]].concat();
    let pem = format!("-----BEGIN CERTIFICATE-----\n{}\n", bartizan_crypto::base64::encode(&der));
    // SEQUENCE { signedData, [0] { … } }: what PKCS#7 and PKIPath look like from outside.
    let pkcs7 = write::sequence(&[&write::oid(&[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 7, 2]), &der]);
    let path = write::sequence(&[&der]);
    for wrong in [twice, trailing, pem.into_bytes(), pkcs7, path, der[..der.len() - 1].to_vec(), Vec::new()] {
        assert!(encoding_refused(Certificate::from_der(wrong)));
    }
}

#[test]
fn attack_sig_16_duplicate_extensions_and_extensions_of_old_versions_are_refused() {
    let twice = Forge::new("Leaf", "Root", 1).with(authority(None)).with(authority(None));
    assert!(encoding_refused(Certificate::from_der(twice.der(0))));
    let old = Forge::new("Leaf", "Root", 1).with(authority(None));
    assert!(encoding_refused(Certificate::from_der(old.clone().version(1).der(0))));
    assert!(encoding_refused(Certificate::from_der(old.version(4).der(0))));
    assert_eq!(Forge::new("Leaf", "Root", 1).version(1).signed_by(0).version(), 1);
    assert_eq!(Forge::new("Leaf", "Root", 1).version(2).signed_by(0).version(), 2);
}

#[test]
fn facts_are_read_from_extensions() {
    let address = |octets: &[u8]| write::tlv(context_primitive(7), &[octets]);
    let names = write::sequence(&[
        &write::tlv(context_primitive(1), &[b"a@example.org"]),
        &address(&[127, 0, 0, 1]),
        &address(&[1, 2, 3]),
        &write::tlv(context_primitive(6), &[b"urn:x"]),
        &write::tlv(0xa4, &[&crate::forge::name("Dir")]),
    ]);
    let certificate = Forge::new("Leaf", "Root", 1)
        .serial(&[0x00, 0xff])
        .with(extension(oid::SUBJECT_ALT_NAME, false, &names))
        .with(extension(oid::SUBJECT_KEY_IDENTIFIER, false, &write::octets(b"chosen")))
        .with(extension(
            oid::EXTENDED_KEY_USAGE,
            false,
            &write::sequence(&[&write::oid(&[0x2b, 6, 1, 5, 5, 7, 3, 2])]),
        ))
        .with(key_usage(&[0, 8]))
        .signed_by(0);
    assert_eq!(certificate.subject(), "CN=Leaf");
    assert_eq!(certificate.issuer(), "CN=Root");
    assert_eq!(certificate.common_name(), Some("Leaf"));
    assert_eq!(certificate.serial_decimal(), "255");
    assert_eq!(certificate.ski(), Some(&b"chosen"[..]));
    assert_eq!(certificate.ski_or_computed(), b"chosen");
    assert_eq!(
        certificate.sans(),
        [
            AltName::Email("a@example.org".to_owned()),
            AltName::Ip([127, 0, 0, 1].into()),
            AltName::Other,
            AltName::Uri("urn:x".to_owned()),
            AltName::Directory("CN=Dir".to_owned()),
        ]
    );
    let usage = certificate.usage();
    assert_eq!(usage.extended, ["1.3.6.1.5.5.7.3.2"]);
    assert_eq!(usage.key.unwrap().names().collect::<Vec<_>>(), ["digitalSignature", "decipherOnly"]);
    assert!(usage.may_sign() && !usage.may_encrypt() && !usage.key.unwrap().has(KeyUsage::CRL_SIGN));
    assert!(!certificate.is_ca() && !certificate.is_self_issued());
}

#[test]
fn a_missing_key_identifier_is_computed_for_look_ups_only() {
    let certificate = Forge::new("Leaf", "Root", 1).signed_by(0);
    assert_eq!(certificate.ski(), None);
    assert_eq!(certificate.ski_or_computed(), key_id(1));
    assert!(certificate.usage().may_sign() && certificate.usage().may_encrypt());
}

#[test]
fn a_key_of_an_unknown_kind_matters_only_when_it_is_asked_for() {
    let der = Forge::new("Leaf", "Root", 1).der(0);
    // id-ecPublicKey becomes something else of the same length.
    let known = [0x2a, 0x86, 0x48, 0xce, 0x3d, 2, 1];
    let at = der.windows(known.len()).position(|window| window == known).unwrap();
    let mut strange = der;
    strange[at + 6] = 9;
    let certificate = Certificate::from_der(strange).unwrap();
    assert_eq!(certificate.subject(), "CN=Leaf");
    assert!(matches!(certificate.public_key(), Err(Error::Key(_))));
}

#[test]
fn limit_octets_of_a_certificate() {
    let of = |length: usize| {
        let filler = |size: usize| extension(&[0x2a, 3, 4], false, &vec![0; size]);
        let overhead = Forge::new("Leaf", "Root", 1).with(filler(40_000)).der(0).len() - 40_000;
        // Signatures differ by an octet or two in length.
        (0..400)
            .map(|_| Forge::new("Leaf", "Root", 1).with(filler(length - overhead)).der(0))
            .find(|der| der.len() == length)
            .unwrap()
    };
    assert!(Certificate::from_der(of(MAX_CERTIFICATE)).is_ok());
    assert!(matches!(Certificate::from_der(of(MAX_CERTIFICATE + 1)), Err(Error::TooMuch { .. })));
}

#[test]
fn limit_octets_of_a_serial_number() {
    let with = |length: usize| Forge::new("Leaf", "Root", 1).serial(&vec![1; length]).der(0);
    assert_eq!(Certificate::from_der(with(64)).unwrap().serial_decimal().len(), 152);
    assert!(matches!(Certificate::from_der(with(65)), Err(Error::TooMuch { limit: 64, .. })));
}

#[test]
fn limit_alternative_names() {
    let with = |count: usize| Forge::new("Leaf", "Root", 1).with(alt_dns(&vec!["a.example"; count])).der(0);
    assert_eq!(Certificate::from_der(with(4096)).unwrap().sans().len(), 4096);
    assert!(matches!(Certificate::from_der(with(4097)), Err(Error::TooMuch { limit: 4096, .. })));
}

#[test]
fn limit_extensions() {
    let with = |count: u8| {
        let mut forge = Forge::new("Leaf", "Root", 1);
        for at in 0..count {
            forge = forge.with(extension(&[0x2a, 3, at], false, &[]));
        }
        Certificate::from_der(forge.der(0))
    };
    assert!(with(64).is_ok());
    assert!(matches!(with(65), Err(Error::TooMuch { limit: 64, .. })));
}

#[test]
fn serial_numbers_of_either_sign_print_in_decimal() {
    for (octets, text) in [
        (&[0][..], "0"),
        (&[0x7f], "127"),
        (&[0x80], "-128"),
        (&[0xff], "-1"),
        (&[0xff, 0x7f], "-129"),
        (&[1, 0, 0, 0, 0], "4294967296"),
        (&[0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], "18446744073709551615"),
    ] {
        assert_eq!(from_integer(octets), text);
        assert_eq!(normalise(text).as_deref(), Some(text));
    }
    for (text, same) in [(" 007\n", "7"), ("+7", "7"), ("-0", "0"), ("000", "0"), ("-010", "-10")] {
        assert_eq!(normalise(text).as_deref(), Some(same));
    }
    for wrong in ["", "-", "0x10", "1e3", "1 2", "--1", "\u{661}", &"1".repeat(161)] {
        assert_eq!(normalise(wrong), None, "{wrong}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn decimal_text_is_the_integers(value in any::<i128>()) {
        prop_assert_eq!(from_integer(&value.to_be_bytes()), value.to_string());
    }

    #[test]
    fn damaged_certificates_are_read_or_refused(at in any::<prop::sample::Index>(), octet in any::<u8>()) {
        let mut der = Forge::new("Leaf", "Root", 1).with(authority(Some(3))).with(alt_dns(&["a.example"])).der(0);
        let at = at.index(der.len());
        der[at] = octet;
        let _ = Certificate::from_der(der);
    }

    #[test]
    fn any_octets_are_a_certificate_or_refused(octets in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = Certificate::from_der(octets);
    }
}
