//! Plans out of policies, run: what one side secures the other verifies, for every complete policy of the vectors.

use std::fs;
use std::sync::OnceLock;

use bartizan_crypto::Secret;
use bartizan_crypto::random::SystemRandom;
use bartizan_keys::pki::{DemoOptions, DemoPki};
use bartizan_keys::{Certificate, ChainAlgorithms, Identity, Keystore, MemoryUsers, Time, TrustStore, store};
use bartizan_policy::compile::{Open, Sides};
use bartizan_policy::{Options, compile, load, read};
use bartizan_soap::{Block, Draft, Version};
use bartizan_testkit::csv;
use bartizan_testkit::vectors::{Expectations, Report, root};
use bartizan_wss::{Env, Login, MemoryReplay, PlanPair, Reason, Transport, Untrusted, Verified};
use bartizan_xml::Limits;

use crate::compile::{SP12, WSP, policy};

const WSU: &str = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd";

fn now() -> Time {
    Time::parse_rfc3339("2026-11-30T12:00:00Z").expect("a time")
}

fn pki() -> &'static DemoPki {
    static PKI: OnceLock<DemoPki> = OnceLock::new();
    PKI.get_or_init(|| {
        let options = DemoOptions { rsa_bits: 2048, now: now(), jks: false };
        DemoPki::generate(&options, &SystemRandom).expect("demo keys")
    })
}

fn entries(name: &str) -> Vec<store::Entry> {
    let file = pki().files.iter().find(|file| file.name == name).expect("a demo file");
    file.contents.expose(|octets| store::read_any(octets, None).expect("readable"))
}

fn certificate(name: &str) -> Certificate {
    store::certificates(&entries(&format!("{name}.pem"))).remove(0)
}

fn identity(name: &str) -> Identity {
    store::pair(&entries(&format!("{name}.key")), &entries(&format!("{name}.pem"))).expect("a pair")
}

fn keys(own: &str, peer: &str) -> Keystore {
    let trust = TrustStore::builder().algorithms(ChainAlgorithms::Modern).anchor(certificate("ca")).build();
    let mut builder = Keystore::builder().identity(identity(own));
    if own == "client" {
        // It endorses what the first signs.
        builder = builder.identity(identity("client2"));
    }
    builder.trust(trust).peer(certificate(peer)).build().expect("keys")
}

/// The key sets of client and server.
pub(crate) fn world() -> &'static (Keystore, Keystore) {
    static WORLD: OnceLock<(Keystore, Keystore)> = OnceLock::new();
    WORLD.get_or_init(|| (keys("client", "server"), keys("server", "client")))
}

/// Those with elliptic keys.
pub(crate) fn elliptic_world() -> &'static (Keystore, Keystore) {
    static WORLD: OnceLock<(Keystore, Keystore)> = OnceLock::new();
    WORLD.get_or_init(|| (keys("client-ec", "server-ec"), keys("server-ec", "client-ec")))
}

/// A message with the headers and elements that the vectors' policies name.
fn draft() -> Draft {
    let to = r#"<wsa:To xmlns:wsa="http://www.w3.org/2005/08/addressing">urn:somewhere</wsa:To>"#;
    let to_to = r#"<wsa:ToTo xmlns:wsa="http://www.w3.org/2005/08/addressing">urn:somewhere</wsa:ToTo>"#;
    let body = r#"<e:echo xmlns:e="http://example1.org/example1"><e:Text>Hello</e:Text></e:echo>"#;
    Draft::new(Version::Soap11)
        .with_block(Block::new("http://www.w3.org/2005/08/addressing", "To", to.into()))
        .with_block(Block::new("http://www.w3.org/2005/08/addressing", "ToTo", to_to.into()))
        .with_body(body.into())
}

fn exchange(plans: &PlanPair) -> Result<(), String> {
    exchange_of(plans, world(), &draft())
}

