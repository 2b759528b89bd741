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
