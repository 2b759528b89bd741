//! Signature wrapping (attack rows XSW-01 to XSW-29). Every row has its positive control.

use bartizan_crypto::random::SystemRandom;
use bartizan_soap::{Block, Draft, Version};
use bartizan_wss::plan::{HeaderRule, Layout, PlanPair, Targets, TimestampRule};
use bartizan_wss::{AsymmetricBuilder, Env, Keep, Part, Reason as R, Warning};

use crate::fixture::{self, PAYLOAD, cut, identity, pair, read, refused, replace, secure, verify, world};
use crate::forge;

const WSA: &str = "http://www.w3.org/2005/08/addressing";

/// Signed: Body, Timestamp, addressing headers, token. Nothing encrypted.
fn signed(targets: Targets) -> PlanPair {
    let header = HeaderRule { layout: Layout::Lax, targets, ..HeaderRule::default() };
    let suite = bartizan_crypto::suite::by_name("modern-rsa").unwrap();
    let builder = AsymmetricBuilder::new(suite)
        .sign(Part::Body)
        .sign(Part::headers(WSA))
        .timestamp(TimestampRule::default());
    pair(builder.protect_tokens().header(header))
}

fn body_only() -> PlanPair {
    let header = HeaderRule { layout: Layout::Lax, ..HeaderRule::default() };
    pair(
        AsymmetricBuilder::new(bartizan_crypto::suite::by_name("modern-rsa").unwrap())
            .sign(Part::Body)
            .header(header),
    )
}

fn addressed(to: &str) -> Draft {
    let block = |local: &str, text: &str| {
        Block::new(WSA, local, format!("<wsa:{local} xmlns:wsa=\"{WSA}\">{text}</wsa:{local}>").into_bytes())
    };
    let draft =
        Draft::new(Version::Soap12).with_block(block("To", to)).with_block(block("Action", "urn:greet"));
    draft.with_block(block("MessageID", "urn:uuid:1")).with_body(PAYLOAD.into())
}

/// The message M0 under plan P0, and the plans; accepted as it is.
fn m0(targets: Targets) -> (PlanPair, String) {
    let pair = signed(targets);
    let text = fixture::text(secure(&pair.initiator, &world().client, addressed("urn:to")));
    verify(&pair.recipient, &world().server, text.as_bytes()).expect("positive control");
    (pair, text)
}

fn body(message: &str) -> &str {
    cut(message, "<soap:Body", "</soap:Body>")
}

const EVIL: &str = "<soap:Body><evil xmlns=\"urn:evil\"></evil></soap:Body>";

#[test]
fn attack_xsw_01_body_under_a_wrapper_in_a_header() {
    for targets in [Targets::Whole, Targets::Any] {
        let (pair, message) = m0(targets);
        let signed = body(&message);
        let id = cut(signed, " wsu:Id=\"", "\"");
        for (fresh, reason) in [
            (EVIL.to_owned(), &[R::SignatureTarget, R::CoverageBodyNotSigned][..]),
            (
                EVIL.replacen("<soap:Body", "<soap:Body xmlns:wsu=\"WSU\" wsu:Id=\"other\"", 1)
                    .replace("WSU", forge::WSU),
                &[R::SignatureTarget, R::CoverageBodyNotSigned],
            ),
            (
                EVIL.replacen("<soap:Body", &format!("<soap:Body xmlns:wsu=\"{}\"{id}", forge::WSU), 1),
                &[R::MessageDuplicateId],
            ),
        ] {
            for must in ["", " soap:mustUnderstand=\"false\""] {
                let wrapped = format!("<w:Wrap xmlns:w=\"urn:w\"{must}>{signed}</w:Wrap></soap:Header>");
                let attack = replace(&replace(&message, signed, &fresh), "</soap:Header>", &wrapped);
                refused(&pair.recipient, &world().server, &attack, reason);
            }
        }
    }
}

