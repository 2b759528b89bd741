//! Look-ups, ambiguity, and the cache of verdicts.

use super::cache::CAPACITY;
use super::{Identity, Keystore, TokenRef};
use crate::cert::Certificate;
use crate::error::Error;
use crate::forge::{DAY, Forge, ForgeCrl, extension, key, key_id, now};
use crate::trust::{TrustReason, TrustStore};
use bartizan_crypto::SymmetricKey;

fn root() -> Certificate {
    Forge::root("Root", 0).self_signed()
}

fn knowing(certificates: &[&Certificate]) -> Keystore {
    let mut builder = Keystore::builder();
    for certificate in certificates {
        builder = builder.certificate((*certificate).clone());
    }
    builder.build().unwrap()
}

#[test]
fn attack_sig_04_references_that_fit_two_certificates_are_ambiguous() {
    let same_serial = [
        Forge::new("A", "Root", 1).serial(&[5]).signed_by(0),
        Forge::new("B", "Root", 2).serial(&[5]).signed_by(0),
    ];
    let store = knowing(&[&same_serial[0], &same_serial[1]]);
    let reference = TokenRef::IssuerSerial { issuer: "CN=Root", serial: "5" };
    assert_eq!(store.certificate(&reference), Err(Error::Ambiguous));
    let exact = TokenRef::ThumbprintSha1(&same_serial[1].thumbprint_sha1());
    assert_eq!(store.certificate(&exact).unwrap().as_ref(), Some(&same_serial[1]));

    let chosen =
        extension(crate::der::oid::SUBJECT_KEY_IDENTIFIER, false, &crate::der::write::octets(b"same"));
    let same_ski = [
        Forge::new("A", "Root", 1).with(chosen.clone()).signed_by(0),
        Forge::new("B", "Root", 2).with(chosen).signed_by(0),
    ];
    let store = knowing(&[&same_ski[0], &same_ski[1]]);
    assert_eq!(store.certificate(&TokenRef::Ski(b"same")), Err(Error::Ambiguous));

    let same_name = [Forge::new("A", "Root", 1).signed_by(0), Forge::new("A", "Other", 2).signed_by(0)];
    let store = knowing(&[&same_name[0], &same_name[1]]);
    assert_eq!(store.certificate(&TokenRef::KeyName("CN=A")), Err(Error::Ambiguous));
    assert_eq!(store.certificate(&TokenRef::SubjectName("CN=A")), Err(Error::Ambiguous));
    let builder = Keystore::builder()
        .named_certificate("alias", same_name[0].clone())
        .named_certificate("alias", same_name[1].clone());
    assert_eq!(builder.build().unwrap().certificate(&TokenRef::KeyName("alias")), Err(Error::Ambiguous));
}

#[test]
fn attack_sig_04_names_and_prefixes_select_nothing_by_accident() {
    let certificate = Forge::new("A", "Root", 1).signed_by(0);
    let store = Keystore::builder().named_certificate("alias", certificate.clone()).build().unwrap();
    let print = certificate.thumbprint_sha1();
    for reference in [
        TokenRef::KeyName("ALIAS"),
        TokenRef::KeyName("alia"),
        TokenRef::KeyName("../alias"),
        TokenRef::KeyName("A"),
        TokenRef::KeyName(""),
        TokenRef::ThumbprintSha1(&print[..10]),
        TokenRef::ThumbprintSha256(&print),
        TokenRef::Ski(&[]),
        TokenRef::Der(&certificate.der()[1..]),
    ] {
        assert_eq!(store.certificate(&reference), Ok(None), "{reference:?}");
    }
    assert_eq!(store.certificate(&TokenRef::KeyName("alias")), Ok(Some(certificate)));
}

#[test]
fn one_certificate_known_in_several_roles_is_no_ambiguity() {
    let leaf = Forge::new("A", "Root", 1).signed_by(0);
    let root = root();
    let identity = Identity::new(key(1).clone(), vec![leaf.clone(), root.clone()]).unwrap();
    let store = Keystore::builder()
        .identity(identity)
        .peer(leaf.clone())
        .certificate(leaf.clone())
        .trust(TrustStore::builder().anchor(root.clone()).anchor(leaf.clone()).build())
        .build()
        .unwrap();
    assert_eq!(store.certificates().len(), 2);
    assert_eq!(store.certificate(&TokenRef::Ski(&key_id(1))), Ok(Some(leaf)));
    assert_eq!(store.certificate(&TokenRef::SubjectName("CN=Root")), Ok(Some(root)));
}

