//! The demo PKI: its files, read back by our own readers and judged by our own trust.

use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

use bartizan_crypto::random::SystemRandom;
use bartizan_crypto::{Curve, KeyKind};
use bartizan_keys::pki::{DemoOptions, DemoPki, Mode, NAMES};
use bartizan_keys::store::{self, Password};
use bartizan_keys::{AltName, Certificate, Error, KeyFolder, Keystore, Time, TokenRef, TrustReason};

const DAY: Duration = Duration::from_secs(86_400);

fn now() -> Time {
    Time::parse_rfc3339("2026-11-30T12:00:00Z").unwrap()
}

/// Keys are slow to make: all tests share these.
fn pki() -> &'static DemoPki {
    static PKI: OnceLock<DemoPki> = OnceLock::new();
    PKI.get_or_init(|| {
        let options = DemoOptions { rsa_bits: 2048, now: now(), jks: true };
        DemoPki::generate(&options, &SystemRandom).unwrap()
    })
}

fn file(name: &str) -> Vec<u8> {
    let file = pki().files.iter().find(|file| file.name == name).unwrap_or_else(|| panic!("no {name}"));
    file.contents.expose(|contents| contents.clone())
}

fn password() -> Password {
    Password::new(String::from_utf8(file("password")).unwrap().trim_end())
}

fn leaf(name: &str) -> Certificate {
    store::certificates(&store::read_any(&file(&format!("{name}.pem")), None).unwrap()).remove(0)
}

fn all_names() -> Vec<String> {
    NAMES.iter().flat_map(|name| [(*name).to_owned(), format!("{name}-ec")]).collect()
}

#[test]
fn the_folder_holds_exactly_the_documented_files() {
    let mut expected: Vec<String> = ["ca.pem", "ca.key", "ca.crl", "password", "server.jks", "client.jks"]
        .into_iter()
        .map(str::to_owned)
        .chain(all_names().iter().flat_map(|name| ["pem", "key", "p12"].map(|kind| format!("{name}.{kind}"))))
        .collect();
    let mut names: Vec<String> = pki().files.iter().map(|file| file.name.clone()).collect();
    expected.sort();
    names.sort();
    assert_eq!(names, expected);
    for file in &pki().files {
        let public = file.name.ends_with(".pem") || file.name.ends_with(".crl");
        assert_eq!(file.mode == Mode::Public, public, "{}", file.name);
    }
}

#[test]
fn certificates_carry_the_documented_facts() {
    let mut serials = std::collections::HashSet::new();
    let ca = leaf("ca");
    assert!(ca.is_ca() && ca.is_self_issued());
    for name in all_names() {
        let certificate = leaf(&name);
        assert!(serials.insert(certificate.serial_decimal()));
        assert_eq!(certificate.subject(), format!("CN={name},OU=demo,O=bartizan"));
        assert_eq!(certificate.issuer(), "CN=Demo CA,OU=demo,O=bartizan");
        assert_eq!(certificate.version(), 3);
        assert!(!certificate.is_ca());
        assert!(certificate.sans().contains(&AltName::Dns("localhost".to_owned())));
        assert!(certificate.usage().may_sign() && certificate.usage().may_encrypt());
        assert_eq!(certificate.ski().unwrap().len(), 20);
        let kind = certificate.public_key().unwrap().kind();
        assert_eq!(kind, if name.ends_with("-ec") { KeyKind::Ec(Curve::P256) } else { KeyKind::Rsa });
        if !name.starts_with("expired") {
            assert_eq!(certificate.not_after(), now() + DAY * 3652);
            assert_eq!(certificate.not_after(), ca.not_after());
        }
    }
    assert!(serials.insert(ca.serial_decimal()));
}

#[test]
fn stores_hold_the_same_keys_as_the_pem_files() {
    for name in all_names() {
        let entries = store::read_any(&file(&format!("{name}.p12")), Some(&password())).unwrap();
        let identities = store::identities(&entries).unwrap();
        let [(Some(alias), identity)] = identities.as_slice() else { panic!("{name}: {entries:?}") };
        assert_eq!(*alias, name);
        assert_eq!(*identity.leaf(), leaf(&name));
        assert_eq!(identity.chain().len(), 2);
        let key = store::read_any(&file(&format!("{name}.key")), None).unwrap();
        assert_eq!(key[0].key.as_ref().unwrap().public(), identity.key().public());
    }
    for (own, peer) in [("server", "client"), ("client", "server")] {
        let entries = store::read_any(&file(&format!("{own}.jks")), Some(&password())).unwrap();
        let aliases: Vec<_> = entries.iter().map(|entry| entry.alias.as_deref().unwrap()).collect();
        assert_eq!(aliases, [own, "ca", peer]);
        assert_eq!(entries[0].chain[0], leaf(own));
        assert_eq!(store::identities(&entries).unwrap().len(), 1);
        assert!(entries[1].trusted && entries[2].trusted && !entries[0].trusted);
    }
}

