use std::os::unix::fs::PermissionsExt as _;

use super::program::{Desk, bartizan, keys};

#[test]
fn demo_folder_holds_what_the_page_says() {
    let names = std::fs::read_dir(keys()).expect("a folder");
    let mut names: Vec<String> =
        names.map(|n| n.expect("an entry").file_name().into_string().expect("UTF-8")).collect();
    names.sort();
    let mut wanted =
        vec!["ca.crl".to_owned(), "ca.key".to_owned(), "ca.pem".to_owned(), "password".to_owned()];
    for name in ["server", "client", "client2", "expired", "revoked"] {
        for twin in ["", "-ec"] {
            wanted.extend(["pem", "key", "p12"].map(|end| format!("{name}{twin}.{end}")));
        }
    }
    wanted.sort();
    assert_eq!(names, wanted);
    let mode = |name: &str| {
        let path = format!("{}/{name}", keys());
        std::fs::metadata(path).expect("there").permissions().mode() & 0o777
    };
    for private in ["ca.key", "server.key", "client-ec.key", "password", "server.p12"] {
        assert_eq!(mode(private), 0o600, "{private}");
    }
}

#[test]
fn demo_never_overwrites() {
    let desk = Desk::new();
    std::fs::create_dir(desk.path("k")).expect("made");
    desk.write("k/client2.pem", "mine");
    let run = desk.bartizan(&["keys", "demo", "k"]).ends(1);
    assert!(run.err.contains("client2.pem is there already"), "{}", run.err);
    assert_eq!(desk.read("k/client2.pem"), "mine");
    assert!(!desk.has("k/ca.pem"));
}

#[test]
fn demo_makes_small_keys_and_java_stores_when_asked() {
    let desk = Desk::new();
    desk.bartizan(&["keys", "demo", "k", "--rsa", "1024", "--jks", "-q"]).ends(0);
    let json = desk.bartizan(&["keys", "inspect", "k/server.pem", "k/server.jks", "--json"]).ends(0).json();
    assert_eq!(json["files"][0]["entries"][0]["certificates"][0]["key"]["bits"], 1024);
    assert_eq!(json["files"][1]["entries"][0]["private_key"]["bits"], 1024);
}

#[test]
fn inspect_finds_the_password_beside_a_demo_store() {
    let store = format!("{}/server.p12", keys());
    let json = bartizan(&["keys", "inspect", &store, "--json"]).ends(0).json();
    let entry = &json["files"][0]["entries"][0];
    assert_eq!(entry["alias"], "server");
    assert_eq!(entry["private_key"]["kind"], "RSA");
    let certificate = &entry["certificates"][0];
    assert_eq!(certificate["subject"], "CN=server,OU=demo,O=bartizan");
    for (field, length) in [("thumbprint_sha1", 28), ("thumbprint_sha256", 44), ("ski", 28)] {
        assert_eq!(certificate[field].as_str().map(str::len), Some(length), "{field}");
    }
}

#[test]
fn inspect_tells_of_a_revocation_list() {
    let list = format!("{}/ca.crl", keys());
    let run = bartizan(&["keys", "inspect", &list]).ends(0);
    assert!(run.out.contains("revocation list of CN=Demo CA"), "{}", run.out);
    assert!(run.out.contains("revoked    2 certificates"), "{}", run.out);
    let json = bartizan(&["keys", "inspect", &list, "--json"]).ends(0).json();
    let entry = &json["files"][0]["entries"][0];
    assert_eq!(entry["crl"]["entries"], 2, "{json}");
    let (this, next) = (entry["crl"]["this_update"].as_str(), entry["crl"]["next_update"].as_str());
    assert!(this.zip(next).is_some_and(|(this, next)| this < next && this.ends_with('Z')), "{json}");
}

#[test]
fn inspect_shows_the_good_files_beside_a_bad_one() {
    let desk = Desk::new();
    desk.write("x", "hello");
    let good = format!("{}/ca.pem", keys());
    let run = desk.bartizan(&["keys", "inspect", "x", "nothing", &good]).ends(2);
    assert!(run.out.contains("CN=Demo CA"), "{}", run.out);
    assert!(run.err.contains("error: x: ") && run.err.contains("cannot read nothing"), "{}", run.err);
}

#[test]
fn inspect_of_something_else_ends_with_2() {
    let desk = Desk::new();
    desk.write("x", "hello");
    let run = desk.bartizan(&["keys", "inspect", "x"]).ends(2);
    assert!(run.err.starts_with("error: x: "), "{}", run.err);
}
