//! Text to nodes: one pass, no recursion, the first violation ends it. Prolog and markup that is not a tag are here;
//! tags are in [`tag`], character data in [`text`]. Called by [`super::Document`] only.

mod tag;
mod text;

use super::Profile;
use super::arena::{Arena, Kind, NONE, NodeData, SIDE};
use super::intern::{Names, PREFIX_XML, PREFIX_XMLNS};
use crate::encoding::Encoding;
use crate::error::{Error, ErrorKind};
use crate::limits::{Limits, Quantity};
use crate::names::ns;
use crate::scan;

/// A prefix that means nothing.
const UNBOUND: u16 = u16::MAX;

/// An element whose end tag has not been seen.
#[derive(Clone, Copy, Debug)]
struct Open {
    node: u32,
    /// Bindings to undo start here.
    undo: u32,
    children: u32,
    /// Octets of its name.
    name: u32,
}

/// Where a plaintext goes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Place {
    /// Parent of the topmost nodes.
    pub(crate) parent: Option<u32>,
    /// Elements around it.
    pub(crate) depth: usize,
    /// Prefix and namespace of every binding in scope.
    pub(crate) bindings: Vec<(u16, u16)>,
    /// Children that the parent has already.
    pub(crate) siblings: u32,
}

pub(crate) struct Builder<'b> {
    text: &'b str,
    bytes: &'b [u8],
    pos: usize,
    arena: &'b mut Arena,
    limits: Limits,
    profile: Profile,
    /// A plaintext: text may stand outside elements, nothing may stand in front that only documents have.
    fragment: bool,
    place: Place,
    nodes_left: u64,
    /// By prefix id: the namespace that it means.
    bound: Vec<u16>,
    undo: Vec<(u16, u16)>,
    open: Vec<Open>,
    roots: usize,
    top_children: u32,
    top_text: bool,
    ids: Vec<(u32, u32)>,
}

/// What was built.
pub(crate) struct Built {
    pub(crate) nodes: u64,
    /// Elements at the top.
    pub(crate) roots: usize,
    /// Nodes at the top, and children that the parent had.
    pub(crate) top_children: u32,
    /// Whether text other than white space stands at the top.
    pub(crate) top_text: bool,
    /// Attributes that are called like Ids: their element and their place in the list.
    pub(crate) ids: Vec<(u32, u32)>,
}

impl<'b> Builder<'b> {
    pub(crate) fn new(text: &'b str, arena: &'b mut Arena, limits: &Limits, profile: Profile) -> Self {
        let mut limits = *limits;
        limits.name_bytes = limits.name_bytes.min(1 << 15);
        let mut bound = Vec::with_capacity(16);
        bound.extend([0, ns::XML.0, UNBOUND]);
        Self {
            text,
            bytes: text.as_bytes(),
            pos: 0,
            arena,
            limits,
            profile,
            fragment: false,
            place: Place::default(),
            nodes_left: 0,
            bound,
            undo: Vec::with_capacity(16),
            open: Vec::with_capacity(16),
            roots: 0,
            top_children: 0,
            top_text: false,
            ids: Vec::with_capacity(8),
        }
    }

    /// Builds a document.
    pub(crate) fn document(mut self, encoding: Encoding, nodes_left: u64) -> Result<Built, Error> {
        self.nodes_left = nodes_left;
        if encoding == Encoding::Utf8 && self.text.starts_with('\u{FEFF}') {
            self.pos = 3;
        }
        if let [b'<', b'?', b'x', b'm', b'l', b' ' | b'\t' | b'\r' | b'\n', ..] = self.rest() {
            self.declaration(encoding)?;
        }
        self.run()?;
        if self.roots == 0 {
            return Err(self.error(ErrorKind::NoRoot));
        }
        Ok(self.built(nodes_left))
    }

