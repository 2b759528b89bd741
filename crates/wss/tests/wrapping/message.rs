//! M0, E0, U2, U4 and S0: the genuine messages, the plans that receive them, and what their signer signed.

use std::ops::Range;

use bartizan_crypto::Secret;
use bartizan_crypto::random::SystemRandom;
use bartizan_keys::{Certificate, MemoryUsers};
use bartizan_soap::{Block, Draft, Version};
use bartizan_wss::context::TimestampEvidence;
use bartizan_wss::plan::{
    Derive, Dialect, HeaderRule, InPlan, KeyRef, Layout, Plan, PlanPair, ProtectionOrder, Side, Targets,
    TimestampRule, UsernameOut, UsernameRule,
};
use bartizan_wss::{
    AsymmetricBuilder, DerivedKeys, Env, Keep, Login, MemoryReplay, Need, Part, Reject, SymmetricBuilder,
    UsernameBuilder, Verified,
};
use bartizan_xml::{Budget, Document, Element, Limits, Profile};

use crate::fixture::{self, PAYLOAD, World, cut, now, read, replace};

pub(crate) const WSA: &str = "http://www.w3.org/2005/08/addressing";
pub(crate) const SOAP: &str = "http://www.w3.org/2003/05/soap-envelope";
pub(crate) const WSSE: &str =
    "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd";
pub(crate) const WSU: &str =
    "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd";

/// Every prefix that moved parts and hosts use is bound on the Envelope, which is in no digest: a move unbinds none.
const PREFIXES: [(&str, &str); 9] = [
    ("wsse", WSSE),
    ("wsu", WSU),
    ("wsa", WSA),
    ("ds", "http://www.w3.org/2000/09/xmldsig#"),
    ("xenc", "http://www.w3.org/2001/04/xmlenc#"),
    ("wsse11", "http://docs.oasis-open.org/wss/oasis-wss-wssecurity-secext-1.1.xsd"),
    ("wsc", "http://docs.oasis-open.org/ws-sx/ws-secureconversation/200512"),
    ("saml", "urn:oasis:names:tc:SAML:2.0:assertion"),
    ("samlp", "urn:oasis:names:tc:SAML:2.0:protocol"),
];

/// How many parts each message has.
pub(crate) const PARTS: usize = 6;

/// The signed parts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Signed {
    Body,
    Timestamp,
    To,
    Action,
    MessageId,
    /// The BinarySecurityToken.
    Token,
    /// A UsernameToken in the clear.
    User,
    /// A UsernameToken that is encrypted: what moves is its EncryptedData, which no signature names; the plaintext is what is signed.
    Sealed,
}

impl Signed {
    /// The parts of a message whose token is this.
    fn with(token: Signed) -> [Signed; PARTS] {
        [Signed::Body, Signed::Timestamp, Signed::To, Signed::Action, Signed::MessageId, token]
    }

    /// Namespace and local name.
    pub(crate) fn name(self) -> (&'static str, &'static str) {
        match self {
            Signed::Body => (SOAP, "Body"),
            Signed::Timestamp => (WSU, "Timestamp"),
            Signed::To => (WSA, "To"),
            Signed::Action => (WSA, "Action"),
            Signed::MessageId => (WSA, "MessageID"),
            Signed::Token => (WSSE, "BinarySecurityToken"),
            Signed::User => (WSSE, "UsernameToken"),
            Signed::Sealed => ("http://www.w3.org/2001/04/xmlenc#", "EncryptedData"),
        }
    }

    /// Names of its ancestors below the Envelope.
    pub(crate) fn way(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Signed::Body => &[],
            Signed::To | Signed::Action | Signed::MessageId => &[(SOAP, "Header")],
            Signed::Timestamp | Signed::Token | Signed::User | Signed::Sealed => {
                &[(SOAP, "Header"), (WSSE, "Security")]
            }
        }
    }
}

/// An element of the message by its octets.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// The path, for reports.
    pub(crate) path: String,
    pub(crate) span: Range<usize>,
    /// Where a child may be put: before each child element and behind the last, or before and behind the text.
    pub(crate) gaps: Vec<usize>,
}

