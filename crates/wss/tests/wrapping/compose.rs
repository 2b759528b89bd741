//! From one combination to the text of a message.

use crate::fixture::PAYLOAD;
use crate::hosts::Host;
use crate::message::{Base, Signed};
use crate::product::{Choice, Id, Payload, Signature, Where, Wrapper};

/// Stands where the host is while a forged part is made; occurs in no message.
const MARK: char = '\u{E000}';

/// The message of a combination; `None` where it makes no sense: a host within something that is gone or that is moved into itself.
pub(crate) fn compose(base: &Base, set: u8, host: &Host, c: &Choice) -> Option<String> {
    if c.payload == Payload::Ciphertext && set & 1 == 0 {
        return None;
    }
    let within = host.part.filter(|p| set & 1 << p != 0);
    if (within.is_some() && c.place != Where::Original)
        || (host.in_signature && c.signature == Signature::Moved)
    {
        return None;
    }
    let moved: Vec<usize> = (0..base.parts.len()).filter(|p| set & 1 << p != 0).collect();
    let forged = |p: usize| forge(base, p, (within == Some(p)).then_some(host), c);
    let mut load = Vec::new();
    for &p in &moved {
        load.push((p, stand(c.place, &base.text[base.parts[p].clone()], &|| forged(p))?));
    }
    let (open, close) = &host.around;
    let mut inserted = format!("{open}{}", wrap(base, c.wrapper, &load));
    let signature = &base.text[base.signature.clone()];
    if c.signature != Signature::Left {
        // Beside the part, within the wrapper.
        let end = inserted.len() - ending(base, c.wrapper, &load);
        inserted.insert_str(end, signature);
    }
    inserted.push_str(close);
    let mut edits: Vec<(usize, usize, String)> = Vec::new();
    for &p in &moved {
        let slot = if c.place == Where::Original { forged(p)? } else { String::new() };
        edits.push((base.parts[p].start, base.parts[p].end, slot));
    }
    if c.signature == Signature::Moved {
        edits.push((base.signature.start, base.signature.end, String::new()));
    }
    if let (Some((range, key, _)), Payload::Ciphertext) = (&base.key, c.payload) {
        if range.start < host.at && host.at < range.end {
            return None;
        }
        edits.push((range.start, range.end, key.clone()));
    }
    match within {
        // The mark is in one of the forged parts.
        Some(_) => {
            let edit = edits.iter_mut().find(|e| e.2.contains(MARK))?;
            edit.2 = edit.2.replace(MARK, &inserted);
        }
        None => edits.push((host.at, host.at, inserted)),
    }
    Some(applied(&base.text, edits))
}

fn applied(text: &str, mut edits: Vec<(usize, usize, String)>) -> String {
    edits.sort_by_key(|(start, end, _)| (*start, *end));
    let more: usize = edits.iter().map(|e| e.2.len()).sum();
    let mut out = String::with_capacity(text.len() + more);
    let mut at = 0;
    for (start, end, new) in edits {
        out.push_str(&text[at..start]);
        out.push_str(&new);
        at = end;
    }
    out.push_str(&text[at..]);
    out
}

/// What stands in the host for one part.
fn stand(place: Where, genuine: &str, forged: &dyn Fn() -> Option<String>) -> Option<String> {
    Some(match place {
        Where::Original => genuine.to_owned(),
        Where::Before => forged()? + genuine,
        Where::After => genuine.to_owned() + &forged()?,
        Where::Inside => into(genuine, &forged()?),
        Where::Around => into(&forged()?, genuine),
    })
}

/// `inner` as the last child of `outer`.
fn into(outer: &str, inner: &str) -> String {
    let (before, end) = outer.split_at(outer.rfind("</").unwrap());
    format!("{before}{inner}{end}")
}

fn wrap(base: &Base, wrapper: Wrapper, load: &[(usize, String)]) -> String {
    let of = |kinds: &[Signed]| -> String {
        load.iter().filter(|(p, _)| kinds.contains(&base.kinds[*p])).map(|(_, t)| t.as_str()).collect()
    };
    match wrapper {
        Wrapper::None => load.iter().map(|(_, t)| t.as_str()).collect(),
        Wrapper::Foreign => format!("<w:wrap xmlns:w=\"urn:w\">{}</w:wrap>", of(&base.kinds)),
        Wrapper::Parent => load
            .iter()
            .map(|(p, t)| {
                let parent = parent(base.kinds[*p]);
                format!("<{parent}>{t}</{parent}>")
            })
            .collect(),
        Wrapper::Chain => {
            let (inner, blocks) = (
                of(&[Signed::Timestamp, Signed::Token, Signed::User, Signed::Sealed]),
                of(&[Signed::To, Signed::Action, Signed::MessageId]),
            );
            let security =
                if inner.is_empty() { inner } else { format!("<wsse:Security>{inner}</wsse:Security>") };
            let body = of(&[Signed::Body]);
            format!("<soap:Envelope><soap:Header>{security}{blocks}</soap:Header>{body}</soap:Envelope>")
        }
    }
}

