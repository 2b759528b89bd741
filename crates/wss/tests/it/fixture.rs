//! Two sides with keys, plans between them, and a clock that stands still.

use std::sync::OnceLock;

use bartizan_crypto::random::SystemRandom;
use bartizan_crypto::suite;
use bartizan_keys::pki::{DemoOptions, DemoPki};
use bartizan_keys::{ChainAlgorithms, Identity, Keystore, Time, TrustStore, store};
use bartizan_soap::{Block, Draft, Version};
use bartizan_wss::plan::PlanPair;
use bartizan_wss::{
    AsymmetricBuilder, Env, MemoryReplay, Part, Plan, Reason, Reject, Secured, SentSignatures, Untrusted,
    Verified,
};
use bartizan_xml::Limits;

/// The time of every test, unless it says otherwise.
pub(crate) fn now() -> Time {
    Time::parse_rfc3339("2026-11-30T12:00:00Z").unwrap()
}

/// The demo folder's files, made once for the test run.
fn pki() -> &'static DemoPki {
    static PKI: OnceLock<DemoPki> = OnceLock::new();
    PKI.get_or_init(|| {
        DemoPki::generate(&DemoOptions { rsa_bits: 2048, now: now(), jks: false }, &SystemRandom).unwrap()
    })
}

fn entries(file: &str) -> Vec<store::Entry> {
    let file = pki().files.iter().find(|f| f.name == file).unwrap_or_else(|| panic!("{file}"));
    file.contents.expose(|octets| store::read_any(octets, None).unwrap())
}

pub(crate) fn certificate(name: &str) -> bartizan_keys::Certificate {
    store::certificates(&entries(&format!("{name}.pem"))).remove(0)
}

/// A certificate of the same name from another authority.
pub(crate) fn stranger(name: &str) -> bartizan_keys::Certificate {
    strange_identity(name).leaf().clone()
}

/// A certificate of the same name from another authority, with its key.
pub(crate) fn strange_identity(name: &str) -> Identity {
    let pki =
        DemoPki::generate(&DemoOptions { rsa_bits: 2048, now: now(), jks: false }, &SystemRandom).unwrap();
    let entries = |file: String| {
        let file = pki.files.iter().find(|f| f.name == file).unwrap();
        file.contents.expose(|octets| store::read_any(octets, None).unwrap())
    };
    store::pair(&entries(format!("{name}.key")), &entries(format!("{name}.pem"))).unwrap()
}

pub(crate) fn identity(name: &str) -> Identity {
    store::pair(&entries(&format!("{name}.key")), &entries(&format!("{name}.pem"))).unwrap()
}

/// A key set that acts as `own` towards `peer`.
pub(crate) fn keys(own: &str, peer: Option<&str>) -> Keystore {
    let crl_file = entries("ca.crl");
    let mut trust = TrustStore::builder().algorithms(ChainAlgorithms::Modern).anchor(certificate("ca"));
    for crl in store::crls(&crl_file) {
        trust = trust.crl(crl).unwrap();
    }
    let mut builder = Keystore::builder().identity(identity(own)).trust(trust.build());
    if let Some(peer) = peer {
        builder = builder.peer(certificate(peer));
    }
    builder.build().unwrap()
}

/// A client and a server.
pub(crate) struct World {
    pub(crate) client: Keystore,
    pub(crate) server: Keystore,
}

pub(crate) fn world() -> &'static World {
    static WORLD: OnceLock<World> = OnceLock::new();
    WORLD.get_or_init(|| World {
        client: keys("client", Some("server")),
        server: keys("server", Some("client")),
    })
}

pub(crate) fn ec_world() -> &'static World {
    static WORLD: OnceLock<World> = OnceLock::new();
    WORLD.get_or_init(|| World {
        client: keys("client-ec", Some("server-ec")),
        server: keys("server-ec", Some("client-ec")),
    })
}

