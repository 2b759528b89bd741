//! UsernameToken assertions into plans.

use bartizan_policy::compile::{Open, Sides};
use bartizan_policy::{Compiled, Diagnostic, Options, compile, read};
use bartizan_wss::part::{Need, Part};
use bartizan_wss::plan::{PasswordForm, Presence};

use crate::compile::{SP12, WSP, policy};

const SP13: &str = "http://docs.oasis-open.org/ws-sx/ws-securitypolicy/200802";
const BODY: &str =
    "<sp:SignedParts><sp:Body/></sp:SignedParts><sp:EncryptedParts><sp:Body/></sp:EncryptedParts>";

fn try_compile(xml: &str, options: &Options) -> Result<Compiled, Vec<Diagnostic>> {
    let policies = read(xml.as_bytes().to_vec(), "test.xml");
    compile(Sides::both(policies.nth(0).expect("a policy")), options)
}

fn compiled(xml: &str) -> Compiled {
    try_compile(xml, &Options::default()).unwrap_or_else(|problems| panic!("{problems:#?}"))
}

fn token(kind: &str, inside: &str) -> String {
    format!(
        r#"<sp:{kind}><wsp:Policy><sp:UsernameToken sp:IncludeToken="{SP12}/IncludeToken/AlwaysToRecipient"><wsp:Policy>{inside}</wsp:Policy></sp:UsernameToken></wsp:Policy></sp:{kind}>"#
    )
}

fn asymmetric(kind: &str, inside: &str) -> String {
    policy("Basic256Sha256", "<sp:IncludeTimestamp/>", &format!("{}{BODY}", token(kind, inside)))
}

fn bare(beside: &str, inside: &str) -> String {
    let token = token("SupportingTokens", inside);
    format!(
        r#"<wsp:Policy xmlns:wsp="{WSP}" xmlns:sp="{SP12}" xmlns:sp13="{SP13}">{token}{beside}</wsp:Policy>"#
    )
}

#[test]
fn each_kind_says_how_the_token_is_protected() {
    for (kind, signed, encrypted) in [
        ("SupportingTokens", Need::No, Need::No),
        ("SignedSupportingTokens", Need::Must, Need::No),
        ("EncryptedSupportingTokens", Need::No, Need::Must),
        ("SignedEncryptedSupportingTokens", Need::Must, Need::Must),
    ] {
        let xml = asymmetric(kind, "<sp:HashPassword/><sp:WssUsernameToken11/>");
        let options = Options { open: Open::Said, ..Options::default() };
        let plans = try_compile(&xml, &options).unwrap_or_else(|all| panic!("{kind}: {all:?}")).plans;
        let asked = plans.recipient.inbound();
        let rule = asked.username.as_ref().expect("a rule");
        assert_eq!(rule.passwords, [PasswordForm::Digest], "{kind}");
        let part = asked.required.iter().find(|one| one.part == Part::UsernameToken);
        let found = part.map_or((Need::No, Need::No), |one| (one.signed, one.encrypted));
        assert_eq!(found, (signed, encrypted), "{kind}");
        let sent = plans.initiator.outbound();
        let signs = sent.sign.as_ref().expect("signed").parts.contains(&Part::UsernameToken);
        let encrypts =
            sent.encrypt.as_ref().expect("encrypted").parts.iter().any(|one| one.part == Part::UsernameToken);
        assert_eq!((signs, encrypts), (signed == Need::Must, encrypted == Need::Must), "{kind}");
        // A reply carries none.
        assert!(
            plans.recipient.outbound().username.is_none() && plans.initiator.inbound().username.is_none()
        );
    }
}

#[test]
fn a_password_in_clear_is_encrypted_unasked_and_accepted_both_ways() {
    let found = compiled(&asymmetric("SignedSupportingTokens", "<sp:WssUsernameToken10/>"));
    let encrypt = found.plans.initiator.outbound().encrypt.clone().expect("encrypted");
    assert!(encrypt.parts.iter().any(|one| one.part == Part::UsernameToken));
    let asked = found.plans.recipient.inbound();
    let part = asked.required.iter().find(|one| one.part == Part::UsernameToken).expect("demanded");
    assert_eq!((part.signed, part.encrypted), (Need::Must, Need::No));
    assert!(asked.username.as_ref().expect("a rule").may_be_encrypted);
    assert_eq!(found.accepted, [0]);
}

