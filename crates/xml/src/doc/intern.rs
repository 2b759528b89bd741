//! Names of one document as small integers. A name costs one look-up by its text as written, or none at all if it
//! follows the same name as before; after that everything compares integers. Hashes are keyed (see [`crate::names`]),
//! so nobody can choose names that collide.

mod texts;
mod typical;

use super::ids::LIKE_IDS;
use crate::error::Error;
use crate::limits::Quantity;
use crate::names::{Local, Name, Ns, hash};
use crate::scan;
use texts::{Sort, Texts, Written};

/// No more different texts of one sort than this, so that ids fit and slots terminate: 65,000 of a document and the
/// typical ones.
const MOST: usize = 65_000 + 128;
const FREE: u16 = u16::MAX;
/// A slot of the table of texts that holds none.
const EMPTY: u32 = u32::MAX;
/// Slots at the beginning: half as many texts need no second table. The typical ones take about a hundred.
const SLOTS: usize = 512;

/// Prefixes with fixed ids.
const PREFIXES: &[&str] = &["", "xml", "xmlns"];
pub(crate) const PREFIX_NONE: u16 = 0;
pub(crate) const PREFIX_XML: u16 = 1;
pub(crate) const PREFIX_XMLNS: u16 = 2;

/// A qualified name: a name as written and what its prefix meant.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QName {
    pub(crate) name: Name,
    pub(crate) prefix: u16,
    written: u16,
    /// A name that was found to stand before this one in canonical order.
    before: u16,
}

/// All names of a document.
#[derive(Debug, Default)]
pub(crate) struct Names {
    texts: Texts,
    qnames: Vec<QName>,
    /// Qualified names by name as written and namespace; the first one of each name as written is not among them.
    slots: Vec<u16>,
    /// By prefix: the namespace that it was declared to mean last.
    meanings: Vec<u16>,
    /// The name as written that was read last.
    last: u16,
}

/// Makes a list the copy of another, with room for some more.
fn renew<T: Copy>(list: &mut Vec<T>, from: &[T], more: usize) {
    list.clear();
    list.reserve(from.len() + more);
    list.extend_from_slice(from);
}

impl Names {
    /// Nothing but the fixed tables.
    fn empty() -> Self {
        let texts = Texts { slots: vec![EMPTY; SLOTS], ..Texts::default() };
        Self { texts, last: FREE, ..Self::default() }
    }

    /// Makes it the table of typical names, for a document of this many octets.
    pub(crate) fn begin(&mut self, octets: usize) {
        let some = (octets / 64).clamp(16, 64);
        let table = typical::table();
        self.texts.begin(&table.texts, some);
        renew(&mut self.qnames, &table.qnames, some);
        renew(&mut self.slots, &table.slots, 0);
        renew(&mut self.meanings, &table.meanings, 8);
        self.last = table.last;
    }

    /// Lets a name stand as the one that begins a document: it follows the last one entered.
    fn begin_with(&mut self, first: Option<u16>) {
        if let (Some(last), Some(first)) = (self.texts.written.get_mut(usize::from(self.last)), first) {
            last.next = first;
        }
    }

    /// Octets of memory that it holds, nearly: a name is entered once as written, and nothing takes more than that.
    pub(crate) fn capacity(&self) -> usize {
        self.texts.pool.capacity() + self.texts.slots.capacity() * 4 + self.texts.written.capacity() * 64
    }

    /// The name as written that followed the last one before, if it stands at `start` once more, and its end.
    #[inline]
    pub(crate) fn again(&mut self, bytes: &[u8], start: usize) -> Option<(u16, usize)> {
        let id = self.texts.written.get(usize::from(self.last))?.next;
        let (from, to) = self.texts.written.get(usize::from(id))?.span;
        let name = self.texts.pool.as_bytes().get(from as usize..to as usize)?;
        let end = start + name.len();
        if !scan::same(bytes.get(start..end)?, name) || !bytes.get(end).is_some_and(|&b| scan::ends_name(b)) {
            return None;
        }
        self.last = id;
        Some((id, end))
    }

