//! Tokens of a binding: whether they are sent along, and how a key is named. X.509 tokens and, in the symmetric binding, a UsernameToken.

use bartizan_wss::plan::{KeyRef, TokenSent};

use super::Findings;
use super::flow::Way;
use super::supporting::UserToken;
use crate::assertion::{Assertion, Include, Kind, Parameters};
use crate::error::Problem;
use crate::model::Alternative;

/// An X.509 token, or a UsernameToken that a secret is derived by.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token {
    include: Include,
    sent: TokenSent,
    /// Named by the token itself, strongest wish first (wire formats §3.4).
    forms: Vec<KeyRef>,
    embedded: bool,
    /// Keys are derived from its secret (symmetric binding).
    derives: bool,
    /// It is a UsernameToken.
    user: Option<UserToken>,
}

impl Token {
    /// The token of InitiatorToken and the like; `None` if it is one that is not built, which was said.
    pub(super) fn read(holder: &Assertion, findings: &mut Findings) -> Option<Self> {
        let mut tokens = holder.chosen().iter().filter(|child| child.kind.is_token());
        let Some(token) = tokens.next() else {
            findings.say(Problem::Incomplete { name: holder.kind.name(), missing: "token" }, holder.position);
            return None;
        };
        if let Some(second) = tokens.next() {
            let problem = Problem::Contradiction { name: second.kind.name(), other: token.kind.name() };
            findings.say(problem, second.position);
        }
        let secret =
            [Kind::ProtectionToken, Kind::SignatureToken, Kind::EncryptionToken].contains(&holder.kind);
        if token.kind == Kind::UsernameToken && secret {
            return Some(Self::of_user(token, findings));
        }
        if token.kind != Kind::X509Token {
            findings.not_built(token.kind.name(), token.position);
            return None;
        }
        Some(Self::of(token, secret, findings))
    }

    /// What an X509Token says. `has_secret`: it protects with a secret in an EncryptedKey, which keys can be derived from.
    pub(super) fn of(token: &Assertion, has_secret: bool, findings: &mut Findings) -> Self {
        if let Parameters::Token(parameters) = &token.parameters {
            for raw in &parameters.raws {
                let name = ["Issuer", "IssuerName", "Claims"].into_iter().find(|name| **name == *raw.local);
                findings.not_built(name.unwrap_or("parameter"), raw.position);
            }
        }
        let mut sent = TokenSent::X509;
        let mut derives = false;
        for child in token.chosen() {
            match child.kind {
                Kind::WssX509PkiPathV1Token10 | Kind::WssX509PkiPathV1Token11 => sent = TokenSent::PkiPath,
                // Of a secret in an EncryptedKey; a certificate has none.
                Kind::RequireDerivedKeys | Kind::RequireExplicitDerivedKeys if has_secret => derives = true,
                Kind::WssX509V1Token10
                | Kind::WssX509V1Token11
                | Kind::WssX509Pkcs7Token10
                | Kind::WssX509Pkcs7Token11
                | Kind::RequireDerivedKeys
                | Kind::RequireExplicitDerivedKeys
                | Kind::RequireImpliedDerivedKeys => findings.not_built(child.kind.name(), child.position),
                _ => {}
            }
        }
        let wish = [
            (Kind::RequireIssuerSerialReference, KeyRef::IssuerSerial),
            (Kind::RequireKeyIdentifierReference, KeyRef::SubjectKeyIdentifier),
            (Kind::RequireThumbprintReference, KeyRef::ThumbprintSha1),
        ];
        let forms =
            wish.into_iter().filter(|(kind, _)| token.child(*kind).is_some()).map(|(_, form)| form).collect();
        Self {
            include: token.include(),
            sent,
            forms,
            embedded: token.child(Kind::RequireEmbeddedTokenReference).is_some(),
            derives,
            user: None,
        }
    }

    /// A UsernameToken whose password the secret of a symmetric binding is derived from.
    fn of_user(token: &Assertion, findings: &mut Findings) -> Self {
        let derived = [Kind::RequireDerivedKeys, Kind::RequireExplicitDerivedKeys];
        Self {
            include: token.include(),
            sent: TokenSent::No,
            forms: Vec::new(),
            embedded: false,
            derives: derived.into_iter().any(|kind| token.child(kind).is_some()),
            user: Some(UserToken::protecting(token, findings)),
        }
    }

    /// The UsernameToken, if it is one.
    pub(super) fn user(&self) -> Option<&UserToken> {
        self.user.as_ref()
    }

    /// Whether keys are derived from its secret.
    pub(super) fn derives(&self) -> bool {
        self.derives
    }

    /// Whether its owner sends it along in a message of that way. `Once` has no conversation to count in: it is sent
    /// with every request and with no reply.
    pub(super) fn included(&self, way: Way) -> bool {
        match (self.include, way) {
            (Include::Never, _) => false,
            (Include::Always, _) => true,
            (Include::Once | Include::AlwaysToRecipient, Way::Request) => true,
            (Include::Once | Include::AlwaysToRecipient, Way::Reply) => false,
            (Include::AlwaysToInitiator, Way::Reply) => true,
            (Include::AlwaysToInitiator, Way::Request) => false,
        }
    }

    /// How a signature names it, and what is put into the header.
    pub(super) fn signing(&self, way: Way, supported: &Supported) -> (KeyRef, TokenSent) {
        match (self.included(way), self.embedded) {
            (true, true) => (KeyRef::Embedded, TokenSent::No),
            (true, false) => (KeyRef::Direct, self.sent),
            (false, _) => (self.external(supported), TokenSent::No),
        }
    }

    /// Whether it stands inside of the reference in a message of that way.
    pub(super) fn is_embedded(&self, way: Way) -> bool {
        self.embedded && self.included(way)
    }

    /// How it is named where it is not in the message.
    pub(super) fn external(&self, supported: &Supported) -> KeyRef {
        self.forms.first().copied().unwrap_or(supported.first)
    }

    /// Every way in which a strict reader accepts it to be named; the direct one beside those asked for.
    pub(super) fn accepted(&self, way: Way, supported: &Supported) -> Vec<KeyRef> {
        let mut accepted = self.forms.clone();
        if accepted.is_empty() {
            accepted.push(supported.first);
        }
        if self.included(way) {
            accepted.push(if self.embedded { KeyRef::Embedded } else { KeyRef::Direct });
        }
        accepted
    }
}

/// What Wss10 and Wss11 say about references.
pub(super) struct Supported {
    /// The way to name a key for which its token asks for nothing.
    first: KeyRef,
}

impl Supported {
    pub(super) fn read(alternative: &Alternative) -> Self {
        let said = |kind| {
            [Kind::Wss11, Kind::Wss10]
                .into_iter()
                .filter_map(|wss| alternative.find(wss))
                .any(|wss| wss.child(kind).is_some())
        };
        let ways = [
            (Kind::MustSupportRefKeyIdentifier, KeyRef::SubjectKeyIdentifier),
            (Kind::MustSupportRefIssuerSerial, KeyRef::IssuerSerial),
            (Kind::MustSupportRefThumbprint, KeyRef::ThumbprintSha1),
        ];
        // Without a word about it, the form that every stack reads.
        let first =
            ways.into_iter().find(|(kind, _)| said(*kind)).map_or(KeyRef::IssuerSerial, |(_, way)| way);
        Self { first }
    }
}
