//! What people read when a policy is wrong.

use bartizan_policy::{Diagnostic, Options, Policies, load, read};

use crate::compile::{SP12, WSP, policy};

const SP11: &str = "http://schemas.xmlsoap.org/ws/2005/07/securitypolicy";
const SP13: &str = "http://docs.oasis-open.org/ws-sx/ws-securitypolicy/200802";

fn wrap(inside: &str) -> String {
    format!("<wsp:Policy xmlns:wsp=\"{WSP}\" xmlns:sp=\"{SP12}\">\n{inside}\n</wsp:Policy>\n")
}

fn codes(xml: &str) -> Vec<(&'static str, bool)> {
    let policies = read(xml.as_bytes().to_vec(), "a.xml");
    // A fragment is what these mostly are.
    policies
        .all_diagnostics()
        .filter(|found| found.code() != "fragment")
        .map(|found| (found.code(), found.is_error()))
        .collect()
}

#[test]
fn the_benchmark_policy_as_given_earns_two_warnings_and_no_error() {
    let loaded = bartizan_policy::builtin::builtin("scenario:rampart-c").expect("built in");
    let found = loaded.only().expect("one").check(&Options::default());
    let shown: String = found.iter().map(|diagnostic| loaded.render(diagnostic)).collect();
    insta::assert_snapshot!(shown);
}

#[test]
fn a_wrong_policy_is_explained_line_by_line() {
    let xml = wrap(&format!(
        r##"  <sp:AsymetricBinding><wsp:Policy/></sp:AsymetricBinding>
  <sp:X509Token sp:IncludeToken="{SP12}/IncludeToken/AlwaysToRecipent"><wsp:Policy/></sp:X509Token>
  <sp:SignedParts><sp:Bdy/><sp:Header Name="To"/></sp:SignedParts>
  <sp:Layout><wsp:Policy><sp:Basic256/></wsp:Policy></sp:Layout>
  <sp:Layout/>
  <sp:Trust13><sp:Policy/></sp:Trust13>
  <sp:Wss11><sp:Policy/></sp:Wss11>
  <sp:Created/>
  <f:Thing xmlns:f="urn:foreign"/>
  <sp:SignedElements wsp:Optional="yes"><sp:XPath>/a</sp:XPath></sp:SignedElements>
  <wsp:OneOrMore/>
  <wsp:PolicyReference URI="#nowhere"/>
  stray"##
    ));
    insta::assert_snapshot!(read(xml.into_bytes(), "wrong.xml").render());
}

#[test]
fn not_xml_and_no_policy_are_said() {
    let shown = |text: &str| read(text.as_bytes().to_vec(), "a.xml").render();
    insta::assert_snapshot!(shown("<wsp:Policy>\n  <open>\n</wsp:Policy>"));
    assert_eq!(shown("<beans/>"), "error: no policy in this file\n  --> a.xml\n");
}

#[test]
fn sp_policy_is_taken_in_wss10_and_wss11_only() {
    let inside = |wss: &str| {
        wrap(&format!("<sp:{wss}><sp:Policy><sp:MustSupportRefKeyIdentifier/></sp:Policy></sp:{wss}>"))
    };
    assert_eq!(codes(&inside("Wss10")), [("sp_policy", false)]);
    assert_eq!(codes(&inside("Wss11")), [("sp_policy", false)]);
    assert_eq!(codes(&inside("Layout")), [("no_nested_policy", true), ("sp_policy", true)]);
    assert_eq!(codes(&wrap("<sp:Policy/>")), [("sp_policy", true)]);
    // What stands in it counts.
    let policies = read(inside("Wss11").into_bytes(), "a.xml");
    let normal = policies.nth(0).expect("one").normalise(Default::default()).expect("small");
    assert_eq!(normal.alternatives[0].assertions[0].chosen().len(), 1);
}

