//! Base64 (RFC 4648 §4) as XML carries it: strict, but for XML white space.
//!
//! Space, tab, CR and LF may stand anywhere (XML Schema Part 2 §3.2.16 after white-space handling);
//! nothing else beside the alphabet may, padding is complete, and the unused bits are zero, so that
//! every octet string has one text apart from white space.

use crate::Error;

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// In [`VALUES`]: white space.
const SPACE: u8 = 0xfd;
/// In [`VALUES`]: the padding character.
const PAD: u8 = 0xfe;
/// In [`VALUES`]: never allowed.
const NONE: u8 = 0xff;

/// The six bits of every octet, or one of the classes above.
static VALUES: [u8; 256] = values();

#[allow(clippy::indexing_slicing, reason = "runs at compile time, where a wrong index is a build error")]
const fn values() -> [u8; 256] {
    let mut values = [NONE; 256];
    let mut index = 0;
    while index < 64 {
        values[ALPHABET[index] as usize] = index as u8;
        index += 1;
    }
    values[b' ' as usize] = SPACE;
    values[b'\t' as usize] = SPACE;
    values[b'\r' as usize] = SPACE;
    values[b'\n' as usize] = SPACE;
    values[b'=' as usize] = PAD;
    values
}

/// In [`GROUPS`]: set where the octet is no sextet.
const BAD: u32 = 0xff00_0000;

/// For each place in a group of four: the six bits of every octet where they belong in the 24 bits of the group, or [`BAD`].
/// A group is four look-ups and no shifts, which is three times as fast as one table for all places.
static GROUPS: [[u32; 256]; 4] = [groups(18), groups(12), groups(6), groups(0)];

#[allow(clippy::indexing_slicing, reason = "runs at compile time, where a wrong index is a build error")]
const fn groups(shift: u32) -> [u32; 256] {
    let mut bits = [BAD; 256];
    let mut index = 0;
    while index < 64 {
        bits[ALPHABET[index] as usize] = (index as u32) << shift;
        index += 1;
    }
    bits
}

/// The 24 bits of a group of four sextets; some of [`BAD`] is set if one is none.
fn group_bits(group: [u8; 4]) -> u32 {
    let [first, second, third, fourth] = &GROUPS;
    let bits = |table: &[u32; 256], octet: u8| table.get(usize::from(octet)).copied().unwrap_or(BAD);
    let [a, b, c, d] = group;
    bits(first, a) | bits(second, b) | bits(third, c) | bits(fourth, d)
}

fn value(octet: u8) -> u8 {
    VALUES.get(usize::from(octet)).copied().unwrap_or(NONE)
}

fn symbol(sextet: u32) -> u8 {
    ALPHABET.get((sextet & 63) as usize).copied().unwrap_or(b'=')
}

/// The two symbols of every twelve bits: half as many look-ups as with one table of 64, which makes up for its 8 KiB.
static PAIRS: [[u8; 2]; 4096] = pairs();

#[allow(clippy::indexing_slicing, reason = "runs at compile time, where a wrong index is a build error")]
const fn pairs() -> [[u8; 2]; 4096] {
    let mut pairs = [[0; 2]; 4096];
    let mut bits = 0;
    while bits < pairs.len() {
        pairs[bits] = [ALPHABET[bits >> 6], ALPHABET[bits & 63]];
        bits += 1;
    }
    pairs
}

/// The symbols of two whole triples.
#[inline]
fn symbols(six: [u8; 6]) -> [u8; 8] {
    let [a, b, c, d, e, f] = six;
    let bits = u64::from_be_bytes([0, 0, a, b, c, d, e, f]);
    let pair = |shift: u32| {
        let symbols = PAIRS.get((bits >> shift) as usize & 0xfff).copied().unwrap_or_default();
        u64::from(u16::from_le_bytes(symbols))
    };
    // One store of eight octets instead of eight.
    (pair(36) | pair(24) << 16 | pair(12) << 32 | pair(0) << 48).to_le_bytes()
}

/// The text of the octets, with padding and without line breaks.
#[must_use]
pub fn encode(octets: &[u8]) -> String {
    let mut out = Vec::new();
    encode_to(&mut out, octets);
    // The alphabet is ASCII.
    String::from_utf8(out).unwrap_or_default()
}

/// Appends the text of the octets to a buffer.
pub fn encode_to(out: &mut Vec<u8>, octets: &[u8]) {
    let start = out.len();
    out.resize(start + encoded_len(octets.len()), b'=');
    let (wide, octets) = octets.as_chunks::<6>();
    let places = out.get_mut(start..).unwrap_or_default();
    let (wide_places, places) = places.split_at_mut_checked(wide.len() * 8).unwrap_or_default();
    for (six, place) in wide.iter().zip(wide_places.as_chunks_mut().0) {
        *place = symbols(*six);
    }
    let places = places.as_chunks_mut::<4>().0;
    let (triples, last) = octets.as_chunks::<3>();
    let mut places = places.iter_mut();
    for ([a, b, c], place) in triples.iter().zip(&mut places) {
        let bits = u32::from(*a) << 16 | u32::from(*b) << 8 | u32::from(*c);
        *place = [symbol(bits >> 18), symbol(bits >> 12), symbol(bits >> 6), symbol(bits)];
    }
    // What is left of the places is filled with padding.
    if let Some([first, second, third, _]) = places.next() {
        let mut bits = 0;
        for (octet, shift) in last.iter().zip([16, 8]) {
            bits |= u32::from(*octet) << shift;
        }
        (*first, *second) = (symbol(bits >> 18), symbol(bits >> 12));
        if last.len() == 2 {
            *third = symbol(bits >> 6);
        }
    }
}

