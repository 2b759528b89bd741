//! Whole messages through the plans, beside their bare cryptography.

use std::cell::RefCell;
use std::hint::black_box;
use std::rc::Rc;

use bartizan_crypto::{PrivateKey, PublicKey};
use bartizan_lab::floor::{Covered, Signed};
use bartizan_lab::message::{self, Message, ROTATION, Size};
use bartizan_soap::{Draft, Version};
use bartizan_wss::{Env, MemoryReplay, RequestFacts, SentSignatures, Untrusted, Verified, WireMessage};
use bartizan_xml::c14n::{C14n, C14nMethod};
use bartizan_xml::names::ds;
use bartizan_xml::{Budget, Document, Element, Limits, Profile, Scratch};

use crate::case::{Case, Goal};
use crate::work::{Rotation, Work};
use crate::world::World;

const SEED: u64 = 12;

/// How the text of a message to be verified is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// As we write it: every covered part stands there in canonical form.
    Own,
    /// As most stacks write it: prefixes are declared on the Envelope, so the canonical form is no copy of the text.
    Foreign,
}

fn messages(size: Size) -> Vec<Message> {
    message::rotation(size, ROTATION, SEED)
}

fn draft(payload: String) -> Draft {
    Draft::new(Version::Soap11).with_body(payload.into_bytes())
}

/// As one that verifies message after message does: in the memory of the last one.
fn read_with(octets: Vec<u8>, scratch: &mut Scratch) -> Untrusted {
    Untrusted::read_with(octets, None, &Limits::default(), scratch).expect("an envelope")
}

fn read(octets: Vec<u8>) -> Untrusted {
    Untrusted::read(octets, None, &Limits::default()).expect("an envelope")
}

/// What the client sends.
fn sent(world: &World, message: &Message) -> (Vec<u8>, SentSignatures) {
    let draft = draft(message.payload.clone());
    let secured = world.plans.initiator.secure(draft, &world.client(), None).expect("it can be secured");
    (secured.message.into_bytes(), secured.sent)
}

/// What the client sends, for a whole rotation; the answer of the server's side is checked.
fn requests(world: &World, messages: &[Message]) -> Vec<Vec<u8>> {
    let made: Vec<Vec<u8>> = messages.iter().map(|message| sent(world, message).0).collect();
    for (octets, message) in made.iter().zip(messages) {
        check(&accepted(world, octets.clone()), message);
    }
    made
}

fn accepted(world: &World, octets: Vec<u8>) -> Verified {
    world.plans.recipient.verify(read(octets), &world.server()).unwrap_or_else(|reject| panic!("{reject}"))
}

/// A verified message says what was sent.
fn check(verified: &Verified, message: &Message) {
    let payload = verified.payload().expect("a payload").octets();
    assert_eq!(String::from_utf8(payload).expect("text"), message.payload, "what was sent is what is read");
}

/// The octets that the signature of a message covers. Where the Body is encrypted, its content is put back.
fn covered(octets: &[u8], message: &Message) -> Covered {
    let mut budget = Budget::new(&Limits::default());
    let document = Document::parse(octets.to_vec(), Profile::Message, &mut budget).expect("well-formed");
    let root = document.root();
    let info = root.descendants().find(|e| e.is(ds::SIGNED_INFO)).expect("a SignedInfo");
    let parts = info.children_named(ds::REFERENCE).map(|reference| {
        let uri = reference.attr_plain("URI").expect("a URI").trim_start_matches('#');
        let target = document.by_id(uri).expect("no double Id").expect("a target");
        let text = canonical(target);
        if target.local_name() != "Body" {
            return text;
        }
        let start = text.iter().position(|octet| *octet == b'>').expect("a start tag");
        let end = format!("</{}>", target.qname());
        [&text[..=start], message.payload.as_bytes(), end.as_bytes()].concat()
    });
    Covered { parts: parts.collect(), signed_info: canonical(info) }
}

fn canonical(element: Element<'_>) -> Vec<u8> {
    let mut octets = Vec::new();
    C14n::new(C14nMethod::Exclusive).write(element, &mut octets).expect("a canonical form");
    octets
}

fn own(keys: &bartizan_keys::Keystore) -> PrivateKey {
    keys.identity().expect("an identity").key().clone()
}

