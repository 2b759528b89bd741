use super::program::{Desk, keys};

/// A sound configuration over the demo keys.
fn sound() -> String {
    format!(
        "[keys.server]\nfolder = \"{}\"\n\n[[listener]]\naddress = \"127.0.0.1:0\"\n\n\
         [[service]]\npath = \"/sec_echo\"\nkind = \"echo\"\npolicy = \"partner\"\nkeys = \"server\"\n\n\
         [policy.partner]\nbinding = \"asymmetric\"\nsuite = \"modern-rsa\"\nsign = [\"body\", \"timestamp\"]\n\
         encrypt = [\"body\"]\ntimestamp = {{ ttl = \"5m\", skew = \"60s\" }}\nsignature_confirmation = true\n",
        keys()
    )
}

#[test]
fn sound_configuration_is_usable_without_a_word() {
    let desk = Desk::new();
    desk.write("b.toml", &sound());
    let run = desk.bartizan(&["check", "b.toml", "--strict"]).ends(0);
    assert_eq!(run.err, "");
    assert_eq!(run.out, "b.toml: usable (0 errors, 0 warnings)\n");
}

#[test]
fn findings_have_places_and_ways_out() {
    let desk = Desk::new();
    desk.write(
        "b.toml",
        "[server]\nworkres = 4\n\n[[listener]]\naddress = \"127.0.0.1\"\n\n[[service]]\npath = \"/a\"\nkind = \"ecko\"\npolicy = \"open\"\nreplay = 5\n",
    );
    let run = desk.bartizan(&["check", "b.toml"]).ends(1);
    insta::assert_snapshot!(run.err);
    assert_eq!(run.out, "b.toml: not usable (4 errors, 0 warnings)\n");
    let json = desk.bartizan(&["check", "b.toml", "--json"]).ends(1).json();
    assert_eq!(json["diagnostics"][0]["line"], 2);
    assert_eq!(json["diagnostics"][0]["help"], "did you mean `workers`?");
}

#[test]
fn weak_points_are_warned_of() {
    let desk = Desk::new();
    let text = sound().replace("\"partner\"\nkeys", "\"scenario:rampart-c\"\nreplay = \"off\"\nkeys");
    desk.write("b.toml", &text);
    let run = desk.bartizan(&["check", "b.toml"]).ends(0);
    assert!(run.err.contains("`replay = \"off\"`: a captured message is served again"), "{}", run.err);
    assert!(run.err.contains("no replay guard"), "{}", run.err);
    desk.bartizan(&["check", "b.toml", "--strict", "-q"]).ends(1);
    let guarded = text.replace("replay = \"off\"\n", "");
    desk.write("b.toml", &guarded);
    let run = desk.bartizan(&["check", "b.toml"]).ends(0);
    assert!(run.err.contains("recognised for 10m only"), "{}", run.err);
}

#[test]
fn missing_keys_and_broken_policies_are_errors_at_their_place() {
    let desk = Desk::new();
    desk.write("b.toml", &sound().replace(keys(), "nowhere"));
    let run = desk.bartizan(&["check", "b.toml"]).ends(1);
    assert!(run.err.contains("error: cannot read nowhere/ca.pem: no such file or directory"), "{}", run.err);
    assert!(run.err.contains("--> b.toml:2:10"), "{}", run.err);
    desk.write("b.toml", &sound().replace("modern-rsa", "modern-rsaa"));
    let run = desk.bartizan(&["check", "b.toml"]).ends(1);
    assert!(run.err.contains("--> b.toml:15:9"), "{}", run.err);
    assert!(run.err.contains("modern-rsa"), "{}", run.err);
}

#[test]
fn unreadable_file_ends_with_2() {
    Desk::new().bartizan(&["check", "b.toml"]).ends(2);
}

