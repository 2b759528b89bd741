//! What one side secures the other verifies, for many plans; the reply confirms the request.

use bartizan_crypto::random::SystemRandom;
use bartizan_soap::{Draft, Version};
use bartizan_wss::part::EncryptHow;
use bartizan_wss::plan::{
    HeaderRule, KeyRef, KeyTransfer, Layout, PlanPair, ProtectionOrder, Targets, TimestampRule, TokenSent,
};
use bartizan_wss::{AsymmetricBuilder, Env, Need, Part, Plan, Protection, Reason, Require, Side, Warning};

use crate::fixture::{self, World, benchmark, ec_world, pair, rich_draft, world};
use crate::forge;

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

/// Ciphertext in ciphertext would be a list entry that points at nothing when the list is read.
#[test]
fn element_inside_of_what_is_encrypted_is_encrypted_with_it() {
    let resolve = |prefix: &str| match prefix {
        "s" => Some(Version::Soap12.namespace().to_owned()),
        "o" => Some("urn:o".to_owned()),
        "c" => Some("urn:card".to_owned()),
        _ => None,
    };
    let order = Part::element("/s:Envelope/s:Body/o:order", &resolve).unwrap();
    let card = Part::element("/s:Envelope/s:Body/o:order/c:card", &resolve).unwrap();
    for parts in [[Part::Body, card.clone()], [order.clone(), card.clone()], [card, order]] {
        for order in [ProtectionOrder::SignBeforeEncrypt, ProtectionOrder::EncryptBeforeSign] {
            let suite = bartizan_crypto::suite::by_name("Basic256").unwrap();
            let mut builder = AsymmetricBuilder::new(suite).sign(Part::Body).order(order);
            for part in &parts {
                builder = builder.encrypt(part.clone());
            }
            let pair = understanding(builder);
            let secured = fixture::secure(&pair.initiator, &world().client, rich_draft(Version::Soap12));
            assert_eq!(fixture::text(secured).matches("<xenc:DataReference ").count(), 1, "{parts:?}");
            exchange(&pair, world(), &rich_draft(Version::Soap12));
        }
    }
}

