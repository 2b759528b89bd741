//! `[policy.NAME]` tables that hold actions: WSS4J's names, Spring's, and ours beside them.
//!
//! A table with actions describes both messages, or the one in whose table it stands. A reply carries no UsernameToken: a
//! table whose actions make one, and that has no `reply`, is about the request, and the reply is open.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::ShortPolicy;
use crate::actions::{Block, Written, is_block};
use crate::compile::Open;
use crate::error::lines::Lines;
use crate::error::{Diagnostic, Position, Problem};
use crate::load::ItemSide;

/// A value as text, the table it came from, and its place.
struct Text {
    name: String,
    text: String,
    at: Position,
}

/// Reads a table with actions; `false` if it is none.
pub(super) fn read(lines: &Lines<'_>, table: &DeTable<'_>, at: Position, out: &mut ShortPolicy) -> bool {
    let sides = ["request", "reply"].map(|name| side(table, name));
    let inner = sides.iter().flatten().any(|(_, side)| has_actions(side));
    if !inner && !has_actions(table) {
        return false;
    }
    let mut common = Vec::new();
    for (name, value) in table {
        match name.get_ref().as_ref() {
            "request" | "reply" => {}
            "open" => open(lines, value, out),
            name => entry(lines, name, value, &mut common, &mut out.diagnostics),
        }
    }
    match sides {
        [None, None] => whole(&common, at, out),
        [request, reply] => {
            let mut made = [request, reply].map(|side| {
                let (offset, side) = side?;
                let mut texts = Vec::new();
                for (name, value) in side {
                    entry(lines, name.get_ref(), value, &mut texts, &mut out.diagnostics);
                }
                // What a side says counts, what it does not say is said above it.
                let own: Vec<String> = texts.iter().map(|text| text.name.clone()).collect();
                let above = common.iter().filter(|text| !own.contains(&text.name));
                let all: Vec<Written<'_>> = texts.iter().chain(above).map(written).collect();
                Some(Block::of(&all, lines.position(offset), &mut out.diagnostics))
            });
            let [request, reply] = &mut made;
            out.request = request.take().map(block);
            out.reply = reply.take().map(block);
        }
    }
    true
}

fn has_actions(table: &DeTable<'_>) -> bool {
    is_block(table.iter().map(|(name, _)| name.get_ref().as_ref()))
}

fn side<'t>(table: &'t DeTable<'t>, name: &str) -> Option<(usize, &'t DeTable<'t>)> {
    let (_, value) = table.iter().find(|(known, _)| known.get_ref().as_ref() == name)?;
    value.get_ref().as_table().map(|table| (value.span().start, table))
}

fn block(block: Block) -> ItemSide {
    ItemSide::Actions(Box::new(block))
}

fn written(text: &Text) -> Written<'_> {
    Written { name: &text.name, text: &text.text, at: text.at }
}

/// A table without tables for its sides.
fn whole(common: &[Text], at: Position, out: &mut ShortPolicy) {
    let all: Vec<Written<'_>> = common.iter().map(written).collect();
    let said = |name: &str| all.iter().find(|one| one.name == name);
    let (puts, demands) = (said("securementActions").is_some(), said("validationActions").is_some());
    if !puts && !demands {
        let one = Block::of(&all, at, &mut out.diagnostics);
        // A reply carries no UsernameToken.
        out.reply = (!one.has_username()).then(|| block(one.clone()));
        out.request = Some(block(one));
        return;
    }
    let client = match said("interceptor").map(|one| (one.text, one.at)) {
        None => !demands,
        Some(("client", _)) => true,
        Some(("server", _)) => false,
        Some((other, at)) => {
            let problem = Problem::BadValue {
                key: "interceptor",
                value: other.into(),
                expected: "\"server\" or \"client\"",
                nearest: None,
            };
            out.diagnostics.push(Diagnostic::new(problem, Some(at)));
            false
        }
    };
    let (put_on, demanded) = Block::pair(&all, at, &mut out.diagnostics);
    let (request, reply) = if client { (put_on, demanded) } else { (demanded, put_on) };
    out.request = request.map(block);
    out.reply = reply.map(block);
}

fn open(lines: &Lines<'_>, value: &Spanned<DeValue<'_>>, out: &mut ShortPolicy) {
    match value.get_ref().as_bool() {
        Some(said) => out.settings.open = Some(if said { Open::Said } else { Open::Refused }),
        None => {
            let problem = Problem::BadValue {
                key: "open",
                value: value.get_ref().type_str().into(),
                expected: "true or false",
                nearest: None,
            };
            out.diagnostics.push(Diagnostic::new(problem, Some(lines.position(value.span().start))));
        }
    }
}

/// A text, a number or a switch; of a list its texts with blanks between.
fn entry(
    lines: &Lines<'_>,
    name: &str,
    value: &Spanned<DeValue<'_>>,
    texts: &mut Vec<Text>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let at = lines.position(value.span().start);
    let text = match value.get_ref() {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Integer(number) => Some(number.to_string()),
        DeValue::Boolean(said) => Some(said.to_string()),
        DeValue::Array(items) => {
            let words: Option<Vec<&str>> = items.iter().map(|item| item.get_ref().as_str()).collect();
            let separator = if name.ends_with("Parts") { ";" } else { " " };
            words.map(|words| words.join(separator))
        }
        _ => None,
    };
    match text {
        Some(text) => texts.push(Text { name: name.to_owned(), text, at }),
        None => {
            let problem = Problem::BadValue {
                key: "a name of an action block",
                value: value.get_ref().type_str().into(),
                expected: "a text, a number, true or false",
                nearest: None,
            };
            diagnostics.push(Diagnostic::new(problem, Some(at)));
        }
    }
}
