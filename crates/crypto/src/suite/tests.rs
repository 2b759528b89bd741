use super::*;
use crate::alg::Status;

#[test]
fn the_sixteen_standard_names_are_there() {
    for cipher in ["Basic256", "Basic192", "Basic128", "TripleDes"] {
        for tail in ["", "Rsa15", "Sha256", "Sha256Rsa15"] {
            let suite = by_name(&format!("{cipher}{tail}")).unwrap();
            assert_eq!(suite.digest == DigestAlg::Sha256, tail.starts_with("Sha256"));
            assert_eq!(suite.transport() == Some(TransportAlg::Rsa15), tail.ends_with("Rsa15"));
            assert_eq!(suite.min_symmetric_bits as usize, suite.cipher.key_len() * 8);
            assert_eq!(suite.wrap.key_len(), suite.cipher.key_len());
            assert_eq!((suite.min_asymmetric_bits, suite.max_asymmetric_bits), (1024, 4096));
        }
    }
    assert_eq!(by_name("basic256"), None);
    assert_eq!(by_name("Basic256Sha384"), None);
}

#[test]
fn signature_of_the_sha256_names_depends_on_the_reading() {
    for suite in
        ALL.iter().filter(|suite| suite.name.starts_with("Basic") || suite.name.starts_with("Triple"))
    {
        assert_eq!(suite.signature(SignatureReading::Specification), SignatureAlg::RsaSha1, "{}", suite.name);
        let wcf =
            if suite.digest == DigestAlg::Sha256 { SignatureAlg::RsaSha256 } else { SignatureAlg::RsaSha1 };
        assert_eq!(suite.signature(SignatureReading::Wcf), wcf, "{}", suite.name);
    }
}

#[test]
fn basic256_permits_what_the_benchmark_policy_sends_and_no_more() {
    let set = by_name("Basic256").unwrap().algorithms(SignatureReading::Specification);
    assert!(set.permits(DigestAlg::Sha1));
    assert!(set.permits(SignatureAlg::RsaSha1));
    assert!(set.permits(CipherAlg::Aes256Cbc));
    assert!(set.permits(TransportAlg::RsaOaepMgf1p));
    assert!(!set.permits(TransportAlg::Rsa15));
    assert!(!set.permits(CipherAlg::Aes128Cbc));
    assert!(!set.permits(DigestAlg::Sha256));
    assert!(!set.permits(SignatureAlg::RsaSha256));
}

#[test]
fn modern_suites_name_nothing_legacy() {
    for name in ["modern-rsa", "modern-ec"] {
        let set = by_name(name).unwrap().algorithms(SignatureReading::Specification);
        assert!(set.iter().all(|alg| alg.status() == Status::Ok), "{name}: {set:?}");
    }
}

#[test]
fn derived_key_lengths_follow_the_specification() {
    let lengths = |name| {
        let suite = by_name(name).unwrap();
        (suite.encryption_key_bits, suite.signature_key_bits)
    };
    assert_eq!(lengths("Basic256"), (256, 192));
    assert_eq!(lengths("Basic192Sha256"), (192, 192));
    assert_eq!(lengths("Basic128Rsa15"), (128, 128));
    assert_eq!(lengths("TripleDes"), (192, 192));
}

#[test]
fn cxf_names_are_the_standard_ones_with_gcm_instead_of_cbc() {
    for size in ["256", "192", "128"] {
        for tail in ["", "Rsa15", "Sha256Rsa15"] {
            let cxf = by_name(&format!("Basic{size}GCM{tail}")).unwrap();
            let standard = by_name(&format!("Basic{size}{tail}")).unwrap();
            assert!(cxf.cipher.is_aead());
            assert_eq!(Suite { name: standard.name, cipher: standard.cipher, ..*cxf }, *standard);
        }
    }
    assert_eq!(by_name("Basic256GCMSha256"), None);
    assert_eq!(ALL.len(), 16 + 9 + 2);
}
