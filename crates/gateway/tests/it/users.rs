//! Users behind a socket: checks that are slow on purpose take the places for work that waits, and no others.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bartizan_crypto::Secret;
use bartizan_crypto::random::SystemRandom;
use bartizan_gateway::access::AccessLog;
use bartizan_gateway::config::{Config, Listener, Placed};
use bartizan_gateway::junction::{Load, Serving};
use bartizan_gateway::{Gateway, Hosted, Junction, Reply, Server, Table};
use bartizan_keys::{Denied, Keystore, MemoryUsers, Time, User, UserSource};
use bartizan_net::{HttpLimits, SystemClock};
use bartizan_soap::{Fault, FaultCode};

use bartizan_wss::{Plan, Side, UsernameBuilder, Verified};
use bartizan_xml::Limits;

use super::now;

/// Serves nothing: that it was asked at all is what counts.
pub(crate) struct Stub;

impl Hosted for Stub {
    fn serve(&self, _request: Verified) -> Serving<'_> {
        Box::pin(async { Err(Fault::new(FaultCode::Receiver, "the stub was reached")) })
    }
}

/// Users who are checked when the test says so.
struct Slow {
    users: MemoryUsers,
    begun: Mutex<Sender<()>>,
    go: Mutex<Receiver<()>>,
}

impl UserSource for Slow {
    fn check_password(&self, name: &str, password: &[u8], now: Time) -> Result<Arc<User>, Denied> {
        self.begun.lock().unwrap().send(()).unwrap();
        self.go.lock().unwrap().recv().unwrap();
        self.users.check_password(name, password, now)
    }

    fn secret(&self, name: &str, now: Time) -> Result<(Arc<User>, Arc<Secret>), Denied> {
        self.users.secret(name, now)
    }

    fn spend(&self) -> Result<(), Denied> {
        Ok(())
    }

    fn is_costly(&self) -> bool {
        true
    }
}

/// Users whose source is full.
struct Full;

impl UserSource for Full {
    fn check_password(&self, _name: &str, _password: &[u8], _now: Time) -> Result<Arc<User>, Denied> {
        Err(Denied::Busy)
    }

    fn secret(&self, _name: &str, _now: Time) -> Result<(Arc<User>, Arc<Secret>), Denied> {
        Err(Denied::Busy)
    }

    fn spend(&self) -> Result<(), Denied> {
        Err(Denied::Busy)
    }

    fn is_costly(&self) -> bool {
        true
    }
}

fn junction(path: &str, plan: Plan, users: Option<Arc<dyn UserSource>>) -> Junction {
    Junction {
        path: path.to_owned(),
        plan: Arc::new(plan),
        keys: Keystore::builder().build().unwrap(),
        replay: None,
        kept: None,
        users,
        limits: Limits::default(),
        reply: Reply::Plain,
        addressing: None,
        target: Arc::new(Stub),
    }
}

fn with_users() -> Plan {
    UsernameBuilder::new().build().unwrap().recipient
}

/// A table with one place for work that waits.
pub(crate) fn table(junctions: Vec<Junction>) -> Table {
    let load =
        Load { in_flight: 10, in_flight_per_peer: 10, waiting: 1, large_bytes: 1 << 20, ..Load::default() };
    Table::new(junctions, HttpLimits::default(), load, Duration::ZERO)
}

/// Serves a table while `work` runs.
pub(crate) fn serving(table: Table, work: impl FnOnce(SocketAddr, &Gateway)) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let log = AccessLog::to(std::io::sink()).unwrap();
    let gateway = Arc::new(Gateway::new(table, log, Box::new(SystemClock), Box::new(SystemRandom)));
    let address = Placed::nowhere(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)));
    let config =
        Config { listeners: vec![Listener { name: "test".to_owned(), address }], ..Config::default() };
    let server = runtime.block_on(Server::start(&config, Arc::clone(&gateway), None)).unwrap();
    let address = server.addresses()[0].1;
    work(address, &gateway);
    assert!(runtime.block_on(server.stop(Duration::from_secs(30))));
}