#[test]
fn a_wrong_password_is_told_as_such() {
    for store_name in ["server.p12", "server-ec.p12", "server.jks"] {
        let octets = file(store_name);
        let wrong = store::read_any(&octets, Some(&Password::new("wrong"))).unwrap_err();
        assert_eq!(wrong, Error::WrongPassword, "{store_name}");
        assert_eq!(store::read_any(&octets, None).unwrap_err(), Error::PasswordNeeded, "{store_name}");
    }
}

#[test]
fn good_ones_are_trusted_and_expired_and_revoked_ones_are_not() {
    let server = pki().keystore("server", Some("client"), 2048).unwrap();
    for name in all_names() {
        let verdict = server.verify_der(leaf(&name).der(), &[], now()).map(|known| known.path.clone());
        match name.trim_end_matches("-ec") {
            "expired" => assert_eq!(verdict.unwrap_err(), Error::Trust(TrustReason::Expired)),
            "revoked" => assert_eq!(verdict.unwrap_err(), Error::Trust(TrustReason::Revoked)),
            _ => {
                let path = verdict.unwrap();
                assert_eq!(path.chain.len(), 2);
                assert_eq!(path.revocation_checked, 1);
                assert_eq!(path.valid_until, now() + DAY * 3652 - Duration::from_millis(1));
            }
        }
    }
    let later = server.verify_der(leaf("client").der(), &[], now() + DAY * 3653);
    assert_eq!(later.unwrap_err(), Error::Trust(TrustReason::Expired));
    let before = server.verify_der(leaf("expired").der(), &[], now() - DAY * 30).unwrap();
    assert_eq!(before.certificate, leaf("expired"));
}

#[test]
fn every_reference_form_finds_its_certificate() {
    let client = pki().keystore("client", Some("server"), 2048).unwrap();
    let wanted = leaf("server");
    assert_eq!(client.peer(), Some(&wanted));
    assert_eq!(client.identity().unwrap().leaf(), &leaf("client"));
    let (issuer, serial) = (wanted.issuer(), wanted.serial_decimal());
    let forms = [
        TokenRef::ThumbprintSha1(&wanted.thumbprint_sha1()),
        TokenRef::ThumbprintSha256(&wanted.thumbprint_sha256()),
        TokenRef::Ski(wanted.ski().unwrap()),
        TokenRef::IssuerSerial { issuer: &issuer, serial: &serial },
        TokenRef::IssuerSerial { issuer: "O=bartizan, OU=demo, CN=Demo CA", serial: &serial },
        TokenRef::IssuerSerial {
            issuer: "cn=\"Demo CA\" ; ou=demo;o=bartizan",
            serial: &format!(" 00{serial}\n"),
        },
        TokenRef::Der(wanted.der()),
        TokenRef::KeyName("server"),
        TokenRef::KeyName("CN=server,OU=demo,O=bartizan"),
        TokenRef::SubjectName("CN=server,OU=demo,O=bartizan"),
    ];
    for form in &forms {
        assert_eq!(client.certificate(form).unwrap().as_ref(), Some(&wanted), "{form:?}");
        assert!(client.own_key(form).unwrap().is_none(), "{form:?}");
    }
    let server = pki().keystore("server", None, 2048).unwrap();
    for form in &forms {
        assert_eq!(server.own_key(form).unwrap().unwrap().leaf(), &wanted, "{form:?}");
    }
    for nothing in [
        TokenRef::ThumbprintSha1(&[0; 20]),
        TokenRef::ThumbprintSha1(&wanted.thumbprint_sha1()[..19]),
        TokenRef::IssuerSerial { issuer: &issuer, serial: "1" },
        TokenRef::IssuerSerial { issuer: "nonsense", serial: &serial },
        TokenRef::IssuerSerial { issuer: &issuer, serial: "one" },
        TokenRef::KeyName("../server"),
    ] {
        assert!(client.certificate(&nothing).unwrap().is_none(), "{nothing:?}");
    }
}

