use super::program::{Desk, POLICY, Server, keys};

fn call<'a>(url: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let mut args = vec!["call", url, "--policy", POLICY, "--keys", keys()];
    args.extend(more);
    args
}

#[test]
fn reply_is_verified_and_printed() {
    let desk = Desk::new();
    let server = Server::quick(&desk, &[]);
    let url = server.url("/sec_echo");
    let run = desk.bartizan(&call(&url, &[])).ends(0);
    assert_eq!(
        run.out,
        "<greetRequest xmlns=\"http://www.wso2.org/types\"><name>test me</name></greetRequest>\n"
    );
    assert!(run.err.contains("verified: reply of CN=server"), "{}", run.err);
    let json = desk.bartizan(&call(&url, &["--json"])).ends(0).json();
    assert_eq!(json["evidence"]["signatures_confirmed"], 1);
    assert_eq!(json["status"], 200);
}

#[test]
fn soap_1_1_element_and_action_are_sent() {
    let desk = Desk::new();
    desk.write(
        "body.xml",
        "<?xml version=\"1.0\"?>\n<!-- mine --><m:hello xmlns:m=\"urn:mine\">ä &lt; &#x1F600;</m:hello>\n",
    );
    let mut server = Server::quick(&desk, &[]);
    let url = server.url("/axis2/services/sec_echo");
    let more = ["--soap", "1.1", "--body", "body.xml", "--action", "urn:hello", "--addressing", "2005"];
    let run = desk.bartizan(&call(&url, &more)).ends(0);
    assert_eq!(run.out, "<m:hello xmlns:m=\"urn:mine\">ä &lt; \u{1f600}</m:hello>\n");
    assert_eq!(server.record()["path"], "/axis2/services/sec_echo");
}

#[test]
fn wire_messages_are_shown_when_asked_for() {
    let desk = Desk::new();
    let server = Server::quick(&desk, &[]);
    let url = server.url("/sec_echo");
    let both = desk.bartizan(&call(&url, &["--show", "both"])).ends(0).out;
    assert_eq!(both.matches("EncryptedData ").count(), 2, "{both}");
    let reply = desk.bartizan(&call(&url, &["--show", "reply"])).ends(0).out;
    assert_eq!(reply.matches("<wsse11:SignatureConfirmation ").count(), 1, "{reply}");
}

#[test]
fn plain_fault_is_printed_as_unverified_and_ends_with_1() {
    let desk = Desk::new();
    let mut server = Server::quick(&desk, &[]);
    let run = desk.bartizan(&call(&server.url("/sec_echo"), &["--as-name", "revoked"])).ends(1);
    assert!(run.out.starts_with("unverified fault (HTTP 400): wsse:FailedCheck: "), "{}", run.out);
    let record = server.record();
    assert_eq!(record["reason"], "token.revoked");
    let id = record["id"].as_str().expect("an id");
    assert!(run.out.contains(id), "the fault names the request: {}", run.out);
}

#[test]
fn what_is_no_soap_is_refused_with_the_servers_words() {
    let desk = Desk::new();
    let server = Server::quick(&desk, &[]);
    let run = desk.bartizan(&call(&server.url("/nowhere"), &[])).ends(1);
    assert!(run.out.contains("HTTP 404") && run.out.contains("no service at this path"), "{}", run.out);
}

#[test]
fn nobody_there_and_bad_urls_end_with_2() {
    let desk = Desk::new();
    let free = std::net::TcpListener::bind("127.0.0.1:0").expect("bound").local_addr().expect("an address");
    for (url, words) in [
        (format!("http://{free}/"), "cannot connect"),
        ("https://127.0.0.1/".to_owned(), "TLS"),
        ("127.0.0.1:8080/sec_echo".to_owned(), "write it like http://127.0.0.1:8080/sec_echo"),
    ] {
        let run = desk.bartizan(&call(&url, &[])).ends(2);
        assert!(run.err.contains(words), "{url}: {}", run.err);
    }
}

#[test]
fn addressing_comes_back_where_the_policy_asks_for_it() {
    let desk = Desk::new();
    let policy = std::fs::read_to_string(format!(
        "{}/../../policies/rampart-c-benchmark.xml",
        env!("CARGO_MANIFEST_DIR")
    ))
    .expect("there")
    .replacen(
        "<wsp:All>",
        "<wsp:All><a:UsingAddressing xmlns:a=\"http://www.w3.org/2006/05/addressing/wsdl\"/>",
        1,
    );
    desk.write("p.xml", &policy);
    let server = Server::quick(&desk, &["--policy", "p.xml"]);
    let url = server.url("/sec_echo");
    let args =
        ["call", &url, "--policy", "p.xml", "--keys", keys(), "--action", "urn:hello", "--show", "both"];
    let out = desk.bartizan(&args).ends(0).out;
    let between = |from: &str, to: &str| {
        let (_, rest) = out.split_once(from).unwrap_or_else(|| panic!("no {from} in {out}"));
        rest.split_once(to).expect("an end").0.to_owned()
    };
    let sent = between("<wsa:MessageID xmlns:wsa=\"http://www.w3.org/2005/08/addressing\">", "</");
    let related = between("<wsa:RelatesTo xmlns:wsa=\"http://www.w3.org/2005/08/addressing\">", "</");
    assert!(sent.starts_with("urn:uuid:"), "{sent}");
    assert_eq!(sent, related);
    // The request's Action is not signed under this policy, so it is not believed.
    assert!(out.contains(">http://www.wso2.org/types/greetRequestResponse</wsa:Action>"), "{out}");
    let none = ["call", &url, "--policy", "p.xml", "--keys", keys()];
    assert!(desk.bartizan(&none).ends(2).err.contains("--action URI"));
    let without = ["call", &url, "--policy", "p.xml", "--keys", keys(), "--addressing", "none", "-q"];
    desk.bartizan(&without).ends(0);
}

#[test]
fn call_without_keys_finds_the_demo_keys_of_a_first_serve() {
    let desk = Desk::new();
    let server = Server::start(&desk, &["--listen", "127.0.0.1:0", "--state", "bartizan"]);
    let call = |home: &std::path::Path| {
        std::process::Command::new(env!("CARGO_BIN_EXE_bartizan"))
            .args(["call", &server.url("/sec_echo"), "--policy", POLICY])
            .env("XDG_STATE_HOME", home)
            .output()
            .expect("it runs")
    };
    let run = call(&desk.path(""));
    let said = String::from_utf8_lossy(&run.stderr).into_owned();
    assert!(run.status.success(), "{said}");
    assert!(said.contains("using the demo keys in"), "{said}");
    let nobody = call(&desk.path("nowhere"));
    assert_eq!(nobody.status.code(), Some(1));
}
