//! Reasons that no attack row is about, and layouts of other stacks that must be read.

use bartizan_crypto::random::SystemRandom;
use bartizan_keys::Time;
use bartizan_soap::{Draft, Version};
use bartizan_wss::plan::{Breach, HeaderRule, Layout, OutPlan, ProtectionOrder, Targets, TimestampRule};
use bartizan_wss::replay::{Claim, Remember, ReplayKey};
use bartizan_wss::{
    AsymmetricBuilder, EncryptHow, EncryptPart, Env, MemoryReplay, Need, Part, Plan, Reason as R,
    ReplayCache, Require, Side, Warning, Wire,
};
use std::time::Duration;

use crate::fixture::{
    self, PAYLOAD, benchmark, certificate, cut, identity, pair, read, refused, replace, rich_draft, secure,
    verify, world,
};
use crate::forge;

fn resolve(prefix: &str) -> Option<String> {
    match prefix {
        "s" => Some(Version::Soap12.namespace().to_owned()),
        "o" => Some("urn:o".to_owned()),
        _ => None,
    }
}

#[test]
fn envelope_of_another_version_is_named() {
    let plan = pair(benchmark("Basic256"));
    let (_, sound) = (&plan, forge::sound(&identity("client")));
    refused(
        &plan.recipient,
        &world().server,
        &sound.replace(forge::SOAP, "urn:soap-9"),
        &[R::MessageVersion],
    );
    refused(&plan.recipient, &world().server, "<a/>", &[R::MessageVersion]);
}

#[test]
fn doubled_covered_addressing_header_cannot_be_read() {
    let wsa = "http://www.w3.org/2005/08/addressing";
    let header = HeaderRule { layout: Layout::Lax, ..HeaderRule::default() };
    let builder = AsymmetricBuilder::new(bartizan_crypto::suite::by_name("modern-rsa").unwrap())
        .sign(Part::Body)
        .sign(Part::headers(wsa))
        .header(header);
    let plan = pair(builder);
    let to = |text: &str| {
        bartizan_soap::Block::new(
            wsa,
            "To",
            format!("<wsa:To xmlns:wsa=\"{wsa}\">{text}</wsa:To>").into_bytes(),
        )
    };
    let message = secure(
        &plan.initiator,
        &world().client,
        fixture::draft().with_block(to("urn:a")).with_block(to("urn:b")),
    );
    let verified = verify(&plan.recipient, &world().server, message.message.bytes()).unwrap();
    assert_eq!(verified.addressing().unwrap_err().reason(), R::MessageAddressing);
}

#[test]
fn text_in_the_security_header_is_refused() {
    let sound = forge::sound(&identity("client"));
    let plan = pair(benchmark("Basic256"));
    refused(
        &plan.recipient,
        &world().server,
        &replace(&sound, "<wsse:Security>", "<wsse:Security>text"),
        &[R::HeaderMalformedChild],
    );
    let confirmation = "<c:SignatureConfirmation xmlns:c=\"http://docs.oasis-open.org/wss/oasis-wss-wssecurity-secext-1.1.xsd\" Value=\"!\"/>";
    refused(
        &plan.recipient,
        &world().server,
        &replace(&sound, "<wsse:Security>", &format!("<wsse:Security>{confirmation}")),
        &[R::HeaderMalformedChild],
    );
}

