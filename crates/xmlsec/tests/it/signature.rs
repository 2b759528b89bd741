//! Signatures that must verify, and what their verification says.

use bartizan_crypto::alg::{AlgSet, DigestAlg, SignatureAlg};
use bartizan_crypto::random::SystemRandom;
use bartizan_crypto::{Curve, PrivateKey, SymmetricKey};
use bartizan_xml::c14n::C14nMethod;
use bartizan_xml::{Document, NodeId};
use bartizan_xmlsec::engine::{KeyRing, SignRequest, SignTarget, sign_document};
use bartizan_xmlsec::key_info::{IssuerSerial, KeyInfoItem, KeyInfoSpec, X509Spec};
use bartizan_xmlsec::signature::{C14nSpec, SignKey, StrTarget, StrTargets, Transform};
use bartizan_xmlsec::{ErrorKind, KeyItem, NoStrTargets, Permit, TransformKind, VerifyKey};

use crate::fixture::*;

#[test]
fn detached_signature_over_two_parts_covers_exactly_those_nodes() {
    let document = parse(signed());
    let signature = read(&document).expect("read");
    signature.verify_value(&VerifyKey::Public(rsa().public())).expect("value");
    let covered = signature.verify_references(&document, &NoStrTargets, &mut budget()).expect("digests");
    let ids: Vec<NodeId> = covered.iter().map(|c| c.target).collect();
    let parts: Vec<NodeId> = document.root().elements().take(2).map(|e| e.id()).collect();
    assert_eq!(ids, parts);
    assert!(covered.iter().all(|c| c.removed.is_none() && !c.whole_document && c.replaced.is_empty()));
}

#[test]
fn every_method_signs_and_verifies() {
    let (p384, p521) = (PrivateKey::generate_ec(Curve::P384), PrivateKey::generate_ec(Curve::P521));
    let (p384, p521) = (p384.expect("a key"), p521.expect("a key"));
    let ed25519 = PrivateKey::generate_ed25519().expect("a key");
    let mac = secret();
    let document = parse(PARTS);
    let mut ran = 0;
    for method in SignatureAlg::ALL.iter().copied() {
        let name = method.short_name();
        let key = match name {
            _ if method.is_mac() => SignKey::Secret(&mac),
            _ if name.starts_with("rsa") => SignKey::Private(rsa()),
            _ if name.starts_with("ecdsa") && name.ends_with("384") => SignKey::Private(&p384),
            _ if name.starts_with("ecdsa") && name.ends_with("512") => SignKey::Private(&p521),
            _ if name.starts_with("ecdsa") => SignKey::Private(ec()),
            "ed25519" => SignKey::Private(&ed25519),
            // DSA verifies only.
            _ => continue,
        };
        let (text, signed) = signature_over(&document, &["a"], method, &key);
        let document = parse(&PARTS.replace("<!--S-->", &text));
        let signature = read(&document).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(signature.value, signed.value);
        assert_eq!(signature.canonical_signed_info(), signed.signed_info, "{name}");
        let verify = match &key {
            SignKey::Secret(key) => VerifyKey::Secret(key),
            SignKey::Private(key) => VerifyKey::Public(key.public()),
        };
        signature.verify_value(&verify).unwrap_or_else(|e| panic!("{name}: {e}"));
        signature.verify_references(&document, &NoStrTargets, &mut budget()).expect("digests");
        ran += 1;
    }
    assert_eq!(ran, SignatureAlg::ALL.len() - 2);
}

#[test]
fn every_digest_verifies() {
    for alg in DigestAlg::ALL.iter().copied() {
        let text =
            sign(PARTS, &[SignTarget::Document], true, SignatureAlg::RsaSha256, alg, &C14nSpec::EXCLUSIVE);
        verify(&text).unwrap_or_else(|e| panic!("{alg}: {e}"));
    }
}