#[test]
fn keys_that_do_not_fit_the_policy_are_found_before_the_first_message() {
    let desk = Desk::new();
    let with = |keys: &str| sound().replace(&format!("folder = \"{}\"", super::program::keys()), keys);
    let file = |name: &str| format!("{}/{name}", super::program::keys());
    let (cert, key, ca) = (file("server.pem"), file("server.key"), file("ca.pem"));
    let (ec_cert, ec_key) = (file("server-ec.pem"), file("server-ec.key"));
    for (keys, words) in [
        (format!("trust = [\"{ca}\"]"), "the key set has none"),
        (format!("certificate = \"{cert}\"\nprivate_key = \"{key}\""), "trusts nobody"),
        (
            format!("certificate = \"{ec_cert}\"\nprivate_key = \"{ec_key}\"\ntrust = [\"{ca}\"]"),
            "cannot make rsa-sha256 signatures",
        ),
    ] {
        desk.write("b.toml", &with(&keys));
        let run = desk.bartizan(&["check", "b.toml"]).ends(1);
        assert!(run.err.contains(words), "{keys}: {}", run.err);
        assert!(run.err.contains("--> b.toml:"), "{}", run.err);
    }
}

#[test]
fn what_is_wrong_in_a_policy_is_told_in_both_forms() {
    let desk = Desk::new();
    desk.write("p.toml", "[policy.p]\nsign = [\"bodyy\"]\nsuite = \"modern-rs\"\n");
    desk.write("b.toml", &sound().replace("\"partner\"\nkeys", "\"p.toml\"\nkeys"));
    let run = desk.bartizan(&["check", "b.toml"]).ends(1);
    assert!(run.out.contains("not usable (2 errors, 0 warnings)"), "{}", run.out);
    let json = desk.bartizan(&["check", "b.toml", "--json"]).ends(1).json();
    let causes = json["diagnostics"][0]["caused_by"].as_array().expect("causes");
    assert_eq!(causes.len(), 2, "{json}");
    assert_eq!((&causes[0]["line"], &causes[1]["line"]), (&2.into(), &3.into()));
    assert!(json["diagnostics"][0]["file"].as_str().expect("a file").ends_with("p.toml"));
}

#[test]
fn every_missing_file_is_told_where_it_is_named() {
    let desk = Desk::new();
    let named = "certificate = \"no.pem\"\nprivate_key = \"no.key\"\ntrust = [\n  \"no-ca.pem\",\n]";
    desk.write("b.toml", &sound().replace(&format!("folder = \"{}\"", keys()), named));
    let run = desk.bartizan(&["check", "b.toml"]).ends(1);
    for (file, place) in [("no.pem", "2:15"), ("no.key", "3:15"), ("no-ca.pem", "5:3")] {
        let words = format!("error: cannot read {file}: no such file or directory\n  --> b.toml:{place}\n");
        assert!(run.err.contains(&words), "no `{words}` in\n{}", run.err);
    }
}

#[test]
fn a_broken_policy_that_no_service_names_is_an_error() {
    let desk = Desk::new();
    desk.write("b.toml", &format!("{}\n[policy.spare]\nsuite = \"modern-rs\"\n", sound()));
    let run = desk.bartizan(&["check", "b.toml"]).ends(1);
    assert!(run.err.contains("did you mean `modern-rsa`?"), "{}", run.err);
    assert!(run.out.contains("not usable (1 error, 0 warnings)"), "{}", run.out);
    desk.write("b.toml", &format!("{}\n[policy.spare]\nsuite = \"modern-rsa\"\n", sound()));
    desk.bartizan(&["check", "b.toml", "--strict"]).ends(0);
}

#[test]
fn keys_that_lie_open_are_found_in_every_form() {
    let desk = Desk::new();
    let copy = |from: &str, to: &str, mode: u32| {
        std::fs::copy(format!("{}/{from}", keys()), desk.path(to)).expect("copied");
        std::fs::set_permissions(desk.path(to), std::os::unix::fs::PermissionsExt::from_mode(mode))
            .expect("set");
    };
    copy("server.p12", "open.p12", 0o644);
    copy("server.p12", "shut.p12", 0o600);
    copy("password", "pass", 0o644);
    copy("password", "shut", 0o600);
    copy("ca.pem", "ca.pem", 0o644);
    let both = ["server.pem", "server.key"].map(|file| std::fs::read_to_string(format!("{}/{file}", keys())));
    desk.write("both.pem", &both.map(|text| text.expect("there")).concat());
    for (named, open) in [
        ("pkcs12 = \"open.p12\"\npassword = { file = \"shut\" }", "open.p12"),
        ("pkcs12 = \"shut.p12\"\npassword = { file = \"pass\" }", "pass"),
        ("certificate = \"both.pem\"", "both.pem"),
    ] {
        let set = format!("{named}\ntrust = [\"ca.pem\"]");
        desk.write("b.toml", &sound().replace(&format!("folder = \"{}\"", keys()), &set));
        let run = desk.bartizan(&["check", "b.toml"]).ends(0);
        assert_eq!(run.err.matches("warning: ").count(), 1, "{}", run.err);
        assert!(run.err.contains(&format!("others than its owner can read or change {open}")), "{}", run.err);
    }
}

