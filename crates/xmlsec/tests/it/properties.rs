//! Properties: what is signed cannot change, what is sealed comes back.

use bartizan_crypto::SymmetricKey;
use bartizan_crypto::alg::{CipherAlg, DigestAlg, SignatureAlg};
use bartizan_crypto::random::SystemRandom;
use bartizan_xml::c14n::C14nMethod;
use bartizan_xml::{Document, Profile};
use bartizan_xmlsec::EncryptedData;
use bartizan_xmlsec::encryption::DataKind;
use bartizan_xmlsec::engine::{
    EncryptRequest, KeyRing, Recipient, SignRequest, decrypt_document, encrypt_document, sign_document,
    verify_document,
};
use bartizan_xmlsec::signature::{C14nSpec, SignKey};
use proptest::prelude::*;

use crate::fixture::*;

/// Whether every signature of these octets verifies.
fn verifies(octets: &[u8]) -> bool {
    let mut budget = budget();
    let Ok(document) = Document::parse(octets.to_vec(), Profile::Bare, &mut budget) else { return false };
    let reports = verify_document(&document, &ring(), &permit(), &mut budget);
    reports.is_ok_and(|reports| reports.iter().all(|report| report.verified()))
}

/// Where a piece of the signed text stands.
fn range(from: &str, to: &str) -> std::ops::Range<usize> {
    let start = signed().find(from).expect("there");
    start..signed()[start..].find(to).expect("there") + start + to.len()
}

#[test]
fn flip_of_any_bit_of_a_covered_part_is_refused() {
    assert!(verifies(signed().as_bytes()));
    let parts = [
        range("<a u:Id", "</a>"),
        range("<c u:Id", "</c>"),
        range("<ds:SignedInfo>", "</ds:SignedInfo>"),
        range("<ds:SignatureValue>", "</ds:SignatureValue>"),
    ];
    let mut flips = 0;
    for at in parts.into_iter().flatten() {
        for bit in 0..8 {
            let mut octets = signed().as_bytes().to_vec();
            octets[at] ^= 1 << bit;
            assert!(!verifies(&octets), "{}", String::from_utf8_lossy(&octets));
            flips += 1;
        }
    }
    assert!(flips > 8_000, "{flips}");
}

#[test]
fn removal_of_any_octet_of_a_covered_part_is_refused() {
    // Within the start tag of a part a blank more or less is no change: those parts are left out.
    for at in [range(">one ", "</a>"), range(">two", "</c>"), range("<ds:DigestValue>", "</ds:DigestValue>")]
        .into_iter()
        .flatten()
    {
        let mut octets = signed().as_bytes().to_vec();
        octets.remove(at);
        assert!(!verifies(&octets), "{}", String::from_utf8_lossy(&octets));
    }
}

/// Text that XML can hold.
fn text() -> impl Strategy<Value = String> {
    proptest::collection::vec(
        prop_oneof![
            Just('&'),
            Just('<'),
            Just('>'),
            Just('"'),
            Just('\''),
            Just('\n'),
            Just('\r'),
            Just('\t'),
            Just(' '),
            proptest::char::range('a', 'z'),
            proptest::char::range('\u{80}', '\u{D7FF}'),
            proptest::char::range('\u{E000}', '\u{FFFD}'),
            proptest::char::range('\u{10000}', '\u{10FFFF}'),
        ],
        0..24,
    )
    .prop_map(|chars| chars.into_iter().collect())
}

fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\r' => out.push_str("&#13;"),
            '\n' => out.push_str("&#10;"),
            '\t' => out.push_str("&#9;"),
            c => out.push(c),
        }
    }
    out
}

/// A small tree with namespaces, attributes, comments and instructions.
fn tree() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        text().prop_map(|t| escaped(&t)),
        Just("<!-- c -->".to_owned()),
        Just("<?p i?>".to_owned()),
        Just("<e/>".to_owned()),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let names = prop_oneof![
            Just("a"),
            Just("p:a"),
            Just("q:b xmlns:q='urn:q'"),
            Just("c xmlns='urn:c'"),
            Just("d xmlns='' p:x='1' x='2'"),
            Just("e xml:lang='en' xmlns:p='urn:other'"),
        ];
        (names, text(), proptest::collection::vec(inner, 0..4)).prop_map(|(open, value, children)| {
            let name = open.split(' ').next().unwrap_or_default();
            format!("<{open} z=\"{}\">{}</{name}>", escaped(&value), children.concat())
        })
    })
}

