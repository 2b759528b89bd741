//! Supporting tokens: the UsernameToken of a request, by the four kinds that do not endorse.
//!
//! A token is carried by requests only (WS-SecurityPolicy 1.2 §8): it says who sends them. Endorsing kinds and other
//! tokens are named as not built.

use bartizan_wss::part::{EncryptHow, EncryptPart, Need, Part};
use bartizan_wss::plan::{Iterations, PasswordForm, Presence, UsernameOut, UsernameRule};

use super::Findings;
use crate::assertion::{Assertion, Include, Kind, Parameters};
use crate::error::{Position, Problem};
use crate::model::Alternative;

/// The UsernameToken of a request.
#[derive(Clone, Debug)]
pub(super) struct UserToken {
    pub(super) rule: UsernameRule,
    pub(super) out: UsernameOut,
    pub(super) signed: bool,
    pub(super) encrypted: bool,
    pub(super) at: Position,
}

/// Two that mean the same are equal, wherever they stand.
impl PartialEq for UserToken {
    fn eq(&self, other: &Self) -> bool {
        let one = |t: &Self| (t.signed, t.encrypted);
        self.rule == other.rule && self.out == other.out && one(self) == one(other)
    }
}

impl UserToken {
    /// The token of an alternative; everything else that supports is in the findings.
    pub(super) fn read(alternative: &Alternative, findings: &mut Findings) -> Option<Self> {
        let within = |assertion: &&Assertion| assertion.kind.is_supporting();
        let top = alternative.assertions.iter().map(AsRef::as_ref);
        let bindings = top.clone().filter(|assertion: &&Assertion| assertion.kind.is_binding());
        let nested = bindings.flat_map(|binding| binding.chosen().iter().map(AsRef::as_ref));
        let mut found: Option<Self> = None;
        for wrapper in top.filter(within).chain(nested.filter(within)) {
            for token in wrapper.chosen().iter().filter(|child| child.kind.is_token()) {
                match (Self::one(wrapper, token, findings), &found) {
                    (Some(_), Some(_)) => findings.not_built("a second UsernameToken", token.position),
                    (Some(token), None) => found = Some(token),
                    (None, _) => {}
                }
            }
        }
        found
    }

    fn one(wrapper: &Assertion, token: &Assertion, findings: &mut Findings) -> Option<Self> {
        let (signed, encrypted) = match (wrapper.kind, token.kind) {
            (Kind::SupportingTokens, Kind::UsernameToken) => (false, false),
            (Kind::SignedSupportingTokens, Kind::UsernameToken) => (true, false),
            (Kind::EncryptedSupportingTokens, Kind::UsernameToken) => (false, true),
            (Kind::SignedEncryptedSupportingTokens, Kind::UsernameToken) => (true, true),
            // Named by its wrapper: a second signature, or a token that nobody uses.
            (other, Kind::X509Token | Kind::UsernameToken) => {
                findings.not_built(other.name(), wrapper.position);
                return None;
            }
            (_, other) => {
                findings.not_built(other.name(), token.position);
                return None;
            }
        };
        // What a token is to sign or encrypt by itself, and with which algorithms.
        for other in wrapper.chosen().iter().filter(|child| !child.kind.is_token()) {
            findings.not_built(other.kind.name(), other.position);
        }
        unknown_parameters(token, findings);
        if matches!(token.include(), Include::Never | Include::AlwaysToInitiator) {
            findings.not_built("a UsernameToken that requests do not carry", token.position);
        }
        let (rule, out) = meaning(token, findings);
        Some(Self { rule, out, signed, encrypted, at: token.position })
    }
}

impl UserToken {
    /// The token that the secret of a symmetric binding is derived by (UsernameToken Profile 1.1 §4), as CXF writes it: a Salt, an Iteration and
    /// no password.
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
        Self { rule, out, signed: false, encrypted: false, at: token.position }
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