/// Its octets are in no tree when the signature is made: the Body's signature covers its ciphertext, or nothing can.
#[test]
fn signed_element_that_is_ciphertext_already_is_covered_by_the_body_or_missing() {
    let resolve = |prefix: &str| match prefix {
        "s" => Some(Version::Soap12.namespace().to_owned()),
        _ => Some("urn:o".to_owned()),
    };
    let order = Part::element("/s:Envelope/s:Body/o:order", &resolve).unwrap();
    let header = HeaderRule { targets: Targets::Any, ..HeaderRule::default() };
    let builder = benchmark("Basic256").sign(order.clone()).header(header);
    let mut pair = understanding(builder.order(ProtectionOrder::EncryptBeforeSign));
    let sent = fixture::secure(&pair.initiator, &world().client, rich_draft(Version::Soap12));
    let verified = fixture::verify(&pair.recipient, &world().server, sent.message.bytes()).unwrap();
    assert_eq!(verified.covered_elements().next().unwrap().local_name(), "order");
    let mut out = pair.initiator.outbound().clone();
    out.sign.as_mut().unwrap().parts = vec![order.clone()];
    pair.initiator = Plan::new(Side::Initiator, pair.initiator.inbound().clone(), out).unwrap();
    let env = Env::new(&world().client, fixture::now(), &SystemRandom);
    let refused = pair.initiator.secure(rich_draft(Version::Soap12), &env, None);
    assert!(matches!(refused, Err(bartizan_wss::Error::MissingPart(part)) if part == order));
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

#[test]
fn confirmation_hides_what_the_request_hid_whatever_the_reply_does() {
    let hidden = pair(benchmark("Basic256").encrypt(Part::Signature));
    let plain = pair(benchmark("Basic256"));
    let request = fixture::secure(&hidden.initiator, &world().client, fixture::draft());
    assert!(request.sent.hidden());
    // The reply's own signature is not encrypted here.
    let recipient =
        Plan::new(Side::Recipient, hidden.recipient.inbound().clone(), plain.recipient.outbound().clone())
            .unwrap();
    let mut demanded = plain.initiator.inbound().clone();
    demanded.required.push(Require {
        part: Part::SignatureConfirmation,
        signed: Need::No,
        encrypted: Need::IfPresent,
        how: EncryptHow::Content,
    });
    let initiator = Plan::new(Side::Initiator, demanded, hidden.initiator.outbound().clone()).unwrap();
    let verified = fixture::verify(&recipient, &world().server, request.message.bytes()).unwrap();
    let env = Env::new(&world().server, fixture::now(), &SystemRandom);
    let reply = recipient.secure(fixture::draft(), &env, Some(verified.request_facts())).unwrap();
    let text = fixture::text(reply);
    assert!(!text.contains("SignatureConfirmation") && text.contains("<ds:Signature "));
    let back = fixture::verify_reply(&initiator, &world().client, text.as_bytes(), &request.sent).unwrap();
    assert_eq!(back.context().confirmed(), 1);
    // A reply that encrypts nothing cannot hide it, so there is none.
    let mut out = plain.recipient.outbound().clone();
    out.encrypt = None;
    let open = Plan::new(Side::Recipient, hidden.recipient.inbound().clone(), out).unwrap();
    let refused = open.secure(fixture::draft(), &env, Some(verified.request_facts()));
    assert!(matches!(refused, Err(bartizan_wss::Error::ConfirmationInClear)));
}

#[test]
fn reply_that_shows_what_the_request_hid_is_said() {
    let lax = HeaderRule { layout: Layout::Lax, ..HeaderRule::default() };
    let suite = || AsymmetricBuilder::new(bartizan_crypto::suite::by_name("modern-rsa").unwrap());
    let plain = pair(suite().sign(Part::Body).confirmation().header(lax));
    let hiding = pair(suite().sign(Part::Body).encrypt(Part::Signature).confirmation().header(lax));
    let answer = |sent: &bartizan_wss::SentSignatures| {
        let server = fixture::identity("server");
        let value = bartizan_crypto::base64::encode(&sent.values()[0]);
        let wsse11 = "http://docs.oasis-open.org/wss/oasis-wss-wssecurity-secext-1.1.xsd";
        let confirmation = format!(
            "<c:SignatureConfirmation xmlns:c=\"{wsse11}\" Value=\"{value}\" wsu:Id=\"c\"></c:SignatureConfirmation>"
        );
        let references = forge::reference("body") + &forge::reference("c");
        let security = forge::token(&server) + &confirmation + &forge::signature(&references);
        let reply = forge::sign(&forge::envelope(&security, "", fixture::PAYLOAD), &server);
        fixture::verify_reply(&plain.initiator, &world().client, reply.as_bytes(), sent)
    };
    let shown = fixture::secure(&plain.initiator, &world().client, fixture::draft());
    let in_clear = |verified: bartizan_wss::Verified| {
        verified.context().warnings().contains(&Warning::ConfirmationInClear)
    };
    assert!(!in_clear(answer(&shown.sent).unwrap()));
    let hidden = fixture::secure(&hiding.initiator, &world().client, fixture::draft());
    assert!(in_clear(answer(&hidden.sent).unwrap()));
}

/// Decision on `rsa-oaep-mgf1p`: SHA-1 without a DigestMethod is what every stack sends; SHA-256 fits the suites that have it.
#[test]
fn attack_enc_06_oaep_parameters_are_those_of_the_suite() {
    let with = |suite: &str, digest| {
        let plan = pair(benchmark(suite));
        let mut out = plan.initiator.outbound().clone();
        let encrypt = out.encrypt.as_mut().unwrap();
        let KeyTransfer::Transport { oaep, .. } = &mut encrypt.key else { panic!("{suite}") };
        oaep.digest = digest;
        let sender = Plan::new(Side::Initiator, plan.initiator.inbound().clone(), out).unwrap();
        let text = fixture::text(fixture::secure(&sender, &world().client, fixture::draft()));
        let method = fixture::cut(&text, "<xenc:EncryptionMethod", "</xenc:EncryptionMethod>").to_owned();
        let verdict = fixture::verify(&plan.recipient, &world().server, text.as_bytes());
        (method.contains("DigestMethod"), verdict.map_err(|r| r.reason()).err())
    };
    use bartizan_crypto::DigestAlg::{Sha1, Sha256, Sha512};
    let refused = Some(Reason::EncryptionAlgorithm);
    assert_eq!(with("Basic256", Sha1), (false, None));
    assert_eq!(with("Basic256", Sha256), (true, refused));
    assert_eq!(with("Basic256Sha256", Sha1), (false, None));
    assert_eq!(with("Basic256Sha256", Sha256), (true, None));
    assert_eq!(with("Basic256Sha256", Sha512), (true, refused));
    assert_eq!(with("modern-rsa", Sha256), (true, None));
    assert_eq!(with("modern-rsa", Sha1), (true, refused));
}

/// Secures `rich_draft` with the plan encrypting one element by path.
fn by_path(path: &str, version: Version, also: Option<&str>) -> Result<String, bartizan_wss::Error> {
    let resolve = |prefix: &str| {
        Some(match prefix {
            "s11" => Version::Soap11.namespace().to_owned(),
            "s12" => Version::Soap12.namespace().to_owned(),
            "wsse" => crate::forge::WSSE.to_owned(),
            other => format!("urn:{other}"),
        })
    };
    let builder = benchmark("modern-rsa").encrypt(Part::element(path, &resolve).unwrap());
    let plans = pair(match also {
        Some(also) => builder.encrypt(Part::element(also, &resolve).unwrap()),
        None => builder,
    });
    let mut out = plans.initiator.outbound().clone();
    out.encrypt.as_mut().unwrap().parts.retain(|p| p.part != Part::Body);
    let plan = Plan::new(Side::Initiator, plans.initiator.inbound().clone(), out).unwrap();
    let env = Env::new(&world().client, fixture::now(), &SystemRandom);
    plan.secure(fixture::rich_draft(version), &env, None).map(fixture::text)
}

#[test]
fn path_that_names_something_outside_of_the_body_is_an_error() {
    use bartizan_wss::Error as E;
    let sealed = by_path("/s12:Envelope/s12:Body/o:order/card:card", Version::Soap12, None).unwrap();
    assert!(!sealed.contains("4711"), "positive control");
    for path in [
        "/s12:Envelope/s12:Header/h:session",
        "//h:session",
        "/s12:Envelope/s12:Body",
        "/*/*/*",
        "//wsse:Security/wsse:BinarySecurityToken",
    ] {
        let verdict = by_path(path, Version::Soap12, None);
        assert!(matches!(verdict, Err(E::OutsideBody(_))), "{path}: {verdict:?}");
    }
    // Positions are those of the message, which has a header.
    let second = by_path("/*/*[2]/o:order/card:card", Version::Soap12, None).unwrap();
    assert!(!second.contains("4711"));
}

#[test]
fn path_for_the_envelope_of_the_other_version_is_an_error() {
    use bartizan_wss::Error as E;
    let path = "/s11:Envelope/s11:Body/o:order/card:card";
    let verdict = by_path(path, Version::Soap12, None);
    assert!(matches!(verdict, Err(E::OtherVersion(_))), "{verdict:?}");
    // A policy for both says so.
    let sealed = by_path(path, Version::Soap12, Some("/s12:Envelope/s12:Body/o:order/card:card")).unwrap();
    assert!(!sealed.contains("4711"));
    assert!(!by_path(path, Version::Soap11, None).unwrap().contains("4711"));
}

#[test]
fn element_that_is_to_be_encrypted_is_not_met_by_its_content() {
    let resolve = |_: &str| Some("urn:card".to_owned());
    let part = Part::element("//c:card", &resolve).unwrap();
    let plans = pair(benchmark("modern-rsa").encrypt(part.clone()));
    let with = |how: EncryptHow| {
        let mut out = plans.initiator.outbound().clone();
        let parts = &mut out.encrypt.as_mut().unwrap().parts;
        parts.retain(|p| p.part != Part::Body);
        parts.iter_mut().for_each(|p| p.how = how);
        let plan = Plan::new(Side::Initiator, plans.initiator.inbound().clone(), out).unwrap();
        fixture::text(fixture::secure(&plan, &world().client, rich_draft(Version::Soap12)))
    };
    let mut inbound = plans.recipient.inbound().clone();
    inbound.required.retain(|r| r.encrypted == Need::No || r.part != Part::Body);
    inbound.required.insert(
        0,
        Require { part: Part::Body, signed: Need::Must, encrypted: Need::No, how: EncryptHow::Content },
    );
    inbound.understood.push(("urn:h".into(), "session".into()));
    let demanded = inbound.required.iter().find(|r| r.part == part).unwrap();
    assert_eq!(demanded.how, EncryptHow::Element);
    let receiver = Plan::new(Side::Recipient, inbound.clone(), plans.recipient.outbound().clone()).unwrap();
    fixture::verify(&receiver, &world().server, with(EncryptHow::Element).as_bytes())
        .expect("positive control");
    // The name of the element and its attributes went out in the clear.
    let content = with(EncryptHow::Content);
    fixture::refused(&receiver, &world().server, &content, &[Reason::CoverageElementNotEncrypted]);
    // Where the policy asks for the content alone it is enough.
    inbound.required.iter_mut().for_each(|r| r.how = EncryptHow::Content);
    let receiver = Plan::new(Side::Recipient, inbound, plans.recipient.outbound().clone()).unwrap();
    fixture::verify(&receiver, &world().server, content.as_bytes()).expect("positive control");
}
