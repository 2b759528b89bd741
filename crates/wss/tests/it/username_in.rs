//! Messages with a UsernameToken as they are received: the scenarios, who speaks, and what each setting decides.

use bartizan_crypto::alg::DigestAlg;
use bartizan_crypto::random::SystemRandom;
use bartizan_crypto::{Secret, base64, digest};
use bartizan_keys::{MemoryUsers, Time};
use bartizan_soap::{Draft, Version};
use bartizan_wss::env::Transport;
use bartizan_wss::plan::{
    Derive, InPlan, KeyRef, OutPlan, PasswordForm, Presence, TimestampRule, UsernameRule,
};
use bartizan_wss::{
    Env, Hint, Login, MemoryReplay, Need, Plan, PlanPair, ProvedBy, Reason as R, Reject, Side,
    UsernameBuilder, Verified, Warning, Wire,
};
use std::time::Duration;

use crate::fixture::{PAYLOAD, cut, now, read, replace, world};

pub(crate) const PASSWORD: &str = "very<Secret>&canary";

pub(crate) fn users() -> MemoryUsers {
    MemoryUsers::new()
        .with("alice", PASSWORD.as_bytes())
        .with_groups(["staff", "night"])
        .with("bob", b"another password")
        .with("carol", PASSWORD.as_bytes())
        .disabled()
        .with("dave", PASSWORD.as_bytes())
        .expiring(now())
}

pub(crate) fn wse() -> Derive {
    Derive::Wse { length: 16 }
}

pub(crate) fn profile() -> Derive {
    Derive::Profile { iterations: 1000 }
}

/// What alice sends.
pub(crate) fn sent(plans: &PlanPair) -> String {
    sent_by(plans, "alice", PASSWORD, Version::Soap12)
}

pub(crate) fn sent_by(plans: &PlanPair, name: &str, password: &str, version: Version) -> String {
    let login = Login { name: name.into(), password: Secret::new(password.as_bytes().to_vec()) };
    let env = Env::new(&world().client, now(), &SystemRandom).as_user(&login);
    let draft = Draft::new(version).with_body(PAYLOAD.into());
    String::from_utf8(plans.initiator.secure(draft, &env, None).unwrap().message.into_bytes()).unwrap()
}

/// What the server makes of it, on this machine, with a fresh memory.
pub(crate) fn received(plan: &Plan, message: &str) -> Result<Verified, Reject> {
    let (users, replay) = (users(), MemoryReplay::default());
    let env = Env::new(&world().server, now(), &SystemRandom).with_users(&users).with_replay(&replay);
    plan.verify(read(message.as_bytes())?, &env.over(Transport::Local))
}

/// Refused for that reason, with the one wire fault.
pub(crate) fn refused(plan: &Plan, message: &str, reason: R) -> Reject {
    match received(plan, message) {
        Ok(verified) => panic!("accepted: {verified:?}\n{message}"),
        Err(reject) => {
            assert_eq!(reject.reason(), reason, "{reject}\n{message}");
            assert_eq!(reject.wire(), Wire::FailedCheck);
            reject
        }
    }
}

pub(crate) fn builder() -> UsernameBuilder {
    UsernameBuilder::new()
}

pub(crate) fn plans(builder: UsernameBuilder) -> PlanPair {
    builder.build().unwrap()
}

/// The plan with another rule for the token.
pub(crate) fn with_rule(plans: &PlanPair, change: impl FnOnce(&mut UsernameRule)) -> Plan {
    let mut inbound = plans.recipient.inbound().clone();
    change(inbound.username.as_mut().unwrap());
    with(inbound)
}

pub(crate) fn with(inbound: InPlan) -> Plan {
    Plan::new(Side::Recipient, inbound, OutPlan::plain()).unwrap()
}

