//! The transport binding into plans.

use bartizan_policy::compile::{Open, Sides};
use bartizan_policy::{Compiled, Diagnostic, Options, compile, read};
use bartizan_wss::part::Part;
use bartizan_wss::plan::{PasswordForm, TransportRule};

use crate::compile::{SP12, WSP};

fn policy(https: &str, in_binding: &str, beside: &str) -> String {
    format!(
        r#"<wsp:Policy xmlns:wsp="{WSP}" xmlns:sp="{SP12}"><sp:TransportBinding><wsp:Policy>
<sp:TransportToken><wsp:Policy><sp:HttpsToken><wsp:Policy>{https}</wsp:Policy></sp:HttpsToken></wsp:Policy></sp:TransportToken>
<sp:AlgorithmSuite><wsp:Policy><sp:Basic256/></wsp:Policy></sp:AlgorithmSuite>{in_binding}
</wsp:Policy></sp:TransportBinding>{beside}</wsp:Policy>"#
    )
}

const USER: &str = r#"<sp:SignedSupportingTokens><wsp:Policy><sp:UsernameToken><wsp:Policy><sp:HashPassword/></wsp:Policy></sp:UsernameToken></wsp:Policy></sp:SignedSupportingTokens>"#;

fn try_compile(xml: &str, options: &Options) -> Result<Compiled, Vec<Diagnostic>> {
    let policies = read(xml.as_bytes().to_vec(), "test.xml");
    compile(Sides::both(policies.nth(0).expect("a policy")), options)
}

fn codes(xml: &str) -> Vec<&'static str> {
    try_compile(xml, &Options::default()).expect_err("refused").iter().map(Diagnostic::code).collect()
}

#[test]
fn tls_protects_what_is_to_be_signed_and_the_user_is_demanded() {
    let parts =
        "<sp:SignedParts><sp:Body/></sp:SignedParts><sp:EncryptedParts><sp:Body/></sp:EncryptedParts>";
    let xml = policy("", "<sp:IncludeTimestamp/>", &format!("{USER}{parts}"));
    let plans = try_compile(&xml, &Options::default()).expect("usable").plans;
    let request = plans.recipient.inbound();
    assert_eq!(request.transport, Some(TransportRule { client_certificate: false }));
    assert_eq!(request.username.as_ref().expect("a rule").passwords, [PasswordForm::Digest]);
    assert!(!request.wants_signature() && !request.wants_encryption() && !request.open);
    assert!(request.timestamp.is_some() && request.open_parts.is_empty());
    let sent = plans.initiator.outbound();
    assert!(sent.over_tls && sent.sign.is_none() && sent.encrypt.is_none() && sent.username.is_some());
    let reply = plans.initiator.inbound();
    assert!(reply.transport.is_some() && reply.username.is_none() && plans.recipient.outbound().over_tls);
}

#[test]
fn a_certificate_of_the_client_is_demanded_in_either_spelling() {
    let nested = policy("<sp:RequireClientCertificate/>", "", "");
    let attribute = policy("", "", "")
        .replace("<sp:HttpsToken>", "<sp:HttpsToken RequireClientCertificate=\"true\">")
        .replace(SP12, "http://schemas.xmlsoap.org/ws/2005/07/securitypolicy");
    for xml in [nested, attribute] {
        let plans = try_compile(&xml, &Options::default()).expect("usable").plans;
        assert_eq!(plans.recipient.inbound().transport, Some(TransportRule { client_certificate: true }));
        // It is the client that shows one, not the server that answers.
        assert_eq!(plans.initiator.inbound().transport, Some(TransportRule { client_certificate: false }));
    }
}

#[test]
fn a_connection_that_proves_nobody_is_open_in_so_many_words() {
    let xml = policy("", "", "");
    assert_eq!(codes(&xml), ["nothing_demanded"]);
    let options = Options { open: Open::Said, ..Options::default() };
    assert!(try_compile(&xml, &options).expect("said").plans.recipient.inbound().open);
}

#[test]
fn what_is_required_must_be_there_and_what_is_not_built_is_named() {
    let header = r#"<sp:RequiredParts><sp:Header Name="h" Namespace="urn:h"/></sp:RequiredParts>"#;
    let plans =
        try_compile(&policy("", "", &format!("{USER}{header}")), &Options::default()).expect("usable").plans;
    assert!(plans.recipient.inbound().required.iter().any(|r| r.part == Part::header("urn:h", "h")));
    assert_eq!(codes(&policy("<sp:HttpBasicAuthentication/>", "", USER)), ["not_compiled"]);
    let none = policy("", "", USER).replace("<sp:HttpsToken><wsp:Policy></wsp:Policy></sp:HttpsToken>", "");
    assert_eq!(codes(&none), ["incomplete"]);
}