fn signed(world: &World, octets: &[Vec<u8>], messages: &[Message], key: &PrivateKey) -> Vec<Rc<Signed>> {
    let signed = octets.iter().zip(messages).map(|(octets, message)| {
        let signed = world.floor.signed(key, covered(octets, message)).expect("a signature");
        world.floor.verify(key.public(), &signed).expect("a good signature");
        Rc::new(signed)
    });
    signed.collect()
}

fn case(
    world: &World,
    what: &str,
    size: Size,
    ours: Box<dyn Work>,
    floor: Box<dyn Work>,
    goal: Goal,
) -> Case {
    Case {
        name: format!("{what} {}", world.name),
        size,
        label: size.label(),
        octets: size.octets(),
        ours,
        beside: ("floor", floor),
        goal,
        most_allocations: None,
    }
}

pub fn sign(world: World, size: Size) -> Case {
    let messages = messages(size);
    let made = requests(&world, &messages);
    let key = own(&world.keys.client);
    let octets: Vec<Rc<Covered>> =
        made.iter().zip(&messages).map(|(octets, message)| Rc::new(covered(octets, message))).collect();
    let world: &'static World = Box::leak(Box::new(world));
    let payloads: Vec<String> = messages.into_iter().map(|m| m.payload).collect();
    let ours = Rotation::new(payloads, move |payload: String| {
        world.plans.initiator.secure(draft(payload), &world.client(), None).expect("secured")
    });
    let floor = Rotation::new(octets, move |covered: Rc<Covered>| world.floor.sign(&key, &covered));
    let goal = match (size, key_is_rsa(world)) {
        (Size::Medium, true) => Goal::AtMost(1.08),
        _ => Goal::None,
    };
    case(world, "sign", size, Box::new(ours), Box::new(floor), goal)
}

fn key_is_rsa(world: &World) -> bool {
    world.floor.signature == bartizan_crypto::SignatureAlg::RsaSha256
}

pub fn verify(world: World, size: Size, form: Form) -> Case {
    let messages = messages(size);
    let mut made = requests(&world, &messages);
    let floor = signed(&world, &made, &messages, &own(&world.keys.client));
    if form == Form::Foreign {
        made = made.into_iter().map(foreign).collect();
        for (octets, message) in made.iter().zip(&messages) {
            check(&accepted(&world, octets.clone()), message);
        }
    }
    let key: PublicKey = own(&world.keys.client).public().clone();
    let world: &'static World = Box::leak(Box::new(world));
    let mut scratch = Scratch::default();
    let ours = Rotation::new(made, move |octets| {
        let message = read_with(octets, &mut scratch);
        let verified = world.plans.recipient.verify(message, &world.server()).expect("a good message");
        black_box(&verified);
        verified.recycle(&mut scratch);
    });
    let floor = Rotation::new(floor, move |signed: Rc<Signed>| world.floor.verify(&key, &signed));
    let goal = match (size, key_is_rsa(world) && form == Form::Foreign) {
        (Size::Small, true) => Goal::AtMost(1.25),
        (Size::Medium, true) => Goal::AtMost(1.8),
        (Size::Large, true) => Goal::AtMost(3.0),
        (_, false) => Goal::None,
    };
    let what = if form == Form::Own { "verify-own" } else { "verify" };
    let mut case = case(world, what, size, Box::new(ours), Box::new(floor), goal);
    case.most_allocations = (size == Size::Medium && goal != Goal::None).then_some(60.0);
    case
}

/// Moves the declarations of the payload's prefixes to the Envelope; what is signed does not change by that.
fn foreign(octets: Vec<u8>) -> Vec<u8> {
    let text = String::from_utf8(octets).expect("text");
    let mut moved = String::new();
    let mut rest = text;
    for prefix in ["ord", "itm"] {
        let begin = rest.find(&format!(" xmlns:{prefix}=\"")).expect("a declaration");
        let end = begin + rest[begin..].match_indices('"').nth(1).expect("an end").0 + 1;
        let declaration = rest[begin..end].to_owned();
        rest = rest.replace(&declaration, "");
        moved.push_str(&declaration);
    }
    let at = rest.find(' ').expect("the Envelope declares something");
    rest.insert_str(at, &moved);
    rest.into_bytes()
}

