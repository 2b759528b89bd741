//! Attacks on UsernameTokens: rows TOK-01 to TOK-08, forged keys, moved and doubled tokens.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};

use bartizan_crypto::random::SystemRandom;
use bartizan_crypto::{Secret, SymmetricKey, base64, derive};
use bartizan_keys::{Denied, MemoryUsers, Time, User, UserSource};
use bartizan_soap::Version;
use bartizan_wss::env::Transport;
use bartizan_wss::plan::{Iterations, KeyRef, KeyTransfer, PasswordForm, Plan, PlanPair, SignedBy};
use bartizan_wss::replay::{Claim, Remember, ReplayKey};
use bartizan_wss::{
    DerivedKeys, Env, Hint, MemoryReplay, Part, Reason as R, ReplayCache, UsernameBuilder, Verified,
};

use crate::fixture::{self, cut, now, read, replace, world};
use crate::username_in::{
    PASSWORD, builder, plans, profile, received, refused, sent, sent_by, users, with, with_rule, wse,
};

fn digests() -> PlanPair {
    plans(builder().password(PasswordForm::Digest))
}

/// With a memory of its own for several messages.
struct Server {
    users: MemoryUsers,
    replay: MemoryReplay,
    derived: DerivedKeys,
}

impl Server {
    fn new() -> Server {
        Server { users: users(), replay: MemoryReplay::default(), derived: DerivedKeys::default() }
    }

    fn env(&self) -> Env<'_> {
        Env::new(&world().server, now(), &SystemRandom)
            .with_users(&self.users)
            .with_replay(&self.replay)
            .with_derived(&self.derived)
            .over(Transport::Local)
    }

    fn take(&self, plan: &Plan, message: &str) -> Result<Verified, R> {
        plan.verify(read(message.as_bytes()).unwrap(), &self.env()).map_err(|r| r.reason())
    }
}

#[test]
fn attack_tok_01_nonce_that_was_seen_is_refused_whatever_its_coding() {
    for plans in [digests(), plans(builder())] {
        let (server, message) = (Server::new(), sent(&plans));
        server.take(&plans.recipient, &message).unwrap();
        assert_eq!(server.take(&plans.recipient, &message).unwrap_err(), R::Replay);
        // The same octets in base64 with white space in it: the same nonce.
        let nonce = cut(&message, "#Base64Binary\">", "=<");
        let (head, tail) = nonce.split_at(nonce.len() - 8);
        let spaced = replace(&message, nonce, &format!("{head}\n {tail}"));
        assert_eq!(server.take(&plans.recipient, &spaced).unwrap_err(), R::Replay);
        server.take(&plans.recipient, &sent(&plans)).unwrap();
    }
}

#[test]
fn attack_tok_01_two_threads_with_one_nonce_get_one_acceptance() {
    let plans = digests();
    let server = Server::new();
    let message = sent(&plans);
    // 10,000 rounds of two threads: each round is a token of its own, told apart by the memory alone.
    let (accepted, repeated) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let rounds = 10_000_u32;
    let token = cut(&message, "<wsse:UsernameToken", "</wsse:UsernameToken>").to_owned();
    let created = cut(&token, "<wsu:Created>", "</wsu:Created>");
    let created = created.trim_start_matches("<wsu:Created>").trim_end_matches("</wsu:Created>").to_owned();
    let of_round = |round: u32| {
        let nonce: Vec<u8> = [round.to_be_bytes(), round.to_be_bytes()].concat();
        let digest = bartizan_crypto::digest::digest(
            bartizan_crypto::alg::DigestAlg::Sha1,
            &[nonce.as_slice(), created.as_bytes(), PASSWORD.as_bytes()].concat(),
        );
        let old_nonce = cut(&message, "#Base64Binary\">", "</wsse:Nonce>");
        let old_digest = cut(&message, "#PasswordDigest\">", "</wsse:Password>");
        let new_nonce = format!("#Base64Binary\">{}</wsse:Nonce>", base64::encode(&nonce));
        let new_digest = format!("#PasswordDigest\">{}</wsse:Password>", base64::encode(digest.as_ref()));
        replace(&replace(&message, old_nonce, &new_nonce), old_digest, &new_digest)
    };
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                for round in 0..rounds {
                    match server.take(&plans.recipient, &of_round(round)) {
                        Ok(_) => accepted.fetch_add(1, Ordering::Relaxed),
                        Err(R::Replay) => repeated.fetch_add(1, Ordering::Relaxed),
                        Err(other) => panic!("{other}"),
                    };
                }
            });
        }
    });
    assert_eq!(accepted.into_inner(), rounds as usize);
    assert_eq!(repeated.into_inner(), rounds as usize);
}

