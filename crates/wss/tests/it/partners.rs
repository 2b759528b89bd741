//! Partners that turn against each other: each has a key that is trusted for its own messages, and wants to speak for another, to have another's
//! words served again, or to make us work. And what a plan that takes what it finds shows of all this.

use bartizan_crypto::alg::{AlgSet, DigestAlg};
use bartizan_crypto::base64;
use bartizan_crypto::digest::digest;
use bartizan_crypto::random::SystemRandom;
use bartizan_keys::{Identity, Keystore};
use bartizan_soap::ToFault as _;
use bartizan_wss::plan::{HeaderRule, InPlan, KeyRef, Layout, OutPlan, PlanPair, TokenSent};
use bartizan_wss::{
    AsymmetricBuilder, Env, Hint, Keep, MemoryReplay, Part, Plan, Protection, Reason as R, Side,
};
use bartizan_xml::c14n::{C14n, C14nMethod};
use bartizan_xml::names::{wsse, wsu};
use bartizan_xml::{Budget, Document, ErrorKind, Limits, Profile, Quantity};
use bartizan_xmlsec::{DigestTap, ErrorKind as SecErrorKind};

use crate::fixture::{
    self, PAYLOAD, benchmark, identity, keys, read, refused, replace, secure, verify, world,
};
use crate::forge;

fn body_only() -> PlanPair {
    let header = HeaderRule { layout: Layout::Lax, ..HeaderRule::default() };
    fixture::pair(
        AsymmetricBuilder::new(bartizan_crypto::suite::by_name("modern-rsa").unwrap())
            .sign(Part::Body)
            .header(header),
    )
}

fn whatever() -> Plan {
    Plan::new(Side::Recipient, InPlan::whatever(AlgSet::all_ok()), OutPlan::plain()).unwrap()
}

/// A token and a Signature over `ids` that refers to it; `tag` keeps the Ids of two signers apart.
fn signed_by(identity: &Identity, tag: &str, ids: &[&str]) -> String {
    let references: String = ids.iter().map(|id| forge::reference(id)).collect();
    let both = forge::token(identity) + &forge::signature(&references);
    both.replace("\"tok\"", &format!("\"tok-{tag}\"")).replace("#tok\"", &format!("#tok-{tag}\""))
}

fn name(identity: &Identity) -> String {
    identity.leaf().subject()
}

#[test]
fn attack_xsw_21_the_sender_is_who_signed_the_body() {
    let (victim, partner) = (identity("client"), identity("client2"));
    let block = "<h:h xmlns:h=\"urn:h\" wsu:Id=\"h\">hello</h:h>";
    let sender = |security: &str, by: &[&Identity]| {
        let message = forge::sign_each(&forge::envelope(security, block, PAYLOAD), by);
        let verified = verify(&whatever(), &world().server, message.as_bytes()).unwrap();
        let requester = verified.request_facts().requester().map(|c| c.subject());
        assert_eq!(requester, verified.caller().map(|c| c.name().to_owned()));
        requester
    };
    let alone = signed_by(&victim, "v", &["body", "h"]);
    assert_eq!(sender(&alone, &[&victim]), Some(name(&victim)), "positive control");
    // The victim's signature stands first and is over something else: the Body is the partner's.
    let token_only = signed_by(&victim, "v", &["tok-v"]) + &signed_by(&partner, "p", &["body"]);
    assert_eq!(sender(&token_only, &[&victim, &partner]), Some(name(&partner)));
    // What is shown was said by two: nobody is named.
    let header = signed_by(&victim, "v", &["h"]) + &signed_by(&partner, "p", &["body"]);
    assert_eq!(sender(&header, &[&victim, &partner]), None);
    // The Body was said by nobody.
    assert_eq!(sender(&signed_by(&victim, "v", &["h"]), &[&victim]), None);
}

#[test]
fn without_a_policy_an_unsigned_body_is_reported_and_not_shown() {
    let client = identity("client");
    let block = "<h:h xmlns:h=\"urn:h\" wsu:Id=\"h\">hello</h:h>";
    let message = forge::sign(&forge::envelope(&signed_by(&client, "v", &["h"]), block, PAYLOAD), &client);
    let verified = verify(&whatever(), &world().server, message.as_bytes()).unwrap();
    assert!(verified.body().is_none());
    let body = verified.context().parts().iter().find(|p| p.path == "/Envelope/Body").unwrap();
    assert!(!body.signed && body.protection == Protection::Open);
    let view = String::from_utf8(verified.view(Keep::Covered).bytes).unwrap();
    assert!(view.contains("hello") && !view.contains("test me"), "{view}");
    let view = verified.view(Keep::Uncovered);
    assert!(String::from_utf8(view.bytes).unwrap().contains("test me") && !view.warnings.is_empty());
}

