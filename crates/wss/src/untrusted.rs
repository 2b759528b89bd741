//! `Untrusted`: a message that came in and that nobody may read.
//!
//! It tells its size, version and what is needed to choose a plan; it gives no Body and no header. `Plan::verify` consumes it.
//!
//! An unverified body cannot reach an operation:
//! ```compile_fail,E0308
//! fn operation(_: &bartizan_wss::Verified) {}
//! fn serve(message: bartizan_wss::Untrusted) {
//!     operation(&message);
//! }
//! ```
//! nor can it be read:
//! ```compile_fail,E0599
//! fn peek(message: &bartizan_wss::Untrusted) {
//!     let _ = message.body();
//! }
//! ```

use bartizan_soap::{Envelope, MediaType, Version, addressing};
use bartizan_xml::{Budget, ErrorKind, Limits, Scratch};

use crate::error::{Hint, Reject};
use crate::reason::Reason;

/// A parsed envelope whose content nobody may read yet.
pub struct Untrusted {
    envelope: Envelope,
    budget: Budget,
    size: usize,
    action: Option<String>,
}

impl Untrusted {
    /// Parses a message. `content_type` is checked against the version and the bytes; `None` where there is none (a file).
    ///
    /// # Errors
    /// A [`Reject`] of the family `message.`.
    pub fn read(bytes: Vec<u8>, content_type: Option<&str>, limits: &Limits) -> Result<Untrusted, Reject> {
        Untrusted::read_with(bytes, content_type, limits, &mut Scratch::default())
    }

    /// As [`Untrusted::read`], in the memory of a message that is gone (see [`Verified::recycle`](crate::Verified::recycle)).
    ///
    /// # Errors
    /// Those of [`Untrusted::read`].
    pub fn read_with(
        bytes: Vec<u8>,
        content_type: Option<&str>,
        limits: &Limits,
        scratch: &mut Scratch,
    ) -> Result<Untrusted, Reject> {
        let media = match content_type {
            Some(text) => Some(MediaType::parse(text).map_err(of_soap)?),
            None => None,
        };
        let size = bytes.len();
        let start: [u8; 2] = bytes.first_chunk().copied().unwrap_or_default();
        let mut budget = Budget::new(limits);
        let envelope = Envelope::parse_with(bytes, &mut budget, scratch).map_err(of_soap)?;
        if let Some(media) = &media {
            media.check(envelope.version(), &start).map_err(of_soap)?;
        }
        let action = media.as_ref().and_then(|m| m.action()).map(str::to_owned);
        Ok(Untrusted { envelope, budget, size, action })
    }

    /// With the SOAPAction header's value as hint for choosing a plan.
    #[must_use]
    pub fn with_action_hint(mut self, action: &str) -> Untrusted {
        self.action = Some(action.to_owned());
        self
    }

    /// Bytes received.
    #[must_use]
    pub fn size(&self) -> usize {
        self.size
    }

    /// SOAP version.
    #[must_use]
    pub fn version(&self) -> Version {
        self.envelope.version()
    }

    /// The action that the transport named. A hint for choosing a plan, nothing else; what was chosen must be checked after verification.
    #[must_use]
    pub fn action_hint(&self) -> Option<&str> {
        self.action.as_deref()
    }

    /// The action that an addressing header names, under the same reserve.
    #[must_use]
    pub fn addressing_hint(&self) -> Option<String> {
        let blocks = self.envelope.blocks().filter(|b| addressing::is_addressing(*b));
        addressing::Addressing::read(blocks).ok().and_then(|a| a.action)
    }

    pub(crate) fn envelope(&self) -> &Envelope {
        &self.envelope
    }

    pub(crate) fn into_parts(self) -> (Envelope, Budget) {
        (self.envelope, self.budget)
    }
}

/// The reason for what the envelope layer refused.
pub(crate) fn of_soap(error: bartizan_soap::Error) -> Reject {
    use bartizan_soap::Error as E;
    let reason = match &error {
        E::Xml(e) => of_xml(e),
        E::VersionMismatch { .. } => Reason::MessageVersion,
        E::MustUnderstand { .. } => Reason::MessageNotUnderstood,
        E::MediaType | E::Charset => Reason::MessageMediaType,
        E::Addressing { .. } => Reason::MessageAddressing,
        _ => Reason::MessageShape,
    };
    let reject = Reject::new(reason);
    let reject = match error.offset() {
        Some(offset) => reject.at_offset(offset),
        None => reject,
    };
    reject.hinting(Hint::Soap(error))
}

/// The reason for what the XML layer refused.
pub(crate) fn of_xml(error: &bartizan_xml::Error) -> Reason {
    match error.kind() {
        ErrorKind::Limit(_) => Reason::MessageLimit,
        ErrorKind::Dtd => Reason::MessageDtd,
        ErrorKind::DuplicateId => Reason::MessageDuplicateId,
        _ => Reason::MessageMalformed,
    }
}
