use super::*;

fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> = hex.bytes().filter(u8::is_ascii_hexdigit).collect();
    digits.chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

fn hex(secret: &Secret) -> String {
    secret.expose(|octets| octets.iter().map(|octet| format!("{octet:02x}")).collect())
}

/// RFC 5869, test cases 1, 2 (SHA-256), 4, 5 and 7 (SHA-1).
#[test]
fn hkdf_gives_the_values_of_rfc_5869() {
    let run =
        |digest, ikm: &[u8], salt: &[u8], info: &[u8], len| hex(&hkdf(digest, ikm, salt, info, len).unwrap());
    let salt = bytes("000102030405060708090a0b0c");
    let info = bytes("f0f1f2f3f4f5f6f7f8f9");
    assert_eq!(
        run(DigestAlg::Sha256, &[0x0b; 22], &salt, &info, 42),
        "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"
    );
    let range = |from: u8, to: u8| (from..=to).collect::<Vec<u8>>();
    let (ikm, long_salt, long_info) = (range(0, 0x4f), range(0x60, 0xaf), range(0xb0, 0xff));
    assert_eq!(
        run(DigestAlg::Sha256, &ikm, &long_salt, &long_info, 82),
        "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c65e590e09\
         da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87"
    );
    assert_eq!(
        run(DigestAlg::Sha1, &[0x0b; 11], &salt, &info, 42),
        "085a01ea1b10f36933068b56efa5ad81a4f14b822f5b091568a9cdd4f155fda2c22e422478d305f3f896"
    );
    assert_eq!(
        run(DigestAlg::Sha1, &ikm, &long_salt, &long_info, 82),
        "0bd770a74d1160f7c9f12cd5912a06ebff6adcae899d92191fe4305673ba2ffe8fa3f1a4e5ad79f3f334b3b202b2173c\
         486ea37ce3d397ed034c7f9dfeb15c5e927336d0441f4c4300e2cff0d0900b52d3b4"
    );
    assert_eq!(
        run(DigestAlg::Sha1, &[0x0c; 22], &[], &[], 42),
        "2c91117204d745f3500d636a62f64f0ab3bae548aa53d423b0d1f27ebba6f5e5673a081d70cce7acfc48"
    );
}

#[test]
fn hkdf_over_sha3_is_unsupported() {
    let refused = hkdf(DigestAlg::Sha3_256, b"k", b"", b"", 16);
    assert_eq!(refused.err(), Some(Error::Unsupported(Alg::Kdf(KdfAlg::Hkdf))));
}

/// The value of the same computation by an independent implementation (Python, hashlib).
#[test]
fn concat_kdf_gives_known_values() {
    let z: Vec<u8> = (0..32).collect();
    let run = |digest, len| hex(&concat_kdf(digest, &z, b"algorithm\x00party", len).unwrap());
    assert_eq!(run(DigestAlg::Sha1, 32), CONCAT_SHA1);
    assert_eq!(run(DigestAlg::Sha256, 48), CONCAT_SHA256);
    assert_eq!(run(DigestAlg::Sha512, 16), CONCAT_SHA512);
}

/// The library underneath has ConcatKDF for SHA-2 as "single-step KDF".
#[test]
fn concat_kdf_agrees_with_the_single_step_kdf_of_the_library() {
    use aws_lc_rs::kdf::{SskdfDigestAlgorithmId as Id, get_sskdf_digest_algorithm, sskdf_digest};
    for (digest, id) in [
        (DigestAlg::Sha224, Id::Sha224),
        (DigestAlg::Sha256, Id::Sha256),
        (DigestAlg::Sha384, Id::Sha384),
        (DigestAlg::Sha512, Id::Sha512),
    ] {
        for len in [1, 16, 32, 64, 65, 200] {
            let mut expected = vec![0; len];
            sskdf_digest(get_sskdf_digest_algorithm(id).unwrap(), b"secret", b"info", &mut expected).unwrap();
            assert!(concat_kdf(digest, b"secret", b"info", len).unwrap().expose(|got| *got == expected));
        }
    }
}

/// What WSS4J 1.5 makes of the same inputs.
#[test]
fn wse_key_is_the_one_of_wss4j() {
    let nonce = crate::base64::decode("1OGnM3ZZzi9vtkLJ1mSSgg==").unwrap();
    let key = wse_key(b"verySecret", &nonce, "2026-11-30T13:56:32.207Z", 16).unwrap();
    assert_eq!(hex(&key), "ba2768de5bcf8f4409e1310e76d013c4");
    assert_eq!(wse_key(b"", b"", "", MAX_OUTPUT + 1).err(), Some(Error::TooLong));
}

/// What WSS4J makes of the same inputs.
#[test]
fn username_key_is_the_one_of_wss4j() {
    let salt = crate::base64::decode("AZqZNeO+JoYmuFvMcuN1WA==").unwrap();
    assert_eq!(hex(&username_key(b"verySecret", &salt, 1000)), "6ce08e75b05a2671f079d646a5c1fd38de0095a2");
}

/// The chain by the digest interface, step by step.
#[test]
fn username_key_hashes_as_often_as_it_is_told() {
    for times in [1, 2, 3, 1000, 1001] {
        let mut expected = crate::digest::digest(DigestAlg::Sha1, b"passwordsalt");
        for _ in 1..times {
            expected = crate::digest::digest(DigestAlg::Sha1, expected.as_ref());
        }
        assert!(username_key(b"password", b"salt", times).expose(|key| *key == expected.as_ref()), "{times}");
    }
    let once = username_key(b"password", b"salt", 1).expose(Vec::clone);
    assert!(username_key(b"password", b"salt", 0).expose(|key| *key == once));
}

#[test]
fn p_sha1_range_is_a_part_of_the_whole() {
    let whole = p_sha1(b"secret", b"seed", 0, 100).unwrap();
    for (offset, len) in [(0, 0), (0, 1), (1, 19), (19, 2), (20, 20), (39, 61), (100, 0)] {
        let part = p_sha1(b"secret", b"seed", offset, len).unwrap();
        assert!(whole.expose(|whole| part.expose(|part| whole[offset..offset + len] == **part)));
    }
}

#[test]
fn limit_octets_derived_are_refused_beyond_it_before_any_work() {
    assert!(concat_kdf(DigestAlg::Sha1, b"z", b"", MAX_OUTPUT).is_ok());
    assert_eq!(concat_kdf(DigestAlg::Sha1, b"z", b"", MAX_OUTPUT + 1).err(), Some(Error::TooLong));
    assert!(hkdf(DigestAlg::Sha1, b"z", b"", b"", MAX_OUTPUT).is_ok());
    assert_eq!(hkdf(DigestAlg::Sha1, b"z", b"", b"", MAX_OUTPUT + 1).err(), Some(Error::TooLong));
    assert!(p_sha1(b"z", b"", MAX_OUTPUT - 16, 16).is_ok());
    assert_eq!(p_sha1(b"z", b"", MAX_OUTPUT, 1).err(), Some(Error::TooLong));
    assert_eq!(p_sha1(b"z", b"", usize::MAX, 16).err(), Some(Error::TooLong));
}

const CONCAT_SHA1: &str = "e44ef27b898243bb38ea8a3b67eb91c7c5b7775de1ec0f1327147c4a6fc00a55";
const CONCAT_SHA256: &str =
    "3d5aaaaed4c7b9122477a975adae021c537a46a6617107c2468eca03872dd6579f406dbe1448c04c4eb39bc359fe466a";
const CONCAT_SHA512: &str = "3caaa9a11a1503fb6ca307a6a57df721";
