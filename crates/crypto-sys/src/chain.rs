//! SHA-1 applied to its own output many times, by the compression function alone.
//!
//! A call of the digest interface costs more than the one block that it hashes; here the block is laid out once.

use aws_lc_sys as ffi;
use zeroize::Zeroize as _;

/// The state that SHA-1 starts with (FIPS 180-4 §5.3.1).
const START: [u32; 5] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];

/// SHA-1 applied `times` times in a row: to `first`, then to each result.
///
/// Costs one compression for each time; `times` comes from outside in some protocols and has to be bounded before.
#[must_use]
pub fn sha1_chain(first: [u8; 20], times: u32) -> [u8; 20] {
    // One block (FIPS 180-4 §5.1.1): 20 octets, the end mark, zeros, the length of 160 bits.
    let mut block = [0_u8; 64];
    block[..20].copy_from_slice(&first);
    block[20] = 0x80;
    block[63] = 160;
    let mut state = ffi::SHA_CTX { h: START, Nl: 0, Nh: 0, data: [0; 64], num: 0 };
    for _ in 0..times {
        state.h = START;
        // SAFETY: the state is plain memory that is exclusively borrowed, and the block is the 64 octets that are read.
        unsafe { ffi::SHA1_Transform(&raw mut state, block.as_ptr()) };
        for (to, word) in block.chunks_exact_mut(4).zip(state.h) {
            to.copy_from_slice(&word.to_be_bytes());
        }
    }
    let mut out = [0_u8; 20];
    out.copy_from_slice(&block[..20]);
    block.zeroize();
    state.h.zeroize();
    out
}
