#![allow(clippy::unwrap_used)]

use bartizan_crypto::base64;
use bartizan_crypto::random::SystemRandom;

use super::SealKey;
use crate::error::Error;

#[test]
fn a_sealed_password_opens_under_its_key_and_no_other() {
    let key = SealKey::read(&[7; 32]).unwrap();
    let text = key.seal("geh\u{e4}im ".as_bytes(), &SystemRandom).unwrap();
    assert_eq!(key.open(&text).unwrap().expose(Clone::clone), "geh\u{e4}im ".as_bytes());
    let other = SealKey::read(&[8; 32]).unwrap();
    assert_eq!(other.open(&text).unwrap_err(), Error::WrongPassword);
    assert_ne!(key.seal(b"a", &SystemRandom).unwrap(), key.seal(b"a", &SystemRandom).unwrap());
}

#[test]
fn a_changed_text_does_not_open() {
    let key = SealKey::read(&[7; 32]).unwrap();
    let mut octets = base64::decode(&key.seal(b"secret", &SystemRandom).unwrap()).unwrap();
    for at in 0..octets.len() {
        *octets.get_mut(at).unwrap() ^= 1;
        assert_eq!(key.open(&base64::encode(&octets)).unwrap_err(), Error::WrongPassword, "octet {at}");
        *octets.get_mut(at).unwrap() ^= 1;
    }
    assert_eq!(key.open("").unwrap_err(), Error::WrongPassword);
    assert_eq!(key.open("not base64").unwrap_err(), Error::Damaged { what: "sealed password (not base64)" });
}

#[test]
fn a_key_file_is_octets_or_their_base64() {
    let text = format!(" {}\n", base64::encode(&[7; 32]));
    let sealed = SealKey::read(&[7; 32]).unwrap().seal(b"secret", &SystemRandom).unwrap();
    assert!(SealKey::read(text.as_bytes()).unwrap().open(&sealed).is_ok());
    for wrong in [&b""[..], &[7; 31], &[7; 33], base64::encode(&[7; 16]).as_bytes()] {
        assert!(matches!(SealKey::read(wrong), Err(Error::Damaged { .. })), "{} octets", wrong.len());
    }
    assert_eq!(format!("{:?}", SealKey::read(&[7; 32]).unwrap()), "SealKey");
}