#[test]
fn attack_tok_01_a_full_memory_refuses_and_one_that_began_later_does_not_vouch() {
    let plans = digests();
    let users = users();
    let reason = |replay: &MemoryReplay, message: &str| {
        let env = Env::new(&world().server, now(), &SystemRandom).with_users(&users).with_replay(replay);
        plans.recipient.verify(read(message.as_bytes()).unwrap(), &env).map_err(|r| r.reason()).err()
    };
    let full = MemoryReplay::new(1, std::time::Duration::from_secs(600));
    assert_eq!(reason(&full, &sent(&plans)), None);
    assert_eq!(reason(&full, &sent(&plans)), Some(R::ReplayFull));
    let restarted = |millis| MemoryReplay::default().since(Time::from_millis(now().millis() + millis));
    assert_eq!(reason(&restarted(1), &sent(&plans)), Some(R::ReplayForgotten));
    assert_eq!(reason(&restarted(0), &sent(&plans)), None);
}

#[test]
fn attack_tok_01_memory_that_began_anew_is_noticed_by_the_claim_itself() {
    /// A memory that is elsewhere: it was started again, and the next claim finds that out.
    struct Anew(AtomicI64, MemoryReplay);
    impl ReplayCache for Anew {
        fn claim(&self, key: &ReplayKey, remember: Remember, now: Time) -> Claim {
            self.0.store(now.millis() + 1, Ordering::SeqCst);
            self.1.claim(key, remember, now)
        }
        fn window(&self) -> std::time::Duration {
            self.1.window()
        }
        fn started(&self) -> Time {
            Time::from_millis(self.0.load(Ordering::SeqCst))
        }
    }
    let (plans, users) = (digests(), users());
    let anew = Anew(AtomicI64::new(i64::MIN), MemoryReplay::default());
    let env = Env::new(&world().server, now(), &SystemRandom).with_users(&users).with_replay(&anew);
    let verdict = plans.recipient.verify(read(sent(&plans).as_bytes()).unwrap(), &env);
    assert_eq!(verdict.unwrap_err().reason(), R::ReplayForgotten);
}

#[test]
fn attack_tok_01_nobody_fills_the_memory_without_the_password() {
    let (server, right) = (Server::new(), digests());
    for (name, password) in [("alice", "wrong"), ("nobody", PASSWORD), ("carol", PASSWORD)] {
        server.take(&right.recipient, &sent_by(&right, name, password, Version::Soap12)).unwrap_err();
    }
    // A signature with a wrong key claims nothing, either.
    let signed = plans(builder().sign(profile()));
    server.take(&signed.recipient, &sent_by(&signed, "alice", "wrong", Version::Soap12)).unwrap_err();
    assert!(server.replay.is_empty());
    assert_eq!(server.derived.counts().entries, 0);
    server.take(&right.recipient, &sent(&right)).unwrap();
    assert_eq!(server.replay.len(), 1);
}

#[test]
fn attack_tok_02_odd_nonces_are_refused() {
    let plans = plans(builder());
    let message = sent(&plans);
    let old = cut(&message, "#Base64Binary\">", "</wsse:Nonce>");
    let text = |text: &str| replace(&message, old, &format!("#Base64Binary\">{text}</wsse:Nonce>"));
    for odd in [
        "",
        "AA==",
        "AAAAAAAAAA=",
        "AAAAAAAAAAA",
        "!!!!!!!!!!!!",
        "AAAAAAAAAAB=",
        "00112233445566778899",
        "<a/>",
    ] {
        let reject = received(&plans.recipient, &text(odd));
        if odd.len() == 20 {
            reject.unwrap();
        } else {
            assert_eq!(reject.unwrap_err().reason(), R::UsernameNonce, "{odd}");
        }
    }
    let encodings = [
        "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-soap-message-security-1.0#HexBinary",
        "",
        "Base64Binary",
    ];
    for encoding in encodings {
        let old = cut(&message, "<wsse:Nonce EncodingType=\"", "\"");
        let other = replace(&message, old, &format!("<wsse:Nonce EncodingType=\"{encoding}\""));
        refused(&plans.recipient, &other, R::UsernameNonce);
    }
}

#[test]
fn attack_tok_03_a_signed_message_with_a_new_nonce_is_the_same_message() {
    // Only the Body is signed: Nonce and Created can be changed by anybody.
    let plans = plans(builder().sign(profile()).sign_parts(vec![Part::Body]));
    let (server, message) = (Server::new(), sent(&plans));
    server.take(&plans.recipient, &message).unwrap();
    let nonce = cut(&message, "#Base64Binary\">", "</wsse:Nonce>");
    let other = format!("#Base64Binary\">{}</wsse:Nonce>", base64::encode(b"another nonce"));
    assert_eq!(server.take(&plans.recipient, &replace(&message, nonce, &other)).unwrap_err(), R::Replay);
}

