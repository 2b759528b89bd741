//! The TOML of a file of users → entries, with the place of each.
//!
//! It stands here and not in `keys` because TOML, paths and the nearest known name are a configuration's. What is in
//! other files or in the environment is only named; [`crate::users`] goes and gets it. Passwords that are written out are
//! erased when their entry goes, and no finding repeats one.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use bartizan_crypto::Secret as Octets;
use bartizan_keys::Time;
use bartizan_keys::users::Standing;
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use zeroize::Zeroize as _;

use super::Reader;
use super::section::Section;
use crate::config::table::USER_TABLE;
use crate::config::value::nearest;
use crate::config::{Diagnostic, Placed, Secret};
use crate::error::Problem;
use crate::users::UserProblem;

/// Longest name of a user, in octets.
pub const MAX_USER_NAME: usize = 256;

/// One user as it is written.
#[derive(Debug)]
pub struct UserEntry {
    /// The name, octet for octet.
    pub name: String,
    /// `groups`.
    pub groups: Vec<String>,
    /// `dn`.
    pub dn: Option<String>,
    /// `attributes`.
    pub attributes: BTreeMap<String, Vec<String>>,
    /// `disabled` and `expires`.
    pub standing: Standing,
    /// The password, in whichever form.
    pub password: Placed<Written>,
}

/// How the password is written.
#[derive(Debug)]
pub enum Written {
    /// The text of an argon2id hash.
    Argon2id(Octets),
    /// The password itself.
    Clear(Octets),
    /// The password is in a file or the environment.
    Elsewhere(Secret),
    /// Encrypted.
    Sealed(Octets),
}

/// Reads a file of users. `folder` is where relative paths start.
///
/// # Errors
/// All findings, in the order of the text.
pub fn read_users(text: &str, folder: &Path) -> Result<Vec<UserEntry>, Vec<Diagnostic>> {
    let root = match DeTable::parse(text) {
        Ok(root) => root.into_inner(),
        Err(error) => {
            let at = error.span().unwrap_or(0..0);
            // Not the error itself: it keeps the whole text.
            let problem = UserProblem::NotToml(error.message().to_owned());
            return Err(vec![Diagnostic::error(Problem::User(problem), at)]);
        }
    };
    let mut reader = Reader { folder, found: Vec::new() };
    let users = root.iter().filter_map(|(name, value)| reader.user(name, value)).collect();
    wipe(root);
    let mut found = reader.found;
    found.sort_by_key(|finding| finding.at.as_ref().map(|at| at.start));
    if found.is_empty() { Ok(users) } else { Err(found) }
}

/// Erases the texts that the parser made itself; the others are slices of what it was given.
fn wipe(root: DeTable<'_>) {
    let mut open: Vec<DeValue<'_>> = root.into_iter().map(|(_, value)| value.into_inner()).collect();
    while let Some(value) = open.pop() {
        match value {
            DeValue::String(Cow::Owned(mut text)) => text.zeroize(),
            DeValue::Array(values) => open.extend(values.into_iter().map(Spanned::into_inner)),
            DeValue::Table(table) => open.extend(table.into_iter().map(|(_, value)| value.into_inner())),
            _ => {}
        }
    }
}

impl Reader<'_> {
    fn user(&mut self, name: &Spanned<Cow<'_, str>>, value: &Spanned<DeValue<'_>>) -> Option<UserEntry> {
        let at = name.span();
        let name = name.get_ref().to_string();
        if name.is_empty() || name.len() > MAX_USER_NAME || name.chars().any(char::is_control) {
            let problem = UserProblem::Name(name.escape_debug().take(MAX_USER_NAME).collect());
            self.found.push(Diagnostic::error(Problem::User(problem), at.clone()));
        }
        if value.get_ref().as_table().is_none() {
            // A password may stand in its place, so that nothing of it is shown.
            let problem = UserProblem::NoTable(value.get_ref().type_str());
            self.found.push(Diagnostic::error(Problem::User(problem), at));
            return None;
        }
        let mut section = Section::open(self, USER_TABLE, value)?;
        let groups = section.texts("groups");
        let dn = section.line("dn");
        let attributes = section.attributes();
        let standing = Standing { disabled: section.flag("disabled"), expires: section.expires() };
        let password = section.password(at);
        section.close();
        Some(UserEntry { name, groups, dn, attributes, standing, password: password? })
    }
}

