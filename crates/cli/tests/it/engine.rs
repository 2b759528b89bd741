//! Two servers of one name: a replay window that they share, and what becomes of it when its engine is lost.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use bartizan_testkit::redis::Redis;

use super::program::{Desk, PATIENCE, POLICY, SOAP12, Server, keys, post, post_file};

/// A configuration whose first service shares its window; the second one remembers alone.
fn config(engine: &str, limits: &str, more: &str) -> String {
    format!(
        "[server]\nstate = \"state\"\nfailure_quantum = \"1ms\"\n[limits]\n{limits}\n[keys.own]\nfolder = \"{}\"\n\
         [[listener]]\naddress = \"127.0.0.1:0\"\n\
         [[service]]\npath = \"/sec_echo\"\nkind = \"echo\"\npolicy = \"{POLICY}\"\nkeys = \"own\"\n\
         replay = {{ shared = \"redis://{engine}\"{more} }}\n\
         [[service]]\npath = \"/alone\"\nkind = \"echo\"\npolicy = \"{POLICY}\"\nkeys = \"own\"\n",
        keys()
    )
}

/// A server with a folder of its own.
fn server(engine: &str, more: &str) -> (Desk, Server) {
    let desk = Desk::new();
    desk.write("b.toml", &config(engine, "", &format!(", timeout = \"10s\"{more}")));
    let server = Server::start(&desk, &["--config", "b.toml", "--state", "state"]);
    (desk, server)
}

#[test]
fn message_is_accepted_by_one_of_two_servers_that_share_a_window() {
    let Some(redis) = Redis::start(&[]) else { return };
    let ((_one, one), (_other, mut other)) = (server(&redis.address(), ""), server(&redis.address(), ""));
    let desk = Desk::new();
    desk.request("first.xml");
    assert_eq!(post_file(one.address(), &desk.path("first.xml")).status, 200);
    let refused = post_file(other.address(), &desk.path("first.xml"));
    assert_eq!(refused.status, 400);
    assert!(refused.body.contains("wsse:FailedCheck"), "{}", refused.body);
    assert_eq!(other.record()["reason"], "replay");
    // At the same time: both servers, four connections to each.
    for round in 0..5 {
        let name = format!("{round}.xml");
        desk.request(&name);
        let bytes = std::fs::read(desk.path(&name)).expect("there");
        let answers: Vec<u16> = thread::scope(|scope| {
            let send = |n: usize| {
                let (address, bytes) = (if n < 4 { one.address() } else { other.address() }, &bytes);
                scope.spawn(move || post(address, "/sec_echo", SOAP12, bytes).status)
            };
            let threads: Vec<_> = (0..8).map(send).collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
        });
        let accepted = answers.iter().filter(|status| **status == 200).count();
        let refused = answers.iter().filter(|status| **status == 400).count();
        assert_eq!((accepted, refused), (1, 7), "round {round}: {answers:?}");
    }
}

#[test]
fn loss_of_the_shared_window_refuses_and_says_so_and_its_return_serves_again() {
    let Some(mut redis) = Redis::start(&[]) else { return };
    let (_desk, mut server) = server(&redis.address(), "");
    let desk = Desk::new();
    desk.request("a.xml");
    assert_eq!(post_file(server.address(), &desk.path("a.xml")).status, 200);
    assert_eq!(server.record()["outcome"], "answered");
    redis.stop();
    desk.request("b.xml");
    let refused = post_file(server.address(), &desk.path("b.xml"));
    assert_eq!(refused.status, 400);
    assert!(
        refused.body.contains("wsse:FailedCheck") && !refused.body.contains("replay"),
        "{}",
        refused.body
    );
    assert_eq!(server.record()["reason"], "replay.unavailable");
    server.says("does not answer");
    // A service that remembers alone is not concerned.
    desk.request("c.xml");
    let bytes = std::fs::read(desk.path("c.xml")).expect("there");
    assert_eq!(post(server.address(), "/alone", SOAP12, &bytes).status, 200);
    redis.again();
    let began = Instant::now();
    loop {
        desk.request("d.xml");
        if post_file(server.address(), &desk.path("d.xml")).status == 200 {
            break;
        }
        assert!(began.elapsed() < PATIENCE, "{}", server.errors());
        thread::sleep(Duration::from_millis(50));
    }
    server.says("answers again");
}

