//! What a refusal costs where a password is checked by a slow hash: after a decryption always the same, so that its time says nothing about what
//! the ciphertext opened into. Runs are counted, not timed.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bartizan_crypto::alg::{CipherAlg, DigestAlg, TransportAlg};
use bartizan_crypto::random::{Random as _, SystemRandom};
use bartizan_crypto::{MgfAlg, OaepParams, Secret, SymmetricKey, base64};
use bartizan_keys::users::{HashCost, PasswordHash, Standing, StoredPassword, User, Users};
use bartizan_keys::{Certificate, Denied, Time, UserSource};
use bartizan_wss::env::Transport;
use bartizan_wss::plan::{KeyRef, OutPlan, PasswordForm};
use bartizan_wss::{
    Aside, DerivedKeys, Env, MemoryReplay, Plan, Reason as R, Reject, Side, UsernameBuilder, Verified, Wire,
};

use crate::fixture::{certificate, cut, now, read, replace, stranger, world};
use crate::forge::{B64, WSSE, WSU};
use crate::username_in::{PASSWORD, builder, plans, profile, sent, sent_by, wse};

const TEXT: &str =
    "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-username-token-profile-1.0#PasswordText";
const DIGEST: &str =
    "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-username-token-profile-1.0#PasswordDigest";

/// Alice, and somebody who is switched off: hashes, as cheap as they come.
fn hashed() -> Users {
    let stored = || {
        let cost = HashCost::new(8, 1, 1).unwrap();
        StoredPassword::Argon2id(PasswordHash::make(PASSWORD.as_bytes(), cost, &SystemRandom).unwrap())
    };
    let off = Standing { disabled: true, expires: None };
    let users = Users::builder().add(User::new("alice"), Standing::default(), stored()).unwrap();
    users.add(User::new("carol"), off, stored()).unwrap().build(&SystemRandom).unwrap()
}

/// UNT3 as the period writes it: a text password in a token under CBC that nothing covers.
fn unt3() -> UsernameBuilder {
    builder().encrypt(KeyRef::IssuerSerial).period()
}

struct Server {
    plan: Plan,
    users: Users,
    replay: MemoryReplay,
}

impl Server {
    fn new(plan: &Plan) -> Server {
        Server { plan: plan.clone(), users: hashed(), replay: MemoryReplay::default() }
    }

    fn verify(&self, message: &str) -> Result<Verified, Reject> {
        let env = Env::new(&world().server, now(), &SystemRandom).with_users(&self.users);
        let env = env.with_replay(&self.replay).over(Transport::Plain);
        self.plan.verify(read(message.as_bytes())?, &env)
    }

    /// The reason, and how many slow hashes it took.
    fn refuse(&self, what: &str, message: &str) -> (R, u64) {
        let before = self.users.slow_hashes();
        match self.verify(message) {
            Ok(verified) => panic!("{what} was accepted: {verified:?}\n{message}"),
            Err(reject) => {
                assert_eq!(reject.wire(), Wire::FailedCheck, "{what}: {reject}");
                (reject.reason(), self.users.slow_hashes() - before)
            }
        }
    }
}

/// A token as an attacker writes it.
fn token(id: &str, name: &str, kind: &str, password: &str, created: &str, more: &str) -> String {
    let mut nonce = [0; 16];
    SystemRandom.fill(&mut nonce);
    let password = password.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    format!(
        "<wsse:UsernameToken xmlns:wsse=\"{WSSE}\" xmlns:wsu=\"{WSU}\" wsu:Id=\"{id}\"><wsse:Username>{name}</wsse:Username>\
         <wsse:Password Type=\"{kind}\">{password}</wsse:Password>\
         <wsse:Nonce EncodingType=\"{B64}\">{}</wsse:Nonce><wsu:Created>{created}</wsu:Created>{more}</wsse:UsernameToken>",
        base64::encode(&nonce)
    )
}

fn sound(id: &str) -> String {
    token(id, "alice", TEXT, PASSWORD, &now().to_rfc3339(), "")
}