/// Length of the text of so many octets.
#[must_use]
pub const fn encoded_len(octets: usize) -> usize {
    octets.div_ceil(3).saturating_mul(4)
}

/// The octets of a text.
///
/// # Errors
/// [`Error::MalformedBase64`].
pub fn decode(text: &str) -> Result<Vec<u8>, Error> {
    decode_bytes(text.as_bytes())
}

/// As [`decode`], from octets.
///
/// # Errors
/// [`Error::MalformedBase64`].
pub fn decode_bytes(text: &[u8]) -> Result<Vec<u8>, Error> {
    let mut decoder = Decoder::new();
    let mut out = Vec::with_capacity(text.len() / 4 * 3 + 3);
    decoder.update(text, &mut out)?;
    decoder.finish()?;
    Ok(out)
}

/// A text under way, for texts that come in pieces.
#[derive(Debug, Default)]
pub struct Decoder {
    /// The sextets of an unfinished group.
    bits: u32,
    /// How many symbols of the group came, padding included.
    count: u8,
    /// How many of them are padding.
    pads: u8,
    /// A padded group ended: only white space may follow.
    ended: bool,
}

impl Decoder {
    /// Starts a text.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads a piece of text and appends its octets. After an error the decoder is of no more use.
    ///
    /// # Errors
    /// [`Error::MalformedBase64`].
    pub fn update(&mut self, mut text: &[u8], out: &mut Vec<u8>) -> Result<(), Error> {
        loop {
            if self.count == 0 && !self.ended {
                text = whole_groups(text, out);
            }
            // Here stands something other than a whole group: white space, padding, the end or an error.
            let Some((first, rest)) = text.split_first() else { return Ok(()) };
            text = rest;
            self.symbol(*first, out)?;
        }
    }

    fn symbol(&mut self, octet: u8, out: &mut Vec<u8>) -> Result<(), Error> {
        let value = value(octet);
        match value {
            SPACE => return Ok(()),
            _ if self.ended => return Err(Error::MalformedBase64),
            PAD if self.count >= 2 => {
                self.pads += 1;
                self.bits <<= 6;
            }
            // A sextet; after padding nothing but padding may complete the group.
            0..=63 if self.pads == 0 => self.bits = self.bits << 6 | u32::from(value),
            _ => return Err(Error::MalformedBase64),
        }
        self.count += 1;
        if self.count == 4 { self.group(out) } else { Ok(()) }
    }

    fn group(&mut self, out: &mut Vec<u8>) -> Result<(), Error> {
        let [_, a, b, c] = self.bits.to_be_bytes();
        match self.pads {
            0 => out.extend_from_slice(&[a, b, c]),
            1 if c == 0 => out.extend_from_slice(&[a, b]),
            2 if b == 0 && c == 0 => out.push(a),
            _ => return Err(Error::MalformedBase64),
        }
        *self = Self { ended: self.pads > 0, ..Self::default() };
        Ok(())
    }

    /// Ends the text.
    ///
    /// # Errors
    /// [`Error::MalformedBase64`] if a group is unfinished.
    pub fn finish(self) -> Result<(), Error> {
        if self.count == 0 { Ok(()) } else { Err(Error::MalformedBase64) }
    }
}

/// Groups that room is made for at a time: white space costs no more than so many octets of work at first, and never more
/// than the text before it.
const BATCH: usize = 64;
const MOST_BATCH: usize = 2048;

/// Decodes groups of four sextets without white space or padding, and gives the rest back.
fn whole_groups<'a>(mut text: &'a [u8], out: &mut Vec<u8>) -> &'a [u8] {
    let mut batch = BATCH;
    loop {
        let groups = text.as_chunks::<4>().0;
        let start = out.len();
        // In place: what is decoded may be a key, and leaves no copy behind.
        out.resize(start + groups.len().min(batch) * 3, 0);
        let mut done = 0;
        for (group, place) in groups.iter().zip(out.get_mut(start..).unwrap_or_default().as_chunks_mut().0) {
            let bits = group_bits(*group);
            if bits & BAD != 0 {
                break;
            }
            let [_, a, b, c] = bits.to_be_bytes();
            *place = [a, b, c];
            done += 1;
        }
        out.truncate(start + done * 3);
        text = text.get(done * 4..).unwrap_or_default();
        if done < batch {
            return text;
        }
        batch = (batch * 2).min(MOST_BATCH);
    }
}

#[cfg(test)]
mod tests;
