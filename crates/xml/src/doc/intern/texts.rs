//! The texts behind the names of a document: one pool and one table of slots for names as written, local parts,
//! namespaces and prefixes. Called by [`super::Names`] only.

use super::{EMPTY, MOST, PREFIX_NONE, PREFIX_XML, PREFIX_XMLNS, PREFIXES, renew};
use crate::error::Error;
use crate::limits::Quantity;
use crate::names::{self, hash};
use crate::scan;

/// What a text is used as. Ids of different sorts are different numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sort {
    Written,
    Local,
    Namespace,
    Prefix,
}

impl Sort {
    const ALL: [Self; 4] = [Self::Written, Self::Local, Self::Namespace, Self::Prefix];

    /// The texts with the first ids.
    pub(super) const fn known(self) -> &'static [&'static str] {
        match self {
            Self::Written => &[],
            Self::Local => names::local::LOCALS,
            Self::Namespace => names::ns::NAMESPACES,
            Self::Prefix => PREFIXES,
        }
    }

    fn find_known(self, text: &str, hash: u64) -> Option<u16> {
        match self {
            Self::Written => None,
            Self::Local => names::known_local(text, hash).map(|l| l.0),
            Self::Namespace => names::known_namespace(text, hash).map(|n| n.0),
            Self::Prefix => match text {
                "" => Some(PREFIX_NONE),
                "xml" => Some(PREFIX_XML),
                "xmlns" => Some(PREFIX_XMLNS),
                _ => None,
            },
        }
    }

    /// Where the search for a hash begins: each sort looks at other bits, for a text may be of several sorts.
    const fn begin(self, hash: u64) -> usize {
        hash.rotate_right(16 * self as u32) as usize
    }
}

/// A stretch of the pool.
pub(super) type Span = (u32, u32);

/// Texts by id and ids by text: one pool and one table of slots for all sorts.
#[derive(Debug, Default)]
pub(super) struct Texts {
    pub(super) pool: String,
    /// Sort and id.
    pub(super) slots: Vec<u32>,
    pub(super) used: usize,
    pub(super) written: Vec<Written>,
    pub(super) locals: Vec<Span>,
    pub(super) namespaces: Vec<Span>,
    pub(super) prefixes: Vec<Span>,
}

/// A name as written: prefix and local part.
#[derive(Clone, Copy, Debug)]
pub(super) struct Written {
    pub(super) span: Span,
    pub(super) prefix: u16,
    pub(super) local: u16,
    /// Where the prefix ends in the text as written; 0 if there is none.
    pub(super) colon: u16,
    /// The qualified name that it stood for first.
    pub(super) first: u16,
    /// The one that it stood for last, nearly always the same again, and the namespace of that.
    pub(super) last: u16,
    pub(super) last_ns: u16,
    /// The name that followed it last.
    pub(super) next: u16,
    /// Whether an attribute with this name is called like an Id.
    pub(super) like_id: bool,
}

impl Texts {
    /// Makes it a copy of a table, with room for some more.
    pub(super) fn begin(&mut self, table: &Texts, some: usize) {
        self.pool.clear();
        self.pool.reserve(table.pool.len() + some * 16);
        self.pool.push_str(&table.pool);
        renew(&mut self.slots, &table.slots, 0);
        self.used = table.used;
        renew(&mut self.written, &table.written, some);
        renew(&mut self.locals, &table.locals, some);
        renew(&mut self.namespaces, &table.namespaces, 8);
        renew(&mut self.prefixes, &table.prefixes, 8);
    }

    pub(super) fn own(&self, sort: Sort, at: usize) -> &str {
        let span = match sort {
            Sort::Written => self.written.get(at).map(|w| w.span),
            Sort::Local => self.locals.get(at).copied(),
            Sort::Namespace => self.namespaces.get(at).copied(),
            Sort::Prefix => self.prefixes.get(at).copied(),
        };
        let (start, end) = span.unwrap_or_default();
        self.pool.get(start as usize..end as usize).unwrap_or_default()
    }

