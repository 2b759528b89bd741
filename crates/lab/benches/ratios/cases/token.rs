//! The set-ups with UsernameTokens, received and sent, beside their bare cryptography and beside each other.

use std::cell::RefCell;
use std::hint::black_box;
use std::rc::Rc;

use bartizan_crypto::Secret;
use bartizan_crypto::random::SystemRandom;
use bartizan_keys::MemoryUsers;
use bartizan_lab::kind::{Token, USER};
use bartizan_lab::message::{ROTATION, Size};
use bartizan_lab::token::TokenFloor;
use bartizan_soap::{Draft, Version};
use bartizan_wss::plan::PlanPair;
use bartizan_wss::{DerivedKeys, Env, Login, MemoryReplay, Transport, Untrusted};
use bartizan_xml::{Budget, Document, Limits, Profile, Scratch};

use crate::case::{Case, Goal};
use crate::work::{Rotation, Work};
use crate::world::{self, Keys, Pair};

/// CPU µs in which WSS4J 1.5 receives UNT1, UNT2a and UNT2b in process, and UNT3 with RSA-1024: thread CPU, warmed, on a machine that
/// signs with RSA-2048 in 245 µs. The goal is a third.
const WSS4J: [f64; 4] = [12.0, 35.0, 97.0, 289.0];

/// One set-up with its keys and users.
struct Desk {
    token: Token,
    plans: PlanPair,
    keys: Pair,
    users: MemoryUsers,
    login: Login,
    /// The memory of keys that a thousand hashes made; `None`: each is made anew.
    derived: Option<DerivedKeys>,
}

impl Desk {
    fn new(token: Token, keys: &Keys, cached: bool) -> Desk {
        let password = USER.1.as_bytes();
        Desk {
            token,
            plans: world::scenario(token.name()),
            keys: keys.pair(""),
            users: MemoryUsers::new().with(USER.0, password),
            login: Login { name: USER.0.to_owned(), password: Secret::new(password.to_vec()) },
            derived: cached.then(|| DerivedKeys::new(8_192)),
        }
    }

    fn client(&self) -> Env<'_> {
        Env::new(&self.keys.client, world::now(), &SystemRandom).as_user(&self.login)
    }

    fn server(&self) -> Env<'_> {
        let env = Env::new(&self.keys.server, world::now(), &SystemRandom).with_users(&self.users);
        let env = env.over(Transport::Local);
        match &self.derived {
            Some(derived) => env.with_derived(derived),
            None => env,
        }
    }

    fn secure(&self, payload: String) -> Vec<u8> {
        let draft = Draft::new(Version::Soap11).with_body(payload.into_bytes());
        self.plans
            .initiator
            .secure(draft, &self.client(), None)
            .expect("it can be secured")
            .message
            .into_bytes()
    }

    /// A rotation of messages, each of them verified.
    fn messages(&self) -> Vec<Vec<u8>> {
        let made: Vec<Vec<u8>> = payloads().into_iter().map(|payload| self.secure(payload)).collect();
        let replay = MemoryReplay::default();
        for (octets, payload) in made.iter().zip(payloads()) {
            let message = Untrusted::read(octets.clone(), None, &Limits::default()).expect("an envelope");
            let env = self.server().with_replay(&replay);
            let verified =
                self.plans.recipient.verify(message, &env).unwrap_or_else(|reject| panic!("{reject}"));
            let found = verified.body().expect("a body").content_octets();
            assert_eq!(String::from_utf8(found).expect("text"), payload, "what was sent is what is read");
        }
        made
    }

    /// The floors of a rotation.
    fn floors(&self, keys: &Keys, messages: &[Vec<u8>], cached: bool) -> Vec<Rc<TokenFloor>> {
        let clear = match self.token {
            Token::Unt3 => Token::Unt1,
            Token::Unt4a => Token::Unt2a,
            Token::Unt4b => Token::Unt2b,
            other => other,
        };
        let clear =
            if clear == self.token { messages.to_vec() } else { Desk::new(clear, keys, true).messages() };
        let key = self.keys.server.identity().expect("an identity").key().clone();
        let floor = |(clear, message): (&Vec<u8>, &Vec<u8>)| {
            let floor = TokenFloor::new(self.token, &key, clear, message, cached).expect("a floor");
            floor.receive().expect("it fits");
            Rc::new(floor)
        };
        clear.iter().zip(messages).map(floor).collect()
    }
}

fn payloads() -> Vec<String> {
    let payload = |number| {
        format!(
            "<greetRequest xmlns=\"http://www.wso2.org/types\"><name>test me {number:05}</name></greetRequest>"
        )
    };
    (0..ROTATION).map(payload).collect()
}