#[test]
fn attack_xsw_02_body_inside_the_signature_the_header_or_a_fault() {
    for targets in [Targets::Whole, Targets::Any] {
        let (pair, message) = m0(targets);
        let signed = body(&message);
        let moved = replace(&message, signed, EVIL);
        let object =
            replace(&moved, "</ds:Signature>", &format!("<ds:Object>{signed}</ds:Object></ds:Signature>"));
        let key_info = replace(&moved, "</ds:KeyInfo>", &format!("{signed}</ds:KeyInfo>"));
        let security = replace(&moved, "</wsse:Security>", &format!("<x>{signed}</x></wsse:Security>"));
        let fault =
            format!("<soap:Body><soap:Fault><soap:Detail>{signed}</soap:Detail></soap:Fault></soap:Body>");
        let detail = replace(&message, signed, &fault);
        for (attack, reasons) in [
            (object, &[R::SignatureTarget, R::CoverageBodyNotSigned][..]),
            (key_info, &[R::TokenReferenceMalformed]),
            (security, &[R::HeaderUnknownChild]),
            (detail, &[R::SignatureTarget, R::CoverageBodyNotSigned]),
        ] {
            refused(&pair.recipient, &world().server, &attack, reasons);
        }
    }
}

#[test]
fn attack_xsw_03_two_bodies() {
    let (pair, message) = m0(Targets::Any);
    let signed = body(&message);
    let other = EVIL.replace("soap:Body", "old:Body").replacen(
        "<old:Body",
        "<old:Body xmlns:old=\"http://schemas.xmlsoap.org/soap/envelope/\"",
        1,
    );
    let nested = format!("<soap:Body>{signed}</soap:Body>");
    for fresh in [
        format!("{EVIL}{signed}"),
        format!("{signed}{EVIL}"),
        format!("{other}{signed}"),
        format!("{signed}{other}"),
    ] {
        refused(&pair.recipient, &world().server, &replace(&message, signed, &fresh), &[R::MessageShape]);
    }
    refused(
        &pair.recipient,
        &world().server,
        &replace(&message, signed, &nested),
        &[R::SignatureTarget, R::CoverageBodyNotSigned],
    );
}

#[test]
fn attack_xsw_04_timestamp_relocated_or_doubled() {
    let pair = signed(Targets::Any);
    let old = bartizan_keys::Time::parse_rfc3339("2026-11-30T10:00:00Z").unwrap();
    let env = Env::new(&world().client, old, &SystemRandom);
    let expired = fixture::text(pair.initiator.secure(addressed("urn:to"), &env, None).unwrap());
    refused(&pair.recipient, &world().server, &expired, &[R::TimestampExpired]);
    let stamp = cut(&expired, "<wsu:Timestamp", "</wsu:Timestamp>");
    let fresh = format!(
        "<wsu:Timestamp xmlns:wsu=\"{}\"><wsu:Created>2026-11-30T12:00:00Z</wsu:Created><wsu:Expires>2026-11-30T12:05:00Z</wsu:Expires></wsu:Timestamp>",
        forge::WSU
    );
    let wrapped = format!("<w:Wrap xmlns:w=\"urn:w\">{stamp}</w:Wrap></soap:Header>");
    let moved = replace(&replace(&expired, stamp, &fresh), "</soap:Header>", &wrapped);
    refused(&pair.recipient, &world().server, &moved, &[R::CoverageTimestampNotSigned]);
    for two in [format!("{fresh}{stamp}"), format!("{stamp}{fresh}")] {
        refused(
            &pair.recipient,
            &world().server,
            &replace(&expired, stamp, &two),
            &[R::HeaderDuplicateChild],
        );
    }
    let other_role = format!(
        "<wsse:Security xmlns:wsse=\"{}\" soap:role=\"urn:other\">{fresh}</wsse:Security></soap:Header>",
        forge::WSSE
    );
    let attack = replace(&expired, "</soap:Header>", &other_role);
    refused(&pair.recipient, &world().server, &attack, &[R::TimestampExpired]);
    let only_there = replace(&attack, stamp, "");
    refused(&pair.recipient, &world().server, &only_there, &[R::TimestampMissing, R::SignatureReference]);
}

#[test]
fn attack_xsw_06_addressing_hidden_doubled_or_unsigned() {
    for targets in [Targets::Whole, Targets::Any] {
        let (pair, message) = m0(targets);
        for local in ["To", "Action", "MessageID"] {
            let signed = cut(&message, &format!("<wsa:{local}"), &format!("</wsa:{local}>"));
            let twin = format!("<wsa:{local} xmlns:wsa=\"{WSA}\">urn:evil</wsa:{local}>");
            let hidden = format!("<w:Wrap xmlns:w=\"urn:w\">{signed}</w:Wrap>");
            for attack in [
                format!("{twin}{hidden}"),
                format!("{hidden}{twin}"),
                format!("{twin}{signed}"),
                format!("{signed}{twin}"),
            ] {
                let reasons = [R::SignatureTarget, R::CoverageHeaderNotSigned];
                refused(&pair.recipient, &world().server, &replace(&message, signed, &attack), &reasons);
            }
            let role =
                signed.replacen(&format!("<wsa:{local}"), &format!("<wsa:{local} soap:role=\"urn:x\""), 1);
            refused(
                &pair.recipient,
                &world().server,
                &replace(&message, signed, &role),
                &[R::SignatureDigest],
            );
        }
    }
}

