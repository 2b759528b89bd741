//! The few primitives of AWS-LC that aws-lc-rs does not offer, behind a safe interface.
//!
//! RSA with every digest and from 1,024 bits on, OAEP with any pair of digest and mask generation
//! digest, the raw private RSA operation, ECDSA with every pair of curve and digest, DSA
//! verification, AES key wrap with all three key lengths, SHA3-224, and SHA-1 in a chain. This is the only crate of the
//! workspace that contains `unsafe`; `bartizan-crypto` is its only caller and decides what may be used
//! for what. It knows no ASN.1 beyond PKCS#1, no algorithm identifiers and no policy.
//!
//! Keys are owned handles, made once and then only read. AWS-LC documents that an `RSA`, `EC_KEY`,
//! `DSA` or `EVP_PKEY` may be used by several threads at once through functions that do not change it
//! (values computed late, such as Montgomery contexts and blinding, are behind the library's own
//! locks), so the handles are `Send` and `Sync`.
//!
//! Every failure is the same [`Failure`]. Each `unsafe` block holds one call and says why it is sound.
#![allow(unsafe_code, reason = "calls into AWS-LC; every block states why it is sound")]

mod chain;
mod dsa;
mod ec;
mod md;
mod number;
mod rsa;
mod wrap;

use core::ffi::c_int;
use core::fmt;

pub use chain::sha1_chain;
pub use dsa::DsaPublicKey;
pub use ec::{Curve, EcPrivateKey, EcPublicKey};
pub use md::{Md, Sha3_224};
pub use rsa::{RsaPrivateKey, RsaPublicKey};
pub use wrap::{aes_unwrap, aes_wrap};

/// An operation did not succeed. There is no detail, on purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure;

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the cryptographic operation failed")
    }
}

impl std::error::Error for Failure {}

/// Most functions of AWS-LC return one for success.
fn check(result: c_int) -> Result<(), Failure> {
    if result == 1 { Ok(()) } else { Err(Failure) }
}
