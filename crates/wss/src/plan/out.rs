//! The outgoing half of a plan: what is put on a message.

use std::time::Duration;

use bartizan_crypto::OaepParams;
use bartizan_crypto::alg::{AgreementAlg, CipherAlg, DigestAlg, KdfAlg, SignatureAlg, TransportAlg, WrapAlg};
use bartizan_xml::c14n::C14nMethod;

use super::{
    Contradiction, Derive, EndorsePlan, KeyRef, Layout, PasswordForm, ProtectionOrder, SecretOut,
    SecretSource, SignedBy, Style, UsernameOut,
};
use crate::error::Error;
use crate::part::{EncryptPart, Part};

/// What is put on an outgoing message.
#[derive(Clone, Debug)]
pub struct OutPlan {
    /// The signature; `None`: nothing is signed.
    pub sign: Option<SignPlan>,
    /// The endorsing signatures.
    pub endorse: Vec<EndorsePlan>,
    /// The encryption; `None`: nothing is encrypted.
    pub encrypt: Option<EncryptPlan>,
    /// The Timestamp; `None`: no Timestamp.
    pub timestamp: Option<StampPlan>,
    /// The UsernameToken; `None`: none.
    pub username: Option<UsernameOut>,
    /// The secret that signs or encrypts, where that is said; `None`: none.
    pub secret: Option<SecretOut>,
    /// Write a SignatureConfirmation for each signature of the request (recipient only).
    pub confirmation: bool,
    /// Which comes first.
    pub order: ProtectionOrder,
    /// Order of the Security header.
    pub layout: Layout,
    /// In whose manner it is written.
    pub style: Style,
    /// The steps in the order in which they are taken, each of which puts what it makes on top of the Security header. Empty: what is needed first
    /// stands first, as Strict wants it.
    pub steps: Vec<Step>,
    /// It may only go out over a confidential transport, which is what protects it.
    pub over_tls: bool,
}

/// What is put on top of the Security header in one step.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Step {
    /// The Timestamp.
    Timestamp,
    /// The UsernameToken, or its ciphertext.
    UsernameToken,
    /// The signature, and above it the certificate where that is sent.
    Signature,
    /// The EncryptedKey with the list of what is under it, and above it the peer's certificate where that is sent.
    Encryption,
}

/// The Timestamp of an outgoing message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StampPlan {
    /// From Created to Expires.
    pub ttl: Duration,
    /// How finely times are written.
    pub precision: Precision,
}

impl StampPlan {
    /// A Timestamp of that lifetime, written in milliseconds.
    #[must_use]
    pub fn lasting(ttl: Duration) -> StampPlan {
        StampPlan { ttl, precision: Precision::Milliseconds }
    }
}

/// How finely the times of a Timestamp and of a UsernameToken are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Precision {
    /// Three decimals.
    #[default]
    Milliseconds,
    /// None: for peers that cannot read decimals.
    Seconds,
}

/// How an outgoing message is signed.
#[derive(Clone, Debug)]
pub struct SignPlan {
    /// What is signed; parts that are not in the message are passed over, except Body.
    pub parts: Vec<Part>,
    /// Signature method; its family must fit the own key.
    pub method: SignatureAlg,
    /// Digest method.
    pub digest: DigestAlg,
    /// Canonicalization of SignedInfo and of each part (exclusive is the only one that peers agree on).
    pub c14n: C14nMethod,
    /// Whose key signs.
    pub by: SignedBy,
    /// How the key is named; a derived key is always named by its token.
    pub reference: KeyRef,
    /// Whether the certificate is put into the header as a BinarySecurityToken.
    pub token: TokenSent,
}

/// Whether and how the own certificate is put into the header.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum TokenSent {
    /// Not at all.
    #[default]
    No,
    /// As one X.509 v3 certificate.
    X509,
    /// As a PKIPath with the whole chain.
    PkiPath,
}

/// How an outgoing message is encrypted.
#[derive(Clone, Debug)]
pub struct EncryptPlan {
    /// What is encrypted; parts that are not in the message are passed over.
    pub parts: Vec<EncryptPart>,
    /// Content encryption.
    pub cipher: CipherAlg,
    /// How the content key gets across.
    pub key: KeyTransfer,
    /// How the recipient's key is named.
    pub reference: KeyRef,
    /// Whose key.
    pub to: EncryptTo,
}

/// How the content key gets to the recipient.
#[derive(Clone, Debug)]
pub enum KeyTransfer {
    /// Encrypted with the recipient's RSA key.
    Transport {
        /// RSA 1.5 or OAEP.
        method: TransportAlg,
        /// OAEP's digest, mask function and label (ignored by RSA 1.5).
        oaep: OaepParams,
    },
    /// Wrapped with a key agreed with the recipient's EC or X25519 key.
    Agreement {
        /// ECDH-ES or X25519.
        method: AgreementAlg,
        /// How the wrapping key is derived.
        kdf: KdfAlg,
        /// The derivation's digest.
        digest: DigestAlg,
        /// The wrapping.
        wrap: WrapAlg,
    },
    /// Not at all: it is derived from the UsernameToken of the message, and both sides know the password.
    UsernameToken,
    /// Not by itself: it is the secret of the plan, or derived from that.
    Secret,
}