#[test]
fn each_scenario_is_accepted_and_names_its_user() {
    use ProvedBy::{UsernameDigest, UsernamePassword, UsernameSignature};
    let key = KeyRef::IssuerSerial;
    let cases = [
        ("unt1", builder(), UsernamePassword),
        ("unt1 digest", builder().password(PasswordForm::Digest), UsernameDigest),
        ("unt2a", builder().sign(wse()), UsernameSignature),
        ("unt2a digest", builder().password(PasswordForm::Digest).sign(wse()), UsernameSignature),
        ("unt2a no password", builder().password(PasswordForm::Absent).sign(wse()), UsernameSignature),
        ("unt2b", builder().sign(profile()), UsernameSignature),
        ("unt3", builder().encrypt(key), UsernamePassword),
        ("unt3 digest", builder().password(PasswordForm::Digest).encrypt(key), UsernameDigest),
        ("unt4a", builder().encrypt(key).sign(wse()), UsernameSignature),
        ("unt4b", builder().encrypt(key).sign(profile()), UsernameSignature),
    ];
    for (name, builder, proved) in cases {
        for builder in [builder.clone(), builder.period()] {
            for version in [Version::Soap11, Version::Soap12] {
                let plans = plans(builder.clone());
                let message = sent_by(&plans, "alice", PASSWORD, version);
                let verified =
                    received(&plans.recipient, &message).unwrap_or_else(|r| panic!("{name}: {r}\n{message}"));
                let caller = verified.caller().unwrap();
                assert_eq!((caller.name(), caller.proved_by()), ("alice", proved), "{name}");
                assert_eq!(caller.groups(), ["staff", "night"]);
                assert!(caller.certificate().is_none());
                assert_eq!(verified.payload().unwrap().local_name(), "greetRequest");
                assert!(!format!("{:?}{verified:?}", verified.context()).contains("canary"), "{name}");
            }
        }
    }
}

#[test]
fn token_that_is_not_shaped_as_its_profile_says_is_refused() {
    let plans = plans(builder());
    let (plan, message) = (&plans.recipient, sent(&plans));
    let token = cut(&message, "<wsse:UsernameToken", "</wsse:UsernameToken>");
    let nonce = cut(&message, "<wsse:Nonce", "</wsse:Nonce>");
    let name = "<wsse:Username>alice</wsse:Username>";
    let created = cut(token, "<wsu:Created>", "</wsu:Created>");
    let password = cut(token, "<wsse:Password", "</wsse:Password>");
    let edited = |from: &str, to: &str| replace(&message, token, &replace(token, from, to));
    let no_base = nonce.replace("EncodingType=", "wsu:Id=\"n\" Encoding=");
    let cases: Vec<(String, R)> = vec![
        (edited(name, ""), R::UsernameMalformed),
        (edited(name, "<wsse:Username></wsse:Username>"), R::UsernameMalformed),
        (edited(name, &[name, name].concat()), R::UsernameMalformed),
        (edited(name, "<wsse:Username>al<!-- -->ice</wsse:Username>"), R::UsernameMalformed),
        (edited(name, "<wsse:Username>al<![CDATA[ice]]></wsse:Username>"), R::UsernameMalformed),
        (edited(name, "<wsse:Username><b>alice</b></wsse:Username>"), R::UsernameMalformed),
        (edited(name, "<wsse:Username role=\"a\">alice</wsse:Username>"), R::UsernameMalformed),
        (edited(name, &[name, "<wsse:Embedded/>"].concat()), R::UsernameMalformed),
        (edited(name, &[name, "text"].concat()), R::UsernameMalformed),
        (edited("<wsse:UsernameToken ", "<wsse:UsernameToken a=\"b\" "), R::UsernameMalformed),
        (edited(password, &[password, password].concat()), R::UsernameMalformed),
        (edited(nonce, &[nonce, nonce].concat()), R::UsernameMalformed),
        (edited(nonce, &no_base), R::UsernameMalformed),
        (edited(created, &[created, created].concat()), R::UsernameMalformed),
        (edited(created, "<wsu:Created>2026-11-30T12:00:00+00:00</wsu:Created>"), R::UsernameCreated),
        (edited(created, "<wsu:Created> 2026-11-30T12:00:00Z</wsu:Created>"), R::UsernameCreated),
        (edited(created, "<wsu:Created>2026-11-30T24:00:00Z</wsu:Created>"), R::UsernameCreated),
        (edited(created, ""), R::UsernameCreated),
        (edited(nonce, ""), R::UsernameNonce),
    ];
    for (message, reason) in cases {
        refused(plan, &message, reason);
    }
    received(plan, &message).unwrap();
}

