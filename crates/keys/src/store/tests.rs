//! What the readers take and refuse; fixtures made by other tools are under `tests/data`.

use super::{Entry, Format, MAX_ENTRIES, MAX_STORE, Password, detect, read_any, read_with};
use crate::der::{context, oid, write};
use crate::error::Error;
use bartizan_crypto::PublicKey;
use proptest::prelude::*;

fn data(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/tests/data/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn read(name: &str, password: &str) -> Result<Vec<Entry>, Error> {
    read_any(&data(name), Some(&Password::new(password)))
}

fn public() -> PublicKey {
    read_any(&data("pub.pem"), None).unwrap().remove(0).public.unwrap()
}

fn holds_our_key(entries: &[Entry]) -> bool {
    entries.len() == 1 && entries[0].key.as_ref().is_some_and(|key| *key.public() == public())
}

#[test]
fn every_encryption_of_a_private_key_is_undone() {
    assert!(holds_our_key(&read_any(&data("sec1.pem"), None).unwrap()));
    assert!(holds_our_key(&read_any(&data("pkcs8.pem"), None).unwrap()));
    for name in [
        "v1-pbe-md5-des.pem",
        "v1-pbe-md5-rc2-64.pem",
        "v1-pbe-sha1-des.pem",
        "v1-pbe-sha1-rc2-64.pem",
        "v1-pbe-sha1-rc2-40.pem",
        "v1-pbe-sha1-rc2-128.pem",
        "v1-pbe-sha1-2des.pem",
        "v1-pbe-sha1-3des.pem",
        "v2-aes-128-cbc.pem",
        "v2-aes-192-cbc.pem",
        "v2-aes-256-cbc.pem",
        "v2-des3.pem",
        "v2-sha1.pem",
        "v2-sha512.pem",
        "traditional-des.pem",
        "traditional-des3.pem",
        "traditional-aes-128-cbc.pem",
        "traditional-aes-192-cbc.pem",
        "traditional-aes-256-cbc.pem",
    ] {
        assert!(
            holds_our_key(&read(name, "secret").unwrap_or_else(|error| panic!("{name}: {error}"))),
            "{name}"
        );
        assert_eq!(read(name, "wrong").unwrap_err(), Error::WrongPassword, "{name}");
        assert_eq!(read_any(&data(name), None).unwrap_err(), Error::PasswordNeeded, "{name}");
    }
    for name in ["v1-pbe-sha1-rc4-128.pem", "scrypt.pem"] {
        assert!(matches!(read(name, "secret"), Err(Error::Unsupported { .. })), "{name}");
    }
}

#[test]
fn pkcs12_of_old_tools_of_java_and_without_protection_is_read() {
    for (name, password) in [("legacy.p12", "secret"), ("empty-password.p12", ""), ("open.p12", "anything")] {
        let entries = read(name, password).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(holds_our_key(&entries), "{name}");
        assert_eq!(entries[0].alias.as_deref(), Some("fixture"));
        assert_eq!(entries[0].chain.len(), 1);
    }
    // No password at all opens what needs none, and the empty password.
    assert!(holds_our_key(&read_any(&data("open.p12"), None).unwrap()));
    assert!(holds_our_key(&read_any(&data("empty-password.p12"), None).unwrap()));
    assert_eq!(read_any(&data("legacy.p12"), None).unwrap_err(), Error::PasswordNeeded);
    assert_eq!(read("legacy.p12", "Secret").unwrap_err(), Error::WrongPassword);

    let trust = read("trust-only.p12", "secret1").unwrap();
    assert!(trust.len() == 1 && trust[0].trusted && trust[0].key.is_none());
    assert_eq!(trust[0].alias.as_deref(), Some("anchor"));
    let secret = read("java-secret.p12", "secret1").unwrap();
    assert!(secret.len() == 1 && matches!(secret[0].unusable, Some(Error::Unsupported { .. })));
}

#[test]
fn jceks_gives_secret_keys_and_keys_with_a_password_of_their_own() {
    let octets = data("secret.jceks");
    let (store, own) = (Password::new("secret1"), Password::new("another1"));
    let entries = read_any(&octets, Some(&store)).unwrap();
    let find = |entries: &[Entry], alias: &str| {
        entries.iter().position(|entry| entry.alias.as_deref() == Some(alias)).unwrap()
    };
    for (alias, algorithm, hex) in [
        ("aes", "AES", "fab171f6a010f6e451a70fcd7e012c3a"),
        ("des3", "DESede", "075879a473256e135216913d8980b36280fbb907769ee08c"),
    ] {
        let (name, secret) = entries[find(&entries, alias)].secret.as_ref().unwrap();
        assert_eq!(name, algorithm);
        let shown =
            secret.expose(|octets| octets.iter().map(|octet| format!("{octet:02x}")).collect::<String>());
        assert_eq!(shown, hex);
    }
    let pair = &entries[find(&entries, "ec")];
    assert!(pair.key.is_none() && pair.unusable == Some(Error::WrongPassword) && pair.chain.len() == 1);
    let entries = read_with(&octets, Some(&store), Some(&own)).unwrap();
    let pair = &entries[find(&entries, "ec")];
    assert_eq!(pair.key.as_ref().unwrap().public(), pair.chain[0].public_key().unwrap());
    assert_eq!(read_any(&octets, Some(&own)).unwrap_err(), Error::WrongPassword);
    assert_eq!(read_any(&octets, None).unwrap_err(), Error::PasswordNeeded);
    for cut in [8, 12, 40, octets.len() - 1] {
        assert!(read_any(&octets[..cut], Some(&store)).is_err());
    }
}

#[test]
fn files_are_told_apart_by_their_contents() {
    for (name, format) in [
        ("cert.pem", Format::Pem),
        ("legacy.p12", Format::Pkcs12),
        ("trust-only.p12", Format::Pkcs12),
        ("secret.jceks", Format::Jceks),
    ] {
        assert_eq!(detect(&data(name)), Some(format), "{name}");
    }
    for nothing in [&b""[..], b"hello", b"PK\x03\x04", b"\x7fELF", b"-----BEGIN"] {
        assert_eq!(read_any(nothing, None).unwrap_err(), Error::UnknownFormat);
    }
}

#[test]
fn der_files_hold_what_their_shape_says() {
    let der = |name: &str| {
        let text = String::from_utf8(data(name)).unwrap();
        let body: String = text.lines().filter(|line| !line.starts_with('-')).collect();
        bartizan_crypto::base64::decode(&body).unwrap()
    };
    assert!(holds_our_key(&read_any(&der("sec1.pem"), None).unwrap()));
    assert!(holds_our_key(&read_any(&der("pkcs8.pem"), None).unwrap()));
    let secret = Password::new("secret");
    assert!(holds_our_key(&read_any(&der("v2-aes-256-cbc.pem"), Some(&secret)).unwrap()));
    assert_eq!(read_any(&der("pub.pem"), None).unwrap()[0].public, Some(public()));
    let certificate = read_any(&der("cert.pem"), None).unwrap().remove(0).chain.remove(0);
    assert_eq!(certificate.public_key().unwrap(), &public());
    let trailing = [der("cert.pem"), vec![0]].concat();
    assert_eq!(read_any(&trailing, None).unwrap_err(), Error::UnknownFormat);
}

#[test]
fn pem_files_hold_many_things_between_any_text() {
    let text = |name: &str| String::from_utf8(data(name)).unwrap();
    let all = format!(
        "\u{feff}Bag Attributes\r\n{}\nnotes: x\n{}{}",
        text("cert.pem").replace('\n', "\r\n"),
        text("pkcs8.pem"),
        text("pub.pem")
    );
    let entries = read_any(all.as_bytes(), None).unwrap();
    assert_eq!(entries.len(), 2);
    assert!(entries[0].key.is_some() && entries[0].chain.len() == 1 && entries[1].public.is_some());
    assert_eq!(super::identities(&entries).unwrap().len(), 1);

    for (broken, line) in [
        ("x\n-----BEGIN CERTIFICATE-----\nAAAA\n", 2),
        ("-----BEGIN CERTIFICATE-----\nAAAA\n-----END X-----\n", 3),
        ("-----BEGIN CERTIFICATE-----\n!!!!\n-----END CERTIFICATE-----\n", 1),
        ("-----BEGIN SOMETHING-----\nAAAA\n-----END SOMETHING-----\n", 1),
        ("\n-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", 2),
    ] {
        match read_any(broken.as_bytes(), None) {
            Err(Error::Pem { line: found, .. }) => assert_eq!(found, line, "{broken}"),
            other => panic!("{broken}: {other:?}"),
        }
    }
    let request = "-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n-----END CERTIFICATE REQUEST-----\n";
    assert!(matches!(read_any(request.as_bytes(), None), Err(Error::Unsupported { .. })));
}

#[test]
fn a_key_from_one_file_and_certificates_from_another_make_an_identity() {
    let keys = read_any(&data("pkcs8.pem"), None).unwrap();
    let certificates = read_any(&data("cert.pem"), None).unwrap();
    assert_eq!(super::pair(&keys, &certificates).unwrap().leaf().subject(), "CN=fixture,O=fixture");
    assert_eq!(super::pair(&certificates, &certificates).unwrap_err(), Error::NoCertificate);
    assert_eq!(super::pair(&keys, &keys).unwrap_err(), Error::NoCertificate);
    let stranger = crate::forge::Forge::new("A", "Root", 1).signed_by(0);
    let others = [Entry { chain: vec![stranger], ..Entry::default() }];
    assert_eq!(super::pair(&keys, &others).unwrap_err(), Error::KeyMismatch);
    let mut two = read_any(&data("pkcs8.pem"), None).unwrap();
    two.append(&mut read_any(&data("sec1.pem"), None).unwrap());
    assert_eq!(super::pair(&two, &certificates).unwrap_err(), Error::Ambiguous);
}

#[test]
fn limit_octets_of_a_store() {
    let mut octets = data("cert.pem");
    octets.resize(MAX_STORE, b'\n');
    assert_eq!(read_any(&octets, None).unwrap().len(), 1);
    octets.push(b'\n');
    assert!(matches!(read_any(&octets, None), Err(Error::TooMuch { limit: MAX_STORE, .. })));
}

#[test]
fn limit_entries_of_a_store() {
    let key = String::from_utf8(data("pub.pem")).unwrap();
    let entries = read_any(key.repeat(MAX_ENTRIES).as_bytes(), None).unwrap();
    assert_eq!(entries.len(), MAX_ENTRIES);
    let error = read_any(key.repeat(MAX_ENTRIES + 1).as_bytes(), None).unwrap_err();
    assert!(matches!(error, Error::TooMuch { limit: MAX_ENTRIES, .. }));
}

/// A PKCS#12 without integrity whose one safe holds these bags.
fn pkcs12(bags: &[u8]) -> Vec<u8> {
    let data = |contents: &[u8]| {
        write::sequence(&[&write::oid(oid::DATA), &write::tlv(context(0), &[&write::octets(contents)])])
    };
    write::sequence(&[&write::small(3), &data(&write::sequence(&[&data(bags)]))])
}

#[test]
fn limit_nested_bags_of_pkcs12() {
    let nested = |depth: usize| {
        let mut bags = write::sequence(&[]);
        for _ in 0..depth {
            let bag = [write::oid(oid::SAFE_CONTENTS_BAG), write::tlv(context(0), &[&bags])];
            bags = write::sequence(&[&write::sequence(&[&bag[0], &bag[1]])]);
        }
        pkcs12(&bags)
    };
    assert!(read_any(&nested(8), None).is_ok());
    assert!(matches!(read_any(&nested(9), None), Err(Error::TooMuch { limit: 8, .. })));
}

#[test]
fn limit_iterations_of_a_key_derivation() {
    let store = |iterations: u32| {
        let parameters = write::sequence(&[&write::octets(&[0; 8]), &write::small(iterations)]);
        let algorithm = write::sequence(&[&write::oid(oid::PBE_SHA1_3DES), &parameters]);
        write::sequence(&[&algorithm, &write::octets(&[0; 8])])
    };
    let password = Password::new("x");
    assert!(matches!(
        read_any(&store(5_000_001), Some(&password)),
        Err(Error::TooMuch { limit: 5_000_000, .. })
    ));
    assert_eq!(read_any(&store(2), Some(&password)).unwrap_err(), Error::WrongPassword);
    assert!(matches!(read_any(&store(0), Some(&password)), Err(Error::Encoding { .. })));
}

#[test]
fn pkcs12_in_streamed_ber_is_read() {
    // The outer levels with indefinite lengths, the content in two pieces.
    let der = data("open.p12");
    let mut pfx = crate::der::whole(&der, crate::der::SEQUENCE, "test").unwrap();
    pfx.small("test").unwrap();
    let mut safe = pfx.inside(crate::der::SEQUENCE, "test").unwrap();
    safe.oid("test").unwrap();
    let content = safe.inside(context(0), "test").unwrap().any("test").unwrap().value;
    let (first, second) = content.split_at(content.len() / 2);
    let mut ber = vec![0x30, 0x80, 2, 1, 3, 0x30, 0x80];
    ber.extend(write::oid(oid::DATA));
    ber.extend([0xa0, 0x80, 0x24, 0x80]);
    ber.extend(write::octets(first));
    ber.extend(write::octets(second));
    ber.extend([0; 10]);
    assert!(holds_our_key(&read_any(&ber, None).unwrap()));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_octets_are_read_or_refused(
        head in prop::sample::select(vec![
            &b""[..], b"0\x80", b"0\x82\x01\x00\x02\x01\x03", b"0\x30\x06", b"\xfe\xed\xfe\xed\0\0\0\x02",
            b"\xce\xce\xce\xce\0\0\0\x02\0\0\0\x01\0\0\0\x03", b"-----BEGIN PRIVATE KEY-----\n",
        ]),
        octets in prop::collection::vec(any::<u8>(), 0..300),
    ) {
        let whole = [head, &octets].concat();
        let _ = read_any(&whole, Some(&Password::new("x")));
        let _ = read_any(&octets, None);
    }

    #[test]
    fn damaged_files_are_read_or_refused(
        name in prop::sample::select(vec!["open.p12", "cert.pem", "pkcs8.pem", "sec1.pem", "pub.pem", "traditional-des.pem"]),
        at in any::<prop::sample::Index>(),
        octet in any::<u8>(),
        cut in any::<bool>(),
    ) {
        let mut octets = data(name);
        let at = at.index(octets.len());
        octets[at] = octet;
        if cut {
            octets.truncate(at);
        }
        let _ = read_any(&octets, Some(&Password::new("secret")));
    }
}

proptest! {
    // Each case derives three keys.
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    /// The integrity code would hide the entries from damage, so it is made right again.
    #[test]
    fn damaged_jceks_entries_are_read_or_refused(at in any::<prop::sample::Index>(), octet in any::<u8>()) {
        let mut octets = data("secret.jceks");
        let end = octets.len() - 20;
        octets[4 + at.index(end - 4)] = octet;
        let password = Password::new("secret1");
        let parts: [&[u8]; 3] = [&password.utf16(), super::jks::WHITENER, &octets[..end]];
        let digest = super::pbe::kdf::Md::Sha1.digest(&parts);
        octets[end..].copy_from_slice(&digest);
        let _ = read_any(&octets, Some(&password));
    }
}
