//! One table of the file while it is read: typed getters, and what nobody asked for.

use std::collections::HashSet;
use std::ops::Range;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use bartizan_policy::compile::Profile;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{LEAST_DEADLINE, Reader, below};
use crate::config::replay::{Address, OnLoss, Replay, Shared};
use crate::config::table::{KEYS, names};
use crate::config::value::{duration, nearest, size};
use crate::config::{Access, Diagnostic, Placed, Secret};
use crate::error::Problem;

/// A table with the keys that were asked for.
pub(super) struct Section<'r, 'f, 't, 'i> {
    reader: &'r mut Reader<'f>,
    name: &'static str,
    table: &'t DeTable<'i>,
    at: Range<usize>,
    asked: HashSet<&'static str>,
    missing: Vec<&'static str>,
}

impl<'r, 'f, 't, 'i> Section<'r, 'f, 't, 'i> {
    /// Opens `value` as the table `name` of [`KEYS`]; reports it if it is none.
    pub(super) fn open(
        reader: &'r mut Reader<'f>,
        name: &'static str,
        value: &'t Spanned<DeValue<'i>>,
    ) -> Option<Self> {
        match value.get_ref().as_table() {
            Some(table) => Some(Section {
                reader,
                name,
                table,
                at: value.span(),
                asked: HashSet::new(),
                missing: Vec::new(),
            }),
            None => {
                reader.wrong_type(name, "a table", value);
                None
            }
        }
    }

    /// Reports every key that nobody asked for, and every required one that is not there
    /// (unless it is there and misspelt).
    pub(super) fn close(self) {
        let before = self.reader.found.len();
        for (key, _) in self.table.iter() {
            if !self.asked.contains(key.get_ref().as_ref()) {
                self.reader.unknown(key, self.name, names(self.name));
            }
        }
        let unknown = self.reader.found.get(before..).unwrap_or_default();
        let misspelt: Vec<&str> = unknown
            .iter()
            .filter_map(|finding| match finding.problem {
                Problem::UnknownKey { nearest, .. } => nearest,
                _ => None,
            })
            .collect();
        let missing: Vec<&'static str> =
            self.missing.into_iter().filter(|key| !misspelt.contains(key)).collect();
        for key in missing {
            let problem = Problem::Missing { key, table: self.name };
            self.reader.found.push(Diagnostic::error(problem, self.at.clone()));
        }
    }

    pub(super) fn get(&mut self, key: &'static str) -> Option<&'t Spanned<DeValue<'i>>> {
        debug_assert!(
            KEYS.iter().any(|known| known.table == self.name && known.name == key),
            "{}.{key} is not in the table of keys",
            self.name
        );
        self.asked.insert(key);
        self.table.get(key)
    }

    pub(super) fn report(&mut self, problem: Problem, at: Range<usize>) {
        self.reader.found.push(Diagnostic::error(problem, at));
    }

    /// What [`KEYS`] says may be written.
    fn wanted(&self, key: &'static str) -> &'static str {
        KEYS.iter()
            .find(|known| known.table == self.name && known.name == key)
            .map_or("something else", |known| known.value)
    }

    pub(super) fn wrong_type(&mut self, key: &'static str, value: &Spanned<DeValue<'_>>) {
        let wanted = self.wanted(key);
        self.reader.wrong_type(key, wanted, value);
    }

    pub(super) fn wrong_value(&mut self, key: &'static str, found: &str, at: Range<usize>) {
        let problem =
            Problem::Value { key, wanted: self.wanted(key), found: found.to_owned(), nearest: None };
        self.report(problem, at);
    }

    pub(super) fn text(&mut self, key: &'static str) -> Option<Placed<String>> {
        let value = self.get(key)?;
        match value.get_ref().as_str() {
            Some(text) => Some(Placed { value: text.to_owned(), at: value.span() }),
            None => {
                self.wrong_type(key, value);
                None
            }
        }
    }

    /// As `read`, and reports it if the key is not there at all.
    pub(super) fn required<T>(
        &mut self,
        key: &'static str,
        read: fn(&mut Self, &'static str) -> Option<T>,
    ) -> Option<T> {
        if self.table.get(key).is_none() {
            self.asked.insert(key);
            self.missing.push(key);
            return None;
        }
        read(self, key)
    }

    pub(super) fn parsed<T: FromStr>(
        &mut self,
        key: &'static str,
        wanted: &'static str,
        text: Placed<String>,
    ) -> Option<Placed<T>> {
        match text.value.parse() {
            Ok(value) => Some(Placed { value, at: text.at }),
            Err(_) => {
                self.report(Problem::Value { key, wanted, found: text.value, nearest: None }, text.at);
                None
            }
        }
    }

    pub(super) fn choice<T: Copy>(
        &mut self,
        key: &'static str,
        wanted: &'static str,
        choices: &'static [(&'static str, T)],
        text: Placed<String>,
    ) -> Option<Placed<T>> {
        if let Some((_, value)) = choices.iter().find(|(name, _)| *name == text.value) {
            return Some(Placed { value: *value, at: text.at });
        }
        let nearest = nearest(&text.value, choices.iter().map(|(name, _)| *name));
        self.report(Problem::Value { key, wanted, found: text.value, nearest }, text.at);
        None
    }

