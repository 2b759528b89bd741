//! `Plan`: what one side demands of a message and puts on one. Built once (by a policy or by hand), immutable, shared.
//!
//! Not here: reading a policy (`bartizan-policy`), running a plan (`inbound`, `outbound`). A plan holds no keys and no clock.

pub mod builder;
mod contradiction;
pub mod describe;
mod endorse;
mod out;
mod protection;
mod stamp;
pub mod symmetric;
mod transport;
pub mod username;

use bartizan_crypto::OaepSet;
use bartizan_crypto::alg::AlgSet;
use bartizan_xmlsec::{OaepPermit, Permit};

use crate::error::Error;
use crate::part::{Need, Part, Require};
use crate::request::RequestFacts;

pub use contradiction::Contradiction;
pub use endorse::{EndorsePlan, EndorseRule};
pub use out::{
    EncryptPlan, EncryptTo, KeyTransfer, OutPlan, Precision, SignPlan, StampPlan, Step, TokenSent,
};
pub use stamp::TimestampRule;
pub use symmetric::{DeriveKeys, Dialect, SecretFrom, SecretOut, SecretRule, SecretSource};
pub use transport::TransportRule;
pub use username::{
    Derive, Iterations, KeyRule, PasswordForm, Presence, SignedBy, Style, UsernameOut, UsernameRule,
};

/// Which side of an exchange a plan serves.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Side {
    /// Sends the request, verifies the reply.
    Initiator,
    /// Verifies the request, sends the reply.
    Recipient,
}

/// The plans of both sides, as one policy compiles to.
#[derive(Clone, Debug)]
pub struct PlanPair {
    /// The client's.
    pub initiator: Plan,
    /// The server's.
    pub recipient: Plan,
}

impl PlanPair {
    /// The plan of one side.
    #[must_use]
    pub fn side(&self, side: Side) -> &Plan {
        match side {
            Side::Initiator => &self.initiator,
            Side::Recipient => &self.recipient,
        }
    }
}

/// One side's plan: verifies what comes in and secures what goes out.
///
/// INVARIANT: an inbound plan that demands no authentication says `open` in so many words (checked by [`Plan::new`]).
#[derive(Clone, Debug)]
pub struct Plan {
    side: Side,
    inbound: InPlan,
    outbound: OutPlan,
    others: Vec<(InPlan, OutPlan)>,
}

/// Most alternatives of one plan. Each costs a reading of the Security header.
pub const MAX_ALTERNATIVES: usize = 16;

impl Plan {
    /// A plan of the two directions.
    ///
    /// # Errors
    /// [`Error::PlanNotOpen`] if `inbound` demands no signature over anything and is not marked open;
    /// [`Error::PlanContradiction`] if it demands what it cannot get (an encrypted signature where nothing is signed, and the like).
    pub fn new(side: Side, inbound: InPlan, outbound: OutPlan) -> Result<Plan, Error> {
        inbound.check()?;
        outbound.check()?;
        Ok(Plan { side, inbound, outbound, others: Vec::new() })
    }

    /// This plan, which is also met by a message that satisfies `inbound`; such a message is answered as `outbound` says.
    ///
    /// What goes out unasked, an initiator's request, is still that of the first alternative.
    ///
    /// # Errors
    /// As [`Plan::new`]; [`Contradiction::TooManyAlternatives`] beyond [`MAX_ALTERNATIVES`].
    pub fn or(mut self, inbound: InPlan, outbound: OutPlan) -> Result<Plan, Error> {
        inbound.check()?;
        outbound.check()?;
        if self.others.len() + 1 >= MAX_ALTERNATIVES {
            return Err(Error::PlanContradiction(Contradiction::TooManyAlternatives));
        }
        self.others.push((inbound, outbound));
        Ok(self)
    }

    /// Every alternative, in the order in which they are tried.
    pub fn alternatives(&self) -> impl Iterator<Item = (&InPlan, &OutPlan)> {
        let others = self.others.iter().map(|(inbound, outbound)| (inbound, outbound));
        std::iter::once((&self.inbound, &self.outbound)).chain(others)
    }