/// A genuine message, who receives it, and what must be shown of it.
pub(crate) struct Base {
    pub(crate) world: &'static World,
    /// Signs and demands what M0 signs; headers if they are there, as WS-SecurityPolicy has it; a signature may point at anything.
    pub(crate) plan: Plan,
    /// The same, and the headers must be there.
    pub(crate) strict: Plan,
    pub(crate) text: String,
    /// Its elements, the parts among them.
    pub(crate) elements: Vec<Place>,
    /// Its parts, and the span of each.
    pub(crate) kinds: [Signed; PARTS],
    pub(crate) parts: Vec<Range<usize>>,
    pub(crate) signature: Range<usize>,
    /// The EncryptedKey of E0, and what a second message of the same sender has in the place of it and of the Body's content.
    pub(crate) key: Option<(Range<usize>, String, String)>,
    pub(crate) shown: Shown,
    /// What stands in a forged token: the text of another trusted certificate, or another ciphertext of the same sender.
    pub(crate) stranger: String,
    users: MemoryUsers,
    derived: DerivedKeys,
}

/// What an accepted message shows.
#[derive(PartialEq, Default, Debug)]
pub(crate) struct Shown {
    pub(crate) headers: Vec<String>,
    pub(crate) view: String,
    body: String,
    timestamp: Option<TimestampEvidence>,
    /// Name and thumbprint.
    caller: String,
    addressing: [Option<String>; 3],
}

impl Shown {
    pub(crate) fn of(verified: &Verified) -> Shown {
        let text = |octets: Vec<u8>| String::from_utf8(octets).unwrap();
        let addressing = verified.addressing().unwrap();
        let caller = verified.caller().unwrap();
        let key = caller.certificate().map(|c| format!("{} {:02x?}", c.subject(), c.thumbprint_sha256()));
        Shown {
            headers: verified.covered_headers().map(|c| text(c.octets())).collect(),
            view: text(verified.view(Keep::Covered).bytes),
            body: text(verified.body().unwrap().octets()),
            timestamp: verified.context().timestamp(),
            caller: format!("{} {:?} {key:?}", caller.name(), caller.proved_by()),
            addressing: [addressing.to, addressing.action, addressing.message_id],
        }
    }

    /// Whether nothing but what was signed is shown. Header blocks may be in another order, and missing.
    pub(crate) fn is_of(&self, genuine: &Shown) -> bool {
        let once = |h: &String| self.headers.iter().filter(|other| *other == h).count() == 1;
        let headers = self.headers.iter().all(|h| genuine.headers.contains(h) && once(h));
        let named = self.addressing.iter().zip(&genuine.addressing).all(|(own, g)| own.is_none() || own == g);
        let rest = (&self.body, self.timestamp, &self.caller);
        headers
            && named
            && rest == (&genuine.body, genuine.timestamp, &genuine.caller)
            && self.view_holds_just_that()
    }

    /// Whether the view is an Envelope around these headers in some order and the Body.
    fn view_holds_just_that(&self) -> bool {
        // The view's Envelope has a prefix of its own; each part stands in it as it was signed.
        let bare = |text: &str| text.replace(&format!(" xmlns:soap=\"{SOAP}\""), "");
        let view = bare(&self.view);
        let start = format!("<env:Envelope xmlns:env=\"{SOAP}\">");
        let end = bare(&self.body) + "</env:Envelope>";
        let Some(mut rest) = view.strip_prefix(&start).and_then(|v| v.strip_suffix(&end)) else {
            return false;
        };
        if !self.headers.is_empty() {
            let inner = rest.strip_prefix("<env:Header>").and_then(|r| r.strip_suffix("</env:Header>"));
            rest = inner.unwrap_or(rest);
        }
        let mut left: Vec<String> = self.headers.iter().map(|h| bare(h)).collect();
        while let Some(n) = left.iter().position(|h| rest.starts_with(h)) {
            rest = &rest[left.remove(n).len()..];
        }
        rest.is_empty() && left.is_empty()
    }
}

