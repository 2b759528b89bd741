//! Endorsing signatures both ways: over the message's signature under the asymmetric and the symmetric binding, over the Timestamp under TLS;
//! by certificates and by users; who is named as what.

use bartizan_crypto::alg::{AlgSet, DigestAlg, SignatureAlg};
use bartizan_crypto::random::SystemRandom;
use bartizan_crypto::{Secret, suite};
use bartizan_keys::{Keystore, MemoryUsers};
use bartizan_soap::Draft;
use bartizan_wss::env::Transport;
use bartizan_wss::plan::symmetric::builder::derive_keys;
use bartizan_wss::plan::{
    Contradiction, Derive, Dialect, EndorsePlan, EndorseRule, Inclusion, Iterations, KeyRef, KeyRule,
    PasswordForm, Presence, Protect, SignPlan, SignedBy, StampPlan, TimestampRule, TokenRule, TokenSent,
    TransportRule, UsernameOut, UsernameRule,
};
use bartizan_wss::{
    AsymmetricBuilder, Env, Error, InPlan, Login, MemoryReplay, Need, OutPlan, Part, Plan, PlanPair,
    Protection, ProvedBy, Reason as R, Reject, Require, Secured, Side, SymmetricBuilder, Verified,
};
use bartizan_xml::c14n::C14nMethod;

use crate::fixture::{self, benchmark, certificate, draft, identity, now, pair, read, verify_reply, world};
use crate::username_in::{PASSWORD, users};

/// What an endorsing signature is to be like.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) by: SignedBy,
    pub(crate) signed: bool,
    pub(crate) encrypted: bool,
    pub(crate) protect: bool,
    /// The user's key is used through a DerivedKeyToken.
    pub(crate) derived: Option<Dialect>,
    pub(crate) sent: TokenSent,
}

impl Shape {
    pub(crate) fn x509() -> Shape {
        Shape {
            by: SignedBy::X509,
            signed: false,
            encrypted: false,
            protect: false,
            derived: None,
            sent: TokenSent::X509,
        }
    }

    pub(crate) fn user() -> Shape {
        Shape { by: SignedBy::UsernameToken, sent: TokenSent::No, ..Shape::x509() }
    }

    pub(crate) fn rule(self) -> EndorseRule {
        let protect = if self.protect { Protect::Token } else { Protect::No };
        let inclusion = if self.by == SignedBy::X509 && self.sent != TokenSent::No {
            Inclusion::Must
        } else {
            Inclusion::Any
        };
        let by_certificate = self.by == SignedBy::X509;
        EndorseRule {
            by: self.by,
            token: TokenRule { protect, inclusion, ..TokenRule::default() },
            parts: Vec::new(),
            derived: if self.derived.is_some() { Presence::Must } else { Presence::MustNot },
            signed: self.signed && by_certificate,
            encrypted: self.encrypted && by_certificate,
        }
    }

    fn plan(self, suite: &suite::Suite, parts: Vec<Part>) -> EndorsePlan {
        let by_certificate = self.by == SignedBy::X509;
        let method = if by_certificate {
            suite.signature(suite::SignatureReading::Specification)
        } else {
            suite.symmetric_signature
        };
        let reference = if self.by == SignedBy::X509 && self.sent == TokenSent::No {
            KeyRef::ThumbprintSha1
        } else {
            KeyRef::Direct
        };
        EndorsePlan {
            sign: SignPlan {
                parts,
                method,
                digest: suite.digest,
                c14n: C14nMethod::Exclusive,
                by: self.by,
                reference,
                token: self.sent,
            },
            derived: self.derived.map(|dialect| derive_keys(suite, dialect)),
            signed: self.signed && by_certificate,
            encrypted: self.encrypted && by_certificate,
            protect: self.protect,
        }
    }
}

/// What a user who endorses sends, and what is demanded of it.
fn user() -> (UsernameRule, UsernameOut) {
    let keys = KeyRule { wse: None, profile: Some(Iterations::default()) };
    let rule = UsernameRule {
        passwords: Vec::new(),
        keys: Some(keys),
        may_be_encrypted: true,
        ..UsernameRule::default()
    };
    let derive = Some(Derive::Profile { iterations: 1000 });
    (rule, UsernameOut { password: PasswordForm::Absent, derive, ..UsernameOut::default() })
}