/// How many octets of [`wrap`]'s end are end tags of wrappers that the Signature goes before.
fn ending(base: &Base, wrapper: Wrapper, load: &[(usize, String)]) -> usize {
    match wrapper {
        Wrapper::None => 0,
        Wrapper::Foreign => "</w:wrap>".len(),
        Wrapper::Parent => load.last().map_or(0, |(p, _)| parent(base.kinds[*p]).len() + 3),
        Wrapper::Chain => "</soap:Envelope>".len(),
    }
}

fn parent(part: Signed) -> &'static str {
    match part {
        Signed::Body => "soap:Envelope",
        Signed::To | Signed::Action | Signed::MessageId => "soap:Header",
        Signed::Timestamp | Signed::Token | Signed::User | Signed::Sealed => "wsse:Security",
    }
}

/// The forged form of a part, with the mark where the host is.
fn forge(base: &Base, p: usize, host: Option<&Host>, c: &Choice) -> Option<String> {
    let span = base.parts[p].clone();
    let mut part = base.text[span.clone()].to_owned();
    if let Some(host) = host {
        part.insert(host.at - span.start, MARK);
    }
    let open = part.find('>').unwrap() + 1;
    let close = part.rfind("</").unwrap();
    let (start, content, end) = (&part[..open], &part[open..close], &part[close..]);
    let mark = || match host {
        Some(host) if host.own_gap => Some(MARK.to_string()),
        // The element that was to be the host is gone.
        Some(_) => None,
        None => Some(String::new()),
    };
    let start = with_id(start, c.id);
    let whole = |content: &str| Some(format!("{start}{content}{end}"));
    let kind = base.kinds[p];
    match (c.payload, kind) {
        (Payload::Emptied, _) => whole(&mark()?),
        (Payload::Ciphertext, Signed::Body) => whole(&(mark()? + &base.key.as_ref()?.2)),
        (Payload::Text, Signed::Body) if base.key.is_some() => {
            whole(&(mark()? + &PAYLOAD.replace("test me", "evil me")))
        }
        (Payload::Text | Payload::Ciphertext, _) => whole(&changed(base, kind, content)),
        (Payload::Name, Signed::Body) if base.key.is_some() => {
            whole(&content.replace("xenc:EncryptedData", "xenc:EncryptedDatum"))
        }
        (Payload::Name, Signed::Body) => whole(&content.replace("greetRequest", "evilRequest")),
        (Payload::Name, Signed::Timestamp) => whole(&content.replace("wsu:Created", "wsu:Creation")),
        (Payload::Name, _) => {
            let (_, local) = kind.name();
            Some(format!("{start}{content}{end}").replace(&format!(":{local}"), &format!(":{local}s")))
        }
    }
}

/// The content with another text.
fn changed(base: &Base, kind: Signed, content: &str) -> String {
    match kind {
        Signed::Body => content.replace("test me", "evil me"),
        Signed::Timestamp => content.replace("T12:00:", "T11:59:").replace("T12:05:", "T12:04:"),
        Signed::To | Signed::Action | Signed::MessageId => content.replace("urn:", "urn:evil:"),
        // The mark is before or behind the text.
        Signed::User => content.replace(">alice<", ">bob<"),
        Signed::Sealed => content.replace(ciphertext(content), ciphertext(&base.stranger)),
        Signed::Token => {
            let text: String = content.chars().filter(|c| *c != MARK).collect();
            content.replace(&text, &base.stranger)
        }
    }
}

/// The text of the CipherValue.
fn ciphertext(content: &str) -> &str {
    let (_, rest) = content.split_once("<xenc:CipherValue>").expect("a ciphertext");
    rest.split_once("</xenc:CipherValue>").expect("its end").0
}

fn with_id(start: &str, id: Id) -> String {
    let marks = [" wsu:Id=\"", " Id=\""];
    let found = marks.into_iter().find_map(|mark| start.find(mark).map(|at| (at, mark)));
    let (at, mark) = found.expect("an Id");
    let value = at + mark.len();
    let end = value + start[value..].find('"').unwrap() + 1;
    let (own, value) = (&start[at..end], &start[value..end - 1]);
    let new = match id {
        Id::Same => own.to_owned(),
        Id::Rotated => " wsu:Id=\"other\"".to_owned(),
        Id::Removed => String::new(),
        Id::Moved("foo:Id") => format!(" xmlns:foo=\"urn:foo\" foo:Id=\"{value}\""),
        Id::Moved(attribute) => format!(" {attribute}=\"{value}\""),
        Id::Padded => format!(" wsu:Id=\" {value} \""),
    };
    format!("{}{new}{}", &start[..at], &start[end..])
}
