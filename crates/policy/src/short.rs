//! The short form: `[policy.NAME]` tables of a TOML file, read to the same model as WS-SecurityPolicy XML.
//!
//! Nothing here compiles: a short form is a set of defaults and of shorter words for assertions. What XML cannot say
//! (age limits, single algorithms, `open`) goes into [`Settings`]. Called by `load`.

use std::sync::Arc;
use std::time::Duration;

use bartizan_crypto::suite::SignatureReading;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::compile::{Accept, Confirmation, Open, Options, Override, Profile, Role};
use crate::error::lines::Lines;
use crate::error::{Diagnostic, Position, Problem, nearest};
use crate::load::ItemSide;
use crate::model::{Identity, Policy, Wsp};

mod blocks;
mod build;
mod keys;
mod parts;

pub use self::keys::KEYS;
use self::keys::Table;

#[cfg(test)]
mod tests;

/// What a short form says that no assertion says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Longest age of a message, and the lifetime of ours.
    pub ttl: Option<Duration>,
    /// Difference of clocks that is accepted.
    pub skew: Option<Duration>,
    /// Whether no authentication is meant.
    pub open: Option<Open>,
    /// Whose messages are to be expected.
    pub profile: Option<Profile>,
    /// Reading of the `…Sha256` suites.
    pub reading: Option<(SignatureReading, Accept)>,
    /// Whether a missing SignatureConfirmation is a warning.
    pub confirmation: Option<Confirmation>,
    /// Algorithms in place of the suite's.
    pub algorithms: Vec<Override>,
}

impl Settings {
    /// The options of the caller with what the policy says itself.
    #[must_use]
    pub fn over(&self, options: &Options) -> Options {
        let mut out = options.clone();
        if let Some(ttl) = self.ttl {
            out.timestamp.ttl = ttl;
        }
        if let Some(skew) = self.skew {
            out.timestamp.skew = skew;
        }
        out.open = self.open.unwrap_or(out.open);
        out.profile = self.profile.unwrap_or(out.profile);
        out.confirmation = self.confirmation.unwrap_or(out.confirmation);
        if let Some((reading, accept)) = self.reading {
            out.reading = reading;
            out.accept = accept;
        }
        if !self.algorithms.is_empty() {
            out.algorithms.clone_from(&self.algorithms);
        }
        out
    }
}

/// One `[policy.NAME]`.
#[derive(Clone, Debug)]
pub struct ShortPolicy {
    /// NAME.
    pub name: Box<str>,
    /// The request's side; `None` is open.
    pub(crate) request: Option<ItemSide>,
    /// The reply's side; `None` is open.
    pub(crate) reply: Option<ItemSide>,
    /// What no assertion says.
    pub settings: Settings,
    /// What is to be said about it.
    pub diagnostics: Vec<Diagnostic>,
    /// Where.
    pub position: Position,
}

