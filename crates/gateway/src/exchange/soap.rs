//! The SOAP part of an exchange: untrusted bytes → verified → draft → wire message.

use std::time::Instant;

use bartizan_soap::{Fault, MediaType, Version};
use bartizan_wss::{
    Caller, Plan, Reason, Reject, RequestFacts, SecurityContext, Side, Transport, Untrusted, Verified,
    WireMessage,
};
use bytes::Bytes;
use http::Response;
use http::header::{CONTENT_TYPE, HeaderValue};
use tokio::sync::{OwnedSemaphorePermit, SemaphorePermit};

use super::addressing::Answers;
use super::{Exchange, fault, waiting};
use crate::access::Outcome;
use crate::junction::{Junction, Reply, Table};

/// Larger messages are verified where they do not hold up the other tasks of the thread.
const INLINE_BYTES: usize = 64 * 1024;

/// A message as it came.
pub(super) struct Incoming<'h> {
    pub(super) bytes: Vec<u8>,
    pub(super) content_type: &'h str,
    pub(super) version: Version,
    pub(super) action: Option<&'h str>,
}

/// The version that a media type names; `None` if it is none of SOAP's.
pub(super) fn media_type(value: Option<&str>) -> Option<(Version, &str)> {
    let value = value?;
    let version = MediaType::parse(value).ok()?.version()?;
    Some((version, value))
}

impl<'g> Exchange<'g> {
    /// Verifies, serves, secures.
    pub(super) async fn soap(
        &mut self,
        table: &Table,
        junction: &Junction,
        incoming: Incoming<'_>,
    ) -> Response<Bytes> {
        let mut version = incoming.version;
        let large = incoming.bytes.len();
        let place = self.turn(large).await;
        let verdict = if junction.may_wait() {
            let gateway = self.gateway;
            match gateway.waiting.run(|| self.verify(junction, incoming, &mut version)) {
                Some(verdict) => verdict,
                None => return self.busy("too many messages are being checked"),
            }
        } else {
            on_this_thread(large, || self.verify(junction, incoming, &mut version))
        };
        drop(place);
        let verified = match verdict {
            Ok(verified) => verified,
            // It says nothing about the user: nothing was compared.
            Err(reject) if reject.reason() == Reason::UserBusy => {
                return self.busy("too many passwords are being checked");
            }
            Err(reject) => return self.refuse(table, junction, &reject, version),
        };
        let facts = verified.request_facts().clone();
        let answers = junction.addressing.map(|edition| Answers::of(edition, &verified));
        let began = Instant::now();
        let served = junction.target.serve(verified).await;
        self.record.steps.serve = began.elapsed();
        let (draft, fault) = match served {
            Ok(draft) => {
                self.record.outcome = Outcome::Answered;
                (draft, None)
            }
            Err(fault) => {
                self.record.outcome = Outcome::Faulted;
                self.record.detail = Some(fault.reason().to_owned());
                (fault.to_draft(facts.version()), Some(fault))
            }
        };
        let draft = match answers {
            Some(answers) => answers.put_on(draft, &*self.gateway.random),
            None => draft,
        };
        let status = match &fault {
            Some(fault) => fault.http_status(facts.version()),
            None => 200,
        };
        self.record.fault = fault.as_ref().map(|fault| fault::name(fault, facts.version()));
        let began = Instant::now();
        let large = draft.content().len();
        let place = self.turn(large).await;
        let secured = on_this_thread(large, || self.secure(junction, draft, &facts));
        drop(place);
        self.record.steps.secure = began.elapsed();
        match secured {
            Ok(message) => respond(message, status),
            Err(error) => {
                self.record.outcome = Outcome::Broke;
                self.record.detail = Some(format!("the reply could not be secured: {error}"));
                self.plain_fault(junction, &fault::internal(&self.record.id), facts.version())
            }
        }
    }

    /// Waits for the turn of this peer, and for a place among the large messages at work: a tree takes several times
    /// the memory of its octets, and the runtime would start a thread for each. In this order, so that whoever waits
    /// for his own turn holds nothing that others want.
    async fn turn(&self, bytes: usize) -> (Option<OwnedSemaphorePermit>, Option<SemaphorePermit<'g>>) {
        let own = match &self.place {
            Some(place) => place.turn().await,
            None => None,
        };
        // The semaphore is never closed.
        let large = if bytes > INLINE_BYTES { self.gateway.large_work.acquire().await.ok() } else { None };
        (own, large)
    }