/// Where the CipherValue's text stands in the first element of that name.
fn value(message: &str, element: &str) -> Range<usize> {
    let whole = cut(message, &format!("<xenc:{element}"), &format!("</xenc:{element}>"));
    let text = cut(whole, "<xenc:CipherValue>", "</xenc:CipherValue>");
    let text = &text["<xenc:CipherValue>".len()..text.len() - "</xenc:CipherValue>".len()];
    let start = text.as_ptr() as usize - message.as_ptr() as usize;
    start..start + text.len()
}

/// The genuine message with other octets in EncryptedKey and EncryptedData.
fn with_values(message: &str, key: &[u8], data: &[u8]) -> String {
    let mut out = message.to_owned();
    for (element, octets) in [("EncryptedKey", key), ("EncryptedData", data)] {
        let range = value(&out, element);
        out.replace_range(range, &base64::encode(octets));
    }
    out
}

/// A key of the attacker, and how it is transported.
struct Sealer {
    key: SymmetricKey,
    octets: Vec<u8>,
}

impl Sealer {
    fn new() -> Sealer {
        let mut octets = vec![0; 16];
        SystemRandom.fill(&mut octets);
        Sealer { key: SymmetricKey::new(octets.clone()), octets }
    }

    fn wrapped(&self, to: &Certificate) -> Vec<u8> {
        let oaep = OaepParams::new(DigestAlg::Sha1, MgfAlg::Mgf1Sha1);
        to.public_key().unwrap().encrypt_key(TransportAlg::Rsa15, &oaep, &self.octets).unwrap()
    }

    fn data(&self, plaintext: &[u8]) -> Vec<u8> {
        self.key.seal(CipherAlg::Aes128Cbc, plaintext, &SystemRandom).unwrap()
    }

    /// Whole blocks that end with that octet.
    fn padded(&self, plaintext: &[u8], last: u8) -> Vec<u8> {
        let mut blocks = plaintext.to_vec();
        blocks.resize(blocks.len().div_ceil(16) * 16, 0);
        *blocks.last_mut().unwrap() = last;
        let mut sealed = self.data(&blocks);
        sealed.truncate(sealed.len() - 16);
        sealed
    }
}

/// The message with such a plaintext in the token's place.
fn opening_into(message: &str, plaintext: &[u8]) -> String {
    let sealer = Sealer::new();
    with_values(message, &sealer.wrapped(&certificate("server")), &sealer.data(plaintext))
}

/// Every way in which the ciphertext of a token may be wrong, with the reasons that fit.
fn bad_ciphertexts(message: &str, id: &str) -> Vec<(&'static str, String, &'static [R])> {
    const FAILED: &[R] = &[R::EncryptionFailed];
    const FORM: &[R] = &[R::UsernamePasswordType];
    let sealer = Sealer::new();
    let (server, other) = (certificate("server"), stranger("server"));
    let (wrapped, good) = (sealer.wrapped(&server), sound(id));
    let into = |plaintext: &str| opening_into(message, plaintext.as_bytes());
    let of = |name: &str, password: &str| token(id, name, TEXT, password, &now().to_rfc3339(), "");
    let at = |created: &str| token(id, "alice", TEXT, PASSWORD, created, "");
    let digest = token(id, "alice", DIGEST, "AAAAAAAAAAAAAAAAAAAAAAAAAAA=", &now().to_rfc3339(), "");
    let child = token(id, "alice", TEXT, PASSWORD, &now().to_rfc3339(), "<x/>");
    let mut short = sealer.data(good.as_bytes());
    short.pop();
    vec![
        (
            "key for somebody else",
            with_values(message, &sealer.wrapped(&other), &sealer.data(good.as_bytes())),
            FAILED,
        ),
        ("key of nobody", with_values(message, &vec![1; 256], &sealer.data(good.as_bytes())), FAILED),
        ("padding 0", with_values(message, &wrapped, &sealer.padded(good.as_bytes(), 0)), FAILED),
        ("padding 200", with_values(message, &wrapped, &sealer.padded(good.as_bytes(), 200)), FAILED),
        ("no whole blocks", with_values(message, &wrapped, &short), FAILED),
        ("garbage", into("\u{1}\u{2}garbage"), FAILED),
        ("ill-formed", into("<a><b></a>"), FAILED),
        ("a document type", into("<!DOCTYPE a><a/>"), FAILED),
        (
            "nothing",
            into(""),
            &[
                R::EncryptionFailed,
                R::UsernameMissing,
                R::CoverageElementNotEncrypted,
                R::CoveragePartMissing,
            ],
        ),
        (
            "another element",
            into("<x:x xmlns:x=\"urn:x\"/>"),
            &[R::EncryptionUnexpected, R::EncryptionFailed],
        ),
        (
            "two tokens",
            into(&(good.clone() + &sound("second"))),
            &[R::EncryptionFailed, R::UsernameUnexpected],
        ),
        ("a token with a child too many", into(&child), &[R::UsernameMalformed]),
        ("a token with a digest", into(&digest), FORM),
        ("an old token", into(&at("2026-11-30T11:00:00Z")), &[R::UsernameExpired]),
        ("a token from the future", into(&at("2026-11-30T13:00:00Z")), &[R::UsernameFuture]),
        ("a time that is none", into(&at("yesterday")), &[R::UsernameCreated]),
        ("nobody", into(&of("nobody", PASSWORD)), &[R::UserUnknown]),
        ("the wrong password", into(&of("alice", "wrong")), &[R::UserPassword]),
        ("no password", into(&of("alice", "")), &[R::UserPassword]),
        ("somebody who is switched off", into(&of("carol", PASSWORD)), &[R::UserDisabled]),
    ]
}

