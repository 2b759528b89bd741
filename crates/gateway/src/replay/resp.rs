//! What is said to the shared engine and what it answers: the five kinds of reply of its protocol, version 2.
//!
//! Octets in, octets out; no socket here. Ours because a client library brings 57 packages (an URL parser with the tables
//! of Unicode among them) for the seven commands that a guard needs. Called by `connection`.

/// A line of a reply: a status, an error, a number, a length.
const LINE: usize = 1024;
/// The longest text of a reply that is taken: two sections of the engine's own description are a few KiB.
const TEXT: usize = 64 * 1024;

/// One reply. The parts of a list follow as replies of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Reply {
    /// A status or a text.
    Text(Vec<u8>),
    /// A number.
    Number(i64),
    /// Nothing is there.
    Nil,
    /// So many replies follow.
    List(usize),
    /// An error: its first word. The rest may repeat what we sent, a password for one.
    Error(String),
}

/// The reply is not of the protocol, or longer than anything we ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Malformed;

/// Appends a command.
pub(super) fn command(out: &mut Vec<u8>, parts: &[&[u8]]) {
    out.extend_from_slice(format!("*{}\r\n", parts.len()).as_bytes());
    for part in parts {
        out.extend_from_slice(format!("${}\r\n", part.len()).as_bytes());
        out.extend_from_slice(part);
        out.extend_from_slice(b"\r\n");
    }
}

/// The reply at the start of `input` and its length; `None` if it is not there in full yet.
pub(super) fn decode(input: &[u8]) -> Result<Option<(Reply, usize)>, Malformed> {
    let window = input.get(..LINE).unwrap_or(input);
    let Some(end) = window.windows(2).position(|pair| pair == b"\r\n") else {
        return if input.len() >= LINE { Err(Malformed) } else { Ok(None) };
    };
    let (kind, line) = window.get(..end).and_then(<[u8]>::split_first).ok_or(Malformed)?;
    let after = end + 2;
    let reply = match kind {
        b'+' => Reply::Text(line.to_vec()),
        b'-' => Reply::Error(first_word(line)),
        b':' => Reply::Number(number(line)?),
        b'$' | b'*' if line == b"-1" => Reply::Nil,
        b'*' => Reply::List(usize::try_from(number(line)?).map_err(|_| Malformed)?),
        b'$' => return text(input, after, usize::try_from(number(line)?).map_err(|_| Malformed)?),
        _ => return Err(Malformed),
    };
    Ok(Some((reply, after)))
}

/// A text of `length` octets from `start` on, with its end of line.
fn text(input: &[u8], start: usize, length: usize) -> Result<Option<(Reply, usize)>, Malformed> {
    if length > TEXT {
        return Err(Malformed);
    }
    let end = start + length;
    match (input.get(start..end), input.get(end..end + 2)) {
        (Some(text), Some(b"\r\n")) => Ok(Some((Reply::Text(text.to_vec()), end + 2))),
        (_, None) => Ok(None),
        _ => Err(Malformed),
    }
}

fn number(line: &[u8]) -> Result<i64, Malformed> {
    std::str::from_utf8(line).ok().and_then(|text| text.parse().ok()).ok_or(Malformed)
}

/// The code of an error, `NOAUTH` for one.
fn first_word(line: &[u8]) -> String {
    let word = line.split(|octet| *octet == b' ').next().unwrap_or_default();
    let short = word.get(..32).unwrap_or(word);
    short.iter().filter(|octet| octet.is_ascii_alphanumeric()).map(|octet| char::from(*octet)).collect()
}

#[cfg(test)]
mod tests;