fn draft() -> Draft {
    let block = |local: &str, text: &str| {
        Block::new(WSA, local, format!("<wsa:{local} xmlns:wsa=\"{WSA}\">{text}</wsa:{local}>").into_bytes())
    };
    Draft::new(Version::Soap12)
        .with_block(block("To", "urn:to"))
        .with_block(block("Action", "urn:greet"))
        .with_block(block("MessageID", "urn:uuid:1"))
        .with_body(PAYLOAD.into())
}

fn plans(suite: &str, encrypt: bool) -> (Plan, Plan, Plan) {
    let header = HeaderRule { layout: Layout::Lax, targets: Targets::Any, ..HeaderRule::default() };
    let mut builder = AsymmetricBuilder::new(bartizan_crypto::suite::by_name(suite).unwrap())
        .sign(Part::Body)
        .sign(Part::header(WSA, "To"))
        .sign(Part::header(WSA, "Action"))
        .sign(Part::header(WSA, "MessageID"))
        .timestamp(TimestampRule::default())
        .protect_tokens()
        .header(header);
    if encrypt {
        builder = builder.encrypt(Part::Body).order(ProtectionOrder::EncryptBeforeSign);
    }
    both(builder.build().unwrap())
}

/// The sender's plan, and the receiver's twice: headers signed if they are there, and headers that must be there.
fn both(pair: PlanPair) -> (Plan, Plan, Plan) {
    let with = |need: Need| {
        let mut inbound: InPlan = pair.recipient.inbound().clone();
        for required in &mut inbound.required {
            if matches!(required.part, Part::Header { .. }) {
                required.signed = need;
            }
        }
        Plan::new(Side::Recipient, inbound, pair.recipient.outbound().clone()).unwrap()
    };
    (pair.initiator.clone(), with(Need::IfPresent), with(Need::Must))
}

/// The headers that are signed.
fn headers() -> Vec<Part> {
    ["To", "Action", "MessageID"].map(|local| Part::header(WSA, local)).to_vec()
}

/// A token that is signed with a key derived from its password, and all else by it.
fn by_user(seal: bool) -> PlanPair {
    let mut parts = vec![Part::UsernameToken, Part::Timestamp, Part::Body];
    parts.extend(headers());
    let builder = UsernameBuilder::new().sign(Derive::Profile { iterations: 1_000 }).sign_parts(parts);
    let builder = if seal { builder.encrypt(KeyRef::ThumbprintSha1) } else { builder };
    builder.build().unwrap()
}

/// A symmetric binding with keys derived for each use, and a token that is signed and encrypted.
fn symmetric() -> PlanPair {
    let header = HeaderRule { layout: Layout::Lax, targets: Targets::Any, ..HeaderRule::default() };
    let suite = bartizan_crypto::suite::by_name("modern-rsa").unwrap();
    let builder =
        SymmetricBuilder::new(suite).sign(Part::Body).timestamp(TimestampRule::default()).header(header);
    let builder = headers().into_iter().fold(builder, |builder, part| builder.sign(part));
    builder.derived(Dialect::V13).username(UsernameRule::default(), UsernameOut::default()).build().unwrap()
}

fn parse(text: &str) -> Document {
    Document::parse(text.as_bytes().to_vec(), Profile::Bare, &mut Budget::new(&Limits::default())).unwrap()
}

fn place(text: &str, element: Element<'_>) -> Place {
    let span = element.span().start..element.span().end;
    let open = span.start + text[span.clone()].find('>').unwrap() + 1;
    let close = span.start + text[span.clone()].rfind("</").unwrap();
    let mut gaps: Vec<usize> = element.elements().map(|e| e.span().start).collect();
    if gaps.is_empty() && open != close {
        gaps.push(open);
    }
    gaps.push(close);
    Place { path: element.path(), span, gaps }
}

impl Base {
    /// M0.
    pub(crate) fn signed(world: &'static World, suite: &str) -> Base {
        Base::new(world, plans(suite, false), Signed::Token, false)
    }

    /// U2: a UsernameToken in the clear whose key signs it and all else.
    pub(crate) fn by_user(world: &'static World) -> Base {
        Base::new(world, both(by_user(false)), Signed::User, false)
    }

    /// U4: the same, and the token encrypted to the server: the Id that the signature names exists only then.
    pub(crate) fn by_sealed_user(world: &'static World) -> Base {
        Base::new(world, both(by_user(true)), Signed::Sealed, false)
    }