    fn count(&self, sort: Sort) -> usize {
        match sort {
            Sort::Written => self.written.len(),
            Sort::Local => self.locals.len(),
            Sort::Namespace => self.namespaces.len(),
            Sort::Prefix => self.prefixes.len(),
        }
    }

    pub(super) fn get(&self, sort: Sort, id: u16) -> &str {
        let id = usize::from(id);
        match sort.known().get(id) {
            Some(text) => text,
            None => self.own(sort, id - sort.known().len()),
        }
    }

    pub(super) fn find(&self, sort: Sort, text: &str) -> Option<u16> {
        let hash = hash(text.as_bytes());
        sort.find_known(text, hash).or_else(|| self.probe(sort, text, hash))
    }

    /// The id of a text that no fixed table holds.
    pub(super) fn probe(&self, sort: Sort, text: &str, hash: u64) -> Option<u16> {
        let mask = self.slots.len() - 1;
        let mut at = sort.begin(hash) & mask;
        loop {
            let slot = self.slots.get(at).copied().unwrap_or(EMPTY);
            if slot == EMPTY {
                return None;
            }
            let id = slot as u16;
            let own = || self.own(sort, usize::from(id) - sort.known().len());
            if slot >> 16 == sort as u32 && scan::same(own().as_bytes(), text.as_bytes()) {
                return Some(id);
            }
            at = (at + 1) & mask;
        }
    }

    /// The id for the next text of a sort.
    pub(super) fn next_id(&self, sort: Sort) -> Result<u16, Error> {
        let id = sort.known().len() + self.count(sort);
        if id >= MOST {
            return Err(Error::limit(Quantity::DistinctNames, 0));
        }
        Ok(id as u16)
    }

    /// Enters a text that [`Texts::probe`] did not find and that is not counted yet.
    pub(super) fn enter(&mut self, sort: Sort, id: u16, hash: u64) {
        if self.slots.len() < 2 * (self.used + 1) {
            self.grow();
        }
        take(&mut self.slots, sort, id, hash);
        self.used += 1;
    }

    fn grow(&mut self) {
        let mut slots = vec![EMPTY; self.slots.len() * 2];
        for sort in Sort::ALL {
            for at in 0..self.count(sort) {
                let id = (sort.known().len() + at) as u16;
                take(&mut slots, sort, id, hash(self.own(sort, at).as_bytes()));
            }
        }
        self.slots = slots;
    }

    /// The id of a text of another sort than names as written. `span` is where the pool holds it, if it does.
    pub(super) fn intern(&mut self, sort: Sort, text: &str, span: Option<Span>) -> Result<u16, Error> {
        let hash = hash(text.as_bytes());
        if let Some(id) = sort.find_known(text, hash).or_else(|| self.probe(sort, text, hash)) {
            return Ok(id);
        }
        let id = self.next_id(sort)?;
        let span = span.unwrap_or_else(|| self.push(text));
        self.enter(sort, id, hash);
        match sort {
            Sort::Written => {}
            Sort::Local => self.locals.push(span),
            Sort::Namespace => self.namespaces.push(span),
            Sort::Prefix => self.prefixes.push(span),
        }
        Ok(id)
    }

    /// The prefix of a name as written if this is its text: the next name often has the same.
    pub(super) fn prefix_of(&self, written: u16, text: &str) -> Option<u16> {
        let w = self.written.get(usize::from(written)).filter(|w| usize::from(w.colon) == text.len())?;
        let before = self.pool.as_bytes().get(w.span.0 as usize..w.span.0 as usize + text.len())?;
        scan::same(before, text.as_bytes()).then_some(w.prefix)
    }

    pub(super) fn push(&mut self, text: &str) -> Span {
        let start = self.pool.len() as u32;
        self.pool.push_str(text);
        (start, self.pool.len() as u32)
    }
}

/// Puts an id into the first free slot.
fn take(slots: &mut [u32], sort: Sort, id: u16, hash: u64) {
    let mask = slots.len() - 1;
    let mut at = sort.begin(hash) & mask;
    while slots.get(at).is_some_and(|&slot| slot != EMPTY) {
        at = (at + 1) & mask;
    }
    if let Some(free) = slots.get_mut(at) {
        *free = (sort as u32) << 16 | u32::from(id);
    }
}