/// A token with that digest in it.
fn with_digest(message: &str, text: &str) -> String {
    let old = cut(message, "#PasswordDigest\">", "</wsse:Password>");
    replace(message, old, &format!("#PasswordDigest\">{text}</wsse:Password>"))
}

#[test]
fn attack_tok_06_other_readings_of_the_digest_are_named_and_refused() {
    let plans = digests();
    let message = sent(&plans);
    let between = |from: &str, to: &str| {
        let piece = cut(&message, from, to);
        piece[from.len()..piece.len() - to.len()].to_owned()
    };
    let token = cut(&message, "<wsse:UsernameToken", "</wsse:UsernameToken>");
    let created = cut(token, "<wsu:Created>", "</wsu:Created>").replace("<wsu:Created>", "");
    let created = created.replace("</wsu:Created>", "");
    let nonce_text = between("#Base64Binary\">", "</wsse:Nonce>");
    let nonce = base64::decode(&nonce_text).unwrap();
    let sha1 = |parts: &[&[u8]]| {
        bartizan_crypto::digest::digest(bartizan_crypto::alg::DigestAlg::Sha1, &parts.concat())
            .as_ref()
            .to_vec()
    };
    let (created, password) = (created.as_bytes(), PASSWORD.as_bytes());
    let right = sha1(&[&nonce, created, password]);
    let hashed = sha1(&[password]);
    let hex: String = right.iter().map(|b| format!("{b:02x}")).collect();
    received(&plans.recipient, &with_digest(&message, &base64::encode(&right))).unwrap();
    for (text, reading) in [
        (base64::encode(&sha1(&[nonce_text.as_bytes(), created, password])), "base64 text of the Nonce"),
        (base64::encode(&sha1(&[&nonce, created, &hashed])), "over the SHA-1"),
        (
            base64::encode(&sha1(&[&nonce, created, base64::encode(&hashed).as_bytes()])),
            "base64 of the password's",
        ),
        (base64::encode(&sha1(&[created, password])), "without the Nonce"),
        (base64::encode(&sha1(&[&nonce, password])), "without Created"),
        (hex.clone(), "hexadecimal"),
        (base64::encode(hex.as_bytes()), "hexadecimal"),
    ] {
        let reject = refused(&plans.recipient, &with_digest(&message, &text), R::UserPassword);
        assert!(matches!(reject.hint(), Hint::PasswordDigest(name) if name.contains(reading)), "{reject}");
        // Nobody is told so about a user who does not exist.
        let nobody = replace(&with_digest(&message, &text), ">alice<", ">nobody<");
        assert!(matches!(refused(&plans.recipient, &nobody, R::UserUnknown).hint(), Hint::None));
    }
    for text in
        ["", "x", &"A".repeat(4096), &base64::encode(&right[..19]), PASSWORD.split('<').next().unwrap()]
    {
        refused(&plans.recipient, &with_digest(&message, text), R::UserPassword);
    }
}

#[test]
fn attack_tok_06_passwords_are_their_octets_in_utf_8() {
    let composed = "p\u{e4}ss w\u{f6}rd\u{20ac}";
    let source = MemoryUsers::new().with("andreas", composed.as_bytes());
    for builder in [builder(), builder().password(PasswordForm::Digest), builder().sign(profile())] {
        let plans = plans(builder);
        let verify = |password: &str| {
            let message = sent_by(&plans, "andreas", password, Version::Soap11);
            let env = Env::new(&world().server, now(), &SystemRandom).with_users(&source);
            plans.recipient.verify(read(message.as_bytes()).unwrap(), &env).map_err(|r| r.reason()).err()
        };
        assert_eq!(verify(composed), None);
        for other in
            ["pa\u{308}ss wo\u{308}rd\u{20ac}", "pa\u{308}ss w\u{f6}rd\u{20ac}", &format!("{composed} ")]
        {
            assert!(matches!(verify(other), Some(R::UserPassword | R::SignatureValue)), "{other}");
        }
    }
}

