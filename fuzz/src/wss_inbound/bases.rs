//! The genuine messages: suites × shapes of plans × SOAP versions, made when first asked for.

use std::sync::OnceLock;

use bartizan_crypto::suite;
use bartizan_keys::Keystore;
use bartizan_soap::{Block, Draft, Version};
use bartizan_wss::plan::{
    HeaderRule, KeyRef, Layout, PlanPair, ProtectionOrder, Targets, TimestampRule, TokenSent,
};
use bartizan_wss::{AsymmetricBuilder, Env, Part, SentSignatures};

use super::{Shown, seal, verify};
use crate::world::{Steady, keys, now};

const SUITES: [&str; 5] = ["modern-rsa", "modern-ec", "Basic256", "Basic128Sha256Rsa15", "TripleDes"];
const SHAPES: usize = 8;
const BASES: usize = SUITES.len() * SHAPES * 2;
const SEALED: usize = 4;

/// A request with its reply, and everything to judge what an edited one shows.
pub(crate) struct Base {
    pub(crate) plans: PlanPair,
    pub(crate) request: Vec<u8>,
    pub(crate) reply: Vec<u8>,
    pub(crate) sent: SentSignatures,
    pub(crate) shown: Shown,
    pub(crate) reply_shown: Shown,
    pub(crate) client: &'static str,
    pub(crate) server: &'static str,
    pub(crate) client_keys: &'static Keystore,
    pub(crate) server_keys: &'static Keystore,
}

/// A message that is signed in the clear, to be edited and then encrypted by anybody.
pub(crate) struct SealedBase {
    pub(crate) base: Base,
    pub(crate) plain: Vec<u8>,
    pub(crate) seal: seal::Seal,
}

/// The keys of one kind: client, server.
struct Sides {
    client: Keystore,
    server: Keystore,
}

fn sides(elliptic: bool) -> &'static Sides {
    static SIDES: [OnceLock<Sides>; 2] = [OnceLock::new(), OnceLock::new()];
    let (client, server) = names(elliptic);
    SIDES[usize::from(elliptic)]
        .get_or_init(|| Sides { client: keys(client, server), server: keys(server, client) })
}

fn names(elliptic: bool) -> (&'static str, &'static str) {
    if elliptic { ("client-ec", "server-ec") } else { ("client", "server") }
}

/// The base of a number.
pub(crate) fn base(n: usize) -> &'static Base {
    static MADE: [OnceLock<Base>; BASES] = [const { OnceLock::new() }; BASES];
    let n = n % BASES;
    MADE[n].get_or_init(|| {
        let (suite, shape, old) = (SUITES[n % SUITES.len()], n / SUITES.len() % SHAPES, n >= BASES / 2);
        let builder = builder(suite, shape, old);
        make(builder.build().expect("a plan"), suite, draft(old, shape), old)
    })
}

/// The sealed base of a number.
pub(crate) fn sealed(n: usize) -> &'static SealedBase {
    static MADE: [OnceLock<SealedBase>; SEALED] = [const { OnceLock::new() }; SEALED];
    let n = n % SEALED;
    MADE[n].get_or_init(|| {
        let (suite, old) = (["modern-rsa", "Basic256", "Basic128Sha256Rsa15", "TripleDes"][n], n % 2 == 1);
        let header = HeaderRule { layout: Layout::Lax, targets: Targets::Whole, ..HeaderRule::default() };
        let clear = AsymmetricBuilder::new(suite::by_name(suite).expect("known"))
            .sign(Part::Body)
            .sign(Part::header("urn:h", "h"))
            .timestamp(TimestampRule::default())
            .understand("urn:h", "h")
            .header(header);
        let encrypted = clear.clone().encrypt(Part::Body).build().expect("a plan");
        let base = make(clear.build().expect("a plan"), suite, draft(old, 1), old);
        let seal = seal::Seal::new(suite);
        let plain = base.request.clone();
        let sealed = SealedBase { base: Base { plans: encrypted, ..base }, plain, seal };
        let octets = seal::sealed(&sealed, &sealed.plain);
        let verified = verify(&sealed.base.plans.recipient, sealed.base.server_keys, &octets, None);
        let verified = verified.unwrap_or_else(|r| panic!("{r}\n{}", String::from_utf8_lossy(&octets)));
        sealed.base.shown.check(&verified, &octets);
        sealed
    })
}

fn version(old: bool) -> Version {
    if old { Version::Soap11 } else { Version::Soap12 }
}

