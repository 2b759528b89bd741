//! SubjectPublicKeyInfo (RFC 5280 §4.1.2.7, RFC 3279, 5480, 8410), read and written.

use super::{Curve, DsaComponents, RsaComponents};
use crate::Error;
use crate::asn1::{self, Reader};

/// What a SubjectPublicKeyInfo says, not yet judged.
pub(super) enum Parts {
    Rsa(RsaComponents),
    Ec(Curve, Vec<u8>),
    Dsa(DsaComponents),
    Ed25519(Vec<u8>),
    X25519(Vec<u8>),
}

/// Reads the DER form. Curves must be named; the NULL parameters of RSA may be absent.
pub(super) fn read(der: &[u8]) -> Result<Parts, Error> {
    parts(der).ok_or(Error::MalformedKey)
}

fn parts(der: &[u8]) -> Option<Parts> {
    let mut outer = Reader::new(der);
    let mut info = outer.enter(asn1::SEQUENCE)?;
    outer.end()?;
    let mut algorithm = info.enter(asn1::SEQUENCE)?;
    let key = info.octets_of_bits()?;
    info.end()?;
    let oid = algorithm.take(asn1::OID)?;
    let parts = match oid {
        asn1::OID_RSA => {
            if !algorithm.is_empty() {
                algorithm.take(asn1::NULL).filter(|content| content.is_empty())?;
            }
            Parts::Rsa(rsa(key)?)
        }
        asn1::OID_EC => Parts::Ec(Curve::from_oid_der(algorithm.take(asn1::OID)?)?, key.to_vec()),
        asn1::OID_DSA => {
            let mut domain = algorithm.enter(asn1::SEQUENCE)?;
            let (p, q, g) = (domain.unsigned()?, domain.unsigned()?, domain.unsigned()?);
            domain.end()?;
            let mut value = Reader::new(key);
            let y = value.unsigned()?;
            value.end()?;
            Parts::Dsa(DsaComponents { p: p.to_vec(), q: q.to_vec(), g: g.to_vec(), y: y.to_vec() })
        }
        asn1::OID_ED25519 => Parts::Ed25519(key.to_vec()),
        asn1::OID_X25519 => Parts::X25519(key.to_vec()),
        _ => return None,
    };
    algorithm.end()?;
    Some(parts)
}

fn rsa(key: &[u8]) -> Option<RsaComponents> {
    let mut outer = Reader::new(key);
    let mut numbers = outer.enter(asn1::SEQUENCE)?;
    outer.end()?;
    let (modulus, exponent) = (numbers.unsigned()?, numbers.unsigned()?);
    numbers.end()?;
    Some(RsaComponents { modulus: modulus.to_vec(), exponent: exponent.to_vec() })
}

/// Writes the one canonical DER form.
pub(super) fn write(parts: &Parts) -> Vec<u8> {
    let oid = |oid: &[u8]| asn1::write(asn1::OID, &[oid]);
    let null = asn1::write(asn1::NULL, &[]);
    let (algorithm, key) = match parts {
        Parts::Rsa(rsa) => {
            let numbers = [asn1::write_unsigned(&rsa.modulus), asn1::write_unsigned(&rsa.exponent)];
            ([oid(asn1::OID_RSA), null].concat(), asn1::write(asn1::SEQUENCE, &[&numbers.concat()]))
        }
        Parts::Ec(curve, point) => ([oid(asn1::OID_EC), oid(curve.oid_der())].concat(), point.clone()),
        Parts::Dsa(dsa) => {
            let domain = [&dsa.p, &dsa.q, &dsa.g].map(|number| asn1::write_unsigned(number)).concat();
            let domain = asn1::write(asn1::SEQUENCE, &[&domain]);
            ([oid(asn1::OID_DSA), domain].concat(), asn1::write_unsigned(&dsa.y))
        }
        Parts::Ed25519(key) => (oid(asn1::OID_ED25519), key.clone()),
        Parts::X25519(key) => (oid(asn1::OID_X25519), key.clone()),
    };
    let algorithm = asn1::write(asn1::SEQUENCE, &[&algorithm]);
    let key = asn1::write(asn1::BIT_STRING, &[&[0], &key]);
    asn1::write(asn1::SEQUENCE, &[&algorithm, &key])
}
