//! What one server is asked for: a kind of message with the keys of both sides, by one name in records.
//!
//! The set-ups with UsernameTokens are the built-in `scenario:unt1` and so on, with messages that live a day, so that a
//! rotation of them outlasts a run. Not here: how it is run (`measure`). Called by every module that names a cell.

use crate::scenario::{Keys, Policy};

#[cfg(test)]
mod tests;

/// The name and the password of the user in every UsernameToken of the lab: they are no secret.
pub const USER: (&str, &str) = ("alice", "verySecret");

/// How long the messages of the set-ups live, in seconds: longer than any run.
pub const LIFE: u32 = 86_400;

/// The built-in scenarios.
const SCENARIOS: &str = include_str!("../../../policies/scenarios.toml");

/// A set-up with a UsernameToken. `a`: the key of WSE, `b`: that of the UsernameToken profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Token {
    /// A password as text, Nonce and Created, beside a Timestamp.
    Unt1,
    /// The token signed with WSE's key.
    Unt2a,
    /// The token signed with a key that 1,000 hashes made of password and Salt.
    Unt2b,
    /// The token of [`Token::Unt1`], encrypted.
    Unt3,
    /// That of [`Token::Unt2a`], encrypted after it was signed.
    Unt4a,
    /// That of [`Token::Unt2b`], encrypted after it was signed.
    Unt4b,
}

impl Token {
    /// All of them.
    pub const ALL: [Token; 6] =
        [Token::Unt1, Token::Unt2a, Token::Unt2b, Token::Unt3, Token::Unt4a, Token::Unt4b];

    /// The name in policies and paths.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Token::Unt1 => "unt1",
            Token::Unt2a => "unt2a",
            Token::Unt2b => "unt2b",
            Token::Unt3 => "unt3",
            Token::Unt4a => "unt4a",
            Token::Unt4b => "unt4b",
        }
    }

    /// What people say.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Token::Unt1 => "UNT1: UsernameToken Timestamp",
            Token::Unt2a => "UNT2a: UsernameTokenSignature Timestamp, WSE's key",
            Token::Unt2b => "UNT2b: UsernameTokenSignature Timestamp, the profile's key",
            Token::Unt3 => "UNT3: UsernameToken Encrypt Timestamp",
            Token::Unt4a => "UNT4a: UsernameTokenSignature Encrypt Timestamp, WSE's key",
            Token::Unt4b => "UNT4b: UsernameTokenSignature Encrypt Timestamp, the profile's key",
        }
    }

    /// Whether the token is signed.
    #[must_use]
    pub fn signs(self) -> bool {
        !matches!(self, Token::Unt1 | Token::Unt3)
    }

    /// Whether the token is encrypted.
    #[must_use]
    pub fn encrypts(self) -> bool {
        matches!(self, Token::Unt3 | Token::Unt4a | Token::Unt4b)
    }

    /// Whether its key takes a thousand hashes.
    #[must_use]
    pub fn iterates(self) -> bool {
        matches!(self, Token::Unt2b | Token::Unt4b)
    }

    /// The built-in policy as a short form, with a long life of Timestamp and token.
    #[must_use]
    pub fn policy(self) -> String {
        let begin = format!("{}]", self.name());
        let piece = SCENARIOS.split("[policy.").filter(|piece| !piece.is_empty());
        // The policy has two tables: itself and its request.
        let request = format!("{}.request]", self.name());
        let text: String = piece
            .filter(|piece| piece.starts_with(&begin) || piece.starts_with(&request))
            .map(|piece| format!("[policy.{piece}"))
            .collect();
        format!("{}\ntimeToLive = {LIFE}\nutTimeToLive = {LIFE}\n", text.trim_end())
    }
}

/// What is measured under one name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// The benchmark policy of Rampart/C.
    Rampart(Keys),
    /// A set-up with a UsernameToken; the keys say something only where it is encrypted.
    Unt(Token, Keys),
}

impl Kind {
    /// Every set-up with a UsernameToken, with those keys where it is encrypted.
    #[must_use]
    pub fn tokens(keys: &[Keys]) -> Vec<Kind> {
        let plain = Token::ALL.into_iter().filter(|token| !token.encrypts());
        let first = keys.first().copied().unwrap_or(Keys::Rsa2048);
        let mut all: Vec<Kind> = plain.map(|token| Kind::Unt(token, first)).collect();
        for keys in keys {
            all.extend(Token::ALL.into_iter().filter(|t| t.encrypts()).map(|token| Kind::Unt(token, *keys)));
        }
        all
    }

    /// Reads a name of a record.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Kind> {
        let tokens = Kind::tokens(&[Keys::Rsa2048, Keys::Rsa1024]);
        let keys = || Keys::ALL.into_iter().find(|keys| keys.name() == name).map(Kind::Rampart);
        tokens.into_iter().find(|kind| kind.name() == name).or_else(keys)
    }

    /// The scenario that it belongs to.
    #[must_use]
    pub fn scenario(self) -> &'static str {
        match self {
            Kind::Rampart(_) => "rampart",
            Kind::Unt(..) => "unt",
        }
    }

    /// The keys of both sides.
    #[must_use]
    pub fn keys(self) -> Keys {
        match self {
            Kind::Rampart(keys) | Kind::Unt(_, keys) => keys,
        }
    }

    /// The name in records.
    #[must_use]
    pub fn name(self) -> String {
        match self {
            Kind::Rampart(keys) => keys.name().to_owned(),
            Kind::Unt(token, keys) if token.encrypts() => format!("{}-{}", token.name(), keys.name()),
            Kind::Unt(token, _) => token.name().to_owned(),
        }
    }

    /// What people say.
    #[must_use]
    pub fn title(self) -> String {
        match self {
            Kind::Rampart(keys) => keys.title().to_owned(),
            Kind::Unt(token, keys) if token.encrypts() => {
                let bits = if keys == Keys::Rsa1024 { 1024 } else { 2048 };
                format!("{}, RSA-{bits}", token.title())
            }
            Kind::Unt(token, _) => token.title().to_owned(),
        }
    }

    /// The policy of our own sides.
    #[must_use]
    pub fn policy(self) -> Policy {
        match self {
            Kind::Rampart(keys) => keys.policy(),
            Kind::Unt(token, _) => Policy::Short(token.policy().into()),
        }
    }
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.name())
    }
}