#[test]
fn attack_xsw_07_security_header_games() {
    let (pair, message) = m0(Targets::Any);
    let security = cut(&message, "<wsse:Security", "</wsse:Security>");
    let empty = format!("<wsse:Security xmlns:wsse=\"{}\"></wsse:Security>", forge::WSSE);
    for two in [format!("{empty}{security}"), format!("{security}{empty}")] {
        refused(&pair.recipient, &world().server, &replace(&message, security, &two), &[R::HeaderDuplicate]);
    }
    let ultimate = format!("{}/role/ultimateReceiver", forge::SOAP);
    let roles = [
        (" soap:role=\"urn:other\"".to_owned(), R::HeaderMissing),
        (" soap:role=\"http://www.w3.org/2003/05/soap-envelope/role/none\"".to_owned(), R::HeaderMissing),
        (" soap:actor=\"urn:other\"".to_owned(), R::HeaderAttribute),
        (" actor=\"urn:other\"".to_owned(), R::HeaderAttribute),
        (" role=\"urn:other\"".to_owned(), R::HeaderAttribute),
        (
            " xmlns:old=\"http://schemas.xmlsoap.org/soap/envelope/\" old:actor=\"urn:other\"".to_owned(),
            R::HeaderAttribute,
        ),
        (
            " xmlns:old=\"http://schemas.xmlsoap.org/soap/envelope/\" old:mustUnderstand=\"1\"".to_owned(),
            R::HeaderAttribute,
        ),
    ];
    for (attribute, reason) in roles {
        let moved = message.replacen("<wsse:Security", &format!("<wsse:Security{attribute}"), 1);
        refused(&pair.recipient, &world().server, &moved, &[reason]);
    }
    // Said in so many words it is ours; that is no attack.
    let same = message.replacen("<wsse:Security", &format!("<wsse:Security soap:role=\"{ultimate}\""), 1);
    verify(&pair.recipient, &world().server, same.as_bytes()).unwrap();
    let nested =
        replace(&replace(&message, security, ""), "<greetRequest", &format!("{security}<greetRequest"));
    refused(&pair.recipient, &world().server, &nested, &[R::HeaderMissing]);
}

#[test]
fn attack_xsw_08_signed_envelope_inside_another_or_a_signature_over_everything() {
    let (pair, message) = m0(Targets::Any);
    let outer = format!(
        "<soap:Envelope xmlns:soap=\"{}\"><soap:Header/><soap:Body>{message}</soap:Body></soap:Envelope>",
        forge::SOAP
    );
    refused(&pair.recipient, &world().server, &outer, &[R::HeaderMissing]);
    let security = cut(&message, "<wsse:Security", "</wsse:Security>");
    let lifted = replace(
        &outer.replacen(security, "", 1),
        "<soap:Header/>",
        &format!("<soap:Header>{security}</soap:Header>"),
    );
    refused(&pair.recipient, &world().server, &lifted, &[R::CoverageBodyNotSigned]);
    let client = identity("client");
    let transform = "<ds:Transform Algorithm=\"http://www.w3.org/2001/10/xml-exc-c14n#\"/>";
    let whole = forge::signature(&forge::custom_reference("", transform, "DIGEST:none"));
    let attack = forge::sign(&forge::envelope(&(forge::token(&client) + &whole), "", PAYLOAD), &client);
    refused(&body_only().recipient, &world().server, &attack, &[R::SignatureReference]);
}

#[test]
fn attack_xsw_11_decoy_signature() {
    let client = identity("client");
    let plan = body_only();
    let sound = forge::sound(&client);
    verify(&plan.recipient, &world().server, sound.as_bytes()).unwrap();
    let genuine = cut(&sound, "<ds:Signature ", "</ds:Signature>");
    let decoy = genuine.replace("</ds:Signature>", "<ds:Object><forged/></ds:Object></ds:Signature>");
    for both in [format!("{decoy}{genuine}"), format!("{genuine}{decoy}")] {
        refused(
            &plan.recipient,
            &world().server,
            &replace(&sound, genuine, &both),
            &[R::SignatureUnexpected],
        );
    }
}