#[test]
fn what_stands_in_the_token_is_demanded() {
    let rule = |inside: &str| {
        let options = Options { open: Open::Said, ..Options::default() };
        let plans = try_compile(&bare("", inside), &options).expect("compiles").plans;
        plans.recipient.inbound().username.clone().expect("a rule")
    };
    assert_eq!(rule("").passwords, [PasswordForm::Text]);
    assert_eq!(rule("<sp:NoPassword/>").passwords, [PasswordForm::Absent]);
    assert_eq!(rule("<sp:HashPassword/>").passwords, [PasswordForm::Digest]);
    assert_eq!((rule("").nonce, rule("").created), (Presence::May, Presence::May));
    assert_eq!(rule("<sp13:Nonce/>").nonce, Presence::Must);
    assert_eq!(rule("<sp13:Created/>").created, Presence::Must);
}

#[test]
fn a_policy_without_binding_leaves_the_body_and_the_reply_open_and_has_to_say_so() {
    let xml = bare("<sp:IncludeTimestamp/>", "<sp:WssUsernameToken10/>");
    let refused = try_compile(&xml, &Options::default()).expect_err("the reply proves nothing");
    assert_eq!(refused.iter().map(Diagnostic::code).collect::<Vec<_>>(), ["nothing_demanded"]);
    let options = Options { open: Open::Said, ..Options::default() };
    let found = try_compile(&xml, &options).expect("compiles");
    let asked = found.plans.recipient.inbound();
    assert!(asked.timestamp.is_some() && asked.username.is_some() && !asked.open);
    assert_eq!(asked.open_parts, [Part::Body]);
    assert!(found.plans.initiator.outbound().username.is_some());
    assert!(found.plans.initiator.inbound().open);
    assert!(!found.diagnostics.iter().any(|one| one.code() == "fragment"), "{:?}", found.diagnostics);
}

#[test]
fn a_token_without_password_proves_nothing() {
    let xml = bare("", "<sp:NoPassword/>");
    let codes: Vec<_> =
        try_compile(&xml, &Options::default()).expect_err("open").iter().map(|one| one.code()).collect();
    assert!(codes.contains(&"nothing_demanded"), "{codes:?}");
}

#[test]
fn what_is_not_built_of_tokens_is_named_with_its_place() {
    for (xml, name) in [
        (asymmetric("SignedSupportingTokens", "<sp:RequireDerivedKeys/>"), "RequireDerivedKeys"),
        (
            asymmetric("SignedSupportingTokens", "<sp:RequireExplicitDerivedKeys/>"),
            "RequireExplicitDerivedKeys",
        ),
        (
            asymmetric("SignedSupportingTokens", "").replace(
                "</sp:UsernameToken></wsp:Policy>",
                "</sp:UsernameToken><sp:SignedParts><sp:Body/></sp:SignedParts></wsp:Policy>",
            ),
            "SignedParts",
        ),
        (
            asymmetric("SignedSupportingTokens", "").replace(
                "AlwaysToRecipient\"><wsp:Policy></wsp:Policy></sp:Us",
                "Never\"><wsp:Policy></wsp:Policy></sp:Us",
            ),
            "a UsernameToken that requests do not carry",
        ),
        (
            policy(
                "Basic256",
                "",
                &format!(
                    "{}{}{BODY}",
                    token("SignedSupportingTokens", ""),
                    token("EncryptedSupportingTokens", "")
                ),
            ),
            "a second UsernameToken",
        ),
    ] {
        let found = try_compile(&xml, &Options { open: Open::Said, ..Options::default() }).expect_err(name);
        assert!(found.iter().all(|one| one.position.is_some()), "{name}");
        assert!(found.iter().any(|one| one.message().contains(name)), "{name}: {found:?}");
    }
    // A signed token that nothing signs.
    let signed = format!(
        r#"<wsp:Policy xmlns:wsp="{WSP}" xmlns:sp="{SP12}">{}</wsp:Policy>"#,
        token("SignedSupportingTokens", "")
    );
    let codes: Vec<_> = try_compile(&signed, &Options::default())
        .expect_err("nothing signs")
        .iter()
        .map(|one| one.code())
        .collect();
    assert_eq!(codes, ["fragment"]);
}
