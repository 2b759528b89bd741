//! Signature and encryption through the public interface. Vectors of other makers run in the crate of the
//! command line, which has certificate paths.

mod attacks_enc;
mod attacks_sig;
mod encryption;
mod fixture;
mod properties;
mod signature;
