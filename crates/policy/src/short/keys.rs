//! The keys of the short form, typed out of TOML with their positions.

use std::collections::BTreeMap;
use std::time::Duration;

use bartizan_crypto::suite::SignatureReading;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Settings, role};
use crate::compile::{Accept, Confirmation, Open, Override, Profile};
use crate::error::lines::Lines;
use crate::error::{Diagnostic, Position, Problem, nearest};

/// Where a key may stand.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Level {
    /// `[policy.NAME]`.
    Policy,
    /// `[policy.NAME.request]`, `[policy.NAME.reply]`.
    Side,
}

/// One key of the short form: name, values, default and meaning. The documentation's table is made of these.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// As written.
    pub name: &'static str,
    /// What it takes.
    pub takes: &'static str,
    /// What silence means.
    pub default: &'static str,
    /// What it does.
    pub does: &'static str,
    /// Whether it may stand in `request` and `reply` as well.
    pub side: bool,
}

const fn key(
    name: &'static str,
    takes: &'static str,
    default: &'static str,
    side: bool,
    does: &'static str,
) -> Key {
    Key { name, takes, default, does, side }
}

/// Every key of `[policy.NAME]`.
pub const KEYS: &[Key] = &[
    key(
        "actions",
        "a text of actions",
        "none",
        true,
        "action-style configuration instead of the keys below, with the names of [actions.md](actions.md) beside it",
    ),
    key(
        "algorithms",
        "table of signature, digest, cipher, key_transport",
        "{}",
        false,
        "single algorithms in place of the suite's, by the names of `bartizan crypto`",
    ),
    key("binding", "\"asymmetric\"", "\"asymmetric\"", false, "how keys are used"),
    key(
        "confirmation_missing",
        "\"refuse\", \"warn\"",
        "\"refuse\"",
        false,
        "what a reply without a demanded SignatureConfirmation is",
    ),
    key(
        "encrypt",
        "list of body, signature, header:{ns}name, element:/path",
        "[\"body\"]",
        true,
        "what is encrypted",
    ),
    key("encrypt_first", "true, false", "false", true, "sign the ciphertext instead of the plaintext"),
    key(
        "include_token",
        "\"never\", \"request\", \"both\"",
        "\"request\"",
        false,
        "which messages carry the signer's certificate",
    ),
    key(
        "layout",
        "\"strict\", \"lax\", \"timestamp-first\", \"timestamp-last\"",
        "\"strict\"",
        true,
        "order of the Security header",
    ),
    key("open", "true, false", "false", false, "allow a side that proves nothing about its sender"),
    key("profile", "\"standard\", \"rampart-c-legacy\"", "\"standard\"", false, "whose messages to expect"),
    key(
        "reference",
        "\"thumbprint\", \"issuer-serial\", \"ski\", \"embedded\"",
        "\"thumbprint\"",
        false,
        "how a key is named that is not sent along",
    ),
    key(
        "reply",
        "table",
        "as the policy",
        false,
        "the reply's side; where only `request` stands, and neither `sign` nor `encrypt` beside it, the reply is open",
    ),
    key(
        "request",
        "table",
        "as the policy",
        false,
        "the request's side; where only `reply` stands, and neither `sign` nor `encrypt` beside it, the request is open, which needs `open = true`",
    ),
    key(
        "sha256_signature",
        "\"specification\", \"wcf\", \"either\"",
        "\"specification\"",
        false,
        "signature method of the suites named …Sha256",
    ),
    key(
        "sign",
        "list of body, timestamp, addressing, token, header:{ns}name, element:/path",
        "[\"body\", \"timestamp\"]",
        true,
        "what is signed",
    ),
    key("signature_confirmation", "true, false", "false", true, "the reply confirms the request's signature"),
    key("suite", "suite name", "\"modern-rsa\"", false, "the algorithms"),
    key("timestamp", "true, false, or table of ttl and skew", "with sign", true, "a signed Timestamp"),
    key("whole_parts", "true, false", "true", true, "a signature covers the Body and whole headers only"),
];

