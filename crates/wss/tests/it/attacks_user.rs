//! Attacks on users whose key signs: their tokens moved, doubled and exchanged (XSW-05), accounts that are disabled (SIG-19).

use bartizan_crypto::suite;
use bartizan_soap::Version;
use bartizan_wss::plan::{Dialect, Iterations, TimestampRule, UsernameOut, UsernameRule};
use bartizan_wss::{Part, PlanPair, Reason as R, SymmetricBuilder, Wire};

use crate::fixture::{cut, replace};
use crate::username_in::{PASSWORD, builder, plans, profile, received, refused, sent, sent_by};

/// Messages of which a key from the user's password signs something, and the token stands in the clear.
fn signing() -> Vec<(&'static str, PlanPair)> {
    let whole = vec![Part::UsernameToken, Part::Body];
    let suite = suite::by_name("Basic128").unwrap();
    let (rule, out) = (UsernameRule::deriving(Iterations::default()), UsernameOut::deriving(1000));
    let symmetric = SymmetricBuilder::new(suite).sign(Part::Body).timestamp(TimestampRule::default());
    let symmetric = symmetric.by_user(rule, out);
    let derived = symmetric.clone().derived(Dialect::V13).encrypt(Part::Body);
    vec![
        ("token and Body", plans(builder().sign(profile()).sign_parts(whole))),
        ("Body", plans(builder().sign(profile()).sign_parts(vec![Part::Body]))),
        ("token", plans(builder().sign(profile()))),
        ("symmetric", symmetric.build().unwrap()),
        ("symmetric, derived", derived.clone().build().unwrap()),
        ("symmetric, signed", derived.protect_tokens().build().unwrap()),
    ]
}

fn token(message: &str) -> &str {
    cut(message, "<wsse:UsernameToken", "</wsse:UsernameToken>")
}

fn id(message: &str) -> String {
    cut(token(message), "wsu:Id=\"", "\"").to_owned()
}

/// The message with the token at each place where it could hide.
fn hidden(message: &str, token: &str) -> Vec<String> {
    let wrapped = format!("<h:h xmlns:h=\"urn:h\">{token}</h:h>");
    let object = format!("<ds:Object>{token}</ds:Object></ds:Signature>");
    let start = cut(message, "<soap:Body", ">").to_owned();
    let mut all = vec![
        replace(message, "</soap:Header>", &format!("{token}</soap:Header>")),
        replace(message, "</soap:Header>", &format!("{wrapped}</soap:Header>")),
        replace(message, "</wsse:Security>", &format!("{wrapped}</wsse:Security>")),
        replace(message, "</ds:Signature>", &object),
        replace(message, "</soap:Body>", &format!("{token}</soap:Body>")),
        replace(message, &start, &format!("{start}{token}")),
        replace(message, "</soap:Envelope>", &format!("{token}</soap:Envelope>")),
    ];
    if message.contains("</wsse:Username>") {
        all.push(replace(message, "</wsse:Username>", &format!("</wsse:Username>{token}")));
    }
    all
}

#[test]
fn attack_xsw_05_token_of_a_signature_is_moved_doubled_or_exchanged() {
    for (name, plans) in signing() {
        let message = sent(&plans);
        let bobs = sent_by(&plans, "bob", "another password", Version::Soap12);
        received(&plans.recipient, &bobs).unwrap_or_else(|r| panic!("{name}: {r}"));
        let (alices, bobs) = (token(&message).to_owned(), token(&bobs).to_owned());
        let twin = bobs.replace(&id(&bobs), &id(&message));
        let mut forged = Vec::new();
        for in_place in ["", &bobs, &twin] {
            let rest = replace(&message, &alices, in_place);
            forged.extend(hidden(&rest, &alices));
            forged.push(rest);
        }
        for beside in [&bobs, &twin, &alices] {
            forged.push(replace(&message, &alices, &format!("{alices}{beside}")));
            forged.push(replace(&message, &alices, &format!("{beside}{alices}")));
            forged.extend(hidden(&message, beside).into_iter().filter(|_| **beside != bobs));
        }
        assert_eq!(forged.len(), 26 + 6 + 16, "{name}");
        for text in forged {
            match received(&plans.recipient, &text) {
                Ok(verified) => panic!("{name}: accepted of {:?}\n{text}", verified.caller()),
                Err(reject) => {
                    assert!(matches!(reject.wire(), Wire::FailedCheck | Wire::Sender), "{name}: {reject}")
                }
            }
        }
    }
}

#[test]
fn attack_sig_19_account_that_is_disabled_or_over_signs_nothing() {
    for (name, plans) in signing() {
        for (who, reason) in
            [("carol", R::UserDisabled), ("dave", R::UserExpired), ("nobody", R::UserUnknown)]
        {
            let message = sent_by(&plans, who, PASSWORD, Version::Soap12);
            let reject = refused(&plans.recipient, &message, reason);
            assert!(reject.context().caller().is_none(), "{name}");
        }
    }
}