    /// The id of a name as written; `colon` is the length of its prefix, if it has one.
    pub(crate) fn written(&mut self, text: &str, colon: Option<usize>) -> Result<u16, Error> {
        let hash = hash(text.as_bytes());
        let id = match self.texts.probe(Sort::Written, text, hash) {
            Some(id) => id,
            None => self.write(text, colon, hash)?,
        };
        if let Some(last) = self.texts.written.get_mut(usize::from(self.last)) {
            last.next = id;
        }
        self.last = id;
        Ok(id)
    }

    /// Enters a name as written.
    fn write(&mut self, text: &str, colon: Option<usize>, hash: u64) -> Result<u16, Error> {
        let texts = &mut self.texts;
        let id = texts.next_id(Sort::Written)?;
        let span = texts.push(text);
        let (mut prefix, mut local, mut at) = (PREFIX_NONE, text, 0);
        if let Some(colon) = colon {
            local = text.get(colon + 1..).unwrap_or_default();
            let before = text.get(..colon).unwrap_or_default();
            prefix = match texts.prefix_of(self.last, before) {
                Some(prefix) => prefix,
                None => texts.intern(Sort::Prefix, before, Some((span.0, span.0 + colon as u32)))?,
            };
            at = colon + 1;
        }
        let local = texts.intern(Sort::Local, local, Some((span.0 + at as u32, span.1)))?;
        texts.enter(Sort::Written, id, hash);
        let colon = u16::try_from(at.saturating_sub(1)).unwrap_or(u16::MAX);
        let (first, last, last_ns, next) = (FREE, FREE, FREE, FREE);
        let like_id = LIKE_IDS.contains(&Local(local));
        texts.written.push(Written { span, prefix, local, colon, first, last, last_ns, next, like_id });
        Ok(id)
    }

    /// The prefix of a name as written.
    #[inline]
    pub(crate) fn prefix_of(&self, written: u16) -> u16 {
        self.texts.written.get(usize::from(written)).map_or(PREFIX_NONE, |w| w.prefix)
    }

    /// The qualified name of a name as written whose prefix means `ns`.
    #[inline]
    pub(crate) fn qname(&mut self, written: u16, ns: u16) -> Result<u16, Error> {
        match self.texts.written.get(usize::from(written)) {
            Some(w) if w.last_ns == ns => Ok(w.last),
            Some(&w) => self.other_qname(written, w, ns),
            None => Err(Error::limit(Quantity::DistinctNames, 0)),
        }
    }

