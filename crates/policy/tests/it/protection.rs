//! What protects the messages of a symmetric binding: a UsernameToken, or tokens for signature and encryption each.

use bartizan_policy::compile::{Open, Sides, check};
use bartizan_policy::{Diagnostic, Options, compile, load, read};
use bartizan_wss::part::{Need, Part};
use bartizan_wss::plan::{
    Derive, DeriveKeys, Dialect, Iterations, PasswordForm, PlanPair, Presence, SecretFrom, SecretSource,
    SignedBy, UsernameOut,
};

use crate::compile::{SP12, WSP};

const SIGNED: &str = "<sp:SignedParts><sp:Body/></sp:SignedParts>";
const BOTH: &str =
    "<sp:SignedParts><sp:Body/></sp:SignedParts><sp:EncryptedParts><sp:Body/></sp:EncryptedParts>";

fn holder(name: &str, token: &str) -> String {
    format!("<sp:{name}><wsp:Policy>{token}</wsp:Policy></sp:{name}>\n")
}

fn token(kind: &str, include: &str, inside: &str) -> String {
    format!(
        r#"<sp:{kind} sp:IncludeToken="{SP12}/IncludeToken/{include}"><wsp:Policy>{inside}</wsp:Policy></sp:{kind}>"#
    )
}

fn user(inside: &str) -> String {
    token("UsernameToken", "AlwaysToRecipient", inside)
}

fn x509(inside: &str) -> String {
    token("X509Token", "Never", &format!("{inside}<sp:RequireThumbprintReference/>"))
}

fn symmetric(holders: &str, suite: &str, beside: &str) -> String {
    format!(
        r#"<wsp:Policy xmlns:wsp="{WSP}" xmlns:sp="{SP12}"><sp:SymmetricBinding><wsp:Policy>
{holders}<sp:AlgorithmSuite><wsp:Policy><sp:{suite}/></wsp:Policy></sp:AlgorithmSuite><sp:IncludeTimestamp/>
</wsp:Policy></sp:SymmetricBinding>{beside}</wsp:Policy>"#
    )
}

fn by_user(inside: &str, suite: &str, beside: &str) -> String {
    symmetric(&holder("ProtectionToken", &user(inside)), suite, beside)
}

fn compiled(xml: &str, options: &Options) -> Result<PlanPair, Vec<Diagnostic>> {
    let policies = read(xml.as_bytes().to_vec(), "test.xml");
    compile(Sides::both(policies.nth(0).expect("a policy")), options).map(|c| c.plans)
}

fn plans(xml: &str) -> PlanPair {
    compiled(xml, &Options::default()).unwrap_or_else(|problems| panic!("{problems:#?}\n{xml}"))
}

fn problems(xml: &str) -> Vec<Diagnostic> {
    compiled(xml, &Options::default()).expect_err(xml)
}

#[test]
fn a_protecting_username_token_is_a_secret_that_proves_the_user() {
    let pair = plans(&by_user("<sp:WssUsernameToken11/>", "Basic128", SIGNED));
    let (asked, sent) = (pair.recipient.inbound(), pair.initiator.outbound());
    assert!(!asked.open, "the user is who is proved");
    let secret = asked.secret.expect("a secret");
    assert_eq!((secret.from, secret.derived), (SecretFrom::User, Presence::MustNot));
    assert_eq!(asked.signed_by, SignedBy::Secret);
    let rule = asked.username.as_ref().expect("a rule");
    assert!(rule.authenticates() && rule.passwords.is_empty() && !rule.may_be_encrypted);
    let keys = rule.keys.expect("keys");
    assert_eq!((keys.wse, keys.profile), (None, Some(Iterations { least: 1_000, most: 10_000 })));
    let out = sent.username.as_ref().expect("a token");
    let derive = Some(Derive::Profile { iterations: 1_000 });
    let plain = UsernameOut { password: PasswordForm::Absent, nonce: false, created: false, derive };
    assert_eq!(*out, plain);
    assert!(matches!(sent.secret.as_ref().expect("a secret").source, SecretSource::User));
    assert!(sent.encrypt.is_none());
    // The reply is made with the same one and carries no token.
    let (answered, answer) = (pair.initiator.inbound(), pair.recipient.outbound());
    assert_eq!(answered.secret.expect("a secret").from, SecretFrom::Request);
    assert!(answered.username.is_none() && answer.username.is_none());
    assert!(matches!(answer.secret.as_ref().expect("a secret").source, SecretSource::Request));
    assert!(answered.required.iter().any(|r| r.part == Part::Body && r.signed == Need::Must));
}