#[test]
fn second_token_and_token_that_nobody_asks_for_are_refused() {
    let plans = plans(builder());
    let message = sent(&plans);
    let token = cut(&message, "<wsse:UsernameToken", "</wsse:UsernameToken>");
    let other = replace(token, "alice", "bob").replace("wsu:Id=\"", "wsu:Id=\"x");
    for both in [[token, &other].concat(), [&other, token].concat()] {
        refused(&plans.recipient, &replace(&message, token, &both), R::UsernameUnexpected);
    }
    refused(&plans.recipient, &replace(&message, token, ""), R::UsernameMissing);
    let mut optional = plans.recipient.inbound().clone();
    optional.username.as_mut().unwrap().need = Need::IfPresent;
    optional.open = true;
    assert!(received(&with(optional), &replace(&message, token, "")).unwrap().caller().is_none());
    let mut nobody = plans.recipient.inbound().clone();
    nobody.username = None;
    nobody.open = true;
    refused(&with(nobody), &message, R::UsernameUnexpected);
}

#[test]
fn limit_octets_of_username_password_and_nonce_hold_at_it_and_are_refused_one_beyond() {
    let plans = plans(builder());
    let message = sent(&plans);
    let name = |n: usize| replace(&message, ">alice<", &format!(">{}<", "a".repeat(n)));
    refused(&plans.recipient, &name(1024), R::UserUnknown);
    assert_eq!(received(&plans.recipient, &name(1025)).unwrap_err().reason(), R::MessageLimit);
    let written = cut(&message, "#PasswordText\">", "<");
    let password = |n: usize| replace(&message, written, &format!("#PasswordText\">{}<", "p".repeat(n)));
    refused(&plans.recipient, &password(4096), R::UserPassword);
    assert_eq!(received(&plans.recipient, &password(4097)).unwrap_err().reason(), R::MessageLimit);
    let written = cut(&message, "#Base64Binary\">", "<");
    let nonce = |n: usize| {
        let text = bartizan_crypto::base64::encode(&vec![7; n]);
        replace(&message, written, &format!("#Base64Binary\">{text}<"))
    };
    for sound in [8, 64] {
        received(&plans.recipient, &nonce(sound)).unwrap();
    }
    for odd in [0, 1, 7, 65] {
        refused(&plans.recipient, &nonce(odd), R::UsernameNonce);
    }
    assert_eq!(received(&plans.recipient, &nonce(1 << 20)).unwrap_err().reason(), R::MessageLimit);
}

#[test]
fn complaint_43_lenient_rule_reads_what_the_profile_says_of_absent_types() {
    let plans = plans(builder());
    let message = sent(&plans);
    let lenient = with_rule(&plans, |rule| rule.lenient = true);
    let encoding = cut(&message, " EncodingType=\"", "\"");
    let form = cut(&message, " Type=\"", "\"");
    for (absent, reason) in [(encoding, R::UsernameNonce), (form, R::UsernamePasswordType)] {
        let message = replace(&message, absent, "");
        refused(&plans.recipient, &message, reason);
        received(&lenient, &message).unwrap();
    }
    let other = replace(&message, encoding, " EncodingType=\"urn:hex\"");
    refused(&lenient, &other, R::UsernameNonce);
}

