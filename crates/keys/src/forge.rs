//! Certificates and revocation lists of any shape, sound or not, for the tests of this crate.

use std::sync::OnceLock;
use std::time::Duration;

use bartizan_crypto::{Curve, PrivateKey, SignatureAlg};

use crate::cert::{self, Certificate};
use crate::der::{UTF8_STRING, context, context_primitive, oid, write};
use crate::time::Time;

pub(crate) const DAY: Duration = Duration::from_secs(86_400);

pub(crate) fn now() -> Time {
    Time::parse_rfc3339("2026-11-30T12:00:00Z").unwrap()
}

/// The n-th of some P-256 keys, the same in all tests of a run.
pub(crate) fn key(n: usize) -> &'static PrivateKey {
    static KEYS: OnceLock<Vec<PrivateKey>> = OnceLock::new();
    let keys = KEYS.get_or_init(|| (0..24).map(|_| PrivateKey::generate_ec(Curve::P256).unwrap()).collect());
    &keys[n]
}

pub(crate) fn name(common_name: &str) -> Vec<u8> {
    let pair = write::sequence(&[
        &write::oid(oid::COMMON_NAME),
        &write::tlv(UTF8_STRING, &[common_name.as_bytes()]),
    ]);
    write::sequence(&[&write::set(&[&pair])])
}

pub(crate) fn extension(id: &[u8], critical: bool, value: &[u8]) -> Vec<u8> {
    let mark = if critical { write::boolean(true) } else { Vec::new() };
    write::sequence(&[&write::oid(id), &mark, &write::octets(value)])
}

/// BasicConstraints of an authority, with a path length or without.
pub(crate) fn authority(path_length: Option<u32>) -> Vec<u8> {
    let length = path_length.map(write::small).unwrap_or_default();
    extension(oid::BASIC_CONSTRAINTS, true, &write::sequence(&[&write::boolean(true), &length]))
}

pub(crate) fn key_usage(bits: &[u8]) -> Vec<u8> {
    extension(oid::KEY_USAGE, true, &write::named_bits(bits))
}

pub(crate) fn alt_dns(names: &[&str]) -> Vec<u8> {
    let names: Vec<Vec<u8>> =
        names.iter().map(|name| write::tlv(context_primitive(2), &[name.as_bytes()])).collect();
    let names: Vec<&[u8]> = names.iter().map(Vec::as_slice).collect();
    extension(oid::SUBJECT_ALT_NAME, false, &write::sequence(&names))
}

/// A certificate to be.
#[derive(Clone)]
pub(crate) struct Forge {
    pub subject: Vec<u8>,
    pub issuer: Vec<u8>,
    pub serial: Vec<u8>,
    pub from: Time,
    pub until: Time,
    pub version: u32,
    pub key: usize,
    pub extensions: Vec<Vec<u8>>,
}

impl Forge {
    /// Version 3, valid from yesterday for a year, without extensions.
    pub(crate) fn new(subject: &str, issuer: &str, key: usize) -> Forge {
        Forge {
            subject: name(subject),
            issuer: name(issuer),
            serial: vec![1],
            from: now() - DAY,
            until: now() + DAY * 365,
            version: 3,
            key,
            extensions: Vec::new(),
        }
    }

    /// A self-issued authority.
    pub(crate) fn root(subject: &str, key: usize) -> Forge {
        Forge::new(subject, subject, key).with(authority(None))
    }

    /// An authority below another.
    pub(crate) fn intermediate(subject: &str, issuer: &str, key: usize) -> Forge {
        Forge::new(subject, issuer, key).with(authority(None))
    }

    pub(crate) fn with(mut self, extension: Vec<u8>) -> Forge {
        self.extensions.push(extension);
        self
    }

    pub(crate) fn serial(mut self, serial: &[u8]) -> Forge {
        self.serial = serial.to_vec();
        self
    }

    pub(crate) fn valid(mut self, from: Time, until: Time) -> Forge {
        (self.from, self.until) = (from, until);
        self
    }

