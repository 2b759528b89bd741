//! Consumers of octets. Canonical forms are written into a [`Sink`], so a digest needs no buffer in between; the
//! adaptor for hashes lives where the hashes are.

/// Takes octets, in order.
pub trait Sink {
    /// Takes the next octets.
    fn put(&mut self, octets: &[u8]);

    /// Whether more octets are of no use. A canonical form can be much longer than its source (a namespace that
    /// every sibling declares anew), so whoever has a limit says here that it is reached.
    fn full(&self) -> bool {
        false
    }
}

impl Sink for Vec<u8> {
    fn put(&mut self, octets: &[u8]) {
        self.extend_from_slice(octets);
    }
}

impl<S: Sink + ?Sized> Sink for &mut S {
    fn put(&mut self, octets: &[u8]) {
        (**self).put(octets);
    }

    fn full(&self) -> bool {
        (**self).full()
    }
}

/// Collects octets up to about a limit: for what is made of a message that nobody has vouched for.
#[derive(Clone, Default, Debug)]
pub struct Capped {
    octets: Vec<u8>,
    most: usize,
}

impl Capped {
    /// Takes `most` octets, and what one tag may be longer.
    #[must_use]
    pub fn new(most: usize) -> Self {
        Self { octets: Vec::new(), most }
    }

    /// Eight times the text of a document, with room for the declarations of a small one.
    #[must_use]
    pub fn for_document(document: &crate::Document) -> Self {
        let text: usize = (0..document.segments()).map(|n| document.segment_text(n).len()).sum();
        Self::new(text.saturating_mul(8).saturating_add(64 << 10))
    }

    /// The limit.
    #[must_use]
    pub fn most(&self) -> usize {
        self.most
    }

    /// What was collected.
    #[must_use]
    pub fn into_octets(self) -> Vec<u8> {
        self.octets
    }
}

impl Sink for Capped {
    fn put(&mut self, octets: &[u8]) {
        self.octets.extend_from_slice(octets);
    }

    fn full(&self) -> bool {
        self.octets.len() > self.most
    }
}

/// Counts octets and forgets them.
#[derive(Clone, Copy, Default, Debug)]
pub struct Counter {
    octets: u64,
}

impl Counter {
    /// Octets seen so far.
    #[must_use]
    pub fn octets(self) -> u64 {
        self.octets
    }
}

impl Sink for Counter {
    fn put(&mut self, octets: &[u8]) {
        self.octets += octets.len() as u64;
    }
}

/// Gives the same octets to two sinks.
#[derive(Debug)]
pub struct Tee<A, B>(pub A, pub B);

impl<A: Sink, B: Sink> Sink for Tee<A, B> {
    fn put(&mut self, octets: &[u8]) {
        self.0.put(octets);
        self.1.put(octets);
    }

    fn full(&self) -> bool {
        self.0.full() || self.1.full()
    }
}
