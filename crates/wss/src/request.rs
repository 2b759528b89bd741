//! What ties a reply to its request: the signature values to confirm, and who signed.
//!
//! `SentSignatures` stays with the initiator that sent the request, `RequestFacts` comes out of the verified request at the recipient.

mod saved;

use std::sync::Arc;

use bartizan_crypto::base64;
use bartizan_keys::Certificate;
use bartizan_soap::Version;
use bartizan_soap::addressing::is_addressing;
use bartizan_xml::names;

use crate::reuse::Tenure;
use crate::secret::ExchangeSecret;
use crate::untrusted::Untrusted;

/// The decoded SignatureValues that a sender put into a message: what the reply must confirm (SMS 1.1 §8.5).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SentSignatures {
    values: Vec<Vec<u8>>,
    hidden: bool,
    secret: Option<Arc<ExchangeSecret>>,
    /// Where the secret is, or will be, that of other requests as well.
    lent: Option<Lent>,
    message_id: Option<String>,
}

/// A secret that several requests share.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Lent {
    pub(crate) tenure: Arc<Tenure>,
    /// This request carried it.
    pub(crate) fresh: bool,
}

impl SentSignatures {
    pub(crate) fn new(
        values: Vec<Vec<u8>>,
        hidden: bool,
        secret: Option<Arc<ExchangeSecret>>,
    ) -> SentSignatures {
        SentSignatures { values, hidden, secret, lent: None, message_id: None }
    }

    /// Under a secret of several requests.
    pub(crate) fn lent(self, lent: Option<Lent>) -> SentSignatures {
        SentSignatures { lent, ..self }
    }

    /// The several requests' claim to the secret, if it is not of this one alone.
    pub(crate) fn shares(&self) -> Option<&Lent> {
        self.lent.as_ref()
    }

    /// Whether the request named a secret of a request before by EncryptedKeySHA1 in place of carrying one. The peer refuses it if it has forgotten
    /// that, and cannot say so; who may send it again then has it secured anew.
    #[must_use]
    pub fn reuses_secret(&self) -> bool {
        self.lent.as_ref().is_some_and(|lent| !lent.fresh)
    }

    /// With the MessageID that went out, which a reply names in RelatesTo.
    pub(crate) fn with_message_id(self, message_id: Option<String>) -> SentSignatures {
        SentSignatures { message_id, ..self }
    }

    /// The MessageID of WS-Addressing that went out, if there was one.
    #[must_use]
    pub fn message_id(&self) -> Option<&str> {
        self.message_id.as_deref()
    }

    /// What the sender of a verified request has kept of it. For who looks at both messages of an exchange with the recipient's keys: the sender
    /// itself knows it from [`Secured`](crate::Secured).
    #[must_use]
    pub fn of_request(request: &RequestFacts) -> SentSignatures {
        SentSignatures {
            values: request.signature_values.clone(),
            hidden: request.signature_was_encrypted,
            secret: request.secret.clone(),
            lent: None,
            message_id: None,
        }
    }

    /// The secret that was sent, under the symmetric binding.
    pub(crate) fn secret(&self) -> Option<&Arc<ExchangeSecret>> {
        self.secret.as_ref()
    }

    /// Whether they went out encrypted: then the reply must not show them either.
    #[must_use]
    pub fn hidden(&self) -> bool {
        self.hidden
    }

    /// The values, in document order; empty if the message was not signed.
    #[must_use]
    pub fn values(&self) -> &[Vec<u8>] {
        &self.values
    }

    /// Reads the values out of a message that we sent ourselves and still have as a file: every Signature that is a child of its Security
    /// header for the ultimate receiver. Nothing is verified. Signatures that went out encrypted cannot be read back, and neither can the secret of
    /// an EncryptedKey: a reply under that is verified where [`with_secret`](Self::with_secret) adds it.
    #[must_use]
    pub fn of_message(message: &Untrusted) -> SentSignatures {
        let envelope = message.envelope();
        let values = envelope
            .blocks_named(names::wsse::SECURITY)
            .filter(|s| bartizan_soap::header::addressee(*s, envelope.version()).is_us())
            .flat_map(|s| s.children_named(names::ds::SIGNATURE))
            .filter_map(|s| s.child(names::ds::SIGNATURE_VALUE))
            .filter_map(|v| base64::decode(&v.text()).ok())
            .collect();
        let mut blocks = envelope.blocks();
        let id = blocks.find(|b| is_addressing(*b) && b.local_name() == "MessageID").map(|b| b.text());
        SentSignatures {
            values,
            hidden: false,
            secret: None,
            lent: None,
            message_id: id.map(|id| id.trim().to_owned()),
        }
    }
}

/// What a recipient must know of a verified request to secure the reply.
#[derive(Clone, Debug)]
pub struct RequestFacts {
    pub(crate) version: Version,
    pub(crate) signature_values: Vec<Vec<u8>>,
    pub(crate) requester: Option<Certificate>,
    pub(crate) signature_was_encrypted: bool,
    pub(crate) secret: Option<Arc<ExchangeSecret>>,
    pub(crate) alternative: usize,
}

impl RequestFacts {
    /// SOAP version of the request.
    #[must_use]
    pub fn version(&self) -> Version {
        self.version
    }

    /// The decoded SignatureValues of the request, in document order.
    #[must_use]
    pub fn signature_values(&self) -> &[Vec<u8>] {
        &self.signature_values
    }

    /// The certificate that verified the request: the reply is encrypted to it.
    #[must_use]
    pub fn requester(&self) -> Option<&Certificate> {
        self.requester.as_ref()
    }

    /// Which alternative of the plan the request satisfied, from 0.
    #[must_use]
    pub fn alternative(&self) -> usize {
        self.alternative
    }

    /// Whether the request's signature was encrypted; then its confirmation must be, too (SMS 1.1 §8.5.1).
    #[must_use]
    pub fn signature_was_encrypted(&self) -> bool {
        self.signature_was_encrypted
    }
}
