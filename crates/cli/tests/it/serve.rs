//! The server: answers, guards, limits, reload, stop.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::net::UnixDatagram;
use std::process::Command;
use std::time::{Duration, Instant};

use super::program::{Desk, POLICY, SOAP12, Server, keys, post, post_file, raw};

#[test]
fn good_request_is_answered_once_and_refused_twice() {
    let desk = Desk::new();
    desk.request("r.xml");
    let mut server = Server::quick(&desk, &[]);
    let first = post_file(server.address(), &desk.path("r.xml"));
    assert_eq!(first.status, 200, "{}", first.body);
    assert!(first.head.contains("content-type: application/soap+xml;charset=UTF-8"), "{}", first.head);
    assert!(first.body.contains("SignatureConfirmation"));
    assert_eq!(server.record()["outcome"], "answered");
    for _ in 0..3 {
        let again = post_file(server.address(), &desk.path("r.xml"));
        assert_eq!(again.status, 400);
        assert!(again.body.contains("wsse:FailedCheck"), "{}", again.body);
        assert!(!again.body.contains("replay"), "the reason stays here: {}", again.body);
        let record = server.record();
        assert_eq!((&record["reason"], &record["outcome"]), (&"replay".into(), &"refused".into()));
    }
}

#[test]
fn replay_at_the_other_path_is_refused_too() {
    let desk = Desk::new();
    desk.request("r.xml");
    let server = Server::quick(&desk, &[]);
    let bytes = std::fs::read(desk.path("r.xml")).expect("there");
    assert_eq!(post(server.address(), "/sec_echo", SOAP12, &bytes).status, 200);
    assert_eq!(post(server.address(), "/axis2/services/sec_echo", SOAP12, &bytes).status, 400);
}

#[test]
fn replay_at_the_other_listener_is_refused_too() {
    let desk = Desk::new();
    desk.request("r.xml");
    let second = "[[listener]]\nname = \"back\"\naddress = \"127.0.0.1:0\"\n[[service]]";
    desk.write("b.toml", &config("", "").replacen("[[service]]", second, 1));
    let server = Server::start(&desk, &["--config", "b.toml"]);
    let addresses: Vec<&str> =
        server.lines.iter().filter_map(|line| Some(line.rsplit_once("http://")?.1)).collect();
    assert_eq!(addresses.len(), 2, "{:?}", server.lines);
    assert_eq!(post_file(addresses[0], &desk.path("r.xml")).status, 200);
    assert_eq!(post_file(addresses[1], &desk.path("r.xml")).status, 400);
}

#[test]
fn replay_window_outlives_a_restart() {
    let desk = Desk::new();
    desk.request("r.xml");
    let server = Server::quick(&desk, &[]);
    assert_eq!(post_file(server.address(), &desk.path("r.xml")).status, 200);
    // Killed, not stopped: nothing is written at the end.
    drop(server);
    let server = Server::quick(&desk, &[]);
    assert_eq!(post_file(server.address(), &desk.path("r.xml")).status, 400);
}

#[test]
fn without_the_guard_fifty_replays_get_answers_of_equal_length() {
    let desk = Desk::new();
    desk.request("r.xml");
    let server = Server::quick(&desk, &["--replay", "off"]);
    let mut lengths = Vec::new();
    for _ in 0..50 {
        let answer = post_file(server.address(), &desk.path("r.xml"));
        assert_eq!(answer.status, 200, "{}", answer.body);
        lengths.push(answer.body.len());
    }
    lengths.dedup();
    assert_eq!(lengths.len(), 1, "{lengths:?}");
    assert!(server.errors().contains("`replay = \"off\"`"), "{}", server.errors());
}

#[test]
fn kept_connection_serves_many_and_http_1_0_closes() {
    let desk = Desk::new();
    desk.request("r.xml");
    let server = Server::quick(&desk, &["--replay", "off"]);
    let body = std::fs::read(desk.path("r.xml")).expect("there");
    let head = |version: &str, connection: &str| {
        let length = body.len();
        format!(
            "POST /sec_echo HTTP/{version}\r\nHost: x\r\nConnection: {connection}\r\nContent-Type: {SOAP12}\r\nContent-Length: {length}\r\n\r\n"
        )
    };
    let mut bytes = Vec::new();
    for connection in ["keep-alive", "keep-alive", "close"] {
        bytes.extend_from_slice(head("1.1", connection).as_bytes());
        bytes.extend_from_slice(&body);
    }
    let answer = raw(server.address(), &bytes);
    assert_eq!(format!("{}{}", answer.head, answer.body).matches("HTTP/1.1 200 OK").count(), 3);
    let old = [head("1.0", "close").as_bytes(), &body].concat();
    assert_eq!(raw(server.address(), &old).status, 200);
}