#[test]
fn attack_tok_03_an_old_signature_beside_a_fresh_one() {
    let (victim, partner) = (identity("client"), identity("client2"));
    let old =
        forge::sign_each(&forge::envelope(&signed_by(&victim, "v", &["body"]), "", PAYLOAD), &[&victim]);
    let inner = fixture::cut(&old, "<wsse:BinarySecurityToken", "</ds:Signature>");
    let fresh = format!("{}{inner}", signed_by(&partner, "p", &["tok-p"]));
    let attack = forge::sign_each(&forge::envelope(&fresh, "", PAYLOAD), &[&partner]);
    let replay = MemoryReplay::default();
    let env = Env::new(&world().server, fixture::now(), &SystemRandom).with_replay(&replay);
    let verdict = |text: &str| {
        whatever().verify(read(text.as_bytes()).unwrap(), &env).map(drop).map_err(|r| r.reason())
    };
    assert_eq!(verdict(&old), Ok(()));
    assert_eq!(verdict(&attack), Err(R::Replay));
}

/// A reply by `by` to a request of the client, under the benchmark policy: confirmed, signed and encrypted to the client.
fn reply_of(by: &Keystore) -> Result<(), R> {
    let pair = fixture::pair(benchmark("modern-rsa"));
    let sent = secure(&pair.initiator, &world().client, fixture::draft());
    let request = verify(&pair.recipient, &world().server, sent.message.bytes()).unwrap();
    let env = Env::new(by, fixture::now(), &SystemRandom);
    // It sends its certificate along and refers to that, for the client need not know it.
    let sends = fixture::pair(benchmark("modern-rsa").recipient_key(TokenSent::X509, KeyRef::Direct));
    let reply = sends.recipient.secure(fixture::draft(), &env, Some(request.request_facts())).unwrap();
    let verdict = fixture::verify_reply(&pair.initiator, &world().client, reply.message.bytes(), &sent.sent);
    verdict.map(drop).map_err(|r| r.reason())
}

#[test]
fn attack_sig_03_a_reply_of_another_partner() {
    assert_eq!(reply_of(&world().server), Ok(()), "positive control");
    // The confirmations are in clear on the way, and anybody can encrypt to the client.
    assert_eq!(reply_of(&keys("client2", Some("client"))), Err(R::TokenNotPartner));
}

#[test]
fn own_request_sent_back_as_the_reply_is_refused() {
    let pair = body_only();
    let sent = secure(&pair.initiator, &world().client, fixture::draft());
    for keys in [keys("client", Some("server")), keys("client", None)] {
        let verdict = fixture::verify_reply(&pair.initiator, &keys, sent.message.bytes(), &sent.sent);
        assert_eq!(verdict.map(drop).map_err(|r| r.reason()), Err(R::TokenNotPartner));
    }
}

#[test]
fn attack_sig_03_own_reply_sent_back_as_a_request() {
    let pair = fixture::pair(benchmark("modern-rsa").recipient_key(TokenSent::X509, KeyRef::Direct));
    let sent = secure(&pair.initiator, &world().client, fixture::draft());
    let request = verify(&pair.recipient, &world().server, sent.message.bytes()).unwrap();
    let env = Env::new(&world().server, fixture::now(), &SystemRandom);
    let reply = pair.recipient.secure(fixture::draft(), &env, Some(request.request_facts())).unwrap();
    // The reply, and what a server signs for whatever other purpose under a policy of the same shape.
    let own = fixture::text(secure(&body_only().initiator, &world().server, fixture::draft()));
    for (plan, message) in [
        (&pair.recipient, std::str::from_utf8(reply.message.bytes()).unwrap()),
        (&body_only().recipient, own.as_str()),
    ] {
        let verdict = verify(plan, &world().server, message.as_bytes()).map(drop).map_err(|r| r.reason());
        assert_eq!(verdict, Err(R::TokenNotPartner), "{message}");
    }
    // One key for both sides is said in so many words: it is the peer's, too.
    let shared = keys("server", Some("server"));
    let verified = verify(&body_only().recipient, &shared, own.as_bytes()).unwrap();
    assert_eq!(verified.caller().map(|c| c.name().to_owned()), Some(name(&identity("server"))));
    refused(&body_only().recipient, &keys("server", None), &own, &[R::TokenNotPartner]);
}