fn sign(
    text: &str,
    targets: &[SignTarget],
    enveloped: bool,
    method: SignatureAlg,
    digest: DigestAlg,
    canonicalization: &C14nSpec,
) -> String {
    let document = parse(text);
    let request = SignRequest {
        targets,
        enveloped,
        parent: None,
        method,
        digest,
        canonicalization,
        id: None,
        key_info: None,
    };
    let key = SignKey::Private(rsa());
    let signed =
        sign_document(&document, &request, &key, bartizan_xml::Profile::Bare, &mut budget(), &SystemRandom);
    String::from_utf8(signed.expect("signed")).expect("text")
}

#[test]
fn element_with_a_declared_id_is_signed_by_that_id() {
    let mut document = parse("<r><part Name=\"p1\">text</part></r>");
    document.declare_id_attr("Name");
    let target = document.by_id("p1").expect("unique").expect("declared").id();
    let request = SignRequest {
        targets: &[SignTarget::Element(target)],
        enveloped: false,
        parent: None,
        method: SignatureAlg::RsaSha256,
        digest: DigestAlg::Sha256,
        canonicalization: &C14nSpec::EXCLUSIVE,
        id: None,
        key_info: None,
    };
    let key = SignKey::Private(rsa());
    let signed =
        sign_document(&document, &request, &key, bartizan_xml::Profile::Bare, &mut budget(), &SystemRandom);
    let signed = String::from_utf8(signed.expect("signed")).expect("text");
    assert!(signed.contains("URI=\"#p1\"") && signed.contains("<part Name=\"p1\">"), "{signed}");
}

#[test]
fn enveloped_signature_verifies_under_every_canonicalization() {
    let text =
        "<?xml version=\"1.0\"?>\n<!-- c --><r xmlns='urn:r' xmlns:p='urn:p' p:x='1'>t<!-- d --><p:e/></r>\n";
    for method in C14nMethod::ALL {
        let signed =
            sign(text, &[], false, SignatureAlg::RsaSha256, DigestAlg::Sha256, &C14nSpec::new(method));
        let reports = verify(&signed).unwrap_or_else(|e| panic!("{method:?}: {e}\n{signed}"));
        let covered = reports[0].references[0].covered.as_ref().expect("covered");
        assert!(covered.whole_document);
        assert_eq!(covered.removed, Some(reports[0].element));
        assert_eq!(reports[0].references[0].covers.as_deref(), Some("/r"));
        let changed = swap(&signed, "<p:e/>", "<p:f/>");
        assert!(matches!(refusal(&changed), ErrorKind::DigestMismatch), "{method:?}");
    }
}

#[test]
fn signature_goes_into_an_empty_root() {
    let signed = sign("<r/>", &[], false, SignatureAlg::RsaSha256, DigestAlg::Sha256, &C14nSpec::EXCLUSIVE);
    assert!(signed.starts_with("<r><ds:Signature") && signed.ends_with("</ds:Signature></r>"), "{signed}");
    verify(&signed).expect("verified");
}

#[test]
fn element_without_id_gets_one_when_signed() {
    let document = parse("<r><a>1</a><b/></r>");
    let target = document.root().elements().next().expect("a");
    let signed = sign(
        "<r><a>1</a><b/></r>",
        &[SignTarget::Element(target.id())],
        false,
        SignatureAlg::RsaSha256,
        DigestAlg::Sha256,
        &C14nSpec::EXCLUSIVE,
    );
    let reports = verify(&signed).expect("verified");
    assert_eq!(reports[0].references[0].covers.as_deref(), Some("/r/a"));
    assert!(matches!(refusal(&swap(&signed, ">1<", ">2<")), ErrorKind::DigestMismatch));
    verify(&swap(&signed, "<b/>", "<b>free</b>")).expect("an unsigned part may change");
}

