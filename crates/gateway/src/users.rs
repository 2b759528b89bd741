//! The file of users: read, and what it names fetched, into a [`Users`].
//!
//! Not here: how it is written ([`crate::config::read::users`]), how passwords are checked (`bartizan_keys::users`). Called
//! when a configuration is built, by the command line, and when one of the files has changed.

mod problem;
mod watch;

use std::fs::{self, File};
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use bartizan_crypto::Secret as Octets;
use bartizan_crypto::random::Random;
use bartizan_keys::users::{HashCost, PasswordHash, SealKey, StoredPassword, User, Users};
use bartizan_keys::{Error as KeyError, Time};
use zeroize::Zeroizing;

pub use self::problem::{Finding, UserProblem, UsersReport};
pub use self::watch::FilesWatch;
use crate::config::read::users::{UserEntry, Written, read_users};
use crate::config::{self, Diagnostic, Secret, Severity, Source};
use crate::error::Problem;
use crate::keyset::reveal;

/// Most octets of a file of users.
pub const MAX_USERS_FILE: usize = 16 << 20;

/// What loading needs from outside.
#[derive(Clone, Copy)]
pub struct Around<'a> {
    /// The time, to say who has expired.
    pub now: Time,
    /// Chance.
    pub random: &'a dyn Random,
    /// How many checks of passwords may wait for their turn.
    pub waiting: usize,
}

/// Users that were loaded.
#[derive(Debug)]
pub struct Loaded {
    /// They.
    pub users: Users,
    /// How many of them have only a hash, and in all.
    pub hashed: (usize, usize),
    /// What somebody should know.
    pub warnings: UsersReport,
    /// Every file that was read.
    pub files: Vec<PathBuf>,
}

/// Loads the users.
///
/// # Errors
/// [`Problem::Users`] with everything that is wrong.
pub fn load(config: &config::Users, around: &Around<'_>) -> Result<Loaded, Problem> {
    let path = &config.file.value;
    let mut loading = Loading::new(path);
    match loading.run(config, around) {
        Some((users, hashed)) if !loading.report.is_bad() => {
            Ok(Loaded { users, hashed, warnings: loading.report, files: loading.files })
        }
        _ => Err(Problem::Users(Box::new(loading.report))),
    }
}

/// One run of [`load`].
struct Loading {
    report: UsersReport,
    files: Vec<PathBuf>,
    /// Names, costs and places of what is warned of together.
    clear: Vec<(String, usize, usize)>,
    weak: Vec<(String, usize, usize)>,
    costs: Vec<HashCost>,
}

impl Loading {
    fn new(path: &Path) -> Loading {
        let report = UsersReport { file: path.to_owned(), found: Vec::new() };
        Loading { report, files: Vec::new(), clear: Vec::new(), weak: Vec::new(), costs: Vec::new() }
    }

    /// `None`, or a report with an error in it, if there is something wrong.
    fn run(&mut self, config: &config::Users, around: &Around<'_>) -> Option<(Users, (usize, usize))> {
        let text = self.text(&config.file.value)?;
        let source = Source { text: &text };
        let folder = config.file.value.parent().unwrap_or(Path::new(""));
        let key = self.seal_key(config);
        let entries = match read_users(&text, folder) {
            Ok(entries) => entries,
            Err(found) => {
                found.into_iter().for_each(|finding| self.add(&source, finding));
                return None;
            }
        };
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let mut builder = Users::builder().lanes(cores).waiting(around.waiting);
        let (mut hashed, all) = (0, entries.len());
        for entry in entries {
            let place = source.place(&entry.password.at);
            let place = (entry.name.clone(), place.line, place.column);
            if entry.standing.expires.is_some_and(|end| end <= around.now) {
                let problem = Problem::User(UserProblem::Expired(entry.name.clone()));
                self.add(&source, Diagnostic::warning(problem, entry.password.at.clone()));
            }
            let UserEntry { name, groups, dn, attributes, standing, password } = entry;
            let stored = match self.stored(&password.value, &key, &place) {
                Ok(stored) => stored,
                Err(problem) => {
                    self.add(&source, Diagnostic::error(problem, password.at));
                    continue;
                }
            };
            hashed += usize::from(matches!(stored, StoredPassword::Argon2id(_)));
            let mut user = User::new(&name).with_groups(groups);
            if let Some(dn) = dn {
                user = user.with_dn(&dn);
            }
            let user =
                attributes.into_iter().fold(user, |user, (name, values)| user.with_attribute(&name, values));
            builder = match builder.add(user, standing, stored) {
                Ok(builder) => builder,
                Err(source) => return self.give_up(source),
            };
        }
        self.warn_together();
        match builder.build(around.random) {
            Ok(users) => Some((users, (hashed, all))),
            Err(source) => self.give_up(source),
        }
    }

    /// What cannot be said of one place.
    fn give_up<T>(&mut self, source: KeyError) -> Option<T> {
        let path = self.report.file.clone();
        self.report.found.push(Finding::nowhere(Severity::Error, Problem::Keys { path, source }));
        None
    }