/// A value with its place.
#[derive(Clone, Debug)]
pub(super) struct Value<'t> {
    pub(super) at: Position,
    pub(super) value: &'t DeValue<'t>,
    lines: &'t Lines<'t>,
}

/// The keys of one table.
#[derive(Clone, Default)]
pub(super) struct Table<'t> {
    values: BTreeMap<&'static str, Value<'t>>,
}

impl<'t> Table<'t> {
    /// Reads a table; unknown keys are errors.
    pub(super) fn read(
        lines: &'t Lines<'t>,
        table: &'t DeTable<'t>,
        level: Level,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Self {
        let mut out = Self::default();
        let allowed = KEYS.iter().filter(|key| key.side || level == Level::Policy);
        for (name, value) in table {
            let written: &str = name.get_ref();
            match allowed.clone().find(|key| key.name == written) {
                Some(key) => {
                    let at = lines.position(value.span().start);
                    out.values.insert(key.name, Value { at, value: value.get_ref(), lines });
                }
                None => {
                    let nearest = nearest::nearest(written, allowed.clone().map(|key| key.name));
                    let at = lines.position(name.span().start);
                    diagnostics.push(Diagnostic::new(
                        Problem::UnknownKey { key: written.into(), nearest },
                        Some(at),
                    ));
                }
            }
        }
        out
    }

    /// This table, with what it does not say from another.
    pub(super) fn over(mut self, other: &Self) -> Self {
        for (name, value) in &other.values {
            self.values.entry(name).or_insert_with(|| value.clone());
        }
        self
    }

    pub(super) fn get(&self, key: &'static str) -> Option<&Value<'t>> {
        self.values.get(key)
    }

    /// The table of a side, with its position.
    pub(super) fn take_table(&mut self, key: &'static str) -> Option<(Position, &'t DeTable<'t>)> {
        let value = self.values.remove(key)?;
        value.value.as_table().map(|table| (value.at, table))
    }

    pub(super) fn boolean(
        &self,
        key: &'static str,
        default: bool,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> bool {
        let Some(value) = self.get(key) else { return default };
        value.value.as_bool().unwrap_or_else(|| {
            value.bad(key, "true or false", &[], diagnostics);
            default
        })
    }

    /// One of a closed list of words.
    pub(super) fn word<T: Copy>(
        &self,
        key: &'static str,
        words: &[(&'static str, T)],
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Option<T> {
        let value = self.get(key)?;
        let found = value.value.as_str().and_then(|word| words.iter().find(|(known, _)| *known == word));
        if found.is_none() {
            let names: Vec<&'static str> = words.iter().map(|(known, _)| *known).collect();
            value.bad(key, takes(key), &names, diagnostics);
        }
        found.map(|(_, meaning)| *meaning)
    }

    /// The texts of a list, each with its place.
    pub(super) fn list(
        &self,
        key: &'static str,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Option<Vec<(Position, &'t str)>> {
        let value = self.get(key)?;
        let DeValue::Array(items) = value.value else {
            value.bad(key, takes(key), &[], diagnostics);
            return None;
        };
        let mut out = Vec::new();
        for item in items {
            let at = value.lines.position(item.span().start);
            match item.get_ref().as_str() {
                Some(text) => out.push((at, text)),
                None => Value { at, value: item.get_ref(), lines: value.lines }.bad(
                    key,
                    takes(key),
                    &[],
                    diagnostics,
                ),
            }
        }
        Some(out)
    }

    /// What no assertion says.
    pub(super) fn settings(&self, diagnostics: &mut Vec<Diagnostic>) -> Settings {
        let profiles = [Profile::Standard, Profile::RampartCLegacy].map(|profile| (profile.name(), profile));
        let readings = [
            ("specification", (SignatureReading::Specification, Accept::Own)),
            ("wcf", (SignatureReading::Wcf, Accept::Own)),
            ("either", (SignatureReading::Wcf, Accept::Either)),
        ];
        let missing = [("refuse", Confirmation::Demanded), ("warn", Confirmation::Waived)];
        let mut settings = Settings {
            open: self
                .get("open")
                .is_some()
                .then(|| if self.boolean("open", false, diagnostics) { Open::Said } else { Open::Refused }),
            profile: self.word("profile", &profiles, diagnostics),
            reading: self.word("sha256_signature", &readings, diagnostics),
            confirmation: self.word("confirmation_missing", &missing, diagnostics),
            ..Settings::default()
        };
        self.timestamp(&mut settings, diagnostics);
        self.algorithms(&mut settings, diagnostics);
        settings
    }

    fn timestamp(&self, settings: &mut Settings, diagnostics: &mut Vec<Diagnostic>) {
        let Some(value) = self.get("timestamp") else { return };
        let DeValue::Table(table) = value.value else { return };
        for (name, inner) in table {
            let inner = spanned(inner, value.lines);
            let slot = match name.get_ref().as_ref() {
                "ttl" => &mut settings.ttl,
                "skew" => &mut settings.skew,
                other => {
                    let nearest = nearest::nearest(other, ["ttl", "skew"]);
                    let problem = Problem::UnknownKey { key: other.into(), nearest };
                    diagnostics.push(Diagnostic::new(problem, Some(value.lines.position(name.span().start))));
                    continue;
                }
            };
            *slot = inner.value.as_str().and_then(duration);
            if slot.is_none() {
                inner.bad("timestamp", "a duration, as \"5m\" or \"90s\"", &[], diagnostics);
            }
        }
    }

    fn algorithms(&self, settings: &mut Settings, diagnostics: &mut Vec<Diagnostic>) {
        const ROLES: [&str; 4] = ["signature", "digest", "cipher", "key_transport"];
        let Some(value) = self.get("algorithms") else { return };
        let DeValue::Table(table) = value.value else {
            value.bad("algorithms", takes("algorithms"), &[], diagnostics);
            return;
        };
        for (name, inner) in table {
            let written: &str = name.get_ref();
            let inner = spanned(inner, value.lines);
            let Some(role) = role(written) else {
                let problem =
                    Problem::UnknownKey { key: written.into(), nearest: nearest::nearest(written, ROLES) };
                diagnostics.push(Diagnostic::new(problem, Some(value.lines.position(name.span().start))));
                continue;
            };
            match inner.value.as_str().and_then(|name| Override::by_name(role, name)) {
                Some(found) => settings.algorithms.push(found),
                None => inner.bad(
                    "algorithms",
                    "a name that `bartizan crypto` lists",
                    &Override::names(role),
                    diagnostics,
                ),
            }
        }
    }
}

fn spanned<'t>(value: &'t Spanned<DeValue<'t>>, lines: &'t Lines<'t>) -> Value<'t> {
    Value { at: lines.position(value.span().start), value: value.get_ref(), lines }
}

fn takes(key: &str) -> &'static str {
    KEYS.iter().find(|known| known.name == key).map_or("", |known| known.takes)
}

impl Value<'_> {
    /// Reports a value that the key does not take.
    pub(super) fn bad(
        &self,
        key: &'static str,
        expected: &'static str,
        names: &[&'static str],
        diagnostics: &mut Vec<Diagnostic>,
    ) {
        let shown: Box<str> = match self.value {
            DeValue::String(text) => text.as_ref().into(),
            other => other.type_str().into(),
        };
        let nearest = nearest::nearest(&shown, names.iter().copied());
        let problem = Problem::BadValue { key, value: shown, expected, nearest };
        diagnostics.push(Diagnostic::new(problem, Some(self.at)));
    }
}

/// `500ms`, `90s`, `5m`, `2h`, `1d`; at most a hundred years.
pub(super) fn duration(text: &str) -> Option<Duration> {
    let digits = text.find(|c: char| !c.is_ascii_digit())?;
    let (number, unit) = text.split_at_checked(digits)?;
    let number: u64 = number.parse().ok()?;
    let millis = match unit.trim_start() {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => return None,
    };
    let total = number.checked_mul(millis)?;
    (total <= 36_525 * 86_400_000).then(|| Duration::from_millis(total))
}