#[test]
fn layout_is_enforced_or_noted_as_the_plan_says() {
    let plan = |layout, breach| {
        let header = HeaderRule { layout, breach, targets: Targets::Whole };
        pair(benchmark("modern-rsa").timestamp(TimestampRule::default()).header(header))
    };
    let message = fixture::text(secure(
        &plan(Layout::Strict, Breach::Refuse).initiator,
        &world().client,
        fixture::draft(),
    ));
    let piece = |from: &str, to: &str| cut(&message, from, to).to_owned();
    let (stamp, token) = (
        piece("<wsu:Timestamp", "</wsu:Timestamp>"),
        piece("<wsse:BinarySecurityToken", "</wsse:BinarySecurityToken>"),
    );
    let key = piece("<xenc:EncryptedKey", "</xenc:EncryptedKey>");
    let last = |piece: &str| {
        replace(&replace(&message, piece, ""), "</wsse:Security>", &format!("{piece}</wsse:Security>"))
    };
    for late in [&stamp, &token, &key] {
        refused(
            &plan(Layout::Strict, Breach::Refuse).recipient,
            &world().server,
            &last(late),
            &[R::HeaderLayout],
        );
        verify(&plan(Layout::Lax, Breach::Refuse).recipient, &world().server, last(late).as_bytes()).unwrap();
        let noted =
            verify(&plan(Layout::Strict, Breach::Warn).recipient, &world().server, last(late).as_bytes())
                .unwrap();
        assert!(noted.context().warnings().contains(&Warning::Layout));
    }
    verify(&plan(Layout::LaxTimestampFirst, Breach::Refuse).recipient, &world().server, message.as_bytes())
        .unwrap();
    refused(
        &plan(Layout::LaxTimestampLast, Breach::Refuse).recipient,
        &world().server,
        &message,
        &[R::HeaderLayout],
    );
    refused(
        &plan(Layout::LaxTimestampFirst, Breach::Refuse).recipient,
        &world().server,
        &last(&stamp),
        &[R::HeaderLayout],
    );
    verify(
        &plan(Layout::LaxTimestampLast, Breach::Refuse).recipient,
        &world().server,
        last(&stamp).as_bytes(),
    )
    .unwrap();
}

#[test]
fn message_signed_and_encrypted_in_the_other_order_is_refused() {
    let of = |order| pair(benchmark("modern-rsa").order(order));
    let (sign_first, encrypt_first) =
        (of(ProtectionOrder::SignBeforeEncrypt), of(ProtectionOrder::EncryptBeforeSign));
    let one = fixture::text(secure(&sign_first.initiator, &world().client, fixture::draft()));
    let other = fixture::text(secure(&encrypt_first.initiator, &world().client, fixture::draft()));
    refused(&encrypt_first.recipient, &world().server, &one, &[R::HeaderLayout, R::SignatureDigest]);
    refused(&sign_first.recipient, &world().server, &other, &[R::HeaderLayout, R::SignatureDigest]);
    // Without a layout to tell it, the digest does.
    let lax = HeaderRule { layout: Layout::Lax, ..HeaderRule::default() };
    let lenient = |order| pair(benchmark("modern-rsa").order(order).header(lax));
    refused(
        &lenient(ProtectionOrder::EncryptBeforeSign).recipient,
        &world().server,
        &one,
        &[R::SignatureDigest],
    );
    refused(
        &lenient(ProtectionOrder::SignBeforeEncrypt).recipient,
        &world().server,
        &other,
        &[R::SignatureDigest],
    );
    // A plan that takes what it finds takes both.
    let whatever = Plan::new(
        Side::Recipient,
        bartizan_wss::InPlan::whatever(bartizan_crypto::alg::AlgSet::with_legacy()),
        OutPlan::plain(),
    )
    .unwrap();
    for message in [&one, &other] {
        let verified = verify(&whatever, &world().server, message.as_bytes()).unwrap();
        let part = &verified.context().parts()[0];
        assert_eq!((part.path.as_str(), part.signed, part.encrypted), ("/Envelope/Body", true, true));
    }
}

#[test]
fn plaintext_that_breaks_the_header_is_refused_like_every_failure() {
    let builder = benchmark("modern-rsa")
        .sign(Part::header("urn:h", "session"))
        .encrypt(Part::header("urn:h", "session"))
        .understand("urn:h", "session");
    let plan = pair(builder);
    // The block is encrypted as the plan says; inside stands an element without a namespace, in the place of a block.
    let draft = fixture::draft().with_block(bartizan_soap::Block::new(
        "urn:h",
        "session",
        b"<unqualified></unqualified>".to_vec(),
    ));
    let message = fixture::text(secure(&plan.initiator, &world().client, draft));
    let wrapper = cut(&message, "<wsse11:EncryptedHeader", ">");
    let bare = replace(&message, wrapper, "").replacen("</wsse11:EncryptedHeader>", "", 1);
    let wsse11 = "http://docs.oasis-open.org/wss/oasis-wss-wssecurity-secext-1.1.xsd";
    let bare = bare.replacen("<soap:Envelope ", &format!("<soap:Envelope xmlns:wsse11=\"{wsse11}\" "), 1);
    refused(&plan.recipient, &world().server, &bare, &[R::EncryptionPlaintext]);
}

