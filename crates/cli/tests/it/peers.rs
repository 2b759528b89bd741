//! One address takes all it can get; another one is served meanwhile.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};

use tokio::net::TcpSocket;

use super::program::{Desk, PATIENCE, POLICY, SOAP12, Server, keys, post_file};

fn server(desk: &Desk, limits: &str) -> Server {
    let config = format!(
        "[server]\nstate = \"state\"\n[limits]\n{limits}\n[keys.own]\nfolder = \"{}\"\n\
         [[listener]]\naddress = \"127.0.0.1:0\"\n\
         [[service]]\npath = \"/sec_echo\"\nkind = \"echo\"\npolicy = \"{POLICY}\"\nkeys = \"own\"\nreplay = \"off\"\n",
        keys()
    );
    desk.write("b.toml", &config);
    Server::start(desk, &["--config", "b.toml"])
}

/// A connection from another address of this machine.
fn connect_from(from: [u8; 4], to: &str) -> TcpStream {
    let to: SocketAddr = to.parse().expect("an address");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let stream = runtime.block_on(async {
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.bind((from, 0).into()).expect("bound");
        socket.connect(to).await.expect("connected").into_std().expect("a stream")
    });
    stream.set_nonblocking(false).expect("set");
    stream.set_read_timeout(Some(PATIENCE)).expect("set");
    stream
}

/// The request of a file, complete.
fn request(desk: &Desk) -> Vec<u8> {
    let body = std::fs::read(desk.path("r.xml")).expect("there");
    let length = body.len();
    let head = format!(
        "POST /sec_echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: {SOAP12}\r\nContent-Length: {length}\r\n\r\n"
    );
    [head.into_bytes(), body].concat()
}

/// What comes until the end.
fn answer(stream: &mut TcpStream) -> String {
    let mut text = Vec::new();
    let _ = stream.read_to_end(&mut text);
    String::from_utf8(text).expect("UTF-8")
}

#[test]
fn limit_of_exchanges_of_one_address_is_503_and_another_one_is_served() {
    let desk = Desk::new();
    desk.request("r.xml");
    let mut server = server(&desk, "in_flight_per_peer = 2");
    let bytes = request(&desk);
    let (most, rest) = bytes.split_at(bytes.len() - 1);
    let mut greedy: Vec<TcpStream> = (0..2).map(|_| connect_from([127, 0, 0, 1], server.address())).collect();
    for stream in &mut greedy {
        stream.write_all(most).expect("sent");
    }
    // A third is turned away once both are at work: until then it may be served.
    let turned_away = (0..200).find_map(|_| {
        let answer = post_file(server.address(), &desk.path("r.xml"));
        let record = server.record();
        if answer.status != 503 {
            // A busy machine may be slow to take the first two.
            std::thread::sleep(std::time::Duration::from_millis(10));
            return None;
        }
        Some((answer, record))
    });
    let (refused, record) = turned_away.expect("one too many");
    assert!(refused.head.to_ascii_lowercase().contains("retry-after: 1"), "{}", refused.head);
    assert_eq!(record["outcome"], "turned_away");
    assert_eq!(record["detail"], "too many requests of one address at a time");
    let mut modest = connect_from([127, 0, 0, 2], server.address());
    modest.write_all(&bytes).expect("sent");
    assert!(answer(&mut modest).starts_with("HTTP/1.1 200"), "another address has a share of its own");
    for mut stream in greedy {
        stream.write_all(rest).expect("sent");
        assert!(answer(&mut stream).starts_with("HTTP/1.1 200"), "who was admitted is served");
    }
    assert_eq!(post_file(server.address(), &desk.path("r.xml")).status, 200, "and the share is given back");
}

#[test]
fn limit_of_connections_of_one_address_closes_and_another_one_is_served() {
    let desk = Desk::new();
    desk.request("r.xml");
    let mut server = server(&desk, "connections_per_peer = 2");
    let bytes = request(&desk);
    let mut greedy: Vec<TcpStream> = (0..3).map(|_| connect_from([127, 0, 0, 1], server.address())).collect();
    // The third was closed at once, in the order of accepting.
    assert_eq!(answer(&mut greedy[2]), "");
    let record = server.record();
    assert_eq!(record["outcome"], "turned_away");
    assert_eq!(record["detail"], "too many connections of one address: 1 closed since the start");
    let mut modest = connect_from([127, 0, 0, 2], server.address());
    modest.write_all(&bytes).expect("sent");
    assert!(answer(&mut modest).starts_with("HTTP/1.1 200"));
    greedy[0].write_all(&bytes).expect("sent");
    assert!(answer(&mut greedy[0]).starts_with("HTTP/1.1 200"), "a connection within the share is served");
}

#[test]
fn many_messages_of_one_address_are_all_answered_one_at_a_time() {
    let desk = Desk::new();
    desk.request("r.xml");
    let server = server(&desk, "work_per_peer = 1");
    let bytes = request(&desk);
    let mut greedy: Vec<TcpStream> =
        (0..20).map(|_| connect_from([127, 0, 0, 1], server.address())).collect();
    for stream in &mut greedy {
        stream.write_all(&bytes).expect("sent");
    }
    let mut modest = connect_from([127, 0, 0, 2], server.address());
    modest.write_all(&bytes).expect("sent");
    assert!(answer(&mut modest).starts_with("HTTP/1.1 200"));
    for mut stream in greedy {
        assert!(answer(&mut stream).starts_with("HTTP/1.1 200"));
    }
}
