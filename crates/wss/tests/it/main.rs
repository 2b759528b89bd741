//! Integration tests of the processor.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic, reason = "tests")]

mod allocations;
mod alternatives;
mod attacks_enc;
mod attacks_end;
mod attacks_sig;
mod attacks_sym;
mod attacks_tok;
mod attacks_user;
mod attacks_xsw;
mod endorse;
mod endorse_mixed;
mod evidence;
mod fixture;
mod flips;
mod forge;
mod kept;
mod limits;
mod partners;
mod property;
mod reasons;
mod roundtrip;
mod symmetric;
mod symmetric_user;
mod toll;
mod transport;
mod username_beside;
mod username_in;
mod username_out;
