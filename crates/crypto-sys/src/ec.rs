//! Elliptic-curve keys and ECDSA over digests, with signatures as r ‖ s.

use core::ffi::c_int;
use core::ptr::{NonNull, null, null_mut};

use aws_lc_sys as ffi;

use crate::number::{self, Number};
use crate::{Failure, check};

/// A named curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Curve {
    P256,
    P384,
    P521,
}

impl Curve {
    const fn nid(self) -> c_int {
        match self {
            Self::P256 => ffi::NID_X9_62_prime256v1,
            Self::P384 => ffi::NID_secp384r1,
            Self::P521 => ffi::NID_secp521r1,
        }
    }

    /// Octets of a coordinate, a scalar, r or s.
    #[must_use]
    pub const fn field_len(self) -> usize {
        match self {
            Self::P256 => 32,
            Self::P384 => 48,
            Self::P521 => 66,
        }
    }

    const fn point_len(self) -> usize {
        1 + 2 * self.field_len()
    }
}

/// An owned `EC_KEY` on a known curve.
struct Key {
    key: NonNull<ffi::EC_KEY>,
    curve: Curve,
}

// SAFETY: the key is never changed after construction; see the crate's documentation.
unsafe impl Send for Key {}
// SAFETY: as above.
unsafe impl Sync for Key {}

impl Key {
    fn new(curve: Curve) -> Result<Self, Failure> {
        // SAFETY: any number is allowed as a name; the result is checked.
        let key = unsafe { ffi::EC_KEY_new_by_curve_name(curve.nid()) };
        NonNull::new(key).map(|key| Self { key, curve }).ok_or(Failure)
    }

    fn group(&self) -> *const ffi::EC_GROUP {
        // SAFETY: the key is live; the group belongs to it and lives as long.
        unsafe { ffi::EC_KEY_get0_group(self.key.as_ptr()) }
    }

    /// Takes the point as public key; the library checks that it fits the curve and a private part.
    fn set_public(&self, point: &Point) -> Result<(), Failure> {
        // SAFETY: key and point are live, and nobody else has the key yet; the point is copied.
        check(unsafe { ffi::EC_KEY_set_public_key(self.key.as_ptr(), point.0.as_ptr()) })?;
        // SAFETY: the key is live.
        check(unsafe { ffi::EC_KEY_check_key(self.key.as_ptr()) })
    }

    /// The public key as an uncompressed point.
    fn point(&self) -> Result<Vec<u8>, Failure> {
        let mut out = vec![0; self.curve.point_len()];
        // SAFETY: the key is live; the point belongs to it (null if there is none).
        let point = unsafe { ffi::EC_KEY_get0_public_key(self.key.as_ptr()) };
        if point.is_null() {
            return Err(Failure);
        }
        let form = ffi::point_conversion_form_t::POINT_CONVERSION_UNCOMPRESSED;
        // SAFETY: group and point belong to the live key, the buffer is one slice, a null context is
        // allowed.
        let len = unsafe {
            ffi::EC_POINT_point2oct(self.group(), point, form, out.as_mut_ptr(), out.len(), null_mut())
        };
        if len == out.len() { Ok(out) } else { Err(Failure) }
    }
}

impl Drop for Key {
    fn drop(&mut self) {
        // SAFETY: the key is owned here and not used after this.
        unsafe { ffi::EC_KEY_free(self.key.as_ptr()) };
    }
}

struct Point(NonNull<ffi::EC_POINT>);

impl Point {
    fn new(key: &Key) -> Result<Self, Failure> {
        // SAFETY: the group belongs to a live key; the result is checked.
        NonNull::new(unsafe { ffi::EC_POINT_new(key.group()) }).map(Self).ok_or(Failure)
    }
}

impl Drop for Point {
    fn drop(&mut self) {
        // SAFETY: the point is owned here and not used after this.
        unsafe { ffi::EC_POINT_free(self.0.as_ptr()) };
    }
}

struct Signature(NonNull<ffi::ECDSA_SIG>);

impl Drop for Signature {
    fn drop(&mut self) {
        // SAFETY: the signature is owned here and not used after this.
        unsafe { ffi::ECDSA_SIG_free(self.0.as_ptr()) };
    }
}

/// An EC public key.
pub struct EcPublicKey(Key);

impl EcPublicKey {
    /// From an uncompressed point. Compressed and hybrid forms, infinity, and points off the curve are
    /// refused.
    ///
    /// # Errors
    /// [`Failure`].
    pub fn from_point(curve: Curve, octets: &[u8]) -> Result<Self, Failure> {
        if octets.len() != curve.point_len() || octets.first() != Some(&4) {
            return Err(Failure);
        }
        let key = Key::new(curve)?;
        let point = Point::new(&key)?;
        // SAFETY: the group belongs to the live key, the point to that group, the octets are one slice,
        // a null context is allowed.
        let result = unsafe {
            ffi::EC_POINT_oct2point(key.group(), point.0.as_ptr(), octets.as_ptr(), octets.len(), null_mut())
        };
        check(result)?;
        key.set_public(&point)?;
        Ok(Self(key))
    }

