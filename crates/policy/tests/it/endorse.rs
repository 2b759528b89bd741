//! Endorsing supporting tokens into plans: the four kinds, of certificates and of users, under each binding.

use bartizan_policy::compile::{Open, References, Sides};
use bartizan_policy::{Compiled, Diagnostic, Options, compile, load, read};
use bartizan_wss::part::{Need, Part};
use bartizan_wss::plan::{
    Derive, Dialect, Inclusion, KeyRef, PasswordForm, Presence, Protect, SignedBy, TokenSent,
};

use crate::compile::{SP11, SP12, WSP, policy, token};
use crate::roundtrip::{exchange_of, world};

const KINDS: [(&str, bool, bool); 4] = [
    ("EndorsingSupportingTokens", false, false),
    ("SignedEndorsingSupportingTokens", true, false),
    ("EndorsingEncryptedSupportingTokens", false, true),
    ("SignedEndorsingEncryptedSupportingTokens", true, true),
];
const BODY: &str =
    "<sp:SignedParts><sp:Body/></sp:SignedParts><sp:EncryptedParts><sp:Body/></sp:EncryptedParts>";

fn x509(kind: &str, include: &str, inside: &str) -> String {
    format!(
        r#"<sp:{kind}><wsp:Policy><sp:X509Token sp:IncludeToken="{SP12}/IncludeToken/{include}"><wsp:Policy>{inside}<sp:WssX509V3Token10/></wsp:Policy></sp:X509Token></wsp:Policy></sp:{kind}>"#
    )
}

fn user(kind: &str, inside: &str) -> String {
    format!(
        r#"<sp:{kind}><wsp:Policy><sp:UsernameToken sp:IncludeToken="{SP12}/IncludeToken/AlwaysToRecipient"><wsp:Policy>{inside}<sp:WssUsernameToken11/></wsp:Policy></sp:UsernameToken></wsp:Policy></sp:{kind}>"#
    )
}

fn asymmetric(in_binding: &str, beside: &str) -> String {
    policy("Basic256", &format!("<sp:IncludeTimestamp/>{in_binding}"), &format!("{beside}{BODY}"))
}

fn symmetric(in_binding: &str, beside: &str) -> String {
    format!(
        r#"<wsp:Policy xmlns:wsp="{WSP}" xmlns:sp="{SP12}"><sp:SymmetricBinding><wsp:Policy>
{}<sp:AlgorithmSuite><wsp:Policy><sp:Basic256/></wsp:Policy></sp:AlgorithmSuite><sp:IncludeTimestamp/>{in_binding}
</wsp:Policy></sp:SymmetricBinding>{beside}{BODY}</wsp:Policy>"#,
        token("ProtectionToken", "Never", "<sp:RequireThumbprintReference/>"),
    )
}

fn transport(in_binding: &str, beside: &str) -> String {
    format!(
        r#"<wsp:Policy xmlns:wsp="{WSP}" xmlns:sp="{SP12}"><sp:TransportBinding><wsp:Policy>
<sp:TransportToken><wsp:Policy><sp:HttpsToken><wsp:Policy/></sp:HttpsToken></wsp:Policy></sp:TransportToken>
{in_binding}</wsp:Policy></sp:TransportBinding>{beside}</wsp:Policy>"#
    )
}

const TLS: &str =
    "<sp:AlgorithmSuite><wsp:Policy><sp:Basic256/></wsp:Policy></sp:AlgorithmSuite><sp:IncludeTimestamp/>";

fn try_compile(xml: &str, options: &Options) -> Result<Compiled, Vec<Diagnostic>> {
    let policies = read(xml.as_bytes().to_vec(), "test.xml");
    compile(Sides::both(policies.nth(0).expect("a policy")), options)
}

fn compiled(xml: &str) -> Compiled {
    try_compile(xml, &Options::default()).unwrap_or_else(|problems| panic!("{problems:#?}"))
}

fn round_trip(xml: &str, options: &Options) {
    let draft = bartizan_soap::Draft::new(bartizan_soap::Version::Soap12)
        .with_body(b"<e xmlns=\"urn:e\"></e>".to_vec());
    let plans = try_compile(xml, options).unwrap_or_else(|problems| panic!("{xml}\n{problems:#?}")).plans;
    exchange_of(&plans, world(), &draft)
        .unwrap_or_else(|why| panic!("{}", why.lines().next().unwrap_or_default()));
}

