//! The bare engine.

use super::program::{Desk, keys};

const DOCUMENT: &str = "<doc xmlns=\"urn:x\"><a Id=\"part1\">one<!-- c --></a><card n='1'>4111</card></doc>";

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("in.xml", DOCUMENT);
    desk.write("mac.bin", "0123456789abcdef0123456789abcdef");
    desk
}

fn key(name: &str) -> String {
    format!("{}/{name}", keys())
}

#[test]
fn canonical_forms_differ_as_their_names_say() {
    let desk = desk();
    let form = |args: &[&str]| {
        let mut all = vec!["xml", "c14n", "in.xml", "--method"];
        all.extend(args);
        desk.bartizan(&all).ends(0).out
    };
    assert_eq!(form(&["exc"]), "<doc xmlns=\"urn:x\"><a Id=\"part1\">one</a><card n=\"1\">4111</card></doc>");
    assert_eq!(
        form(&["1.0", "--with-comments", "--subset", "/doc/a"]),
        "<a xmlns=\"urn:x\" Id=\"part1\">one<!-- c --></a>"
    );
    assert_eq!(form(&["1.1", "--subset", "part1"]), "<a xmlns=\"urn:x\" Id=\"part1\">one</a>");
    desk.write("n.xml", "<d><e n='4'/><f k='4'/></d>");
    desk.bartizan(&["xml", "c14n", "n.xml", "--method", "exc", "--subset", "4"]).ends(1);
    let run = desk
        .bartizan(&["xml", "c14n", "n.xml", "--method", "exc", "--subset", "4", "--id-attr", "k"])
        .ends(0);
    assert_eq!(run.out, "<f k=\"4\"></f>");
    desk.bartizan(&["xml", "c14n", "in.xml", "--method", "2.0"]).ends(2);
    desk.bartizan(&["xml", "c14n", "in.xml", "--method", "exc", "--subset", "/doc/b"]).ends(1);
}

#[test]
fn signature_round_trips_for_every_kind_of_key() {
    let desk = desk();
    let (rsa, ec, ca) = (key("client.key"), key("client-ec.key"), key("ca.pem"));
    let (rsa_cert, ec_cert) = (key("client.pem"), key("client-ec.pem"));
    for (sign, verify) in [
        (vec!["--key", &rsa, "--cert", &rsa_cert, "--enveloped"], vec!["--trust", &ca]),
        (vec!["--key", &ec, "--cert", &ec_cert, "--c14n", "1.1"], vec!["--trust", &ca]),
        (vec!["--key", &rsa, "--reference", "/doc/card"], vec!["--key", &rsa_cert]),
        (
            vec!["--key", &rsa, "--with-comments", "--inclusive-prefixes", "x #default", "--enveloped"],
            vec!["--key", &rsa_cert],
        ),
        (vec!["--secret", "k=mac.bin", "--algorithm", "hmac-sha512"], vec!["--secret", "k=mac.bin"]),
    ] {
        let mut args = vec!["xml", "sign", "in.xml", "-o", "signed.xml", "-q"];
        args.extend(&sign);
        desk.bartizan(&args).ends(0);
        let mut args = vec!["xml", "verify", "signed.xml", "--json"];
        args.extend(&verify);
        let json = desk.bartizan(&args).ends(0).json();
        assert_eq!(json["verdict"], "verified", "{sign:?}");
        let covers = json["signatures"][0]["references"][0]["covers"].as_str().expect("a path");
        assert_eq!(covers, if sign.contains(&"/doc/card") { "/doc/card" } else { "/doc" });
        desk.write("bad.xml", &desk.read("signed.xml").replace("4111", "4112"));
        args[2] = "bad.xml";
        let json = desk.bartizan(&args).ends(1).json();
        assert_eq!(json["reason"], "signature.digest_mismatch", "{sign:?}");
    }
}

#[test]
fn key_of_the_message_is_used_only_when_asked_for_and_called_untrusted() {
    let desk = desk();
    let rsa = key("client.key");
    desk.bartizan(&["xml", "sign", "in.xml", "-o", "s.xml", "--key", &rsa, "-q"]).ends(0);
    let run = desk.bartizan(&["xml", "verify", "s.xml"]).ends(1);
    assert!(run.out.contains("key.not_found"), "{}", run.out);
    let run = desk.bartizan(&["xml", "verify", "s.xml", "--key-from-message"]).ends(0);
    assert!(run.out.contains("NOT TRUSTED"), "{}", run.out);
    let json = desk.bartizan(&["xml", "verify", "s.xml", "--key-from-message", "--json"]).ends(0).json();
    assert_eq!(json["signatures"][0]["key"]["trusted"], false);
}

#[test]
fn untrusted_and_revoked_signers_are_refused() {
    let desk = desk();
    let (k, cert, ca, crl) = (key("revoked.key"), key("revoked.pem"), key("ca.pem"), key("ca.crl"));
    desk.bartizan(&["xml", "sign", "in.xml", "-o", "s.xml", "--key", &k, "--cert", &cert, "-q"]).ends(0);
    desk.bartizan(&["xml", "verify", "s.xml", "--trust", &ca]).ends(0);
    let json =
        desk.bartizan(&["xml", "verify", "s.xml", "--trust", &ca, "--crl", &crl, "--json"]).ends(1).json();
    assert_eq!(json["reason"], "key.not_trusted");
    let other = key("client.pem");
    desk.bartizan(&["xml", "verify", "s.xml", "--trust", &other]).ends(1);
}