#[test]
fn a_quantum_of_nothing_and_a_certificate_that_ended_are_warned_of() {
    let desk = Desk::new();
    let text = sound()
        .replace("[keys.server]", "[server]\nfailure_quantum = \"0\"\n\n[keys.server]\nname = \"expired\"");
    desk.write("b.toml", &text);
    let run = desk.bartizan(&["check", "b.toml"]).ends(0);
    assert!(run.err.contains("`failure_quantum` is zero"), "{}", run.err);
    assert!(run.err.contains("--> b.toml:2:19"), "{}", run.err);
    assert!(run.err.contains("the certificate of `CN=expired,OU=demo,O=bartizan` ended at"), "{}", run.err);
}

#[test]
fn an_access_log_that_cannot_be_written_is_found() {
    let desk = Desk::new();
    desk.write("file", "");
    for (access, words) in [
        ("{ to = \"nowhere/access.log\" }", "cannot write nowhere/access.log"),
        ("{ to = \"file/access.log\" }", "cannot write file/access.log"),
        ("{ to = \".\" }", "cannot write"),
        ("{ format = \"text\" }", "`format` must be \"json\", and `text` is not"),
        ("{ to = 1 }", "`to` must be \"stdout\", \"stderr\", \"off\" or a path, not integer"),
    ] {
        desk.write("b.toml", &format!("{}\n[log]\naccess = {access}\n", sound()));
        let run = desk.bartizan(&["check", "b.toml"]).ends(1);
        assert!(run.err.contains(words), "{access}: {}", run.err);
        assert!(run.err.contains("--> b.toml:22:"), "{access}: {}", run.err);
    }
    desk.write("b.toml", &format!("{}\n[log]\naccess = {{ to = \"access.log\" }}\n", sound()));
    desk.bartizan(&["check", "b.toml"]).ends(0);
    assert!(!desk.has("access.log"));
}

#[test]
fn an_assertion_that_a_service_ignores_keeps_its_policy_from_nothing() {
    let desk = Desk::new();
    let policy = include_str!("../../../../policies/rampart-c-benchmark.xml");
    desk.write("policy.xml", &policy.replacen("</wsp:All>", "<o:Own xmlns:o=\"urn:own\"/></wsp:All>", 1));
    let config = |more: &str| {
        desk.write(
            "bartizan.toml",
            &format!(
                "[keys.server]\nfolder = {:?}\n[[listener]]\naddress = \"127.0.0.1:0\"\n[[service]]\npath = \"/x\"\nkind = \"echo\"\n\
                 policy = \"policy.xml\"\nkeys = \"server\"\n{more}",
                keys()
            ),
        );
        desk.bartizan(&["check", "bartizan.toml"])
    };
    let refused = config("").ends(1);
    assert!(refused.err.contains("`--ignore urn:own`"), "{}", refused.err);
    config("ignore = [\"urn:own\"]\n").ends(0);
    config("ignore = [\"urn:other\"]\n").ends(1);
    config("ignore = \"urn:own\"\n").ends(1);
    // And the verbs on files.
    let verify = ["verify", "policy.xml", "--policy", "policy.xml", "--as", "recipient", "--keys", keys()];
    assert!(desk.bartizan(&verify).ends(1).err.contains("cannot be used"));
    let ignoring: Vec<&str> = verify.into_iter().chain(["--ignore", "urn:own"]).collect();
    assert!(desk.bartizan(&ignoring).ends(1).out.contains("refused: message"));
}
