//! Replies under the symmetric binding that lie in files: the secret of their request is kept, given, and shown to nobody.

use std::os::unix::fs::PermissionsExt as _;

use super::program::{Desk, PLAIN, Run, Server, keys};

const WSP: &str = "http://www.w3.org/ns/ws-policy";
const SP: &str = "http://docs.oasis-open.org/ws-sx/ws-securitypolicy/200702";

/// A symmetric policy that a certificate or a user protects.
fn policy(token: &str) -> String {
    format!(
        r#"<wsp:Policy xmlns:wsp="{WSP}" xmlns:sp="{SP}"><sp:SymmetricBinding><wsp:Policy><sp:ProtectionToken><wsp:Policy>
{token}</wsp:Policy></sp:ProtectionToken><sp:AlgorithmSuite><wsp:Policy><sp:Basic256Sha256/></wsp:Policy></sp:AlgorithmSuite><sp:IncludeTimestamp/>
</wsp:Policy></sp:SymmetricBinding><sp:SignedParts><sp:Body/></sp:SignedParts><sp:EncryptedParts><sp:Body/></sp:EncryptedParts></wsp:Policy>"#
    )
}

fn desk() -> Desk {
    let desk = Desk::new();
    let derived = "<wsp:Policy><sp:RequireDerivedKeys/>";
    let x509 = format!(
        r#"<sp:X509Token sp:IncludeToken="{SP}/IncludeToken/Never">{derived}<sp:RequireThumbprintReference/></wsp:Policy></sp:X509Token>"#
    );
    let user = format!(
        r#"<sp:UsernameToken sp:IncludeToken="{SP}/IncludeToken/AlwaysToRecipient">{derived}</wsp:Policy></sp:UsernameToken>"#
    );
    desk.write("x509.xml", &policy(&x509));
    desk.write("user.xml", &policy(&user));
    desk.write("plain.xml", PLAIN);
    desk.write("word", "very secret\n");
    desk.write("wrong", "another\n");
    desk.write("users.toml", "[alice]\npassword = \"very secret\"\n[bob]\npassword = \"very secret\"\n");
    std::os::unix::fs::symlink(keys(), desk.path("keys")).expect("linked");
    desk
}

fn run(desk: &Desk, verb: &str, args: &str) -> Run {
    let all: Vec<&str> =
        std::iter::once(verb).chain(args.split_whitespace()).chain(["--keys", "keys"]).collect();
    desk.bartizan(&all)
}

/// A request and its reply, in NAME.request and NAME.reply; the secret in NAME.secret.
fn exchange(desk: &Desk, name: &str, policy: &str, sender: &str, receiver: &str) {
    let request = format!(
        "plain.xml -o {name}.request --policy {policy} --as initiator {sender} --save-secret {name}.secret"
    );
    let said = run(desk, "secure", &request).ends(0);
    let reply = format!(
        "plain.xml -o {name}.reply --policy {policy} --as recipient --request {name}.request {receiver}"
    );
    let answered = run(desk, "secure", &reply).ends(0);
    let file = desk.path(&format!("{name}.secret"));
    let mode = std::fs::metadata(&file).expect("kept").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let octets = std::fs::read(&file).expect("kept");
    let hex: String = octets.iter().map(|b| format!("{b:02x}")).collect();
    for text in [said.out, said.err, answered.out, answered.err] {
        assert!(!text.contains(&hex) && !text.contains("very secret"), "{text}");
    }
}

fn verify(desk: &Desk, name: &str, policy: &str, more: &str) -> Run {
    run(desk, "verify", &format!("{name}.reply --policy {policy} --as initiator {more}"))
}

