//! The name of a policy → the plans of both sides. The one way for configuration and
//! command line.

use std::fmt;
use std::fs;
use std::path::Path;

use bartizan_policy::builtin::builtin;
use bartizan_policy::{Compiled, Diagnostic, Item, Loaded, Options, load};

use crate::config::PolicyName;
use crate::error::Problem;

/// A policy that was found.
#[derive(Debug)]
pub struct Source {
    /// Everything its file holds.
    pub loaded: Loaded,
    /// Which of it was meant.
    pub pick: Pick,
}

/// Which policy of a file is meant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Pick {
    /// The only one, or the only one with a binding.
    #[default]
    Only,
    /// By position in the file, from 0.
    Nth(usize),
    /// By name.
    Named(String),
}

/// Why a policy cannot be used. Its diagnostics have places in its own file.
#[derive(Debug)]
pub struct BadPolicy {
    /// The file, or the built-in name.
    pub file: String,
    /// The file's text.
    pub source: String,
    /// All that is wrong.
    pub diagnostics: Vec<Diagnostic>,
}

impl fmt::Display for BadPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the policy {} cannot be used", self.file)
    }
}

impl Source {
    /// Finds a policy. `sections` is the text (and the name) of the configuration that may
    /// hold `[policy.NAME]` tables.
    ///
    /// # Errors
    /// [`Problem::Read`], [`Problem::Policy`] for a built-in name that is none.
    pub fn find(name: &PolicyName, pick: Pick, sections: Option<(&str, &Path)>) -> Result<Self, Problem> {
        match name {
            PolicyName::BuiltIn(name) => match builtin(name) {
                Ok(loaded) => Ok(Source { loaded, pick }),
                Err(problem) => Err(bad(name, "", vec![problem])),
            },
            PolicyName::File(path, named) => {
                let bytes = fs::read(path).map_err(|source| Problem::Read { path: path.clone(), source })?;
                let loaded = load(bytes, &path.display().to_string());
                let pick = named.clone().map_or(pick, Pick::Named);
                Ok(Source { loaded, pick })
            }
            PolicyName::Section(name) => {
                let Some((text, path)) = sections else {
                    return Err(Problem::NoSuch { what: "policy", name: name.clone(), nearest: None });
                };
                let loaded = bartizan_policy::load_short(text.as_bytes(), &path.display().to_string());
                Ok(Source { loaded, pick: Pick::Named(name.clone()) })
            }
            // An open plan has no policy; who asks for one has mistaken something.
            PolicyName::Open => {
                Err(Problem::NoSuch { what: "policy", name: "open".to_owned(), nearest: None })
            }
        }
    }

    /// The policy that was meant.
    ///
    /// # Errors
    /// [`Problem::Policy`] if there is none, or none alone.
    pub fn item(&self) -> Result<&Item, Problem> {
        let found = match &self.pick {
            Pick::Only => self.loaded.only(),
            Pick::Nth(nth) => self.loaded.nth(*nth),
            Pick::Named(name) => self.loaded.named(name),
        };
        found.map_err(|problem| self.bad(vec![problem]))
    }

    /// Its plans, with the warnings.
    ///
    /// # Errors
    /// [`Problem::Policy`] with everything that is wrong.
    pub fn compile(&self, options: &Options) -> Result<Compiled, Problem> {
        self.item()?.compile(options).map_err(|problems| self.bad(problems))
    }

    /// These diagnostics as a problem of this file.
    pub fn bad(&self, diagnostics: Vec<Diagnostic>) -> Problem {
        bad(self.loaded.file(), self.loaded.source(), diagnostics)
    }
}

fn bad(file: &str, source: &str, diagnostics: Vec<Diagnostic>) -> Problem {
    let bad = BadPolicy { file: file.to_owned(), source: source.to_owned(), diagnostics };
    Problem::Policy(Box::new(bad))
}
