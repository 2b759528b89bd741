//! Everything about policies that is checked from outside: vectors, plans, words, limits.

mod compile;
mod diagnostics;
mod explain;
mod limits;
mod property;
mod roundtrip;
mod short;
mod vectors;
mod xml;