    /// Builds a plaintext in its place.
    pub(crate) fn fragment(mut self, place: Place, nodes_left: u64) -> Result<Built, Error> {
        self.fragment = true;
        self.nodes_left = nodes_left;
        self.top_children = place.siblings;
        for &(prefix, namespace) in &place.bindings {
            self.bind(prefix, namespace);
        }
        self.undo.clear();
        self.place = place;
        if self.text.starts_with('\u{FEFF}') {
            return Err(self.error(ErrorKind::Fragment));
        }
        self.run()?;
        Ok(self.built(nodes_left))
    }

    fn built(self, before: u64) -> Built {
        let nodes = before - self.nodes_left;
        let Self { roots, top_children, top_text, ids, .. } = self;
        Built { nodes, roots, top_children, top_text, ids }
    }

    fn run(&mut self) -> Result<(), Error> {
        while let Some(&octet) = self.bytes.get(self.pos) {
            if octet != b'<' {
                self.characters()?;
                continue;
            }
            match self.bytes.get(self.pos + 1) {
                Some(b'/') => self.end_tag()?,
                Some(b'!') => self.markup()?,
                Some(b'?') => self.instruction()?,
                Some(_) => self.start_tag()?,
                None => return Err(self.error(ErrorKind::UnexpectedEnd)),
            }
        }
        if self.open.is_empty() { Ok(()) } else { Err(self.error(ErrorKind::UnexpectedEnd)) }
    }

