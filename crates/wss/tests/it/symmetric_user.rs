//! The symmetric binding under a user's password: request and reply in every shape, and who is proved; then what would hurt.

use bartizan_crypto::random::SystemRandom;
use bartizan_crypto::{Secret, suite};
use bartizan_keys::{MemoryUsers, Time};
use bartizan_wss::plan::{
    Contradiction, Derive, Dialect, HeaderRule, Iterations, KeyRule, KeyTransfer, Layout, OutPlan,
    PasswordForm, PlanPair, Presence, ProtectionOrder, SecretFrom, SignedBy, Targets, TimestampRule,
    UsernameOut, UsernameRule,
};
use bartizan_wss::{
    DerivedKeys, Env, Error, Hint, Login, MemoryReplay, NotPartner, Part, Plan, Protection, ProvedBy,
    Reason as R, Reject, Secured, SentSignatures, Side, SymmetricBuilder, Transport, UsernameBuilder,
    Verified, Wire,
};

use crate::fixture::{self, PAYLOAD, cut, draft, now, read, replace, verify_reply, world};
use crate::forge::WSSE;
use crate::symmetric::reply;
use crate::username_in::{PASSWORD, users};

fn protecting() -> (UsernameRule, UsernameOut) {
    (UsernameRule::deriving(Iterations::default()), UsernameOut::deriving(1000))
}

fn builder(suite: &str) -> SymmetricBuilder {
    let (rule, out) = protecting();
    let builder = SymmetricBuilder::new(suite::by_name(suite).unwrap()).sign(Part::Body);
    builder.timestamp(TimestampRule::default()).by_user(rule, out)
}

fn sealed() -> SymmetricBuilder {
    builder("Basic128").encrypt(Part::Body).derived(Dialect::V13)
}

fn login(name: &str, password: &str) -> Login {
    Login { name: name.into(), password: Secret::new(password.as_bytes().to_vec()) }
}

fn sent_by(plans: &PlanPair, name: &str, password: &str) -> Secured {
    let login = login(name, password);
    let env = Env::new(&world().client, now(), &SystemRandom).as_user(&login);
    plans.initiator.secure(draft(), &env, None).unwrap()
}

fn sent(plans: &PlanPair) -> String {
    fixture::text(sent_by(plans, "alice", PASSWORD))
}

fn received(plans: &PlanPair, message: &str) -> Result<Verified, Reject> {
    let (users, replay) = (users(), MemoryReplay::default());
    let env = Env::new(&world().server, now(), &SystemRandom).with_users(&users).with_replay(&replay);
    plans.recipient.verify(read(message.as_bytes())?, &env)
}

fn refused(plans: &PlanPair, message: &str, reasons: &[R]) -> Reject {
    match received(plans, message) {
        Ok(verified) => panic!("accepted: {verified:?}\n{message}"),
        Err(reject) => {
            assert!(reasons.contains(&reject.reason()), "{reject}, expected {reasons:?}\n{message}");
            assert_eq!(reject.wire(), Wire::FailedCheck);
            reject
        }
    }
}

fn every_shape() -> Vec<(&'static str, SymmetricBuilder)> {
    let lax = HeaderRule { layout: Layout::Lax, targets: Targets::Whole, ..HeaderRule::default() };
    let both = builder("Basic128").encrypt(Part::Body);
    let derived = both.clone().derived(Dialect::V13);
    vec![
        ("signed only", builder("Basic128")),
        ("signed only, derived", builder("Basic256Sha256").derived(Dialect::V13)),
        ("the key itself", both.clone()),
        ("derived", derived.clone()),
        ("derived 2005", both.clone().derived(Dialect::V2005)),
        ("256 bits", builder("Basic256").encrypt(Part::Body).derived(Dialect::V13)),
        ("GCM", builder("modern-rsa").encrypt(Part::Body).derived(Dialect::V13)),
        ("confirmation", derived.clone().confirmation()),
        ("encrypted signature", derived.clone().encrypt(Part::Signature).confirmation()),
        ("the key itself, encrypted signature", both.encrypt(Part::Signature)),
        ("encrypt first", derived.clone().order(ProtectionOrder::EncryptBeforeSign)),
        ("protect tokens", derived.clone().protect_tokens()),
        ("lax", derived.header(lax)),
    ]
}

