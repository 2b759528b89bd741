//! Keys, certificates and a time that never change, so that a corpus means the same tomorrow.
//!
//! The files in `keys/` are throwaway; nobody trusts their authority. RSA keys have 1024 bits, for speed.

use std::sync::atomic::{AtomicU64, Ordering};

use bartizan_crypto::random::Random;
use bartizan_crypto::{PrivateKey, SymmetricKey};
use bartizan_keys::{Certificate, Identity, Keystore, Time, TrustStore, store};

macro_rules! files {
    ($($name:literal),+ $(,)?) => {
        const FILES: &[(&str, &[u8])] = &[$(($name, include_bytes!(concat!("../keys/", $name)))),+];
    };
}

files!(
    "ca.pem",
    "client.key",
    "client.pem",
    "client-ec.key",
    "client-ec.pem",
    "server.key",
    "server.pem",
    "server-ec.key",
    "server-ec.pem",
);

/// The time of every message.
pub(crate) fn now() -> Time {
    Time::parse_rfc3339("2026-12-01T12:00:00Z").expect("a time")
}

fn entries(name: &str) -> Vec<store::Entry> {
    let (_, octets) = FILES.iter().find(|(file, _)| *file == name).expect("a file of ours");
    store::read_any(octets, None).expect("readable")
}

pub(crate) fn certificate(name: &str) -> Certificate {
    store::certificates(&entries(&format!("{name}.pem"))).remove(0)
}

pub(crate) fn identity(name: &str) -> Identity {
    store::pair(&entries(&format!("{name}.key")), &entries(&format!("{name}.pem"))).expect("a pair")
}

pub(crate) fn private_key(name: &str) -> PrivateKey {
    identity(name).key().clone()
}

/// A key set that acts as `own` towards `peer`.
pub(crate) fn keys(own: &str, peer: &str) -> Keystore {
    let trust = TrustStore::builder().anchor(certificate("ca")).build();
    let builder = Keystore::builder().identity(identity(own)).trust(trust).min_rsa(1024);
    builder.peer(certificate(peer)).build().expect("keys")
}

/// A shared secret.
pub(crate) fn secret(length: usize) -> SymmetricKey {
    SymmetricKey::new((1..=u8::try_from(length).expect("short")).collect())
}

/// Octets that are the same in every run: a counter, stirred.
#[derive(Default)]
pub(crate) struct Steady(AtomicU64);

impl Random for Steady {
    fn fill(&self, buffer: &mut [u8]) {
        for octets in buffer.chunks_mut(8) {
            let mut n = self.0.fetch_add(0x9E37_79B9_7F4A_7C15, Ordering::Relaxed);
            n = (n ^ (n >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            n = (n ^ (n >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            let n = (n ^ (n >> 31)).to_le_bytes();
            octets.copy_from_slice(&n[..octets.len()]);
        }
    }
}
