//! Requests under the secret of a request before (EncryptedKeySHA1): who may, for how long, and to which of several requests a reply is.

use std::sync::Barrier;
use std::time::Duration;

use bartizan_crypto::alg::DigestAlg;
use bartizan_crypto::digest::digest;
use bartizan_crypto::random::SystemRandom;
use bartizan_crypto::{Secret, base64, suite};
use bartizan_keys::{Keystore, MemoryUsers, Time};
use bartizan_wss::plan::{Dialect, OutPlan, PasswordForm, ProtectionOrder, SecretSource, TimestampRule};
use bartizan_wss::plan::{UsernameOut, UsernameRule};
use bartizan_wss::{
    Env, KeepBounds, KeptSecrets, Login, MemoryReplay, Need, Part, Plan, PlanPair, ProvedBy, Reason as R,
    Reject, RequestFacts, ReusedSecret, Secured, SentSignatures, Side, SymmetricBuilder, Verified, Warning,
    Wire,
};

use crate::endorse::{Shape, endorsed};
use crate::fixture::{cut, draft, now, read, replace, world};

fn text() -> (UsernameRule, UsernameOut) {
    let rule = UsernameRule { passwords: vec![PasswordForm::Text], ..UsernameRule::default() };
    (rule, UsernameOut { password: PasswordForm::Text, ..UsernameOut::default() })
}

fn named() -> SymmetricBuilder {
    let (rule, sent) = text();
    SymmetricBuilder::new(suite::by_name("Basic256").unwrap())
        .sign(Part::Body)
        .encrypt(Part::Body)
        .username(rule, sent)
        .timestamp(TimestampRule::default())
        .confirmation()
}

fn nameless() -> SymmetricBuilder {
    crate::symmetric::builder("Basic256").timestamp(TimestampRule::default()).confirmation()
}

fn login(name: &str) -> Login {
    Login { name: name.into(), password: Secret::new(format!("{name}'s").into_bytes()) }
}

/// A recipient with its memories.
struct Recipient {
    plan: Plan,
    users: MemoryUsers,
    replay: MemoryReplay,
    kept: KeptSecrets,
}

impl Recipient {
    fn new(plans: &PlanPair, bounds: KeepBounds) -> Recipient {
        let users = ["alice", "bob", "carol"].iter();
        let users = users.fold(MemoryUsers::new(), |all, n| all.with(n, format!("{n}'s").as_bytes()));
        let (replay, kept) = (MemoryReplay::default(), KeptSecrets::new(bounds));
        Recipient { plan: plans.recipient.clone(), users, replay, kept }
    }

    fn at(&self, message: &[u8], now: Time) -> Result<Verified, Reject> {
        let env = Env::new(&world().server, now, &SystemRandom).with_users(&self.users);
        self.plan.verify(read(message)?, &env.with_replay(&self.replay).with_kept(&self.kept))
    }

    fn verify(&self, message: &[u8]) -> Result<Verified, Reject> {
        self.at(message, now())
    }

    fn refuses(&self, message: &[u8], reason: R) -> Reject {
        let reject = self.verify(message).expect_err("accepted");
        assert_eq!(reject.reason(), reason, "{reject}\n{}", String::from_utf8_lossy(message));
        assert_eq!(reject.wire(), Wire::FailedCheck);
        reject
    }

    fn reply(&self, request: &Verified) -> Vec<u8> {
        crate::symmetric::reply(&pair(&self.plan), request).message.into_bytes()
    }
}

fn pair(plan: &Plan) -> PlanPair {
    PlanPair { initiator: plan.clone(), recipient: plan.clone() }
}

/// An initiator that uses its secret again.
struct Initiator {
    plan: Plan,
    login: Login,
    reuse: ReusedSecret,
}

impl Initiator {
    fn new(plans: &PlanPair, name: &str) -> Initiator {
        let reuse = ReusedSecret::default();
        Initiator { plan: plans.initiator.clone(), login: login(name), reuse }
    }

    fn at(&self, now: Time) -> Secured {
        let env = Env::new(&world().client, now, &SystemRandom).as_user(&self.login).reusing(&self.reuse);
        self.plan.secure(draft(), &env, None).unwrap()
    }