#[test]
fn user_is_proved_by_every_shape_and_the_reply_is_made_with_his_key() {
    for (name, builder) in every_shape() {
        let plans = builder.build().unwrap_or_else(|e| panic!("{name}: {e}"));
        let request = sent_by(&plans, "alice", PASSWORD);
        let text = String::from_utf8(request.message.bytes().to_vec()).unwrap();
        assert!(!text.contains(PASSWORD) && !text.contains("Password"), "{name}: {text}");
        let verified = received(&plans, &text).unwrap_or_else(|r| panic!("{name}: {r}\n{text}"));
        let caller = verified.caller().unwrap();
        assert_eq!((caller.name(), caller.proved_by()), ("alice", ProvedBy::UsernameSignature), "{name}");
        assert_eq!(verified.body_protection(), Some(Protection::Signature(0)), "{name}");
        assert!(verified.context().warnings().is_empty(), "{name}: {:?}", verified.context().warnings());
        assert_eq!(verified.context().private_operations(), 0, "{name}");
        let answer = reply(&plans, &verified);
        let bytes = answer.message.bytes();
        let shown = verify_reply(&plans.initiator, &world().client, bytes, &request.sent);
        let shown = shown.unwrap_or_else(|r| panic!("{name}: {r}\n{}", String::from_utf8_lossy(bytes)));
        assert_eq!(shown.payload().unwrap().local_name(), "answer", "{name}");
        let text = String::from_utf8_lossy(bytes).into_owned();
        assert!(!text.contains("<wsse:UsernameToken") && !text.contains("EncryptedKey"), "{name}\n{text}");
    }
}

#[test]
fn key_of_a_reply_is_named_with_and_without_the_mark_of_a_fragment() {
    for plans in [builder("Basic128").build().unwrap(), sealed().build().unwrap()] {
        let request = sent_by(&plans, "alice", PASSWORD);
        let text = String::from_utf8(request.message.bytes().to_vec()).unwrap();
        let answer = fixture::text(reply(&plans, &received(&plans, &text).unwrap()));
        let id = cut(&text, "<wsse:UsernameToken", ">");
        let id = cut(id, "wsu:Id=\"", "\"").trim_start_matches("wsu:Id=\"").trim_end_matches('"');
        let verdict =
            |text: &str| verify_reply(&plans.initiator, &world().client, text.as_bytes(), &request.sent);
        verdict(&answer).unwrap();
        assert!(answer.contains(&format!("URI=\"{id}\"")), "{answer}");
        verdict(&answer.replace(&format!("URI=\"{id}\""), &format!("URI=\"#{id}\""))).unwrap();
        for other in ["other", "", "urn:x", "http://localhost/token", "##", "#"] {
            let reject = verdict(&answer.replace(&format!("URI=\"{id}\""), &format!("URI=\"{other}\"")));
            let reasons = [R::TokenReferenceUnresolved, R::TokenReferenceMalformed];
            assert!(reasons.contains(&reject.unwrap_err().reason()), "{other}");
        }
    }
}

#[test]
fn key_is_kept_once_its_signature_verified_and_not_before() {
    let plans = sealed().build().unwrap();
    let (users, keys) = (users(), DerivedKeys::default());
    let env = Env::new(&world().server, now(), &SystemRandom).with_users(&users).with_derived(&keys);
    let verdict = |text: &str| plans.recipient.verify(read(text.as_bytes()).unwrap(), &env);
    let wrong = fixture::text(sent_by(&plans, "alice", "wrong"));
    assert_eq!(verdict(&wrong).unwrap_err().reason(), R::SignatureValue);
    assert_eq!(keys.counts().entries, 0);
    let message = sent(&plans);
    verdict(&message).unwrap();
    assert_eq!((keys.counts().entries, keys.counts().hits), (1, 0));
    verdict(&message).unwrap();
    assert_eq!((keys.counts().entries, keys.counts().hits), (1, 1));
}

#[test]
fn attack_message_under_the_password_of_another_user_is_refused() {
    for plans in [builder("Basic128").build().unwrap(), sealed().build().unwrap()] {
        for (name, password) in [("alice", "another password"), ("bob", PASSWORD), ("alice", "")] {
            let reject =
                refused(&plans, &fixture::text(sent_by(&plans, name, password)), &[R::SignatureValue]);
            assert_eq!(
                reject.context().decryptions(),
                0,
                "nothing is opened under a key that verified nothing"
            );
        }
    }
}