#[test]
fn attack_sig_03_a_reply_to_an_initiator_that_expects_nobody() {
    let pair = body_only();
    let sent = secure(&pair.initiator, &world().client, fixture::draft());
    let reply = fixture::text(secure(&pair.initiator, &world().server, fixture::draft()));
    let verdict = |keys: &Keystore, message: &str| {
        let verdict = fixture::verify_reply(&pair.initiator, keys, message.as_bytes(), &sent.sent);
        verdict.map(drop).map_err(|r| (r.reason(), r.detail()))
    };
    let (reason, detail) = verdict(&keys("client", None), &reply).unwrap_err();
    assert_eq!(reason, R::TokenNotPartner);
    assert!(detail.contains("no peer"), "{detail}");
    // Whoever is trusted, if that was asked for, and never ourselves.
    let anybody = keys("client", None).answered_by(bartizan_keys::Answering::Anybody);
    assert_eq!(verdict(&anybody, &reply), Ok(()));
    let own = std::str::from_utf8(sent.message.bytes()).unwrap();
    assert_eq!(verdict(&anybody, own).unwrap_err().0, R::TokenNotPartner);
    assert_eq!(verdict(&keys("client", Some("server")), &reply), Ok(()));
}

const STR_TRANSFORM: &str = "<ds:Transform Algorithm=\"http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-soap-message-security-1.0#STR-Transform\">\
    <wsse:TransformationParameters><ds:CanonicalizationMethod Algorithm=\"http://www.w3.org/2001/10/xml-exc-c14n#\"/></wsse:TransformationParameters></ds:Transform>";

/// A message whose Body holds `count` references to the token and is signed through the STR-Transform.
fn body_of_references(count: usize) -> String {
    let client = identity("client");
    let inner = format!(
        "<wsse:SecurityTokenReference><wsse:Reference URI=\"#tok\" ValueType=\"{}\"/></wsse:SecurityTokenReference>",
        forge::X509
    );
    let content = format!("<x xmlns=\"urn:x\">{}</x>", inner.repeat(count));
    let reference = forge::custom_reference("#body", STR_TRANSFORM, "BODYDIGEST");
    let template = forge::envelope(&(forge::token(&client) + &forge::signature(&reference)), "", &content);
    let document =
        Document::parse(template.clone().into_bytes(), Profile::Bare, &mut Budget::new(&Limits::generous()))
            .unwrap();
    let all = || document.root().descendants();
    let token = all().find(|e| e.is(wsse::BINARY_SECURITY_TOKEN)).unwrap().id();
    let body = all().find(|e| e.attr(wsu::ID) == Some("body")).unwrap();
    let pairs: Vec<_> = body
        .descendants()
        .filter(|e| e.is(wsse::SECURITY_TOKEN_REFERENCE))
        .map(|e| (e.id(), token))
        .collect();
    let mut octets = Vec::new();
    C14n::new(C14nMethod::Exclusive).replacing(&pairs).write(body, &mut octets).unwrap();
    let value = base64::encode(digest(DigestAlg::Sha256, &octets).as_ref());
    forge::sign(&template.replace("BODYDIGEST", &value), &client)
}

#[test]
fn attack_xsw_20_what_stands_in_a_replaced_reference_is_not_covered() {
    let message = body_of_references(1);
    // The digest is right, and would stay so whatever text stood in the reference: such a Body is not a signed one.
    refused(&body_only().recipient, &world().server, &message, &[R::CoverageBodyNotSigned]);
    let text = replace(
        &message,
        "</wsse:SecurityTokenReference></x>",
        "pay the attacker</wsse:SecurityTokenReference></x>",
    );
    refused(&body_only().recipient, &world().server, &text, &[R::CoverageBodyNotSigned]);
}

#[test]
fn attack_sig_14_very_many_references_to_replace() {
    refused(&body_only().recipient, &world().server, &body_of_references(16), &[R::CoverageBodyNotSigned]);
    refused(&body_only().recipient, &world().server, &body_of_references(17), &[R::TokenReferenceUnresolved]);
}

/// A Body whose canonical form is some thousand times as long as its source.
fn long_form() -> String {
    format!("<x xmlns=\"urn:x\" xmlns:p=\"urn:{}\">{}</x>", "p".repeat(60_000), "<p:a></p:a>".repeat(20_000))
}