#[test]
fn created_with_an_offset_of_zero_is_read_by_a_lenient_rule_and_refused_with_what_was_found_by_another() {
    let plans = plans(builder().password(PasswordForm::Digest).timestamp(None));
    let lenient = with_rule(&plans, |rule| rule.lenient = true);
    let login = Login { name: "alice".into(), password: Secret::new(PASSWORD.as_bytes().to_vec()) };
    let message = sent_by(&plans, &login.name, PASSWORD, Version::Soap12);
    let created = cut(&message, "<wsu:Created>", "</wsu:Created>");
    let digest = cut(&message, "#PasswordDigest\">", "</wsse:Password>");
    let nonce = cut(&message, "#Base64Binary\">", "</wsse:Nonce>");
    let text = |e: &str| e.split('>').nth(1).unwrap().split('<').next().unwrap().to_owned();
    for (offset, reason) in
        [("+00:00", None), ("+01:00", Some(R::UsernameCreated)), ("", Some(R::UsernameCreated))]
    {
        // The digest is over the text as it stands.
        let time = text(created).replace('Z', offset);
        let mut input = base64::decode(&text(nonce)).unwrap();
        input.extend_from_slice(time.as_bytes());
        input.extend_from_slice(PASSWORD.as_bytes());
        let value = base64::encode(digest::digest(DigestAlg::Sha1, &input).as_ref());
        let edited = replace(&replace(&message, &text(created), &time), &text(digest), &value);
        let reject = refused(&plans.recipient, &edited, R::UsernameCreated);
        assert!(reject.detail().contains(&format!("Found `{time}`")), "{}", reject.detail());
        assert_eq!(reject.detail().contains("a lenient policy reads it"), offset == "+00:00");
        match reason {
            None => assert_eq!(received(&lenient, &edited).unwrap().caller().unwrap().name(), "alice"),
            Some(reason) => drop(refused(&lenient, &edited, reason)),
        }
    }
}

#[test]
fn complaint_42_nonce_and_created_are_switches_of_their_own() {
    let plain = plans(builder());
    let message = sent(&plain);
    let change = |change: &dyn Fn(&mut UsernameRule)| with_rule(&plain, change);
    refused(&change(&|rule| rule.nonce = Presence::MustNot), &message, R::UsernameNonce);
    refused(&change(&|rule| rule.created = Presence::MustNot), &message, R::UsernameCreated);
    refused(&change(&|rule| rule.passwords = vec![PasswordForm::Digest]), &message, R::UsernamePasswordType);
    let bare = sent(&plans(builder().elements(false, false)));
    refused(&plain.recipient, &bare, R::UsernameNonce);
    refused(&change(&|rule| rule.nonce = Presence::May), &bare, R::UsernameCreated);
    let may = change(&|rule| (rule.nonce, rule.created) = (Presence::May, Presence::May));
    let verified = received(&may, &bare).unwrap();
    assert!(verified.context().warnings().contains(&Warning::TokenUnguarded));
    assert!(!received(&may, &message).unwrap().context().warnings().contains(&Warning::TokenUnguarded));
    // A digest needs both whatever the rule says.
    let digest = plans(builder().password(PasswordForm::Digest));
    let loose = with_rule(&digest, |rule| (rule.nonce, rule.created) = (Presence::May, Presence::May));
    let message = sent(&digest);
    received(&loose, &message).unwrap();
    let nonce = cut(&message, "<wsse:Nonce", "</wsse:Nonce>");
    refused(&loose, &replace(&message, nonce, ""), R::UsernameNonce);
}

/// The server's clock at another time than the sender's, in milliseconds.
fn received_at(plan: &Plan, message: &str, millis: i64) -> Result<Verified, Reject> {
    let (users, time) = (users(), Time::from_millis(now().millis() + millis));
    let env = Env::new(&world().server, time, &SystemRandom).with_users(&users);
    plan.verify(read(message.as_bytes())?, &env.over(Transport::Local))
}

