//! A UsernameToken beside the signature of a certificate, as the source of a content key, and in plans of several alternatives.

use bartizan_crypto::Secret;
use bartizan_crypto::alg::{AlgSet, CipherAlg};
use bartizan_crypto::random::SystemRandom;
use bartizan_wss::env::Transport;
use bartizan_wss::plan::{
    Breach, Derive, EncryptPlan, EncryptTo, HeaderRule, InPlan, Iterations, KeyRef, KeyRule, KeyTransfer,
    Layout, OutPlan, PasswordForm, ProtectionOrder, Targets, UsernameOut, UsernameRule,
};
use bartizan_wss::{
    EncryptHow, EncryptPart, Env, Login, MemoryReplay, Need, Part, Plan, ProvedBy, Reason as R, Reject,
    Require, Side, Verified, Warning, Wire,
};

use crate::fixture::{self, benchmark, cut, draft, now, pair, read, replace, world};
use crate::username_in::{PASSWORD, builder, plans, profile, received, refused, sent, users, wse};

/// What a client with a certificate and a password sends, and how a server takes it.
struct Both {
    client: Plan,
    server: Plan,
}

impl Both {
    fn send(&self) -> String {
        self.send_as("alice", PASSWORD)
    }

    fn send_as(&self, name: &str, password: &str) -> String {
        let login = Login { name: name.into(), password: Secret::new(password.into()) };
        let env = Env::new(&world().client, now(), &SystemRandom).as_user(&login);
        fixture::text(self.client.secure(draft(), &env, None).unwrap())
    }

    fn take(&self, message: &str, transport: Transport<'_>) -> Result<Verified, Reject> {
        let (users, replay) = (users(), MemoryReplay::default());
        let env = Env::new(&world().server, now(), &SystemRandom).with_users(&users).with_replay(&replay);
        self.server.verify(read(message.as_bytes())?, &env.over(transport))
    }
}

/// The benchmark policy with a token: signed with the Body or not, encrypted or not.
fn beside(signed: bool, encrypted: bool, order: ProtectionOrder) -> Both {
    let plans = pair(benchmark("modern-rsa").order(order));
    let (mut out, mut inbound) = (plans.initiator.outbound().clone(), plans.recipient.inbound().clone());
    out.username = Some(UsernameOut::default());
    inbound.username = Some(UsernameRule::default());
    let need = |wanted| if wanted { Need::Must } else { Need::No };
    inbound.required.push(Require {
        part: Part::UsernameToken,
        signed: need(signed),
        encrypted: need(encrypted),
        how: EncryptHow::Content,
    });
    if signed {
        out.sign.as_mut().unwrap().parts.push(Part::UsernameToken);
    }
    if encrypted {
        let part = EncryptPart { part: Part::UsernameToken, how: EncryptHow::Element };
        out.encrypt.as_mut().unwrap().parts.push(part);
    }
    Both {
        client: Plan::new(Side::Initiator, plans.initiator.inbound().clone(), out).unwrap(),
        server: Plan::new(Side::Recipient, inbound, plans.recipient.outbound().clone()).unwrap(),
    }
}

#[test]
fn user_speaks_where_the_token_is_bound_to_the_message_and_else_the_signer() {
    let first = ProtectionOrder::SignBeforeEncrypt;
    for (signed, encrypted) in [(true, false), (true, true), (false, false), (false, true)] {
        let both = beside(signed, encrypted, first);
        let message = both.send();
        let verified = both.take(&message, Transport::Plain).unwrap();
        let caller = verified.caller().unwrap();
        let told = verified.context().warnings().contains(&Warning::UserNotBound);
        if signed {
            assert_eq!((caller.name(), caller.proved_by()), ("alice", ProvedBy::UsernamePassword));
            assert!(!told);
        } else {
            assert_eq!(caller.proved_by(), ProvedBy::X509Signature);
            assert!(told && caller.groups().is_empty());
        }
        // In one TLS connection nobody else put them together, unless the token was somebody else's ciphertext.
        let verified = both.take(&message, Transport::Tls { client: None }).unwrap();
        let lifted = encrypted && !signed;
        assert_eq!(verified.caller().unwrap().name() == "alice", !lifted, "{signed} {encrypted}");
        // The reply is for the certificate all the same.
        assert!(verified.request_facts().requester().is_some());
        // And a wrong password refuses whatever the signature says.
        let wrong = both.send_as("alice", "wrong");
        let reject = both.take(&wrong, Transport::Plain).unwrap_err();
        assert_eq!((reject.reason(), reject.wire()), (R::UserPassword, Wire::FailedCheck));
        assert_eq!(
            both.take(&both.send_as("nobody", "x"), Transport::Plain).unwrap_err().reason(),
            R::UserUnknown
        );
    }
}

