//! Users: who may show which password, and what is known about them.
//!
//! A [`UserSource`] answers two questions. [`check_password`](UserSource::check_password) takes a password as it came in a
//! message; [`secret`](UserSource::secret) gives the stored password out, for digests and derived keys, which cannot be
//! checked otherwise. Neither tells a peer anything: a [`Denied`] is for the local record, and its kinds cost the same.
//! Who refuses for another reason what might have led to a check pays for one all the same ([`spend`](UserSource::spend)).
//! It is no session store and knows no message; `wss` asks it about UsernameTokens, the gateway about Basic credentials.
//!
//! Names and passwords are compared as the octets that they are: no case folding, no Unicode normalisation, no trimming.

mod account;
mod hash;
mod lanes;
mod memory;
mod seal;
mod stored;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use bartizan_crypto::Secret;

use crate::time::Time;

pub use hash::{HashCost, MAX_HASH_LANES, MAX_HASH_MEMORY, MAX_HASH_WORK, PasswordHash};
pub use lanes::{Lane, Lanes};
pub use memory::MemoryUsers;
pub use seal::SealKey;
pub use stored::{
    MAX_COSTS, MAX_LANES_MEMORY, MAX_USERS, REMEMBERED, Standing, StoredPassword, Users, UsersBuilder,
};

/// What is known about a user besides the password.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct User {
    name: String,
    groups: Vec<String>,
    dn: Option<String>,
    attributes: BTreeMap<String, Vec<String>>,
}

impl User {
    /// Somebody of whom nothing but the name is known.
    #[must_use]
    pub fn new(name: &str) -> User {
        User { name: name.to_owned(), ..User::default() }
    }

    /// With these groups.
    #[must_use]
    pub fn with_groups<I: IntoIterator<Item: Into<String>>>(mut self, groups: I) -> User {
        self.groups = groups.into_iter().map(Into::into).collect();
        self
    }

    /// With this distinguished name.
    #[must_use]
    pub fn with_dn(mut self, dn: &str) -> User {
        self.dn = Some(dn.to_owned());
        self
    }

    /// With one more attribute.
    #[must_use]
    pub fn with_attribute<I: IntoIterator<Item: Into<String>>>(mut self, name: &str, values: I) -> User {
        self.attributes.insert(name.to_owned(), values.into_iter().map(Into::into).collect());
        self
    }

    /// The name, as the source spells it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The groups, in the order of the source.
    #[must_use]
    pub fn groups(&self) -> &[String] {
        &self.groups
    }

    /// The distinguished name, where a back-end wants one.
    #[must_use]
    pub fn dn(&self) -> Option<&str> {
        self.dn.as_deref()
    }

    /// Further facts by name, each with one value or several.
    #[must_use]
    pub fn attributes(&self) -> &BTreeMap<String, Vec<String>> {
        &self.attributes
    }
}

/// Why a user was not let in. For the local record only: on the wire all of them are one fault, except [`Denied::Busy`],
/// which says nothing about the user.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Denied {
    /// Nobody has this name.
    Unknown,
    /// The password is another one.
    WrongPassword,
    /// The user is switched off.
    Disabled,
    /// The user's time is over.
    Expired,
    /// Only a hash of the password is stored, so that digests and derived keys are impossible.
    NoSecret,
    /// Too many checks are waiting; the same request may succeed later.
    Busy,
}

impl Denied {
    /// A short name for records, stable between versions.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Denied::Unknown => "unknown_user",
            Denied::WrongPassword => "wrong_password",
            Denied::Disabled => "user_disabled",
            Denied::Expired => "user_expired",
            Denied::NoSecret => "no_secret",
            Denied::Busy => "busy",
        }
    }
}

impl fmt::Display for Denied {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Denied::Unknown => "nobody has this name",
            Denied::WrongPassword => "wrong password",
            Denied::Disabled => "the user is disabled",
            Denied::Expired => "the user has expired",
            Denied::NoSecret => {
                "only a hash of the password is stored; digests and derived keys need the password"
            }
            Denied::Busy => "too many password checks are waiting",
        })
    }
}

impl std::error::Error for Denied {}

/// Who knows the users.
pub trait UserSource: Send + Sync {
    /// The user, if this very password was right a short while ago and that is remembered; costs no slow hash. Asked before
    /// [`check_password`](UserSource::check_password).
    fn recall(&self, _name: &str, _password: &[u8], _now: Time) -> Option<Arc<User>> {
        None
    }

    /// Checks a text password; costs the same whoever is asked for, whatever is wrong, and whether it is right.
    ///
    /// # Errors
    /// Every [`Denied`] but [`Denied::NoSecret`]. That somebody is disabled or expired is told before that the password is
    /// wrong, and only after the password was looked at.
    fn check_password(&self, name: &str, password: &[u8], now: Time) -> Result<Arc<User>, Denied>;

    /// The secret of a known, enabled, unexpired user, for password digests and derived keys.
    ///
    /// # Errors
    /// Every [`Denied`] but [`Denied::WrongPassword`]. The caller has to spend on an absent secret what it would spend on
    /// one that is there.
    fn secret(&self, name: &str, now: Time) -> Result<(Arc<User>, Arc<Secret>), Denied>;

    /// Spends what [`check_password`](UserSource::check_password) spends, and tells nothing.
    ///
    /// For messages that are refused between a decryption and the check: were they refused sooner than a message whose
    /// password was looked at, the time would tell whether ciphertext of the sender's choice opened into a password.
    ///
    /// # Errors
    /// [`Denied::Busy`], where a check would be denied so.
    fn spend(&self) -> Result<(), Denied>;

    /// Whether [`check_password`](UserSource::check_password) costs a slow hash, so that it must not run on a core's runtime.
    fn is_costly(&self) -> bool;
}
