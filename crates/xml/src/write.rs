//! Writes XML that is in exclusive canonical form by construction: no canonicalizer runs over what we send. Gaps are
//! places of fixed length that are filled later (digests, signature values).

use crate::error::Error;

/// The writer. Output grows in one buffer. Calls do not fail: the first error (a bad name, a forbidden character, a call out
/// of order) stops all output and is what [`Writer::finish`] returns.
#[derive(Debug, Default)]
pub struct Writer {}

/// A place that is filled later by [`Writer::patch`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Gap {
    start: usize,
    len: usize,
}

impl Gap {
    /// First octet in the output.
    #[must_use]
    pub fn start(self) -> usize {
        self.start
    }
    /// Octets.
    #[must_use]
    pub fn len(self) -> usize {
        self.len
    }
    /// Whether it holds nothing.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len == 0
    }
}

impl Writer {
    /// An empty output.
    #[must_use]
    pub fn new() -> Self {
        todo!()
    }
    /// An empty output with room for `octets`.
    #[must_use]
    pub fn with_capacity(octets: usize) -> Self {
        let _ = octets;
        todo!()
    }
    /// Opens an element. Its namespace is declared here if the nearest open element that used the prefix meant another.
    pub fn open(&mut self, prefix: &str, ns: &str, local: &str) -> &mut Self {
        let _ = (prefix, ns, local);
        todo!()
    }
    /// Forces a declaration on the element just opened, used or not. Such an output is canonical only under a prefix
    /// list that names the prefix.
    pub fn declare(&mut self, prefix: &str, ns: &str) -> &mut Self {
        let _ = (prefix, ns);
        todo!()
    }
    /// Adds an attribute without namespace to the element just opened, in any order.
    pub fn attr(&mut self, local: &str, value: &str) -> &mut Self {
        let _ = (local, value);
        todo!()
    }
    /// Adds an attribute with a namespace.
    pub fn attr_ns(&mut self, prefix: &str, ns: &str, local: &str, value: &str) -> &mut Self {
        let _ = (prefix, ns, local, value);
        todo!()
    }
    /// Adds text, escaped.
    pub fn text(&mut self, text: &str) -> &mut Self {
        let _ = text;
        todo!()
    }
    /// Adds octets that are canonical already, as they are.
    pub fn raw(&mut self, octets: &[u8]) -> &mut Self {
        let _ = octets;
        todo!()
    }
    /// Closes the innermost open element.
    pub fn close(&mut self) -> &mut Self {
        todo!()
    }
    /// Octets written so far; finishes the start tag, so attributes must come before.
    pub fn position(&mut self) -> usize {
        todo!()
    }
    /// What was written so far, from an octet on. Finishes the start tag.
    pub fn written(&mut self, from: usize) -> &[u8] {
        let _ = from;
        todo!()
    }
    /// Leaves a place of `len` octets in text, to be filled later.
    pub fn gap(&mut self, len: usize) -> Gap {
        let _ = len;
        todo!()
    }
    /// Fills a gap. The octets must be as many as the gap has and need no escaping (base64).
    ///
    /// # Errors
    /// [`crate::ErrorKind::Writer`] if the length differs or an octet would need escaping.
    pub fn patch(&mut self, gap: Gap, octets: &[u8]) -> Result<(), Error> {
        let _ = (gap, octets);
        todo!()
    }
    /// The URI that a prefix is declared with at this point, if any.
    #[must_use]
    pub fn in_scope(&self, prefix: &str) -> Option<&str> {
        let _ = prefix;
        todo!()
    }
    /// The output.
    ///
    /// # Errors
    /// The first error of any call; [`crate::ErrorKind::Writer`] if an element is open or a gap was not filled.
    pub fn finish(self) -> Result<Vec<u8>, Error> {
        todo!()
    }
}