#[test]
fn attack_xsw_12_enveloped_transform() {
    let client = identity("client");
    let enveloped = "<ds:Transform Algorithm=\"http://www.w3.org/2000/09/xmldsig#enveloped-signature\"/>";
    let exclusive = "<ds:Transform Algorithm=\"http://www.w3.org/2001/10/xml-exc-c14n#\"/>";
    for transforms in [
        format!("{enveloped}{exclusive}"),
        format!("{enveloped}{enveloped}{exclusive}"),
        format!("{exclusive}{enveloped}"),
    ] {
        let signature = forge::signature(&forge::custom_reference("#body", &transforms, "DIGEST:body"));
        let attack =
            forge::sign(&forge::envelope(&(forge::token(&client) + &signature), "", PAYLOAD), &client);
        refused(&body_only().recipient, &world().server, &attack, &[R::SignatureTransform]);
    }
}

#[test]
fn attack_xsw_13_one_value_in_ids_of_different_types() {
    let client = identity("client");
    let plan = body_only();
    let kinds = [
        format!("<x:a xmlns:x=\"urn:x\" xmlns:wsu=\"{}\" wsu:Id=\"body\"/>", forge::WSU),
        format!("<ds:Object xmlns:ds=\"{}\" Id=\"body\"/>", forge::DS),
        "<x:a xmlns:x=\"urn:x\" Id=\"body\"/>".to_owned(),
        "<x:a xmlns:x=\"urn:x\" ID=\"body\"/>".to_owned(),
        "<x:a xmlns:x=\"urn:x\" id=\"body\"/>".to_owned(),
        "<x:a xmlns:x=\"urn:x\" xml:id=\"body\"/>".to_owned(),
        "<x:a xmlns:x=\"urn:x\" AssertionID=\"body\"/>".to_owned(),
        "<saml:Assertion xmlns:saml=\"urn:oasis:names:tc:SAML:2.0:assertion\" ID=\"body\"/>".to_owned(),
        "<saml:Assertion xmlns:saml=\"urn:oasis:names:tc:SAML:1.0:assertion\" AssertionID=\"body\"/>"
            .to_owned(),
        "<x:a xmlns:x=\"urn:x\" x:Id=\"body\"/>".to_owned(),
        "<x:a xmlns:x=\"urn:x\" xmlns:w3=\"http://schemas.xmlsoap.org/ws/2003/06/utility\" w3:Id=\"body\"/>"
            .to_owned(),
    ];
    let sound = forge::sound(&client);
    for kind in &kinds {
        let before = replace(&sound, "<s:Header>", &format!("<s:Header>{kind}"));
        let after = replace(&sound, "</s:Header>", &format!("{kind}</s:Header>"));
        for attack in [before, after] {
            refused(&plan.recipient, &world().server, &attack, &[R::MessageDuplicateId, R::MessageShape]);
        }
    }
    // Ids of a payload that collide with nothing of ours are none of our business.
    let plain = Draft::new(Version::Soap12)
        .with_body(b"<o:o xmlns:o=\"urn:o\"><o:a id=\"1\"></o:a><o:a id=\"1\"></o:a></o:o>".to_vec());
    let accepted = fixture::text(secure(&plan.initiator, &world().client, plain));
    verify(&plan.recipient, &world().server, accepted.as_bytes()).unwrap();
}

#[test]
fn attack_xsw_14_spelling_of_an_id() {
    let client = identity("client");
    let plan = body_only();
    let spelt = |written: &str, uri: &str| {
        let security =
            forge::token(&client) + &forge::signature(&forge::custom_reference(uri, EXC, "DIGEST:body"));
        let template = forge::envelope(&security, "", PAYLOAD);
        forge::sign(&template, &client).replacen("wsu:Id=\"body\"", &format!("wsu:Id=\"{written}\""), 1)
    };
    let long = "x".repeat(65_000);
    for (written, uri) in [
        (" body", "#body"),
        ("Body", "#body"),
        ("body", "#Body"),
        ("bo\u{301}dy", "#b\u{f3}dy"),
        ("body", "#body "),
        ("", "#"),
        (&*long, "#body"),
    ] {
        let reasons = [R::SignatureReference, R::MessageDuplicateId, R::MessageLimit, R::MessageMalformed];
        refused(&plan.recipient, &world().server, &spelt(written, uri), &reasons);
    }
    let entity = format!("<!DOCTYPE s [<!ENTITY b \"body\">]>{}", spelt("&b;", "#body"));
    refused(&plan.recipient, &world().server, &entity, &[R::MessageDtd]);
}