/// The plans with a request that is endorsed.
pub(crate) fn endorsed(plans: &PlanPair, suite: &str, shapes: &[Shape]) -> PlanPair {
    try_endorsed(plans, suite, shapes).unwrap_or_else(|e| panic!("{shapes:?}: {e}"))
}

fn try_endorsed(plans: &PlanPair, suite: &str, shapes: &[Shape]) -> Result<PlanPair, Error> {
    let suite = suite::by_name(suite).unwrap();
    let mut inbound: InPlan = plans.recipient.inbound().clone();
    let mut outbound: OutPlan = plans.initiator.outbound().clone();
    inbound.open = false;
    for shape in shapes {
        inbound.endorse.push(shape.rule());
        let parts = if inbound.transport.is_some() { vec![Part::Timestamp] } else { Vec::new() };
        outbound.endorse.push(shape.plan(suite, parts));
        if shape.by == SignedBy::UsernameToken {
            let (rule, sent) = user();
            inbound.username = Some(rule);
            outbound.username = Some(sent);
            let need = |wanted| if wanted { Need::Must } else { Need::No };
            if shape.signed || shape.encrypted {
                inbound.required.push(Require {
                    part: Part::UsernameToken,
                    signed: need(shape.signed),
                    encrypted: need(shape.encrypted),
                    how: bartizan_wss::EncryptHow::Content,
                });
            }
            if let (true, Some(sign)) = (shape.signed, &mut outbound.sign) {
                sign.parts.push(Part::UsernameToken);
            }
            if let (true, Some(encrypt)) = (shape.encrypted, &mut outbound.encrypt) {
                let how = bartizan_wss::EncryptHow::Element;
                encrypt.parts.push(bartizan_wss::EncryptPart { part: Part::UsernameToken, how });
            }
        }
    }
    Ok(PlanPair {
        initiator: Plan::new(Side::Initiator, plans.initiator.inbound().clone(), outbound)?,
        recipient: Plan::new(Side::Recipient, inbound, plans.recipient.outbound().clone())?,
    })
}

/// A client with two certificates: the second endorses what the first signs.
pub(crate) fn client() -> Keystore {
    let world = world();
    Keystore::builder()
        .identity(identity("client"))
        .identity(identity("client2"))
        .peer(certificate("server"))
        .trust(world.client.trust().clone())
        .build()
        .unwrap()
}

pub(crate) fn asymmetric(suite: &str) -> PlanPair {
    pair(benchmark(suite).timestamp(TimestampRule::default()))
}

pub(crate) fn symmetric(suite: &str) -> PlanPair {
    crate::symmetric::builder(suite).timestamp(TimestampRule::default()).build().unwrap()
}

/// TLS and a Timestamp.
pub(crate) fn transport(suite: &str, shapes: &[Shape]) -> PlanPair {
    let rule = TimestampRule::default();
    let algorithms: AlgSet =
        suite::by_name(suite).unwrap().algorithms(suite::SignatureReading::Specification);
    let inbound = InPlan {
        algorithms,
        transport: Some(TransportRule::default()),
        timestamp: Some(rule),
        open_parts: Vec::new(),
        ..InPlan::open()
    };
    let outbound =
        OutPlan { timestamp: Some(StampPlan::lasting(rule.ttl)), over_tls: true, ..OutPlan::plain() };
    let back = InPlan { transport: Some(TransportRule::default()), open_parts: Vec::new(), ..InPlan::open() };
    let plans = PlanPair {
        initiator: Plan::new(Side::Initiator, back, outbound.clone()).unwrap(),
        recipient: Plan::new(Side::Recipient, inbound, OutPlan { timestamp: None, ..outbound }).unwrap(),
    };
    endorsed(&plans, suite, shapes)
}

pub(crate) const TLS: Transport<'static> = Transport::Tls { client: None };

pub(crate) fn send_as(plans: &PlanPair, name: &str, password: &str) -> Result<Secured, Error> {
    let login = Login { name: name.into(), password: Secret::new(password.as_bytes().to_vec()) };
    let keys = client();
    plans.initiator.secure(draft(), &Env::new(&keys, now(), &SystemRandom).as_user(&login).over(TLS), None)
}

pub(crate) fn send(plans: &PlanPair) -> String {
    fixture::text(send_as(plans, "alice", PASSWORD).unwrap())
}

/// What the server makes of it: over TLS if the plan asks for that.
pub(crate) fn receive(plan: &Plan, message: &str) -> Result<Verified, Reject> {
    receive_with(plan, message, &users(), &MemoryReplay::default())
}

