//! RSA keys from 1,024 bits on: PKCS#1 v1.5 and PSS signatures over digests, encryption, and the raw
//! private operation.

mod oaep;

use core::ffi::{c_int, c_uint};
use core::ptr::{NonNull, null_mut};

use aws_lc_sys as ffi;

use crate::number::{self, Number};
use crate::{Failure, Md, check};

/// Salt as long as the digest.
const SALT_AS_DIGEST: c_int = ffi::RSA_PSS_SALTLEN_DIGEST;

/// An owned `EVP_PKEY` and the `RSA` that belongs to it.
struct Key {
    pkey: NonNull<ffi::EVP_PKEY>,
    rsa: NonNull<ffi::RSA>,
}

// SAFETY: the key is never changed after construction; see the crate's documentation.
unsafe impl Send for Key {}
// SAFETY: as above.
unsafe impl Sync for Key {}

/// An owned `RSA` on its way into a [`Key`].
struct Fresh(NonNull<ffi::RSA>);

impl Drop for Fresh {
    fn drop(&mut self) {
        // SAFETY: this reference is owned here and not used after this.
        unsafe { ffi::RSA_free(self.0.as_ptr()) };
    }
}

impl Fresh {
    fn new(rsa: *mut ffi::RSA) -> Result<Self, Failure> {
        NonNull::new(rsa).map(Self).ok_or(Failure)
    }

    fn into_key(self) -> Result<Key, Failure> {
        // SAFETY: takes nothing; the result is checked.
        let pkey = NonNull::new(unsafe { ffi::EVP_PKEY_new() }).ok_or(Failure)?;
        let key = Key { pkey, rsa: self.0 };
        // SAFETY: both are live; the new key takes a reference of its own, so the RSA key lives as long
        // as it, also after `self` gives up its reference.
        check(unsafe { ffi::EVP_PKEY_set1_RSA(pkey.as_ptr(), self.0.as_ptr()) })?;
        Ok(key)
    }
}

impl Key {
    fn rsa(&self) -> *mut ffi::RSA {
        self.rsa.as_ptr()
    }

    fn size(&self) -> usize {
        // SAFETY: the key is live.
        let size: c_uint = unsafe { ffi::RSA_size(self.rsa()) };
        size as usize
    }

    fn bits(&self) -> u32 {
        // SAFETY: the key is live.
        unsafe { ffi::RSA_bits(self.rsa()) }
    }

    fn modulus(&self) -> Result<Vec<u8>, Failure> {
        // SAFETY: the key is live; the number belongs to it.
        let n = unsafe { ffi::RSA_get0_n(self.rsa()) };
        // SAFETY: the number belongs to the live key, which nobody changes.
        unsafe { number::octets(n) }
    }

    fn exponent(&self) -> Result<Vec<u8>, Failure> {
        // SAFETY: the key is live; the number belongs to it.
        let e = unsafe { ffi::RSA_get0_e(self.rsa()) };
        // SAFETY: the number belongs to the live key, which nobody changes.
        unsafe { number::octets(e) }
    }
}

impl Drop for Key {
    fn drop(&mut self) {
        // SAFETY: the key is owned here and not used after this; it gives up the RSA key with it.
        unsafe { ffi::EVP_PKEY_free(self.pkey.as_ptr()) };
    }
}

/// An RSA public key.
pub struct RsaPublicKey(Key);

impl RsaPublicKey {
    /// From modulus and exponent, unsigned big-endian.
    ///
    /// # Errors
    /// [`Failure`] if the library refuses them: an even or huge modulus, an even or tiny exponent, or
    /// one of more than 33 bits.
    pub fn from_components(modulus: &[u8], exponent: &[u8]) -> Result<Self, Failure> {
        let (n, e) = (Number::new(modulus)?, Number::new(exponent)?);
        // SAFETY: both numbers are live and copied; the result is checked.
        let rsa = unsafe { ffi::RSA_new_public_key(n.as_ptr(), e.as_ptr()) };
        Fresh::new(rsa)?.into_key().map(Self)
    }

    /// Bits of the modulus.
    #[must_use]
    pub fn bits(&self) -> u32 {
        self.0.bits()
    }

    /// Checks a PKCS#1 v1.5 signature over a digest.
    ///
    /// # Errors
    /// [`Failure`] if it is not good or the digest has another length than `md`'s.
    pub fn verify_pkcs1(&self, md: Md, digest: &[u8], signature: &[u8]) -> Result<(), Failure> {
        if digest.len() != md.output_len() {
            return Err(Failure);
        }
        // SAFETY: the key is live (the function does not change it), digest and signature are slices.
        let result = unsafe {
            ffi::RSA_verify(
                md.nid(),
                digest.as_ptr(),
                digest.len(),
                signature.as_ptr(),
                signature.len(),
                self.0.rsa(),
            )
        };
        check(result)
    }

