//! Slow password hashes: argon2id (RFC 9106) in the text form `$argon2id$v=19$m=…,t=…,p=…$salt$hash`.
//!
//! What a text may cost is bounded here, before anything is computed: a file of users is no way to exhaust the memory of
//! the process. Called by the stored users, and by whoever makes such texts.

use std::fmt;

use argon2::{Algorithm, Argon2, Block, Params, Version};
use bartizan_crypto::random::Random;
use bartizan_crypto::{Secret, base64, equal};
use zeroize::Zeroizing;

use crate::error::Error;

/// Most memory of one argon2id, in KiB.
pub const MAX_HASH_MEMORY: u32 = 256 * 1024;
/// Most passes of one argon2id, times its memory in KiB: about a second of one core.
pub const MAX_HASH_WORK: u32 = 1024 * 1024;
/// Most lanes of one argon2id.
pub const MAX_HASH_LANES: u32 = 16;
/// Work below which a hash is called weak, in passes times KiB: the least of what is recommended today.
const LEAST_WORK: u32 = 35_840;
const SALT: std::ops::RangeInclusive<usize> = 8..=64;
const TAG: std::ops::RangeInclusive<usize> = 16..=64;

/// What one argon2id costs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct HashCost {
    memory: u32,
    passes: u32,
    lanes: u32,
}

/// 19 MiB, two passes, one lane: the first recommendation of the OWASP cheat sheet on password storage.
impl Default for HashCost {
    fn default() -> Self {
        Self { memory: 19 * 1024, passes: 2, lanes: 1 }
    }
}

impl HashCost {
    /// A cost of `memory` KiB, so many passes over it, and lanes.
    ///
    /// # Errors
    /// [`Error::TooMuch`] beyond [`MAX_HASH_MEMORY`], [`MAX_HASH_WORK`] or [`MAX_HASH_LANES`]; [`Error::Damaged`] if it is
    /// none: fewer than 8 KiB a lane, no pass, no lane.
    pub fn new(memory: u32, passes: u32, lanes: u32) -> Result<HashCost, Error> {
        let limit = |what, value: u32, limit: u32| match value <= limit {
            true => Ok(()),
            false => Err(Error::TooMuch { what, limit: limit as usize }),
        };
        limit("KiB of memory of an argon2id hash", memory, MAX_HASH_MEMORY)?;
        limit("lanes of an argon2id hash", lanes, MAX_HASH_LANES)?;
        limit("passes times KiB of an argon2id hash", passes.saturating_mul(memory), MAX_HASH_WORK)?;
        if passes == 0 || lanes == 0 || memory < lanes * 8 {
            return Err(Error::damaged("cost of an argon2id hash"));
        }
        Ok(HashCost { memory, passes, lanes })
    }

    /// Memory in KiB.
    #[must_use]
    pub fn memory(self) -> u32 {
        self.memory
    }

    /// Passes over the memory.
    #[must_use]
    pub fn passes(self) -> u32 {
        self.passes
    }

    /// Passes over the memory, times its KiB.
    #[must_use]
    pub fn work(self) -> u32 {
        self.passes.saturating_mul(self.memory)
    }

    /// Whether it is less than what is recommended today.
    #[must_use]
    pub fn is_weak(self) -> bool {
        self.work() < LEAST_WORK
    }

    /// One argon2id. `None` only if the library refuses what was bounded above.
    fn run(self, password: &[u8], salt: &[u8], length: usize) -> Option<Zeroizing<Vec<u8>>> {
        let params = Params::new(self.memory, self.passes, self.lanes, Some(length)).ok()?;
        let mut memory = Zeroizing::new(vec![Block::default(); params.block_count()]);
        let mut tag = Zeroizing::new(vec![0; length]);
        Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
            .hash_password_into_with_memory(password, salt, &mut tag, &mut *memory)
            .ok()?;
        Some(tag)
    }
}

/// The argon2id hash of a password. It is not printed by `Debug`: who has it can try passwords at leisure.
#[derive(Debug)]
pub struct PasswordHash {
    cost: HashCost,
    salt: Vec<u8>,
    tag: Secret,
}

