use bartizan_crypto::Curve;
use bartizan_crypto::suite::{SignatureReading, by_name};

use super::*;

fn floor(suite: &str) -> Floor {
    let suite = by_name(suite).unwrap();
    Floor::of_suite(suite, suite.signature(SignatureReading::Specification))
}

fn covered() -> Covered {
    Covered { parts: vec![vec![b'b'; 3000], vec![b't'; 200]], signed_info: vec![b's'; 700] }
}

#[test]
fn what_was_signed_verifies_and_a_changed_part_does_not() {
    let (rsa, ec) = (PrivateKey::generate_rsa(1024).unwrap(), PrivateKey::generate_ec(Curve::P256).unwrap());
    for (suite, key) in [("Basic256", &rsa), ("modern-rsa", &rsa), ("modern-ec", &ec)] {
        let floor = floor(suite);
        let mut signed = floor.signed(key, covered()).unwrap();
        assert!(floor.verify(key.public(), &signed).is_ok(), "{suite}");
        signed.covered.parts[1][7] ^= 1;
        assert!(floor.verify(key.public(), &signed).is_err(), "{suite}");
    }
}

#[test]
fn what_was_encrypted_opens_and_changed_octets_do_not() {
    let (rsa, ec) = (PrivateKey::generate_rsa(1024).unwrap(), PrivateKey::generate_ec(Curve::P256).unwrap());
    for (suite, key) in [("Basic256", &rsa), ("Basic256GCM", &rsa), ("modern-ec", &ec)] {
        let floor = floor(suite);
        let mut sealed = floor.encrypt(key.public(), &[b'p'; 1000]).unwrap();
        assert_eq!(floor.decrypt(key, &sealed).unwrap(), [b'p'; 1000], "{suite}");
        assert!(sealed.content_len() > 1000);
        sealed.key[3] ^= 1;
        assert!(floor.decrypt(key, &sealed).is_err(), "{suite}");
    }
}