/// The shape of the benchmark policy with a suite.
pub(crate) fn benchmark(suite: &str) -> AsymmetricBuilder {
    AsymmetricBuilder::new(suite::by_name(suite).unwrap()).sign(Part::Body).encrypt(Part::Body).confirmation()
}

pub(crate) fn pair(builder: AsymmetricBuilder) -> PlanPair {
    builder.build().unwrap()
}

pub(crate) const PAYLOAD: &str =
    "<greetRequest xmlns=\"http://www.wso2.org/types\"><name>test me</name></greetRequest>";

pub(crate) fn draft() -> Draft {
    Draft::new(Version::Soap12).with_body(PAYLOAD.into())
}

/// A draft with addressing and two headers of an application.
pub(crate) fn rich_draft(version: Version) -> Draft {
    let soap = version.namespace();
    let must = version.true_text();
    let header = format!(
        "<h:session xmlns:h=\"urn:h\" xmlns:soap=\"{soap}\" soap:mustUnderstand=\"{must}\">secret</h:session>"
    );
    let to = "<wsa:To xmlns:wsa=\"http://www.w3.org/2005/08/addressing\">urn:somewhere</wsa:To>";
    let body = "<o:order xmlns:o=\"urn:o\" id=\"1\"><o:line id=\"1\">Καλημέρα &amp; 😀</o:line><card xmlns=\"urn:card\" a=\"1 &lt; 2\">4711</card></o:order>";
    Draft::new(version)
        .declaring("xsd", "http://www.w3.org/2001/XMLSchema")
        .with_block(Block::new("http://www.w3.org/2005/08/addressing", "To", to.into()))
        .with_block(Block::new("urn:h", "session", header.into()))
        .with_body(body.into())
}

pub(crate) fn secure(plan: &Plan, keys: &Keystore, draft: Draft) -> Secured {
    plan.secure(draft, &Env::new(keys, now(), &SystemRandom), None).unwrap()
}

pub(crate) fn read(bytes: &[u8]) -> Result<Untrusted, Reject> {
    Untrusted::read(bytes.to_vec(), None, &Limits::default())
}

/// Verifies a request with a fresh replay memory.
pub(crate) fn verify(plan: &Plan, keys: &Keystore, bytes: &[u8]) -> Result<Verified, Reject> {
    let replay = MemoryReplay::default();
    plan.verify(read(bytes)?, &Env::new(keys, now(), &SystemRandom).with_replay(&replay))
}

pub(crate) fn verify_reply(
    plan: &Plan,
    keys: &Keystore,
    bytes: &[u8],
    sent: &SentSignatures,
) -> Result<Verified, Reject> {
    plan.verify(read(bytes)?, &Env::new(keys, now(), &SystemRandom).answering(sent))
}

pub(crate) fn text(secured: Secured) -> String {
    String::from_utf8(secured.message.into_bytes()).unwrap()
}

/// Refused by the server for one of `reasons`, with the one wire fault.
pub(crate) fn refused(plan: &Plan, keys: &Keystore, message: &str, reasons: &[Reason]) -> Reject {
    match verify(plan, keys, message.as_bytes()) {
        Ok(verified) => panic!("accepted: {verified:?}\n{message}"),
        Err(reject) => {
            assert!(
                reasons.contains(&reject.reason()),
                "refused for {reject}, expected one of {reasons:?}\n{message}"
            );
            reject
        }
    }
}

/// Replaces exactly one occurrence.
pub(crate) fn replace(message: &str, from: &str, to: &str) -> String {
    assert_eq!(message.matches(from).count(), 1, "{from} in {message}");
    message.replacen(from, to, 1)
}

/// What stands between two marks, the marks included.
pub(crate) fn cut<'m>(message: &'m str, from: &str, to: &str) -> &'m str {
    let start = message.find(from).unwrap_or_else(|| panic!("{from} in {message}"));
    let after = start + from.len();
    let end = after + message[after..].find(to).unwrap_or_else(|| panic!("{to} in {message}")) + to.len();
    &message[start..end]
}
