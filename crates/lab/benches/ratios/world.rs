//! Two sides with keys, the plans between them, and a clock that stands still.

use bartizan_crypto::random::SystemRandom;
use bartizan_crypto::suite::{self, SignatureReading, Suite};
use bartizan_crypto::{CipherAlg, DigestAlg, MgfAlg, SignatureAlg, TransportAlg};
use bartizan_keys::pki::{DemoOptions, DemoPki};
use bartizan_keys::{Certificate, ChainAlgorithms, Identity, Keystore, Time, TrustStore, store};
use bartizan_lab::floor::Floor;
use bartizan_policy::{Item, Options, builtin, load_short};
use bartizan_wss::plan::{PlanPair, TimestampRule};
use bartizan_wss::{AsymmetricBuilder, Env, Part};

/// The time of every message.
pub fn now() -> Time {
    Time::parse_rfc3339("2026-11-30T12:00:00Z").expect("a time")
}

/// One side's keys.
#[derive(Clone)]
pub struct Pair {
    pub client: Keystore,
    pub server: Keystore,
}

/// A folder of keys in memory: names of files and what is in them.
pub struct Keys(Vec<(String, Vec<u8>)>);

impl Keys {
    /// Those files.
    pub fn of(files: impl IntoIterator<Item = (String, Vec<u8>)>) -> Keys {
        Keys(files.into_iter().collect())
    }

    /// Fresh ones.
    pub fn generate(rsa_bits: u32) -> Keys {
        let options = DemoOptions { rsa_bits, now: now(), jks: false };
        let made = DemoPki::generate(&options, &SystemRandom).expect("keys");
        Keys::of(made.files.iter().map(|file| (file.name.clone(), file.contents.expose(Clone::clone))))
    }

    fn entries(&self, file: &str) -> Vec<store::Entry> {
        let (_, octets) = self.0.iter().find(|(name, _)| name == file).expect("a file of the folder");
        store::read_any(octets, None).expect("keys and certificates")
    }

    fn certificate(&self, name: &str) -> Certificate {
        store::certificates(&self.entries(&format!("{name}.pem"))).remove(0)
    }

    pub fn identity(&self, name: &str) -> Identity {
        store::pair(&self.entries(&format!("{name}.key")), &self.entries(&format!("{name}.pem")))
            .expect("a pair")
    }

    fn side(&self, own: &str, peer: &str) -> Keystore {
        let trust = TrustStore::builder().algorithms(ChainAlgorithms::Modern).anchor(self.certificate("ca"));
        Keystore::builder()
            .identity(self.identity(own))
            .peer(self.certificate(peer))
            .trust(trust.build())
            .min_rsa(1024)
            .build()
            .expect("a key set")
    }

    /// Client and server; `twin` is `""` for RSA, `"-ec"` for P-256.
    pub fn pair(&self, twin: &str) -> Pair {
        let (client, server) = (format!("client{twin}"), format!("server{twin}"));
        Pair { client: self.side(&client, &server), server: self.side(&server, &client) }
    }
}

/// A way to protect messages: plans, keys, and the algorithms of the floor.
pub struct World {
    pub name: &'static str,
    pub plans: PlanPair,
    pub keys: Pair,
    pub floor: Floor,
}

impl World {
    pub fn client(&self) -> Env<'_> {
        Env::new(&self.keys.client, now(), &SystemRandom)
    }

    pub fn server(&self) -> Env<'_> {
        Env::new(&self.keys.server, now(), &SystemRandom)
    }
}

fn suite_of(name: &str) -> &'static Suite {
    suite::by_name(name).expect("a known suite")
}

fn compiled(item: &Item) -> PlanPair {
    item.plans(&Options::default()).unwrap_or_else(|found| panic!("{found:?}"))
}

/// Body and Timestamp signed with RSA-SHA256, nothing encrypted.
pub fn signing(keys: &Keys, suite: &str, twin: &str, name: &'static str) -> World {
    let suite = suite_of(suite);
    let builder = AsymmetricBuilder::new(suite).sign(Part::Body).timestamp(TimestampRule::default());
    let floor = Floor::of_suite(suite, suite.signature(SignatureReading::Specification));
    World { name, plans: builder.build().expect("plans"), keys: keys.pair(twin), floor }
}

/// Body encrypted with AES-256-GCM, the key under RSA-OAEP; nothing signed.
pub fn sealing(keys: &Keys, name: &'static str) -> World {
    let suite = suite_of("modern-rsa");
    let builder = AsymmetricBuilder::new(suite).encrypt(Part::Body).open();
    let floor = Floor::of_suite(suite, SignatureAlg::RsaSha256);
    World { name, plans: builder.build().expect("plans"), keys: keys.pair(""), floor }
}

/// The benchmark policy of Rampart/C.
pub fn rampart(keys: &Keys, name: &'static str) -> World {
    let loaded = builtin::builtin("scenario:rampart-c").expect("a built-in policy");
    let floor = Floor::of_suite(suite_of("Basic256"), SignatureAlg::RsaSha1);
    World { name, plans: compiled(loaded.only().expect("one policy")), keys: keys.pair(""), floor }
}

/// A built-in scenario.
pub fn scenario(name: &str) -> PlanPair {
    let loaded = builtin::builtin(&format!("scenario:{name}")).expect("a built-in policy");
    compiled(loaded.only().expect("one policy"))
}

/// Its shape with RSA-SHA256, SHA-256 and AES-256-GCM.
pub fn gcm(keys: &Keys, name: &'static str) -> World {
    let text = include_bytes!("../../../../interop/policies/gcm.toml");
    let loaded = load_short(text, "gcm.toml");
    let mut floor = Floor::of_suite(suite_of("modern-rsa"), SignatureAlg::RsaSha256);
    floor.delivery = bartizan_crypto::suite::Delivery::Transport {
        transport: TransportAlg::RsaOaepMgf1p,
        digest: DigestAlg::Sha1,
        mgf: MgfAlg::Mgf1Sha1,
    };
    World { name, plans: compiled(loaded.only().expect("one policy")), keys: keys.pair(""), floor }
}

/// Its shape with P-256 and AES-256-GCM.
pub fn ec(keys: &Keys, name: &'static str) -> World {
    let text = include_bytes!("../../../../interop/policies/ec.toml");
    let loaded = load_short(text, "ec.toml");
    let floor = Floor::of_suite(suite_of("modern-ec"), SignatureAlg::EcdsaSha256);
    assert_eq!(floor.cipher, CipherAlg::Aes256Gcm);
    World { name, plans: compiled(loaded.only().expect("one policy")), keys: keys.pair("-ec"), floor }
}
