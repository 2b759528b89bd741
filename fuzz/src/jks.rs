//! JKS and JCEKS. The digest over a store would hide its entries from every change, so it is made right again.

use bartizan_crypto::{DigestAlg, Hasher};

use crate::stores::{burns, read};

const PASSWORD: &str = "secret1";

/// The store's digest over what stands before it.
pub(crate) fn closed(content: &[u8]) -> Vec<u8> {
    let mut hasher = Hasher::new(DigestAlg::Sha1);
    for unit in PASSWORD.encode_utf16() {
        hasher.update(&unit.to_be_bytes());
    }
    hasher.update(b"Mighty Aphrodite");
    hasher.update(content);
    [content, hasher.finish().as_ref()].concat()
}

/// One input: a store without its digest.
pub fn run(data: &[u8]) {
    if burns(data) {
        return;
    }
    let _ = read(data, PASSWORD);
    let entries = |magic: &[u8]| {
        let rest = data.get(4..).unwrap_or_default();
        read(&closed(&[magic, rest].concat()), PASSWORD)
    };
    let jks = entries(&[0xfe, 0xed, 0xfe, 0xed]);
    let jceks = entries(&[0xce, 0xce, 0xce, 0xce]);
    // The two formats differ in their number only.
    assert_eq!(jks.map(|all| all.len()), jceks.map(|all| all.len()));
}