#[test]
fn each_kind_says_how_the_token_of_the_endorser_is_protected() {
    for (kind, signed, encrypted) in KINDS {
        let include = "AlwaysToRecipient";
        for xml in [asymmetric("", &x509(kind, include, "")), symmetric("", &x509(kind, include, ""))] {
            let plans = compiled(&xml).plans;
            let asked = plans.recipient.inbound();
            let [rule] = asked.endorse.as_slice() else { panic!("{kind}: {:?}", asked.endorse) };
            assert_eq!((rule.by, rule.signed, rule.encrypted), (SignedBy::X509, signed, encrypted), "{kind}");
            assert!(!asked.open && asked.username.is_none());
            let sent = plans.initiator.outbound();
            let [endorse] = sent.endorse.as_slice() else { panic!("{kind}") };
            assert_eq!((endorse.signed, endorse.encrypted, endorse.protect), (signed, encrypted, false));
            assert_eq!((endorse.sign.reference, endorse.sign.token), (KeyRef::Direct, TokenSent::X509));
            assert!(!endorse.sign.method.is_mac() && endorse.sign.parts.is_empty());
            // A reply is endorsed by nobody.
            assert!(
                plans.recipient.outbound().endorse.is_empty() && plans.initiator.inbound().endorse.is_empty()
            );
            round_trip(&xml, &Options::default());
        }
        // Under CBC a user's token that no signature covers is nothing to rely on.
        let options = Options { open: Open::Said, ..Options::default() };
        for xml in [asymmetric("", &user(kind, "")), symmetric("", &user(kind, ""))] {
            let plans = try_compile(&xml, &options).unwrap_or_else(|all| panic!("{kind}: {all:?}")).plans;
            let asked = plans.recipient.inbound();
            assert_eq!(
                asked.endorse.iter().map(|rule| rule.by).collect::<Vec<_>>(),
                [SignedBy::UsernameToken]
            );
            let rule = asked.username.as_ref().expect("a rule");
            assert!(rule.passwords.is_empty() && rule.keys.is_some_and(|keys| keys.wse.is_none()));
            let part = asked.required.iter().find(|one| one.part == Part::UsernameToken);
            let found =
                part.map_or((false, false), |one| (one.signed == Need::Must, one.encrypted == Need::Must));
            assert_eq!(found, (signed, encrypted), "{kind}");
            let sent = plans.initiator.outbound();
            let token = sent.username.as_ref().expect("sent");
            assert_eq!(
                (&token.password, token.derive),
                (&PasswordForm::Absent, Some(Derive::Profile { iterations: 1000 }))
            );
            assert!(sent.endorse[0].sign.method.is_mac());
            round_trip(&xml, &options);
        }
    }
}

#[test]
fn derived_keys_of_a_user_are_used_as_asked() {
    for (inside, version, dialect) in [
        ("", SP12, None),
        ("<sp:RequireDerivedKeys/>", SP12, Some(Dialect::V13)),
        ("<sp:RequireExplicitDerivedKeys/>", SP12, Some(Dialect::V13)),
        ("<sp:RequireDerivedKeys/>", SP11, Some(Dialect::V2005)),
    ] {
        let token = user(KINDS[0].0, inside);
        for xml in [asymmetric("", &token), symmetric("", &token), transport(TLS, &token)] {
            let xml = xml.replace(SP12, version);
            let plans = compiled(&xml).plans;
            let asked = plans.recipient.inbound().endorse[0].derived;
            assert_eq!(asked, if dialect.is_some() { Presence::Must } else { Presence::MustNot });
            let sent = plans.initiator.outbound().endorse[0].derived;
            assert_eq!(sent.map(|keys| (keys.dialect, keys.sign)), dialect.map(|dialect| (dialect, 24)));
            round_trip(&xml, &Options::default());
        }
    }
}