fn builder(suite: &str, shape: usize, old: bool) -> AsymmetricBuilder {
    let lax = HeaderRule { layout: Layout::Lax, targets: Targets::Whole, ..HeaderRule::default() };
    let any = HeaderRule { layout: Layout::Lax, targets: Targets::Any, ..HeaderRule::default() };
    let h = || Part::header("urn:h", "h");
    let builder = AsymmetricBuilder::new(suite::by_name(suite).expect("known")).sign(Part::Body);
    let builder = builder.understand("urn:h", "h");
    match shape {
        0 => builder.timestamp(TimestampRule::default()),
        1 => builder.encrypt(Part::Body).confirmation(),
        2 => {
            builder.sign(h()).encrypt(Part::Body).encrypt(Part::Signature).timestamp(TimestampRule::default())
        }
        3 => builder
            .encrypt(Part::Body)
            .order(ProtectionOrder::EncryptBeforeSign)
            .timestamp(TimestampRule::default()),
        4 => builder.sign(h()).encrypt(h()).encrypt(Part::Body).header(lax).confirmation(),
        5 => builder
            .initiator_key(TokenSent::PkiPath, KeyRef::Direct)
            .recipient_key(TokenSent::X509, KeyRef::Direct)
            .protect_tokens()
            .header(any)
            .timestamp(TimestampRule::default()),
        6 => builder
            .initiator_key(TokenSent::No, KeyRef::Embedded)
            .recipient_key(TokenSent::No, KeyRef::IssuerSerial)
            .sign(Part::Headers)
            .encrypt(Part::Body)
            .header(any),
        _ => {
            let resolve = |prefix: &str| {
                Some(if prefix == "s" { version(old).namespace().to_owned() } else { "urn:o".to_owned() })
            };
            let line = Part::element("/s:Envelope/s:Body/o:order/o:line", &resolve).expect("a path");
            builder.sign(line).sign(h()).initiator_key(TokenSent::No, KeyRef::ThumbprintSha1).header(any)
        }
    }
}

fn draft(old: bool, shape: usize) -> Draft {
    let version = version(old);
    let (soap, must) = (version.namespace(), version.true_text());
    let header =
        format!("<h:h xmlns:h=\"urn:h\" xmlns:soap=\"{soap}\" soap:mustUnderstand=\"{must}\">head</h:h>");
    let to = "<wsa:To xmlns:wsa=\"http://www.w3.org/2005/08/addressing\">urn:somewhere</wsa:To>";
    let body = "<o:order xmlns:o=\"urn:o\" id=\"1\"><o:line id=\"1\">Καλημέρα &amp; 😀</o:line><card xmlns=\"urn:card\" a=\"1 &lt; 2\">4711</card></o:order>";
    let draft = Draft::new(version).with_body(body.into());
    let draft = draft.with_block(Block::new("urn:h", "h", header.into()));
    if shape % 2 == 0 {
        draft
    } else {
        draft.with_block(Block::new("http://www.w3.org/2005/08/addressing", "To", to.into()))
    }
}

fn make(plans: PlanPair, suite: &str, draft: Draft, old: bool) -> Base {
    let elliptic = suite == "modern-ec";
    let (sides, random) = (sides(elliptic), Steady::default());
    let secured =
        plans.initiator.secure(draft, &Env::new(&sides.client, now(), &random), None).expect("secured");
    let request = secured.message.bytes().to_vec();
    let text = |octets: &[u8]| String::from_utf8_lossy(octets).into_owned();
    let verified = verify(&plans.recipient, &sides.server, &request, None);
    let verified = verified.unwrap_or_else(|reject| panic!("{suite}: {reject}\n{}", text(&request)));
    let env = Env::new(&sides.server, now(), &random);
    let answer = self::draft(old, 0);
    let reply = plans.recipient.secure(answer, &env, Some(verified.request_facts())).expect("secured");
    let reply = reply.message.bytes().to_vec();
    let answered = verify(&plans.initiator, &sides.client, &reply, Some(&secured.sent));
    let answered = answered.unwrap_or_else(|reject| panic!("{suite}: {reject}\n{}", text(&reply)));
    let (client, server) = names(elliptic);
    Base {
        shown: Shown::of(&verified),
        reply_shown: Shown::of(&answered),
        plans,
        request,
        reply,
        sent: secured.sent,
        client,
        server,
        client_keys: &sides.client,
        server_keys: &sides.server,
    }
}
