//! Start tags, attributes, namespace declarations and end tags.

use super::{Builder, Open};
use crate::doc::arena::{
    AttrData, DECLARATION, DECLARES, Kind, NodeData, PLAIN, PREFIXED, RAW, RAW_END, SIDE, SORTED,
};
use crate::doc::intern::{PREFIX_NONE, PREFIX_XML};
use crate::error::{Error, ErrorKind};
use crate::limits::Quantity;
use crate::scan;

/// Above this number duplicates are found by sorting.
const FEW: usize = 16;

/// An attribute value as read.
struct Value {
    start: usize,
    end: usize,
    flags: u8,
    /// Written as canonical forms write it.
    raw: bool,
    after: usize,
}

/// What is known of a start tag so far.
struct Tag {
    flags: u8,
    /// Written as canonical forms write it, the order of attributes aside.
    raw: bool,
    /// Has namespace declarations.
    declares: bool,
    empty: bool,
}

impl Builder<'_> {
    pub(super) fn start_tag(&mut self) -> Result<(), Error> {
        let start = self.pos;
        if self.open.is_empty() {
            if self.roots > 0 && !self.fragment {
                return Err(self.error(ErrorKind::OutsideRoot));
            }
            self.roots += 1;
        }
        if self.place.depth + self.open.len() >= self.limits.depth {
            return Err(self.limit(Quantity::Depth));
        }
        let written = self.name(start + 1)?;
        let name = (self.pos - start - 1) as u32;
        let undo = self.undo.len();
        let first = self.arena.attrs.len();
        let parent = self.admit()?;
        let mut tag = Tag { flags: SORTED, raw: true, declares: false, empty: false };
        if self.bytes.get(self.pos) == Some(&b'>') {
            self.pos += 1;
        } else {
            self.attributes(first, &mut tag)?;
        }
        let namespace = self
            .meaning(self.arena.names.prefix_of(written))
            .ok_or(Error::new(ErrorKind::UnboundPrefix, start + 1))?;
        let qname = self.arena.names.qname(written, namespace).map_err(|e| e.at(start))?;
        if self.arena.attrs.len() > first {
            self.resolve(first, start, &mut tag)?;
        }
        if tag.raw && !tag.empty && tag.flags & SORTED != 0 {
            tag.flags |= if tag.declares { DECLARES } else { RAW };
        }
        let id = self.arena.nodes.len() as u32;
        self.arena.nodes.push(NodeData {
            kind: Kind::Element,
            flags: tag.flags,
            qname,
            start: start as u32,
            end: self.pos as u32,
            parent,
            next: id + 1,
            attrs: first as u32,
        });
        if tag.empty {
            self.unbind(undo);
        } else {
            self.open.push(Open { node: id, undo: undo as u32, children: 0, name });
        }
        Ok(())
    }

    /// Reads the name at `start` and moves behind it. Gives the id of the name as written.
    #[inline]
    fn name(&mut self, start: usize) -> Result<u16, Error> {
        match self.arena.names.again(self.bytes, start) {
            Some((id, end)) if end - start <= self.limits.name_bytes => {
                self.pos = end;
                Ok(id)
            }
            _ => self.other_name(start),
        }
    }

    #[inline(never)]
    fn other_name(&mut self, start: usize) -> Result<u16, Error> {
        let span = scan::qname(self.text, start)?;
        if span.end - start > self.limits.name_bytes {
            return Err(self.limit(Quantity::NameBytes));
        }
        self.pos = span.end;
        let text = self.text.get(start..span.end).unwrap_or_default();
        self.arena.names.written(text, span.colon.map(|c| c - start)).map_err(|e| e.at(start))
    }

    /// Reads the attributes up to the end of the tag. Notes whether all is written as in canonical forms (order aside)
    /// and whether the tag is empty.
    fn attributes(&mut self, first: usize, tag: &mut Tag) -> Result<(), Error> {
        let mut declarations = 0;
        loop {
            let mut at = self.pos + 1;
            // One blank and something dark is what there is nearly always.
            let plain = self.bytes.get(self.pos) == Some(&b' ')
                && self.bytes.get(at).is_some_and(|&b| b > b' ' && b != b'/' && b != b'>');
            if !plain {
                at = scan::space_end(self.bytes, self.pos);
                if self.tag_end(at, tag)? {
                    return Ok(());
                }
                tag.raw &= at == self.pos + 1 && self.bytes.get(self.pos) == Some(&b' ');
            }
            let rest = self.bytes.get(at..).unwrap_or_default();
            if let [b'x', b'm', b'l', b'n', b's', b'=' | b':' | b' ' | b'\t' | b'\r' | b'\n', ..] = rest {
                declarations += 1;
                if declarations > self.limits.namespaces {
                    return Err(Error::limit(Quantity::Namespaces, at));
                }
                // Declarations stand before attributes in canonical forms.
                tag.raw &= self.arena.attrs.len() - first < declarations;
                tag.declares = true;
                tag.raw &= self.namespace_declaration(at, first)?;
            } else {
                if self.arena.attrs.len() - first >= self.limits.attributes + declarations {
                    return Err(Error::limit(Quantity::Attributes, at));
                }
                let written = self.name(at)?;
                let value = self.value()?;
                tag.raw &= value.raw;
                self.pos = value.after;
                self.arena.attrs.push(AttrData {
                    qname: written,
                    flags: value.flags,
                    start: value.start as u32,
                    end: value.end as u32,
                });
            }
        }
    }

    /// Tells whether the tag ends at `at`, where white space from `self.pos` on ends, and moves behind it then.
    fn tag_end(&mut self, at: usize, tag: &mut Tag) -> Result<bool, Error> {
        match self.bytes.get(at) {
            Some(b'>') => {
                tag.raw &= at == self.pos;
                self.pos = at + 1;
                Ok(true)
            }
            Some(b'/') => match self.bytes.get(at + 1) {
                Some(b'>') => {
                    self.pos = at + 2;
                    tag.empty = true;
                    Ok(true)
                }
                Some(_) => Err(Error::new(ErrorKind::Tag, at)),
                None => Err(Error::new(ErrorKind::UnexpectedEnd, at)),
            },
            None => Err(Error::new(ErrorKind::UnexpectedEnd, at)),
            Some(_) if at == self.pos => Err(Error::new(ErrorKind::Tag, at)),
            Some(_) => Ok(false),
        }
    }

    /// Reads a declaration. Tells whether it is written as in canonical forms.
    #[inline(never)]
    fn namespace_declaration(&mut self, at: usize, first: usize) -> Result<bool, Error> {
        let span = scan::qname(self.text, at)?;
        if span.end - at > self.limits.name_bytes {
            return Err(Error::limit(Quantity::NameBytes, at));
        }
        let prefix = match span.colon {
            Some(colon) => self.text.get(colon + 1..span.end).unwrap_or_default(),
            None => "",
        };
        let prefix = self.arena.names.intern_prefix(prefix).map_err(|e| e.at(at))?;
        self.pos = span.end;
        let (namespace, value) = self.declared_value(prefix, at)?;
        // One declaration a prefix and element: those of this element are the ones that can be undone last.
        let mine = self.arena.attrs.get(first..).unwrap_or_default();
        if mine.len() <= FEW && mine.iter().any(|a| a.flags & DECLARATION != 0 && a.qname == prefix) {
            return Err(Error::new(ErrorKind::DuplicateAttribute, at));
        }
        if prefix != PREFIX_XML {
            self.bind(prefix, namespace);
            if self.undo.len() + self.place.bindings.len() > self.limits.namespaces_in_scope {
                return Err(Error::limit(Quantity::NamespacesInScope, at));
            }
        }
        self.pos = value.after;
        let start = u32::from(namespace);
        self.arena.attrs.push(AttrData { qname: prefix, flags: DECLARATION | PLAIN, start, end: 0 });
        Ok(value.raw)
    }

    /// Reads the value of the declaration of a prefix from `self.pos` on and judges it. Gives the namespace, too.
    fn declared_value(&mut self, prefix: u16, at: usize) -> Result<(u16, Value), Error> {
        let start = self.pos + 2;
        // Nearly always a prefix means what it meant before, and one look says so.
        if self.bytes.get(self.pos..start) == Some(b"=\"")
            && let Some(text) = self.bytes.get(start..)
            && let Some((namespace, len)) = self.arena.names.same_meaning(prefix, text)
            && text.get(len) == Some(&b'"')
            && len <= self.limits.attribute_bytes
        {
            let end = start + len;
            return Ok((namespace, Value { start, end, flags: PLAIN, raw: true, after: end + 1 }));
        }
        let side = self.arena.side.len();
        let value = self.value()?;
        let uri: String;
        let text = if value.flags & SIDE == 0 {
            self.text.get(value.start..value.end).unwrap_or_default()
        } else {
            uri = self.arena.side.get(side..).unwrap_or_default().to_owned();
            self.arena.side.truncate(side);
            &uri
        };
        let namespace = self.declared(prefix, text, at)?;
        Ok((namespace, value))
    }

    /// Reads `= "value"` from `self.pos` on.
    #[inline]
    fn value(&mut self) -> Result<Value, Error> {
        let start = self.pos + 2;
        if self.bytes.get(self.pos..start) == Some(b"=\"") {
            // Nothing but plain characters between double quotes is what there is nearly always.
            let end = scan::value_end(self.bytes, start);
            if self.bytes.get(end) == Some(&b'"') && end - start <= self.limits.attribute_bytes {
                return Ok(Value { start, end, flags: PLAIN, raw: true, after: end + 1 });
            }
        }
        self.other_value()
    }

    #[inline(never)]
    fn other_value(&mut self) -> Result<Value, Error> {
        let equals = scan::space_end(self.bytes, self.pos);
        let quote_at = scan::space_end(self.bytes, equals + 1);
        let quote = match (self.bytes.get(equals), self.bytes.get(quote_at)) {
            (Some(b'='), Some(&quote @ (b'"' | b'\''))) => quote,
            (Some(b'='), Some(_)) => return Err(Error::new(ErrorKind::AttributeValue, quote_at)),
            (Some(b'='), None) | (None, _) => return Err(Error::new(ErrorKind::UnexpectedEnd, equals)),
            _ => return Err(Error::new(ErrorKind::Tag, equals)),
        };
        let mut raw = quote == b'"' && quote_at == self.pos + 1;
        let start = quote_at + 1;
        let mut plain = true;
        let (mut side, mut copied, mut at) = (None, start, start);
        loop {
            at = scan::value_end(self.bytes, at);
            let Some(&octet) = self.bytes.get(at) else {
                return Err(Error::new(ErrorKind::UnexpectedEnd, at));
            };
            match octet {
                _ if octet == quote => break,
                b'<' => return Err(Error::new(ErrorKind::AttributeValue, at)),
                b'"' => (plain, at) = (false, at + 1),
                b'\'' => at += 1,
                b'&' | b'\t' | b'\n' | b'\r' => {
                    side.get_or_insert(self.arena.side.len());
                    self.arena.side.push_str(self.text.get(copied..at).unwrap_or_default());
                    if octet == b'&' {
                        let reference = scan::reference(self.text, at)?;
                        raw &= reference.canonical_value;
                        plain &= !matches!(reference.character, '&' | '<' | '"' | '\t' | '\n' | '\r');
                        self.arena.side.push(reference.character);
                        at = reference.end;
                    } else {
                        raw = false;
                        self.arena.side.push(' ');
                        let both = octet == b'\r' && self.bytes.get(at + 1) == Some(&b'\n');
                        at += if both { 2 } else { 1 };
                    }
                    copied = at;
                }
                _ => at += scan::step_special(self.bytes, at)?,
            }
        }
        if at - start > self.limits.attribute_bytes {
            return Err(Error::limit(Quantity::AttributeBytes, start));
        }
        let mut flags = if plain { PLAIN } else { 0 };
        let (mut from, mut to) = (start, at);
        if let Some(begin) = side {
            self.arena.side.push_str(self.text.get(copied..at).unwrap_or_default());
            flags |= SIDE;
            (from, to) = (begin, self.arena.side.len());
        }
        Ok(Value { start: from, end: to, flags, raw, after: at + 1 })
    }

    /// Turns the names as written of the attributes from `first` on into qualified names, now that all declarations of
    /// the tag are known, and refuses duplicates. Notes whether they stand in canonical order, and what looks like an Id.
    fn resolve(&mut self, first: usize, start: usize, tag: &mut Tag) -> Result<(), Error> {
        let mut last = None;
        let count = self.arena.attrs.len() - first;
        for at in first..self.arena.attrs.len() {
            let Some(&attr) = self.arena.attrs.get(at) else { break };
            if attr.flags & DECLARATION != 0 {
                continue;
            }
            let prefix = self.arena.names.prefix_of(attr.qname);
            let namespace = if prefix == PREFIX_NONE {
                0
            } else {
                tag.flags |= PREFIXED;
                self.meaning(prefix).ok_or(Error::new(ErrorKind::UnboundPrefix, start))?
            };
            if self.arena.names.is_like_id(attr.qname) {
                self.ids.push((self.arena.nodes.len() as u32, at as u32));
            }
            let qname = self.arena.names.qname(attr.qname, namespace).map_err(|e| e.at(start))?;
            if let Some(slot) = self.arena.attrs.get_mut(at) {
                slot.qname = qname;
            }
            if let Some(before) = last {
                if count <= FEW {
                    self.refuse_duplicate(first, at, qname, start)?;
                }
                if !self.arena.in_order(before, qname) {
                    tag.flags &= !SORTED;
                }
            }
            last = Some(qname);
        }
        if count > FEW {
            self.refuse_duplicates(first, start)?;
        }
        Ok(())
    }

    fn refuse_duplicate(&self, first: usize, at: usize, qname: u16, tag: usize) -> Result<(), Error> {
        let name = self.arena.names.get(qname).name;
        let before = self.arena.attrs.get(first..at).unwrap_or_default();
        let same = |a: &AttrData| a.flags & DECLARATION == 0 && self.arena.names.get(a.qname).name == name;
        if before.iter().any(same) {
            return Err(Error::new(ErrorKind::DuplicateAttribute, tag));
        }
        Ok(())
    }

    fn refuse_duplicates(&self, first: usize, tag: usize) -> Result<(), Error> {
        let attrs = self.arena.attrs.get(first..).unwrap_or_default();
        let mut keys: Vec<(bool, u32)> = Vec::with_capacity(attrs.len());
        keys.extend(attrs.iter().map(|a| {
            if a.flags & DECLARATION != 0 {
                return (true, u32::from(a.qname));
            }
            let name = self.arena.names.get(a.qname).name;
            (false, u32::from(name.ns.0) << 16 | u32::from(name.local.0))
        }));
        keys.sort_unstable();
        if keys.windows(2).any(|pair| matches!(pair, [a, b] if a == b)) {
            return Err(Error::new(ErrorKind::DuplicateAttribute, tag));
        }
        Ok(())
    }

    pub(super) fn end_tag(&mut self) -> Result<(), Error> {
        let start = self.pos;
        let Some(open) = self.open.pop() else { return Err(self.error(ErrorKind::EndTag)) };
        let next = self.arena.nodes.len() as u32;
        let Some(node) = self.arena.nodes.get_mut(open.node as usize) else {
            return Err(self.error(ErrorKind::EndTag));
        };
        let name_start = node.start as usize + 1;
        let name = self.bytes.get(name_start..name_start + open.name as usize).unwrap_or_default();
        let name_end = start + 2 + name.len();
        if !self.bytes.get(start + 2..name_end).is_some_and(|here| scan::same(here, name)) {
            let rest = self.bytes.get(start + 2..).unwrap_or_default();
            let kind = if name.starts_with(rest) { ErrorKind::UnexpectedEnd } else { ErrorKind::EndTag };
            return Err(Error::new(kind, start));
        }
        let mut close = name_end;
        if self.bytes.get(close) == Some(&b'>') {
            node.flags |= RAW_END;
        } else {
            close = scan::space_end(self.bytes, name_end);
            match self.bytes.get(close) {
                Some(b'>') => {}
                None => return Err(Error::new(ErrorKind::UnexpectedEnd, start)),
                Some(_) => return Err(Error::new(ErrorKind::EndTag, start)),
            }
        }
        node.end = close as u32 + 1;
        node.next = next;
        self.pos = close + 1;
        self.unbind(open.undo as usize);
        Ok(())
    }

    /// Takes back the bindings made since `mark`.
    #[inline]
    fn unbind(&mut self, mark: usize) {
        while self.undo.len() > mark {
            if let Some((prefix, namespace)) = self.undo.pop()
                && let Some(slot) = self.bound.get_mut(usize::from(prefix))
            {
                *slot = namespace;
            }
        }
    }
}