#[test]
fn attack_enc_01_every_refusal_after_a_decryption_costs_one_slow_hash_of_a_password() {
    let plans = plans(unt3());
    let server = Server::new(&plans.recipient);
    let message = sent(&plans);
    let mut seen = Vec::new();
    for remembered in [false, true] {
        for (what, bad, reasons) in bad_ciphertexts(&message, "token") {
            let (reason, hashes) = server.refuse(what, &bad);
            assert!(reasons.contains(&reason), "{what}: {reason}");
            assert_eq!(hashes, 1, "{what}, {reason}");
            seen.push(reason);
        }
        let before = server.users.slow_hashes();
        server.verify(&opening_into(&message, sound("token").as_bytes())).unwrap();
        assert_eq!(server.users.slow_hashes() - before, u64::from(!remembered));
    }
    // The classes are different ones indeed.
    seen.sort_by_key(|reason| reason.code());
    seen.dedup();
    assert!(seen.len() >= 9, "{seen:?}");
}

#[test]
fn attack_enc_01_a_remembered_password_does_not_make_a_refusal_cheaper() {
    let plans = plans(unt3());
    let server = Server::new(&plans.recipient);
    let (message, before) = (sent(&plans), server.users.slow_hashes());
    server.verify(&message).unwrap();
    assert_eq!(server.users.slow_hashes() - before, 1);
    // Were a replay quicker than bad padding, the last block of a captured message could be tried octet by octet.
    for _ in 0..2 {
        assert_eq!(server.refuse("a replay", &message), (R::Replay, 1));
    }
    let range = value(&message, "EncryptedData");
    let mut data = base64::decode(&message[range.clone()]).unwrap();
    let last = data.len() - 17;
    for bit in 0..8 {
        data[last] ^= 1 << bit;
        let mut tried = message.clone();
        tried.replace_range(range.clone(), &base64::encode(&data));
        assert_eq!(server.refuse("a tried octet", &tried).1, 1);
        data[last] ^= 1 << bit;
    }
    // The Id of the plaintext is that of the Timestamp.
    let stamp = cut(&message, "<wsu:Timestamp", ">");
    let id = cut(stamp, "Id=\"", "\"").trim_start_matches("Id=\"").trim_end_matches('"');
    let twice = opening_into(&message, sound(id).as_bytes());
    assert_eq!(server.refuse("an Id that is there", &twice), (R::MessageDuplicateId, 1));
}