    fn send(&self) -> Secured {
        self.at(now())
    }

    fn take(&self, reply: &[u8], sent: &SentSignatures) -> Result<Verified, Reject> {
        let env = Env::new(&world().client, now(), &SystemRandom).answering(sent).reusing(&self.reuse);
        self.plan.verify(read(reply).unwrap(), &env)
    }

    /// One exchange that is right.
    fn call(&self, recipient: &Recipient) -> (Secured, Verified) {
        let request = self.send();
        let verified = recipient.verify(request.message.bytes());
        let verified =
            verified.unwrap_or_else(|r| panic!("{r}\n{}", String::from_utf8_lossy(request.message.bytes())));
        self.take(&recipient.reply(&verified), &request.sent).unwrap();
        (request, verified)
    }
}

/// A request under the secret of another one, by somebody who has it, as anybody at all.
fn under(plans: &PlanPair, facts: &RequestFacts, name: &str) -> Vec<u8> {
    under_with(plans, facts, name, &world().client)
}

fn under_with(plans: &PlanPair, facts: &RequestFacts, name: &str, keys: &Keystore) -> Vec<u8> {
    let mut out: OutPlan = plans.initiator.outbound().clone();
    out.secret.as_mut().unwrap().source = SecretSource::Request;
    let plan = Plan::new(Side::Initiator, plans.initiator.inbound().clone(), out).unwrap();
    let login = login(name);
    let env = Env::new(keys, now(), &SystemRandom).as_user(&login);
    plan.secure(draft(), &env, Some(facts)).unwrap().message.into_bytes()
}

fn without_key(message: &[u8]) -> bool {
    let text = String::from_utf8_lossy(message);
    !text.contains("<xenc:EncryptedKey") && text.contains("#EncryptedKeySHA1")
}

#[test]
fn request_under_a_kept_secret_is_accepted_without_a_private_operation() {
    for builder in [
        named(),
        named().derived(Dialect::V13),
        named().derived(Dialect::V2005),
        named().order(ProtectionOrder::EncryptBeforeSign),
        named().encrypt(Part::Signature),
        named().protect_tokens(),
    ] {
        let plans = builder.build().unwrap();
        let (client, server) =
            (Initiator::new(&plans, "alice"), Recipient::new(&plans, KeepBounds::default()));
        let (first, verified) = client.call(&server);
        assert!(!first.sent.reuses_secret() && verified.context().private_operations() == 1);
        for n in 1..5 {
            let (request, verified) = client.call(&server);
            assert!(request.sent.reuses_secret() && without_key(request.message.bytes()));
            assert_eq!(verified.context().private_operations(), 0);
            assert_eq!(verified.caller().unwrap().name(), "alice");
            assert_eq!(server.kept.counts().used, n);
        }
        let counts = server.kept.counts();
        assert_eq!((counts.kept, counts.entries, counts.unknown), (1, 1, 0));
        assert_eq!((client.reuse.counts().fresh, client.reuse.counts().reused), (1, 4));
    }
}

#[test]
fn secrets_are_kept_only_where_a_memory_is_given() {
    let plans = named().build().unwrap();
    let (client, server) = (Initiator::new(&plans, "alice"), Recipient::new(&plans, KeepBounds::default()));
    client.call(&server);
    let request = client.send();
    let env = Env::new(&world().server, now(), &SystemRandom).with_users(&server.users);
    let verdict = server.plan.verify(read(request.message.bytes()).unwrap(), &env);
    assert_eq!(verdict.unwrap_err().reason(), R::TokenReferenceUnresolved);
    // And a sender without one sends an EncryptedKey each time.
    let env = Env::new(&world().client, now(), &SystemRandom).as_user(&client.login);
    let plain = client.plan.secure(draft(), &env, None).unwrap();
    assert!(!without_key(plain.message.bytes()) && !plain.sent.reuses_secret());
}

