//! What can be wrong with a file of users. The findings keep lines and columns and nothing of the text: passwords stand
//! in it.

use std::fmt;
use std::path::PathBuf;

use bartizan_keys::Error as KeyError;

use crate::config::read::users::MAX_USER_NAME;
use crate::config::{Diagnostic, Severity, Source};
use crate::error::Problem;

/// What is wrong with one user, or worth knowing.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum UserProblem {
    /// The text is no TOML.
    NotToml(String),
    /// The file is not UTF-8.
    NotUtf8,
    /// Something other than a table (its type) stands where a user's table should.
    NoTable(&'static str),
    /// Not a name that a user can have; escaped.
    Name(String),
    /// A text that is empty or holds control characters.
    Line {
        /// The key.
        key: &'static str,
        /// The text, escaped.
        found: String,
    },
    /// None of the three forms of a password.
    NoPassword,
    /// A password, hash or sealed text that is empty.
    Empty(&'static str),
    /// A hash or sealed text that is unusable.
    Credential {
        /// The key.
        key: &'static str,
        /// Why.
        source: KeyError,
    },
    /// A sealed password, and no key file.
    NoKeyFile,
    /// Warning: passwords in clear: the first of them, and how many more.
    Clear(String, usize),
    /// Warning: weak hashes: the first of them, and how many more.
    Weak(String, usize),
    /// Warning: so many different costs of hashes.
    Costs(usize),
    /// Warning: somebody who has expired.
    Expired(String),
}

impl fmt::Display for UserProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UserProblem::NotToml(what) => f.write_str(what),
            UserProblem::NotUtf8 => f.write_str("the file is not UTF-8"),
            UserProblem::NoTable(found) => write!(f, "a user must be a table, not {found}"),
            UserProblem::Name(name) => write!(f, "`{name}` is no name of a user"),
            UserProblem::Line { key, found } => {
                write!(f, "a text of `{key}` must be one line that is not empty, and `{found}` is not")
            }
            UserProblem::NoPassword => f.write_str("the user has no password"),
            UserProblem::Empty(key) => write!(f, "`{key}` is empty"),
            UserProblem::Credential { source: KeyError::WrongPassword, .. } => {
                f.write_str("`sealed` does not open: sealed under another key, or changed")
            }
            UserProblem::Credential { key, source } => write!(f, "`{key}` is unusable: {source}"),
            UserProblem::NoKeyFile => f.write_str("`sealed` needs a key file"),
            UserProblem::Clear(name, more) => {
                write!(f, "passwords that are stored in clear: {}", some(name, *more))
            }
            UserProblem::Weak(name, more) => {
                write!(f, "hashes that cost less than what is recommended today: {}", some(name, *more))
            }
            UserProblem::Costs(count) => {
                write!(
                    f,
                    "the hashes have {count} different costs: every check of a password runs one of each"
                )
            }
            UserProblem::Expired(name) => write!(f, "`{name}` has expired"),
        }
    }
}

/// `` `alice` `` or `` `alice` and 2 more ``.
fn some(name: &str, more: usize) -> String {
    match more {
        0 => format!("`{name}`"),
        more => format!("`{name}` and {more} more"),
    }
}

impl UserProblem {
    /// How to mend it, where there is something to say.
    pub fn help(&self) -> Option<String> {
        let text = match self {
            UserProblem::NoTable(_) => "write `[name]`, and the keys of the user below it",
            UserProblem::Name(_) => {
                return Some(format!("a name has 1 to {MAX_USER_NAME} octets and no control characters"));
            }
            UserProblem::NoPassword => {
                "add `argon2id` (`bartizan users hash` makes it); only for digests and derived keys, `password` or `sealed`"
            }
            UserProblem::Empty("password") => {
                "everybody would know it; take the user out or set `disabled = true`"
            }
            UserProblem::Credential { key: "argon2id", .. } | UserProblem::Weak(..) => {
                "`bartizan users hash` makes one"
            }
            UserProblem::Credential { .. } => "`bartizan users seal --key-file FILE` makes one",
            UserProblem::NoKeyFile => {
                "name it: `key_file` in `[authentication.users]`, or the option that gives it"
            }
            UserProblem::Clear(..) => {
                "needed where password digests or keys derived from passwords are accepted; `sealed` keeps it out of copies \
                 of the file, and for text passwords alone `argon2id` is enough"
            }
            UserProblem::Costs(_) => "hash the passwords anew with one cost",
            UserProblem::NotToml(_)
            | UserProblem::NotUtf8
            | UserProblem::Line { .. }
            | UserProblem::Empty(_)
            | UserProblem::Expired(_) => return None,
        };
        Some(text.to_owned())
    }
}

/// One finding in a file of users.
#[derive(Debug)]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// What it is.
    pub problem: Problem,
    /// Line and column, from 1, if one place is to blame.
    pub place: Option<(usize, usize)>,
}

impl Finding {
    /// About the file as a whole, or about another one.
    pub fn nowhere(severity: Severity, problem: Problem) -> Finding {
        Finding { severity, problem, place: None }
    }

    /// With the place turned into line and column, so that the text is not needed any more.
    pub fn placed(source: &Source<'_>, finding: Diagnostic) -> Finding {
        let place = finding.at.as_ref().map(|at| source.place(at));
        let place = place.map(|place| (place.line, place.column));
        Finding { severity: finding.severity, problem: finding.problem, place }
    }
}

/// What was found in a file of users.
#[derive(Debug)]
pub struct UsersReport {
    /// The file.
    pub file: PathBuf,
    /// The findings, in the order of the text where they have a place.
    pub found: Vec<Finding>,
}

impl UsersReport {
    /// Whether there is an error among them.
    pub fn is_bad(&self) -> bool {
        self.found.iter().any(|finding| finding.severity == Severity::Error)
    }
}

impl fmt::Display for UsersReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = if self.is_bad() { "is not usable" } else { "has warnings" };
        write!(f, "the file of users {} {word}", self.file.display())
    }
}
