//! `Number`: an owned big number, the form in which key components cross the boundary.

use core::ffi::c_int;
use core::ptr::{NonNull, null_mut};

use aws_lc_sys as ffi;

use crate::Failure;

/// An owned `BIGNUM`, erased when dropped.
pub(crate) struct Number(NonNull<ffi::BIGNUM>);

impl Number {
    /// From unsigned big-endian octets.
    pub(crate) fn new(octets: &[u8]) -> Result<Self, Failure> {
        // SAFETY: pointer and length are those of one slice; a null third argument asks for a new number.
        let number = unsafe { ffi::BN_bin2bn(octets.as_ptr(), octets.len(), null_mut()) };
        NonNull::new(number).map(Self).ok_or(Failure)
    }

    pub(crate) fn as_ptr(&self) -> *mut ffi::BIGNUM {
        self.0.as_ptr()
    }

    /// Gives the pointer away; the receiver frees it.
    pub(crate) fn into_raw(self) -> *mut ffi::BIGNUM {
        let raw = self.0.as_ptr();
        core::mem::forget(self);
        raw
    }
}

impl Drop for Number {
    fn drop(&mut self) {
        // SAFETY: the pointer came from BN_bin2bn, is owned here and is not used after this.
        unsafe { ffi::BN_clear_free(self.0.as_ptr()) };
    }
}

/// The unsigned big-endian octets of a number, without leading zeros.
///
/// # Safety
/// `number` is null or points to a live number that nobody changes meanwhile.
pub(crate) unsafe fn octets(number: *const ffi::BIGNUM) -> Result<Vec<u8>, Failure> {
    if number.is_null() {
        return Err(Failure);
    }
    // SAFETY: not null, and live by this function's contract.
    let len = unsafe { ffi::BN_num_bytes(number) };
    let mut out = vec![0; usize::try_from(len).map_err(|_| Failure)?];
    // SAFETY: live by this function's contract, and the buffer has the length just asked for.
    let written = unsafe { ffi::BN_bn2bin(number, out.as_mut_ptr()) };
    if written == out.len() { Ok(out) } else { Err(Failure) }
}

/// Writes a number as unsigned big-endian octets, filled up with zeros in front.
///
/// # Safety
/// `number` is null or points to a live number that nobody changes meanwhile.
pub(crate) unsafe fn write_padded(number: *const ffi::BIGNUM, out: &mut [u8]) -> Result<(), Failure> {
    if number.is_null() {
        return Err(Failure);
    }
    // SAFETY: live by this function's contract; pointer and length are those of one slice.
    let result: c_int = unsafe { ffi::BN_bn2bin_padded(out.as_mut_ptr(), out.len(), number) };
    crate::check(result)
}
