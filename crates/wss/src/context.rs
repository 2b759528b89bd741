//! `SecurityContext`: the evidence of what was proved, for reports, logs and decisions. It holds no secrets.
//!
//! Pushed by `inbound` step by step, frozen in `Verified` or attached to a `Reject`. Not here: the message itself.

use bartizan_crypto::alg::{Alg, Status};
use bartizan_keys::{Certificate, Time};

use crate::caller::Caller;
use crate::error::Shown;
use crate::plan::{KeyRef, PasswordForm};

/// How a part is protected.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Protection {
    /// By the n-th signature of the evidence, from 0.
    Signature(usize),
    /// By the transport, as the plan says.
    Transport,
    /// Not at all: the plan leaves it open in so many words.
    Open,
}

impl std::fmt::Display for Protection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Protection::Signature(n) => write!(f, "signature:{n}"),
            Protection::Transport => f.write_str("transport"),
            Protection::Open => f.write_str("open"),
        }
    }
}

/// One part of the message and how it is protected.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PartEvidence {
    /// Path by local names with positions from 1, such as `/Envelope/Body`.
    pub path: String,
    /// Its Id, if it has one.
    pub id: Option<String>,
    /// Covered by a signature.
    pub signed: bool,
    /// Was encrypted.
    pub encrypted: bool,
    /// How it is protected.
    pub protection: Protection,
}

/// What a token was used for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Use {
    /// Verifying a signature.
    Signature,
    /// Decrypting: it is ours, or a key derived from it.
    Encryption,
    /// Saying who the user is.
    Authentication,
    /// Nothing: it is in the header and nothing points at it.
    Nothing,
}

impl Use {
    /// The word used in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Use::Signature => "signature",
            Use::Encryption => "encryption",
            Use::Authentication => "authentication",
            Use::Nothing => "nothing",
        }
    }
}

/// A security token that was met.
#[derive(Clone, Debug)]
pub struct TokenEvidence {
    /// The token.
    pub token: SeenToken,
    /// In which way it was named (`None`: it was not).
    pub named: Option<KeyRef>,
    /// Whether the message carried it.
    pub in_message: bool,
    /// What it was used for.
    pub used_for: Vec<Use>,
}

/// What kind of token was met, and whose.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum SeenToken {
    /// An X.509 certificate.
    X509(Certificate),
    /// A UsernameToken. The password is in nobody's evidence.
    Username {
        /// The name as it stands in the token.
        name: String,
        /// How the password stood in it.
        password: PasswordForm,
    },
}

impl TokenEvidence {
    /// The certificate, if it is one.
    #[must_use]
    pub fn certificate(&self) -> Option<&Certificate> {
        match &self.token {
            SeenToken::X509(certificate) => Some(certificate),
            SeenToken::Username { .. } => None,
        }
    }

    /// Whether it is a UsernameToken.
    pub(crate) fn is_username(&self) -> bool {
        matches!(self.token, SeenToken::Username { .. })
    }

    /// Whether it is the certificate of those octets.
    pub(crate) fn is_certificate(&self, der: &[u8]) -> bool {
        self.certificate().is_some_and(|c| c.der() == der)
    }
}

/// A signature that was met.
#[derive(Clone, Debug)]
pub struct SignatureEvidence {
    /// Path of the Signature element.
    pub path: String,
    /// Index of its token in the evidence.
    pub token: Option<usize>,
    /// Paths of the elements that its References cover, in their order.
    pub covers: Vec<String>,
    /// Decoded SignatureValue, which a reply confirms.
    pub value: Vec<u8>,
    /// Whether the value verified.
    pub verified: bool,
}

/// The Timestamp and how the clocks differ.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimestampEvidence {
    /// Created.
    pub created: Option<Time>,
    /// Expires, if it is there.
    pub expires: Option<Time>,
    /// Our clock less Created, in milliseconds.
    pub skew_millis: i64,
}

/// Something that is not refused and that somebody should know.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Warning {
    /// A token in the header that the signature does not point at; it is ignored.
    TokenUnused,
    /// The layout of the header is not the demanded one, which this plan only notes.
    Layout,
    /// A ReferenceList that names nothing, which this plan only notes.
    ListEmpty,
    /// A signature of the request is not confirmed, which this plan only notes.
    NotConfirmed,
    /// The request's signature was encrypted and its confirmation came in the clear (SMS 1.1 §8.5). Nothing forged gets by
    /// through it, and whoever minds has been shown it by the peer already; Rampart/Java sends such replies.
    ConfirmationInClear,
    /// A prefix is used in content and not declared by what was covered.
    QnamePrefixUncovered(String),
    /// A part is shown that nothing covers, because that was asked for.
    Uncovered(String),
    /// A part is not shown: with it the verified view would be many times as long as the message.
    LeftOut(String),
    /// Under a plan that takes what it finds: a header block that no signature covers, which is not shown.
    HeaderNotCovered(String),
    /// Nothing binds the reply to the request: no confirmation of a signature, and no signed RelatesTo with the MessageID that was sent. A reply
    /// to another request would be taken as well.
    ReplyNotBound,
    /// No replay memory was given.
    NoReplayGuard,
    /// The message carries no Timestamp: it is guarded for the replay window only.
    NoTimestamp,
    /// The Body is shown although the plan neither protects it nor says that it is open.
    BodyNotCovered,
    /// Ciphertext without integrity is covered by no signature; the plan is open.
    UnprotectedCipher,
    /// A user's token without Nonce and Created, which no signature covers: nothing guards it against being sent again.
    TokenUnguarded,
    /// The user's token stands in the clear under a shared secret that names nobody: whoever was between could have taken it from another message.
    UserInClear,
    /// The user is authenticated, and neither the signature nor the transport binds the token to the message: the signer speaks.
    UserNotBound,
}