    /// Checks a PSS signature over a digest: MGF1 with the same digest, salt as long as the digest.
    ///
    /// # Errors
    /// As [`verify_pkcs1`](Self::verify_pkcs1).
    pub fn verify_pss(&self, md: Md, digest: &[u8], signature: &[u8]) -> Result<(), Failure> {
        if digest.len() != md.output_len() {
            return Err(Failure);
        }
        // SAFETY: the key is live (the function does not change it), the digest descriptions are static,
        // digest and signature are slices.
        let result = unsafe {
            ffi::RSA_verify_pss_mgf1(
                self.0.rsa(),
                digest.as_ptr(),
                digest.len(),
                md.evp(),
                md.evp(),
                SALT_AS_DIGEST,
                signature.as_ptr(),
                signature.len(),
            )
        };
        check(result)
    }

    /// Encrypts with PKCS#1 v1.5 padding.
    ///
    /// # Errors
    /// [`Failure`] if the plaintext is longer than the modulus less 11 octets.
    pub fn encrypt_pkcs1(&self, plaintext: &[u8]) -> Result<Vec<u8>, Failure> {
        let mut out = vec![0; self.0.size()];
        let mut len = 0;
        // SAFETY: the key is live (the function does not change it), input and output are slices with
        // their lengths, `len` is writable.
        let result = unsafe {
            ffi::RSA_encrypt(
                self.0.rsa(),
                &raw mut len,
                out.as_mut_ptr(),
                out.len(),
                plaintext.as_ptr(),
                plaintext.len(),
                ffi::RSA_PKCS1_PADDING,
            )
        };
        check(result)?;
        if len == out.len() { Ok(out) } else { Err(Failure) }
    }

    /// Encrypts with OAEP padding.
    ///
    /// # Errors
    /// [`Failure`] if the plaintext is longer than the modulus less two digests and 2 octets.
    pub fn encrypt_oaep(&self, md: Md, mgf: Md, label: &[u8], plaintext: &[u8]) -> Result<Vec<u8>, Failure> {
        oaep::Context::encrypt(&self.0)?.with(md, mgf, label)?.run_encrypt(plaintext, self.0.size())
    }
}

/// An RSA private key.
pub struct RsaPrivateKey(Key);

impl RsaPrivateKey {
    /// From a DER PKCS#1 `RSAPrivateKey` of two primes, whose consistency the library checks.
    ///
    /// # Errors
    /// [`Failure`].
    pub fn from_pkcs1(der: &[u8]) -> Result<Self, Failure> {
        // SAFETY: pointer and length are one slice's; the result is checked.
        let rsa = unsafe { ffi::RSA_private_key_from_bytes(der.as_ptr(), der.len()) };
        Fresh::new(rsa)?.into_key().map(Self)
    }

    /// A fresh key with the exponent 65,537.
    ///
    /// # Errors
    /// [`Failure`] if the size is not one of the library's (multiples of 128 bits).
    pub fn generate(bits: u32) -> Result<Self, Failure> {
        let bits = c_int::try_from(bits).map_err(|_| Failure)?;
        let exponent = Number::new(&[1, 0, 1])?;
        // SAFETY: takes nothing; the result is checked.
        let fresh = Fresh::new(unsafe { ffi::RSA_new() })?;
        // SAFETY: the key is live and nobody else has it, the number is live, no call-back is given.
        check(unsafe { ffi::RSA_generate_key_ex(fresh.0.as_ptr(), bits, exponent.as_ptr(), null_mut()) })?;
        fresh.into_key().map(Self)
    }

    /// Passes the DER PKCS#1 `RSAPrivateKey` to a closure and erases it afterwards.
    ///
    /// # Errors
    /// [`Failure`] if the library cannot write it.
    pub fn with_pkcs1<R>(&self, reader: impl FnOnce(&[u8]) -> R) -> Result<R, Failure> {
        let mut out = null_mut();
        let mut len = 0;
        // SAFETY: the key is live, both results are writable.
        check(unsafe { ffi::RSA_private_key_to_bytes(&raw mut out, &raw mut len, self.0.rsa()) })?;
        let out = Allocated { pointer: NonNull::new(out).ok_or(Failure)? };
        // SAFETY: on success the library gave an allocation of that length, alive until `out` is dropped.
        Ok(reader(unsafe { core::slice::from_raw_parts(out.pointer.as_ptr(), len) }))
    }

