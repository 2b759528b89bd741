//! A binding as a typed value, out of an alternative in normal form: asymmetric or symmetric.

use bartizan_wss::plan::{Dialect, Layout, ProtectionOrder};

use super::suite::{self, Algorithms};
use super::supporting::UserToken;
use super::token::Token;
use super::{Findings, Options};
use crate::assertion::{Assertion, Kind, Version};
use crate::error::Problem;

/// An asymmetric or symmetric binding (WS-SecurityPolicy 1.2 §7.4, §7.5).
pub(super) struct Binding {
    /// Which assertion it is.
    pub(super) kind: Kind,
    /// What a symmetric binding says of its secret. Its protection token stands for every token below, or two that are alike for signing and for
    /// encrypting.
    pub(super) secret: Option<Secret>,
    /// Signs requests.
    pub(super) initiator_signature: Option<Token>,
    /// Replies are encrypted to it.
    pub(super) initiator_encryption: Option<Token>,
    /// Signs replies.
    pub(super) recipient_signature: Option<Token>,
    /// Requests are encrypted to it.
    pub(super) recipient_encryption: Option<Token>,
    pub(super) algorithms: Algorithms,
    pub(super) layout: Layout,
    pub(super) order: ProtectionOrder,
    pub(super) timestamp: bool,
    pub(super) encrypt_signature: bool,
    pub(super) protect_tokens: bool,
    pub(super) whole: bool,
}

impl Binding {
    pub(super) fn read(binding: &Assertion, options: &Options, findings: &mut Findings) -> Option<Self> {
        let once = [
            Kind::AlgorithmSuite,
            Kind::Layout,
            Kind::InitiatorToken,
            Kind::RecipientToken,
            Kind::ProtectionToken,
            Kind::SignatureToken,
            Kind::EncryptionToken,
        ];
        for kind in once {
            if let Some(second) = binding.chosen().iter().filter(|child| child.kind == kind).nth(1) {
                findings.say(Problem::Twice { name: kind.name() }, second.position);
            }
        }
        let Some(suite) = binding.child(Kind::AlgorithmSuite) else {
            let problem =
                Problem::Incomplete { name: binding.kind.name(), missing: Kind::AlgorithmSuite.name() };
            findings.say(problem, binding.position);
            return None;
        };
        let algorithms = suite::read(suite, options, findings)?;
        let symmetric = binding.kind == Kind::SymmetricBinding;
        if algorithms.signature.is_mac() && !symmetric {
            // The certificates of this binding cannot make one.
            let problem = Problem::Contradiction {
                name: algorithms.signature.short_name(),
                other: binding.kind.name(),
            };
            findings.say(problem, binding.position);
        }
        let said = |kind| binding.child(kind).is_some();
        let mut tokens = Tokens { binding, findings };
        let (initiator, recipient, secret) = if symmetric {
            let [signs, encrypts] = tokens.protection();
            let secret = signs.as_ref().or(encrypts.as_ref()).map(|token| Secret::of(binding, token));
            ([signs.clone(), encrypts.clone()], [signs, encrypts], secret)
        } else {
            let initiator = [Kind::InitiatorSignatureToken, Kind::InitiatorEncryptionToken];
            let recipient = [Kind::RecipientSignatureToken, Kind::RecipientEncryptionToken];
            let initiator = tokens.read(Kind::InitiatorToken, initiator);
            (initiator, tokens.read(Kind::RecipientToken, recipient), None)
        };
        let [initiator_signature, initiator_encryption] = initiator;
        let [recipient_signature, recipient_encryption] = recipient;
        let order =
            match (binding.child(Kind::EncryptBeforeSigning), binding.child(Kind::SignBeforeEncrypting)) {
                (Some(_), Some(other)) => {
                    let problem = Problem::Contradiction {
                        name: Kind::SignBeforeEncrypting.name(),
                        other: Kind::EncryptBeforeSigning.name(),
                    };
                    findings.say(problem, other.position);
                    ProtectionOrder::EncryptBeforeSign
                }
                (Some(_), None) => ProtectionOrder::EncryptBeforeSign,
                (None, _) => ProtectionOrder::SignBeforeEncrypt,
            };
        Some(Self {
            kind: binding.kind,
            secret,
            initiator_signature,
            initiator_encryption,
            recipient_signature,
            recipient_encryption,
            algorithms,
            layout: layout(binding, findings),
            order,
            timestamp: said(Kind::IncludeTimestamp),
            encrypt_signature: said(Kind::EncryptSignature),
            protect_tokens: said(Kind::ProtectTokens),
            whole: said(Kind::OnlySignEntireHeadersAndBody),
        })
    }
}

