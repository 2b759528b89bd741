//! The public suites of XML Signature and XML Encryption, and the cases of our own, run through the
//! whole-document engine with real key files and certificate paths.
//!
//! The tables are data beside the repository; `dsig.expect` and `enc.expect` list by name what does not
//! pass and why. A listed case that passes and an unlisted one that fails break the test.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic, reason = "tests")]
#![allow(clippy::disallowed_methods, reason = "the time of files and of the run")]

mod dsig;
mod enc;
mod finder;
mod options;