impl PasswordHash {
    /// Hashes a password with a salt of 16 octets.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if the password has more than 4 GiB.
    pub fn make(password: &[u8], cost: HashCost, random: &dyn Random) -> Result<PasswordHash, Error> {
        let mut salt = vec![0; 16];
        random.fill(&mut salt);
        let tag = cost.run(password, &salt, 32).ok_or(Error::unsupported("a password of this length"))?;
        Ok(PasswordHash { cost, salt, tag: Secret::new(tag.to_vec()) })
    }

    /// Reads the text form.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for another algorithm or version, [`Error::TooMuch`] beyond the bounds of [`HashCost::new`],
    /// [`Error::Damaged`] for anything else.
    pub fn parse(text: &str) -> Result<PasswordHash, Error> {
        let damaged = Error::damaged("text of an argon2id hash");
        let mut fields = text.split('$');
        if fields.next() != Some("") {
            return Err(damaged);
        }
        match fields.next() {
            Some("argon2id") => {}
            Some(_) => return Err(Error::unsupported("password hash of another kind than argon2id")),
            None => return Err(damaged),
        }
        if fields.next() != Some("v=19") {
            return Err(Error::unsupported("version of argon2id other than 19"));
        }
        let (Some(cost), Some(salt), Some(tag), None) =
            (fields.next(), fields.next(), fields.next(), fields.next())
        else {
            return Err(damaged);
        };
        let (salt, tag) = (unpadded(salt), unpadded(tag));
        match (read_cost(cost), salt, tag) {
            (Some((memory, passes, lanes)), Some(salt), Some(tag))
                if SALT.contains(&salt.len()) && TAG.contains(&tag.len()) =>
            {
                Ok(PasswordHash { cost: HashCost::new(memory, passes, lanes)?, salt, tag: Secret::new(tag) })
            }
            _ => Err(damaged),
        }
    }

    /// What checking it costs.
    #[must_use]
    pub fn cost(&self) -> HashCost {
        self.cost
    }

    /// A hash that no password is known for, at this cost.
    pub(super) fn stand_in(cost: HashCost, random: &dyn Random) -> PasswordHash {
        let mut octets = vec![0; 48];
        random.fill(&mut octets);
        let tag = octets.split_off(16);
        PasswordHash { cost, salt: octets, tag: Secret::new(tag) }
    }

    /// Runs one argon2id and compares in constant time.
    pub(super) fn verify(&self, password: &[u8]) -> bool {
        let computed = self.cost.run(password, &self.salt, self.tag.len());
        let computed = computed.as_deref().map_or(&[][..], Vec::as_slice);
        self.tag.expose(|tag| equal::constant_time(tag, computed))
    }
}

/// The text form.
impl fmt::Display for PasswordHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let HashCost { memory, passes, lanes } = self.cost;
        let plain = |octets: &[u8]| base64::encode(octets).trim_end_matches('=').to_owned();
        let tag = self.tag.expose(|tag| plain(tag));
        write!(f, "$argon2id$v=19$m={memory},t={passes},p={lanes}${}${tag}", plain(&self.salt))
    }
}

/// `m=…,t=…,p=…`, in this order. Numbers beyond 32 bits are beyond the bounds, too.
fn read_cost(text: &str) -> Option<(u32, u32, u32)> {
    let mut values = [0; 3];
    let mut parts = text.split(',');
    for (name, value) in ["m=", "t=", "p="].into_iter().zip(&mut values) {
        let digits = parts.next().and_then(|part| part.strip_prefix(name));
        let digits = digits.filter(|d| !d.is_empty() && d.bytes().all(|b| b.is_ascii_digit()))?;
        *value = digits.parse().unwrap_or(u32::MAX);
    }
    let [memory, passes, lanes] = values;
    parts.next().is_none().then_some((memory, passes, lanes))
}

/// Base64 without padding and without white space.
fn unpadded(text: &str) -> Option<Vec<u8>> {
    if !text.bytes().all(|octet| octet.is_ascii_alphanumeric() || octet == b'+' || octet == b'/') {
        return None;
    }
    let padding = "=".repeat((4 - text.len() % 4) % 4);
    base64::decode(&format!("{text}{padding}")).ok()
}

#[cfg(test)]
mod tests;
