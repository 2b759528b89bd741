//! The edge under hostile peers: what they see, what they can make us do.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::time::{Duration, Instant};

use super::program::{Desk, PATIENCE, POLICY, SOAP12, Server, keys, post, post_file, raw};

fn config(more: &str, service: &str) -> String {
    format!(
        "[server]\nstate = \"state\"\n{more}\n[keys.own]\nfolder = \"{}\"\n\
         [[listener]]\naddress = \"127.0.0.1:0\"\n\
         [[service]]\npath = \"/sec_echo\"\nkind = \"echo\"\npolicy = \"{POLICY}\"\nkeys = \"own\"\n{service}\n",
        keys()
    )
}

#[test]
fn refusal_counts_its_quantum_from_the_end_of_the_message() {
    let desk = Desk::new();
    desk.write("b.toml", &config("failure_quantum = \"200ms\"", ""));
    let mut server = Server::start(&desk, &["--config", "b.toml"]);
    let head = format!(
        "POST /sec_echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: {SOAP12}\r\nContent-Length: 4\r\n\r\n"
    );
    let mut stream = TcpStream::connect(server.address()).expect("connected");
    stream.write_all(head.as_bytes()).expect("sent");
    // Whoever chooses this must not choose how near the refusal is to the end of a quantum.
    std::thread::sleep(Duration::from_millis(150));
    stream.write_all(b"<a/>").expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("answered");
    let record = server.record();
    let us = |name: &str| record[name].as_u64().expect("a time");
    assert!(us("total_us") - us("read_us") >= 200_000, "{record}");
}

#[test]
fn request_ids_do_not_count_the_requests() {
    let desk = Desk::new();
    let mut server = Server::quick(&desk, &[]);
    let mut ids = Vec::new();
    for _ in 0..3 {
        post(server.address(), "/nowhere", SOAP12, b"");
        ids.push(server.record()["id"].as_str().expect("an id").to_owned());
    }
    assert!(ids.iter().all(|id| id.len() == 32), "{ids:?}");
    // Neither half of one is that of the next, nor one more.
    for pair in ids.windows(2) {
        for half in [0..16, 16..32] {
            let number = |id: &String| u64::from_str_radix(&id[half.clone()], 16).expect("hexadecimal");
            assert!(number(&pair[1]).wrapping_sub(number(&pair[0])) > 1, "{ids:?}");
        }
    }
}

#[test]
fn head_that_says_two_things_of_the_body_is_turned_away() {
    let desk = Desk::new();
    desk.request("r.xml");
    let server = Server::quick(&desk, &[]);
    let twice = format!("{SOAP12}\r\nContent-Type: text/xml");
    let bytes = std::fs::read(desk.path("r.xml")).expect("there");
    assert_eq!(post(server.address(), "/sec_echo", &twice, &bytes).status, 415);
    let coded = format!("{SOAP12}\r\nContent-Encoding: gzip");
    assert_eq!(post(server.address(), "/sec_echo", &coded, &bytes).status, 415);
    assert_eq!(post_file(server.address(), &desk.path("r.xml")).status, 200);
}

#[test]
fn reload_that_fails_leaves_the_replay_window_in_its_file() {
    let desk = Desk::new();
    desk.request("r.xml");
    desk.write("b.toml", &config("", ""));
    let server = Server::start(&desk, &["--config", "b.toml"]);
    // Another size of the window, and keys that are not there.
    let bad = config("", "replay = { window = \"20m\" }").replace("folder = \"", "folder = \"/nowhere");
    desk.write("b.toml", &bad);
    server.signal("HUP");
    server.says("not reloaded: the old configuration stays in force");
    assert_eq!(post_file(server.address(), &desk.path("r.xml")).status, 200);
    drop(server);
    desk.write("b.toml", &config("", ""));
    let server = Server::start(&desk, &["--config", "b.toml"]);
    assert_eq!(post_file(server.address(), &desk.path("r.xml")).status, 400, "it was served before");
}

#[test]
fn flood_of_large_messages_is_503_and_small_ones_are_served() {
    let desk = Desk::new();
    desk.request("r.xml");
    desk.write("b.toml", &config("[limits]\nlarge = \"64 KiB\"", ""));
    let mut server = Server::start(&desk, &["--config", "b.toml"]);
    assert_eq!(post(server.address(), "/sec_echo", SOAP12, &vec![b' '; 200 << 10]).status, 503);
    assert_eq!(server.record()["status"], 503);
    assert_eq!(post_file(server.address(), &desk.path("r.xml")).status, 200);
}

