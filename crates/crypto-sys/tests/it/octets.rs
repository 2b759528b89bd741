//! Digest and key wrap.

use aws_lc_rs::key_wrap::{AES_128, AES_256, AesKek, KeyWrap};
use bartizan_crypto_sys::{Failure, Sha3_224, aes_unwrap, aes_wrap};

#[test]
fn sha3_224_of_abc_is_that_of_fips_202_also_after_a_clone() {
    let expected = [
        0xe6, 0x42, 0x82, 0x4c, 0x3f, 0x8c, 0xf2, 0x4a, 0xd0, 0x92, 0x34, 0xee, 0x7d, 0x3c, 0x76, 0x6f, 0xc9,
        0xa3, 0xa5, 0x16, 0x8d, 0x0c, 0x94, 0xad, 0x73, 0xb4, 0x6f, 0xdf,
    ];
    let mut hasher = Sha3_224::default();
    hasher.update(b"a");
    let mut fork = hasher.clone();
    hasher.update(b"bc");
    fork.update(b"bc");
    drop(fork.clone());
    assert_eq!(hasher.finish(), expected);
    assert_eq!(fork.finish(), expected);
}

#[test]
fn wrapped_key_is_that_of_the_safe_library_and_unwraps() {
    let mut out = [0; 72];
    for len in [16, 24, 32, 64] {
        let key = vec![0xa5; len];
        let theirs = AesKek::new(&AES_128, &[1; 16]).unwrap().wrap(&key, &mut out).unwrap().to_vec();
        assert_eq!(aes_wrap(&[1; 16], &key).unwrap(), theirs);
        let theirs = AesKek::new(&AES_256, &[1; 32]).unwrap().wrap(&key, &mut out).unwrap().to_vec();
        assert_eq!(aes_wrap(&[1; 32], &key).unwrap(), theirs);
        let wrapped = aes_wrap(&[1; 24], &key).unwrap();
        assert_eq!(aes_unwrap(&[1; 24], &wrapped).unwrap(), key);
        assert_eq!(aes_unwrap(&[2; 24], &wrapped), Err(Failure));
    }
}

#[test]
fn lengths_that_rfc_3394_does_not_know_are_refused() {
    for len in [0, 1, 8, 15, 17, 4104] {
        assert_eq!(aes_wrap(&[1; 16], &vec![0; len]), Err(Failure), "{len}");
    }
    for len in [0, 8, 16, 23, 25, 4112] {
        assert_eq!(aes_unwrap(&[1; 16], &vec![0; len]), Err(Failure), "{len}");
    }
    for len in [0, 8, 15, 20, 33, 64] {
        assert_eq!(aes_wrap(&vec![1; len], &[0; 16]), Err(Failure), "{len}");
        assert_eq!(aes_unwrap(&vec![1; len], &[0; 24]), Err(Failure), "{len}");
    }
}