/// Whose key the content key is encrypted to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum EncryptTo {
    /// The configured peer.
    #[default]
    Peer,
    /// The certificate that verified the request (recipient only); the peer if the request was not signed.
    Requester,
}

impl Precision {
    /// The time in that precision, UTC.
    #[must_use]
    pub fn write(self, time: bartizan_keys::Time) -> String {
        match self {
            Precision::Milliseconds => time.to_rfc3339(),
            Precision::Seconds => time.to_seconds_z(),
        }
    }
}

impl OutPlan {
    /// A plan that adds nothing.
    #[must_use]
    pub fn plain() -> OutPlan {
        OutPlan {
            sign: None,
            endorse: Vec::new(),
            encrypt: None,
            timestamp: None,
            username: None,
            secret: None,
            confirmation: false,
            order: ProtectionOrder::SignBeforeEncrypt,
            layout: Layout::Strict,
            style: Style::Clean,
            steps: Vec::new(),
            over_tls: false,
        }
    }

    /// Whether a Security header is written at all.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.sign.is_none()
            && self.endorse.is_empty()
            && self.encrypt.is_none()
            && self.timestamp.is_none()
            && self.username.is_none()
            && !self.confirmation
    }

    pub(super) fn check(&self) -> Result<(), Error> {
        self.check_username()?;
        self.check_secret()?;
        self.check_endorsed()?;
        self.check_steps()?;
        let Some(encrypt) = &self.encrypt else { return Ok(()) };
        for part in &encrypt.parts {
            match part.part {
                Part::Body | Part::Header { .. } | Part::Element { .. } => {}
                Part::UsernameToken if self.username.is_some() => {}
                Part::Signature if self.sign.is_some() => {}
                Part::Signature => {
                    return Err(Error::PlanContradiction(Contradiction::EncryptedSignatureOfNothing));
                }
                Part::SignatureConfirmation if self.confirmation => {}
                Part::Headers
                | Part::Timestamp
                | Part::Token
                | Part::UsernameToken
                | Part::SignatureConfirmation => {
                    return Err(Error::PlanContradiction(Contradiction::CannotEncrypt));
                }
            }
        }
        Ok(())
    }

    /// Each step once, and one for everything that is made.
    fn check_steps(&self) -> Result<(), Error> {
        if self.steps.is_empty() {
            return Ok(());
        }
        let made = [
            (Step::Timestamp, self.timestamp.is_some()),
            (Step::UsernameToken, self.username.is_some()),
            (Step::Signature, self.sign.is_some()),
            (Step::Encryption, self.encrypt.is_some()),
        ];
        let once = |step: Step| self.steps.iter().filter(|s| **s == step).count();
        let others = self.secret.is_some() || !self.endorse.is_empty();
        if others || made.iter().any(|(step, made)| once(*step) != usize::from(*made)) {
            return Err(Error::PlanContradiction(Contradiction::Steps));
        }
        Ok(())
    }

    /// A secret is there where one is used.
    fn check_secret(&self) -> Result<(), Error> {
        let signs = self.sign.as_ref().is_some_and(|s| s.by == SignedBy::Secret);
        let seals = self.encrypt.as_ref().is_some_and(|e| matches!(e.key, KeyTransfer::Secret));
        if (signs || seals) && self.secret.is_none() {
            return Err(Error::PlanContradiction(Contradiction::SecretOfNothing));
        }
        let of_user = self.secret.as_ref().is_some_and(|s| matches!(s.source, SecretSource::User));
        if of_user && self.username.as_ref().is_none_or(|token| token.derive.is_none()) {
            return Err(Error::PlanContradiction(Contradiction::KeyOfNoToken));
        }
        let hidden = self.encrypt.iter().flat_map(|e| &e.parts).any(|p| p.part == Part::UsernameToken);
        if of_user && hidden {
            return Err(Error::PlanContradiction(Contradiction::CannotEncrypt));
        }
        Ok(())
    }

    /// A key is derived where one is used, and from what is in the token.
    fn check_username(&self) -> Result<(), Error> {
        let signs =
            self.endorses_by_user() || self.sign.as_ref().is_some_and(|s| s.by == SignedBy::UsernameToken);
        let seals = self.encrypt.as_ref().is_some_and(|e| matches!(e.key, KeyTransfer::UsernameToken));
        let contradiction = |what| Err(Error::PlanContradiction(what));
        let Some(token) = &self.username else {
            return if signs || seals { contradiction(Contradiction::KeyOfNoToken) } else { Ok(()) };
        };
        let hidden = self.encrypt.iter().flat_map(|e| &e.parts).any(|p| p.part == Part::UsernameToken);
        match token.derive {
            None if signs || seals => contradiction(Contradiction::KeyOfNoToken),
            // A Salt says what its key is for: one key cannot do both (UTP 1.1 §4).
            Some(Derive::Profile { .. }) if signs && seals => contradiction(Contradiction::KeyUsedTwice),
            // Who is to open the token needs it for that.
            Some(_) if seals && hidden => contradiction(Contradiction::CannotEncrypt),
            Some(Derive::Wse { .. }) if !(token.nonce && token.created) => {
                contradiction(Contradiction::NonceMissing)
            }
            None if token.password == PasswordForm::Digest && !(token.nonce && token.created) => {
                contradiction(Contradiction::NonceMissing)
            }
            _ => Ok(()),
        }
    }
}
