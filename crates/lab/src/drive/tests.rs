use super::*;

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener};

use crate::process::Tools;

const GOOD: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
const SHORT: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nh";

/// A server of one thread a connection that answers a request of one octet: `b` badly, all others well.
fn server() -> SocketAddr {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            std::thread::spawn(move || {
                let mut octet = [0];
                while stream.read_exact(&mut octet).is_ok() {
                    let answer = if octet == *b"b" { SHORT } else { GOOD };
                    if stream.write_all(answer).is_err() {
                        break;
                    }
                }
            });
        }
    });
    address
}

/// A process whose use is read; it does nothing.
fn sleeper(folder: &std::path::Path) -> Process {
    let line = ["sleep", "60"].map(str::to_owned);
    Process::start("sleeper", &line, &Tools::default(), None, &folder.join("log")).unwrap()
}

#[test]
fn right_answers_are_counted_and_wrong_ones_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let process = sleeper(folder.path());
    let wire: Vec<Vec<u8>> = [b"a", b"b", b"c", b"d"].iter().map(|octet| octet.to_vec()).collect();
    let target =
        Target { process: &process, address: server(), wire: &wire, plausible: &(5..=5), once: false };
    let window = run(&target, 2, Extent::time(Duration::from_millis(50))).unwrap();
    assert!(window.answered > 0 && window.errors > 0, "{window:?}");
    assert_eq!(window.first_error.as_deref(), Some("HTTP status 200, 1 bytes"));
    assert_eq!(window.latencies.len(), window.answered);
    assert!(window.kept.iter().all(|kept| kept.body == b"hello" && kept.request != 1), "{:?}", window.kept);
    // In rotation: three right answers to a wrong one, give or take where two connections stop.
    assert!(window.answered.abs_diff(3 * window.errors) <= 6, "{window:?}");
}

#[test]
fn every_request_is_sent_once_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let process = sleeper(folder.path());
    let wire = vec![b"a".to_vec(), b"b".to_vec()];
    let target =
        Target { process: &process, address: server(), wire: &wire, plausible: &(0..=9), once: true };
    let kept = once(&target).unwrap();
    let found: Vec<_> = kept.iter().map(|kept| (kept.request, kept.status, kept.body.len())).collect();
    assert_eq!(found, [(0, 200, 5), (1, 200, 1)]);
}

#[test]
fn load_goes_on_until_the_calls_are_made_and_requests_of_once_are_sent_once() {
    let folder = tempfile::tempdir().unwrap();
    let process = sleeper(folder.path());
    let wire = vec![b"a".to_vec(); 7];
    let mut target =
        Target { process: &process, address: server(), wire: &wire, plausible: &(5..=5), once: false };
    let extent = Extent { time: Duration::ZERO, calls: 25 };
    assert_eq!(run(&target, 2, extent).unwrap().answered, 50);
    target.once = true;
    assert_eq!(run(&target, 2, extent).unwrap().answered, 7);
}