    pub(super) fn flag(&mut self, key: &'static str) -> bool {
        let Some(value) = self.get(key) else { return false };
        value.get_ref().as_bool().unwrap_or_else(|| {
            self.wrong_type(key, value);
            false
        })
    }

    pub(super) fn path(&mut self, key: &'static str) -> Option<Placed<PathBuf>> {
        let text = self.text(key)?;
        Some(Placed { value: below(self.reader.folder, &text.value), at: text.at })
    }

    /// Where the value of a key stands.
    pub(super) fn place(&mut self, key: &'static str) -> Range<usize> {
        self.get(key).map_or(0..0, Spanned::span)
    }

    pub(super) fn paths(&mut self, key: &'static str) -> Vec<Placed<PathBuf>> {
        let folder = self.reader.folder;
        self.each(key, |text, at| Placed { value: below(folder, text), at })
    }

    /// A list of namespaces.
    pub(super) fn namespaces(&mut self, key: &'static str) -> Vec<String> {
        self.each(key, |text, _| text.to_owned())
    }

    fn each<T>(&mut self, key: &'static str, make: impl Fn(&str, Range<usize>) -> T) -> Vec<T> {
        let Some(value) = self.get(key) else { return Vec::new() };
        let Some(list) = value.get_ref().as_array() else {
            self.wrong_type(key, value);
            return Vec::new();
        };
        let mut all = Vec::new();
        for entry in list.iter() {
            match entry.get_ref().as_str() {
                Some(text) => all.push(make(text, entry.span())),
                None => self.wrong_type(key, entry),
            }
        }
        all
    }

    pub(super) fn set_duration(&mut self, key: &'static str, slot: &mut Duration) {
        let Some(text) = self.text(key) else { return };
        match duration(&text.value) {
            // A deadline of nothing would refuse everything; only the quantum may be zero.
            Some(time) if time >= LEAST_DEADLINE || key == "failure_quantum" => *slot = time,
            _ => self.wrong_value(key, &text.value, text.at),
        }
    }

    pub(super) fn set_size(&mut self, key: &'static str, slot: &mut usize) {
        let Some(value) = self.get(key) else { return };
        let bytes = match value.get_ref() {
            DeValue::String(text) => size(text).and_then(|bytes| usize::try_from(bytes).ok()),
            DeValue::Integer(number) => number.as_str().replace('_', "").parse().ok(),
            _ => return self.wrong_type(key, value),
        };
        match bytes {
            Some(bytes) if bytes > 0 => *slot = bytes,
            _ => {
                let found = value.get_ref().as_str().unwrap_or("this number").to_owned();
                self.wrong_value(key, &found, value.span());
            }
        }
    }

    pub(super) fn set_number(&mut self, key: &'static str, slot: &mut usize) {
        let Some(value) = self.get(key) else { return };
        let Some(number) = value.get_ref().as_integer() else { return self.wrong_type(key, value) };
        match number.as_str().replace('_', "").parse() {
            Ok(number) if number > 0 => *slot = number,
            _ => self.wrong_value(key, number.as_str(), value.span()),
        }
    }

    /// `workers = "cores"` or a number.
    pub(super) fn workers(&mut self) -> Option<usize> {
        let value = self.get("workers")?;
        match value.get_ref() {
            DeValue::String(text) if text == "cores" => None,
            DeValue::String(text) => {
                self.wrong_value("workers", text, value.span());
                None
            }
            _ => {
                let mut workers = 0;
                self.set_number("workers", &mut workers);
                Some(workers).filter(|workers| *workers > 0)
            }
        }
    }

    /// `{ file = "…" }` or `{ env = "…" }`.
    pub(super) fn secret(&mut self, key: &'static str) -> Option<Secret> {
        let value = self.get(key)?;
        self.secret_in(key, value)
    }

    /// As [`secret`](Self::secret), of a value that was got already.
    pub(super) fn secret_in(&mut self, key: &'static str, value: &Spanned<DeValue<'_>>) -> Option<Secret> {
        let table = value.get_ref().as_table().filter(|table| table.len() == 1);
        let text = |name: &str| table.and_then(|table| table.get(name)).and_then(|v| v.get_ref().as_str());
        if let Some(file) = text("file") {
            return Some(Secret::File(below(self.reader.folder, file)));
        }
        if let Some(name) = text("env") {
            return Some(Secret::Env(name.to_owned()));
        }
        // A secret written out must not be repeated in an error message: only its type is.
        self.wrong_type(key, value);
        None
    }

