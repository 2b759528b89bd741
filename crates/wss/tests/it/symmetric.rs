//! The symmetric binding both ways: a secret in an EncryptedKey signs and encrypts, with and without derived keys; who is proved by it.

use bartizan_crypto::random::SystemRandom;
use bartizan_crypto::{Secret, suite};
use bartizan_keys::MemoryUsers;
use bartizan_soap::Draft;
use bartizan_wss::plan::{
    Dialect, HeaderRule, Layout, OutPlan, PasswordForm, ProtectionOrder, Targets, TimestampRule, UsernameOut,
    UsernameRule,
};
use bartizan_wss::{
    Env, Error, Keep, Login, MemoryReplay, Part, Plan, PlanPair, Protection, ProvedBy, Reason as R, Reject,
    Secured, Side, SymmetricBuilder, Verified, Warning,
};

use crate::fixture::{self, PAYLOAD, draft, now, read, secure, verify, verify_reply, world};

pub(crate) fn builder(suite: &str) -> SymmetricBuilder {
    SymmetricBuilder::new(suite::by_name(suite).unwrap()).sign(Part::Body).encrypt(Part::Body).anonymous()
}

/// The request, and what the server makes of it.
pub(crate) fn exchange(plans: &PlanPair) -> (Secured, Verified) {
    let request = secure(&plans.initiator, &world().client, draft());
    let verified = verify(&plans.recipient, &world().server, request.message.bytes());
    let verified =
        verified.unwrap_or_else(|r| panic!("{r}\n{}", String::from_utf8_lossy(request.message.bytes())));
    (request, verified)
}

pub(crate) fn reply(plans: &PlanPair, request: &Verified) -> Secured {
    let env = Env::new(&world().server, now(), &SystemRandom);
    let body = Draft::new(request.version()).with_body(b"<r:answer xmlns:r=\"urn:r\">42</r:answer>".to_vec());
    plans.recipient.secure(body, &env, Some(request.request_facts())).unwrap()
}

fn every_shape(suite: &str) -> Vec<(String, SymmetricBuilder)> {
    let lax = HeaderRule { layout: Layout::Lax, targets: Targets::Whole, ..HeaderRule::default() };
    let plain = builder(suite);
    let shapes = [
        ("plain", plain.clone()),
        ("timestamp", plain.clone().timestamp(TimestampRule::default())),
        ("confirmation", plain.clone().timestamp(TimestampRule::default()).confirmation()),
        ("encrypted signature", plain.clone().encrypt(Part::Signature).confirmation()),
        ("encrypt first", plain.clone().order(ProtectionOrder::EncryptBeforeSign)),
        ("protect tokens", plain.clone().protect_tokens()),
        ("lax", plain.header(lax)),
        ("signed only", SymmetricBuilder::new(suite::by_name(suite).unwrap()).sign(Part::Body).anonymous()),
    ];
    let derived = |name: &str, b: &SymmetricBuilder, dialect| {
        (format!("{suite}, {name}, {dialect:?}"), b.clone().derived(dialect))
    };
    shapes
        .iter()
        .flat_map(|(name, b)| {
            [
                (format!("{suite}, {name}"), b.clone()),
                derived(name, b, Dialect::V13),
                derived(name, b, Dialect::V2005),
            ]
        })
        .collect()
}

#[test]
fn request_and_reply_of_every_shape_are_accepted_by_the_other_side() {
    for suite in ["Basic256", "Basic128Rsa15", "TripleDes", "Basic256Sha256", "modern-rsa"] {
        for (name, builder) in every_shape(suite) {
            let plans = builder.build().unwrap_or_else(|e| panic!("{name}: {e}"));
            let (request, verified) = exchange(&plans);
            assert_eq!(verified.payload().unwrap().local_name(), "greetRequest", "{name}");
            assert_eq!(verified.body_protection(), Some(Protection::Signature(0)), "{name}");
            assert!(verified.caller().is_none(), "{name}: a secret of anybody's names nobody");
            assert_eq!(verified.context().private_operations(), 1, "{name}");
            let answer = reply(&plans, &verified);
            let bytes = answer.message.bytes();
            let shown = verify_reply(&plans.initiator, &world().client, bytes, &request.sent);
            let shown = shown.unwrap_or_else(|r| panic!("{name}: {r}\n{}", String::from_utf8_lossy(bytes)));
            assert_eq!(shown.payload().unwrap().local_name(), "answer", "{name}");
            assert_eq!(shown.context().private_operations(), 0, "{name}: the secret is known");
            let text = String::from_utf8_lossy(bytes).into_owned();
            assert!(
                !text.contains("<xenc:EncryptedKey") && text.contains("#EncryptedKeySHA1"),
                "{name}\n{text}"
            );
        }
    }
}

#[test]
fn derived_keys_have_the_lengths_of_the_suite_and_nonces_of_their_own() {
    let plans = builder("Basic256").derived(Dialect::V13).build().unwrap();
    let text = fixture::text(secure(&plans.initiator, &world().client, draft()));
    let all = |mark: &str| -> Vec<String> {
        text.split(mark).skip(1).map(|t| t.split('<').next().unwrap().to_owned()).collect()
    };
    assert_eq!(all("<wsc:Length>"), ["24", "32"]);
    assert_eq!(all("<wsc:Offset>"), ["0", "0"]);
    let nonces = all("<wsc:Nonce>");
    assert!(nonces.len() == 2 && nonces[0] != nonces[1]);
    assert!(text.contains("http://docs.oasis-open.org/ws-sx/ws-secureconversation/200512/dk\""));
    let old = builder("Basic256").derived(Dialect::V2005).build().unwrap();
    let text = fixture::text(secure(&old.initiator, &world().client, draft()));
    assert!(text.contains("http://schemas.xmlsoap.org/ws/2005/02/sc/dk\""), "{text}");
}

