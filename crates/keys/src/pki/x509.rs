//! Writing certificates and revocation lists (RFC 5280), as far as the demo PKI needs them.

use bartizan_crypto::random::Random;
use bartizan_crypto::{KeyKind, PrivateKey, PublicKey, SignatureAlg};

use crate::cert::{self, Certificate};
use crate::der::{UTF8_STRING, context, context_primitive, oid, write};
use crate::error::Error;
use crate::time::Time;

const SERVER_AUTH: &[u8] = &[0x2b, 6, 1, 5, 5, 7, 3, 1];
const CLIENT_AUTH: &[u8] = &[0x2b, 6, 1, 5, 5, 7, 3, 2];

/// Bits of KeyUsage by their numbers.
const DIGITAL_SIGNATURE: u8 = 0;
const KEY_ENCIPHERMENT: u8 = 2;
const DATA_ENCIPHERMENT: u8 = 3;
const KEY_AGREEMENT: u8 = 4;
const KEY_CERT_SIGN: u8 = 5;
const CRL_SIGN: u8 = 6;

/// An RSA key that certifies, and its own certificate.
pub(super) struct Authority {
    key: PrivateKey,
    certificate: Certificate,
}

/// What goes into a certificate of somebody.
pub(super) struct Leaf<'a> {
    pub common_name: &'a str,
    pub key: &'a PublicKey,
    pub from: Time,
    pub until: Time,
}

/// The fields of a TBSCertificate that differ.
struct Tbs<'a> {
    issuer: &'a [u8],
    subject: &'a [u8],
    spki: &'a [u8],
    from: Time,
    until: Time,
    extensions: Vec<Vec<u8>>,
}

impl Authority {
    pub(super) fn new(
        key: PrivateKey,
        common_name: &str,
        from: Time,
        until: Time,
        random: &dyn Random,
    ) -> Result<Authority, Error> {
        let name = name(common_name);
        let spki = key.public().spki();
        let extensions = vec![
            extension(oid::BASIC_CONSTRAINTS, true, &write::sequence(&[&write::boolean(true)])),
            extension(oid::KEY_USAGE, true, &write::named_bits(&[KEY_CERT_SIGN, CRL_SIGN])),
            extension(oid::SUBJECT_KEY_IDENTIFIER, false, &write::octets(&key_id(spki)?)),
        ];
        let tbs = Tbs { issuer: &name, subject: &name, spki, from, until, extensions };
        let certificate = Certificate::from_der(sign(&key, &tbs.write(random))?)?;
        Ok(Authority { key, certificate })
    }

    pub(super) fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    pub(super) fn key(&self) -> &PrivateKey {
        &self.key
    }

    pub(super) fn certify(&self, leaf: &Leaf<'_>, random: &dyn Random) -> Result<Certificate, Error> {
        let spki = leaf.key.spki();
        let usage: &[u8] = match leaf.key.kind() {
            KeyKind::Rsa => &[DIGITAL_SIGNATURE, KEY_ENCIPHERMENT, DATA_ENCIPHERMENT],
            _ => &[DIGITAL_SIGNATURE, KEY_AGREEMENT],
        };
        let purposes = write::sequence(&[&write::oid(SERVER_AUTH), &write::oid(CLIENT_AUTH)]);
        let names = write::sequence(&[
            &write::tlv(context_primitive(2), &[b"localhost"]),
            &write::tlv(context_primitive(7), &[&[127, 0, 0, 1]]),
            &write::tlv(context_primitive(7), &[&std::net::Ipv6Addr::LOCALHOST.octets()]),
        ]);
        let extensions = vec![
            extension(oid::BASIC_CONSTRAINTS, true, &write::sequence(&[])),
            extension(oid::KEY_USAGE, true, &write::named_bits(usage)),
            extension(oid::EXTENDED_KEY_USAGE, false, &purposes),
            extension(oid::SUBJECT_ALT_NAME, false, &names),
            extension(oid::SUBJECT_KEY_IDENTIFIER, false, &write::octets(&key_id(spki)?)),
            self.authority_key_id(),
        ];
        let tbs = Tbs {
            issuer: self.certificate.subject_der(),
            subject: &name(leaf.common_name),
            spki,
            from: leaf.from,
            until: leaf.until,
            extensions,
        };
        Certificate::from_der(sign(&self.key, &tbs.write(random))?)
    }

