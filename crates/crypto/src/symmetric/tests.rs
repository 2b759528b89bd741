use super::*;
use crate::alg::Alg;

fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> = hex.bytes().collect();
    digits.chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

/// RFC 2202 test case 2 and RFC 4231 test case 2.
const JEFE: [(SignatureAlg, &str); 5] = [
    (SignatureAlg::HmacSha1, "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"),
    (SignatureAlg::HmacSha224, "a30e01098bc6dbbf45690f3a7e9e6d0f8bbea2a39e6148008fd05e44"),
    (SignatureAlg::HmacSha256, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
    (
        SignatureAlg::HmacSha384,
        "af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e8e2240ca5e69e2c78b3239ecfab21649",
    ),
    (
        SignatureAlg::HmacSha512,
        "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fd\
         caeab1a34d4a6b4b636e070a38bce737",
    ),
];

#[test]
fn hmac_gives_the_values_of_the_rfcs_whole_and_in_pieces() {
    let key = SymmetricKey::new(b"Jefe".to_vec());
    let message = b"what do ya want for nothing?";
    for (alg, expected) in JEFE {
        let expected = bytes(expected);
        assert_eq!(key.mac(alg, message).unwrap(), expected, "{alg}");
        assert_eq!(key.verify_mac(alg, message, &expected), Ok(()));
        let mut mac = Mac::new(alg, &key).unwrap();
        mac.update(&message[..5]);
        mac.update(&message[5..]);
        assert_eq!(mac.verify(&expected), Ok(()));
    }
}

/// RFC 4231 test case 6: a key longer than the block.
#[test]
fn hmac_with_a_long_key_gives_the_value_of_rfc_4231() {
    let key = SymmetricKey::new(vec![0xaa; 131]);
    let message = b"Test Using Larger Than Block-Size Key - Hash Key First";
    assert_eq!(
        key.mac(SignatureAlg::HmacSha256, message).unwrap(),
        bytes("60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
    );
}

#[test]
fn shortened_lengthened_and_flipped_codes_are_refused() {
    let key = SymmetricKey::new(b"a shared key".to_vec());
    for (alg, _) in JEFE {
        let mac = key.mac(alg, b"message").unwrap();
        for len in 0..mac.len() {
            assert_eq!(key.verify_mac(alg, b"message", &mac[..len]), Err(Error::Failed));
            assert_eq!(Mac::new(alg, &key).unwrap().verify(&mac[..len]), Err(Error::Failed));
        }
        assert_eq!(key.verify_mac(alg, b"message", &[mac.clone(), vec![0]].concat()), Err(Error::Failed));
        for bit in 0..mac.len() * 8 {
            let mut bad = mac.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(key.verify_mac(alg, b"message", &bad), Err(Error::Failed));
        }
    }
}

#[test]
fn a_method_of_key_pairs_and_an_empty_key_make_no_code() {
    let key = SymmetricKey::new(vec![1; 16]);
    for alg in SignatureAlg::ALL.iter().copied().filter(|alg| !alg.is_mac()) {
        assert_eq!(key.mac(alg, b""), Err(Error::Unsupported(Alg::Signature(alg))));
    }
    assert_eq!(SymmetricKey::new(Vec::new()).mac(SignatureAlg::HmacSha256, b""), Err(Error::KeyTooSmall));
}

#[test]
fn debug_shows_no_octet_of_a_key() {
    let key = SymmetricKey::new(vec![0xab; 16]);
    assert_eq!(format!("{key:?}"), "SymmetricKey(128 bits)");
    assert_eq!(format!("{:?}", Secret::new(vec![0xab; 16])), "Secret");
}