#[test]
fn attack_tok_07_types_of_passwords_are_not_confused() {
    let (text, digest) = (plans(builder()), digests());
    let (as_text, as_digest) = (sent(&text), sent(&digest));
    refused(&digest.recipient, &as_text, R::UsernamePasswordType);
    refused(&text.recipient, &as_digest, R::UsernamePasswordType);
    // A digest that says it is text is the wrong password, and a password that says it is a digest the wrong digest.
    refused(&text.recipient, &replace(&as_digest, "#PasswordDigest", "#PasswordText"), R::UserPassword);
    refused(&digest.recipient, &replace(&as_text, "#PasswordText", "#PasswordDigest"), R::UserPassword);
    let unknown = replace(&as_text, "#PasswordText", "#PasswordToken");
    refused(&text.recipient, &unknown, R::UsernamePasswordType);
    let custom = format!(
        "{}#PasswordToken",
        "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-username-token-profile-1.0"
    );
    let own = with_rule(&text, |rule| rule.passwords = vec![PasswordForm::Custom(custom)]);
    received(&own, &unknown).unwrap();
    refused(&own, &as_text, R::UsernamePasswordType);
    refused(&own, &replace(&unknown, "canary", "canarz"), R::UserPassword);
    refused(&own, &replace(&unknown, ">alice<", ">nobody<"), R::UserUnknown);
    // Without a password nobody is proved.
    let bare = replace(&as_text, cut(&as_text, "<wsse:Password", "</wsse:Password>"), "");
    refused(&text.recipient, &bare, R::UsernamePasswordType);
    let mut open = text.recipient.inbound().clone();
    open.username.as_mut().unwrap().passwords = vec![PasswordForm::Absent];
    open.open = true;
    assert!(received(&with(open), &bare).unwrap().caller().is_none());
    let by_key = with_rule(&plans(builder().sign(profile())), |_| {});
    refused(&by_key, &bare, R::SignatureMissing);
}

#[test]
fn attack_tok_08_what_is_wrong_about_a_user_is_one_fault_with_the_cause_in_the_record() {
    for (builder, wrong) in [
        (builder(), R::UserPassword),
        (builder().password(PasswordForm::Digest), R::UserPassword),
        (builder().sign(profile()), R::SignatureValue),
        (builder().sign(wse()), R::UserPassword),
        (builder().encrypt(KeyRef::IssuerSerial), R::UserPassword),
        (builder().encrypt(KeyRef::IssuerSerial).sign(profile()), R::SignatureValue),
    ] {
        let plans = plans(builder);
        let mut faults = Vec::new();
        for (name, password, reason) in [
            ("alice", "wrong", wrong),
            ("nobody", PASSWORD, R::UserUnknown),
            ("Alice", PASSWORD, R::UserUnknown),
            ("carol", PASSWORD, R::UserDisabled),
            ("dave", PASSWORD, R::UserExpired),
        ] {
            let message = sent_by(&plans, name, password, Version::Soap12);
            let reject = refused(&plans.recipient, &message, reason);
            assert!(!format!("{reject:?} {reject} {}", reject.detail()).contains("canary"));
            faults.push(format!("{:?}", bartizan_soap::ToFault::to_fault(&reject)));
        }
        faults.dedup();
        assert_eq!(faults.len(), 1, "{faults:?}");
    }
}

/// Counts what it is asked, and knows hashes only.
#[derive(Default)]
struct Hashes(AtomicUsize);

impl UserSource for Hashes {
    fn check_password(&self, _: &str, _: &[u8], _: Time) -> Result<Arc<User>, Denied> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Err(Denied::Busy)
    }

    fn secret(&self, _: &str, _: Time) -> Result<(Arc<User>, Arc<Secret>), Denied> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Err(Denied::NoSecret)
    }

    fn spend(&self) -> Result<(), Denied> {
        Ok(())
    }

    fn is_costly(&self) -> bool {
        true
    }
}

#[test]
fn what_the_source_cannot_answer_is_said_and_it_is_asked_last() {
    let ask = |builder: UsernameBuilder, source: Option<&Hashes>, edit: &dyn Fn(String) -> String| {
        let plans = plans(builder);
        let message = edit(sent(&plans));
        let mut env = Env::new(&world().server, now(), &SystemRandom).over(Transport::Local);
        env.users = source.map(|s| s as &dyn UserSource);
        plans.recipient.verify(read(message.as_bytes()).unwrap(), &env).unwrap_err().reason()
    };
    let same = |message: String| message;
    let hashes = Hashes::default();
    assert_eq!(ask(builder(), Some(&hashes), &same), R::UserBusy);
    assert_eq!(ask(builder().password(PasswordForm::Digest), Some(&hashes), &same), R::UserNoSecret);
    assert_eq!(ask(builder().sign(profile()), Some(&hashes), &same), R::UserNoSecret);
    assert_eq!(hashes.0.load(Ordering::Relaxed), 3);
    for builder in [builder(), builder().password(PasswordForm::Digest), builder().sign(profile())] {
        assert_eq!(ask(builder, None, &same), R::UserNoSource);
    }
    // Too old, or of a wrong shape: the source is not asked.
    let old = |m: String| {
        let token = cut(&m, "<wsse:UsernameToken", "</wsse:UsernameToken>").to_owned();
        let created = cut(&token, "<wsu:Created>", "</wsu:Created>");
        let older = replace(&token, created, "<wsu:Created>2026-11-30T11:50:00Z</wsu:Created>");
        replace(&m, &token, &older)
    };
    assert_eq!(ask(builder(), Some(&hashes), &old), R::UsernameExpired);
    assert_eq!(ask(builder().sign(profile()), Some(&hashes), &old), R::UsernameExpired);
    assert_eq!(hashes.0.load(Ordering::Relaxed), 3);
}

