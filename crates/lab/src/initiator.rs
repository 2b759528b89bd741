//! Our own client: it secures the requests beforehand and says whether a reply is right. Nothing of it is timed.
//!
//! A reply is right if it is secured as the policy demands, confirms the request's signature, and holds the answer that
//! belongs to the request. Not here: sockets (`drive`). Called by `measure`.

use bartizan_crypto::Secret;
use bartizan_crypto::random::SystemRandom;
use bartizan_keys::{Keystore, Time};
use bartizan_policy::{Loaded, Options, builtin, load_short};
use bartizan_soap::{Draft, Version};
use bartizan_wss::plan::PlanPair;
use bartizan_wss::{Env, Login, Reject, Secured, SentSignatures, Side, Untrusted, Verified};
use bartizan_xml::Limits;

use crate::Error;
use crate::credentials::Credentials;
use crate::kind::{Kind, USER};
use crate::scenario::Policy;

/// The action of the benchmark's operation.
pub const ACTION: &str = "http://example.com/ws/2004/09/policy/Test/EchoRequest";

/// The operation that the peers offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Payload {
    /// `greetRequest` with a name, which comes back as it is.
    Greeting,
    /// `echoIn` with a text, as Rampart/C's sample has it; its own answer is `RecievedNode` (so spelt).
    EchoIn,
}

/// What a server must answer with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The body of the request.
    Echo,
    /// A body of this local name.
    Named(&'static str),
}

impl Payload {
    /// The body's element, canonical; `text` must need no escape.
    fn element(self, text: &str) -> String {
        match self {
            Payload::Greeting => {
                format!(
                    "<greetRequest xmlns=\"http://www.wso2.org/types\"><name>{text}</name></greetRequest>"
                )
            }
            Payload::EchoIn => format!(
                "<ns1:echoIn xmlns:ns1=\"http://ws.apache.org/rampart/c/samples\"><text>{text}</text></ns1:echoIn>"
            ),
        }
    }
}

/// One request, secured and ready to be sent again and again.
#[derive(Clone, Debug)]
pub struct Request {
    /// Its octets.
    pub bytes: Vec<u8>,
    /// Its media type, with the action.
    pub content_type: String,
    sent: SentSignatures,
    text: String,
}

/// Why a reply is not right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// Not the status of an answer.
    Status(u16),
    /// Our client refuses it, for this reason.
    Refused(Box<str>),
    /// It confirms no signature.
    Unconfirmed,
    /// It is verified, and holds something else.
    Body(Box<str>),
}

impl std::fmt::Display for Wrong {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Wrong::Status(status) => write!(f, "HTTP status {status}"),
            Wrong::Refused(why) => write!(f, "our client refuses the reply: {why}"),
            Wrong::Unconfirmed => f.write_str("the reply confirms no signature"),
            Wrong::Body(found) => write!(f, "another answer: {found}"),
        }
    }
}

/// The client's side of one kind of keys.
#[derive(Debug)]
pub struct Initiator {
    plans: PlanPair,
    keys: Keystore,
    login: Login,
    /// Whether a reply must confirm what we signed; else it comes plain.
    confirmed: bool,
    now: Time,
}

impl Initiator {
    /// Compiles the policy of this kind and loads the client's keys.
    ///
    /// # Errors
    /// [`Error::Policy`], [`Error::Keys`].
    pub fn new(kind: Kind, credentials: &Credentials, now: Time) -> Result<Initiator, Error> {
        let loaded: Loaded = match kind.policy() {
            Policy::BuiltIn(name) => {
                builtin::builtin(name).map_err(|problem| Error::Policy(vec![problem]))?
            }
            Policy::Short(text) => load_short(text.as_bytes(), "the lab's policy"),
        };
        let item = loaded.only().map_err(|problem| Error::Policy(vec![problem]))?;
        let plans = item.plans(&Options::default()).map_err(Error::Policy)?;
        let login = Login { name: USER.0.to_owned(), password: Secret::new(USER.1.as_bytes().to_vec()) };
        let confirmed = matches!(kind, Kind::Rampart(_));
        Ok(Initiator { plans, keys: credentials.initiator()?, login, confirmed, now })
    }

    /// Secures `count` different requests, numbered in their text.
    ///
    /// # Errors
    /// [`Error::Secure`], [`Error::Soap`].
    pub fn requests(&self, payload: Payload, count: usize) -> Result<Vec<Request>, Error> {
        self.requests_at(payload, count, self.now)
    }

    /// The same, made at another time.
    ///
    /// # Errors
    /// As there.
    pub fn requests_at(&self, payload: Payload, count: usize, now: Time) -> Result<Vec<Request>, Error> {
        (0..count).map(|number| self.request(payload, format!("test me {number:05}"), now)).collect()
    }

    fn request(&self, payload: Payload, text: String, now: Time) -> Result<Request, Error> {
        let body = payload.element(&text).into_bytes();
        let draft = Draft::new(Version::Soap12).with_payload(body, &Limits::default())?.with_action(ACTION);
        let env = Env::new(&self.keys, now, &SystemRandom).as_user(&self.login);
        let Secured { message, sent } = self.plans.side(Side::Initiator).secure(draft, &env, None)?;
        let content_type = message.content_type();
        Ok(Request { bytes: message.into_bytes(), content_type, sent, text })
    }

    /// Verifies a reply.
    pub(crate) fn verify(&self, request: &Request, reply: Vec<u8>) -> Result<Verified, Reject> {
        let env = Env::new(&self.keys, self.now, &SystemRandom).answering(&request.sent);
        let message = Untrusted::read(reply, None, &Limits::default())?;
        self.plans.side(Side::Initiator).verify(message, &env)
    }

    /// Verifies a request of ours as the server does.
    pub(crate) fn verify_request(&self, request: &Request, keys: &Keystore) -> Result<Verified, Reject> {
        let env = Env::new(keys, self.now, &SystemRandom);
        let message =
            Untrusted::read(request.bytes.clone(), Some(&request.content_type), &Limits::default())?;
        self.plans.side(Side::Recipient).verify(message, &env)
    }

    /// The client's keys.
    pub(crate) fn keys(&self) -> &Keystore {
        &self.keys
    }

    /// Whether a reply is the right one to a request.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn check(&self, request: &Request, status: u16, reply: Vec<u8>, answer: Answer) -> Result<(), Wrong> {
        if status != 200 {
            return Err(Wrong::Status(status));
        }
        let verified =
            self.verify(request, reply).map_err(|reject| Wrong::Refused(reject.to_string().into()))?;
        if self.confirmed && verified.context().confirmed() == 0 {
            return Err(Wrong::Unconfirmed);
        }
        let payload = verified.payload();
        let octets = payload.as_ref().map(bartizan_wss::Covered::octets).unwrap_or_default();
        let found = String::from_utf8_lossy(&octets);
        let name = payload.as_ref().map_or("", bartizan_wss::Covered::local_name);
        let right = match answer {
            Answer::Echo => found.contains(&request.text) && name != "Fault",
            Answer::Named(wanted) => name == wanted,
        };
        if right { Ok(()) } else { Err(Wrong::Body(found.chars().take(120).collect::<String>().into())) }
    }
}

#[cfg(test)]
mod tests;