#[test]
fn a_saved_reply_is_verified_with_the_secret_that_was_kept() {
    let desk = desk();
    exchange(&desk, "one", "x509.xml", "--open", "--open");
    exchange(&desk, "two", "x509.xml", "--open", "--open");
    assert_eq!(std::fs::read(desk.path("one.secret")).expect("kept").len(), 32);
    let run =
        verify(&desk, "one", "x509.xml", "--open --request one.request --secret one.secret -o shown.xml")
            .ends(0);
    assert!(run.out.starts_with("verified"), "{}", run.out);
    assert!(desk.read("shown.xml").contains("test me"));
    // Another exchange's, of the file or of the request, is none.
    let other = verify(&desk, "one", "x509.xml", "--open --request one.request --secret two.secret").ends(1);
    assert!(other.out.contains("signature.value_mismatch"), "{}", other.out);
    let other = verify(&desk, "one", "x509.xml", "--open --request two.request --secret two.secret").ends(1);
    assert!(
        other.out.contains("token.reference_unresolved") && other.err.contains("that request"),
        "{}",
        other.err
    );
    // Without it there is a word about what is missing.
    for more in ["--open", "--open --request one.request"] {
        let told = verify(&desk, "one", "x509.xml", more).ends(1);
        assert!(
            told.out.contains("token.reference_unresolved") && told.err.contains("--secret FILE"),
            "{}",
            told.err
        );
    }
    // The request itself is no reply, whoever has its secret.
    let itself =
        "one.request --policy x509.xml --as initiator --open --request one.request --secret one.secret";
    run_refused(&desk, itself);
}

fn run_refused(desk: &Desk, args: &str) {
    let refused = run(desk, "verify", args).ends(1);
    assert!(refused.out.starts_with("refused"), "{}", refused.out);
}

#[test]
fn a_saved_reply_under_a_users_key_is_verified_with_the_password_or_the_secret() {
    let desk = desk();
    let alice = "--user alice --password-file word";
    exchange(&desk, "one", "user.xml", alice, "--users users.toml");
    for known in [alice, "--secret one.secret"] {
        verify(&desk, "one", "user.xml", &format!("--request one.request {known}")).ends(0);
    }
    assert_eq!(std::fs::read(desk.path("one.secret")).expect("kept").len(), 20);
    let wrong =
        verify(&desk, "one", "user.xml", "--request one.request --user alice --password-file wrong").ends(1);
    assert!(wrong.out.contains("signature.value_mismatch"), "{}", wrong.out);
    let bob =
        verify(&desk, "one", "user.xml", "--request one.request --user bob --password-file word").ends(1);
    assert!(bob.err.contains("no key is derived"), "{}", bob.err);
    let told = verify(&desk, "one", "user.xml", "--request one.request").ends(1);
    assert!(told.err.contains("--password-file"), "{}", told.err);
    let both =
        verify(&desk, "one", "user.xml", &format!("--request one.request --secret one.secret {alice}"));
    assert!(both.ends(2).err.contains("two ways"));
    verify(&desk, "one", "user.xml", "--secret one.secret").ends(2);
    verify(&desk, "one", "user.xml", alice).ends(2);
}

#[test]
fn a_secret_is_kept_once_and_only_where_there_is_one() {
    let desk = desk();
    exchange(&desk, "one", "x509.xml", "--open", "--open");
    let before = std::fs::read(desk.path("one.secret")).expect("kept");
    let again = "plain.xml -o again.xml --policy x509.xml --as initiator --open --save-secret one.secret";
    run(&desk, "secure", again).ends(2);
    assert!(!desk.has("again.xml"));
    assert_eq!(std::fs::read(desk.path("one.secret")).expect("kept"), before);
    let none = "plain.xml -o none.xml --policy scenario:rampart-c --as initiator --save-secret none.secret";
    assert!(run(&desk, "secure", none).ends(2).err.contains("symmetric binding"));
    assert!(!desk.has("none.xml") && !desk.has("none.secret"));
    let reply = "plain.xml -o reply.xml --policy x509.xml --as recipient --open --request one.request --save-secret r.secret";
    run(&desk, "secure", reply).ends(2);
    assert!(!desk.has("reply.xml") && !desk.has("r.secret"));
}

#[test]
fn a_call_keeps_its_secret_before_it_goes() {
    let desk = desk();
    let mut server = Server::quick(&desk, &["--policy", "user.xml", "--users", "users.toml"]);
    let call = format!("{} --policy user.xml --user alice --password-file word", server.url("/sec_echo"));
    let done = run(&desk, "call", &format!("{call} --save-secret kept")).ends(0);
    assert!(done.out.contains("test me"), "{}", done.out);
    let caller = &server.record()["caller"];
    assert_eq!(
        (caller["name"].as_str(), caller["proved_by"].as_str()),
        (Some("alice"), Some("username-signature"))
    );
    assert_eq!(std::fs::read(desk.path("kept")).expect("kept").len(), 20);
    run(&desk, "call", &format!("{call} --save-secret kept")).ends(2);
    run(&desk, "call", &call.replace("file word", "file wrong")).ends(1);
}