    /// What is put on the answer to a request: that of the alternative that the request satisfied.
    pub(crate) fn outbound_for(&self, request: Option<&RequestFacts>) -> &OutPlan {
        let satisfied = request.and_then(|r| self.alternatives().nth(r.alternative));
        satisfied.map_or(&self.outbound, |(_, outbound)| outbound)
    }

    /// A plan that demands and adds nothing: for plain sides, spelt out as open.
    #[must_use]
    pub fn open(side: Side) -> Plan {
        Plan { side, inbound: InPlan::open(), outbound: OutPlan::plain(), others: Vec::new() }
    }

    /// The side.
    #[must_use]
    pub fn side(&self) -> Side {
        self.side
    }

    /// What is demanded of a message, by the first alternative.
    #[must_use]
    pub fn inbound(&self) -> &InPlan {
        &self.inbound
    }

    /// What is put on one, by the first alternative.
    #[must_use]
    pub fn outbound(&self) -> &OutPlan {
        &self.outbound
    }
}

/// What is demanded of an incoming message.
// tidy: bag one field for each thing that a policy can demand, written by three front ends and by hand.
#[derive(Clone, Debug)]
pub struct InPlan {
    /// Every algorithm that may occur, checked where its URI is first read.
    pub algorithms: AlgSet,
    /// Every combination of RSA-OAEP parameters that may occur.
    pub oaep: OaepSet,
    /// What is demanded of which part.
    pub required: Vec<Require>,
    /// Parts that the plan leaves open in so many words: readable, marked `Open`.
    pub open_parts: Vec<Part>,
    /// The rule for the UsernameToken; `None`: one that is there is refused.
    pub username: Option<UsernameRule>,
    /// Whose key the primary signature must be made with.
    pub signed_by: SignedBy,
    /// The endorsing signatures that must be there; none: one that is there is refused.
    pub endorse: Vec<EndorseRule>,
    /// What the transport must prove; `None`: nothing, and no part is protected by it.
    pub transport: Option<TransportRule>,
    /// The rule for a secret that both sides share; `None`: none is used.
    pub secret: Option<SecretRule>,
    /// What ciphertext without integrity that no signature covers does. Only profiles of old peers warn.
    pub lone_cipher: Breach,
    /// The rule for the Timestamp; `None`: none demanded, one that is there must still be valid.
    pub timestamp: Option<TimestampRule>,
    /// The rule for SignatureConfirmation (initiator only).
    pub confirmation: ConfirmationRule,
    /// What is demanded of the signing token and how it is named.
    pub token: TokenRule,
    /// In which order signing and encryption were applied.
    pub order: ProtectionOrder,
    /// Order and shape of the Security header.
    pub header: HeaderRule,
    /// Protection that nobody asked for.
    pub surplus: Surplus,
    /// Header blocks (namespace, local name) that the application understands, besides Security and WS-Addressing.
    pub understood: Vec<(String, String)>,
    /// The plan may demand no authentication; said in so many words.
    pub open: bool,
}

impl InPlan {
    /// A plan that demands nothing and reads nothing of security.
    #[must_use]
    pub fn open() -> InPlan {
        InPlan {
            algorithms: AlgSet::empty(),
            oaep: OaepSet::EMPTY,
            required: Vec::new(),
            open_parts: vec![Part::Body],
            username: None,
            signed_by: SignedBy::X509,
            endorse: Vec::new(),
            transport: None,
            secret: None,
            lone_cipher: Breach::Warn,
            timestamp: None,
            confirmation: ConfirmationRule::Ignore,
            token: TokenRule::default(),
            order: ProtectionOrder::SignBeforeEncrypt,
            header: HeaderRule::default(),
            surplus: Surplus::Refuse,
            understood: Vec::new(),
            open: true,
        }
    }

    /// A plan that demands nothing and checks whatever protection there is: `verify --policy none`. It shows what a signature covers and
    /// nothing else: nobody has said that the Body may be open.
    #[must_use]
    pub fn whatever(algorithms: AlgSet) -> InPlan {
        InPlan {
            algorithms,
            oaep: OaepSet::standard(),
            order: ProtectionOrder::AsFound,
            surplus: Surplus::Allow,
            open_parts: Vec::new(),
            username: Some(UsernameRule::whatever()),
            ..InPlan::open()
        }
    }

