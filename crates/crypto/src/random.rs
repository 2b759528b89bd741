//! Where randomness comes from: a trait that is passed in, and the system's generator.
//!
//! The library underneath draws on its own generator for blinding, for PSS salts, for the nonces of
//! ECDSA, for RSA encryption padding and for key generation; those draws cannot be redirected.

/// A source of unpredictable octets.
pub trait Random: Send + Sync {
    /// Fills the buffer. A source that cannot deliver must not return.
    fn fill(&self, buffer: &mut [u8]);
}

/// The generator of the cryptographic library, seeded by the operating system.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemRandom;

impl Random for SystemRandom {
    fn fill(&self, buffer: &mut [u8]) {
        // The library's generator aborts the process rather than report a failure; should that ever
        // change, predictable octets are worse than no process.
        if aws_lc_rs::rand::fill(buffer).is_err() {
            std::process::abort();
        }
    }
}
