//! Plans by hand: the symmetric binding with an X.509 protection token, from a suite and a few choices.
//!
//! The request carries a fresh secret in an EncryptedKey to the recipient; request and reply are signed and encrypted with it, or with keys
//! derived from it. Not here: other bindings. Called by tests and library users; a policy compiles to the same plans.

use bartizan_crypto::alg::{AlgSet, TransportAlg};
use bartizan_crypto::suite::{Delivery, SignatureReading, Suite};
use bartizan_crypto::{OaepParams, OaepSet};
use bartizan_xml::c14n::C14nMethod;

use super::{DeriveKeys, Dialect, SecretFrom, SecretOut, SecretRule, SecretSource};
use crate::error::Error;
use crate::part::{EncryptHow, EncryptPart, Need, Part, Require};
use crate::plan::{
    ConfirmationRule, Contradiction, EncryptPlan, EncryptTo, HeaderRule, InPlan, KeyRef, KeyTransfer, Layout,
    OutPlan, Plan, PlanPair, Presence, Protect, ProtectionOrder, Side, SignPlan, SignedBy, StampPlan,
    Surplus, Targets, TimestampRule, TokenRule, TokenSent, UsernameOut, UsernameRule,
};

/// Builds the plans of both sides of a symmetric binding.
///
/// Defaults: SignBeforeEncrypting, Strict layout, whole targets only, the secret is used as it is, the recipient is named by thumbprint.
#[derive(Clone, Debug)]
pub struct SymmetricBuilder {
    suite: &'static Suite,
    sign: Vec<(Part, Need)>,
    encrypt: Vec<(EncryptPart, Need)>,
    derived: Option<Dialect>,
    timestamp: Option<TimestampRule>,
    username: Option<(UsernameRule, UsernameOut)>,
    confirmation: bool,
    order: ProtectionOrder,
    header: HeaderRule,
    reference: KeyRef,
    min_rsa: u32,
    protect: Protect,
    also: AlgSet,
    anonymous: bool,
}

impl SymmetricBuilder {
    /// Starts from a suite.
    #[must_use]
    pub fn new(suite: &'static Suite) -> SymmetricBuilder {
        SymmetricBuilder {
            suite,
            sign: Vec::new(),
            encrypt: Vec::new(),
            derived: None,
            timestamp: None,
            username: None,
            confirmation: false,
            order: ProtectionOrder::SignBeforeEncrypt,
            header: HeaderRule { layout: Layout::Strict, targets: Targets::Whole, ..HeaderRule::default() },
            reference: KeyRef::ThumbprintSha1,
            min_rsa: 0,
            protect: Protect::No,
            also: AlgSet::empty(),
            anonymous: false,
        }
    }

    /// Signs a part; a header block only if it is there.
    #[must_use]
    pub fn sign(mut self, part: Part) -> Self {
        let need =
            if matches!(part, Part::Header { .. } | Part::Headers) { Need::IfPresent } else { Need::Must };
        self.sign.push((part, need));
        self
    }

    /// Encrypts a part: the Body's content, a header block, the signature.
    #[must_use]
    pub fn encrypt(mut self, part: Part) -> Self {
        let how = if part == Part::Body { EncryptHow::Content } else { EncryptHow::Element };
        let need = if matches!(part, Part::Header { .. }) { Need::IfPresent } else { Need::Must };
        self.encrypt.push((EncryptPart { part, how }, need));
        self
    }

    /// Derives a key for each use (RequireDerivedKeys).
    #[must_use]
    pub fn derived(mut self, dialect: Dialect) -> Self {
        self.derived = Some(dialect);
        self
    }

    /// Sends, demands and signs a Timestamp.
    #[must_use]
    pub fn timestamp(mut self, rule: TimestampRule) -> Self {
        self.timestamp = Some(rule);
        self
    }