    /// Whether a signature is demanded.
    #[must_use]
    pub fn wants_signature(&self) -> bool {
        self.required.iter().any(|r| r.signed != Need::No)
    }

    /// Whether encryption is demanded of anything.
    #[must_use]
    pub fn wants_encryption(&self) -> bool {
        self.required.iter().any(|r| r.encrypted != Need::No)
    }

    /// Whether the signature itself must be encrypted.
    #[must_use]
    pub fn wants_encrypted_signature(&self) -> bool {
        self.required.iter().any(|r| r.part == Part::Signature && r.encrypted != Need::No)
    }

    /// Whether the UsernameToken must be encrypted.
    #[must_use]
    pub fn wants_encrypted_token(&self) -> bool {
        self.required.iter().any(|r| r.part == Part::UsernameToken && r.encrypted != Need::No)
    }

    /// Whether the UsernameToken may be encrypted.
    #[must_use]
    pub fn takes_encrypted_token(&self) -> bool {
        self.wants_encrypted_token() || self.username.as_ref().is_some_and(|rule| rule.may_be_encrypted)
    }

    /// Whether a message without a Security header cannot satisfy it.
    #[must_use]
    pub fn wants_header(&self) -> bool {
        let token = self.username.as_ref().is_some_and(|rule| rule.need == Need::Must);
        self.signatures() > 0 || self.wants_encryption() || self.timestamp.is_some() || token
    }

    /// What a message may use, as the layer below reads it.
    pub(crate) fn permit(&self) -> Permit {
        Permit { oaep: OaepPermit::Only(self.oaep), ..Permit::message(self.algorithms) }
    }

    /// Whether the key of the signature says who made it. A secret out of the message's own EncryptedKey is anybody's.
    fn signer_is_known(&self) -> bool {
        let anybodys = self.secret.is_none_or(|rule| rule.from == SecretFrom::Message);
        self.signed_by != SignedBy::Secret || !anybodys
    }

    fn check(&self) -> Result<(), Error> {
        let by_user = self.username.as_ref().is_some_and(UsernameRule::authenticates);
        let by_connection = self.transport.is_some_and(|t| t.client_certificate);
        let by_signature = self.signer_is_known() && self.required.iter().any(|r| r.signed == Need::Must);
        let authenticates = by_user || by_connection || by_signature || self.is_endorsed();
        if !authenticates && !self.open {
            return Err(Error::PlanNotOpen);
        }
        if self.wants_encrypted_signature() && !self.wants_signature() {
            return Err(Error::PlanContradiction(Contradiction::EncryptedSignatureOfNothing));
        }
        if self.confirmation == ConfirmationRule::Demand && !self.wants_signature() {
            return Err(Error::PlanContradiction(Contradiction::ConfirmationUnsigned));
        }
        if self.signed_by == SignedBy::Secret && self.secret.is_none() {
            return Err(Error::PlanContradiction(Contradiction::SignedByNobody));
        }
        let derives = self.username.as_ref().is_some_and(|rule| rule.keys.is_some());
        let by_user = self.secret.is_some_and(|rule| rule.from == SecretFrom::User);
        if (self.signed_by == SignedBy::UsernameToken || by_user) && !derives {
            return Err(Error::PlanContradiction(Contradiction::SignedByNobody));
        }
        if by_user && self.takes_encrypted_token() {
            // What it is to be opened with is derived from it.
            return Err(Error::PlanContradiction(Contradiction::CannotEncrypt));
        }
        if self.username.as_ref().is_some_and(|rule| rule.passwords.is_empty() && rule.keys.is_none()) {
            return Err(Error::PlanContradiction(Contradiction::NoPassword));
        }
        self.check_endorsed()
    }
}

/// What an initiator does about SignatureConfirmation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ConfirmationRule {
    /// Not demanded; one that is there must be right.
    #[default]
    Ignore,
    /// A missing one is a warning (for a named peer that sends none).
    Warn,
    /// Each signature of the request confirmed exactly once, covered by the reply's signature.
    Demand,
}

