#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic, reason = "tests")]

use bartizan_crypto::random::SystemRandom;
use bartizan_keys::Time;
use bartizan_keys::pki::{DemoOptions, DemoPki};

use super::*;
use crate::keyset::properties::parse;

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let now = Time::parse_rfc3339("2026-11-30T12:00:00Z").unwrap();
    let pki = DemoPki::generate(&DemoOptions { rsa_bits: 2048, now, jks: true }, &SystemRandom).unwrap();
    for file in &pki.files {
        file.contents.expose(|octets| fs::write(folder.path().join(&file.name), octets)).unwrap();
    }
    folder
}

fn load(folder: &tempfile::TempDir, text: &str) -> Result<Keystore, Problem> {
    let path = folder.path().join("crypto.properties");
    fs::write(&path, text).unwrap();
    Merlin::read(&path)?.load(&KeySet::default(), 2048, ChainAlgorithms::Modern)
}

fn pairs(text: &str) -> Vec<(String, String, usize)> {
    let found = parse(text.as_bytes()).unwrap();
    found.into_iter().map(|one| (one.name, one.value.expose(String::clone), one.line)).collect()
}

#[test]
fn properties_are_read_as_java_reads_them() {
    let text = "# comment \\\n! another\n\n  a.b = c d \n e:f\ng h\ni\\ j\\:k==l\nm = n\\\n    o\\\\\nu=\\u00e9\\t\\q\nlast";
    let expected = [
        ("a.b", "c d ", 4),
        ("e", "f", 5),
        ("g", "h", 6),
        ("i j:k", "=l", 7),
        ("m", "no\\", 8),
        ("u", "é\tq", 10),
        ("last", "", 11),
    ];
    let expected: Vec<_> = expected.iter().map(|(n, v, l)| ((*n).to_owned(), (*v).to_owned(), *l)).collect();
    assert_eq!(pairs(text), expected);
    assert_eq!(parse(b"a=1\nb=\\u12").unwrap_err(), 2);
}

#[test]
fn each_property_changes_the_keys() {
    let folder = folder();
    let password = fs::read_to_string(folder.path().join("password")).unwrap();
    let password = password.trim_end();
    for prefix in ["org.apache.ws.security.crypto.merlin.", "org.apache.wss4j.crypto.merlin."] {
        let key = format!("{prefix}keystore.file = server.jks\n{prefix}keystore.password={password}\n");
        let plain = load(&folder, &key).unwrap();
        assert!(plain.identity().is_some());
        // The type, the password, the alias, the key's password: wrong ones are refused.
        assert!(load(&folder, &format!("{key}{prefix}keystore.type=JKS\n")).is_ok());
        assert!(load(&folder, &format!("{key}{prefix}keystore.type=PKCS12\n")).is_err());
        assert!(load(&folder, &format!("{key}{prefix}keystore.password=other\n")).is_err());
        assert!(matches!(
            load(&folder, &format!("{key}{prefix}keystore.alias=nobody\n")),
            Err(Problem::NoKey(_))
        ));
        assert!(load(&folder, &format!("{key}{prefix}keystore.private.password=other\n")).is_err());
        // Trust: of another store, with its own password and type.
        let trust = format!("{key}{prefix}truststore.file=ca.pem\n");
        assert_eq!(load(&folder, &trust).unwrap().trust().anchors().count(), 1);
        let stored = format!("{key}{prefix}truststore.file=client.jks\n");
        assert!(load(&folder, &stored).is_err(), "the store is locked");
        let opened = format!("{stored}{prefix}truststore.password={password}\n");
        assert!(load(&folder, &opened).is_ok());
        assert!(load(&folder, &format!("{opened}{prefix}truststore.type=PKCS12\n")).is_err());
        assert!(load(&folder, &format!("{trust}{prefix}x509crl.file=ca.crl\n")).is_ok());
        assert!(load(&folder, &format!("{trust}{prefix}x509crl.file=ca.pem\n")).is_err());
    }
}

#[test]
fn what_is_wrong_with_a_store_names_the_line_of_the_properties() {
    let folder = folder();
    let prefix = "org.apache.wss4j.crypto.merlin.keystore.";
    let password = fs::read_to_string(folder.path().join("password")).unwrap();
    for (text, line, words) in [
        (
            format!("{prefix}password=a\n{prefix}file=nowhere.jks\n"),
            2,
            "nowhere.jks cannot be read: no such file",
        ),
        (format!("{prefix}file=server.jks\n{prefix}password=c2VjcmV0\n"), 2, "the password does not open"),
        (format!("\n{prefix}file=server.p12\n"), 2, "has a password, which is said nowhere"),
        (
            format!("{prefix}file=server.jks\n{prefix}type=PKCS12\n{prefix}password={password}"),
            2,
            "is no PKCS12",
        ),
    ] {
        let error = load(&folder, &text).unwrap_err();
        let Problem::Merlin { line: found, path, .. } = &error else { panic!("{error}") };
        assert_eq!((*found, path.file_name().unwrap().to_str().unwrap()), (line, "crypto.properties"));
        assert!(error.to_string().contains(words), "{error}");
        assert!(!error.to_string().contains("c2VjcmV0"), "{error}");
    }
}

#[test]
fn what_is_refused_says_why_and_never_shows_a_value() {
    let folder = folder();
    for (text, word) in [
        ("org.apache.wss4j.crypto.merlin.keystore.password=ENC(c2VjcmV0)", "encrypted"),
        ("org.apache.wss4j.crypto.merlin.keystore.passwrd=c2VjcmV0", "no property"),
        ("keystore.password=c2VjcmV0", "no property"),
        ("org.apache.wss4j.crypto.merlin.load.cacerts=true", "refused"),
        ("org.apache.wss4j.crypto.provider=org.apache.wss4j.common.crypto.MerlinDevice", "only Merlin"),
    ] {
        let error = load(&folder, &format!("# first\n{text}\n")).unwrap_err();
        let Problem::Merlin { line, .. } = &error else { panic!("{error}") };
        assert_eq!(*line, 2);
        assert!(error.to_string().contains(word), "{error}");
        assert!(!error.to_string().contains("c2VjcmV0"), "{error}");
    }
    let fine = "org.apache.wss4j.crypto.provider=org.apache.wss4j.common.crypto.Merlin\n\
                org.apache.wss4j.crypto.merlin.load.cacerts=false\norg.apache.wss4j.crypto.merlin.truststore.file=ca.pem\n";
    assert!(load(&folder, fine).is_ok());
    assert!(load(&folder, "# nothing\n").is_err());
}