    fn add(&mut self, source: &Source<'_>, finding: Diagnostic) {
        self.report.found.push(Finding::placed(source, finding));
    }

    fn warn(&mut self, problem: Problem) {
        self.report.found.push(Finding::nowhere(Severity::Warning, problem));
    }

    /// The text of the file of users.
    fn text(&mut self, path: &Path) -> Option<Zeroizing<String>> {
        match self.octets(path) {
            Ok(octets) => match std::str::from_utf8(&octets) {
                Ok(text) => return Some(Zeroizing::new(text.to_owned())),
                Err(_) => {
                    let problem = Problem::User(UserProblem::NotUtf8);
                    self.report.found.push(Finding::nowhere(Severity::Error, problem));
                }
            },
            Err(problem) => self.report.found.push(Finding::nowhere(Severity::Error, problem)),
        }
        None
    }

    /// The octets of a file; it is noted, and warned of if others can read it.
    fn octets(&mut self, path: &Path) -> Result<Zeroizing<Vec<u8>>, Problem> {
        self.note(path);
        let failed = |source| Problem::Read { path: path.to_owned(), source };
        let file = File::open(path).map_err(failed)?;
        let mut octets = Zeroizing::new(Vec::new());
        file.take(MAX_USERS_FILE as u64 + 1).read_to_end(&mut octets).map_err(failed)?;
        if octets.len() > MAX_USERS_FILE {
            let source = KeyError::TooMuch { what: "octets of a file of users", limit: MAX_USERS_FILE };
            return Err(Problem::Keys { path: path.to_owned(), source });
        }
        Ok(octets)
    }

    fn note(&mut self, path: &Path) {
        if self.files.iter().any(|known| known == path) {
            return;
        }
        self.files.push(path.to_owned());
        // A group may read: that is how a service gets a file that is not its own.
        if fs::metadata(path).is_ok_and(|file| file.permissions().mode() & 0o026 != 0) {
            self.warn(Problem::KeyExposed(path.to_owned()));
        }
    }

    /// The key for sealed passwords; `None` if none is named or it is unusable.
    fn seal_key(&mut self, config: &config::Users) -> Option<SealKey> {
        let path = &config.key_file.as_ref()?.value;
        let key = self.octets(path).and_then(|octets| {
            SealKey::read(&octets).map_err(|source| Problem::Keys { path: path.clone(), source })
        });
        key.map_err(|problem| self.report.found.push(Finding::nowhere(Severity::Error, problem))).ok()
    }

    /// A password in the form in which it is stored.
    fn stored(
        &mut self,
        written: &Written,
        key: &Option<SealKey>,
        place: &(String, usize, usize),
    ) -> Result<StoredPassword, Problem> {
        let bad = |key, source| Problem::User(UserProblem::Credential { key, source });
        match written {
            Written::Clear(secret) => {
                self.clear.push(place.clone());
                Ok(StoredPassword::Clear(secret.duplicate()))
            }
            Written::Elsewhere(secret) => {
                if let Secret::File(path) = secret {
                    self.note(path);
                }
                let password = Zeroizing::new(reveal(secret)?);
                if password.is_empty() {
                    return Err(Problem::User(UserProblem::Empty("password")));
                }
                self.clear.push(place.clone());
                Ok(StoredPassword::Clear(Octets::new(password.as_bytes().to_vec())))
            }
            Written::Argon2id(text) => {
                let hash = text.expose(|text| PasswordHash::parse(&String::from_utf8_lossy(text)));
                let hash = hash.map_err(|source| bad("argon2id", source))?;
                if hash.cost().is_weak() {
                    self.weak.push(place.clone());
                }
                if !self.costs.contains(&hash.cost()) {
                    self.costs.push(hash.cost());
                }
                Ok(StoredPassword::Argon2id(hash))
            }
            Written::Sealed(text) => {
                let key = key.as_ref().ok_or(Problem::User(UserProblem::NoKeyFile))?;
                let secret = text.expose(|text| key.open(&String::from_utf8_lossy(text)));
                Ok(StoredPassword::Clear(secret.map_err(|source| bad("sealed", source))?))
            }
        }
    }

    /// One warning for everybody whom it is about, at the place of the first.
    fn warn_together(&mut self) {
        let clear = std::mem::take(&mut self.clear);
        let weak = std::mem::take(&mut self.weak);
        let first = |all: &[(String, usize, usize)], problem: fn(String, usize) -> UserProblem| {
            let (name, line, column) = all.first().cloned()?;
            let problem = Problem::User(problem(name, all.len() - 1));
            Some(Finding { severity: Severity::Warning, problem, place: Some((line, column)) })
        };
        self.report.found.extend(first(&clear, UserProblem::Clear));
        self.report.found.extend(first(&weak, UserProblem::Weak));
        if self.costs.len() > 1 {
            self.warn(Problem::User(UserProblem::Costs(self.costs.len())));
        }
    }
}

#[cfg(test)]
mod tests;