    /// The request carries a UsernameToken, signed and encrypted, which says who sends it.
    #[must_use]
    pub fn username(mut self, rule: UsernameRule, sent: UsernameOut) -> Self {
        self.username = Some((rule, sent));
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

    /// How the recipient's key is named.
    #[must_use]
    pub fn reference(mut self, reference: KeyRef) -> Self {
        self.reference = reference;
        self
    }

    /// Smallest RSA key accepted, in bits.
    #[must_use]
    pub fn min_rsa(mut self, bits: u32) -> Self {
        self.min_rsa = bits;
        self
    }

    /// Demands and makes the EncryptedKey signed where it is in the message.
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

    /// The recipient serves everybody, in so many words: who has its certificate can make a request.
    #[must_use]
    pub fn anonymous(mut self) -> Self {
        self.anonymous = true;
        self
    }

    /// Builds both plans.
    ///
    /// # Errors
    /// Those of [`Plan::new`]: [`Error::PlanNotOpen`] where nothing says who sends the request and [`anonymous`](Self::anonymous) was not said.
    /// [`Contradiction::CannotEncrypt`] for a suite without key transport.
    pub fn build(self) -> Result<PlanPair, Error> {
        let request = self.out(Side::Initiator)?;
        let reply = self.out(Side::Recipient)?;
        Ok(PlanPair {
            initiator: Plan::new(Side::Initiator, self.inbound(Side::Initiator), request)?,
            recipient: Plan::new(Side::Recipient, self.inbound(Side::Recipient), reply)?,
        })
    }

    fn token_at(&self, side: Side) -> Option<&(UsernameRule, UsernameOut)> {
        self.username.as_ref().filter(|_| side == Side::Initiator)
    }

    /// What `side` demands of what comes in.
    fn inbound(&self, side: Side) -> InPlan {
        let mut algorithms = self.suite.algorithms(SignatureReading::Specification);
        self.also.iter().for_each(|a| algorithms.insert(a));
        let further = TransportAlg::ALL.iter().filter(|alg| self.also.permits(**alg));
        let oaep = further.fold(self.suite.oaep(), |set, alg| set.union(OaepSet::of(*alg)));
        let from = if side == Side::Recipient { SecretFrom::Message } else { SecretFrom::Request };
        let sender = if side == Side::Recipient { Side::Initiator } else { Side::Recipient };
        let token = self.token_at(sender);
        let anonymous = self.anonymous && side == Side::Recipient;
        let required = self.required(token.is_some());
        let body_covered = required.iter().any(|r| r.part == Part::Body && r.signed != Need::No);
        let signs = required.iter().any(|r| r.signed != Need::No);
        InPlan {
            algorithms,
            oaep,
            required,
            open_parts: if anonymous && !body_covered { vec![Part::Body] } else { Vec::new() },
            username: token.map(|(rule, _)| rule.clone()),
            signed_by: if signs { SignedBy::Secret } else { SignedBy::X509 },
            secret: Some(SecretRule {
                from,
                length: self.suite.cipher.key_len(),
                derived: if self.derived.is_some() { Presence::Must } else { Presence::MustNot },
            }),
            transport: None,
            lone_cipher: crate::plan::Breach::Refuse,
            timestamp: self.timestamp,
            confirmation: match side {
                Side::Initiator if self.confirmation => ConfirmationRule::Demand,
                _ => ConfirmationRule::Ignore,
            },
            token: TokenRule { min_rsa: self.min_rsa, protect: self.protect, ..TokenRule::default() },
            order: self.order,
            header: self.header,
            surplus: Surplus::Refuse,
            understood: Vec::new(),
            open: anonymous,
        }
    }

    /// What is demanded of which part.
    fn required(&self, token: bool) -> Vec<Require> {
        let mut required: Vec<Require> = Vec::new();
        let signed = self.sign.iter().cloned().map(|(p, n)| (p, n, Need::No));
        let stamp = self.timestamp.iter().filter(|_| !self.sign.is_empty());
        let stamped = stamp.map(|_| (Part::Timestamp, Need::Must, Need::No));
        let encrypted = self.encrypt.iter().map(|(p, n)| (p.part.clone(), Need::No, *n));
        let named = token.then_some((Part::UsernameToken, Need::Must, Need::Must));
        for (part, signed, encrypted) in signed.chain(stamped).chain(encrypted).chain(named) {
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
        required
    }

    /// What `side` puts on what goes out.
    fn out(&self, side: Side) -> Result<OutPlan, Error> {
        let token = self.token_at(side);
        let mut parts: Vec<Part> = self.sign.iter().map(|(p, _)| p.clone()).collect();
        let signs = !parts.is_empty();
        let confirms = self.confirmation && side == Side::Recipient;
        let more = [
            (Part::Timestamp, self.timestamp.is_some()),
            (Part::Token, self.protect == Protect::Token && side == Side::Initiator),
            (Part::SignatureConfirmation, confirms),
            (Part::UsernameToken, token.is_some()),
        ];
        parts.extend(more.into_iter().filter(|(_, wanted)| *wanted && signs).map(|(part, _)| part));
        let sign = signs.then_some(SignPlan {
            parts,
            method: self.suite.symmetric_signature,
            digest: self.suite.digest,
            c14n: C14nMethod::Exclusive,
            by: SignedBy::Secret,
            reference: KeyRef::Direct,
            token: TokenSent::No,
        });
        let whole = |part| EncryptPart { part, how: EncryptHow::Element };
        let mut sealed: Vec<EncryptPart> = self.encrypt.iter().map(|(p, _)| p.clone()).collect();
        let hides = sealed.iter().any(|p| p.part == Part::Signature);
        sealed.extend((confirms && hides).then(|| whole(Part::SignatureConfirmation)));
        sealed.extend(token.map(|_| whole(Part::UsernameToken)));
        let encrypt = (!sealed.is_empty()).then_some(EncryptPlan {
            parts: sealed,
            cipher: self.suite.cipher,
            key: KeyTransfer::Secret,
            reference: self.reference,
            to: EncryptTo::Peer,
        });
        Ok(OutPlan {
            sign,
            encrypt,
            timestamp: self.timestamp.map(|t| StampPlan::lasting(t.ttl)),
            username: token.map(|(_, sent)| sent.clone()),
            secret: Some(SecretOut {
                source: if side == Side::Initiator { self.fresh()? } else { SecretSource::Request },
                derived: self.derived.map(|dialect| derive_keys(self.suite, dialect)),
            }),
            confirmation: confirms,
            order: self.order,
            layout: self.header.layout,
            ..OutPlan::plain()
        })
    }

    fn fresh(&self) -> Result<SecretSource, Error> {
        fresh(self.suite, self.reference).ok_or(Error::PlanContradiction(Contradiction::CannotEncrypt))
    }
}

/// A secret of the length of a suite, sent as the suite says; `None` for a suite without key transport.
#[must_use]
pub fn fresh(suite: &Suite, reference: KeyRef) -> Option<SecretSource> {
    let Delivery::Transport { transport, digest, mgf } = suite.delivery else { return None };
    let oaep = OaepParams::new(digest, mgf);
    Some(SecretSource::Fresh { length: suite.cipher.key_len(), method: transport, oaep, reference })
}

/// Derived keys of the lengths of a suite.
#[must_use]
pub fn derive_keys(suite: &Suite, dialect: Dialect) -> DeriveKeys {
    DeriveKeys { dialect, sign: usize::from(suite.signature_key_bits / 8), encrypt: suite.cipher.key_len() }
}