pub(crate) fn receive_with(
    plan: &Plan,
    message: &str,
    users: &MemoryUsers,
    replay: &MemoryReplay,
) -> Result<Verified, Reject> {
    let transport = if plan.inbound().transport.is_some() { TLS } else { Transport::Plain };
    let env = Env::new(&world().server, now(), &SystemRandom).with_users(users).with_replay(replay);
    plan.verify(read(message.as_bytes())?, &env.over(transport))
}

#[track_caller]
pub(crate) fn accepted(plans: &PlanPair, message: &str) -> Verified {
    receive(&plans.recipient, message).unwrap_or_else(|r| panic!("{r}"))
}

fn of_each_kind(by: Shape) -> Vec<Shape> {
    let mut all = Vec::new();
    for (signed, encrypted) in [(false, false), (true, false), (false, true), (true, true)] {
        for protect in [false, true] {
            all.push(Shape { signed, encrypted, protect, ..by });
            if by.by == SignedBy::UsernameToken {
                let derived = Some(if signed { Dialect::V2005 } else { Dialect::V13 });
                all.push(Shape { signed, encrypted, protect, derived, ..by });
            }
        }
    }
    all
}

fn names(verified: &Verified) -> Vec<(String, ProvedBy)> {
    verified.endorsers().iter().map(|c| (c.name().to_owned(), c.proved_by())).collect()
}

fn subject(name: &str) -> String {
    certificate(name).subject_text().to_owned()
}

#[test]
fn certificate_endorses_the_signature_of_another_and_is_no_sender() {
    for suite in ["Basic256", "Basic256Sha256", "modern-rsa"] {
        for shape in of_each_kind(Shape::x509()) {
            let plans = endorsed(&asymmetric(suite), suite, &[shape]);
            let request = send_as(&plans, "alice", PASSWORD).unwrap();
            assert_eq!(request.sent.values().len(), 2, "{shape:?}");
            let message = String::from_utf8(request.message.bytes().to_vec()).unwrap();
            let verified = accepted(&plans, &message);
            let caller = verified.caller().unwrap();
            assert_eq!((caller.name(), caller.proved_by()), (&*subject("client"), ProvedBy::X509Signature));
            assert_eq!(names(&verified), [(subject("client2"), ProvedBy::X509Endorsement)], "{shape:?}");
            assert_eq!(verified.body_protection(), Some(Protection::Signature(0)));
            assert_eq!(verified.context().signatures().len(), 2);
            assert!(verified.context().warnings().is_empty(), "{:?}", verified.context().warnings());
            // The reply is for who signed, and confirms both.
            assert_eq!(verified.request_facts().requester().unwrap().der(), certificate("client").der());
            let env = Env::new(&world().server, now(), &SystemRandom);
            let answer = Draft::new(verified.version()).with_body(b"<r:a xmlns:r=\"urn:r\"></r:a>".to_vec());
            let answer = plans.recipient.secure(answer, &env, Some(verified.request_facts())).unwrap();
            let shown =
                verify_reply(&plans.initiator, &world().client, answer.message.bytes(), &request.sent);
            let shown = shown.unwrap_or_else(|r| panic!("{shape:?}: {r}"));
            assert_eq!((shown.context().confirmed(), shown.endorsers().len()), (2, 0));
        }
    }
}

#[test]
fn certificate_that_endorses_a_secret_of_anybodys_says_who_sent_it() {
    for suite in ["Basic256", "Basic256Sha256", "modern-rsa"] {
        for derived in [None, Some(Dialect::V13), Some(Dialect::V2005)] {
            for shape in of_each_kind(Shape::x509()) {
                let builder = crate::symmetric::builder(suite).timestamp(TimestampRule::default());
                let plans = derived.iter().fold(builder, |b, d| b.derived(*d)).build().unwrap();
                let plans = endorsed(&plans, suite, &[shape]);
                assert!(!plans.recipient.inbound().open);
                let verified = accepted(&plans, &send(&plans));
                let caller = verified.caller().unwrap();
                assert_eq!(
                    (caller.name(), caller.proved_by()),
                    (&*subject("client"), ProvedBy::X509Endorsement)
                );
                assert_eq!(names(&verified), [(subject("client"), ProvedBy::X509Endorsement)]);
                assert!(verified.request_facts().requester().is_none());
            }
        }
    }
}