#[test]
fn a_renewed_certificate_for_the_same_key_still_finds_the_key() {
    let old = Forge::new("A", "Root", 1).serial(&[1]).signed_by(0);
    let new = Forge::new("A", "Root", 1).serial(&[2]).signed_by(0);
    let identity = |leaf: &Certificate| Identity::new(key(1).clone(), vec![leaf.clone()]).unwrap();
    let store = Keystore::builder().identity(identity(&new)).identity(identity(&old)).build().unwrap();
    assert_eq!(store.own_key(&TokenRef::Ski(&key_id(1))).unwrap().unwrap().leaf(), &new);
    let other = Forge::new("A", "Root", 2).serial(&[3]).signed_by(0);
    let other = Identity::new(key(2).clone(), vec![other]).unwrap();
    let store = Keystore::builder().identity(identity(&new)).identity(other).build().unwrap();
    assert_eq!(store.own_key(&TokenRef::SubjectName("CN=A")).unwrap_err(), Error::Ambiguous);
}

#[test]
fn an_identity_needs_a_certificate_for_its_key() {
    let leaf = Forge::new("A", "Root", 1).signed_by(0);
    assert_eq!(Identity::new(key(1).clone(), Vec::new()).unwrap_err(), Error::NoCertificate);
    assert_eq!(Identity::new(key(2).clone(), vec![leaf]).unwrap_err(), Error::KeyMismatch);
}

#[test]
fn bare_keys_and_secrets_have_names_that_are_there_once() {
    let secret = || SymmetricKey::new(vec![1; 16]);
    let store = Keystore::builder()
        .secret("shared", secret())
        .private_key(Some("own"), key(1).clone())
        .private_key(None, key(2).clone())
        .public_key(Some("theirs"), key(3).public().clone())
        .build()
        .unwrap();
    assert_eq!(store.secret("shared").unwrap().len(), 16);
    assert!(store.secret("other").is_none());
    assert_eq!(store.private_key("own").unwrap().public(), key(1).public());
    assert_eq!(store.public_key("theirs").unwrap(), key(3).public());
    assert_eq!((store.private_keys().len(), store.public_keys().len(), store.secrets().count()), (2, 1, 1));
    assert_eq!(store.min_rsa(), 2048);
    let twice = Keystore::builder().secret("shared", secret()).secret("shared", secret());
    assert_eq!(twice.build().unwrap_err(), Error::Ambiguous);
    let twice = Keystore::builder().public_key(Some("k"), key(1).public().clone());
    let twice = twice.public_key(Some("k"), key(2).public().clone());
    assert_eq!(twice.build().unwrap_err(), Error::Ambiguous);
}

#[test]
fn attack_sig_18_absurd_names_are_bounded() {
    let store = knowing(&[&root()]);
    let huge = format!("CN={}", "a".repeat(64 * 1024));
    let reference = TokenRef::IssuerSerial { issuer: &huge, serial: "1" };
    assert!(matches!(store.certificate(&reference), Err(Error::TooMuch { .. })));
    let digits = "9".repeat(64 * 1024);
    let reference = TokenRef::IssuerSerial { issuer: "CN=Root", serial: &digits };
    assert_eq!(store.certificate(&reference), Ok(None));
}

fn trusting(root: Certificate) -> Keystore {
    Keystore::builder().trust(TrustStore::builder().anchor(root).build()).build().unwrap()
}

#[test]
fn a_verdict_is_remembered_while_it_holds_and_no_longer() {
    let leaf = Forge::new("A", "Root", 1).valid(now() - DAY, now() + DAY).signed_by(0);
    let store = trusting(root());
    let first = store.verify_der(leaf.der(), &[], now()).unwrap();
    let again = store.verify_der(leaf.der(), &[], now()).unwrap();
    assert!(std::sync::Arc::ptr_eq(&first, &again));
    assert!(std::sync::Arc::ptr_eq(&first, &store.verify(&leaf, &[], now()).unwrap()));
    let after = store.verify_der(leaf.der(), &[], now() + DAY * 2).unwrap_err();
    assert_eq!(after, Error::Trust(TrustReason::Expired));
    let before = store.verify_der(leaf.der(), &[], now() - DAY * 2).unwrap_err();
    assert_eq!(before, Error::Trust(TrustReason::NotYetValid));
}