#[test]
fn attack_token_that_is_exchanged_after_signing_is_refused() {
    for plans in [builder("Basic128").build().unwrap(), sealed().build().unwrap()] {
        let message = sent(&plans);
        let other = fixture::text(sent_by(&plans, "bob", "another password"));
        let token = |text: &str| cut(text, "<wsse:UsernameToken", "</wsse:UsernameToken>").to_owned();
        let id = |text: &str| cut(&token(text), "wsu:Id=\"", "\"").to_owned();
        let bobs = token(&other).replace(&id(&other), &id(&message));
        refused(&plans, &replace(&message, &token(&message), &bobs), &[R::SignatureValue]);
        refused(&plans, &replace(&message, ">alice<", ">bob<"), &[R::SignatureValue]);
        // A second token beside the first, and one elsewhere that the references mean.
        let both = replace(&message, &token(&message), &format!("{}{}", token(&other), token(&message)));
        refused(&plans, &both, &[R::UsernameUnexpected, R::HeaderDuplicateChild]);
        let moved = replace(&message, &token(&message), &token(&other));
        let block =
            format!("<h:h xmlns:h=\"urn:h\" xmlns:wsse=\"{WSSE}\">{}</h:h></soap:Header>", token(&message));
        let moved = replace(&moved, "</soap:Header>", &block);
        refused(&plans, &moved, &[R::TokenReferenceUnresolved]);
        let gone = [R::UsernameMissing, R::TokenReferenceUnresolved];
        refused(&plans, &replace(&message, &token(&message), ""), &gone);
    }
}

#[test]
fn name_that_is_signed_tells_two_users_of_one_password_apart() {
    // UsernameToken Profile 1.1 §4: the name does not go into the key.
    let twins = MemoryUsers::new().with("alice", b"one password").with("eve", b"one password");
    let env = Env::new(&world().server, now(), &SystemRandom).with_users(&twins);
    for (plans, told) in [(sealed(), false), (sealed().protect_tokens(), true)] {
        let plans = plans.build().unwrap();
        let message = fixture::text(sent_by(&plans, "alice", "one password"));
        let renamed = replace(&message, ">alice<", ">eve<");
        let verdict = plans.recipient.verify(read(renamed.as_bytes()).unwrap(), &env);
        match verdict {
            Ok(verified) => assert!(!told && verified.caller().unwrap().name() == "eve"),
            Err(reject) => assert!(told && reject.reason() == R::SignatureDigest, "{reject}"),
        }
    }
}

#[test]
fn attack_salt_and_iteration_out_of_bounds_are_refused_before_anybody_is_asked() {
    let plans = sealed().build().unwrap();
    let message = sent(&plans);
    let salt = cut(&message, "<wsse11:Salt", "</wsse11:Salt>").to_owned();
    let iteration = ">1000</wsse11:Iteration>";
    let with = |text: &str| salt.replace(cut(&salt, ">", "<"), &format!(">{text}<"));
    for wrong in ["0", "1", "999", "10001", "2147483648", "4294967296", "-1", "+1000", "1e3", ""] {
        let text = replace(&message, iteration, &format!(">{wrong}</wsse11:Iteration>"));
        let reject = refused(&plans, &text, &[R::UsernameIteration]);
        assert!(reject.context().tokens().is_empty(), "{wrong}: nobody was asked");
    }
    for wrong in ["", "AQ==", "!", "AZqZNeO+JoYmuFvMcuN1", "AZqZNeO+JoYmuFvMcuN1WAAAAAAA"] {
        refused(&plans, &replace(&message, &salt, &with(wrong)), &[R::UsernameSalt]);
    }
    // The use of the key is said by the first octet: one for encryption signs nothing.
    let use_two = with("ApqZNeO+JoYmuFvMcuN1WA==");
    refused(&plans, &replace(&message, &salt, &use_two), &[R::UsernameSalt]);
    let other = with("AZqZNeO+JoYmuFvMcuN1WA==");
    refused(&plans, &replace(&message, &salt, &other), &[R::SignatureValue]);
    let more = replace(&message, iteration, ">1001</wsse11:Iteration>");
    refused(&plans, &more, &[R::SignatureValue]);
    refused(&plans, &replace(&message, &salt, ""), &[R::UsernameMalformed]);
}

