//! The public interface against published attack vectors, and against arbitrary octets.

mod arbitrary;
mod wycheproof;
