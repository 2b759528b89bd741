//! The ten cases. The names are those of the baseline file.

use std::hint::black_box;

use bartizan_crypto::random::Random;
use bartizan_lab::message::{self, Message, Size};
use bartizan_policy::{Options, builtin};
use bartizan_soap::{Draft, Version};
use bartizan_wss::{Env, MemoryReplay, Untrusted, Verified};
use bartizan_xml::c14n::{C14n, C14nMethod};
use bartizan_xml::sink::Counter;
use bartizan_xml::{Budget, Document, Limits, Profile};

use crate::world::{self, Keys, Pair, World};

pub const NAMES: [&str; 10] = [
    "parse-10k",
    "parse-awkward-10k",
    "c14n-exclusive-10k",
    "c14n-inclusive-awkward-10k",
    "verify-rsa-2048-1.7k",
    "verify-p-256-10k",
    "sign-p-256-10k",
    "decrypt-p-256-gcm-10k",
    "server-p-256-gcm-10k",
    "policy-compile",
];

/// Different messages, in turn.
const MESSAGES: usize = 4;
const SEED: u64 = 21;

/// What does an operation a number of times.
pub type Operation = Box<dyn FnMut(usize)>;

pub fn make(name: &str) -> Operation {
    match name {
        "parse-10k" => over(envelopes(), |octets| drop(black_box(parsed(octets.clone())))),
        "parse-awkward-10k" => over(vec![awkward()], |octets| drop(black_box(parsed(octets.clone())))),
        "c14n-exclusive-10k" => canonical(envelopes(), C14nMethod::Exclusive),
        "c14n-inclusive-awkward-10k" => canonical(vec![awkward()], C14nMethod::Inclusive10),
        "verify-rsa-2048-1.7k" => verify(world::signing(&keys(), "modern-rsa", "", "rsa"), Size::Small),
        "verify-p-256-10k" => verify(world::signing(&keys(), "modern-ec", "-ec", "ec"), Size::Medium),
        "sign-p-256-10k" => sign(world::signing(&keys(), "modern-ec", "-ec", "ec")),
        "decrypt-p-256-gcm-10k" => verify(world::ec(&keys(), "ec"), Size::Medium),
        "server-p-256-gcm-10k" => server(world::ec(&keys(), "ec")),
        "policy-compile" => over(vec![()], |()| {
            let loaded = builtin::builtin("scenario:rampart-c").expect("a built-in policy");
            let plans = loaded.only().expect("one policy").plans(&Options::default());
            drop(black_box(plans.expect("plans")));
        }),
        other => panic!("no case {other}"),
    }
}

fn over<I: 'static>(inputs: Vec<I>, act: impl Fn(&I) + 'static) -> Operation {
    Box::new(move |count| inputs.iter().cycle().take(count).for_each(&act))
}

fn messages(size: Size) -> Vec<Message> {
    message::rotation(size, MESSAGES, SEED)
}

fn envelopes() -> Vec<Vec<u8>> {
    messages(Size::Medium).into_iter().map(|message| message.envelope.into_bytes()).collect()
}

fn parsed(octets: Vec<u8>) -> Document {
    Document::parse(octets, Profile::Message, &mut Budget::new(&Limits::default())).expect("well-formed")
}

/// About 10 KB of what parsers and canonical forms like least: both quotes, references, CDATA, line ends, comments,
/// prefixes declared over and over, attributes in no order, deep nesting.
fn awkward() -> Vec<u8> {
    let mut text = String::from("<a:r xmlns:a=\"urn:a\" xmlns='urn:d'>");
    for at in 0..26 {
        let deep = at % 8;
        text.push_str(&"<n>".repeat(deep));
        text.push_str(&format!(
            "<z:e xmlns:z='urn:z{at}'  xmlns:y = \"urn:y\" z:q='&lt;&#x41;&#10;{at}' b=\"2\ta\" a='\"1&quot;' y:c=\"&amp;\"\n\
             >text &amp; more &#233;&#x1F600; <![CDATA[a < b && c]]>\r\nnext<!-- a comment --><empty  /><y:o x=''></y:o>\
             <a:s xmlns:a=\"urn:a\" xmlns=\"urn:d\">same</a:s><a:s xmlns:a='urn:b' xmlns=''>other &gt; ]]&gt;</a:s></z:e>"
        ));
        text.push_str(&"</n>".repeat(deep));
    }
    text.push_str("</a:r>");
    text.into_bytes()
}