const EXC: &str = "<ds:Transform Algorithm=\"http://www.w3.org/2001/10/xml-exc-c14n#\"/>";

#[test]
fn attack_xsw_15_forms_of_a_reference_uri() {
    let client = identity("client");
    let forms = [
        "",
        "#",
        "#%62ody",
        "#xpointer(/)",
        "#xpointer(id('body'))",
        "#a#b",
        "x#body",
        "http://127.0.0.1:1/x#body",
        "cid:body",
        "file:///etc/passwd",
        "http://127.0.0.1:1/",
        "ldap://127.0.0.1:1/",
        "\\\\host\\share",
        " #body",
    ];
    for form in forms {
        let security =
            forge::token(&client) + &forge::signature(&forge::custom_reference(form, EXC, "DIGEST:body"));
        let attack = forge::sign(&forge::envelope(&security, "", PAYLOAD), &client);
        refused(&body_only().recipient, &world().server, &attack, &[R::SignatureReference]);
    }
    let absent = forge::signature(&forge::reference("body")).replacen(" URI=\"#body\"", "", 1);
    let attack = forge::sign(&forge::envelope(&(forge::token(&client) + &absent), "", PAYLOAD), &client);
    refused(&body_only().recipient, &world().server, &attack, &[R::SignatureReference]);
}

#[test]
fn attack_xsw_16_xpath_and_xslt_transforms() {
    let client = identity("client");
    let transforms = [
        "<ds:Transform Algorithm=\"http://www.w3.org/TR/1999/REC-xpath-19991116\"><ds:XPath>//*[local-name()='Body']</ds:XPath></ds:Transform>",
        "<ds:Transform Algorithm=\"http://www.w3.org/2002/06/xmldsig-filter2\"><x:XPath xmlns:x=\"http://www.w3.org/2002/06/xmldsig-filter2\" Filter=\"intersect\">/</x:XPath></ds:Transform>",
        "<ds:Transform Algorithm=\"http://www.w3.org/TR/1999/REC-xslt-19991116\"><t:stylesheet xmlns:t=\"http://www.w3.org/1999/XSL/Transform\" version=\"1.0\"/></ds:Transform>",
        "<ds:Transform Algorithm=\"http://www.w3.org/2000/09/xmldsig#base64\"/>",
        "<ds:Transform Algorithm=\"http://www.w3.org/2002/07/decrypt#XML\"/>",
        "<ds:Transform Algorithm=\"http://www.w3.org/2001/10/xml-exc-c14n\"/>",
    ];
    for transform in transforms {
        let security = forge::token(&client)
            + &forge::signature(&forge::custom_reference("#body", transform, "DIGEST:body"));
        let attack = forge::sign(&forge::envelope(&security, "", PAYLOAD), &client);
        refused(&body_only().recipient, &world().server, &attack, &[R::SignatureTransform]);
    }
}

#[test]
fn attack_xsw_18_prefix_in_content_bound_outside_of_what_is_signed() {
    let plan = body_only();
    let payload = b"<o:o xmlns:o=\"urn:o\"><o:v xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:type=\"p:T\">1</o:v></o:o>";
    let draft = Draft::new(Version::Soap12).declaring("p", "urn:genuine").with_body(payload.to_vec());
    let message = fixture::text(secure(&plan.initiator, &world().client, draft));
    let attack = replace(&message, "xmlns:p=\"urn:genuine\"", "xmlns:p=\"urn:evil\"");
    for text in [&message, &attack] {
        let verified = verify(&plan.recipient, &world().server, text.as_bytes()).unwrap();
        let value = verified.payload().unwrap().child(Some("urn:o"), "v").unwrap();
        assert_eq!(value.resolve_prefix("p"), None, "nothing signed says what p means");
        assert_eq!(value.resolve_prefix("o"), Some("urn:o"));
        let view = verified.view(Keep::Covered);
        assert!(view.warnings.contains(&Warning::QnamePrefixUncovered("p".into())));
        assert!(!String::from_utf8_lossy(&view.bytes).contains("urn:evil"));
    }
    // A declaration on the signed element itself that only content uses is in no digest either.
    let inner = replace(&message, "<o:v ", "<o:v xmlns:q=\"urn:q\" ");
    let verified = verify(&plan.recipient, &world().server, inner.as_bytes()).unwrap();
    assert_eq!(verified.payload().unwrap().child(Some("urn:o"), "v").unwrap().resolve_prefix("q"), None);
}