#[test]
fn attack_sig_14_a_canonical_form_far_longer_than_its_source() {
    let client = identity("client");
    let reference = forge::custom_reference(
        "#body",
        "<ds:Transform Algorithm=\"http://www.w3.org/2001/10/xml-exc-c14n#\"/>",
        &"A".repeat(43),
    );
    let security = forge::token(&client)
        + &forge::signature(
            &(reference + "=")
                .replace("</ds:DigestValue>", "=</ds:DigestValue>")
                .replace("</ds:Reference>=", "</ds:Reference>"),
        );
    let attack = forge::sign(&forge::envelope(&security, "", &long_form()), &client);
    // The form has 1.2 GB; what was spent on it is the budget of octets digested, four times the message.
    let reject = refused(&body_only().recipient, &world().server, &attack, &[R::MessageLimit]);
    let Hint::Xmlsec(error) = reject.hint() else { panic!("{reject}") };
    let SecErrorKind::Xml(limit) = &error.kind else { panic!("{error}") };
    assert_eq!(limit.kind(), ErrorKind::Limit(Quantity::DigestedBytes));
    // Counted: the walk ends with the element in which the limit was passed.
    let mut budget = Budget::new(&Limits::default());
    let document = Document::parse(attack.clone().into_bytes(), Profile::Message, &mut budget).unwrap();
    let mut tap = DigestTap::new(DigestAlg::Sha256, budget.digestible());
    C14n::new(C14nMethod::Exclusive).write(document.root(), &mut tap).unwrap_err();
    assert!(tap.overrun() && tap.octets() < budget.digestible() + 64 * 1024 * 2, "{}", tap.octets());
    assert!(budget.digestible() < 5 * attack.len() as u64 + 64 * 1024);
    // An open Body is digested by nobody; what is shown of it is bounded all the same.
    let open = forge::envelope("", "", &long_form()).replace("<wsse:Security></wsse:Security>", "");
    let verified = verify(&Plan::open(Side::Recipient), &world().server, open.as_bytes()).unwrap();
    assert!(verified.payload().unwrap().octets().len() < 16 * open.len());
}

#[test]
fn attack_sig_14_very_many_confirmations_and_lists() {
    let sound = forge::sound(&identity("client"));
    for child in [
        "<c:SignatureConfirmation xmlns:c=\"http://docs.oasis-open.org/wss/oasis-wss-wssecurity-secext-1.1.xsd\"/>",
        "<x:ReferenceList xmlns:x=\"http://www.w3.org/2001/04/xmlenc#\"><x:DataReference URI=\"#e\"/></x:ReferenceList>",
    ] {
        let attack = replace(&sound, "</wsse:Security>", &format!("{}</wsse:Security>", child.repeat(65)));
        refused(
            &body_only().recipient,
            &world().server,
            &attack,
            &[R::MessageLimit, R::EncryptionUnexpected],
        );
        refused(&whatever(), &world().server, &attack, &[R::MessageLimit]);
    }
}

#[test]
fn attack_tok_17_a_header_that_only_the_plaintext_says_must_be_understood() {
    let part = Part::header("urn:h", "session");
    let builder = || {
        AsymmetricBuilder::new(bartizan_crypto::suite::by_name("modern-rsa").unwrap())
            .sign(Part::Body)
            .sign(part.clone())
            .encrypt(part.clone())
    };
    let knows = fixture::pair(builder().understand("urn:h", "session"));
    let knows_not = fixture::pair(builder());
    let message = fixture::text(secure(
        &knows.initiator,
        &world().client,
        fixture::rich_draft(bartizan_soap::Version::Soap12),
    ));
    verify(&knows.recipient, &world().server, message.as_bytes()).expect("positive control");
    let reject = refused(&knows_not.recipient, &world().server, &message, &[R::EncryptionPlaintext]);
    assert_eq!(reject.to_fault().subcode().map(|s| s.local.clone()).as_deref(), Some("FailedCheck"));
}