#[test]
fn user_endorses_with_a_key_of_his_password() {
    for suite in ["Basic256", "Basic256Sha256", "modern-rsa"] {
        for shape in of_each_kind(Shape::user()) {
            if suite != "modern-rsa" && shape.encrypted && !shape.signed && !shape.protect {
                continue;
            }
            let plans = endorsed(&asymmetric(suite), suite, &[shape]);
            let verified = accepted(&plans, &send(&plans));
            assert_eq!(verified.caller().unwrap().name(), subject("client"), "{shape:?}");
            assert_eq!(names(&verified), [("alice".to_owned(), ProvedBy::UsernameEndorsement)], "{shape:?}");
            assert!(verified.context().warnings().is_empty(), "{:?}", verified.context().warnings());
            let plans = endorsed(&symmetric(suite), suite, &[shape]);
            let message = send(&plans);
            assert_eq!(message.contains("alice"), !shape.encrypted);
            let verified = accepted(&plans, &message);
            let caller = verified.caller().unwrap();
            assert_eq!(
                (caller.name(), caller.proved_by()),
                ("alice", ProvedBy::UsernameEndorsement),
                "{shape:?}"
            );
            assert_eq!(caller.groups(), ["staff", "night"]);
        }
    }
}

#[test]
fn token_of_a_user_under_cbc_is_under_a_signature_or_refused() {
    for (protect, signed) in [(false, false), (true, false), (false, true)] {
        let shape = Shape { encrypted: true, protect, signed, ..Shape::user() };
        for plans in [asymmetric("Basic256"), symmetric("Basic256")] {
            let plans = endorsed(&plans, "Basic256", &[shape]);
            let verdict = receive(&plans.recipient, &send(&plans)).map(drop).map_err(|r| r.reason());
            let expected = if protect || signed { Ok(()) } else { Err(R::EncryptionUnprotected) };
            assert_eq!(verdict, expected, "{shape:?}");
        }
    }
}

#[test]
fn user_and_certificate_endorse_together() {
    let shapes = [Shape { signed: true, ..Shape::x509() }, Shape { encrypted: true, ..Shape::user() }];
    for plans in [asymmetric("modern-rsa"), symmetric("modern-rsa")] {
        let plans = endorsed(&plans, "modern-rsa", &shapes);
        let verified = accepted(&plans, &send(&plans));
        let proved: Vec<ProvedBy> = verified.endorsers().iter().map(|c| c.proved_by()).collect();
        assert_eq!(proved, [ProvedBy::X509Endorsement, ProvedBy::UsernameEndorsement]);
    }
}

#[test]
fn signatures_that_are_encrypted_are_endorsed_as_they_were() {
    for by in [Shape::x509(), Shape::user()] {
        for shape in of_each_kind(by) {
            let asymmetric =
                pair(benchmark("modern-rsa").timestamp(TimestampRule::default()).encrypt(Part::Signature));
            let symmetric = crate::symmetric::builder("modern-rsa").encrypt(Part::Signature).build().unwrap();
            for plans in [asymmetric, symmetric] {
                let plans = endorsed(&plans, "modern-rsa", &[shape]);
                let message = send(&plans);
                assert!(!message.contains("<ds:Signature "), "{message}");
                assert_eq!(accepted(&plans, &message).endorsers().len(), 1, "{shape:?}");
            }
        }
    }
}

#[test]
fn signature_over_ciphertext_is_endorsed_where_no_token_is_encrypted() {
    use bartizan_wss::plan::ProtectionOrder::EncryptBeforeSign;
    for by in [Shape::x509(), Shape::user()] {
        for shape in of_each_kind(by) {
            let asymmetric = pair(benchmark("Basic256").order(EncryptBeforeSign));
            let symmetric = crate::symmetric::builder("Basic256").order(EncryptBeforeSign).build().unwrap();
            for plans in [asymmetric, symmetric] {
                let plans = try_endorsed(&plans, "Basic256", &[shape]);
                match (plans, shape.encrypted) {
                    (Ok(plans), false) => {
                        assert_eq!(accepted(&plans, &send(&plans)).endorsers().len(), 1, "{shape:?}");
                    }
                    (Err(Error::PlanContradiction(Contradiction::CannotEncrypt)), true) => {}
                    (other, _) => panic!("{shape:?}: {}", other.is_ok()),
                }
            }
        }
    }
}

