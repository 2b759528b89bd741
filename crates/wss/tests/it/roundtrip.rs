//! What one side secures the other verifies, for many plans; the reply confirms the request.

use bartizan_crypto::random::SystemRandom;
use bartizan_soap::{Draft, Version};
use bartizan_wss::plan::{
    HeaderRule, KeyRef, Layout, PlanPair, ProtectionOrder, Targets, TimestampRule, TokenSent,
};
use bartizan_wss::{AsymmetricBuilder, Env, Part, Protection, Reason, Warning};

use crate::fixture::{self, World, benchmark, ec_world, pair, rich_draft, world};

/// Request there, reply back. The payload must arrive as it was.
fn exchange(pair: &PlanPair, world: &World, draft: &Draft) {
    let secured = fixture::secure(&pair.initiator, &world.client, draft.clone());
    let verified = fixture::verify(&pair.recipient, &world.server, secured.message.bytes());
    let verified =
        verified.unwrap_or_else(|r| panic!("{r}\n{}", String::from_utf8_lossy(secured.message.bytes())));
    let body = verified.body().expect("body");
    assert_eq!(body.content_octets(), draft.content());
    assert!(matches!(body.protection(), Protection::Signature(0)));
    assert!(verified.caller().is_some());
    let env = Env::new(&world.server, fixture::now(), &SystemRandom);
    let reply = pair.recipient.secure(draft.clone(), &env, Some(verified.request_facts())).unwrap();
    let back = fixture::verify_reply(&pair.initiator, &world.client, reply.message.bytes(), &secured.sent);
    let back = back.unwrap_or_else(|r| panic!("{r}\n{}", String::from_utf8_lossy(reply.message.bytes())));
    assert_eq!(back.body().expect("body").content_octets(), draft.content());
}

#[test]
fn benchmark_policy_round_trips_and_confirms() {
    let pair = pair(benchmark("Basic256"));
    let secured = fixture::secure(&pair.initiator, &world().client, fixture::draft());
    let verified = fixture::verify(&pair.recipient, &world().server, secured.message.bytes()).unwrap();
    let context = verified.context();
    assert_eq!(context.private_operations(), 1);
    assert!(context.warnings().contains(&Warning::NoTimestamp));
    let body = &context.parts()[0];
    assert_eq!((body.path.as_str(), body.signed, body.encrypted), ("/Envelope/Body", true, true));
    assert_eq!(verified.caller().unwrap().certificate().unwrap().der(), fixture::certificate("client").der());
    let env = Env::new(&world().server, fixture::now(), &SystemRandom);
    let reply = pair.recipient.secure(fixture::draft(), &env, Some(verified.request_facts())).unwrap();
    let back = fixture::verify_reply(&pair.initiator, &world().client, reply.message.bytes(), &secured.sent)
        .unwrap();
    assert_eq!(back.context().confirmed(), 1);
}

/// Comments are never signed; a body that kept them would not match its own digest.
#[test]
fn comments_of_a_draft_are_left_out_and_it_verifies() {
    let envelope = "<s:Envelope xmlns:s=\"http://www.w3.org/2003/05/soap-envelope\"><s:Body><r xmlns=\"urn:r\"><!-- one --><n>a<!-- two -->b</n></r></s:Body></s:Envelope>";
    let draft = Draft::parse(envelope.into(), &bartizan_xml::Limits::default()).unwrap();
    assert_eq!(draft.content(), b"<r xmlns=\"urn:r\"><n>ab</n></r>");
    exchange(&pair(benchmark("Basic256")), world(), &draft);
}

#[test]
fn every_suite_round_trips() {
    for suite in bartizan_crypto::suite::ALL {
        let world = if suite.name == "modern-ec" { ec_world() } else { world() };
        exchange(&pair(benchmark(suite.name)), world, &fixture::draft());
    }
}

fn full(suite: &str) -> AsymmetricBuilder {
    benchmark(suite)
        .sign(Part::headers("http://www.w3.org/2005/08/addressing"))
        .sign(Part::header("urn:h", "session"))
        .encrypt(Part::header("urn:h", "session"))
        .timestamp(TimestampRule::default())
}

#[test]
fn signed_and_encrypted_headers_and_timestamp_round_trip_in_both_versions() {
    for version in [Version::Soap11, Version::Soap12] {
        for order in [ProtectionOrder::SignBeforeEncrypt, ProtectionOrder::EncryptBeforeSign] {
            for suite in ["Basic256", "modern-rsa"] {
                exchange(&understanding(full(suite).order(order)), world(), &rich_draft(version));
            }
        }
    }
}

/// Both sides understand the application's header.
fn understanding(builder: AsymmetricBuilder) -> PlanPair {
    builder.understand("urn:h", "session").build().unwrap()
}

#[test]
fn encrypted_signature_round_trips_in_both_orders() {
    for order in [ProtectionOrder::SignBeforeEncrypt, ProtectionOrder::EncryptBeforeSign] {
        let builder = full("Basic256").encrypt(Part::Signature).order(order);
        exchange(&understanding(builder), world(), &rich_draft(Version::Soap12));
    }
}

/// SMS 1.1 §8.5; CXF refuses a reply that shows the confirmation, and sends it encrypted.
#[test]
fn confirmation_is_encrypted_where_the_signature_is() {
    for order in [ProtectionOrder::SignBeforeEncrypt, ProtectionOrder::EncryptBeforeSign] {
        let pair = pair(benchmark("Basic256").encrypt(Part::Signature).order(order));
        let secured = fixture::secure(&pair.initiator, &world().client, fixture::draft());
        let verified = fixture::verify(&pair.recipient, &world().server, secured.message.bytes()).unwrap();
        let env = Env::new(&world().server, fixture::now(), &SystemRandom);
        let reply = pair.recipient.secure(fixture::draft(), &env, Some(verified.request_facts())).unwrap();
        let back =
            fixture::verify_reply(&pair.initiator, &world().client, reply.message.bytes(), &secured.sent)
                .unwrap();
        assert_eq!(back.context().confirmed(), 1);
        assert!(!fixture::text(reply).contains("SignatureConfirmation"));
    }
}