#[test]
fn attack_sig_14_children_that_each_declare_a_long_namespace_again() {
    // The namespace is declared and used at the Body itself, so that the signed form is as long as the source; child by child it is not.
    let client = identity("client");
    let security = forge::token(&client) + &forge::signature(&forge::reference("body"));
    let long = format!("<s:Body xmlns:p=\"urn:{}\" p:b=\"1\"", "p".repeat(60_000));
    let template = forge::envelope(&security, "", &"<p:a></p:a>".repeat(20_000)).replace("<s:Body", &long);
    let message = forge::sign(&template, &client);
    let verified = verify(&body_only().recipient, &world().server, message.as_bytes()).unwrap();
    assert!(verified.view(Keep::Covered).bytes.len() < 2 * message.len());
    assert!(verified.body().unwrap().content_octets().len() < 16 * message.len());
    assert!(bartizan_soap::Draft::parse(verified.view(Keep::Covered).bytes, &Limits::default()).is_err());
}

#[test]
fn a_header_that_was_encrypted_and_signed_is_in_the_view() {
    let part = Part::header("urn:h", "session");
    let builder = AsymmetricBuilder::new(bartizan_crypto::suite::by_name("modern-rsa").unwrap())
        .sign(Part::Body)
        .sign(part.clone())
        .encrypt(part);
    let pair = fixture::pair(builder.understand("urn:h", "session"));
    let message =
        secure(&pair.initiator, &world().client, fixture::rich_draft(bartizan_soap::Version::Soap12));
    let verified = verify(&pair.recipient, &world().server, message.message.bytes()).unwrap();
    let view = String::from_utf8(verified.view(Keep::Covered).bytes).unwrap();
    assert!(view.contains(">secret</h:session>") && !view.contains("EncryptedHeader"), "{view}");
}

#[test]
fn attack_sig_04_a_bare_key_that_two_certificates_speak_for() {
    // One key, two names: an authority that never asked for proof of possession. Whose message it is, nobody can say.
    let client = identity("client");
    let value = {
        let mut w = bartizan_xml::write::Writer::new();
        bartizan_xmlsec::key_info::write_key_value(&mut w, client.leaf().public_key().unwrap());
        String::from_utf8(w.finish().unwrap()).unwrap()
    };
    let signature =
        forge::signature_with(&forge::reference("body"), &format!("<ds:KeyInfo>{value}</ds:KeyInfo>"), "");
    let message = forge::sign(&forge::envelope(&signature, "", PAYLOAD), &client);
    let knows = |more: Option<bartizan_keys::Certificate>| {
        let trust = bartizan_keys::TrustStore::builder().anchor(fixture::certificate("ca")).build();
        let builder = Keystore::builder()
            .identity(identity("server"))
            .trust(trust)
            .certificate(fixture::certificate("client"));
        more.into_iter().fold(builder, |b, c| b.certificate(c)).build().unwrap()
    };
    verify(&body_only().recipient, &knows(None), message.as_bytes()).expect("positive control");
    let twin = twin_of(client.leaf());
    assert_eq!(twin.spki(), client.leaf().spki());
    refused(&body_only().recipient, &knows(Some(twin)), &message, &[R::TokenAmbiguous]);
}

/// The same certificate with another serial number: nobody has to believe it, it only has to be known.
fn twin_of(certificate: &bartizan_keys::Certificate) -> bartizan_keys::Certificate {
    let mut der = certificate.der().to_vec();
    let serial = certificate.serial_der();
    let at = der.windows(serial.len()).position(|w| w == serial).unwrap() + serial.len() - 1;
    der[at] ^= 1;
    bartizan_keys::Certificate::from_der(der).unwrap()
}

#[test]
fn attack_par_23_very_many_headers_before_anybody_is_known() {
    let sound = forge::sound(&identity("client"));
    // Each that must be understood is named in the fault, with a namespace that stands in the message once.
    let long = format!(
        "<s:Header xmlns:p=\"urn:{}\">{}",
        "p".repeat(60_000),
        "<p:a s:mustUnderstand=\"1\"></p:a>".repeat(20_000)
    );
    let attack = replace(&sound, "<s:Header>", &long);
    let verdict = verify(&body_only().recipient, &world().server, attack.as_bytes()).map(drop);
    let fault = verdict.map_err(|r| r.to_fault()).unwrap_err();
    assert!((1..=8).contains(&fault.not_understood().len()), "{} copies", fault.not_understood().len());
    // Each Security header for another role is compared with the others.
    let others = |n: usize| {
        (0..n).map(|i| format!("<wsse:Security s:role=\"urn:r{i}\"></wsse:Security>")).collect::<String>()
    };
    verify(
        &body_only().recipient,
        &world().server,
        replace(&sound, "</s:Header>", &(others(16) + "</s:Header>")).as_bytes(),
    )
    .unwrap();
    refused(
        &body_only().recipient,
        &world().server,
        &replace(&sound, "</s:Header>", &(others(17) + "</s:Header>")),
        &[R::MessageLimit],
    );
}

