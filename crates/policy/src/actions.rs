//! Action-style configuration: the vocabulary of WSS4J's handlers, of Spring's interceptor and of Axis2's parameters.
//!
//! A block describes one message: `actions = "UsernameTokenSignature Encrypt Timestamp"` and the settings beside it. It
//! compiles to the same plans as a policy does (`plan`). What each name of those stacks becomes here (it does, it is said
//! elsewhere, it is refused and why) stands in one table (`table`), which `docs/actions.md` is made from. Not here:
//! reading TOML (`short`), keys and users (a block names none). Called by `short`, `convert` and `compile`.

use std::collections::BTreeMap;

use crate::error::{Diagnostic, Position, Problem, nearest};

pub(crate) mod axis2;
mod page;
mod parts;
pub(crate) mod plan;
mod said;
mod settings;
pub(crate) mod spring;
pub mod table;
mod value;
pub(crate) mod write;

pub use self::page::page;
pub use self::said::Action;
pub use self::table::{Fate, ROWS, Row, Vocabulary};

use self::table::Side;

/// The key that a block's actions stand under.
pub const ACTIONS: &str = "actions";

/// Where the values come from that a block does not say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Defaults {
    /// Ours: SHA-256, RSA-OAEP, AES-256-GCM, keys of the UsernameToken profile.
    #[default]
    Modern,
    /// WSS4J 1.5, its manner of writing included.
    Wss4j15,
    /// WSS4J 4.
    Wss4j4,
}

impl Defaults {
    /// Every one, by name.
    pub const ALL: [(&'static str, Self); 3] =
        [("modern", Self::Modern), ("wss4j15", Self::Wss4j15), ("wss4j4", Self::Wss4j4)];
}

/// A value as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    text: Box<str>,
    at: Position,
}

/// One message's actions and settings, by the names of WSS4J.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    entries: BTreeMap<&'static str, Entry>,
    position: Position,
}

/// A name and a value as they stand in a source.
#[derive(Clone, Copy, Debug)]
pub struct Written<'t> {
    /// The name.
    pub name: &'t str,
    /// The value.
    pub text: &'t str,
    /// Where.
    pub at: Position,
}

impl Block {
    /// A block of one message. Names that mean something elsewhere are warnings, names that are refused and unknown ones
    /// are errors.
    #[must_use]
    pub fn of(written: &[Written<'_>], at: Position, diagnostics: &mut Vec<Diagnostic>) -> Self {
        let mut block = Self { entries: BTreeMap::new(), position: at };
        for one in written {
            block.take(*one, diagnostics);
        }
        block
    }

    /// The two blocks of an interceptor or of a pair of handlers: what it puts on, and what it demands.
    pub(crate) fn pair(
        written: &[Written<'_>],
        at: Position,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> (Option<Self>, Option<Self>) {
        let of = |side: Side, diagnostics: &mut Vec<Diagnostic>| {
            let mine: Vec<Written<'_>> = written
                .iter()
                .filter(|one| {
                    table::row(one.name).is_none_or(|row| row.side == side || row.side == Side::Both)
                })
                .copied()
                .collect();
            let acts = mine.iter().any(|one| table::row(one.name).is_some_and(Row::is_actions));
            let block = acts.then(|| Self::of(&mine, at, diagnostics))?;
            if side == Side::Demanded {
                block.judge_receiver(diagnostics);
            }
            Some(block)
        };
        (of(Side::PutOn, diagnostics), of(Side::Demanded, diagnostics))
    }

    fn take(&mut self, one: Written<'_>, diagnostics: &mut Vec<Diagnostic>) {
        let mut say = |problem| diagnostics.push(Diagnostic::new(problem, Some(one.at)));
        let Some(row) = table::row(one.name) else {
            let nearest = nearest::nearest(one.name, table::names());
            return say(Problem::UnknownKey { key: one.name.into(), nearest });
        };
        match row.fate {
            Fate::Does => self.set(row.name, one, diagnostics),
            Fate::Same(name) => self.set(name, one, diagnostics),
            Fate::Elsewhere(place) => say(Problem::SaidElsewhere { name: row.name, place }),
            Fate::Refused { except, .. } if except.contains(&one.text.trim()) => {}
            Fate::Refused { reason, .. } => say(Problem::RefusedName { name: row.name, reason }),
        }
    }

    fn set(&mut self, name: &'static str, one: Written<'_>, diagnostics: &mut Vec<Diagnostic>) {
        let entry = Entry { text: one.text.trim().into(), at: one.at };
        if let Some(known) = self.entries.insert(name, entry)
            && *known.text != *one.text.trim()
        {
            diagnostics.push(Diagnostic::new(Problem::Twice { name }, Some(one.at)).as_error());
        }
    }

    /// Warns of what a receiver's list leaves to chance. The receivers of those stacks look which actions were taken, not on what.
    pub(crate) fn judge_receiver(&self, diagnostics: &mut Vec<Diagnostic>) {
        let words = self.get(ACTIONS).unwrap_or_default().split_ascii_whitespace();
        let actions: Vec<Action> = words.filter_map(Action::by_name).collect();
        let any = |kinds: &[Action]| actions.iter().any(|action| kinds.contains(action));
        let derived = self.get("useDerivedKey") == Some("true");
        let asked = [
            ("signatureParts", any(&[Action::Signature, Action::UsernameTokenSignature])),
            ("encryptionParts", any(&[Action::Encryption])),
            ("passwordType", any(&[Action::UsernameToken, Action::UsernameTokenSignature]) && !derived),
        ];
        let unsaid = asked.into_iter().filter(|(name, asked)| *asked && self.get(name).is_none());
        let unsaid: Vec<String> = unsaid.map(|(name, _)| format!("`{name}`")).collect();
        if !unsaid.is_empty() {
            let at = self.entries.get(ACTIONS).map_or(self.position, |entry| entry.at);
            let problem = Problem::ReceiverSilent { unsaid: unsaid.join(" and ").into() };
            diagnostics.push(Diagnostic::new(problem, Some(at)));
        }
    }

    /// Says what the source leaves unsaid.
    pub(crate) fn default(&mut self, name: &'static str, text: &str) {
        let at = self.position;
        self.entries.entry(name).or_insert_with(|| Entry { text: text.into(), at });
    }

    /// Where it begins.
    #[must_use]
    pub fn position(&self) -> Position {
        self.position
    }

    /// The text of a setting, by WSS4J's name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.entries.get(name).map(|entry| &*entry.text)
    }

    /// Whether one of its actions makes a UsernameToken.
    #[must_use]
    pub fn has_username(&self) -> bool {
        let words = self.get(ACTIONS).unwrap_or_default().split_ascii_whitespace();
        words.filter_map(Action::by_name).any(Action::makes_username)
    }
}

/// Whether a table with these keys is an action block.
pub(crate) fn is_block<'t>(mut names: impl Iterator<Item = &'t str>) -> bool {
    names.any(|name| table::row(name).is_some_and(Row::is_actions))
}