/// Answers one request with these bytes.
fn answering(answer: String) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("bound");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a caller");
        let mut seen = vec![0; 64 << 10];
        let _ = stream.read(&mut seen);
        let _ = stream.write_all(answer.as_bytes());
    });
    format!("http://{address}/")
}

#[test]
fn words_of_a_hostile_server_stay_on_one_line_and_obey_no_terminal() {
    let desk = Desk::new();
    let fault = "<s:Envelope xmlns:s=\"http://schemas.xmlsoap.org/soap/envelope/\"><s:Body><s:Fault>\
        <faultcode>s:Server</faultcode><faultstring>no\nverified: reply of CN=server&#x9b;31m</faultstring>\
        </s:Fault></s:Body></s:Envelope>";
    let url = answering(format!(
        "HTTP/1.1 500 no\r\nContent-Type: text/xml\r\nContent-Length: {}\r\n\r\n{fault}",
        fault.len()
    ));
    let run = desk.bartizan(&["call", &url, "--policy", POLICY, "--keys", keys()]).ends(1);
    assert!(run.out.contains("unverified fault"), "{}", run.out);
    assert!(!run.out.lines().any(|line| line.starts_with("verified")), "{}", run.out);
    assert!(!run.out.contains('\u{9b}'), "{}", run.out);
}

#[test]
fn url_with_a_user_is_not_called() {
    let desk = Desk::new();
    let url = "http://me:secret@127.0.0.1:9/";
    let run = desk.bartizan(&["call", url, "--policy", POLICY, "--keys", keys()]).ends(2);
    assert!(run.err.contains("names a user") && !run.err.contains("secret"), "{}", run.err);
}

#[test]
fn missing_or_double_host_is_400() {
    let desk = Desk::new();
    let server = Server::quick(&desk, &[]);
    for host in ["", "Host: a\r\nHost: b\r\n"] {
        let text = format!("GET /sec_echo HTTP/1.1\r\n{host}\r\n");
        assert_eq!(raw(server.address(), text.as_bytes()).status, 400, "{host:?}");
    }
}

#[test]
fn reload_opens_a_moved_log_again_and_says_what_it_cannot_change() {
    let desk = Desk::new();
    let logged = |more: &str| config(&format!("[log]\naccess = {{ to = \"log\" }}\n[limits]\n{more}"), "");
    desk.write("b.toml", &logged(""));
    let server = Server::start(&desk, &["--config", "b.toml"]);
    post(server.address(), "/before", SOAP12, b"");
    let wait_for = |name: &str, path: &str| {
        let until = Instant::now() + PATIENCE;
        while !(desk.has(name) && desk.read(name).contains(path)) {
            assert!(Instant::now() < until, "no {path} in {name}");
            std::thread::sleep(Duration::from_millis(10));
        }
    };
    wait_for("log", "/before");
    std::fs::rename(desk.path("log"), desk.path("log.1")).expect("moved");
    desk.write("b.toml", &logged("connections = 77"));
    server.signal("HUP");
    server.says("\nreloaded");
    assert!(
        server.errors().contains("a reload does not change `[limits] connections`"),
        "{}",
        server.errors()
    );
    post(server.address(), "/after", SOAP12, b"");
    wait_for("log", "/after");
    assert!(!desk.read("log.1").contains("/after"));
}

#[test]
fn private_key_that_lies_open_is_warned_of() {
    let desk = Desk::new();
    desk.bartizan(&["keys", "demo", "open", "-q"]).ends(0);
    let text = config("", "").replace(&format!("\"{}\"", keys()), "\"open\"");
    desk.write("b.toml", &text);
    let mode = |mode: u32| {
        let key = desk.path("open").join("server.key");
        std::fs::set_permissions(key, std::fs::Permissions::from_mode(mode)).expect("set");
        desk.bartizan(&["check", "b.toml"]).ends(0).err
    };
    let warning = "others than its owner can read or change";
    for good in [0o600, 0o400, 0o640] {
        assert!(!mode(good).contains(warning), "{good:o}");
    }
    for bad in [0o644, 0o660, 0o602] {
        let said = mode(bad);
        assert!(said.contains(warning) && said.contains("chmod 600"), "{bad:o}: {said}");
    }
}
