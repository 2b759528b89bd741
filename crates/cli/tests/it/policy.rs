use super::program::{Desk, POLICY, bartizan};

fn given() -> String {
    format!("{}/../../policies/rampart-c-benchmark.xml", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn benchmark_policy_as_given_is_usable_with_warnings() {
    let json = bartizan(&["policy", "check", &given(), "--json"]).ends(0).json();
    assert_eq!(json["usable"], true);
    assert_eq!(json["policies"][0]["alternatives"], 1);
    let found = json["policies"][0]["diagnostics"].as_array().expect("diagnostics");
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found.iter().all(|finding| finding["severity"] == "warning" && finding["line"].is_u64()));
    bartizan(&["policy", "check", &given(), "--strict", "-q"]).ends(1);
}

#[test]
fn unknown_assertion_is_an_error_with_its_place() {
    let desk = Desk::new();
    let text = std::fs::read_to_string(given()).expect("there").replace("sp:Basic256/", "sp:Basic257/");
    desk.write("p.xml", &text);
    let run = desk.bartizan(&["policy", "check", "p.xml"]).ends(1);
    assert!(run.err.contains("--> p.xml:28:15"), "{}", run.err);
    assert!(run.err.contains("Basic256"), "{}", run.err);
    desk.bartizan(&["verify", "p.xml", "--policy", "p.xml", "--as", "recipient"]).ends(1);
}

#[test]
fn normal_form_is_a_policy_with_the_same_meaning() {
    let desk = Desk::new();
    desk.bartizan(&["policy", "normalise", POLICY, "-o", "n.xml"]).ends(0);
    let explained = desk.bartizan(&["policy", "explain", "n.xml"]).ends(0).out;
    let original = desk.bartizan(&["policy", "explain", POLICY]).ends(0).out;
    assert_eq!(explained, original);
}

#[test]
fn normal_form_of_what_is_not_understood_is_refused() {
    let desk = Desk::new();
    let unknown = "<wsp:Policy xmlns:wsp=\"http://www.w3.org/ns/ws-policy\" \
        xmlns:sp=\"http://docs.oasis-open.org/ws-sx/ws-securitypolicy/200702\"><sp:AsymetricBinding/></wsp:Policy>";
    desk.write("unknown.xml", unknown);
    let run = desk.bartizan(&["policy", "normalise", "unknown.xml", "-o", "n.xml"]).ends(1);
    assert!(run.err.contains("did you mean `AsymmetricBinding`?"), "{}", run.err);
    assert!(!desk.has("n.xml"));
}

#[test]
fn normal_form_as_json_holds_the_xml_and_input_may_be_standard_input() {
    let desk = Desk::new();
    let toml = "[policy.short]\nsuite = \"modern-ec\"\n";
    desk.write("p.toml", toml);
    let json = desk.bartizan(&["policy", "normalise", "p.toml", "--json"]).ends(0).json();
    assert!(json["policies"][0]["xml"].as_str().expect("text").starts_with("<wsp:Policy"));
    let run = desk.bartizan_with(&["policy", "check", "-"], toml.as_bytes()).ends(0);
    assert!(run.out.contains("usable (1 policy, 0 errors, 0 warnings)"), "{}", run.out);
    let ca = std::fs::read(std::path::Path::new(super::program::keys()).join("ca.pem")).expect("a file");
    assert!(desk.bartizan_with(&["keys", "inspect", "-"], &ca).ends(0).out.contains("CN=Demo CA"));
    assert!(desk.bartizan_with(&["check", "-"], b"[server]\nstat = 1\n").ends(1).err.contains("`state`"));
}

#[test]
fn explanation_says_what_is_demanded_and_what_is_legacy() {
    let run = bartizan(&["policy", "explain", POLICY]).ends(0);
    for words in
        ["the Body is signed and encrypted", "SignatureConfirmation", "legacy: sha1, rsa-sha1, aes256-cbc"]
    {
        assert!(run.out.contains(words), "no `{words}` in:\n{}", run.out);
    }
}

#[test]
fn one_of_several_is_picked_by_number_or_name() {
    let desk = Desk::new();
    desk.write(
        "p.toml",
        "[policy.one]\nbinding = \"asymmetric\"\nsuite = \"modern-rsa\"\n[policy.two]\nbinding = \"asymmetric\"\nsuite = \"modern-ec\"\n",
    );
    let json = |args: &[&str]| desk.bartizan(args).ends(0).json();
    assert_eq!(json(&["policy", "check", "p.toml", "--json"])["policies"].as_array().map(Vec::len), Some(2));
    assert_eq!(json(&["policy", "check", "p.toml", "--nth", "1", "--json"])["policies"][0]["name"], "two");
    assert_eq!(json(&["policy", "check", "p.toml#one", "--json"])["policies"][0]["name"], "one");
    let run = desk.bartizan(&["policy", "check", "p.toml#tow"]).ends(1);
    assert!(run.err.contains("two"), "{}", run.err);
    desk.bartizan(&["policy", "check", "p.toml", "--nth", "first"]).ends(2);
    desk.bartizan(&["policy", "check", "p.toml", "--nth", "2"]).ends(1);
}

#[test]
fn a_policy_that_is_sound_and_cannot_be_used_is_not_called_usable() {
    let desk = Desk::new();
    let sp = "http://docs.oasis-open.org/ws-sx/ws-securitypolicy/200702";
    let kerberos = format!(
        "<wsp:Policy xmlns:wsp=\"http://www.w3.org/ns/ws-policy\" xmlns:sp=\"{sp}\">\
         <sp:SupportingTokens><wsp:Policy><sp:KerberosToken/></wsp:Policy></sp:SupportingTokens></wsp:Policy>"
    );
    desk.write("p.xml", &kerberos);
    let run = desk.bartizan(&["policy", "check", "p.xml"]).ends(0);
    assert!(run.out.starts_with("p.xml: sound, but it cannot be used as it stands"), "{}", run.out);
    let json = desk.bartizan(&["policy", "check", "p.xml", "--json"]).ends(0).json();
    assert_eq!((&json["usable"], &json["policies"][0]["usable"]), (&false.into(), &false.into()));
    desk.bartizan(&["policy", "explain", "p.xml"]).ends(1);
}

#[test]
fn normal_forms_of_several_policies_are_one_document_that_can_be_read() {
    let desk = Desk::new();
    desk.write(
        "p.toml",
        "[policy.one]\nsuite = \"modern-rsa\"\n[policy.one.request]\nsign = [\"body\"]\n[policy.one.reply]\nencrypt = [\"body\"]\n\
         [policy.two]\nsuite = \"modern-ec\"\n",
    );
    let run = desk.bartizan(&["policy", "normalise", "p.toml", "-o", "n.xml"]).ends(0);
    assert!(run.err.starts_with("3 alternatives, "), "{}", run.err);
    let json = desk.bartizan(&["policy", "check", "n.xml", "--json"]).ends(0).json();
    let names: Vec<&str> =
        json["policies"].as_array().expect("policies").iter().filter_map(|p| p["name"].as_str()).collect();
    assert_eq!(names, ["one.request", "one.reply", "two"]);
    desk.bartizan(&["policy", "normalise", "p.toml#two", "-o", "two.xml"]).ends(0);
    assert!(desk.read("two.xml").starts_with("<wsp:Policy"));
    assert_eq!(desk.read("two.xml").matches("wsu:Id=\"two\"").count(), 1);
}

#[test]
fn an_ignored_namespace_is_no_warning() {
    let desk = Desk::new();
    let text = std::fs::read_to_string(given()).expect("there");
    let at = text.find("<sp:AsymmetricBinding").expect("a binding");
    let with = format!("{}<x:Extra xmlns:x=\"urn:foreign\"/>{}", &text[..at], &text[at..]);
    desk.write("p.xml", &with);
    let warnings = |more: &[&str]| {
        let mut args = vec!["policy", "check", "p.xml"];
        args.extend(more);
        desk.bartizan(&args).ends(0).err.matches("urn:foreign is not understood").count()
    };
    assert_eq!((warnings(&[]), warnings(&["--ignore", "urn:foreign"])), (1, 0));
    assert_eq!(warnings(&["--ignore", "urn:other"]), 1);
}

#[test]
fn what_can_be_explained_is_explained_beside_what_cannot() {
    let desk = Desk::new();
    let sp = "http://docs.oasis-open.org/ws-sx/ws-securitypolicy/200702";
    let wsu = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd";
    let kerberos = format!(
        "<wsp:Policy xmlns:wsp=\"http://www.w3.org/ns/ws-policy\" xmlns:wsu=\"{wsu}\" xmlns:sp=\"{sp}\" wsu:Id=\"k\">\
         <sp:SupportingTokens><wsp:Policy><sp:KerberosToken/></wsp:Policy></sp:SupportingTokens></wsp:Policy>"
    );
    desk.write("good.toml", "[policy.good]\nsuite = \"modern-rsa\"\nsign = [\"body\"]\n");
    desk.bartizan(&["policy", "normalise", "good.toml", "-o", "good.xml"]).ends(0);
    desk.write("two.xml", &format!("<both>{kerberos}{}</both>", desk.read("good.xml")));
    let run = desk.bartizan(&["policy", "explain", "two.xml"]).ends(1);
    assert!(run.out.contains("the Body is signed"), "{}", run.out);
    assert!(run.err.contains("1 of 2 policies in two.xml cannot be used"), "{}", run.err);
    assert!(run.err.contains("`FILE#NAME`, or by `--nth`"), "{}", run.err);
    let json = desk.bartizan(&["policy", "explain", "two.xml", "--json"]).ends(1).json();
    assert_eq!(
        (json["policies"].as_array().map(Vec::len), &json["unusable"][0]["name"]),
        (Some(1), &"k".into())
    );
    desk.bartizan(&["policy", "explain", "two.xml#good"]).ends(0);
}

#[test]
fn an_algorithm_for_another_kind_of_key_than_the_suite_is_warned_of() {
    let desk = Desk::new();
    let check = |suite: &str, algorithms: &str| {
        desk.write("p.toml", &format!("[policy.p]\nsuite = \"{suite}\"\nalgorithms = {{ {algorithms} }}\n"));
        desk.bartizan(&["policy", "check", "p.toml"]).ends(0).err
    };
    for (suite, algorithms) in [
        ("modern-ec", "signature = \"rsa-sha256\""),
        ("modern-ec", "key_transport = \"rsa-oaep-sha256\""),
        ("modern-rsa", "signature = \"ecdsa-sha256\""),
    ] {
        let said = check(suite, algorithms);
        assert!(said.contains("`algorithms` contradicts"), "{algorithms}: {said}");
    }
    assert_eq!(check("modern-ec", "signature = \"ecdsa-sha384\""), "");
    assert_eq!(check("modern-ec", "signature = \"rsa-sha256\", key_transport = \"rsa-oaep-sha256\""), "");
}
