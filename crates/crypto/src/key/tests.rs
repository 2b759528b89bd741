use super::*;
use crate::alg::SignatureAlg;
use crate::{Error, SymmetricKey};

mod forms;
mod transport;

/// Fresh keys of every kind; RSA of both classes.
fn keys() -> Vec<PrivateKey> {
    let mut keys = vec![PrivateKey::generate_rsa(1024).unwrap(), PrivateKey::generate_rsa(2048).unwrap()];
    keys.extend(Curve::ALL.iter().map(|curve| PrivateKey::generate_ec(*curve).unwrap()));
    keys.push(PrivateKey::generate_ed25519().unwrap());
    keys.push(PrivateKey::generate_x25519().unwrap());
    keys
}

fn can_sign(key: &PrivateKey, alg: SignatureAlg) -> bool {
    key.public().fits(alg)
        && !(key.bits() == 1024
            && alg.family() == crate::alg::SignatureFamily::RsaPss
            && alg.digest().unwrap().output_len() == 64)
}

#[test]
fn every_method_signs_and_verifies_with_every_key_that_fits_and_no_other() {
    let mut pairs = 0;
    for key in keys() {
        for alg in SignatureAlg::ALL.iter().copied() {
            let signed = key.sign(alg, b"message");
            if !can_sign(&key, alg) {
                assert!(signed.is_err(), "{key:?} {alg}");
                continue;
            }
            pairs += 1;
            let signature = signed.unwrap();
            assert_eq!(key.public().verify(alg, b"message", &signature), Ok(()), "{key:?} {alg}");
            assert_eq!(key.public().verify(alg, b"messagf", &signature), Err(Error::Failed));
            if let Some(hash) = alg.digest() {
                let digest = crate::digest::digest(hash, b"message");
                assert_eq!(key.public().verify_digest(alg, &digest, &signature), Ok(()));
                let other = key.sign_digest(alg, &digest).unwrap();
                assert_eq!(key.public().verify(alg, b"message", &other), Ok(()));
            }
            for other in SignatureAlg::ALL.iter().copied().filter(|other| *other != alg) {
                assert!(key.public().verify(other, b"message", &signature).is_err(), "{key:?} {alg} {other}");
            }
        }
    }
    // RSA: 14 methods with each key, less the two of 64 octets under PSS at 1,024 bits; ECDSA: 9 a curve.
    assert_eq!(pairs, 12 + 14 + 3 * 9 + 1);
}

#[test]
fn every_flipped_bit_and_every_other_length_of_a_signature_is_refused() {
    for key in keys() {
        for alg in [
            SignatureAlg::RsaSha1,
            SignatureAlg::RsaSha256,
            SignatureAlg::RsaPssSha256,
            SignatureAlg::EcdsaSha256,
            SignatureAlg::EcdsaSha1,
            SignatureAlg::Ed25519,
        ] {
            if !can_sign(&key, alg) {
                continue;
            }
            let signature = key.sign(alg, b"message").unwrap();
            for bit in 0..signature.len() * 8 {
                let mut bad = signature.clone();
                bad[bit / 8] ^= 1 << (bit % 8);
                assert_eq!(
                    key.public().verify(alg, b"message", &bad),
                    Err(Error::Failed),
                    "{key:?} {alg} {bit}"
                );
            }
            for bad in [
                &signature[..signature.len() - 1],
                &signature[1..],
                &[signature.as_slice(), &[0]].concat(),
                &[&[0], signature.as_slice()].concat(),
                &[],
            ] {
                assert_eq!(key.public().verify(alg, b"message", bad), Err(Error::Failed), "{key:?} {alg}");
            }
        }
    }
}

