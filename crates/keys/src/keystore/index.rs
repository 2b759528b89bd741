//! From a reference to the places in a list: one hash map for all kinds of reference.

use std::collections::HashMap;

use super::TokenRef;
use crate::cert::name::Dn;
use crate::cert::{self, Certificate, decimal};
use crate::error::Error;

/// Positions in the list that the index was built over.
#[derive(Default)]
pub(super) struct Index(HashMap<Vec<u8>, Vec<usize>>);

const SHA1: u8 = 1;
const SHA256: u8 = 2;
const SKI: u8 = 3;
const ISSUER_SERIAL: u8 = 4;
const SUBJECT: u8 = 5;
const NAME: u8 = 6;

fn key(kind: u8, parts: &[&[u8]]) -> Vec<u8> {
    let mut key = vec![kind];
    for part in parts {
        key.extend_from_slice(part);
    }
    key
}

impl Index {
    /// Enters everything that a certificate can be found by.
    pub(super) fn certificate(&mut self, at: usize, certificate: &Certificate) {
        self.enter(key(SHA1, &[&certificate.thumbprint_sha1()]), at);
        self.enter(key(SHA256, &[&certificate.thumbprint_sha256()]), at);
        self.enter(key(SKI, &[&certificate.ski_or_computed()]), at);
        let (issuer, serial) = (certificate.issuer_dn().key(), certificate.serial_decimal());
        self.enter(key(ISSUER_SERIAL, &[serial.as_bytes(), b"/", &issuer]), at);
        self.enter(key(SUBJECT, &[&certificate.subject_dn().key()]), at);
    }

    /// Enters a name from the configuration or an alias.
    pub(super) fn name(&mut self, at: usize, name: &str) {
        self.enter(key(NAME, &[name.as_bytes()]), at);
    }

    fn enter(&mut self, key: Vec<u8>, at: usize) {
        let places = self.0.entry(key).or_default();
        if !places.contains(&at) {
            places.push(at);
        }
    }

    fn get(&self, key: Vec<u8>) -> Vec<usize> {
        self.0.get(&key).cloned().unwrap_or_default()
    }

    /// All places that fit. A text that is no name or number fits nothing.
    ///
    /// # Errors
    /// [`Error::TooMuch`] for an absurdly long name.
    pub(super) fn find(&self, reference: &TokenRef<'_>) -> Result<Vec<usize>, Error> {
        Ok(match reference {
            TokenRef::ThumbprintSha1(octets) => self.get(key(SHA1, &[octets])),
            TokenRef::ThumbprintSha256(octets) => self.get(key(SHA256, &[octets])),
            TokenRef::Ski(octets) => self.get(key(SKI, &[octets])),
            TokenRef::Der(octets) => self.get(key(SHA256, &[&cert::sha256(octets)?])),
            TokenRef::IssuerSerial { issuer, serial } => {
                let Some(serial) = decimal::normalise(serial) else { return Ok(Vec::new()) };
                self.by_name(issuer, |name| key(ISSUER_SERIAL, &[serial.as_bytes(), b"/", &name]))?
            }
            TokenRef::SubjectName(subject) => self.by_name(subject, |name| key(SUBJECT, &[&name]))?,
            TokenRef::KeyName(name) => {
                let places = self.get(key(NAME, &[name.as_bytes()]));
                if !places.is_empty() || !name.contains('=') {
                    return Ok(places);
                }
                self.by_name(name, |name| key(SUBJECT, &[&name]))?
            }
        })
    }

    /// Looks a name up in the order of the RFCs (last part of the encoding first) and in the encoding's.
    fn by_name(&self, text: &str, key: impl Fn(Vec<u8>) -> Vec<u8>) -> Result<Vec<usize>, Error> {
        let name = match Dn::parse(text) {
            Ok(name) => name,
            Err(Error::BadName) => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut places = self.get(key(name.reversed_key()));
        for place in self.get(key(name.key())) {
            if !places.contains(&place) {
                places.push(place);
            }
        }
        Ok(places)
    }
}
