//! Any single changed octet: the message is refused, or what is shown of it is exactly what was signed.

use bartizan_wss::plan::{HeaderRule, Layout, PlanPair, TimestampRule};
use bartizan_wss::{AsymmetricBuilder, Keep, Part};

use crate::fixture::{self, World, benchmark, ec_world, secure, verify, world};

fn all_flips(pair: &PlanPair, world: &World, masks: &[u8]) {
    let sent = secure(&pair.initiator, &world.client, fixture::draft()).message.into_bytes();
    let shown = verify(&pair.recipient, &world.server, &sent).unwrap().view(Keep::Covered).bytes;
    let (mut refused, mut same) = (0, 0);
    for at in 0..sent.len() {
        for mask in masks {
            let mut flipped = sent.clone();
            flipped[at] ^= mask;
            match verify(&pair.recipient, &world.server, &flipped) {
                Err(_) => refused += 1,
                Ok(verified) => {
                    let view = verified.view(Keep::Covered).bytes;
                    assert_eq!(
                        String::from_utf8_lossy(&view),
                        String::from_utf8_lossy(&shown),
                        "octet {at} with {mask}"
                    );
                    same += 1;
                }
            }
        }
    }
    // Harmless octets are few: the Id of the Signature, mustUnderstand, names of attributes nobody reads.
    assert!(same * 20 < refused, "{same} of {} flips change nothing", same + refused);
}

#[test]
fn flipped_octet_of_a_signed_message_is_refused_or_changes_nothing() {
    let header = HeaderRule { layout: Layout::Strict, ..HeaderRule::default() };
    let suite = bartizan_crypto::suite::by_name("modern-rsa").unwrap();
    let builder =
        AsymmetricBuilder::new(suite).sign(Part::Body).timestamp(TimestampRule::default()).header(header);
    all_flips(&fixture::pair(builder), world(), &[0x01, 0x20]);
}

#[test]
fn flipped_octet_of_the_benchmark_message_is_refused_or_changes_nothing() {
    all_flips(&fixture::pair(benchmark("Basic256")), world(), &[0x01]);
}

#[test]
fn flipped_octet_of_an_elliptic_message_is_refused_or_changes_nothing() {
    all_flips(&fixture::pair(benchmark("modern-ec")), ec_world(), &[0x02]);
}
