//! AES key wrap (RFC 3394) with 128, 192 and 256-bit keys.

use core::ffi::{c_int, c_uint};
use core::mem::MaybeUninit;
use core::ptr::null;

use aws_lc_sys as ffi;

use crate::Failure;

/// Longest key that is wrapped, in octets: far beyond any key, far below the library's own bound.
const MAX_LEN: usize = 4096;

/// An expanded AES key, erased when dropped.
struct Schedule(MaybeUninit<ffi::AES_KEY>);

type Expand = unsafe extern "C" fn(*const u8, c_uint, *mut ffi::AES_KEY) -> c_int;

impl Schedule {
    fn new(key: &[u8], expand: Expand) -> Result<Self, Failure> {
        let bits: c_uint = match key.len() {
            16 => 128,
            24 => 192,
            32 => 256,
            _ => return Err(Failure),
        };
        let mut schedule = Self(MaybeUninit::zeroed());
        // SAFETY: the key has exactly `bits` bits, and the schedule is writable memory of the right type.
        let result = unsafe { expand(key.as_ptr(), bits, schedule.0.as_mut_ptr()) };
        if result == 0 { Ok(schedule) } else { Err(Failure) }
    }
}

impl Drop for Schedule {
    fn drop(&mut self) {
        // SAFETY: the range is exactly the memory of this value, and all-zero octets are valid in it.
        unsafe { ffi::OPENSSL_cleanse(self.0.as_mut_ptr().cast(), size_of::<ffi::AES_KEY>()) };
    }
}

/// Wraps `key`, a multiple of 8 octets and at least 16, under `kek` of 16, 24 or 32 octets.
///
/// # Errors
/// [`Failure`] for any other length.
pub fn aes_wrap(kek: &[u8], key: &[u8]) -> Result<Vec<u8>, Failure> {
    if key.len() < 16 || key.len() > MAX_LEN || !key.len().is_multiple_of(8) {
        return Err(Failure);
    }
    let schedule = Schedule::new(kek, ffi::AES_set_encrypt_key)?;
    let mut out = vec![0; key.len() + 8];
    // SAFETY: the schedule is expanded for encryption, a null initial value means the default, the
    // input is one slice, and the output has the eight octets more that the function writes.
    let len =
        unsafe { ffi::AES_wrap_key(schedule.0.as_ptr(), null(), out.as_mut_ptr(), key.as_ptr(), key.len()) };
    if usize::try_from(len) == Ok(out.len()) { Ok(out) } else { Err(Failure) }
}

/// Unwraps what [`aes_wrap`] made.
///
/// # Errors
/// [`Failure`] for another length or a wrong integrity value.
pub fn aes_unwrap(kek: &[u8], wrapped: &[u8]) -> Result<Vec<u8>, Failure> {
    if wrapped.len() < 24 || wrapped.len() > MAX_LEN + 8 || !wrapped.len().is_multiple_of(8) {
        return Err(Failure);
    }
    let schedule = Schedule::new(kek, ffi::AES_set_decrypt_key)?;
    let mut out = vec![0; wrapped.len() - 8];
    // SAFETY: the schedule is expanded for decryption, a null initial value means the default, the
    // input is one slice, and the output holds the eight octets fewer that the function writes.
    let len = unsafe {
        ffi::AES_unwrap_key(schedule.0.as_ptr(), null(), out.as_mut_ptr(), wrapped.as_ptr(), wrapped.len())
    };
    if usize::try_from(len) == Ok(out.len()) { Ok(out) } else { Err(Failure) }
}