#[test]
fn attack_enc_22_key_that_was_bound_to_another_principal_is_refused() {
    for builder in [named(), named().derived(Dialect::V13), named().order(ProtectionOrder::EncryptBeforeSign)]
    {
        let plans = builder.build().unwrap();
        let server = Recipient::new(&plans, KeepBounds::default());
        let (_, of_alice) = Initiator::new(&plans, "alice").call(&server);
        let (_, of_bob) = Initiator::new(&plans, "bob").call(&server);
        // Both have said who they are, rightly, and each has the other's secret.
        let reject = server.refuses(&under(&plans, of_alice.request_facts(), "bob"), R::TokenKeyOfAnother);
        assert_eq!(reject.context().private_operations(), 0);
        server.refuses(&under(&plans, of_bob.request_facts(), "alice"), R::TokenKeyOfAnother);
        assert_eq!(server.kept.counts().of_another, 2);
        // Nothing changed hands by that.
        server.verify(&under(&plans, of_alice.request_facts(), "alice")).unwrap();
        server.verify(&under(&plans, of_bob.request_facts(), "bob")).unwrap();
    }
}

#[test]
fn attack_enc_22_key_that_was_bound_to_another_endorser_is_refused() {
    for builder in [nameless(), nameless().derived(Dialect::V13)] {
        let plans = endorsed(&builder.build().unwrap(), "Basic256", &[Shape::x509()]);
        let server = Recipient::new(&plans, KeepBounds::default());
        let client = Initiator::new(&plans, "nobody");
        let (_, first) = client.call(&server);
        let (request, verified) = client.call(&server);
        assert!(request.sent.reuses_secret() && verified.context().private_operations() == 0);
        assert_eq!(verified.caller().unwrap().proved_by(), ProvedBy::X509Endorsement);
        let other = crate::fixture::keys("client2", Some("server"));
        let message = under_with(&plans, first.request_facts(), "nobody", &other);
        server.refuses(&message, R::TokenKeyOfAnother);
        server.verify(&under(&plans, first.request_facts(), "nobody")).unwrap();
    }
}

#[test]
fn attack_enc_22_secret_of_a_request_that_was_refused_is_not_kept() {
    let plans = named().build().unwrap();
    let server = Recipient::new(&plans, KeepBounds::default());
    // The last check of all: the user. Everything before it was right.
    let client = Initiator::new(&plans, "alice");
    let wrong = Initiator {
        login: Login { name: "alice".into(), password: Secret::new(b"guessed".to_vec()) },
        ..Initiator::new(&plans, "alice")
    };
    server.refuses(wrong.send().message.bytes(), R::UserPassword);
    // A digest, the policy, the time.
    let message = String::from_utf8(client.send().message.into_bytes()).unwrap();
    let value = cut(&message, "<ds:DigestValue>", "</ds:DigestValue>");
    let broken = replace(&message, value, "<ds:DigestValue>AAAAAAAAAAAAAAAAAAAAAAAAAAA=</ds:DigestValue>");
    assert!(server.verify(broken.as_bytes()).is_err());
    let mut out = plans.initiator.outbound().clone();
    out.encrypt.as_mut().unwrap().parts.retain(|p| p.part != Part::Body);
    let plan = Plan::new(Side::Initiator, plans.initiator.inbound().clone(), out).unwrap();
    let bare = Initiator { plan, ..Initiator::new(&plans, "alice") };
    server.refuses(bare.send().message.bytes(), R::CoverageBodyNotEncrypted);
    let late = server.at(client.send().message.bytes(), now() + Duration::from_secs(3_600)).unwrap_err();
    assert_eq!(late.reason(), R::TimestampExpired);
    let replayed = client.send();
    server.verify(replayed.message.bytes()).unwrap();
    assert_eq!(server.kept.counts().kept, 1);
    server.refuses(replayed.message.bytes(), R::Replay);
    let counts = server.kept.counts();
    assert_eq!((counts.kept, counts.entries), (1, 1), "one request was accepted, and its secret is kept");
}