/// Whoever signs ciphertext need not be able to read it: key and ciphertext of somebody's token can be taken out of his message, put
/// beside a signature of one's own, and signed. The signer speaks, not the user.
#[test]
fn attack_tok_03_token_whose_ciphertext_somebody_else_signed_does_not_speak() {
    let both = beside(true, true, ProtectionOrder::EncryptBeforeSign);
    let verified = both.take(&both.send(), Transport::Plain).unwrap();
    assert_eq!(verified.caller().unwrap().proved_by(), ProvedBy::X509Signature);
    assert!(verified.context().warnings().contains(&Warning::UserNotBound));
    let over_tls = both.take(&both.send(), Transport::Tls { client: None }).unwrap();
    assert_eq!(over_tls.caller().unwrap().proved_by(), ProvedBy::X509Signature);
    let part = verified.context().parts().iter().find(|p| p.path.ends_with("UsernameToken")).unwrap();
    assert!(part.signed && part.encrypted);
}

#[test]
fn token_that_is_encrypted_and_need_not_be_is_taken_where_the_rule_says_so() {
    let order = ProtectionOrder::SignBeforeEncrypt;
    let (sealed, clear) = (beside(true, true, order), beside(true, false, order));
    let message = sealed.send();
    let reject = clear.take(&message, Transport::Plain).unwrap_err();
    assert_eq!(reject.reason(), R::EncryptionUnexpected);
    let mut inbound = clear.server.inbound().clone();
    inbound.username.as_mut().unwrap().may_be_encrypted = true;
    let server = Plan::new(Side::Recipient, inbound, OutPlan::plain()).unwrap();
    let either = Both { client: clear.client.clone(), server };
    for message in [message, clear.send()] {
        let verified = either.take(&message, Transport::Plain).unwrap();
        assert_eq!(verified.caller().unwrap().name(), "alice");
    }
}

#[test]
fn attack_token_of_somebody_else_put_beside_a_signature_does_not_speak() {
    let bound = beside(true, false, ProtectionOrder::SignBeforeEncrypt);
    let loose = beside(false, false, ProtectionOrder::SignBeforeEncrypt);
    let (alice, bob) = (loose.send(), loose.send_as("bob", "another password"));
    let token = |message: &str| cut(message, "<wsse:UsernameToken", "</wsse:UsernameToken>").to_owned();
    // Where the token need not be signed the exchange is noticed by who is named: the signer, not bob.
    let mixed = replace(&alice, &token(&alice), &token(&bob));
    let verified = loose.take(&mixed, Transport::Plain).unwrap();
    assert_eq!(verified.caller().unwrap().proved_by(), ProvedBy::X509Signature);
    // Where it must be, the exchange is refused.
    let signed = bound.send();
    for other in [token(&bob), token(&bound.send())] {
        let reject = bound.take(&replace(&signed, &token(&signed), &other), Transport::Plain).unwrap_err();
        assert!(matches!(reject.reason(), R::SignatureReference | R::CoverageTokenNotSigned), "{reject}");
    }
    assert_eq!(bound.take(&alice, Transport::Plain).unwrap_err().reason(), R::CoverageTokenNotSigned);
}

