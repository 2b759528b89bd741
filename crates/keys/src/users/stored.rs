//! A set of stored users, as a file of users becomes one: passwords in clear, or as argon2id hashes.
//!
//! Three rules. If any password is a hash, every check of a text password costs the same slow hashes: for the unknown, the
//! disabled, the expired and those whose password is stored in clear, a stand-in is hashed. A success is remembered for
//! [`REMEMBERED`] under a MAC with a key of this set, so that a client that sends its password with every message pays
//! once; it is remembered with the user it belongs to, one for each, and dies with the set. And only so many hashes run
//! at a time ([`UsersBuilder::lanes`]), so that their memory is bounded.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bartizan_crypto::random::Random;
use bartizan_crypto::{Mac, Secret, SignatureAlg, SymmetricKey, equal};

use super::account::{Account, Clear, fingerprint};
use super::hash::{HashCost, PasswordHash};
use super::lanes::Lanes;
use super::{Denied, User, UserSource};
use crate::error::Error;
use crate::time::Time;

/// How long a password that was right is remembered at most.
pub const REMEMBERED: Duration = Duration::from_secs(300);
/// Most users of one set.
pub const MAX_USERS: usize = 100_000;
/// Most different costs of the hashes in one set: each check runs one hash of each.
pub const MAX_COSTS: usize = 4;
/// Memory of all slow hashes that run at a time, in KiB, whatever number of lanes is asked for; one always runs.
pub const MAX_LANES_MEMORY: usize = 512 * 1024;
/// Checks that wait for a lane unless something else is said; more are [`Denied::Busy`].
const WAITING: usize = 128;

/// How a password is stored.
#[derive(Debug)]
pub enum StoredPassword {
    /// The password itself: for text passwords, digests and derived keys.
    Clear(Secret),
    /// Its hash: for text passwords only.
    Argon2id(PasswordHash),
}

/// What lets a user in or not, besides the password.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Standing {
    /// Switched off.
    pub disabled: bool,
    /// The first instant at which the user is no longer let in.
    pub expires: Option<Time>,
}

/// Collects users for a [`Users`].
#[derive(Debug)]
pub struct UsersBuilder {
    entries: BTreeMap<String, Entry>,
    lanes: usize,
    waiting: usize,
}

impl UsersBuilder {
    /// Adds a user.
    ///
    /// # Errors
    /// [`Error::Ambiguous`] if the name is there already, [`Error::TooMuch`] beyond [`MAX_USERS`].
    pub fn add(mut self, user: User, standing: Standing, password: StoredPassword) -> Result<Self, Error> {
        if self.entries.len() >= MAX_USERS {
            return Err(Error::TooMuch { what: "users", limit: MAX_USERS });
        }
        let name = user.name.clone();
        let password = match password {
            StoredPassword::Clear(secret) => Password::Clear(Clear::new(secret)),
            StoredPassword::Argon2id(hash) => Password::Argon2id(hash),
        };
        let account =
            Account { user: Arc::new(user), disabled: standing.disabled, expires: standing.expires };
        match self.entries.insert(name, Entry { account, password, right: Mutex::default() }) {
            None => Ok(self),
            Some(_) => Err(Error::Ambiguous),
        }
    }

    /// How many slow hashes run at a time (default 1); more than one core each gains nothing. Fewer run if their memory
    /// would be more than [`MAX_LANES_MEMORY`].
    #[must_use]
    pub fn lanes(mut self, lanes: usize) -> Self {
        self.lanes = lanes;
        self
    }

    /// How many checks may wait for one of them (default 128) before a check is [`Denied::Busy`].
    #[must_use]
    pub fn waiting(mut self, waiting: usize) -> Self {
        self.waiting = waiting;
        self
    }

    /// The set. `random` gives the key under which successes are remembered, and the stand-ins.
    ///
    /// # Errors
    /// [`Error::TooMuch`] beyond [`MAX_COSTS`].
    pub fn build(self, random: &dyn Random) -> Result<Users, Error> {
        let costs: BTreeSet<HashCost> =
            self.entries.values().filter_map(|entry| entry.password.cost()).collect();
        if costs.len() > MAX_COSTS {
            return Err(Error::TooMuch { what: "different costs of argon2id hashes", limit: MAX_COSTS });
        }
        let memory = costs.iter().map(|cost| cost.memory() as usize).max().unwrap_or_default();
        let fitting = MAX_LANES_MEMORY.checked_div(memory).unwrap_or(usize::MAX);
        Ok(Users {
            entries: self.entries,
            nobody: Clear::new(Secret::new(Vec::new())),
            stand_ins: costs.into_iter().map(|cost| PasswordHash::stand_in(cost, random)).collect(),
            mark_key: SymmetricKey::generate(32, random),
            lanes: Lanes::new(self.lanes.min(fitting), self.waiting),
            hashes: AtomicU64::new(0),
        })
    }
}

/// A fixed set of users. A reload makes a new one, which remembers nothing.
#[derive(Debug)]
pub struct Users {
    entries: BTreeMap<String, Entry>,
    /// What the password of nobody is compared with.
    nobody: Clear,
    /// One for each cost that a hash of this set has.
    stand_ins: Vec<PasswordHash>,
    mark_key: SymmetricKey,
    lanes: Lanes,
    hashes: AtomicU64,
}

