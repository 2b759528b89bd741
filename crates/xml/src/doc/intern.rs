//! Names of one document as small integers. A name costs one look-up by its text as written; after that everything
//! compares integers. Hashes are keyed (see [`crate::names`]), so nobody can choose names that collide.

use crate::error::Error;
use crate::limits::Quantity;
use crate::names::{self, Local, Name, Ns, hash};

/// No more different texts of one sort than this, so that ids fit and slots terminate.
const MOST: usize = 65_000;
const FREE: u16 = u16::MAX;

/// Prefixes with fixed ids.
const PREFIXES: &[&str] = &["", "xml", "xmlns"];
pub(crate) const PREFIX_NONE: u16 = 0;
pub(crate) const PREFIX_XML: u16 = 1;
pub(crate) const PREFIX_XMLNS: u16 = 2;

/// Texts by id. The first ids are those of a fixed table.
#[derive(Debug)]
struct Texts {
    known: &'static [&'static str],
    find_known: fn(&str) -> Option<u16>,
    pool: String,
    spans: Vec<(u32, u32)>,
    slots: Vec<u16>,
}

impl Texts {
    fn new(known: &'static [&'static str], find_known: fn(&str) -> Option<u16>) -> Self {
        Self { known, find_known, pool: String::new(), spans: Vec::new(), slots: Vec::new() }
    }

    fn get(&self, id: u16) -> &str {
        let id = usize::from(id);
        match self.known.get(id) {
            Some(text) => text,
            None => self.own(id - self.known.len()),
        }
    }

    fn own(&self, at: usize) -> &str {
        let span = self.spans.get(at).copied().unwrap_or_default();
        self.pool.get(span.0 as usize..span.1 as usize).unwrap_or_default()
    }

    fn find(&self, text: &str) -> Option<u16> {
        (self.find_known)(text).or_else(|| self.probe(text).ok())
    }

    /// The id, or the free slot where it would go.
    fn probe(&self, text: &str) -> Result<u16, usize> {
        let Some(mask) = self.slots.len().checked_sub(1) else { return Err(0) };
        let mut at = hash(text.as_bytes()) as usize & mask;
        loop {
            match self.slots.get(at) {
                Some(&id) if id != FREE => {
                    if self.own(usize::from(id) - self.known.len()) == text {
                        return Ok(id);
                    }
                }
                _ => return Err(at),
            }
            at = (at + 1) & mask;
        }
    }

    fn intern(&mut self, text: &str) -> Result<u16, Error> {
        if let Some(id) = (self.find_known)(text) {
            return Ok(id);
        }
        if self.slots.len() < 2 * (self.spans.len() + 1) {
            self.grow();
        }
        let free = match self.probe(text) {
            Ok(id) => return Ok(id),
            Err(free) => free,
        };
        let id = self.known.len() + self.spans.len();
        if id >= MOST {
            return Err(Error::limit(Quantity::DistinctNames, 0));
        }
        let start = self.pool.len();
        self.pool.push_str(text);
        self.spans.push((start as u32, self.pool.len() as u32));
        if let Some(slot) = self.slots.get_mut(free) {
            *slot = id as u16;
        }
        Ok(id as u16)
    }

    fn grow(&mut self) {
        self.slots = vec![FREE; (self.slots.len() * 2).max(32)];
        for at in 0..self.spans.len() {
            if let Err(free) = self.probe(self.own(at))
                && let Some(slot) = self.slots.get_mut(free)
            {
                *slot = (self.known.len() + at) as u16;
            }
        }
    }
}

/// A name as written: prefix and local part.
#[derive(Clone, Copy, Debug)]
struct Written {
    prefix: u16,
    local: u16,
    /// Where the prefix ends in the text as written; 0 if there is none.
    colon: u16,
    /// The qualified name that it stood for last: nearly always the same again.
    last: u16,
}

/// A qualified name: a name as written and what its prefix meant.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QName {
    pub(crate) name: Name,
    pub(crate) prefix: u16,
    written: u16,
}

/// All names of a document.
#[derive(Debug)]
pub(crate) struct Names {
    locals: Texts,
    namespaces: Texts,
    prefixes: Texts,
    texts: Texts,
    written: Vec<Written>,
    qnames: Vec<QName>,
    slots: Vec<u16>,
}

impl Names {
    pub(crate) fn new() -> Self {
        Self {
            locals: Texts::new(names::local::LOCALS, |t| names::known_local(t).map(|l| l.0)),
            namespaces: Texts::new(names::ns::NAMESPACES, |t| names::known_namespace(t).map(|n| n.0)),
            prefixes: Texts::new(PREFIXES, |t| PREFIXES.iter().position(|&p| p == t).map(|at| at as u16)),
            texts: Texts::new(&[], |_| None),
            written: Vec::new(),
            qnames: Vec::new(),
            slots: Vec::new(),
        }
    }