/// The Body's content under a key derived from the password.
fn sealed(derive: Derive, cipher: CipherAlg) -> Both {
    let encrypt = EncryptPlan {
        parts: vec![EncryptPart { part: Part::Body, how: EncryptHow::Content }],
        cipher,
        key: KeyTransfer::UsernameToken,
        reference: KeyRef::Direct,
        to: EncryptTo::Peer,
    };
    let by_password = matches!(derive, Derive::Wse { .. });
    let out = OutPlan {
        encrypt: Some(encrypt),
        username: Some(UsernameOut { derive: Some(derive), ..UsernameOut::default() }),
        ..OutPlan::plain()
    };
    let mut algorithms = AlgSet::empty();
    for cipher in [CipherAlg::Aes128Gcm, CipherAlg::Aes128Cbc, CipherAlg::Aes256Gcm] {
        algorithms.insert(cipher);
    }
    let keys = KeyRule { wse: Some(16), profile: Some(Iterations::default()) };
    let form = if by_password { PasswordForm::Text } else { PasswordForm::Absent };
    let inbound = InPlan {
        algorithms,
        required: vec![Require {
            part: Part::Body,
            signed: Need::No,
            encrypted: Need::Must,
            how: EncryptHow::Content,
        }],
        username: Some(UsernameRule { passwords: vec![form], keys: Some(keys), ..UsernameRule::default() }),
        ..InPlan::open()
    };
    Both {
        client: Plan::new(Side::Initiator, InPlan::open(), out).unwrap(),
        server: Plan::new(Side::Recipient, inbound, OutPlan::plain()).unwrap(),
    }
}

#[test]
fn body_under_a_key_derived_from_the_password_is_opened_and_proves_nobody() {
    for cipher in [CipherAlg::Aes128Gcm, CipherAlg::Aes128Cbc] {
        for derive in [Derive::Profile { iterations: 1000 }, Derive::Wse { length: 16 }] {
            let both = sealed(derive, cipher);
            let message = both.send();
            assert!(!message.contains("greetRequest"));
            let verified = both.take(&message, Transport::Local).unwrap_or_else(|r| panic!("{r}\n{message}"));
            assert_eq!(verified.payload().unwrap().local_name(), "greetRequest");
            // Beside a WSE-style key stands the password; the key of the profile alone is no proof.
            let by_password = matches!(derive, Derive::Wse { .. });
            assert_eq!(verified.caller().map(|c| c.name()), by_password.then_some("alice"));
            let wrong = both.take(&both.send_as("alice", "wrong"), Transport::Local).unwrap_err();
            let reason = if by_password { R::UserPassword } else { R::EncryptionFailed };
            assert_eq!((wrong.reason(), wrong.wire()), (reason, Wire::FailedCheck));
            let nobody = both.take(&both.send_as("nobody", PASSWORD), Transport::Local).unwrap_err();
            assert_eq!(nobody.reason(), R::UserUnknown);
        }
    }
}

#[test]
fn key_of_another_use_or_too_short_for_the_cipher_opens_nothing() {
    let both = sealed(profile(), CipherAlg::Aes128Gcm);
    let message = both.send();
    let text = cut(&message, "<wsse11:Salt", "</wsse11:Salt>").split_once('>').unwrap().1;
    let text = text.trim_end_matches("</wsse11:Salt>");
    let mut salt = bartizan_crypto::base64::decode(text).unwrap();
    assert_eq!(salt[0], 2);
    salt[0] = 1;
    let other = replace(&message, text, &bartizan_crypto::base64::encode(&salt));
    assert_eq!(both.take(&other, Transport::Local).unwrap_err().reason(), R::UsernameSalt);
    let long = message.replace("xmlenc11#aes128-gcm", "xmlenc11#aes256-gcm");
    assert_ne!(long, message);
    assert_eq!(both.take(&long, Transport::Local).unwrap_err().reason(), R::UsernameDerivedKey);
    // A WSE-style key in the clear is for nobody else's eyes.
    let wse = sealed(wse(), CipherAlg::Aes128Gcm);
    let reject = wse.take(&wse.send(), Transport::Plain).unwrap_err();
    assert_eq!(reject.reason(), R::UsernameInClear);
}