#[test]
fn attack_enc_01_unt4_costs_the_same_whatever_its_token_opens_into() {
    let plans = plans(unt3().sign(wse()));
    let server = Server::new(&plans.recipient);
    let message = sent(&plans);
    let signature = cut(&message, "<ds:Signature ", "</ds:Signature>");
    let named = cut(signature, "URI=\"#", "\"").trim_start_matches("URI=\"#").trim_end_matches('"');
    for remembered in [false, true] {
        for (what, bad, _) in bad_ciphertexts(&message, named) {
            let (reason, hashes) = server.refuse(what, &bad);
            assert_eq!(hashes, 1, "{what}, {reason}");
        }
        // Right in all, and not what was signed, or not where it was.
        let (reason, hashes) =
            server.refuse("another nonce", &opening_into(&message, sound(named).as_bytes()));
        assert_eq!((reason, hashes), (R::SignatureValue, 1));
        let (reason, hashes) =
            server.refuse("another Id", &opening_into(&message, sound("elsewhere").as_bytes()));
        assert_eq!(hashes, 1, "{reason}");
        let again = server.verify(&message);
        assert_eq!(again.is_ok(), !remembered);
    }
    assert_eq!(server.refuse("a replay", &message), (R::Replay, 1));
}

/// The token stands in the clear and the Body is encrypted: who is asked comes after it was opened, too.
#[test]
fn attack_enc_01_a_body_that_does_not_open_costs_what_a_password_costs() {
    let pair = crate::fixture::pair(crate::fixture::benchmark("modern-rsa"));
    let (mut out, mut inbound) = (pair.initiator.outbound().clone(), pair.recipient.inbound().clone());
    out.username = Some(bartizan_wss::plan::UsernameOut::default());
    inbound.username = Some(bartizan_wss::plan::UsernameRule::default());
    let client = Plan::new(Side::Initiator, pair.initiator.inbound().clone(), out).unwrap();
    let server = Server::new(&Plan::new(Side::Recipient, inbound, OutPlan::plain()).unwrap());
    let plans = bartizan_wss::PlanPair { initiator: client, recipient: server.plan.clone() };
    let spoilt = |message: String| {
        let range = value(&message, "EncryptedData");
        let mut data = base64::decode(&message[range.clone()]).unwrap();
        data[20] ^= 1;
        let mut out = message;
        out.replace_range(range, &base64::encode(&data));
        out
    };
    let refused = |message: &str| server.refuse("a Body", message);
    assert_eq!(refused(&spoilt(sent(&plans))), (R::EncryptionFailed, 1));
    let wrong = sent_by(&plans, "alice", "wrong", bartizan_soap::Version::Soap12);
    assert_eq!(refused(&wrong), (R::UserPassword, 1));
    assert_eq!(
        refused(&spoilt(sent_by(&plans, "alice", "wrong", bartizan_soap::Version::Soap12))),
        (R::EncryptionFailed, 1)
    );
}

#[test]
fn what_is_refused_before_a_decryption_or_needs_no_slow_hash_costs_none() {
    let pair = plans(unt3());
    let server = Server::new(&pair.recipient);
    let message = sent(&pair);
    let issuer = cut(&message, "<ds:X509SerialNumber>", "</ds:X509SerialNumber>");
    let nobody = replace(&message, issuer, "<ds:X509SerialNumber>1</ds:X509SerialNumber>");
    assert_eq!(server.refuse("a recipient that we are not", &nobody), (R::EncryptionNoKey, 0));
    let stamp = cut(&message, "<wsu:Timestamp", "</wsu:Timestamp>");
    assert_eq!(server.refuse("no Timestamp", &replace(&message, stamp, "")).1, 0);
    // Digests are compared at once, whatever the source could do.
    let digests = plans(unt3().password(PasswordForm::Digest));
    let server = Server::new(&digests.recipient);
    let message = sent(&digests);
    assert_eq!(server.refuse("a digest that only a hash is there for", &message), (R::UserNoSecret, 0));
    assert_eq!(server.refuse("garbage", &opening_into(&message, b"garbage")), (R::EncryptionFailed, 0));
}

