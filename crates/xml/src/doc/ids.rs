//! The Id index.
