use std::collections::HashSet;

use super::*;

#[test]
fn every_identifier_is_unique_and_finds_its_algorithm() {
    let mut seen = HashSet::new();
    for alg in Alg::all() {
        let uris = match alg {
            Alg::Refused(refused) => refused.uris().to_vec(),
            _ => vec![alg.uri()],
        };
        for uri in uris {
            assert!(seen.insert(uri), "{uri} stands twice");
            assert_eq!(lookup(uri), Some(alg));
        }
    }
    assert!(seen.len() > 90);
}

#[test]
fn every_short_name_is_unique() {
    let mut seen = HashSet::new();
    for alg in Alg::all() {
        assert!(seen.insert(alg.short_name()), "{alg} stands twice");
    }
}

#[test]
fn set_permits_what_was_inserted_and_never_a_refused_algorithm() {
    let mut set = AlgSet::empty();
    assert!(Alg::all().all(|alg| !set.permits(alg)));
    for alg in Alg::all() {
        set.insert(alg);
        assert_eq!(set.permits(alg), alg.status() != Status::Refused, "{alg}");
    }
    assert_eq!(set, AlgSet::with_legacy());
    set.remove(DigestAlg::Sha1);
    assert!(!set.permits(DigestAlg::Sha1));
    assert!(set.permits(SignatureAlg::HmacSha1));
    assert_eq!(set.iter().count() + 1, AlgSet::with_legacy().iter().count());
}

#[test]
fn default_set_has_no_sha1_digest_no_cbc_and_no_rsa15() {
    let set = AlgSet::all_ok();
    for alg in [
        Alg::from(DigestAlg::Sha1),
        SignatureAlg::RsaSha1.into(),
        SignatureAlg::DsaSha256.into(),
        CipherAlg::Aes256Cbc.into(),
        CipherAlg::TripleDesCbc.into(),
        TransportAlg::Rsa15.into(),
        WrapAlg::TripleDes.into(),
    ] {
        assert!(!set.permits(alg), "{alg}");
        assert!(AlgSet::with_legacy().permits(alg), "{alg}");
    }
    assert!(set.permits(SignatureAlg::RsaSha256));
    assert!(set.permits(CipherAlg::Aes128Gcm));
}

#[test]
fn near_miss_names_the_intended_identifier() {
    let dsig = "http://www.w3.org/2000/09/xmldsig#";
    assert_eq!(near_miss(&format!("{dsig}sha256")), Some(DigestAlg::Sha256.uri()));
    assert_eq!(near_miss(&format!("{dsig}rsa-sha256")), Some(SignatureAlg::RsaSha256.uri()));
    assert_eq!(near_miss(&format!("{dsig}RSA-SHA1")), Some(SignatureAlg::RsaSha1.uri()));
    assert_eq!(near_miss(&format!(" {dsig}sha1 ")), Some(DigestAlg::Sha1.uri()));
    assert_eq!(near_miss("https://www.w3.org/2001/04/xmlenc#sha256"), Some(DigestAlg::Sha256.uri()));
    assert_eq!(near_miss("http://www.w3.org/2001/04/xmlenc#aes256-gcm"), Some(CipherAlg::Aes256Gcm.uri()));
    assert_eq!(near_miss("http://www.w3.org/2009/xmlenc11#aes256-gmc"), Some(CipherAlg::Aes256Gcm.uri()));
    assert_eq!(
        near_miss("http://www.w3.org/2001/04/xmldsig-more#rsa-sha265"),
        Some(SignatureAlg::RsaSha256.uri())
    );
}

#[test]
fn near_miss_is_silent_on_known_and_on_foreign_identifiers() {
    for alg in Alg::all().filter(|alg| !matches!(alg, Alg::Refused(_))) {
        assert_eq!(near_miss(alg.uri()), None);
    }
    assert_eq!(near_miss("urn:example:nothing"), None);
    assert_eq!(near_miss(""), None);
    assert_eq!(near_miss(&"x".repeat(100_000)), None);
}

#[test]
fn facts_agree_with_the_names() {
    for alg in SignatureAlg::ALL {
        match alg.digest() {
            Some(digest) => assert!(alg.short_name().ends_with(digest.short_name()), "{alg}"),
            None => assert_eq!(*alg, SignatureAlg::Ed25519),
        }
    }
    for alg in CipherAlg::ALL {
        assert_eq!(alg.is_aead(), alg.short_name().ends_with("gcm"));
        assert_eq!(alg.tag_len(), if alg.is_aead() { 16 } else { 0 });
    }
}
