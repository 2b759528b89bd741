//! Escapes of the canonical forms (Canonical XML 1.0 §2.3) and the staging of small writes. Used by the canonicalizer and by
//! the writer, so that both spell characters alike.

use memchr::{memchr, memchr3};

use crate::sink::Sink;

/// Octets that wait to be given to the sink together: a hash takes one call of a few hundred octets far better than
/// a hundred calls of a few.
const STAGE: usize = 1024;

/// Texts of at least this size are searched with vector instructions; shorter ones by table.
const LONG: usize = 48;

/// Collects small writes and counts all octets.
pub(crate) struct Stage<'s> {
    sink: &'s mut dyn Sink,
    buffer: [u8; STAGE],
    used: usize,
    octets: u64,
}

impl<'s> Stage<'s> {
    pub(crate) fn new(sink: &'s mut dyn Sink) -> Self {
        Self { sink, buffer: [0; STAGE], used: 0, octets: 0 }
    }

    /// Gives what waits to the sink. Returns the number of octets written in all.
    pub(crate) fn finish(mut self) -> u64 {
        self.flush();
        self.octets
    }

    fn flush(&mut self) {
        if let Some(waiting) = self.buffer.get(..self.used)
            && !waiting.is_empty()
        {
            self.sink.put(waiting);
        }
        self.used = 0;
    }
}

impl Sink for Stage<'_> {
    fn put(&mut self, octets: &[u8]) {
        self.octets += octets.len() as u64;
        if self.used + octets.len() > STAGE {
            self.flush();
        }
        match self.buffer.get_mut(self.used..self.used + octets.len()) {
            Some(place) => {
                place.copy_from_slice(octets);
                self.used += octets.len();
            }
            None => self.sink.put(octets),
        }
    }

    fn full(&self) -> bool {
        self.sink.full()
    }
}

const TEXT: u8 = 1;
const VALUE: u8 = 2;

/// Which octets need an escape, in text and in attribute values.
static CLASSES: [u8; 256] = classes();

#[allow(clippy::indexing_slicing, reason = "evaluated by the compiler")]
const fn classes() -> [u8; 256] {
    let mut table = [0; 256];
    table[b'&' as usize] = TEXT | VALUE;
    table[b'<' as usize] = TEXT | VALUE;
    table[b'>' as usize] = TEXT;
    table[b'"' as usize] = VALUE;
    table[b'\t' as usize] = VALUE;
    table[b'\n' as usize] = VALUE;
    table[b'\r' as usize] = TEXT | VALUE;
    table
}

fn next_of_class(octets: &[u8], class: u8) -> Option<usize> {
    octets.iter().position(|octet| CLASSES.get(usize::from(*octet)).is_some_and(|found| found & class != 0))
}

fn next_in_text(octets: &[u8]) -> Option<usize> {
    if octets.len() < LONG {
        return next_of_class(octets, TEXT);
    }
    let markup = memchr3(b'&', b'<', b'>', octets);
    // A carriage return can only come from a character reference, so it is rare: look for it before the markup.
    let before = octets.get(..markup.unwrap_or(octets.len())).unwrap_or(octets);
    memchr(b'\r', before).or(markup)
}

const fn escape(octet: u8) -> &'static [u8] {
    match octet {
        b'&' => b"&amp;",
        b'<' => b"&lt;",
        b'>' => b"&gt;",
        b'"' => b"&quot;",
        b'\t' => b"&#x9;",
        b'\n' => b"&#xA;",
        _ => b"&#xD;",
    }
}

/// Writes character data.
pub(crate) fn text(out: &mut (impl Sink + ?Sized), text: &str) {
    escaped(out, text.as_bytes(), next_in_text);
}

/// Writes an attribute value without its quotes.
pub(crate) fn value(out: &mut (impl Sink + ?Sized), value: &str) {
    // Identifiers of algorithms are long and need no escape: they are looked at 16 octets at a time.
    if crate::scan::value_end(value.as_bytes(), 0) == value.len() {
        return out.put(value.as_bytes());
    }
    escaped(out, value.as_bytes(), |octets| next_of_class(octets, VALUE));
}

fn escaped(out: &mut (impl Sink + ?Sized), mut rest: &[u8], next: impl Fn(&[u8]) -> Option<usize>) {
    while let Some(at) = next(rest) {
        let (Some((plain, tail)), Some(octet)) = (rest.split_at_checked(at), rest.get(at)) else { break };
        out.put(plain);
        out.put(escape(*octet));
        rest = tail.get(1..).unwrap_or_default();
    }
    out.put(rest);
}
