use super::*;
use crate::asn1;

#[test]
fn pkcs8_of_every_kind_reads_back_as_the_same_key() {
    for key in keys() {
        let der = key.to_pkcs8().unwrap().expose(Clone::clone);
        for again in [PrivateKey::from_pkcs8(&der).unwrap(), PrivateKey::from_der(&der).unwrap()] {
            assert_eq!(again.public(), key.public());
            assert_eq!(again.to_pkcs8().unwrap().expose(Clone::clone), der);
        }
    }
}

#[test]
fn spki_of_every_kind_reads_back_as_the_same_key() {
    for key in keys() {
        let public = PublicKey::from_spki(key.public().spki()).unwrap();
        assert_eq!(&public, key.public());
        assert_eq!((public.kind(), public.bits()), (key.kind(), key.bits()));
        let mut longer = key.public().spki().to_vec();
        longer.push(0);
        assert_eq!(PublicKey::from_spki(&longer).err(), Some(Error::MalformedKey));
    }
}

#[test]
fn inner_forms_read_as_the_same_key() {
    for key in keys() {
        let der = key.to_pkcs8().unwrap().expose(Clone::clone);
        let mut outer = asn1::Reader::new(&der);
        let mut info = outer.enter(asn1::SEQUENCE).unwrap();
        info.unsigned().unwrap();
        info.take(asn1::SEQUENCE).unwrap();
        let inner = info.take(asn1::OCTET_STRING).unwrap();
        match key.kind() {
            KeyKind::Rsa => {
                assert_eq!(PrivateKey::from_pkcs1(inner).unwrap().public(), key.public());
                assert_eq!(PrivateKey::from_der(inner).unwrap().public(), key.public());
            }
            // The curve stands outside: alone the inner form does not say which it is.
            KeyKind::Ec(_) => assert_eq!(PrivateKey::from_sec1(inner).err(), Some(Error::MalformedKey)),
            _ => assert!(PrivateKey::from_der(inner).is_err()),
        }
    }
}

/// A SEC1 key as `openssl ecparam -genkey` writes it: with the curve and the public point.
#[test]
fn sec1_with_a_named_curve_reads_and_a_foreign_point_in_it_is_refused() {
    let key = PrivateKey::from_ec_scalar(Curve::P256, &[5]).unwrap();
    let (_, point) = key.public().ec_point().unwrap();
    let sec1 = |point: &[u8]| {
        let mut scalar = [0; 32];
        scalar[31] = 5;
        let curve = asn1::write(asn1::CONTEXT_0, &[&asn1::write(asn1::OID, &[asn1::OID_P256])]);
        let public = asn1::write(asn1::CONTEXT_1, &[&asn1::write(asn1::BIT_STRING, &[&[0], point])]);
        let scalar = asn1::write(asn1::OCTET_STRING, &[&scalar]);
        asn1::write(asn1::SEQUENCE, &[&asn1::write_unsigned(&[1]), &scalar, &curve, &public])
    };
    assert_eq!(PrivateKey::from_sec1(&sec1(point)).unwrap().public(), key.public());
    assert_eq!(PrivateKey::from_der(&sec1(point)).unwrap().public(), key.public());
    let other = PrivateKey::from_ec_scalar(Curve::P256, &[6]).unwrap();
    let (_, foreign) = other.public().ec_point().unwrap();
    assert_eq!(PrivateKey::from_sec1(&sec1(foreign)).err(), Some(Error::MalformedKey));
}

#[test]
fn every_cut_and_many_flips_of_a_key_are_refused_without_panic() {
    for key in keys() {
        let der = key.to_pkcs8().unwrap().expose(Clone::clone);
        for len in 0..der.len() {
            assert!(PrivateKey::from_der(&der[..len]).is_err());
        }
        let spki = key.public().spki();
        for len in 0..spki.len() {
            assert!(PublicKey::from_spki(&spki[..len]).is_err());
        }
        for at in 0..spki.len() {
            for bit in 0..8 {
                let mut bad = spki.to_vec();
                bad[at] ^= 1 << bit;
                // Some flips make another key; none makes the same one.
                if let Ok(other) = PublicKey::from_spki(&bad) {
                    assert_ne!(&other, key.public());
                }
            }
        }
        for at in (0..der.len()).step_by(7) {
            let mut bad = der.clone();
            bad[at] ^= 0x10;
            let _ = PrivateKey::from_der(&bad);
        }
    }
}

#[test]
fn ec_points_that_are_no_points_are_refused() {
    for curve in Curve::ALL.iter().copied() {
        let key = PrivateKey::generate_ec(curve).unwrap();
        let (_, point) = key.public().ec_point().unwrap();
        assert_eq!(&PublicKey::from_ec_point(curve, point).unwrap(), key.public());
        let refused =
            |point: &[u8]| PublicKey::from_ec_point(curve, point).err() == Some(Error::MalformedKey);
        let mut off_curve = point.to_vec();
        *off_curve.last_mut().unwrap() ^= 1;
        assert!(refused(&off_curve));
        // Infinity, compressed, hybrid, without the form octet, coordinates beyond the field, nothing.
        assert!(refused(&[0]));
        let mut compressed = point[..=curve.field_len()].to_vec();
        compressed[0] = 2 + (point[point.len() - 1] & 1);
        assert!(refused(&compressed));
        let mut hybrid = point.to_vec();
        hybrid[0] = 6 + (point[point.len() - 1] & 1);
        assert!(refused(&hybrid));
        assert!(refused(&point[1..]));
        let mut beyond = vec![0xff; point.len()];
        beyond[0] = 4;
        assert!(refused(&beyond));
        assert!(refused(&vec![0; point.len()]));
        assert!(refused(&[]));
        for other in Curve::ALL.iter().copied().filter(|other| *other != curve) {
            assert!(PublicKey::from_ec_point(other, point).is_err());
        }
    }
}

