//! The actions themselves: which there are, and what a list of them comes to.

use bartizan_wss::plan::{ProtectionOrder, SignedBy, Step};

use super::{ACTIONS, Block};
use crate::compile::Findings;
use crate::error::{Position, Problem, nearest};

/// An action that does something here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Nothing at all.
    NoSecurity,
    /// A UsernameToken.
    UsernameToken,
    /// A UsernameToken without a password.
    UsernameTokenNoPassword,
    /// A UsernameToken and a signature with the key derived from its password.
    UsernameTokenSignature,
    /// A signature with the key of a certificate.
    Signature,
    /// Encryption to a certificate.
    Encryption,
    /// A Timestamp.
    Timestamp,
}

/// The actions that are known and not done, with the reason.
pub(super) const REFUSED: &[(&str, &str)] = &[
    ("SAMLTokenUnsigned", "assertions are not made or judged in this version"),
    ("SAMLTokenSigned", "assertions are not made or judged in this version"),
    ("SignatureDerived", "derived key tokens belong to the symmetric binding, which a policy asks for"),
    ("EncryptionDerived", "derived key tokens belong to the symmetric binding, which a policy asks for"),
    ("EncryptDerived", "derived key tokens belong to the symmetric binding, which a policy asks for"),
    ("SignatureWithKerberosToken", "Kerberos tokens are not built"),
    ("EncryptionWithKerberosToken", "Kerberos tokens are not built"),
    ("EncryptWithKerberosToken", "Kerberos tokens are not built"),
    ("KerberosToken", "Kerberos tokens are not built"),
    ("CustomToken", "its meaning is in the code of a callback handler, which cannot be read"),
];

impl Action {
    /// Every action, by the name it is written with; `Encrypt` is the older name of `Encryption`.
    pub const ALL: [(&'static str, Self); 8] = [
        ("NoSecurity", Self::NoSecurity),
        ("UsernameToken", Self::UsernameToken),
        ("UsernameTokenNoPassword", Self::UsernameTokenNoPassword),
        ("UsernameTokenSignature", Self::UsernameTokenSignature),
        ("Signature", Self::Signature),
        ("Encryption", Self::Encryption),
        ("Encrypt", Self::Encryption),
        ("Timestamp", Self::Timestamp),
    ];

    /// The action of that name.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(known, _)| *known == name).map(|(_, action)| action)
    }

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::NoSecurity => "NoSecurity",
            Self::UsernameToken => "UsernameToken",
            Self::UsernameTokenNoPassword => "UsernameTokenNoPassword",
            Self::UsernameTokenSignature => "UsernameTokenSignature",
            Self::Signature => "Signature",
            Self::Encryption => "Encryption",
            Self::Timestamp => "Timestamp",
        }
    }

    /// Whether it puts a UsernameToken on the message.
    #[must_use]
    pub const fn makes_username(self) -> bool {
        matches!(self, Self::UsernameToken | Self::UsernameTokenNoPassword | Self::UsernameTokenSignature)
    }
}

/// What a list of actions comes to.
#[derive(Clone, Debug)]
pub(super) struct Said {
    /// NoSecurity.
    pub(super) nothing: bool,
    /// The action that makes the UsernameToken.
    pub(super) username: Option<Action>,
    /// Whose key signs.
    pub(super) signs: Option<SignedBy>,
    pub(super) encrypts: bool,
    pub(super) stamp: bool,
    pub(super) order: ProtectionOrder,
    /// The token is there when the message is encrypted.
    pub(super) token_first: bool,
    /// What is put on top of the header, in the order of the list.
    pub(super) steps: Vec<Step>,
    pub(super) at: Position,
}