fn document() -> impl Strategy<Value = String> {
    proptest::collection::vec(tree(), 0..4)
        .prop_map(|parts| format!("<r xmlns='urn:r' xmlns:p='urn:p'>{}</r>", parts.concat()))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_was_signed_verifies_and_what_is_added_does_not(text in document(), method in 0..6_usize, mac in 0..5_usize) {
        let c14n = C14nSpec::new(C14nMethod::ALL[method]);
        let macs = [SignatureAlg::HmacSha1, SignatureAlg::HmacSha224, SignatureAlg::HmacSha256, SignatureAlg::HmacSha384, SignatureAlg::HmacSha512];
        let request = SignRequest {
            targets: &[],
            enveloped: true,
            parent: None,
            method: macs[mac],
            digest: DigestAlg::ALL[method],
            canonicalization: &c14n,
            id: None,
            key_info: None,
        };
        let parsed = parse(&text);
        let signed = sign_document(&parsed, &request, &SignKey::Secret(&secret()), Profile::Bare, &mut budget(), &SystemRandom);
        let signed = signed.expect("signed");
        prop_assert!(verifies(&signed), "{}", String::from_utf8_lossy(&signed));
        let added = String::from_utf8(signed).expect("text").replacen("<r xmlns='urn:r'", "<r added='1' xmlns='urn:r'", 1);
        prop_assert!(!verifies(added.as_bytes()));
    }

    #[test]
    fn what_was_encrypted_comes_back(text in document(), cipher in 0..7_usize, content in any::<bool>()) {
        let cipher = CipherAlg::ALL[cipher];
        let parsed = parse(&text);
        let Some(element) = parsed.root().elements().next() else { return Ok(()) };
        let key = SymmetricKey::new(secret().expose(|o| o[..cipher.key_len()].to_vec()));
        let request = EncryptRequest {
            element: element.id(),
            content,
            cipher,
            recipient: Recipient::Secret(&key),
            key_info: None,
            id: None,
        };
        let sealed = encrypt_document(&parsed, &request, &SystemRandom).expect("encrypted");
        let mut opened = Document::parse(sealed, Profile::Bare, &mut budget()).expect("parsed");
        let mut ring = KeyRing::new();
        ring.add_secret(None, key);
        decrypt_document(&mut opened, &ring, &permit(), &mut budget()).expect("decrypted");
        let canonical = |document: &Document| {
            let mut octets = Vec::new();
            bartizan_xml::c14n::C14n::new(C14nMethod::ExclusiveWithComments).write_document(document, &mut octets).expect("canonical");
            octets
        };
        prop_assert_eq!(
            String::from_utf8_lossy(&canonical(&opened)).into_owned(),
            String::from_utf8_lossy(&canonical(&parsed)).into_owned()
        );
    }

    #[test]
    fn every_plaintext_of_octets_comes_back(plaintext in proptest::collection::vec(any::<u8>(), 0..300), cipher in 0..7_usize) {
        let cipher = CipherAlg::ALL[cipher];
        let key = content_key(cipher);
        let text = encrypted(cipher, &key, &DataKind::Octets, &plaintext);
        let data = EncryptedData::read(parse(&text).root(), &permit(), &mut budget()).expect("read");
        prop_assert_eq!(data.open(&key).expect("opened"), plaintext);
    }

    #[test]
    fn arbitrary_changes_never_verify_unless_they_say_the_same(at in 0..3_000_usize, octet in any::<u8>(), insert in any::<bool>()) {
        let mut octets = signed().as_bytes().to_vec();
        let at = at % octets.len();
        if insert { octets.insert(at, octet) } else { octets[at] = octet }
        if verifies(&octets) {
            let document = parse(std::str::from_utf8(&octets).expect("text"));
            let original = parse(signed());
            let part = |document: &Document, index: usize| {
                let element = document.root().elements().nth(index).expect("a part");
                let mut octets = Vec::new();
                bartizan_xml::c14n::C14n::new(C14nMethod::Exclusive).write(element, &mut octets).expect("canonical");
                octets
            };
            for index in 0..2 {
                prop_assert_eq!(part(&document, index), part(&original, index));
            }
        }
    }
}
