//! What is reported: evidence, reasons, faults, the verified view, the octets of a failing digest.

use bartizan_crypto::digest::digest;
use bartizan_crypto::random::SystemRandom;
use bartizan_soap::{Block, Draft, Envelope, Fault, FaultCode, ToFault, Version};
use bartizan_wss::plan::{KeyRef, PlanPair, TimestampRule, TokenSent};
use bartizan_wss::{Env, Keep, Part, Plan, Prefixes, ProvedBy, Reason, Reject, Side, Warning, Wire};
use bartizan_xml::{Budget, Limits};

use crate::fixture::{
    self, benchmark, certificate, cut, identity, pair, read, replace, secure, verify, world,
};
use crate::forge;

fn benchmark_pair() -> PlanPair {
    pair(benchmark("Basic256"))
}

#[test]
fn evidence_names_tokens_algorithms_and_legacy() {
    let pair = benchmark_pair();
    let message = secure(&pair.initiator, &world().client, fixture::draft());
    let verified = verify(&pair.recipient, &world().server, message.message.bytes()).unwrap();
    let context = verified.context();
    let used: Vec<&str> = context.algorithms().iter().map(|a| a.uri()).collect();
    for uri in [
        "http://www.w3.org/2000/09/xmldsig#rsa-sha1",
        "http://www.w3.org/2000/09/xmldsig#sha1",
        "http://www.w3.org/2001/04/xmlenc#aes256-cbc",
        "http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p",
    ] {
        assert!(used.contains(&uri), "{uri} in {used:?}");
    }
    let legacy: Vec<&str> = context.legacy().map(|a| a.uri()).collect();
    assert!(legacy.contains(&"http://www.w3.org/2000/09/xmldsig#rsa-sha1"), "{legacy:?}");
    let signer = context
        .tokens()
        .iter()
        .find(|t| t.certificate().unwrap().der() == certificate("client").der())
        .unwrap();
    assert_eq!((signer.named, signer.in_message), (Some(KeyRef::Direct), true));
    let own = context
        .tokens()
        .iter()
        .find(|t| t.certificate().unwrap().der() == certificate("server").der())
        .unwrap();
    assert_eq!((own.named, own.in_message), (Some(KeyRef::ThumbprintSha1), false));
    assert_eq!(verified.caller().unwrap().proved_by(), ProvedBy::X509Signature);
    assert_eq!(context.signatures()[0].covers, ["/Envelope/Body"]);
    assert!(context.parts()[0].id.as_deref().is_some_and(|id| id.starts_with("b-")));
}

#[test]
fn unused_token_is_ignored_and_said() {
    let pair = benchmark_pair();
    let message = fixture::text(secure(&pair.initiator, &world().client, fixture::draft()));
    let stray = forge::bst(
        &bartizan_crypto::base64::encode(certificate("client2").der()),
        &format!("EncodingType=\"{}\" ValueType=\"{}\"", forge::B64, forge::X509),
    );
    let stray = stray.replace("wsu:Id=\"tok\"", "").replace(
        "wsse:BinarySecurityToken ",
        &format!("wsse:BinarySecurityToken xmlns:wsse=\"{}\" ", forge::WSSE),
    );
    let with = message.replacen("<ds:Signature ", &format!("{stray}<ds:Signature "), 1);
    let verified = verify(&pair.recipient, &world().server, with.as_bytes()).unwrap();
    assert!(verified.context().warnings().contains(&Warning::TokenUnused));
    assert_eq!(verified.caller().unwrap().certificate().unwrap().der(), certificate("client").der());
}

#[test]
fn token_in_the_message_that_a_thumbprint_describes_is_found() {
    // The server does not know the client; the client sends its certificate and names it by thumbprint, as CXF does.
    let pair = pair(benchmark("modern-rsa").initiator_key(TokenSent::X509, KeyRef::ThumbprintSha1));
    let message = secure(&pair.initiator, &world().client, fixture::draft());
    let server = fixture::keys("server", None);
    let verified = verify(&pair.recipient, &server, message.message.bytes()).unwrap();
    assert_eq!(verified.caller().unwrap().certificate().unwrap().der(), certificate("client").der());
}

