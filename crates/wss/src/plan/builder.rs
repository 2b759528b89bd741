//! Plans by hand: the asymmetric binding from a suite and a few choices. A policy compiles to the same plans.
//!
//! Not here: other bindings. Called by tests, the TOML short form and library users.

use std::time::Duration;

use bartizan_crypto::alg::{AlgSet, SignatureAlg, TransportAlg};
use bartizan_crypto::suite::{Delivery, SignatureReading, Suite};
use bartizan_crypto::{OaepParams, OaepSet};
use bartizan_xml::c14n::C14nMethod;

use super::{
    Breach, ConfirmationRule, Contradiction, EncryptPlan, EncryptTo, HeaderRule, InPlan, Inclusion, KeyRef,
    KeyTransfer, Layout, OutPlan, Plan, PlanPair, Protect, ProtectionOrder, Side, SignPlan, SignedBy,
    StampPlan, Style, Surplus, Targets, TimestampRule, TokenRule, TokenSent,
};
use crate::error::Error;
use crate::part::{EncryptHow, EncryptPart, Need, Part, Require};

/// Builds the plans of both sides of an asymmetric binding.
///
/// Defaults: SignBeforeEncrypting, Strict layout, whole targets only, the initiator sends its certificate and refers to it directly,
/// the recipient is named by thumbprint, surplus protection is refused.
#[derive(Clone, Debug)]
pub struct AsymmetricBuilder {
    suite: &'static Suite,
    reading: SignatureReading,
    sign: Vec<(Part, Need)>,
    encrypt: Vec<(EncryptPart, Need)>,
    timestamp: Option<TimestampRule>,
    confirmation: bool,
    order: ProtectionOrder,
    header: HeaderRule,
    initiator: Sent,
    recipient: Sent,
    encrypt_reference: KeyRef,
    min_rsa: u32,
    protect: Protect,
    also: AlgSet,
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
    /// Starts from a suite.
    #[must_use]
    pub fn new(suite: &'static Suite) -> AsymmetricBuilder {
        AsymmetricBuilder {
            suite,
            reading: SignatureReading::Specification,
            sign: Vec::new(),
            encrypt: Vec::new(),
            timestamp: None,
            confirmation: false,
            order: ProtectionOrder::SignBeforeEncrypt,
            header: HeaderRule { layout: Layout::Strict, targets: Targets::Whole, ..HeaderRule::default() },
            initiator: Sent { token: TokenSent::X509, reference: KeyRef::Direct },
            recipient: Sent { token: TokenSent::No, reference: KeyRef::ThumbprintSha1 },
            encrypt_reference: KeyRef::ThumbprintSha1,
            min_rsa: 0,
            protect: Protect::No,
            also: AlgSet::empty(),
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

    /// Signs a part; a header block only if it is there.
    #[must_use]
    pub fn sign(mut self, part: Part) -> Self {
        let need =
            if matches!(part, Part::Header { .. } | Part::Headers) { Need::IfPresent } else { Need::Must };
        self.sign.push((part, need));
        self
    }

    /// Encrypts a part: the Body's content, a header block, the signature; an element by path as `how` says.
    #[must_use]
    pub fn encrypt(mut self, part: Part) -> Self {
        let how = if part == Part::Body { EncryptHow::Content } else { EncryptHow::Element };
        let need = if matches!(part, Part::Header { .. }) { Need::IfPresent } else { Need::Must };
        self.encrypt.push((EncryptPart { part, how }, need));
        self
    }

    /// Sends, demands and signs a Timestamp.
    #[must_use]
    pub fn timestamp(mut self, rule: TimestampRule) -> Self {
        self.timestamp = Some(rule);
        self
    }

    /// Demands and sends SignatureConfirmation.
    #[must_use]
    pub fn confirmation(mut self) -> Self {
        self.confirmation = true;
        self
    }

    /// Sets the order of protection.
    #[must_use]
    pub fn order(mut self, order: ProtectionOrder) -> Self {
        self.order = order;
        self
    }

    /// Sets the header's rules.
    #[must_use]
    pub fn header(mut self, header: HeaderRule) -> Self {
        self.header = header;
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

    /// Smallest RSA key accepted, in bits.
    #[must_use]
    pub fn min_rsa(mut self, bits: u32) -> Self {
        self.min_rsa = bits;
        self
    }

    /// Demands and makes the signing token signed.
    #[must_use]
    pub fn protect_tokens(mut self) -> Self {
        self.protect = Protect::Token;
        self
    }

    /// Accepts further algorithms beyond the suite's.
    #[must_use]
    pub fn also_accept(mut self, algorithms: AlgSet) -> Self {
        algorithms.iter().for_each(|a| self.also.insert(a));
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
        if self.protect == Protect::Token && (inside(self.initiator) || inside(self.recipient)) {
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
        let mut algorithms = self.suite.algorithms(self.reading);
        self.also.iter().for_each(|a| algorithms.insert(a));
        // Of what is accepted beyond the suite the transport is named and nothing else.
        let further = TransportAlg::ALL.iter().filter(|alg| self.also.permits(**alg));
        let oaep = further.fold(self.suite.oaep(), |set, alg| set.union(OaepSet::of(*alg)));
        let mut required: Vec<Require> = Vec::new();
        let signed = self.sign.iter().cloned().map(|(p, n)| (p, n, Need::No));
        let stamped = self
            .timestamp
            .iter()
            .filter(|_| !self.sign.is_empty())
            .map(|_| (Part::Timestamp, Need::Must, Need::No));
        let encrypted = self.encrypt.iter().map(|(p, n)| (p.part.clone(), Need::No, *n));
        for (part, signed, encrypted) in signed.chain(stamped).chain(encrypted) {
            match required.iter_mut().find(|r| r.part == part) {
                Some(r) if encrypted == Need::No => r.signed = signed,
                Some(r) => r.encrypted = encrypted,
                None => required.push(Require { part, signed, encrypted, how: EncryptHow::Content }),
            }
        }
        let whole = |p: &EncryptPart| p.how == EncryptHow::Element && matches!(p.part, Part::Element { .. });
        for (part, _) in self.encrypt.iter().filter(|(p, _)| whole(p)) {
            required.iter_mut().filter(|r| r.part == part.part).for_each(|r| r.how = EncryptHow::Element);
        }
        let body_covered = required.iter().any(|r| r.part == Part::Body && r.signed != Need::No);
        InPlan {
            algorithms,
            oaep,
            required,
            open_parts: if self.open && !body_covered { vec![Part::Body] } else { Vec::new() },
            username: None,
            signed_by: SignedBy::X509,
            transport: None,
            secret: None,
            lone_cipher: if self.open { Breach::Warn } else { Breach::Refuse },
            timestamp: self.timestamp,
            confirmation: match side {
                Side::Initiator if self.confirmation => ConfirmationRule::Demand,
                _ => ConfirmationRule::Ignore,
            },
            token: TokenRule {
                inclusion: Inclusion::Any,
                reference: Vec::new(),
                min_rsa: self.min_rsa,
                protect: self.protect,
            },
            order: self.order,
            header: self.header,
            surplus: Surplus::Refuse,
            understood: self.understood.clone(),
            open: self.open,
        }
    }

    /// What `side` puts on what goes out.
    fn out(&self, side: Side) -> OutPlan {
        let sent = if side == Side::Initiator { self.initiator } else { self.recipient };
        let mut parts: Vec<Part> = self.sign.iter().map(|(p, _)| p.clone()).collect();
        if self.timestamp.is_some() && !parts.is_empty() {
            parts.push(Part::Timestamp);
        }
        if self.protect == Protect::Token && sent.token != TokenSent::No {
            parts.push(Part::Token);
        }
        let confirms = self.confirmation && side == Side::Recipient;
        if confirms {
            parts.push(Part::SignatureConfirmation);
        }
        let sign = (!self.sign.is_empty()).then(|| SignPlan {
            parts,
            method: self.method(),
            digest: self.suite.digest,
            c14n: C14nMethod::Exclusive,
            by: SignedBy::X509,
            reference: sent.reference,
            token: sent.token,
        });
        let hidden = (confirms && self.hides_confirmation())
            .then_some(EncryptPart { part: Part::SignatureConfirmation, how: EncryptHow::Element });
        let encrypt = (!self.encrypt.is_empty()).then(|| EncryptPlan {
            parts: self.encrypt.iter().map(|(p, _)| p.clone()).chain(hidden).collect(),
            cipher: self.suite.cipher,
            key: transfer(self.suite),
            reference: self.encrypt_reference,
            to: if side == Side::Initiator { EncryptTo::Peer } else { EncryptTo::Requester },
        });
        OutPlan {
            sign,
            encrypt,
            timestamp: self.timestamp.map(|t| StampPlan::lasting(t.ttl)),
            username: None,
            secret: None,
            confirmation: confirms,
            order: self.order,
            layout: self.header.layout,
            style: Style::Clean,
            over_tls: false,
        }
    }

    fn hides_confirmation(&self) -> bool {
        self.confirmation && self.encrypt.iter().any(|(p, _)| p.part == Part::Signature)
    }

    fn method(&self) -> SignatureAlg {
        self.suite.signature(self.reading)
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