#[test]
fn every_form_of_key_info_reads_back() {
    let spec = KeyInfoSpec {
        id: Some("K".into()),
        items: vec![
            KeyInfoItem::KeyName("me & you".into()),
            KeyInfoItem::KeyValue(rsa().public().clone()),
            KeyInfoItem::KeyValue(ec().public().clone()),
            KeyInfoItem::KeyValue(PrivateKey::generate_ed25519().expect("a key").public().clone()),
            KeyInfoItem::X509(X509Spec {
                issuer_serial: Some(IssuerSerial { issuer: "CN=i,O=o".into(), serial: "17".into() }),
                ski: Some(vec![1, 2, 3]),
                subject: Some("CN=s".into()),
                certificates: vec![vec![0x30, 0]],
                digest: Some((DigestAlg::Sha256, vec![7; 32])),
            }),
        ],
    };
    let document = parse(PARTS);
    let request = SignRequest {
        targets: &[],
        enveloped: true,
        parent: None,
        method: SignatureAlg::RsaSha256,
        digest: DigestAlg::Sha256,
        canonicalization: &C14nSpec::EXCLUSIVE,
        id: Some("S"),
        key_info: Some(&spec),
    };
    let key = SignKey::Private(rsa());
    let signed =
        sign_document(&document, &request, &key, bartizan_xml::Profile::Bare, &mut budget(), &SystemRandom)
            .expect("signed");
    let document = parse(std::str::from_utf8(&signed).expect("text"));
    let signature = read(&document).expect("read");
    assert_eq!(signature.id.as_deref(), Some("S"));
    let info = signature.key_info.expect("KeyInfo");
    assert_eq!(info.key_name(), Some("me & you"));
    let mut keys = info.items.iter().filter_map(|item| match item {
        KeyItem::KeyValue(value) => Some(value.to_public_key().expect("a key")),
        _ => None,
    });
    assert_eq!(keys.next().as_ref(), Some(rsa().public()));
    assert_eq!(keys.next().as_ref(), Some(ec().public()));
    assert!(keys.next().is_some() && keys.next().is_none());
    let Some(KeyItem::X509Data(data)) = info.items.last() else { panic!("no X509Data") };
    assert_eq!(data.subjects, ["CN=s".into()]);
    assert_eq!(data.issuer_serials[0].serial.as_ref(), "17");
    assert_eq!(data.skis, [vec![1, 2, 3]]);
    assert_eq!(data.certificates, [vec![0x30, 0]]);
    assert_eq!(data.digests, [(DigestAlg::Sha256, vec![7; 32])]);
}

#[test]
fn bare_key_of_the_message_verifies_only_if_asked_for() {
    let spec = KeyInfoSpec { id: None, items: vec![KeyInfoItem::KeyValue(rsa().public().clone())] };
    let document = parse(PARTS);
    let request = SignRequest {
        targets: &[],
        enveloped: true,
        parent: None,
        method: SignatureAlg::RsaPssSha256,
        digest: DigestAlg::Sha256,
        canonicalization: &C14nSpec::EXCLUSIVE,
        id: None,
        key_info: Some(&spec),
    };
    let key = SignKey::Private(rsa());
    let signed =
        sign_document(&document, &request, &key, bartizan_xml::Profile::Bare, &mut budget(), &SystemRandom);
    let signed = String::from_utf8(signed.expect("signed")).expect("text");
    let mut ring = KeyRing::new();
    let refused = verify_under(&signed, &permit(), &ring).expect_err("nobody is trusted");
    assert!(matches!(refused.kind, ErrorKind::KeyNotFound));
    ring.trust_key_values();
    verify_under(&signed, &permit(), &ring).expect("integrity only");
}

#[test]
fn line_feeds_and_carriage_returns_in_base64_are_accepted() {
    let value = signed().split_once("<ds:SignatureValue>").expect("a value").1;
    let value = value.split_once('<').expect("an end").0;
    let wrapped: String =
        value.as_bytes().chunks(76).map(|line| format!("{}&#13;\n", String::from_utf8_lossy(line))).collect();
    verify(&swap(signed(), value, &format!("\n{wrapped}"))).expect("verified");
}

#[test]
fn comments_under_an_id_are_not_signed() {
    verify(&swap(signed(), ">one ", "><!-- not signed -->one ")).expect("comments vanish");
}

#[test]
fn empty_prefix_list_is_read_as_none() {
    let transform = "<ds:Transform Algorithm=\"http://www.w3.org/2001/10/xml-exc-c14n#\"></ds:Transform>";
    let text = swap(
        signed(),
        transform,
        "<ds:Transform Algorithm=\"http://www.w3.org/2001/10/xml-exc-c14n#\"><ec:InclusiveNamespaces \
         xmlns:ec=\"http://www.w3.org/2001/10/xml-exc-c14n#\" PrefixList=\"\"/></ds:Transform>",
    );
    let signature = read(&parse(&text)).expect("read");
    let Some(Transform::C14n(spec)) = signature.references[0].transforms.first() else { panic!("no C14N") };
    assert_eq!(spec.prefixes.as_deref(), Some(""));
}