#[test]
fn attack_enc_22_request_before_its_first_was_accepted_is_refused() {
    let plans = named().build().unwrap();
    let (server, elsewhere) =
        (Recipient::new(&plans, KeepBounds::default()), Recipient::new(&plans, KeepBounds::default()));
    // Another service, with the same keys: what it keeps is no other's.
    let (_, verified) = Initiator::new(&plans, "alice").call(&elsewhere);
    let early = under(&plans, verified.request_facts(), "alice");
    let reject = server.refuses(&early, R::TokenKeyNotKept);
    assert_eq!(reject.context().private_operations(), 0);
    assert_eq!(server.kept.counts().unknown, 1);
    elsewhere.verify(&early).unwrap();
}

#[test]
fn limit_of_the_time_of_a_kept_secret_refuses_a_request_at_its_end() {
    let plans = named().build().unwrap();
    let bounds = KeepBounds { lifetime: Duration::from_secs(60), ..KeepBounds::default() };
    let server = Recipient::new(&plans, bounds);
    let client = Initiator::new(&plans, "alice");
    client.call(&server);
    let at = |seconds| now() + Duration::from_secs(seconds);
    server.at(client.at(at(59)).message.bytes(), at(59)).unwrap();
    let reject = server.at(client.at(at(60)).message.bytes(), at(60)).unwrap_err();
    assert_eq!(reject.reason(), R::TokenKeyNotKept);
    assert_eq!((server.kept.counts().ended, server.kept.counts().entries), (1, 0));
}

#[test]
fn old_message_looks_alike_whether_its_key_is_known_or_not() {
    let plans = named().build().unwrap();
    let client = Initiator::new(&plans, "alice");
    let long = KeepBounds { lifetime: Duration::from_secs(86_400), ..KeepBounds::default() };
    let (knows, does_not) = (Recipient::new(&plans, long), Recipient::new(&plans, long));
    client.call(&knows);
    let old = client.send();
    let later = now() + Duration::from_secs(3_600);
    for server in [&knows, &does_not] {
        let reject = server.at(old.message.bytes(), later).unwrap_err();
        assert_eq!((reject.reason(), reject.wire()), (R::TimestampExpired, Wire::MessageExpired));
    }
}

#[test]
fn attack_of_one_caller_does_not_push_out_the_secret_of_another() {
    let plans = named().build().unwrap();
    let bounds = KeepBounds { capacity: 4, per_caller: 3, ..KeepBounds::default() };
    let server = Recipient::new(&plans, bounds);
    let victim = Initiator::new(&plans, "alice");
    victim.call(&server);
    for _ in 0..8 {
        Initiator::new(&plans, "bob").call(&server);
    }
    // Full: whoever comes now is served, and not kept.
    let (_, late) = Initiator::new(&plans, "carol").call(&server);
    server.refuses(&under(&plans, late.request_facts(), "carol"), R::TokenKeyNotKept);
    let (request, _) = victim.call(&server);
    assert!(request.sent.reuses_secret());
    let counts = server.kept.counts();
    assert_eq!((counts.entries, counts.replaced, counts.full), (4, 5, 1));
}

#[test]
fn secret_that_names_nobody_is_kept_only_if_that_is_said() {
    let plans = nameless().build().unwrap();
    let none = Recipient::new(&plans, KeepBounds::default());
    let client = Initiator::new(&plans, "alice");
    client.call(&none);
    none.refuses(client.send().message.bytes(), R::TokenKeyNotKept);
    let some = Recipient::new(&plans, KeepBounds { nameless: 2, ..KeepBounds::default() });
    let client = Initiator::new(&plans, "alice");
    client.call(&some);
    let (_, verified) = client.call(&some);
    assert!(verified.caller().is_none() && verified.context().private_operations() == 0);
}

#[test]
fn attack_enc_22_key_of_a_caller_serves_no_request_that_proves_nobody() {
    // One plan that lets both in: with a user, and without.
    let (with, without) = (named().build().unwrap(), nameless().build().unwrap());
    let both = PlanPair {
        initiator: without.initiator.clone(),
        recipient: with
            .recipient
            .clone()
            .or(without.recipient.inbound().clone(), without.recipient.outbound().clone())
            .unwrap(),
    };
    let server = Recipient::new(&both, KeepBounds { nameless: 10, ..KeepBounds::default() });
    let (_, of_alice) = Initiator::new(&with, "alice").call(&server);
    assert_eq!(of_alice.context().alternative(), Some(0));
    server.refuses(&under(&both, of_alice.request_facts(), "nobody"), R::TokenKeyOfAnother);
    // And the other way round.
    let (_, of_nobody) = Initiator::new(&both, "nobody").call(&server);
    assert_eq!(of_nobody.context().alternative(), Some(1));
    server.refuses(&under(&with, of_nobody.request_facts(), "alice"), R::TokenKeyOfAnother);
}