/// zeep's form: the certificate, and beside it issuer and serial number of the same one.
#[test]
fn certificate_and_its_own_description_name_one_key() {
    let pair = pair(benchmark("Basic256").initiator_key(TokenSent::No, KeyRef::X509Certificate));
    let message = fixture::text(fixture::secure(&pair.initiator, &world().client, fixture::draft()));
    let described = |name: &str| {
        let c = fixture::certificate(name);
        let (issuer, serial) = (c.issuer(), c.serial_decimal());
        let pair = format!(
            "<ds:X509IssuerName>{issuer}</ds:X509IssuerName><ds:X509SerialNumber>{serial}</ds:X509SerialNumber>"
        );
        fixture::replace(
            &message,
            "</ds:X509Certificate>",
            &format!("</ds:X509Certificate><ds:X509IssuerSerial>{pair}</ds:X509IssuerSerial>"),
        )
    };
    fixture::verify(&pair.recipient, &world().server, described("client").as_bytes()).unwrap();
    fixture::refused(
        &pair.recipient,
        &world().server,
        &described("client2"),
        &[Reason::TokenReferenceMalformed],
    );
}

#[test]
fn every_layout_round_trips() {
    for layout in [Layout::Strict, Layout::Lax, Layout::LaxTimestampFirst, Layout::LaxTimestampLast] {
        let header = HeaderRule { layout, targets: Targets::Whole, ..HeaderRule::default() };
        exchange(
            &understanding(full("Basic256Sha256").header(header)),
            world(),
            &rich_draft(Version::Soap12),
        );
    }
}

#[test]
fn every_way_to_name_a_key_round_trips() {
    let forms = [
        (TokenSent::X509, KeyRef::Direct),
        (TokenSent::PkiPath, KeyRef::Direct),
        (TokenSent::X509, KeyRef::ThumbprintSha1),
        (TokenSent::No, KeyRef::Embedded),
        (TokenSent::No, KeyRef::ThumbprintSha1),
        (TokenSent::No, KeyRef::SubjectKeyIdentifier),
        (TokenSent::No, KeyRef::RawCertificate),
        (TokenSent::No, KeyRef::IssuerSerial),
        (TokenSent::No, KeyRef::X509Certificate),
        (TokenSent::No, KeyRef::KeyValue),
    ];
    for (token, reference) in forms {
        let builder = benchmark("Basic256").initiator_key(token, reference).recipient_key(token, reference);
        exchange(&pair(builder), world(), &fixture::draft());
    }
    let encrypted_to = [
        KeyRef::Direct,
        KeyRef::Embedded,
        KeyRef::SubjectKeyIdentifier,
        KeyRef::RawCertificate,
        KeyRef::IssuerSerial,
        KeyRef::X509Certificate,
        KeyRef::KeyValue,
    ];
    for reference in encrypted_to {
        exchange(&pair(benchmark("modern-rsa").encrypt_reference(reference)), world(), &fixture::draft());
        exchange(&pair(benchmark("modern-ec").encrypt_reference(reference)), ec_world(), &fixture::draft());
    }
}

#[test]
fn protected_token_round_trips() {
    exchange(&pair(benchmark("Basic256").protect_tokens()), world(), &fixture::draft());
}

#[test]
fn elements_by_path_round_trip() {
    let resolve = |prefix: &str| match prefix {
        "s" => Some(Version::Soap12.namespace().to_owned()),
        "o" => Some("urn:o".to_owned()),
        "c" => Some("urn:card".to_owned()),
        _ => None,
    };
    let line = Part::element("/s:Envelope/s:Body/o:order/o:line", &resolve).unwrap();
    let card = Part::element("/s:Envelope/s:Body/o:order/c:card", &resolve).unwrap();
    for order in [ProtectionOrder::SignBeforeEncrypt, ProtectionOrder::EncryptBeforeSign] {
        let header = HeaderRule { layout: Layout::Strict, ..HeaderRule::default() };
        let suite = bartizan_crypto::suite::by_name("Basic256").unwrap();
        let builder = AsymmetricBuilder::new(suite)
            .sign(Part::Body)
            .sign(line.clone())
            .encrypt(card.clone())
            .header(header)
            .order(order);
        let pair = understanding(builder);
        let secured = fixture::secure(&pair.initiator, &world().client, rich_draft(Version::Soap12));
        let text = String::from_utf8_lossy(secured.message.bytes()).into_owned();
        assert!(!text.contains("4711"), "the card is encrypted: {text}");
        let verified = fixture::verify(&pair.recipient, &world().server, secured.message.bytes())
            .unwrap_or_else(|r| panic!("{r}\n{text}"));
        let order_element = verified.payload().unwrap();
        assert_eq!(order_element.child(Some("urn:card"), "card").unwrap().text(), "4711");
        assert_eq!(verified.covered_elements().next().unwrap().local_name(), "line");
    }
}

#[test]
fn equal_messages_have_equal_length() {
    let pair = pair(benchmark("Basic256").timestamp(TimestampRule::default()));
    let length = || fixture::secure(&pair.initiator, &world().client, fixture::draft()).message.bytes().len();
    let first = length();
    for _ in 0..20 {
        assert_eq!(length(), first);
    }
}