#[test]
fn what_is_no_exchange_is_turned_away() {
    let desk = Desk::new();
    desk.request("r.xml");
    let mut server = Server::quick(&desk, &[]);
    let bytes = std::fs::read(desk.path("r.xml")).expect("there");
    let address = server.address().to_owned();
    for (path, media, status) in [
        ("/nowhere", SOAP12, 404),
        ("/sec_echo/", SOAP12, 404),
        ("/sec_echo", "application/json", 415),
        ("/sec_echo", "application/soap+xml;charset", 415),
    ] {
        let answer = post(&address, path, media, &bytes);
        assert_eq!(answer.status, status, "{path} {media}: {}", answer.body);
        assert_eq!(server.record()["outcome"], "turned_away");
    }
    let get = raw(&address, b"GET /sec_echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    assert_eq!(get.status, 405);
    assert!(get.head.contains("allow: POST"), "{}", get.head);
    // None of them was claimed by the guard.
    assert_eq!(post_file(&address, &desk.path("r.xml")).status, 200);
}

#[test]
fn malformed_envelopes_are_sender_faults_in_the_version_of_the_media_type() {
    let desk = Desk::new();
    let mut server = Server::quick(&desk, &[]);
    let address = server.address().to_owned();
    let new = post(&address, "/sec_echo", SOAP12, b"<a><b></a>");
    assert_eq!(new.status, 400);
    assert!(new.body.contains("Sender") && new.body.contains("2003/05/soap-envelope"), "{}", new.body);
    assert_eq!(server.record()["reason"], "message.malformed");
    let old = post(&address, "/sec_echo", "text/xml", b"<!DOCTYPE a><a/>");
    assert_eq!(old.status, 500);
    assert!(old.body.contains("Client") && old.body.contains("schemas.xmlsoap.org"), "{}", old.body);
    assert_eq!(server.record()["reason"], "message.dtd");
    let unsecured = post(&address, "/sec_echo", SOAP12, super::program::PLAIN.as_bytes());
    assert_eq!(unsecured.status, 400);
    assert!(unsecured.body.contains("wsse:FailedCheck"), "{}", unsecured.body);
    assert_eq!(server.record()["reason"], "header.missing");
}

#[test]
fn refusals_wait_for_a_multiple_of_the_quantum() {
    let desk = Desk::new();
    let mut server = Server::quick(&desk, &[]);
    let address = server.address().to_owned();
    for body in [&b"<a>"[..], super::program::PLAIN.as_bytes()] {
        let began = Instant::now();
        assert_eq!(post(&address, "/sec_echo", SOAP12, body).status, 400);
        assert!(began.elapsed() >= Duration::from_millis(10));
        assert!(server.record()["total_us"].as_u64().expect("a time") >= 10_000);
    }
}

/// A configuration over the demo keys, with more lines for `[limits]` and the service.
fn config(limits: &str, service: &str) -> String {
    format!(
        "[server]\nstate = \"state\"\n[limits]\n{limits}\n[keys.own]\nfolder = \"{}\"\n\
         [[listener]]\nname = \"front\"\naddress = \"127.0.0.1:0\"\n\
         [[service]]\npath = \"/sec_echo\"\nkind = \"echo\"\npolicy = \"{POLICY}\"\nkeys = \"own\"\n{service}\n",
        keys()
    )
}

#[test]
fn limit_of_the_message_is_413_and_of_the_head_431() {
    let desk = Desk::new();
    desk.request("r.xml");
    let length = std::fs::metadata(desk.path("r.xml")).expect("there").len();
    desk.write("b.toml", &config(&format!("message = {length}\nheaders = 6"), "replay = \"off\""));
    let server = Server::start(&desk, &["--config", "b.toml"]);
    assert_eq!(server.lines[0].split(" http").next(), Some("listening front"));
    let mut bytes = std::fs::read(desk.path("r.xml")).expect("there");
    assert_eq!(post(server.address(), "/sec_echo", SOAP12, &bytes).status, 200);
    bytes.push(b'\n');
    let over = post(server.address(), "/sec_echo", SOAP12, &bytes);
    assert_eq!(over.status, 413, "{}", over.body);
    let head = |n: usize| {
        let more: String = (0..n).map(|i| format!("X-{i}: y\r\n")).collect();
        let text = format!(
            "POST /nowhere HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 0\r\n{more}\r\n"
        );
        raw(server.address(), text.as_bytes()).status
    };
    assert_eq!((head(3), head(4)), (404, 431));
}

#[test]
fn limit_of_the_times_closes_slow_heads_and_answers_slow_bodies_408() {
    let desk = Desk::new();
    desk.write("b.toml", &config("head_timeout = \"200ms\"\nbody_timeout = \"200ms\"", ""));
    let server = Server::start(&desk, &["--config", "b.toml"]);
    assert_eq!(raw(server.address(), b"POST /sec_echo HTT").head, "");
    let text = format!(
        "POST /sec_echo HTTP/1.1\r\nHost: x\r\nContent-Type: {SOAP12}\r\nContent-Length: 10\r\n\r\n<a"
    );
    assert_eq!(raw(server.address(), text.as_bytes()).status, 408);
}

#[test]
fn limit_of_depth_is_a_sender_fault() {
    let desk = Desk::new();
    desk.write("b.toml", &config("depth = 8", ""));
    let mut server = Server::start(&desk, &["--config", "b.toml"]);
    let deep = |n: usize| format!("{}{}", "<a>".repeat(n), "</a>".repeat(n));
    assert_eq!(post(server.address(), "/sec_echo", SOAP12, deep(8).as_bytes()).status, 500);
    assert_eq!(server.record()["reason"], "message.version");
    assert_eq!(post(server.address(), "/sec_echo", SOAP12, deep(9).as_bytes()).status, 400);
    assert_eq!(server.record()["reason"], "message.limit");
}

#[test]
fn mirror_shows_the_verified_view_and_nothing_else() {
    let desk = Desk::new();
    desk.request("r.xml");
    desk.write("b.toml", &config("", "").replace("\"echo\"", "\"mirror\""));
    let server = Server::start(&desk, &["--config", "b.toml"]);
    let forged = desk.read("r.xml").replacen(
        "<soap:Header>",
        "<soap:Header><x:unsigned xmlns:x=\"urn:x\">free</x:unsigned>",
        1,
    );
    let answer = post(server.address(), "/sec_echo", SOAP12, forged.as_bytes());
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert!(answer.body.contains("<name>test me</name>"), "{}", answer.body);
    for hidden in ["Security", "unsigned", "EncryptedData"] {
        assert!(!answer.body.contains(hidden), "{hidden}: {}", answer.body);
    }
}

#[test]
fn reload_changes_services_and_a_bad_one_changes_nothing() {
    let desk = Desk::new();
    desk.request("r.xml");
    desk.write("b.toml", &config("", ""));
    let server = Server::start(&desk, &["--config", "b.toml"]);
    assert_eq!(post_file(server.address(), &desk.path("r.xml")).status, 200);
    desk.write("b.toml", &config("", "relay = \"off\""));
    server.signal("HUP");
    server.says("not reloaded: the old configuration stays in force");
    server.says("did you mean `replay`?");
    assert_eq!(post_file(server.address(), &desk.path("r.xml")).status, 400, "the window is still there");
    desk.write("b.toml", &config("", "").replace("/sec_echo", "/other"));
    server.signal("HUP");
    server.says("\nreloaded");
    assert_eq!(post_file(server.address(), &desk.path("r.xml")).status, 404);
    let bytes = std::fs::read(desk.path("r.xml")).expect("there");
    let moved = post(server.address(), "/other", SOAP12, &bytes);
    assert_eq!(moved.status, 400, "a reload forgets nothing: {}", moved.body);
}

/// A revocation list that a reload brings holds for whoever sent the head of a message before it, and the rest after.
#[test]
fn a_message_that_comes_slowly_is_judged_by_what_is_in_force_at_its_end() {
    let desk = Desk::new();
    let (ca, server_pem, server_key) =
        (format!("{}/ca.pem", keys()), format!("{}/server.pem", keys()), format!("{}/server.key", keys()));
    let set = |more: &str| {
        let explicit = format!(
            "[keys.own]\ncertificate = \"{server_pem}\"\nprivate_key = \"{server_key}\"\ntrust = [\"{ca}\"]\n{more}"
        );
        config("", "").replace(&format!("[keys.own]\nfolder = \"{}\"\n", keys()), &explicit)
    };
    desk.write("b.toml", &set(""));
    assert_ne!(desk.read("b.toml"), config("", ""));
    desk.write("plain.xml", super::program::PLAIN);
    let args =
        ["secure", "plain.xml", "-o", "r.xml", "--policy", POLICY, "--as", "initiator", "--keys", keys()];
    desk.bartizan(&[&args[..], &["--as-name", "revoked"]].concat()).ends(0);
    let mut server = Server::start(&desk, &["--config", "b.toml"]);
    let body = std::fs::read(desk.path("r.xml")).expect("there");
    let (first, rest) = body.split_at(body.len() / 2);
    let head = format!(
        "POST /sec_echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: {SOAP12}\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    let mut slow = TcpStream::connect(server.address()).expect("connected");
    slow.write_all(head.as_bytes()).expect("sent");
    slow.write_all(first).expect("sent");
    // The service was found by the old table; then the list comes.
    std::thread::sleep(Duration::from_millis(200));
    desk.write("b.toml", &set(&format!("revocation = [\"{}/ca.crl\"]\n", keys())));
    server.signal("HUP");
    server.says("reloaded");
    slow.write_all(rest).expect("sent");
    let mut answer = Vec::new();
    slow.read_to_end(&mut answer).expect("answered");
    assert!(answer.starts_with(b"HTTP/1.1 400"), "{}", String::from_utf8_lossy(&answer));
    assert_eq!(server.record()["reason"], "token.revoked");
}

#[test]
fn stop_answers_what_runs_and_ends_with_0() {
    let desk = Desk::new();
    desk.request("r.xml");
    for signal in ["TERM", "INT"] {
        let server = Server::quick(&desk, &["--replay", "off"]);
        let address = server.address().to_owned();
        let body = std::fs::read(desk.path("r.xml")).expect("there");
        let (first, rest) = body.split_at(100);
        let head = format!(
            "POST /sec_echo HTTP/1.1\r\nHost: x\r\nContent-Type: {SOAP12}\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        let mut running = TcpStream::connect(&address).expect("connected");
        running.write_all(head.as_bytes()).expect("sent");
        running.write_all(first).expect("sent");
        // The head is there when the service was found; then the signal comes.
        std::thread::sleep(Duration::from_millis(200));
        server.signal(signal);
        let until = Instant::now() + super::program::PATIENCE;
        while TcpStream::connect(&address).is_ok() {
            assert!(Instant::now() < until, "the socket stays open");
            std::thread::sleep(Duration::from_millis(10));
        }
        running.write_all(rest).expect("sent");
        let mut answer = String::new();
        running.read_to_string(&mut answer).expect("answered");
        assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
        let (code, log) = server.ends();
        assert_eq!(code, 0);
        assert!(log.contains("\"outcome\":\"answered\""), "the last line is written: {log}");
    }
}

#[test]
fn service_manager_hears_ready_and_stopping() {
    let desk = Desk::new();
    let socket = UnixDatagram::bind(desk.path("notify")).expect("bound");
    socket.set_read_timeout(Some(super::program::PATIENCE)).expect("set");
    let mut child = Command::new(env!("CARGO_BIN_EXE_bartizan"))
        .args(["serve", "--listen", "127.0.0.1:0", "--keys", keys(), "-q", "--state"])
        .arg(desk.path("state"))
        .env("NOTIFY_SOCKET", desk.path("notify"))
        .stdout(std::process::Stdio::null())
        .spawn()
        .expect("it runs");
    let heard = || {
        let mut buffer = [0u8; 64];
        let length = socket.recv(&mut buffer).expect("heard");
        String::from_utf8_lossy(&buffer[..length]).into_owned()
    };
    assert_eq!(heard(), "READY=1\n");
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &id]).status().expect("kill runs").success());
    assert_eq!(heard(), "STOPPING=1\n");
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
}