/// Users whose source is full, and who says how often it was asked.
#[derive(Default)]
struct Full(AtomicUsize);

impl UserSource for Full {
    fn check_password(&self, _: &str, _: &[u8], _: Time) -> Result<Arc<User>, Denied> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Err(Denied::Busy)
    }

    fn secret(&self, _: &str, _: Time) -> Result<(Arc<User>, Arc<Secret>), Denied> {
        Err(Denied::NoSecret)
    }

    fn spend(&self) -> Result<(), Denied> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Err(Denied::Busy)
    }

    fn is_costly(&self) -> bool {
        true
    }
}

#[test]
fn attack_enc_01_a_full_source_turns_away_what_did_not_open_as_what_did() {
    let plans = plans(unt3());
    let message = sent(&plans);
    for (what, bad, _) in bad_ciphertexts(&message, "token") {
        let full = Full::default();
        let env = Env::new(&world().server, now(), &SystemRandom).with_users(&full);
        let reject = plans.recipient.verify(read(bad.as_bytes()).unwrap(), &env).unwrap_err();
        assert_eq!((reject.reason(), full.0.load(Ordering::Relaxed)), (R::UserBusy, 1), "{what}");
    }
}

/// Counts who waits for his turn, and turns away or not.
struct Turns(AtomicUsize, bool);

impl Aside for Turns {
    fn run(&self, work: &mut dyn FnMut()) -> bool {
        self.0.fetch_add(1, Ordering::Relaxed);
        if self.1 {
            work();
        }
        self.1
    }
}

#[test]
fn attack_tok_08_a_key_waits_for_its_turn_whoever_is_asked_for_and_whatever_opened() {
    let users = crate::username_in::users();
    for sealed in [false, true] {
        let with = builder().sign(profile());
        let with = if sealed { with.encrypt(KeyRef::IssuerSerial).period() } else { with };
        let plans = plans(with);
        let message = sent(&plans);
        let named =
            |name: &str, password: &str| sent_by(&plans, name, password, bartizan_soap::Version::Soap12);
        let mut cases = vec![
            ("nobody", named("nobody", PASSWORD), R::UserUnknown),
            ("the wrong password", named("alice", "wrong"), R::SignatureValue),
            ("switched off", named("carol", PASSWORD), R::UserDisabled),
        ];
        if sealed {
            cases.push(("garbage", opening_into(&message, b"garbage"), R::EncryptionFailed));
            cases.push((
                "a token with a password",
                opening_into(&message, sound("x").as_bytes()),
                R::UsernamePasswordType,
            ));
        }
        for open in [true, false] {
            let turns = Turns(AtomicUsize::new(0), open);
            let verify = |message: &str, derived: &DerivedKeys, replay: &MemoryReplay| {
                let env =
                    Env::new(&world().server, now(), &SystemRandom).with_users(&users).with_slow(&turns);
                let env = env.with_derived(derived).with_replay(replay).over(Transport::Plain);
                let before = turns.0.load(Ordering::Relaxed);
                let verdict = plans.recipient.verify(read(message.as_bytes()).unwrap(), &env).map(|_| ());
                (verdict.map_err(|r| r.reason()), turns.0.load(Ordering::Relaxed) - before)
            };
            let fresh = || (DerivedKeys::default(), MemoryReplay::default());
            for (what, bad, reason) in &cases {
                let (derived, replay) = fresh();
                let reason = if open { *reason } else { R::UserBusy };
                assert_eq!(verify(bad, &derived, &replay), (Err(reason), 1), "{what} {sealed}");
            }
            let (derived, replay) = fresh();
            let expected = if open { Ok(()) } else { Err(R::UserBusy) };
            assert_eq!(verify(&message, &derived, &replay), (expected, 1));
            if open {
                // The key is known now; only what was decrypted waits once more.
                assert_eq!(verify(&message, &derived, &replay), (Err(R::Replay), usize::from(sealed)));
                assert_eq!(verify(&message, &derived, &MemoryReplay::default()), (Ok(()), 0));
            }
        }
    }
}
