#![allow(clippy::unwrap_used, reason = "tests")]

use super::*;

fn key(n: u8) -> Arc<SymmetricKey> {
    Arc::new(SymmetricKey::new(vec![n; 20]))
}

fn id(n: u8) -> KeyId {
    [n; 32]
}

#[test]
fn limit_of_derived_keys_forgets_what_was_not_used() {
    let keys = DerivedKeys::new(4);
    for n in 0..4 {
        keys.keep(id(n), key(n));
        // The first stays in use.
        assert!(keys.find(&id(0)).is_some());
        assert!(keys.counts().entries <= 4);
    }
    keys.keep(id(4), key(4));
    assert!(keys.counts().entries <= 4, "{keys:?}");
    assert!(keys.find(&id(0)).is_some());
    assert!(keys.find(&id(1)).is_none());
    assert_eq!((keys.counts().hits, keys.counts().misses), (5, 1));
}

#[test]
fn key_id_differs_in_user_secret_salt_and_iteration() {
    let secret = |s: &str| Secret::new(s.as_bytes().to_vec());
    let one = key_id("alice", &secret("verySecret"), b"0123456789abcdef", 1000).unwrap();
    assert_eq!(key_id("alice", &secret("verySecret"), b"0123456789abcdef", 1000), Some(one));
    for other in [
        key_id("alicf", &secret("verySecret"), b"0123456789abcdef", 1000),
        key_id("alice", &secret("verySecreT"), b"0123456789abcdef", 1000),
        key_id("alice", &secret("verySecret"), b"0123456789abcdeF", 1000),
        key_id("alice", &secret("verySecret"), b"0123456789abcdef", 1001),
        key_id("alice0", &secret("verySecret"), b"123456789abcdef", 1000),
    ] {
        assert_ne!(other, Some(one));
    }
    assert_eq!(key_id("alice", &secret(""), b"0123456789abcdef", 1000), None);
}

#[test]
fn debug_of_derived_keys_shows_counts_only() {
    let keys = DerivedKeys::default();
    keys.keep(id(7), key(7));
    assert_eq!(format!("{keys:?}"), "DerivedKeys(DerivedCounts { hits: 0, misses: 0, entries: 1 })");
}