    fn rest(&self) -> &'b [u8] {
        self.bytes.get(self.pos..).unwrap_or_default()
    }

    fn error(&self, kind: ErrorKind) -> Error {
        Error::new(kind, self.pos)
    }

    fn limit(&self, quantity: Quantity) -> Error {
        Error::limit(quantity, self.pos)
    }

    /// `<!`: a comment, a CDATA section, or a document type, which ends it all whatever its case.
    fn markup(&mut self) -> Result<(), Error> {
        match self.rest() {
            [_, _, b'-', b'-', ..] => self.comment(),
            [_, _, b'[', b'C', b'D', b'A', b'T', b'A', b'[', ..]
                if !self.open.is_empty() || self.fragment =>
            {
                self.cdata()
            }
            [_, _, more @ ..] => {
                let word = more.get(..7).unwrap_or(more);
                let doctype = b"DOCTYPE".get(..word.len()).is_some_and(|d| d.eq_ignore_ascii_case(word));
                let kind = match word.len() {
                    7 if doctype => ErrorKind::Dtd,
                    ..7 if doctype => ErrorKind::UnexpectedEnd,
                    _ => ErrorKind::Tag,
                };
                Err(self.error(kind))
            }
            _ => Err(self.error(ErrorKind::UnexpectedEnd)),
        }
    }

    fn comment(&mut self) -> Result<(), Error> {
        let start = self.pos + 4;
        let body = self.bytes.get(start..).unwrap_or_default();
        let Some(len) = memchr::memmem::find(body, b"--") else {
            return Err(self.error(ErrorKind::UnexpectedEnd));
        };
        let end = start + len;
        match self.bytes.get(end + 2) {
            Some(b'>') => {}
            Some(_) => return Err(Error::new(ErrorKind::Comment, end)),
            None => return Err(self.error(ErrorKind::UnexpectedEnd)),
        }
        self.leaf(Kind::Comment, start, end)?;
        self.pos = end + 3;
        Ok(())
    }

    fn instruction(&mut self) -> Result<(), Error> {
        let start = self.pos + 2;
        // A plaintext may hold them: Java stacks encrypt payloads with theirs, and canonical forms cover them.
        if self.profile == Profile::Message && !self.fragment {
            return Err(self.error(ErrorKind::ProcessingInstruction));
        }
        let target_end = scan::ncname_end(self.text, start)?;
        let target = self.bytes.get(start..target_end).unwrap_or_default();
        if target.len() > self.limits.name_bytes {
            return Err(self.limit(Quantity::NameBytes));
        }
        if target.eq_ignore_ascii_case(b"xml") {
            return Err(self.error(ErrorKind::Declaration));
        }
        let body = self.bytes.get(target_end..).unwrap_or_default();
        let Some(len) = memchr::memmem::find(body, b"?>") else {
            return Err(self.error(ErrorKind::UnexpectedEnd));
        };
        if len > 0 && !body.first().is_some_and(|&b| scan::is_space(b)) {
            return Err(Error::new(ErrorKind::Name, target_end));
        }
        let end = target_end + len;
        self.leaf(Kind::Pi, start, end)?;
        self.pos = end + 2;
        Ok(())
    }

    /// Adds a comment, CDATA section or processing instruction with its line ends normalized.
    fn leaf(&mut self, kind: Kind, start: usize, end: usize) -> Result<(), Error> {
        let carriage = scan::check_characters(self.bytes, start, end)?;
        let id = self.push(kind, 0, start, end)?;
        if carriage {
            let side = self.arena.side.len();
            self.copy_lines(start, end);
            self.set_side(id, side);
        }
        Ok(())
    }

    /// Adds a leaf below the innermost open element.
    #[inline]
    fn push(&mut self, kind: Kind, flags: u8, start: usize, end: usize) -> Result<usize, Error> {
        let parent = self.admit()?;
        let id = self.arena.nodes.len();
        self.arena.nodes.push(NodeData {
            kind,
            flags,
            qname: 0,
            start: start as u32,
            end: end as u32,
            parent,
            next: 0,
            attrs: self.arena.attrs.len() as u32,
        });
        Ok(id)
    }

    /// Counts one node more below the innermost open element. Gives its parent.
    #[inline]
    fn admit(&mut self) -> Result<u32, Error> {
        if self.nodes_left == 0 {
            return Err(self.limit(Quantity::Nodes));
        }
        self.nodes_left -= 1;
        let (parent, children) = match self.open.last_mut() {
            Some(open) => (open.node, &mut open.children),
            None => (self.place.parent.unwrap_or(NONE), &mut self.top_children),
        };
        *children += 1;
        if *children as usize > self.limits.children {
            return Err(self.limit(Quantity::Children));
        }
        Ok(parent)
    }

    fn set_flags(&mut self, id: usize, flags: u8) {
        if let Some(node) = self.arena.nodes.get_mut(id) {
            node.flags |= flags;
        }
    }

    /// Ends a side text that began at `from` and gives it to a node.
    fn set_side(&mut self, id: usize, from: usize) {
        let index = self.arena.sides.len() as u32;
        self.arena.sides.push((from as u32, self.arena.side.len() as u32));
        if let Some(node) = self.arena.nodes.get_mut(id) {
            node.flags |= SIDE;
            node.next = index;
        }
    }

    /// Copies a stretch into the side text; CR LF and CR become LF (XML 1.0 §2.11).
    fn copy_lines(&mut self, start: usize, end: usize) {
        let mut rest = self.text.get(start..end).unwrap_or_default();
        while let Some(at) = memchr::memchr(b'\r', rest.as_bytes()) {
            let (before, after) = rest.split_at(at);
            self.arena.side.push_str(before);
            self.arena.side.push('\n');
            let after = after.get(1..).unwrap_or_default();
            rest = after.strip_prefix('\n').unwrap_or(after);
        }
        self.arena.side.push_str(rest);
    }

    fn bind(&mut self, prefix: u16, namespace: u16) {
        let at = usize::from(prefix);
        if at >= self.bound.len() {
            self.bound.resize(at.max(self.arena.names.prefix_count() - 1) + 1, UNBOUND);
        }
        if let Some(slot) = self.bound.get_mut(at) {
            self.undo.push((prefix, *slot));
            *slot = namespace;
        }
    }

    #[inline]
    fn meaning(&self, prefix: u16) -> Option<u16> {
        self.bound.get(usize::from(prefix)).copied().filter(|&n| n != UNBOUND)
    }

    /// Judges a namespace declaration (Namespaces in XML 1.0 §3, §5) and gives the namespace.
    fn declared(&mut self, prefix: u16, uri: &str, at: usize) -> Result<u16, Error> {
        let refuse = |kind| Err(Error::new(kind, at));
        let namespace = self.arena.names.intern_namespace(uri).map_err(|e| e.at(at))?;
        let known = Names::is_known(namespace);
        if self.profile == Profile::Message && !known && !uri.bytes().all(|b| b.is_ascii_graphic()) {
            return refuse(ErrorKind::NamespaceUri);
        }
        let (is_xml, is_xmlns) = (namespace == ns::XML.0, namespace == ns::XMLNS.0);
        let allowed = match prefix {
            PREFIX_XML => is_xml,
            PREFIX_XMLNS => false,
            0 => !is_xml && !is_xmlns,
            _ => !is_xml && !is_xmlns && namespace != 0,
        };
        if !allowed {
            return refuse(ErrorKind::NamespaceDeclaration);
        }
        if !known && !is_absolute(uri) {
            if self.profile == Profile::Message {
                return refuse(ErrorKind::RelativeNamespace);
            }
            self.arena.relative = true;
        } else if uri.bytes().all(|b| b >= b' ' && !matches!(b, b'&' | b'<' | b'"')) {
            // Every octet stands for itself in a value, so the same text means the same.
            self.arena.names.note_meaning(prefix, namespace);
        }
        Ok(namespace)
    }

    /// The XML declaration (XML 1.0 §2.8): version 1.0, and no other encoding than the octets have.
    fn declaration(&mut self, encoding: Encoding) -> Result<(), Error> {
        let start = self.pos;
        let body = self.bytes.get(start + 5..).unwrap_or_default();
        let Some(len) = memchr::memmem::find(body, b"?>") else {
            return Err(self.error(ErrorKind::UnexpectedEnd));
        };
        let mut fields = Fields { text: self.text, at: start + 5, end: start + 5 + len };
        let bad = Error::new(ErrorKind::Declaration, start);
        if fields.next("version")? != Some("1.0") {
            return Err(bad);
        }
        if let Some(name) = fields.next("encoding")? {
            let is = |known: &str| name.eq_ignore_ascii_case(known);
            let bare_ascii = || self.profile == Profile::Bare && is("US-ASCII") && self.text.is_ascii();
            let same = match encoding {
                Encoding::Utf8 => is("UTF-8") || bare_ascii(),
                Encoding::Utf16 => is("UTF-16"),
                Encoding::Latin1 => is("ISO-8859-1"),
            };
            if !same {
                return Err(Error::new(ErrorKind::EncodingMismatch, start));
            }
        }
        if fields.next("standalone")?.is_some_and(|v| v != "yes" && v != "no") {
            return Err(bad);
        }
        if scan::space_end(self.bytes, fields.at) < fields.end {
            return Err(bad);
        }
        self.pos = fields.end + 2;
        Ok(())
    }
}