    pub(crate) fn version(mut self, version: u32) -> Forge {
        self.version = version;
        self
    }

    pub(crate) fn der(&self, signer: usize) -> Vec<u8> {
        let version = match self.version {
            1 => Vec::new(),
            version => write::tlv(context(0), &[&write::small(version - 1)]),
        };
        let extensions: Vec<&[u8]> = self.extensions.iter().map(Vec::as_slice).collect();
        let extensions = match extensions.as_slice() {
            [] => Vec::new(),
            list => write::tlv(context(3), &[&write::sequence(list)]),
        };
        let tbs = write::sequence(&[
            &version,
            &write::tlv(crate::der::INTEGER, &[&self.serial]),
            &ecdsa_sha256(),
            &self.issuer,
            &write::sequence(&[&write::time(self.from), &write::time(self.until)]),
            &self.subject,
            key(self.key).public().spki(),
            &extensions,
        ]);
        sign(signer, &tbs)
    }

    pub(crate) fn signed_by(&self, signer: usize) -> Certificate {
        Certificate::from_der(self.der(signer)).unwrap()
    }

    pub(crate) fn self_signed(&self) -> Certificate {
        self.signed_by(self.key)
    }
}

fn ecdsa_sha256() -> Vec<u8> {
    write::sequence(&[&write::oid(&[0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 2])])
}

fn sign(signer: usize, tbs: &[u8]) -> Vec<u8> {
    let raw = key(signer).sign(SignatureAlg::EcdsaSha256, tbs).unwrap();
    let (r, s) = raw.split_at(raw.len() / 2);
    let signature = write::sequence(&[&write::unsigned(r), &write::unsigned(s)]);
    write::sequence(&[tbs, &ecdsa_sha256(), &write::bits(&signature)])
}

/// A revocation list to be.
pub(crate) struct ForgeCrl {
    pub issuer: Vec<u8>,
    pub serials: Vec<Vec<u8>>,
    pub next_update: Option<Time>,
    pub extensions: Vec<Vec<u8>>,
}

impl ForgeCrl {
    pub(crate) fn new(issuer: &str, serials: &[&[u8]]) -> ForgeCrl {
        ForgeCrl {
            issuer: name(issuer),
            serials: serials.iter().map(|serial| serial.to_vec()).collect(),
            next_update: Some(now() + DAY * 30),
            extensions: Vec::new(),
        }
    }

    pub(crate) fn with(mut self, extension: Vec<u8>) -> ForgeCrl {
        self.extensions.push(extension);
        self
    }

    pub(crate) fn until(mut self, next_update: Option<Time>) -> ForgeCrl {
        self.next_update = next_update;
        self
    }

    pub(crate) fn signed_by(&self, signer: usize) -> Vec<u8> {
        let entries: Vec<Vec<u8>> = self
            .serials
            .iter()
            .map(|serial| {
                write::sequence(&[&write::tlv(crate::der::INTEGER, &[serial]), &write::time(now())])
            })
            .collect();
        let entries: Vec<&[u8]> = entries.iter().map(Vec::as_slice).collect();
        let entries = if entries.is_empty() { Vec::new() } else { write::sequence(&entries) };
        let extensions: Vec<&[u8]> = self.extensions.iter().map(Vec::as_slice).collect();
        let extensions = match extensions.as_slice() {
            [] => Vec::new(),
            list => write::tlv(context(0), &[&write::sequence(list)]),
        };
        let tbs = write::sequence(&[
            &write::small(1),
            &ecdsa_sha256(),
            &self.issuer,
            &write::time(now() - DAY),
            &self.next_update.map(write::time).unwrap_or_default(),
            &entries,
            &extensions,
        ]);
        sign(signer, &tbs)
    }
}

/// The computed key identifier of one of our keys.
pub(crate) fn key_id(n: usize) -> [u8; 20] {
    cert::sha1(cert::key_bits(key(n).public().spki()).unwrap()).unwrap()
}
