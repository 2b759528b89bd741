//! Plans by hand: the symmetric binding with an X.509 or a UsernameToken as protection token, from a suite and a few choices.
//!
//! The request carries a fresh secret in an EncryptedKey to the recipient, or a UsernameToken by which both sides derive one from the user's
//! password; request and reply are signed and encrypted with it, or with keys derived from it. Not here: other bindings. Called by tests and library users; a policy compiles to the same plans.

use bartizan_crypto::OaepParams;
use bartizan_crypto::alg::AlgSet;
use bartizan_crypto::suite::{Delivery, SignatureReading, Suite};
use bartizan_xml::c14n::C14nMethod;

use super::{DeriveKeys, Dialect, SecretFrom, SecretOut, SecretRule, SecretSource};
use crate::error::Error;
use crate::part::Part;
use crate::plan::protection::{Protection, setters};
use crate::plan::{
    Contradiction, EncryptPlan, EncryptTo, HeaderRule, InPlan, KeyRef, KeyTransfer, OutPlan, Plan, PlanPair,
    Presence, Protect, ProtectionOrder, Side, SignPlan, SignedBy, TimestampRule, TokenSent, UsernameOut,
    UsernameRule,
};

/// Builds the plans of both sides of a symmetric binding.
///
/// Defaults: SignBeforeEncrypting, Strict layout, whole targets only, the secret is used as it is, the recipient is named by thumbprint.
#[derive(Clone, Debug)]
pub struct SymmetricBuilder {
    protection: Protection,
    derived: Option<Dialect>,
    username: Option<(UsernameRule, UsernameOut)>,
    by_user: bool,
    reference: KeyRef,
    anonymous: bool,
}

impl SymmetricBuilder {
    setters!();

    /// Starts from a suite.
    #[must_use]
    pub fn new(suite: &'static Suite) -> SymmetricBuilder {
        SymmetricBuilder {
            protection: Protection::new(suite),
            derived: None,
            username: None,
            by_user: false,
            reference: KeyRef::ThumbprintSha1,
            anonymous: false,
        }
    }

    /// Derives a key for each use (RequireDerivedKeys).
    #[must_use]
    pub fn derived(mut self, dialect: Dialect) -> Self {
        self.derived = Some(dialect);
        self
    }

    /// The request carries a UsernameToken, signed and encrypted, which says who sends it.
    #[must_use]
    pub fn username(mut self, rule: UsernameRule, sent: UsernameOut) -> Self {
        self.username = Some((rule, sent));
        self.by_user = false;
        self
    }

    /// The UsernameToken of the request protects both messages, instead of an EncryptedKey: the secret is derived from the user's password. The
    /// token stands in the clear, and is signed where [`protect_tokens`](Self::protect_tokens) is said. Takes the place of
    /// [`username`](Self::username).
    #[must_use]
    pub fn by_user(mut self, rule: UsernameRule, sent: UsernameOut) -> Self {
        self.username = Some((rule, sent));
        self.by_user = true;
        self
    }

    /// How the recipient's key is named.
    #[must_use]
    pub fn reference(mut self, reference: KeyRef) -> Self {
        self.reference = reference;
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
        let (from, sender) = match (side, self.by_user) {
            (Side::Recipient, true) => (SecretFrom::User, Side::Initiator),
            (Side::Recipient, false) => (SecretFrom::Message, Side::Initiator),
            (Side::Initiator, _) => (SecretFrom::Request, Side::Recipient),
        };
        let rule = self.token_at(sender).map(|(rule, _)| rule);
        let beside = rule.filter(|_| !self.by_user);
        let anonymous = self.anonymous && side == Side::Recipient;
        let common = self.protection.demands(side, SignatureReading::Specification, beside, anonymous);
        InPlan {
            username: rule.cloned(),
            signed_by: if common.wants_signature() { SignedBy::Secret } else { SignedBy::X509 },
            secret: Some(SecretRule {
                from,
                length: self.protection.suite.cipher.key_len(),
                derived: if self.derived.is_some() { Presence::Must } else { Presence::MustNot },
            }),
            ..common
        }
    }

    /// What `side` puts on what goes out.
    fn out(&self, side: Side) -> Result<OutPlan, Error> {
        let Protection { suite, .. } = self.protection;
        let token = self.token_at(side);
        let beside = token.is_some() && !self.by_user;
        let parts = self.protection.signed(side, side == Side::Initiator, beside);
        let sign = parts.map(|parts| SignPlan {
            parts,
            method: suite.symmetric_signature,
            digest: suite.digest,
            c14n: C14nMethod::Exclusive,
            by: SignedBy::Secret,
            reference: KeyRef::Direct,
            token: TokenSent::No,
        });
        let encrypt = self.protection.sealed(side, beside).map(|parts| EncryptPlan {
            parts,
            cipher: suite.cipher,
            key: KeyTransfer::Secret,
            reference: self.reference,
            to: EncryptTo::Peer,
        });
        let source = match side {
            Side::Initiator if self.by_user => SecretSource::User,
            Side::Initiator => {
                fresh(suite, self.reference).ok_or(Error::PlanContradiction(Contradiction::CannotEncrypt))?
            }
            Side::Recipient => SecretSource::Request,
        };
        let derived = self.derived.map(|dialect| derive_keys(suite, dialect));
        Ok(OutPlan {
            sign,
            encrypt,
            username: token.map(|(_, sent)| sent.clone()),
            secret: Some(SecretOut { source, derived }),
            ..self.protection.added(side)
        })
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