#[test]
fn attack_wse_key_beside_a_password_that_anybody_reads_is_refused() {
    let users = users();
    let key = KeyRef::IssuerSerial;
    for (builder, plain) in [
        (builder().sign(wse()), Some(R::UsernameInClear)),
        (builder().sign(wse()).encrypt(key), None),
        (builder().sign(profile()), None),
        (builder(), None),
    ] {
        let plans = plans(builder);
        let message = sent(&plans);
        let reason = |transport| {
            let env = Env::new(&world().server, now(), &SystemRandom).with_users(&users).over(transport);
            plans.recipient.verify(read(message.as_bytes()).unwrap(), &env).map_err(|r| r.reason()).err()
        };
        assert_eq!(reason(Transport::Plain), plain);
        assert_eq!(reason(Transport::Tls { client: None }), None);
        assert_eq!(reason(Transport::Local), None);
    }
}

#[test]
fn attack_iterations_outside_of_the_bounds_cost_nothing() {
    let plans = plans(builder().sign(profile()));
    let message = sent(&plans);
    let iteration = |text: &str| replace(&message, ">1000<", &format!(">{text}<"));
    for odd in ["0", "1", "999", "10001", "1000000000", "99999999999", "-1", "+1000", "1e3", "", " 1000"] {
        refused(&plans.recipient, &iteration(odd), R::UsernameIteration);
    }
    // Within the bounds it is another key.
    refused(&plans.recipient, &iteration("1001"), R::SignatureValue);
    refused(&plans.recipient, &iteration("10000"), R::SignatureValue);
    let narrow = with_rule(&plans, |rule| {
        let keys = rule.keys.as_mut().unwrap();
        keys.profile = Some(Iterations { least: 1001, most: 1002 });
    });
    refused(&narrow, &message, R::UsernameIteration);
    // Absent means a thousand.
    let body = crate::username_in::plans(builder().sign(profile()).sign_parts(vec![Part::Body]));
    let message = sent(&body);
    let element = cut(&message, "<wsse11:Iteration", "</wsse11:Iteration>");
    received(&body.recipient, &replace(&message, element, "")).unwrap();
}

#[test]
fn attack_salt_of_the_other_use_or_of_another_length_is_refused() {
    let plans = plans(builder().sign(profile()).sign_parts(vec![Part::Body]));
    let message = sent(&plans);
    let old = cut(&message, "<wsse11:Salt", "</wsse11:Salt>");
    let text = old.split_once('>').unwrap().1.split_once('<').unwrap().0;
    let salt = base64::decode(text).unwrap();
    let with = |salt: &[u8]| replace(&message, text, &base64::encode(salt));
    for usage in [0, 2, 3, 255] {
        let mut other = salt.clone();
        other[0] = usage;
        refused(&plans.recipient, &with(&other), R::UsernameSalt);
    }
    for length in [0, 15, 17, 32] {
        refused(&plans.recipient, &with(&vec![1; length]), R::UsernameSalt);
    }
    let mut other = salt.clone();
    other[15] ^= 1;
    refused(&plans.recipient, &with(&other), R::SignatureValue);
    // Beside a password a Salt is forbidden, an Iteration alone says nothing.
    let password = "<wsse:Password Type=\"http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-username-token-profile-1.0#PasswordText\">x</wsse:Password>";
    refused(&plans.recipient, &replace(&message, old, &[password, old].concat()), R::UsernameMalformed);
    refused(&plans.recipient, &replace(&message, old, ""), R::UsernameMalformed);
}

#[test]
fn attack_key_of_another_user_with_the_same_salt_is_refused() {
    let plans = plans(builder().sign(profile()).sign_parts(vec![Part::Body]));
    let message = sent(&plans);
    let server = Server::new();
    server.take(&plans.recipient, &message).unwrap();
    assert_eq!(server.derived.counts().entries, 1);
    // bob's name over alice's signature: his key is another, and hers in the memory is not his.
    let bob = replace(&message, ">alice<", ">bob<");
    assert_eq!(server.take(&plans.recipient, &bob).unwrap_err(), R::SignatureValue);
    assert_eq!(
        server.take(&plans.recipient, &replace(&message, ">alice<", ">nobody<")).unwrap_err(),
        R::UserUnknown
    );
    let counts = server.derived.counts();
    assert_eq!((counts.hits, counts.misses, counts.entries), (0, 2, 1));
    // alice again: the key is there, the message is not new.
    assert_eq!(server.take(&plans.recipient, &message).unwrap_err(), R::Replay);
    assert_eq!(server.derived.counts().hits, 1);
    // After a change of the password the key that was kept opens nothing.
    let changed = Server { users: MemoryUsers::new().with("alice", b"new"), ..server };
    assert_eq!(changed.take(&plans.recipient, &message).unwrap_err(), R::SignatureValue);
}