#[test]
fn document_without_signature_is_not_verified() {
    let run = desk().bartizan(&["xml", "verify", "in.xml", "--key-from-message"]).ends(1);
    assert!(run.err.starts_with("error: "), "{}", run.err);
}

#[test]
fn encryption_round_trips_for_every_kind_of_recipient() {
    let desk = desk();
    let (rsa, ec, rsa_key, ec_key) =
        (key("server.pem"), key("server-ec.pem"), key("server.key"), key("server-ec.key"));
    for (encrypt, decrypt) in [
        (vec!["--to", &rsa, "--element", "/doc/card"], vec!["--key", &rsa_key]),
        (vec!["--to", &ec, "--element", "/doc/card", "--content"], vec!["--key", &ec_key]),
        (vec!["--secret", "k=mac.bin", "--element", "part1"], vec!["--secret", "k=mac.bin"]),
        (
            vec!["--secret", "k=mac.bin", "--transport", "kw-aes256", "--algorithm", "aes128-gcm"],
            vec!["--secret", "k=mac.bin"],
        ),
        (vec!["--to", &rsa], vec!["--key", &rsa_key]),
    ] {
        let mut args = vec!["xml", "encrypt", "in.xml", "-o", "e.xml", "-q"];
        args.extend(&encrypt);
        desk.bartizan(&args).ends(0);
        assert!(desk.read("e.xml").contains("EncryptedData"), "{encrypt:?}");
        let mut args = vec!["xml", "decrypt", "e.xml", "-o", "d.xml", "-q"];
        args.extend(&decrypt);
        desk.bartizan(&args).ends(0);
        let same = |name: &str| desk.bartizan(&["xml", "c14n", name, "--method", "exc"]).ends(0).out;
        assert_eq!(same("d.xml"), same("in.xml"), "{encrypt:?}");
    }
}

#[test]
fn wrong_key_and_tampered_ciphertext_write_nothing_and_look_alike() {
    let desk = desk();
    let (to, other, own) = (key("server.pem"), key("client.key"), key("server.key"));
    desk.bartizan(&["xml", "encrypt", "in.xml", "-o", "e.xml", "--to", &to, "-q"]).ends(0);
    let wrong = desk.bartizan(&["xml", "decrypt", "e.xml", "-o", "d.xml", "--key", &other]).ends(1);
    let text = desk.read("e.xml");
    let at = text.rfind("</xenc:CipherValue>").expect("there") - 20;
    let letter = if text.as_bytes()[at] == b'A' { "B" } else { "A" };
    desk.write("t.xml", &format!("{}{letter}{}", &text[..at], &text[at + 1..]));
    let tampered = desk.bartizan(&["xml", "decrypt", "t.xml", "-o", "d.xml", "--key", &own]).ends(1);
    assert_eq!(wrong.err, tampered.err);
    assert!(!desk.has("d.xml"));
}

#[test]
fn legacy_and_refused_algorithms_need_a_word_or_get_one() {
    let desk = desk();
    let rsa = key("client.key");
    let sign = |more: &[&str]| {
        let mut args = vec!["xml", "sign", "in.xml", "-o", "s.xml", "--key", &rsa, "--algorithm"];
        args.extend(more);
        desk.bartizan(&args)
    };
    assert!(sign(&["rsa-sha1"]).ends(2).err.contains("--legacy allows it"));
    sign(&["rsa-sha1", "--legacy"]).ends(0);
    assert!(sign(&["rsa-md5"]).ends(2).err.contains("refused by design"));
    assert!(sign(&["rsa-sha265"]).ends(2).err.contains("did you mean `rsa-sha256`?"));
    let verify = ["xml", "verify", "s.xml", "--key", &rsa, "--json"];
    assert_eq!(desk.bartizan(&verify).ends(1).json()["reason"], "algorithm.not_permitted");
    let legacy = [&verify[..], &["--legacy"]].concat();
    assert_eq!(desk.bartizan(&legacy).ends(0).json()["verdict"], "verified");
}

#[test]
fn malformed_xml_is_1_and_a_missing_file_2() {
    let desk = desk();
    desk.write("bad.xml", "<a><b></a>");
    let run = desk.bartizan(&["xml", "c14n", "bad.xml", "--method", "exc"]).ends(1);
    assert!(run.err.contains("--> bad.xml:1:"), "{}", run.err);
    desk.write("dtd.xml", "<!DOCTYPE a [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><a>&x;</a>");
    desk.bartizan(&["xml", "verify", "dtd.xml", "--key-from-message"]).ends(1);
    desk.bartizan(&["xml", "verify", "no.xml"]).ends(2);
}

#[test]
fn nothing_to_work_on_is_named_and_malformed_xml_is_answered_as_json() {
    let desk = Desk::new();
    desk.write("plain.xml", "<doc/>");
    desk.write("broken.xml", "<doc>");
    let run = desk.bartizan(&["xml", "verify", "plain.xml"]).ends(1);
    assert_eq!(run.err, "error: plain.xml holds no Signature\n");
    let run = desk.bartizan(&["xml", "decrypt", "plain.xml"]).ends(1);
    assert_eq!(run.err, "error: plain.xml holds no EncryptedData\n");
    let run = desk.bartizan(&["xml", "verify", "broken.xml", "--json"]).ends(1);
    assert_eq!(run.json()["reason"], "xml.refused");
    assert!(run.err.contains("--> broken.xml:1:"), "{}", run.err);
}
