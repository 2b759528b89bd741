//! Certificate ::= SEQUENCE (RFC 5280 §4.1), read strictly.

use super::MAX_CERTIFICATE;
use super::extension::Extensions;
use crate::der::{BIT_STRING, Reader, SEQUENCE, context, context_primitive, whole};
use crate::error::Error;
use crate::time::Time;

/// Octets of a serial number. RFC 5280 allows 20; a few old authorities wrote more.
const MAX_SERIAL: usize = 64;

pub(super) struct Parsed<'a> {
    pub version: u8,
    pub serial: &'a [u8],
    pub issuer: &'a [u8],
    pub subject: &'a [u8],
    pub not_before: Time,
    pub not_after: Time,
    pub spki: &'a [u8],
    pub extensions: Extensions,
}

pub(super) fn parse(der: &[u8]) -> Result<Parsed<'_>, Error> {
    if der.len() > MAX_CERTIFICATE {
        return Err(Error::TooMuch { what: "octets of a certificate", limit: MAX_CERTIFICATE });
    }
    let mut certificate = whole(der, SEQUENCE, "certificate")?;
    let mut tbs = certificate.inside(SEQUENCE, "TBSCertificate")?;
    certificate.expect(SEQUENCE, "signature algorithm")?;
    certificate.expect(BIT_STRING, "signature")?;
    certificate.finish("end of the certificate")?;

    let version = version(&mut tbs)?;
    let serial = tbs.integer("serial number")?;
    if serial.len() > MAX_SERIAL {
        return Err(Error::TooMuch { what: "octets of a serial number", limit: MAX_SERIAL });
    }
    tbs.expect(SEQUENCE, "signature algorithm")?;
    let issuer = tbs.expect(SEQUENCE, "issuer")?.raw;
    let mut validity = tbs.inside(SEQUENCE, "validity")?;
    let not_before = validity.time("start of validity")?;
    let not_after = validity.time("end of validity")?;
    validity.finish("validity")?;
    let subject = tbs.expect(SEQUENCE, "subject")?.raw;
    let spki = tbs.expect(SEQUENCE, "public key")?.raw;
    if version >= 2 {
        tbs.optional(context_primitive(1), "issuer unique id")?;
        tbs.optional(context_primitive(2), "subject unique id")?;
    }
    let extensions = match tbs.optional(context(3), "extensions")? {
        Some(_) if version < 3 => return Err(Error::encoding("extensions before version 3")),
        Some(wrapped) => Extensions::read(whole(wrapped.value, SEQUENCE, "extensions")?)?,
        None => Extensions::default(),
    };
    tbs.finish("TBSCertificate")?;
    Ok(Parsed { version, serial, issuer, subject, not_before, not_after, spki, extensions })
}

fn version(tbs: &mut Reader<'_>) -> Result<u8, Error> {
    let Some(wrapped) = tbs.optional(context(0), "version")? else { return Ok(1) };
    let mut inside = wrapped.reader();
    let version = inside.small("version")?;
    inside.finish("version")?;
    match version {
        1 => Ok(2),
        2 => Ok(3),
        // The default must not be written out in DER.
        _ => Err(Error::encoding("version")),
    }
}

/// The bits of the key in a SubjectPublicKeyInfo.
pub(crate) fn key_bits(spki: &[u8]) -> Option<&[u8]> {
    let mut spki = whole(spki, SEQUENCE, "public key").ok()?;
    spki.expect(SEQUENCE, "key algorithm").ok()?;
    spki.bit_octets("key bits").ok()
}