#[test]
fn attack_unknown_user_gets_the_same_fault_and_no_derivation() {
    for plans in [builder("Basic128").build().unwrap(), sealed().encrypt(Part::Signature).build().unwrap()] {
        let mut faults = Vec::new();
        for (name, reason) in [
            (
                "alice",
                if plans.recipient.inbound().wants_encrypted_signature() {
                    R::EncryptionFailed
                } else {
                    R::SignatureValue
                },
            ),
            ("nobody", R::UserUnknown),
            ("carol", R::UserDisabled),
            ("dave", R::UserExpired),
        ] {
            let keys = DerivedKeys::default();
            let users = users();
            let env = Env::new(&world().server, now(), &SystemRandom).with_users(&users).with_derived(&keys);
            let text = fixture::text(sent_by(&plans, name, "wrong"));
            let reject = plans.recipient.verify(read(text.as_bytes()).unwrap(), &env).unwrap_err();
            assert_eq!(reject.reason(), reason, "{name}");
            assert_eq!(keys.counts().entries, 0);
            assert_eq!(
                keys.counts().misses,
                u64::from(name == "alice"),
                "{name}: no key is looked for or derived"
            );
            faults.push((reject.wire(), format!("{:?}", bartizan_soap::ToFault::to_fault(&reject))));
        }
        faults.dedup();
        assert_eq!(faults.len(), 1, "{faults:?}");
    }
}

#[test]
fn attack_message_or_token_sent_again_is_a_replay_and_a_wrong_one_claims_nothing() {
    let (rule, out) = protecting();
    let fresh = UsernameOut { nonce: true, created: true, ..out };
    let rule = UsernameRule { nonce: Presence::Must, created: Presence::Must, ..rule };
    let plans = sealed().by_user(rule, fresh).build().unwrap();
    let (users, replay) = (users(), MemoryReplay::default());
    let env = Env::new(&world().server, now(), &SystemRandom).with_users(&users).with_replay(&replay);
    let verdict = |text: &str| plans.recipient.verify(read(text.as_bytes()).unwrap(), &env);
    let message = sent(&plans);
    let broken = message.replacen("<ds:SignatureValue>", "<ds:SignatureValue>AAAA", 1);
    assert!(verdict(&broken).is_err());
    verdict(&message).unwrap();
    assert_eq!(verdict(&message).unwrap_err().reason(), R::Replay);
    let offset = message.replacen("<wsc:Offset>0</wsc:Offset>", "<wsc:Generation>0</wsc:Generation>", 1);
    assert_eq!(verdict(&offset).unwrap_err().reason(), R::Replay, "the same in other words");
    verdict(&sent(&plans)).unwrap();
    // Nonce and Created of a message that was accepted, beside another one's Salt.
    let other = sent(&plans);
    let nonce = |text: &str| cut(text, "<wsse:Nonce", "</wsu:Created>").to_owned();
    let again = replace(&other, &nonce(&other), &nonce(&message));
    assert_eq!(verdict(&again).unwrap_err().reason(), R::Replay);
}

#[test]
fn attack_reply_under_the_key_of_another_request_is_refused() {
    for plans in [builder("Basic128").build().unwrap(), sealed().build().unwrap()] {
        let (first, second) = (sent_by(&plans, "alice", PASSWORD), sent_by(&plans, "alice", PASSWORD));
        let text = String::from_utf8(first.message.bytes().to_vec()).unwrap();
        let answer = reply(&plans, &received(&plans, &text).unwrap());
        let bytes = answer.message.bytes();
        let verdict = verify_reply(&plans.initiator, &world().client, bytes, &second.sent);
        assert_eq!(verdict.unwrap_err().reason(), R::TokenReferenceUnresolved);
        // Named as the token of that other request, it is under another key all the same.
        let id = |secured: &Secured| {
            let text = String::from_utf8_lossy(secured.message.bytes()).into_owned();
            let token = cut(&text, "<wsse:UsernameToken", ">").to_owned();
            cut(&token, "wsu:Id=\"", "\"").trim_start_matches("wsu:Id=\"").trim_end_matches('"').to_owned()
        };
        let renamed = String::from_utf8_lossy(bytes).replace(&id(&first), &id(&second));
        let verdict = verify_reply(&plans.initiator, &world().client, renamed.as_bytes(), &second.sent);
        assert_eq!(verdict.unwrap_err().reason(), R::SignatureValue);
        let alone = Env::new(&world().client, now(), &SystemRandom);
        let alone = plans.initiator.verify(read(bytes).unwrap(), &alone);
        assert_eq!(alone.unwrap_err().reason(), R::TokenReferenceUnresolved);
    }
}