/// Silence means Lax (WS-SecurityPolicy 1.2 §6.7).
pub(super) fn layout(binding: &Assertion, findings: &mut Findings) -> Layout {
    let Some(assertion) = binding.child(Kind::Layout) else { return Layout::Lax };
    let of = |kind| match kind {
        Kind::Strict => Some(Layout::Strict),
        Kind::Lax => Some(Layout::Lax),
        Kind::LaxTsFirst => Some(Layout::LaxTimestampFirst),
        Kind::LaxTsLast => Some(Layout::LaxTimestampLast),
        _ => None,
    };
    let mut said = assertion.chosen().iter().filter_map(|child| Some((child, of(child.kind)?)));
    let Some((first, layout)) = said.next() else { return Layout::Lax };
    if let Some((second, _)) = said.find(|(_, other)| *other != layout) {
        let problem = Problem::Contradiction { name: second.kind.name(), other: first.kind.name() };
        findings.say(problem, second.position);
    }
    layout
}

/// How derived keys are written under a version of the language: each goes with one of WS-SecureConversation.
pub(super) fn dialect(version: Version) -> Dialect {
    if version == Version::Sp11 { Dialect::V2005 } else { Dialect::V13 }
}

/// What a symmetric binding says of its secret.
pub(super) struct Secret {
    /// How derived keys are written, if keys are derived.
    pub(super) derived: Option<Dialect>,
    /// The UsernameToken that it is derived from a password by; `None`: it comes in an EncryptedKey.
    pub(super) user: Option<UserToken>,
}

impl Secret {
    fn of(binding: &Assertion, token: &Token) -> Self {
        // Each version of the language goes with one of WS-SecureConversation.
        let dialect = dialect(binding.version);
        Self { derived: token.derives().then_some(dialect), user: token.user().cloned() }
    }
}

struct Tokens<'a, 'f> {
    binding: &'a Assertion,
    findings: &'f mut Findings,
}

impl Tokens<'_, '_> {
    /// The tokens that sign and that encrypt, both ways: one for both, or one each (WS-SecurityPolicy 1.2 §7.4), which has to be the same. Two
    /// different ones would be two secrets in one message, and no stack that is known makes such messages: CXF takes equal ones, as here.
    fn protection(&mut self) -> [Option<Token>; 2] {
        let [signs, encrypts] =
            self.read(Kind::ProtectionToken, [Kind::SignatureToken, Kind::EncryptionToken]);
        if let (Some(one), Some(other)) = (&signs, &encrypts)
            && one != other
        {
            let at = self.binding.child(Kind::EncryptionToken).map_or(self.binding.position, |h| h.position);
            let reason = "it differs from the SignatureToken, and a message has one secret for both: say the same token in both, or one ProtectionToken";
            self.findings.say(Problem::RefusedName { name: Kind::EncryptionToken.name(), reason }, at);
        }
        [signs, encrypts]
    }

    /// The tokens for signature and encryption of one party: one for both, or one each.
    fn read(&mut self, both: Kind, each: [Kind; 2]) -> [Option<Token>; 2] {
        if let Some(holder) = self.binding.child(both) {
            for kind in each {
                if let Some(other) = self.binding.child(kind) {
                    let problem = Problem::Contradiction { name: kind.name(), other: both.name() };
                    self.findings.say(problem, other.position);
                }
            }
            let token = Token::read(holder, self.findings);
            return [token.clone(), token];
        }
        each.map(|kind| self.binding.child(kind).and_then(|holder| Token::read(holder, self.findings)))
    }
}
