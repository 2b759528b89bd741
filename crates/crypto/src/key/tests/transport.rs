use super::*;
use crate::alg::{DigestAlg, MgfAlg, TransportAlg};
use crate::{OaepParams, Secret};

fn octets(secret: &Secret) -> Vec<u8> {
    secret.expose(Clone::clone)
}

const SHA1_AND_2: [DigestAlg; 5] =
    [DigestAlg::Sha1, DigestAlg::Sha224, DigestAlg::Sha256, DigestAlg::Sha384, DigestAlg::Sha512];

#[test]
fn oaep_decrypts_under_the_same_digests_and_label_only() {
    let key = PrivateKey::generate_rsa(2048).unwrap();
    let mut all = Vec::new();
    for digest in SHA1_AND_2 {
        for mgf in MgfAlg::ALL.iter().copied() {
            for label in [Vec::new(), b"label".to_vec()] {
                all.push(OaepParams { digest, mgf, label });
            }
        }
    }
    assert_eq!(all.len(), 50);
    let alg = TransportAlg::RsaOaep;
    for params in &all {
        let ciphertext = key.public().encrypt_key(alg, params, b"sixteen octets!!").unwrap();
        for other in &all {
            let opened = key.decrypt_key(alg, other, &ciphertext, 16);
            if params == other {
                assert_eq!(octets(&opened.unwrap()), b"sixteen octets!!");
            } else {
                assert_eq!(opened.err(), Some(Error::Failed), "{params:?} {other:?}");
            }
        }
    }
}

#[test]
fn oaep_mgf1p_uses_mgf1_with_sha1_whatever_the_parameters_say() {
    let key = PrivateKey::generate_rsa(2048).unwrap();
    let said = OaepParams::new(DigestAlg::Sha256, MgfAlg::Mgf1Sha256);
    let meant = OaepParams::new(DigestAlg::Sha256, MgfAlg::Mgf1Sha1);
    let ciphertext = key.public().encrypt_key(TransportAlg::RsaOaepMgf1p, &said, &[7; 32]).unwrap();
    let opened = key.decrypt_key(TransportAlg::RsaOaep, &meant, &ciphertext, 32).unwrap();
    assert_eq!(octets(&opened), [7; 32]);
    assert!(key.decrypt_key(TransportAlg::RsaOaep, &said, &ciphertext, 32).is_err());
    assert!(key.decrypt_key(TransportAlg::RsaOaepMgf1p, &said, &ciphertext, 32).is_ok());
}

/// Both directions against the safe interface of the library, where it has the pair.
#[test]
fn oaep_agrees_with_the_safe_interface_of_the_library() {
    use aws_lc_rs::rsa::{
        OAEP_SHA1_MGF1SHA1, OAEP_SHA256_MGF1SHA256, OAEP_SHA512_MGF1SHA512, OaepPrivateDecryptingKey,
        OaepPublicEncryptingKey, PrivateDecryptingKey, PublicEncryptingKey,
    };
    let key = PrivateKey::generate_rsa(2048).unwrap();
    let theirs = key.to_pkcs8().unwrap().expose(|der| PrivateDecryptingKey::from_pkcs8(der).unwrap());
    let theirs = OaepPrivateDecryptingKey::new(theirs).unwrap();
    let public = PublicEncryptingKey::from_der(key.public().spki()).unwrap();
    let public = OaepPublicEncryptingKey::new(public).unwrap();
    for (digest, mgf, their_alg) in [
        (DigestAlg::Sha1, MgfAlg::Mgf1Sha1, &OAEP_SHA1_MGF1SHA1),
        (DigestAlg::Sha256, MgfAlg::Mgf1Sha256, &OAEP_SHA256_MGF1SHA256),
        (DigestAlg::Sha512, MgfAlg::Mgf1Sha512, &OAEP_SHA512_MGF1SHA512),
    ] {
        let params = OaepParams { digest, mgf, label: b"label".to_vec() };
        let ours = key.public().encrypt_key(TransportAlg::RsaOaep, &params, &[5; 24]).unwrap();
        let mut buffer = vec![0; 256];
        assert_eq!(theirs.decrypt(their_alg, &ours, &mut buffer, Some(b"label")).unwrap(), [5; 24]);
        let mut buffer = vec![0; 256];
        let made = public.encrypt(their_alg, &[6; 32], &mut buffer, Some(b"label")).unwrap();
        assert_eq!(octets(&key.decrypt_key(TransportAlg::RsaOaep, &params, made, 32).unwrap()), [6; 32]);
    }
}