#[test]
fn plaintext_beyond_the_limits_is_refused_like_every_failure() {
    let plan = pair(benchmark("modern-rsa"));
    let bomb = format!("<a>{}</a>", "<b></b>".repeat(60_000));
    let message =
        secure(&plan.initiator, &world().client, Draft::new(Version::Soap12).with_body(bomb.into_bytes()));
    let reject = verify(&plan.recipient, &world().server, message.message.bytes()).unwrap_err();
    assert_eq!(reject.reason(), R::EncryptionFailed);
}

#[test]
fn uncovered_elements_and_headers_are_named() {
    let element = Part::element("/s:Envelope/s:Body/o:order/o:line", &resolve).unwrap();
    let plan = pair(benchmark("modern-rsa").understand("urn:h", "session"));
    let message = fixture::text(secure(&plan.initiator, &world().client, rich_draft(Version::Soap12)));
    let with = |part: Part, signed: Need, encrypted: Need| {
        let mut inbound = plan.recipient.inbound().clone();
        inbound.required.push(Require { part, signed, encrypted, how: EncryptHow::Content });
        Plan::new(Side::Recipient, inbound, OutPlan::plain()).unwrap()
    };
    // Under an encrypted and signed Body every element of it is both.
    verify(&with(element.clone(), Need::Must, Need::Must), &world().server, message.as_bytes()).unwrap();
    let header = Part::header("urn:h", "session");
    refused(
        &with(header.clone(), Need::IfPresent, Need::No),
        &world().server,
        &message,
        &[R::CoverageHeaderNotSigned],
    );
    refused(
        &with(header, Need::No, Need::IfPresent),
        &world().server,
        &message,
        &[R::CoverageHeaderNotEncrypted],
    );
    let clear = pair(
        AsymmetricBuilder::new(bartizan_crypto::suite::by_name("modern-rsa").unwrap())
            .sign(Part::Body)
            .understand("urn:h", "session"),
    );
    let signed = fixture::text(secure(&clear.initiator, &world().client, rich_draft(Version::Soap12)));
    let mut inbound = clear.recipient.inbound().clone();
    inbound.required.push(Require {
        part: element.clone(),
        signed: Need::No,
        encrypted: Need::Must,
        how: EncryptHow::Content,
    });
    let plan = Plan::new(Side::Recipient, inbound, OutPlan::plain()).unwrap();
    refused(&plan, &world().server, &signed, &[R::CoverageElementNotEncrypted]);
    let mut inbound = clear.recipient.inbound().clone();
    inbound.required = vec![Require {
        part: Part::element("/s:Envelope/s:Header/o:none", &resolve).unwrap(),
        signed: Need::Must,
        encrypted: Need::No,
        how: EncryptHow::Content,
    }];
    let plan = Plan::new(Side::Recipient, inbound, OutPlan::plain()).unwrap();
    refused(&plan, &world().server, &signed, &[R::CoveragePartMissing]);
}

#[test]
fn element_that_no_signature_covers_is_named() {
    let client = identity("client");
    let block = "<o:h xmlns:o=\"urn:o\"><o:in/></o:h>";
    let message = forge::sign(
        &forge::envelope(
            &(forge::token(&client) + &forge::signature(&forge::reference("body"))),
            block,
            PAYLOAD,
        ),
        &client,
    );
    let header = HeaderRule { layout: Layout::Lax, ..HeaderRule::default() };
    let plan = pair(
        AsymmetricBuilder::new(bartizan_crypto::suite::by_name("modern-rsa").unwrap())
            .sign(Part::Body)
            .header(header),
    );
    let mut inbound = plan.recipient.inbound().clone();
    let part = Part::element("/s:Envelope/s:Header/o:h/o:in", &resolve).unwrap();
    inbound.required.push(Require {
        part,
        signed: Need::Must,
        encrypted: Need::No,
        how: EncryptHow::Content,
    });
    let plan = Plan::new(Side::Recipient, inbound, OutPlan::plain()).unwrap();
    refused(&plan, &world().server, &message, &[R::CoverageElementNotSigned]);
}

