//! How often a message makes the allocator work: a bound that holds on every machine, unlike a time.
//!
//! Each bound leaves a little room over what was counted; a look-up that copies, or a list that grows piece by piece, breaks it.

use allocation_counter::measure;
use bartizan_crypto::random::SystemRandom;
use bartizan_crypto::suite;
use bartizan_soap::{Draft, Version};
use bartizan_wss::replay::{Claim, Remember, ReplayKey};
use bartizan_wss::{AsymmetricBuilder, Env, MemoryReplay, Part, ReplayCache as _, Untrusted, Verified};
use bartizan_xml::{Limits, Scratch};

use crate::fixture::{World, benchmark, ec_world, now, pair, world};

/// An order of about `octets` octets.
fn order(octets: usize) -> Vec<u8> {
    let mut text = String::from("<o:order xmlns:o=\"urn:example:orders\">");
    let mut number = 0;
    while text.len() < octets {
        text += &format!(
            "<o:line no=\"{number}\"><o:item>bolt &amp; nut</o:item><o:price>{number}.99</o:price></o:line>"
        );
        number += 1;
    }
    (text + "</o:order>").into_bytes()
}

/// What `run` gives and how many allocations it took on its thread, once the caches are filled.
fn counted<T>(mut run: impl FnMut() -> T) -> (T, u64) {
    run();
    let mut result = None;
    let info = measure(|| result = Some(run()));
    (result.unwrap(), info.count_total)
}

#[test]
fn verifying_a_signed_body_of_10_kb_takes_at_most_60_allocations() {
    let builder = AsymmetricBuilder::new(suite::by_name("modern-rsa").unwrap());
    let plans = pair(builder.sign(Part::Body).timestamp(Default::default()));
    let World { client, server } = world();
    let draft = Draft::new(Version::Soap11).with_body(order(10_000));
    let sent = plans.initiator.secure(draft, &Env::new(client, now(), &SystemRandom), None).unwrap();
    let mut copies = vec![sent.message.bytes().to_vec(); 2];
    let mut scratch = Scratch::default();
    let (parts, count) = counted(|| {
        let replay = MemoryReplay::default();
        let octets = copies.pop().unwrap();
        let message =
            Untrusted::read_with(octets, Some("text/xml"), &Limits::default(), &mut scratch).unwrap();
        let env = Env::new(server, now(), &SystemRandom).with_replay(&replay);
        let verified = plans.recipient.verify(message, &env).unwrap();
        let parts = verified.context().parts().len();
        verified.recycle(&mut scratch);
        parts
    });
    // The memory of the test is a fresh one: its shards, and room in the one that is filled.
    let (_, memory) = counted(|| {
        let replay = MemoryReplay::default();
        assert_eq!(replay.claim(&ReplayKey::from_digest(&[1]), Remember::Window, now()), Claim::Fresh);
    });
    assert_eq!(parts, 2);
    let count = count - memory;
    println!("{count} allocations");
    assert!(count <= 60, "{count} allocations");
}

/// Verifies, decrypts, answers, signs and encrypts: allocations of the recipient.
fn whole_message(world: &World, suite: &str) -> u64 {
    let plans = pair(benchmark(suite));
    let draft = Draft::new(Version::Soap12).with_body(order(100));
    let sent = plans.initiator.secure(draft, &Env::new(&world.client, now(), &SystemRandom), None).unwrap();
    let mut copies = vec![sent.message.bytes().to_vec(); 2];
    let env = Env::new(&world.server, now(), &SystemRandom);
    let mut scratch = Scratch::default();
    let (_, count) = counted(|| {
        let octets = copies.pop().unwrap();
        let message = Untrusted::read_with(octets, None, &Limits::default(), &mut scratch).unwrap();
        let verified: Verified = plans.recipient.verify(message, &env).unwrap();
        let reply = Draft::new(verified.version()).with_body(verified.payload().unwrap().octets());
        let reply = plans.recipient.secure(reply, &env, Some(verified.request_facts())).unwrap();
        verified.recycle(&mut scratch);
        reply
    });
    count
}

#[test]
fn whole_message_at_the_recipient_stays_within_its_bound_of_allocations() {
    let rsa = whole_message(world(), "Basic256");
    assert!(rsa <= 160, "{rsa} allocations");
    let ec = whole_message(ec_world(), "modern-ec");
    println!("{rsa} allocations with RSA, {ec} with an elliptic key");
    assert!(ec <= 205, "{ec} allocations");
}
