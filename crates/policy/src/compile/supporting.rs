//! Supporting tokens: the UsernameToken of a request by all eight kinds, and an X.509 token by the four that endorse.
//!
//! A token is carried by requests only (WS-SecurityPolicy 1.2 §8): it says who sends them. An X.509 token that does not
//! endorse would be one that nobody uses; that and other tokens are named as not built. Not here: the plans of
//! endorsing signatures (`endorse`).

use bartizan_wss::part::{EncryptHow, EncryptPart, Need, Part};
use bartizan_wss::plan::{Dialect, Iterations, PasswordForm, Presence, UsernameOut, UsernameRule};

use super::Findings;
use super::binding::dialect;
use super::parts::named;
use super::token::Token;
use crate::assertion::{Assertion, Include, Kind, Parameters};
use crate::error::{Position, Problem};
use crate::model::Alternative;

/// The supporting tokens of a request.
#[derive(Clone, Debug, Default)]
pub(super) struct Supporting {
    pub(super) user: Option<UserToken>,
    pub(super) endorser: Option<X509Endorser>,
}

/// The UsernameToken of a request.
#[derive(Clone, Debug)]
pub(super) struct UserToken {
    pub(super) rule: UsernameRule,
    pub(super) out: UsernameOut,
    pub(super) signed: bool,
    pub(super) encrypted: bool,
    /// A key derived from it endorses.
    pub(super) endorses: bool,
    /// A DerivedKeyToken derives that from the token's own key.
    pub(super) derives: Option<Dialect>,
    /// What the endorsing signature covers besides.
    pub(super) parts: Vec<Part>,
    pub(super) at: Position,
}

/// Two that mean the same are equal, wherever they stand.
impl PartialEq for UserToken {
    fn eq(&self, other: &Self) -> bool {
        let one = |t: &Self| (t.signed, t.encrypted, t.endorses, t.derives, t.parts.clone());
        self.rule == other.rule && self.out == other.out && one(self) == one(other)
    }
}

/// An X.509 token that endorses a request.
#[derive(Clone, Debug)]
pub(super) struct X509Endorser {
    pub(super) token: Token,
    pub(super) signed: bool,
    pub(super) encrypted: bool,
    /// What the endorsing signature covers besides.
    pub(super) parts: Vec<Part>,
    pub(super) at: Position,
}

/// What the name of a kind of supporting tokens says.
struct Says {
    signed: bool,
    encrypted: bool,
    endorses: bool,
}

impl Says {
    fn of(kind: Kind) -> Option<Self> {
        let (signed, encrypted, endorses) = match kind {
            Kind::SupportingTokens => (false, false, false),
            Kind::SignedSupportingTokens => (true, false, false),
            Kind::EncryptedSupportingTokens => (false, true, false),
            Kind::SignedEncryptedSupportingTokens => (true, true, false),
            Kind::EndorsingSupportingTokens => (false, false, true),
            Kind::SignedEndorsingSupportingTokens => (true, false, true),
            Kind::EndorsingEncryptedSupportingTokens => (false, true, true),
            Kind::SignedEndorsingEncryptedSupportingTokens => (true, true, true),
            _ => return None,
        };
        Some(Self { signed, encrypted, endorses })
    }
}

impl Supporting {
    /// The tokens of an alternative; everything else that supports is in the findings.
    pub(super) fn read(alternative: &Alternative, findings: &mut Findings) -> Self {
        let within = |assertion: &&Assertion| assertion.kind.is_supporting();
        let top = alternative.assertions.iter().map(AsRef::as_ref);
        let bindings = top.clone().filter(|assertion: &&Assertion| assertion.kind.is_binding());
        let nested = bindings.flat_map(|binding| binding.chosen().iter().map(AsRef::as_ref));
        let mut found = Self::default();
        for wrapper in top.filter(within).chain(nested.filter(within)) {
            let Some(says) = Says::of(wrapper.kind) else { continue };
            for token in wrapper.chosen().iter().filter(|child| child.kind.is_token()) {
                found.take(wrapper, token, &says, findings);
            }
        }
        found
    }

    fn take(&mut self, wrapper: &Assertion, token: &Assertion, says: &Says, findings: &mut Findings) {
        match (token.kind, says.endorses) {
            (Kind::UsernameToken, _) => {
                let parts = within(wrapper, says, findings);
                let user = UserToken { parts, ..UserToken::read(token, says, findings) };
                if self.user.replace(user).is_some() {
                    findings.not_built("a second UsernameToken", token.position);
                }
            }
            (Kind::X509Token, true) => {
                let parts = within(wrapper, says, findings);
                let (signed, encrypted, at) = (says.signed, says.encrypted, token.position);
                let token = Token::of(token, false, findings);
                let endorser = X509Endorser { token, signed, encrypted, parts, at };
                if self.endorser.replace(endorser).is_some() {
                    findings.not_built("a second X509Token that endorses", at);
                }
            }
            // Named by its wrapper: a token that nobody uses.
            (Kind::X509Token, false) => findings.not_built(wrapper.kind.name(), wrapper.position),
            (other, _) => findings.not_built(other.name(), token.position),
        }
    }

    /// Whether what an endorsing signature names is encrypted.
    pub(super) fn is_hidden(&self) -> bool {
        let user = self.user.as_ref().is_some_and(|user| user.endorses && user.encrypted);
        user || self.endorser.as_ref().is_some_and(|endorser| endorser.encrypted)
    }

    /// Whether an endorsing signature covers more than what it endorses.
    pub(super) fn sign_parts(&self) -> bool {
        let user = self.user.as_ref().is_some_and(|user| !user.parts.is_empty());
        user || self.endorser.as_ref().is_some_and(|endorser| !endorser.parts.is_empty())
    }