#[test]
fn full_replay_memory_refuses() {
    let plan = pair(benchmark("modern-rsa"));
    let replay = MemoryReplay::new(1, Duration::from_secs(600));
    let env = Env::new(&world().server, fixture::now(), &SystemRandom).with_replay(&replay);
    let send = || secure(&plan.initiator, &world().client, fixture::draft()).message.into_bytes();
    plan.recipient.verify(read(&send()).unwrap(), &env).unwrap();
    assert_eq!(plan.recipient.verify(read(&send()).unwrap(), &env).unwrap_err().reason(), R::ReplayFull);
}

#[test]
fn memory_that_cannot_be_asked_refuses() {
    struct Gone;
    impl ReplayCache for Gone {
        fn claim(&self, _: &ReplayKey, _: Remember, _: Time) -> Claim {
            Claim::Unavailable
        }
        fn window(&self) -> Duration {
            Duration::from_secs(600)
        }
        fn started(&self) -> Time {
            fixture::now()
        }
    }
    let plan = pair(benchmark("modern-rsa"));
    let env = Env::new(&world().server, fixture::now(), &SystemRandom).with_replay(&Gone);
    let message = secure(&plan.initiator, &world().client, fixture::draft()).message.into_bytes();
    let refused = plan.recipient.verify(read(&message).unwrap(), &env).unwrap_err();
    assert_eq!(refused.reason(), R::ReplayUnavailable);
    assert_eq!(refused.reason().wire(), Wire::FailedCheck);
}

#[test]
fn name_that_fits_two_certificates_selects_none() {
    // Another authority's client of the same name.
    let twin = fixture::stranger("client");
    let key = bartizan_keys::Keystore::builder().identity(identity("server"));
    let keys = key
        .certificate(certificate("client"))
        .certificate(twin.clone())
        .trust(world().server.trust().clone())
        .build()
        .unwrap();
    let subject = |c: &bartizan_keys::Certificate| c.subject();
    assert_eq!(subject(&certificate("client")), subject(&twin));
    let info = format!(
        "<ds:KeyInfo><ds:X509Data><ds:X509SubjectName>{}</ds:X509SubjectName></ds:X509Data></ds:KeyInfo>",
        subject(&certificate("client"))
    );
    let client = identity("client");
    let message = forge::sign(
        &forge::envelope(&forge::signature_with(&forge::reference("body"), &info, ""), "", PAYLOAD),
        &client,
    );
    let header = HeaderRule { layout: Layout::Lax, ..HeaderRule::default() };
    let plan = pair(
        AsymmetricBuilder::new(bartizan_crypto::suite::by_name("modern-rsa").unwrap())
            .sign(Part::Body)
            .header(header),
    );
    refused(&plan.recipient, &keys, &message, &[R::TokenAmbiguous]);
}

#[test]
fn key_inside_the_encrypted_data_with_a_list_of_its_own_is_read() {
    let plan = pair(benchmark("modern-rsa"));
    let message = fixture::text(secure(&plan.initiator, &world().client, fixture::draft()));
    let key = cut(&message, "<xenc:EncryptedKey", "</xenc:EncryptedKey>");
    let list = cut(key, "<xenc:ReferenceList>", "</xenc:ReferenceList>");
    let data = cut(&message, "<xenc:EncryptedData", "</xenc:EncryptedData>");
    let info = cut(data, "<ds:KeyInfo", "</ds:KeyInfo>");
    let bare = key.replacen(list, "", 1).replacen(
        "<wsse:SecurityTokenReference",
        &format!("<wsse:SecurityTokenReference xmlns:wsse=\"{}\"", forge::WSSE),
        1,
    );
    let embedded =
        replace(data, info, &format!("<ds:KeyInfo xmlns:ds=\"{}\">{bare}</ds:KeyInfo>", forge::DS));
    let alone = list.replacen(
        "<xenc:ReferenceList>",
        "<xenc:ReferenceList xmlns:xenc=\"http://www.w3.org/2001/04/xmlenc#\">",
        1,
    );
    let moved = replace(&replace(&message, data, &embedded), key, &alone);
    verify(&plan.recipient, &world().server, moved.as_bytes()).unwrap_or_else(|r| panic!("{r}\n{moved}"));
    // And Rampart/C's: no Id on the key, no KeyInfo in the data.
    let anonymous = replace(&message, key, &key.replacen(cut(key, " Id=\"", "\""), "", 1));
    let anonymous = replace(&anonymous, info, "");
    verify(&plan.recipient, &world().server, anonymous.as_bytes()).unwrap();
}