    /// S0: a symmetric binding with derived keys; the signature is anybody's, and the token in it, encrypted after signing, says whose.
    pub(crate) fn symmetric(world: &'static World) -> Base {
        Base::new(world, both(symmetric()), Signed::Sealed, false)
    }

    /// E0: the Body's content under AES-256-GCM and RSA-OAEP, then signed.
    pub(crate) fn encrypted(world: &'static World) -> Base {
        Base::new(world, plans("modern-rsa", true), Signed::Token, true)
    }

    /// What the server makes of a message under one of its plans.
    pub(crate) fn verify(&self, plan: &Plan, text: &str) -> Result<Verified, Reject> {
        let replay = MemoryReplay::default();
        let env = Env::new(&self.world.server, now(), &SystemRandom).with_replay(&replay);
        plan.verify(read(text.as_bytes())?, &env.with_users(&self.users).with_derived(&self.derived))
    }

    fn new(
        world: &'static World,
        (initiator, plan, strict): (Plan, Plan, Plan),
        token: Signed,
        encrypted: bool,
    ) -> Base {
        let elliptic = world.client.identity().unwrap().leaf().subject().contains("-ec");
        let login = Login { name: "alice".to_owned(), password: Secret::new(b"hers".to_vec()) };
        let env = Env::new(&world.client, now(), &SystemRandom).as_user(&login);
        let sent = || fixture::text(initiator.secure(draft(), &env, None).unwrap());
        let (text, second) = (declared(&sent()), sent());
        let document = parse(&text);
        let all: Vec<Element<'_>> =
            std::iter::once(document.root()).chain(document.root().descendants()).collect();
        let find = |(ns, local): (&str, &str)| {
            let mut found = all.iter().filter(|e| e.namespace() == Some(ns) && e.local_name() == local);
            let (one, other) = (found.next(), found.next());
            assert!(other.is_none(), "{local}");
            one.map(|e| e.span().start..e.span().end)
        };
        let key = encrypted.then(|| {
            let range = find(("http://www.w3.org/2001/04/xmlenc#", "EncryptedKey")).unwrap();
            let key = cut(&second, "<xenc:EncryptedKey", "</xenc:EncryptedKey>").to_owned();
            (range, key, cut(&second, "<xenc:EncryptedData", "</xenc:EncryptedData>").to_owned())
        });
        let other: Certificate = fixture::certificate(if elliptic { "client2-ec" } else { "client2" });
        let stranger = match token {
            Signed::Sealed => cut(&second, "<xenc:EncryptedData", "</xenc:EncryptedData>").to_owned(),
            _ => bartizan_crypto::base64::encode(other.der()),
        };
        let kinds = Signed::with(token);
        let mut base = Base {
            elements: all.iter().map(|e| place(&text, *e)).collect(),
            parts: kinds.iter().map(|p| find(p.name()).unwrap()).collect(),
            signature: find(("http://www.w3.org/2000/09/xmldsig#", "Signature")).unwrap(),
            kinds,
            key,
            shown: Shown::default(),
            stranger,
            users: MemoryUsers::new().with("alice", b"hers").with("bob", b"his"),
            derived: DerivedKeys::default(),
            world,
            plan,
            strict,
            text: text.clone(),
        };
        let verified = base.verify(&base.plan, &base.text).expect("positive control");
        assert!(base.verify(&base.strict, &base.text).is_ok(), "positive control");
        base.shown = Shown::of(&verified);
        assert!(base.shown.is_of(&base.shown) && base.shown.headers.len() == 3, "{:#?}", base.shown);
        base
    }
}

/// The message with the prefixes on its Envelope.
fn declared(message: &str) -> String {
    let open = cut(message, "<soap:Envelope", ">");
    let mut more = open.trim_end_matches('>').to_owned();
    for (prefix, uri) in PREFIXES {
        if !open.contains(&format!("xmlns:{prefix}=")) {
            more.push_str(&format!(" xmlns:{prefix}=\"{uri}\""));
        }
    }
    assert!(!message.contains("/>"), "every element has an end tag: {message}");
    replace(message, open, &format!("{more}>"))
}
