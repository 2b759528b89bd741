//! One exchange as a client: draft, secure, send, verify, each step timed. Used by `call`
//! and by `demo`.

use std::time::{Duration, Instant};

use bartizan_crypto::random::SystemRandom;
use bartizan_gateway::exchange::message_id;
use bartizan_keys::Keystore;
use bartizan_net::http::client::{self, ClientLimits};
use bartizan_net::{Clock as _, SystemClock};
use bartizan_policy::compile;
use bartizan_soap::addressing::{Addressing, Edition, Epr};
use bartizan_soap::{Draft, Envelope, Fault, Version};
use bartizan_wss::{Env, Login, Plan, Reject, Secured, SentSignatures, Untrusted, Verified, WireMessage};
use bartizan_xml::c14n::{C14n, C14nMethod};
use bartizan_xml::{Budget, Document, Limits, Profile};
use bytes::Bytes;
use http::header::CONTENT_TYPE;

use crate::output::Failure;

/// The greeting of the benchmark.
pub(crate) const GREETING: &str =
    "<greetRequest xmlns=\"http://www.wso2.org/types\"><name>test me</name></greetRequest>";

/// What a client acts with.
pub(crate) struct Client<'a> {
    /// The initiator's plan.
    pub(crate) plan: &'a Plan,
    /// Our keys and whom we trust.
    pub(crate) keys: &'a Keystore,
    /// Who we are in a UsernameToken.
    pub(crate) login: Option<&'a Login>,
    /// Bounds of the HTTP exchange.
    pub(crate) limits: ClientLimits,
}

/// A request that is ready to go.
#[derive(Clone)]
pub(crate) struct Request {
    /// Its octets.
    pub(crate) bytes: Vec<u8>,
    /// Its media type.
    pub(crate) content_type: String,
    /// SOAPAction, in SOAP 1.1.
    pub(crate) soap_action: Option<String>,
    /// What the reply must confirm.
    pub(crate) sent: SentSignatures,
    /// How long securing took.
    pub(crate) time: Duration,
}

/// What came back.
pub(crate) struct Reply {
    /// HTTP status.
    pub(crate) status: u16,
    /// The media type, if one was named.
    pub(crate) content_type: Option<String>,
    /// The body's octets.
    pub(crate) bytes: Vec<u8>,
    /// From sending to the last byte.
    pub(crate) time: Duration,
}

impl Client<'_> {
    /// Secures a draft.
    pub(crate) fn secure(&self, draft: Draft) -> Result<Request, bartizan_wss::Error> {
        let began = Instant::now();
        let mut env = Env::new(self.keys, SystemClock.now(), &SystemRandom);
        env.login = self.login;
        let Secured { message, sent } = self.plan.secure(draft, &env, None)?;
        let time = began.elapsed();
        let (content_type, soap_action) = (message.content_type(), message.soap_action());
        Ok(Request { bytes: WireMessage::into_bytes(message), content_type, soap_action, sent, time })
    }

    /// Sends a request.
    pub(crate) async fn send(&self, url: &http::Uri, request: &Request) -> Result<Reply, Failure> {
        let wrong = |error: http::Error| Failure::could_not(format_args!("no request can be made: {error}"));
        let mut builder = http::Request::post(url.clone()).header(CONTENT_TYPE, &request.content_type);
        if let Some(action) = &request.soap_action {
            builder = builder.header("SOAPAction", action);
        }
        let message = builder.body(Bytes::from(request.bytes.clone())).map_err(wrong)?;
        let began = Instant::now();
        let response = client::send(message, self.limits)
            .await
            .map_err(|error| Failure::could_not(format_args!("{url}: {error}")))?;
        let time = began.elapsed();
        let content_type = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        Ok(Reply {
            status: response.status().as_u16(),
            content_type: content_type.map(str::to_owned),
            bytes: response.into_body(),
            time,
        })
    }

    /// Verifies a reply; says how long that took.
    pub(crate) fn verify(
        &self,
        reply: &Reply,
        sent: &SentSignatures,
    ) -> (Result<Verified, Reject>, Duration) {
        let began = Instant::now();
        let env = Env::new(self.keys, SystemClock.now(), &SystemRandom).answering(sent);
        let read = Untrusted::read(reply.bytes.clone(), reply.content_type.as_deref(), &Limits::default());
        let verdict = read.and_then(|message| self.plan.verify(message, &env));
        (verdict, began.elapsed())
    }
}

/// The fault of a reply that is not secured. Whoever sent it, it proves nothing.
pub(crate) fn unverified_fault(reply: &Reply) -> Option<(Fault, Version)> {
    let envelope = Envelope::parse(reply.bytes.clone(), &mut Budget::new(&Limits::default())).ok()?;
    let version = envelope.version();
    Fault::read(&envelope).ok().flatten().map(|fault| (fault, version))
}

/// A draft of what a file holds: a whole envelope, or the element for the body.
pub(crate) fn draft(bytes: Vec<u8>, version: Version) -> Result<Draft, bartizan_soap::Error> {
    let limits = Limits::default();
    let document = Document::parse(bytes.clone(), Profile::Bare, &mut Budget::new(&limits))?;
    let root = document.root();
    let envelope = [Version::Soap11, Version::Soap12].iter().any(|v| root.namespace() == Some(v.namespace()));
    if envelope && root.local_name() == "Envelope" {
        return Draft::parse(bytes, &limits);
    }
    let mut octets = Vec::new();
    C14n::new(C14nMethod::Exclusive).write(root, &mut octets)?;
    Ok(Draft::new(version).with_body(octets))
}

/// Adds the addressing headers of a request.
pub(crate) fn address(draft: Draft, edition: Edition, to: &str, action: Option<&str>) -> Draft {
    let addressing = Addressing {
        edition: Some(edition),
        to: Some(to.to_owned()),
        action: action.map(str::to_owned),
        message_id: Some(message_id(&SystemRandom)),
        reply_to: Some(Epr { address: edition.anonymous().to_owned() }),
        ..Addressing::default()
    };
    addressing.blocks().into_iter().fold(draft, Draft::with_block)
}

/// The edition that a policy asks for.
pub(crate) fn edition(addressing: compile::Addressing) -> Edition {
    match addressing {
        compile::Addressing::V2004 => Edition::W2004,
        compile::Addressing::V2005 => Edition::W2005,
    }
}

#[cfg(test)]
mod tests;