impl Section<'_, '_, '_, '_> {
    /// A list of texts without control characters.
    fn texts(&mut self, key: &'static str) -> Vec<String> {
        let Some(value) = self.get(key) else { return Vec::new() };
        match value.get_ref().as_array() {
            Some(values) => values.iter().filter_map(|value| self.line_in(key, value)).collect(),
            None => {
                self.wrong_type(key, value);
                Vec::new()
            }
        }
    }

    /// A text without control characters, which could end a header that it is put into later.
    fn line(&mut self, key: &'static str) -> Option<String> {
        let value = self.get(key)?;
        self.line_in(key, value)
    }

    fn line_in(&mut self, key: &'static str, value: &Spanned<DeValue<'_>>) -> Option<String> {
        match value.get_ref().as_str() {
            Some(text) if text.is_empty() || text.chars().any(char::is_control) => {
                let shown = text.escape_debug().to_string();
                self.report(Problem::User(UserProblem::Line { key, found: shown }), value.span());
                None
            }
            Some(text) => Some(text.to_owned()),
            None => {
                self.wrong_type(key, value);
                None
            }
        }
    }

    fn attributes(&mut self) -> BTreeMap<String, Vec<String>> {
        let key = "attributes";
        let Some(value) = self.get(key) else { return BTreeMap::new() };
        let Some(table) = value.get_ref().as_table() else {
            self.wrong_type(key, value);
            return BTreeMap::new();
        };
        let mut attributes = BTreeMap::new();
        for (name, value) in table.iter() {
            let values = match value.get_ref().as_array() {
                Some(values) => values.iter().filter_map(|value| self.line_in(key, value)).collect(),
                None => self.line_in(key, value).into_iter().collect(),
            };
            attributes.insert(name.get_ref().to_string(), values);
        }
        attributes
    }

    fn expires(&mut self) -> Option<Time> {
        let key = "expires";
        let value = self.get(key)?;
        let text = match value.get_ref() {
            DeValue::Datetime(time) => time.to_string(),
            DeValue::String(text) => text.to_string(),
            _ => {
                self.wrong_type(key, value);
                return None;
            }
        };
        let time = Time::parse_rfc3339(&text).ok();
        if time.is_none() {
            self.wrong_value(key, &text, value.span());
        }
        time
    }

    /// The one of the three forms that is there.
    fn password(&mut self, user: Range<usize>) -> Option<Placed<Written>> {
        let mut found: Option<(&'static str, Placed<Written>)> = None;
        let mut sound = true;
        for key in ["argon2id", "password", "sealed"] {
            let Some(value) = self.get(key) else { continue };
            let written = self.written(key, value);
            sound &= written.is_some();
            let Some(written) = written else { continue };
            match &found {
                Some((other, _)) => {
                    sound = false;
                    self.report(Problem::Both(other, key), value.span());
                }
                None => found = Some((key, Placed { value: written, at: value.span() })),
            }
        }
        if found.is_none() && sound {
            self.report(Problem::User(UserProblem::NoPassword), user);
        }
        found.filter(|_| sound).map(|(_, written)| written)
    }

    fn written(&mut self, key: &'static str, value: &Spanned<DeValue<'_>>) -> Option<Written> {
        if let Some(table) = value.get_ref().as_table().filter(|_| key == "password") {
            let known = |name: &str| name == "file" || name == "env";
            if let Some((name, _)) = table.iter().find(|(name, _)| !known(name.get_ref())) {
                let key = name.get_ref().to_string();
                let nearest = nearest(&key, ["file", "env"]);
                self.report(Problem::UnknownKey { key, table: USER_TABLE, nearest }, name.span());
                return None;
            }
            return self.secret_in(key, value).map(Written::Elsewhere);
        }
        let Some(text) = value.get_ref().as_str() else {
            self.wrong_type(key, value);
            return None;
        };
        if text.is_empty() {
            self.report(Problem::User(UserProblem::Empty(key)), value.span());
            return None;
        }
        let octets = Octets::new(text.as_bytes().to_vec());
        Some(match key {
            "argon2id" => Written::Argon2id(octets),
            "sealed" => Written::Sealed(octets),
            _ => Written::Clear(octets),
        })
    }
}

#[cfg(test)]
mod tests;