#[test]
fn view_leaves_names_without_namespace_and_prefixes_in_content_alone() {
    let client = identity("client");
    // The Body has no prefix; the header's content uses ours, the sender's and none.
    let block = "<h:h xmlns:h=\"urn:h\" wsu:Id=\"h\"><plain>env:T s:T</plain></h:h>";
    let template = forge::envelope(&signed_by(&client, "v", &["body", "h"]), block, PAYLOAD);
    let template = template
        .replace("<s:Body wsu:Id", &format!("<Body xmlns=\"{}\" wsu:Id", forge::SOAP))
        .replace("</s:Body>", "</Body>");
    let message = forge::sign(&template, &client);
    let verified = verify(&whatever(), &world().server, message.as_bytes()).unwrap();
    let view = verified.view(Keep::Covered).bytes;
    let document = Document::parse(view, Profile::Message, &mut Budget::new(&Limits::default())).unwrap();
    let plain =
        document.root().descendants().find(|e| e.local_name() == "plain").expect("the header's child");
    assert_eq!(plain.namespace(), None);
    assert_eq!(plain.lookup_namespace("env"), None);
    assert_eq!(plain.lookup_namespace("s"), None);
    assert_eq!(document.root().prefix(), "env0");
}

#[test]
fn view_of_what_nothing_covers_has_one_limit_for_all_of_it() {
    let client = identity("client");
    let long = format!("<s:Header xmlns:p=\"urn:{}\">", "p".repeat(60_000));
    let message = forge::sound(&client).replace("<s:Header>", &long);
    let message = message.replace("</s:Header>", &("<p:a></p:a>".repeat(1_000) + "</s:Header>"));
    let verified = verify(&whatever(), &world().server, message.as_bytes()).unwrap();
    let view = verified.view(Keep::Uncovered);
    assert!(view.bytes.len() < 12 * message.len(), "{} of {}", view.bytes.len(), message.len());
    assert!(view.warnings.iter().any(|w| matches!(w, bartizan_wss::Warning::LeftOut(_))));
    assert!(view.bytes.windows(7).any(|w| w == b"test me"));
}

#[test]
fn without_a_policy_headers_that_nothing_covers_are_named() {
    let message = forge::sound(&identity("client"));
    let message = message.replace("</s:Header>", "<h:h xmlns:h=\"urn:h\"></h:h></s:Header>");
    let verified = verify(&whatever(), &world().server, message.as_bytes()).unwrap();
    let named = bartizan_wss::Warning::HeaderNotCovered("/Envelope/Header/h".to_owned());
    assert!(verified.context().warnings().contains(&named), "{:?}", verified.context().warnings());
}

#[test]
fn reply_that_nothing_binds_to_its_request_is_said_and_one_to_another_is_refused() {
    let wsa = "http://www.w3.org/2005/08/addressing";
    let block = |local: &str, text: &str| {
        let octets = format!("<wsa:{local} xmlns:wsa=\"{wsa}\">{text}</wsa:{local}>");
        bartizan_soap::Block::new(wsa, local, octets.into())
    };
    let header = HeaderRule { layout: Layout::Lax, ..HeaderRule::default() };
    let suite = bartizan_crypto::suite::by_name("modern-rsa").unwrap();
    let plans =
        fixture::pair(AsymmetricBuilder::new(suite).sign(Part::Body).sign(Part::Headers).header(header));
    let sent =
        secure(&plans.initiator, &world().client, fixture::draft().with_block(block("MessageID", "urn:1")));
    assert_eq!(sent.sent.message_id(), Some("urn:1"));
    let answer = |draft: bartizan_soap::Draft| {
        let reply = secure(&plans.initiator, &world().server, draft).message;
        let verdict = fixture::verify_reply(&plans.initiator, &world().client, reply.bytes(), &sent.sent);
        verdict
            .map(|v| v.context().warnings().contains(&bartizan_wss::Warning::ReplyNotBound))
            .map_err(|r| r.reason())
    };
    assert_eq!(answer(fixture::draft().with_block(block("RelatesTo", "urn:1"))), Ok(false));
    assert_eq!(answer(fixture::draft()), Ok(true));
    assert_eq!(answer(fixture::draft().with_block(block("RelatesTo", "urn:2"))), Err(R::ConfirmationWrong));
}