#[test]
fn timestamp_is_endorsed_where_tls_protects_the_message() {
    for suite in ["Basic128", "Basic256Sha256", "modern-rsa"] {
        for sent in [TokenSent::X509, TokenSent::PkiPath, TokenSent::No] {
            let plans = transport(suite, &[Shape { sent, ..Shape::x509() }]);
            let verified = accepted(&plans, &send(&plans));
            let caller = verified.caller().unwrap();
            assert_eq!((caller.name(), caller.proved_by()), (&*subject("client"), ProvedBy::X509Endorsement));
            assert_eq!(verified.body_protection(), Some(Protection::Transport));
        }
        let plans = transport(suite, &[Shape::user()]);
        let verified = accepted(&plans, &send(&plans));
        assert_eq!(names(&verified), [("alice".to_owned(), ProvedBy::UsernameEndorsement)]);
        assert_eq!(verified.caller().unwrap().name(), "alice");
        assert!(verified.context().warnings().is_empty(), "{:?}", verified.context().warnings());
    }
}

#[test]
fn parts_that_an_endorser_signs_over_tls_are_demanded_of_him() {
    let to = Part::header("http://www.w3.org/2005/08/addressing", "To");
    for shape in [Shape::x509(), Shape::user()] {
        let bare = transport("modern-rsa", &[shape]);
        let mut out = bare.initiator.outbound().clone();
        out.endorse[0].sign.parts.extend([to.clone(), Part::Body]);
        let mut inbound = bare.recipient.inbound().clone();
        inbound.endorse[0].parts = vec![to.clone(), Part::Body];
        let plans = PlanPair {
            initiator: Plan::new(Side::Initiator, bare.initiator.inbound().clone(), out).unwrap(),
            recipient: Plan::new(Side::Recipient, inbound, bare.recipient.outbound().clone()).unwrap(),
        };
        let message = |plans: &PlanPair| {
            let login = Login { name: "alice".into(), password: Secret::new(PASSWORD.as_bytes().to_vec()) };
            let keys = client();
            let env = Env::new(&keys, now(), &SystemRandom).as_user(&login).over(TLS);
            let draft =
                fixture::rich_draft(bartizan_soap::Version::Soap12).with_body(fixture::PAYLOAD.into());
            let text = fixture::text(plans.initiator.secure(draft, &env, None).unwrap());
            text.replace(" soap:mustUnderstand=\"true\">secret", ">secret")
        };
        let signed = message(&plans);
        let verified = accepted(&plans, &signed);
        assert_eq!(verified.context().signatures()[0].covers.len(), 3);
        assert_eq!(verified.body_protection(), Some(Protection::Transport));
        let moved = fixture::replace(&signed, ">urn:somewhere<", ">urn:elsewhere<");
        assert_eq!(receive(&plans.recipient, &moved).unwrap_err().reason(), R::SignatureDigest);
        let other = fixture::replace(&signed, ">test me<", ">test us<");
        assert_eq!(receive(&plans.recipient, &other).unwrap_err().reason(), R::SignatureDigest);
        // An endorsement of the Timestamp alone does not do.
        let reject = receive(&plans.recipient, &message(&bare)).unwrap_err();
        assert_eq!(reject.reason(), R::CoverageHeaderNotSigned, "{reject}");
        // A second header of that name would be read, and is covered by nothing.
        let block = fixture::cut(&signed, "<wsa:To", "</wsa:To>");
        let id = fixture::cut(block, "wsu:Id=\"", "\"");
        let twin = block.replace(id, "wsu:Id=\"twin\"");
        let doubled = fixture::replace(&signed, block, &format!("{block}{twin}"));
        let reject = receive(&plans.recipient, &doubled).unwrap_err();
        assert_eq!(reject.reason(), R::CoverageHeaderNotSigned, "{reject}");
        accepted(&bare, &signed);
    }
}

#[test]
fn user_with_a_password_beside_a_certificate_that_endorses_is_the_sender_over_tls() {
    let plans = transport("Basic256", &[Shape::x509()]);
    let mut inbound = plans.recipient.inbound().clone();
    inbound.username = Some(UsernameRule::default());
    let mut outbound = plans.initiator.outbound().clone();
    outbound.username = Some(UsernameOut::default());
    let plans = PlanPair {
        initiator: Plan::new(Side::Initiator, plans.initiator.inbound().clone(), outbound).unwrap(),
        recipient: Plan::new(Side::Recipient, inbound, plans.recipient.outbound().clone()).unwrap(),
    };
    let verified = accepted(&plans, &send(&plans));
    assert_eq!(verified.caller().unwrap().name(), "alice");
    assert_eq!(names(&verified), [(subject("client"), ProvedBy::X509Endorsement)]);
}