#[test]
fn reference_without_canonicalization_means_inclusive_without_comments() {
    let document = parse(PARTS);
    let element = document.by_id("a").expect("unique").expect("there");
    let mut octets = Vec::new();
    bartizan_xml::c14n::C14n::new(C14nMethod::Inclusive10).write(element, &mut octets).expect("canonical");
    let mut reference = reference(&document, "a", DigestAlg::Sha256);
    reference.transforms.clear();
    reference.digest = bartizan_crypto::digest::digest(DigestAlg::Sha256, &octets);
    let spec = bartizan_xmlsec::signature::SignatureSpec {
        id: None,
        method: SignatureAlg::HmacSha256,
        canonicalization: &C14nSpec::EXCLUSIVE,
        references: &[reference],
        key_info: None,
    };
    let mut writer = bartizan_xml::write::Writer::new();
    bartizan_xmlsec::signature::write_signature(&mut writer, &spec, &SignKey::Secret(&secret()))
        .expect("signed");
    let text = String::from_utf8(writer.finish().expect("whole")).expect("text");
    verify(&PARTS.replace("<!--S-->", &text)).expect("verified");
}

struct ToToken(NodeId);

impl StrTargets for ToToken {
    fn token(&self, _: &Document, _: NodeId) -> Option<StrTarget> {
        Some(StrTarget::Node(self.0))
    }
}

#[test]
fn str_transform_digests_the_token_in_the_place_of_the_reference() {
    let wsse = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd";
    let text = format!(
        "<m xmlns:u='{WSU}' xmlns:w='{wsse}'><w:BinarySecurityToken u:Id='t'>AAAA</w:BinarySecurityToken>\
         <w:SecurityTokenReference u:Id='s'><w:Reference URI='#t'/></w:SecurityTokenReference><!--S--></m>"
    );
    let document = parse(&text);
    let canonical = format!(
        "<w:BinarySecurityToken xmlns=\"\" xmlns:u=\"{WSU}\" xmlns:w=\"{wsse}\" u:Id=\"t\">AAAA</w:BinarySecurityToken>"
    );
    let mut to_sign = reference(&document, "s", DigestAlg::Sha256);
    to_sign.transforms = vec![Transform::StrTransform(C14nSpec::EXCLUSIVE)];
    to_sign.digest = bartizan_crypto::digest::digest(DigestAlg::Sha256, canonical.as_bytes());
    let spec = bartizan_xmlsec::signature::SignatureSpec {
        id: None,
        method: SignatureAlg::HmacSha256,
        canonicalization: &C14nSpec::EXCLUSIVE,
        references: &[to_sign],
        key_info: None,
    };
    let mut writer = bartizan_xml::write::Writer::new();
    bartizan_xmlsec::signature::write_signature(&mut writer, &spec, &SignKey::Secret(&secret()))
        .expect("signed");
    let signature = String::from_utf8(writer.finish().expect("whole")).expect("text");
    let document = parse(&text.replace("<!--S-->", &signature));
    let mut message = Permit::message(AlgSet::with_legacy());
    message.transforms = message.transforms.with(TransformKind::StrTransform);
    let signature = read_under(&document, &message).expect("read");
    let token = document.by_id("t").expect("unique").expect("there").id();
    let octets = signature.digest_octets(0, &document, &ToToken(token)).expect("octets");
    assert_eq!(String::from_utf8_lossy(&octets), canonical);
    let covered = signature.verify_reference(0, &document, &ToToken(token), &mut budget()).expect("verified");
    assert_eq!(covered.replaced, [(covered.target, token)]);
    let missing = signature.verify_reference(0, &document, &NoStrTargets, &mut budget());
    assert!(matches!(missing.expect_err("no token").kind, ErrorKind::StrTarget));
}