#[test]
fn attack_signature_that_names_another_token_is_refused() {
    for builder in [builder().sign(profile()), builder().sign(wse())] {
        let plans = plans(builder);
        let message = sent(&plans);
        let token = cut(&message, "<wsse:UsernameToken", "</wsse:UsernameToken>").to_owned();
        let id = cut(&token, "wsu:Id=\"", "\"");
        let id = id["wsu:Id=\"".len()..id.len() - 1].to_owned();
        // The signed token in a header of somebody else, in the Body, or as a header block; a new one in its place.
        let fresh = token.replace(&id, "fresh");
        let soap = "http://www.w3.org/2003/05/soap-envelope";
        let header = cut(&message, "<wsse:Security", "<wsu:Timestamp");
        let header = header.trim_end_matches("<wsu:Timestamp").to_owned();
        let elsewhere = format!(
            "<w:Security xmlns:w=\"http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd\" xmlns:e=\"{soap}\" e:role=\"urn:other\">{token}</w:Security>"
        );
        let replaced = replace(&message, &token, &fresh);
        let before = |piece: &str| replace(&replaced, &header, &[piece, &header].concat());
        refused(&plans.recipient, &before(&elsewhere), R::TokenReferenceUnresolved);
        refused(
            &plans.recipient,
            &before(&format!("<x:wrap xmlns:x=\"urn:x\">{token}</x:wrap>")),
            R::TokenReferenceUnresolved,
        );
        // In its place, and the signature still names the old one.
        let named = replaced.replace(&format!("URI=\"#{id}\" ValueType"), "URI=\"#fresh\" ValueType");
        let wrapped =
            named.replacen(&header, &format!("<x:wrap xmlns:x=\"urn:x\">{token}</x:wrap>{header}"), 1);
        let reject = received(&plans.recipient, &wrapped).unwrap_err();
        assert!(
            matches!(reject.reason(), R::SignatureTarget | R::CoverageTokenNotSigned | R::SignatureValue),
            "{reject}"
        );
        // Two with one Id.
        let doubled = replace(&message, &header, &[elsewhere.as_str(), &header].concat());
        assert_eq!(received(&plans.recipient, &doubled).unwrap_err().reason(), R::MessageDuplicateId);
    }
}

#[test]
fn attack_id_that_appears_twice_by_decryption_is_refused() {
    let plans = plans(builder().encrypt(KeyRef::IssuerSerial).sign(wse()).period());
    let message = sent(&plans);
    received(&plans.recipient, &message).unwrap();
    let signed = cut(&message, "<ds:Reference URI=\"#", "\"");
    let id = signed["<ds:Reference URI=\"#".len()..signed.len() - 1].to_owned();
    let taken = replace(
        &message,
        "<greetRequest ",
        &format!(
            "<greetRequest xmlns:u=\"http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd\" u:Id=\"{id}\" "
        ),
    );
    assert_eq!(received(&plans.recipient, &taken).unwrap_err().reason(), R::MessageDuplicateId);
}

/// The message with these plaintexts, each in an EncryptedData where the token's was: what anybody can encrypt to the server.
fn with_plaintexts(plans: &PlanPair, plaintexts: &[&str]) -> String {
    let message = sent(plans);
    let encrypt = plans.initiator.outbound().encrypt.clone().unwrap();
    let KeyTransfer::Transport { method, oaep } = &encrypt.key else { panic!("transport") };
    let key = [7; 16];
    let wrapped =
        fixture::certificate("server").public_key().unwrap().encrypt_key(*method, oaep, &key).unwrap();
    let value =
        cut(&message, "<xenc:CipherValue>", "</xenc:CipherValue></xenc:CipherData><xenc:ReferenceList>");
    let wrapped = format!(
        "<xenc:CipherValue>{}</xenc:CipherValue></xenc:CipherData><xenc:ReferenceList>",
        base64::encode(&wrapped)
    );
    let message = replace(&message, value, &wrapped);
    let data = cut(&message, "<xenc:EncryptedData", "</xenc:EncryptedData>").to_owned();
    let value = cut(&data, "<xenc:CipherValue>", "</xenc:CipherValue>");
    let listed = cut(&message, "<xenc:DataReference", "</xenc:DataReference>").to_owned();
    let id = cut(&listed, "#", "\"").trim_matches(['#', '"']).to_owned();
    let (mut all, mut list) = (String::new(), String::new());
    for (n, plaintext) in plaintexts.iter().enumerate() {
        let octets =
            SymmetricKey::new(key.to_vec()).seal(encrypt.cipher, plaintext.as_bytes(), &SystemRandom);
        let text = format!("<xenc:CipherValue>{}</xenc:CipherValue>", base64::encode(&octets.unwrap()));
        all += &replace(&data, value, &text).replace(&id, &format!("{id}-{n}"));
        list += &listed.replace(&id, &format!("{id}-{n}"));
    }
    replace(&replace(&message, &data, &all), &listed, &list)
}

