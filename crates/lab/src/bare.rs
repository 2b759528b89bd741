//! The floor of one exchange at the server: the bare cryptography of the request that it receives and the reply that it sends.
//! Of set-ups with UsernameTokens, `token` knows it.
//!
//! The octets are those of a real exchange: the canonical Body, SignedInfo and confirmation, and the plaintexts. Keys are
//! parsed before; no certificate path is checked. Not here: the operations (`floor`). Called by `measure` in every round.

use std::time::{Duration, Instant};

use bartizan_crypto::suite::{self, SignatureReading};
use bartizan_keys::Keystore;
use bartizan_wss::{Reject, Verified};
use bartizan_xml::c14n::{C14n, C14nMethod};
use bartizan_xml::names::{ds, wsse11};
use bartizan_xml::{Budget, Document, Limits, Profile};

use crate::Error;
use crate::clock::thread_cpu;
use crate::credentials::Credentials;
use crate::floor::{Covered, Floor, Sealed, Signed};
use crate::initiator::{Initiator, Request};
use crate::kind::Kind;
use crate::scenario::Keys;
use crate::token::TokenFloor;

/// The floor of whatever is exchanged.
#[derive(Debug)]
pub enum Bare {
    /// Signed and encrypted both ways.
    Server(Box<ServerFloor>),
    /// A request with a UsernameToken; the reply is plain.
    Token(Box<TokenFloor>),
}

impl Bare {
    /// Takes an exchange apart: a request and our own server's reply to it. `None`: there is no cryptography in it.
    ///
    /// # Errors
    /// Those of [`ServerFloor::new`] and [`TokenFloor::new`].
    pub fn new(
        kind: Kind,
        credentials: &Credentials,
        initiator: &Initiator,
        request: &Request,
        reply: &[u8],
        clear: Option<&Request>,
    ) -> Result<Option<Bare>, Error> {
        let token = match kind {
            Kind::Rampart(keys) => {
                let floor = ServerFloor::new(keys, credentials, initiator, request, reply)?;
                return Ok(Some(Bare::Server(Box::new(floor))));
            }
            Kind::Unt(token, _) => token,
        };
        let server = credentials.recipient()?;
        let key = server.identity().ok_or(Error::Crypto(bartizan_crypto::Error::Failed))?.key();
        let clear = clear.unwrap_or(request);
        // Our server finds the keys of a rotation in its memory, so the floor has them at hand, too.
        let floor = TokenFloor::new(token, key, &clear.bytes, &request.bytes, true)?;
        Ok((!floor.is_empty()).then(|| Bare::Token(Box::new(floor))))
    }

    /// CPU µs of one exchange, measured for as long as `duration`.
    ///
    /// # Errors
    /// [`Error::Crypto`].
    pub fn micros(&self, duration: Duration) -> Result<f64, Error> {
        match self {
            Bare::Server(floor) => micros(duration, || floor.exchange()),
            Bare::Token(floor) => micros(duration, || floor.receive()),
        }
    }
}

/// Exchanges between two looks at the clock.
const BATCH: u32 = 16;

/// What the cryptography of one exchange needs.
#[derive(Debug)]
pub struct ServerFloor {
    floor: Floor,
    server: Keystore,
    client: Keystore,
    request: Signed,
    sealed: Sealed,
    reply: Covered,
    reply_content: Vec<u8>,
}

impl ServerFloor {
    /// Takes the octets of an exchange apart: a request, and our own server's reply to it.
    ///
    /// # Errors
    /// [`Error::Exchange`] if they do not verify, [`Error::Keys`], [`Error::Crypto`].
    pub fn new(
        keys: Keys,
        credentials: &Credentials,
        initiator: &Initiator,
        request: &Request,
        reply: &[u8],
    ) -> Result<ServerFloor, Error> {
        let suite = match keys {
            Keys::Rsa2048 | Keys::Rsa1024 => "Basic256",
            Keys::P256 => "modern-ec",
        };
        let none = || Error::Crypto(bartizan_crypto::Error::Failed);
        let suite = suite::by_name(suite).ok_or_else(none)?;
        let floor = Floor::of_suite(suite, suite.signature(SignatureReading::Specification));
        let (server, client) = (credentials.recipient()?, initiator.keys().clone());
        let refused = |reject: Reject| Error::Exchange(Box::new(reject));
        let received = initiator.verify_request(request, &server).map_err(refused)?;
        let answered = initiator.verify(request, reply.to_vec()).map_err(refused)?;
        let own = client.identity().ok_or_else(none)?;
        let signed = floor.signed(own.key(), covered(&request.bytes, &received)?)?;
        let sealed =
            floor.encrypt(server.identity().ok_or_else(none)?.leaf().public_key()?, &content(&received))?;
        let (reply, reply_content) = (covered(reply, &answered)?, content(&answered));
        Ok(ServerFloor { floor, server, client, request: signed, sealed, reply, reply_content })
    }

    /// One exchange: verify and decrypt the request, sign and encrypt the reply.
    ///
    /// # Errors
    /// [`Error::Crypto`].
    pub fn exchange(&self) -> Result<(), Error> {
        let none = || Error::Crypto(bartizan_crypto::Error::Failed);
        let server = self.server.identity().ok_or_else(none)?;
        let client = self.client.identity().ok_or_else(none)?.leaf().public_key()?;
        self.floor.verify(client, &self.request)?;
        std::hint::black_box(self.floor.decrypt(server.key(), &self.sealed)?);
        std::hint::black_box(self.floor.sign(server.key(), &self.reply)?);
        std::hint::black_box(self.floor.encrypt(client, &self.reply_content)?);
        Ok(())
    }
}

/// CPU µs of one of them, done for as long as `duration`.
fn micros(duration: Duration, mut exchange: impl FnMut() -> Result<(), Error>) -> Result<f64, Error> {
    let began = Instant::now();
    let before = thread_cpu();
    let mut count = 0;
    while count == 0 || began.elapsed() < duration {
        for _ in 0..BATCH {
            exchange()?;
        }
        count += BATCH;
    }
    let used = thread_cpu().saturating_sub(before);
    Ok(used.as_secs_f64() * 1e6 / f64::from(count))
}

/// What the signature of a message covers, as it is digested.
fn covered(raw: &[u8], verified: &Verified) -> Result<Covered, Error> {
    let soap = |error: bartizan_xml::Error| Error::Soap(error.into());
    let mut budget = Budget::new(&Limits::default());
    let document = Document::parse(raw.to_vec(), Profile::Message, &mut budget).map_err(soap)?;
    let canonical = |name| -> Result<Option<Vec<u8>>, Error> {
        let Some(element) = document.root().descendants().find(|element| element.is(name)) else {
            return Ok(None);
        };
        let mut octets = Vec::new();
        C14n::new(C14nMethod::Exclusive).write(element, &mut octets).map_err(soap)?;
        Ok(Some(octets))
    };
    let body = verified.body().map(|body| body.octets());
    let parts = body.into_iter().chain(canonical(wsse11::SIGNATURE_CONFIRMATION)?).collect();
    Ok(Covered { parts, signed_info: canonical(ds::SIGNED_INFO)?.unwrap_or_default() })
}

/// The plaintext of the Body.
fn content(verified: &Verified) -> Vec<u8> {
    verified.body().map(|body| body.content_octets()).unwrap_or_default()
}