#[test]
fn failing_digest_can_be_explained_and_is_not_by_default() {
    let client = identity("client");
    let plan = pair(benchmark("modern-rsa"));
    let mut inbound = plan.recipient.inbound().clone();
    inbound.required.retain(|r| r.part == Part::Body);
    inbound.required[0].encrypted = bartizan_wss::Need::No;
    let plan = Plan::new(Side::Recipient, inbound, plan.recipient.outbound().clone()).unwrap();
    let attack = replace(&forge::sound(&client), "test me", "evil me");
    let env = Env::new(&world().server, fixture::now(), &SystemRandom);
    let plain = plan.verify(read(attack.as_bytes()).unwrap(), &env).unwrap_err();
    assert!(plain.octets().is_none());
    let explained = plan.verify_explaining(read(attack.as_bytes()).unwrap(), &env).unwrap_err();
    assert_eq!(explained.reason(), Reason::SignatureDigest);
    let octets = explained.octets().unwrap();
    assert_eq!(octets.reference, 0);
    let text = String::from_utf8(octets.octets.clone()).unwrap();
    assert!(text.starts_with("<s:Body ") && text.contains("evil me"), "{text}");
    let signed = cut(&attack, "<ds:DigestValue>", "<");
    let computed = bartizan_crypto::base64::encode(
        digest(bartizan_crypto::alg::DigestAlg::Sha256, &octets.octets).as_ref(),
    );
    assert!(!signed.contains(&computed), "they differ, and from these octets one can see why");
    assert_eq!(explained.place().unwrap().path.as_ref(), "/Envelope/Body");
    assert!(!explained.context().signatures().is_empty(), "what was seen before comes along");
}

#[test]
fn every_reason_has_one_of_five_faults() {
    for reason in Reason::ALL {
        let fault = Reject::new(*reason).to_fault();
        let expected = match reason.wire() {
            Wire::FailedCheck => (FaultCode::Sender, Some("FailedCheck")),
            Wire::MessageExpired => (FaultCode::Sender, Some("MessageExpired")),
            Wire::VersionMismatch => (FaultCode::VersionMismatch, None),
            Wire::MustUnderstand => (FaultCode::MustUnderstand, None),
            Wire::Sender => (FaultCode::Sender, None),
        };
        assert_eq!((fault.code(), fault.subcode().map(|s| s.local.as_str())), expected, "{reason}");
        for version in [Version::Soap11, Version::Soap12] {
            let message = secure(&Plan::open(Side::Recipient), &world().server, fault.to_draft(version));
            let envelope =
                Envelope::parse(message.message.into_bytes(), &mut Budget::new(&Limits::default())).unwrap();
            let back = Fault::read(&envelope).unwrap().unwrap();
            assert_eq!(back.subcode(), fault.subcode(), "{reason} in {version}");
            assert_eq!(back.reason(), fault.reason());
        }
    }
}

#[test]
fn fault_after_verification_is_secured_like_a_reply() {
    let pair = benchmark_pair();
    let request = secure(&pair.initiator, &world().client, fixture::draft());
    let verified = verify(&pair.recipient, &world().server, request.message.bytes()).unwrap();
    let fault = Fault::new(FaultCode::Receiver, "no such resource").with_subcode("r", "urn:r", "Unknown");
    let env = Env::new(&world().server, fixture::now(), &SystemRandom);
    let reply =
        pair.recipient.secure(fault.to_draft(Version::Soap12), &env, Some(verified.request_facts())).unwrap();
    let back = fixture::verify_reply(&pair.initiator, &world().client, reply.message.bytes(), &request.sent)
        .unwrap();
    let body = back.payload().unwrap();
    assert_eq!(body.local_name(), "Fault");
    assert!(body.text().is_empty());
}

#[test]
fn view_holds_what_is_covered_and_nothing_else() {
    let builder = benchmark("modern-rsa")
        .sign(Part::header("urn:h", "session"))
        .timestamp(TimestampRule::default())
        .understand("urn:h", "session");
    let pair = pair(builder);
    let message = secure(&pair.initiator, &world().client, fixture::rich_draft(Version::Soap12));
    let verified = verify(&pair.recipient, &world().server, message.message.bytes()).unwrap();
    let view = String::from_utf8(verified.view(Keep::Covered).bytes).unwrap();
    let envelope = Envelope::parse(view.clone().into_bytes(), &mut Budget::new(&Limits::default())).unwrap();
    assert_eq!(envelope.blocks().map(|b| b.local_name().to_owned()).collect::<Vec<_>>(), ["session"]);
    assert_eq!(envelope.payload().unwrap().local_name(), "order");
    for hidden in ["Security", "Signature", "EncryptedKey", "Timestamp", "urn:somewhere"] {
        assert!(!view.contains(hidden), "{hidden} in {view}");
    }
    let aloud = verified.view(Keep::Uncovered);
    assert!(String::from_utf8_lossy(&aloud.bytes).contains("urn:somewhere"));
    assert_eq!(aloud.warnings, [Warning::Uncovered("/Envelope/Header/To".into())]);
}