#[test]
fn oaep_refuses_every_flaw_alike() {
    let key = PrivateKey::generate_rsa(1024).unwrap();
    let params = OaepParams::default();
    let alg = TransportAlg::RsaOaepMgf1p;
    let ciphertext = key.public().encrypt_key(alg, &params, &[1; 32]).unwrap();
    assert!(key.decrypt_key(alg, &params, &ciphertext, 32).is_ok());
    let failed = |ciphertext: &[u8], len| key.decrypt_key(alg, &params, ciphertext, len).err();
    for len in [0, 16, 24, 31, 33, 64] {
        assert_eq!(failed(&ciphertext, len), Some(Error::Failed));
    }
    for bit in 0..ciphertext.len() * 8 {
        let mut bad = ciphertext.clone();
        bad[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(failed(&bad, 32), Some(Error::Failed));
    }
    let modulus = key.public().rsa_components().unwrap().modulus;
    for bad in
        [&ciphertext[1..], &[&[0], ciphertext.as_slice()].concat(), &modulus, &[0xff; 128], &[0; 128], &[]]
    {
        assert_eq!(failed(bad, 32), Some(Error::Failed));
    }
}

#[test]
fn what_does_not_fit_and_what_is_not_rsa_is_named() {
    let key = PrivateKey::generate_rsa(1024).unwrap();
    let default = OaepParams::default();
    let encrypt = |alg, params: &OaepParams, len| key.public().encrypt_key(alg, params, &vec![1; len]).err();
    assert_eq!(encrypt(TransportAlg::RsaOaepMgf1p, &default, 86), None);
    assert_eq!(encrypt(TransportAlg::RsaOaepMgf1p, &default, 87), Some(Error::TooLong));
    assert_eq!(encrypt(TransportAlg::Rsa15, &default, 117), None);
    assert_eq!(encrypt(TransportAlg::Rsa15, &default, 118), Some(Error::TooLong));
    let sha3 = OaepParams::new(DigestAlg::Sha3_256, MgfAlg::Mgf1Sha1);
    let sealed = key.public().encrypt_key(TransportAlg::RsaOaep, &sha3, &[7; 16]).unwrap();
    let opened = key.decrypt_key(TransportAlg::RsaOaep, &sha3, &sealed, 16).unwrap();
    opened.expose(|octets| assert_eq!(*octets, [7; 16]));
    let ec = PrivateKey::generate_ec(Curve::P256).unwrap();
    assert_eq!(ec.public().encrypt_key(TransportAlg::RsaOaep, &default, b"x").err(), Some(Error::WrongKey));
    assert_eq!(ec.decrypt_key(TransportAlg::Rsa15, &default, &[], 16).err(), Some(Error::WrongKey));
}

#[test]
fn limit_octets_of_label_and_secret_are_refused_beyond_it() {
    let key = PrivateKey::generate_rsa(1024).unwrap();
    let label = |len| OaepParams { label: vec![1; len], ..OaepParams::default() };
    let encrypt = |len| key.public().encrypt_key(TransportAlg::RsaOaep, &label(len), &[1; 16]).err();
    assert_eq!(encrypt(1024), None);
    assert!(matches!(encrypt(1025), Some(Error::Unsupported(_))));
    // What is asked for is judged before anything is decrypted; of RSA 1.5 a wrong length then gives a random secret.
    let decrypt = |len| key.decrypt_key(TransportAlg::Rsa15, &OaepParams::default(), &[0; 128], len).err();
    assert_eq!(decrypt(512), None);
    assert_eq!(decrypt(513), Some(Error::TooLong));
}

/// Makes ciphertexts of chosen encoded messages: raw RSA with the public key is raw RSA with any
/// padding, and a PKCS#1 v1.5 block can be written by hand only by exponentiation. The exponent 65,537
/// is 16 squarings and one multiplication; numbers here are little-endian words.
mod raw {
    pub(super) fn encrypt(modulus: &[u8], encoded: &[u8]) -> Vec<u8> {
        let n = words(modulus);
        let m = words(encoded);
        let mut power = m.clone();
        for _ in 0..16 {
            power = multiply(&power, &power, &n);
        }
        let result = multiply(&power, &m, &n);
        result.iter().rev().flat_map(|word| word.to_be_bytes()).collect()
    }

    fn words(octets: &[u8]) -> Vec<u32> {
        octets
            .rchunks(4)
            .map(|chunk| chunk.iter().fold(0, |word, octet| word << 8 | u32::from(*octet)))
            .collect()
    }

    /// Shift-and-add modulo n, slow and obvious.
    fn multiply(a: &[u32], b: &[u32], n: &[u32]) -> Vec<u32> {
        let mut sum = vec![0_u32; n.len()];
        for word in b.iter().rev() {
            for bit in (0..32).rev() {
                let copy = sum.clone();
                sum = add(&sum, &copy, n);
                if word >> bit & 1 == 1 {
                    sum = add(&sum, a, n);
                }
            }
        }
        sum
    }

    fn add(a: &[u32], b: &[u32], n: &[u32]) -> Vec<u32> {
        let mut carry = 0_u64;
        let mut sum: Vec<u32> = a
            .iter()
            .zip(b)
            .map(|(a, b)| {
                let total = u64::from(*a) + u64::from(*b) + carry;
                carry = total >> 32;
                total as u32
            })
            .collect();
        if carry == 1 || sum.iter().rev().ge(n.iter().rev()) {
            let mut borrow = 0_i64;
            for (word, n) in sum.iter_mut().zip(n) {
                let difference = i64::from(*word) - i64::from(*n) + borrow;
                borrow = difference >> 32;
                *word = difference as u32;
            }
        }
        sum
    }
}

#[test]
fn rsa15_decrypts_the_right_key_of_every_length() {
    let key = PrivateKey::generate_rsa(1024).unwrap();
    let params = OaepParams::default();
    for len in [0, 1, 16, 24, 32, 117] {
        let secret: Vec<u8> = (0..len).map(|index| index as u8).collect();
        let ciphertext = key.public().encrypt_key(TransportAlg::Rsa15, &params, &secret).unwrap();
        let opened = key.decrypt_key(TransportAlg::Rsa15, &params, &ciphertext, len).unwrap();
        assert_eq!(octets(&opened), secret);
    }
}

/// The classes of attacks.md ENC-02: each flaw gives a key, always the same, that is not the one inside.
#[test]
fn rsa15_gives_a_pseudo_random_key_for_every_flaw() {
    let key = PrivateKey::generate_rsa(1024).unwrap();
    let modulus = key.public().rsa_components().unwrap().modulus;
    let params = OaepParams::default();
    let open = |ciphertext: &[u8], len| {
        octets(&key.decrypt_key(TransportAlg::Rsa15, &params, ciphertext, len).unwrap())
    };
    let secret = [0x77; 16];
    let good = [&[0, 2][..], &[0x11; 109], &[0], &secret].concat();
    assert_eq!(good.len(), 128);
    assert_eq!(open(&raw::encrypt(&modulus, &good), 16), secret, "the block made by hand is right");
    let mut flaws: Vec<Vec<u8>> = Vec::new();
    let mut flaw = |at: usize, octet: u8| {
        let mut bad = good.clone();
        bad[at] = octet;
        flaws.push(bad);
    };
    // Wrong first and second octet, a zero at every place of the padding, none at its end.
    flaw(0, 1);
    flaw(1, 1);
    flaw(1, 0);
    flaw(1, 3);
    for at in (2..111).step_by(9) {
        flaw(at, 0);
    }
    flaw(111, 0x11);
    let mut seen = std::collections::HashSet::new();
    for bad in &flaws {
        let ciphertext = raw::encrypt(&modulus, bad);
        let first = open(&ciphertext, 16);
        assert_eq!(first.len(), 16);
        assert_ne!(first, secret);
        assert_eq!(first, open(&ciphertext, 16), "the same ciphertext gives the same key");
        assert!(seen.insert(first), "another ciphertext gives another key");
    }
    // The length of the key inside is another than the cipher needs.
    for len in [8, 15, 17, 24, 32, 40, 117, 118, 500] {
        let ciphertext = raw::encrypt(&modulus, &good);
        let opened = open(&ciphertext, len);
        assert_eq!(opened.len(), len);
        assert!(!opened.windows(8).any(|window| window == &secret[..8]), "{len}");
    }
}

#[test]
fn rsa15_gives_a_key_even_for_what_is_no_ciphertext() {
    let key = PrivateKey::generate_rsa(1024).unwrap();
    let modulus = key.public().rsa_components().unwrap().modulus;
    let params = OaepParams::default();
    let mut seen = std::collections::HashSet::new();
    for bad in [&[][..], &[0], &[0; 127], &[1; 127], &[0; 129], &[0xff; 128], &modulus, &[0; 128], &[7; 5000]]
    {
        let opened = octets(&key.decrypt_key(TransportAlg::Rsa15, &params, bad, 32).unwrap());
        assert_eq!(opened.len(), 32);
        assert!(seen.insert(opened));
    }
}

#[test]
fn rejected_keys_depend_on_the_private_key_and_survive_a_restart() {
    let key = PrivateKey::generate_rsa(1024).unwrap();
    let again = key.to_pkcs8().unwrap().expose(|der| PrivateKey::from_pkcs8(der).unwrap());
    let other = PrivateKey::generate_rsa(1024).unwrap();
    let open = |key: &PrivateKey| {
        octets(&key.decrypt_key(TransportAlg::Rsa15, &OaepParams::default(), &[0; 128], 32).unwrap())
    };
    assert_eq!(open(&key), open(&again));
    assert_ne!(open(&key), open(&other));
}