/// The short forms of one file.
#[derive(Clone, Debug)]
pub struct ShortPolicies {
    /// In order of position.
    pub policies: Vec<ShortPolicy>,
    /// What concerns the whole file.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads the `[policy.*]` tables of a TOML text. Other tables are the configuration's and are not looked at.
#[must_use]
pub fn read(text: &str) -> ShortPolicies {
    let mut out = ShortPolicies { policies: Vec::new(), diagnostics: Vec::new() };
    let root = match DeTable::parse(text) {
        Ok(root) => root,
        Err(error) => {
            let at = error.span().map(|span| Position::of(text, span.start));
            out.diagnostics.push(Diagnostic::new(Problem::Toml { expected: error.message().into() }, at));
            return out;
        }
    };
    let lines = Lines::new(text);
    for (key, value) in root.get_ref() {
        let at = lines.position(key.span().start);
        match (key.get_ref().as_ref(), value.get_ref()) {
            ("policy", DeValue::Table(policies)) => {
                for (name, body) in policies {
                    out.policies.push(policy(
                        &lines,
                        name.get_ref(),
                        lines.position(name.span().start),
                        body,
                    ));
                }
            }
            ("policy", _) => out.diagnostics.push(Diagnostic::new(
                Problem::BadValue {
                    key: "policy",
                    value: "".into(),
                    expected: "tables [policy.NAME]",
                    nearest: None,
                },
                Some(at),
            )),
            (other, _) => {
                if let Some(nearest) = nearest::nearest(other, ["policy"]) {
                    let problem = Problem::UnknownKey { key: other.into(), nearest: Some(nearest) };
                    out.diagnostics.push(Diagnostic::new(problem, Some(at)));
                }
            }
        }
    }
    out.policies.sort_by_key(|policy| policy.position);
    if out.policies.is_empty() && out.diagnostics.is_empty() {
        out.diagnostics.push(Diagnostic::new(Problem::NoPolicy, None));
    }
    out
}

fn policy<'t>(lines: &'t Lines<'t>, name: &str, at: Position, body: &'t Spanned<DeValue<'t>>) -> ShortPolicy {
    let mut out = ShortPolicy {
        name: name.into(),
        request: None,
        reply: None,
        settings: Settings::default(),
        diagnostics: Vec::new(),
        position: at,
    };
    let DeValue::Table(table) = body.get_ref() else {
        let problem =
            Problem::BadValue { key: "policy", value: name.into(), expected: "a table", nearest: None };
        out.diagnostics.push(Diagnostic::new(problem, Some(at)));
        return out;
    };
    match blocks::read(lines, table, at, &mut out) {
        true => {}
        false => expressions(lines, table, name, at, &mut out),
    }
    match (&out.request, &out.reply) {
        (Some(_), None) => one_sided(&mut out.diagnostics, "request", "reply", at),
        (None, Some(_)) => one_sided(&mut out.diagnostics, "reply", "request", at),
        _ => {}
    }
    dedup(&mut out.diagnostics);
    out
}

/// The sides as WS-SecurityPolicy.
fn expressions<'t>(
    lines: &'t Lines<'t>,
    table: &'t DeTable<'t>,
    name: &str,
    at: Position,
    out: &mut ShortPolicy,
) {
    let mut common = Table::read(lines, table, keys::Level::Policy, &mut out.diagnostics);
    out.settings = common.settings(&mut out.diagnostics);
    let sides = [common.take_table("request"), common.take_table("reply")];
    let given = sides.iter().any(Option::is_some);
    // What is said for both holds for the side that has nothing to add.
    let common_parts = ["sign", "encrypt"].into_iter().any(|key| common.get(key).is_some());
    let mut built = sides.map(|side| match side {
        None if given && !common_parts => None,
        None => Some(build::expression(&common, at, &mut out.diagnostics)),
        Some((side_at, side)) => {
            let own = Table::read(lines, side, keys::Level::Side, &mut out.diagnostics);
            Some(build::expression(&own.over(&common), side_at, &mut out.diagnostics))
        }
    });
    let make = |group: Option<crate::model::Group>| {
        group.map(|group| {
            ItemSide::Policy(Box::new(Policy {
                identity: Identity { id: Some(name.into()), name: None },
                wsp: Wsp::V15,
                expression: Arc::new(group),
                diagnostics: Vec::new(),
                position: at,
            }))
        })
    };
    let [request, reply] = &mut built;
    out.request = make(request.take());
    out.reply = make(reply.take());
}

fn one_sided(diagnostics: &mut Vec<Diagnostic>, given: &'static str, open: &'static str, at: Position) {
    diagnostics.push(Diagnostic::new(Problem::OneSided { given, open }, Some(at)));
}

/// Both sides read the common keys: what is wrong there is said once, all in order of position.
fn dedup(diagnostics: &mut Vec<Diagnostic>) {
    diagnostics.sort_by_key(|diagnostic| diagnostic.position);
    diagnostics.dedup();
}

/// The override of a role by its key.
fn role(key: &str) -> Option<Role> {
    match key {
        "signature" => Some(Role::Signature),
        "digest" => Some(Role::Digest),
        "cipher" => Some(Role::Cipher),
        "key_transport" => Some(Role::KeyTransport),
        _ => None,
    }
}
