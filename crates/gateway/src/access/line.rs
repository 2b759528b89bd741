//! One JSON object, written straight into the text of a line: every request makes one.
//!
//! Not a serializer: it knows the forms that a line of the log has. Called by the record alone.

use std::fmt::Write as _;

/// Bytes of a text that a peer wrote, at most; the queue holds many lines.
const LONGEST_TEXT: usize = 2048;
/// Room for a usual line.
const USUAL: usize = 768;

/// A line that grows.
pub(super) struct Line(pub(super) String);

impl Line {
    /// An object that is open.
    pub(super) fn new() -> Line {
        let mut text = String::with_capacity(USUAL);
        text.push('{');
        Line(text)
    }

    /// The name of a member, whose value must follow.
    pub(super) fn name(&mut self, name: &str) -> &mut Line {
        self.comma();
        self.0.push('"');
        self.0.push_str(name);
        self.0.push_str("\":");
        self
    }

    /// Opens an object.
    pub(super) fn open(&mut self, bracket: char) -> &mut Line {
        self.0.push(bracket);
        self
    }

    /// Closes what is open.
    pub(super) fn close(&mut self, bracket: char) -> &mut Line {
        self.0.push(bracket);
        self
    }

    /// The next value of a list, which must follow.
    pub(super) fn item(&mut self) -> &mut Line {
        self.comma();
        self
    }

    /// A member that is a text.
    pub(super) fn text(&mut self, name: &str, value: &str) -> &mut Line {
        self.name(name).quoted(value);
        self
    }

    /// A member that is a number.
    pub(super) fn number(&mut self, name: &str, value: u64) -> &mut Line {
        self.name(name);
        // Writing into a String cannot fail.
        let _ = write!(self.0, "{value}");
        self
    }

    /// A list of texts, as a value.
    pub(super) fn list<'t>(&mut self, values: impl Iterator<Item = &'t str>) {
        self.open('[');
        for value in values {
            self.comma();
            self.quoted(value);
        }
        self.close(']');
    }

    /// Separates from what stands before, if something does.
    fn comma(&mut self) {
        if !self.0.ends_with(['{', '[']) {
            self.0.push(',');
        }
    }

    /// A text in quotes: cut off, marked, if it is too long. Beside what JSON demands the characters above U+007E that
    /// are commands to some terminals are escaped, and the ones that turn the direction of writing, which mislead a reader.
    fn quoted(&mut self, text: &str) {
        self.0.push('"');
        if text.len() <= LONGEST_TEXT {
            self.escaped(text);
        } else {
            let start = (0..=LONGEST_TEXT).rev().find_map(|end| text.get(..end)).unwrap_or_default();
            self.escaped(start);
            let _ = write!(self.0, "… ({} bytes)", text.len());
        }
        self.0.push('"');
    }

    fn escaped(&mut self, text: &str) {
        if text.bytes().all(|octet| matches!(octet, b' '..=b'~') && octet != b'"' && octet != b'\\') {
            self.0.push_str(text);
            return;
        }
        for c in text.chars() {
            match c {
                '"' | '\\' => self.0.extend(['\\', c]),
                // All of them are in the first plane, so one escape is enough.
                _ if unseen(c) => {
                    let _ = write!(self.0, "\\u{:04x}", u32::from(c));
                }
                _ => self.0.push(c),
            }
        }
    }
}

/// What a terminal obeys, or nobody sees.
fn unseen(c: char) -> bool {
    c.is_control() || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