const NAMESPACES: &str = "xmlns:wsse=\"http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd\" xmlns:wsu=\"http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd\"";

/// A token of alice with that Id and nonce.
fn token_of(name: &str, id: &str) -> String {
    let password = PASSWORD.replace('&', "&amp;").replace('<', "&lt;");
    let nonce = base64::encode(format!("nonce of {id}").as_bytes());
    format!(
        "<wsse:UsernameToken {NAMESPACES} wsu:Id=\"{id}\"><wsse:Username>{name}</wsse:Username><wsse:Password Type=\"http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-username-token-profile-1.0#PasswordText\">{password}</wsse:Password><wsse:Nonce EncodingType=\"http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-soap-message-security-1.0#Base64Binary\">{nonce}</wsse:Nonce><wsu:Created>2026-11-30T12:00:00Z</wsu:Created></wsse:UsernameToken>"
    )
}

#[test]
fn attack_other_plaintext_than_one_token_is_refused() {
    let plans = plans(builder().encrypt(KeyRef::IssuerSerial));
    let plan = &plans.recipient;
    received(plan, &with_plaintexts(&plans, &[&token_of("alice", "u1")])).unwrap();
    let stamp = format!(
        "<wsu:Timestamp {NAMESPACES}><wsu:Created>2026-11-30T12:00:00Z</wsu:Created></wsu:Timestamp>"
    );
    let bst = format!("<wsse:BinarySecurityToken {NAMESPACES}></wsse:BinarySecurityToken>");
    let header = format!("<wsse:Security {NAMESPACES}>{}</wsse:Security>", token_of("alice", "u1"));
    for other in [stamp.as_str(), &bst, &header, "<a></a>", "<soap:Body></soap:Body>"] {
        refused(plan, &with_plaintexts(&plans, &[other]), R::EncryptionUnexpected);
        // Beside a token, too.
        refused(plan, &with_plaintexts(&plans, &[&token_of("alice", "u1"), other]), R::EncryptionUnexpected);
    }
    let (one, two) = (token_of("alice", "u1"), token_of("bob", "u2"));
    for both in [[one.as_str(), &two], [&two, &one]] {
        refused(plan, &with_plaintexts(&plans, &both), R::UsernameUnexpected);
    }
    // Two in one plaintext, or nothing, are no element; text beside one has no place in the header.
    for odd in [[one.as_str(), &two].concat(), String::new()] {
        refused(plan, &with_plaintexts(&plans, &[&odd]), R::EncryptionFailed);
    }
    for odd in [format!("text{one}"), format!("{one}<![CDATA[text]]>")] {
        refused(plan, &with_plaintexts(&plans, &[&odd]), R::HeaderMalformedChild);
    }
    // An Id that the header had before.
    let same = with_plaintexts(&plans, &[&token_of("alice", "u1")]);
    let same = same.replace(&cut(&same, "<wsu:Timestamp", ">").to_owned(), "<wsu:Timestamp xmlns:wsu=\"http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd\" wsu:Id=\"u1\">");
    assert_eq!(received(plan, &same).unwrap_err().reason(), R::MessageDuplicateId);
    // A malformed token tells on the wire what a wrong password tells.
    let odd = one.replace("<wsse:Username>alice</wsse:Username>", "");
    refused(plan, &with_plaintexts(&plans, &[&odd]), R::UsernameMalformed);
    // What is wanted in ciphertext is refused in the clear, and the other way round.
    let clear = sent(&crate::username_in::plans(builder()));
    let reject = refused(plan, &clear, R::CoverageElementNotEncrypted);
    assert!(matches!(reject.hint(), Hint::Part(Part::UsernameToken)));
    let message = sent(&plans);
    refused(&crate::username_in::plans(builder()).recipient, &message, R::EncryptionUnexpected);
    // One in the clear beside the encrypted one.
    let both = replace(&message, "</wsse:Security>", &format!("{one}</wsse:Security>"));
    refused(plan, &both, R::CoverageElementNotEncrypted);
    // A damaged ciphertext is one failure.
    let last = message.rfind("<xenc:CipherValue>").unwrap() + "<xenc:CipherValue>".len() + 30;
    let mut damaged = message.clone();
    let other = if &damaged[last..=last] == "A" { "B" } else { "A" };
    damaged.replace_range(last..=last, other);
    refused(plan, &damaged, R::EncryptionFailed);
}

