//! Messages to measure with: SOAP 1.1 envelopes of exact sizes, each different from the others.
//!
//! An envelope holds a Security header with a Timestamp and an order of many lines in two namespaces, with `&amp;` and
//! `&lt;` in its text. The prefixes are declared on the Envelope, as most stacks do, so the exclusive canonical form of the
//! Body is not a copy of its text: every line declares its namespace anew. Messages come in rotations, so that neither the
//! processor's caches nor its branch prediction see one message twice in a row. Not here: keys, security. Called by the
//! benches and by whoever drives a server.

use std::fmt::Write as _;

use bartizan_xml::names::ns;

#[cfg(test)]
mod tests;

/// Messages in one rotation, at least.
pub const ROTATION: usize = 64;

const ORDER: &str = "urn:example:lab:order";
const ITEM: &str = "urn:example:lab:item";

/// The sizes that are measured.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Size {
    /// 1,717 octets: a call with a few values.
    Small,
    /// 10,211 octets: a business document.
    Medium,
    /// 1,000,215 octets: a batch.
    Large,
}

impl Size {
    /// All of them, smallest first.
    pub const ALL: [Size; 3] = [Size::Small, Size::Medium, Size::Large];

    /// Octets of the envelope.
    #[must_use]
    pub const fn octets(self) -> usize {
        match self {
            Size::Small => 1_717,
            Size::Medium => 10_211,
            Size::Large => 1_000_215,
        }
    }

    /// As it is written in tables.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Size::Small => "1.7K",
            Size::Medium => "10K",
            Size::Large => "1M",
        }
    }
}

/// One message, in the two forms in which it is needed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Message {
    /// The whole envelope, exactly as long as its size says.
    pub envelope: String,
    /// The content of its Body in exclusive canonical form: what an application hands over to be sent.
    pub payload: String,
}

/// `count` different messages of one size; the same seed gives the same messages.
#[must_use]
pub fn rotation(size: Size, count: usize, seed: u64) -> Vec<Message> {
    (0..count as u64).map(|number| message(size, number, seed)).collect()
}

fn message(size: Size, number: u64, seed: u64) -> Message {
    // The size and the number are part of what is drawn from, so no two rotations share a text.
    let start = seed ^ (size.octets() as u64) << 32 ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut chance = Chance(start);
    let (head, tail) = frame(&mut chance);
    let opening = format!("<ord:Order number=\"{:08}\">", chance.below(100_000_000));
    let closing = "</ord:Note></ord:Order>";
    let fixed = head.len() + opening.len() + "<ord:Note>".len() + closing.len() + tail.len();
    let room = size.octets().saturating_sub(fixed);

    let mut lines = String::with_capacity(room);
    let mut count = 0;
    loop {
        count += 1;
        let line = line(count, &mut chance);
        if lines.len() + line.len() > room {
            break;
        }
        lines.push_str(&line);
    }
    let note = words(room - lines.len(), &mut chance);
    let body = format!("{opening}{lines}<ord:Note>{note}{closing}");
    let payload = body
        .replacen("<ord:Order ", &format!("<ord:Order xmlns:ord=\"{ORDER}\" "), 1)
        .replace("<itm:Line ", &format!("<itm:Line xmlns:itm=\"{ITEM}\" "));
    Message { envelope: format!("{head}{body}{tail}"), payload }
}

/// What stands before and after the Body's content.
fn frame(chance: &mut Chance) -> (String, String) {
    let (soap, wsse, wsu) = (ns::SOAP11.uri(), ns::WSSE.uri(), ns::WSU.uri());
    let head = format!(
        "<soap:Envelope xmlns:soap=\"{soap}\" xmlns:wsu=\"{wsu}\" xmlns:ord=\"{ORDER}\" xmlns:itm=\"{ITEM}\">\
         <soap:Header><wsse:Security xmlns:wsse=\"{wsse}\" soap:mustUnderstand=\"1\">\
         <wsu:Timestamp wsu:Id=\"TS-{:016x}\"><wsu:Created>2026-11-30T12:00:00Z</wsu:Created>\
         <wsu:Expires>2026-11-30T12:05:00Z</wsu:Expires></wsu:Timestamp></wsse:Security></soap:Header>\
         <soap:Body wsu:Id=\"B-{:016x}\">",
        chance.next(),
        chance.next()
    );
    (head, "</soap:Body></soap:Envelope>".to_owned())
}

fn line(number: u64, chance: &mut Chance) -> String {
    const GOODS: [&str; 6] =
        ["Nut &amp; bolt", "Hinge", "Pipe &lt; 5 mm", "Bracket", "Seal &amp; ring", "Valve"];
    let goods = GOODS.get(chance.below(6) as usize).copied().unwrap_or_default();
    let mut line = String::with_capacity(224);
    // Writing to a String cannot fail.
    let _ = write!(
        line,
        "<itm:Line number=\"{number}\"><itm:Sku>{:c$x}</itm:Sku><itm:Name>{goods} {}</itm:Name>\
         <itm:Quantity unit=\"piece\">{}</itm:Quantity><itm:Price>{}.{:02}</itm:Price></itm:Line>",
        chance.next() & 0xffff_ffff,
        words(8 + chance.below(24) as usize, &mut Chance(chance.next())),
        1 + chance.below(500),
        chance.below(10_000),
        chance.below(100),
        c = 1,
    );
    line
}

/// Exactly `len` characters of small letters in words.
fn words(len: usize, chance: &mut Chance) -> String {
    let mut text = String::with_capacity(len);
    for at in 0..len {
        let letter = u8::try_from(chance.below(26)).map_or('a', |n| char::from(b'a' + n));
        text.push(if at % 7 == 6 && at + 1 < len { ' ' } else { letter });
    }
    text
}

/// SplitMix64: small, repeatable, and good enough for texts.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }
}