#[test]
fn plan_that_encrypts_what_cannot_be_is_not_made() {
    let plan = pair(benchmark("modern-rsa"));
    let mut out = plan.initiator.outbound().clone();
    out.encrypt.as_mut().unwrap().parts.push(EncryptPart { part: Part::Timestamp, how: EncryptHow::Element });
    assert!(Plan::new(Side::Initiator, plan.initiator.inbound().clone(), out).is_err());
}

#[test]
fn encrypted_header_that_must_be_understood_is_understood_or_refused() {
    let builder = |understood: bool| {
        let builder = benchmark("modern-rsa")
            .sign(Part::header("urn:h", "session"))
            .encrypt(Part::header("urn:h", "session"));
        pair(if understood { builder.understand("urn:h", "session") } else { builder })
    };
    let message =
        fixture::text(secure(&builder(true).initiator, &world().client, rich_draft(Version::Soap12)));
    assert!(
        cut(&message, "<wsse11:EncryptedHeader", ">").contains("mustUnderstand=\"true\""),
        "the wrapper says it for the block"
    );
    let verified = verify(&builder(true).recipient, &world().server, message.as_bytes()).unwrap();
    assert_eq!(verified.covered_headers().next().unwrap().local_name(), "session");
    // What is inside is known after decryption only, so the refusal looks like every failure.
    refused(&builder(false).recipient, &world().server, &message, &[R::EncryptionPlaintext]);
    // One that nothing decrypts is not understood.
    let stray = "<w:EncryptedHeader xmlns:w=\"http://docs.oasis-open.org/wss/oasis-wss-wssecurity-secext-1.1.xsd\" soap:mustUnderstand=\"true\"><x/></w:EncryptedHeader>";
    let attack = replace(&message, "</soap:Header>", &format!("{stray}</soap:Header>"));
    refused(&builder(true).recipient, &world().server, &attack, &[R::MessageNotUnderstood]);
}

/// A namespace URI that has no canonical form is refused where it is parsed, so no signature ever covers it.
#[test]
fn attack_sig_11_a_signed_part_without_a_canonical_form() {
    let client = identity("client");
    // The digest of nothing: what a canonicalizer gives that answers a failure with an empty form.
    let empty = bartizan_crypto::base64::encode(
        bartizan_crypto::digest::digest(bartizan_crypto::DigestAlg::Sha256, b"").as_ref(),
    );
    let transform = "<ds:Transform Algorithm=\"http://www.w3.org/2001/10/xml-exc-c14n#\"/>";
    let reference = forge::custom_reference("#body", transform, &empty);
    let security = forge::token(&client) + &forge::signature(&reference);
    let plan = pair(benchmark("modern-rsa"));
    for namespace in ["relative/uri", "./x", "#fragment", "urn:\u{80}"] {
        let payload = format!("<a xmlns=\"{namespace}\"></a>");
        let attack = forge::sign(&forge::envelope(&security, "", "<a xmlns=\"urn:a\"></a>"), &client);
        let attack = replace(&attack, "<a xmlns=\"urn:a\"></a>", &payload);
        let reject = verify(&plan.recipient, &world().server, attack.as_bytes()).unwrap_err();
        assert_eq!(reject.reason(), R::MessageMalformed, "{namespace}");
    }
}

/// A reason that nothing reaches is either dead or untested. The tests name the ones that they expect, so the text of
/// this crate's tests is what is looked through; a new reason without a test fails here.
#[test]
fn every_reason_is_expected_by_some_test() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders = vec![root.join("tests"), root.join("src")];
    let mut expected = std::collections::BTreeSet::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let test = path.starts_with(root.join("tests")) || path.ends_with("tests.rs");
            if path.is_dir() {
                folders.push(path);
            } else if test && path.extension().is_some_and(|e| e == "rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                let named = ["R::", "Reason::"].into_iter().flat_map(|mark| text.split(mark).skip(1));
                let name = |after: &str| after.chars().take_while(char::is_ascii_alphanumeric).collect();
                expected.extend(named.map(name).collect::<Vec<String>>());
            }
        }
    }
    let known: Vec<String> = R::ALL.iter().map(|reason| format!("{reason:?}")).collect();
    let missing: Vec<&String> = known.iter().filter(|name| !expected.contains(*name)).collect();
    assert!(missing.is_empty(), "no test expects {missing:?}");
    assert!(known.len() > 60, "{}", known.len());
}

