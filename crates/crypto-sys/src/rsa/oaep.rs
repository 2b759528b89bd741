//! RSA-OAEP with any pair of digests, through the library's high-level interface.

use core::ptr::{NonNull, null_mut};

use aws_lc_sys as ffi;

use super::Key;
use crate::{Failure, Md, check};

/// An `EVP_PKEY_CTX` for one operation.
pub(super) struct Context(NonNull<ffi::EVP_PKEY_CTX>);

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: the context is owned here and not used after this.
        unsafe { ffi::EVP_PKEY_CTX_free(self.0.as_ptr()) };
    }
}

impl Context {
    fn new(key: &Key) -> Result<Self, Failure> {
        // SAFETY: the key is live, and the context takes a reference of its own; a null engine is the
        // default; the result is checked.
        let context = unsafe { ffi::EVP_PKEY_CTX_new(key.pkey.as_ptr(), null_mut()) };
        NonNull::new(context).map(Self).ok_or(Failure)
    }

    pub(super) fn encrypt(key: &Key) -> Result<Self, Failure> {
        let context = Self::new(key)?;
        // SAFETY: the context is live.
        check(unsafe { ffi::EVP_PKEY_encrypt_init(context.0.as_ptr()) })?;
        Ok(context)
    }

    pub(super) fn decrypt(key: &Key) -> Result<Self, Failure> {
        let context = Self::new(key)?;
        // SAFETY: the context is live.
        check(unsafe { ffi::EVP_PKEY_decrypt_init(context.0.as_ptr()) })?;
        Ok(context)
    }

    /// Sets padding, digests and label.
    pub(super) fn with(self, md: Md, mgf: Md, label: &[u8]) -> Result<Self, Failure> {
        let context = self.0.as_ptr();
        // SAFETY: the context is live and set up for an RSA operation.
        check(unsafe { ffi::EVP_PKEY_CTX_set_rsa_padding(context, ffi::RSA_PKCS1_OAEP_PADDING) })?;
        // SAFETY: the context is live, the digest description static.
        check(unsafe { ffi::EVP_PKEY_CTX_set_rsa_oaep_md(context, md.evp()) })?;
        // SAFETY: the context is live, the digest description static.
        check(unsafe { ffi::EVP_PKEY_CTX_set_rsa_mgf1_md(context, mgf.evp()) })?;
        if !label.is_empty() {
            // SAFETY: pointer and length are one slice's; the copy comes from the library's allocator.
            let copy = unsafe { ffi::OPENSSL_memdup(label.as_ptr().cast(), label.len()) };
            let copy = NonNull::new(copy.cast::<u8>()).ok_or(Failure)?;
            let copy = super::Allocated { pointer: copy };
            // SAFETY: the context is live; on success it owns the copy, which has that length.
            check(unsafe {
                ffi::EVP_PKEY_CTX_set0_rsa_oaep_label(context, copy.pointer.as_ptr(), label.len())
            })?;
            core::mem::forget(copy);
        }
        Ok(self)
    }

    pub(super) fn run_encrypt(self, plaintext: &[u8], size: usize) -> Result<Vec<u8>, Failure> {
        let mut out = vec![0; size];
        let mut len = out.len();
        // SAFETY: the context is set up for encryption, input and output are slices with their lengths.
        let result = unsafe {
            ffi::EVP_PKEY_encrypt(
                self.0.as_ptr(),
                out.as_mut_ptr(),
                &raw mut len,
                plaintext.as_ptr(),
                plaintext.len(),
            )
        };
        check(result)?;
        if len == out.len() { Ok(out) } else { Err(Failure) }
    }

    /// The result is cut to the plaintext; the rest of its buffer holds no plaintext.
    pub(super) fn run_decrypt(self, ciphertext: &[u8], size: usize) -> Result<Vec<u8>, Failure> {
        let mut out = vec![0; size];
        let mut len = out.len();
        // SAFETY: the context is set up for decryption, input and output are slices with their lengths.
        let result = unsafe {
            ffi::EVP_PKEY_decrypt(
                self.0.as_ptr(),
                out.as_mut_ptr(),
                &raw mut len,
                ciphertext.as_ptr(),
                ciphertext.len(),
            )
        };
        check(result)?;
        if len > out.len() {
            return Err(Failure);
        }
        out.truncate(len);
        Ok(out)
    }
}
