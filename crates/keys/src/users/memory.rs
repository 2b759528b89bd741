//! Users in memory: for tests and for programs that know their users from somewhere else.

use std::collections::BTreeMap;
use std::sync::Arc;

use bartizan_crypto::Secret;

use super::account::{Account, Clear, fingerprint};
use super::{Denied, User, UserSource};
use crate::time::Time;

/// A fixed set of users whose passwords are held in clear (erased when dropped, never printed).
///
/// ```
/// use bartizan_keys::{MemoryUsers, Time, UserSource};
///
/// let users = MemoryUsers::new().with("alice", b"secret").with_groups(["staff"]).with("bob", b"hidden");
/// let alice = users.check_password("alice", b"secret", Time::EPOCH)?;
/// assert_eq!(alice.groups(), ["staff"]);
/// assert!(users.check_password("bob", b"secret", Time::EPOCH).is_err());
/// # Ok::<(), bartizan_keys::Denied>(())
/// ```
#[derive(Debug)]
pub struct MemoryUsers {
    entries: BTreeMap<String, (Account, Clear)>,
    /// Whom the `with_…` steps speak of.
    last: String,
    /// What the password of nobody is compared with.
    nobody: Clear,
}

impl Default for MemoryUsers {
    fn default() -> Self {
        Self::new()
    }
}

impl MemoryUsers {
    /// Nobody.
    #[must_use]
    pub fn new() -> Self {
        Self { entries: BTreeMap::new(), last: String::new(), nobody: Clear::new(Secret::new(Vec::new())) }
    }

    /// Adds a user, or replaces the one of this name.
    #[must_use]
    pub fn with(mut self, name: &str, password: &[u8]) -> Self {
        name.clone_into(&mut self.last);
        let user = Arc::new(User::new(name));
        let account = Account { user, disabled: false, expires: None };
        self.entries.insert(name.to_owned(), (account, Clear::new(Secret::new(password.to_vec()))));
        self
    }

    /// The groups of the user added last.
    #[must_use]
    pub fn with_groups<I: IntoIterator<Item: Into<String>>>(self, groups: I) -> Self {
        let groups = groups.into_iter().map(Into::into).collect();
        self.change(|account| Arc::make_mut(&mut account.user).groups = groups)
    }

    /// The distinguished name of the user added last.
    #[must_use]
    pub fn with_dn(self, dn: &str) -> Self {
        self.change(|account| Arc::make_mut(&mut account.user).dn = Some(dn.to_owned()))
    }

    /// One more attribute of the user added last.
    #[must_use]
    pub fn with_attribute<I: IntoIterator<Item: Into<String>>>(self, name: &str, values: I) -> Self {
        let values = values.into_iter().map(Into::into).collect();
        self.change(|account| {
            Arc::make_mut(&mut account.user).attributes.insert(name.to_owned(), values);
        })
    }

    /// Switches the user added last off.
    #[must_use]
    pub fn disabled(self) -> Self {
        self.change(|account| account.disabled = true)
    }

    /// The first instant at which the user added last is no longer let in.
    #[must_use]
    pub fn expiring(self, end: Time) -> Self {
        self.change(|account| account.expires = Some(end))
    }

    fn change(mut self, step: impl FnOnce(&mut Account)) -> Self {
        if let Some((account, _)) = self.entries.get_mut(&self.last) {
            step(account);
        }
        self
    }
}

impl UserSource for MemoryUsers {
    fn check_password(&self, name: &str, password: &[u8], now: Time) -> Result<Arc<User>, Denied> {
        let received = fingerprint(password);
        let entry = self.entries.get(name);
        let right = entry.map_or(&self.nobody, |(_, clear)| clear).matches(&received);
        let (account, _) = entry.ok_or(Denied::Unknown)?;
        account.standing(now)?;
        if right { Ok(Arc::clone(&account.user)) } else { Err(Denied::WrongPassword) }
    }

    fn secret(&self, name: &str, now: Time) -> Result<(Arc<User>, Arc<Secret>), Denied> {
        let (account, clear) = self.entries.get(name).ok_or(Denied::Unknown)?;
        account.standing(now)?;
        Ok((Arc::clone(&account.user), Arc::clone(&clear.secret)))
    }

    fn spend(&self) -> Result<(), Denied> {
        Ok(())
    }

    fn is_costly(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests;