#[test]
fn text_of_a_message_is_shown_on_one_line_without_control_characters() {
    let sound = crate::forge::sound(&fixture::identity("client"));
    let plan = fixture::pair(
        AsymmetricBuilder::new(bartizan_crypto::suite::by_name("modern-rsa").unwrap()).sign(Part::Body),
    );
    let evil = "urn:x&#10;verified: sent by CN=boss&#13;&#x202E;\u{9b}31m";
    let attacks = [
        fixture::replace(&sound, "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256", evil),
        fixture::replace(&sound, "URI=\"#body\"", &format!("URI=\"{evil}\"")),
        sound.replace(crate::forge::X509, evil),
        sound.replace(crate::forge::B64, evil),
    ];
    let mut shown = 0;
    for attack in attacks {
        let reject = fixture::verify(&plan.recipient, &world().server, attack.as_bytes()).unwrap_err();
        let (detail, all) = (reject.detail(), reject.to_string());
        for text in [&detail, &all] {
            assert!(!text.chars().any(|c| c.is_control() || c == '\u{202E}'), "{text:?}");
        }
        shown += usize::from(detail.contains("verified: sent by"));
    }
    assert!(shown > 0, "no attack was shown at all");
}

#[test]
fn refusals_say_what_would_have_been_right_and_where() {
    let client = fixture::identity("client");
    let sound = crate::forge::sound(&client);
    let suite = bartizan_crypto::suite::by_name("modern-rsa").unwrap();
    let header = |layout| HeaderRule { layout, ..HeaderRule::default() };
    let plan = |rule| fixture::pair(AsymmetricBuilder::new(suite).sign(Part::Body).header(rule)).recipient;
    let refusal = |message: &str, plan: &Plan| {
        fixture::verify(plan, &world().server, message.as_bytes()).map(drop).unwrap_err()
    };
    let lax = plan(header(Layout::Lax));
    let sha1 =
        sound.replace("http://www.w3.org/2001/04/xmlenc#sha256", "http://www.w3.org/2000/09/xmldsig#sha1");
    let detail = refusal(&sha1, &lax).detail();
    assert!(detail.contains("Permitted here: ") && detail.contains("sha256"), "{detail}");
    assert!(!detail.contains("rsa-"), "of its kind only: {detail}");
    let stamp = |created: &str, expires: &str| {
        format!(
            "<wsu:Timestamp><wsu:Created>{created}</wsu:Created><wsu:Expires>{expires}</wsu:Expires></wsu:Timestamp>"
        )
    };
    let with = |stamp: String| sound.replace("</wsse:Security>", &(stamp + "</wsse:Security>"));
    let backwards = refusal(&with(stamp("2026-11-30T12:00:00Z", "2026-11-30T11:00:00Z")), &lax);
    assert_eq!(backwards.reason(), R::TimestampMalformed);
    assert!(backwards.detail().contains("Expires is not after Created"), "{backwards}");
    let first = plan(header(Layout::LaxTimestampFirst));
    let last = refusal(&with(stamp("2026-11-30T12:00:00Z", "2026-11-30T12:05:00Z")), &first);
    assert_eq!(last.reason(), R::HeaderLayout);
    assert!(last.detail().contains("LaxTsFirst: the Timestamp is the first"), "{last}");
    let must =
        sound.replace("</s:Header>", "<h:h xmlns:h=\"urn:h\" s:mustUnderstand=\"1\"></h:h></s:Header>");
    let missed = refusal(&must, &lax);
    assert_eq!(missed.reason(), R::MessageNotUnderstood);
    assert_eq!(missed.place().map(|p| p.offset), must.find("<h:h"));
    let twice = sound.replace("</s:Header>", "<h:h xmlns:h=\"urn:h\" wsu:Id=\"body\"></h:h></s:Header>");
    let doubled = refusal(&twice, &lax);
    assert_eq!(doubled.reason(), R::MessageDuplicateId);
    assert!(doubled.place().is_some_and(|p| p.offset > 0), "{doubled}");
}
