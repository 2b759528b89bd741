use std::path::Path;

use super::{check, is_path};
use crate::config::{Severity, read};

fn findings(text: &str) -> String {
    let config = read::read(text, Path::new("/")).expect("read");
    let line = |f: &crate::config::Diagnostic| format!("{}: {}\n", f.severity, f.problem);
    check(&config).iter().map(line).collect()
}

#[test]
fn parts_that_do_not_fit_are_found() {
    insta::assert_snapshot!(findings(
        r#"
[keys.server]
folder = "keys"
pkcs12 = "server.p12"
min_rsa = 1024
[keys.half]
private_key = "x.key"
name = "x"
[[listener]]
address = "0.0.0.0:8080"
[[listener]]
address = "0.0.0.0:8080"
[[service]]
path = "/a"
kind = "mirror"
policy = "parnter"
keys = "sever"
[[service]]
path = "/a"
kind = "echo"
policy = "open"
[[service]]
path = "b?c"
kind = "echo"
policy = "scenario:rampart-c"
replay = "off"
[policy.partner]
"#
    ));
}

#[test]
fn sound_configuration_has_no_findings() {
    let text = "[keys.a]\nfolder = \"k\"\n[[service]]\npath = \"/a\"\nkind = \"mirror\"\npolicy = \"scenario:rampart-c\"\nkeys = \"a\"\n";
    assert_eq!(findings(text), "");
}

#[test]
fn nothing_to_serve_is_an_error() {
    let config = read::read("", Path::new("/")).expect("read");
    assert!(check(&config).iter().any(|f| f.severity == Severity::Error));
}

#[test]
fn paths_have_one_form() {
    for path in ["/", "/sec_echo", "/axis2/services/sec_echo", "/a%20b", "/~x;y=1"] {
        assert!(is_path(path), "{path}");
    }
    for path in ["", "a", "/a?b", "/a#b", "/a b", "/ä", "/a/../b", "/./a", "/a\\b"] {
        assert!(!is_path(path), "{path}");
    }
}
