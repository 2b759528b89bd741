//! RSA, EC and DSA handles: wrong input is a failure, and handles outlive what they were made from.

use aws_lc_rs::signature::{ECDSA_P384_SHA384_FIXED, RSA_PKCS1_2048_8192_SHA256, UnparsedPublicKey};
use bartizan_crypto_sys::{
    Curve, DsaPublicKey, EcPrivateKey, EcPublicKey, Failure, Md, RsaPrivateKey, RsaPublicKey,
};

fn public(key: &RsaPrivateKey) -> RsaPublicKey {
    RsaPublicKey::from_components(&key.modulus().unwrap(), &key.exponent().unwrap()).unwrap()
}

fn sha256(message: &[u8]) -> Vec<u8> {
    aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, message).as_ref().to_vec()
}

#[test]
fn rsa_key_survives_writing_and_reading() {
    let key = RsaPrivateKey::generate(1024).unwrap();
    assert_eq!((key.bits(), key.size()), (1024, 128));
    let again = key.with_pkcs1(|der| RsaPrivateKey::from_pkcs1(der).unwrap()).unwrap();
    let signature = key.sign_pkcs1(Md::Sha1, &[7; 20]).unwrap();
    assert_eq!(again.sign_pkcs1(Md::Sha1, &[7; 20]).unwrap(), signature);
    drop(key);
    assert_eq!(public(&again).verify_pkcs1(Md::Sha1, &[7; 20], &signature), Ok(()));
}

#[test]
fn rsa_signature_verifies_in_the_safe_library() {
    let key = RsaPrivateKey::generate(2048).unwrap();
    let signature = key.sign_pkcs1(Md::Sha256, &sha256(b"message")).unwrap();
    let components =
        aws_lc_rs::rsa::PublicKeyComponents { n: key.modulus().unwrap(), e: key.exponent().unwrap() };
    components.verify(&RSA_PKCS1_2048_8192_SHA256, b"message", &signature).unwrap();
}

#[test]
fn rsa_digest_of_another_length_is_refused() {
    let key = RsaPrivateKey::generate(1024).unwrap();
    let public = public(&key);
    for len in [0, 19, 21, 32, 64] {
        assert_eq!(key.sign_pkcs1(Md::Sha1, &vec![1; len]), Err(Failure));
        assert_eq!(key.sign_pss(Md::Sha1, &vec![1; len]), Err(Failure));
        assert_eq!(public.verify_pkcs1(Md::Sha1, &vec![1; len], &[1; 128]), Err(Failure));
        assert_eq!(public.verify_pss(Md::Sha1, &vec![1; len], &[1; 128]), Err(Failure));
    }
    // A digest that leaves no room for the salt.
    assert_eq!(key.sign_pss(Md::Sha512, &[1; 64]), Err(Failure));
}

#[test]
fn raw_operation_undoes_encryption_and_checks_every_length() {
    let key = RsaPrivateKey::generate(1024).unwrap();
    let ciphertext = public(&key).encrypt_pkcs1(b"secret").unwrap();
    let mut out = [0; 128];
    key.raw_decrypt(&ciphertext, &mut out).unwrap();
    assert!(out.starts_with(&[0, 2]) && out.ends_with(b"\0secret"));
    assert_eq!(key.raw_decrypt(&ciphertext[1..], &mut out), Err(Failure));
    assert_eq!(key.raw_decrypt(&ciphertext, &mut out[1..]), Err(Failure));
    assert_eq!(key.raw_decrypt(&[0xff; 128], &mut out), Err(Failure));
    assert_eq!(key.raw_decrypt(&[], &mut []), Err(Failure));
}

#[test]
fn plaintexts_that_do_not_fit_are_refused() {
    let public = public(&RsaPrivateKey::generate(1024).unwrap());
    assert!(public.encrypt_pkcs1(&[1; 117]).is_ok());
    assert_eq!(public.encrypt_pkcs1(&[1; 118]), Err(Failure));
    assert!(public.encrypt_oaep(Md::Sha224, Md::Sha1, b"label", &[1; 70]).is_ok());
    assert_eq!(public.encrypt_oaep(Md::Sha224, Md::Sha1, b"label", &[1; 71]), Err(Failure));
}

