//! Plans of several alternatives: a message that satisfies any of them is accepted, once, as that one.

use bartizan_crypto::random::SystemRandom;
use bartizan_crypto::suite::SignatureReading;
use bartizan_wss::plan::{MAX_ALTERNATIVES, PlanPair, ProtectionOrder, TimestampRule};
use bartizan_wss::{AsymmetricBuilder, Env, MemoryReplay, Part, Plan, Reason as R};

use crate::fixture::{self, benchmark, cut, pair, read, refused, replace, secure, verify, world};

fn any_of(pairs: &[PlanPair]) -> Plan {
    let first = pairs[0].recipient.clone();
    pairs[1..].iter().fold(first, |plan, other| {
        plan.or(other.recipient.inbound().clone(), other.recipient.outbound().clone()).unwrap()
    })
}

fn signing(suite: &str) -> AsymmetricBuilder {
    AsymmetricBuilder::new(bartizan_crypto::suite::by_name(suite).unwrap()).sign(Part::Body)
}

/// They differ in demands, in algorithms, in order, and in what is encrypted.
fn alternatives() -> Vec<PlanPair> {
    vec![
        pair(benchmark("modern-rsa").timestamp(TimestampRule::default())),
        pair(benchmark("modern-rsa")),
        pair(signing("modern-rsa").confirmation()),
        pair(benchmark("modern-rsa").order(ProtectionOrder::EncryptBeforeSign)),
        pair(benchmark("Basic256")),
        pair(benchmark("Basic256Sha256").encrypt(Part::Signature)),
        pair(benchmark("Basic256Sha256").reading(SignatureReading::Wcf).encrypt(Part::Signature)),
    ]
}

#[test]
fn message_is_accepted_as_the_alternative_that_it_satisfies() {
    let pairs = alternatives();
    let plan = any_of(&pairs);
    for (number, one) in pairs.iter().enumerate() {
        let request = secure(&one.initiator, &world().client, fixture::draft());
        let replay = MemoryReplay::default();
        let env = Env::new(&world().server, fixture::now(), &SystemRandom).with_replay(&replay);
        let verified = plan
            .verify(read(request.message.bytes()).unwrap(), &env)
            .unwrap_or_else(|r| panic!("alternative {number}: {r}"));
        assert_eq!(verified.context().alternative(), Some(number));
        assert_eq!(verified.request_facts().alternative(), number);
        let encrypts = one.initiator.outbound().encrypt.is_some();
        assert_eq!(verified.context().private_operations(), u32::from(encrypts), "opened once");
        // The answer is that alternative's.
        let reply = plan.secure(fixture::draft(), &env, Some(verified.request_facts())).unwrap();
        fixture::verify_reply(&one.initiator, &world().client, reply.message.bytes(), &request.sent)
            .unwrap_or_else(|r| panic!("alternative {number}: {r}"));
        // It was claimed once, and stays claimed for all of them.
        let again = plan.verify(read(request.message.bytes()).unwrap(), &env).unwrap_err();
        assert_eq!(again.reason(), R::Replay);
    }
}

#[test]
fn message_that_satisfies_none_is_refused_and_opened_once() {
    let pairs = alternatives();
    let plan = any_of(&pairs);
    for one in &pairs {
        let text = fixture::text(secure(&one.initiator, &world().client, fixture::draft()));
        let reject = if one.initiator.outbound().encrypt.is_some() {
            let data = cut(&text, "<xenc:EncryptedData", "</xenc:EncryptedData>");
            let value = cut(data, "<xenc:CipherValue>", "</xenc:CipherValue>");
            let letter = if value.contains(">A") { ">B" } else { ">A" };
            let changed = format!("{}{letter}{}", "<xenc:CipherValue", &value["<xenc:CipherValue>A".len()..]);
            refused(
                &plan,
                &world().server,
                &replace(&text, value, &changed),
                &[R::EncryptionFailed, R::SignatureDigest],
            )
        } else {
            refused(&plan, &world().server, &replace(&text, "test me", "test you"), &[R::SignatureDigest])
        };
        assert!(reject.context().private_operations() <= 1 && reject.context().decryptions() <= 2);
    }
    refused(
        &plan,
        &world().server,
        crate::forge::envelope("", "", fixture::PAYLOAD).as_str(),
        &[R::SignatureMissing],
    );
    let foreign = pair(benchmark("Basic128"));
    let message = fixture::text(secure(&foreign.initiator, &world().client, fixture::draft()));
    refused(&plan, &world().server, &message, &[R::EncryptionAlgorithm, R::SignatureAlgorithm]);
}

#[test]
fn alternative_that_demands_more_does_not_lend_its_algorithms() {
    // Together the two would let SHA-1 into the first, and an unencrypted Body into the second.
    let pairs = [pair(benchmark("Basic256")), pair(signing("modern-rsa"))];
    let plan = any_of(&pairs);
    let weak = pair(signing("Basic256"));
    let message = secure(&weak.initiator, &world().client, fixture::draft());
    let reject = verify(&plan, &world().server, message.message.bytes()).unwrap_err();
    assert_eq!(reject.reason(), R::CoverageBodyNotEncrypted);
}

#[test]
fn limit_of_alternatives_is_kept() {
    let one = pair(benchmark("modern-rsa"));
    let more = |plan: Plan| plan.or(one.recipient.inbound().clone(), one.recipient.outbound().clone());
    let mut plan = one.recipient.clone();
    for _ in 1..MAX_ALTERNATIVES {
        plan = more(plan).unwrap();
    }
    assert!(more(plan).is_err());
}