impl Said {
    /// Reads the actions of a block; `None` if they cannot be read, which was said.
    ///
    /// `UsernameToken` beside `UsernameTokenSignature` is the same token: WSS4J's receivers have to list both.
    pub(super) fn read(block: &Block, findings: &mut Findings) -> Option<Self> {
        let Some(entry) = block.entries.get(ACTIONS) else {
            findings.say(Problem::MissingKey { key: ACTIONS }, block.position);
            return None;
        };
        let mut list: Vec<Action> = Vec::new();
        for word in entry.text.split_ascii_whitespace() {
            match (Action::by_name(word), REFUSED.iter().find(|(known, _)| *known == word)) {
                (Some(action), _) if list.contains(&action) => {
                    findings.say(Problem::Twice { name: action.name() }, entry.at);
                }
                (Some(action), _) => list.push(action),
                (None, Some((name, reason))) => {
                    findings.say(Problem::RefusedName { name, reason }, entry.at);
                }
                (None, None) => {
                    let names = Action::ALL.iter().map(|(name, _)| *name);
                    let nearest = nearest::nearest(word, names);
                    let expected = "actions, such as \"UsernameToken Encrypt Timestamp\"";
                    findings.say(
                        Problem::BadValue { key: ACTIONS, value: word.into(), expected, nearest },
                        entry.at,
                    );
                }
            }
        }
        if list.is_empty() {
            let expected = "actions, such as \"UsernameToken Encrypt Timestamp\"; `NoSecurity` for none";
            let value = entry.text.clone();
            findings.say(Problem::BadValue { key: ACTIONS, value, expected, nearest: None }, entry.at);
            return None;
        }
        contradictions(&list, entry.at, findings);
        let place = |action| list.iter().position(|one| *one == action);
        let by_token = place(Action::UsernameTokenSignature);
        let signature = by_token.or(place(Action::Signature));
        let encryption = place(Action::Encryption);
        let username = list.iter().copied().filter(|one| one.makes_username());
        let encrypts_first = matches!((signature, encryption), (Some(sign), Some(encrypt)) if encrypt < sign);
        Some(Self {
            nothing: place(Action::NoSecurity).is_some(),
            // The signature's own token, if it makes one.
            username: by_token.map(|_| Action::UsernameTokenSignature).or(username.clone().next()),
            signs: match (by_token, signature) {
                (Some(_), _) => Some(SignedBy::UsernameToken),
                (None, Some(_)) => Some(SignedBy::X509),
                (None, None) => None,
            },
            encrypts: encryption.is_some(),
            stamp: place(Action::Timestamp).is_some(),
            order: if encrypts_first {
                ProtectionOrder::EncryptBeforeSign
            } else {
                ProtectionOrder::SignBeforeEncrypt
            },
            token_first: username
                .filter_map(place)
                .min()
                .is_none_or(|token| encryption.is_none_or(|encrypt| token < encrypt)),
            steps: steps(&list),
            at: entry.at,
        })
    }
}

/// What each action puts on top of the header. A token whose key signs is made with the signature, and stands above it.
fn steps(list: &[Action]) -> Vec<Step> {
    let one_token = list.contains(&Action::UsernameTokenSignature);
    let of = |action: &Action| match action {
        Action::UsernameTokenSignature => vec![Step::Signature, Step::UsernameToken],
        Action::UsernameToken | Action::UsernameTokenNoPassword if one_token => Vec::new(),
        Action::UsernameToken | Action::UsernameTokenNoPassword => vec![Step::UsernameToken],
        Action::Signature => vec![Step::Signature],
        Action::Encryption => vec![Step::Encryption],
        Action::Timestamp => vec![Step::Timestamp],
        Action::NoSecurity => Vec::new(),
    };
    list.iter().flat_map(of).collect()
}

fn contradictions(list: &[Action], at: Position, findings: &mut Findings) {
    let has = |action: Action| list.contains(&action);
    if has(Action::NoSecurity) && list.len() > 1 {
        let other = list.iter().find(|one| **one != Action::NoSecurity).map_or("", |one| one.name());
        findings.say(Problem::Contradiction { name: Action::NoSecurity.name(), other }, at);
    }
    if has(Action::UsernameTokenNoPassword)
        && (has(Action::UsernameToken) || has(Action::UsernameTokenSignature))
    {
        let (name, other) = (Action::UsernameTokenNoPassword.name(), Action::UsernameToken.name());
        findings.say(Problem::Contradiction { name, other }, at);
    }
    if has(Action::UsernameTokenSignature) && has(Action::Signature) {
        findings.not_built("a second signature, `Signature` beside `UsernameTokenSignature`", at);
    }
}
