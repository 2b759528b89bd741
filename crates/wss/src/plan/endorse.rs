//! What a plan says about endorsing signatures (WS-SecurityPolicy 1.2 §8.3): a second one, by another key, over the signature of the message,
//! or over the Timestamp where TLS protects the message.
//!
//! Not here: making and checking them (`outbound::endorse`, `inbound::endorse`), the primary signature (`SignPlan`).

use super::{
    Contradiction, DeriveKeys, InPlan, OutPlan, Presence, ProtectionOrder, SecretFrom, SignPlan, SignedBy,
    TokenRule,
};
use crate::error::Error;
use crate::part::{Need, Part};

/// What is demanded of one endorsing signature. A plan has at most one of each kind of key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EndorseRule {
    /// Whose key makes it: a trusted certificate's, or one derived from the UsernameToken of the message. Never a shared secret, which names
    /// nobody.
    pub by: SignedBy,
    /// What is demanded of its certificate and how that is named; `protect`: the endorsing signature covers its own token, too.
    pub token: TokenRule,
    /// Of a user's key: whether a DerivedKeyToken derives a further key from it, which signs ([`Presence::Must`]), or it signs as it is. Nothing
    /// else has one: [`Presence::May`] is as [`Presence::MustNot`].
    pub derived: Presence,
    /// What it covers besides, under TLS: the Body, header blocks that are there (SignedParts of the supporting token). Nothing else is
    /// looked for.
    pub parts: Vec<Part>,
    /// The certificate, where it is in the message, is covered by the primary signature. A UsernameToken is demanded as a part of the plan.
    pub signed: bool,
    /// The certificate, where it is in the message, is encrypted. As for `signed`.
    pub encrypted: bool,
}

impl EndorseRule {
    /// A signature by a key of that kind, and no more.
    #[must_use]
    pub fn by(by: SignedBy) -> EndorseRule {
        let derived = Presence::MustNot;
        let parts = Vec::new();
        EndorseRule { by, token: TokenRule::default(), derived, parts, signed: false, encrypted: false }
    }
}

/// One endorsing signature of an outgoing message.
#[derive(Clone, Debug)]
pub struct EndorsePlan {
    /// Key, algorithms and how the key is named. Its parts are what it covers besides the primary signature: under TLS the Timestamp, and the
    /// Body and header blocks that are there, where that is asked for; else nothing.
    pub sign: SignPlan,
    /// A DerivedKeyToken derives the key that signs from the user's, as `sign` of this says; `None`: the user's key signs as it is.
    pub derived: Option<DeriveKeys>,
    /// Our certificate, where it is sent, is covered by the primary signature. A UsernameToken is one of that signature's parts.
    pub signed: bool,
    /// Our certificate, where it is sent, is encrypted. A UsernameToken is one of the parts to encrypt.
    pub encrypted: bool,
    /// The endorsing signature covers its own token where that is in the message (ProtectTokens).
    pub protect: bool,
}

impl InPlan {
    /// Whether an endorsing signature is demanded that says who sends the message.
    pub(super) fn is_endorsed(&self) -> bool {
        !self.endorse.is_empty()
    }

    /// How many signatures the plan speaks of.
    #[must_use]
    pub fn signatures(&self) -> usize {
        usize::from(self.wants_signature()) + self.endorse.len()
    }

    /// Whether a further key is derived from the user's key, and endorses.
    pub(crate) fn endorses_by_derived_key(&self) -> bool {
        let derived = |rule: &EndorseRule| rule.derived == Presence::Must;
        self.endorse.iter().any(|rule| rule.by == SignedBy::UsernameToken && derived(rule))
    }

    /// Whether the certificate of an endorsing signature is encrypted.
    pub(crate) fn hides_endorser(&self) -> bool {
        self.endorse.iter().any(|rule| rule.encrypted && rule.by == SignedBy::X509)
    }

    pub(super) fn check_endorsed(&self) -> Result<(), Error> {
        let contradiction = |what| Err(Error::PlanContradiction(what));
        let derives = self.username.as_ref().is_some_and(|rule| rule.keys.is_some());
        let protects = self.signed_by == SignedBy::UsernameToken
            || self.secret.is_some_and(|rule| rule.from == SecretFrom::User);
        for (number, rule) in self.endorse.iter().enumerate() {
            let known = match rule.by {
                SignedBy::X509 => true,
                SignedBy::UsernameToken => derives && !protects,
                SignedBy::Secret => false,
            };
            if !known || self.endorse.iter().skip(number + 1).any(|other| other.by == rule.by) {
                return contradiction(Contradiction::EndorsedByNobody);
            }
        }
        let something = match self.transport {
            Some(_) => self.timestamp.is_some() && !self.wants_signature(),
            None => self.required.iter().any(|require| require.signed == Need::Must),
        };
        let by_user = self.endorse.iter().any(|rule| rule.by == SignedBy::UsernameToken);
        let hidden = self.hides_endorser() || (by_user && self.wants_encrypted_token());
        if hidden && self.order == ProtectionOrder::EncryptBeforeSign {
            return contradiction(Contradiction::CannotEncrypt);
        }
        if self.is_endorsed() && !something { contradiction(Contradiction::EndorsesNothing) } else { Ok(()) }
    }
}

impl OutPlan {
    pub(super) fn check_endorsed(&self) -> Result<(), Error> {
        let contradiction = |what| Err(Error::PlanContradiction(what));
        for plan in &self.endorse {
            if plan.sign.by == SignedBy::Secret {
                return contradiction(Contradiction::EndorsedByNobody);
            }
            if self.sign.is_none() && (plan.sign.parts.is_empty() || plan.signed) {
                return contradiction(Contradiction::EndorsesNothing);
            }
            // Who is to verify it needs the token before the signature over its ciphertext was checked.
            let late = self.order == ProtectionOrder::EncryptBeforeSign;
            let mut parts = self.encrypt.iter().flat_map(|encrypt| &encrypt.parts);
            let hidden =
                plan.sign.by == SignedBy::UsernameToken && parts.any(|p| p.part == Part::UsernameToken);
            if (plan.encrypted && self.encrypt.is_none()) || ((plan.encrypted || hidden) && late) {
                return contradiction(Contradiction::CannotEncrypt);
            }
        }
        Ok(())
    }

    /// Whether an endorsing signature is made with a key derived from the UsernameToken.
    pub(super) fn endorses_by_user(&self) -> bool {
        self.endorse.iter().any(|plan| plan.sign.by == SignedBy::UsernameToken)
    }
}
