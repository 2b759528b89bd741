//! Algorithms and keys as types for XML security.