#[test]
fn attack_our_own_request_is_no_reply_to_itself() {
    for plans in [builder("Basic128").build().unwrap(), sealed().build().unwrap()] {
        let request = sent_by(&plans, "alice", PASSWORD);
        let text = String::from_utf8(request.message.bytes().to_vec()).unwrap();
        let token = cut(&text, "<wsse:UsernameToken", "</wsse:UsernameToken>");
        let verdict =
            |text: &str| verify_reply(&plans.initiator, &world().client, text.as_bytes(), &request.sent);
        assert_eq!(verdict(&text).unwrap_err().reason(), R::UsernameUnexpected);
        let reject = verdict(&replace(&text, token, "")).unwrap_err();
        assert_eq!(reject.reason(), R::TokenNotPartner, "{reject}");
        assert!(matches!(reject.hint(), Hint::Signer(NotPartner::Ourselves(Side::Initiator))));
    }
}

/// The reply is made with the key that the request's user proves himself by: with his token beside it, it would be a request of his.
#[test]
fn attack_reply_that_is_sent_back_with_the_users_token_is_no_request_of_his() {
    for plans in [builder("Basic128").build().unwrap(), sealed().build().unwrap()] {
        let (users, replay) = (users(), MemoryReplay::default());
        let env = Env::new(&world().server, now(), &SystemRandom).with_users(&users).with_replay(&replay);
        let verdict = |text: &str| plans.recipient.verify(read(text.as_bytes()).unwrap(), &env);
        let request = sent(&plans);
        let answer = fixture::text(reply(&plans, &verdict(&request).unwrap()));
        let bare = verdict(&answer).unwrap_err().reason();
        assert!([R::UsernameMissing, R::TokenReferenceUnresolved].contains(&bare), "{bare:?}");
        let token = cut(&request, "<wsse:UsernameToken", "</wsse:UsernameToken>");
        let id = cut(token, "wsu:Id=\"", "\"").trim_start_matches("wsu:Id=\"").trim_end_matches('"');
        let reflected = answer.replace(&format!("URI=\"{id}\""), &format!("URI=\"#{id}\""));
        let reflected = reflected.replacen("</wsu:Timestamp>", &format!("</wsu:Timestamp>{token}"), 1);
        let reject = verdict(&reflected).unwrap_err();
        assert_eq!((reject.reason(), reject.wire()), (R::Replay, Wire::FailedCheck));
        // It is only the claim of the Salt that tells: a memory that has not seen the request takes it.
        assert!(received(&plans, &reflected).is_ok());
        // The claim outlives whatever the reply's Timestamp allows, and another request has another Salt.
        let rule = TimestampRule::default();
        let late = Time::from_millis(now().millis() + (rule.ttl + rule.skew).as_millis() as i64 - 1_000);
        let later = Env { now: late, ..env };
        let reject = plans.recipient.verify(read(reflected.as_bytes()).unwrap(), &later).unwrap_err();
        assert_eq!(reject.reason(), R::Replay);
        verdict(&sent(&plans)).unwrap();
    }
}

#[test]
fn attack_ciphertext_that_opens_beside_no_signature_proves_nobody() {
    let plans = sealed().build().unwrap();
    let message = sent(&plans);
    let signature = cut(&message, "<ds:Signature ", "</ds:Signature>");
    let first = cut(&message, "<wsc:DerivedKeyToken", "</wsc:DerivedKeyToken>");
    let bare = replace(&replace(&message, signature, ""), first, "");
    refused(&plans, &bare, &[R::SignatureMissing]);
    // A plan that signs nothing has nobody proved, whatever opens.
    let mut inbound = plans.recipient.inbound().clone();
    inbound.required.iter_mut().for_each(|r| r.signed = bartizan_wss::Need::No);
    inbound.signed_by = SignedBy::X509;
    inbound.lone_cipher = bartizan_wss::plan::Breach::Warn;
    let lone = Plan::new(Side::Recipient, inbound, plans.recipient.outbound().clone()).unwrap();
    let users = users();
    let env = Env::new(&world().server, now(), &SystemRandom).with_users(&users);
    let reject = lone.verify(read(bare.as_bytes()).unwrap(), &env).unwrap_err();
    assert_eq!((reject.reason(), reject.wire()), (R::UsernameNotProved, Wire::FailedCheck));
    assert_eq!(reject.context().decryptions(), 1);
}