#[test]
fn versions_of_the_specification_are_kept_apart() {
    let in_11 = |inside: &str| wrap(inside).replace(SP12, SP11);
    assert_eq!(codes(&in_11("<sp:Trust13><wsp:Policy/></sp:Trust13>")), [("assertion_version", false)]);
    let include =
        |name: &str| in_11(&format!(r#"<sp:X509Token sp:IncludeToken="{SP11}/IncludeToken/{name}"/>"#));
    assert_eq!(codes(&include("AlwaysToRecipient")), []);
    assert_eq!(codes(&include("AlwaysToInitiator")), [("bad_attribute", true)], "1.2 and later only");
    let mixed = wrap(&format!(r#"<sp:X509Token sp:IncludeToken="{SP11}/IncludeToken/Never"/>"#));
    assert_eq!(codes(&mixed), [("mixed_versions", false)]);
    assert_eq!(
        codes(&wrap("<sp:Created/>")),
        [("unknown_assertion", true)],
        "an addition of 1.3 has its own namespace"
    );
    let in_13 = wrap(&format!(r#"<s:UsernameToken xmlns:s="{SP13}"/>"#));
    assert_eq!(codes(&in_13), [("unknown_assertion", true)], "and only the additions stand there");
}

#[test]
fn misplaced_assertions_are_errors_but_fragments_are_not() {
    assert_eq!(codes(&wrap("<sp:Basic256/>")), []);
    assert_eq!(
        codes(&wrap("<sp:Layout><wsp:Policy><sp:Basic256/></wsp:Policy></sp:Layout>")),
        [("misplaced_assertion", false)]
    );
    let policies = read(wrap("<sp:Basic256/>").into_bytes(), "a.xml");
    assert!(policies.all_diagnostics().any(|found| found.code() == "fragment" && !found.is_error()));
}

#[test]
fn check_says_as_a_warning_what_is_not_built_or_wants_open() {
    let check = |xml: String| -> Vec<(&'static str, bool)> {
        let loaded = load(xml.into_bytes(), "a.xml");
        let found = loaded.nth(0).expect("one").check(&Options::default());
        found.iter().map(|found| (found.code(), found.is_error())).collect()
    };
    let kerberos =
        "<sp:SignedSupportingTokens><wsp:Policy><sp:KerberosToken/></wsp:Policy></sp:SignedSupportingTokens>";
    let signed = "<sp:SignedParts><sp:Body/></sp:SignedParts>";
    assert_eq!(check(policy("Basic256", "", &format!("{signed}{kerberos}"))), [("not_compiled", false)]);
    assert_eq!(check(policy("Basic256", "", "")), [("nothing_demanded", false), ("nothing_demanded", false)]);
    assert_eq!(
        check(policy("Basic256", "", r#"<f:x xmlns:f="urn:f"/><sp:SignedParts><sp:Body/></sp:SignedParts>"#)),
        [("foreign_assertion", false)]
    );
    assert_eq!(check(wrap("<wsp:ExactlyOne/>")), [("fragment", false), ("no_alternative", true)]);
}

#[test]
fn diagnostics_are_plain_objects_in_json() {
    let policies: Policies = read(wrap("<sp:Bodi/>").into_bytes(), "a.xml");
    let all: Vec<&Diagnostic> = policies.all_diagnostics().collect();
    insta::assert_snapshot!(serde_json::to_string_pretty(&all).expect("JSON"));
}

#[test]
fn policies_are_found_in_any_host_and_picked_by_name() {
    let wsu = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd";
    let host = format!(
        r#"<?xml version="1.0"?><?host-pi x?><!-- a host --><service xmlns:wsp="{WSP}" xmlns:wsu="{wsu}"><operation name="a">
<wsp:Policy wsu:Id="first"><wsp:All/></wsp:Policy></operation><wsp:PolicyAttachment><wsp:AppliesTo/><wsp:Policy Name="urn:second"/></wsp:PolicyAttachment>
<x><wsp:Policy xml:id="third"/></x></service>"#
    );
    let loaded = load(host.into_bytes(), "services.xml");
    let names: Vec<_> = loaded.items().iter().map(|item| item.name().unwrap_or("")).collect();
    assert_eq!(names, ["first", "urn:second", "third"]);
    assert_eq!(loaded.nth(1).expect("second").position().line, 2);
    assert_eq!(loaded.named("third").expect("there").position().line, 3);
    let wrong = loaded.named("thirt").expect_err("a slip");
    assert_eq!(
        (wrong.code(), wrong.help().expect("help")),
        ("no_such_policy", "did you mean `third`?".to_owned())
    );
    assert_eq!(loaded.only().expect_err("three").code(), "several_policies");
}