    fn verify(
        &mut self,
        junction: &Junction,
        incoming: Incoming<'_>,
        version: &mut Version,
    ) -> Result<Verified, Reject> {
        let began = Instant::now();
        let transport = if self.local { Transport::Local } else { Transport::Plain };
        let env = self.gateway.env(junction).over(transport);
        let verified = Untrusted::read(incoming.bytes, Some(incoming.content_type), &junction.limits)
            .map(|message| {
                *version = message.version();
                match incoming.action {
                    Some(action) => message.with_action_hint(action),
                    None => message,
                }
            })
            .and_then(|message| junction.plan.verify(message, &env));
        self.record.steps.verify = began.elapsed();
        if let Ok(verified) = &verified {
            self.note_evidence(verified.context());
        }
        verified
    }

    fn secure(
        &self,
        junction: &Junction,
        draft: bartizan_soap::Draft,
        facts: &RequestFacts,
    ) -> Result<WireMessage, bartizan_wss::Error> {
        let env = self.gateway.env(junction);
        let secured = match junction.reply {
            Reply::Secured => junction.plan.secure(draft, &env, Some(facts)),
            Reply::Plain => Plan::open(Side::Recipient).secure(draft, &env, None),
        };
        secured.map(|secured| secured.message)
    }

    /// The one way out for a message that is not accepted: the reason into the log, the
    /// constant fault to the peer, at a time that tells nothing.
    fn refuse(
        &mut self,
        table: &Table,
        junction: &Junction,
        reject: &Reject,
        version: Version,
    ) -> Response<Bytes> {
        self.record.outcome = Outcome::Refused;
        self.record.reason = Some(reject.reason().code());
        self.record.detail = Some(reject.detail());
        self.record.at = reject.place().map(|place| match place.path.as_ref() {
            "" => format!("byte {}", place.offset),
            path => path.to_owned(),
        });
        self.note_evidence(reject.context());
        let fault = fault::refusal(reject, &self.record.id);
        self.record.fault = Some(fault::name(&fault, version));
        let response = self.plain_fault(junction, &fault, version);
        self.due = Some(fault::send_at(self.complete, Instant::now(), table.failure_quantum));
        response
    }

    /// A fault that is not secured.
    fn plain_fault(&self, junction: &Junction, fault: &Fault, version: Version) -> Response<Bytes> {
        let status = fault.http_status(version);
        let draft = fault.to_draft(version);
        match Plan::open(Side::Recipient).secure(draft, &self.gateway.env(junction), None) {
            Ok(secured) => respond(secured.message, status),
            Err(_) => self.text(http::StatusCode::INTERNAL_SERVER_ERROR, "internal error"),
        }
    }

    /// The evidence in short.
    fn note_evidence(&mut self, context: &SecurityContext) {
        let caller = context.caller();
        let shown = |caller: &Caller| (caller.name().to_owned(), caller.proved_by().name());
        self.record.caller = caller.map(shown);
        self.record.endorsers = context.endorsers().iter().map(shown).collect();
        self.record.parts = context
            .parts()
            .iter()
            .map(|part| {
                let sealed = if part.encrypted { " encrypted" } else { "" };
                format!("{} {}{sealed}", part.path, part.protection)
            })
            .collect();
        self.record.legacy = context.legacy().map(|alg| alg.short_name()).collect();
        self.record.private_operations = context.private_operations();
    }
}

/// Runs `work`; for a large message the runtime is told that this thread is busy.
fn on_this_thread<T>(bytes: usize, work: impl FnOnce() -> T) -> T {
    if bytes > INLINE_BYTES { waiting::aside(work) } else { work() }
}

/// The message as an HTTP answer.
fn respond(message: WireMessage, status: u16) -> Response<Bytes> {
    let content_type = HeaderValue::from_str(&message.content_type()).ok();
    let mut response = Response::new(Bytes::from(message.into_bytes()));
    if let Ok(status) = http::StatusCode::from_u16(status) {
        *response.status_mut() = status;
    }
    if let Some(content_type) = content_type {
        response.headers_mut().insert(CONTENT_TYPE, content_type);
    }
    response
}