#[test]
fn attack_wrapped_body_is_not_what_is_shown() {
    let plans = builder("Basic128").derived(Dialect::V13).build().unwrap();
    let message = sent(&plans);
    let body = cut(&message, "<soap:Body", "</soap:Body>");
    let evil = format!("<soap:Body>{}</soap:Body>", PAYLOAD.replace("test me", "evil"));
    let block = format!("<h:h xmlns:h=\"urn:h\">{body}</h:h></soap:Header>");
    let wrapped = replace(&replace(&message, body, &evil), "</soap:Header>", &block);
    refused(&plans, &wrapped, &[R::CoverageBodyNotSigned, R::SignatureTarget, R::MessageShape]);
}

#[test]
fn attack_plan_gets_the_kind_of_secret_that_it_demands() {
    let (whole, derived) =
        (builder("Basic128").build().unwrap(), builder("Basic128").derived(Dialect::V13).build().unwrap());
    refused(&whole, &sent(&derived), &[R::TokenDerivedKey]);
    refused(&derived, &sent(&whole), &[R::TokenDerivedKey]);
    // A secret that anybody can make is not the user's, and his is not anybody's.
    let anybody = crate::symmetric::builder("Basic128").timestamp(TimestampRule::default());
    let anybody = anybody.derived(Dialect::V13).build().unwrap();
    let forged = fixture::text(fixture::secure(&anybody.initiator, &world().client, draft()));
    let user = sealed().build().unwrap();
    refused(&user, &forged, &[R::UsernameMissing, R::SignatureSigner]);
    let token = cut(&sent(&user), "<wsse:UsernameToken", "</wsse:UsernameToken>").to_owned();
    let beside = replace(&forged, "<xenc:EncryptedKey", &format!("{token}<xenc:EncryptedKey"));
    refused(&user, &beside, &[R::SignatureSigner]);
    refused(&anybody, &sent(&user), &[R::UsernameUnexpected]);
    // The key may not sign under a plan that wants a certificate's.
    let certificates = fixture::pair(fixture::benchmark("Basic128"));
    refused(&certificates, &sent(&whole), &[R::UsernameUnexpected]);
}

#[test]
fn token_with_a_password_or_without_a_salt_gives_no_key() {
    let plans = builder("Basic128").build().unwrap();
    let message = sent(&plans);
    let salt = cut(&message, "<wsse11:Salt", "</wsse11:Iteration>").to_owned();
    let text =
        "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-username-token-profile-1.0#PasswordText";
    let password = format!("<wsse:Password Type=\"{text}\">very&lt;Secret>&amp;canary</wsse:Password>");
    refused(&plans, &replace(&message, &salt, &password), &[R::UsernamePasswordType]);
    refused(&plans, &replace(&message, &salt, &format!("{password}{salt}")), &[R::UsernameMalformed]);
    refused(&plans, &replace(&message, &salt, ""), &[R::UsernameDerivedKey]);
}

/// The password stands in the clear beside what it is the key of: where nobody else reads it, and the plan says so.
#[test]
fn wse_style_secret_is_taken_where_nobody_else_reads_the_password() {
    let rule = UsernameRule {
        keys: Some(KeyRule { wse: Some(16), profile: None }),
        passwords: vec![PasswordForm::Text],
        ..UsernameRule::default()
    };
    let out = UsernameOut { derive: Some(Derive::Wse { length: 16 }), ..UsernameOut::default() };
    for derived in [false, true] {
        let builder = builder("Basic128").encrypt(Part::Body).by_user(rule.clone(), out.clone());
        let plans = if derived { builder.derived(Dialect::V13) } else { builder }.build().unwrap();
        let request = sent_by(&plans, "alice", PASSWORD);
        let text = String::from_utf8(request.message.bytes().to_vec()).unwrap();
        assert_eq!(received(&plans, &text).unwrap_err().reason(), R::UsernameInClear);
        let (users, replay) = (users(), MemoryReplay::default());
        let env = Env::new(&world().server, now(), &SystemRandom).with_users(&users).with_replay(&replay);
        for over in [Transport::Local, Transport::Tls { client: None }] {
            let verified = plans.recipient.verify(read(text.as_bytes()).unwrap(), &env.over(over));
            match over {
                Transport::Local => {
                    let verified = verified.unwrap();
                    assert_eq!(verified.caller().unwrap().name(), "alice");
                    let answer = reply(&plans, &verified);
                    let bytes = answer.message.bytes();
                    verify_reply(&plans.initiator, &world().client, bytes, &request.sent).unwrap();
                }
                _ => assert_eq!(verified.unwrap_err().reason(), R::Replay),
            }
        }
        let wrong = fixture::text(sent_by(&plans, "alice", "wrong"));
        let wrong = plans.recipient.verify(read(wrong.as_bytes()).unwrap(), &env.over(Transport::Local));
        assert_eq!(wrong.unwrap_err().reason(), R::UserPassword);
        // And a plan for Salt and Iteration takes no such token.
        let strict = sealed().build().unwrap();
        refused(&strict, &text, &[R::UsernamePasswordType]);
    }
}