/// Whether a namespace URI begins with a scheme (RFC 3986 §3.1).
pub(crate) fn is_absolute(uri: &str) -> bool {
    let Some((scheme, _)) = uri.split_once(':') else { return false };
    let mut octets = scheme.bytes();
    octets.next().is_some_and(|b| b.is_ascii_alphabetic())
        && octets.all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'))
}

/// The fields of an XML declaration.
struct Fields<'t> {
    text: &'t str,
    at: usize,
    end: usize,
}

impl<'t> Fields<'t> {
    /// The value of the field if it comes next.
    fn next(&mut self, name: &str) -> Result<Option<&'t str>, Error> {
        let bad = Error::new(ErrorKind::Declaration, self.at);
        let bytes = self.text.as_bytes().get(..self.end).unwrap_or_default();
        let field = scan::space_end(bytes, self.at);
        let Some(rest) = self.text.get(field..self.end).and_then(|t| t.strip_prefix(name)) else {
            return Ok(None);
        };
        if field == self.at {
            return Err(bad);
        }
        let rest = rest.trim_start_matches([' ', '\t', '\r', '\n']).strip_prefix('=').ok_or(bad)?;
        let rest = rest.trim_start_matches([' ', '\t', '\r', '\n']);
        let quote = rest.chars().next().filter(|&c| c == '"' || c == '\'').ok_or(bad)?;
        let (value, rest) = rest.get(1..).unwrap_or_default().split_once(quote).ok_or(bad)?;
        self.at = self.end - rest.len();
        Ok(Some(value))
    }
}
