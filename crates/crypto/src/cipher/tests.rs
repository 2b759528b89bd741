use super::*;
use crate::random::SystemRandom;

fn key(alg: CipherAlg) -> Vec<u8> {
    (0..alg.key_len()).map(|index| (index * 11 + 3) as u8).collect()
}

#[test]
fn every_length_survives_a_round_trip_under_every_cipher() {
    for alg in CipherAlg::ALL.iter().copied() {
        for len in 0..70 {
            let plaintext: Vec<u8> = (0..len).map(|index| index as u8).collect();
            let sealed = seal(alg, &key(alg), &plaintext, &SystemRandom).unwrap();
            let padded = if alg.is_aead() { len } else { (len / alg.block_len() + 1) * alg.block_len() };
            assert_eq!(sealed.len(), alg.iv_len() + padded + alg.tag_len(), "{alg} {len}");
            assert_eq!(open(alg, &key(alg), &sealed).unwrap(), plaintext, "{alg} {len}");
        }
    }
}

#[test]
fn two_seals_of_one_plaintext_differ() {
    for alg in CipherAlg::ALL.iter().copied() {
        let seal = || seal(alg, &key(alg), b"the same", &SystemRandom).unwrap();
        assert_ne!(seal(), seal(), "{alg}");
    }
}

#[test]
fn another_key_length_is_a_wrong_key() {
    for alg in CipherAlg::ALL.iter().copied() {
        for len in (0..40).filter(|len| *len != alg.key_len()) {
            assert_eq!(seal(alg, &vec![1; len], b"x", &SystemRandom), Err(Error::WrongKey));
            assert_eq!(open(alg, &vec![1; len], &[0; 64]), Err(Error::WrongKey));
        }
    }
}

/// FIPS 197 / SP 800-38A F.2: the first block of CBC-AES128 and CBC-AES256.
#[test]
fn cbc_gives_the_values_of_sp_800_38a() {
    let iv: Vec<u8> = (0..16).collect();
    let block = *b"\x6b\xc1\xbe\xe2\x2e\x40\x9f\x96\xe9\x3d\x7e\x11\x73\x93\x17\x2a";
    let key = b"\x2b\x7e\x15\x16\x28\xae\xd2\xa6\xab\xf7\x15\x88\x09\xcf\x4f\x3c";
    let mut body = block;
    cbc_encrypt(CipherAlg::Aes128Cbc, key, &iv, &mut body).unwrap();
    assert_eq!(body, *b"\x76\x49\xab\xac\x81\x19\xb2\x46\xce\xe9\x8e\x9b\x12\xe9\x19\x7d");
    cbc_decrypt(CipherAlg::Aes128Cbc, key, &iv, &mut body).unwrap();
    assert_eq!(body, block);
}

/// As `openssl enc -des-ede3-cbc` encrypts under a key of the form K1, K2, K1.
#[test]
fn triple_des_takes_a_key_of_two_parts() {
    let key =
        *b"\x01\x23\x45\x67\x89\xab\xcd\xef\x23\x45\x67\x89\xab\xcd\xef\x01\x01\x23\x45\x67\x89\xab\xcd\xef";
    let sealed = b"\x00\x11\x22\x33\x44\x55\x66\x77\
        \xa3\xfe\xab\x08\xf4\xc2\x17\xdf\xb7\x06\x4d\x04\xb0\x9a\x46\x1b\xf4\xcf\xe9\x7b\x3d\x26\xa0\xd9\
        \xdc\x52\xfe\x41\xf5\x21\x4e\x57\xf8\x5f\x3e\xda\x69\x40\xff\xb8";
    assert_eq!(open(CipherAlg::TripleDesCbc, &key, sealed).unwrap(), b"two keys are one too few for K3\n");
    let sealed = seal(CipherAlg::TripleDesCbc, &key, b"back", &SystemRandom).unwrap();
    assert_eq!(open(CipherAlg::TripleDesCbc, &key, &sealed).unwrap(), b"back");
    assert!(open(CipherAlg::TripleDesCbc, &[7; 24], &sealed).is_err(), "one part alone is single DES");
}

