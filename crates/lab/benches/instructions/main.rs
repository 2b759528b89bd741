//! Ten fixed cases whose instructions are counted: `cargo xtask instructions` runs this program under callgrind, for no
//! operation and for N, and the difference is what N operations cost.
//!
//! `instructions CASE COUNT` makes the case ready and does it COUNT times; without arguments it does every case once, as
//! a check of itself. Keys, clock and chance are fixed, so that a count says something about the code and nothing else;
//! what the cryptographic library draws by itself (nonces, ephemeral keys) is averaged by repetition.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::disallowed_methods,
    missing_docs,
    unreachable_pub,
    reason = "a measuring program: it prints and stops at the first wrong answer"
)]

use bartizan_crypto::random::{Random as _, SystemRandom};

mod cases;
#[allow(dead_code, reason = "the other bench uses the rest")]
#[path = "../ratios/world.rs"]
mod world;

fn main() {
    // Cargo adds `--bench`.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|text| text != "--bench").collect();
    match arguments.as_slice() {
        [] => {
            for name in cases::NAMES {
                cases::make(name)(1);
                println!("{name}");
            }
        }
        [name, count] => {
            // The library's source of chance takes hundreds of millions of instructions to begin with; a run of none has
            // them too, so that they fall out.
            SystemRandom.fill(&mut [0]);
            cases::make(name)(count.parse().expect("a count"));
        }
        _ => panic!("instructions [CASE COUNT]"),
    }
}