/// Mallory has an account, and a message of Alice's: its token is under her secret, which is kept. He signs the ciphertext.
#[test]
fn attack_enc_22_token_under_a_kept_secret_beside_a_signature_under_another_is_refused() {
    let plans = named().order(ProtectionOrder::EncryptBeforeSign).build().unwrap();
    let server = Recipient::new(&plans, KeepBounds::default());
    let alice = Initiator::new(&plans, "alice");
    alice.call(&server);
    let captured = String::from_utf8(alice.send().message.into_bytes()).unwrap();
    let (_, of_bob) = Initiator::new(&plans, "bob").call(&server);
    let fresh = String::from_utf8(Initiator::new(&plans, "bob").send().message.into_bytes()).unwrap();
    let kept = String::from_utf8(under(&plans, of_bob.request_facts(), "bob")).unwrap();
    let info = cut(&captured, "<ds:KeyInfo", "</ds:KeyInfo>");
    assert!(info.contains("EncryptedKeySHA1"));
    for own in [fresh, kept] {
        // Each piece of ciphertext in turn under Alice's key: refused before anything is opened or signed.
        for piece in own.split("<xenc:EncryptedData").skip(1) {
            let named = cut(piece, "<ds:KeyInfo", "</ds:KeyInfo>");
            let mixed = own.replace(piece, &piece.replace(named, info));
            let reject = server.verify(mixed.as_bytes()).expect_err("accepted");
            let reasons = [R::TokenReferenceUnresolved, R::TokenKeyNotKept, R::EncryptionReference];
            assert!(reasons.contains(&reject.reason()), "{reject}\n{mixed}");
            assert_eq!(reject.context().decryptions(), 0);
        }
    }
}

#[test]
fn attack_name_of_a_message_s_own_key_is_no_kept_one() {
    let plans = named().build().unwrap();
    let server = Recipient::new(&plans, KeepBounds::default());
    let client = Initiator::new(&plans, "alice");
    let (first, verified) = client.call(&server);
    // The EncryptedKey of the first request once more, and everything by its name: two ways to say one thing.
    let text = String::from_utf8(first.message.bytes().to_vec()).unwrap();
    let key = cut(&text, "<xenc:EncryptedKey", "</xenc:EncryptedKey>");
    let again = String::from_utf8(under(&plans, verified.request_facts(), "alice")).unwrap();
    let at = again.find("<ds:Signature").unwrap();
    let both = format!("{}{key}{}", &again[..at], &again[at..]);
    assert!(server.verify(both.as_bytes()).is_err());
    assert!(server.verify(again.as_bytes()).is_ok());
    // And the name is the SHA-1 of the octets, not of their text.
    let value = cut(key, "<xenc:CipherValue>", "</xenc:CipherValue>");
    let value = value.trim_start_matches("<xenc:CipherValue>").trim_end_matches("</xenc:CipherValue>");
    let name = base64::encode(digest(DigestAlg::Sha1, &base64::decode(value).unwrap()).as_ref());
    assert!(again.contains(&name));
    let other = base64::encode(digest(DigestAlg::Sha1, value.as_bytes()).as_ref());
    server.refuses(again.replace(&name, &other).as_bytes(), R::TokenKeyNotKept);
}