#[test]
fn first_run_makes_demo_keys_and_the_second_keeps_them() {
    let desk = Desk::new();
    let start = || Server::start(&desk, &["--listen", "127.0.0.1:0", "--state", "st"]);
    let server = start();
    assert!(server.errors().contains("made demo keys in st/keys"), "{}", server.errors());
    drop(server);
    let key = desk.read("st/keys/server.key");
    let server = start();
    assert!(server.errors().contains("demo keys are in st/keys"), "{}", server.errors());
    assert_eq!(desk.read("st/keys/server.key"), key);
    let url = server.url("/sec_echo");
    desk.bartizan(&["call", &url, "--policy", POLICY, "--keys", "st/keys", "-q"]).ends(0);
}

#[test]
fn taken_address_ends_with_2_and_mixed_forms_too() {
    let desk = Desk::new();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("bound");
    let address = taken.local_addr().expect("an address").to_string();
    let run = desk.bartizan(&["serve", "--listen", &address, "--keys", keys(), "--state", "s"]).ends(2);
    assert!(run.err.contains(&format!("cannot listen on {address}")), "{}", run.err);
    desk.write("b.toml", &config("", ""));
    let run = desk.bartizan(&["serve", "--config", "b.toml", "--listen", &address]).ends(2);
    assert!(run.err.contains("--config and --listen exclude each other"), "{}", run.err);
    desk.write("b.toml", "[[service]]\n");
    desk.bartizan(&["serve", "--config", "b.toml", "--state", "s"]).ends(1);
}
