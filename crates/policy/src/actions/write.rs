//! Action blocks as the TOML short form.

use std::fmt::Write as _;

use super::{ACTIONS, Block};

impl Block {
    /// The lines of the block, without the head of its table.
    pub(crate) fn to_toml(&self) -> String {
        let mut out = String::new();
        let first = self.entries.get_key_value(ACTIONS);
        let rest = self.entries.iter().filter(|(name, _)| **name != ACTIONS && **name != "interceptor");
        // Writing to a String cannot fail.
        for (name, entry) in first.into_iter().chain(rest) {
            let _ = writeln!(out, "{name} = {}", value(&entry.text));
        }
        out
    }
}

/// A switch or a number as it is, everything else as a text.
fn value(text: &str) -> String {
    let number = !text.is_empty() && text.len() < 10 && text.bytes().all(|byte| byte.is_ascii_digit());
    let plain = number && (text == "0" || !text.starts_with('0'));
    if plain || matches!(text, "true" | "false") { text.to_owned() } else { quoted(text) }
}

/// A basic string of TOML.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            c if c.is_control() => {
                let _ = write!(out, "\\u{:04X}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