#[test]
fn ec_scalars_out_of_range_are_refused() {
    for curve in Curve::ALL.iter().copied() {
        assert!(PrivateKey::from_ec_scalar(curve, &[]).is_err());
        assert!(PrivateKey::from_ec_scalar(curve, &[0, 0]).is_err());
        assert!(PrivateKey::from_ec_scalar(curve, &vec![0xff; curve.field_len()]).is_err());
        assert!(PrivateKey::from_ec_scalar(curve, &vec![1; curve.field_len() + 1]).is_err());
        let padded = [vec![0; 100], vec![1]].concat();
        assert!(PrivateKey::from_ec_scalar(curve, &padded).is_ok());
    }
}

#[test]
fn rsa_components_are_bounded() {
    let modulus = |bits: usize| {
        let mut modulus = vec![0xff; bits / 8];
        modulus[0] = 0x80;
        modulus
    };
    let rsa = |modulus: &[u8], exponent: &[u8]| {
        PublicKey::from_rsa_components(modulus, exponent).map(|key| key.bits())
    };
    let f4 = [1, 0, 1];
    assert_eq!(rsa(&modulus(1024), &f4), Ok(1024));
    assert_eq!(rsa(&modulus(8192), &f4), Ok(8192));
    assert_eq!(rsa(&[vec![0, 0], modulus(2048)].concat(), &[0, 1, 0, 1]), Ok(2048));
    assert_eq!(rsa(&modulus(1016), &f4), Err(Error::KeyTooSmall));
    let mut short = modulus(1024);
    short[0] = 0x7f;
    assert_eq!(rsa(&short, &f4), Err(Error::KeyTooSmall));
    assert_eq!(rsa(&modulus(8200), &f4), Err(Error::KeyTooLarge));
    assert_eq!(rsa(&vec![0xff; 1 << 20], &f4), Err(Error::KeyTooLarge));
    assert_eq!(rsa(&[], &f4), Err(Error::KeyTooSmall));
    let mut even = modulus(2048);
    *even.last_mut().unwrap() = 0xfe;
    assert_eq!(rsa(&even, &f4), Err(Error::MalformedKey));
    for exponent in [
        &[][..],
        &[0],
        &[1],
        &[2],
        &[3],
        &[17],
        &[0xff, 0xff],
        &[1, 0, 0],
        &[1, 0, 2],
        &[3, 1, 1, 1, 1],
        &[1; 300],
    ] {
        assert_eq!(rsa(&modulus(2048), exponent), Err(Error::MalformedKey), "{exponent:?}");
    }
    let legacy = |exponent: &[u8]| PublicKey::from_rsa_components_legacy(&modulus(1024), exponent).is_ok();
    assert!(legacy(&[3]) && legacy(&[17]) && legacy(&[1, 0, 1]));
    assert!(!legacy(&[1]) && !legacy(&[2]) && !legacy(&[]) && !legacy(&[1; 300]));
    let small = PublicKey::from_rsa_components_legacy(&modulus(1024), &[3]).unwrap();
    assert_eq!(PublicKey::from_spki(small.spki()).err(), Some(Error::MalformedKey));
    assert_eq!(PublicKey::from_spki_legacy(small.spki()), Ok(small));
}

#[test]
fn limit_bits_of_rsa_hold_for_what_is_read_and_what_is_made() {
    let read = |octets: usize| {
        let mut modulus = vec![0xff; octets];
        modulus[0] = 0x01;
        PublicKey::from_rsa_components(&modulus, &[1, 0, 1]).map(|key| key.bits())
    };
    let mut most = vec![0xff; 1024];
    most[0] = 0x80;
    assert_eq!(PublicKey::from_rsa_components(&most, &[1, 0, 1]).map(|key| key.bits()), Ok(8192));
    assert_eq!(read(1025), Err(Error::KeyTooLarge), "8,193 bits");
    assert_eq!(PrivateKey::generate_rsa(1023).err(), Some(Error::KeyTooSmall));
    assert_eq!(PrivateKey::generate_rsa(8193).err(), Some(Error::KeyTooLarge));
    assert_eq!(PrivateKey::generate_rsa(1030).err(), Some(Error::Failed));
    assert_eq!(PrivateKey::generate_rsa(1152).unwrap().bits(), 1152);
}

#[test]
fn components_are_those_of_the_key() {
    let key = PrivateKey::generate_rsa(1024).unwrap();
    let parts = key.public().rsa_components().unwrap();
    assert_eq!((parts.modulus.len(), parts.exponent.as_slice()), (128, &[1, 0, 1][..]));
    assert_eq!(&PublicKey::from_rsa_components(&parts.modulus, &parts.exponent).unwrap(), key.public());
    assert!(key.public().ec_point().is_none() && key.public().dsa_components().is_none());
    for curve in Curve::ALL {
        assert_eq!(Curve::from_oid(curve.oid()), Some(*curve));
    }
}
