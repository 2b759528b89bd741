//! What the safe interface promises, and that it agrees with aws-lc-rs where both can do a thing.

mod keys;
mod octets;