/// The value of one computation in the two interfaces: PKCS#1 v1.5 has no randomness.
#[test]
fn rsa_signature_is_that_of_the_safe_interface_of_the_library() {
    use aws_lc_rs::{rand::SystemRandom, signature};
    let key = PrivateKey::generate_rsa(2048).unwrap();
    let pair = key.to_pkcs8().unwrap().expose(|der| signature::RsaKeyPair::from_pkcs8(der).unwrap());
    for (alg, theirs, verifier) in [
        (SignatureAlg::RsaSha256, &signature::RSA_PKCS1_SHA256, &signature::RSA_PKCS1_2048_8192_SHA256),
        (SignatureAlg::RsaSha384, &signature::RSA_PKCS1_SHA384, &signature::RSA_PKCS1_2048_8192_SHA384),
        (SignatureAlg::RsaSha512, &signature::RSA_PKCS1_SHA512, &signature::RSA_PKCS1_2048_8192_SHA512),
    ] {
        let mut expected = vec![0; 256];
        pair.sign(theirs, &SystemRandom::new(), b"message", &mut expected).unwrap();
        assert_eq!(key.sign(alg, b"message").unwrap(), expected, "{alg}");
        let public = signature::UnparsedPublicKey::new(verifier, key.public().spki());
        public.verify(b"message", &expected).unwrap();
    }
    let public = signature::UnparsedPublicKey::new(
        &signature::RSA_PKCS1_2048_8192_SHA1_FOR_LEGACY_USE_ONLY,
        key.public().spki(),
    );
    public.verify(b"message", &key.sign(SignatureAlg::RsaSha1, b"message").unwrap()).unwrap();
    let public = signature::UnparsedPublicKey::new(&signature::RSA_PSS_2048_8192_SHA384, key.public().spki());
    public.verify(b"message", &key.sign(SignatureAlg::RsaPssSha384, b"message").unwrap()).unwrap();
}

#[test]
fn ecdsa_signature_is_accepted_by_the_safe_interface_of_the_library() {
    use aws_lc_rs::signature;
    for (curve, alg, verifier) in [
        (Curve::P256, SignatureAlg::EcdsaSha256, &signature::ECDSA_P256_SHA256_FIXED),
        (Curve::P384, SignatureAlg::EcdsaSha384, &signature::ECDSA_P384_SHA384_FIXED),
        (Curve::P521, SignatureAlg::EcdsaSha512, &signature::ECDSA_P521_SHA512_FIXED),
        (Curve::P521, SignatureAlg::EcdsaSha1, &signature::ECDSA_P521_SHA1_FIXED),
    ] {
        let key = PrivateKey::generate_ec(curve).unwrap();
        let signature = key.sign(alg, b"message").unwrap();
        assert_eq!(signature.len(), 2 * curve.field_len());
        let public = signature::UnparsedPublicKey::new(verifier, key.public().spki());
        public.verify(b"message", &signature).unwrap();
    }
}

#[test]
fn halves_one_octet_too_long_or_too_short_are_refused_until_brought_to_the_fixed_form() {
    let alg = SignatureAlg::EcdsaSha512;
    let key = PrivateKey::generate_ec(Curve::P521).unwrap();
    // On P-521 both halves begin with a zero in one signature of four.
    let signature = std::iter::repeat_with(|| key.sign(alg, b"message").unwrap())
        .find(|signature| signature[0] == 0 && signature[66] == 0)
        .unwrap();
    let (r, s) = signature.split_at(66);
    let longer = [&[0], r, &[0], s].concat();
    let shorter = [&r[1..], &s[1..]].concat();
    for value in [longer, shorter] {
        assert_eq!(key.public().verify(alg, b"message", &value), Err(Error::Failed));
        assert_eq!(key.public().fixed_signature(alg, &value), signature);
    }
    let der = [&[0x30, 0x81, 0x88, 0x02, 0x42], r, &[0x02, 0x42], s].concat();
    let uneven = [&[0], signature.as_slice()].concat();
    let full = [&[1], r, &[1], s].concat();
    for value in [&signature, &der, &uneven, &full, &Vec::new(), &vec![0; 200]] {
        assert_eq!(key.public().fixed_signature(alg, value), *value);
    }
    assert_eq!(key.public().fixed_signature(SignatureAlg::RsaSha1, &[0; 134]), [0; 134].as_slice());
}