#[test]
fn attack_request_under_a_kept_secret_is_accepted_once() {
    let plans = named().build().unwrap();
    let server = Recipient::new(&plans, KeepBounds::default());
    let client = Initiator::new(&plans, "alice");
    client.call(&server);
    let request = client.send();
    let (bytes, start) = (request.message.bytes(), Barrier::new(2));
    let verdicts: Vec<bool> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..2)
            .map(|_| {
                scope.spawn(|| {
                    start.wait();
                    match server.verify(bytes) {
                        Ok(_) => true,
                        Err(reject) => {
                            assert_eq!(reject.reason(), R::Replay);
                            false
                        }
                    }
                })
            })
            .collect();
        threads.into_iter().map(|t| t.join().unwrap()).collect()
    });
    assert_eq!(verdicts.iter().filter(|accepted| **accepted).count(), 1);
}

#[test]
fn two_threads_under_one_kept_secret_are_both_served() {
    let plans = named().derived(Dialect::V13).build().unwrap();
    let server = Recipient::new(&plans, KeepBounds::default());
    let client = Initiator::new(&plans, "alice");
    client.call(&server);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| (0..20).for_each(|_| assert!(client.call(&server).0.sent.reuses_secret())));
        }
    });
    assert_eq!((server.kept.counts().used, server.kept.counts().kept), (40, 1));
}

#[test]
fn attack_reply_to_another_request_under_the_same_secret_is_refused() {
    for builder in [named(), named().derived(Dialect::V13), named().encrypt(Part::Signature)] {
        let plans = builder.build().unwrap();
        let server = Recipient::new(&plans, KeepBounds::default());
        let client = Initiator::new(&plans, "alice");
        let first = client.send();
        let old = server.reply(&server.verify(first.message.bytes()).unwrap());
        client.take(&old, &first.sent).unwrap();
        let (one, two) = (client.send(), client.send());
        let [one_back, two_back] =
            [&one, &two].map(|r| server.reply(&server.verify(r.message.bytes()).unwrap()));
        for (back, sent) in [(&old, &two.sent), (&one_back, &two.sent), (&two_back, &one.sent)] {
            assert_eq!(client.take(back, sent).unwrap_err().reason(), R::ConfirmationWrong);
        }
        client.take(&two_back, &two.sent).unwrap();
        // Nor is the request before, sent back, the reply to this one.
        let verdict = client.take(one.message.bytes(), &two.sent).unwrap_err();
        assert_ne!(verdict.reason(), R::TokenNotPartner, "it is another request than the one that waits");
    }
}

#[test]
fn attack_reply_that_confirms_nothing_is_refused_under_a_secret_of_several_requests() {
    let (rule, sent) = text();
    let plans = SymmetricBuilder::new(suite::by_name("Basic256").unwrap())
        .sign(Part::Body)
        .encrypt(Part::Body)
        .username(rule, sent)
        .build()
        .unwrap();
    let server = Recipient::new(&plans, KeepBounds::default());
    let client = Initiator::new(&plans, "alice");
    let request = client.send();
    let reply = server.reply(&server.verify(request.message.bytes()).unwrap());
    let reject = client.take(&reply, &request.sent).unwrap_err();
    assert_eq!((reject.reason(), reject.wire()), (R::ConfirmationUnbound, Wire::FailedCheck));
    // A secret of this request alone says it well enough.
    let env = Env::new(&world().client, now(), &SystemRandom).as_user(&client.login);
    let alone = client.plan.secure(draft(), &env, None).unwrap();
    let reply = server.reply(&server.verify(alone.message.bytes()).unwrap());
    let env = Env::new(&world().client, now(), &SystemRandom).answering(&alone.sent);
    let verified = client.plan.verify(read(&reply).unwrap(), &env).unwrap();
    assert!(!verified.context().warnings().contains(&Warning::ReplyNotBound));
}

#[test]
fn attack_reply_sent_back_as_a_request_is_refused() {
    for (plans, name) in [(named().build().unwrap(), "alice"), (nameless().build().unwrap(), "nobody")] {
        let server = Recipient::new(&plans, KeepBounds { nameless: 4, ..KeepBounds::default() });
        let (_, verified) = Initiator::new(&plans, name).call(&server);
        let back = server.verify(&server.reply(&verified)).unwrap_err();
        assert!([R::UsernameMissing, R::ConfirmationWrong].contains(&back.reason()), "{back}");
    }
}