/// Without the Ids that elements get that are signed by path.
fn without_ids(content: &[u8]) -> String {
    let mut text = String::from_utf8_lossy(content).into_owned();
    while let Some(at) = text.find(" wsu:Id=\"p-") {
        let own = " wsu:Id=\"".len();
        let end = at + own + text[at + own..].find('"').expect("an end") + 1;
        text.replace_range(at..end, "");
        let declared = format!(" xmlns:wsu=\"{WSU}\"");
        let tag = text[..at].rfind('<').expect("a start");
        text = text[..tag].to_owned() + &text[tag..].replacen(&declared, "", 1);
    }
    text
}

/// Request and reply: each verifies, and what is shown of the Body is what was put in.
pub(crate) fn exchange_of(
    plans: &PlanPair,
    (client, server): &(Keystore, Keystore),
    draft: &Draft,
) -> Result<(), String> {
    let login = Login { name: "alice".to_owned(), password: Secret::new(b"verySecret".to_vec()) };
    let users = MemoryUsers::new().with("alice", b"verySecret");
    // As a policy for TLS has it; the others do not ask.
    let shown = client.identity().map(|identity| identity.leaf());
    let tls = Transport::Tls { client: shown };
    let env = Env::new(client, now(), &SystemRandom).as_user(&login).over(tls);
    let secured = plans.initiator.secure(draft.clone(), &env, None).map_err(|error| error.to_string())?;
    let octets = secured.message.bytes();
    let show =
        |what: &dyn std::fmt::Display, octets: &[u8]| format!("{what}\n{}", String::from_utf8_lossy(octets));
    let untrusted = |octets: &[u8]| {
        Untrusted::read(octets.to_vec(), None, &Limits::default()).map_err(|reject| show(&reject, octets))
    };
    let same = |verified: &Verified, octets: &[u8]| match verified.body().map(|body| body.content_octets()) {
        Some(content) if without_ids(&content) != String::from_utf8_lossy(draft.content()) => {
            Err(show(&"the Body is another one", octets))
        }
        _ => Ok(()),
    };
    let replay = MemoryReplay::default();
    let env = Env::new(server, now(), &SystemRandom).with_replay(&replay).with_users(&users).over(tls);
    let verified =
        plans.recipient.verify(untrusted(octets)?, &env).map_err(|reject| show(&reject, octets))?;
    same(&verified, octets)?;
    let reply = plans
        .recipient
        .secure(draft.clone(), &env, Some(verified.request_facts()))
        .map_err(|error| error.to_string())?;
    let octets = reply.message.bytes();
    let env = Env::new(client, now(), &SystemRandom).answering(&secured.sent).over(tls);
    let back = plans.initiator.verify(untrusted(octets)?, &env).map_err(|reject| show(&reject, octets))?;
    same(&back, octets)
}

#[test]
fn every_complete_policy_of_the_vectors_secures_and_verifies() {
    let Some(folder) = root().map(|root| root.join("policy")) else { return };
    // They demand elements that the message has not; paths are read from the Envelope.
    let missing = [
        "cxf/security__DoubleIt__DoubleItEncryptXPathPolicy.xml\tRequiredElements",
        "rampart-java/rampart-tests/policy/rampart-asymm-required-elements-2.xml\tRequiredElements",
        "rampart-java/rampart-tests/policy/rampart-asymm-required-elements.xml\tRequiredElements",
    ];
    let mut report = Report::new("policy round trips", Expectations::parse(&missing.join("\n")));
    for row in csv::read(folder.join("cases.csv")) {
        let ignore = row["other_namespaces"].split(' ').map(Into::into).collect();
        let options = Options { ignore, open: Open::Said, ..Options::default() };
        let policies = read(fs::read(folder.join(&row["file"])).expect("the file of a case"), "case");
        let policy = policies.nth(row["position"].parse().expect("a number")).expect("present");
        if let Ok(compiled) = compile(Sides::both(policy), &options) {
            report.enter(&row["case_id"], exchange(&compiled.plans));
        }
    }
    report.finish(247);
}