#[test]
fn base64_transform_is_off_unless_switched_on() {
    let document = parse(
        "<r xmlns:ds='http://www.w3.org/2000/09/xmldsig#'><ds:Object Id='o'>aGVsbG8=</ds:Object><!--S--></r>",
    );
    let mut reference = reference(&document, "o", DigestAlg::Sha256);
    reference.transforms = vec![Transform::Base64];
    reference.digest = bartizan_crypto::digest::digest(DigestAlg::Sha256, b"hello");
    let spec = bartizan_xmlsec::signature::SignatureSpec {
        id: None,
        method: SignatureAlg::HmacSha256,
        canonicalization: &C14nSpec::EXCLUSIVE,
        references: &[reference],
        key_info: None,
    };
    let mut writer = bartizan_xml::write::Writer::new();
    bartizan_xmlsec::signature::write_signature(&mut writer, &spec, &SignKey::Secret(&secret()))
        .expect("signed");
    let text = document
        .segment_text(0)
        .replace("<!--S-->", std::str::from_utf8(&writer.finish().expect("whole")).expect("text"));
    assert!(matches!(refusal(&text), ErrorKind::TransformNotPermitted(TransformKind::Base64)));
    let mut switched = permit();
    switched.transforms = switched.transforms.with(TransformKind::Base64);
    verify_under(&text, &switched, &ring()).expect("verified");
}

#[test]
fn inclusive_signed_info_is_refused_where_its_context_is_unknown() {
    let spec = bartizan_xmlsec::signature::SignatureSpec {
        id: None,
        method: SignatureAlg::HmacSha256,
        canonicalization: &C14nSpec::DEFAULT,
        references: &[reference(&parse(PARTS), "a", DigestAlg::Sha256)],
        key_info: None,
    };
    let key = SymmetricKey::new(vec![1; 32]);
    let mut writer = bartizan_xml::write::Writer::new();
    let refused = bartizan_xmlsec::signature::write_signature(&mut writer, &spec, &SignKey::Secret(&key))
        .expect_err("refused");
    assert!(matches!(refused.kind, ErrorKind::TransformNotPermitted(_)));
}

#[test]
fn error_names_path_reference_and_the_uri_that_was_meant() {
    let text = swap(signed(), "xmlenc#sha256", "xmldsig-more#sha256");
    let error = verify(&text).expect_err("unknown");
    assert_eq!(error.reference, Some(0));
    assert_eq!(error.path.as_deref(), Some("/m/Signature/SignedInfo/Reference[1]/DigestMethod"));
    assert_eq!(error.code(), "algorithm.unknown");
    assert!(error.to_string().contains("http://www.w3.org/2001/04/xmlenc#sha256"), "{error}");
    let text = swap(signed(), "2001/10/xml-exc-c14n#", "2001/10/xml-exc-c14n");
    assert!(verify(&text).expect_err("unknown").to_string().contains("xml-exc-c14n#\" was probably meant"));
}

#[test]
fn document_in_utf_16_is_signed_as_utf_8() {
    let text = "<?xml version=\"1.0\" encoding='UTF-16'?><r>\u{E4}</r>";
    let mut octets = vec![0xFF, 0xFE];
    octets.extend(text.encode_utf16().flat_map(u16::to_le_bytes));
    let document = Document::parse(octets, bartizan_xml::Profile::Bare, &mut budget()).expect("parsed");
    let request = SignRequest {
        targets: &[],
        enveloped: true,
        parent: None,
        method: SignatureAlg::RsaSha256,
        digest: DigestAlg::Sha256,
        canonicalization: &C14nSpec::DEFAULT,
        id: None,
        key_info: None,
    };
    let key = SignKey::Private(rsa());
    let signed =
        sign_document(&document, &request, &key, bartizan_xml::Profile::Bare, &mut budget(), &SystemRandom);
    let signed = String::from_utf8(signed.expect("signed")).expect("UTF-8");
    assert!(signed.starts_with("<?xml version=\"1.0\" encoding='UTF-8'?><r>\u{E4}<ds:Signature"), "{signed}");
    verify(&signed).expect("verified");
}