#[test]
fn sender_uses_a_secret_only_after_a_reply_proved_that_the_peer_has_it() {
    let plans = named().build().unwrap();
    let server = Recipient::new(&plans, KeepBounds::default());
    let client = Initiator::new(&plans, "alice");
    let (one, two) = (client.send(), client.send());
    assert!(!one.sent.reuses_secret() && !two.sent.reuses_secret());
    let answer = |request: &Secured| server.reply(&server.verify(request.message.bytes()).unwrap());
    client.take(&answer(&one), &one.sent).unwrap();
    client.take(&answer(&two), &two.sent).unwrap();
    let third = client.send();
    assert!(third.sent.reuses_secret());
    // Refused: what came back is no reply. The next request has a fresh secret; nothing is sent again by itself.
    assert!(client.take(&answer(&one_more(&client)), &third.sent).is_err());
    assert!(!client.send().sent.reuses_secret());
    assert_eq!(client.reuse.counts().forgotten, 1);
}

fn one_more(client: &Initiator) -> Secured {
    let env = Env::new(&world().client, now(), &SystemRandom).as_user(&client.login);
    client.plan.secure(draft(), &env, None).unwrap()
}

#[test]
fn limit_of_requests_and_time_of_a_reused_secret_makes_a_fresh_one() {
    let plans = named().build().unwrap();
    let server = Recipient::new(&plans, KeepBounds::default());
    let with = |reuse| Initiator { reuse, ..Initiator::new(&plans, "alice") };
    let client = with(ReusedSecret::new(Duration::from_secs(60), 3));
    let reuses: Vec<bool> = (0..7).map(|_| client.call(&server).0.sent.reuses_secret()).collect();
    assert_eq!(reuses, [false, true, true, false, true, true, false]);
    let client = with(ReusedSecret::new(Duration::from_secs(60), 100));
    client.call(&server);
    assert!(client.at(now() + Duration::from_secs(59)).sent.reuses_secret());
    assert!(!client.at(now() + Duration::from_secs(60)).sent.reuses_secret());
    for never in [ReusedSecret::new(Duration::ZERO, 100), ReusedSecret::new(Duration::from_secs(60), 1)] {
        let client = with(never);
        assert!((0..3).all(|_| !client.call(&server).0.sent.reuses_secret()));
    }
}

#[test]
fn reused_secret_is_for_one_peer_and_one_user() {
    let plans = named().build().unwrap();
    let server = Recipient::new(&plans, KeepBounds::default());
    let mut client = Initiator::new(&plans, "alice");
    client.call(&server);
    client.login = login("bob");
    assert!(!client.send().sent.reuses_secret());
    client.login = login("alice");
    client.call(&server);
    let elsewhere = crate::fixture::keys("client", Some("client"));
    let env = Env::new(&elsewhere, now(), &SystemRandom).as_user(&client.login).reusing(&client.reuse);
    assert!(!client.plan.secure(draft(), &env, None).unwrap().sent.reuses_secret());
    client.reuse.forget();
    assert!(!client.send().sent.reuses_secret());
}

#[test]
fn plan_that_signs_nothing_keeps_and_reuses_nothing() {
    let signing = crate::symmetric::builder("modern-rsa").build().unwrap();
    let mut inbound = signing.recipient.inbound().clone();
    inbound.required.iter_mut().for_each(|r| r.signed = Need::No);
    inbound.open_parts = vec![Part::Body];
    let mut out: OutPlan = signing.initiator.outbound().clone();
    out.sign = None;
    let plans = PlanPair {
        initiator: Plan::new(Side::Initiator, signing.initiator.inbound().clone(), out).unwrap(),
        recipient: Plan::new(Side::Recipient, inbound, signing.recipient.outbound().clone()).unwrap(),
    };
    let server = Recipient::new(&plans, KeepBounds { nameless: 4, ..KeepBounds::default() });
    let client = Initiator::new(&plans, "alice");
    for _ in 0..2 {
        let request = client.send();
        assert!(!request.sent.reuses_secret());
        server.verify(request.message.bytes()).unwrap();
    }
    assert_eq!(server.kept.counts().entries, 0);
}