impl Warning {
    /// The stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Warning::TokenUnused => "token_unused",
            Warning::Layout => "layout",
            Warning::ListEmpty => "list_empty",
            Warning::NotConfirmed => "not_confirmed",
            Warning::ConfirmationInClear => "confirmation_in_clear",
            Warning::QnamePrefixUncovered(_) => "qname_prefix_uncovered",
            Warning::Uncovered(_) => "uncovered",
            Warning::LeftOut(_) => "left_out",
            Warning::HeaderNotCovered(_) => "header_not_covered",
            Warning::ReplyNotBound => "reply_not_bound",
            Warning::NoReplayGuard => "no_replay_guard",
            Warning::NoTimestamp => "no_timestamp",
            Warning::BodyNotCovered => "body_not_covered",
            Warning::UnprotectedCipher => "unprotected_cipher",
            Warning::TokenUnguarded => "token_unguarded",
            Warning::UserInClear => "user_in_clear",
            Warning::UserNotBound => "user_not_bound",
        }
    }
}

impl std::fmt::Display for Warning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Warning::QnamePrefixUncovered(p) => write!(f, "qname_prefix_uncovered: {}", Shown(p)),
            Warning::Uncovered(p) | Warning::LeftOut(p) | Warning::HeaderNotCovered(p) => {
                write!(f, "{}: {p}", self.code())
            }
            other => f.write_str(other.code()),
        }
    }
}

/// How much evidence there was at some time.
#[derive(Clone, Copy)]
pub(crate) struct Mark {
    parts: usize,
    tokens: usize,
    warnings: usize,
    confirmed: usize,
}

/// The evidence.
#[derive(Clone, Debug, Default)]
pub struct SecurityContext {
    pub(crate) parts: Vec<PartEvidence>,
    pub(crate) tokens: Vec<TokenEvidence>,
    pub(crate) signatures: Vec<SignatureEvidence>,
    pub(crate) algorithms: Vec<Alg>,
    pub(crate) timestamp: Option<TimestampEvidence>,
    pub(crate) confirmed: usize,
    pub(crate) private_operations: u32,
    pub(crate) decryptions: u32,
    pub(crate) warnings: Vec<Warning>,
    pub(crate) caller: Option<Caller>,
    pub(crate) endorsers: Vec<Caller>,
    pub(crate) alternative: Option<usize>,
}

impl SecurityContext {
    /// Which alternative of the plan was satisfied, from 0; `None` if none was.
    #[must_use]
    pub fn alternative(&self) -> Option<usize> {
        self.alternative
    }

    /// The parts that the plan demanded or left open, and how each is protected.
    #[must_use]
    pub fn parts(&self) -> &[PartEvidence] {
        &self.parts
    }

    /// The tokens that were met.
    #[must_use]
    pub fn tokens(&self) -> &[TokenEvidence] {
        &self.tokens
    }

    /// The signatures that were met.
    #[must_use]
    pub fn signatures(&self) -> &[SignatureEvidence] {
        &self.signatures
    }

    /// Every algorithm that was used, in order of first use.
    #[must_use]
    pub fn algorithms(&self) -> &[Alg] {
        &self.algorithms
    }

    /// Those of them that are legacy.
    pub fn legacy(&self) -> impl Iterator<Item = Alg> {
        self.algorithms.iter().copied().filter(|a| a.status() == Status::Legacy)
    }

    /// The Timestamp.
    #[must_use]
    pub fn timestamp(&self) -> Option<TimestampEvidence> {
        self.timestamp
    }

    /// How many SignatureConfirmations matched.
    #[must_use]
    pub fn confirmed(&self) -> usize {
        self.confirmed
    }

    /// How many private-key operations were made.
    #[must_use]
    pub fn private_operations(&self) -> u32 {
        self.private_operations
    }

    /// How many pieces of ciphertext were decrypted.
    #[must_use]
    pub fn decryptions(&self) -> u32 {
        self.decryptions
    }

    /// What somebody should know.
    #[must_use]
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Who sent the message, if that was proved.
    #[must_use]
    pub fn caller(&self) -> Option<&Caller> {
        self.caller.as_ref()
    }

    /// Who endorsed the message: made a signature over its signature, or over its Timestamp in a TLS connection, that the plan demands. They are
    /// principals besides the caller; where nobody else is proved to have sent it, the first of them is the caller, too.
    #[must_use]
    pub fn endorsers(&self) -> &[Caller] {
        &self.endorsers
    }

    /// Where the evidence stands before a verdict is tried: a verdict only adds to it.
    pub(crate) fn mark(&self) -> Mark {
        let (tokens, warnings, confirmed) = (self.tokens.len(), self.warnings.len(), self.confirmed);
        Mark { parts: self.parts.len(), tokens, warnings, confirmed }
    }

    /// Forgets what was added since `mark`.
    pub(crate) fn back_to(&mut self, mark: Mark) {
        self.parts.truncate(mark.parts);
        self.tokens.truncate(mark.tokens);
        self.warnings.truncate(mark.warnings);
        self.confirmed = mark.confirmed;
    }

    pub(crate) fn used(&mut self, alg: impl Into<Alg>) {
        let alg = alg.into();
        if !self.algorithms.contains(&alg) {
            self.algorithms.push(alg);
        }
    }

    pub(crate) fn warn(&mut self, warning: Warning) {
        if !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }
}