#[test]
fn an_endorser_says_who_sends_what_a_secret_of_anybodys_protects() {
    let alone = symmetric("", "");
    let codes = |xml: &str| -> Vec<&'static str> {
        try_compile(xml, &Options::default()).expect_err("open").iter().map(Diagnostic::code).collect()
    };
    assert_eq!(codes(&alone), ["nothing_demanded"]);
    for token in [x509(KINDS[0].0, "AlwaysToRecipient", ""), user(KINDS[0].0, ""), user(KINDS[1].0, "")] {
        assert!(!compiled(&symmetric("", &token)).plans.recipient.inbound().open);
        assert!(!compiled(&transport(TLS, &token)).plans.recipient.inbound().open);
    }
    // Encrypted, under CBC, and covered by nothing.
    assert_eq!(codes(&symmetric("", &user(KINDS[2].0, ""))), ["unsigned_cbc"]);
}

#[test]
fn over_tls_the_timestamp_is_endorsed() {
    for (kind, ..) in KINDS {
        for token in [x509(kind, "AlwaysToRecipient", ""), x509(kind, "Never", ""), user(kind, "")] {
            let xml = transport(TLS, &token);
            let plans = compiled(&xml).plans;
            let asked = plans.recipient.inbound();
            assert!(
                asked.endorse.iter().all(|rule| !rule.signed && !rule.encrypted) && asked.endorse.len() == 1
            );
            assert!(asked.algorithms.iter().next().is_some());
            assert_eq!(plans.initiator.outbound().endorse[0].sign.parts, [Part::Timestamp]);
            round_trip(&xml, &Options::default());
        }
    }
    let token = x509(KINDS[0].0, "Never", "");
    let suite = TLS.replace("<sp:IncludeTimestamp/>", "");
    for (in_binding, missing) in
        [(suite.as_str(), "IncludeTimestamp"), ("<sp:IncludeTimestamp/>", "AlgorithmSuite")]
    {
        let problems = try_compile(&transport(in_binding, &token), &Options::default()).expect_err(missing);
        assert!(problems.iter().any(|one| one.code() == "incomplete" && one.message().contains(missing)));
    }
}

#[test]
fn parts_of_an_endorsing_token_are_signed_over_tls() {
    let parts = r#"<sp:SignedParts><sp:Body/><sp:Header Name="To" Namespace="http://www.w3.org/2005/08/addressing"/></sp:SignedParts>"#;
    let with = |token: &str| {
        let end = token.rfind("</wsp:Policy>").expect("an end");
        format!("{}{parts}{}", &token[..end], &token[end..])
    };
    for token in [x509(KINDS[0].0, "AlwaysToRecipient", ""), user(KINDS[1].0, "")] {
        let xml = transport(TLS, &with(&token));
        let plans = compiled(&xml).plans;
        let to = Part::header("http://www.w3.org/2005/08/addressing", "To");
        assert_eq!(plans.recipient.inbound().endorse[0].parts, [Part::Body, to.clone()]);
        assert_eq!(plans.initiator.outbound().endorse[0].sign.parts, [Part::Timestamp, Part::Body, to]);
        round_trip(&xml, &Options::default());
        let problems =
            try_compile(&symmetric("", &with(&token)), &Options::default()).expect_err("not built");
        assert!(problems.iter().any(|one| one.message().contains("SignedParts of an endorsing token")));
    }
}

#[test]
fn what_the_binding_says_of_tokens_holds_for_the_endorsers() {
    let xml = symmetric("<sp:ProtectTokens/>", &x509(KINDS[0].0, "AlwaysToRecipient", ""));
    let plans = compiled(&xml).plans;
    assert_eq!(plans.recipient.inbound().endorse[0].token.protect, Protect::Token);
    assert!(plans.initiator.outbound().endorse[0].protect);
    round_trip(&xml, &Options::default());
    let xml = symmetric("<sp:ProtectTokens/>", &user(KINDS[0].0, ""));
    assert!(compiled(&xml).plans.initiator.outbound().endorse[0].protect);
    round_trip(&xml, &Options::default());
    // Hidden with the signature that it endorses.
    let hidden = symmetric("<sp:EncryptSignature/>", &x509(KINDS[0].0, "AlwaysToRecipient", ""));
    round_trip(&hidden, &Options::default());
    let said = compiled(&symmetric("", &x509(KINDS[2].0, "AlwaysToRecipient", "")));
    assert!(said.diagnostics.iter().any(|one| one.code() == "decrypts_first"), "{:?}", said.diagnostics);
    let options = Options { references: References::Strict, ..Options::default() };
    let strict = |include: &str| {
        let xml = symmetric("", &x509(KINDS[0].0, include, "<sp:RequireThumbprintReference/>"));
        round_trip(&xml, &options);
        try_compile(&xml, &options).expect("compiles").plans.recipient.inbound().endorse[0].token.clone()
    };
    let (sent, named) = (strict("AlwaysToRecipient"), strict("Never"));
    assert_eq!((sent.inclusion, named.inclusion), (Inclusion::Must, Inclusion::Any));
    assert_eq!(sent.reference, [KeyRef::ThumbprintSha1, KeyRef::Direct]);
    assert_eq!(named.reference, [KeyRef::ThumbprintSha1]);
}