#[test]
fn attack_xsw_19_inherited_xml_attributes() {
    let (pair, message) = m0(Targets::Whole);
    let attack = message.replacen(
        "<soap:Envelope ",
        "<soap:Envelope xml:base=\"http://evil/\" xml:lang=\"xx\" xml:space=\"preserve\" ",
        1,
    );
    let genuine =
        verify(&pair.recipient, &world().server, message.as_bytes()).unwrap().view(Keep::Covered).bytes;
    let shown =
        verify(&pair.recipient, &world().server, attack.as_bytes()).unwrap().view(Keep::Covered).bytes;
    assert_eq!(genuine, shown);
}

#[test]
fn attack_xsw_20_token_swapped_or_reference_misled() {
    let (client, second) = (identity("client"), identity("client2"));
    let sound = forge::sound(&client);
    let swapped = replace(&sound, &forge::token(&client), &forge::token(&second));
    refused(&body_only().recipient, &world().server, &swapped, &[R::SignatureValue]);
    let duplicated = replace(
        &sound,
        &forge::token(&client),
        &format!("{}{}", forge::token(&client), forge::token(&second)),
    );
    refused(&body_only().recipient, &world().server, &duplicated, &[R::MessageDuplicateId]);
    let dangling = replace(&sound, "URI=\"#tok\"", "URI=\"#none\"");
    refused(&body_only().recipient, &world().server, &dangling, &[R::TokenReferenceUnresolved]);
    let elsewhere = replace(&sound, &forge::token(&client), "");
    let elsewhere = replace(
        &elsewhere,
        "</s:Header>",
        &format!("<x xmlns=\"urn:x\">{}</x></s:Header>", forge::token(&client)),
    );
    refused(&body_only().recipient, &world().server, &elsewhere, &[R::TokenReferenceUnresolved]);
    let (pair, message) = m0(Targets::Whole);
    // Where the plan protects the token, a change in it is a change in a signed part.
    let bst = cut(&message, "<wsse:BinarySecurityToken", ">");
    let edited = replace(&message, bst, &bst.replacen(" EncodingType", " xml:lang=\"x\" EncodingType", 1));
    refused(&pair.recipient, &world().server, &edited, &[R::TokenMalformed]);
    // And a message whose token is not signed is refused there.
    let unsigned = fixture::text(secure(&body_only().initiator, &world().client, addressed("urn:to")));
    refused(&pair.recipient, &world().server, &unsigned, &[R::TimestampMissing, R::CoverageTokenNotSigned]);
}

#[test]
fn attack_xsw_21_coverage_gaps() {
    let client = identity("client");
    let plan = body_only();
    let only = |id: &str, blocks: &str| {
        let security = forge::token(&client) + &forge::signature(&forge::reference(id));
        forge::sign(&forge::envelope(&security, blocks, PAYLOAD), &client)
    };
    let id_header = format!("<wsa:MessageID xmlns:wsa=\"{WSA}\" wsu:Id=\"mid\">urn:x</wsa:MessageID>");
    refused(&plan.recipient, &world().server, &only("mid", &id_header), &[R::CoverageBodyNotSigned]);
    refused(
        &plan.recipient,
        &world().server,
        &only("decoy", "<x:d xmlns:x=\"urn:x\" wsu:Id=\"decoy\"/>"),
        &[R::CoverageBodyNotSigned],
    );
    refused(&plan.recipient, &world().server, &only("tok", ""), &[R::CoverageBodyNotSigned]);
    let none =
        forge::sign(&forge::envelope(&(forge::token(&client) + &forge::signature("")), "", PAYLOAD), &client);
    refused(&plan.recipient, &world().server, &none, &[R::SignatureMalformed]);
    let inner = forge::envelope(
        &(forge::token(&client) + &forge::signature(&forge::reference("in"))),
        "",
        "<x:p xmlns:x=\"urn:x\" wsu:Id=\"in\"/>",
    );
    refused(
        &plan.recipient,
        &world().server,
        &forge::sign(&inner, &client),
        &[R::SignatureTarget, R::CoverageBodyNotSigned],
    );
}