    /// The id of a name as written; `colon` is the length of its prefix, if it has one.
    pub(crate) fn written(&mut self, text: &str, colon: Option<usize>) -> Result<u16, Error> {
        if let Ok(id) = self.texts.probe(text) {
            return Ok(id);
        }
        let (prefix, local) = match colon {
            Some(at) => (text.get(..at).unwrap_or_default(), text.get(at + 1..).unwrap_or_default()),
            None => ("", text),
        };
        let written = Written {
            prefix: self.prefixes.intern(prefix)?,
            local: self.locals.intern(local)?,
            colon: u16::try_from(prefix.len()).unwrap_or(u16::MAX),
            last: FREE,
        };
        let id = self.texts.intern(text)?;
        self.written.push(written);
        Ok(id)
    }

    /// The prefix of a name as written.
    pub(crate) fn prefix_of(&self, written: u16) -> u16 {
        self.written.get(usize::from(written)).map_or(PREFIX_NONE, |w| w.prefix)
    }

    /// The qualified name of a name as written whose prefix means `ns`.
    pub(crate) fn qname(&mut self, written: u16, ns: u16) -> Result<u16, Error> {
        let Some(&Written { prefix, local, last, .. }) = self.written.get(usize::from(written)) else {
            return Err(Error::limit(Quantity::DistinctNames, 0));
        };
        if self.qnames.get(usize::from(last)).is_some_and(|q| q.name.ns.0 == ns) {
            return Ok(last);
        }
        if self.slots.len() < 2 * (self.qnames.len() + 1) {
            self.grow();
        }
        let id = match self.probe(written, ns) {
            Ok(id) => id,
            Err(_) if self.qnames.len() >= MOST => return Err(Error::limit(Quantity::DistinctNames, 0)),
            Err(free) => {
                let id = self.qnames.len() as u16;
                self.qnames.push(QName { name: Name::new(Ns(ns), Local(local)), prefix, written });
                if let Some(slot) = self.slots.get_mut(free) {
                    *slot = id;
                }
                id
            }
        };
        if let Some(w) = self.written.get_mut(usize::from(written)) {
            w.last = id;
        }
        Ok(id)
    }

    fn probe(&self, written: u16, ns: u16) -> Result<u16, usize> {
        let [a, b] = written.to_le_bytes();
        let [c, d] = ns.to_le_bytes();
        let Some(mask) = self.slots.len().checked_sub(1) else { return Err(0) };
        let mut at = hash(&[a, b, c, d]) as usize & mask;
        loop {
            match self.slots.get(at) {
                Some(&id) if id != FREE => {
                    let known = self.qnames.get(usize::from(id));
                    if known.is_some_and(|q| q.written == written && q.name.ns.0 == ns) {
                        return Ok(id);
                    }
                }
                _ => return Err(at),
            }
            at = (at + 1) & mask;
        }
    }

    fn grow(&mut self) {
        self.slots = vec![FREE; (self.slots.len() * 2).max(32)];
        for (id, q) in (0_u16..).zip(&self.qnames) {
            if let Err(free) = self.probe(q.written, q.name.ns.0)
                && let Some(slot) = self.slots.get_mut(free)
            {
                *slot = id;
            }
        }
    }

    pub(crate) fn get(&self, qname: u16) -> QName {
        let nothing = QName { name: Name::default(), prefix: PREFIX_NONE, written: FREE };
        self.qnames.get(usize::from(qname)).copied().unwrap_or(nothing)
    }

    /// The name as written.
    pub(crate) fn text(&self, qname: u16) -> &str {
        self.texts.own(usize::from(self.get(qname).written))
    }

    pub(crate) fn local_text(&self, qname: u16) -> &str {
        let written = self.get(qname).written;
        let text = self.texts.own(usize::from(written));
        match self.written.get(usize::from(written)) {
            Some(w) if w.colon > 0 => text.get(usize::from(w.colon) + 1..).unwrap_or_default(),
            _ => text,
        }
    }

    pub(crate) fn intern_namespace(&mut self, uri: &str) -> Result<u16, Error> {
        self.namespaces.intern(uri)
    }

    pub(crate) fn intern_prefix(&mut self, prefix: &str) -> Result<u16, Error> {
        self.prefixes.intern(prefix)
    }

    #[inline]
    pub(crate) fn namespace(&self, ns: u16) -> &str {
        self.namespaces.get(ns)
    }

    pub(crate) fn prefix(&self, prefix: u16) -> &str {
        self.prefixes.get(prefix)
    }

    pub(crate) fn find_prefix(&self, prefix: &str) -> Option<u16> {
        self.prefixes.find(prefix)
    }

    pub(crate) fn find_namespace(&self, uri: &str) -> Option<u16> {
        self.namespaces.find(uri)
    }

    /// How many prefixes there are: ids are below.
    pub(crate) fn prefix_count(&self) -> usize {
        PREFIXES.len() + self.prefixes.spans.len()
    }

    pub(crate) fn find(&self, uri: &str, local: &str) -> Option<Name> {
        Some(Name::new(Ns(self.namespaces.find(uri)?), Local(self.locals.find(local)?)))
    }

    pub(crate) fn find_local(&self, local: &str) -> Option<Local> {
        self.locals.find(local).map(Local)
    }

    pub(crate) fn local(&self, local: Local) -> &str {
        self.locals.get(local.0)
    }
}