#[test]
fn what_cannot_be_endorsed_is_named_with_its_place() {
    let include = "AlwaysToRecipient";
    let first = "<sp:EncryptBeforeSigning/>";
    let embedded = x509(KINDS[1].0, include, "<sp:RequireEmbeddedTokenReference/>");
    for (xml, name) in [
        (symmetric("", &x509(KINDS[0].0, include, "<sp:RequireDerivedKeys/>")), "RequireDerivedKeys"),
        (symmetric("", &x509(KINDS[0].0, include, "").repeat(2)), "a second X509Token that endorses"),
        (symmetric("", &user(KINDS[0].0, "").repeat(2)), "a second UsernameToken"),
        (symmetric("", &user(KINDS[0].0, "<sp:RequireImpliedDerivedKeys/>")), "RequireImpliedDerivedKeys"),
        (symmetric(first, &x509(KINDS[2].0, include, "")), "an encrypted endorsing token"),
        (symmetric(first, &user(KINDS[3].0, "")), "an encrypted endorsing token"),
        (symmetric("", &embedded), "an embedded endorsing token"),
        (
            asymmetric("", &x509(KINDS[0].0, include, ""))
                .replace(BODY, "")
                .replace("<sp:IncludeTimestamp/>", ""),
            "an endorsing token where nothing has to be signed",
        ),
        (
            symmetric("", &x509(KINDS[0].0, include, "").replace("X509Token", "KerberosToken")),
            "KerberosToken",
        ),
    ] {
        let found = try_compile(&xml, &Options { open: Open::Said, ..Options::default() }).expect_err(name);
        assert!(found.iter().all(|one| one.position.is_some()), "{name}: {found:?}");
        let said = found.iter().any(|one| one.code() == "not_compiled" && one.message().contains(name));
        assert!(said, "{name}: {found:?}");
    }
    // Without a binding there is no signature that could be endorsed.
    let bare =
        format!(r#"<wsp:Policy xmlns:wsp="{WSP}" xmlns:sp="{SP12}">{}</wsp:Policy>"#, user(KINDS[0].0, ""));
    let codes: Vec<_> =
        try_compile(&bare, &Options::default()).expect_err("nothing").iter().map(|one| one.code()).collect();
    assert_eq!(codes, ["fragment"]);
}

#[test]
fn endorsing_tokens_in_words() {
    let text = |xml: &str| {
        let loaded = load(xml.as_bytes().to_vec(), "test.xml");
        loaded.only().expect("one").explain(&Options::default()).expect("compiles").text()
    };
    let said = text(&asymmetric("<sp:ProtectTokens/>", &x509(KINDS[3].0, "AlwaysToRecipient", "")));
    for sentence in [
        "the signature is endorsed: signed with the key of a trusted certificate that is not the signer's",
        "the endorser's certificate is signed with the message, where it is in the message",
        "the endorser's certificate is encrypted, where it is in the message",
        "the endorsing signature covers its own token, where it is in the message",
        "an endorsing signature over that signature (rsa-sha1, digest sha1)",
        "the endorser's certificate, signed, encrypted",
    ] {
        let sentence = sentence.replace(", signed, encrypted", ", signed and encrypted");
        assert!(said.contains(&sentence), "{sentence}\n{said}");
    }
    let said = text(&transport(TLS, &user(KINDS[0].0, "")));
    for sentence in [
        "the Timestamp is endorsed: signed with a key derived from the password of the UsernameToken's user",
        "an endorsing signature over the Timestamp (hmac-sha1, digest sha1)",
    ] {
        assert!(said.contains(sentence), "{sentence}\n{said}");
    }
}