#[test]
fn attack_xsw_22_manifest_and_typed_references() {
    let client = identity("client");
    let manifest = format!(
        "<ds:Object><ds:Manifest Id=\"man\">{}</ds:Manifest></ds:Object>",
        forge::custom_reference("#body", EXC, "AAAA")
    );
    let key_info = "<ds:KeyInfo><wsse:SecurityTokenReference><wsse:Reference URI=\"#tok\"/></wsse:SecurityTokenReference></ds:KeyInfo>";
    let inside = forge::signature_with(&forge::reference("man"), key_info, &manifest);
    let attack = forge::sign(&forge::envelope(&(forge::token(&client) + &inside), "", PAYLOAD), &client);
    refused(&body_only().recipient, &world().server, &attack, &[R::SignatureReference]);
    let typed = forge::reference("body").replacen(
        "<ds:Reference ",
        "<ds:Reference Type=\"http://www.w3.org/2000/09/xmldsig#Manifest\" ",
        1,
    );
    let attack = forge::sign(
        &forge::envelope(&(forge::token(&client) + &forge::signature(&typed)), "", PAYLOAD),
        &client,
    );
    refused(&body_only().recipient, &world().server, &attack, &[R::SignatureReference]);
}

#[test]
fn attack_xsw_23_digests_swapped_between_references() {
    let client = identity("client");
    let stamp =
        "<wsu:Timestamp wsu:Id=\"ts\"><wsu:Created>2026-11-30T12:00:00Z</wsu:Created></wsu:Timestamp>";
    let swapped = forge::custom_reference("#body", EXC, "DIGEST:ts")
        + &forge::custom_reference("#ts", EXC, "DIGEST:body");
    let attack = forge::envelope(
        &(stamp.to_owned() + &forge::token(&client) + &forge::signature(&swapped)),
        "",
        PAYLOAD,
    );
    refused(&body_only().recipient, &world().server, &forge::sign(&attack, &client), &[R::SignatureDigest]);
    let both = forge::reference("body") + &forge::custom_reference("#ts", EXC, "DIGEST:body");
    let attack =
        forge::envelope(&(stamp.to_owned() + &forge::token(&client) + &forge::signature(&both)), "", PAYLOAD);
    refused(&body_only().recipient, &world().server, &forge::sign(&attack, &client), &[R::SignatureDigest]);
}

#[test]
fn attack_xsw_24_headers_of_another_message() {
    let plan = body_only();
    let (a, b) = (
        fixture::text(secure(&plan.initiator, &world().client, addressed("urn:a"))),
        fixture::text(secure(&plan.initiator, &world().client, addressed("urn:b"))),
    );
    let (to_a, to_b) = (cut(&a, "<wsa:To", "</wsa:To>"), cut(&b, "<wsa:To", "</wsa:To>"));
    let spliced = replace(&a, to_a, to_b);
    let verified = verify(&plan.recipient, &world().server, spliced.as_bytes()).unwrap();
    assert_eq!(verified.covered_headers().count(), 0, "headers that nothing covers are not shown");
    assert_eq!(verified.addressing().unwrap().to, None);
    assert!(!String::from_utf8_lossy(&verified.view(Keep::Covered).bytes).contains("urn:b"));
    // Where the plan demands them, the same message is refused.
    let (strict, message) = m0(Targets::Whole);
    let to = cut(&message, "<wsa:To", "</wsa:To>");
    refused(
        &strict.recipient,
        &world().server,
        &replace(&message, to, to_b),
        &[R::SignatureReference, R::CoverageHeaderNotSigned],
    );
}

#[test]
fn attack_xsw_27_plaintext_brings_what_must_not_be_there() {
    let plan = fixture::pair(fixture::benchmark("Basic256"));
    let send = |content: &str, blocks: &[&str]| {
        let mut draft = Draft::new(Version::Soap12);
        for block in blocks {
            draft = draft.with_block(Block::new("urn:x", "b", block.as_bytes().to_vec()));
        }
        fixture::text(secure(&plan.initiator, &world().client, draft.with_body(content.into())))
    };
    let refuse = |message: String, reasons: &[R]| {
        refused(&plan.recipient, &world().server, &message, reasons);
    };
    let id =
        |name: &str| format!("<x:a xmlns:wsu=\"{}\" xmlns:x=\"urn:x\" wsu:Id=\"{name}\"></x:a>", forge::WSU);
    refuse(send(&(id("d") + &id("d")), &[]), &[R::MessageDuplicateId]);
    let block = format!("<x:b xmlns:x=\"urn:x\" xmlns:wsu=\"{}\" wsu:Id=\"d\"></x:b>", forge::WSU);
    refuse(send(&id("d"), &[&block]), &[R::MessageDuplicateId]);
    // Unbalanced plaintext never leaves its place.
    refuse(send("<a></a></soap:Body><soap:Body><b></b>", &[]), &[R::EncryptionFailed]);
    // Elements of these names inside the Body are payload, and shown as such.
    for name in ["Body", "Header"] {
        let nested = format!("<env:{name} xmlns:env=\"{}\"></env:{name}>", forge::SOAP);
        let message = send(&nested, &[]);
        let verified = verify(&plan.recipient, &world().server, message.as_bytes()).unwrap();
        assert_eq!(verified.payload().unwrap().local_name(), name);
    }
}