#[test]
fn prefix_of_an_encoded_payload_is_dropped_with_a_warning_or_carried() {
    let pair = benchmark_pair();
    let payload =
        b"<v xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:type=\"xsd:string\">x</v>".to_vec();
    let draft =
        Draft::new(Version::Soap12).declaring("xsd", "http://www.w3.org/2001/XMLSchema").with_body(payload);
    let message = secure(&pair.initiator, &world().client, draft);
    let verified = verify(&pair.recipient, &world().server, message.message.bytes()).unwrap();
    let warning = Warning::QnamePrefixUncovered("xsd".into());
    let dropped = verified.view(Keep::Covered);
    assert_eq!(dropped.warnings, std::slice::from_ref(&warning));
    assert!(!String::from_utf8_lossy(&dropped.bytes).contains("XMLSchema\""));
    let carried = verified.view_with(Keep::Covered, Prefixes::Carry);
    assert_eq!(carried.warnings, [warning]);
    assert!(
        String::from_utf8_lossy(&carried.bytes).contains("xmlns:xsd=\"http://www.w3.org/2001/XMLSchema\"")
    );
}

#[test]
fn open_plan_takes_plain_messages_and_says_that_nothing_protects_them() {
    let open = Plan::open(Side::Recipient);
    let message = secure(&Plan::open(Side::Initiator), &world().client, fixture::draft());
    let verified = verify(&open, &world().server, message.message.bytes()).unwrap();
    assert_eq!(verified.body_protection(), Some(bartizan_wss::Protection::Open));
    assert!(verified.caller().is_none());
    let signed = secure(&benchmark_pair().initiator, &world().client, fixture::draft());
    assert_eq!(
        verify(&open, &world().server, signed.message.bytes()).unwrap_err().reason(),
        Reason::EncryptionUnexpected
    );
}

#[test]
fn draft_that_is_secured_already_is_not_secured_again() {
    let pair = benchmark_pair();
    let block = Block::new(
        forge::WSSE,
        "Security",
        format!("<wsse:Security xmlns:wsse=\"{}\"></wsse:Security>", forge::WSSE).into_bytes(),
    );
    let env = Env::new(&world().client, fixture::now(), &SystemRandom);
    let error = pair.initiator.secure(fixture::draft().with_block(block), &env, None).unwrap_err();
    assert!(matches!(error, bartizan_wss::Error::AlreadySecured));
}

#[test]
fn confirming_reply_needs_its_request() {
    let env = Env::new(&world().server, fixture::now(), &SystemRandom);
    let error = benchmark_pair().recipient.secure(fixture::draft(), &env, None).unwrap_err();
    assert!(matches!(error, bartizan_wss::Error::NoRequest));
}

#[test]
fn plan_is_told_in_words() {
    let lines = benchmark_pair().recipient.describe();
    assert!(lines.contains(&"request: body must be signed".to_owned()), "{lines:?}");
    assert!(lines.iter().any(|l| l.starts_with("reply: confirms")), "{lines:?}");
}

#[test]
fn media_type_must_be_the_one_of_the_envelope() {
    let bytes = secure(&Plan::open(Side::Initiator), &world().client, fixture::draft()).message;
    let read = |media: &str| {
        bartizan_wss::Untrusted::read(bytes.bytes().to_vec(), Some(media), &Limits::default()).map(|_| ())
    };
    read(&bytes.content_type()).unwrap();
    read("application/soap+xml;charset=UTF-8").unwrap();
    for wrong in [
        "text/xml",
        "application/xml",
        "multipart/related; type=\"application/xop+xml\"",
        "application/soap+xml; charset=utf-16",
        "",
    ] {
        assert_eq!(read(wrong).unwrap_err().reason(), Reason::MessageMediaType, "{wrong}");
    }
}