    /// Whether a signature of its own endorses the message.
    pub(super) fn endorses(&self) -> bool {
        self.endorser.is_some() || self.user.as_ref().is_some_and(|user| user.endorses)
    }
}

/// What a wrapper has its token sign, where that signs. What it is to encrypt by itself, and with which algorithms, is not built.
fn within(wrapper: &Assertion, says: &Says, findings: &mut Findings) -> Vec<Part> {
    let mut parts = Vec::new();
    for other in wrapper.chosen().iter().filter(|child| !child.kind.is_token()) {
        match other.kind {
            Kind::SignedParts if says.endorses => parts.extend(named(other, findings)),
            _ => findings.not_built(other.kind.name(), other.position),
        }
    }
    parts
}

impl UserToken {
    fn read(token: &Assertion, says: &Says, findings: &mut Findings) -> Self {
        let (signed, encrypted, endorses) = (says.signed, says.encrypted, says.endorses);
        if endorses {
            let derives = [Kind::RequireDerivedKeys, Kind::RequireExplicitDerivedKeys];
            let derives = derives.into_iter().any(|kind| token.child(kind).is_some());
            let derives = derives.then(|| dialect(token.version));
            return Self { signed, encrypted, endorses, derives, ..Self::protecting(token, findings) };
        }
        unknown_parameters(token, findings);
        if matches!(token.include(), Include::Never | Include::AlwaysToInitiator) {
            findings.not_built("a UsernameToken that requests do not carry", token.position);
        }
        let (rule, out) = meaning(token, findings);
        Self { rule, out, signed, encrypted, endorses, derives: None, parts: Vec::new(), at: token.position }
    }

    /// A token by which a key is derived (UsernameToken Profile 1.1 §4), as CXF writes it: a Salt, an Iteration and no password. The key is the secret
    /// of a symmetric binding, or endorses.
    pub(super) fn protecting(token: &Assertion, findings: &mut Findings) -> Self {
        unknown_parameters(token, findings);
        let carried = !matches!(token.include(), Include::Never | Include::AlwaysToInitiator);
        if !carried {
            let reason = "the request has to carry the token: its Salt is what the key is derived with";
            findings.say(Problem::RefusedName { name: token.kind.name(), reason }, token.position);
        }
        for child in token.chosen() {
            match child.kind {
                Kind::HashPassword => {
                    let reason =
                        "a token that a key is derived by carries no password (UsernameToken Profile 1.1 §4)";
                    findings.say(Problem::RefusedName { name: child.kind.name(), reason }, child.position);
                }
                Kind::RequireImpliedDerivedKeys => findings.not_built(child.kind.name(), child.position),
                _ => {}
            }
        }
        let said = |kind| token.child(kind).is_some();
        let presence = |kind| if said(kind) { Presence::Must } else { Presence::May };
        let iterations = Iterations::default();
        let rule = UsernameRule {
            nonce: presence(Kind::Nonce),
            created: presence(Kind::Created),
            ..UsernameRule::deriving(iterations)
        };
        let out = UsernameOut {
            nonce: said(Kind::Nonce),
            created: said(Kind::Created),
            ..UsernameOut::deriving(iterations.least)
        };
        Self {
            rule,
            out,
            signed: false,
            encrypted: false,
            endorses: false,
            derives: None,
            parts: Vec::new(),
            at: token.position,
        }
    }
}

/// Names what stands in a token and means nothing here.
fn unknown_parameters(token: &Assertion, findings: &mut Findings) {
    if let Parameters::Token(parameters) = &token.parameters {
        for raw in &parameters.raws {
            let name = ["Issuer", "IssuerName", "Claims"].into_iter().find(|name| **name == *raw.local);
            findings.not_built(name.unwrap_or("parameter"), raw.position);
        }
    }
}

/// What the assertions inside of a UsernameToken say.
fn meaning(token: &Assertion, findings: &mut Findings) -> (UsernameRule, UsernameOut) {
    let said = |kind| token.child(kind).is_some();
    let form = match (said(Kind::NoPassword), said(Kind::HashPassword)) {
        (true, true) => {
            let (name, other) = (Kind::HashPassword.name(), Kind::NoPassword.name());
            findings.say(Problem::Contradiction { name, other }, token.position);
            PasswordForm::Absent
        }
        (true, false) => PasswordForm::Absent,
        (false, true) => PasswordForm::Digest,
        (false, false) => PasswordForm::Text,
    };
    for child in token.chosen() {
        match child.kind {
            // The key would sign: a token of a kind that endorses.
            Kind::RequireDerivedKeys | Kind::RequireExplicitDerivedKeys | Kind::RequireImpliedDerivedKeys => {
                findings.not_built(child.kind.name(), child.position);
            }
            _ => {}
        }
    }
    let presence = |kind| if said(kind) { Presence::Must } else { Presence::May };
    let rule = UsernameRule {
        need: Need::Must,
        passwords: vec![form.clone()],
        nonce: presence(Kind::Nonce),
        created: presence(Kind::Created),
        // CXF and WCF encrypt every token with a password, Rampart only where it is asked for.
        may_be_encrypted: true,
        ..UsernameRule::default()
    };
    // Written whether asked for or not: without them nothing guards a token against being sent again.
    (rule, UsernameOut { password: form, nonce: true, created: true, derive: None })
}

/// The token as a part to encrypt.
pub(super) fn part() -> EncryptPart {
    EncryptPart { part: Part::UsernameToken, how: EncryptHow::Element }
}