#[test]
fn attack_signer_of_another_kind_than_the_plan_demands_is_refused() {
    let by_user = plans(builder().sign(profile()));
    let mut by_certificate = by_user.recipient.inbound().clone();
    by_certificate.signed_by = SignedBy::X509;
    refused(&with(by_certificate), &sent(&by_user), R::SignatureSigner);
    let mut without = by_user.recipient.inbound().clone();
    without.username.as_mut().unwrap().keys.as_mut().unwrap().profile = None;
    refused(&with(without), &sent(&by_user), R::UsernameDerivedKey);
    let wse_only = plans(builder().sign(wse()));
    refused(&wse_only.recipient, &sent(&by_user), R::UsernameDerivedKey);
    let mut profile_only = wse_only.recipient.inbound().clone();
    profile_only.username.as_mut().unwrap().keys =
        by_user.recipient.inbound().username.as_ref().unwrap().keys;
    refused(&with(profile_only), &sent(&wse_only), R::UsernameDerivedKey);
}

#[test]
fn token_that_only_could_prove_its_user_by_a_key_is_refused_where_no_key_is_used() {
    // The plan takes keys and passwords, and demands no signature.
    let keyed = plans(builder().sign(profile()).sign_parts(vec![Part::UsernameToken]));
    let mut inbound = plans(builder()).recipient.inbound().clone();
    inbound.username.as_mut().unwrap().keys = keyed.recipient.inbound().username.as_ref().unwrap().keys;
    let message = sent(&keyed);
    let signature = cut(&message, "<ds:Signature ", "</ds:Signature>");
    refused(&with(inbound.clone()), &replace(&message, signature, ""), R::UsernameNotProved);
    let text = sent(&plans(builder()));
    let bare = replace(&text, cut(&text, "<wsse:Password", "</wsse:Password>"), "");
    refused(&with(inbound), &bare, R::UsernameNotProved);
}

#[test]
fn worked_numbers_of_the_two_keys_are_met() {
    let nonce = base64::decode("1OGnM3ZZzi9vtkLJ1mSSgg==").unwrap();
    let wse = derive::wse_key(b"verySecret", &nonce, "2026-11-30T13:56:32.207Z", 16).unwrap();
    let hex = |s: &Secret| s.expose(|o| o.iter().map(|b| format!("{b:02x}")).collect::<String>());
    assert_eq!(hex(&wse), "ba2768de5bcf8f4409e1310e76d013c4");
    let salt = base64::decode("AZqZNeO+JoYmuFvMcuN1WA==").unwrap();
    assert_eq!(
        hex(&derive::username_key(b"verySecret", &salt, 1000)),
        "6ce08e75b05a2671f079d646a5c1fd38de0095a2"
    );
}

#[test]
fn attack_no_octet_of_a_signed_token_or_of_its_ciphertext_can_be_changed() {
    for builder in [builder().sign(profile()), builder().encrypt(KeyRef::ThumbprintSha1).sign(profile())] {
        let plans = plans(builder);
        let message = sent(&plans);
        received(&plans.recipient, &message).unwrap();
        let clear = message.contains("<wsse:UsernameToken");
        let piece = if clear {
            cut(&message, "<wsse:UsernameToken", "</wsse:UsernameToken>")
        } else {
            cut(&message, "<xenc:EncryptedData", "</xenc:EncryptedData>")
        };
        let start = message.find(piece).unwrap();
        let key = DerivedKeys::default();
        let users = users();
        // A namespace that the start tag declares once more is in no canonical form.
        let inside = piece.find('>').unwrap();
        for at in start + inside..start + piece.len() {
            let mut octets = message.clone().into_bytes();
            // Another character of the same kind, so that most still parse.
            octets[at] = match octets[at] {
                b'z' => b'y',
                b'Z' => b'Y',
                b'9' => b'8',
                b if b.is_ascii_alphanumeric() => b + 1,
                b' ' => b'\n',
                b => b ^ 1,
            };
            let env = Env::new(&world().server, now(), &SystemRandom).with_users(&users).with_derived(&key);
            let verdict = read(&octets).and_then(|m| plans.recipient.verify(m, &env));
            // White space inside of a tag says the same.
            if let Ok(verified) = verdict {
                assert_eq!(octets[at], b'\n', "{}", String::from_utf8_lossy(&octets));
                assert_eq!(verified.caller().unwrap().name(), "alice");
            }
        }
        // Keys of a changed salt, name or iteration were never kept.
        assert!(key.counts().entries <= 1, "{key:?}");
    }
}