#[test]
fn complaint_32_age_of_the_token_is_measured_with_skew_at_both_ends() {
    let plans = plans(builder().timestamp(None));
    let message = sent(&plans);
    let rule = |ttl: u64, future: u64| {
        with_rule(&plans, |rule| {
            rule.ttl = Duration::from_secs(ttl);
            rule.future = Duration::from_secs(future);
        })
    };
    for (plan, millis, late, skew) in [
        (rule(300, 60), 359_999, 360_000, 60_000),
        (rule(10, 0), 9_999, 10_000, 0),
        (rule(10, 5), 14_999, 15_000, 5_000),
    ] {
        received_at(&plan, &message, millis).unwrap();
        let reject = received_at(&plan, &message, late).unwrap_err();
        assert_eq!(reject.reason(), R::UsernameExpired);
        assert!(matches!(reject.hint(), Hint::Skew { millis } if *millis == skew), "{reject}");
    }
    received_at(&rule(300, 60), &message, -60_000).unwrap();
    let early = received_at(&rule(300, 60), &message, -60_001).unwrap_err();
    assert_eq!(early.reason(), R::UsernameFuture);
    assert!(matches!(early.hint(), Hint::Skew { millis: -60_001 }), "{early}");
    received_at(&rule(300, 90), &message, -60_001).unwrap();
    assert_eq!(early.wire(), Wire::FailedCheck);
}

#[test]
fn each_setting_of_the_timestamp_decides() {
    let rule = TimestampRule::default();
    let long = TimestampRule { ttl: Duration::from_secs(3600), ..rule };
    let sender = plans(builder().timestamp(Some(rule)));
    let message = sent(&sender);
    let plan = |rule: TimestampRule| {
        let mut inbound = sender.recipient.inbound().clone();
        inbound.timestamp = Some(rule);
        inbound.username.as_mut().unwrap().ttl = Duration::from_secs(86_400);
        inbound.username.as_mut().unwrap().future = Duration::from_secs(86_400);
        with(inbound)
    };
    let reason =
        |rule, message: &str, millis| received_at(&plan(rule), message, millis).map_err(|r| r.reason()).err();
    // Expires is five minutes after Created, the rule's own limit an hour.
    assert_eq!(reason(long, &message, 360_000), Some(R::TimestampExpired));
    assert_eq!(reason(TimestampRule { strict: false, ..long }, &message, 360_000), None);
    assert_eq!(
        reason(TimestampRule { strict: false, ..long }, &message, 3_660_000),
        Some(R::TimestampExpired)
    );
    // The future apart from the skew, and the other way round.
    assert_eq!(reason(rule, &message, -60_000), None);
    let future = |seconds| TimestampRule { future: Some(Duration::from_secs(seconds)), ..rule };
    assert_eq!(reason(future(5), &message, -5_000), None);
    assert_eq!(reason(future(5), &message, -5_001), Some(R::TimestampFuture));
    assert_eq!(reason(future(120), &message, -120_000), None);
    assert_eq!(reason(future(120), &message, 359_999), None);
    // Expires that must be there.
    let must = TimestampRule { require_expires: true, ..rule };
    assert_eq!(reason(must, &message, 0), None);
    let without = replace(&message, cut(&message, "<wsu:Expires>", "</wsu:Expires>"), "");
    assert_eq!(reason(rule, &without, 0), None);
    assert_eq!(reason(must, &without, 0), Some(R::TimestampMalformed));
    // Skew and ttl.
    assert_eq!(
        reason(TimestampRule { skew: Duration::ZERO, ..rule }, &message, 300_000),
        Some(R::TimestampExpired)
    );
    assert_eq!(reason(rule, &message, 300_000), None);
    let short = TimestampRule { ttl: Duration::from_secs(60), ..rule };
    assert_eq!(reason(short, &message, 120_000), Some(R::TimestampExpired));
}
