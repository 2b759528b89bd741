//! The `bartizan` binary.
fn main() {}
