use super::OaepSet;
use crate::OaepParams;
use crate::alg::{DigestAlg, MgfAlg, TransportAlg};
use crate::suite;

fn permitted(set: OaepSet) -> Vec<(TransportAlg, DigestAlg, MgfAlg)> {
    let mut found = Vec::new();
    for transport in [TransportAlg::Rsa15, TransportAlg::RsaOaepMgf1p, TransportAlg::RsaOaep] {
        for digest in DigestAlg::ALL {
            for mgf in MgfAlg::ALL {
                if set.permits(transport, &OaepParams::new(*digest, *mgf)) {
                    found.push((transport, *digest, *mgf));
                }
            }
        }
    }
    found
}

#[test]
fn every_tuple_has_a_bit_of_its_own() {
    for digest in DigestAlg::ALL {
        for mgf in MgfAlg::ALL {
            let mut set = OaepSet::EMPTY;
            set.insert(TransportAlg::RsaOaep, *digest, *mgf);
            assert_eq!(permitted(set), [(TransportAlg::RsaOaep, *digest, *mgf)]);
        }
        let mut set = OaepSet::EMPTY;
        set.insert(TransportAlg::RsaOaepMgf1p, *digest, MgfAlg::Mgf1Sha1);
        let found = permitted(set);
        assert!(found.iter().all(|(t, d, _)| *t == TransportAlg::RsaOaepMgf1p && d == digest));
        assert_eq!(found.len(), MgfAlg::ALL.len());
    }
    assert!(permitted(OaepSet::of(TransportAlg::Rsa15)).is_empty());
}

#[test]
fn suites_mean_these_tuples() {
    let of = |name: &str| suite::by_name(name).expect("a suite").oaep();
    let permits = |set: OaepSet, digest| {
        set.permits(TransportAlg::RsaOaepMgf1p, &OaepParams::new(digest, MgfAlg::Mgf1Sha1))
    };
    assert!(permits(of("Basic256"), DigestAlg::Sha1) && !permits(of("Basic256"), DigestAlg::Sha256));
    assert!(
        permits(of("Basic256Sha256"), DigestAlg::Sha1) && permits(of("Basic256Sha256"), DigestAlg::Sha256)
    );
    assert!(!permits(of("Basic256Sha256"), DigestAlg::Sha512));
    assert_eq!(permitted(of("modern-rsa")), [(TransportAlg::RsaOaep, DigestAlg::Sha256, MgfAlg::Mgf1Sha256)]);
    for name in ["Basic256Rsa15", "modern-ec"] {
        assert_eq!(of(name), OaepSet::EMPTY, "{name}");
    }
}