pub fn encrypt(world: World, size: Size) -> Case {
    let messages = messages(size);
    requests(&world, &messages);
    let peer = own(&world.keys.server).public().clone();
    let world: &'static World = Box::leak(Box::new(world));
    let payloads: Vec<String> = messages.into_iter().map(|m| m.payload).collect();
    let plain: Vec<Rc<str>> = payloads.iter().map(|p| Rc::from(p.as_str())).collect();
    let ours = Rotation::new(payloads, move |payload: String| {
        world.plans.initiator.secure(draft(payload), &world.client(), None).expect("secured")
    });
    let floor = Rotation::new(plain, move |plain: Rc<str>| world.floor.encrypt(&peer, plain.as_bytes()));
    case(world, "encrypt", size, Box::new(ours), Box::new(floor), Goal::None)
}

pub fn decrypt(world: World, size: Size) -> Case {
    let messages = messages(size);
    let made = requests(&world, &messages);
    let key = own(&world.keys.server);
    let sealed: Vec<_> = messages
        .iter()
        .map(|m| Rc::new(world.floor.encrypt(key.public(), m.payload.as_bytes()).expect("sealed")))
        .collect();
    assert_eq!(world.floor.decrypt(&key, &sealed[0]).expect("opened"), messages[0].payload.as_bytes());
    let world: &'static World = Box::leak(Box::new(world));
    let ours = Rotation::new(made, move |octets| accepted(world, octets));
    let floor = Rotation::new(sealed, move |sealed: Rc<_>| world.floor.decrypt(&key, &sealed));
    case(world, "decrypt", size, Box::new(ours), Box::new(floor), Goal::None)
}

/// What the floor of a signed and encrypted message needs.
#[derive(Clone)]
struct Bare {
    plain: Rc<str>,
    covered: Rc<Covered>,
    signed: Rc<Signed>,
    sealed: Rc<bartizan_lab::floor::Sealed>,
}

fn bare(
    world: &World,
    octets: &[Vec<u8>],
    messages: &[Message],
    from: &PrivateKey,
    to: &PublicKey,
) -> Vec<Bare> {
    let signed = signed(world, octets, messages, from);
    let parts = signed.into_iter().zip(octets).zip(messages);
    parts
        .map(|((signed, octets), message)| Bare {
            plain: Rc::from(message.payload.as_str()),
            covered: Rc::new(covered(octets, message)),
            signed,
            sealed: Rc::new(world.floor.encrypt(to, message.payload.as_bytes()).expect("sealed")),
        })
        .collect()
}

pub fn request(world: World, size: Size) -> Case {
    let messages = messages(size);
    let made = requests(&world, &messages);
    let (from, to) = (own(&world.keys.client), own(&world.keys.server).public().clone());
    let bare = bare(&world, &made, &messages, &from, &to);
    let world: &'static World = Box::leak(Box::new(world));
    let payloads: Vec<String> = messages.into_iter().map(|m| m.payload).collect();
    let ours = Rotation::new(payloads, move |payload: String| {
        world.plans.initiator.secure(draft(payload), &world.client(), None).expect("secured")
    });
    let floor = Rotation::new(bare, move |bare: Bare| {
        (world.floor.sign(&from, &bare.covered), world.floor.encrypt(&to, bare.plain.as_bytes()))
    });
    case(world, "request", size, Box::new(ours), Box::new(floor), Goal::None)
}

/// The reply to a request, secured.
fn reply(world: &World, env: &Env<'_>, payload: Vec<u8>, facts: &RequestFacts) -> WireMessage {
    let draft = Draft::new(Version::Soap11).with_body(payload);
    world.plans.recipient.secure(draft, env, Some(facts)).expect("a reply").message
}

pub fn response(world: World, size: Size) -> Case {
    let messages = messages(size);
    let made = requests(&world, &messages);
    let (from, to) = (own(&world.keys.server), own(&world.keys.client).public().clone());
    let inputs: Vec<(String, RequestFacts)> = made
        .iter()
        .zip(&messages)
        .map(|(octets, m)| (m.payload.clone(), accepted(&world, octets.clone()).request_facts().clone()))
        .collect();
    let replies: Vec<Vec<u8>> = inputs
        .iter()
        .map(|(p, facts)| reply(&world, &world.server(), p.clone().into_bytes(), facts).into_bytes())
        .collect();
    let bare = bare(&world, &replies, &messages, &from, &to);
    let world: &'static World = Box::leak(Box::new(world));
    let ours = Rotation::new(inputs, move |(payload, facts): (String, RequestFacts)| {
        reply(world, &world.server(), payload.into_bytes(), &facts)
    });
    let floor = Rotation::new(bare, move |bare: Bare| {
        (world.floor.sign(&from, &bare.covered), world.floor.encrypt(&to, bare.plain.as_bytes()))
    });
    case(world, "response", size, Box::new(ours), Box::new(floor), Goal::None)
}

