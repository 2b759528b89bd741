//! Comparison that takes the same time wherever the octets differ.

/// Whether two octet strings are equal, in time that depends on their lengths only.
#[must_use]
pub fn constant_time(a: &[u8], b: &[u8]) -> bool {
    aws_lc_rs::constant_time::verify_slices_are_equal(a, b).is_ok()
}