/// What is demanded of the signing token.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TokenRule {
    /// The token must be in the message (WS-SecurityPolicy inclusion values).
    pub inclusion: Inclusion,
    /// Strict mode: the key must be named in one of these ways. Empty: any way.
    pub reference: Vec<KeyRef>,
    /// Smallest RSA key in bits, of signer and of ours; 0 leaves it to the key set.
    pub min_rsa: u32,
    /// The signing token must be covered by the signature (ProtectTokens).
    pub protect: Protect,
}

/// Whether the signing token must be covered by its signature.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Protect {
    /// Not demanded.
    #[default]
    No,
    /// Demanded where the token is in the message.
    Token,
}

/// Whether the signing token must be in the message.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Inclusion {
    /// Either way (Rampart and CXF differ; both are accepted).
    #[default]
    Any,
    /// It must be there.
    Must,
}

/// In which order protection was, or is to be, applied.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ProtectionOrder {
    /// The signature is over plaintext.
    #[default]
    SignBeforeEncrypt,
    /// The signature is over ciphertext.
    EncryptBeforeSign,
    /// Inbound only: as the order of the header says.
    AsFound,
}

/// WS-SecurityPolicy layouts of the Security header.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Layout {
    /// Things stand before their use.
    Strict,
    /// Any order.
    #[default]
    Lax,
    /// Any order, Timestamp first.
    LaxTimestampFirst,
    /// Any order, Timestamp last.
    LaxTimestampLast,
}

/// What a breach of a rule does.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Breach {
    /// Refuses the message.
    #[default]
    Refuse,
    /// Becomes a warning in the evidence.
    Warn,
}

/// Rules for the Security header and for what a signature may point at.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct HeaderRule {
    /// The layout.
    pub layout: Layout,
    /// What a breach of the layout does.
    pub breach: Breach,
    /// What a signature may point at.
    pub targets: Targets,
}

/// What a signature's References may point at.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Targets {
    /// Anything.
    #[default]
    Any,
    /// The Body, a child of Header or a child of our Security (OnlySignEntireHeadersAndBody).
    Whole,
}

/// What to do about protection that the plan does not ask for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Surplus {
    /// A second signature, or encrypted data at a place that the plan has none for, refuses the message.
    #[default]
    Refuse,
    /// It is checked like the rest.
    Allow,
}

/// How a key is named in a message.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum KeyRef {
    /// A Reference to a BinarySecurityToken in the same header.
    Direct,
    /// The token inside the SecurityTokenReference.
    Embedded,
    /// KeyIdentifier with the SHA-1 of the certificate.
    ThumbprintSha1,
    /// KeyIdentifier with the SHA-256 of the certificate (no standard value type: read only).
    ThumbprintSha256,
    /// KeyIdentifier with the subject key identifier.
    SubjectKeyIdentifier,
    /// KeyIdentifier with the whole certificate.
    RawCertificate,
    /// X509Data with issuer and serial number, in a SecurityTokenReference.
    IssuerSerial,
    /// X509Data with the certificate.
    X509Certificate,
    /// X509Data with the subject's name (read only).
    SubjectName,
    /// `ds:KeyName`.
    KeyName,
    /// `ds:KeyValue`.
    KeyValue,
    /// KeyIdentifier with the SHA-1 of an EncryptedKey (symmetric bindings).
    EncryptedKeySha1,
}

impl KeyRef {
    /// Whether this form carries the certificate itself.
    #[must_use]
    pub fn in_message(self) -> bool {
        matches!(self, KeyRef::Direct | KeyRef::Embedded | KeyRef::RawCertificate | KeyRef::X509Certificate)
    }

    /// The name used in evidence and configuration.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            KeyRef::Direct => "direct",
            KeyRef::Embedded => "embedded",
            KeyRef::ThumbprintSha1 => "thumbprint-sha1",
            KeyRef::ThumbprintSha256 => "thumbprint-sha256",
            KeyRef::SubjectKeyIdentifier => "ski",
            KeyRef::RawCertificate => "key-identifier-x509v3",
            KeyRef::IssuerSerial => "issuer-serial",
            KeyRef::X509Certificate => "x509-certificate",
            KeyRef::SubjectName => "subject-name",
            KeyRef::KeyName => "key-name",
            KeyRef::KeyValue => "key-value",
            KeyRef::EncryptedKeySha1 => "encrypted-key-sha1",
        }
    }
}