#[test]
fn attack_xsw_28_something_behind_the_root() {
    let (pair, message) = m0(Targets::Any);
    for tail in ["<x/>", "text", "\0", "\0\0\0\0", &message.clone(), "<!DOCTYPE a>", "]]>", "<?pi x?>"] {
        refused(
            &pair.recipient,
            &world().server,
            &format!("{message}{tail}"),
            &[R::MessageMalformed, R::MessageDtd],
        );
    }
    for sound in ["\r\n", " ", "<!-- c -->"] {
        verify(&pair.recipient, &world().server, format!("{message}{sound}").as_bytes()).unwrap();
    }
}

#[test]
fn attack_xsw_29_signature_confirmation() {
    let pair = pair(fixture::benchmark("modern-rsa"));
    let first = secure(&pair.initiator, &world().client, fixture::draft());
    let other = secure(&pair.initiator, &world().client, fixture::draft());
    let verified = verify(&pair.recipient, &world().server, first.message.bytes()).unwrap();
    let env = Env::new(&world().server, fixture::now(), &SystemRandom);
    let reply =
        fixture::text(pair.recipient.secure(fixture::draft(), &env, Some(verified.request_facts())).unwrap());
    let check = |text: &str, sent: &bartizan_wss::SentSignatures| {
        pair.initiator.verify(
            read(text.as_bytes()).unwrap(),
            &Env::new(&world().client, fixture::now(), &SystemRandom).answering(sent),
        )
    };
    check(&reply, &first.sent).expect("positive control");
    assert_eq!(check(&reply, &other.sent).unwrap_err().reason(), R::ConfirmationWrong);
    assert_eq!(
        check(&reply, &bartizan_wss::SentSignatures::default()).unwrap_err().reason(),
        R::ConfirmationWrong
    );
    let confirmation = cut(&reply, "<wsse11:SignatureConfirmation", "</wsse11:SignatureConfirmation>");
    assert_eq!(
        check(&replace(&reply, confirmation, ""), &first.sent).unwrap_err().reason(),
        R::SignatureReference
    );
    let unsigned = replace(confirmation, cut(confirmation, " wsu:Id=\"", "\""), "");
    let unsigned = replace(&unsigned, cut(&unsigned, " xmlns:wsu=\"", "\""), "");
    let doubled = replace(&reply, confirmation, &format!("{confirmation}{unsigned}"));
    assert_eq!(check(&doubled, &first.sent).unwrap_err().reason(), R::ConfirmationDuplicate);
    let value = cut(&unsigned, " Value=\"", "\"");
    let extra = replace(
        &reply,
        confirmation,
        &format!("{confirmation}{}", unsigned.replace(value, " Value=\"AAAA\"")),
    );
    assert_eq!(check(&extra, &first.sent).unwrap_err().reason(), R::ConfirmationWrong);
    // A reply that signs only its Body and carries the right confirmation unsigned proves nothing.
    let mut plain = pair.recipient.outbound().clone();
    plain.confirmation = false;
    plain.sign.as_mut().unwrap().parts = vec![Part::Body];
    let careless =
        bartizan_wss::Plan::new(bartizan_wss::Side::Recipient, pair.recipient.inbound().clone(), plain)
            .unwrap();
    let reply =
        fixture::text(careless.secure(fixture::draft(), &env, Some(verified.request_facts())).unwrap());
    assert_eq!(check(&reply, &first.sent).unwrap_err().reason(), R::ConfirmationMissing);
    let inserted = reply.replacen("<ds:Signature ", &format!("{unsigned}<ds:Signature "), 1);
    assert_eq!(check(&inserted, &first.sent).unwrap_err().reason(), R::CoverageConfirmationNotSigned);
}
