//! What a plan says about secrets that both sides share (symmetric binding, WS-SecurityPolicy 1.3 §7.4): where one comes from, an EncryptedKey or a
//! user's password, and the keys that are derived from it (WS-SecureConversation 1.3 §8).
//!
//! Not here: reading and writing them (`inbound`, `outbound`), the plans of a whole binding (`builder`).

pub mod builder;

use bartizan_crypto::OaepParams;
use bartizan_crypto::alg::TransportAlg;

use super::{KeyRef, Presence};

/// Where the secret of a message comes from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SecretFrom {
    /// An EncryptedKey of the message itself. Everybody can make one to our certificate, so it proves nothing about who sent the message: a plan
    /// that asks for no more authenticates nobody.
    Message,
    /// Derived from a user's password by the UsernameToken of the message itself (UsernameToken Profile 1.1 §4), as the plan's rule for the token
    /// says. What is signed with it proves the user.
    User,
    /// That of the request which the message answers, named by EncryptedKeySHA1 or by the Id of its UsernameToken. Only who could open the request
    /// has it, or who knows the password.
    Request,
}

/// What is demanded of the secret of an incoming message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SecretRule {
    /// Where it comes from.
    pub from: SecretFrom,
    /// Octets of the secret in an EncryptedKey. One that is derived from a password has the length that its derivation gives.
    pub length: usize,
    /// Whether keys are derived from it for each use, or it is used as it is.
    pub derived: Presence,
}

/// The secret of an outgoing message.
#[derive(Clone, Debug)]
pub struct SecretOut {
    /// Where it comes from.
    pub source: SecretSource,
    /// Keys are derived from it; `None`: it is used as it is.
    pub derived: Option<DeriveKeys>,
}

/// Where the secret of an outgoing message comes from.
#[derive(Clone, Debug)]
pub enum SecretSource {
    /// Made for this message, and sent to the peer in an EncryptedKey.
    Fresh {
        /// Octets.
        length: usize,
        /// How it is encrypted to the peer.
        method: TransportAlg,
        /// OAEP's parameters (ignored by RSA 1.5).
        oaep: OaepParams,
        /// How the peer's key is named.
        reference: KeyRef,
    },
    /// The key that is derived from the UsernameToken of this message.
    User,
    /// That of the request which is answered (recipient only).
    Request,
}

/// How keys are derived for an outgoing message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DeriveKeys {
    /// In which namespace the tokens are written.
    pub dialect: Dialect,
    /// Octets of the key that signs.
    pub sign: usize,
    /// Octets of the key that encrypts.
    pub encrypt: usize,
}

/// The versions of WS-SecureConversation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Dialect {
    /// That of February 2005, which goes with WS-SecurityPolicy 1.1.
    V2005,
    /// 1.3, which goes with WS-SecurityPolicy 1.2 and later.
    #[default]
    V13,
}
