//! A digest that differs: the octets that we digested, and the first one that is not the
//! peer's.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use bartizan_wss::error::DigestOctets;

use crate::output::{self, Failure};

/// Octets of surroundings that are shown before and after a difference.
const AROUND: usize = 24;

/// Writes our octets to `file` and compares them with `other`, as far as each is asked for.
pub(super) fn digest(
    octets: &DigestOctets,
    file: Option<&Path>,
    other: Option<&Path>,
) -> Result<(), Failure> {
    if let Some(file) = file {
        // Plaintext of an encrypted message, maybe.
        let opened = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(file);
        opened
            .and_then(|mut out| out.write_all(&octets.octets))
            .map_err(|error| Failure::file("write", file, &error))?;
        let (reference, count) = (octets.reference, octets.octets.len());
        output::say(format_args!(
            "the {count} canonical octets that we digested for Reference {reference} are in {}",
            file.display()
        ));
    }
    if let Some(path) = other {
        let theirs = output::read_file(path)?;
        output::say(difference(&octets.octets, &theirs));
    }
    Ok(())
}

/// Where two byte strings begin to differ, in words.
pub(crate) fn difference(ours: &[u8], theirs: &[u8]) -> String {
    if ours == theirs {
        return "the octets are the same: the digest in the message is of something else".to_owned();
    }
    let at = ours.iter().zip(theirs).take_while(|(one, other)| one == other).count();
    format!(
        "the octets differ from byte {at} on\n  ours   ({} bytes): {}\n  theirs ({} bytes): {}",
        ours.len(),
        around(ours, at),
        theirs.len(),
        around(theirs, at)
    )
}

/// The surroundings of `at`, with what cannot be seen escaped and the place marked.
fn around(octets: &[u8], at: usize) -> String {
    let start = at.saturating_sub(AROUND);
    let end = (at + AROUND).min(octets.len());
    let show = |part: &[u8]| part.escape_ascii().to_string().replace("\\\"", "\"").replace("\\'", "'");
    let before = show(octets.get(start..at).unwrap_or_default());
    let after = show(octets.get(at..end).unwrap_or_default());
    format!("…{before}»{after}…")
}

#[cfg(test)]
mod tests;
