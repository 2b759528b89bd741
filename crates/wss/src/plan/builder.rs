//! Plans by hand: the asymmetric binding from a suite and a few choices. A policy compiles to the same plans.
//!
//! Not here: other bindings. Called by tests, the TOML short form and library users.

use std::time::Duration;

use bartizan_crypto::OaepParams;
use bartizan_crypto::alg::AlgSet;
use bartizan_crypto::suite::{Delivery, SignatureReading, Suite};
use bartizan_xml::c14n::C14nMethod;

use super::protection::{Protection, setters};
use super::{
    Breach, Contradiction, EncryptPlan, EncryptTo, HeaderRule, InPlan, KeyRef, KeyTransfer, OutPlan, Plan,
    PlanPair, Protect, ProtectionOrder, Side, SignPlan, SignedBy, TimestampRule, TokenSent,
};
use crate::error::Error;
use crate::part::Part;

/// Builds the plans of both sides of an asymmetric binding.
///
/// Defaults: SignBeforeEncrypting, Strict layout, whole targets only, the initiator sends its certificate and refers to it directly,
/// the recipient is named by thumbprint, surplus protection is refused.
#[derive(Clone, Debug)]
pub struct AsymmetricBuilder {
    protection: Protection,
    reading: SignatureReading,
    initiator: Sent,
    recipient: Sent,
    encrypt_reference: KeyRef,
    understood: Vec<(String, String)>,
    open: bool,
}

/// How one side shows its signing key.
#[derive(Clone, Copy, Debug)]
struct Sent {
    token: TokenSent,
    reference: KeyRef,
}

impl AsymmetricBuilder {
    setters!();

    /// Starts from a suite.
    #[must_use]
    pub fn new(suite: &'static Suite) -> AsymmetricBuilder {
        AsymmetricBuilder {
            protection: Protection::new(suite),
            reading: SignatureReading::Specification,
            initiator: Sent { token: TokenSent::X509, reference: KeyRef::Direct },
            recipient: Sent { token: TokenSent::No, reference: KeyRef::ThumbprintSha1 },
            encrypt_reference: KeyRef::ThumbprintSha1,
            understood: Vec::new(),
            open: false,
        }
    }

    /// Reads the suite's signature as the specification or as WCF does.
    #[must_use]
    pub fn reading(mut self, reading: SignatureReading) -> Self {
        self.reading = reading;
        self
    }

    /// How the initiator shows its signing key.
    #[must_use]
    pub fn initiator_key(mut self, token: TokenSent, reference: KeyRef) -> Self {
        self.initiator = Sent { token, reference };
        self
    }

    /// How the recipient shows its signing key.
    #[must_use]
    pub fn recipient_key(mut self, token: TokenSent, reference: KeyRef) -> Self {
        self.recipient = Sent { token, reference };
        self
    }

    /// How the key that the message is encrypted to is named.
    #[must_use]
    pub fn encrypt_reference(mut self, reference: KeyRef) -> Self {
        self.encrypt_reference = reference;
        self
    }

    /// Both sides understand the header block of this name.
    #[must_use]
    pub fn understand(mut self, namespace: &str, local: &str) -> Self {
        self.understood.push((namespace.to_owned(), local.to_owned()));
        self
    }

    /// The plan may demand no authentication, in so many words.
    #[must_use]
    pub fn open(mut self) -> Self {
        self.open = true;
        self
    }

    /// Builds both plans.
    ///
    /// # Errors
    /// Those of [`Plan::new`]; [`Contradiction::ProtectedTokenInside`].
    pub fn build(self) -> Result<PlanPair, Error> {
        let inside = |s: Sent| s.token == TokenSent::No && s.reference.in_message();
        if self.protection.protect == Protect::Token && (inside(self.initiator) || inside(self.recipient)) {
            return Err(Error::PlanContradiction(Contradiction::ProtectedTokenInside));
        }
        let request = self.out(Side::Initiator);
        let reply = self.out(Side::Recipient);
        Ok(PlanPair {
            initiator: Plan::new(Side::Initiator, self.inbound(Side::Initiator), request)?,
            recipient: Plan::new(Side::Recipient, self.inbound(Side::Recipient), reply)?,
        })
    }

    /// What `side` demands of what comes in.
    fn inbound(&self, side: Side) -> InPlan {
        InPlan {
            lone_cipher: if self.open { Breach::Warn } else { Breach::Refuse },
            understood: self.understood.clone(),
            ..self.protection.demands(side, self.reading, None, self.open)
        }
    }

    /// What `side` puts on what goes out.
    fn out(&self, side: Side) -> OutPlan {
        let Protection { suite, .. } = self.protection;
        let sent = if side == Side::Initiator { self.initiator } else { self.recipient };
        let sign = self.protection.signed(side, sent.token != TokenSent::No, false).map(|parts| SignPlan {
            parts,
            method: suite.signature(self.reading),
            digest: suite.digest,
            c14n: C14nMethod::Exclusive,
            by: SignedBy::X509,
            reference: sent.reference,
            token: sent.token,
        });
        let encrypt = self.protection.sealed(side, false).map(|parts| EncryptPlan {
            parts,
            cipher: suite.cipher,
            key: transfer(suite),
            reference: self.encrypt_reference,
            to: if side == Side::Initiator { EncryptTo::Peer } else { EncryptTo::Requester },
        });
        OutPlan { sign, encrypt, ..self.protection.added(side) }
    }
}

/// How the content key of a suite gets across.
#[must_use]
pub fn transfer(suite: &Suite) -> KeyTransfer {
    match suite.delivery {
        Delivery::Transport { transport, digest, mgf } => {
            KeyTransfer::Transport { method: transport, oaep: OaepParams::new(digest, mgf) }
        }
        Delivery::Agreement { agreement, kdf, digest } => {
            KeyTransfer::Agreement { method: agreement, kdf, digest, wrap: suite.wrap }
        }
    }
}

/// The lifetime that our Timestamps have by default.
pub const DEFAULT_TTL: Duration = Duration::from_secs(300);
