//! What a plan says about UsernameTokens (UsernameToken Profile 1.1): what is demanded of one, what is put on one, and the keys derived from it.
//!
//! Not here: reading a token (`inbound`), writing one (`outbound`), users (`bartizan_keys::users`).

pub mod builder;

use std::time::Duration;

use crate::part::Need;

/// How the password stands in a UsernameToken (UTP 1.1 §3.1).
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum PasswordForm {
    /// `#PasswordText`: the password itself.
    Text,
    /// `#PasswordDigest`: Base64(SHA-1(nonce ‖ created ‖ password)).
    Digest,
    /// No Password element.
    Absent,
    /// A type of its own, agreed between partners; its text is compared with the stored secret as it stands.
    Custom(String),
}

impl PasswordForm {
    /// The name used in evidence and configuration.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            PasswordForm::Text => "text",
            PasswordForm::Digest => "digest",
            PasswordForm::Absent => "none",
            PasswordForm::Custom(uri) => uri,
        }
    }
}

/// Whether something may, must or must not be in the message.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Presence {
    /// It must be there.
    Must,
    /// Either way.
    #[default]
    May,
    /// It must not be there.
    MustNot,
}

/// What is demanded of the UsernameToken of an incoming message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UsernameRule {
    /// Whether the token must be there; a token that no rule asks for is refused.
    pub need: Need,
    /// The forms of password that are accepted. Empty where a key of the profile, whose token has none, is what proves the user.
    pub passwords: Vec<PasswordForm>,
    /// The Nonce. A password digest and a WSE-style key need one whatever is said here.
    pub nonce: Presence,
    /// Created. As the nonce.
    pub created: Presence,
    /// What peers of old leave out or write otherwise is accepted: a Nonce without EncodingType (BSP R4220), a Password without Type (R4201), a
    /// Created that says UTC with `+00:00`.
    pub lenient: bool,
    /// The token may be encrypted where the plan does not demand it: CXF encrypts every one that carries a password.
    pub may_be_encrypted: bool,
    /// Longest age of the token by its Created.
    pub ttl: Duration,
    /// How far Created may lie in the future, and how far clocks may differ at the end of the age.
    pub future: Duration,
    /// Which derived keys are accepted; `None`: none.
    pub keys: Option<KeyRule>,
}

impl Default for UsernameRule {
    fn default() -> Self {
        UsernameRule {
            need: Need::Must,
            passwords: vec![PasswordForm::Text],
            nonce: Presence::May,
            created: Presence::May,
            lenient: false,
            may_be_encrypted: false,
            ttl: Duration::from_secs(300),
            future: Duration::from_secs(60),
            keys: None,
        }
    }
}

impl UsernameRule {
    /// Any token, or none: whoever it names must be known all the same, and what it says of him be right.
    pub(super) fn whatever() -> UsernameRule {
        UsernameRule {
            need: Need::No,
            passwords: vec![PasswordForm::Text, PasswordForm::Digest, PasswordForm::Absent],
            lenient: true,
            may_be_encrypted: true,
            keys: Some(KeyRule { wse: Some(WSE_KEY_LEN), profile: Some(Iterations::default()) }),
            ..UsernameRule::default()
        }
    }

    /// The rule for a token that carries no password and by which a key is derived from it (UsernameToken Profile 1.1 §4): what the key signs is
    /// what proves the user.
    #[must_use]
    pub fn deriving(iterations: Iterations) -> UsernameRule {
        UsernameRule {
            passwords: Vec::new(),
            keys: Some(KeyRule { wse: None, profile: Some(iterations) }),
            ..UsernameRule::default()
        }
    }

    /// Whether a token that meets the rule proves who sent it.
    #[must_use]
    pub fn authenticates(&self) -> bool {
        self.need == Need::Must && !self.passwords.contains(&PasswordForm::Absent)
    }
}

/// Which keys derived from a password are accepted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KeyRule {
    /// WSE-style keys, from a nonce and Created beside the password in clear; accepted only where the password is protected by the
    /// transport or by encryption, on loopback, or by a file tool. Its length in octets.
    pub wse: Option<usize>,
    /// Keys of UsernameToken Profile 1.1 §4, from Salt and Iteration.
    pub profile: Option<Iterations>,
}

/// Bounds of the Iteration of a derived key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Iterations {
    /// Fewest.
    pub least: u32,
    /// Most: each costs us a hash.
    pub most: u32,
}

impl Default for Iterations {
    fn default() -> Self {
        Iterations { least: 1_000, most: 10_000 }
    }
}

/// Octets of a key of UsernameToken Profile 1.1 §4: those of SHA-1.
pub const PROFILE_KEY_LEN: usize = 20;

/// Octets of a WSE-style key unless a configuration says otherwise.
pub const WSE_KEY_LEN: usize = 16;

/// The UsernameToken that is put on an outgoing message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UsernameOut {
    /// How the password is written. A token for a key of the profile carries none whatever is said here (UTP 1.1 §4).
    pub password: PasswordForm,
    /// Write a Nonce.
    pub nonce: bool,
    /// Write Created.
    pub created: bool,
    /// Derive a key from the password, for the signature or the encryption that says so.
    pub derive: Option<Derive>,
}

impl Default for UsernameOut {
    fn default() -> Self {
        UsernameOut { password: PasswordForm::Text, nonce: true, created: true, derive: None }
    }
}

impl UsernameOut {
    /// A token that carries no password and by which a key is derived from it (UsernameToken Profile 1.1 §4). Without Nonce and Created: a fresh
    /// Salt is what makes it new.
    #[must_use]
    pub fn deriving(iterations: u32) -> UsernameOut {
        UsernameOut {
            password: PasswordForm::Absent,
            nonce: false,
            created: false,
            derive: Some(Derive::Profile { iterations }),
        }
    }
}

/// How a key is derived from the password of an outgoing UsernameToken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Derive {
    /// WSE style: P_SHA-1(password, `WS-Security` ‖ nonce ‖ created), so many octets.
    Wse {
        /// Octets of the key.
        length: usize,
    },
    /// UsernameToken Profile 1.1 §4, so many iterations.
    Profile {
        /// How often the hash is applied in all.
        iterations: u32,
    },
}

/// Whose key the primary signature is made with.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum SignedBy {
    /// The private key of an X.509 certificate.
    #[default]
    X509,
    /// A key derived from the UsernameToken of the message.
    UsernameToken,
    /// A secret that both sides share, or a key derived from it.
    Secret,
}

/// In whose manner an outgoing message is written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Style {
    /// Ours.
    #[default]
    Clean,
    /// As WSS4J 1.5 writes it, element by element: Ids, attributes, order, namespaces in plaintexts.
    Wss4j15,
}
