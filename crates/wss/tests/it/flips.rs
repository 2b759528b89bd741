//! Any single changed octet: in what a signature covers every bit is refused unless the canonical form stays as it is; elsewhere the message is
//! refused, or what is shown of it is exactly what was signed.

use std::ops::Range;

use bartizan_wss::plan::{Dialect, HeaderRule, Layout, PlanPair, ProtectionOrder, TimestampRule};
use bartizan_wss::{AsymmetricBuilder, Keep, Part, SymmetricBuilder};
use bartizan_xml::c14n::{C14n, C14nMethod};
use bartizan_xml::names::{ds, xenc};
use bartizan_xml::{Budget, Document, Element, Limits, Profile};

use crate::fixture::{self, World, benchmark, ec_world, secure, verify, world};

fn parse(message: &[u8]) -> Document {
    Document::parse(message.to_vec(), Profile::Message, &mut Budget::new(&Limits::default())).unwrap()
}

/// What the signature names, each with its canonical form.
fn forms(message: &[u8]) -> Vec<(String, Vec<u8>)> {
    let document = parse(message);
    let references = document.root().descendants().filter(|e| e.is(ds::REFERENCE));
    let form = |reference: Element<'_>| {
        let id = reference.attr_plain("URI").unwrap().trim_start_matches('#').to_owned();
        let mut octets = Vec::new();
        C14n::new(C14nMethod::Exclusive).write(document.by_id(&id).unwrap().unwrap(), &mut octets).unwrap();
        (id, octets)
    };
    references.map(form).collect()
}

/// Where what the signature covers stands, as the message is sent, with its SignedInfo and SignatureValue.
fn covered(message: &[u8]) -> Vec<Range<usize>> {
    let document = parse(message);
    let span = |e: Element<'_>| e.span().start..e.span().end;
    let all = |name| document.root().descendants().filter(move |e| e.is(name));
    let named = all(ds::REFERENCE).map(|r| r.attr_plain("URI").unwrap().trim_start_matches('#'));
    let targets = named.map(|id| document.by_id(id).unwrap().unwrap());
    // What is still to be decrypted is covered in another form than it has here.
    let plain = targets
        .filter(|t| !t.descendants().any(|e| e.is(xenc::ENCRYPTED_DATA)) || encrypted_first(&document));
    plain.chain(all(ds::SIGNED_INFO)).chain(all(ds::SIGNATURE_VALUE)).map(span).collect()
}

/// Whether the list of what is encrypted stands behind the signature: decrypted last.
fn encrypted_first(document: &Document) -> bool {
    let place = |name| document.root().descendants().position(|e| e.is(name));
    place(xenc::REFERENCE_LIST) > place(ds::SIGNATURE)
}

fn all_flips(pair: &PlanPair, world: &World, masks: &[u8], at_least: usize) {
    let sent = secure(&pair.initiator, &world.client, fixture::draft()).message.into_bytes();
    let shown = verify(&pair.recipient, &world.server, &sent).unwrap().view(Keep::Covered).bytes;
    let (covered, genuine) = (covered(&sent), forms(&sent));
    let (mut refused, mut same, mut of_covered) = (0, 0, 0);
    for at in 0..sent.len() {
        let inside = covered.iter().any(|span| span.contains(&at));
        for bit in 0..8 {
            let mask = 1_u8 << bit;
            if !inside && !masks.contains(&mask) {
                continue;
            }
            let mut flipped = sent.clone();
            flipped[at] ^= mask;
            match verify(&pair.recipient, &world.server, &flipped) {
                Err(_) => refused += 1,
                Ok(verified) => {
                    let text = String::from_utf8_lossy(&flipped);
                    // A declaration that an ancestor makes too is in no canonical form.
                    assert!(
                        !inside || forms(&flipped) == genuine,
                        "octet {at} with {mask} is covered\n{text}"
                    );
                    let view = verified.view(Keep::Covered).bytes;
                    assert_eq!(String::from_utf8_lossy(&view), String::from_utf8_lossy(&shown), "{text}");
                    same += 1;
                }
            }
            of_covered += usize::from(inside);
        }
    }
    assert!(of_covered >= at_least, "{of_covered} flips of covered octets");
    // Harmless octets are few: the Id of the Signature, mustUnderstand, names of attributes nobody reads.
    assert!(same * 20 < refused, "{same} of {} flips change nothing", same + refused);
}

fn signed(suite: &str) -> AsymmetricBuilder {
    let header = HeaderRule { layout: Layout::Strict, ..HeaderRule::default() };
    let builder = AsymmetricBuilder::new(bartizan_crypto::suite::by_name(suite).unwrap());
    builder.sign(Part::Body).timestamp(TimestampRule::default()).protect_tokens().header(header)
}

#[test]
fn flipped_octet_of_a_signed_message_is_refused_or_changes_nothing() {
    all_flips(&fixture::pair(signed("modern-rsa")), world(), &[0x01, 0x20], 20_000);
}

#[test]
fn flipped_octet_of_a_message_encrypted_and_then_signed_is_refused_or_changes_nothing() {
    let builder = signed("modern-rsa").encrypt(Part::Body).order(ProtectionOrder::EncryptBeforeSign);
    all_flips(&fixture::pair(builder), world(), &[0x01], 20_000);
}

#[test]
fn flipped_octet_of_the_benchmark_message_is_refused_or_changes_nothing() {
    all_flips(&fixture::pair(benchmark("Basic256")), world(), &[0x01], 5_000);
}

#[test]
fn flipped_octet_of_an_elliptic_message_is_refused_or_changes_nothing() {
    all_flips(&fixture::pair(benchmark("modern-ec")), ec_world(), &[0x02], 5_000);
}

#[test]
fn flipped_octet_of_a_message_under_a_shared_secret_is_refused_or_changes_nothing() {
    let header = HeaderRule { layout: Layout::Strict, ..HeaderRule::default() };
    let builder =
        SymmetricBuilder::new(bartizan_crypto::suite::by_name("Basic256").unwrap()).sign(Part::Body);
    let builder = builder.timestamp(TimestampRule::default()).protect_tokens().header(header).anonymous();
    let builder = builder.derived(Dialect::V13);
    all_flips(&builder.build().unwrap(), world(), &[0x01], 5_000);
}