#[test]
fn keys_of_a_user_are_derived_where_that_is_said() {
    for said in ["<sp:RequireDerivedKeys/>", "<sp:RequireExplicitDerivedKeys/>"] {
        let pair = plans(&by_user(said, "Basic256", BOTH));
        assert_eq!(pair.recipient.inbound().secret.map(|s| s.derived), Some(Presence::Must));
        for plan in [&pair.initiator, &pair.recipient] {
            let derived = plan.outbound().secret.as_ref().and_then(|s| s.derived);
            assert_eq!(derived, Some(DeriveKeys { dialect: Dialect::V13, sign: 24, encrypt: 32 }));
        }
    }
    // Without: 160 bits are a key of 128, and none of 256.
    plans(&by_user("", "Basic128", BOTH));
    plans(&by_user("", "Basic256", SIGNED));
    let found = problems(&by_user("", "Basic256", BOTH));
    assert_eq!(found.iter().map(Diagnostic::code).collect::<Vec<_>>(), ["refused_name"]);
    assert!(found[0].message().contains("RequireDerivedKeys") && found[0].position.is_some());
}

#[test]
fn what_a_protecting_username_token_asks_for_is_demanded_and_sent() {
    let sp13 = "http://docs.oasis-open.org/ws-sx/ws-securitypolicy/200802";
    let asked = format!(r#"<n:Nonce xmlns:n="{sp13}"/><n:Created xmlns:n="{sp13}"/><sp:NoPassword/>"#);
    let pair = plans(&by_user(&asked, "Basic128", SIGNED));
    let rule = pair.recipient.inbound().username.as_ref().expect("a rule");
    assert_eq!((rule.nonce, rule.created), (Presence::Must, Presence::Must));
    let out = pair.initiator.outbound().username.as_ref().expect("a token");
    assert!(out.nonce && out.created);
    let protects = by_user("", "Basic128", SIGNED)
        .replace("<sp:IncludeTimestamp/>", "<sp:IncludeTimestamp/><sp:ProtectTokens/>");
    let signed = plans(&protects).initiator.outbound().sign.clone().expect("signed");
    assert!(signed.parts.contains(&Part::Token));
}

#[test]
fn what_a_protecting_username_token_cannot_do_is_named_with_its_place() {
    let hashed = by_user("<sp:HashPassword/>", "Basic128", SIGNED);
    let never =
        symmetric(&holder("ProtectionToken", &token("UsernameToken", "Never", "")), "Basic128", SIGNED);
    for (xml, word) in [(hashed, "HashPassword"), (never, "UsernameToken")] {
        let found = problems(&xml);
        assert!(found.iter().any(|d| d.code() == "refused_name" && d.message().contains(word)), "{found:?}");
        assert!(found.iter().all(|d| d.position.is_some_and(|at| at.line == 2)), "{found:?}");
    }
    let beside = format!(
        "{SIGNED}<sp:SignedSupportingTokens><wsp:Policy>{}</wsp:Policy></sp:SignedSupportingTokens>",
        user("")
    );
    let found = problems(&by_user("", "Basic128", &beside));
    assert_eq!(found.iter().map(Diagnostic::code).collect::<Vec<_>>(), ["not_compiled"]);
    assert!(found[0].message().contains("second UsernameToken"));
    // What nobody signs proves nobody.
    let bare = "<sp:EncryptedParts><sp:Body/></sp:EncryptedParts>";
    let xml = by_user("<sp:RequireDerivedKeys/>", "Basic128", bare).replace("<sp:IncludeTimestamp/>", "");
    assert!(problems(&xml).iter().any(|d| d.code() == "nothing_demanded"));
    let open = compiled(&xml, &Options { open: Open::Said, ..Options::default() }).expect("open");
    assert!(
        open.recipient.inbound().open
            && !open.recipient.inbound().username.as_ref().expect("a rule").authenticates()
    );
}

#[test]
fn tokens_for_signature_and_encryption_are_one_secret_if_they_are_one_token() {
    let open = Options { open: Open::Said, ..Options::default() };
    let two = |one: &str, other: &str| {
        symmetric(&(holder("SignatureToken", one) + &holder("EncryptionToken", other)), "Basic128", BOTH)
    };
    let derived = "<sp:RequireDerivedKeys/>";
    for one in [x509(""), x509(derived), user(derived), user("")] {
        let both = compiled(&two(&one, &one), &open).unwrap_or_else(|p| panic!("{p:?}"));
        let alone = symmetric(&holder("ProtectionToken", &one), "Basic128", BOTH);
        let alone = compiled(&alone, &open).unwrap_or_else(|p| panic!("{p:?}"));
        for (a, b) in [(&both.initiator, &alone.initiator), (&both.recipient, &alone.recipient)] {
            assert_eq!(format!("{a:?}"), format!("{b:?}"));
        }
    }
    for (one, other) in [(x509(""), x509(derived)), (user(""), x509("")), (x509(derived), user(derived))] {
        let found = compiled(&two(&one, &other), &open).expect_err("two secrets");
        let told = found.iter().find(|d| d.code() == "refused_name").unwrap_or_else(|| panic!("{found:?}"));
        assert!(told.message().contains("`EncryptionToken` is refused"), "{told}");
        assert_eq!(told.position.expect("a place").line, 3);
    }
    let both = holder("ProtectionToken", &x509("")) + &holder("EncryptionToken", &x509(""));
    let found = compiled(&symmetric(&both, "Basic128", BOTH), &open).expect_err("said twice");
    assert_eq!(found.iter().map(Diagnostic::code).collect::<Vec<_>>(), ["contradiction"]);
}

#[test]
fn one_token_alone_protects_what_it_is_for() {
    let signs = symmetric(&holder("SignatureToken", &user("")), "Basic128", SIGNED);
    let pair = plans(&signs);
    assert!(pair.initiator.outbound().sign.is_some() && pair.initiator.outbound().encrypt.is_none());
    let found = problems(&symmetric(&holder("SignatureToken", &user("")), "Basic128", BOTH));
    assert!(
        found.iter().any(|d| d.code() == "incomplete" && d.message().contains("encryption token")),
        "{found:?}"
    );
    let found = problems(&symmetric(&holder("EncryptionToken", &user("")), "Basic128", BOTH));
    assert!(
        found.iter().any(|d| d.code() == "incomplete" && d.message().contains("signature token")),
        "{found:?}"
    );
    // `check` says it at its place as well.
    let policies = read(signs.replace("SignatureToken", "EncryptionToken").into_bytes(), "test.xml");
    let told = check(Sides::both(policies.nth(0).expect("a policy")), &Options::default());
    assert!(told.iter().any(|d| d.code() == "incomplete" && d.position.is_some()), "{told:?}");
}

#[test]
fn what_a_protecting_username_token_means_is_said_in_words() {
    let xml = by_user("<sp:RequireDerivedKeys/>", "Basic128", BOTH)
        .replace("<sp:IncludeTimestamp/>", "<sp:IncludeTimestamp/><sp:ProtectTokens/>");
    let loaded = load(xml.into_bytes(), "test.xml");
    let text = loaded.only().expect("one").explain(&Options::default()).expect("compiles").text();
    for said in [
        "a UsernameToken with Salt and 1000 to 10000 iterations, and no password",
        "keys derived from the user's password by the UsernameToken; whoever sees a message can try passwords on it",
        "what the secret stands in is signed too, where it is in the message",
        "a secret derived from the password, as the UsernameToken says",
        "(aes128-cbc, under the shared secret)",
        "keys derived from the secret of the request, which only its recipient has",
    ] {
        assert!(text.contains(said), "{said} in\n{text}");
    }
    assert!(!text.contains("the content key"), "{text}");
}
