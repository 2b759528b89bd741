//! Character data: runs of text and CDATA sections.

use super::Builder;
use crate::doc::arena::{Kind, RAW};
use crate::error::{Error, ErrorKind};
use crate::scan;

impl Builder<'_> {
    /// A run of text up to the next `<`.
    #[inline]
    pub(super) fn characters(&mut self) -> Result<(), Error> {
        let start = self.pos;
        let end = scan::text_end(self.bytes, start);
        if self.bytes.get(end) == Some(&b'<') && !self.open.is_empty() {
            // Nothing to look at in an element is what there is mostly.
            self.push(Kind::Text, RAW, start, end)?;
            self.pos = end;
            return Ok(());
        }
        self.other_characters(end)
    }

    /// As [`Builder::characters`], where the first octet that needs a look is known.
    #[inline(never)]
    fn other_characters(&mut self, look: usize) -> Result<(), Error> {
        let start = self.pos;
        if self.open.is_empty() && !self.fragment {
            let end = scan::space_end(self.bytes, start);
            return match self.bytes.get(end) {
                None | Some(b'<') => {
                    self.pos = end;
                    Ok(())
                }
                Some(_) => Err(Error::new(ErrorKind::OutsideRoot, end)),
            };
        }
        let mut at = look;
        let mut raw = true;
        // Where the side text began, once something differs from what is written, and how far it reaches.
        let (mut side, mut copied) = (None, start);
        loop {
            match self.bytes.get(at) {
                None | Some(b'<') => break,
                Some(b'>') => {
                    raw = false;
                    if at >= start + 2 && self.bytes.get(at - 2..at) == Some(b"]]") {
                        return Err(Error::new(ErrorKind::CdataEnd, at - 2));
                    }
                    at += 1;
                }
                Some(b'&') => {
                    let reference = scan::reference(self.text, at)?;
                    raw &= reference.canonical_text;
                    side.get_or_insert(self.arena.side.len());
                    self.arena.side.push_str(self.text.get(copied..at).unwrap_or_default());
                    self.arena.side.push(reference.character);
                    at = reference.end;
                    copied = at;
                }
                Some(b'\r') => {
                    raw = false;
                    side.get_or_insert(self.arena.side.len());
                    self.arena.side.push_str(self.text.get(copied..at).unwrap_or_default());
                    self.arena.side.push('\n');
                    at += if self.bytes.get(at + 1) == Some(&b'\n') { 2 } else { 1 };
                    copied = at;
                }
                Some(_) => at += scan::step_special(self.bytes, at)?,
            }
            at = scan::text_end(self.bytes, at);
        }
        let id = self.push(Kind::Text, if raw { RAW } else { 0 }, start, at)?;
        if let Some(from) = side {
            self.arena.side.push_str(self.text.get(copied..at).unwrap_or_default());
            self.set_side(id, from);
        }
        if self.open.is_empty() && !self.top_text {
            let text = self.bytes.get(start..at).unwrap_or_default();
            self.top_text = text.iter().any(|&b| !scan::is_space(b));
        }
        self.pos = at;
        Ok(())
    }

    pub(super) fn cdata(&mut self) -> Result<(), Error> {
        let start = self.pos + 9;
        let body = self.bytes.get(start..).unwrap_or_default();
        let Some(len) = memchr::memmem::find(body, b"]]>") else {
            return Err(self.error(ErrorKind::UnexpectedEnd));
        };
        let body = body.get(..len).unwrap_or_default();
        self.leaf(Kind::CData, start, start + len)?;
        if memchr::memchr3(b'&', b'<', b'>', body).is_none()
            && memchr::memchr(b'\r', body).is_none()
            && let Some(id) = self.arena.nodes.len().checked_sub(1)
        {
            self.set_flags(id, RAW);
        }
        self.top_text |= self.open.is_empty();
        self.pos = start + len + 3;
        Ok(())
    }
}