#[test]
fn plan_that_authenticates_nobody_says_so_or_is_none() {
    let closed = SymmetricBuilder::new(suite::by_name("Basic256").unwrap()).sign(Part::Body);
    assert!(matches!(closed.build(), Err(Error::PlanNotOpen)));
    let plans = builder("Basic256").build().unwrap();
    // The reply is proved by the secret: who could not open the request has it not. No word is needed for that side.
    assert!(!plans.initiator.inbound().open && plans.recipient.inbound().open);
}

const PASSWORD: &str = "very<Secret>&canary";

fn with_user(plans: &PlanPair, password: &str) -> Secured {
    let login = Login { name: "alice".into(), password: Secret::new(password.as_bytes().to_vec()) };
    plans
        .initiator
        .secure(draft(), &Env::new(&world().client, now(), &SystemRandom).as_user(&login), None)
        .unwrap()
}

fn received(plan: &Plan, message: &[u8]) -> Result<Verified, Reject> {
    let (users, replay) = (MemoryUsers::new().with("alice", PASSWORD.as_bytes()), MemoryReplay::default());
    let env = Env::new(&world().server, now(), &SystemRandom).with_users(&users).with_replay(&replay);
    plan.verify(read(message)?, &env)
}

#[test]
fn user_whose_token_is_encrypted_and_signed_with_the_secret_speaks() {
    for derived in [None, Some(Dialect::V13)] {
        for form in [PasswordForm::Text, PasswordForm::Digest] {
            let rule = UsernameRule { passwords: vec![form.clone()], ..UsernameRule::default() };
            let sent = UsernameOut { password: form, ..UsernameOut::default() };
            let suite = suite::by_name("Basic256").unwrap();
            let builder = SymmetricBuilder::new(suite)
                .sign(Part::Body)
                .encrypt(Part::Body)
                .username(rule, sent)
                .timestamp(TimestampRule::default());
            let builder = derived.iter().fold(builder, |b, d| b.derived(*d));
            let plans = builder.build().unwrap();
            let request = with_user(&plans, PASSWORD);
            let bytes = request.message.bytes();
            assert!(!String::from_utf8_lossy(bytes).contains("alice"));
            let verified = received(&plans.recipient, bytes).unwrap();
            assert_eq!(verified.caller().unwrap().name(), "alice");
            assert!(matches!(
                verified.caller().unwrap().proved_by(),
                ProvedBy::UsernamePassword | ProvedBy::UsernameDigest
            ));
            assert!(verified.context().warnings().is_empty(), "{:?}", verified.context().warnings());
            let wrong = with_user(&plans, "wrong");
            assert_eq!(
                received(&plans.recipient, wrong.message.bytes()).unwrap_err().reason(),
                R::UserPassword
            );
            let answer = reply(&plans, &verified);
            verify_reply(&plans.initiator, &world().client, answer.message.bytes(), &request.sent).unwrap();
        }
    }
}

#[test]
fn user_in_the_clear_under_the_secret_speaks_with_a_warning() {
    let rule = UsernameRule { passwords: vec![PasswordForm::Digest], ..UsernameRule::default() };
    let sent = UsernameOut { password: PasswordForm::Digest, ..UsernameOut::default() };
    let suite = suite::by_name("Basic256").unwrap();
    let plans = SymmetricBuilder::new(suite).sign(Part::Body).encrypt(Part::Body).username(rule, sent);
    let plans = plans.build().unwrap();
    let mut out: OutPlan = plans.initiator.outbound().clone();
    out.encrypt.as_mut().unwrap().parts.retain(|p| p.part != Part::UsernameToken);
    let mut inbound = plans.recipient.inbound().clone();
    for require in inbound.required.iter_mut().filter(|r| r.part == Part::UsernameToken) {
        require.encrypted = bartizan_wss::Need::No;
    }
    let plans = PlanPair {
        initiator: Plan::new(Side::Initiator, plans.initiator.inbound().clone(), out).unwrap(),
        recipient: Plan::new(Side::Recipient, inbound, plans.recipient.outbound().clone()).unwrap(),
    };
    let verified = received(&plans.recipient, with_user(&plans, PASSWORD).message.bytes()).unwrap();
    assert_eq!(verified.caller().unwrap().name(), "alice");
    assert!(verified.context().warnings().contains(&Warning::UserInClear));
}

#[test]
fn what_is_shown_is_what_was_sent() {
    let plans =
        builder("Basic256").derived(Dialect::V13).timestamp(TimestampRule::default()).build().unwrap();
    let (_, verified) = exchange(&plans);
    let view = String::from_utf8(verified.view(Keep::Covered).bytes).unwrap();
    assert!(view.contains(PAYLOAD), "{view}");
}

#[test]
fn reply_to_no_request_with_a_secret_cannot_be_made() {
    let plans = builder("Basic256").build().unwrap();
    let env = Env::new(&world().server, now(), &SystemRandom);
    assert!(matches!(plans.recipient.secure(draft(), &env, None), Err(Error::NoSecret)));
}