#[test]
fn plan_that_derives_a_secret_from_nothing_is_none() {
    let plans = sealed().build().unwrap();
    let (inbound, out) = (plans.recipient.inbound(), plans.initiator.outbound());
    assert_eq!(inbound.secret.unwrap().from, SecretFrom::User);
    let refuses = |inbound, what: Contradiction| {
        let made = Plan::new(Side::Recipient, inbound, plans.recipient.outbound().clone());
        assert!(matches!(made, Err(Error::PlanContradiction(found)) if found == what), "{made:?}");
    };
    let keyless = UsernameRule { keys: None, passwords: vec![PasswordForm::Text], ..protecting().0 };
    refuses(
        bartizan_wss::plan::InPlan { username: Some(keyless), ..inbound.clone() },
        Contradiction::SignedByNobody,
    );
    refuses(bartizan_wss::plan::InPlan { username: None, ..inbound.clone() }, Contradiction::SignedByNobody);
    let hidden = UsernameRule { may_be_encrypted: true, ..protecting().0 };
    refuses(
        bartizan_wss::plan::InPlan { username: Some(hidden), ..inbound.clone() },
        Contradiction::CannotEncrypt,
    );
    let sends = |out, what: Contradiction| {
        let made = Plan::new(Side::Initiator, plans.initiator.inbound().clone(), out);
        assert!(matches!(made, Err(Error::PlanContradiction(found)) if found == what), "{made:?}");
    };
    sends(OutPlan { username: None, ..out.clone() }, Contradiction::KeyOfNoToken);
    sends(OutPlan { username: Some(UsernameOut::default()), ..out.clone() }, Contradiction::KeyOfNoToken);
    let mut sealed = out.clone();
    let encrypt = sealed.encrypt.as_mut().unwrap();
    assert!(matches!(encrypt.key, KeyTransfer::Secret));
    encrypt.parts.push(bartizan_wss::EncryptPart {
        part: Part::UsernameToken,
        how: bartizan_wss::EncryptHow::Element,
    });
    sends(sealed, Contradiction::CannotEncrypt);
    // A cipher that needs more than the password gives: by derivation only.
    let long = builder("Basic256").encrypt(Part::Body).build().unwrap();
    let login = login("alice", PASSWORD);
    let env = Env::new(&world().client, now(), &SystemRandom).as_user(&login);
    assert!(matches!(long.initiator.secure(draft(), &env, None), Err(Error::WrongKey)));
    let nobody = Env::new(&world().client, now(), &SystemRandom);
    assert!(matches!(plans.initiator.secure(draft(), &nobody, None), Err(Error::NoLogin)));
}

#[test]
fn secret_of_a_request_in_a_file_is_found_again_by_who_kept_it_or_knows_the_password() {
    let anybody = crate::symmetric::builder("Basic256").derived(Dialect::V13).build().unwrap();
    let (request, verified) = crate::symmetric::exchange(&anybody);
    let answer = reply(&anybody, &verified);
    let text = String::from_utf8(request.message.bytes().to_vec()).unwrap();
    let kept = request.sent.secret_octets().unwrap();
    let found = |text: &str, octets: &Secret| {
        let message = read(text.as_bytes()).unwrap();
        SentSignatures::of_message(&message).with_secret(&message, octets)
    };
    let bytes = answer.message.bytes();
    let verdict = |sent: &SentSignatures| verify_reply(&anybody.initiator, &world().client, bytes, sent);
    verdict(&found(&text, &kept).unwrap()).unwrap();
    let wrong = verdict(&found(&text, &Secret::new(vec![1; 32])).unwrap());
    assert_eq!(wrong.unwrap_err().reason(), R::SignatureValue);
    // Nobody can say which of two keys is meant, and where there is none, none is.
    let key = cut(&text, "<xenc:EncryptedKey", "</xenc:EncryptedKey>");
    let value = cut(key, "<xenc:CipherValue>", "</xenc:CipherValue>");
    let id = cut(key, " Id=\"", "\"");
    let other = key.replace(value, "<xenc:CipherValue>AAAA</xenc:CipherValue>").replace(id, " Id=\"other\"");
    assert!(found(&text.replace(key, &format!("{key}{other}")), &kept).is_none());
    assert!(found(&text.replace(key, ""), &kept).is_none());
    assert!(found(PLAIN, &kept).is_none());
    let user = sealed().build().unwrap();
    let text = sent(&user);
    let by_login = |text: &str, name: &str| {
        let message = read(text.as_bytes()).unwrap();
        SentSignatures::of_message(&message).with_login(&message, &login(name, PASSWORD))
    };
    assert!(by_login(&text, "alice").is_some() && by_login(&text, "bob").is_none());
    assert!(by_login(&text.replace(">1000</wsse11", ">10001</wsse11"), "alice").is_none());
    assert!(by_login(std::str::from_utf8(request.message.bytes()).unwrap(), "alice").is_none());
}

