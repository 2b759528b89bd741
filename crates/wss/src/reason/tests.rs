use std::collections::HashSet;

use super::*;

#[test]
fn codes_are_unique_and_dotted_lower_case() {
    let mut seen = HashSet::new();
    for r in Reason::ALL {
        assert!(seen.insert(r.code()), "{} twice", r.code());
        assert!(r.code().bytes().all(|b| b.is_ascii_lowercase() || b == b'.' || b == b'_'), "{}", r.code());
        assert!(r.sentence().ends_with('.'));
    }
}

#[test]
fn every_failure_of_cryptography_shares_one_wire_fault() {
    for r in Reason::ALL {
        let family = r.code().split('.').next().unwrap();
        if matches!(family, "signature" | "encryption" | "token" | "coverage" | "confirmation" | "replay") {
            assert_eq!(r.wire(), Wire::FailedCheck, "{}", r.code());
        }
    }
}
