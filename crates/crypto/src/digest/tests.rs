use super::*;

fn hex(digest: Digest) -> String {
    format!("{digest:?}")
}

/// FIPS 180-4 and FIPS 202 examples for the message "abc".
const ABC: [(DigestAlg, &str); 9] = [
    (DigestAlg::Sha1, "a9993e364706816aba3e25717850c26c9cd0d89d"),
    (DigestAlg::Sha224, "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7"),
    (DigestAlg::Sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
        DigestAlg::Sha384,
        "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7",
    ),
    (
        DigestAlg::Sha512,
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd\
         454d4423643ce80e2a9ac94fa54ca49f",
    ),
    (DigestAlg::Sha3_224, "e642824c3f8cf24ad09234ee7d3c766fc9a3a5168d0c94ad73b46fdf"),
    (DigestAlg::Sha3_256, "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532"),
    (
        DigestAlg::Sha3_384,
        "ec01498288516fc926459f58e2c6ad8df9b473cb0fc08c2596da7cf0e49be4b298d88cea927ac7f539f1edf228376d25",
    ),
    (
        DigestAlg::Sha3_512,
        "b751850b1a57168a5693cd924b6b096e08f621827444f70d884f5d0240d2712e10e116e9192af3c91a7ec57647e39340\
         57340b4cf408d5a56592f8274eec53f0",
    ),
];

#[test]
fn fips_examples_hold_whole_and_in_pieces() {
    for (alg, expected) in ABC {
        assert_eq!(hex(digest(alg, b"abc")), expected, "{alg}");
        let mut hasher = Hasher::new(alg);
        hasher.update(b"a");
        let mut fork = hasher.clone();
        hasher.update(b"bc");
        fork.update(b"");
        fork.update(b"b");
        fork.update(b"c");
        assert_eq!(hex(hasher.finish()), expected, "{alg}");
        assert_eq!(hex(fork.finish()), expected, "{alg}");
        assert_eq!(digest(alg, b"").len(), alg.output_len());
    }
}

#[test]
fn digest_matches_its_own_octets_only() {
    let value = digest(DigestAlg::Sha256, b"x");
    assert!(value.matches(value.as_ref()));
    assert!(!value.matches(&value.as_ref()[..31]));
    assert!(!value.matches(digest(DigestAlg::Sha256, b"y").as_ref()));
    assert!(!value.matches(b""));
}