/// The client takes the reply.
pub fn accept(world: World, size: Size) -> Case {
    let messages = messages(size);
    let exchanges: Vec<(Vec<u8>, Rc<SentSignatures>)> = messages
        .iter()
        .map(|message| {
            let (octets, sent) = sent(&world, message);
            let facts = accepted(&world, octets).request_facts().clone();
            let reply = reply(&world, &world.server(), message.payload.clone().into_bytes(), &facts);
            (reply.into_bytes(), Rc::new(sent))
        })
        .collect();
    let replies: Vec<Vec<u8>> = exchanges.iter().map(|(octets, _)| octets.clone()).collect();
    let (from, to) = (own(&world.keys.server), own(&world.keys.client));
    let bare = bare(&world, &replies, &messages, &from, to.public());
    let world: &'static World = Box::leak(Box::new(world));
    let take = move |(octets, sent): (Vec<u8>, Rc<SentSignatures>)| {
        world.plans.initiator.verify(read(octets), &world.client().answering(&sent)).expect("a good reply")
    };
    for (exchange, message) in exchanges.iter().zip(&messages) {
        check(&take(exchange.clone()), message);
    }
    let ours = Rotation::new(exchanges, take);
    let floor = Rotation::new(bare, move |bare: Bare| {
        (world.floor.verify(from.public(), &bare.signed), world.floor.decrypt(&to, &bare.sealed))
    });
    case(world, "accept-reply", size, Box::new(ours), Box::new(floor), Goal::None)
}

/// The work of a server for one message, its replay memory included; the operation is an echo.
pub fn serving(world: &'static World, requests: Vec<Vec<u8>>) -> impl Work {
    let replay = Rc::new(RefCell::new(MemoryReplay::default()));
    let memory = Rc::clone(&replay);
    // A rotation comes round, so each batch begins with an empty memory.
    let before = move || *memory.borrow_mut() = MemoryReplay::default();
    let mut scratch = Scratch::default();
    Rotation::new(requests, move |octets: Vec<u8>| {
        let replay = replay.borrow();
        let env = world.server().with_replay(&*replay);
        let message = read_with(octets, &mut scratch);
        let verified = world.plans.recipient.verify(message, &env).expect("a good request");
        let payload = verified.payload().expect("a payload").octets();
        let reply = reply(world, &env, payload, verified.request_facts());
        verified.recycle(&mut scratch);
        reply
    })
    .before(before)
}

/// Requests of one size under a world, checked.
pub fn served(world: &World, size: Size) -> Vec<Vec<u8>> {
    requests(world, &messages(size))
}

pub fn server(world: World, size: Size) -> Case {
    let messages = messages(size);
    let made = requests(&world, &messages);
    let (client, server) = (own(&world.keys.client), own(&world.keys.server));
    let into = bare(&world, &made, &messages, &client, server.public());
    let world: &'static World = Box::leak(Box::new(world));
    let replies: Vec<Vec<u8>> = made
        .iter()
        .zip(&messages)
        .map(|(octets, m)| {
            let facts = accepted(world, octets.clone()).request_facts().clone();
            reply(world, &world.server(), m.payload.clone().into_bytes(), &facts).into_bytes()
        })
        .collect();
    let out = bare(world, &replies, &messages, &server, client.public());
    let ours = serving(world, made);
    let both: Vec<(Bare, Bare)> = into.into_iter().zip(out).collect();
    let floor = Rotation::new(both, move |(request, reply): (Bare, Bare)| {
        (
            world.floor.verify(client.public(), &request.signed),
            world.floor.decrypt(&server, &request.sealed),
            world.floor.sign(&server, &reply.covered),
            world.floor.encrypt(client.public(), reply.plain.as_bytes()),
        )
    });
    let goal = match (size, world.name) {
        (Size::Large, _) => Goal::None,
        (_, "rampart-c rsa-2048" | "gcm rsa-2048") => Goal::AtMost(1.10),
        (_, "rampart-c rsa-1024") => Goal::AtMost(1.25),
        _ => Goal::AtMost(1.50),
    };
    case(world, "server", size, Box::new(ours), Box::new(floor), goal)
}