#[test]
fn scenarios_and_action_blocks_secure_and_verify() {
    for name in ["unt1", "unt2a", "unt2b", "unt3", "unt4a", "unt4b"] {
        let loaded = bartizan_policy::builtin::builtin(&format!("scenario:{name}")).expect("built in");
        let plans = loaded.only().expect("one").plans(&Options::default()).expect("compiles");
        exchange(&plans).unwrap_or_else(|why| panic!("{name}: {why}"));
    }
    for body in [
        "actions = \"Signature Encrypt Timestamp\"",
        "actions = \"Encrypt Signature Timestamp\"",
        "actions = \"Signature Encrypt Timestamp\"\ndefaults = \"wss4j4\"\nsignatureKeyIdentifier = \"DirectReference\"",
        "actions = \"Signature Encrypt Timestamp\"\ndefaults = \"wss4j15\"",
        "actions = \"Signature\"\nuseSingleCertificate = false\nsignatureKeyIdentifier = \"DirectReference\"",
        "actions = \"Signature\"\nsignatureParts = \"{}{http://example1.org/example1}Text;{Element}{http://www.w3.org/2005/08/addressing}To;Body\"",
        "actions = \"UsernameTokenSignature Encrypt Timestamp\"\nopen = true",
        "actions = \"UsernameTokenSignature\"\nderivedKeyIterations = 5000\nopen = true",
        "actions = \"UsernameToken Signature Encrypt Timestamp\"\nopen = true\npasswordType = \"PasswordDigest\"",
        "actions = \"UsernameToken\"\nhandleCustomPasswordTypes = true\npasswordType = \"urn:own\"\nopen = true",
    ] {
        let loaded = load(format!("[policy.x]\n{body}\n").into_bytes(), "x.toml");
        let plans = loaded.only().expect("one").plans(&Options::default());
        let plans = plans.unwrap_or_else(|problems| panic!("{body}: {problems:#?}"));
        exchange(&plans).unwrap_or_else(|why| panic!("{body}: {why}"));
    }
}

#[test]
fn the_built_in_policy_secures_and_verifies() {
    let loaded = bartizan_policy::builtin::builtin("scenario:rampart-c").expect("built in");
    let plans = loaded.only().expect("one").plans(&Options::default()).expect("compiles");
    exchange(&plans).expect("round trip");
}

#[test]
fn short_forms_secure_and_verify() {
    let element = "element://{http://example1.org/example1}Text";
    for text in [
        "[policy.x]\n".to_owned(),
        "[policy.x]\nsignature_confirmation = true\nencrypt = [\"body\", \"signature\"]\n".to_owned(),
        "[policy.x]\nencrypt_first = true\nreference = \"ski\"\nsign = [\"body\", \"token\", \"addressing\"]\n".to_owned(),
        "[policy.x]\nsuite = \"Basic256GCM\"\nalgorithms = { key_transport = \"rsa-oaep-sha512\", signature = \"rsa-pss-sha256\" }\n".to_owned(),
        format!("[policy.x]\nsign = [\"body\", \"{element}\"]\nencrypt = [\"{element}\"]\nlayout = \"timestamp-last\"\ntimestamp = true\n"),
        "[policy.x.request]\nencrypt = []\n".to_owned(),
    ] {
        let loaded = load(text.clone().into_bytes(), "x.toml");
        let plans = loaded.only().expect("one").plans(&Options::default());
        let plans = plans.unwrap_or_else(|problems| panic!("{text}: {problems:#?}"));
        exchange(&plans).unwrap_or_else(|why| panic!("{text}: {why}"));
    }
}