fn canonical(texts: Vec<Vec<u8>>, method: C14nMethod) -> Operation {
    let documents: Vec<Document> = texts.into_iter().map(parsed).collect();
    over(documents, move |document| {
        let mut sink = Counter::default();
        C14n::new(method).write(document.root(), &mut sink).expect("a canonical form");
        assert!(black_box(sink).octets() > 5_000);
    })
}

/// The committed keys.
fn keys() -> Keys {
    let files: [(&str, &[u8]); 9] = [
        ("ca.pem", include_bytes!("keys/ca.pem")),
        ("client.pem", include_bytes!("keys/client.pem")),
        ("client.key", include_bytes!("keys/client.key")),
        ("server.pem", include_bytes!("keys/server.pem")),
        ("server.key", include_bytes!("keys/server.key")),
        ("client-ec.pem", include_bytes!("keys/client-ec.pem")),
        ("client-ec.key", include_bytes!("keys/client-ec.key")),
        ("server-ec.pem", include_bytes!("keys/server-ec.pem")),
        ("server-ec.key", include_bytes!("keys/server-ec.key")),
    ];
    Keys::of(files.map(|(name, octets)| (name.to_owned(), octets.to_vec())))
}

/// No chance at all: every buffer is filled alike.
struct Fixed;

impl Random for Fixed {
    fn fill(&self, buffer: &mut [u8]) {
        for (at, octet) in buffer.iter_mut().enumerate() {
            *octet = u8::try_from(at * 37 % 251).unwrap_or(0);
        }
    }
}

/// Chance that never gives the same octets twice, as Ids in one message must differ.
#[derive(Default)]
struct Counting(std::sync::atomic::AtomicU64);

impl Random for Counting {
    fn fill(&self, buffer: &mut [u8]) {
        Fixed.fill(buffer);
        let count = self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed).to_be_bytes();
        buffer.iter_mut().zip(count.iter().rev()).for_each(|(octet, count)| *octet ^= count);
    }
}

fn client<'e>(keys: &'e Pair, random: &'e dyn Random) -> Env<'e> {
    Env::new(&keys.client, world::now(), random)
}

fn server_side<'e>(keys: &'e Pair, random: &'e dyn Random) -> Env<'e> {
    Env::new(&keys.server, world::now(), random)
}

fn draft(message: &Message) -> Draft {
    Draft::new(Version::Soap11).with_body(message.payload.clone().into_bytes())
}

fn requests(world: &World, random: &dyn Random, size: Size) -> Vec<Vec<u8>> {
    let secure = |message: &Message| {
        let secured = world.plans.initiator.secure(draft(message), &client(&world.keys, random), None);
        secured.expect("secured").message.into_bytes()
    };
    messages(size).iter().map(secure).collect()
}

fn accepted(world: &World, octets: &[u8], env: &Env<'_>) -> Verified {
    let untrusted = Untrusted::read(octets.to_vec(), None, &Limits::default()).expect("an envelope");
    world.plans.recipient.verify(untrusted, env).unwrap_or_else(|reject| panic!("{reject}"))
}

fn verify(world: World, size: Size) -> Operation {
    let random = Counting::default();
    let requests = requests(&world, &random, size);
    // The first one fills the cache of validated certificates.
    accepted(&world, &requests[0], &server_side(&world.keys, &random));
    over(requests, move |octets| {
        let verified = accepted(&world, octets, &server_side(&world.keys, &random));
        assert!(verified.payload().is_some());
        drop(black_box(verified));
    })
}

fn sign(world: World) -> Operation {
    let random = Counting::default();
    over(messages(Size::Medium), move |message| {
        let secured = world.plans.initiator.secure(draft(message), &client(&world.keys, &random), None);
        drop(black_box(secured.expect("secured")));
    })
}

fn server(world: World) -> Operation {
    let random = Counting::default();
    let requests = requests(&world, &random, Size::Medium);
    accepted(&world, &requests[0], &server_side(&world.keys, &random));
    over(requests, move |octets| {
        let replay = MemoryReplay::default();
        let env = server_side(&world.keys, &random).with_replay(&replay);
        let verified = accepted(&world, octets, &env);
        let payload = verified.payload().expect("a payload").octets();
        let draft = Draft::new(Version::Soap11).with_body(payload);
        let reply = world.plans.recipient.secure(draft, &env, Some(verified.request_facts()));
        drop(black_box(reply.expect("a reply")));
    })
}