    /// `"standard"` or another profile's name.
    pub(super) fn profile(&mut self) -> Option<Profile> {
        let text = self.text("profile")?;
        let profile = Profile::by_name(&text.value);
        if profile.is_none() {
            self.wrong_value("profile", &text.value, text.at);
        }
        profile
    }

    /// `"on"`, `"off"` or a table.
    pub(super) fn replay(&mut self) -> Replay {
        let Some(value) = self.get("replay") else { return Replay::DEFAULT };
        match value.get_ref() {
            DeValue::String(text) if text == "on" => Replay::DEFAULT,
            DeValue::String(text) if text == "off" => Replay::Off,
            DeValue::String(text) => {
                self.wrong_value("replay", text, value.span());
                Replay::DEFAULT
            }
            DeValue::Table(_) => match self.inner("service.replay", value) {
                Some(section) => section.long_replay(),
                None => Replay::DEFAULT,
            },
            _ => {
                self.wrong_type("replay", value);
                Replay::DEFAULT
            }
        }
    }

    /// A table that is the value of a key of this one.
    pub(super) fn inner<'s>(
        &'s mut self,
        name: &'static str,
        value: &'t Spanned<DeValue<'i>>,
    ) -> Option<Section<'s, 'f, 't, 'i>> {
        Section::open(self.reader, name, value)
    }

    fn long_replay(mut self) -> Replay {
        let Replay::On { mut window, mut capacity, .. } = Replay::DEFAULT else { return Replay::DEFAULT };
        self.set_duration("window", &mut window);
        self.set_number("capacity", &mut capacity);
        let shared = self.shared_replay().map(Box::new);
        self.close();
        Replay::On { window, capacity, shared }
    }

    fn shared_replay(&mut self) -> Option<Shared> {
        let url = self.text("shared");
        let password = self.secret("password");
        let prefix = self.text("prefix");
        let on_loss = self.text("on_loss");
        let mut shared = Shared::at(Address { host: String::new(), port: 0, database: 0, user: None });
        if let Some(prefix) = prefix {
            match prefix.value.len() <= 64 && prefix.value.bytes().all(|octet| octet.is_ascii_graphic()) {
                true if !prefix.value.is_empty() => shared.prefix = prefix.value,
                _ => self.wrong_value("prefix", &prefix.value, prefix.at),
            }
        }
        if let Some(text) = on_loss {
            let choice = self.choice("on_loss", "\"refuse\" or \"local\"", &OnLoss::ALL, text);
            shared.on_loss = choice.map_or(OnLoss::Refuse, |choice| choice.value);
        }
        self.set_duration("timeout", &mut shared.timeout);
        self.set_number("connections", &mut shared.connections);
        shared.password = password;
        let Some(url) = url else {
            let only = ["password", "prefix", "on_loss", "timeout", "connections"];
            for key in only.into_iter().filter(|key| self.table.get(*key).is_some()) {
                self.report(Problem::Needs(key, "shared"), self.at.clone());
            }
            return None;
        };
        match Address::parse(&url.value) {
            Ok(address) => Some(Shared { address, ..shared }),
            Err(wanted) => {
                // Not what is written: it may hold a password.
                self.report(Problem::Type { key: "shared", wanted, found: "what is written" }, url.at);
                None
            }
        }
    }

    /// `access = { format = "json", to = … }`, or just the `to`.
    pub(super) fn access(&mut self) -> Option<Access> {
        let value = self.get("access")?;
        let to = match value.get_ref() {
            DeValue::String(text) => Some(text.as_ref()),
            DeValue::Table(table) => {
                for (key, value) in table.iter() {
                    match (key.get_ref().as_ref(), value.get_ref().as_str()) {
                        ("format", Some("json")) | ("to", Some(_)) => {}
                        ("format", Some(other)) => self.report(
                            Problem::Value {
                                key: "format",
                                wanted: "\"json\"",
                                found: other.to_owned(),
                                nearest: None,
                            },
                            value.span(),
                        ),
                        ("format", None) => self.reader.wrong_type("format", "\"json\"", value),
                        ("to", None) => {
                            let wanted = "\"stdout\", \"stderr\", \"off\" or a path";
                            self.reader.wrong_type("to", wanted, value);
                        }
                        (name, _) => {
                            let nearest = nearest(name, ["format", "to"]);
                            let problem = Problem::UnknownKey { key: name.to_owned(), table: "log", nearest };
                            self.report(problem, key.span());
                        }
                    }
                }
                table.get("to").map_or(Some("stdout"), |to| to.get_ref().as_str())
            }
            _ => {
                self.wrong_type("access", value);
                None
            }
        };
        Some(match to? {
            "stdout" => Access::Stdout,
            "stderr" => Access::Stderr,
            "off" => Access::Off,
            path => Access::File(below(self.reader.folder, path)),
        })
    }
}