/// Sends a message with a UsernameToken; gives the status and the body of the answer.
fn send(address: SocketAddr, path: &str, name: &str, password: &str) -> (u16, String) {
    let wss = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss";
    let time = now();
    let (created, end) = (time.to_rfc3339(), (time + Duration::from_secs(60)).to_rfc3339());
    let nonce = bartizan_crypto::base64::encode(&[7; 16]);
    let body = format!(
        "<e:Envelope xmlns:e=\"http://www.w3.org/2003/05/soap-envelope\"><e:Header>\
         <s:Security xmlns:s=\"{wss}-wssecurity-secext-1.0.xsd\" xmlns:u=\"{wss}-wssecurity-utility-1.0.xsd\" e:mustUnderstand=\"true\">\
         <u:Timestamp u:Id=\"t\"><u:Created>{created}</u:Created><u:Expires>{end}</u:Expires></u:Timestamp>\
         <s:UsernameToken u:Id=\"k\"><s:Username>{name}</s:Username>\
         <s:Password Type=\"{wss}-username-token-profile-1.0#PasswordText\">{password}</s:Password>\
         <s:Nonce EncodingType=\"{wss}-soap-message-security-1.0#Base64Binary\">{nonce}</s:Nonce>\
         <u:Created>{created}</u:Created></s:UsernameToken></s:Security></e:Header>\
         <e:Body><a/></e:Body></e:Envelope>"
    );
    let mut stream = TcpStream::connect(address).unwrap();
    write!(
        stream,
        "POST {path} HTTP/1.1\r\nHost: test\r\nConnection: close\r\nContent-Type: application/soap+xml\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let status = answer.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap();
    (status, answer)
}

#[test]
fn limit_slow_checks_take_the_places_for_work_that_waits_and_one_more_is_503() {
    let (begun, has_begun) = channel();
    let (release, go) = channel();
    let users = MemoryUsers::new().with("alice", b"right");
    let slow = Arc::new(Slow { users, begun: Mutex::new(begun), go: Mutex::new(go) });
    serving(table(vec![junction("/a", with_users(), Some(slow))]), |address, _| {
        std::thread::scope(|scope| {
            let first = scope.spawn(move || send(address, "/a", "alice", "right"));
            has_begun.recv().unwrap();
            let (status, answer) = send(address, "/a", "alice", "right");
            assert_eq!(status, 503, "{answer}");
            assert!(answer.contains("retry-after: 1"), "{answer}");
            release.send(()).unwrap();
            let (status, answer) = first.join().unwrap();
            assert!(status == 500 && answer.contains("the stub was reached"), "{answer}");
        });
        // The place was given back.
        release.send(()).unwrap();
        let (status, answer) = send(address, "/a", "alice", "wrong");
        assert!(status == 400 && answer.contains("FailedCheck"), "{answer}");
    });
}

#[test]
fn a_source_that_is_full_is_answered_503_and_not_as_a_refusal() {
    serving(table(vec![junction("/a", with_users(), Some(Arc::new(Full)))]), |address, _| {
        let (status, answer) = send(address, "/a", "alice", "right");
        assert_eq!(status, 503, "{answer}");
        assert!(
            answer.contains("too many passwords are being checked") && !answer.contains("Fault"),
            "{answer}"
        );
    });
}

#[test]
fn new_users_hold_from_the_next_message_on() {
    let users =
        |password: &[u8]| -> Arc<dyn UserSource> { Arc::new(MemoryUsers::new().with("alice", password)) };
    serving(table(vec![junction("/a", with_users(), Some(users(b"old")))]), |address, gateway| {
        assert_eq!(send(address, "/a", "alice", "old").0, 500);
        gateway.swap_users(&users(b"new"));
        assert_eq!(send(address, "/a", "alice", "old").0, 400);
        assert_eq!(send(address, "/a", "alice", "new").0, 500);
    });
}

#[test]
fn only_a_mount_that_checks_slow_passwords_may_wait() {
    let quick: Arc<dyn UserSource> = Arc::new(MemoryUsers::new());
    let slow: Arc<dyn UserSource> = Arc::new(Full);
    let open = || Plan::open(Side::Recipient);
    assert!(junction("/a", with_users(), Some(Arc::clone(&slow))).may_wait());
    assert!(!junction("/a", with_users(), Some(quick)).may_wait());
    assert!(!junction("/a", with_users(), None).may_wait());
    assert!(!junction("/a", open(), Some(slow)).may_wait());
}
