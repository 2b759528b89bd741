//! Attacks over HTTP: each is refused, with the same words for all of them.

use super::program::{Desk, SOAP12, Server, post, raw};

/// The fault without the request id.
fn masked(body: &str) -> String {
    match body.split_once("(request ") {
        Some((before, after)) => format!("{before}{}", after.get(33..).unwrap_or_default()),
        None => body.to_owned(),
    }
}

#[test]
fn attack_refusals_cannot_be_told_apart_at_the_socket() {
    let desk = Desk::new();
    let mut server = Server::quick(&desk, &[]);
    let mut heard = Vec::new();
    let mut reasons = Vec::new();
    let mut send = |text: String| {
        let answer = post(server.address(), "/sec_echo", SOAP12, text.as_bytes());
        let length = answer.body.len();
        heard.push((answer.status, masked(&answer.body), length));
        reasons.push(server.record()["reason"].as_str().expect("refused").to_owned());
    };
    // A wrong letter in each of: wrapped key, signature value, digest, ciphertext.
    for (name, nth) in [("CipherValue>", 0), ("SignatureValue>", 0), ("DigestValue>", 0), ("CipherValue>", 2)]
    {
        desk.request("r.xml");
        let text = desk.read("r.xml");
        let (at, _) = text.match_indices(name).nth(nth).expect("there");
        let at = at + name.len() + 4;
        let letter = if text.as_bytes()[at] == b'A' { "B" } else { "A" };
        send(format!("{}{letter}{}", &text[..at], &text[at + 1..]));
    }
    // No signature at all, and a Body that nobody signed.
    desk.request("r.xml");
    let text = desk.read("r.xml");
    let (start, end) = (text.find("<ds:Signature "), text.find("</ds:Signature>"));
    send(format!("{}{}", &text[..start.expect("there")], &text[end.expect("there") + 15..]));
    send(super::program::PLAIN.to_owned());
    heard.dedup();
    assert_eq!(heard.len(), 1, "{heard:?}");
    reasons.dedup();
    assert!(reasons.len() > 2, "the log tells them apart: {reasons:?}");
}

#[test]
fn attack_wrapped_body_is_refused() {
    let desk = Desk::new();
    desk.request("r.xml");
    let text = desk.read("r.xml");
    let (start, end) =
        (text.find("<soap:Body").expect("there"), text.rfind("</soap:Envelope>").expect("there"));
    let (body, forged) = (&text[start..end], "<soap:Body><evil xmlns=\"urn:evil\"/></soap:Body>");
    let in_header =
        text.replacen("</soap:Header>", &format!("<w xmlns=\"urn:w\">{body}</w></soap:Header>"), 1);
    let wrapped = in_header.replace(&format!("</soap:Header>{body}"), &format!("</soap:Header>{forged}"));
    assert!(wrapped.contains("evil") && wrapped.matches("<soap:Body").count() == 2);
    let mut server = Server::quick(&desk, &[]);
    let answer = post(server.address(), "/sec_echo", SOAP12, wrapped.as_bytes());
    assert_eq!(answer.status, 400);
    assert!(!answer.body.contains("evil"));
    assert_eq!(server.record()["outcome"], "refused");
}

#[test]
fn attack_par_20_any_content_encoding_is_turned_away() {
    let desk = Desk::new();
    desk.request("r.xml");
    let mut server = Server::quick(&desk, &[]);
    let body = desk.read("r.xml");
    for encoding in [
        "gzip",
        "deflate",
        "br",
        "GZIP",
        "gzip, gzip",
        "identity, gzip",
        "x-unknown",
        "",
        "identity\r\nContent-Encoding: gzip",
    ] {
        let request = format!(
            "POST /sec_echo HTTP/1.1\r\nHost: x\r\nContent-Type: {SOAP12}\r\nContent-Encoding: {encoding}\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        );
        assert_eq!(raw(server.address(), request.as_bytes()).status, 415, "{encoding}");
        assert_eq!(server.record()["outcome"], "turned_away");
    }
    // None of them was read, let alone claimed by the guard.
    assert_eq!(post(server.address(), "/sec_echo", SOAP12, body.as_bytes()).status, 200);
}
