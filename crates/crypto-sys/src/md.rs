//! Digests by name, and SHA3-224, which aws-lc-rs does not offer.

use core::ffi::{c_int, c_uint};
use core::ptr::{NonNull, null_mut};

use aws_lc_sys as ffi;

/// A message digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Md {
    /// Broken. Only to read signatures of old certificates.
    Md5,
    Sha1,
    Sha224,
    Sha256,
    Sha384,
    Sha512,
    Sha3_224,
    Sha3_256,
    Sha3_384,
    Sha3_512,
}

impl Md {
    /// Octets of the digest.
    #[must_use]
    pub const fn output_len(self) -> usize {
        match self {
            Self::Md5 => 16,
            Self::Sha1 => 20,
            Self::Sha224 | Self::Sha3_224 => 28,
            Self::Sha256 | Self::Sha3_256 => 32,
            Self::Sha384 | Self::Sha3_384 => 48,
            Self::Sha512 | Self::Sha3_512 => 64,
        }
    }

    pub(crate) const fn nid(self) -> c_int {
        match self {
            Self::Md5 => ffi::NID_md5,
            Self::Sha1 => ffi::NID_sha1,
            Self::Sha224 => ffi::NID_sha224,
            Self::Sha256 => ffi::NID_sha256,
            Self::Sha384 => ffi::NID_sha384,
            Self::Sha512 => ffi::NID_sha512,
            Self::Sha3_224 => ffi::NID_sha3_224,
            Self::Sha3_256 => ffi::NID_sha3_256,
            Self::Sha3_384 => ffi::NID_sha3_384,
            Self::Sha3_512 => ffi::NID_sha3_512,
        }
    }

    /// The static description of the digest inside the library.
    pub(crate) fn evp(self) -> *const ffi::EVP_MD {
        let table: unsafe extern "C" fn() -> *const ffi::EVP_MD = match self {
            Self::Md5 => ffi::EVP_md5,
            Self::Sha1 => ffi::EVP_sha1,
            Self::Sha224 => ffi::EVP_sha224,
            Self::Sha256 => ffi::EVP_sha256,
            Self::Sha384 => ffi::EVP_sha384,
            Self::Sha512 => ffi::EVP_sha512,
            Self::Sha3_224 => ffi::EVP_sha3_224,
            Self::Sha3_256 => ffi::EVP_sha3_256,
            Self::Sha3_384 => ffi::EVP_sha3_384,
            Self::Sha3_512 => ffi::EVP_sha3_512,
        };
        // SAFETY: these functions take nothing and return a pointer to static data.
        unsafe { table() }
    }
}

/// A SHA3-224 digest under way.
pub struct Sha3_224(NonNull<ffi::EVP_MD_CTX>);

// SAFETY: the context is plain heap memory without ties to the thread that made it.
unsafe impl Send for Sha3_224 {}
// SAFETY: shared references only allow `clone`, which reads the context.
unsafe impl Sync for Sha3_224 {}

impl Sha3_224 {
    /// Starts a digest.
    #[must_use]
    pub fn new() -> Self {
        let context = Self::allocate();
        // SAFETY: the context is live and owned here, the digest static; a null engine is the default.
        let result = unsafe { ffi::EVP_DigestInit_ex(context.0.as_ptr(), Md::Sha3_224.evp(), null_mut()) };
        must(result);
        context
    }

    fn allocate() -> Self {
        // SAFETY: takes nothing; the result is checked below.
        let context = unsafe { ffi::EVP_MD_CTX_new() };
        // Only exhausted memory makes it null, and there Rust's own allocations abort too.
        NonNull::new(context).map_or_else(|| std::process::abort(), Self)
    }

    /// Adds octets.
    pub fn update(&mut self, octets: &[u8]) {
        // SAFETY: the context is live and exclusively borrowed; pointer and length are one slice's.
        let result = unsafe { ffi::EVP_DigestUpdate(self.0.as_ptr(), octets.as_ptr().cast(), octets.len()) };
        must(result);
    }

    /// Ends the digest.
    #[must_use]
    pub fn finish(self) -> [u8; 28] {
        let mut out = [0; 28];
        let mut len: c_uint = 28;
        // SAFETY: the context is live, the buffer holds the 28 octets that SHA3-224 writes.
        let result = unsafe { ffi::EVP_DigestFinal_ex(self.0.as_ptr(), out.as_mut_ptr(), &raw mut len) };
        must(result);
        out
    }
}

impl Default for Sha3_224 {
    fn default() -> Self {
        Self::new()
    }
}

impl Clone for Sha3_224 {
    fn clone(&self) -> Self {
        let copy = Self::allocate();
        // SAFETY: both contexts are live, and the target is owned here.
        let result = unsafe { ffi::EVP_MD_CTX_copy_ex(copy.0.as_ptr(), self.0.as_ptr()) };
        must(result);
        copy
    }
}

impl Drop for Sha3_224 {
    fn drop(&mut self) {
        // SAFETY: the context is owned here and not used after this.
        unsafe { ffi::EVP_MD_CTX_free(self.0.as_ptr()) };
    }
}

/// A digest cannot fail but for exhausted memory; a wrong digest would be worse than no process.
fn must(result: c_int) {
    if result != 1 {
        std::process::abort();
    }
}