    /// A revocation list, version 2.
    pub(super) fn revoke<'c>(
        &self,
        certificates: impl Iterator<Item = &'c Certificate>,
        now: Time,
        next_update: Time,
    ) -> Result<Vec<u8>, Error> {
        let entry = |certificate: &Certificate| {
            let serial = write::tlv(crate::der::INTEGER, &[certificate.serial_der()]);
            write::sequence(&[&serial, &write::time(now)])
        };
        let entries: Vec<Vec<u8>> = certificates.map(entry).collect();
        let entries: Vec<&[u8]> = entries.iter().map(Vec::as_slice).collect();
        let number = extension(oid::CRL_NUMBER, false, &write::small(1));
        let extensions = write::tlv(context(0), &[&write::sequence(&[&self.authority_key_id(), &number])]);
        let tbs = write::sequence(&[
            &write::small(1),
            &rsa_sha256(),
            self.certificate.subject_der(),
            &write::time(now),
            &write::time(next_update),
            &write::sequence(&entries),
            &extensions,
        ]);
        sign(&self.key, &tbs)
    }

    fn authority_key_id(&self) -> Vec<u8> {
        let id = self.certificate.ski_or_computed();
        let value = write::sequence(&[&write::tlv(context_primitive(0), &[&id])]);
        extension(oid::AUTHORITY_KEY_IDENTIFIER, false, &value)
    }
}

impl Tbs<'_> {
    fn write(&self, random: &dyn Random) -> Vec<u8> {
        let mut serial = [0; 16];
        random.fill(&mut serial);
        // Positive, and never zero.
        if let Some(first) = serial.first_mut() {
            *first = (*first & 0x7f) | 0x40;
        }
        let validity = write::sequence(&[&write::time(self.from), &write::time(self.until)]);
        let extensions: Vec<&[u8]> = self.extensions.iter().map(Vec::as_slice).collect();
        write::sequence(&[
            &write::tlv(context(0), &[&write::small(2)]),
            &write::unsigned(&serial),
            &rsa_sha256(),
            self.issuer,
            &validity,
            self.subject,
            self.spki,
            &write::tlv(context(3), &[&write::sequence(&extensions)]),
        ])
    }
}

fn sign(key: &PrivateKey, tbs: &[u8]) -> Result<Vec<u8>, Error> {
    let signature = key.sign(SignatureAlg::RsaSha256, tbs)?;
    Ok(write::sequence(&[tbs, &rsa_sha256(), &write::bits(&signature)]))
}

fn rsa_sha256() -> Vec<u8> {
    write::sequence(&[&write::oid(oid::RSA_SHA256), &write::null()])
}

fn extension(id: &[u8], critical: bool, value: &[u8]) -> Vec<u8> {
    // FALSE is the default and must not be written.
    let mark = if critical { write::boolean(true) } else { Vec::new() };
    write::sequence(&[&write::oid(id), &mark, &write::octets(value)])
}

/// `O=bartizan, OU=demo, CN=…`, from the most general to the most particular.
fn name(common_name: &str) -> Vec<u8> {
    let part = |kind: &[u8], text: &str| {
        let pair = write::sequence(&[&write::oid(kind), &write::tlv(UTF8_STRING, &[text.as_bytes()])]);
        write::set(&[&pair])
    };
    write::sequence(&[
        &part(oid::ORGANIZATION, "bartizan"),
        &part(oid::ORGANIZATIONAL_UNIT, "demo"),
        &part(oid::COMMON_NAME, common_name),
    ])
}

/// SHA-1 of the key's bits: RFC 5280 §4.2.1.2 (1).
fn key_id(spki: &[u8]) -> Result<[u8; 20], Error> {
    cert::sha1(cert::key_bits(spki).ok_or(Error::encoding("public key"))?)
}