#[test]
fn a_folder_is_written_once_read_back_and_never_overwritten() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("keys");
    let folder = KeyFolder::create(&path, pki()).unwrap();
    let keystore = Keystore::from_folder(&path, "client-ec", Some("server-ec")).unwrap();
    assert_eq!(keystore.identity().unwrap().leaf(), &leaf("client-ec"));
    assert_eq!(keystore.trust().crl_count(), 1);
    #[cfg(unix)]
    for file in &pki().files {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(path.join(&file.name)).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode & 0o077 == 0, file.mode == Mode::Private, "{}", file.name);
    }
    // One file that is there keeps all others from being written.
    std::fs::remove_file(path.join("ca.pem")).unwrap();
    assert!(matches!(KeyFolder::create(&path, pki()), Err(Error::Exists { .. })));
    assert!(!path.join("ca.pem").exists());
    let missing = folder.load("client", None, 2048).unwrap_err();
    assert!(matches!(missing, Error::Io { kind: std::io::ErrorKind::NotFound, .. }));
    std::fs::write(path.join("ca.pem"), "no certificate").unwrap();
    assert!(matches!(folder.load("client", None, 2048).unwrap_err(), Error::InFile { .. }));
}

#[test]
fn a_folder_without_key_files_is_read_from_its_stores() {
    let dir = tempfile::tempdir().unwrap();
    let folder = KeyFolder::create(dir.path().join("keys"), pki()).unwrap();
    std::fs::remove_file(folder.path().join("client.key")).unwrap();
    let keystore = folder.load("client", Some("server"), 2048).unwrap();
    assert_eq!(keystore.identity().unwrap().leaf(), &leaf("client"));
}

#[test]
fn keys_of_the_period_need_the_smaller_minimum() {
    let options = DemoOptions { rsa_bits: 1024, now: now(), jks: false };
    let pki = DemoPki::generate(&options, &SystemRandom).unwrap();
    let strict = pki.keystore("server", Some("client"), 2048).unwrap();
    let client = strict.peer().unwrap().clone();
    assert_eq!(client.public_key().unwrap().bits(), 1024);
    assert_eq!(strict.verify(&client, &[], now()).unwrap_err(), Error::Trust(TrustReason::KeyTooSmall));
    let lenient = pki.keystore("server", Some("client"), 1024).unwrap();
    assert_eq!(lenient.verify(&client, &[], now()).unwrap().path.chain.len(), 2);
}

/// The tools that others will use read what we write. They are no condition of the build: where one is
/// missing, this is said.
// Running other programs is for tests only.
#[allow(clippy::disallowed_methods)]
#[test]
fn other_tools_read_the_stores_where_they_are_installed() {
    let dir = tempfile::tempdir().unwrap();
    let folder = KeyFolder::create(dir.path().join("keys"), pki()).unwrap();
    let run = |program: &str, args: &[&str]| match Command::new(program)
        .current_dir(folder.path())
        .args(args)
        .output()
    {
        Ok(output) => {
            assert!(output.status.success(), "{program} {args:?}: {output:?}");
            String::from_utf8_lossy(&output.stdout).into_owned()
        }
        Err(_) => {
            println!("SKIPPED: {program} is not installed");
            String::new()
        }
    };
    for name in all_names() {
        let store = format!("{name}.p12");
        run("openssl", &["pkcs12", "-in", &store, "-passin", "file:password", "-noenc", "-info"]);
        if name == "server" || name == "server-ec" || name == "client" {
            let pem = format!("{name}.pem");
            run(
                "openssl",
                &[
                    "verify",
                    "-attime",
                    "1796040000",
                    "-CAfile",
                    "ca.pem",
                    "-CRLfile",
                    "ca.crl",
                    "-crl_check",
                    &pem,
                ],
            );
        }
    }
    for store in ["server.p12", "client-ec.p12", "server.jks", "client.jks"] {
        let listed = run("keytool", &["-list", "-v", "-keystore", store, "-storepass:file", "password"]);
        assert!(listed.is_empty() || listed.contains("PrivateKeyEntry"), "{store}: {listed}");
        // Listing opens the store only; copying decrypts the key as well.
        let copy = format!("{store}.copy");
        let passwords = ["-srcstorepass:file", "password", "-deststorepass:file", "password"];
        let stores = ["-importkeystore", "-noprompt", "-srckeystore", store, "-destkeystore", &copy];
        run("keytool", &[&stores[..], &passwords[..]].concat());
        if folder.path().join(&copy).exists() {
            let octets = std::fs::read(folder.path().join(&copy)).unwrap();
            let entries = store::read_any(&octets, Some(&password())).unwrap();
            assert_eq!(store::identities(&entries).unwrap().len(), 1, "{store}: what Java wrote");
        }
    }
}
