//! Secrets: octets that are erased when dropped and never printed.

use core::fmt;

use zeroize::{Zeroize, Zeroizing};

/// Something that is erased when dropped, shows nothing in `Debug` and is not cloned by accident.
pub struct Secret<T: Zeroize = Vec<u8>>(Zeroizing<T>);

impl<T: Zeroize> Secret<T> {
    /// Takes the value into custody.
    pub fn new(value: T) -> Self {
        Self(Zeroizing::new(value))
    }

    /// Shows the value to a closure, which should not copy it.
    pub fn expose<R>(&self, reader: impl FnOnce(&T) -> R) -> R {
        reader(&self.0)
    }
}

impl Secret<Vec<u8>> {
    /// Octets held.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no octets.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn as_slice(&self) -> &[u8] {
        &self.0
    }

    /// A second copy, erased like the first.
    #[must_use]
    pub fn duplicate(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T: Zeroize> fmt::Debug for Secret<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}
