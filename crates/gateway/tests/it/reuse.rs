//! Secrets of requests behind a socket: what one service keeps is no other's, and gone when a new table is in force.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;

use bartizan_crypto::random::SystemRandom;
use bartizan_crypto::suite;
use bartizan_gateway::{Junction, Reply};
use bartizan_keys::pki::{DemoOptions, DemoPki};
use bartizan_keys::{ChainAlgorithms, Keystore, MemoryUsers, TrustStore, UserSource, store};
use bartizan_soap::{Draft, Version};
use bartizan_wss::{
    Env, KeepBounds, KeptSecrets, Part, Plan, PlanPair, ReusedSecret, Secured, SymmetricBuilder, Untrusted,
};
use bartizan_xml::Limits;

use super::now;
use super::users::{Stub, serving, table};

/// Server's and client's keys.
fn sides() -> (Keystore, Keystore) {
    let options = DemoOptions { rsa_bits: 2048, now: now(), jks: false };
    let pki = DemoPki::generate(&options, &SystemRandom).unwrap();
    let entries = |name: &str| {
        let file = pki.files.iter().find(|file| file.name == name).unwrap();
        file.contents.expose(|octets| store::read_any(octets, None).unwrap())
    };
    let certificate = |name: &str| store::certificates(&entries(&format!("{name}.pem"))).remove(0);
    let side = |own: &str, peer: &str| {
        let pair = store::pair(&entries(&format!("{own}.key")), &entries(&format!("{own}.pem"))).unwrap();
        let trust = TrustStore::builder().algorithms(ChainAlgorithms::Modern).anchor(certificate("ca"));
        Keystore::builder().identity(pair).peer(certificate(peer)).trust(trust.build()).build().unwrap()
    };
    (side("server", "client"), side("client", "server"))
}

fn mount(path: &str, plan: &Plan, keys: &Keystore, kept: bool) -> Junction {
    let bounds = KeepBounds { nameless: 4, ..KeepBounds::default() };
    Junction {
        path: path.to_owned(),
        plan: Arc::new(plan.clone()),
        keys: keys.clone(),
        replay: None,
        kept: kept.then(|| Arc::new(KeptSecrets::new(bounds))),
        users: None,
        limits: Limits::default(),
        reply: Reply::Secured,
        addressing: None,
        target: Arc::new(Stub),
    }
}

struct Client {
    plan: Plan,
    keys: Keystore,
    reuse: ReusedSecret,
}

impl Client {
    fn request(&self) -> Secured {
        let draft = Draft::new(Version::Soap12).with_body(b"<a></a>".to_vec());
        self.plan
            .secure(draft, &Env::new(&self.keys, now(), &SystemRandom).reusing(&self.reuse), None)
            .unwrap()
    }

    /// Sends a request; gives the status.
    fn send(&self, address: SocketAddr, path: &str, request: &Secured) -> u16 {
        let mut stream = TcpStream::connect(address).unwrap();
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: test\r\nConnection: close\r\nContent-Type: application/soap+xml\r\n\
             Content-Length: {}\r\n\r\n",
            request.message.bytes().len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(request.message.bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let message = Untrusted::read(body.as_bytes().to_vec(), None, &Limits::default()).unwrap();
        let env = Env::new(&self.keys, now(), &SystemRandom).answering(&request.sent).reusing(&self.reuse);
        let verdict = self.plan.verify(message, &env);
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap();
        // The stub's fault comes secured, a refusal does not.
        assert_eq!(verdict.is_ok(), status == 500, "{answer}");
        status
    }
}

#[test]
fn kept_secrets_are_of_one_service_and_gone_with_its_table() {
    let builder = SymmetricBuilder::new(suite::by_name("Basic256").unwrap()).sign(Part::Body);
    let PlanPair { initiator, recipient } =
        builder.encrypt(Part::Body).confirmation().anonymous().build().unwrap();
    let (server, keys) = sides();
    let mounts = || {
        let mount = |path, kept| mount(path, &recipient, &server, kept);
        table(vec![mount("/a", true), mount("/b", true), mount("/off", false)])
    };
    let client = Client { plan: initiator, keys, reuse: ReusedSecret::default() };
    serving(mounts(), |address, gateway| {
        let opened = |path: &str| {
            assert_eq!(client.send(address, path, &client.request()), 500);
            let next = client.request();
            assert!(next.sent.reuses_secret());
            next
        };
        let next = opened("/a");
        assert_eq!(client.send(address, "/a", &next), 500, "the service that kept it");
        for other in ["/b", "/off"] {
            let next = opened("/a");
            assert_eq!(client.send(address, other, &next), 400, "{other}");
            assert!(!client.request().sent.reuses_secret(), "refused: the next one is fresh");
        }
        let next = opened("/a");
        let users: Arc<dyn UserSource> = Arc::new(MemoryUsers::new());
        gateway.swap_users(&users);
        assert_eq!(client.send(address, "/a", &next), 500, "other users are asked anew in each request");
        let next = client.request();
        gateway.swap(mounts());
        assert_eq!(client.send(address, "/a", &next), 400, "a new table has its own");
    });
}