#[test]
fn a_header_that_is_added_beside_signed_ones_refuses_the_message() {
    let policies = read(policy("Basic256", "", "<sp:SignedParts/>").into_bytes(), "a.xml");
    let plans =
        compile(Sides::both(policies.nth(0).expect("one")), &Options::default()).expect("compiles").plans;
    exchange(&plans).expect("round trip");
    let (client, server) = world();
    let env = Env::new(client, now(), &SystemRandom);
    let secured = plans.initiator.secure(draft(), &env, None).expect("secured");
    let text = String::from_utf8(secured.message.bytes().to_vec()).expect("UTF-8");
    let verify = |text: String| {
        let untrusted = Untrusted::read(text.into_bytes(), None, &Limits::default()).expect("readable");
        let replay = MemoryReplay::default();
        let env = Env::new(server, now(), &SystemRandom).with_replay(&replay);
        plans.recipient.verify(untrusted, &env).map(drop).map_err(|reject| reject.reason())
    };
    assert_eq!(verify(text.clone()), Ok(()));
    let added = text.replacen("</soap:Header>", r#"<x:admin xmlns:x="urn:x">yes</x:admin></soap:Header>"#, 1);
    assert_eq!(verify(added), Err(Reason::CoverageHeaderNotSigned));
    // One that is for somebody else on the way is none of ours.
    let elsewhere = r#"<x:hop xmlns:x="urn:x" soap:actor="urn:proxy">yes</x:hop></soap:Header>"#;
    assert_eq!(verify(text.replacen("</soap:Header>", elsewhere, 1)), Ok(()));
}

#[test]
fn an_operation_of_a_wsdl_secures_and_verifies_under_all_that_is_attached() {
    let binding = policy("Basic256", "", "").replacen(
        "<wsp:Policy ",
        &format!(r#"<wsp:Policy xmlns:wsu="{WSU}" wsu:Id="b" "#),
        1,
    );
    let parts = |inside: &str| format!(r#"<wsp:Policy xmlns:sp="{SP12}">{inside}</wsp:Policy>"#);
    let wsdl = format!(
        r##"<w:definitions xmlns:w="http://schemas.xmlsoap.org/wsdl/" xmlns:wsp="{WSP}"><w:binding name="B"><wsp:PolicyReference URI="#b"/>
<w:operation name="op"><w:input>{}</w:input><w:output>{}</w:output></w:operation></w:binding>{binding}</w:definitions>"##,
        parts("<sp:SignedParts><sp:Body/></sp:SignedParts><sp:EncryptedParts><sp:Body/></sp:EncryptedParts>"),
        parts("<sp:SignedParts><sp:Body/></sp:SignedParts>"),
    );
    let loaded = load(wsdl.into_bytes(), "service.wsdl");
    assert_eq!(loaded.items().len(), 3);
    let plans = loaded.only().expect("the operation").plans(&Options::default()).expect("compiles");
    assert!(plans.initiator.outbound().encrypt.is_some() && plans.recipient.outbound().encrypt.is_none());
    exchange(&plans).expect("round trip");
    assert_eq!(loaded.named("B/op").expect("by name").name(), Some("B/op"));
    // The bare binding signs nothing.
    let bare = loaded.named("b").expect("by Id").compile(&Options::default()).expect_err("nothing is signed");
    assert_eq!(bare[0].code(), "nothing_demanded");
}

#[test]
fn a_required_part_that_is_not_there_refuses_the_message() {
    let sign = "<sp:SignedParts><sp:Body/></sp:SignedParts>";
    let required = |name: &str| {
        let beside = format!(
            r#"{sign}<sp:RequiredParts><sp:Header Name="{name}" Namespace="http://www.w3.org/2005/08/addressing"/></sp:RequiredParts>"#
        );
        let policies = read(policy("Basic256", "", &beside).into_bytes(), "a.xml");
        compile(Sides::both(policies.nth(0).expect("one")), &Options::default()).expect("compiles").plans
    };
    exchange(&required("To")).expect("To is there");
    let refused = exchange(&required("From")).expect_err("From is not");
    assert!(refused.contains(Reason::CoveragePartMissing.code()), "{refused}");
}
