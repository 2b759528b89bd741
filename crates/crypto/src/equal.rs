//! Comparison that takes the same time wherever the octets differ.

/// Whether two octet strings are equal, in time that depends on their lengths only.
#[must_use]
pub fn constant_time(a: &[u8], b: &[u8]) -> bool {
    aws_lc_rs::constant_time::verify_slices_are_equal(a, b).is_ok()
}

/// 0xff if the octet is zero, 0 otherwise, without a branch.
pub(crate) fn mask_if_zero(octet: u8) -> u8 {
    // Only for zero does the subtraction borrow into the high octet. The compiler must not learn that
    // the result has two values only, or it may branch on it later.
    let [borrow, _] = u16::from(octet).wrapping_sub(1).to_be_bytes();
    core::hint::black_box(borrow)
}

#[cfg(test)]
mod tests;