#[test]
fn loss_of_the_shared_window_is_guarded_alone_where_that_is_configured() {
    let Some(mut redis) = Redis::start(&[]) else { return };
    let (_desk, mut server) = server(&redis.address(), ", on_loss = \"local\"");
    redis.stop();
    let desk = Desk::new();
    desk.request("a.xml");
    assert_eq!(post_file(server.address(), &desk.path("a.xml")).status, 200);
    assert_eq!(server.record()["outcome"], "answered");
    assert_eq!(post_file(server.address(), &desk.path("a.xml")).status, 400);
    assert_eq!(server.record()["reason"], "replay");
    server.says("this server guards alone");
    server.signal("TERM");
    server.says("1 guarded here alone");
}

#[test]
fn password_of_the_engine_that_is_missing_is_found_before_serving() {
    let desk = Desk::new();
    for (password, missing) in [
        ("{ file = \"engine.password\" }", "engine.password: no such file or directory"),
        ("{ env = \"BARTIZAN_TEST_NO_SUCH\" }", "`BARTIZAN_TEST_NO_SUCH` is not set"),
    ] {
        desk.write("b.toml", &config("127.0.0.1:1", "", &format!(", password = {password}")));
        let run = desk.bartizan(&["check", "b.toml"]).ends(1);
        assert!(run.err.contains(missing), "{}", run.err);
        desk.bartizan(&["serve", "--config", "b.toml", "--state", "state"]).ends(1);
    }
    desk.write("engine.password", "geheim\n");
    let there = ", password = { file = \"engine.password\" }";
    desk.write("b.toml", &config("127.0.0.1:1", "", there));
    desk.bartizan(&["check", "b.toml"]).ends(0);
}

#[test]
fn limit_waiting_is_503_while_the_engine_is_slow_and_other_services_go_on() {
    // An engine that takes the connection and says nothing.
    let silent = TcpListener::bind("127.0.0.1:0").expect("a port");
    let engine = silent.local_addr().expect("an address").to_string();
    let desk = Desk::new();
    desk.write("b.toml", &config(&engine, "waiting = 1\nwork_per_peer = 8", ", timeout = \"20s\""));
    let server = Server::start(&desk, &["--config", "b.toml", "--state", "state"]);
    for name in ["a.xml", "b.xml", "c.xml"] {
        desk.request(name);
    }
    let read = |name: &str| std::fs::read(desk.path(name)).expect("there");
    let mut waits = TcpStream::connect(server.address()).expect("connected");
    let (first, length) = (read("a.xml"), read("a.xml").len());
    let head = format!(
        "POST /sec_echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: {SOAP12}\r\nContent-Length: {length}\r\n\r\n"
    );
    waits.write_all(&[head.as_bytes(), &first].concat()).expect("sent");
    // The first one has reached the engine, and waits there.
    let (mut asked, _) = silent.accept().expect("it asks");
    let full = post(server.address(), "/sec_echo", SOAP12, &read("b.xml"));
    assert_eq!(full.status, 503, "{}", full.body);
    assert!(full.head.to_ascii_lowercase().contains("retry-after: 1"), "{}", full.head);
    // On the same worker threads, more often than there are such.
    let cores = thread::available_parallelism().map_or(1, usize::from);
    for _ in 0..cores * 2 {
        let served = post(server.address(), "/alone", SOAP12, &read("c.xml"));
        assert!(matches!(served.status, 200 | 400), "{}", served.body);
    }
    // It ends the wait: the message is refused, and the place is free again.
    let _ = asked.read(&mut [0; 64]);
    drop((asked, silent));
    let mut answer = String::new();
    waits.read_to_string(&mut answer).expect("answered");
    assert!(answer.starts_with("HTTP/1.1 400"), "{answer}");
    assert_eq!(post(server.address(), "/sec_echo", SOAP12, &read("b.xml")).status, 400);
}