/// RFC 8032 §7.1, test 2.
#[test]
fn ed25519_gives_the_value_of_rfc_8032() {
    let bytes = |hex: &str| {
        (0..hex.len())
            .step_by(2)
            .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap())
            .collect::<Vec<u8>>()
    };
    let seed = bytes("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb");
    let key = PrivateKey::from_ed25519_seed(&seed).unwrap();
    let expected = "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c";
    assert_eq!(key.public().raw_octets().unwrap(), bytes(expected));
    assert_eq!(
        key.sign(SignatureAlg::Ed25519, &[0x72]).unwrap(),
        bytes(
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c\
             387b2eaeb4302aeeb00d291612bb0c00"
        )
    );
}

#[test]
fn agreement_gives_both_sides_one_secret_and_refuses_other_curves() {
    let kinds = keys();
    for key in &kinds {
        for other in &kinds {
            let agreed = key.agree(other.public());
            let possible =
                key.kind() == other.kind() && matches!(key.kind(), KeyKind::Ec(_) | KeyKind::X25519);
            if !possible {
                assert_eq!(agreed.err(), Some(Error::WrongKey), "{key:?} {other:?}");
                continue;
            }
            let back = other.agree(key.public()).unwrap();
            assert!(agreed.unwrap().expose(|ours| back.expose(|theirs| ours == theirs)));
        }
    }
}

#[test]
fn ephemeral_key_agrees_with_a_stored_one_of_its_kind_only() {
    let mut seen = Vec::new();
    for key in keys() {
        let Ok(own) = EphemeralKey::generate_for(key.public()) else {
            assert!(!matches!(key.kind(), KeyKind::Ec(_) | KeyKind::X25519));
            continue;
        };
        assert_eq!(own.public().kind(), key.kind());
        let theirs = key.agree(own.public()).unwrap();
        seen.push(own.public().clone());
        assert_eq!(own.agree(key.public()).unwrap().as_slice(), theirs.as_slice());
        let other = PrivateKey::generate_rsa(1024).unwrap();
        let own = EphemeralKey::generate_for(key.public()).unwrap();
        assert!(!seen.contains(own.public()), "a fresh one each time");
        assert_eq!(own.agree(other.public()).err(), Some(Error::WrongKey));
    }
    assert!(seen.len() >= 4, "three curves and X25519");
}

#[test]
fn x25519_with_a_point_of_small_order_fails() {
    let key = PrivateKey::generate_x25519().unwrap();
    for point in [[0; 32], {
        let mut one = [0; 32];
        one[0] = 1;
        one
    }] {
        let peer = PublicKey::from_x25519(&point).unwrap();
        assert_eq!(key.agree(&peer).err(), Some(Error::Failed));
    }
}

#[test]
fn debug_shows_kind_and_size_only() {
    let key = PrivateKey::generate_ec(Curve::P384).unwrap();
    assert_eq!(format!("{key:?}"), "PrivateKey(Ec(P384), 384 bits)");
    assert_eq!(format!("{:?}", key.public()), "PublicKey(Ec(P384), 384 bits)");
}

#[test]
fn handles_are_shared_between_threads() {
    fn shareable<T: Send + Sync + 'static>() {}
    shareable::<PrivateKey>();
    shareable::<PublicKey>();
    shareable::<SymmetricKey>();
    let key = PrivateKey::generate_rsa(2048).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..20 {
                    let signature = key.sign(SignatureAlg::RsaPssSha1, b"message").unwrap();
                    assert_eq!(key.public().verify(SignatureAlg::RsaPssSha1, b"message", &signature), Ok(()));
                }
            });
        }
    });
}
