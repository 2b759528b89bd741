//! DSA, verification only.

use core::ffi::c_int;
use core::ptr::{NonNull, null_mut};

use aws_lc_sys as ffi;

use crate::number::Number;
use crate::{Failure, check};

/// A DSA public key.
pub struct DsaPublicKey(NonNull<ffi::DSA>);

// SAFETY: the key is never changed after construction; see the crate's documentation.
unsafe impl Send for DsaPublicKey {}
// SAFETY: as above.
unsafe impl Sync for DsaPublicKey {}

impl DsaPublicKey {
    /// From the domain parameters and the public value, unsigned big-endian.
    ///
    /// The library itself bounds the sizes at use: q of 160, 224 or 256 bits, p of at most 10,000.
    ///
    /// # Errors
    /// [`Failure`] if the library refuses them.
    pub fn new(p: &[u8], q: &[u8], g: &[u8], y: &[u8]) -> Result<Self, Failure> {
        // SAFETY: takes nothing; the result is checked.
        let dsa = NonNull::new(unsafe { ffi::DSA_new() }).ok_or(Failure)?;
        let key = Self(dsa);
        let (p, q, g, y) = (Number::new(p)?, Number::new(q)?, Number::new(g)?, Number::new(y)?);
        // SAFETY: the key is live and the numbers are; on success the key owns them.
        check(unsafe { ffi::DSA_set0_pqg(dsa.as_ptr(), p.as_ptr(), q.as_ptr(), g.as_ptr()) })?;
        // Owned by the key from here on.
        p.into_raw();
        q.into_raw();
        g.into_raw();
        // SAFETY: the key is live and so is the number; a null private value is allowed.
        check(unsafe { ffi::DSA_set0_key(dsa.as_ptr(), y.as_ptr(), null_mut()) })?;
        y.into_raw();
        Ok(key)
    }

    /// Checks the signature (r, s), unsigned big-endian, over a digest.
    ///
    /// # Errors
    /// [`Failure`] if it is not good.
    pub fn verify(&self, digest: &[u8], r: &[u8], s: &[u8]) -> Result<(), Failure> {
        // SAFETY: takes nothing; the result is checked.
        let signature = Signature(NonNull::new(unsafe { ffi::DSA_SIG_new() }).ok_or(Failure)?);
        let (r, s) = (Number::new(r)?, Number::new(s)?);
        // SAFETY: all three are live; on success the signature owns the numbers.
        check(unsafe { ffi::DSA_SIG_set0(signature.0.as_ptr(), r.as_ptr(), s.as_ptr()) })?;
        r.into_raw();
        s.into_raw();
        let mut valid: c_int = 0;
        // SAFETY: key and signature are live, the digest is one slice, `valid` is writable.
        let result = unsafe {
            ffi::DSA_do_check_signature(
                &raw mut valid,
                digest.as_ptr(),
                digest.len(),
                signature.0.as_ptr(),
                self.0.as_ptr(),
            )
        };
        check(result)?;
        check(valid)
    }
}

impl Drop for DsaPublicKey {
    fn drop(&mut self) {
        // SAFETY: the key is owned here and not used after this.
        unsafe { ffi::DSA_free(self.0.as_ptr()) };
    }
}

struct Signature(NonNull<ffi::DSA_SIG>);

impl Drop for Signature {
    fn drop(&mut self) {
        // SAFETY: the signature is owned here and not used after this.
        unsafe { ffi::DSA_SIG_free(self.0.as_ptr()) };
    }
}