    /// Bits of the modulus.
    #[must_use]
    pub fn bits(&self) -> u32 {
        self.0.bits()
    }

    /// Octets of the modulus.
    #[must_use]
    pub fn size(&self) -> usize {
        self.0.size()
    }

    /// The modulus, unsigned big-endian without leading zeros.
    ///
    /// # Errors
    /// [`Failure`] if the library cannot write it.
    pub fn modulus(&self) -> Result<Vec<u8>, Failure> {
        self.0.modulus()
    }

    /// The public exponent, unsigned big-endian without leading zeros.
    ///
    /// # Errors
    /// [`Failure`] if the library cannot write it.
    pub fn exponent(&self) -> Result<Vec<u8>, Failure> {
        self.0.exponent()
    }

    /// Signs a digest with PKCS#1 v1.5 padding.
    ///
    /// # Errors
    /// [`Failure`] if the digest has another length than `md`'s or the modulus is too short for it.
    pub fn sign_pkcs1(&self, md: Md, digest: &[u8]) -> Result<Vec<u8>, Failure> {
        if digest.len() != md.output_len() {
            return Err(Failure);
        }
        let mut out = vec![0; self.0.size()];
        let mut len: c_uint = 0;
        // SAFETY: the key is live, the digest is one slice, the output has the modulus' length, which is
        // the most the function writes, `len` is writable.
        let result = unsafe {
            ffi::RSA_sign(
                md.nid(),
                digest.as_ptr(),
                digest.len(),
                out.as_mut_ptr(),
                &raw mut len,
                self.0.rsa(),
            )
        };
        check(result)?;
        if len as usize == out.len() { Ok(out) } else { Err(Failure) }
    }

    /// Signs a digest with PSS padding: MGF1 with the same digest, salt as long as the digest.
    ///
    /// # Errors
    /// As [`sign_pkcs1`](Self::sign_pkcs1).
    pub fn sign_pss(&self, md: Md, digest: &[u8]) -> Result<Vec<u8>, Failure> {
        if digest.len() != md.output_len() {
            return Err(Failure);
        }
        let mut out = vec![0; self.0.size()];
        let mut len = 0;
        // SAFETY: the key is live, digest and output are slices with their lengths, the digest
        // descriptions are static, `len` is writable.
        let result = unsafe {
            ffi::RSA_sign_pss_mgf1(
                self.0.rsa(),
                &raw mut len,
                out.as_mut_ptr(),
                out.len(),
                digest.as_ptr(),
                digest.len(),
                md.evp(),
                md.evp(),
                SALT_AS_DIGEST,
            )
        };
        check(result)?;
        if len == out.len() { Ok(out) } else { Err(Failure) }
    }

    /// The raw private operation: `input` and `output` are as long as the modulus, no padding is
    /// looked at. The library blinds.
    ///
    /// # Errors
    /// [`Failure`] if a length is wrong or the input is not below the modulus.
    pub fn raw_decrypt(&self, input: &[u8], output: &mut [u8]) -> Result<(), Failure> {
        if output.len() != self.0.size() {
            return Err(Failure);
        }
        let mut len = 0;
        // SAFETY: the key is live, input and output are slices with their lengths, `len` is writable.
        let result = unsafe {
            ffi::RSA_decrypt(
                self.0.rsa(),
                &raw mut len,
                output.as_mut_ptr(),
                output.len(),
                input.as_ptr(),
                input.len(),
                ffi::RSA_NO_PADDING,
            )
        };
        check(result)?;
        if len == output.len() { Ok(()) } else { Err(Failure) }
    }

    /// Decrypts OAEP padding. The library removes it in constant time.
    ///
    /// # Errors
    /// [`Failure`] for anything wrong.
    pub fn decrypt_oaep(&self, md: Md, mgf: Md, label: &[u8], ciphertext: &[u8]) -> Result<Vec<u8>, Failure> {
        oaep::Context::decrypt(&self.0)?.with(md, mgf, label)?.run_decrypt(ciphertext, self.0.size())
    }
}

/// Memory of the library's allocator, which erases on freeing.
struct Allocated {
    pointer: NonNull<u8>,
}

impl Drop for Allocated {
    fn drop(&mut self) {
        // SAFETY: the allocation is owned here and not used after this.
        unsafe { ffi::OPENSSL_free(self.pointer.as_ptr().cast()) };
    }
}