/// The server's part, in the memory of the last message and with a replay memory that begins empty: a rotation comes round.
fn receiving(desk: &'static Desk, messages: Vec<Vec<u8>>) -> Box<dyn Work> {
    let replay = Rc::new(RefCell::new(MemoryReplay::default()));
    let memory = Rc::clone(&replay);
    let before = move || *memory.borrow_mut() = MemoryReplay::default();
    let mut scratch = Scratch::default();
    let act = move |octets: Vec<u8>| {
        let replay = replay.borrow();
        let env = desk.server().with_replay(&*replay);
        let message =
            Untrusted::read_with(octets, None, &Limits::default(), &mut scratch).expect("an envelope");
        let verified = desk.plans.recipient.verify(message, &env).expect("a good message");
        black_box(&verified);
        verified.recycle(&mut scratch);
    };
    Box::new(Rotation::new(messages, act).before(before))
}

fn desk(token: Token, keys: &Keys, cached: bool) -> &'static Desk {
    Box::leak(Box::new(Desk::new(token, keys, cached)))
}

fn case(
    name: String,
    octets: usize,
    ours: Box<dyn Work>,
    beside: (&'static str, Box<dyn Work>),
    goal: Goal,
) -> Case {
    Case { name, size: Size::Small, label: "call", octets, ours, beside, goal, most_allocations: None }
}

/// A message received, beside the floor; UNT1 has none and is set beside its parsing. `bits` names the keys where they matter.
pub fn receive(token: Token, keys: &Keys, bits: u32, cached: bool) -> Case {
    let desk = desk(token, keys, cached);
    let messages = desk.messages();
    let octets = messages.iter().map(Vec::len).sum::<usize>() / messages.len();
    let floors = desk.floors(keys, &messages, cached);
    let beside: (&'static str, Box<dyn Work>) = if token == Token::Unt1 {
        let parse = |octets: Vec<u8>| {
            Document::parse(octets, Profile::Message, &mut Budget::new(&Limits::default()))
                .expect("well-formed")
        };
        ("parse", Box::new(Rotation::new(messages.clone(), parse)))
    } else {
        ("floor", Box::new(Rotation::new(floors, |floor: Rc<TokenFloor>| floor.receive())))
    };
    let [unt1, unt2a, unt2b, unt3] = WSS4J.map(|micros| Goal::Micros(micros / 3.0));
    let goal = match (token, bits) {
        (Token::Unt1, _) => unt1,
        (Token::Unt2a, _) => unt2a,
        // The hashes alone take more than a third of what WSS4J 1.5 takes: the goal is for a key that is at hand.
        (Token::Unt2b, _) if cached => unt2b,
        (Token::Unt3, 1024) => unt3,
        (Token::Unt3 | Token::Unt4a, _) => Goal::AtMost(1.10),
        (Token::Unt2b | Token::Unt4b, _) => Goal::None,
    };
    let goal = if bits == 1024 && token == Token::Unt4a { Goal::None } else { goal };
    case(name("receive", token, bits, cached), octets, receiving(desk, messages), beside, goal)
}

/// A message received, beside another: what a step adds.
pub fn step(token: Token, first: Token, keys: &Keys, bits: u32, goal: Goal) -> Case {
    let (ours, other) = (desk(token, keys, true), desk(first, keys, true));
    let messages = ours.messages();
    let octets = messages.iter().map(Vec::len).sum::<usize>() / messages.len();
    let beside = receiving(other, other.messages());
    let mut name = name("receive", token, bits, false);
    name.push_str(" step");
    case(name, octets, receiving(ours, messages), (first.name(), beside), goal)
}

/// A message secured.
pub fn send(token: Token, keys: &Keys, bits: u32) -> Case {
    let desk = desk(token, keys, false);
    let messages = desk.messages();
    let octets = messages.iter().map(Vec::len).sum::<usize>() / messages.len();
    let floors = desk.floors(keys, &messages, false);
    let beside: (&'static str, Box<dyn Work>) = if token == Token::Unt1 {
        let write = |payload: String| Draft::new(Version::Soap11).with_body(payload.into_bytes());
        ("draft", Box::new(Rotation::new(payloads(), write)))
    } else {
        ("floor", Box::new(Rotation::new(floors, |floor: Rc<TokenFloor>| floor.send())))
    };
    let ours = Rotation::new(payloads(), move |payload: String| desk.secure(payload));
    case(name("send", token, bits, false), octets, Box::new(ours), beside, Goal::None)
}

fn name(what: &str, token: Token, bits: u32, cached: bool) -> String {
    let keys = if token.encrypts() { format!(" rsa-{bits}") } else { String::new() };
    let cached = if cached && token.iterates() { " cached" } else { "" };
    format!("{what} {}{keys}{cached}", token.name())
}
