use super::*;
use crate::random::SystemRandom;

fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> = hex.bytes().filter(u8::is_ascii_hexdigit).collect();
    digits.chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

/// Gives the octets it was made with.
struct Fixed(Vec<u8>);

impl Random for Fixed {
    fn fill(&self, buffer: &mut [u8]) {
        buffer.copy_from_slice(&self.0[..buffer.len()]);
    }
}

/// RFC 3394 §4.1 to 4.6.
#[test]
fn aes_wrap_gives_the_values_of_rfc_3394() {
    let kek = bytes("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f");
    let key = bytes("00112233445566778899aabbccddeeff000102030405060708090a0b0c0d0e0f");
    for (alg, key_len, expected) in [
        (WrapAlg::Aes128, 16, "1fa68b0a8112b447aef34bd8fb5a7b829d3e862371d2cfe5"),
        (WrapAlg::Aes192, 16, "96778b25ae6ca435f92b5b97c050aed2468ab8a17ad84e5d"),
        (WrapAlg::Aes256, 16, "64e8c3f9ce0f5ba263e9777905818a2a93c8191e7d6e8ae7"),
        (WrapAlg::Aes192, 24, "031d33264e15d33268f24ec260743edce1c6c7ddee725a936ba814915c6762d2"),
        (WrapAlg::Aes256, 24, "a8f9bc1612c68b3ff6e6f4fbe30e71e4769c8b80a32cb8958cd5d17d6b254da1"),
        (
            WrapAlg::Aes256,
            32,
            "28c9f404c4b810f4cbccb35cfb87f8263f5786e2d80ed326cbc7f0e71a99f43bfb988b9b7a02dd21",
        ),
    ] {
        let (kek, key) = (&kek[..alg.key_len()], &key[..key_len]);
        assert_eq!(wrap(alg, kek, key, &SystemRandom).unwrap(), bytes(expected), "{alg} {key_len}");
        assert_eq!(unwrap(alg, kek, &bytes(expected)).unwrap(), key, "{alg} {key_len}");
    }
}

/// RFC 3217 §3.4.
#[test]
fn triple_des_wrap_gives_the_value_of_rfc_3217() {
    let key = bytes("2923bf85e06dd6ae529149f1f1bae9eab3a7da3d860d3e98");
    let kek = bytes("255e0d1c07b646dfb3134cc843ba8aa71f025b7c0838251f");
    let wrapped = bytes("690107618ef092b3b48ca1796b234ae9fa33ebb4159604037db5d6a84eb3aac2768c632775a467d4");
    let iv = Fixed(bytes("5dd4cbfc96f5453b"));
    assert_eq!(wrap(WrapAlg::TripleDes, &kek, &key, &iv).unwrap(), wrapped);
    assert_eq!(unwrap(WrapAlg::TripleDes, &kek, &wrapped).unwrap(), key);
}

#[test]
fn every_flipped_bit_of_a_wrapped_key_is_one_failure() {
    for alg in WrapAlg::ALL.iter().copied() {
        let kek: Vec<u8> = (0..alg.key_len()).map(|index| index as u8 * 7 + 1).collect();
        let wrapped = wrap(alg, &kek, &[0x5a; 24], &SystemRandom).unwrap();
        for bit in 0..wrapped.len() * 8 {
            let mut bad = wrapped.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(unwrap(alg, &kek, &bad), Err(Error::Failed), "{alg} bit {bit}");
        }
    }
}

#[test]
fn every_other_length_of_a_wrapped_key_is_one_failure() {
    for alg in WrapAlg::ALL.iter().copied() {
        let kek: Vec<u8> = (0..alg.key_len()).map(|index| index as u8 * 7 + 1).collect();
        let wrapped = wrap(alg, &kek, &[0x5a; 32], &SystemRandom).unwrap();
        for len in 0..wrapped.len() {
            assert_eq!(unwrap(alg, &kek, &wrapped[..len]), Err(Error::Failed), "{alg} {len}");
        }
        assert_eq!(unwrap(alg, &kek, &vec![0; 100_000]), Err(Error::Failed));
        for len in [0, 7, 15, 17, 1024] {
            assert_eq!(wrap(alg, &kek, &vec![1; len], &SystemRandom), Err(Error::WrongKey), "{alg} {len}");
        }
        assert_eq!(wrap(alg, &kek[1..], &[1; 16], &SystemRandom), Err(Error::WrongKey));
        assert_eq!(unwrap(alg, &kek[1..], &wrapped), Err(Error::WrongKey));
    }
}

#[test]
fn aes_wrap_agrees_with_the_safe_interface_of_the_library() {
    use aws_lc_rs::key_wrap::{AES_128, AES_256, AesKek, KeyWrap};
    let key = [9; 40];
    let mut out = [0; 48];
    let theirs = AesKek::new(&AES_128, &[3; 16]).unwrap().wrap(&key, &mut out).unwrap().to_vec();
    assert_eq!(wrap(WrapAlg::Aes128, &[3; 16], &key, &SystemRandom).unwrap(), theirs);
    let theirs = AesKek::new(&AES_256, &[3; 32]).unwrap().wrap(&key, &mut out).unwrap().to_vec();
    assert_eq!(wrap(WrapAlg::Aes256, &[3; 32], &key, &SystemRandom).unwrap(), theirs);
}
