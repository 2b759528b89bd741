//! The values of a block, typed: switches, seconds, words, algorithms. Each that cannot be read is said, with its place.

use std::time::Duration;

use super::{Block, Defaults, Entry};
use crate::compile::Findings;
use crate::error::{Problem, nearest};

/// A block that is read, and where to complain.
pub(super) struct Values<'a, 'f> {
    pub(super) block: &'a Block,
    pub(super) findings: &'f mut Findings,
    pub(super) defaults: Defaults,
}

impl<'a, 'f> Values<'a, 'f> {
    pub(super) fn new(block: &'a Block, findings: &'f mut Findings) -> Self {
        let mut values = Self { block, findings, defaults: Defaults::Modern };
        values.defaults = values.word("defaults", &Defaults::ALL).unwrap_or_default();
        values
    }

    pub(super) fn entry(&self, name: &str) -> Option<&'a Entry> {
        self.block.entries.get(name)
    }

    /// What holds under each set of defaults.
    pub(super) fn by_default<T>(&self, modern: T, wss4j15: T, wss4j4: T) -> T {
        match self.defaults {
            Defaults::Modern => modern,
            Defaults::Wss4j15 => wss4j15,
            Defaults::Wss4j4 => wss4j4,
        }
    }

    pub(super) fn bad(&mut self, key: &'static str, expected: &'static str, nearest: Option<&'static str>) {
        if let Some(entry) = self.entry(key) {
            let value = entry.text.clone();
            self.findings.say(Problem::BadValue { key, value, expected, nearest }, entry.at);
        }
    }

    /// A switch, as those stacks write it.
    pub(super) fn switch(&mut self, key: &'static str) -> Option<bool> {
        match &*self.entry(key)?.text {
            "true" | "1" | "yes" => Some(true),
            "false" | "0" | "no" => Some(false),
            _ => {
                self.bad(key, "true or false", None);
                None
            }
        }
    }

    /// A whole number between bounds.
    pub(super) fn number(
        &mut self,
        key: &'static str,
        least: u32,
        most: u32,
        expected: &'static str,
    ) -> Option<u32> {
        let number = self.entry(key)?.text.parse().ok().filter(|n| (least..=most).contains(n));
        if number.is_none() {
            self.bad(key, expected, None);
        }
        number
    }

    /// Seconds: those stacks count in them.
    pub(super) fn seconds(&mut self, key: &'static str) -> Option<Duration> {
        const YEAR: u32 = 366 * 86_400;
        let seconds = self.number(key, 0, YEAR, "whole seconds, at most a year")?;
        Some(Duration::from_secs(seconds.into()))
    }

    /// One of a closed list of words.
    pub(super) fn word<T: Copy>(&mut self, key: &'static str, words: &[(&'static str, T)]) -> Option<T> {
        let text = &*self.entry(key)?.text;
        let found = words.iter().find(|(word, _)| *word == text).map(|(_, meaning)| *meaning);
        if found.is_none() {
            let nearest = nearest::nearest(text, words.iter().map(|(word, _)| *word));
            self.bad(key, "one of the words in docs/actions.md", nearest);
        }
        found
    }

    /// An algorithm, by its URI or by its name in `bartizan crypto`.
    pub(super) fn algorithm<T>(
        &mut self,
        key: &'static str,
        by_uri: fn(&str) -> Option<T>,
        by_name: fn(&str) -> Option<T>,
    ) -> Option<T> {
        let text = &*self.entry(key)?.text;
        let found = by_uri(text).or_else(|| by_name(text));
        if found.is_none() {
            self.bad(key, "the URI of an algorithm, or its name in `bartizan crypto`", None);
        }
        found
    }
}