/// Test cases 3 and 15 of the GCM specification without additional data (cases 4 and 16 have some).
#[test]
fn gcm_gives_the_values_of_the_specification() {
    let hex = |text: &str| {
        let digits: Vec<u8> = text.bytes().collect();
        digits
            .chunks(2)
            .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
            .collect::<Vec<u8>>()
    };
    let iv = hex("cafebabefacedbaddecaf888");
    let plaintext = hex(
        "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5\
         aa0de657ba637b391aafd255",
    );
    let key128 = hex("feffe9928665731c6d6a8f9467308308");
    let sealed = [
        iv.clone(),
        hex("42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa051ba3\
             0b396a0aac973d58e091473f5985"),
        hex("4d5c2af327cd64a62cf35abd2ba6fab4"),
    ]
    .concat();
    assert_eq!(open(CipherAlg::Aes128Gcm, &key128, &sealed).unwrap(), plaintext);
    let key256 = [key128.clone(), key128].concat();
    let sealed = [
        iv,
        hex("522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f6\
             1e6393ba7a0abcc9f662898015ad"),
        hex("b094dac5d93471bdec1a502270e3cc6c"),
    ]
    .concat();
    assert_eq!(open(CipherAlg::Aes256Gcm, &key256, &sealed).unwrap(), plaintext);
}

#[test]
fn every_flipped_bit_of_a_gcm_ciphertext_is_one_failure() {
    for alg in CipherAlg::ALL.iter().copied().filter(|alg| alg.is_aead()) {
        let sealed = seal(alg, &key(alg), b"some plaintext", &SystemRandom).unwrap();
        for bit in 0..sealed.len() * 8 {
            let mut bad = sealed.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(open(alg, &key(alg), &bad), Err(Error::Failed), "{alg} bit {bit}");
        }
    }
}

/// Total lengths from nothing to one octet short of vector and tag: nothing shortened is taken.
#[test]
fn every_cut_of_a_ciphertext_is_one_failure() {
    for alg in CipherAlg::ALL.iter().copied() {
        let sealed = seal(alg, &key(alg), b"", &SystemRandom).unwrap();
        for len in 0..sealed.len() {
            assert_eq!(open(alg, &key(alg), &sealed[..len]), Err(Error::Failed), "{alg} {len}");
        }
    }
}

#[test]
fn every_last_octet_but_a_padding_length_is_one_failure() {
    for alg in CipherAlg::ALL.iter().copied().filter(|alg| !alg.is_aead()) {
        let block = alg.block_len();
        for last in 0..=255_u8 {
            let mut plain = vec![0x41; 2 * block];
            plain[2 * block - 1] = last;
            let iv = vec![9; block];
            cbc_encrypt(alg, &key(alg), &iv, &mut plain).unwrap();
            let opened = open(alg, &key(alg), &[iv, plain].concat());
            if (1..=block).contains(&usize::from(last)) {
                // The other padding octets are arbitrary.
                assert_eq!(opened, Ok(vec![0x41; 2 * block - usize::from(last)]), "{alg} {last}");
            } else {
                assert_eq!(opened, Err(Error::Failed), "{alg} {last}");
            }
        }
    }
}

#[test]
fn padding_octets_are_not_constant() {
    let alg = CipherAlg::Aes128Cbc;
    let padding = || {
        let sealed = seal(alg, &key(alg), b"", &SystemRandom).unwrap();
        let (iv, body) = sealed.split_at(16);
        let mut body = body.to_vec();
        cbc_decrypt(alg, &key(alg), iv, &mut body).unwrap();
        assert_eq!(body[15], 16);
        body
    };
    assert_ne!(padding(), padding());
}
