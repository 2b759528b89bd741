//! A digest that differs: the octets that we digested, and the first one that is not the
//! peer's.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use bartizan_wss::error::DigestOctets;

use crate::output::{self, Failure};

/// Octets of surroundings that are shown before and after a difference.
const AROUND: usize = 24;

/// Writes our octets to `file`. That they cannot be written is said, and changes nothing about the verdict.
pub(super) fn keep(octets: &DigestOctets, file: PathBuf) -> Option<PathBuf> {
    // Plaintext of an encrypted message, maybe.
    let opened = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&file);
    match opened.and_then(|mut out| out.write_all(&octets.octets)) {
        Ok(()) => Some(file),
        Err(error) => {
            Failure::file("write", &file, &error).print();
            None
        }
    }
}

/// Says where our octets are and how they differ from those of `other`, as far as each is asked for. A file that
/// cannot be read changes nothing about the verdict.
pub(super) fn digest(octets: &DigestOctets, kept: Option<&Path>, other: Option<&Path>) {
    if let Some(file) = kept {
        let (reference, count) = (octets.reference, octets.octets.len());
        output::say(format_args!(
            "the {count} canonical bytes that we digested for Reference {reference} are in {}",
            file.display()
        ));
    }
    if let Some(path) = other {
        match output::read_file(path) {
            Ok(theirs) => output::say(difference(&octets.octets, &theirs)),
            Err(failure) => failure.print(),
        }
    }
}

/// Where two byte strings begin to differ, in words.
pub(crate) fn difference(ours: &[u8], theirs: &[u8]) -> String {
    if ours == theirs {
        return "the bytes are the same: the digest in the message is of something else".to_owned();
    }
    let at = ours.iter().zip(theirs).take_while(|(one, other)| one == other).count();
    format!(
        "the bytes differ from byte {at} on\n  ours   ({} bytes): {}\n  theirs ({} bytes): {}",
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