#[test]
fn components_that_are_no_key_are_refused() {
    let rsa = |n: &[u8], e: &[u8]| RsaPublicKey::from_components(n, e).is_err();
    assert!(rsa(&[], &[]));
    assert!(rsa(&[0xff; 128], &[]));
    assert!(rsa(&[0xff; 128], &[1]));
    assert!(rsa(&[0xff; 128], &[2]));
    assert!(rsa(&[], &[1, 0, 1]));
    assert!(RsaPrivateKey::from_pkcs1(&[]).is_err());
    assert!(RsaPrivateKey::from_pkcs1(&[0x30, 0x80]).is_err());
    assert!(RsaPrivateKey::generate(0).is_err());
    assert!(RsaPrivateKey::generate(u32::MAX).is_err());
    for curve in [Curve::P256, Curve::P384, Curve::P521] {
        assert!(EcPublicKey::from_point(curve, &[]).is_err());
        assert!(EcPublicKey::from_point(curve, &vec![4; 1 + 2 * curve.field_len()]).is_err());
        assert!(EcPrivateKey::from_scalar(curve, &[]).is_err());
        assert!(EcPrivateKey::from_scalar(curve, &vec![0xff; curve.field_len()]).is_err());
    }
    // The library judges DSA numbers when they are used.
    if let Ok(key) = DsaPublicKey::new(&[], &[], &[], &[]) {
        assert_eq!(key.verify(&[1; 20], &[1], &[1]), Err(Failure));
    }
}

#[test]
fn ec_signature_verifies_here_and_in_the_safe_library() {
    let key = EcPrivateKey::from_scalar(Curve::P384, &[9; 48]).unwrap();
    let point = key.point().unwrap();
    let digest = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA384, b"message");
    let signature = key.sign(digest.as_ref()).unwrap();
    let public = EcPublicKey::from_point(key.curve(), &point).unwrap();
    assert_eq!(public.verify(digest.as_ref(), &signature), Ok(()));
    UnparsedPublicKey::new(&ECDSA_P384_SHA384_FIXED, &point).verify(b"message", &signature).unwrap();
    for bad in [&signature[1..], &[signature.as_slice(), &[0]].concat(), &[0; 96], &[0xff; 96], &[]] {
        assert_eq!(public.verify(digest.as_ref(), bad), Err(Failure));
    }
    let mut scalar = [0; 48];
    key.write_scalar(&mut scalar).unwrap();
    assert_eq!(scalar, [9; 48]);
    assert_eq!(key.write_scalar(&mut scalar[1..]), Err(Failure));
    let mut longer = [1; 50];
    key.write_scalar(&mut longer).unwrap();
    assert!(longer.starts_with(&[0, 0, 9]));
}

#[test]
fn handles_are_used_by_several_threads_at_once() {
    let key = RsaPrivateKey::generate(1024).unwrap();
    let public = public(&key);
    let ec = EcPrivateKey::from_scalar(Curve::P256, &[3; 32]).unwrap();
    std::thread::scope(|scope| {
        for number in 0..8 {
            let (key, public, ec) = (&key, &public, &ec);
            scope.spawn(move || {
                for _ in 0..25 {
                    let signature = key.sign_pss(Md::Sha224, &[number; 28]).unwrap();
                    assert_eq!(public.verify_pss(Md::Sha224, &[number; 28], &signature), Ok(()));
                    let ciphertext = public.encrypt_oaep(Md::Sha256, Md::Sha1, b"l", &[number; 16]).unwrap();
                    assert_eq!(
                        key.decrypt_oaep(Md::Sha256, Md::Sha1, b"l", &ciphertext).unwrap(),
                        [number; 16]
                    );
                    let signature = ec.sign(&[number; 32]).unwrap();
                    let public = EcPublicKey::from_point(Curve::P256, &ec.point().unwrap()).unwrap();
                    assert_eq!(public.verify(&[number; 32], &signature), Ok(()));
                }
            });
        }
    });
}