#[test]
fn attack_sig_20_a_verdict_ends_with_the_revocation_list_and_with_the_snapshot() {
    let leaf = Forge::new("A", "Root", 1).serial(&[7]).signed_by(0);
    let root = root();
    let with = |crl: ForgeCrl| {
        let trust = TrustStore::builder().anchor(root.clone()).crl(&crl.signed_by(0)).unwrap().build();
        Keystore::builder().trust(trust).build().unwrap()
    };
    let store = with(ForgeCrl::new("Root", &[]).until(Some(now() + DAY)));
    assert!(store.verify(&leaf, &[], now()).is_ok());
    let stale = store.verify(&leaf, &[], now() + DAY * 2).unwrap_err();
    assert_eq!(stale, Error::Trust(TrustReason::RevocationStale));
    // A reload is a new snapshot: nothing of the old one's memory is in it.
    let reloaded = with(ForgeCrl::new("Root", &[&[7]]));
    assert_eq!(reloaded.verify(&leaf, &[], now()).unwrap_err(), Error::Trust(TrustReason::Revoked));
    assert!(store.verify(&leaf, &[], now()).is_ok());
}

#[test]
fn refusals_are_not_remembered_and_key_usage_is_judged_every_time() {
    let stranger = Forge::new("A", "Nobody", 1).signed_by(3);
    let store = trusting(root());
    assert!(store.verify(&stranger, &[], now()).is_err());
    assert_eq!(store.0.cache.len(), 0);
    let middle = Forge::intermediate("Nobody", "Root", 3).signed_by(0);
    assert!(store.verify(&stranger, &[middle], now()).is_ok());
    // The path that was found then still stands without the helper.
    assert!(store.verify(&stranger, &[], now()).is_ok());
    let enciphers = Forge::new("B", "Root", 2).with(crate::forge::key_usage(&[2])).signed_by(0);
    for _ in 0..2 {
        assert_eq!(store.verify(&enciphers, &[], now()).unwrap_err(), Error::Trust(TrustReason::KeyUsage));
    }
}

#[test]
fn a_recent_verdict_is_for_those_very_octets_and_ends_with_its_time() {
    let store = trusting(root());
    let leaf = Forge::new("A", "Root", 1).signed_by(0);
    let der = leaf.der();
    assert!(store.verify_der(der, &[], now()).is_ok());
    assert!(store.0.cache.recent(der, now()).is_some());
    // Every other certificate with the same last octet meets the same place.
    for at in 0..der.len() - 1 {
        let mut changed = der.to_vec();
        changed[at] ^= 1;
        assert!(store.0.cache.recent(&changed, now()).is_none());
        assert!(store.verify_der(&changed, &[], now()).is_err(), "{at}");
    }
    assert!(store.verify_der(&der[..der.len() - 1], &[], now()).is_err());
    assert!(store.verify_der(&[], &[], now()).is_err());
    assert!(store.verify_der(der, &[], now() + DAY * 36_500).is_err());
    assert!(store.0.cache.recent(der, now()).is_some());
}

#[test]
fn limit_remembered_verdicts() {
    let store = trusting(root());
    let leaf = Forge::new("A", "Root", 1).signed_by(0);
    let verified = store.verify(&leaf, &[], now()).unwrap();
    for n in 0..=CAPACITY as u32 {
        let digest = crate::cert::sha256(&n.to_be_bytes()).unwrap();
        store.0.cache.put(digest, std::sync::Arc::clone(&verified));
        assert!(store.0.cache.len() <= CAPACITY);
    }
    assert!(store.0.cache.len() > CAPACITY / 4);
    assert!(store.verify(&leaf, &[], now()).is_ok());
}

#[test]
fn nothing_secret_is_printed() {
    let leaf = Forge::new("A", "Root", 1).signed_by(0);
    let identity = Identity::new(key(1).clone(), vec![leaf]).unwrap();
    let store =
        Keystore::builder().identity(identity.clone()).secret("shared", SymmetricKey::new(vec![0x41; 16]));
    let text = format!("{:?} {identity:?}", store.build().unwrap());
    let hex = key(1).to_pkcs8().unwrap().expose(|octets| format!("{:?}", &octets[octets.len() - 8..]));
    assert!(!text.contains("65, 65") && !text.contains("AAAA") && !text.contains(&hex[1..10]), "{text}");
    assert!(text.contains("CN=A"));
}