    /// Checks a signature r ‖ s, each as long as the curve's field, over a digest.
    ///
    /// # Errors
    /// [`Failure`] if it is not good.
    pub fn verify(&self, digest: &[u8], signature: &[u8]) -> Result<(), Failure> {
        let len = self.0.curve.field_len();
        if signature.len() != 2 * len {
            return Err(Failure);
        }
        let (r, s) = signature.split_at_checked(len).ok_or(Failure)?;
        let (r, s) = (Number::new(r)?, Number::new(s)?);
        // SAFETY: takes nothing; the result is checked.
        let signature = Signature(NonNull::new(unsafe { ffi::ECDSA_SIG_new() }).ok_or(Failure)?);
        // SAFETY: all three are live; on success the signature owns the numbers.
        check(unsafe { ffi::ECDSA_SIG_set0(signature.0.as_ptr(), r.as_ptr(), s.as_ptr()) })?;
        r.into_raw();
        s.into_raw();
        // SAFETY: key and signature are live, the digest is one slice.
        let result = unsafe {
            ffi::ECDSA_do_verify(digest.as_ptr(), digest.len(), signature.0.as_ptr(), self.0.key.as_ptr())
        };
        check(result)
    }
}

/// An EC private key with its public half.
pub struct EcPrivateKey(Key);

impl EcPrivateKey {
    /// From the scalar, unsigned big-endian, at most as long as the field; the public key is computed.
    ///
    /// # Errors
    /// [`Failure`] if the scalar is zero, too long or not below the order.
    pub fn from_scalar(curve: Curve, scalar: &[u8]) -> Result<Self, Failure> {
        if scalar.len() > curve.field_len() {
            return Err(Failure);
        }
        let key = Key::new(curve)?;
        let number = Number::new(scalar)?;
        // SAFETY: both are live, nobody else has the key yet, and the number is copied.
        check(unsafe { ffi::EC_KEY_set_private_key(key.key.as_ptr(), number.as_ptr()) })?;
        let point = Point::new(&key)?;
        // SAFETY: the group belongs to the live key, the point to that group; with null `q` and `m` only
        // the multiple of the generator is computed, and a null context is allowed.
        let result = unsafe {
            ffi::EC_POINT_mul(key.group(), point.0.as_ptr(), number.as_ptr(), null(), null(), null_mut())
        };
        check(result)?;
        key.set_public(&point)?;
        Ok(Self(key))
    }

    /// The curve.
    #[must_use]
    pub fn curve(&self) -> Curve {
        self.0.curve
    }

    /// The public key as an uncompressed point.
    ///
    /// # Errors
    /// [`Failure`] if the library cannot write it.
    pub fn point(&self) -> Result<Vec<u8>, Failure> {
        self.0.point()
    }

    /// Writes the scalar, filled up with zeros in front.
    ///
    /// # Errors
    /// [`Failure`] if the buffer is too short.
    pub fn write_scalar(&self, out: &mut [u8]) -> Result<(), Failure> {
        // SAFETY: the key is live; the number belongs to it (null if there is none).
        let number = unsafe { ffi::EC_KEY_get0_private_key(self.0.key.as_ptr()) };
        // SAFETY: the number belongs to the live key, which nobody changes.
        unsafe { number::write_padded(number, out) }
    }

    /// Signs a digest: r ‖ s, each as long as the curve's field.
    ///
    /// # Errors
    /// [`Failure`].
    pub fn sign(&self, digest: &[u8]) -> Result<Vec<u8>, Failure> {
        // SAFETY: the key is live, the digest is one slice; the result is checked.
        let signature = unsafe { ffi::ECDSA_do_sign(digest.as_ptr(), digest.len(), self.0.key.as_ptr()) };
        let signature = Signature(NonNull::new(signature).ok_or(Failure)?);
        let len = self.0.curve.field_len();
        let mut out = vec![0; 2 * len];
        let (first, second) = out.split_at_mut_checked(len).ok_or(Failure)?;
        // SAFETY: the signature is live; r belongs to it.
        let r = unsafe { ffi::ECDSA_SIG_get0_r(signature.0.as_ptr()) };
        // SAFETY: r belongs to the live signature.
        unsafe { number::write_padded(r, first) }?;
        // SAFETY: the signature is live; s belongs to it.
        let s = unsafe { ffi::ECDSA_SIG_get0_s(signature.0.as_ptr()) };
        // SAFETY: s belongs to the live signature.
        unsafe { number::write_padded(s, second) }?;
        Ok(out)
    }
}