#[derive(Debug)]
struct Entry {
    account: Account,
    password: Password,
    /// The last password that was right.
    right: Mutex<Option<Right>>,
}

#[derive(Debug)]
enum Password {
    Clear(Clear),
    Argon2id(PasswordHash),
}

/// A success.
#[derive(Debug)]
struct Right {
    mark: Secret,
    since: Time,
}

impl Password {
    fn cost(&self) -> Option<HashCost> {
        match self {
            Password::Clear(_) => None,
            Password::Argon2id(hash) => Some(hash.cost()),
        }
    }
}

impl Entry {
    fn remembers(&self, mark: &Secret, now: Time) -> bool {
        let mut right = self.right.lock().unwrap_or_else(PoisonError::into_inner);
        // A clock that went back ends it, too.
        let fresh = right.as_ref().and_then(|r| now.since(r.since)).is_some_and(|age| age < REMEMBERED);
        if !fresh {
            *right = None;
        }
        right.as_ref().is_some_and(|right| same(&right.mark, mark))
    }

    fn remember(&self, mark: Secret, now: Time) {
        *self.right.lock().unwrap_or_else(PoisonError::into_inner) = Some(Right { mark, since: now });
    }
}

/// Compares two marks in constant time.
fn same(one: &Secret, other: &Secret) -> bool {
    one.expose(|one| other.expose(|other| equal::constant_time(one, other)))
}

impl Users {
    /// A builder without users.
    #[must_use]
    pub fn builder() -> UsersBuilder {
        UsersBuilder { entries: BTreeMap::new(), lanes: 1, waiting: WAITING }
    }

    /// Number of users.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// How many slow hashes were run since the set was made.
    #[must_use]
    pub fn slow_hashes(&self) -> u64 {
        self.hashes.load(Ordering::Relaxed)
    }

    /// What a success is remembered by; `None` if the MAC fails, and then nothing is remembered.
    fn mark(&self, name: &str, password: &[u8]) -> Option<Secret> {
        let mut mac = Mac::new(SignatureAlg::HmacSha256, &self.mark_key).ok()?;
        // The length keeps name and password apart.
        mac.update(&(name.len() as u64).to_be_bytes());
        mac.update(name.as_bytes());
        mac.update(password);
        Some(Secret::new(mac.finish()))
    }

    /// Compares the password with the stored one, or with that of nobody, at the same cost.
    fn compare(&self, entry: Option<&Entry>, password: &[u8]) -> Result<bool, Denied> {
        let stored = entry.map(|entry| &entry.password);
        let clear = match stored {
            Some(Password::Clear(clear)) => clear,
            Some(Password::Argon2id(_)) | None => &self.nobody,
        };
        let mut right = clear.matches(&fingerprint(password)) && matches!(stored, Some(Password::Clear(_)));
        if self.stand_ins.is_empty() {
            return Ok(right);
        }
        let _lane = self.lanes.take().ok_or(Denied::Busy)?;
        for stand_in in &self.stand_ins {
            let hash = match stored {
                Some(Password::Argon2id(hash)) if hash.cost() == stand_in.cost() => hash,
                _ => stand_in,
            };
            self.hashes.fetch_add(1, Ordering::Relaxed);
            right |= hash.verify(password);
        }
        Ok(right)
    }
}

impl UserSource for Users {
    fn recall(&self, name: &str, password: &[u8], now: Time) -> Option<Arc<User>> {
        if !self.is_costly() {
            return None;
        }
        // Made for nobody, too.
        let mark = self.mark(name, password)?;
        let entry = self.entries.get(name)?;
        let right = entry.account.standing(now).is_ok() && entry.remembers(&mark, now);
        right.then(|| Arc::clone(&entry.account.user))
    }

    fn check_password(&self, name: &str, password: &[u8], now: Time) -> Result<Arc<User>, Denied> {
        let entry = self.entries.get(name);
        let right = self.compare(entry, password)?;
        let entry = entry.ok_or(Denied::Unknown)?;
        entry.account.standing(now)?;
        if !right {
            return Err(Denied::WrongPassword);
        }
        if let Some(mark) = self.is_costly().then(|| self.mark(name, password)).flatten() {
            entry.remember(mark, now);
        }
        Ok(Arc::clone(&entry.account.user))
    }

    fn spend(&self) -> Result<(), Denied> {
        // Of nobody and with a password of any kind: the cost depends on neither.
        self.compare(None, b"nobody's").map(|_| ())
    }

    fn secret(&self, name: &str, now: Time) -> Result<(Arc<User>, Arc<Secret>), Denied> {
        let entry = self.entries.get(name).ok_or(Denied::Unknown)?;
        entry.account.standing(now)?;
        match &entry.password {
            Password::Clear(clear) => Ok((Arc::clone(&entry.account.user), Arc::clone(&clear.secret))),
            Password::Argon2id(_) => Err(Denied::NoSecret),
        }
    }

    fn is_costly(&self) -> bool {
        !self.stand_ins.is_empty()
    }
}

#[cfg(test)]
mod tests;
