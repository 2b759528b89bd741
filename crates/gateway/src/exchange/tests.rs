#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]
#![allow(clippy::disallowed_methods, reason = "the other side of the sockets")]

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpStream};
use std::time::Duration;

use bartizan_crypto::Secret;
use bartizan_crypto::random::SystemRandom;
use bartizan_keys::{Keystore, MemoryUsers};
use bartizan_net::SystemClock;
use bartizan_soap::{Draft, FaultCode, Version};
use bartizan_wss::plan::Derive;
use bartizan_wss::{Env, Login, PlanPair, UsernameBuilder, Verified};
use bartizan_xml::Limits;

use super::*;
use crate::Server;
use crate::config::{Config, Listener, Placed};
use crate::junction::{Hosted, Load, Reply, Serving};

/// Serves nothing: that it was asked at all is what counts.
struct Stub;

impl Hosted for Stub {
    fn serve(&self, _request: Verified) -> Serving<'_> {
        Box::pin(async { Err(bartizan_soap::Fault::new(FaultCode::Receiver, "the stub was reached")) })
    }
}

fn mount(path: &str, plans: &PlanPair) -> Junction {
    Junction {
        path: path.to_owned(),
        plan: Arc::new(plans.recipient.clone()),
        keys: Keystore::builder().build().unwrap(),
        replay: None,
        kept: None,
        users: Some(Arc::new(MemoryUsers::new().with("alice", b"right"))),
        limits: Limits::default(),
        reply: Reply::Plain,
        addressing: None,
        target: Arc::new(Stub),
    }
}

/// What alice sends.
fn message(plans: &PlanPair) -> Vec<u8> {
    let login = Login { name: "alice".to_owned(), password: Secret::new(b"right".to_vec()) };
    let keys = Keystore::builder().build().unwrap();
    let env = Env::new(&keys, SystemClock.now(), &SystemRandom).as_user(&login);
    let draft = Draft::new(Version::Soap12).with_body("<a/>".into());
    plans.initiator.secure(draft, &env, None).unwrap().message.into_bytes()
}

fn post(address: SocketAddr, path: &str, body: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(
        stream,
        "POST {path} HTTP/1.1\r\nHost: test\r\nConnection: close\r\nContent-Type: application/soap+xml\r\n\
         Content-Length: {}\r\n\r\n",
        body.len()
    )
    .unwrap();
    stream.write_all(body).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn derivations_that_wait_hold_up_no_other_connection_of_their_thread_and_beyond_the_queue_it_is_503() {
    let text = UsernameBuilder::new().build().unwrap();
    let key = UsernameBuilder::new().sign(Derive::Profile { iterations: 1000 }).build().unwrap();
    let load = Load {
        in_flight: 10,
        in_flight_per_peer: 10,
        work_per_peer: Some(8),
        waiting: 1,
        large_bytes: 1 << 20,
    };
    let table = Table::new(
        vec![mount("/text", &text), mount("/key", &key)],
        HttpLimits::default(),
        load,
        Duration::ZERO,
    );
    let log = AccessLog::to(std::io::sink()).unwrap();
    let gateway = Arc::new(Gateway::new(table, log, Box::new(SystemClock), Box::new(SystemRandom)));
    let address = Placed::nowhere(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)));
    let config =
        Config { listeners: vec![Listener { name: "test".to_owned(), address }], ..Config::default() };
    // One thread for all connections, as a core has.
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let server = runtime.block_on(Server::start(&config, Arc::clone(&gateway), None)).unwrap();
    let address = server.addresses()[0].1;

    // A key that was seen before needs no turn.
    let known = message(&key);
    assert!(post(address, "/key", &known).contains("the stub was reached"));
    let lanes = gateway.derivations.lanes();
    // All lanes are taken, so that whoever comes waits until the test says so.
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let held: Vec<_> = (0..(cores / 2).max(1)).map(|_| lanes.take().unwrap()).collect();
    std::thread::scope(|scope| {
        let waits = scope.spawn(|| post(address, "/key", &message(&key)));
        while lanes.waiting() == 0 {
            std::thread::yield_now();
        }
        // None of these would be answered while the thread derives; the test would never end.
        assert!(post(address, "/text", &message(&text)).contains("the stub was reached"));
        assert!(post(address, "/key", &known).contains("the stub was reached"));
        let turned_away = post(address, "/key", &message(&key));
        assert!(turned_away.starts_with("HTTP/1.1 503"), "{turned_away}");
        assert!(turned_away.contains("retry-after: 1"), "{turned_away}");
        assert!(!waits.is_finished());
        drop(held);
        assert!(waits.join().unwrap().contains("the stub was reached"));
    });
    assert!(post(address, "/key", &message(&key)).contains("the stub was reached"));
    assert!(runtime.block_on(server.stop(Duration::from_secs(30))));
}
