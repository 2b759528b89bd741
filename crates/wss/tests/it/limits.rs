//! Every limit of a message, met by one message: at what it needs it is accepted, with one less it is refused for just
//! that. The message is signed and encrypted, its signature too, so that all that is counted occurs.

use std::collections::BTreeSet;

use bartizan_crypto::random::SystemRandom;
use bartizan_soap::{Draft, Version};
use bartizan_wss::plan::{PlanPair, ProtectionOrder};
use bartizan_wss::{Env, MemoryReplay, Part, Reason, Reject, Untrusted, Verified};
use bartizan_xml::Limits;

use super::fixture::{self, benchmark, now, pair, secure, text, world};

/// A field by its name.
type Field = (&'static str, fn(&mut Limits) -> &mut usize);

/// All fields. The pattern names each: one that is new does not compile until it is listed, and so tested.
fn fields() -> Vec<Field> {
    macro_rules! all {
        ($($field:ident),*) => {{
            let Limits { $($field: _),* } = Limits::default();
            vec![$((stringify!($field), |limits: &mut Limits| &mut limits.$field)),*]
        }};
    }
    all!(
        message_bytes,
        depth,
        children,
        nodes,
        attributes,
        attribute_bytes,
        name_bytes,
        namespaces,
        namespaces_in_scope,
        references,
        transforms,
        signatures,
        encrypted_data,
        encrypted_keys,
        decrypt_depth,
        digested_factor,
        private_ops
    )
}

/// What the message needs of what can be counted by hand, and how a message that misses a limit is refused: by reason and
/// words of the local record. What a plaintext does to a limit is not told apart from other failures of decryption.
fn expected(name: &str) -> (Option<usize>, Reason, &'static str) {
    match name {
        "message_bytes" | "depth" | "nodes" => (None, Reason::EncryptionFailed, "Decryption failed"),
        "children" => (None, Reason::MessageLimit, "children of one element"),
        "attributes" => (None, Reason::MessageLimit, "attributes of one element"),
        "attribute_bytes" => (None, Reason::MessageLimit, "octets of an attribute value"),
        "name_bytes" => (None, Reason::MessageLimit, "octets of a name"),
        "namespaces" => (None, Reason::MessageLimit, "namespace declarations of one element"),
        "namespaces_in_scope" => (None, Reason::MessageLimit, "namespace declarations in scope"),
        // The signature is encrypted, so its own limits are met when it has been opened.
        "references" => (Some(1), Reason::EncryptionPlaintext, "limit reached: references"),
        "transforms" => (Some(1), Reason::EncryptionPlaintext, "limit reached: transforms of a reference"),
        "signatures" => (Some(1), Reason::EncryptionPlaintext, "limit reached: signatures"),
        "encrypted_data" => (Some(2), Reason::EncryptionTooMany, "limit reached: EncryptedData elements"),
        "encrypted_keys" => (Some(1), Reason::EncryptionTooMany, "limit reached: EncryptedKey elements"),
        "decrypt_depth" => (Some(1), Reason::EncryptionFailed, "Decryption failed"),
        "digested_factor" => (Some(1), Reason::EncryptionPlaintext, "limit reached: octets digested"),
        "private_ops" => (Some(1), Reason::EncryptionTooMany, "limit reached: private-key operations"),
        other => panic!("{other} is a limit that nothing is known of"),
    }
}

fn plans() -> PlanPair {
    let builder = benchmark("Basic256Sha256Rsa15").order(ProtectionOrder::SignBeforeEncrypt);
    pair(builder.encrypt(Part::Signature))
}

fn judge(message: &str, limits: &Limits) -> Result<Verified, Reject> {
    let replay = MemoryReplay::default();
    let env = Env::new(&world().server, now(), &SystemRandom).with_replay(&replay);
    plans().recipient.verify(Untrusted::read(message.as_bytes().to_vec(), None, limits)?, &env)
}

#[test]
fn limit_each_of_a_message_is_met_by_one_that_needs_it_and_missed_by_one_less() {
    // More than may be digested of any message, so that the factor matters.
    let body = format!("<a>{}</a>", "x".repeat(80 << 10));
    let draft = Draft::new(Version::Soap12).with_body(body.into());
    let message = text(secure(&plans().initiator, &world().client, draft));
    for (name, field) in fields() {
        let with = |value: usize| {
            let mut limits = Limits::default();
            *field(&mut limits) = value;
            judge(&message, &limits)
        };
        let (mut low, mut high) = (0, *field(&mut Limits::default()));
        while high - low > 1 {
            let middle = low.midpoint(high);
            if with(middle).is_ok() { high = middle } else { low = middle }
        }
        assert!(with(high).is_ok(), "{name}: {high} is enough");
        let Err(reject) = with(low) else { panic!("{name}: {low} is enough, so nothing counts it") };
        let (needed, reason, words) = expected(name);
        assert_eq!(reject.reason(), reason, "{name} at {low}: {}", reject.detail());
        assert!(reject.detail().contains(words), "{name} at {low}: {}", reject.detail());
        assert!(needed.is_none_or(|needed| needed == high), "{name}: {high} instead of {needed:?}");
    }
}

/// Messages that are refused at every stage: as text, as an envelope, by shape, key, signature, decryption and digest.
fn refused_messages(good: &str) -> Vec<String> {
    let mut all = vec![String::new(), "<a/>".to_owned(), good.replace("Envelope", "Letter")];
    all.extend((1..20).map(|n| good[..good.len() * n / 20].to_owned()));
    // One octet of every stretch, of tags and of base64 alike.
    all.extend((0..120).map(|n| {
        let at = good.len() * n / 120;
        let other = if good.as_bytes()[at] == b'A' { 'B' } else { 'A' };
        format!("{}{other}{}", &good[..at], &good[at + 1..])
    }));
    // Seven million octets in the place of a ciphertext, a signature's values and a certificate, and beside them.
    let long = "QUJD".repeat(1_750_000);
    for (from, to) in
        [("<xenc:CipherValue>", "</"), ("<wsse:BinarySecurityToken", "</"), ("<xenc:KeyInfo", ">")]
    {
        if let Some(start) = good.find(from) {
            let start = start + good[start..].find('>').unwrap() + 1;
            let end = start + good[start..].find(to).unwrap();
            all.push(format!("{}{long}{}", &good[..start], &good[end..]));
        }
    }
    all.push(good.replace("</wsu:Created>", &format!("{long}</wsu:Created>")));
    all
}

#[test]
fn refused_messages_of_every_kind_take_64_mib_at_most_and_leave_nothing() {
    let good = text(secure(&plans().initiator, &world().client, fixture::draft()));
    let plan = plans().recipient;
    let mut reasons = BTreeSet::new();
    let judge = |message: &str| {
        let replay = MemoryReplay::default();
        let env = Env::new(&world().server, now(), &SystemRandom).with_replay(&replay);
        let read = Untrusted::read(message.as_bytes().to_vec(), None, &Limits::default());
        read.and_then(|read| plan.verify(read, &env)).map(drop).map_err(|reject| reject.reason())
    };
    assert_eq!(judge(&good), Ok(()));
    for message in refused_messages(&good) {
        // What is made once, such as the memory of a certificate's validation, is made in the first round.
        let first = judge(&message);
        let mut again = Ok(());
        let info = allocation_counter::measure(|| again = judge(&message));
        assert_eq!(again, first);
        assert_eq!(info.bytes_current, 0, "{first:?}: what stays");
        assert!(info.bytes_max < 64 << 20, "{first:?}: {} octets at most", info.bytes_max);
        reasons.extend(first.err().map(Reason::code));
    }
    assert!(reasons.len() >= 8, "every stage refuses something: {reasons:?}");
}