const PLAIN: &str = "<soap:Envelope xmlns:soap=\"http://www.w3.org/2003/05/soap-envelope\"><soap:Body><a></a></soap:Body></soap:Envelope>";

#[test]
fn plan_of_both_kinds_of_secret_takes_each_and_answers_in_kind() {
    let anybody =
        crate::symmetric::builder("Basic128").derived(Dialect::V13).timestamp(TimestampRule::default());
    let (user, anybody) = (sealed().build().unwrap(), anybody.build().unwrap());
    for user_first in [true, false] {
        let (one, other) = if user_first { (&user, &anybody) } else { (&anybody, &user) };
        let more = &other.recipient;
        let recipient = one.recipient.clone().or(more.inbound().clone(), more.outbound().clone()).unwrap();
        let by_user = sent_by(&user, "alice", PASSWORD);
        let by_nobody = fixture::secure(&anybody.initiator, &world().client, draft());
        for (request, initiator, name) in
            [(by_user, &user.initiator, Some("alice")), (by_nobody, &anybody.initiator, None)]
        {
            let (users, replay) = (users(), MemoryReplay::default());
            let env = Env::new(&world().server, now(), &SystemRandom).with_users(&users).with_replay(&replay);
            let verified = recipient.verify(read(request.message.bytes()).unwrap(), &env).unwrap();
            assert_eq!(verified.caller().map(|c| c.name()), name, "{user_first}");
            let plans = PlanPair { initiator: initiator.clone(), recipient: recipient.clone() };
            let answer = reply(&plans, &verified);
            verify_reply(initiator, &world().client, answer.message.bytes(), &request.sent).unwrap();
        }
    }
}

/// What the threat model says of services that share users: the key as it is signs for both kinds of plan, a derived key for one.
#[test]
fn reply_under_a_derived_key_is_no_signature_of_the_user_for_another_service() {
    for (builder, taken) in [(builder("Basic128"), true), (builder("Basic128").derived(Dialect::V13), false)]
    {
        let plans = builder.build().unwrap();
        let request = sent(&plans);
        let answer = fixture::text(reply(&plans, &received(&plans, &request).unwrap()));
        let token = cut(&request, "<wsse:UsernameToken", "</wsse:UsernameToken>");
        let id = cut(token, "wsu:Id=\"", "\"").trim_start_matches("wsu:Id=\"").trim_end_matches('"');
        let reflected = answer.replace(&format!("URI=\"{id}\""), &format!("URI=\"#{id}\""));
        // What that service wants of a token, and no signature covers, anybody can write.
        let more = "<wsse:Nonce EncodingType=\"http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-soap-message-security-1.0#Base64Binary\">AAAAAAAAAAAAAAAAAAAAAA==</wsse:Nonce><wsu:Created>2026-11-30T12:00:00Z</wsu:Created></wsse:UsernameToken>";
        let token = token.replace("</wsse:UsernameToken>", more);
        let reflected = reflected.replacen("</wsu:Timestamp>", &format!("</wsu:Timestamp>{token}"), 1);
        let other = UsernameBuilder::new().sign(Derive::Profile { iterations: 1000 });
        let other = other.sign_parts(vec![Part::Body, Part::Timestamp]).build().unwrap();
        let mut inbound = other.recipient.inbound().clone();
        inbound.algorithms = plans.recipient.inbound().algorithms;
        let other = Plan::new(Side::Recipient, inbound, OutPlan::plain()).unwrap();
        let users = users();
        let env = Env::new(&world().server, now(), &SystemRandom).with_users(&users);
        let verdict = other.verify(read(reflected.as_bytes()).unwrap(), &env);
        assert_eq!(verdict.is_ok(), taken, "{verdict:?}");
    }
}