    #[inline(never)]
    fn other_qname(&mut self, written: u16, w: Written, ns: u16) -> Result<u16, Error> {
        let first = self.qnames.get(usize::from(w.first));
        let found = match first {
            Some(q) if q.name.ns.0 == ns => Ok(w.first),
            Some(_) => {
                if self.slots.len() < 2 * (self.qnames.len() + 1) {
                    self.grow();
                }
                self.probe(written, ns).map_err(Some)
            }
            None => Err(None),
        };
        let id = match found {
            Ok(id) => id,
            Err(_) if self.qnames.len() >= MOST => return Err(Error::limit(Quantity::DistinctNames, 0)),
            Err(free) => {
                let id = self.qnames.len() as u16;
                let name = Name::new(Ns(ns), Local(w.local));
                self.qnames.push(QName { name, prefix: w.prefix, written, before: FREE });
                if let Some(slot) = free.and_then(|free| self.slots.get_mut(free)) {
                    *slot = id;
                }
                id
            }
        };
        if let Some(w) = self.texts.written.get_mut(usize::from(written)) {
            if w.first == FREE {
                w.first = id;
            }
            (w.last, w.last_ns) = (id, ns);
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
        let size = (2 * (self.qnames.len() + 1)).next_power_of_two() * 2;
        self.slots = vec![FREE; size.max(32)];
        for (id, q) in (0_u16..).zip(&self.qnames) {
            let first = self.texts.written.get(usize::from(q.written)).is_some_and(|w| w.first == id);
            if !first
                && let Err(free) = self.probe(q.written, q.name.ns.0)
                && let Some(slot) = self.slots.get_mut(free)
            {
                *slot = id;
            }
        }
    }

    #[inline]
    pub(crate) fn get(&self, qname: u16) -> QName {
        let nothing = QName { name: Name::default(), prefix: PREFIX_NONE, written: FREE, before: FREE };
        self.qnames.get(usize::from(qname)).copied().unwrap_or(nothing)
    }

    /// Whether `a` was found to stand before `b` in canonical order.
    #[inline]
    pub(crate) fn known_before(&self, a: u16, b: u16) -> bool {
        self.qnames.get(usize::from(b)).is_some_and(|q| q.before == a)
    }

    /// Remembers that `a` stands before `b` in canonical order.
    pub(crate) fn note_before(&mut self, a: u16, b: u16) {
        if let Some(q) = self.qnames.get_mut(usize::from(b)) {
            q.before = a;
        }
    }

    /// The name as written.
    pub(crate) fn text(&self, qname: u16) -> &str {
        self.texts.own(Sort::Written, usize::from(self.get(qname).written))
    }

    pub(crate) fn local_text(&self, qname: u16) -> &str {
        let written = usize::from(self.get(qname).written);
        let text = self.texts.own(Sort::Written, written);
        match self.texts.written.get(written) {
            Some(w) if w.colon > 0 => text.get(usize::from(w.colon) + 1..).unwrap_or_default(),
            _ => text,
        }
    }

    /// Whether an attribute with this name as written is called like an Id.
    #[inline]
    pub(crate) fn is_like_id(&self, written: u16) -> bool {
        self.texts.written.get(usize::from(written)).is_some_and(|w| w.like_id)
    }

    /// Whether a namespace is one of the fixed table, all of which are absolute visible ASCII.
    pub(crate) fn is_known(ns: u16) -> bool {
        usize::from(ns) < Sort::Namespace.known().len()
    }

    pub(crate) fn intern_namespace(&mut self, uri: &str) -> Result<u16, Error> {
        self.texts.intern(Sort::Namespace, uri, None)
    }

    /// The namespace that a prefix was declared to mean last, if the text of it stands at the beginning of `text`. Its
    /// declaration was judged then; another with the same text is as good.
    #[inline]
    pub(crate) fn same_meaning(&self, prefix: u16, text: &[u8]) -> Option<(u16, usize)> {
        let namespace = *self.meanings.get(usize::from(prefix)).filter(|n| **n != FREE)?;
        let uri = self.namespace(namespace).as_bytes();
        text.starts_with(uri).then_some((namespace, uri.len()))
    }

    /// Remembers what a prefix was declared to mean.
    pub(crate) fn note_meaning(&mut self, prefix: u16, namespace: u16) {
        let at = usize::from(prefix);
        if at >= self.meanings.len() {
            self.meanings.resize(at + 1, FREE);
        }
        if let Some(slot) = self.meanings.get_mut(at) {
            *slot = namespace;
        }
    }

    pub(crate) fn intern_prefix(&mut self, prefix: &str) -> Result<u16, Error> {
        self.texts.intern(Sort::Prefix, prefix, None)
    }

    #[inline]
    pub(crate) fn namespace(&self, ns: u16) -> &str {
        self.texts.get(Sort::Namespace, ns)
    }

    pub(crate) fn prefix(&self, prefix: u16) -> &str {
        self.texts.get(Sort::Prefix, prefix)
    }

    pub(crate) fn find_prefix(&self, prefix: &str) -> Option<u16> {
        self.texts.find(Sort::Prefix, prefix)
    }

    pub(crate) fn find_namespace(&self, uri: &str) -> Option<u16> {
        self.texts.find(Sort::Namespace, uri)
    }

    /// How many prefixes there are: ids are below.
    pub(crate) fn prefix_count(&self) -> usize {
        PREFIXES.len() + self.texts.prefixes.len()
    }

    pub(crate) fn find(&self, uri: &str, local: &str) -> Option<Name> {
        let ns = self.texts.find(Sort::Namespace, uri)?;
        Some(Name::new(Ns(ns), Local(self.texts.find(Sort::Local, local)?)))
    }

    pub(crate) fn find_local(&self, local: &str) -> Option<Local> {
        self.texts.find(Sort::Local, local).map(Local)
    }

    pub(crate) fn local(&self, local: Local) -> &str {
        self.texts.get(Sort::Local, local.0)
    }
}