#[test]
fn certificate_endorses_what_the_key_of_a_user_protects() {
    let (rule, sent) = (UsernameRule::deriving(Iterations::default()), UsernameOut::deriving(1000));
    let plans =
        SymmetricBuilder::new(suite::by_name("Basic128").unwrap()).sign(Part::Body).encrypt(Part::Body);
    let plans = plans.timestamp(TimestampRule::default()).derived(Dialect::V13).by_user(rule, sent).build();
    let plans = endorsed(&plans.unwrap(), "Basic128", &[Shape { signed: true, ..Shape::x509() }]);
    let verified = accepted(&plans, &send(&plans));
    let caller = verified.caller().unwrap();
    assert_eq!((caller.name(), caller.proved_by()), ("alice", ProvedBy::UsernameSignature));
    assert_eq!(names(&verified), [(subject("client"), ProvedBy::X509Endorsement)]);
    // The user whose key protects does not endorse it, too.
    let contradiction = try_endorsed(&plans, "Basic128", &[Shape::user()]).map(drop);
    assert!(matches!(contradiction, Err(Error::PlanContradiction(_))), "{contradiction:?}");
}

#[test]
fn sender_with_one_key_does_not_endorse_himself() {
    let plans = endorsed(&asymmetric("Basic256"), "Basic256", &[Shape::x509()]);
    let verdict = plans.initiator.secure(draft(), &Env::new(&world().client, now(), &SystemRandom), None);
    assert!(matches!(verdict, Err(Error::NoEndorser)));
}

#[test]
fn plan_that_endorses_nothing_or_by_nobody_is_none() {
    let by = |plans: &PlanPair, by: SignedBy| {
        let mut inbound = plans.recipient.inbound().clone();
        inbound.endorse.push(EndorseRule::by(by));
        Plan::new(Side::Recipient, inbound, OutPlan::plain())
    };
    let contradiction = |plan: Result<Plan, Error>, what| {
        assert!(matches!(plan, Err(Error::PlanContradiction(found)) if found == what));
    };
    contradiction(by(&asymmetric("Basic256"), SignedBy::Secret), Contradiction::EndorsedByNobody);
    // Without a rule for the user's key.
    contradiction(by(&asymmetric("Basic256"), SignedBy::UsernameToken), Contradiction::EndorsedByNobody);
    let twice = try_endorsed(&asymmetric("Basic256"), "Basic256", &[Shape::x509(), Shape::x509()]);
    assert!(matches!(twice, Err(Error::PlanContradiction(Contradiction::EndorsedByNobody))));
    let encrypted = AsymmetricBuilder::new(suite::by_name("Basic256").unwrap()).encrypt(Part::Body).open();
    let unsigned = by(&encrypted.build().unwrap(), SignedBy::X509);
    contradiction(unsigned, Contradiction::EndorsesNothing);
    let mut unstamped: InPlan = transport("Basic256", &[Shape::x509()]).recipient.inbound().clone();
    unstamped.timestamp = None;
    contradiction(Plan::new(Side::Recipient, unstamped, OutPlan::plain()), Contradiction::EndorsesNothing);
    let alone = OutPlan {
        endorse: vec![Shape::x509().plan(suite::by_name("Basic256").unwrap(), Vec::new())],
        ..OutPlan::plain()
    };
    contradiction(Plan::new(Side::Initiator, InPlan::open(), alone), Contradiction::EndorsesNothing);
}

#[test]
fn algorithms_of_an_endorsing_signature_are_those_of_the_plan() {
    let plans = endorsed(&symmetric("Basic256Sha256"), "Basic256Sha256", &[Shape::x509()]);
    let mut out = plans.initiator.outbound().clone();
    out.endorse[0].sign.digest = DigestAlg::Sha512;
    let message = |out| {
        let initiator = Plan::new(Side::Initiator, plans.initiator.inbound().clone(), out).unwrap();
        send(&PlanPair { initiator, recipient: plans.recipient.clone() })
    };
    let reject = receive(&plans.recipient, &message(out.clone())).unwrap_err();
    assert_eq!(reject.reason(), R::SignatureAlgorithm);
    out.endorse[0].sign.digest = DigestAlg::Sha256;
    out.endorse[0].sign.method = SignatureAlg::RsaSha512;
    assert_eq!(receive(&plans.recipient, &message(out)).unwrap_err().reason(), R::SignatureAlgorithm);
}