#[test]
fn layout_strict_wants_the_token_before_its_signature() {
    let strict = |plans: &bartizan_wss::plan::PlanPair, breach| {
        let mut inbound = plans.recipient.inbound().clone();
        inbound.header = HeaderRule { layout: Layout::Strict, breach, targets: Targets::Whole };
        Plan::new(Side::Recipient, inbound, OutPlan::plain()).unwrap()
    };
    for builder in [builder().sign(wse()), builder().sign(profile())] {
        for encrypted in [false, true] {
            let builder =
                if encrypted { builder.clone().encrypt(KeyRef::ThumbprintSha1) } else { builder.clone() };
            let plans = plans(builder.period());
            let message = sent(&plans);
            received(&strict(&plans, Breach::Refuse), &message).unwrap();
            let name = if encrypted { "xenc:EncryptedData" } else { "wsse:UsernameToken" };
            let token = cut(&message, &format!("<{name}"), &format!("</{name}>"));
            let late = replace(&message, token, "");
            let late = replace(&late, "</wsse:Security>", &format!("{token}</wsse:Security>"));
            refused(&strict(&plans, Breach::Refuse), &late, R::HeaderLayout);
            received(&plans.recipient, &late).unwrap();
            let noted = received(&strict(&plans, Breach::Warn), &late).unwrap();
            assert!(noted.context().warnings().contains(&Warning::Layout));
        }
    }
}

#[test]
fn alternatives_of_several_tokens_take_each_message_by_its_clear_part() {
    let kinds = [
        builder(),
        builder().password(PasswordForm::Digest),
        builder().sign(profile()),
        builder().encrypt(KeyRef::ThumbprintSha1),
        builder().encrypt(KeyRef::ThumbprintSha1).sign(wse()),
    ]
    .map(plans);
    let x509 = pair(benchmark("modern-rsa"));
    let of = |pair: &bartizan_wss::plan::PlanPair| pair.recipient.inbound().clone();
    let mut plan = Plan::new(Side::Recipient, of(&kinds[0]), OutPlan::plain()).unwrap();
    for pair in kinds[1..].iter().chain([&x509]) {
        plan = plan.or(of(pair), OutPlan::plain()).unwrap();
    }
    for (number, kind) in kinds.iter().enumerate() {
        let verified = received(&plan, &sent(kind)).unwrap_or_else(|r| panic!("{number}: {r}"));
        assert_eq!(verified.context().alternative(), Some(number));
        assert_eq!(verified.caller().unwrap().name(), "alice");
    }
    let message = fixture::text(fixture::secure(&x509.initiator, &world().client, draft()));
    let verified = received(&plan, &message).unwrap();
    assert_eq!(verified.context().alternative(), Some(kinds.len()));
    assert!(verified.caller().unwrap().certificate().is_some());
    // What satisfies none is refused by none.
    let bare = sent(&plans(builder().elements(false, false)));
    refused(&plan, &bare, R::UsernameNonce);
}

#[test]
fn plan_that_takes_what_it_finds_checks_users_too() {
    let whatever = InPlan::whatever(AlgSet::with_legacy());
    let whatever = Plan::new(Side::Recipient, whatever, OutPlan::plain()).unwrap();
    let sealed = || builder().encrypt(KeyRef::ThumbprintSha1);
    let body = |builder: bartizan_wss::UsernameBuilder| builder.sign_parts(vec![Part::Body]);
    for (builder, speaks) in [
        // Only the token is signed: who signed it says nothing about the Body.
        (builder().sign(profile()), false),
        (sealed().sign(wse()), false),
        (body(builder().sign(profile())), true),
        (sealed(), true),
    ] {
        let verified = received(&whatever, &sent(&plans(builder.clone()))).unwrap();
        assert_eq!(verified.caller().map(|c| c.name()), speaks.then_some("alice"));
        let wrong =
            crate::username_in::sent_by(&plans(builder), "alice", "wrong", bartizan_soap::Version::Soap12);
        let reason = received(&whatever, &wrong).unwrap_err().reason();
        assert!(matches!(reason, R::UserPassword | R::SignatureValue), "{reason}");
    }
    // A token alone protects nothing.
    refused(&whatever, &sent(&plans(builder())), R::CoverageNothing);
}
